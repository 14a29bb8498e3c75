; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <1 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %buf27 = alloca <16 x i32>, i64 1, align 64
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
  %v28 = icmp eq i64 %v16, -1
  br label %head29
head29:
  %i32 = phi i64 [0, %entry], [%v418, %done67]
  %v33 = icmp slt i64 %i32, %m
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = mul i64 %i32, %v18
  %v35 = getelementptr i8, ptr %v2, i64 %v34
  %v36 = mul i64 %i32, %v20
  %v37 = add i64 %v4, %v36
  %v38 = mul i64 %i32, %v22
  %v39 = getelementptr i8, ptr %v6, i64 %v38
  %v40 = mul i64 %i32, %v24
  %v41 = getelementptr i8, ptr %v8, i64 %v40
  %v42 = mul i64 %i32, %v18
  %v43 = getelementptr i8, ptr %v2, i64 %v42
  %v44 = mul i64 %i32, %v20
  %v45 = add i64 %v4, %v44
  %v46 = mul i64 %i32, %v22
  %v47 = getelementptr i8, ptr %v6, i64 %v46
  %v48 = mul i64 %i32, %v24
  %v49 = getelementptr i8, ptr %v8, i64 %v48
  %v50 = insertelement <1 x i64> poison, i64 %v45, i64 0
  %v51 = shufflevector <1 x i64> %v50, <1 x i64> poison, <1 x i32> zeroinitializer
  %v52 = insertelement <16 x i64> poison, i64 %v37, i64 0
  %v53 = shufflevector <16 x i64> %v52, <16 x i64> poison, <16 x i32> zeroinitializer
  %v54 = ptrtoint ptr %v41 to i64
  %v55 = sub i64 0, %v54
  %v56 = and i64 %v55, 63
  %v57 = mul i64 %n, 4
  %v58 = or i64 %v56, %v57
  %v59 = and i64 %v58, 63
  %v60 = icmp eq i64 %v59, 0
  %v61 = and i1 %v28, %v60
  %v62 = select i1 %v61, i64 %v56, i64 0
  %v63 = lshr i64 %v62, 2
  %v64 = call i64 @llvm.smin.i64(i64 %v63, i64 %n)
  br label %head65
head65:
  %i68 = phi i64 [0, %body30], [%v417, %endif402]
  %v69 = icmp slt i64 %i68, %n
  br i1 %v69, label %body66, label %done67
body66:
  %v70 = add i64 %i68, 80
  %v71 = icmp sle i64 %v70, %n
  br i1 %v71, label %then72, label %endif73
