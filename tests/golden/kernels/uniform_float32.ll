; map |16|coord.int64[]0;scalar.uint64[]0;scalar.float32[]1;scalar.float32[]2;scalar.float32[]3;philox.float32[0, 1, 2, 3, 4]('uniform', 1)|coordinate:s,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
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
  %i37 = phi i64 [0, %entry], [%v238, %done56]
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
  %v46 = mul i64 %n, 4
  %v47 = or i64 %v45, %v46
  %v48 = and i64 %v47, 63
  %v49 = icmp eq i64 %v48, 0
  %v50 = and i1 %v33, %v49
  %v51 = select i1 %v50, i64 %v45, i64 0
  %v52 = lshr i64 %v51, 2
  %v53 = call i64 @llvm.smin.i64(i64 %v52, i64 %n)
  br label %head54
head54:
  %i57 = phi i64 [0, %body35], [%v237, %endif222]
  %v58 = icmp slt i64 %i57, %n
  br i1 %v58, label %body55, label %done56
body55:
  %v59 = add i64 %i57, 16
  %v60 = icmp sle i64 %v59, %n
  br i1 %v60, label %side62, label %side63, !prof !0
side62:
  %v64 = mul i64 %i57, 4
  %v65 = getelementptr i8, ptr %v42, i64 %v64
  br label %join61
side63:
  %v66 = sub i64 %n, %i57
  %v67 = call i64 @llvm.smin.i64(i64 %v66, i64 16)
  br label %join61
