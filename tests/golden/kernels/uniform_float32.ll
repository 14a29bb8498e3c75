; map |16|coord.int64[]0;scalar.uint64[]0;scalar.float32[]1;scalar.float32[]2;scalar.float32[]3;philox.float32[0, 1, 2, 3, 4]('uniform', 1)|coordinate:s,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
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
  %i37 = phi i64 [0, %entry], [%v230, %done54]
  %v38 = icmp slt i64 %i37, %m
  br i1 %v38, label %body35, label %done36
body35:
  %v39 = mul i64 %i37, %v10
  %v40 = add i64 %v2, %v39
  %v41 = mul i64 %i37, %v12
  %v42 = getelementptr i8, ptr %v4, i64 %v41
  %v43 = ptrtoint ptr %v42 to i64
  %v44 = sub i64 0, %v43
  %v45 = and i64 %v44, 63
  %v46 = and i64 %v45, -1
  %v47 = icmp eq i64 %v46, 0
  %v48 = and i1 %v33, %v47
  %v49 = select i1 %v48, i64 %v45, i64 0
  %v50 = lshr i64 %v49, 2
  %v51 = call i64 @llvm.smin.i64(i64 %v50, i64 %n)
  br label %head52
head52:
  %i55 = phi i64 [0, %body35], [%v229, %endif220]
  %v56 = icmp slt i64 %i55, %n
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = add i64 %i55, 16
  %v58 = icmp sle i64 %v57, %n
  br i1 %v58, label %side60, label %side61, !prof !0
side60:
  %v62 = mul i64 %i55, 4
  %v63 = getelementptr i8, ptr %v42, i64 %v62
  br label %join59
side61:
  %v64 = sub i64 %n, %i55
  %v65 = call i64 @llvm.smin.i64(i64 %v64, i64 16)
  br label %join59
