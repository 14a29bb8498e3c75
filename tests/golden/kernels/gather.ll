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
  %i32 = phi i64 [0, %entry], [%v424, %done69]
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
  %v65 = icmp sge i64 %n, 8192
  %v66 = select i1 %v65, i64 1536, i64 0
  br label %head67
head67:
  %i70 = phi i64 [0, %body30], [%v423, %endif408]
  %v71 = icmp slt i64 %i70, %n
  br i1 %v71, label %body68, label %done69
body68:
  %v72 = add i64 %i70, 80
  %v73 = icmp sle i64 %v72, %n
  br i1 %v73, label %then74, label %endif75
then74:
  %v76 = add i64 %i70, 64
  %v77 = mul i64 %v76, 4
  %v78 = getelementptr i8, ptr %v43, i64 %v77
  %v79 = getelementptr i8, ptr %v78, i64 0
  %v80 = load <1 x i32>, ptr %v79, align 1
  %v81 = sext <1 x i32> %v80 to <1 x i64>
  %v82 = mul <1 x i64> %v81, %v51
  %v83 = extractelement <1 x i64> %v82, i64 0
  %v84 = getelementptr i8, ptr %v39, i64 %v83
  call void @llvm.prefetch.p0(ptr %v84, i32 0, i32 2, i32 1)
  %v85 = add i64 %i70, 65
  %v86 = mul i64 %v85, 4
  %v87 = getelementptr i8, ptr %v43, i64 %v86
  %v88 = getelementptr i8, ptr %v87, i64 0
  %v89 = load <1 x i32>, ptr %v88, align 1
  %v90 = sext <1 x i32> %v89 to <1 x i64>
  %v91 = mul <1 x i64> %v90, %v51
  %v92 = extractelement <1 x i64> %v91, i64 0
  %v93 = getelementptr i8, ptr %v39, i64 %v92
  call void @llvm.prefetch.p0(ptr %v93, i32 0, i32 2, i32 1)
  %v94 = add i64 %i70, 66
  %v95 = mul i64 %v94, 4
  %v96 = getelementptr i8, ptr %v43, i64 %v95
  %v97 = getelementptr i8, ptr %v96, i64 0
  %v98 = load <1 x i32>, ptr %v97, align 1
  %v99 = sext <1 x i32> %v98 to <1 x i64>
  %v100 = mul <1 x i64> %v99, %v51
  %v101 = extractelement <1 x i64> %v100, i64 0
  %v102 = getelementptr i8, ptr %v39, i64 %v101
  call void @llvm.prefetch.p0(ptr %v102, i32 0, i32 2, i32 1)
  %v103 = add i64 %i70, 67
  %v104 = mul i64 %v103, 4
  %v105 = getelementptr i8, ptr %v43, i64 %v104
  %v106 = getelementptr i8, ptr %v105, i64 0
  %v107 = load <1 x i32>, ptr %v106, align 1
  %v108 = sext <1 x i32> %v107 to <1 x i64>
  %v109 = mul <1 x i64> %v108, %v51
  %v110 = extractelement <1 x i64> %v109, i64 0
  %v111 = getelementptr i8, ptr %v39, i64 %v110
  call void @llvm.prefetch.p0(ptr %v111, i32 0, i32 2, i32 1)
  %v112 = add i64 %i70, 68
  %v113 = mul i64 %v112, 4
  %v114 = getelementptr i8, ptr %v43, i64 %v113
  %v115 = getelementptr i8, ptr %v114, i64 0
  %v116 = load <1 x i32>, ptr %v115, align 1
  %v117 = sext <1 x i32> %v116 to <1 x i64>
  %v118 = mul <1 x i64> %v117, %v51
  %v119 = extractelement <1 x i64> %v118, i64 0
  %v120 = getelementptr i8, ptr %v39, i64 %v119
  call void @llvm.prefetch.p0(ptr %v120, i32 0, i32 2, i32 1)
  %v121 = add i64 %i70, 69
  %v122 = mul i64 %v121, 4
  %v123 = getelementptr i8, ptr %v43, i64 %v122
  %v124 = getelementptr i8, ptr %v123, i64 0
  %v125 = load <1 x i32>, ptr %v124, align 1
  %v126 = sext <1 x i32> %v125 to <1 x i64>
  %v127 = mul <1 x i64> %v126, %v51
  %v128 = extractelement <1 x i64> %v127, i64 0
  %v129 = getelementptr i8, ptr %v39, i64 %v128
  call void @llvm.prefetch.p0(ptr %v129, i32 0, i32 2, i32 1)
  %v130 = add i64 %i70, 70
  %v131 = mul i64 %v130, 4
  %v132 = getelementptr i8, ptr %v43, i64 %v131
  %v133 = getelementptr i8, ptr %v132, i64 0
  %v134 = load <1 x i32>, ptr %v133, align 1
  %v135 = sext <1 x i32> %v134 to <1 x i64>
  %v136 = mul <1 x i64> %v135, %v51
  %v137 = extractelement <1 x i64> %v136, i64 0
  %v138 = getelementptr i8, ptr %v39, i64 %v137
  call void @llvm.prefetch.p0(ptr %v138, i32 0, i32 2, i32 1)
  %v139 = add i64 %i70, 71
  %v140 = mul i64 %v139, 4
  %v141 = getelementptr i8, ptr %v43, i64 %v140
  %v142 = getelementptr i8, ptr %v141, i64 0
  %v143 = load <1 x i32>, ptr %v142, align 1
  %v144 = sext <1 x i32> %v143 to <1 x i64>
  %v145 = mul <1 x i64> %v144, %v51
  %v146 = extractelement <1 x i64> %v145, i64 0
  %v147 = getelementptr i8, ptr %v39, i64 %v146
  call void @llvm.prefetch.p0(ptr %v147, i32 0, i32 2, i32 1)
  %v148 = add i64 %i70, 72
  %v149 = mul i64 %v148, 4
  %v150 = getelementptr i8, ptr %v43, i64 %v149
  %v151 = getelementptr i8, ptr %v150, i64 0
  %v152 = load <1 x i32>, ptr %v151, align 1
  %v153 = sext <1 x i32> %v152 to <1 x i64>
  %v154 = mul <1 x i64> %v153, %v51
  %v155 = extractelement <1 x i64> %v154, i64 0
  %v156 = getelementptr i8, ptr %v39, i64 %v155
  call void @llvm.prefetch.p0(ptr %v156, i32 0, i32 2, i32 1)
  %v157 = add i64 %i70, 73
  %v158 = mul i64 %v157, 4
  %v159 = getelementptr i8, ptr %v43, i64 %v158
  %v160 = getelementptr i8, ptr %v159, i64 0
  %v161 = load <1 x i32>, ptr %v160, align 1
  %v162 = sext <1 x i32> %v161 to <1 x i64>
  %v163 = mul <1 x i64> %v162, %v51
  %v164 = extractelement <1 x i64> %v163, i64 0
  %v165 = getelementptr i8, ptr %v39, i64 %v164
  call void @llvm.prefetch.p0(ptr %v165, i32 0, i32 2, i32 1)
  %v166 = add i64 %i70, 74
  %v167 = mul i64 %v166, 4
  %v168 = getelementptr i8, ptr %v43, i64 %v167
  %v169 = getelementptr i8, ptr %v168, i64 0
  %v170 = load <1 x i32>, ptr %v169, align 1
  %v171 = sext <1 x i32> %v170 to <1 x i64>
  %v172 = mul <1 x i64> %v171, %v51
  %v173 = extractelement <1 x i64> %v172, i64 0
  %v174 = getelementptr i8, ptr %v39, i64 %v173
  call void @llvm.prefetch.p0(ptr %v174, i32 0, i32 2, i32 1)
  %v175 = add i64 %i70, 75
  %v176 = mul i64 %v175, 4
  %v177 = getelementptr i8, ptr %v43, i64 %v176
  %v178 = getelementptr i8, ptr %v177, i64 0
  %v179 = load <1 x i32>, ptr %v178, align 1
  %v180 = sext <1 x i32> %v179 to <1 x i64>
  %v181 = mul <1 x i64> %v180, %v51
  %v182 = extractelement <1 x i64> %v181, i64 0
  %v183 = getelementptr i8, ptr %v39, i64 %v182
  call void @llvm.prefetch.p0(ptr %v183, i32 0, i32 2, i32 1)
  %v184 = add i64 %i70, 76
  %v185 = mul i64 %v184, 4
  %v186 = getelementptr i8, ptr %v43, i64 %v185
  %v187 = getelementptr i8, ptr %v186, i64 0
  %v188 = load <1 x i32>, ptr %v187, align 1
  %v189 = sext <1 x i32> %v188 to <1 x i64>
  %v190 = mul <1 x i64> %v189, %v51
  %v191 = extractelement <1 x i64> %v190, i64 0
  %v192 = getelementptr i8, ptr %v39, i64 %v191
  call void @llvm.prefetch.p0(ptr %v192, i32 0, i32 2, i32 1)
  %v193 = add i64 %i70, 77
  %v194 = mul i64 %v193, 4
  %v195 = getelementptr i8, ptr %v43, i64 %v194
  %v196 = getelementptr i8, ptr %v195, i64 0
  %v197 = load <1 x i32>, ptr %v196, align 1
  %v198 = sext <1 x i32> %v197 to <1 x i64>
  %v199 = mul <1 x i64> %v198, %v51
  %v200 = extractelement <1 x i64> %v199, i64 0
  %v201 = getelementptr i8, ptr %v39, i64 %v200
  call void @llvm.prefetch.p0(ptr %v201, i32 0, i32 2, i32 1)
  %v202 = add i64 %i70, 78
  %v203 = mul i64 %v202, 4
  %v204 = getelementptr i8, ptr %v43, i64 %v203
  %v205 = getelementptr i8, ptr %v204, i64 0
  %v206 = load <1 x i32>, ptr %v205, align 1
  %v207 = sext <1 x i32> %v206 to <1 x i64>
  %v208 = mul <1 x i64> %v207, %v51
  %v209 = extractelement <1 x i64> %v208, i64 0
  %v210 = getelementptr i8, ptr %v39, i64 %v209
  call void @llvm.prefetch.p0(ptr %v210, i32 0, i32 2, i32 1)
  %v211 = add i64 %i70, 79
  %v212 = mul i64 %v211, 4
  %v213 = getelementptr i8, ptr %v43, i64 %v212
  %v214 = getelementptr i8, ptr %v213, i64 0
  %v215 = load <1 x i32>, ptr %v214, align 1
  %v216 = sext <1 x i32> %v215 to <1 x i64>
  %v217 = mul <1 x i64> %v216, %v51
  %v218 = extractelement <1 x i64> %v217, i64 0
  %v219 = getelementptr i8, ptr %v39, i64 %v218
  call void @llvm.prefetch.p0(ptr %v219, i32 0, i32 2, i32 1)
  br label %endif75
