; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <16 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 6
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 9
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 1
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 4
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %L, i64 7
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %L, i64 10
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %L, i64 2
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %L, i64 5
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %L, i64 8
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %L, i64 11
  %v24 = load i64, ptr %v23, align 8
  %v27 = icmp eq i64 %v16, -1
  br label %head28
head28:
  %i31 = phi i64 [0, %entry], [%v172, %done54]
  %v32 = icmp slt i64 %i31, %m
  br i1 %v32, label %body29, label %done30
body29:
  %v33 = mul i64 %i31, %v18
  %v34 = getelementptr i8, ptr %v2, i64 %v33
  %v35 = mul i64 %i31, %v20
  %v36 = add i64 %v4, %v35
  %v37 = mul i64 %i31, %v22
  %v38 = getelementptr i8, ptr %v6, i64 %v37
  %v39 = mul i64 %i31, %v24
  %v40 = getelementptr i8, ptr %v8, i64 %v39
  %v41 = insertelement <16 x i64> poison, i64 %v36, i64 0
  %v42 = shufflevector <16 x i64> %v41, <16 x i64> poison, <16 x i32> zeroinitializer
  %v43 = ptrtoint ptr %v40 to i64
  %v44 = sub i64 0, %v43
  %v45 = and i64 %v44, 63
  %v46 = and i64 %v45, -1
  %v47 = icmp eq i64 %v46, 0
  %v48 = and i1 %v27, %v47
  %v49 = select i1 %v48, i64 %v45, i64 0
  %v50 = lshr i64 %v49, 2
  %v51 = call i64 @llvm.smin.i64(i64 %v50, i64 %n)
  br label %head52
head52:
  %i55 = phi i64 [0, %body29], [%v171, %endif163]
  %v56 = icmp slt i64 %i55, %n
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = add i64 %i55, 16
  %v58 = icmp sle i64 %v57, %n
  br i1 %v58, label %side60, label %side61, !prof !0
side60:
  %v62 = mul i64 %i55, 4
  %v63 = getelementptr i8, ptr %v34, i64 %v62
  %v64 = mul i64 %i55, 4
  %v65 = getelementptr i8, ptr %v40, i64 %v64
  br label %join59
side61:
  %v66 = sub i64 %n, %i55
  %v67 = call i64 @llvm.smin.i64(i64 %v66, i64 16)
  %v68 = mul i64 %v67, 1
  %v69 = trunc i64 %v68 to i32
  %v70 = insertelement <16 x i32> poison, i32 %v69, i64 0
  %v71 = shufflevector <16 x i32> %v70, <16 x i32> poison, <16 x i32> zeroinitializer
  %v72 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v71
  %v73 = mul i64 %i55, 4
  %v74 = getelementptr i8, ptr %v34, i64 %v73
  %v75 = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 1 %v74, <16 x i1> %v72, <16 x i32> zeroinitializer)
  store <16 x i32> %v75, ptr %buf25, align 64
  br label %join59