join61:
  %v68 = phi ptr [%v65, %side62], [%buf13, %side63]
  %v69 = phi i64 [16, %side62], [%v67, %side63]
  %v70 = insertelement <16 x i64> poison, i64 %v40, i64 0
  %v71 = shufflevector <16 x i64> %v70, <16 x i64> poison, <16 x i32> zeroinitializer
  %v72 = mul i64 %i57, %v6
  %v73 = insertelement <16 x i64> poison, i64 %v72, i64 0
  %v74 = shufflevector <16 x i64> %v73, <16 x i64> poison, <16 x i32> zeroinitializer
  %v75 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v76 = shufflevector <16 x i64> %v75, <16 x i64> poison, <16 x i32> zeroinitializer
  %v77 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v76
  %v78 = add <16 x i64> %v74, %v77
  %v79 = add <16 x i64> %v71, %v78
  %v80 = lshr <16 x i64> %v79, splat (i64 32)
  %v81 = lshr <16 x i64> splat (i64 0), splat (i64 32)
  %v82 = lshr <16 x i64> %v17, splat (i64 32)
  %v83 = and <16 x i64> %v79, splat (i64 4294967295)
  %v84 = mul <16 x i64> %v83, splat (i64 3528531795)
  %v85 = and <16 x i64> splat (i64 0), splat (i64 4294967295)
  %v86 = mul <16 x i64> %v85, splat (i64 3449720151)
  %v87 = lshr <16 x i64> %v86, splat (i64 32)
  %v88 = xor <16 x i64> %v87, %v80
  %v89 = xor <16 x i64> %v88, %v17
  %v90 = lshr <16 x i64> %v84, splat (i64 32)
  %v91 = xor <16 x i64> %v90, %v81
  %v92 = xor <16 x i64> %v91, %v82
  %v93 = and <16 x i64> %v89, splat (i64 4294967295)
  %v94 = mul <16 x i64> %v93, splat (i64 3528531795)
  %v95 = and <16 x i64> %v92, splat (i64 4294967295)
  %v96 = mul <16 x i64> %v95, splat (i64 3449720151)
  %v97 = lshr <16 x i64> %v96, splat (i64 32)
  %v98 = xor <16 x i64> %v97, %v86
  %v99 = add <16 x i64> %v17, splat (i64 2654435769)
  %v100 = xor <16 x i64> %v98, %v99
  %v101 = lshr <16 x i64> %v94, splat (i64 32)
  %v102 = xor <16 x i64> %v101, %v84
  %v103 = add <16 x i64> %v82, splat (i64 3144134277)
  %v104 = xor <16 x i64> %v102, %v103
  %v105 = and <16 x i64> %v100, splat (i64 4294967295)
  %v106 = mul <16 x i64> %v105, splat (i64 3528531795)
  %v107 = and <16 x i64> %v104, splat (i64 4294967295)
  %v108 = mul <16 x i64> %v107, splat (i64 3449720151)
  %v109 = lshr <16 x i64> %v108, splat (i64 32)
  %v110 = xor <16 x i64> %v109, %v96
  %v111 = add <16 x i64> %v17, splat (i64 5308871538)
  %v112 = xor <16 x i64> %v110, %v111
  %v113 = lshr <16 x i64> %v106, splat (i64 32)
  %v114 = xor <16 x i64> %v113, %v94
  %v115 = add <16 x i64> %v82, splat (i64 6288268554)
  %v116 = xor <16 x i64> %v114, %v115
  %v117 = and <16 x i64> %v112, splat (i64 4294967295)
  %v118 = mul <16 x i64> %v117, splat (i64 3528531795)
  %v119 = and <16 x i64> %v116, splat (i64 4294967295)
  %v120 = mul <16 x i64> %v119, splat (i64 3449720151)
  %v121 = lshr <16 x i64> %v120, splat (i64 32)
  %v122 = xor <16 x i64> %v121, %v108
  %v123 = add <16 x i64> %v17, splat (i64 7963307307)
  %v124 = xor <16 x i64> %v122, %v123
  %v125 = lshr <16 x i64> %v118, splat (i64 32)
  %v126 = xor <16 x i64> %v125, %v106
  %v127 = add <16 x i64> %v82, splat (i64 9432402831)
  %v128 = xor <16 x i64> %v126, %v127
  %v129 = and <16 x i64> %v124, splat (i64 4294967295)
  %v130 = mul <16 x i64> %v129, splat (i64 3528531795)
  %v131 = and <16 x i64> %v128, splat (i64 4294967295)
  %v132 = mul <16 x i64> %v131, splat (i64 3449720151)
  %v133 = lshr <16 x i64> %v132, splat (i64 32)
  %v134 = xor <16 x i64> %v133, %v120
  %v135 = add <16 x i64> %v17, splat (i64 10617743076)
  %v136 = xor <16 x i64> %v134, %v135
  %v137 = lshr <16 x i64> %v130, splat (i64 32)
  %v138 = xor <16 x i64> %v137, %v118
  %v139 = add <16 x i64> %v82, splat (i64 12576537108)
  %v140 = xor <16 x i64> %v138, %v139
  %v141 = and <16 x i64> %v136, splat (i64 4294967295)
  %v142 = mul <16 x i64> %v141, splat (i64 3528531795)
  %v143 = and <16 x i64> %v140, splat (i64 4294967295)
  %v144 = mul <16 x i64> %v143, splat (i64 3449720151)
  %v145 = lshr <16 x i64> %v144, splat (i64 32)
  %v146 = xor <16 x i64> %v145, %v132
  %v147 = add <16 x i64> %v17, splat (i64 13272178845)
  %v148 = xor <16 x i64> %v146, %v147
  %v149 = lshr <16 x i64> %v142, splat (i64 32)
  %v150 = xor <16 x i64> %v149, %v130
  %v151 = add <16 x i64> %v82, splat (i64 15720671385)
  %v152 = xor <16 x i64> %v150, %v151
  %v153 = and <16 x i64> %v148, splat (i64 4294967295)
  %v154 = mul <16 x i64> %v153, splat (i64 3528531795)
  %v155 = and <16 x i64> %v152, splat (i64 4294967295)
  %v156 = mul <16 x i64> %v155, splat (i64 3449720151)
  %v157 = lshr <16 x i64> %v156, splat (i64 32)
  %v158 = xor <16 x i64> %v157, %v144
  %v159 = add <16 x i64> %v17, splat (i64 15926614614)
  %v160 = xor <16 x i64> %v158, %v159
  %v161 = lshr <16 x i64> %v154, splat (i64 32)
  %v162 = xor <16 x i64> %v161, %v142
  %v163 = add <16 x i64> %v82, splat (i64 18864805662)
  %v164 = xor <16 x i64> %v162, %v163
  %v165 = and <16 x i64> %v160, splat (i64 4294967295)
  %v166 = mul <16 x i64> %v165, splat (i64 3528531795)
  %v167 = and <16 x i64> %v164, splat (i64 4294967295)
  %v168 = mul <16 x i64> %v167, splat (i64 3449720151)
  %v169 = lshr <16 x i64> %v168, splat (i64 32)
  %v170 = xor <16 x i64> %v169, %v156
  %v171 = add <16 x i64> %v17, splat (i64 18581050383)
  %v172 = xor <16 x i64> %v170, %v171
  %v173 = lshr <16 x i64> %v166, splat (i64 32)
  %v174 = xor <16 x i64> %v173, %v154
  %v175 = add <16 x i64> %v82, splat (i64 22008939939)
  %v176 = xor <16 x i64> %v174, %v175
  %v177 = and <16 x i64> %v172, splat (i64 4294967295)
  %v178 = mul <16 x i64> %v177, splat (i64 3528531795)
  %v179 = and <16 x i64> %v176, splat (i64 4294967295)
  %v180 = mul <16 x i64> %v179, splat (i64 3449720151)
  %v181 = lshr <16 x i64> %v180, splat (i64 32)
  %v182 = xor <16 x i64> %v181, %v168
  %v183 = add <16 x i64> %v17, splat (i64 21235486152)
  %v184 = xor <16 x i64> %v182, %v183
  %v185 = lshr <16 x i64> %v178, splat (i64 32)
  %v186 = xor <16 x i64> %v185, %v166
  %v187 = add <16 x i64> %v82, splat (i64 25153074216)
  %v188 = xor <16 x i64> %v186, %v187
  %v189 = and <16 x i64> %v184, splat (i64 4294967295)
  %v190 = mul <16 x i64> %v189, splat (i64 3528531795)
  %v191 = and <16 x i64> %v188, splat (i64 4294967295)
  %v192 = mul <16 x i64> %v191, splat (i64 3449720151)
  %v193 = lshr <16 x i64> %v192, splat (i64 32)
  %v194 = xor <16 x i64> %v193, %v180
  %v195 = add <16 x i64> %v17, splat (i64 23889921921)
  %v196 = xor <16 x i64> %v194, %v195
  %v197 = lshr <16 x i64> %v190, splat (i64 32)
  %v198 = xor <16 x i64> %v197, %v178
  %v199 = add <16 x i64> %v82, splat (i64 28297208493)
  %v200 = xor <16 x i64> %v198, %v199
  %v201 = shl <16 x i64> %v196, splat (i64 32)
  %v202 = and <16 x i64> %v192, splat (i64 4294967295)
  %v203 = or <16 x i64> %v201, %v202
  %v204 = shl <16 x i64> %v200, splat (i64 32)
  %v205 = and <16 x i64> %v190, splat (i64 4294967295)
  %v206 = or <16 x i64> %v204, %v205
  %v207 = lshr <16 x i64> %v203, splat (i64 40)
  %v208 = trunc <16 x i64> %v207 to <16 x i32>
  %v209 = sitofp <16 x i32> %v208 to <16 x float>
  %v210 = fmul <16 x float> %v209, splat (float 0x3E70000000000000)
  %v211 = fmul <16 x float> %v27, %v210
  %v212 = fadd <16 x float> %v22, %v211
  %v213 = fcmp ogt <16 x float> %v212, %v32
  %v214 = select <16 x i1> %v213, <16 x float> %v32, <16 x float> %v212
  %v215 = bitcast <16 x float> %v214 to <16 x i32>
  %v216 = and i1 %v50, %v60
  br i1 %v216, label %then217, label %else219
