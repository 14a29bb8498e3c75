; rows argmax int32|32|load.int32[]0|int32:1
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
  %i11 = phi i64 [0, %entry], [%v161, %done42]
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
  %i43 = phi i64 [%v15, %done18], [%v90, %join71]
  %c44 = phi <32 x i32> [%c20, %done18], [%v88, %join71]
  %c45 = phi <32 x i32> [%c21, %done18], [%v89, %join71]
  %v46 = icmp slt i64 %i43, %n
  br i1 %v46, label %body41, label %done42
body41:
  %v47 = add i64 %i43, 32
  %v48 = icmp sle i64 %v47, %n
  br i1 %v48, label %whole49, label %part50, !prof !0
whole49:
  %v52 = mul i64 %i43, 4
  %v53 = getelementptr i8, ptr %v14, i64 %v52
  br label %body51
part50:
  %v54 = sub i64 %n, %i43
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v56 = add i64 %i43, 0
  %v57 = sub i64 %v55, 0
  %v58 = mul i64 %v57, 4
  %v59 = sub i64 %v58, 0
  %v60 = mul i64 0, 4
  %v61 = getelementptr i8, ptr %buf7, i64 %v60
  %v62 = mul i64 %v56, 4
  %v63 = getelementptr i8, ptr %v14, i64 %v62
  call void @llvm.memcpy.p0.p0.i64(ptr %v61, ptr %v63, i64 %v59, i1 false)
  br label %body51
body51:
  %v64 = phi ptr [%v53, %whole49], [%buf7, %part50]
  %v65 = phi i64 [0, %whole49], [0, %part50]
  %v66 = phi i64 [32, %whole49], [%v55, %part50]
  %v67 = getelementptr i8, ptr %v64, i64 0
  %v68 = load <32 x i32>, ptr %v67, align 1
  %v69 = xor <32 x i32> %v68, splat (i32 -1)
  br i1 %v48, label %join71, label %part70, !prof !0
part70:
  %v72 = trunc i64 %v65 to i32
  %v73 = insertelement <32 x i32> poison, i32 %v72, i64 0
  %v74 = shufflevector <32 x i32> %v73, <32 x i32> poison, <32 x i32> zeroinitializer
  %v75 = trunc i64 %v66 to i32
  %v76 = insertelement <32 x i32> poison, i32 %v75, i64 0
  %v77 = shufflevector <32 x i32> %v76, <32 x i32> poison, <32 x i32> zeroinitializer
  %v78 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v74
  %v79 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v77
  %v80 = and <32 x i1> %v78, %v79
  %v81 = select <32 x i1> %v80, <32 x i32> %v69, <32 x i32> splat (i32 2147483647)
  br label %join71
join71:
  %v82 = phi <32 x i32> [%v69, %body51], [%v81, %part70]
  %v83 = lshr i64 %i43, 5
  %v84 = trunc i64 %v83 to i32
  %v85 = insertelement <32 x i32> poison, i32 %v84, i64 0
  %v86 = shufflevector <32 x i32> %v85, <32 x i32> poison, <32 x i32> zeroinitializer
  %v87 = icmp slt <32 x i32> %v82, %c44
  %v88 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c44, <32 x i32> %v82)
  %v89 = select <32 x i1> %v87, <32 x i32> %v86, <32 x i32> %c45
  %v90 = add i64 %i43, 32
  br label %head40
