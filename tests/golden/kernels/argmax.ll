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
  %i11 = phi i64 [0, %entry], [%v140, %done17]
  %v12 = icmp slt i64 %i11, %m
  br i1 %v12, label %body9, label %done10
body9:
  %v13 = mul i64 %i11, %v6
  %v14 = getelementptr i8, ptr %v2, i64 %v13
  br label %head15
head15:
  %i18 = phi i64 [0, %body9], [%v69, %join50]
  %c19 = phi <32 x i32> [splat (i32 2147483647), %body9], [%v67, %join50]
  %c20 = phi <32 x i32> [splat (i32 0), %body9], [%v68, %join50]
  %v21 = icmp slt i64 %i18, %n
  br i1 %v21, label %body16, label %done17
body16:
  %v22 = mul i64 %i18, 4
  %v23 = getelementptr i8, ptr %v14, i64 %v22
  %v24 = getelementptr i8, ptr %v23, i64 4096
  call void @llvm.prefetch.p0(ptr %v24, i32 0, i32 3, i32 1)
  %v25 = getelementptr i8, ptr %v23, i64 4160
  call void @llvm.prefetch.p0(ptr %v25, i32 0, i32 3, i32 1)
  %v26 = add i64 %i18, 32
  %v27 = icmp sle i64 %v26, %n
  br i1 %v27, label %whole28, label %part29, !prof !0
whole28:
  %v31 = mul i64 %i18, 4
  %v32 = getelementptr i8, ptr %v14, i64 %v31
  br label %body30
part29:
  %v33 = sub i64 %n, %i18
  %v34 = call i64 @llvm.smin.i64(i64 %v33, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v35 = add i64 %i18, 0
  %v36 = sub i64 %v34, 0
  %v37 = mul i64 %v36, 4
  %v38 = sub i64 %v37, 0
  %v39 = mul i64 0, 4
  %v40 = getelementptr i8, ptr %buf7, i64 %v39
  %v41 = mul i64 %v35, 4
  %v42 = getelementptr i8, ptr %v14, i64 %v41
  call void @llvm.memcpy.p0.p0.i64(ptr %v40, ptr %v42, i64 %v38, i1 false)
  br label %body30
body30:
  %v43 = phi ptr [%v32, %whole28], [%buf7, %part29]
  %v44 = phi i64 [0, %whole28], [0, %part29]
  %v45 = phi i64 [32, %whole28], [%v34, %part29]
  %v46 = getelementptr i8, ptr %v43, i64 0
  %v47 = load <32 x i32>, ptr %v46, align 1
  %v48 = xor <32 x i32> %v47, splat (i32 -1)
  br i1 %v27, label %join50, label %part49, !prof !0
part49:
  %v51 = trunc i64 %v44 to i32
  %v52 = insertelement <32 x i32> poison, i32 %v51, i64 0
  %v53 = shufflevector <32 x i32> %v52, <32 x i32> poison, <32 x i32> zeroinitializer
  %v54 = trunc i64 %v45 to i32
  %v55 = insertelement <32 x i32> poison, i32 %v54, i64 0
  %v56 = shufflevector <32 x i32> %v55, <32 x i32> poison, <32 x i32> zeroinitializer
  %v57 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v53
  %v58 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v56
  %v59 = and <32 x i1> %v57, %v58
  %v60 = select <32 x i1> %v59, <32 x i32> %v48, <32 x i32> splat (i32 2147483647)
  br label %join50
join50:
  %v61 = phi <32 x i32> [%v48, %body30], [%v60, %part49]
  %v62 = lshr i64 %i18, 5
  %v63 = trunc i64 %v62 to i32
  %v64 = insertelement <32 x i32> poison, i32 %v63, i64 0
  %v65 = shufflevector <32 x i32> %v64, <32 x i32> poison, <32 x i32> zeroinitializer
  %v66 = icmp slt <32 x i32> %v61, %c19
  %v67 = call <32 x i32> @llvm.smin.v32i32(<32 x i32> %c19, <32 x i32> %v61)
  %v68 = select <32 x i1> %v66, <32 x i32> %v65, <32 x i32> %c20
  %v69 = add i64 %i18, 32
  br label %head15
done17:
  %v70 = mul i64 %i11, %step
  %v71 = add i64 %base, %v70
  %v72 = mul <32 x i32> %c20, splat (i32 32)
  %v73 = add <32 x i32> %v72, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v74 = shufflevector <32 x i32> %c19, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v75 = shufflevector <32 x i32> %v73, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v76 = shufflevector <32 x i32> %c19, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
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
  %v129 = sext <1 x i32> %v128 to <1 x i64>
  %v130 = insertelement <1 x i64> poison, i64 %v71, i64 0
  %v131 = shufflevector <1 x i64> %v130, <1 x i64> poison, <1 x i32> zeroinitializer
  %v132 = add <1 x i64> %v129, %v131
  %v133 = add i64 %first, %i11
  %v134 = mul i64 %v133, 4
  %v135 = getelementptr i8, ptr %part, i64 %v134
  store <1 x i32> %v127, ptr %v135, align 1
  %v136 = mul i64 %pitch, 1
  %v137 = getelementptr i8, ptr %part, i64 %v136
  %v138 = mul i64 %v133, 8
  %v139 = getelementptr i8, ptr %v137, i64 %v138
  store <1 x i64> %v132, ptr %v139, align 1
  %v140 = add i64 %i11, 1
  br label %head8
done10:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
