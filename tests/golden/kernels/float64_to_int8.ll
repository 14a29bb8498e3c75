; map |16|load.float64[]0;astype.int8[0]None|float64:1,int8:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  %i18 = phi i64 [0, %entry], [%v66, %done26]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  br label %head24
head24:
  %i27 = phi i64 [0, %body16], [%v65, %endif61]
  %v28 = icmp slt i64 %i27, %n
  br i1 %v28, label %body25, label %done26
body25:
  %v29 = add i64 %i27, 16
  %v30 = icmp sle i64 %v29, %n
  br i1 %v30, label %side32, label %side33, !prof !0
side32:
  %v34 = mul i64 %i27, 8
  %v35 = getelementptr i8, ptr %v21, i64 %v34
  %v36 = mul i64 %i27, 1
  %v37 = getelementptr i8, ptr %v23, i64 %v36
  br label %join31
side33:
  %v38 = sub i64 %n, %i27
  %v39 = call i64 @llvm.smin.i64(i64 %v38, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v40 = mul i64 %v39, 8
  %v41 = sub i64 %v40, 0
  %v42 = getelementptr i8, ptr %buf13, i64 0
  %v43 = mul i64 %i27, 8
  %v44 = getelementptr i8, ptr %v21, i64 %v43
  call void @llvm.memcpy.p0.p0.i64(ptr %v42, ptr %v44, i64 %v41, i1 0)
  br label %join31
join31:
  %v45 = phi ptr [%v35, %side32], [%buf13, %side33]
  %v46 = phi ptr [%v37, %side32], [%buf14, %side33]
  %v47 = phi i64 [16, %side32], [%v39, %side33]
  %v48 = getelementptr i8, ptr %v45, i64 0
  %v49 = load <16 x i64>, ptr %v48, align 1
  %v50 = bitcast <16 x i64> %v49 to <16 x double>
  %v51 = fcmp uno <16 x double> %v50, %v50
  %v52 = select <16 x i1> %v51, <16 x double> splat (double 0x0000000000000000), <16 x double> %v50
  %v53 = fcmp ogt <16 x double> %v52, splat (double 0xC060000000000000)
  %v54 = select <16 x i1> %v53, <16 x double> %v52, <16 x double> splat (double 0xC060000000000000)
  %v55 = fcmp olt <16 x double> %v54, splat (double 0x405FC00000000000)
  %v56 = select <16 x i1> %v55, <16 x double> %v54, <16 x double> splat (double 0x405FC00000000000)
  %v57 = fptosi <16 x double> %v56 to <16 x i32>
  %v58 = trunc <16 x i32> %v57 to <16 x i8>
  store <16 x i8> %v58, ptr %v46, align 1
  %v59 = xor i1 %v30, 1
  br i1 %v59, label %then60, label %endif61, !prof !1
then60:
  %v62 = mul i64 %i27, 1
  %v63 = getelementptr i8, ptr %v23, i64 %v62
  %v64 = mul i64 %v47, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v63, ptr %buf14, i64 %v64, i1 0)
  br label %endif61
endif61:
  %v65 = add i64 %i27, 16
  br label %head24
done26:
  %v66 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