then72:
  %v74 = add i64 %i68, 64
  %v75 = mul i64 %v74, 4
  %v76 = getelementptr i8, ptr %v43, i64 %v75
  %v77 = getelementptr i8, ptr %v76, i64 0
  %v78 = load <1 x i32>, ptr %v77, align 1
  %v79 = sext <1 x i32> %v78 to <1 x i64>
  %v80 = mul <1 x i64> %v79, %v51
  %v81 = extractelement <1 x i64> %v80, i64 0
  %v82 = getelementptr i8, ptr %v39, i64 %v81
  call void @llvm.prefetch.p0(ptr %v82, i32 0, i32 2, i32 1)
  %v83 = add i64 %i68, 65
  %v84 = mul i64 %v83, 4
  %v85 = getelementptr i8, ptr %v43, i64 %v84
  %v86 = getelementptr i8, ptr %v85, i64 0
  %v87 = load <1 x i32>, ptr %v86, align 1
  %v88 = sext <1 x i32> %v87 to <1 x i64>
  %v89 = mul <1 x i64> %v88, %v51
  %v90 = extractelement <1 x i64> %v89, i64 0
  %v91 = getelementptr i8, ptr %v39, i64 %v90
  call void @llvm.prefetch.p0(ptr %v91, i32 0, i32 2, i32 1)
  %v92 = add i64 %i68, 66
  %v93 = mul i64 %v92, 4
  %v94 = getelementptr i8, ptr %v43, i64 %v93
  %v95 = getelementptr i8, ptr %v94, i64 0
  %v96 = load <1 x i32>, ptr %v95, align 1
  %v97 = sext <1 x i32> %v96 to <1 x i64>
  %v98 = mul <1 x i64> %v97, %v51
  %v99 = extractelement <1 x i64> %v98, i64 0
  %v100 = getelementptr i8, ptr %v39, i64 %v99
  call void @llvm.prefetch.p0(ptr %v100, i32 0, i32 2, i32 1)
  %v101 = add i64 %i68, 67
  %v102 = mul i64 %v101, 4
  %v103 = getelementptr i8, ptr %v43, i64 %v102
  %v104 = getelementptr i8, ptr %v103, i64 0
  %v105 = load <1 x i32>, ptr %v104, align 1
  %v106 = sext <1 x i32> %v105 to <1 x i64>
  %v107 = mul <1 x i64> %v106, %v51
  %v108 = extractelement <1 x i64> %v107, i64 0
  %v109 = getelementptr i8, ptr %v39, i64 %v108
  call void @llvm.prefetch.p0(ptr %v109, i32 0, i32 2, i32 1)
  %v110 = add i64 %i68, 68
  %v111 = mul i64 %v110, 4
  %v112 = getelementptr i8, ptr %v43, i64 %v111
  %v113 = getelementptr i8, ptr %v112, i64 0
  %v114 = load <1 x i32>, ptr %v113, align 1
  %v115 = sext <1 x i32> %v114 to <1 x i64>
  %v116 = mul <1 x i64> %v115, %v51
  %v117 = extractelement <1 x i64> %v116, i64 0
  %v118 = getelementptr i8, ptr %v39, i64 %v117
  call void @llvm.prefetch.p0(ptr %v118, i32 0, i32 2, i32 1)
  %v119 = add i64 %i68, 69
  %v120 = mul i64 %v119, 4
  %v121 = getelementptr i8, ptr %v43, i64 %v120
  %v122 = getelementptr i8, ptr %v121, i64 0
  %v123 = load <1 x i32>, ptr %v122, align 1
  %v124 = sext <1 x i32> %v123 to <1 x i64>
  %v125 = mul <1 x i64> %v124, %v51
  %v126 = extractelement <1 x i64> %v125, i64 0
  %v127 = getelementptr i8, ptr %v39, i64 %v126
  call void @llvm.prefetch.p0(ptr %v127, i32 0, i32 2, i32 1)
  %v128 = add i64 %i68, 70
  %v129 = mul i64 %v128, 4
  %v130 = getelementptr i8, ptr %v43, i64 %v129
  %v131 = getelementptr i8, ptr %v130, i64 0
  %v132 = load <1 x i32>, ptr %v131, align 1
  %v133 = sext <1 x i32> %v132 to <1 x i64>
  %v134 = mul <1 x i64> %v133, %v51
  %v135 = extractelement <1 x i64> %v134, i64 0
  %v136 = getelementptr i8, ptr %v39, i64 %v135
  call void @llvm.prefetch.p0(ptr %v136, i32 0, i32 2, i32 1)
  %v137 = add i64 %i68, 71
  %v138 = mul i64 %v137, 4
  %v139 = getelementptr i8, ptr %v43, i64 %v138
  %v140 = getelementptr i8, ptr %v139, i64 0
  %v141 = load <1 x i32>, ptr %v140, align 1
  %v142 = sext <1 x i32> %v141 to <1 x i64>
  %v143 = mul <1 x i64> %v142, %v51
  %v144 = extractelement <1 x i64> %v143, i64 0
  %v145 = getelementptr i8, ptr %v39, i64 %v144
  call void @llvm.prefetch.p0(ptr %v145, i32 0, i32 2, i32 1)
  %v146 = add i64 %i68, 72
  %v147 = mul i64 %v146, 4
  %v148 = getelementptr i8, ptr %v43, i64 %v147
  %v149 = getelementptr i8, ptr %v148, i64 0
  %v150 = load <1 x i32>, ptr %v149, align 1
  %v151 = sext <1 x i32> %v150 to <1 x i64>
  %v152 = mul <1 x i64> %v151, %v51
  %v153 = extractelement <1 x i64> %v152, i64 0
  %v154 = getelementptr i8, ptr %v39, i64 %v153
  call void @llvm.prefetch.p0(ptr %v154, i32 0, i32 2, i32 1)
  %v155 = add i64 %i68, 73
  %v156 = mul i64 %v155, 4
  %v157 = getelementptr i8, ptr %v43, i64 %v156
  %v158 = getelementptr i8, ptr %v157, i64 0
  %v159 = load <1 x i32>, ptr %v158, align 1
  %v160 = sext <1 x i32> %v159 to <1 x i64>
  %v161 = mul <1 x i64> %v160, %v51
  %v162 = extractelement <1 x i64> %v161, i64 0
  %v163 = getelementptr i8, ptr %v39, i64 %v162
  call void @llvm.prefetch.p0(ptr %v163, i32 0, i32 2, i32 1)
  %v164 = add i64 %i68, 74
  %v165 = mul i64 %v164, 4
  %v166 = getelementptr i8, ptr %v43, i64 %v165
  %v167 = getelementptr i8, ptr %v166, i64 0
  %v168 = load <1 x i32>, ptr %v167, align 1
  %v169 = sext <1 x i32> %v168 to <1 x i64>
  %v170 = mul <1 x i64> %v169, %v51
  %v171 = extractelement <1 x i64> %v170, i64 0
  %v172 = getelementptr i8, ptr %v39, i64 %v171
  call void @llvm.prefetch.p0(ptr %v172, i32 0, i32 2, i32 1)
  %v173 = add i64 %i68, 75
  %v174 = mul i64 %v173, 4
  %v175 = getelementptr i8, ptr %v43, i64 %v174
  %v176 = getelementptr i8, ptr %v175, i64 0
  %v177 = load <1 x i32>, ptr %v176, align 1
  %v178 = sext <1 x i32> %v177 to <1 x i64>
  %v179 = mul <1 x i64> %v178, %v51
  %v180 = extractelement <1 x i64> %v179, i64 0
  %v181 = getelementptr i8, ptr %v39, i64 %v180
  call void @llvm.prefetch.p0(ptr %v181, i32 0, i32 2, i32 1)
  %v182 = add i64 %i68, 76
  %v183 = mul i64 %v182, 4
  %v184 = getelementptr i8, ptr %v43, i64 %v183
  %v185 = getelementptr i8, ptr %v184, i64 0
  %v186 = load <1 x i32>, ptr %v185, align 1
  %v187 = sext <1 x i32> %v186 to <1 x i64>
  %v188 = mul <1 x i64> %v187, %v51
  %v189 = extractelement <1 x i64> %v188, i64 0
  %v190 = getelementptr i8, ptr %v39, i64 %v189
  call void @llvm.prefetch.p0(ptr %v190, i32 0, i32 2, i32 1)
  %v191 = add i64 %i68, 77
  %v192 = mul i64 %v191, 4
  %v193 = getelementptr i8, ptr %v43, i64 %v192
  %v194 = getelementptr i8, ptr %v193, i64 0
  %v195 = load <1 x i32>, ptr %v194, align 1
  %v196 = sext <1 x i32> %v195 to <1 x i64>
  %v197 = mul <1 x i64> %v196, %v51
  %v198 = extractelement <1 x i64> %v197, i64 0
  %v199 = getelementptr i8, ptr %v39, i64 %v198
  call void @llvm.prefetch.p0(ptr %v199, i32 0, i32 2, i32 1)
  %v200 = add i64 %i68, 78
  %v201 = mul i64 %v200, 4
  %v202 = getelementptr i8, ptr %v43, i64 %v201
  %v203 = getelementptr i8, ptr %v202, i64 0
  %v204 = load <1 x i32>, ptr %v203, align 1
  %v205 = sext <1 x i32> %v204 to <1 x i64>
  %v206 = mul <1 x i64> %v205, %v51
  %v207 = extractelement <1 x i64> %v206, i64 0
  %v208 = getelementptr i8, ptr %v39, i64 %v207
  call void @llvm.prefetch.p0(ptr %v208, i32 0, i32 2, i32 1)
  %v209 = add i64 %i68, 79
  %v210 = mul i64 %v209, 4
  %v211 = getelementptr i8, ptr %v43, i64 %v210
  %v212 = getelementptr i8, ptr %v211, i64 0
  %v213 = load <1 x i32>, ptr %v212, align 1
  %v214 = sext <1 x i32> %v213 to <1 x i64>
  %v215 = mul <1 x i64> %v214, %v51
  %v216 = extractelement <1 x i64> %v215, i64 0
  %v217 = getelementptr i8, ptr %v39, i64 %v216
  call void @llvm.prefetch.p0(ptr %v217, i32 0, i32 2, i32 1)
  br label %endif73
