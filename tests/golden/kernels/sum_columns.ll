; cols sum float32 |32|load.float32[]0|float32:1 folded
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @cols(ptr %L, ptr %S, i64 %n, i64 %k, ptr %acc, i64 %lane, i64 %plane, i64 %phase, ptr %mean) #0 {
entry:
  %buf7 = alloca <32 x i32>, i64 1, align 64
  %buf8 = alloca <32 x i32>, i64 1, align 64
  %buf9 = alloca <32 x i32>, i64 1, align 64
  %buf10 = alloca <32 x i32>, i64 1, align 64
  %buf11 = alloca <32 x i32>, i64 1, align 64
  %buf12 = alloca <32 x i32>, i64 1, align 64
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v15 = and i64 %k, -8
  br label %head16
head16:
  %i19 = phi i64 [0, %entry], [%v227, %done23]
  %v20 = icmp slt i64 %i19, %v15
  br i1 %v20, label %body17, label %done18
body17:
  br label %head21
head21:
  %i24 = phi i64 [0, %body17], [%v226, %endif162]
  %v25 = icmp slt i64 %i24, 1
  br i1 %v25, label %body22, label %done23
body22:
  %v26 = add i64 %i19, %i24
  %v27 = and i64 %n, -32
  %v28 = add i64 %v26, 0
  %v29 = mul i64 %v28, %v6
  %v30 = getelementptr i8, ptr %v2, i64 %v29
  %v31 = add i64 %v26, 1
  %v32 = mul i64 %v31, %v6
  %v33 = getelementptr i8, ptr %v2, i64 %v32
  %v34 = add i64 %v26, 2
  %v35 = mul i64 %v34, %v6
  %v36 = getelementptr i8, ptr %v2, i64 %v35
  %v37 = add i64 %v26, 3
  %v38 = mul i64 %v37, %v6
  %v39 = getelementptr i8, ptr %v2, i64 %v38
  %v40 = add i64 %v26, 4
  %v41 = mul i64 %v40, %v6
  %v42 = getelementptr i8, ptr %v2, i64 %v41
  %v43 = add i64 %v26, 5
  %v44 = mul i64 %v43, %v6
  %v45 = getelementptr i8, ptr %v2, i64 %v44
  %v46 = add i64 %v26, 6
  %v47 = mul i64 %v46, %v6
  %v48 = getelementptr i8, ptr %v2, i64 %v47
  %v49 = add i64 %v26, 7
  %v50 = mul i64 %v49, %v6
  %v51 = getelementptr i8, ptr %v2, i64 %v50
  br label %head52