done42:
  %v91 = mul i64 %i11, %step
  %v92 = add i64 %base, %v91
  %v93 = mul <32 x i32> %c45, splat (i32 32)
  %v94 = add <32 x i32> %v93, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v95 = shufflevector <32 x i32> %c44, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v96 = shufflevector <32 x i32> %v94, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v97 = shufflevector <32 x i32> %c44, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v98 = shufflevector <32 x i32> %v94, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v99 = icmp slt <16 x i32> %v97, %v95
  %v100 = icmp eq <16 x i32> %v97, %v95
  %v101 = icmp slt <16 x i32> %v98, %v96
  %v102 = and <16 x i1> %v100, %v101
  %v103 = or <16 x i1> %v99, %v102
  %v104 = select <16 x i1> %v103, <16 x i32> %v97, <16 x i32> %v95
  %v105 = select <16 x i1> %v103, <16 x i32> %v98, <16 x i32> %v96
  %v106 = shufflevector <16 x i32> %v104, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v107 = shufflevector <16 x i32> %v105, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v108 = shufflevector <16 x i32> %v104, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v109 = shufflevector <16 x i32> %v105, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v110 = icmp slt <8 x i32> %v108, %v106
  %v111 = icmp eq <8 x i32> %v108, %v106
  %v112 = icmp slt <8 x i32> %v109, %v107
  %v113 = and <8 x i1> %v111, %v112
  %v114 = or <8 x i1> %v110, %v113
  %v115 = select <8 x i1> %v114, <8 x i32> %v108, <8 x i32> %v106
  %v116 = select <8 x i1> %v114, <8 x i32> %v109, <8 x i32> %v107
  %v117 = shufflevector <8 x i32> %v115, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v118 = shufflevector <8 x i32> %v116, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v119 = shufflevector <8 x i32> %v115, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v120 = shufflevector <8 x i32> %v116, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v121 = icmp slt <4 x i32> %v119, %v117
  %v122 = icmp eq <4 x i32> %v119, %v117
  %v123 = icmp slt <4 x i32> %v120, %v118
  %v124 = and <4 x i1> %v122, %v123
  %v125 = or <4 x i1> %v121, %v124
  %v126 = select <4 x i1> %v125, <4 x i32> %v119, <4 x i32> %v117
  %v127 = select <4 x i1> %v125, <4 x i32> %v120, <4 x i32> %v118
  %v128 = shufflevector <4 x i32> %v126, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v129 = shufflevector <4 x i32> %v127, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %v130 = shufflevector <4 x i32> %v126, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v131 = shufflevector <4 x i32> %v127, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %v132 = icmp slt <2 x i32> %v130, %v128
  %v133 = icmp eq <2 x i32> %v130, %v128
  %v134 = icmp slt <2 x i32> %v131, %v129
  %v135 = and <2 x i1> %v133, %v134
  %v136 = or <2 x i1> %v132, %v135
  %v137 = select <2 x i1> %v136, <2 x i32> %v130, <2 x i32> %v128
  %v138 = select <2 x i1> %v136, <2 x i32> %v131, <2 x i32> %v129
  %v139 = shufflevector <2 x i32> %v137, <2 x i32> poison, <1 x i32> <i32 0>
  %v140 = shufflevector <2 x i32> %v138, <2 x i32> poison, <1 x i32> <i32 0>
  %v141 = shufflevector <2 x i32> %v137, <2 x i32> poison, <1 x i32> <i32 1>
  %v142 = shufflevector <2 x i32> %v138, <2 x i32> poison, <1 x i32> <i32 1>
  %v143 = icmp slt <1 x i32> %v141, %v139
  %v144 = icmp eq <1 x i32> %v141, %v139
  %v145 = icmp slt <1 x i32> %v142, %v140
  %v146 = and <1 x i1> %v144, %v145
  %v147 = or <1 x i1> %v143, %v146
  %v148 = select <1 x i1> %v147, <1 x i32> %v141, <1 x i32> %v139
  %v149 = select <1 x i1> %v147, <1 x i32> %v142, <1 x i32> %v140
  %v150 = sext <1 x i32> %v149 to <1 x i64>
  %v151 = insertelement <1 x i64> poison, i64 %v92, i64 0
  %v152 = shufflevector <1 x i64> %v151, <1 x i64> poison, <1 x i32> zeroinitializer
  %v153 = add <1 x i64> %v150, %v152
  %v154 = add i64 %first, %i11
  %v155 = mul i64 %v154, 4
  %v156 = getelementptr i8, ptr %part, i64 %v155
  store <1 x i32> %v148, ptr %v156, align 1
  %v157 = mul i64 %pitch, 1
  %v158 = getelementptr i8, ptr %part, i64 %v157
  %v159 = mul i64 %v154, 8
  %v160 = getelementptr i8, ptr %v158, i64 %v159
  store <1 x i64> %v153, ptr %v160, align 1
  %v161 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
