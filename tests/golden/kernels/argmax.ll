; rows argmax int32 |32|load.int32[]0|int32:1
declare <32 x i32> @llvm.smin.v32i32(<32 x i32>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @rows(ptr %L, ptr %S, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step) #0 {
entry:
  %buf7 = alloca <32 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 2
  %v6 = load i64, ptr %v5, align 8
  br label %head8
head8:
  %i11 = phi i64 [0, %entry], [%v154, %done44]
  %v12 = icmp slt i64 %i11, %m
  br i1 %v12, label %body9, label %done10
body9:
  %v13 = mul i64 %i11, %v6
  %v14 = getelementptr i8, ptr %v2, i64 %v13
  %v15 = sub i64 %n, 0
  %v16 = and i64 %v15, -32
  %v17 = add i64 0, %v16
  br label %head18
head18:
  %i21 = phi i64 [0, %body9], [%v41, %body19]
  %c22 = phi <32 x i32> [splat (i32 2147483647), %body9], [%v39, %body19]
  %c23 = phi <32 x i32> [splat (i32 0), %body9], [%v40, %body19]
  %v24 = icmp slt i64 %i21, %v17
  br i1 %v24, label %body19, label %done20
body19:
  %v25 = mul i64 %i21, 4
  %v26 = getelementptr i8, ptr %v14, i64 %v25
  %v27 = getelementptr i8, ptr %v26, i64 8192
  call void @llvm.prefetch.p0(ptr %v27, i32 0, i32 3, i32 1)
  %v28 = getelementptr i8, ptr %v26, i64 8256
  call void @llvm.prefetch.p0(ptr %v28, i32 0, i32 3, i32 1)
  %v29 = mul i64 %i21, 4
  %v30 = getelementptr i8, ptr %v14, i64 %v29
  %v31 = getelementptr i8, ptr %v30, i64 0
  %v32 = load <32 x i32>, ptr %v31, align 1
  %v33 = xor <32 x i32> %v32, splat (i32 -1)
  %v34 = lshr i64 %i21, 5
  %v35 = trunc i64 %v34 to i32
  %v36 = insertelement <32 x i32> poison, i32 %v35, i64 0
  %v37 = shufflevector <32 x i32> %v36, <32 x i32> poison, <32 x i32> zeroinitializer
  %v38 = icmp slt <32 x i32> %v33, %c22
  %v39 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c22, <32 x i32> %v33)
  %v40 = select <32 x i1> %v38, <32 x i32> %v37, <32 x i32> %c23
  %v41 = add i64 %i21, 32
  br label %head18
done20:
  br label %head42
head42:
  %i45 = phi i64 [%v17, %done20], [%v83, %join68]
  %c46 = phi <32 x i32> [%c22, %done20], [%v81, %join68]
  %c47 = phi <32 x i32> [%c23, %done20], [%v82, %join68]
  %v48 = icmp slt i64 %i45, %n
  br i1 %v48, label %body43, label %done44
body43:
  %v49 = add i64 %i45, 32
  %v50 = icmp sle i64 %v49, %n
  br i1 %v50, label %side52, label %side53, !prof !0
side52:
  %v54 = mul i64 %i45, 4
  %v55 = getelementptr i8, ptr %v14, i64 %v54
  br label %join51
side53:
  %v56 = sub i64 %n, %i45
  %v57 = call i64 @llvm.smin.i64(i64 %v56, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v58 = mul i64 %v57, 4
  %v59 = sub i64 %v58, 0
  %v60 = getelementptr i8, ptr %buf7, i64 0
  %v61 = mul i64 %i45, 4
  %v62 = getelementptr i8, ptr %v14, i64 %v61
  call void @llvm.memcpy.p0.p0.i64(ptr %v60, ptr %v62, i64 %v59, i1 0)
  br label %join51
join51:
  %v63 = phi ptr [%v55, %side52], [%buf7, %side53]
  %v64 = phi i64 [32, %side52], [%v57, %side53]
  %v65 = getelementptr i8, ptr %v63, i64 0
  %v66 = load <32 x i32>, ptr %v65, align 1
  %v67 = xor <32 x i32> %v66, splat (i32 -1)
  br i1 %v50, label %join68, label %side69, !prof !0
side69:
  %v70 = trunc i64 %v64 to i32
  %v71 = insertelement <32 x i32> poison, i32 %v70, i64 0
  %v72 = shufflevector <32 x i32> %v71, <32 x i32> poison, <32 x i32> zeroinitializer
  %v73 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v72
  %v74 = select <32 x i1> %v73, <32 x i32> %v67, <32 x i32> splat (i32 2147483647)
  br label %join68
join68:
  %v75 = phi <32 x i32> [%v67, %join51], [%v74, %side69]
  %v76 = lshr i64 %i45, 5
  %v77 = trunc i64 %v76 to i32
  %v78 = insertelement <32 x i32> poison, i32 %v77, i64 0
  %v79 = shufflevector <32 x i32> %v78, <32 x i32> poison, <32 x i32> zeroinitializer
  %v80 = icmp slt <32 x i32> %v75, %c46
  %v81 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c46, <32 x i32> %v75)
  %v82 = select <32 x i1> %v80, <32 x i32> %v79, <32 x i32> %c47
  %v83 = add i64 %i45, 32
  br label %head42
