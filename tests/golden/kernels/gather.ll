; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i32.p0(<16 x i32>, ptr, <16 x i1>)
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
  %i32 = phi i64 [0, %entry], [%v410, %done65]
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
  %v57 = and i64 %v56, -1
  %v58 = icmp eq i64 %v57, 0
  %v59 = and i1 %v28, %v58
  %v60 = select i1 %v59, i64 %v56, i64 0
  %v61 = lshr i64 %v60, 2
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 %n)
  br label %head63
head63:
  %i66 = phi i64 [0, %body30], [%v409, %endif400]
  %v67 = icmp slt i64 %i66, %n
  br i1 %v67, label %body64, label %done65
body64:
  %v68 = add i64 %i66, 80
  %v69 = icmp sle i64 %v68, %n
  br i1 %v69, label %then70, label %endif71
then70:
  %v72 = add i64 %i66, 64
  %v73 = mul i64 %v72, 4
  %v74 = getelementptr i8, ptr %v43, i64 %v73
  %v75 = getelementptr i8, ptr %v74, i64 0
  %v76 = load <1 x i32>, ptr %v75, align 1
  %v77 = sext <1 x i32> %v76 to <1 x i64>
  %v78 = mul <1 x i64> %v77, %v51
  %v79 = extractelement <1 x i64> %v78, i64 0
  %v80 = getelementptr i8, ptr %v39, i64 %v79
  call void @llvm.prefetch.p0(ptr %v80, i32 0, i32 2, i32 1)
  %v81 = add i64 %i66, 65
  %v82 = mul i64 %v81, 4
  %v83 = getelementptr i8, ptr %v43, i64 %v82
  %v84 = getelementptr i8, ptr %v83, i64 0
  %v85 = load <1 x i32>, ptr %v84, align 1
  %v86 = sext <1 x i32> %v85 to <1 x i64>
  %v87 = mul <1 x i64> %v86, %v51
  %v88 = extractelement <1 x i64> %v87, i64 0
  %v89 = getelementptr i8, ptr %v39, i64 %v88
  call void @llvm.prefetch.p0(ptr %v89, i32 0, i32 2, i32 1)
  %v90 = add i64 %i66, 66
  %v91 = mul i64 %v90, 4
  %v92 = getelementptr i8, ptr %v43, i64 %v91
  %v93 = getelementptr i8, ptr %v92, i64 0
  %v94 = load <1 x i32>, ptr %v93, align 1
  %v95 = sext <1 x i32> %v94 to <1 x i64>
  %v96 = mul <1 x i64> %v95, %v51
  %v97 = extractelement <1 x i64> %v96, i64 0
  %v98 = getelementptr i8, ptr %v39, i64 %v97
  call void @llvm.prefetch.p0(ptr %v98, i32 0, i32 2, i32 1)
  %v99 = add i64 %i66, 67
  %v100 = mul i64 %v99, 4
  %v101 = getelementptr i8, ptr %v43, i64 %v100
  %v102 = getelementptr i8, ptr %v101, i64 0
  %v103 = load <1 x i32>, ptr %v102, align 1
  %v104 = sext <1 x i32> %v103 to <1 x i64>
  %v105 = mul <1 x i64> %v104, %v51
  %v106 = extractelement <1 x i64> %v105, i64 0
  %v107 = getelementptr i8, ptr %v39, i64 %v106
  call void @llvm.prefetch.p0(ptr %v107, i32 0, i32 2, i32 1)
  %v108 = add i64 %i66, 68
  %v109 = mul i64 %v108, 4
  %v110 = getelementptr i8, ptr %v43, i64 %v109
  %v111 = getelementptr i8, ptr %v110, i64 0
  %v112 = load <1 x i32>, ptr %v111, align 1
  %v113 = sext <1 x i32> %v112 to <1 x i64>
  %v114 = mul <1 x i64> %v113, %v51
  %v115 = extractelement <1 x i64> %v114, i64 0
  %v116 = getelementptr i8, ptr %v39, i64 %v115
  call void @llvm.prefetch.p0(ptr %v116, i32 0, i32 2, i32 1)
  %v117 = add i64 %i66, 69
  %v118 = mul i64 %v117, 4
  %v119 = getelementptr i8, ptr %v43, i64 %v118
  %v120 = getelementptr i8, ptr %v119, i64 0
  %v121 = load <1 x i32>, ptr %v120, align 1
  %v122 = sext <1 x i32> %v121 to <1 x i64>
  %v123 = mul <1 x i64> %v122, %v51
  %v124 = extractelement <1 x i64> %v123, i64 0
  %v125 = getelementptr i8, ptr %v39, i64 %v124
  call void @llvm.prefetch.p0(ptr %v125, i32 0, i32 2, i32 1)
  %v126 = add i64 %i66, 70
  %v127 = mul i64 %v126, 4
  %v128 = getelementptr i8, ptr %v43, i64 %v127
  %v129 = getelementptr i8, ptr %v128, i64 0
  %v130 = load <1 x i32>, ptr %v129, align 1
  %v131 = sext <1 x i32> %v130 to <1 x i64>
  %v132 = mul <1 x i64> %v131, %v51
  %v133 = extractelement <1 x i64> %v132, i64 0
  %v134 = getelementptr i8, ptr %v39, i64 %v133
  call void @llvm.prefetch.p0(ptr %v134, i32 0, i32 2, i32 1)
  %v135 = add i64 %i66, 71
  %v136 = mul i64 %v135, 4
  %v137 = getelementptr i8, ptr %v43, i64 %v136
  %v138 = getelementptr i8, ptr %v137, i64 0
  %v139 = load <1 x i32>, ptr %v138, align 1
  %v140 = sext <1 x i32> %v139 to <1 x i64>
  %v141 = mul <1 x i64> %v140, %v51
  %v142 = extractelement <1 x i64> %v141, i64 0
  %v143 = getelementptr i8, ptr %v39, i64 %v142
  call void @llvm.prefetch.p0(ptr %v143, i32 0, i32 2, i32 1)
  %v144 = add i64 %i66, 72
  %v145 = mul i64 %v144, 4
  %v146 = getelementptr i8, ptr %v43, i64 %v145
  %v147 = getelementptr i8, ptr %v146, i64 0
  %v148 = load <1 x i32>, ptr %v147, align 1
  %v149 = sext <1 x i32> %v148 to <1 x i64>
  %v150 = mul <1 x i64> %v149, %v51
  %v151 = extractelement <1 x i64> %v150, i64 0
  %v152 = getelementptr i8, ptr %v39, i64 %v151
  call void @llvm.prefetch.p0(ptr %v152, i32 0, i32 2, i32 1)
  %v153 = add i64 %i66, 73
  %v154 = mul i64 %v153, 4
  %v155 = getelementptr i8, ptr %v43, i64 %v154
  %v156 = getelementptr i8, ptr %v155, i64 0
  %v157 = load <1 x i32>, ptr %v156, align 1
  %v158 = sext <1 x i32> %v157 to <1 x i64>
  %v159 = mul <1 x i64> %v158, %v51
  %v160 = extractelement <1 x i64> %v159, i64 0
  %v161 = getelementptr i8, ptr %v39, i64 %v160
  call void @llvm.prefetch.p0(ptr %v161, i32 0, i32 2, i32 1)
  %v162 = add i64 %i66, 74
  %v163 = mul i64 %v162, 4
  %v164 = getelementptr i8, ptr %v43, i64 %v163
  %v165 = getelementptr i8, ptr %v164, i64 0
  %v166 = load <1 x i32>, ptr %v165, align 1
  %v167 = sext <1 x i32> %v166 to <1 x i64>
  %v168 = mul <1 x i64> %v167, %v51
  %v169 = extractelement <1 x i64> %v168, i64 0
  %v170 = getelementptr i8, ptr %v39, i64 %v169
  call void @llvm.prefetch.p0(ptr %v170, i32 0, i32 2, i32 1)
  %v171 = add i64 %i66, 75
  %v172 = mul i64 %v171, 4
  %v173 = getelementptr i8, ptr %v43, i64 %v172
  %v174 = getelementptr i8, ptr %v173, i64 0
  %v175 = load <1 x i32>, ptr %v174, align 1
  %v176 = sext <1 x i32> %v175 to <1 x i64>
  %v177 = mul <1 x i64> %v176, %v51
  %v178 = extractelement <1 x i64> %v177, i64 0
  %v179 = getelementptr i8, ptr %v39, i64 %v178
  call void @llvm.prefetch.p0(ptr %v179, i32 0, i32 2, i32 1)
  %v180 = add i64 %i66, 76
  %v181 = mul i64 %v180, 4
  %v182 = getelementptr i8, ptr %v43, i64 %v181
  %v183 = getelementptr i8, ptr %v182, i64 0
  %v184 = load <1 x i32>, ptr %v183, align 1
  %v185 = sext <1 x i32> %v184 to <1 x i64>
  %v186 = mul <1 x i64> %v185, %v51
  %v187 = extractelement <1 x i64> %v186, i64 0
  %v188 = getelementptr i8, ptr %v39, i64 %v187
  call void @llvm.prefetch.p0(ptr %v188, i32 0, i32 2, i32 1)
  %v189 = add i64 %i66, 77
  %v190 = mul i64 %v189, 4
  %v191 = getelementptr i8, ptr %v43, i64 %v190
  %v192 = getelementptr i8, ptr %v191, i64 0
  %v193 = load <1 x i32>, ptr %v192, align 1
  %v194 = sext <1 x i32> %v193 to <1 x i64>
  %v195 = mul <1 x i64> %v194, %v51
  %v196 = extractelement <1 x i64> %v195, i64 0
  %v197 = getelementptr i8, ptr %v39, i64 %v196
  call void @llvm.prefetch.p0(ptr %v197, i32 0, i32 2, i32 1)
  %v198 = add i64 %i66, 78
  %v199 = mul i64 %v198, 4
  %v200 = getelementptr i8, ptr %v43, i64 %v199
  %v201 = getelementptr i8, ptr %v200, i64 0
  %v202 = load <1 x i32>, ptr %v201, align 1
  %v203 = sext <1 x i32> %v202 to <1 x i64>
  %v204 = mul <1 x i64> %v203, %v51
  %v205 = extractelement <1 x i64> %v204, i64 0
  %v206 = getelementptr i8, ptr %v39, i64 %v205
  call void @llvm.prefetch.p0(ptr %v206, i32 0, i32 2, i32 1)
  %v207 = add i64 %i66, 79
  %v208 = mul i64 %v207, 4
  %v209 = getelementptr i8, ptr %v43, i64 %v208
  %v210 = getelementptr i8, ptr %v209, i64 0
  %v211 = load <1 x i32>, ptr %v210, align 1
  %v212 = sext <1 x i32> %v211 to <1 x i64>
  %v213 = mul <1 x i64> %v212, %v51
  %v214 = extractelement <1 x i64> %v213, i64 0
  %v215 = getelementptr i8, ptr %v39, i64 %v214
  call void @llvm.prefetch.p0(ptr %v215, i32 0, i32 2, i32 1)
  br label %endif71
