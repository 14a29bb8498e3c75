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
  %i11 = phi i64 [0, %entry], [%v152, %done42]
  %v12 = icmp slt i64 %i11, %m
  br i1 %v12, label %body9, label %done10
body9:
  %v13 = mul i64 %i11, %v6
  %v14 = getelementptr i8, ptr %v2, i64 %v13
  %v15 = and i64 %n, -32
  br label %head16
head16:
  %i19 = phi i64 [0, %body9], [%v39, %body17]
  %c20 = phi <32 x i32> [splat (i32 2147483647), %body9], [%v37, %body17]
  %c21 = phi <32 x i32> [splat (i32 0), %body9], [%v38, %body17]
  %v22 = icmp slt i64 %i19, %v15
  br i1 %v22, label %body17, label %done18
body17:
  %v23 = mul i64 %i19, 4
  %v24 = getelementptr i8, ptr %v14, i64 %v23
  %v25 = getelementptr i8, ptr %v24, i64 8192
  call void @llvm.prefetch.p0(ptr %v25, i32 0, i32 3, i32 1)
  %v26 = getelementptr i8, ptr %v24, i64 8256
  call void @llvm.prefetch.p0(ptr %v26, i32 0, i32 3, i32 1)
  %v27 = mul i64 %i19, 4
  %v28 = getelementptr i8, ptr %v14, i64 %v27
  %v29 = getelementptr i8, ptr %v28, i64 0
  %v30 = load <32 x i32>, ptr %v29, align 1
  %v31 = xor <32 x i32> %v30, splat (i32 -1)
  %v32 = lshr i64 %i19, 5
  %v33 = trunc i64 %v32 to i32
  %v34 = insertelement <32 x i32> poison, i32 %v33, i64 0
  %v35 = shufflevector <32 x i32> %v34, <32 x i32> poison, <32 x i32> zeroinitializer
  %v36 = icmp slt <32 x i32> %v31, %c20
  %v37 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c20, <32 x i32> %v31)
  %v38 = select <32 x i1> %v36, <32 x i32> %v35, <32 x i32> %c21
  %v39 = add i64 %i19, 32
  br label %head16
done18:
  br label %head40
head40:
  %i43 = phi i64 [%v15, %done18], [%v81, %join66]
  %c44 = phi <32 x i32> [%c20, %done18], [%v79, %join66]
  %c45 = phi <32 x i32> [%c21, %done18], [%v80, %join66]
  %v46 = icmp slt i64 %i43, %n
  br i1 %v46, label %body41, label %done42
body41:
  %v47 = add i64 %i43, 32
  %v48 = icmp sle i64 %v47, %n
  br i1 %v48, label %side50, label %side51, !prof !0
side50:
  %v52 = mul i64 %i43, 4
  %v53 = getelementptr i8, ptr %v14, i64 %v52
  br label %join49
side51:
  %v54 = sub i64 %n, %i43
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v56 = mul i64 %v55, 4
  %v57 = sub i64 %v56, 0
  %v58 = getelementptr i8, ptr %buf7, i64 0
  %v59 = mul i64 %i43, 4
  %v60 = getelementptr i8, ptr %v14, i64 %v59
  call void @llvm.memcpy.p0.p0.i64(ptr %v58, ptr %v60, i64 %v57, i1 0)
  br label %join49
join49:
  %v61 = phi ptr [%v53, %side50], [%buf7, %side51]
  %v62 = phi i64 [32, %side50], [%v55, %side51]
  %v63 = getelementptr i8, ptr %v61, i64 0
  %v64 = load <32 x i32>, ptr %v63, align 1
  %v65 = xor <32 x i32> %v64, splat (i32 -1)
  br i1 %v48, label %join66, label %side67, !prof !0
side67:
  %v68 = trunc i64 %v62 to i32
  %v69 = insertelement <32 x i32> poison, i32 %v68, i64 0
  %v70 = shufflevector <32 x i32> %v69, <32 x i32> poison, <32 x i32> zeroinitializer
  %v71 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v70
  %v72 = select <32 x i1> %v71, <32 x i32> %v65, <32 x i32> splat (i32 2147483647)
  br label %join66
join66:
  %v73 = phi <32 x i32> [%v65, %join49], [%v72, %side67]
  %v74 = lshr i64 %i43, 5
  %v75 = trunc i64 %v74 to i32
  %v76 = insertelement <32 x i32> poison, i32 %v75, i64 0
  %v77 = shufflevector <32 x i32> %v76, <32 x i32> poison, <32 x i32> zeroinitializer
  %v78 = icmp slt <32 x i32> %v73, %c44
  %v79 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c44, <32 x i32> %v73)
  %v80 = select <32 x i1> %v78, <32 x i32> %v77, <32 x i32> %c45
  %v81 = add i64 %i43, 32
  br label %head40
