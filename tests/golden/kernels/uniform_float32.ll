; map|16|coord.int64[]0;scalar.uint64[]0;scalar.float32[]1;scalar.float32[]2;scalar.float32[]3;philox.float32[0, 1, 2, 3, 4]('uniform', 1)|coordinate:s,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load i64, ptr %v1, align 8
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
  %v14 = getelementptr i8, ptr %S, i64 0
  %v15 = load i64, ptr %v14, align 8
  %v16 = insertelement <16 x i64> poison, i64 %v15, i64 0
  %v17 = shufflevector <16 x i64> %v16, <16 x i64> poison, <16 x i32> zeroinitializer
  %v18 = getelementptr i8, ptr %S, i64 16
  %v19 = load double, ptr %v18, align 8
  %v20 = fptrunc double %v19 to float
  %v21 = insertelement <16 x float> poison, float %v20, i64 0
  %v22 = shufflevector <16 x float> %v21, <16 x float> poison, <16 x i32> zeroinitializer
  %v23 = getelementptr i8, ptr %S, i64 32
  %v24 = load double, ptr %v23, align 8
  %v25 = fptrunc double %v24 to float
  %v26 = insertelement <16 x float> poison, float %v25, i64 0
  %v27 = shufflevector <16 x float> %v26, <16 x float> poison, <16 x i32> zeroinitializer
  %v28 = getelementptr i8, ptr %S, i64 48
  %v29 = load double, ptr %v28, align 8
  %v30 = fptrunc double %v29 to float
  %v31 = insertelement <16 x float> poison, float %v30, i64 0
  %v32 = shufflevector <16 x float> %v31, <16 x float> poison, <16 x i32> zeroinitializer
  br label %head33
head33:
  %i36 = phi i64 [0, %entry], [%v216, %done44]
  %v37 = icmp slt i64 %i36, %m
  br i1 %v37, label %body34, label %done35
body34:
  %v38 = mul i64 %i36, %v10
  %v39 = add i64 %v2, %v38
  %v40 = mul i64 %i36, %v12
  %v41 = getelementptr i8, ptr %v4, i64 %v40
  br label %head42
head42:
  %i45 = phi i64 [0, %body34], [%v215, %endif207]
  %v46 = icmp slt i64 %i45, %n
  br i1 %v46, label %body43, label %done44
body43:
  %v47 = add i64 %i45, 16
  %v48 = icmp sle i64 %v47, %n
  br i1 %v48, label %whole49, label %part50, !prof !0
whole49:
  %v52 = mul i64 %i45, 4
  %v53 = getelementptr i8, ptr %v41, i64 %v52
  br label %body51
part50:
  %v54 = sub i64 %n, %i45
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 16)
  br label %body51