endif71:
  %v216 = add i64 %i66, 16
  %v217 = icmp sle i64 %v216, %n
  br i1 %v217, label %side219, label %side220, !prof !0
side219:
  %v221 = mul i64 %i66, 4
  %v222 = getelementptr i8, ptr %v35, i64 %v221
  %v223 = mul i64 %i66, 4
  %v224 = getelementptr i8, ptr %v41, i64 %v223
  br label %join218
side220:
  %v225 = sub i64 %n, %i66
  %v226 = call i64 @llvm.smin.i64(i64 %v225, i64 16)
  %v227 = mul i64 %i66, 4
  %v228 = getelementptr i8, ptr %v35, i64 %v227
  %v229 = load i32, ptr %v228, align 1
  %v230 = insertelement <16 x i32> poison, i32 %v229, i64 0
  %v231 = shufflevector <16 x i32> %v230, <16 x i32> poison, <16 x i32> zeroinitializer
  %v232 = mul i64 %v226, 1
  %v233 = trunc i64 %v232 to i32
  %v234 = insertelement <16 x i32> poison, i32 %v233, i64 0
  %v235 = shufflevector <16 x i32> %v234, <16 x i32> poison, <16 x i32> zeroinitializer
  %v236 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v235
  %v237 = mul i64 %i66, 4
  %v238 = getelementptr i8, ptr %v35, i64 %v237
  %v239 = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 1 %v238, <16 x i1> %v236, <16 x i32> zeroinitializer)
  %v240 = select <16 x i1> %v236, <16 x i32> %v239, <16 x i32> %v231
  store <16 x i32> %v240, ptr %buf26, align 64
  br label %join218