join59:
  %v76 = phi ptr [%v63, %side60], [%buf25, %side61]
  %v77 = phi ptr [%v65, %side60], [%buf26, %side61]
  %v78 = phi i64 [16, %side60], [%v67, %side61]
  %v79 = getelementptr i8, ptr %v76, i64 0
  %v80 = load <16 x i32>, ptr %v79, align 1
  %v81 = sext <16 x i32> %v80 to <16 x i64>
  %v82 = mul <16 x i64> %v81, %v42
  %v83 = trunc i64 %v78 to i32
  %v84 = insertelement <16 x i32> poison, i32 %v83, i64 0
  %v85 = shufflevector <16 x i32> %v84, <16 x i32> poison, <16 x i32> zeroinitializer
  %v86 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v85
  %v87 = extractelement <16 x i64> %v82, i64 0
  %v88 = insertelement <16 x i64> poison, i64 %v87, i64 0
  %v89 = shufflevector <16 x i64> %v88, <16 x i64> poison, <16 x i32> zeroinitializer
  %v90 = select <16 x i1> %v86, <16 x i64> %v82, <16 x i64> %v89
  %v91 = extractelement <16 x i64> %v90, i64 0
  %v92 = getelementptr i8, ptr %v38, i64 %v91
  %v93 = load i32, ptr %v92, align 1
  %v94 = insertelement <16 x i32> splat (i32 0), i32 %v93, i64 0
  %v95 = extractelement <16 x i64> %v90, i64 1
  %v96 = getelementptr i8, ptr %v38, i64 %v95
  %v97 = load i32, ptr %v96, align 1
  %v98 = insertelement <16 x i32> %v94, i32 %v97, i64 1
  %v99 = extractelement <16 x i64> %v90, i64 2
  %v100 = getelementptr i8, ptr %v38, i64 %v99
  %v101 = load i32, ptr %v100, align 1
  %v102 = insertelement <16 x i32> %v98, i32 %v101, i64 2
  %v103 = extractelement <16 x i64> %v90, i64 3
  %v104 = getelementptr i8, ptr %v38, i64 %v103
  %v105 = load i32, ptr %v104, align 1
  %v106 = insertelement <16 x i32> %v102, i32 %v105, i64 3
  %v107 = extractelement <16 x i64> %v90, i64 4
  %v108 = getelementptr i8, ptr %v38, i64 %v107
  %v109 = load i32, ptr %v108, align 1
  %v110 = insertelement <16 x i32> %v106, i32 %v109, i64 4
  %v111 = extractelement <16 x i64> %v90, i64 5
  %v112 = getelementptr i8, ptr %v38, i64 %v111
  %v113 = load i32, ptr %v112, align 1
  %v114 = insertelement <16 x i32> %v110, i32 %v113, i64 5
  %v115 = extractelement <16 x i64> %v90, i64 6
  %v116 = getelementptr i8, ptr %v38, i64 %v115
  %v117 = load i32, ptr %v116, align 1
  %v118 = insertelement <16 x i32> %v114, i32 %v117, i64 6
  %v119 = extractelement <16 x i64> %v90, i64 7
  %v120 = getelementptr i8, ptr %v38, i64 %v119
  %v121 = load i32, ptr %v120, align 1
  %v122 = insertelement <16 x i32> %v118, i32 %v121, i64 7
  %v123 = extractelement <16 x i64> %v90, i64 8
  %v124 = getelementptr i8, ptr %v38, i64 %v123
  %v125 = load i32, ptr %v124, align 1
  %v126 = insertelement <16 x i32> %v122, i32 %v125, i64 8
  %v127 = extractelement <16 x i64> %v90, i64 9
  %v128 = getelementptr i8, ptr %v38, i64 %v127
  %v129 = load i32, ptr %v128, align 1
  %v130 = insertelement <16 x i32> %v126, i32 %v129, i64 9
  %v131 = extractelement <16 x i64> %v90, i64 10
  %v132 = getelementptr i8, ptr %v38, i64 %v131
  %v133 = load i32, ptr %v132, align 1
  %v134 = insertelement <16 x i32> %v130, i32 %v133, i64 10
  %v135 = extractelement <16 x i64> %v90, i64 11
  %v136 = getelementptr i8, ptr %v38, i64 %v135
  %v137 = load i32, ptr %v136, align 1
  %v138 = insertelement <16 x i32> %v134, i32 %v137, i64 11
  %v139 = extractelement <16 x i64> %v90, i64 12
  %v140 = getelementptr i8, ptr %v38, i64 %v139
  %v141 = load i32, ptr %v140, align 1
  %v142 = insertelement <16 x i32> %v138, i32 %v141, i64 12
  %v143 = extractelement <16 x i64> %v90, i64 13
  %v144 = getelementptr i8, ptr %v38, i64 %v143
  %v145 = load i32, ptr %v144, align 1
  %v146 = insertelement <16 x i32> %v142, i32 %v145, i64 13
  %v147 = extractelement <16 x i64> %v90, i64 14
  %v148 = getelementptr i8, ptr %v38, i64 %v147
  %v149 = load i32, ptr %v148, align 1
  %v150 = insertelement <16 x i32> %v146, i32 %v149, i64 14
  %v151 = extractelement <16 x i64> %v90, i64 15
  %v152 = getelementptr i8, ptr %v38, i64 %v151
  %v153 = load i32, ptr %v152, align 1
  %v154 = insertelement <16 x i32> %v150, i32 %v153, i64 15
  %v155 = bitcast <16 x i32> %v154 to <16 x float>
  %v156 = bitcast <16 x float> %v155 to <16 x i32>
  %v157 = and i1 %v48, %v58
  br i1 %v157, label %then158, label %else160
then158:
  store <16 x i32> %v156, ptr %v77, align 64, !nontemporal !2
  br label %endif159
else160:
  store <16 x i32> %v156, ptr %v77, align 1
  br label %endif159
endif159:
  %v161 = xor i1 %v58, 1
  br i1 %v161, label %then162, label %endif163, !prof !1
then162:
  %v164 = mul i64 %i55, 4
  %v165 = getelementptr i8, ptr %v40, i64 %v164
  %v166 = mul i64 %v78, 1
  %v167 = trunc i64 %v166 to i32
  %v168 = insertelement <16 x i32> poison, i32 %v167, i64 0
  %v169 = shufflevector <16 x i32> %v168, <16 x i32> poison, <16 x i32> zeroinitializer
  %v170 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v169
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v156, ptr align 1 %v165, <16 x i1> %v170)
  br label %endif163
endif163:
  %v171 = add i64 %i55, 16
  br label %head52
done54:
  %v172 = add i64 %i31, 1
  br label %head28
done30:
  br i1 %v27, label %then173, label %endif174
then173:
  fence seq_cst
  br label %endif174
endif174:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