join59:
  %v66 = phi ptr [%v63, %side60], [%buf13, %side61]
  %v67 = phi i64 [16, %side60], [%v65, %side61]
  %v68 = insertelement <16 x i64> poison, i64 %v40, i64 0
  %v69 = shufflevector <16 x i64> %v68, <16 x i64> poison, <16 x i32> zeroinitializer
  %v70 = mul i64 %i55, %v6
  %v71 = insertelement <16 x i64> poison, i64 %v70, i64 0
  %v72 = shufflevector <16 x i64> %v71, <16 x i64> poison, <16 x i32> zeroinitializer
  %v73 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v74 = shufflevector <16 x i64> %v73, <16 x i64> poison, <16 x i32> zeroinitializer
  %v75 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v74
  %v76 = add <16 x i64> %v72, %v75
  %v77 = add <16 x i64> %v69, %v76
  %v78 = lshr <16 x i64> %v77, splat (i64 32)
  %v79 = lshr <16 x i64> splat (i64 0), splat (i64 32)
  %v80 = lshr <16 x i64> %v17, splat (i64 32)
  %v81 = and <16 x i64> %v77, splat (i64 4294967295)
  %v82 = mul <16 x i64> %v81, splat (i64 3528531795)
  %v83 = and <16 x i64> splat (i64 0), splat (i64 4294967295)
  %v84 = mul <16 x i64> %v83, splat (i64 3449720151)
  %v85 = lshr <16 x i64> %v84, splat (i64 32)
  %v86 = xor <16 x i64> %v85, %v78
  %v87 = xor <16 x i64> %v86, %v17
  %v88 = lshr <16 x i64> %v82, splat (i64 32)
  %v89 = xor <16 x i64> %v88, %v79
  %v90 = xor <16 x i64> %v89, %v80
  %v91 = and <16 x i64> %v87, splat (i64 4294967295)
  %v92 = mul <16 x i64> %v91, splat (i64 3528531795)
  %v93 = and <16 x i64> %v90, splat (i64 4294967295)
  %v94 = mul <16 x i64> %v93, splat (i64 3449720151)
  %v95 = lshr <16 x i64> %v94, splat (i64 32)
  %v96 = xor <16 x i64> %v95, %v84
  %v97 = add <16 x i64> %v17, splat (i64 2654435769)
  %v98 = xor <16 x i64> %v96, %v97
  %v99 = lshr <16 x i64> %v92, splat (i64 32)
  %v100 = xor <16 x i64> %v99, %v82
  %v101 = add <16 x i64> %v80, splat (i64 3144134277)
  %v102 = xor <16 x i64> %v100, %v101
  %v103 = and <16 x i64> %v98, splat (i64 4294967295)
  %v104 = mul <16 x i64> %v103, splat (i64 3528531795)
  %v105 = and <16 x i64> %v102, splat (i64 4294967295)
  %v106 = mul <16 x i64> %v105, splat (i64 3449720151)
  %v107 = lshr <16 x i64> %v106, splat (i64 32)
  %v108 = xor <16 x i64> %v107, %v94
  %v109 = add <16 x i64> %v17, splat (i64 5308871538)
  %v110 = xor <16 x i64> %v108, %v109
  %v111 = lshr <16 x i64> %v104, splat (i64 32)
  %v112 = xor <16 x i64> %v111, %v92
  %v113 = add <16 x i64> %v80, splat (i64 6288268554)
  %v114 = xor <16 x i64> %v112, %v113
  %v115 = and <16 x i64> %v110, splat (i64 4294967295)
  %v116 = mul <16 x i64> %v115, splat (i64 3528531795)
  %v117 = and <16 x i64> %v114, splat (i64 4294967295)
  %v118 = mul <16 x i64> %v117, splat (i64 3449720151)
  %v119 = lshr <16 x i64> %v118, splat (i64 32)
  %v120 = xor <16 x i64> %v119, %v106
  %v121 = add <16 x i64> %v17, splat (i64 7963307307)
  %v122 = xor <16 x i64> %v120, %v121
  %v123 = lshr <16 x i64> %v116, splat (i64 32)
  %v124 = xor <16 x i64> %v123, %v104
  %v125 = add <16 x i64> %v80, splat (i64 9432402831)
  %v126 = xor <16 x i64> %v124, %v125
  %v127 = and <16 x i64> %v122, splat (i64 4294967295)
  %v128 = mul <16 x i64> %v127, splat (i64 3528531795)
  %v129 = and <16 x i64> %v126, splat (i64 4294967295)
  %v130 = mul <16 x i64> %v129, splat (i64 3449720151)
  %v131 = lshr <16 x i64> %v130, splat (i64 32)
  %v132 = xor <16 x i64> %v131, %v118
  %v133 = add <16 x i64> %v17, splat (i64 10617743076)
  %v134 = xor <16 x i64> %v132, %v133
  %v135 = lshr <16 x i64> %v128, splat (i64 32)
  %v136 = xor <16 x i64> %v135, %v116
  %v137 = add <16 x i64> %v80, splat (i64 12576537108)
  %v138 = xor <16 x i64> %v136, %v137
  %v139 = and <16 x i64> %v134, splat (i64 4294967295)
  %v140 = mul <16 x i64> %v139, splat (i64 3528531795)
  %v141 = and <16 x i64> %v138, splat (i64 4294967295)
  %v142 = mul <16 x i64> %v141, splat (i64 3449720151)
  %v143 = lshr <16 x i64> %v142, splat (i64 32)
  %v144 = xor <16 x i64> %v143, %v130
  %v145 = add <16 x i64> %v17, splat (i64 13272178845)
  %v146 = xor <16 x i64> %v144, %v145
  %v147 = lshr <16 x i64> %v140, splat (i64 32)
  %v148 = xor <16 x i64> %v147, %v128
  %v149 = add <16 x i64> %v80, splat (i64 15720671385)
  %v150 = xor <16 x i64> %v148, %v149
  %v151 = and <16 x i64> %v146, splat (i64 4294967295)
  %v152 = mul <16 x i64> %v151, splat (i64 3528531795)
  %v153 = and <16 x i64> %v150, splat (i64 4294967295)
  %v154 = mul <16 x i64> %v153, splat (i64 3449720151)
  %v155 = lshr <16 x i64> %v154, splat (i64 32)
  %v156 = xor <16 x i64> %v155, %v142
  %v157 = add <16 x i64> %v17, splat (i64 15926614614)
  %v158 = xor <16 x i64> %v156, %v157
  %v159 = lshr <16 x i64> %v152, splat (i64 32)
  %v160 = xor <16 x i64> %v159, %v140
  %v161 = add <16 x i64> %v80, splat (i64 18864805662)
  %v162 = xor <16 x i64> %v160, %v161
  %v163 = and <16 x i64> %v158, splat (i64 4294967295)
  %v164 = mul <16 x i64> %v163, splat (i64 3528531795)
  %v165 = and <16 x i64> %v162, splat (i64 4294967295)
  %v166 = mul <16 x i64> %v165, splat (i64 3449720151)
  %v167 = lshr <16 x i64> %v166, splat (i64 32)
  %v168 = xor <16 x i64> %v167, %v154
  %v169 = add <16 x i64> %v17, splat (i64 18581050383)
  %v170 = xor <16 x i64> %v168, %v169
  %v171 = lshr <16 x i64> %v164, splat (i64 32)
  %v172 = xor <16 x i64> %v171, %v152
  %v173 = add <16 x i64> %v80, splat (i64 22008939939)
  %v174 = xor <16 x i64> %v172, %v173
  %v175 = and <16 x i64> %v170, splat (i64 4294967295)
  %v176 = mul <16 x i64> %v175, splat (i64 3528531795)
  %v177 = and <16 x i64> %v174, splat (i64 4294967295)
  %v178 = mul <16 x i64> %v177, splat (i64 3449720151)
  %v179 = lshr <16 x i64> %v178, splat (i64 32)
  %v180 = xor <16 x i64> %v179, %v166
  %v181 = add <16 x i64> %v17, splat (i64 21235486152)
  %v182 = xor <16 x i64> %v180, %v181
  %v183 = lshr <16 x i64> %v176, splat (i64 32)
  %v184 = xor <16 x i64> %v183, %v164
  %v185 = add <16 x i64> %v80, splat (i64 25153074216)
  %v186 = xor <16 x i64> %v184, %v185
  %v187 = and <16 x i64> %v182, splat (i64 4294967295)
  %v188 = mul <16 x i64> %v187, splat (i64 3528531795)
  %v189 = and <16 x i64> %v186, splat (i64 4294967295)
  %v190 = mul <16 x i64> %v189, splat (i64 3449720151)
  %v191 = lshr <16 x i64> %v190, splat (i64 32)
  %v192 = xor <16 x i64> %v191, %v178
  %v193 = add <16 x i64> %v17, splat (i64 23889921921)
  %v194 = xor <16 x i64> %v192, %v193
  %v195 = lshr <16 x i64> %v188, splat (i64 32)
  %v196 = xor <16 x i64> %v195, %v176
  %v197 = add <16 x i64> %v80, splat (i64 28297208493)
  %v198 = xor <16 x i64> %v196, %v197
  %v199 = shl <16 x i64> %v194, splat (i64 32)
  %v200 = and <16 x i64> %v190, splat (i64 4294967295)
  %v201 = or <16 x i64> %v199, %v200
  %v202 = shl <16 x i64> %v198, splat (i64 32)
  %v203 = and <16 x i64> %v188, splat (i64 4294967295)
  %v204 = or <16 x i64> %v202, %v203
  %v205 = lshr <16 x i64> %v201, splat (i64 40)
  %v206 = trunc <16 x i64> %v205 to <16 x i32>
  %v207 = sitofp <16 x i32> %v206 to <16 x float>
  %v208 = fmul <16 x float> %v207, splat (float 0x3E70000000000000)
  %v209 = fmul <16 x float> %v27, %v208
  %v210 = fadd <16 x float> %v22, %v209
  %v211 = fcmp ogt <16 x float> %v210, %v32
  %v212 = select <16 x i1> %v211, <16 x float> %v32, <16 x float> %v210
  %v213 = bitcast <16 x float> %v212 to <16 x i32>
  %v214 = and i1 %v48, %v58
  br i1 %v214, label %then215, label %else217
then215:
  store <16 x i32> %v213, ptr %v66, align 64, !nontemporal !2
  br label %endif216
else217:
  store <16 x i32> %v213, ptr %v66, align 1
  br label %endif216
endif216:
  %v218 = xor i1 %v58, 1
  br i1 %v218, label %then219, label %endif220, !prof !1
then219:
  %v221 = mul i64 %i55, 4
  %v222 = getelementptr i8, ptr %v42, i64 %v221
  %v223 = mul i64 %v67, 1
  %v224 = trunc i64 %v223 to i32
  %v225 = insertelement <16 x i32> poison, i32 %v224, i64 0
  %v226 = shufflevector <16 x i32> %v225, <16 x i32> poison, <16 x i32> zeroinitializer
  %v227 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v226
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v213, ptr align 1 %v222, <16 x i1> %v227)
  br label %endif220
endif220:
  %v228 = add i64 %i55, 16
  %v229 = call i64 asm "", "=r,0"(i64 %v228)
  br label %head52
done54:
  %v230 = add i64 %i37, 1
  br label %head34
done36:
  br i1 %v33, label %then231, label %endif232
then231:
  fence seq_cst
  br label %endif232
endif232:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
