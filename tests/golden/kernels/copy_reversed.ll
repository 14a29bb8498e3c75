; map|16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %buf14 = alloca <16 x i64>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 1
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 4
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 2
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 5
  %v12 = load i64, ptr %v11, align 8
  br label %head15
head15:
  %i18 = phi i64 [0, %entry], [%v71, %done26]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  br label %head24
head24:
  %i27 = phi i64 [0, %body16], [%v70, %endif62]
  %v28 = icmp slt i64 %i27, %n
  br i1 %v28, label %body25, label %done26
body25:
  %v29 = add i64 %i27, 16
  %v30 = icmp sle i64 %v29, %n
  br i1 %v30, label %whole31, label %part32, !prof !0
whole31:
  %v34 = add i64 %i27, 15
  %v35 = mul i64 %v34, -8
  %v36 = getelementptr i8, ptr %v21, i64 %v35
  %v37 = mul i64 %i27, 8
  %v38 = getelementptr i8, ptr %v23, i64 %v37
  br label %body33
part32:
  %v39 = sub i64 %n, %i27
  %v40 = call i64 @llvm.smin.i64(i64 %v39, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v41 = sub i64 %v40, 1
  %v42 = add i64 %i27, %v41
  %v43 = sub i64 16, %v40
  %v44 = sub i64 %v40, 0
  %v45 = mul i64 %v44, 8
  %v46 = sub i64 %v45, 0
  %v47 = mul i64 %v43, 8
  %v48 = getelementptr i8, ptr %buf13, i64 %v47
  %v49 = mul i64 %v42, -8
  %v50 = getelementptr i8, ptr %v21, i64 %v49
  call void @llvm.memcpy.p0.p0.i64(ptr %v48, ptr %v50, i64 %v46, i1 false)
  br label %body33
body33:
  %v51 = phi ptr [%v36, %whole31], [%buf13, %part32]
  %v52 = phi ptr [%v38, %whole31], [%buf14, %part32]
  %v53 = phi i64 [0, %whole31], [0, %part32]
  %v54 = phi i64 [16, %whole31], [%v40, %part32]
  %v55 = getelementptr i8, ptr %v51, i64 0
  %v56 = load <16 x i64>, ptr %v55, align 1
  %v57 = shufflevector <16 x i64> %v56, <16 x i64> %v56, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v58 = bitcast <16 x i64> %v57 to <16 x double>
  %v59 = bitcast <16 x double> %v58 to <16 x i64>
  store <16 x i64> %v59, ptr %v52, align 1
  %v60 = xor i1 %v30, 1
  br i1 %v60, label %then61, label %endif62, !prof !1
then61:
  %v63 = mul i64 %v53, 8
  %v64 = getelementptr i8, ptr %buf14, i64 %v63
  %v65 = add i64 %i27, %v53
  %v66 = mul i64 %v65, 8
  %v67 = getelementptr i8, ptr %v23, i64 %v66
  %v68 = sub i64 %v54, %v53
  %v69 = mul i64 %v68, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v67, ptr %v64, i64 %v69, i1 false)
  br label %endif62
endif62:
  %v70 = add i64 %i27, 16
  br label %head24
done26:
  %v71 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