endif75:
  %v220 = mul i64 %i70, 4
  %v221 = getelementptr i8, ptr %v35, i64 %v220
  %v222 = add i64 %v66, 0
  %v223 = getelementptr i8, ptr %v221, i64 %v222
  call void @llvm.prefetch.p0(ptr %v223, i32 0, i32 3, i32 1)
  %v224 = add i64 %i70, 16
  %v225 = icmp sle i64 %v224, %n
  br i1 %v225, label %side227, label %side228, !prof !0
side227:
  %v229 = mul i64 %i70, 4
  %v230 = getelementptr i8, ptr %v35, i64 %v229
  %v231 = mul i64 %i70, 4
  %v232 = getelementptr i8, ptr %v41, i64 %v231
  br label %join226
side228:
  %v233 = sub i64 %n, %i70
  %v234 = call i64 @llvm.smin.i64(i64 %v233, i64 16)
  %v235 = mul i64 %i70, 4
  %v236 = getelementptr i8, ptr %v35, i64 %v235
  %v237 = load i32, ptr %v236, align 1
  %v238 = insertelement <16 x i32> poison, i32 %v237, i64 0
  %v239 = shufflevector <16 x i32> %v238, <16 x i32> poison, <16 x i32> zeroinitializer
  %v240 = mul i64 %v234, 1
  %v241 = trunc i64 %v240 to i32
  %v242 = insertelement <16 x i32> poison, i32 %v241, i64 0
  %v243 = shufflevector <16 x i32> %v242, <16 x i32> poison, <16 x i32> zeroinitializer
  %v244 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v243
  %v245 = mul i64 %i70, 4
  %v246 = getelementptr i8, ptr %v35, i64 %v245
  %v247 = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 1 %v246, <16 x i1> %v244, <16 x i32> zeroinitializer)
  %v248 = select <16 x i1> %v244, <16 x i32> %v247, <16 x i32> %v239
  store <16 x i32> %v248, ptr %buf26, align 64
  br label %join226
