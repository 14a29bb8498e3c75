; map |16|coord.int64[]0;scalar.uint64[]0;scalar.float32[]1;scalar.float32[]2;scalar.float32[]3;philox.float32[0, 1, 2, 3, 4]('uniform', 1)|coordinate:s,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  %i37 = phi i64 [0, %entry], [%v220, %done49]
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
  %i50 = phi i64 [0, %body35], [%v219, %endif215]
  %v51 = icmp slt i64 %i50, %n
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = add i64 %i50, 16
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %side55, label %side56, !prof !0
side55:
  %v57 = mul i64 %i50, 4
  %v58 = getelementptr i8, ptr %v42, i64 %v57
  br label %join54
side56:
  %v59 = sub i64 %n, %i50
  %v60 = call i64 @llvm.smin.i64(i64 %v59, i64 16)
  br label %join54
join54:
  %v61 = phi ptr [%v58, %side55], [%buf13, %side56]
  %v62 = phi i64 [16, %side55], [%v60, %side56]
  %v63 = insertelement <16 x i64> poison, i64 %v40, i64 0
  %v64 = shufflevector <16 x i64> %v63, <16 x i64> poison, <16 x i32> zeroinitializer
  %v65 = mul i64 %i50, %v6
  %v66 = insertelement <16 x i64> poison, i64 %v65, i64 0
  %v67 = shufflevector <16 x i64> %v66, <16 x i64> poison, <16 x i32> zeroinitializer
  %v68 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v69 = shufflevector <16 x i64> %v68, <16 x i64> poison, <16 x i32> zeroinitializer
  %v70 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v69
  %v71 = add <16 x i64> %v67, %v70
  %v72 = add <16 x i64> %v64, %v71
  %v73 = lshr <16 x i64> %v72, splat (i64 32)
  %v74 = lshr <16 x i64> splat (i64 0), splat (i64 32)
  %v75 = lshr <16 x i64> %v17, splat (i64 32)
  %v76 = and <16 x i64> %v72, splat (i64 4294967295)
  %v77 = mul <16 x i64> %v76, splat (i64 3528531795)
  %v78 = and <16 x i64> splat (i64 0), splat (i64 4294967295)
  %v79 = mul <16 x i64> %v78, splat (i64 3449720151)
  %v80 = lshr <16 x i64> %v79, splat (i64 32)
  %v81 = xor <16 x i64> %v80, %v73
  %v82 = xor <16 x i64> %v81, %v17
  %v83 = lshr <16 x i64> %v77, splat (i64 32)
  %v84 = xor <16 x i64> %v83, %v74
  %v85 = xor <16 x i64> %v84, %v75
  %v86 = and <16 x i64> %v82, splat (i64 4294967295)
  %v87 = mul <16 x i64> %v86, splat (i64 3528531795)
  %v88 = and <16 x i64> %v85, splat (i64 4294967295)
  %v89 = mul <16 x i64> %v88, splat (i64 3449720151)
  %v90 = lshr <16 x i64> %v89, splat (i64 32)
  %v91 = xor <16 x i64> %v90, %v79
  %v92 = add <16 x i64> %v17, splat (i64 2654435769)
  %v93 = xor <16 x i64> %v91, %v92
  %v94 = lshr <16 x i64> %v87, splat (i64 32)
  %v95 = xor <16 x i64> %v94, %v77
  %v96 = add <16 x i64> %v75, splat (i64 3144134277)
  %v97 = xor <16 x i64> %v95, %v96
  %v98 = and <16 x i64> %v93, splat (i64 4294967295)
  %v99 = mul <16 x i64> %v98, splat (i64 3528531795)
  %v100 = and <16 x i64> %v97, splat (i64 4294967295)
  %v101 = mul <16 x i64> %v100, splat (i64 3449720151)
  %v102 = lshr <16 x i64> %v101, splat (i64 32)
  %v103 = xor <16 x i64> %v102, %v89
  %v104 = add <16 x i64> %v17, splat (i64 5308871538)
  %v105 = xor <16 x i64> %v103, %v104
  %v106 = lshr <16 x i64> %v99, splat (i64 32)
  %v107 = xor <16 x i64> %v106, %v87
  %v108 = add <16 x i64> %v75, splat (i64 6288268554)
  %v109 = xor <16 x i64> %v107, %v108
  %v110 = and <16 x i64> %v105, splat (i64 4294967295)
  %v111 = mul <16 x i64> %v110, splat (i64 3528531795)
  %v112 = and <16 x i64> %v109, splat (i64 4294967295)
  %v113 = mul <16 x i64> %v112, splat (i64 3449720151)
  %v114 = lshr <16 x i64> %v113, splat (i64 32)
  %v115 = xor <16 x i64> %v114, %v101
  %v116 = add <16 x i64> %v17, splat (i64 7963307307)
  %v117 = xor <16 x i64> %v115, %v116
  %v118 = lshr <16 x i64> %v111, splat (i64 32)
  %v119 = xor <16 x i64> %v118, %v99
  %v120 = add <16 x i64> %v75, splat (i64 9432402831)
  %v121 = xor <16 x i64> %v119, %v120
  %v122 = and <16 x i64> %v117, splat (i64 4294967295)
  %v123 = mul <16 x i64> %v122, splat (i64 3528531795)
  %v124 = and <16 x i64> %v121, splat (i64 4294967295)
  %v125 = mul <16 x i64> %v124, splat (i64 3449720151)
  %v126 = lshr <16 x i64> %v125, splat (i64 32)
  %v127 = xor <16 x i64> %v126, %v113
  %v128 = add <16 x i64> %v17, splat (i64 10617743076)
  %v129 = xor <16 x i64> %v127, %v128
  %v130 = lshr <16 x i64> %v123, splat (i64 32)
  %v131 = xor <16 x i64> %v130, %v111
  %v132 = add <16 x i64> %v75, splat (i64 12576537108)
  %v133 = xor <16 x i64> %v131, %v132
  %v134 = and <16 x i64> %v129, splat (i64 4294967295)
  %v135 = mul <16 x i64> %v134, splat (i64 3528531795)
  %v136 = and <16 x i64> %v133, splat (i64 4294967295)
  %v137 = mul <16 x i64> %v136, splat (i64 3449720151)
  %v138 = lshr <16 x i64> %v137, splat (i64 32)
  %v139 = xor <16 x i64> %v138, %v125
  %v140 = add <16 x i64> %v17, splat (i64 13272178845)
  %v141 = xor <16 x i64> %v139, %v140
  %v142 = lshr <16 x i64> %v135, splat (i64 32)
  %v143 = xor <16 x i64> %v142, %v123
  %v144 = add <16 x i64> %v75, splat (i64 15720671385)
  %v145 = xor <16 x i64> %v143, %v144
  %v146 = and <16 x i64> %v141, splat (i64 4294967295)
  %v147 = mul <16 x i64> %v146, splat (i64 3528531795)
  %v148 = and <16 x i64> %v145, splat (i64 4294967295)
  %v149 = mul <16 x i64> %v148, splat (i64 3449720151)
  %v150 = lshr <16 x i64> %v149, splat (i64 32)
  %v151 = xor <16 x i64> %v150, %v137
  %v152 = add <16 x i64> %v17, splat (i64 15926614614)
  %v153 = xor <16 x i64> %v151, %v152
  %v154 = lshr <16 x i64> %v147, splat (i64 32)
  %v155 = xor <16 x i64> %v154, %v135
  %v156 = add <16 x i64> %v75, splat (i64 18864805662)
  %v157 = xor <16 x i64> %v155, %v156
  %v158 = and <16 x i64> %v153, splat (i64 4294967295)
  %v159 = mul <16 x i64> %v158, splat (i64 3528531795)
  %v160 = and <16 x i64> %v157, splat (i64 4294967295)
  %v161 = mul <16 x i64> %v160, splat (i64 3449720151)
  %v162 = lshr <16 x i64> %v161, splat (i64 32)
  %v163 = xor <16 x i64> %v162, %v149
  %v164 = add <16 x i64> %v17, splat (i64 18581050383)
  %v165 = xor <16 x i64> %v163, %v164
  %v166 = lshr <16 x i64> %v159, splat (i64 32)
  %v167 = xor <16 x i64> %v166, %v147
  %v168 = add <16 x i64> %v75, splat (i64 22008939939)
  %v169 = xor <16 x i64> %v167, %v168
  %v170 = and <16 x i64> %v165, splat (i64 4294967295)
  %v171 = mul <16 x i64> %v170, splat (i64 3528531795)
  %v172 = and <16 x i64> %v169, splat (i64 4294967295)
  %v173 = mul <16 x i64> %v172, splat (i64 3449720151)
  %v174 = lshr <16 x i64> %v173, splat (i64 32)
  %v175 = xor <16 x i64> %v174, %v161
  %v176 = add <16 x i64> %v17, splat (i64 21235486152)
  %v177 = xor <16 x i64> %v175, %v176
  %v178 = lshr <16 x i64> %v171, splat (i64 32)
  %v179 = xor <16 x i64> %v178, %v159
  %v180 = add <16 x i64> %v75, splat (i64 25153074216)
  %v181 = xor <16 x i64> %v179, %v180
  %v182 = and <16 x i64> %v177, splat (i64 4294967295)
  %v183 = mul <16 x i64> %v182, splat (i64 3528531795)
  %v184 = and <16 x i64> %v181, splat (i64 4294967295)
  %v185 = mul <16 x i64> %v184, splat (i64 3449720151)
  %v186 = lshr <16 x i64> %v185, splat (i64 32)
  %v187 = xor <16 x i64> %v186, %v173
  %v188 = add <16 x i64> %v17, splat (i64 23889921921)
  %v189 = xor <16 x i64> %v187, %v188
  %v190 = lshr <16 x i64> %v183, splat (i64 32)
  %v191 = xor <16 x i64> %v190, %v171
  %v192 = add <16 x i64> %v75, splat (i64 28297208493)
  %v193 = xor <16 x i64> %v191, %v192
  %v194 = shl <16 x i64> %v189, splat (i64 32)
  %v195 = and <16 x i64> %v185, splat (i64 4294967295)
  %v196 = or <16 x i64> %v194, %v195
  %v197 = shl <16 x i64> %v193, splat (i64 32)
  %v198 = and <16 x i64> %v183, splat (i64 4294967295)
  %v199 = or <16 x i64> %v197, %v198
  %v200 = lshr <16 x i64> %v196, splat (i64 40)
  %v201 = trunc <16 x i64> %v200 to <16 x i32>
  %v202 = sitofp <16 x i32> %v201 to <16 x float>
  %v203 = fmul <16 x float> %v202, splat (float 0x3E70000000000000)
  %v204 = fmul <16 x float> %v27, %v203
  %v205 = fadd <16 x float> %v22, %v204
  %v206 = fcmp ogt <16 x float> %v205, %v32
  %v207 = select <16 x i1> %v206, <16 x float> %v32, <16 x float> %v205
  %v208 = bitcast <16 x float> %v207 to <16 x i32>
  %v209 = and i1 %v46, %v53
  br i1 %v209, label %then210, label %else212
then210:
  store <16 x i32> %v208, ptr %v61, align 64, !nontemporal !2
  br label %endif211
else212:
  store <16 x i32> %v208, ptr %v61, align 1
  br label %endif211
endif211:
  %v213 = xor i1 %v53, 1
  br i1 %v213, label %then214, label %endif215, !prof !1
then214:
  %v216 = mul i64 %i50, 4
  %v217 = getelementptr i8, ptr %v42, i64 %v216
  %v218 = mul i64 %v62, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v217, ptr %buf13, i64 %v218, i1 0)
  br label %endif215
endif215:
  %v219 = add i64 %i50, 16
  br label %head47
done49:
  %v220 = add i64 %i37, 1
  br label %head34
done36:
  br i1 %v33, label %then221, label %endif222
then221:
  fence seq_cst
  br label %endif222
endif222:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