done42:
  %v82 = mul <32 x i32> %c45, splat (i32 32)
  %v83 = add <32 x i32> %v82, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v84 = shufflevector <32 x i32> %c44, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v85 = shufflevector <32 x i32> %v83, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v86 = shufflevector <32 x i32> %c44, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v87 = shufflevector <32 x i32> %v83, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v88 = icmp slt <16 x i32> %v86, %v84
  %v89 = icmp eq <16 x i32> %v86, %v84
  %v90 = icmp slt <16 x i32> %v87, %v85
  %v91 = and <16 x i1> %v89, %v90
  %v92 = or <16 x i1> %v88, %v91
  %v93 = select <16 x i1> %v92, <16 x i32> %v86, <16 x i32> %v84
  %v94 = select <16 x i1> %v92, <16 x i32> %v87, <16 x i32> %v85
  %v95 = shufflevector <16 x i32> %v93, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v96 = shufflevector <16 x i32> %v94, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v97 = shufflevector <16 x i32> %v93, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v98 = shufflevector <16 x i32> %v94, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v99 = icmp slt <8 x i32> %v97, %v95
  %v100 = icmp eq <8 x i32> %v97, %v95
  %v101 = icmp slt <8 x i32> %v98, %v96
  %v102 = and <8 x i1> %v100, %v101
  %v103 = or <8 x i1> %v99, %v102
  %v104 = select <8 x i1> %v103, <8 x i32> %v97, <8 x i32> %v95
  %v105 = select <8 x i1> %v103, <8 x i32> %v98, <8 x i32> %v96
  %v106 = shufflevector <8 x i32> %v104, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v107 = shufflevector <8 x i32> %v105, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v108 = shufflevector <8 x i32> %v104, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v109 = shufflevector <8 x i32> %v105, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v110 = icmp slt <4 x i32> %v108, %v106
  %v111 = icmp eq <4 x i32> %v108, %v106
  %v112 = icmp slt <4 x i32> %v109, %v107
  %v113 = and <4 x i1> %v111, %v112
  %v114 = or <4 x i1> %v110, %v113
  %v115 = select <4 x i1> %v114, <4 x i32> %v108, <4 x i32> %v106
  %v116 = select <4 x i1> %v114, <4 x i32> %v109, <4 x i32> %v107
  %v117 = shufflevector <4 x i32> %v115, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v118 = shufflevector <4 x i32> %v116, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v119 = shufflevector <4 x i32> %v115, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v120 = shufflevector <4 x i32> %v116, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v121 = icmp slt <2 x i32> %v119, %v117
  %v122 = icmp eq <2 x i32> %v119, %v117
  %v123 = icmp slt <2 x i32> %v120, %v118
  %v124 = and <2 x i1> %v122, %v123
  %v125 = or <2 x i1> %v121, %v124
  %v126 = select <2 x i1> %v125, <2 x i32> %v119, <2 x i32> %v117
  %v127 = select <2 x i1> %v125, <2 x i32> %v120, <2 x i32> %v118
  %v128 = shufflevector <2 x i32> %v126, <2 x i32> poison, <1 x i32> <i32 0>
  %v129 = shufflevector <2 x i32> %v127, <2 x i32> poison, <1 x i32> <i32 0>
  %v130 = shufflevector <2 x i32> %v126, <2 x i32> poison, <1 x i32> <i32 1>
  %v131 = shufflevector <2 x i32> %v127, <2 x i32> poison, <1 x i32> <i32 1>
  %v132 = icmp slt <1 x i32> %v130, %v128
  %v133 = icmp eq <1 x i32> %v130, %v128
  %v134 = icmp slt <1 x i32> %v131, %v129
  %v135 = and <1 x i1> %v133, %v134
  %v136 = or <1 x i1> %v132, %v135
  %v137 = select <1 x i1> %v136, <1 x i32> %v130, <1 x i32> %v128
  %v138 = select <1 x i1> %v136, <1 x i32> %v131, <1 x i32> %v129
  %v139 = mul i64 %i11, %step
  %v140 = add i64 %base, %v139
  %v141 = sext <1 x i32> %v138 to <1 x i64>
  %v142 = insertelement <1 x i64> poison, i64 %v140, i64 0
  %v143 = shufflevector <1 x i64> %v142, <1 x i64> poison, <1 x i32> zeroinitializer
  %v144 = add <1 x i64> %v141, %v143
  %v145 = add i64 %first, %i11
  %v146 = mul i64 %v145, 4
  %v147 = getelementptr i8, ptr %part, i64 %v146
  store <1 x i32> %v137, ptr %v147, align 1
  %v148 = mul i64 %pitch, 1
  %v149 = getelementptr i8, ptr %part, i64 %v148
  %v150 = mul i64 %v145, 8
  %v151 = getelementptr i8, ptr %v149, i64 %v150
  store <1 x i64> %v144, ptr %v151, align 1
  %v152 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