body51:
  %v56 = phi ptr [%v53, %whole49], [%buf13, %part50]
  %v57 = phi i64 [0, %whole49], [0, %part50]
  %v58 = phi i64 [16, %whole49], [%v55, %part50]
  %v59 = insertelement <16 x i64> poison, i64 %v39, i64 0
  %v60 = shufflevector <16 x i64> %v59, <16 x i64> poison, <16 x i32> zeroinitializer
  %v61 = mul i64 %i45, %v6
  %v62 = insertelement <16 x i64> poison, i64 %v61, i64 0
  %v63 = shufflevector <16 x i64> %v62, <16 x i64> poison, <16 x i32> zeroinitializer
  %v64 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v65 = shufflevector <16 x i64> %v64, <16 x i64> poison, <16 x i32> zeroinitializer
  %v66 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v65
  %v67 = add <16 x i64> %v63, %v66
  %v68 = add <16 x i64> %v60, %v67
  %v69 = lshr <16 x i64> %v68, splat (i64 32)
  %v70 = lshr <16 x i64> splat (i64 0), splat (i64 32)
  %v71 = lshr <16 x i64> %v17, splat (i64 32)
  %v72 = and <16 x i64> %v68, splat (i64 4294967295)
  %v73 = mul <16 x i64> %v72, splat (i64 3528531795)
  %v74 = and <16 x i64> splat (i64 0), splat (i64 4294967295)
  %v75 = mul <16 x i64> %v74, splat (i64 3449720151)
  %v76 = lshr <16 x i64> %v75, splat (i64 32)
  %v77 = xor <16 x i64> %v76, %v69
  %v78 = xor <16 x i64> %v77, %v17
  %v79 = lshr <16 x i64> %v73, splat (i64 32)
  %v80 = xor <16 x i64> %v79, %v70
  %v81 = xor <16 x i64> %v80, %v71
  %v82 = and <16 x i64> %v78, splat (i64 4294967295)
  %v83 = mul <16 x i64> %v82, splat (i64 3528531795)
  %v84 = and <16 x i64> %v81, splat (i64 4294967295)
  %v85 = mul <16 x i64> %v84, splat (i64 3449720151)
  %v86 = lshr <16 x i64> %v85, splat (i64 32)
  %v87 = xor <16 x i64> %v86, %v75
  %v88 = add <16 x i64> %v17, splat (i64 2654435769)
  %v89 = xor <16 x i64> %v87, %v88
  %v90 = lshr <16 x i64> %v83, splat (i64 32)
  %v91 = xor <16 x i64> %v90, %v73
  %v92 = add <16 x i64> %v71, splat (i64 3144134277)
  %v93 = xor <16 x i64> %v91, %v92
  %v94 = and <16 x i64> %v89, splat (i64 4294967295)
  %v95 = mul <16 x i64> %v94, splat (i64 3528531795)
  %v96 = and <16 x i64> %v93, splat (i64 4294967295)
  %v97 = mul <16 x i64> %v96, splat (i64 3449720151)
  %v98 = lshr <16 x i64> %v97, splat (i64 32)
  %v99 = xor <16 x i64> %v98, %v85
  %v100 = add <16 x i64> %v17, splat (i64 5308871538)
  %v101 = xor <16 x i64> %v99, %v100
  %v102 = lshr <16 x i64> %v95, splat (i64 32)
  %v103 = xor <16 x i64> %v102, %v83
  %v104 = add <16 x i64> %v71, splat (i64 6288268554)
  %v105 = xor <16 x i64> %v103, %v104
  %v106 = and <16 x i64> %v101, splat (i64 4294967295)
  %v107 = mul <16 x i64> %v106, splat (i64 3528531795)
  %v108 = and <16 x i64> %v105, splat (i64 4294967295)
  %v109 = mul <16 x i64> %v108, splat (i64 3449720151)
  %v110 = lshr <16 x i64> %v109, splat (i64 32)
  %v111 = xor <16 x i64> %v110, %v97
  %v112 = add <16 x i64> %v17, splat (i64 7963307307)
  %v113 = xor <16 x i64> %v111, %v112
  %v114 = lshr <16 x i64> %v107, splat (i64 32)
  %v115 = xor <16 x i64> %v114, %v95
  %v116 = add <16 x i64> %v71, splat (i64 9432402831)
  %v117 = xor <16 x i64> %v115, %v116
  %v118 = and <16 x i64> %v113, splat (i64 4294967295)
  %v119 = mul <16 x i64> %v118, splat (i64 3528531795)
  %v120 = and <16 x i64> %v117, splat (i64 4294967295)
  %v121 = mul <16 x i64> %v120, splat (i64 3449720151)
  %v122 = lshr <16 x i64> %v121, splat (i64 32)
  %v123 = xor <16 x i64> %v122, %v109
  %v124 = add <16 x i64> %v17, splat (i64 10617743076)
  %v125 = xor <16 x i64> %v123, %v124
  %v126 = lshr <16 x i64> %v119, splat (i64 32)
  %v127 = xor <16 x i64> %v126, %v107
  %v128 = add <16 x i64> %v71, splat (i64 12576537108)
  %v129 = xor <16 x i64> %v127, %v128
  %v130 = and <16 x i64> %v125, splat (i64 4294967295)
  %v131 = mul <16 x i64> %v130, splat (i64 3528531795)
  %v132 = and <16 x i64> %v129, splat (i64 4294967295)
  %v133 = mul <16 x i64> %v132, splat (i64 3449720151)
  %v134 = lshr <16 x i64> %v133, splat (i64 32)
  %v135 = xor <16 x i64> %v134, %v121
  %v136 = add <16 x i64> %v17, splat (i64 13272178845)
  %v137 = xor <16 x i64> %v135, %v136
  %v138 = lshr <16 x i64> %v131, splat (i64 32)
  %v139 = xor <16 x i64> %v138, %v119
  %v140 = add <16 x i64> %v71, splat (i64 15720671385)
  %v141 = xor <16 x i64> %v139, %v140
  %v142 = and <16 x i64> %v137, splat (i64 4294967295)
  %v143 = mul <16 x i64> %v142, splat (i64 3528531795)
  %v144 = and <16 x i64> %v141, splat (i64 4294967295)
  %v145 = mul <16 x i64> %v144, splat (i64 3449720151)
  %v146 = lshr <16 x i64> %v145, splat (i64 32)
  %v147 = xor <16 x i64> %v146, %v133
  %v148 = add <16 x i64> %v17, splat (i64 15926614614)
  %v149 = xor <16 x i64> %v147, %v148
  %v150 = lshr <16 x i64> %v143, splat (i64 32)
  %v151 = xor <16 x i64> %v150, %v131
  %v152 = add <16 x i64> %v71, splat (i64 18864805662)
  %v153 = xor <16 x i64> %v151, %v152
  %v154 = and <16 x i64> %v149, splat (i64 4294967295)
  %v155 = mul <16 x i64> %v154, splat (i64 3528531795)
  %v156 = and <16 x i64> %v153, splat (i64 4294967295)
  %v157 = mul <16 x i64> %v156, splat (i64 3449720151)
  %v158 = lshr <16 x i64> %v157, splat (i64 32)
  %v159 = xor <16 x i64> %v158, %v145
  %v160 = add <16 x i64> %v17, splat (i64 18581050383)
  %v161 = xor <16 x i64> %v159, %v160
  %v162 = lshr <16 x i64> %v155, splat (i64 32)
  %v163 = xor <16 x i64> %v162, %v143
  %v164 = add <16 x i64> %v71, splat (i64 22008939939)
  %v165 = xor <16 x i64> %v163, %v164
  %v166 = and <16 x i64> %v161, splat (i64 4294967295)
  %v167 = mul <16 x i64> %v166, splat (i64 3528531795)
  %v168 = and <16 x i64> %v165, splat (i64 4294967295)
  %v169 = mul <16 x i64> %v168, splat (i64 3449720151)
  %v170 = lshr <16 x i64> %v169, splat (i64 32)
  %v171 = xor <16 x i64> %v170, %v157
  %v172 = add <16 x i64> %v17, splat (i64 21235486152)
  %v173 = xor <16 x i64> %v171, %v172
  %v174 = lshr <16 x i64> %v167, splat (i64 32)
  %v175 = xor <16 x i64> %v174, %v155
  %v176 = add <16 x i64> %v71, splat (i64 25153074216)
  %v177 = xor <16 x i64> %v175, %v176
  %v178 = and <16 x i64> %v173, splat (i64 4294967295)
  %v179 = mul <16 x i64> %v178, splat (i64 3528531795)
  %v180 = and <16 x i64> %v177, splat (i64 4294967295)
  %v181 = mul <16 x i64> %v180, splat (i64 3449720151)
  %v182 = lshr <16 x i64> %v181, splat (i64 32)
  %v183 = xor <16 x i64> %v182, %v169
  %v184 = add <16 x i64> %v17, splat (i64 23889921921)
  %v185 = xor <16 x i64> %v183, %v184
  %v186 = lshr <16 x i64> %v179, splat (i64 32)
  %v187 = xor <16 x i64> %v186, %v167
  %v188 = add <16 x i64> %v71, splat (i64 28297208493)
  %v189 = xor <16 x i64> %v187, %v188
  %v190 = shl <16 x i64> %v185, splat (i64 32)
  %v191 = and <16 x i64> %v181, splat (i64 4294967295)
  %v192 = or <16 x i64> %v190, %v191
  %v193 = shl <16 x i64> %v189, splat (i64 32)
  %v194 = and <16 x i64> %v179, splat (i64 4294967295)
  %v195 = or <16 x i64> %v193, %v194
  %v196 = lshr <16 x i64> %v192, splat (i64 40)
  %v197 = trunc <16 x i64> %v196 to <16 x i32>
  %v198 = sitofp <16 x i32> %v197 to <16 x float>
  %v199 = fmul <16 x float> %v198, splat (float 0x3E70000000000000)
  %v200 = fmul <16 x float> %v27, %v199
  %v201 = fadd <16 x float> %v22, %v200
  %v202 = fcmp ogt <16 x float> %v201, %v32
  %v203 = select <16 x i1> %v202, <16 x float> %v32, <16 x float> %v201
  %v204 = bitcast <16 x float> %v203 to <16 x i32>
  store <16 x i32> %v204, ptr %v56, align 1
  %v205 = xor i1 %v48, 1
  br i1 %v205, label %then206, label %endif207, !prof !1
then206:
  %v208 = mul i64 %v57, 4
  %v209 = getelementptr i8, ptr %buf13, i64 %v208
  %v210 = add i64 %i45, %v57
  %v211 = mul i64 %v210, 4
  %v212 = getelementptr i8, ptr %v41, i64 %v211
  %v213 = sub i64 %v58, %v57
  %v214 = mul i64 %v213, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v212, ptr %v209, i64 %v214, i1 false)
  br label %endif207
endif207:
  %v215 = add i64 %i45, 16
  br label %head42
done44:
  %v216 = add i64 %i36, 1
  br label %head33
done35:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
