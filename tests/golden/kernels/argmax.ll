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
  %i11 = phi i64 [0, %entry], [%v141, %join44]
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
  %v47 = mul i64 %v17, 4
  %v48 = getelementptr i8, ptr %v14, i64 %v47
  %v49 = mul i64 %v46, 1
  %v50 = getelementptr i8, ptr %v48, i64 0
  %v51 = trunc i64 %v49 to i32
  %v52 = insertelement <32 x i32> poison, i32 %v51, i64 0
  %v53 = shufflevector <32 x i32> %v52, <32 x i32> poison, <32 x i32> zeroinitializer
  %v54 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v53
  %v55 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v50, <32 x i1> %v54, <32 x i32> zeroinitializer)
  %v56 = xor <32 x i32> %v55, splat (i32 -1)
  %v57 = trunc i64 %v46 to i32
  %v58 = insertelement <32 x i32> poison, i32 %v57, i64 0
  %v59 = shufflevector <32 x i32> %v58, <32 x i32> poison, <32 x i32> zeroinitializer
  %v60 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v59
  %v61 = select <32 x i1> %v60, <32 x i32> %v56, <32 x i32> splat (i32 2147483647)
  %v62 = lshr i64 %v17, 5
  %v63 = trunc i64 %v62 to i32
  %v64 = insertelement <32 x i32> poison, i32 %v63, i64 0
  %v65 = shufflevector <32 x i32> %v64, <32 x i32> poison, <32 x i32> zeroinitializer
  %v66 = icmp slt <32 x i32> %v61, %c22
  %v67 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c22, <32 x i32> %v61)
  %v68 = select <32 x i1> %v66, <32 x i32> %v65, <32 x i32> %c23
  br label %join44
join44:
  %v69 = phi <32 x i32> [%v67, %side45], [%c22, %done20]
  %v70 = phi <32 x i32> [%v68, %side45], [%c23, %done20]
  %v71 = mul <32 x i32> %v70, splat (i32 32)
  %v72 = add <32 x i32> %v71, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v73 = shufflevector <32 x i32> %v69, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v74 = shufflevector <32 x i32> %v72, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v75 = shufflevector <32 x i32> %v69, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v76 = shufflevector <32 x i32> %v72, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v77 = icmp slt <16 x i32> %v75, %v73
  %v78 = icmp eq <16 x i32> %v75, %v73
  %v79 = icmp slt <16 x i32> %v76, %v74
  %v80 = and <16 x i1> %v78, %v79
  %v81 = or <16 x i1> %v77, %v80
  %v82 = select <16 x i1> %v81, <16 x i32> %v75, <16 x i32> %v73
  %v83 = select <16 x i1> %v81, <16 x i32> %v76, <16 x i32> %v74
  %v84 = shufflevector <16 x i32> %v82, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v85 = shufflevector <16 x i32> %v83, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v86 = shufflevector <16 x i32> %v82, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v87 = shufflevector <16 x i32> %v83, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v88 = icmp slt <8 x i32> %v86, %v84
  %v89 = icmp eq <8 x i32> %v86, %v84
  %v90 = icmp slt <8 x i32> %v87, %v85
  %v91 = and <8 x i1> %v89, %v90
  %v92 = or <8 x i1> %v88, %v91
  %v93 = select <8 x i1> %v92, <8 x i32> %v86, <8 x i32> %v84
  %v94 = select <8 x i1> %v92, <8 x i32> %v87, <8 x i32> %v85
  %v95 = shufflevector <8 x i32> %v93, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v96 = shufflevector <8 x i32> %v94, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v97 = shufflevector <8 x i32> %v93, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v98 = shufflevector <8 x i32> %v94, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v99 = icmp slt <4 x i32> %v97, %v95
  %v100 = icmp eq <4 x i32> %v97, %v95
  %v101 = icmp slt <4 x i32> %v98, %v96
  %v102 = and <4 x i1> %v100, %v101
  %v103 = or <4 x i1> %v99, %v102
  %v104 = select <4 x i1> %v103, <4 x i32> %v97, <4 x i32> %v95
  %v105 = select <4 x i1> %v103, <4 x i32> %v98, <4 x i32> %v96
  %v106 = shufflevector <4 x i32> %v104, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v107 = shufflevector <4 x i32> %v105, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v108 = shufflevector <4 x i32> %v104, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v109 = shufflevector <4 x i32> %v105, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v110 = icmp slt <2 x i32> %v108, %v106
  %v111 = icmp eq <2 x i32> %v108, %v106
  %v112 = icmp slt <2 x i32> %v109, %v107
  %v113 = and <2 x i1> %v111, %v112
  %v114 = or <2 x i1> %v110, %v113
  %v115 = select <2 x i1> %v114, <2 x i32> %v108, <2 x i32> %v106
  %v116 = select <2 x i1> %v114, <2 x i32> %v109, <2 x i32> %v107
  %v117 = shufflevector <2 x i32> %v115, <2 x i32> poison, <1 x i32> <i32 0>
  %v118 = shufflevector <2 x i32> %v116, <2 x i32> poison, <1 x i32> <i32 0>
  %v119 = shufflevector <2 x i32> %v115, <2 x i32> poison, <1 x i32> <i32 1>
  %v120 = shufflevector <2 x i32> %v116, <2 x i32> poison, <1 x i32> <i32 1>
  %v121 = icmp slt <1 x i32> %v119, %v117
  %v122 = icmp eq <1 x i32> %v119, %v117
  %v123 = icmp slt <1 x i32> %v120, %v118
  %v124 = and <1 x i1> %v122, %v123
  %v125 = or <1 x i1> %v121, %v124
  %v126 = select <1 x i1> %v125, <1 x i32> %v119, <1 x i32> %v117
  %v127 = select <1 x i1> %v125, <1 x i32> %v120, <1 x i32> %v118
  %v128 = mul i64 %i11, %step
  %v129 = add i64 %base, %v128
  %v130 = sext <1 x i32> %v127 to <1 x i64>
  %v131 = insertelement <1 x i64> poison, i64 %v129, i64 0
  %v132 = shufflevector <1 x i64> %v131, <1 x i64> poison, <1 x i32> zeroinitializer
  %v133 = add <1 x i64> %v130, %v132
  %v134 = add i64 %first, %i11
  %v135 = mul i64 %v134, 4
  %v136 = getelementptr i8, ptr %part, i64 %v135
  store <1 x i32> %v126, ptr %v136, align 1
  %v137 = mul i64 %pitch, 1
  %v138 = getelementptr i8, ptr %part, i64 %v137
  %v139 = mul i64 %v134, 8
  %v140 = getelementptr i8, ptr %v138, i64 %v139
  store <1 x i64> %v133, ptr %v140, align 1
  %v141 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