endif73:
  %v218 = add i64 %i68, 16
  %v219 = icmp sle i64 %v218, %n
  br i1 %v219, label %side221, label %side222, !prof !0
side221:
  %v223 = mul i64 %i68, 4
  %v224 = getelementptr i8, ptr %v35, i64 %v223
  %v225 = mul i64 %i68, 4
  %v226 = getelementptr i8, ptr %v41, i64 %v225
  br label %join220
side222:
  %v227 = sub i64 %n, %i68
  %v228 = call i64 @llvm.smin.i64(i64 %v227, i64 16)
  %v229 = mul i64 %i68, 4
  %v230 = getelementptr i8, ptr %v35, i64 %v229
  %v231 = load i32, ptr %v230, align 1
  %v232 = insertelement <16 x i32> poison, i32 %v231, i64 0
  %v233 = shufflevector <16 x i32> %v232, <16 x i32> poison, <16 x i32> zeroinitializer
  %v234 = mul i64 %v228, 1
  %v235 = trunc i64 %v234 to i32
  %v236 = insertelement <16 x i32> poison, i32 %v235, i64 0
  %v237 = shufflevector <16 x i32> %v236, <16 x i32> poison, <16 x i32> zeroinitializer
  %v238 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v237
  %v239 = mul i64 %i68, 4
  %v240 = getelementptr i8, ptr %v35, i64 %v239
  %v241 = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 1 %v240, <16 x i1> %v238, <16 x i32> zeroinitializer)
  %v242 = select <16 x i1> %v238, <16 x i32> %v241, <16 x i32> %v233
  store <16 x i32> %v242, ptr %buf26, align 64
  br label %join220
