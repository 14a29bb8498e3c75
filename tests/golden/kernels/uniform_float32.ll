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
  %v33 = icmp eq i64 %v8, -1
  br label %head34
head34:
  %i37 = phi i64 [0, %entry], [%v225, %done49]
  %v38 = icmp slt i64 %i37, %m
  br i1 %v38, label %body35, label %done36
body35:
  %v39 = mul i64 %i37, %v10
  %v40 = add i64 %v2, %v39
  %v41 = mul i64 %i37, %v12
  %v42 = getelementptr i8, ptr %v4, i64 %v41
  %v43 = ptrtoint ptr %v42 to i64
  %v44 = and i64 %v43, 63
  %v45 = icmp eq i64 %v44, 0
  %v46 = and i1 %v33, %v45
  br label %head47
head47:
  %i50 = phi i64 [0, %body35], [%v224, %endif216]
  %v51 = icmp slt i64 %i50, %n
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = add i64 %i50, 16
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %whole54, label %part55, !prof !0
whole54:
  %v57 = mul i64 %i50, 4
  %v58 = getelementptr i8, ptr %v42, i64 %v57
  br label %body56
part55:
  %v59 = sub i64 %n, %i50
  %v60 = call i64 @llvm.smin.i64(i64 %v59, i64 16)
  br label %body56