head52:
  %i55 = phi i64 [0, %body22], [%v159, %body53]
  %v56 = icmp slt i64 %i55, %v27
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = mul i64 %i55, 4
  %v58 = getelementptr i8, ptr %v30, i64 %v57
  %v59 = getelementptr i8, ptr %v58, i64 1024
  call void @llvm.prefetch.p0(ptr %v59, i32 0, i32 3, i32 1)
  %v60 = getelementptr i8, ptr %v58, i64 1088
  call void @llvm.prefetch.p0(ptr %v60, i32 0, i32 3, i32 1)
  %v61 = mul i64 %i55, 4
  %v62 = getelementptr i8, ptr %v33, i64 %v61
  %v63 = getelementptr i8, ptr %v62, i64 1024
  call void @llvm.prefetch.p0(ptr %v63, i32 0, i32 3, i32 1)
  %v64 = getelementptr i8, ptr %v62, i64 1088
  call void @llvm.prefetch.p0(ptr %v64, i32 0, i32 3, i32 1)
  %v65 = mul i64 %i55, 4
  %v66 = getelementptr i8, ptr %v36, i64 %v65
  %v67 = getelementptr i8, ptr %v66, i64 1024
  call void @llvm.prefetch.p0(ptr %v67, i32 0, i32 3, i32 1)
  %v68 = getelementptr i8, ptr %v66, i64 1088
  call void @llvm.prefetch.p0(ptr %v68, i32 0, i32 3, i32 1)
  %v69 = mul i64 %i55, 4
  %v70 = getelementptr i8, ptr %v39, i64 %v69
  %v71 = getelementptr i8, ptr %v70, i64 1024
  call void @llvm.prefetch.p0(ptr %v71, i32 0, i32 3, i32 1)
  %v72 = getelementptr i8, ptr %v70, i64 1088
  call void @llvm.prefetch.p0(ptr %v72, i32 0, i32 3, i32 1)
  %v73 = mul i64 %i55, 4
  %v74 = getelementptr i8, ptr %v42, i64 %v73
  %v75 = getelementptr i8, ptr %v74, i64 1024
  call void @llvm.prefetch.p0(ptr %v75, i32 0, i32 3, i32 1)
  %v76 = getelementptr i8, ptr %v74, i64 1088
  call void @llvm.prefetch.p0(ptr %v76, i32 0, i32 3, i32 1)
  %v77 = mul i64 %i55, 4
  %v78 = getelementptr i8, ptr %v45, i64 %v77
  %v79 = getelementptr i8, ptr %v78, i64 1024
  call void @llvm.prefetch.p0(ptr %v79, i32 0, i32 3, i32 1)
  %v80 = getelementptr i8, ptr %v78, i64 1088
  call void @llvm.prefetch.p0(ptr %v80, i32 0, i32 3, i32 1)
  %v81 = mul i64 %i55, 4
  %v82 = getelementptr i8, ptr %v48, i64 %v81
  %v83 = getelementptr i8, ptr %v82, i64 1024
  call void @llvm.prefetch.p0(ptr %v83, i32 0, i32 3, i32 1)
  %v84 = getelementptr i8, ptr %v82, i64 1088
  call void @llvm.prefetch.p0(ptr %v84, i32 0, i32 3, i32 1)
  %v85 = mul i64 %i55, 4
  %v86 = getelementptr i8, ptr %v51, i64 %v85
  %v87 = getelementptr i8, ptr %v86, i64 1024
  call void @llvm.prefetch.p0(ptr %v87, i32 0, i32 3, i32 1)
  %v88 = getelementptr i8, ptr %v86, i64 1088
  call void @llvm.prefetch.p0(ptr %v88, i32 0, i32 3, i32 1)
  %v89 = mul i64 %i55, 4
  %v90 = getelementptr i8, ptr %v30, i64 %v89
  %v91 = getelementptr i8, ptr %v90, i64 0
  %v92 = load <32 x i32>, ptr %v91, align 1
  %v93 = bitcast <32 x i32> %v92 to <32 x float>
  %v94 = mul i64 %i55, 4
  %v95 = getelementptr i8, ptr %v33, i64 %v94
  %v96 = getelementptr i8, ptr %v95, i64 0
  %v97 = load <32 x i32>, ptr %v96, align 1
  %v98 = bitcast <32 x i32> %v97 to <32 x float>
  %v99 = mul i64 %i55, 4
  %v100 = getelementptr i8, ptr %v36, i64 %v99
  %v101 = getelementptr i8, ptr %v100, i64 0
  %v102 = load <32 x i32>, ptr %v101, align 1
  %v103 = bitcast <32 x i32> %v102 to <32 x float>
  %v104 = mul i64 %i55, 4
  %v105 = getelementptr i8, ptr %v39, i64 %v104
  %v106 = getelementptr i8, ptr %v105, i64 0
  %v107 = load <32 x i32>, ptr %v106, align 1
  %v108 = bitcast <32 x i32> %v107 to <32 x float>
  %v109 = mul i64 %i55, 4
  %v110 = getelementptr i8, ptr %v42, i64 %v109
  %v111 = getelementptr i8, ptr %v110, i64 0
  %v112 = load <32 x i32>, ptr %v111, align 1
  %v113 = bitcast <32 x i32> %v112 to <32 x float>
  %v114 = mul i64 %i55, 4
  %v115 = getelementptr i8, ptr %v45, i64 %v114
  %v116 = getelementptr i8, ptr %v115, i64 0
  %v117 = load <32 x i32>, ptr %v116, align 1
  %v118 = bitcast <32 x i32> %v117 to <32 x float>
  %v119 = mul i64 %i55, 4
  %v120 = getelementptr i8, ptr %v48, i64 %v119
  %v121 = getelementptr i8, ptr %v120, i64 0
  %v122 = load <32 x i32>, ptr %v121, align 1
  %v123 = bitcast <32 x i32> %v122 to <32 x float>
  %v124 = mul i64 %i55, 4
  %v125 = getelementptr i8, ptr %v51, i64 %v124
  %v126 = getelementptr i8, ptr %v125, i64 0
  %v127 = load <32 x i32>, ptr %v126, align 1
  %v128 = bitcast <32 x i32> %v127 to <32 x float>
  %v129 = add i64 %phase, %v26
  %v130 = mul i64 0, %lane
  %v131 = mul i64 %plane, 0
  %v132 = add i64 %v130, %v131
  %v133 = getelementptr i8, ptr %acc, i64 %v132
  %v134 = mul i64 %i55, 4
  %v135 = getelementptr i8, ptr %v133, i64 %v134
  %v136 = load <32 x float>, ptr %v135, align 1
  %v137 = add i64 %v129, 0
  %v138 = fadd <32 x float> %v136, %v93
  %v139 = add i64 %v129, 1
  %v140 = fadd <32 x float> %v138, %v98
  %v141 = add i64 %v129, 2
  %v142 = fadd <32 x float> %v140, %v103
  %v143 = add i64 %v129, 3
  %v144 = fadd <32 x float> %v142, %v108
  %v145 = add i64 %v129, 4
  %v146 = fadd <32 x float> %v144, %v113
  %v147 = add i64 %v129, 5
  %v148 = fadd <32 x float> %v146, %v118
  %v149 = add i64 %v129, 6
  %v150 = fadd <32 x float> %v148, %v123
  %v151 = add i64 %v129, 7
  %v152 = fadd <32 x float> %v150, %v128
  %v153 = mul i64 0, %lane
  %v154 = mul i64 %plane, 0
  %v155 = add i64 %v153, %v154
  %v156 = getelementptr i8, ptr %acc, i64 %v155
  %v157 = mul i64 %i55, 4
  %v158 = getelementptr i8, ptr %v156, i64 %v157
  store <32 x float> %v152, ptr %v158, align 1
  %v159 = add i64 %i55, 32
  br label %head52
