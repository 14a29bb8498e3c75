; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
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
  %i31 = phi i64 [0, %entry], [%v165, %done54]
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
  %i55 = phi i64 [0, %body29], [%v164, %endif160]
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
  store <16 x i32> splat (i32 0), ptr %buf25, align 64
  %v68 = mul i64 %v67, 4
  %v69 = sub i64 %v68, 0
  %v70 = getelementptr i8, ptr %buf25, i64 0
  %v71 = mul i64 %i55, 4
  %v72 = getelementptr i8, ptr %v34, i64 %v71
  call void @llvm.memcpy.p0.p0.i64(ptr %v70, ptr %v72, i64 %v69, i1 0)
  br label %join59
join59:
  %v73 = phi ptr [%v63, %side60], [%buf25, %side61]
  %v74 = phi ptr [%v65, %side60], [%buf26, %side61]
  %v75 = phi i64 [16, %side60], [%v67, %side61]
  %v76 = getelementptr i8, ptr %v73, i64 0
  %v77 = load <16 x i32>, ptr %v76, align 1
  %v78 = sext <16 x i32> %v77 to <16 x i64>
  %v79 = mul <16 x i64> %v78, %v42
  %v80 = trunc i64 %v75 to i32
  %v81 = insertelement <16 x i32> poison, i32 %v80, i64 0
  %v82 = shufflevector <16 x i32> %v81, <16 x i32> poison, <16 x i32> zeroinitializer
  %v83 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v82
  %v84 = extractelement <16 x i64> %v79, i64 0
  %v85 = insertelement <16 x i64> poison, i64 %v84, i64 0
  %v86 = shufflevector <16 x i64> %v85, <16 x i64> poison, <16 x i32> zeroinitializer
  %v87 = select <16 x i1> %v83, <16 x i64> %v79, <16 x i64> %v86
  %v88 = extractelement <16 x i64> %v87, i64 0
  %v89 = getelementptr i8, ptr %v38, i64 %v88
  %v90 = load i32, ptr %v89, align 1
  %v91 = insertelement <16 x i32> splat (i32 0), i32 %v90, i64 0
  %v92 = extractelement <16 x i64> %v87, i64 1
  %v93 = getelementptr i8, ptr %v38, i64 %v92
  %v94 = load i32, ptr %v93, align 1
  %v95 = insertelement <16 x i32> %v91, i32 %v94, i64 1
  %v96 = extractelement <16 x i64> %v87, i64 2
  %v97 = getelementptr i8, ptr %v38, i64 %v96
  %v98 = load i32, ptr %v97, align 1
  %v99 = insertelement <16 x i32> %v95, i32 %v98, i64 2
  %v100 = extractelement <16 x i64> %v87, i64 3
  %v101 = getelementptr i8, ptr %v38, i64 %v100
  %v102 = load i32, ptr %v101, align 1
  %v103 = insertelement <16 x i32> %v99, i32 %v102, i64 3
  %v104 = extractelement <16 x i64> %v87, i64 4
  %v105 = getelementptr i8, ptr %v38, i64 %v104
  %v106 = load i32, ptr %v105, align 1
  %v107 = insertelement <16 x i32> %v103, i32 %v106, i64 4
  %v108 = extractelement <16 x i64> %v87, i64 5
  %v109 = getelementptr i8, ptr %v38, i64 %v108
  %v110 = load i32, ptr %v109, align 1
  %v111 = insertelement <16 x i32> %v107, i32 %v110, i64 5
  %v112 = extractelement <16 x i64> %v87, i64 6
  %v113 = getelementptr i8, ptr %v38, i64 %v112
  %v114 = load i32, ptr %v113, align 1
  %v115 = insertelement <16 x i32> %v111, i32 %v114, i64 6
  %v116 = extractelement <16 x i64> %v87, i64 7
  %v117 = getelementptr i8, ptr %v38, i64 %v116
  %v118 = load i32, ptr %v117, align 1
  %v119 = insertelement <16 x i32> %v115, i32 %v118, i64 7
  %v120 = extractelement <16 x i64> %v87, i64 8
  %v121 = getelementptr i8, ptr %v38, i64 %v120
  %v122 = load i32, ptr %v121, align 1
  %v123 = insertelement <16 x i32> %v119, i32 %v122, i64 8
  %v124 = extractelement <16 x i64> %v87, i64 9
  %v125 = getelementptr i8, ptr %v38, i64 %v124
  %v126 = load i32, ptr %v125, align 1
  %v127 = insertelement <16 x i32> %v123, i32 %v126, i64 9
  %v128 = extractelement <16 x i64> %v87, i64 10
  %v129 = getelementptr i8, ptr %v38, i64 %v128
  %v130 = load i32, ptr %v129, align 1
  %v131 = insertelement <16 x i32> %v127, i32 %v130, i64 10
  %v132 = extractelement <16 x i64> %v87, i64 11
  %v133 = getelementptr i8, ptr %v38, i64 %v132
  %v134 = load i32, ptr %v133, align 1
  %v135 = insertelement <16 x i32> %v131, i32 %v134, i64 11
  %v136 = extractelement <16 x i64> %v87, i64 12
  %v137 = getelementptr i8, ptr %v38, i64 %v136
  %v138 = load i32, ptr %v137, align 1
  %v139 = insertelement <16 x i32> %v135, i32 %v138, i64 12
  %v140 = extractelement <16 x i64> %v87, i64 13
  %v141 = getelementptr i8, ptr %v38, i64 %v140
  %v142 = load i32, ptr %v141, align 1
  %v143 = insertelement <16 x i32> %v139, i32 %v142, i64 13
  %v144 = extractelement <16 x i64> %v87, i64 14
  %v145 = getelementptr i8, ptr %v38, i64 %v144
  %v146 = load i32, ptr %v145, align 1
  %v147 = insertelement <16 x i32> %v143, i32 %v146, i64 14
  %v148 = extractelement <16 x i64> %v87, i64 15
  %v149 = getelementptr i8, ptr %v38, i64 %v148
  %v150 = load i32, ptr %v149, align 1
  %v151 = insertelement <16 x i32> %v147, i32 %v150, i64 15
  %v152 = bitcast <16 x i32> %v151 to <16 x float>
  %v153 = bitcast <16 x float> %v152 to <16 x i32>
  %v154 = and i1 %v48, %v58
  br i1 %v154, label %then155, label %else157
then155:
  store <16 x i32> %v153, ptr %v74, align 64, !nontemporal !2
  br label %endif156
else157:
  store <16 x i32> %v153, ptr %v74, align 1
  br label %endif156
endif156:
  %v158 = xor i1 %v58, 1
  br i1 %v158, label %then159, label %endif160, !prof !1
then159:
  %v161 = mul i64 %i55, 4
  %v162 = getelementptr i8, ptr %v40, i64 %v161
  %v163 = mul i64 %v75, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v162, ptr %buf26, i64 %v163, i1 0)
  br label %endif160
endif160:
  %v164 = add i64 %i55, 16
  br label %head52
done54:
  %v165 = add i64 %i31, 1
  br label %head28
done30:
  br i1 %v27, label %then166, label %endif167
then166:
  fence seq_cst
  br label %endif167
endif167:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