join226:
  %v249 = phi ptr [%v230, %side227], [%buf26, %side228]
  %v250 = phi ptr [%v232, %side227], [%buf27, %side228]
  %v251 = phi i64 [16, %side227], [%v234, %side228]
  %v252 = getelementptr i8, ptr %v249, i64 0
  %v253 = load <16 x i32>, ptr %v252, align 1
  %v254 = sext <16 x i32> %v253 to <16 x i64>
  %v255 = mul <16 x i64> %v254, %v53
  %v256 = getelementptr i8, ptr %v249, i64 0
  %v257 = getelementptr i8, ptr %v249, i64 4
  %v258 = getelementptr i8, ptr %v249, i64 8
  %v259 = getelementptr i8, ptr %v249, i64 12
  %v260 = getelementptr i8, ptr %v249, i64 16
  %v261 = getelementptr i8, ptr %v249, i64 20
  %v262 = getelementptr i8, ptr %v249, i64 24
  %v263 = getelementptr i8, ptr %v249, i64 28
  %v264 = getelementptr i8, ptr %v249, i64 32
  %v265 = getelementptr i8, ptr %v249, i64 36
  %v266 = getelementptr i8, ptr %v249, i64 40
  %v267 = getelementptr i8, ptr %v249, i64 44
  %v268 = getelementptr i8, ptr %v249, i64 48
  %v269 = getelementptr i8, ptr %v249, i64 52
  %v270 = getelementptr i8, ptr %v249, i64 56
  %v271 = getelementptr i8, ptr %v249, i64 60
  %v272 = getelementptr i8, ptr %v256, i64 0
  %v273 = load <1 x i32>, ptr %v272, align 1
  %v274 = sext <1 x i32> %v273 to <1 x i64>
  %v275 = mul <1 x i64> %v274, %v51
  %v276 = extractelement <1 x i64> %v275, i64 0
  %v277 = getelementptr i8, ptr %v257, i64 0
  %v278 = load <1 x i32>, ptr %v277, align 1
  %v279 = sext <1 x i32> %v278 to <1 x i64>
  %v280 = mul <1 x i64> %v279, %v51
  %v281 = extractelement <1 x i64> %v280, i64 0
  %v282 = getelementptr i8, ptr %v258, i64 0
  %v283 = load <1 x i32>, ptr %v282, align 1
  %v284 = sext <1 x i32> %v283 to <1 x i64>
  %v285 = mul <1 x i64> %v284, %v51
  %v286 = extractelement <1 x i64> %v285, i64 0
  %v287 = getelementptr i8, ptr %v259, i64 0
  %v288 = load <1 x i32>, ptr %v287, align 1
  %v289 = sext <1 x i32> %v288 to <1 x i64>
  %v290 = mul <1 x i64> %v289, %v51
  %v291 = extractelement <1 x i64> %v290, i64 0
  %v292 = getelementptr i8, ptr %v260, i64 0
  %v293 = load <1 x i32>, ptr %v292, align 1
  %v294 = sext <1 x i32> %v293 to <1 x i64>
  %v295 = mul <1 x i64> %v294, %v51
  %v296 = extractelement <1 x i64> %v295, i64 0
  %v297 = getelementptr i8, ptr %v261, i64 0
  %v298 = load <1 x i32>, ptr %v297, align 1
  %v299 = sext <1 x i32> %v298 to <1 x i64>
  %v300 = mul <1 x i64> %v299, %v51
  %v301 = extractelement <1 x i64> %v300, i64 0
  %v302 = getelementptr i8, ptr %v262, i64 0
  %v303 = load <1 x i32>, ptr %v302, align 1
  %v304 = sext <1 x i32> %v303 to <1 x i64>
  %v305 = mul <1 x i64> %v304, %v51
  %v306 = extractelement <1 x i64> %v305, i64 0
  %v307 = getelementptr i8, ptr %v263, i64 0
  %v308 = load <1 x i32>, ptr %v307, align 1
  %v309 = sext <1 x i32> %v308 to <1 x i64>
  %v310 = mul <1 x i64> %v309, %v51
  %v311 = extractelement <1 x i64> %v310, i64 0
  %v312 = getelementptr i8, ptr %v264, i64 0
  %v313 = load <1 x i32>, ptr %v312, align 1
  %v314 = sext <1 x i32> %v313 to <1 x i64>
  %v315 = mul <1 x i64> %v314, %v51
  %v316 = extractelement <1 x i64> %v315, i64 0
  %v317 = getelementptr i8, ptr %v265, i64 0
  %v318 = load <1 x i32>, ptr %v317, align 1
  %v319 = sext <1 x i32> %v318 to <1 x i64>
  %v320 = mul <1 x i64> %v319, %v51
  %v321 = extractelement <1 x i64> %v320, i64 0
  %v322 = getelementptr i8, ptr %v266, i64 0
  %v323 = load <1 x i32>, ptr %v322, align 1
  %v324 = sext <1 x i32> %v323 to <1 x i64>
  %v325 = mul <1 x i64> %v324, %v51
  %v326 = extractelement <1 x i64> %v325, i64 0
  %v327 = getelementptr i8, ptr %v267, i64 0
  %v328 = load <1 x i32>, ptr %v327, align 1
  %v329 = sext <1 x i32> %v328 to <1 x i64>
  %v330 = mul <1 x i64> %v329, %v51
  %v331 = extractelement <1 x i64> %v330, i64 0
  %v332 = getelementptr i8, ptr %v268, i64 0
  %v333 = load <1 x i32>, ptr %v332, align 1
  %v334 = sext <1 x i32> %v333 to <1 x i64>
  %v335 = mul <1 x i64> %v334, %v51
  %v336 = extractelement <1 x i64> %v335, i64 0
  %v337 = getelementptr i8, ptr %v269, i64 0
  %v338 = load <1 x i32>, ptr %v337, align 1
  %v339 = sext <1 x i32> %v338 to <1 x i64>
  %v340 = mul <1 x i64> %v339, %v51
  %v341 = extractelement <1 x i64> %v340, i64 0
  %v342 = getelementptr i8, ptr %v270, i64 0
  %v343 = load <1 x i32>, ptr %v342, align 1
  %v344 = sext <1 x i32> %v343 to <1 x i64>
  %v345 = mul <1 x i64> %v344, %v51
  %v346 = extractelement <1 x i64> %v345, i64 0
  %v347 = getelementptr i8, ptr %v271, i64 0
  %v348 = load <1 x i32>, ptr %v347, align 1
  %v349 = sext <1 x i32> %v348 to <1 x i64>
  %v350 = mul <1 x i64> %v349, %v51
  %v351 = extractelement <1 x i64> %v350, i64 0
  %v352 = getelementptr i8, ptr %v39, i64 %v276
  %v353 = load i32, ptr %v352, align 1
  %v354 = insertelement <16 x i32> splat (i32 0), i32 %v353, i64 0
  %v355 = getelementptr i8, ptr %v39, i64 %v281
  %v356 = load i32, ptr %v355, align 1
  %v357 = insertelement <16 x i32> %v354, i32 %v356, i64 1
  %v358 = getelementptr i8, ptr %v39, i64 %v286
  %v359 = load i32, ptr %v358, align 1
  %v360 = insertelement <16 x i32> %v357, i32 %v359, i64 2
  %v361 = getelementptr i8, ptr %v39, i64 %v291
  %v362 = load i32, ptr %v361, align 1
  %v363 = insertelement <16 x i32> %v360, i32 %v362, i64 3
  %v364 = getelementptr i8, ptr %v39, i64 %v296
  %v365 = load i32, ptr %v364, align 1
  %v366 = insertelement <16 x i32> %v363, i32 %v365, i64 4
  %v367 = getelementptr i8, ptr %v39, i64 %v301
  %v368 = load i32, ptr %v367, align 1
  %v369 = insertelement <16 x i32> %v366, i32 %v368, i64 5
  %v370 = getelementptr i8, ptr %v39, i64 %v306
  %v371 = load i32, ptr %v370, align 1
  %v372 = insertelement <16 x i32> %v369, i32 %v371, i64 6
  %v373 = getelementptr i8, ptr %v39, i64 %v311
  %v374 = load i32, ptr %v373, align 1
  %v375 = insertelement <16 x i32> %v372, i32 %v374, i64 7
  %v376 = getelementptr i8, ptr %v39, i64 %v316
  %v377 = load i32, ptr %v376, align 1
  %v378 = insertelement <16 x i32> %v375, i32 %v377, i64 8
  %v379 = getelementptr i8, ptr %v39, i64 %v321
  %v380 = load i32, ptr %v379, align 1
  %v381 = insertelement <16 x i32> %v378, i32 %v380, i64 9
  %v382 = getelementptr i8, ptr %v39, i64 %v326
  %v383 = load i32, ptr %v382, align 1
  %v384 = insertelement <16 x i32> %v381, i32 %v383, i64 10
  %v385 = getelementptr i8, ptr %v39, i64 %v331
  %v386 = load i32, ptr %v385, align 1
  %v387 = insertelement <16 x i32> %v384, i32 %v386, i64 11
  %v388 = getelementptr i8, ptr %v39, i64 %v336
  %v389 = load i32, ptr %v388, align 1
  %v390 = insertelement <16 x i32> %v387, i32 %v389, i64 12
  %v391 = getelementptr i8, ptr %v39, i64 %v341
  %v392 = load i32, ptr %v391, align 1
  %v393 = insertelement <16 x i32> %v390, i32 %v392, i64 13
  %v394 = getelementptr i8, ptr %v39, i64 %v346
  %v395 = load i32, ptr %v394, align 1
  %v396 = insertelement <16 x i32> %v393, i32 %v395, i64 14
  %v397 = getelementptr i8, ptr %v39, i64 %v351
  %v398 = load i32, ptr %v397, align 1
  %v399 = insertelement <16 x i32> %v396, i32 %v398, i64 15
  %v400 = bitcast <16 x i32> %v399 to <16 x float>
  %v401 = bitcast <16 x float> %v400 to <16 x i32>
  %v402 = and i1 %v61, %v225
  br i1 %v402, label %then403, label %else405