done54:
  %v160 = icmp slt i64 %v27, %n
  br i1 %v160, label %then161, label %endif162
then161:
  br label %head163
head163:
  %i166 = phi i64 [0, %then161], [%v225, %done174]
  %v167 = icmp slt i64 %i166, 8
  br i1 %v167, label %body164, label %done165
body164:
  %v168 = mul i64 %i166, 1
  %v169 = add i64 %v26, %v168
  %v170 = mul i64 %v169, %v6
  %v171 = getelementptr i8, ptr %v2, i64 %v170
  br label %head172
head172:
  %i175 = phi i64 [%v27, %body164], [%v224, %join208]
  %v176 = icmp slt i64 %i175, %n
  br i1 %v176, label %body173, label %done174
body173:
  %v177 = mul i64 %i175, 4
  %v178 = getelementptr i8, ptr %v171, i64 %v177
  %v179 = getelementptr i8, ptr %v178, i64 4096
  call void @llvm.prefetch.p0(ptr %v179, i32 0, i32 3, i32 1)
  %v180 = getelementptr i8, ptr %v178, i64 4160
  call void @llvm.prefetch.p0(ptr %v180, i32 0, i32 3, i32 1)
  %v181 = add i64 %i175, 32
  %v182 = icmp sle i64 %v181, %n
  br i1 %v182, label %side184, label %side185, !prof !0
side184:
  %v186 = mul i64 %i175, 4
  %v187 = getelementptr i8, ptr %v171, i64 %v186
  br label %join183