join218:
  %v241 = phi ptr [%v222, %side219], [%buf26, %side220]
  %v242 = phi ptr [%v224, %side219], [%buf27, %side220]
  %v243 = phi i64 [16, %side219], [%v226, %side220]
  %v244 = getelementptr i8, ptr %v241, i64 0
  %v245 = load <16 x i32>, ptr %v244, align 1
  %v246 = sext <16 x i32> %v245 to <16 x i64>
  %v247 = mul <16 x i64> %v246, %v53
  %v248 = getelementptr i8, ptr %v241, i64 0
  %v249 = getelementptr i8, ptr %v241, i64 4
  %v250 = getelementptr i8, ptr %v241, i64 8
  %v251 = getelementptr i8, ptr %v241, i64 12
  %v252 = getelementptr i8, ptr %v241, i64 16
  %v253 = getelementptr i8, ptr %v241, i64 20
  %v254 = getelementptr i8, ptr %v241, i64 24
  %v255 = getelementptr i8, ptr %v241, i64 28
  %v256 = getelementptr i8, ptr %v241, i64 32
  %v257 = getelementptr i8, ptr %v241, i64 36
  %v258 = getelementptr i8, ptr %v241, i64 40
  %v259 = getelementptr i8, ptr %v241, i64 44
  %v260 = getelementptr i8, ptr %v241, i64 48
  %v261 = getelementptr i8, ptr %v241, i64 52
  %v262 = getelementptr i8, ptr %v241, i64 56
  %v263 = getelementptr i8, ptr %v241, i64 60
  %v264 = getelementptr i8, ptr %v248, i64 0
  %v265 = load <1 x i32>, ptr %v264, align 1
  %v266 = sext <1 x i32> %v265 to <1 x i64>
  %v267 = mul <1 x i64> %v266, %v51
  %v268 = extractelement <1 x i64> %v267, i64 0
  %v269 = getelementptr i8, ptr %v249, i64 0
  %v270 = load <1 x i32>, ptr %v269, align 1
  %v271 = sext <1 x i32> %v270 to <1 x i64>
  %v272 = mul <1 x i64> %v271, %v51
  %v273 = extractelement <1 x i64> %v272, i64 0
  %v274 = getelementptr i8, ptr %v250, i64 0
  %v275 = load <1 x i32>, ptr %v274, align 1
  %v276 = sext <1 x i32> %v275 to <1 x i64>
  %v277 = mul <1 x i64> %v276, %v51
  %v278 = extractelement <1 x i64> %v277, i64 0
  %v279 = getelementptr i8, ptr %v251, i64 0
  %v280 = load <1 x i32>, ptr %v279, align 1
  %v281 = sext <1 x i32> %v280 to <1 x i64>
  %v282 = mul <1 x i64> %v281, %v51
  %v283 = extractelement <1 x i64> %v282, i64 0
  %v284 = getelementptr i8, ptr %v252, i64 0
  %v285 = load <1 x i32>, ptr %v284, align 1
  %v286 = sext <1 x i32> %v285 to <1 x i64>
  %v287 = mul <1 x i64> %v286, %v51
  %v288 = extractelement <1 x i64> %v287, i64 0
  %v289 = getelementptr i8, ptr %v253, i64 0
  %v290 = load <1 x i32>, ptr %v289, align 1
  %v291 = sext <1 x i32> %v290 to <1 x i64>
  %v292 = mul <1 x i64> %v291, %v51
  %v293 = extractelement <1 x i64> %v292, i64 0
  %v294 = getelementptr i8, ptr %v254, i64 0
  %v295 = load <1 x i32>, ptr %v294, align 1
  %v296 = sext <1 x i32> %v295 to <1 x i64>
  %v297 = mul <1 x i64> %v296, %v51
  %v298 = extractelement <1 x i64> %v297, i64 0
  %v299 = getelementptr i8, ptr %v255, i64 0
  %v300 = load <1 x i32>, ptr %v299, align 1
  %v301 = sext <1 x i32> %v300 to <1 x i64>
  %v302 = mul <1 x i64> %v301, %v51
  %v303 = extractelement <1 x i64> %v302, i64 0
  %v304 = getelementptr i8, ptr %v256, i64 0
  %v305 = load <1 x i32>, ptr %v304, align 1
  %v306 = sext <1 x i32> %v305 to <1 x i64>
  %v307 = mul <1 x i64> %v306, %v51
  %v308 = extractelement <1 x i64> %v307, i64 0
  %v309 = getelementptr i8, ptr %v257, i64 0
  %v310 = load <1 x i32>, ptr %v309, align 1
  %v311 = sext <1 x i32> %v310 to <1 x i64>
  %v312 = mul <1 x i64> %v311, %v51
  %v313 = extractelement <1 x i64> %v312, i64 0
  %v314 = getelementptr i8, ptr %v258, i64 0
  %v315 = load <1 x i32>, ptr %v314, align 1
  %v316 = sext <1 x i32> %v315 to <1 x i64>
  %v317 = mul <1 x i64> %v316, %v51
  %v318 = extractelement <1 x i64> %v317, i64 0
  %v319 = getelementptr i8, ptr %v259, i64 0
  %v320 = load <1 x i32>, ptr %v319, align 1
  %v321 = sext <1 x i32> %v320 to <1 x i64>
  %v322 = mul <1 x i64> %v321, %v51
  %v323 = extractelement <1 x i64> %v322, i64 0
  %v324 = getelementptr i8, ptr %v260, i64 0
  %v325 = load <1 x i32>, ptr %v324, align 1
  %v326 = sext <1 x i32> %v325 to <1 x i64>
  %v327 = mul <1 x i64> %v326, %v51
  %v328 = extractelement <1 x i64> %v327, i64 0
  %v329 = getelementptr i8, ptr %v261, i64 0
  %v330 = load <1 x i32>, ptr %v329, align 1
  %v331 = sext <1 x i32> %v330 to <1 x i64>
  %v332 = mul <1 x i64> %v331, %v51
  %v333 = extractelement <1 x i64> %v332, i64 0
  %v334 = getelementptr i8, ptr %v262, i64 0
  %v335 = load <1 x i32>, ptr %v334, align 1
  %v336 = sext <1 x i32> %v335 to <1 x i64>
  %v337 = mul <1 x i64> %v336, %v51
  %v338 = extractelement <1 x i64> %v337, i64 0
  %v339 = getelementptr i8, ptr %v263, i64 0
  %v340 = load <1 x i32>, ptr %v339, align 1
  %v341 = sext <1 x i32> %v340 to <1 x i64>
  %v342 = mul <1 x i64> %v341, %v51
  %v343 = extractelement <1 x i64> %v342, i64 0
  %v344 = getelementptr i8, ptr %v39, i64 %v268
  %v345 = load i32, ptr %v344, align 1
  %v346 = insertelement <16 x i32> splat (i32 0), i32 %v345, i64 0
  %v347 = getelementptr i8, ptr %v39, i64 %v273
  %v348 = load i32, ptr %v347, align 1
  %v349 = insertelement <16 x i32> %v346, i32 %v348, i64 1
  %v350 = getelementptr i8, ptr %v39, i64 %v278
  %v351 = load i32, ptr %v350, align 1
  %v352 = insertelement <16 x i32> %v349, i32 %v351, i64 2
  %v353 = getelementptr i8, ptr %v39, i64 %v283
  %v354 = load i32, ptr %v353, align 1
  %v355 = insertelement <16 x i32> %v352, i32 %v354, i64 3
  %v356 = getelementptr i8, ptr %v39, i64 %v288
  %v357 = load i32, ptr %v356, align 1
  %v358 = insertelement <16 x i32> %v355, i32 %v357, i64 4
  %v359 = getelementptr i8, ptr %v39, i64 %v293
  %v360 = load i32, ptr %v359, align 1
  %v361 = insertelement <16 x i32> %v358, i32 %v360, i64 5
  %v362 = getelementptr i8, ptr %v39, i64 %v298
  %v363 = load i32, ptr %v362, align 1
  %v364 = insertelement <16 x i32> %v361, i32 %v363, i64 6
  %v365 = getelementptr i8, ptr %v39, i64 %v303
  %v366 = load i32, ptr %v365, align 1
  %v367 = insertelement <16 x i32> %v364, i32 %v366, i64 7
  %v368 = getelementptr i8, ptr %v39, i64 %v308
  %v369 = load i32, ptr %v368, align 1
  %v370 = insertelement <16 x i32> %v367, i32 %v369, i64 8
  %v371 = getelementptr i8, ptr %v39, i64 %v313
  %v372 = load i32, ptr %v371, align 1
  %v373 = insertelement <16 x i32> %v370, i32 %v372, i64 9
  %v374 = getelementptr i8, ptr %v39, i64 %v318
  %v375 = load i32, ptr %v374, align 1
  %v376 = insertelement <16 x i32> %v373, i32 %v375, i64 10
  %v377 = getelementptr i8, ptr %v39, i64 %v323
  %v378 = load i32, ptr %v377, align 1
  %v379 = insertelement <16 x i32> %v376, i32 %v378, i64 11
  %v380 = getelementptr i8, ptr %v39, i64 %v328
  %v381 = load i32, ptr %v380, align 1
  %v382 = insertelement <16 x i32> %v379, i32 %v381, i64 12
  %v383 = getelementptr i8, ptr %v39, i64 %v333
  %v384 = load i32, ptr %v383, align 1
  %v385 = insertelement <16 x i32> %v382, i32 %v384, i64 13
  %v386 = getelementptr i8, ptr %v39, i64 %v338
  %v387 = load i32, ptr %v386, align 1
  %v388 = insertelement <16 x i32> %v385, i32 %v387, i64 14
  %v389 = getelementptr i8, ptr %v39, i64 %v343
  %v390 = load i32, ptr %v389, align 1
  %v391 = insertelement <16 x i32> %v388, i32 %v390, i64 15
  %v392 = bitcast <16 x i32> %v391 to <16 x float>
  %v393 = bitcast <16 x float> %v392 to <16 x i32>
  %v394 = and i1 %v59, %v217
  br i1 %v394, label %then395, label %else397
then395:
  store <16 x i32> %v393, ptr %v242, align 64, !nontemporal !2
  br label %endif396
else397:
  store <16 x i32> %v393, ptr %v242, align 1
  br label %endif396
endif396:
  %v398 = xor i1 %v217, 1
  br i1 %v398, label %then399, label %endif400, !prof !1
then399:
  %v401 = mul i64 %i66, 4
  %v402 = getelementptr i8, ptr %v41, i64 %v401
  %v403 = mul i64 %v243, 1
  %v404 = trunc i64 %v403 to i32
  %v405 = insertelement <16 x i32> poison, i32 %v404, i64 0
  %v406 = shufflevector <16 x i32> %v405, <16 x i32> poison, <16 x i32> zeroinitializer
  %v407 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v406
  call void @llvm.masked.store.v16i32.p0(<16 x i32> %v393, ptr align 1 %v402, <16 x i1> %v407)
  br label %endif400
endif400:
  %v408 = add i64 %i66, 16
  %v409 = call i64 asm "", "=r,0"(i64 %v408)
  br label %head63
done65:
  %v410 = add i64 %i32, 1
  br label %head29
done31:
  br i1 %v28, label %then411, label %endif412
then411:
  fence seq_cst
  br label %endif412
endif412:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