body56:
  %v61 = phi ptr [%v58, %whole54], [%buf13, %part55]
  %v62 = phi i64 [0, %whole54], [0, %part55]
  %v63 = phi i64 [16, %whole54], [%v60, %part55]
  %v64 = insertelement <16 x i64> poison, i64 %v40, i64 0
  %v65 = shufflevector <16 x i64> %v64, <16 x i64> poison, <16 x i32> zeroinitializer
  %v66 = mul i64 %i50, %v6
  %v67 = insertelement <16 x i64> poison, i64 %v66, i64 0
  %v68 = shufflevector <16 x i64> %v67, <16 x i64> poison, <16 x i32> zeroinitializer
  %v69 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v70 = shufflevector <16 x i64> %v69, <16 x i64> poison, <16 x i32> zeroinitializer
  %v71 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v70
  %v72 = add <16 x i64> %v68, %v71
  %v73 = add <16 x i64> %v65, %v72
  %v74 = lshr <16 x i64> %v73, splat (i64 32)
  %v75 = lshr <16 x i64> splat (i64 0), splat (i64 32)
  %v76 = lshr <16 x i64> %v17, splat (i64 32)
  %v77 = and <16 x i64> %v73, splat (i64 4294967295)
  %v78 = mul <16 x i64> %v77, splat (i64 3528531795)
  %v79 = and <16 x i64> splat (i64 0), splat (i64 4294967295)
  %v80 = mul <16 x i64> %v79, splat (i64 3449720151)
  %v81 = lshr <16 x i64> %v80, splat (i64 32)
  %v82 = xor <16 x i64> %v81, %v74
  %v83 = xor <16 x i64> %v82, %v17
  %v84 = lshr <16 x i64> %v78, splat (i64 32)
  %v85 = xor <16 x i64> %v84, %v75
  %v86 = xor <16 x i64> %v85, %v76
  %v87 = and <16 x i64> %v83, splat (i64 4294967295)
  %v88 = mul <16 x i64> %v87, splat (i64 3528531795)
  %v89 = and <16 x i64> %v86, splat (i64 4294967295)
  %v90 = mul <16 x i64> %v89, splat (i64 3449720151)
  %v91 = lshr <16 x i64> %v90, splat (i64 32)
  %v92 = xor <16 x i64> %v91, %v80
  %v93 = add <16 x i64> %v17, splat (i64 2654435769)
  %v94 = xor <16 x i64> %v92, %v93
  %v95 = lshr <16 x i64> %v88, splat (i64 32)
  %v96 = xor <16 x i64> %v95, %v78
  %v97 = add <16 x i64> %v76, splat (i64 3144134277)
  %v98 = xor <16 x i64> %v96, %v97
  %v99 = and <16 x i64> %v94, splat (i64 4294967295)
  %v100 = mul <16 x i64> %v99, splat (i64 3528531795)
  %v101 = and <16 x i64> %v98, splat (i64 4294967295)
  %v102 = mul <16 x i64> %v101, splat (i64 3449720151)
  %v103 = lshr <16 x i64> %v102, splat (i64 32)
  %v104 = xor <16 x i64> %v103, %v90
  %v105 = add <16 x i64> %v17, splat (i64 5308871538)
  %v106 = xor <16 x i64> %v104, %v105
  %v107 = lshr <16 x i64> %v100, splat (i64 32)
  %v108 = xor <16 x i64> %v107, %v88
  %v109 = add <16 x i64> %v76, splat (i64 6288268554)
  %v110 = xor <16 x i64> %v108, %v109
  %v111 = and <16 x i64> %v106, splat (i64 4294967295)
  %v112 = mul <16 x i64> %v111, splat (i64 3528531795)
  %v113 = and <16 x i64> %v110, splat (i64 4294967295)
  %v114 = mul <16 x i64> %v113, splat (i64 3449720151)
  %v115 = lshr <16 x i64> %v114, splat (i64 32)
  %v116 = xor <16 x i64> %v115, %v102
  %v117 = add <16 x i64> %v17, splat (i64 7963307307)
  %v118 = xor <16 x i64> %v116, %v117
  %v119 = lshr <16 x i64> %v112, splat (i64 32)
  %v120 = xor <16 x i64> %v119, %v100
  %v121 = add <16 x i64> %v76, splat (i64 9432402831)
  %v122 = xor <16 x i64> %v120, %v121
  %v123 = and <16 x i64> %v118, splat (i64 4294967295)
  %v124 = mul <16 x i64> %v123, splat (i64 3528531795)
  %v125 = and <16 x i64> %v122, splat (i64 4294967295)
  %v126 = mul <16 x i64> %v125, splat (i64 3449720151)
  %v127 = lshr <16 x i64> %v126, splat (i64 32)
  %v128 = xor <16 x i64> %v127, %v114
  %v129 = add <16 x i64> %v17, splat (i64 10617743076)
  %v130 = xor <16 x i64> %v128, %v129
  %v131 = lshr <16 x i64> %v124, splat (i64 32)
  %v132 = xor <16 x i64> %v131, %v112
  %v133 = add <16 x i64> %v76, splat (i64 12576537108)
  %v134 = xor <16 x i64> %v132, %v133
  %v135 = and <16 x i64> %v130, splat (i64 4294967295)
  %v136 = mul <16 x i64> %v135, splat (i64 3528531795)
  %v137 = and <16 x i64> %v134, splat (i64 4294967295)
  %v138 = mul <16 x i64> %v137, splat (i64 3449720151)
  %v139 = lshr <16 x i64> %v138, splat (i64 32)
  %v140 = xor <16 x i64> %v139, %v126
  %v141 = add <16 x i64> %v17, splat (i64 13272178845)
  %v142 = xor <16 x i64> %v140, %v141
  %v143 = lshr <16 x i64> %v136, splat (i64 32)
  %v144 = xor <16 x i64> %v143, %v124
  %v145 = add <16 x i64> %v76, splat (i64 15720671385)
  %v146 = xor <16 x i64> %v144, %v145
  %v147 = and <16 x i64> %v142, splat (i64 4294967295)
  %v148 = mul <16 x i64> %v147, splat (i64 3528531795)
  %v149 = and <16 x i64> %v146, splat (i64 4294967295)
  %v150 = mul <16 x i64> %v149, splat (i64 3449720151)
  %v151 = lshr <16 x i64> %v150, splat (i64 32)
  %v152 = xor <16 x i64> %v151, %v138
  %v153 = add <16 x i64> %v17, splat (i64 15926614614)
  %v154 = xor <16 x i64> %v152, %v153
  %v155 = lshr <16 x i64> %v148, splat (i64 32)
  %v156 = xor <16 x i64> %v155, %v136
  %v157 = add <16 x i64> %v76, splat (i64 18864805662)
  %v158 = xor <16 x i64> %v156, %v157
  %v159 = and <16 x i64> %v154, splat (i64 4294967295)
  %v160 = mul <16 x i64> %v159, splat (i64 3528531795)
  %v161 = and <16 x i64> %v158, splat (i64 4294967295)
  %v162 = mul <16 x i64> %v161, splat (i64 3449720151)
  %v163 = lshr <16 x i64> %v162, splat (i64 32)
  %v164 = xor <16 x i64> %v163, %v150
  %v165 = add <16 x i64> %v17, splat (i64 18581050383)
  %v166 = xor <16 x i64> %v164, %v165
  %v167 = lshr <16 x i64> %v160, splat (i64 32)
  %v168 = xor <16 x i64> %v167, %v148
  %v169 = add <16 x i64> %v76, splat (i64 22008939939)
  %v170 = xor <16 x i64> %v168, %v169
  %v171 = and <16 x i64> %v166, splat (i64 4294967295)
  %v172 = mul <16 x i64> %v171, splat (i64 3528531795)
  %v173 = and <16 x i64> %v170, splat (i64 4294967295)
  %v174 = mul <16 x i64> %v173, splat (i64 3449720151)
  %v175 = lshr <16 x i64> %v174, splat (i64 32)
  %v176 = xor <16 x i64> %v175, %v162
  %v177 = add <16 x i64> %v17, splat (i64 21235486152)
  %v178 = xor <16 x i64> %v176, %v177
  %v179 = lshr <16 x i64> %v172, splat (i64 32)
  %v180 = xor <16 x i64> %v179, %v160
  %v181 = add <16 x i64> %v76, splat (i64 25153074216)
  %v182 = xor <16 x i64> %v180, %v181
  %v183 = and <16 x i64> %v178, splat (i64 4294967295)
  %v184 = mul <16 x i64> %v183, splat (i64 3528531795)
  %v185 = and <16 x i64> %v182, splat (i64 4294967295)
  %v186 = mul <16 x i64> %v185, splat (i64 3449720151)
  %v187 = lshr <16 x i64> %v186, splat (i64 32)
  %v188 = xor <16 x i64> %v187, %v174
  %v189 = add <16 x i64> %v17, splat (i64 23889921921)
  %v190 = xor <16 x i64> %v188, %v189
  %v191 = lshr <16 x i64> %v184, splat (i64 32)
  %v192 = xor <16 x i64> %v191, %v172
  %v193 = add <16 x i64> %v76, splat (i64 28297208493)
  %v194 = xor <16 x i64> %v192, %v193
  %v195 = shl <16 x i64> %v190, splat (i64 32)
  %v196 = and <16 x i64> %v186, splat (i64 4294967295)
  %v197 = or <16 x i64> %v195, %v196
  %v198 = shl <16 x i64> %v194, splat (i64 32)
  %v199 = and <16 x i64> %v184, splat (i64 4294967295)
  %v200 = or <16 x i64> %v198, %v199
  %v201 = lshr <16 x i64> %v197, splat (i64 40)
  %v202 = trunc <16 x i64> %v201 to <16 x i32>
  %v203 = sitofp <16 x i32> %v202 to <16 x float>
  %v204 = fmul <16 x float> %v203, splat (float 0x3E70000000000000)
  %v205 = fmul <16 x float> %v27, %v204
  %v206 = fadd <16 x float> %v22, %v205
  %v207 = fcmp ogt <16 x float> %v206, %v32
  %v208 = select <16 x i1> %v207, <16 x float> %v32, <16 x float> %v206
  %v209 = bitcast <16 x float> %v208 to <16 x i32>
  %v213 = and i1 %v46, %v53
  br i1 %v213, label %far210, label %near211
far210:
  store <16 x i32> %v209, ptr %v61, align 64, !nontemporal !2
  br label %stored212
near211:
  store <16 x i32> %v209, ptr %v61, align 1
  br label %stored212
stored212:
  %v214 = xor i1 %v53, 1
  br i1 %v214, label %then215, label %endif216, !prof !1
then215:
  %v217 = mul i64 %v62, 4
  %v218 = getelementptr i8, ptr %buf13, i64 %v217
  %v219 = add i64 %i50, %v62
  %v220 = mul i64 %v219, 4
  %v221 = getelementptr i8, ptr %v42, i64 %v220
  %v222 = sub i64 %v63, %v62
  %v223 = mul i64 %v222, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v221, ptr %v218, i64 %v223, i1 false)
  br label %endif216
endif216:
  %v224 = add i64 %i50, 16
  br label %head47
done49:
  %v225 = add i64 %i37, 1
  br label %head34
done36:
  br i1 %v33, label %then226, label %endif227
then226:
  fence seq_cst
  br label %endif227
endif227:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
