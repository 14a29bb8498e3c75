; map |16|load.float64[]0;astype.int8[0]None|float64:1,int8:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
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
  %i18 = phi i64 [0, %entry], [%v105, %endif52]
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
  %v48 = sub i64 %n, %v26
  %v49 = or i64 0, %v48
  %v50 = icmp ne i64 %v49, 0
  br i1 %v50, label %then51, label %endif52
then51:
  br label %head53
head53:
  %i56 = phi i64 [0, %then51], [%v104, %endif64]
  %v57 = icmp slt i64 %i56, 2
  br i1 %v57, label %body54, label %done55
body54:
  %v58 = icmp eq i64 %i56, 0
  %v59 = select i1 %v58, i64 0, i64 %v26
  %v60 = icmp eq i64 %i56, 0
  %v61 = select i1 %v60, i64 0, i64 %n
  %v62 = icmp slt i64 %v59, %v61
  br i1 %v62, label %then63, label %endif64
then63:
  %v65 = add i64 %v59, 16
  %v66 = icmp sle i64 %v65, %v61
  br i1 %v66, label %side68, label %side69, !prof !0
side68:
  %v70 = mul i64 %v59, 8
  %v71 = getelementptr i8, ptr %v21, i64 %v70
  %v72 = mul i64 %v59, 1
  %v73 = getelementptr i8, ptr %v23, i64 %v72
  br label %join67
side69:
  %v74 = sub i64 %v61, %v59
  %v75 = call i64 @llvm.smin.i64(i64 %v74, i64 16)
  %v76 = mul i64 %v75, 1
  %v77 = trunc i64 %v76 to i32
  %v78 = insertelement <16 x i32> poison, i32 %v77, i64 0
  %v79 = shufflevector <16 x i32> %v78, <16 x i32> poison, <16 x i32> zeroinitializer
  %v80 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v79
  %v81 = mul i64 %v59, 8
  %v82 = getelementptr i8, ptr %v21, i64 %v81
  %v83 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v82, <16 x i1> %v80, <16 x i64> zeroinitializer)
  store <16 x i64> %v83, ptr %buf13, align 64
  br label %join67
join67:
  %v84 = phi ptr [%v71, %side68], [%buf13, %side69]
  %v85 = phi ptr [%v73, %side68], [%buf14, %side69]
  %v86 = phi i64 [16, %side68], [%v75, %side69]
  %v87 = getelementptr i8, ptr %v84, i64 0
  %v88 = load <16 x i64>, ptr %v87, align 1
  %v89 = bitcast <16 x i64> %v88 to <16 x double>
  %v90 = fcmp uno <16 x double> %v89, %v89
  %v91 = select <16 x i1> %v90, <16 x double> splat (double 0x0000000000000000), <16 x double> %v89
  %v92 = fcmp ogt <16 x double> %v91, splat (double 0xC060000000000000)
  %v93 = select <16 x i1> %v92, <16 x double> %v91, <16 x double> splat (double 0xC060000000000000)
  %v94 = fcmp olt <16 x double> %v93, splat (double 0x405FC00000000000)
  %v95 = select <16 x i1> %v94, <16 x double> %v93, <16 x double> splat (double 0x405FC00000000000)
  %v96 = fptosi <16 x double> %v95 to <16 x i32>
  %v97 = trunc <16 x i32> %v96 to <16 x i8>
  store <16 x i8> %v97, ptr %v85, align 1
  %v98 = xor i1 %v66, 1
  br i1 %v98, label %then99, label %endif100, !prof !1
then99:
  %v101 = mul i64 %v59, 1
  %v102 = getelementptr i8, ptr %v23, i64 %v101
  %v103 = mul i64 %v86, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v102, ptr %buf14, i64 %v103, i1 0)
  br label %endif100
endif100:
  br label %endif64
endif64:
  %v104 = add i64 %i56, 1
  br label %head53
done55:
  br label %endif52
endif52:
  %v105 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