then217:
  store <16 x i32> %v215, ptr %v68, align 64, !nontemporal !2
  br label %endif218
else219:
  store <16 x i32> %v215, ptr %v68, align 1
  br label %endif218
endif218:
  %v220 = xor i1 %v60, 1
  br i1 %v220, label %then221, label %endif222, !prof !1
then221:
  %v223 = mul i64 %i57, 4
  %v224 = getelementptr i8, ptr %v42, i64 %v223
  br i1 %v50, label %then225, label %else228, !prof !1
then225:
  %v227 = mul i64 %v69, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v224, ptr %buf13, i64 %v227, i1 0)
  br label %endif226
else228:
  %v229 = mul i64 %i57, 4
  %v230 = getelementptr i8, ptr %v42, i64 %v229
  %v231 = mul i64 %v69, 1
  %v232 = trunc i64 %v231 to i32
  %v233 = insertelement <16 x i32> poison, i32 %v232, i64 0
  %v234 = shufflevector <16 x i32> %v233, <16 x i32> poison, <16 x i32> zeroinitializer
  %v235 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v234
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v215, ptr align 1 %v230, <16 x i1> %v235)
  br label %endif226
endif226:
  br label %endif222
endif222:
  %v236 = add i64 %i57, 16
  %v237 = call i64 asm "", "=r,0"(i64 %v236)
  br label %head54
done56:
  %v238 = add i64 %i37, 1
  br label %head34
done36:
  br i1 %v33, label %then239, label %endif240
then239:
  fence seq_cst
  br label %endif240
endif240:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