join220:
  %v243 = phi ptr [%v224, %side221], [%buf26, %side222]
  %v244 = phi ptr [%v226, %side221], [%buf27, %side222]
  %v245 = phi i64 [16, %side221], [%v228, %side222]
  %v246 = getelementptr i8, ptr %v243, i64 0
  %v247 = load <16 x i32>, ptr %v246, align 1
  %v248 = sext <16 x i32> %v247 to <16 x i64>
  %v249 = mul <16 x i64> %v248, %v53
  %v250 = getelementptr i8, ptr %v243, i64 0
  %v251 = getelementptr i8, ptr %v243, i64 4
  %v252 = getelementptr i8, ptr %v243, i64 8
  %v253 = getelementptr i8, ptr %v243, i64 12
  %v254 = getelementptr i8, ptr %v243, i64 16
  %v255 = getelementptr i8, ptr %v243, i64 20
  %v256 = getelementptr i8, ptr %v243, i64 24
  %v257 = getelementptr i8, ptr %v243, i64 28
  %v258 = getelementptr i8, ptr %v243, i64 32
  %v259 = getelementptr i8, ptr %v243, i64 36
  %v260 = getelementptr i8, ptr %v243, i64 40
  %v261 = getelementptr i8, ptr %v243, i64 44
  %v262 = getelementptr i8, ptr %v243, i64 48
  %v263 = getelementptr i8, ptr %v243, i64 52
  %v264 = getelementptr i8, ptr %v243, i64 56
  %v265 = getelementptr i8, ptr %v243, i64 60
  %v266 = getelementptr i8, ptr %v250, i64 0
  %v267 = load <1 x i32>, ptr %v266, align 1
  %v268 = sext <1 x i32> %v267 to <1 x i64>
  %v269 = mul <1 x i64> %v268, %v51
  %v270 = extractelement <1 x i64> %v269, i64 0
  %v271 = getelementptr i8, ptr %v251, i64 0
  %v272 = load <1 x i32>, ptr %v271, align 1
  %v273 = sext <1 x i32> %v272 to <1 x i64>
  %v274 = mul <1 x i64> %v273, %v51
  %v275 = extractelement <1 x i64> %v274, i64 0
  %v276 = getelementptr i8, ptr %v252, i64 0
  %v277 = load <1 x i32>, ptr %v276, align 1
  %v278 = sext <1 x i32> %v277 to <1 x i64>
  %v279 = mul <1 x i64> %v278, %v51
  %v280 = extractelement <1 x i64> %v279, i64 0
  %v281 = getelementptr i8, ptr %v253, i64 0
  %v282 = load <1 x i32>, ptr %v281, align 1
  %v283 = sext <1 x i32> %v282 to <1 x i64>
  %v284 = mul <1 x i64> %v283, %v51
  %v285 = extractelement <1 x i64> %v284, i64 0
  %v286 = getelementptr i8, ptr %v254, i64 0
  %v287 = load <1 x i32>, ptr %v286, align 1
  %v288 = sext <1 x i32> %v287 to <1 x i64>
  %v289 = mul <1 x i64> %v288, %v51
  %v290 = extractelement <1 x i64> %v289, i64 0
  %v291 = getelementptr i8, ptr %v255, i64 0
  %v292 = load <1 x i32>, ptr %v291, align 1
  %v293 = sext <1 x i32> %v292 to <1 x i64>
  %v294 = mul <1 x i64> %v293, %v51
  %v295 = extractelement <1 x i64> %v294, i64 0
  %v296 = getelementptr i8, ptr %v256, i64 0
  %v297 = load <1 x i32>, ptr %v296, align 1
  %v298 = sext <1 x i32> %v297 to <1 x i64>
  %v299 = mul <1 x i64> %v298, %v51
  %v300 = extractelement <1 x i64> %v299, i64 0
  %v301 = getelementptr i8, ptr %v257, i64 0
  %v302 = load <1 x i32>, ptr %v301, align 1
  %v303 = sext <1 x i32> %v302 to <1 x i64>
  %v304 = mul <1 x i64> %v303, %v51
  %v305 = extractelement <1 x i64> %v304, i64 0
  %v306 = getelementptr i8, ptr %v258, i64 0
  %v307 = load <1 x i32>, ptr %v306, align 1
  %v308 = sext <1 x i32> %v307 to <1 x i64>
  %v309 = mul <1 x i64> %v308, %v51
  %v310 = extractelement <1 x i64> %v309, i64 0
  %v311 = getelementptr i8, ptr %v259, i64 0
  %v312 = load <1 x i32>, ptr %v311, align 1
  %v313 = sext <1 x i32> %v312 to <1 x i64>
  %v314 = mul <1 x i64> %v313, %v51
  %v315 = extractelement <1 x i64> %v314, i64 0
  %v316 = getelementptr i8, ptr %v260, i64 0
  %v317 = load <1 x i32>, ptr %v316, align 1
  %v318 = sext <1 x i32> %v317 to <1 x i64>
  %v319 = mul <1 x i64> %v318, %v51
  %v320 = extractelement <1 x i64> %v319, i64 0
  %v321 = getelementptr i8, ptr %v261, i64 0
  %v322 = load <1 x i32>, ptr %v321, align 1
  %v323 = sext <1 x i32> %v322 to <1 x i64>
  %v324 = mul <1 x i64> %v323, %v51
  %v325 = extractelement <1 x i64> %v324, i64 0
  %v326 = getelementptr i8, ptr %v262, i64 0
  %v327 = load <1 x i32>, ptr %v326, align 1
  %v328 = sext <1 x i32> %v327 to <1 x i64>
  %v329 = mul <1 x i64> %v328, %v51
  %v330 = extractelement <1 x i64> %v329, i64 0
  %v331 = getelementptr i8, ptr %v263, i64 0
  %v332 = load <1 x i32>, ptr %v331, align 1
  %v333 = sext <1 x i32> %v332 to <1 x i64>
  %v334 = mul <1 x i64> %v333, %v51
  %v335 = extractelement <1 x i64> %v334, i64 0
  %v336 = getelementptr i8, ptr %v264, i64 0
  %v337 = load <1 x i32>, ptr %v336, align 1
  %v338 = sext <1 x i32> %v337 to <1 x i64>
  %v339 = mul <1 x i64> %v338, %v51
  %v340 = extractelement <1 x i64> %v339, i64 0
  %v341 = getelementptr i8, ptr %v265, i64 0
  %v342 = load <1 x i32>, ptr %v341, align 1
  %v343 = sext <1 x i32> %v342 to <1 x i64>
  %v344 = mul <1 x i64> %v343, %v51
  %v345 = extractelement <1 x i64> %v344, i64 0
  %v346 = getelementptr i8, ptr %v39, i64 %v270
  %v347 = load i32, ptr %v346, align 1
  %v348 = insertelement <16 x i32> splat (i32 0), i32 %v347, i64 0
  %v349 = getelementptr i8, ptr %v39, i64 %v275
  %v350 = load i32, ptr %v349, align 1
  %v351 = insertelement <16 x i32> %v348, i32 %v350, i64 1
  %v352 = getelementptr i8, ptr %v39, i64 %v280
  %v353 = load i32, ptr %v352, align 1
  %v354 = insertelement <16 x i32> %v351, i32 %v353, i64 2
  %v355 = getelementptr i8, ptr %v39, i64 %v285
  %v356 = load i32, ptr %v355, align 1
  %v357 = insertelement <16 x i32> %v354, i32 %v356, i64 3
  %v358 = getelementptr i8, ptr %v39, i64 %v290
  %v359 = load i32, ptr %v358, align 1
  %v360 = insertelement <16 x i32> %v357, i32 %v359, i64 4
  %v361 = getelementptr i8, ptr %v39, i64 %v295
  %v362 = load i32, ptr %v361, align 1
  %v363 = insertelement <16 x i32> %v360, i32 %v362, i64 5
  %v364 = getelementptr i8, ptr %v39, i64 %v300
  %v365 = load i32, ptr %v364, align 1
  %v366 = insertelement <16 x i32> %v363, i32 %v365, i64 6
  %v367 = getelementptr i8, ptr %v39, i64 %v305
  %v368 = load i32, ptr %v367, align 1
  %v369 = insertelement <16 x i32> %v366, i32 %v368, i64 7
  %v370 = getelementptr i8, ptr %v39, i64 %v310
  %v371 = load i32, ptr %v370, align 1
  %v372 = insertelement <16 x i32> %v369, i32 %v371, i64 8
  %v373 = getelementptr i8, ptr %v39, i64 %v315
  %v374 = load i32, ptr %v373, align 1
  %v375 = insertelement <16 x i32> %v372, i32 %v374, i64 9
  %v376 = getelementptr i8, ptr %v39, i64 %v320
  %v377 = load i32, ptr %v376, align 1
  %v378 = insertelement <16 x i32> %v375, i32 %v377, i64 10
  %v379 = getelementptr i8, ptr %v39, i64 %v325
  %v380 = load i32, ptr %v379, align 1
  %v381 = insertelement <16 x i32> %v378, i32 %v380, i64 11
  %v382 = getelementptr i8, ptr %v39, i64 %v330
  %v383 = load i32, ptr %v382, align 1
  %v384 = insertelement <16 x i32> %v381, i32 %v383, i64 12
  %v385 = getelementptr i8, ptr %v39, i64 %v335
  %v386 = load i32, ptr %v385, align 1
  %v387 = insertelement <16 x i32> %v384, i32 %v386, i64 13
  %v388 = getelementptr i8, ptr %v39, i64 %v340
  %v389 = load i32, ptr %v388, align 1
  %v390 = insertelement <16 x i32> %v387, i32 %v389, i64 14
  %v391 = getelementptr i8, ptr %v39, i64 %v345
  %v392 = load i32, ptr %v391, align 1
  %v393 = insertelement <16 x i32> %v390, i32 %v392, i64 15
  %v394 = bitcast <16 x i32> %v393 to <16 x float>
  %v395 = bitcast <16 x float> %v394 to <16 x i32>
  %v396 = and i1 %v61, %v219
  br i1 %v396, label %then397, label %else399
