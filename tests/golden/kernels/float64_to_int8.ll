; map|16|load.float64[]0;astype.int8[0]None|float64:1,int8:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %buf14 = alloca <16 x i8>, i64 1, align 64
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
  %i18 = phi i64 [0, %entry], [%v74, %done26]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  br label %head24
head24:
  %i27 = phi i64 [0, %body16], [%v73, %endif65]
  %v28 = icmp slt i64 %i27, %n
  br i1 %v28, label %body25, label %done26
body25:
  %v29 = add i64 %i27, 16
  %v30 = icmp sle i64 %v29, %n
  br i1 %v30, label %whole31, label %part32, !prof !0
whole31:
  %v34 = mul i64 %i27, 8
  %v35 = getelementptr i8, ptr %v21, i64 %v34
  %v36 = mul i64 %i27, 1
  %v37 = getelementptr i8, ptr %v23, i64 %v36
  br label %body33
part32:
  %v38 = sub i64 %n, %i27
  %v39 = call i64 @llvm.smin.i64(i64 %v38, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v40 = add i64 %i27, 0
  %v41 = sub i64 %v39, 0
  %v42 = mul i64 %v41, 8
  %v43 = sub i64 %v42, 0
  %v44 = mul i64 0, 8
  %v45 = getelementptr i8, ptr %buf13, i64 %v44
  %v46 = mul i64 %v40, 8
  %v47 = getelementptr i8, ptr %v21, i64 %v46
  call void @llvm.memcpy.p0.p0.i64(ptr %v45, ptr %v47, i64 %v43, i1 false)
  br label %body33
body33:
  %v48 = phi ptr [%v35, %whole31], [%buf13, %part32]
  %v49 = phi ptr [%v37, %whole31], [%buf14, %part32]
  %v50 = phi i64 [0, %whole31], [0, %part32]
  %v51 = phi i64 [16, %whole31], [%v39, %part32]
  %v52 = getelementptr i8, ptr %v48, i64 0
  %v53 = load <16 x i64>, ptr %v52, align 1
  %v54 = bitcast <16 x i64> %v53 to <16 x double>
  %v55 = fcmp uno <16 x double> %v54, %v54
  %v56 = select <16 x i1> %v55, <16 x double> splat (double 0x0000000000000000), <16 x double> %v54
  %v57 = fcmp ogt <16 x double> %v56, splat (double 0xC060000000000000)
  %v58 = select <16 x i1> %v57, <16 x double> %v56, <16 x double> splat (double 0xC060000000000000)
  %v59 = fcmp olt <16 x double> %v58, splat (double 0x405FC00000000000)
  %v60 = select <16 x i1> %v59, <16 x double> %v58, <16 x double> splat (double 0x405FC00000000000)
  %v61 = fptosi <16 x double> %v60 to <16 x i32>
  %v62 = trunc <16 x i32> %v61 to <16 x i8>
  store <16 x i8> %v62, ptr %v49, align 1
  %v63 = xor i1 %v30, 1
  br i1 %v63, label %then64, label %endif65, !prof !1
then64:
  %v66 = mul i64 %v50, 1
  %v67 = getelementptr i8, ptr %buf14, i64 %v66
  %v68 = add i64 %i27, %v50
  %v69 = mul i64 %v68, 1
  %v70 = getelementptr i8, ptr %v23, i64 %v69
  %v71 = sub i64 %v51, %v50
  %v72 = mul i64 %v71, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v70, ptr %v67, i64 %v72, i1 false)
  br label %endif65
endif65:
  %v73 = add i64 %i27, 16
  br label %head24
done26:
  %v74 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