side185:
  %v188 = sub i64 %n, %i175
  %v189 = call i64 @llvm.smin.i64(i64 %v188, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v190 = mul i64 %v189, 4
  %v191 = sub i64 %v190, 0
  %v192 = getelementptr i8, ptr %buf7, i64 0
  %v193 = mul i64 %i175, 4
  %v194 = getelementptr i8, ptr %v171, i64 %v193
  call void @llvm.memcpy.p0.p0.i64(ptr %v192, ptr %v194, i64 %v191, i1 0)
  br label %join183
join183:
  %v195 = phi ptr [%v187, %side184], [%buf7, %side185]
  %v196 = phi i64 [32, %side184], [%v189, %side185]
  %v197 = getelementptr i8, ptr %v195, i64 0
  %v198 = load <32 x i32>, ptr %v197, align 1
  %v199 = bitcast <32 x i32> %v198 to <32 x float>
  %v200 = add i64 %phase, %v169
  %v201 = mul i64 0, %lane
  %v202 = mul i64 %plane, 0
  %v203 = add i64 %v201, %v202
  %v204 = getelementptr i8, ptr %acc, i64 %v203
  %v205 = mul i64 %i175, 4
  %v206 = getelementptr i8, ptr %v204, i64 %v205
  %v207 = load <32 x float>, ptr %v206, align 1
  br i1 %v182, label %join208, label %side209, !prof !0
side209:
  %v210 = trunc i64 %v196 to i32
  %v211 = insertelement <32 x i32> poison, i32 %v210, i64 0
  %v212 = shufflevector <32 x i32> %v211, <32 x i32> poison, <32 x i32> zeroinitializer
  %v213 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v212
  %v214 = select <32 x i1> %v213, <32 x float> %v199, <32 x float> splat (float 0x8000000000000000)
  br label %join208
join208:
  %v215 = phi <32 x float> [%v199, %join183], [%v214, %side209]
  %v216 = add i64 %v200, 0
  %v217 = fadd <32 x float> %v207, %v215
  %v218 = mul i64 0, %lane
  %v219 = mul i64 %plane, 0
  %v220 = add i64 %v218, %v219
  %v221 = getelementptr i8, ptr %acc, i64 %v220
  %v222 = mul i64 %i175, 4
  %v223 = getelementptr i8, ptr %v221, i64 %v222
  store <32 x float> %v217, ptr %v223, align 1
  %v224 = add i64 %i175, 32
  br label %head172
done174:
  %v225 = add i64 %i166, 1
  br label %head163
done165:
  br label %endif162
endif162:
  %v226 = add i64 %i24, 1
  br label %head21
done23:
  %v227 = add i64 %i19, 8
  br label %head16
done18:
  %v228 = and i64 %k, -4
  br label %head229
head229:
  %i232 = phi i64 [%v15, %done18], [%v384, %done236]
  %v233 = icmp slt i64 %i232, %v228
  br i1 %v233, label %body230, label %done231
body230:
  br label %head234
head234:
  %i237 = phi i64 [0, %body230], [%v383, %endif319]
  %v238 = icmp slt i64 %i237, 1
  br i1 %v238, label %body235, label %done236
body235:
  %v239 = add i64 %i232, %i237
  %v240 = and i64 %n, -32
  %v241 = add i64 %v239, 0
  %v242 = mul i64 %v241, %v6
  %v243 = getelementptr i8, ptr %v2, i64 %v242
  %v244 = add i64 %v239, 1
  %v245 = mul i64 %v244, %v6
  %v246 = getelementptr i8, ptr %v2, i64 %v245
  %v247 = add i64 %v239, 2
  %v248 = mul i64 %v247, %v6
  %v249 = getelementptr i8, ptr %v2, i64 %v248
  %v250 = add i64 %v239, 3
  %v251 = mul i64 %v250, %v6
  %v252 = getelementptr i8, ptr %v2, i64 %v251
  br label %head253
head253:
  %i256 = phi i64 [0, %body235], [%v316, %body254]
  %v257 = icmp slt i64 %i256, %v240
  br i1 %v257, label %body254, label %done255
body254:
  %v258 = mul i64 %i256, 4
  %v259 = getelementptr i8, ptr %v243, i64 %v258
  %v260 = getelementptr i8, ptr %v259, i64 1024
  call void @llvm.prefetch.p0(ptr %v260, i32 0, i32 3, i32 1)
  %v261 = getelementptr i8, ptr %v259, i64 1088
  call void @llvm.prefetch.p0(ptr %v261, i32 0, i32 3, i32 1)
  %v262 = mul i64 %i256, 4
  %v263 = getelementptr i8, ptr %v246, i64 %v262
  %v264 = getelementptr i8, ptr %v263, i64 1024
  call void @llvm.prefetch.p0(ptr %v264, i32 0, i32 3, i32 1)
  %v265 = getelementptr i8, ptr %v263, i64 1088
  call void @llvm.prefetch.p0(ptr %v265, i32 0, i32 3, i32 1)
  %v266 = mul i64 %i256, 4
  %v267 = getelementptr i8, ptr %v249, i64 %v266
  %v268 = getelementptr i8, ptr %v267, i64 1024
  call void @llvm.prefetch.p0(ptr %v268, i32 0, i32 3, i32 1)
  %v269 = getelementptr i8, ptr %v267, i64 1088
  call void @llvm.prefetch.p0(ptr %v269, i32 0, i32 3, i32 1)
  %v270 = mul i64 %i256, 4
  %v271 = getelementptr i8, ptr %v252, i64 %v270
  %v272 = getelementptr i8, ptr %v271, i64 1024
  call void @llvm.prefetch.p0(ptr %v272, i32 0, i32 3, i32 1)
  %v273 = getelementptr i8, ptr %v271, i64 1088
  call void @llvm.prefetch.p0(ptr %v273, i32 0, i32 3, i32 1)
  %v274 = mul i64 %i256, 4
  %v275 = getelementptr i8, ptr %v243, i64 %v274
  %v276 = getelementptr i8, ptr %v275, i64 0
  %v277 = load <32 x i32>, ptr %v276, align 1
  %v278 = bitcast <32 x i32> %v277 to <32 x float>
  %v279 = mul i64 %i256, 4
  %v280 = getelementptr i8, ptr %v246, i64 %v279
  %v281 = getelementptr i8, ptr %v280, i64 0
  %v282 = load <32 x i32>, ptr %v281, align 1
  %v283 = bitcast <32 x i32> %v282 to <32 x float>
  %v284 = mul i64 %i256, 4
  %v285 = getelementptr i8, ptr %v249, i64 %v284
  %v286 = getelementptr i8, ptr %v285, i64 0
  %v287 = load <32 x i32>, ptr %v286, align 1
  %v288 = bitcast <32 x i32> %v287 to <32 x float>
  %v289 = mul i64 %i256, 4
  %v290 = getelementptr i8, ptr %v252, i64 %v289
  %v291 = getelementptr i8, ptr %v290, i64 0
  %v292 = load <32 x i32>, ptr %v291, align 1
  %v293 = bitcast <32 x i32> %v292 to <32 x float>
  %v294 = add i64 %phase, %v239
  %v295 = mul i64 0, %lane
  %v296 = mul i64 %plane, 0
  %v297 = add i64 %v295, %v296
  %v298 = getelementptr i8, ptr %acc, i64 %v297
  %v299 = mul i64 %i256, 4
  %v300 = getelementptr i8, ptr %v298, i64 %v299
  %v301 = load <32 x float>, ptr %v300, align 1
  %v302 = add i64 %v294, 0
  %v303 = fadd <32 x float> %v301, %v278
  %v304 = add i64 %v294, 1
  %v305 = fadd <32 x float> %v303, %v283
  %v306 = add i64 %v294, 2
  %v307 = fadd <32 x float> %v305, %v288
  %v308 = add i64 %v294, 3
  %v309 = fadd <32 x float> %v307, %v293
  %v310 = mul i64 0, %lane
  %v311 = mul i64 %plane, 0
  %v312 = add i64 %v310, %v311
  %v313 = getelementptr i8, ptr %acc, i64 %v312
  %v314 = mul i64 %i256, 4
  %v315 = getelementptr i8, ptr %v313, i64 %v314
  store <32 x float> %v309, ptr %v315, align 1
  %v316 = add i64 %i256, 32
  br label %head253
done255:
  %v317 = icmp slt i64 %v240, %n
  br i1 %v317, label %then318, label %endif319
then318:
  br label %head320
head320:
  %i323 = phi i64 [0, %then318], [%v382, %done331]
  %v324 = icmp slt i64 %i323, 4
  br i1 %v324, label %body321, label %done322
body321:
  %v325 = mul i64 %i323, 1
  %v326 = add i64 %v239, %v325
  %v327 = mul i64 %v326, %v6
  %v328 = getelementptr i8, ptr %v2, i64 %v327
  br label %head329
head329:
  %i332 = phi i64 [%v240, %body321], [%v381, %join365]
  %v333 = icmp slt i64 %i332, %n
  br i1 %v333, label %body330, label %done331
body330:
  %v334 = mul i64 %i332, 4
  %v335 = getelementptr i8, ptr %v328, i64 %v334
  %v336 = getelementptr i8, ptr %v335, i64 4096
  call void @llvm.prefetch.p0(ptr %v336, i32 0, i32 3, i32 1)
  %v337 = getelementptr i8, ptr %v335, i64 4160
  call void @llvm.prefetch.p0(ptr %v337, i32 0, i32 3, i32 1)
  %v338 = add i64 %i332, 32
  %v339 = icmp sle i64 %v338, %n
  br i1 %v339, label %side341, label %side342, !prof !0
side341:
  %v343 = mul i64 %i332, 4
  %v344 = getelementptr i8, ptr %v328, i64 %v343
  br label %join340
side342:
  %v345 = sub i64 %n, %i332
  %v346 = call i64 @llvm.smin.i64(i64 %v345, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v347 = mul i64 %v346, 4
  %v348 = sub i64 %v347, 0
  %v349 = getelementptr i8, ptr %buf7, i64 0
  %v350 = mul i64 %i332, 4
  %v351 = getelementptr i8, ptr %v328, i64 %v350
  call void @llvm.memcpy.p0.p0.i64(ptr %v349, ptr %v351, i64 %v348, i1 0)
  br label %join340
join340:
  %v352 = phi ptr [%v344, %side341], [%buf7, %side342]
  %v353 = phi i64 [32, %side341], [%v346, %side342]
  %v354 = getelementptr i8, ptr %v352, i64 0
  %v355 = load <32 x i32>, ptr %v354, align 1
  %v356 = bitcast <32 x i32> %v355 to <32 x float>
  %v357 = add i64 %phase, %v326
  %v358 = mul i64 0, %lane
  %v359 = mul i64 %plane, 0
  %v360 = add i64 %v358, %v359
  %v361 = getelementptr i8, ptr %acc, i64 %v360
  %v362 = mul i64 %i332, 4
  %v363 = getelementptr i8, ptr %v361, i64 %v362
  %v364 = load <32 x float>, ptr %v363, align 1
  br i1 %v339, label %join365, label %side366, !prof !0
side366:
  %v367 = trunc i64 %v353 to i32
  %v368 = insertelement <32 x i32> poison, i32 %v367, i64 0
  %v369 = shufflevector <32 x i32> %v368, <32 x i32> poison, <32 x i32> zeroinitializer
  %v370 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v369
  %v371 = select <32 x i1> %v370, <32 x float> %v356, <32 x float> splat (float 0x8000000000000000)
  br label %join365
join365:
  %v372 = phi <32 x float> [%v356, %join340], [%v371, %side366]
  %v373 = add i64 %v357, 0
  %v374 = fadd <32 x float> %v364, %v372
  %v375 = mul i64 0, %lane
  %v376 = mul i64 %plane, 0
  %v377 = add i64 %v375, %v376
  %v378 = getelementptr i8, ptr %acc, i64 %v377
  %v379 = mul i64 %i332, 4
  %v380 = getelementptr i8, ptr %v378, i64 %v379
  store <32 x float> %v374, ptr %v380, align 1
  %v381 = add i64 %i332, 32
  br label %head329
done331:
  %v382 = add i64 %i323, 1
  br label %head320
done322:
  br label %endif319
endif319:
  %v383 = add i64 %i237, 1
  br label %head234
done236:
  %v384 = add i64 %i232, 4
  br label %head229
done231:
  br label %head385
head385:
  %i388 = phi i64 [%v228, %done231], [%v445, %done394]
  %v389 = icmp slt i64 %i388, %k
  br i1 %v389, label %body386, label %done387
body386:
  %v390 = mul i64 %i388, %v6
  %v391 = getelementptr i8, ptr %v2, i64 %v390
  br label %head392
head392:
  %i395 = phi i64 [0, %body386], [%v444, %join428]
  %v396 = icmp slt i64 %i395, %n
  br i1 %v396, label %body393, label %done394
body393:
  %v397 = mul i64 %i395, 4
  %v398 = getelementptr i8, ptr %v391, i64 %v397
  %v399 = getelementptr i8, ptr %v398, i64 4096
  call void @llvm.prefetch.p0(ptr %v399, i32 0, i32 3, i32 1)
  %v400 = getelementptr i8, ptr %v398, i64 4160
  call void @llvm.prefetch.p0(ptr %v400, i32 0, i32 3, i32 1)
  %v401 = add i64 %i395, 32
  %v402 = icmp sle i64 %v401, %n
  br i1 %v402, label %side404, label %side405, !prof !0
side404:
  %v406 = mul i64 %i395, 4
  %v407 = getelementptr i8, ptr %v391, i64 %v406
  br label %join403
side405:
  %v408 = sub i64 %n, %i395
  %v409 = call i64 @llvm.smin.i64(i64 %v408, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v410 = mul i64 %v409, 4
  %v411 = sub i64 %v410, 0
  %v412 = getelementptr i8, ptr %buf7, i64 0
  %v413 = mul i64 %i395, 4
  %v414 = getelementptr i8, ptr %v391, i64 %v413
  call void @llvm.memcpy.p0.p0.i64(ptr %v412, ptr %v414, i64 %v411, i1 0)
  br label %join403
join403:
  %v415 = phi ptr [%v407, %side404], [%buf7, %side405]
  %v416 = phi i64 [32, %side404], [%v409, %side405]
  %v417 = getelementptr i8, ptr %v415, i64 0
  %v418 = load <32 x i32>, ptr %v417, align 1
  %v419 = bitcast <32 x i32> %v418 to <32 x float>
  %v420 = add i64 %phase, %i388
  %v421 = mul i64 0, %lane
  %v422 = mul i64 %plane, 0
  %v423 = add i64 %v421, %v422
  %v424 = getelementptr i8, ptr %acc, i64 %v423
  %v425 = mul i64 %i395, 4
  %v426 = getelementptr i8, ptr %v424, i64 %v425
  %v427 = load <32 x float>, ptr %v426, align 1
  br i1 %v402, label %join428, label %side429, !prof !0
side429:
  %v430 = trunc i64 %v416 to i32
  %v431 = insertelement <32 x i32> poison, i32 %v430, i64 0
  %v432 = shufflevector <32 x i32> %v431, <32 x i32> poison, <32 x i32> zeroinitializer
  %v433 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v432
  %v434 = select <32 x i1> %v433, <32 x float> %v419, <32 x float> splat (float 0x8000000000000000)
  br label %join428
join428:
  %v435 = phi <32 x float> [%v419, %join403], [%v434, %side429]
  %v436 = add i64 %v420, 0
  %v437 = fadd <32 x float> %v427, %v435
  %v438 = mul i64 0, %lane
  %v439 = mul i64 %plane, 0
  %v440 = add i64 %v438, %v439
  %v441 = getelementptr i8, ptr %acc, i64 %v440
  %v442 = mul i64 %i395, 4
  %v443 = getelementptr i8, ptr %v441, i64 %v442
  store <32 x float> %v437, ptr %v443, align 1
  %v444 = add i64 %i395, 32
  br label %head392
done394:
  %v445 = add i64 %i388, 1
  br label %head385
done387:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