done44:
  %v84 = mul <32 x i32> %c47, splat (i32 32)
  %v85 = add <32 x i32> %v84, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v86 = shufflevector <32 x i32> %c46, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v87 = shufflevector <32 x i32> %v85, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v88 = shufflevector <32 x i32> %c46, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v89 = shufflevector <32 x i32> %v85, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v90 = icmp slt <16 x i32> %v88, %v86
  %v91 = icmp eq <16 x i32> %v88, %v86
  %v92 = icmp slt <16 x i32> %v89, %v87
  %v93 = and <16 x i1> %v91, %v92
  %v94 = or <16 x i1> %v90, %v93
  %v95 = select <16 x i1> %v94, <16 x i32> %v88, <16 x i32> %v86
  %v96 = select <16 x i1> %v94, <16 x i32> %v89, <16 x i32> %v87
  %v97 = shufflevector <16 x i32> %v95, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v98 = shufflevector <16 x i32> %v96, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v99 = shufflevector <16 x i32> %v95, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v100 = shufflevector <16 x i32> %v96, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v101 = icmp slt <8 x i32> %v99, %v97
  %v102 = icmp eq <8 x i32> %v99, %v97
  %v103 = icmp slt <8 x i32> %v100, %v98
  %v104 = and <8 x i1> %v102, %v103
  %v105 = or <8 x i1> %v101, %v104
  %v106 = select <8 x i1> %v105, <8 x i32> %v99, <8 x i32> %v97
  %v107 = select <8 x i1> %v105, <8 x i32> %v100, <8 x i32> %v98
  %v108 = shufflevector <8 x i32> %v106, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v109 = shufflevector <8 x i32> %v107, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v110 = shufflevector <8 x i32> %v106, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v111 = shufflevector <8 x i32> %v107, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v112 = icmp slt <4 x i32> %v110, %v108
  %v113 = icmp eq <4 x i32> %v110, %v108
  %v114 = icmp slt <4 x i32> %v111, %v109
  %v115 = and <4 x i1> %v113, %v114
  %v116 = or <4 x i1> %v112, %v115
  %v117 = select <4 x i1> %v116, <4 x i32> %v110, <4 x i32> %v108
  %v118 = select <4 x i1> %v116, <4 x i32> %v111, <4 x i32> %v109
  %v119 = shufflevector <4 x i32> %v117, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v120 = shufflevector <4 x i32> %v118, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v121 = shufflevector <4 x i32> %v117, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v122 = shufflevector <4 x i32> %v118, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v123 = icmp slt <2 x i32> %v121, %v119
  %v124 = icmp eq <2 x i32> %v121, %v119
  %v125 = icmp slt <2 x i32> %v122, %v120
  %v126 = and <2 x i1> %v124, %v125
  %v127 = or <2 x i1> %v123, %v126
  %v128 = select <2 x i1> %v127, <2 x i32> %v121, <2 x i32> %v119
  %v129 = select <2 x i1> %v127, <2 x i32> %v122, <2 x i32> %v120
  %v130 = shufflevector <2 x i32> %v128, <2 x i32> poison, <1 x i32> <i32 0>
  %v131 = shufflevector <2 x i32> %v129, <2 x i32> poison, <1 x i32> <i32 0>
  %v132 = shufflevector <2 x i32> %v128, <2 x i32> poison, <1 x i32> <i32 1>
  %v133 = shufflevector <2 x i32> %v129, <2 x i32> poison, <1 x i32> <i32 1>
  %v134 = icmp slt <1 x i32> %v132, %v130
  %v135 = icmp eq <1 x i32> %v132, %v130
  %v136 = icmp slt <1 x i32> %v133, %v131
  %v137 = and <1 x i1> %v135, %v136
  %v138 = or <1 x i1> %v134, %v137
  %v139 = select <1 x i1> %v138, <1 x i32> %v132, <1 x i32> %v130
  %v140 = select <1 x i1> %v138, <1 x i32> %v133, <1 x i32> %v131
  %v141 = mul i64 %i11, %step
  %v142 = add i64 %base, %v141
  %v143 = sext <1 x i32> %v140 to <1 x i64>
  %v144 = insertelement <1 x i64> poison, i64 %v142, i64 0
  %v145 = shufflevector <1 x i64> %v144, <1 x i64> poison, <1 x i32> zeroinitializer
  %v146 = add <1 x i64> %v143, %v145
  %v147 = add i64 %first, %i11
  %v148 = mul i64 %v147, 4
  %v149 = getelementptr i8, ptr %part, i64 %v148
  store <1 x i32> %v139, ptr %v149, align 1
  %v150 = mul i64 %pitch, 1
  %v151 = getelementptr i8, ptr %part, i64 %v150
  %v152 = mul i64 %v147, 8
  %v153 = getelementptr i8, ptr %v151, i64 %v152
  store <1 x i64> %v146, ptr %v153, align 1
  %v154 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
