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
  %v15 = icmp eq i64 %v8, -1
  br label %head16
head16:
  %i19 = phi i64 [0, %entry], [%v80, %done31]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = and i64 %v25, 63
  %v27 = icmp eq i64 %v26, 0
  %v28 = and i1 %v15, %v27
  br label %head29
head29:
  %i32 = phi i64 [0, %body17], [%v79, %endif71]
  %v33 = icmp slt i64 %i32, %n
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = add i64 %i32, 16
  %v35 = icmp sle i64 %v34, %n
  br i1 %v35, label %whole36, label %part37, !prof !0
whole36:
  %v39 = add i64 %i32, 15
  %v40 = mul i64 %v39, -8
  %v41 = getelementptr i8, ptr %v22, i64 %v40
  %v42 = mul i64 %i32, 8
  %v43 = getelementptr i8, ptr %v24, i64 %v42
  br label %body38
part37:
  %v44 = sub i64 %n, %i32
  %v45 = call i64 @llvm.smin.i64(i64 %v44, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v46 = sub i64 %v45, 1
  %v47 = add i64 %i32, %v46
  %v48 = sub i64 16, %v45
  %v49 = sub i64 %v45, 0
  %v50 = mul i64 %v49, 8
  %v51 = sub i64 %v50, 0
  %v52 = mul i64 %v48, 8
  %v53 = getelementptr i8, ptr %buf13, i64 %v52
  %v54 = mul i64 %v47, -8
  %v55 = getelementptr i8, ptr %v22, i64 %v54
  call void @llvm.memcpy.p0.p0.i64(ptr %v53, ptr %v55, i64 %v51, i1 false)
  br label %body38
body38:
  %v56 = phi ptr [%v41, %whole36], [%buf13, %part37]
  %v57 = phi ptr [%v43, %whole36], [%buf14, %part37]
  %v58 = phi i64 [0, %whole36], [0, %part37]
  %v59 = phi i64 [16, %whole36], [%v45, %part37]
  %v60 = getelementptr i8, ptr %v56, i64 0
  %v61 = load <16 x i64>, ptr %v60, align 1
  %v62 = shufflevector <16 x i64> %v61, <16 x i64> %v61, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v63 = bitcast <16 x i64> %v62 to <16 x double>
  %v64 = bitcast <16 x double> %v63 to <16 x i64>
  %v68 = and i1 %v28, %v35
  br i1 %v68, label %far65, label %near66
far65:
  store <16 x i64> %v64, ptr %v57, align 64, !nontemporal !2
  br label %stored67
near66:
  store <16 x i64> %v64, ptr %v57, align 1
  br label %stored67
stored67:
  %v69 = xor i1 %v35, 1
  br i1 %v69, label %then70, label %endif71, !prof !1
then70:
  %v72 = mul i64 %v58, 8
  %v73 = getelementptr i8, ptr %buf14, i64 %v72
  %v74 = add i64 %i32, %v58
  %v75 = mul i64 %v74, 8
  %v76 = getelementptr i8, ptr %v24, i64 %v75
  %v77 = sub i64 %v59, %v58
  %v78 = mul i64 %v77, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v76, ptr %v73, i64 %v78, i1 false)
  br label %endif71
endif71:
  %v79 = add i64 %i32, 16
  br label %head29
done31:
  %v80 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then81, label %endif82
then81:
  fence seq_cst
  br label %endif82
endif82:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
