; cols sum float32 folded|32|load.float32[]0|float32:1
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
  %i19 = phi i64 [0, %entry], [%v236, %done23]
  %v20 = icmp slt i64 %i19, %v15
  br i1 %v20, label %body17, label %done18
body17:
  br label %head21
head21:
  %i24 = phi i64 [0, %body17], [%v235, %endif162]
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
  %i166 = phi i64 [0, %then161], [%v234, %done174]
  %v167 = icmp slt i64 %i166, 8
  br i1 %v167, label %body164, label %done165
body164:
  %v168 = mul i64 %i166, 1
  %v169 = add i64 %v26, %v168
  %v170 = mul i64 %v169, %v6
  %v171 = getelementptr i8, ptr %v2, i64 %v170
  br label %head172
head172:
  %i175 = phi i64 [%v27, %body164], [%v233, %join213]
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
  br i1 %v182, label %whole183, label %part184, !prof !0
whole183:
  %v186 = mul i64 %i175, 4
  %v187 = getelementptr i8, ptr %v171, i64 %v186
  br label %body185
part184:
  %v188 = sub i64 %n, %i175
  %v189 = call i64 @llvm.smin.i64(i64 %v188, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v190 = add i64 %i175, 0
  %v191 = sub i64 %v189, 0
  %v192 = mul i64 %v191, 4
  %v193 = sub i64 %v192, 0
  %v194 = mul i64 0, 4
  %v195 = getelementptr i8, ptr %buf7, i64 %v194
  %v196 = mul i64 %v190, 4
  %v197 = getelementptr i8, ptr %v171, i64 %v196
  call void @llvm.memcpy.p0.p0.i64(ptr %v195, ptr %v197, i64 %v193, i1 false)
  br label %body185
body185:
  %v198 = phi ptr [%v187, %whole183], [%buf7, %part184]
  %v199 = phi i64 [0, %whole183], [0, %part184]
  %v200 = phi i64 [32, %whole183], [%v189, %part184]
  %v201 = getelementptr i8, ptr %v198, i64 0
  %v202 = load <32 x i32>, ptr %v201, align 1
  %v203 = bitcast <32 x i32> %v202 to <32 x float>
  %v204 = add i64 %phase, %v169
  %v205 = mul i64 0, %lane
  %v206 = mul i64 %plane, 0
  %v207 = add i64 %v205, %v206
  %v208 = getelementptr i8, ptr %acc, i64 %v207
  %v209 = mul i64 %i175, 4
  %v210 = getelementptr i8, ptr %v208, i64 %v209
  %v211 = load <32 x float>, ptr %v210, align 1
  br i1 %v182, label %join213, label %part212, !prof !0
part212:
  %v214 = trunc i64 %v199 to i32
  %v215 = insertelement <32 x i32> poison, i32 %v214, i64 0
  %v216 = shufflevector <32 x i32> %v215, <32 x i32> poison, <32 x i32> zeroinitializer
  %v217 = trunc i64 %v200 to i32
  %v218 = insertelement <32 x i32> poison, i32 %v217, i64 0
  %v219 = shufflevector <32 x i32> %v218, <32 x i32> poison, <32 x i32> zeroinitializer
  %v220 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v216
  %v221 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v219
  %v222 = and <32 x i1> %v220, %v221
  %v223 = select <32 x i1> %v222, <32 x float> %v203, <32 x float> splat (float 0x8000000000000000)
  br label %join213
join213:
  %v224 = phi <32 x float> [%v203, %body185], [%v223, %part212]
  %v225 = add i64 %v204, 0
  %v226 = fadd <32 x float> %v211, %v224
  %v227 = mul i64 0, %lane
  %v228 = mul i64 %plane, 0
  %v229 = add i64 %v227, %v228
  %v230 = getelementptr i8, ptr %acc, i64 %v229
  %v231 = mul i64 %i175, 4
  %v232 = getelementptr i8, ptr %v230, i64 %v231
  store <32 x float> %v226, ptr %v232, align 1
  %v233 = add i64 %i175, 32
  br label %head172
done174:
  %v234 = add i64 %i166, 1
  br label %head163
done165:
  br label %endif162
endif162:
  %v235 = add i64 %i24, 1
  br label %head21
done23:
  %v236 = add i64 %i19, 8
  br label %head16
done18:
  %v237 = and i64 %k, -2
  br label %head238
head238:
  %i241 = phi i64 [%v15, %done18], [%v374, %done245]
  %v242 = icmp slt i64 %i241, %v237
  br i1 %v242, label %body239, label %done240
body239:
  br label %head243
head243:
  %i246 = phi i64 [0, %body239], [%v373, %endif300]
  %v247 = icmp slt i64 %i246, 1
  br i1 %v247, label %body244, label %done245
body244:
  %v248 = add i64 %i241, %i246
  %v249 = and i64 %n, -32
  %v250 = add i64 %v248, 0
  %v251 = mul i64 %v250, %v6
  %v252 = getelementptr i8, ptr %v2, i64 %v251
  %v253 = add i64 %v248, 1
  %v254 = mul i64 %v253, %v6
  %v255 = getelementptr i8, ptr %v2, i64 %v254
  br label %head256
head256:
  %i259 = phi i64 [0, %body244], [%v297, %body257]
  %v260 = icmp slt i64 %i259, %v249
  br i1 %v260, label %body257, label %done258
body257:
  %v261 = mul i64 %i259, 4
  %v262 = getelementptr i8, ptr %v252, i64 %v261
  %v263 = getelementptr i8, ptr %v262, i64 1024
  call void @llvm.prefetch.p0(ptr %v263, i32 0, i32 3, i32 1)
  %v264 = getelementptr i8, ptr %v262, i64 1088
  call void @llvm.prefetch.p0(ptr %v264, i32 0, i32 3, i32 1)
  %v265 = mul i64 %i259, 4
  %v266 = getelementptr i8, ptr %v255, i64 %v265
  %v267 = getelementptr i8, ptr %v266, i64 1024
  call void @llvm.prefetch.p0(ptr %v267, i32 0, i32 3, i32 1)
  %v268 = getelementptr i8, ptr %v266, i64 1088
  call void @llvm.prefetch.p0(ptr %v268, i32 0, i32 3, i32 1)
  %v269 = mul i64 %i259, 4
  %v270 = getelementptr i8, ptr %v252, i64 %v269
  %v271 = getelementptr i8, ptr %v270, i64 0
  %v272 = load <32 x i32>, ptr %v271, align 1
  %v273 = bitcast <32 x i32> %v272 to <32 x float>
  %v274 = mul i64 %i259, 4
  %v275 = getelementptr i8, ptr %v255, i64 %v274
  %v276 = getelementptr i8, ptr %v275, i64 0
  %v277 = load <32 x i32>, ptr %v276, align 1
  %v278 = bitcast <32 x i32> %v277 to <32 x float>
  %v279 = add i64 %phase, %v248
  %v280 = mul i64 0, %lane
  %v281 = mul i64 %plane, 0
  %v282 = add i64 %v280, %v281
  %v283 = getelementptr i8, ptr %acc, i64 %v282
  %v284 = mul i64 %i259, 4
  %v285 = getelementptr i8, ptr %v283, i64 %v284
  %v286 = load <32 x float>, ptr %v285, align 1
  %v287 = add i64 %v279, 0
  %v288 = fadd <32 x float> %v286, %v273
  %v289 = add i64 %v279, 1
  %v290 = fadd <32 x float> %v288, %v278
  %v291 = mul i64 0, %lane
  %v292 = mul i64 %plane, 0
  %v293 = add i64 %v291, %v292
  %v294 = getelementptr i8, ptr %acc, i64 %v293
  %v295 = mul i64 %i259, 4
  %v296 = getelementptr i8, ptr %v294, i64 %v295
  store <32 x float> %v290, ptr %v296, align 1
  %v297 = add i64 %i259, 32
  br label %head256
done258:
  %v298 = icmp slt i64 %v249, %n
  br i1 %v298, label %then299, label %endif300
then299:
  br label %head301
head301:
  %i304 = phi i64 [0, %then299], [%v372, %done312]
  %v305 = icmp slt i64 %i304, 2
  br i1 %v305, label %body302, label %done303
body302:
  %v306 = mul i64 %i304, 1
  %v307 = add i64 %v248, %v306
  %v308 = mul i64 %v307, %v6
  %v309 = getelementptr i8, ptr %v2, i64 %v308
  br label %head310
head310:
  %i313 = phi i64 [%v249, %body302], [%v371, %join351]
  %v314 = icmp slt i64 %i313, %n
  br i1 %v314, label %body311, label %done312
body311:
  %v315 = mul i64 %i313, 4
  %v316 = getelementptr i8, ptr %v309, i64 %v315
  %v317 = getelementptr i8, ptr %v316, i64 4096
  call void @llvm.prefetch.p0(ptr %v317, i32 0, i32 3, i32 1)
  %v318 = getelementptr i8, ptr %v316, i64 4160
  call void @llvm.prefetch.p0(ptr %v318, i32 0, i32 3, i32 1)
  %v319 = add i64 %i313, 32
  %v320 = icmp sle i64 %v319, %n
  br i1 %v320, label %whole321, label %part322, !prof !0
whole321:
  %v324 = mul i64 %i313, 4
  %v325 = getelementptr i8, ptr %v309, i64 %v324
  br label %body323
part322:
  %v326 = sub i64 %n, %i313
  %v327 = call i64 @llvm.smin.i64(i64 %v326, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v328 = add i64 %i313, 0
  %v329 = sub i64 %v327, 0
  %v330 = mul i64 %v329, 4
  %v331 = sub i64 %v330, 0
  %v332 = mul i64 0, 4
  %v333 = getelementptr i8, ptr %buf7, i64 %v332
  %v334 = mul i64 %v328, 4
  %v335 = getelementptr i8, ptr %v309, i64 %v334
  call void @llvm.memcpy.p0.p0.i64(ptr %v333, ptr %v335, i64 %v331, i1 false)
  br label %body323
body323:
  %v336 = phi ptr [%v325, %whole321], [%buf7, %part322]
  %v337 = phi i64 [0, %whole321], [0, %part322]
  %v338 = phi i64 [32, %whole321], [%v327, %part322]
  %v339 = getelementptr i8, ptr %v336, i64 0
  %v340 = load <32 x i32>, ptr %v339, align 1
  %v341 = bitcast <32 x i32> %v340 to <32 x float>
  %v342 = add i64 %phase, %v307
  %v343 = mul i64 0, %lane
  %v344 = mul i64 %plane, 0
  %v345 = add i64 %v343, %v344
  %v346 = getelementptr i8, ptr %acc, i64 %v345
  %v347 = mul i64 %i313, 4
  %v348 = getelementptr i8, ptr %v346, i64 %v347
  %v349 = load <32 x float>, ptr %v348, align 1
  br i1 %v320, label %join351, label %part350, !prof !0
part350:
  %v352 = trunc i64 %v337 to i32
  %v353 = insertelement <32 x i32> poison, i32 %v352, i64 0
  %v354 = shufflevector <32 x i32> %v353, <32 x i32> poison, <32 x i32> zeroinitializer
  %v355 = trunc i64 %v338 to i32
  %v356 = insertelement <32 x i32> poison, i32 %v355, i64 0
  %v357 = shufflevector <32 x i32> %v356, <32 x i32> poison, <32 x i32> zeroinitializer
  %v358 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v354
  %v359 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v357
  %v360 = and <32 x i1> %v358, %v359
  %v361 = select <32 x i1> %v360, <32 x float> %v341, <32 x float> splat (float 0x8000000000000000)
  br label %join351
join351:
  %v362 = phi <32 x float> [%v341, %body323], [%v361, %part350]
  %v363 = add i64 %v342, 0
  %v364 = fadd <32 x float> %v349, %v362
  %v365 = mul i64 0, %lane
  %v366 = mul i64 %plane, 0
  %v367 = add i64 %v365, %v366
  %v368 = getelementptr i8, ptr %acc, i64 %v367
  %v369 = mul i64 %i313, 4
  %v370 = getelementptr i8, ptr %v368, i64 %v369
  store <32 x float> %v364, ptr %v370, align 1
  %v371 = add i64 %i313, 32
  br label %head310
done312:
  %v372 = add i64 %i304, 1
  br label %head301
done303:
  br label %endif300
endif300:
  %v373 = add i64 %i246, 1
  br label %head243
done245:
  %v374 = add i64 %i241, 2
  br label %head238
done240:
  br label %head375
head375:
  %i378 = phi i64 [%v237, %done240], [%v444, %done384]
  %v379 = icmp slt i64 %i378, %k
  br i1 %v379, label %body376, label %done377
body376:
  %v380 = mul i64 %i378, %v6
  %v381 = getelementptr i8, ptr %v2, i64 %v380
  br label %head382
head382:
  %i385 = phi i64 [0, %body376], [%v443, %join423]
  %v386 = icmp slt i64 %i385, %n
  br i1 %v386, label %body383, label %done384
body383:
  %v387 = mul i64 %i385, 4
  %v388 = getelementptr i8, ptr %v381, i64 %v387
  %v389 = getelementptr i8, ptr %v388, i64 4096
  call void @llvm.prefetch.p0(ptr %v389, i32 0, i32 3, i32 1)
  %v390 = getelementptr i8, ptr %v388, i64 4160
  call void @llvm.prefetch.p0(ptr %v390, i32 0, i32 3, i32 1)
  %v391 = add i64 %i385, 32
  %v392 = icmp sle i64 %v391, %n
  br i1 %v392, label %whole393, label %part394, !prof !0
whole393:
  %v396 = mul i64 %i385, 4
  %v397 = getelementptr i8, ptr %v381, i64 %v396
  br label %body395
part394:
  %v398 = sub i64 %n, %i385
  %v399 = call i64 @llvm.smin.i64(i64 %v398, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v400 = add i64 %i385, 0
  %v401 = sub i64 %v399, 0
  %v402 = mul i64 %v401, 4
  %v403 = sub i64 %v402, 0
  %v404 = mul i64 0, 4
  %v405 = getelementptr i8, ptr %buf7, i64 %v404
  %v406 = mul i64 %v400, 4
  %v407 = getelementptr i8, ptr %v381, i64 %v406
  call void @llvm.memcpy.p0.p0.i64(ptr %v405, ptr %v407, i64 %v403, i1 false)
  br label %body395
body395:
  %v408 = phi ptr [%v397, %whole393], [%buf7, %part394]
  %v409 = phi i64 [0, %whole393], [0, %part394]
  %v410 = phi i64 [32, %whole393], [%v399, %part394]
  %v411 = getelementptr i8, ptr %v408, i64 0
  %v412 = load <32 x i32>, ptr %v411, align 1
  %v413 = bitcast <32 x i32> %v412 to <32 x float>
  %v414 = add i64 %phase, %i378
  %v415 = mul i64 0, %lane
  %v416 = mul i64 %plane, 0
  %v417 = add i64 %v415, %v416
  %v418 = getelementptr i8, ptr %acc, i64 %v417
  %v419 = mul i64 %i385, 4
  %v420 = getelementptr i8, ptr %v418, i64 %v419
  %v421 = load <32 x float>, ptr %v420, align 1
  br i1 %v392, label %join423, label %part422, !prof !0
part422:
  %v424 = trunc i64 %v409 to i32
  %v425 = insertelement <32 x i32> poison, i32 %v424, i64 0
  %v426 = shufflevector <32 x i32> %v425, <32 x i32> poison, <32 x i32> zeroinitializer
  %v427 = trunc i64 %v410 to i32
  %v428 = insertelement <32 x i32> poison, i32 %v427, i64 0
  %v429 = shufflevector <32 x i32> %v428, <32 x i32> poison, <32 x i32> zeroinitializer
  %v430 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v426
  %v431 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v429
  %v432 = and <32 x i1> %v430, %v431
  %v433 = select <32 x i1> %v432, <32 x float> %v413, <32 x float> splat (float 0x8000000000000000)
  br label %join423
join423:
  %v434 = phi <32 x float> [%v413, %body395], [%v433, %part422]
  %v435 = add i64 %v414, 0
  %v436 = fadd <32 x float> %v421, %v434
  %v437 = mul i64 0, %lane
  %v438 = mul i64 %plane, 0
  %v439 = add i64 %v437, %v438
  %v440 = getelementptr i8, ptr %acc, i64 %v439
  %v441 = mul i64 %i385, 4
  %v442 = getelementptr i8, ptr %v440, i64 %v441
  store <32 x float> %v436, ptr %v442, align 1
  %v443 = add i64 %i385, 32
  br label %head382
done384:
  %v444 = add i64 %i378, 1
  br label %head375
done377:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
