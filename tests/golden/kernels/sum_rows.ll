; rows sum float32 |32|load.float32[]0;load.float32[]1;multiply.float32[0, 1]None|float32:1,float32:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
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
  %i18 = phi i64 [0, %entry], [%v135, %done63]
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
  %i64 = phi i64 [%v26, %done29], [%v120, %join104]
  %c65 = phi <8 x float> [%c31, %done29], [%v119, %join104]
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
  %v78 = mul i64 %v77, 1
  %v79 = trunc i64 %v78 to i32
  %v80 = insertelement <32 x i32> poison, i32 %v79, i64 0
  %v81 = shufflevector <32 x i32> %v80, <32 x i32> poison, <32 x i32> zeroinitializer
  %v82 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v81
  %v83 = mul i64 %i64, 4
  %v84 = getelementptr i8, ptr %v21, i64 %v83
  %v85 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v84, <32 x i1> %v82, <32 x i32> zeroinitializer)
  store <32 x i32> %v85, ptr %buf13, align 64
  %v86 = mul i64 %v77, 1
  %v87 = trunc i64 %v86 to i32
  %v88 = insertelement <32 x i32> poison, i32 %v87, i64 0
  %v89 = shufflevector <32 x i32> %v88, <32 x i32> poison, <32 x i32> zeroinitializer
  %v90 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v89
  %v91 = mul i64 %i64, 4
  %v92 = getelementptr i8, ptr %v23, i64 %v91
  %v93 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v92, <32 x i1> %v90, <32 x i32> zeroinitializer)
  store <32 x i32> %v93, ptr %buf14, align 64
  br label %join69
join69:
  %v94 = phi ptr [%v73, %side70], [%buf13, %side71]
  %v95 = phi ptr [%v75, %side70], [%buf14, %side71]
  %v96 = phi i64 [32, %side70], [%v77, %side71]
  %v97 = getelementptr i8, ptr %v94, i64 0
  %v98 = load <32 x i32>, ptr %v97, align 1
  %v99 = bitcast <32 x i32> %v98 to <32 x float>
  %v100 = getelementptr i8, ptr %v95, i64 0
  %v101 = load <32 x i32>, ptr %v100, align 1
  %v102 = bitcast <32 x i32> %v101 to <32 x float>
  %v103 = fmul <32 x float> %v99, %v102
  br i1 %v68, label %join104, label %side105, !prof !0
side105:
  %v106 = trunc i64 %v96 to i32
  %v107 = insertelement <32 x i32> poison, i32 %v106, i64 0
  %v108 = shufflevector <32 x i32> %v107, <32 x i32> poison, <32 x i32> zeroinitializer
  %v109 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v108
  %v110 = select <32 x i1> %v109, <32 x float> %v103, <32 x float> splat (float 0x8000000000000000)
  br label %join104
join104:
  %v111 = phi <32 x float> [%v103, %join69], [%v110, %side105]
  %v112 = shufflevector <32 x float> %v111, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v113 = fadd <8 x float> %c65, %v112
  %v114 = shufflevector <32 x float> %v111, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v115 = fadd <8 x float> %v113, %v114
  %v116 = shufflevector <32 x float> %v111, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v117 = fadd <8 x float> %v115, %v116
  %v118 = shufflevector <32 x float> %v111, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v119 = fadd <8 x float> %v117, %v118
  %v120 = add i64 %i64, 32
  br label %head61
done63:
  %v121 = shufflevector <8 x float> %c65, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v122 = shufflevector <8 x float> %c65, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v123 = fadd <4 x float> %v121, %v122
  %v124 = shufflevector <4 x float> %v123, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v125 = shufflevector <4 x float> %v123, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v126 = fadd <2 x float> %v124, %v125
  %v127 = shufflevector <2 x float> %v126, <2 x float> poison, <1 x i32> <i32 0>
  %v128 = shufflevector <2 x float> %v126, <2 x float> poison, <1 x i32> <i32 1>
  %v129 = fadd <1 x float> %v127, %v128
  %v130 = mul i64 %i18, %step
  %v131 = add i64 %base, %v130
  %v132 = add i64 %first, %i18
  %v133 = mul i64 %v132, 4
  %v134 = getelementptr i8, ptr %part, i64 %v133
  store <1 x float> %v129, ptr %v134, align 1
  %v135 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
