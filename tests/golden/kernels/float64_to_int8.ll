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
  %i18 = phi i64 [0, %entry], [%v97, %done50]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = sub i64 %n, 0
  %v25 = and i64 %v24, -16
  %v26 = add i64 0, %v25
  br label %head27
head27:
  %i30 = phi i64 [0, %body16], [%v47, %body28]
  %v31 = icmp slt i64 %i30, %v26
  br i1 %v31, label %body28, label %done29
body28:
  %v32 = mul i64 %i30, 8
  %v33 = getelementptr i8, ptr %v21, i64 %v32
  %v34 = mul i64 %i30, 1
  %v35 = getelementptr i8, ptr %v23, i64 %v34
  %v36 = getelementptr i8, ptr %v33, i64 0
  %v37 = load <16 x i64>, ptr %v36, align 1
  %v38 = bitcast <16 x i64> %v37 to <16 x double>
  %v39 = fcmp uno <16 x double> %v38, %v38
  %v40 = select <16 x i1> %v39, <16 x double> splat (double 0x0000000000000000), <16 x double> %v38
  %v41 = fcmp ogt <16 x double> %v40, splat (double 0xC060000000000000)
  %v42 = select <16 x i1> %v41, <16 x double> %v40, <16 x double> splat (double 0xC060000000000000)
  %v43 = fcmp olt <16 x double> %v42, splat (double 0x405FC00000000000)
  %v44 = select <16 x i1> %v43, <16 x double> %v42, <16 x double> splat (double 0x405FC00000000000)
  %v45 = fptosi <16 x double> %v44 to <16 x i32>
  %v46 = trunc <16 x i32> %v45 to <16 x i8>
  store <16 x i8> %v46, ptr %v35, align 1
  %v47 = add i64 %i30, 16
  br label %head27
done29:
  br label %head48
head48:
  %i51 = phi i64 [0, %done29], [%v96, %endif59]
  %v52 = icmp slt i64 %i51, 2
  br i1 %v52, label %body49, label %done50
body49:
  %v53 = icmp eq i64 %i51, 0
  %v54 = select i1 %v53, i64 0, i64 %v26
  %v55 = icmp eq i64 %i51, 0
  %v56 = select i1 %v55, i64 0, i64 %n
  %v57 = icmp slt i64 %v54, %v56
  br i1 %v57, label %then58, label %endif59
then58:
  %v60 = add i64 %v54, 16
  %v61 = icmp sle i64 %v60, %v56
  br i1 %v61, label %side63, label %side64, !prof !0
side63:
  %v65 = mul i64 %v54, 8
  %v66 = getelementptr i8, ptr %v21, i64 %v65
  %v67 = mul i64 %v54, 1
  %v68 = getelementptr i8, ptr %v23, i64 %v67
  br label %join62
side64:
  %v69 = sub i64 %v56, %v54
  %v70 = call i64 @llvm.smin.i64(i64 %v69, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v71 = mul i64 %v70, 8
  %v72 = sub i64 %v71, 0
  %v73 = getelementptr i8, ptr %buf13, i64 0
  %v74 = mul i64 %v54, 8
  %v75 = getelementptr i8, ptr %v21, i64 %v74
  call void @llvm.memcpy.p0.p0.i64(ptr %v73, ptr %v75, i64 %v72, i1 0)
  br label %join62
join62:
  %v76 = phi ptr [%v66, %side63], [%buf13, %side64]
  %v77 = phi ptr [%v68, %side63], [%buf14, %side64]
  %v78 = phi i64 [16, %side63], [%v70, %side64]
  %v79 = getelementptr i8, ptr %v76, i64 0
  %v80 = load <16 x i64>, ptr %v79, align 1
  %v81 = bitcast <16 x i64> %v80 to <16 x double>
  %v82 = fcmp uno <16 x double> %v81, %v81
  %v83 = select <16 x i1> %v82, <16 x double> splat (double 0x0000000000000000), <16 x double> %v81
  %v84 = fcmp ogt <16 x double> %v83, splat (double 0xC060000000000000)
  %v85 = select <16 x i1> %v84, <16 x double> %v83, <16 x double> splat (double 0xC060000000000000)
  %v86 = fcmp olt <16 x double> %v85, splat (double 0x405FC00000000000)
  %v87 = select <16 x i1> %v86, <16 x double> %v85, <16 x double> splat (double 0x405FC00000000000)
  %v88 = fptosi <16 x double> %v87 to <16 x i32>
  %v89 = trunc <16 x i32> %v88 to <16 x i8>
  store <16 x i8> %v89, ptr %v77, align 1
  %v90 = xor i1 %v61, 1
  br i1 %v90, label %then91, label %endif92, !prof !1
then91:
  %v93 = mul i64 %v54, 1
  %v94 = getelementptr i8, ptr %v23, i64 %v93
  %v95 = mul i64 %v78, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v94, ptr %buf14, i64 %v95, i1 0)
  br label %endif92
endif92:
  br label %endif59
endif59:
  %v96 = add i64 %i51, 1
  br label %head48
done50:
  %v97 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
