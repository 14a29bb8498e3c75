; rows argmax int32 |32|load.int32[]0|int32:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare <32 x i32> @llvm.smin.v32i32(<32 x i32>, <32 x i32>)
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
  %i11 = phi i64 [0, %entry], [%v142, %join44]
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
  %i21 = phi i64 [0, %body9], [%v42, %body19]
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
  %v42 = call i64 asm "", "=r,0"(i64 %v41)
  br label %head18
done20:
  %v43 = icmp slt i64 %v17, %n
  br i1 %v43, label %side45, label %join44
side45:
  %v46 = sub i64 %n, %v17
  %v47 = mul i64 %v46, 1
  %v48 = trunc i64 %v47 to i32
  %v49 = insertelement <32 x i32> poison, i32 %v48, i64 0
  %v50 = shufflevector <32 x i32> %v49, <32 x i32> poison, <32 x i32> zeroinitializer
  %v51 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v50
  %v52 = mul i64 %v17, 4
  %v53 = getelementptr i8, ptr %v14, i64 %v52
  %v54 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v53, <32 x i1> %v51, <32 x i32> zeroinitializer)
  store <32 x i32> %v54, ptr %buf7, align 64
  %v55 = getelementptr i8, ptr %buf7, i64 0
  %v56 = load <32 x i32>, ptr %v55, align 1
  %v57 = xor <32 x i32> %v56, splat (i32 -1)
  %v58 = trunc i64 %v46 to i32
  %v59 = insertelement <32 x i32> poison, i32 %v58, i64 0
  %v60 = shufflevector <32 x i32> %v59, <32 x i32> poison, <32 x i32> zeroinitializer
  %v61 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v60
  %v62 = select <32 x i1> %v61, <32 x i32> %v57, <32 x i32> splat (i32 2147483647)
  %v63 = lshr i64 %v17, 5
  %v64 = trunc i64 %v63 to i32
  %v65 = insertelement <32 x i32> poison, i32 %v64, i64 0
  %v66 = shufflevector <32 x i32> %v65, <32 x i32> poison, <32 x i32> zeroinitializer
  %v67 = icmp slt <32 x i32> %v62, %c22
  %v68 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c22, <32 x i32> %v62)
  %v69 = select <32 x i1> %v67, <32 x i32> %v66, <32 x i32> %c23
  br label %join44
join44:
  %v70 = phi <32 x i32> [%v68, %side45], [%c22, %done20]
  %v71 = phi <32 x i32> [%v69, %side45], [%c23, %done20]
  %v72 = mul <32 x i32> %v71, splat (i32 32)
  %v73 = add <32 x i32> %v72, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v74 = shufflevector <32 x i32> %v70, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v75 = shufflevector <32 x i32> %v73, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v76 = shufflevector <32 x i32> %v70, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v77 = shufflevector <32 x i32> %v73, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v78 = icmp slt <16 x i32> %v76, %v74
  %v79 = icmp eq <16 x i32> %v76, %v74
  %v80 = icmp slt <16 x i32> %v77, %v75
  %v81 = and <16 x i1> %v79, %v80
  %v82 = or <16 x i1> %v78, %v81
  %v83 = select <16 x i1> %v82, <16 x i32> %v76, <16 x i32> %v74
  %v84 = select <16 x i1> %v82, <16 x i32> %v77, <16 x i32> %v75
  %v85 = shufflevector <16 x i32> %v83, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v86 = shufflevector <16 x i32> %v84, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v87 = shufflevector <16 x i32> %v83, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v88 = shufflevector <16 x i32> %v84, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v89 = icmp slt <8 x i32> %v87, %v85
  %v90 = icmp eq <8 x i32> %v87, %v85
  %v91 = icmp slt <8 x i32> %v88, %v86
  %v92 = and <8 x i1> %v90, %v91
  %v93 = or <8 x i1> %v89, %v92
  %v94 = select <8 x i1> %v93, <8 x i32> %v87, <8 x i32> %v85
  %v95 = select <8 x i1> %v93, <8 x i32> %v88, <8 x i32> %v86
  %v96 = shufflevector <8 x i32> %v94, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v97 = shufflevector <8 x i32> %v95, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v98 = shufflevector <8 x i32> %v94, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v99 = shufflevector <8 x i32> %v95, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v100 = icmp slt <4 x i32> %v98, %v96
  %v101 = icmp eq <4 x i32> %v98, %v96
  %v102 = icmp slt <4 x i32> %v99, %v97
  %v103 = and <4 x i1> %v101, %v102
  %v104 = or <4 x i1> %v100, %v103
  %v105 = select <4 x i1> %v104, <4 x i32> %v98, <4 x i32> %v96
  %v106 = select <4 x i1> %v104, <4 x i32> %v99, <4 x i32> %v97
  %v107 = shufflevector <4 x i32> %v105, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v108 = shufflevector <4 x i32> %v106, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v109 = shufflevector <4 x i32> %v105, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v110 = shufflevector <4 x i32> %v106, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v111 = icmp slt <2 x i32> %v109, %v107
  %v112 = icmp eq <2 x i32> %v109, %v107
  %v113 = icmp slt <2 x i32> %v110, %v108
  %v114 = and <2 x i1> %v112, %v113
  %v115 = or <2 x i1> %v111, %v114
  %v116 = select <2 x i1> %v115, <2 x i32> %v109, <2 x i32> %v107
  %v117 = select <2 x i1> %v115, <2 x i32> %v110, <2 x i32> %v108
  %v118 = shufflevector <2 x i32> %v116, <2 x i32> poison, <1 x i32> <i32 0>
  %v119 = shufflevector <2 x i32> %v117, <2 x i32> poison, <1 x i32> <i32 0>
  %v120 = shufflevector <2 x i32> %v116, <2 x i32> poison, <1 x i32> <i32 1>
  %v121 = shufflevector <2 x i32> %v117, <2 x i32> poison, <1 x i32> <i32 1>
  %v122 = icmp slt <1 x i32> %v120, %v118
  %v123 = icmp eq <1 x i32> %v120, %v118
  %v124 = icmp slt <1 x i32> %v121, %v119
  %v125 = and <1 x i1> %v123, %v124
  %v126 = or <1 x i1> %v122, %v125
  %v127 = select <1 x i1> %v126, <1 x i32> %v120, <1 x i32> %v118
  %v128 = select <1 x i1> %v126, <1 x i32> %v121, <1 x i32> %v119
  %v129 = mul i64 %i11, %step
  %v130 = add i64 %base, %v129
  %v131 = sext <1 x i32> %v128 to <1 x i64>
  %v132 = insertelement <1 x i64> poison, i64 %v130, i64 0
  %v133 = shufflevector <1 x i64> %v132, <1 x i64> poison, <1 x i32> zeroinitializer
  %v134 = add <1 x i64> %v131, %v133
  %v135 = add i64 %first, %i11
  %v136 = mul i64 %v135, 4
  %v137 = getelementptr i8, ptr %part, i64 %v136
  store <1 x i32> %v127, ptr %v137, align 1
  %v138 = mul i64 %pitch, 1
  %v139 = getelementptr i8, ptr %part, i64 %v138
  %v140 = mul i64 %v135, 8
  %v141 = getelementptr i8, ptr %v139, i64 %v140
  store <1 x i64> %v134, ptr %v141, align 1
  %v142 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