then403:
  store <16 x i32> %v401, ptr %v250, align 64, !nontemporal !2
  br label %endif404
else405:
  store <16 x i32> %v401, ptr %v250, align 1
  br label %endif404
endif404:
  %v406 = xor i1 %v225, 1
  br i1 %v406, label %then407, label %endif408, !prof !1
then407:
  %v409 = mul i64 %i70, 4
  %v410 = getelementptr i8, ptr %v41, i64 %v409
  br i1 %v61, label %then411, label %else414, !prof !1
then411:
  %v413 = mul i64 %v251, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v410, ptr %buf27, i64 %v413, i1 0)
  br label %endif412
else414:
  %v415 = mul i64 %i70, 4
  %v416 = getelementptr i8, ptr %v41, i64 %v415
  %v417 = mul i64 %v251, 1
  %v418 = trunc i64 %v417 to i32
  %v419 = insertelement <16 x i32> poison, i32 %v418, i64 0
  %v420 = shufflevector <16 x i32> %v419, <16 x i32> poison, <16 x i32> zeroinitializer
  %v421 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v420
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v401, ptr align 1 %v416, <16 x i1> %v421)
  br label %endif412
endif412:
  br label %endif408
endif408:
  %v422 = add i64 %i70, 16
  %v423 = call i64 asm "", "=r,0"(i64 %v422)
  br label %head67
done69:
  %v424 = add i64 %i32, 1
  br label %head29
done31:
  br i1 %v28, label %then425, label %endif426
then425:
  fence seq_cst
  br label %endif426
endif426:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