then397:
  store <16 x i32> %v395, ptr %v244, align 64, !nontemporal !2
  br label %endif398
else399:
  store <16 x i32> %v395, ptr %v244, align 1
  br label %endif398
endif398:
  %v400 = xor i1 %v219, 1
  br i1 %v400, label %then401, label %endif402, !prof !1
then401:
  %v403 = mul i64 %i68, 4
  %v404 = getelementptr i8, ptr %v41, i64 %v403
  br i1 %v61, label %then405, label %else408, !prof !1
then405:
  %v407 = mul i64 %v245, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v404, ptr %buf27, i64 %v407, i1 0)
  br label %endif406
else408:
  %v409 = mul i64 %i68, 4
  %v410 = getelementptr i8, ptr %v41, i64 %v409
  %v411 = mul i64 %v245, 1
  %v412 = trunc i64 %v411 to i32
  %v413 = insertelement <16 x i32> poison, i32 %v412, i64 0
  %v414 = shufflevector <16 x i32> %v413, <16 x i32> poison, <16 x i32> zeroinitializer
  %v415 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v414
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v395, ptr align 1 %v410, <16 x i1> %v415)
  br label %endif406
endif406:
  br label %endif402
endif402:
  %v416 = add i64 %i68, 16
  %v417 = call i64 asm "", "=r,0"(i64 %v416)
  br label %head65
done67:
  %v418 = add i64 %i32, 1
  br label %head29
done31:
  br i1 %v28, label %then419, label %endif420
then419:
  fence seq_cst
  br label %endif420
endif420:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
