; rows argmax int32 |32|load.int32[]0|int32:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare <32 x i32> @llvm.smin.v32i32(<32 x i32>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
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
  %i11 = phi i64 [0, %entry], [%v157, %done44]
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
  %i45 = phi i64 [%v17, %done20], [%v86, %join71]
  %c46 = phi <32 x i32> [%c22, %done20], [%v84, %join71]
  %c47 = phi <32 x i32> [%c23, %done20], [%v85, %join71]
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
  %v58 = mul i64 %v57, 1
  %v59 = trunc i64 %v58 to i32
  %v60 = insertelement <32 x i32> poison, i32 %v59, i64 0
  %v61 = shufflevector <32 x i32> %v60, <32 x i32> poison, <32 x i32> zeroinitializer
  %v62 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v61
  %v63 = mul i64 %i45, 4
  %v64 = getelementptr i8, ptr %v14, i64 %v63
  %v65 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v64, <32 x i1> %v62, <32 x i32> zeroinitializer)
  store <32 x i32> %v65, ptr %buf7, align 64
  br label %join51
join51:
  %v66 = phi ptr [%v55, %side52], [%buf7, %side53]
  %v67 = phi i64 [32, %side52], [%v57, %side53]
  %v68 = getelementptr i8, ptr %v66, i64 0
  %v69 = load <32 x i32>, ptr %v68, align 1
  %v70 = xor <32 x i32> %v69, splat (i32 -1)
  br i1 %v50, label %join71, label %side72, !prof !0
side72:
  %v73 = trunc i64 %v67 to i32
  %v74 = insertelement <32 x i32> poison, i32 %v73, i64 0
  %v75 = shufflevector <32 x i32> %v74, <32 x i32> poison, <32 x i32> zeroinitializer
  %v76 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v75
  %v77 = select <32 x i1> %v76, <32 x i32> %v70, <32 x i32> splat (i32 2147483647)
  br label %join71
join71:
  %v78 = phi <32 x i32> [%v70, %join51], [%v77, %side72]
  %v79 = lshr i64 %i45, 5
  %v80 = trunc i64 %v79 to i32
  %v81 = insertelement <32 x i32> poison, i32 %v80, i64 0
  %v82 = shufflevector <32 x i32> %v81, <32 x i32> poison, <32 x i32> zeroinitializer
  %v83 = icmp slt <32 x i32> %v78, %c46
  %v84 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c46, <32 x i32> %v78)
  %v85 = select <32 x i1> %v83, <32 x i32> %v82, <32 x i32> %c47
  %v86 = add i64 %i45, 32
  br label %head42
done44:
  %v87 = mul <32 x i32> %c47, splat (i32 32)
  %v88 = add <32 x i32> %v87, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v89 = shufflevector <32 x i32> %c46, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v90 = shufflevector <32 x i32> %v88, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v91 = shufflevector <32 x i32> %c46, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v92 = shufflevector <32 x i32> %v88, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v93 = icmp slt <16 x i32> %v91, %v89
  %v94 = icmp eq <16 x i32> %v91, %v89
  %v95 = icmp slt <16 x i32> %v92, %v90
  %v96 = and <16 x i1> %v94, %v95
  %v97 = or <16 x i1> %v93, %v96
  %v98 = select <16 x i1> %v97, <16 x i32> %v91, <16 x i32> %v89
  %v99 = select <16 x i1> %v97, <16 x i32> %v92, <16 x i32> %v90
  %v100 = shufflevector <16 x i32> %v98, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v101 = shufflevector <16 x i32> %v99, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v102 = shufflevector <16 x i32> %v98, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v103 = shufflevector <16 x i32> %v99, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v104 = icmp slt <8 x i32> %v102, %v100
  %v105 = icmp eq <8 x i32> %v102, %v100
  %v106 = icmp slt <8 x i32> %v103, %v101
  %v107 = and <8 x i1> %v105, %v106
  %v108 = or <8 x i1> %v104, %v107
  %v109 = select <8 x i1> %v108, <8 x i32> %v102, <8 x i32> %v100
  %v110 = select <8 x i1> %v108, <8 x i32> %v103, <8 x i32> %v101
  %v111 = shufflevector <8 x i32> %v109, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v112 = shufflevector <8 x i32> %v110, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v113 = shufflevector <8 x i32> %v109, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v114 = shufflevector <8 x i32> %v110, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v115 = icmp slt <4 x i32> %v113, %v111
  %v116 = icmp eq <4 x i32> %v113, %v111
  %v117 = icmp slt <4 x i32> %v114, %v112
  %v118 = and <4 x i1> %v116, %v117
  %v119 = or <4 x i1> %v115, %v118
  %v120 = select <4 x i1> %v119, <4 x i32> %v113, <4 x i32> %v111
  %v121 = select <4 x i1> %v119, <4 x i32> %v114, <4 x i32> %v112
  %v122 = shufflevector <4 x i32> %v120, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v123 = shufflevector <4 x i32> %v121, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v124 = shufflevector <4 x i32> %v120, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v125 = shufflevector <4 x i32> %v121, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v126 = icmp slt <2 x i32> %v124, %v122
  %v127 = icmp eq <2 x i32> %v124, %v122
  %v128 = icmp slt <2 x i32> %v125, %v123
  %v129 = and <2 x i1> %v127, %v128
  %v130 = or <2 x i1> %v126, %v129
  %v131 = select <2 x i1> %v130, <2 x i32> %v124, <2 x i32> %v122
  %v132 = select <2 x i1> %v130, <2 x i32> %v125, <2 x i32> %v123
  %v133 = shufflevector <2 x i32> %v131, <2 x i32> poison, <1 x i32> <i32 0>
  %v134 = shufflevector <2 x i32> %v132, <2 x i32> poison, <1 x i32> <i32 0>
  %v135 = shufflevector <2 x i32> %v131, <2 x i32> poison, <1 x i32> <i32 1>
  %v136 = shufflevector <2 x i32> %v132, <2 x i32> poison, <1 x i32> <i32 1>
  %v137 = icmp slt <1 x i32> %v135, %v133
  %v138 = icmp eq <1 x i32> %v135, %v133
  %v139 = icmp slt <1 x i32> %v136, %v134
  %v140 = and <1 x i1> %v138, %v139
  %v141 = or <1 x i1> %v137, %v140
  %v142 = select <1 x i1> %v141, <1 x i32> %v135, <1 x i32> %v133
  %v143 = select <1 x i1> %v141, <1 x i32> %v136, <1 x i32> %v134
  %v144 = mul i64 %i11, %step
  %v145 = add i64 %base, %v144
  %v146 = sext <1 x i32> %v143 to <1 x i64>
  %v147 = insertelement <1 x i64> poison, i64 %v145, i64 0
  %v148 = shufflevector <1 x i64> %v147, <1 x i64> poison, <1 x i32> zeroinitializer
  %v149 = add <1 x i64> %v146, %v148
  %v150 = add i64 %first, %i11
  %v151 = mul i64 %v150, 4
  %v152 = getelementptr i8, ptr %part, i64 %v151
  store <1 x i32> %v142, ptr %v152, align 1
  %v153 = mul i64 %pitch, 1
  %v154 = getelementptr i8, ptr %part, i64 %v153
  %v155 = mul i64 %v150, 8
  %v156 = getelementptr i8, ptr %v154, i64 %v155
  store <1 x i64> %v149, ptr %v156, align 1
  %v157 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
