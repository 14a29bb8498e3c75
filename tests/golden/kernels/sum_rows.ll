; rows sum float32 |32|load.float32[]0;load.float32[]1;multiply.float32[0, 1]None|float32:1,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @rows(ptr %L, ptr %S, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
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
  %i18 = phi i64 [0, %entry], [%v129, %done63]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = sub i64 %n, 0
  %v25 = and i64 %v24, -32
  %v26 = add i64 0, %v25
  br label %head27
head27:
  %i30 = phi i64 [0, %body16], [%v60, %body28]
  %c31 = phi <8 x float> [splat (float 0x8000000000000000), %body16], [%v59, %body28]
  %v32 = icmp slt i64 %i30, %v26
  br i1 %v32, label %body28, label %done29
body28:
  %v33 = mul i64 %i30, 4
  %v34 = getelementptr i8, ptr %v21, i64 %v33
  %v35 = getelementptr i8, ptr %v34, i64 8192
  call void @llvm.prefetch.p0(ptr %v35, i32 0, i32 3, i32 1)
  %v36 = getelementptr i8, ptr %v34, i64 8256
  call void @llvm.prefetch.p0(ptr %v36, i32 0, i32 3, i32 1)
  %v37 = mul i64 %i30, 4
  %v38 = getelementptr i8, ptr %v23, i64 %v37
  %v39 = getelementptr i8, ptr %v38, i64 8192
  call void @llvm.prefetch.p0(ptr %v39, i32 0, i32 3, i32 1)
  %v40 = getelementptr i8, ptr %v38, i64 8256
  call void @llvm.prefetch.p0(ptr %v40, i32 0, i32 3, i32 1)
  %v41 = mul i64 %i30, 4
  %v42 = getelementptr i8, ptr %v21, i64 %v41
  %v43 = mul i64 %i30, 4
  %v44 = getelementptr i8, ptr %v23, i64 %v43
  %v45 = getelementptr i8, ptr %v42, i64 0
  %v46 = load <32 x i32>, ptr %v45, align 1
  %v47 = bitcast <32 x i32> %v46 to <32 x float>
  %v48 = getelementptr i8, ptr %v44, i64 0
  %v49 = load <32 x i32>, ptr %v48, align 1
  %v50 = bitcast <32 x i32> %v49 to <32 x float>
  %v51 = fmul <32 x float> %v47, %v50
  %v52 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v53 = fadd <8 x float> %c31, %v52
  %v54 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v55 = fadd <8 x float> %v53, %v54
  %v56 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v57 = fadd <8 x float> %v55, %v56
  %v58 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v59 = fadd <8 x float> %v57, %v58
  %v60 = add i64 %i30, 32
  br label %head27
done29:
  br label %head61
head61:
  %i64 = phi i64 [%v26, %done29], [%v114, %join98]
  %c65 = phi <8 x float> [%c31, %done29], [%v113, %join98]
  %v66 = icmp slt i64 %i64, %n
  br i1 %v66, label %body62, label %done63
body62:
  %v67 = add i64 %i64, 32
  %v68 = icmp sle i64 %v67, %n
  br i1 %v68, label %side70, label %side71, !prof !0
side70:
  %v72 = mul i64 %i64, 4
  %v73 = getelementptr i8, ptr %v21, i64 %v72
  %v74 = mul i64 %i64, 4
  %v75 = getelementptr i8, ptr %v23, i64 %v74
  br label %join69
side71:
  %v76 = sub i64 %n, %i64
  %v77 = call i64 @llvm.smin.i64(i64 %v76, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v78 = mul i64 %v77, 4
  %v79 = sub i64 %v78, 0
  %v80 = getelementptr i8, ptr %buf13, i64 0
  %v81 = mul i64 %i64, 4
  %v82 = getelementptr i8, ptr %v21, i64 %v81
  call void @llvm.memcpy.p0.p0.i64(ptr %v80, ptr %v82, i64 %v79, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf14, align 64
  %v83 = mul i64 %v77, 4
  %v84 = sub i64 %v83, 0
  %v85 = getelementptr i8, ptr %buf14, i64 0
  %v86 = mul i64 %i64, 4
  %v87 = getelementptr i8, ptr %v23, i64 %v86
  call void @llvm.memcpy.p0.p0.i64(ptr %v85, ptr %v87, i64 %v84, i1 0)
  br label %join69
join69:
  %v88 = phi ptr [%v73, %side70], [%buf13, %side71]
  %v89 = phi ptr [%v75, %side70], [%buf14, %side71]
  %v90 = phi i64 [32, %side70], [%v77, %side71]
  %v91 = getelementptr i8, ptr %v88, i64 0
  %v92 = load <32 x i32>, ptr %v91, align 1
  %v93 = bitcast <32 x i32> %v92 to <32 x float>
  %v94 = getelementptr i8, ptr %v89, i64 0
  %v95 = load <32 x i32>, ptr %v94, align 1
  %v96 = bitcast <32 x i32> %v95 to <32 x float>
  %v97 = fmul <32 x float> %v93, %v96
  br i1 %v68, label %join98, label %side99, !prof !0
side99:
  %v100 = trunc i64 %v90 to i32
  %v101 = insertelement <32 x i32> poison, i32 %v100, i64 0
  %v102 = shufflevector <32 x i32> %v101, <32 x i32> poison, <32 x i32> zeroinitializer
  %v103 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v102
  %v104 = select <32 x i1> %v103, <32 x float> %v97, <32 x float> splat (float 0x8000000000000000)
  br label %join98
join98:
  %v105 = phi <32 x float> [%v97, %join69], [%v104, %side99]
  %v106 = shufflevector <32 x float> %v105, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v107 = fadd <8 x float> %c65, %v106
  %v108 = shufflevector <32 x float> %v105, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v109 = fadd <8 x float> %v107, %v108
  %v110 = shufflevector <32 x float> %v105, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v111 = fadd <8 x float> %v109, %v110
  %v112 = shufflevector <32 x float> %v105, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v113 = fadd <8 x float> %v111, %v112
  %v114 = add i64 %i64, 32
  br label %head61
done63:
  %v115 = shufflevector <8 x float> %c65, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v116 = shufflevector <8 x float> %c65, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v117 = fadd <4 x float> %v115, %v116
  %v118 = shufflevector <4 x float> %v117, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v119 = shufflevector <4 x float> %v117, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v120 = fadd <2 x float> %v118, %v119
  %v121 = shufflevector <2 x float> %v120, <2 x float> poison, <1 x i32> <i32 0>
  %v122 = shufflevector <2 x float> %v120, <2 x float> poison, <1 x i32> <i32 1>
  %v123 = fadd <1 x float> %v121, %v122
  %v124 = mul i64 %i18, %step
  %v125 = add i64 %base, %v124
  %v126 = add i64 %first, %i18
  %v127 = mul i64 %v126, 4
  %v128 = getelementptr i8, ptr %part, i64 %v127
  store <1 x float> %v123, ptr %v128, align 1
  %v129 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
