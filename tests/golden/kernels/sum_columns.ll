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
  %v237 = and i64 %k, -4
  br label %head238
head238:
  %i241 = phi i64 [%v15, %done18], [%v402, %done245]
  %v242 = icmp slt i64 %i241, %v237
  br i1 %v242, label %body239, label %done240
body239:
  br label %head243
head243:
  %i246 = phi i64 [0, %body239], [%v401, %endif328]
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
  %v256 = add i64 %v248, 2
  %v257 = mul i64 %v256, %v6
  %v258 = getelementptr i8, ptr %v2, i64 %v257
  %v259 = add i64 %v248, 3
  %v260 = mul i64 %v259, %v6
  %v261 = getelementptr i8, ptr %v2, i64 %v260
  br label %head262
head262:
  %i265 = phi i64 [0, %body244], [%v325, %body263]
  %v266 = icmp slt i64 %i265, %v249
  br i1 %v266, label %body263, label %done264
body263:
  %v267 = mul i64 %i265, 4
  %v268 = getelementptr i8, ptr %v252, i64 %v267
  %v269 = getelementptr i8, ptr %v268, i64 1024
  call void @llvm.prefetch.p0(ptr %v269, i32 0, i32 3, i32 1)
  %v270 = getelementptr i8, ptr %v268, i64 1088
  call void @llvm.prefetch.p0(ptr %v270, i32 0, i32 3, i32 1)
  %v271 = mul i64 %i265, 4
  %v272 = getelementptr i8, ptr %v255, i64 %v271
  %v273 = getelementptr i8, ptr %v272, i64 1024
  call void @llvm.prefetch.p0(ptr %v273, i32 0, i32 3, i32 1)
  %v274 = getelementptr i8, ptr %v272, i64 1088
  call void @llvm.prefetch.p0(ptr %v274, i32 0, i32 3, i32 1)
  %v275 = mul i64 %i265, 4
  %v276 = getelementptr i8, ptr %v258, i64 %v275
  %v277 = getelementptr i8, ptr %v276, i64 1024
  call void @llvm.prefetch.p0(ptr %v277, i32 0, i32 3, i32 1)
  %v278 = getelementptr i8, ptr %v276, i64 1088
  call void @llvm.prefetch.p0(ptr %v278, i32 0, i32 3, i32 1)
  %v279 = mul i64 %i265, 4
  %v280 = getelementptr i8, ptr %v261, i64 %v279
  %v281 = getelementptr i8, ptr %v280, i64 1024
  call void @llvm.prefetch.p0(ptr %v281, i32 0, i32 3, i32 1)
  %v282 = getelementptr i8, ptr %v280, i64 1088
  call void @llvm.prefetch.p0(ptr %v282, i32 0, i32 3, i32 1)
  %v283 = mul i64 %i265, 4
  %v284 = getelementptr i8, ptr %v252, i64 %v283
  %v285 = getelementptr i8, ptr %v284, i64 0
  %v286 = load <32 x i32>, ptr %v285, align 1
  %v287 = bitcast <32 x i32> %v286 to <32 x float>
  %v288 = mul i64 %i265, 4
  %v289 = getelementptr i8, ptr %v255, i64 %v288
  %v290 = getelementptr i8, ptr %v289, i64 0
  %v291 = load <32 x i32>, ptr %v290, align 1
  %v292 = bitcast <32 x i32> %v291 to <32 x float>
  %v293 = mul i64 %i265, 4
  %v294 = getelementptr i8, ptr %v258, i64 %v293
  %v295 = getelementptr i8, ptr %v294, i64 0
  %v296 = load <32 x i32>, ptr %v295, align 1
  %v297 = bitcast <32 x i32> %v296 to <32 x float>
  %v298 = mul i64 %i265, 4
  %v299 = getelementptr i8, ptr %v261, i64 %v298
  %v300 = getelementptr i8, ptr %v299, i64 0
  %v301 = load <32 x i32>, ptr %v300, align 1
  %v302 = bitcast <32 x i32> %v301 to <32 x float>
  %v303 = add i64 %phase, %v248
  %v304 = mul i64 0, %lane
  %v305 = mul i64 %plane, 0
  %v306 = add i64 %v304, %v305
  %v307 = getelementptr i8, ptr %acc, i64 %v306
  %v308 = mul i64 %i265, 4
  %v309 = getelementptr i8, ptr %v307, i64 %v308
  %v310 = load <32 x float>, ptr %v309, align 1
  %v311 = add i64 %v303, 0
  %v312 = fadd <32 x float> %v310, %v287
  %v313 = add i64 %v303, 1
  %v314 = fadd <32 x float> %v312, %v292
  %v315 = add i64 %v303, 2
  %v316 = fadd <32 x float> %v314, %v297
  %v317 = add i64 %v303, 3
  %v318 = fadd <32 x float> %v316, %v302
  %v319 = mul i64 0, %lane
  %v320 = mul i64 %plane, 0
  %v321 = add i64 %v319, %v320
  %v322 = getelementptr i8, ptr %acc, i64 %v321
  %v323 = mul i64 %i265, 4
  %v324 = getelementptr i8, ptr %v322, i64 %v323
  store <32 x float> %v318, ptr %v324, align 1
  %v325 = add i64 %i265, 32
  br label %head262
done264:
  %v326 = icmp slt i64 %v249, %n
  br i1 %v326, label %then327, label %endif328
then327:
  br label %head329
head329:
  %i332 = phi i64 [0, %then327], [%v400, %done340]
  %v333 = icmp slt i64 %i332, 4
  br i1 %v333, label %body330, label %done331
body330:
  %v334 = mul i64 %i332, 1
  %v335 = add i64 %v248, %v334
  %v336 = mul i64 %v335, %v6
  %v337 = getelementptr i8, ptr %v2, i64 %v336
  br label %head338
head338:
  %i341 = phi i64 [%v249, %body330], [%v399, %join379]
  %v342 = icmp slt i64 %i341, %n
  br i1 %v342, label %body339, label %done340
body339:
  %v343 = mul i64 %i341, 4
  %v344 = getelementptr i8, ptr %v337, i64 %v343
  %v345 = getelementptr i8, ptr %v344, i64 4096
  call void @llvm.prefetch.p0(ptr %v345, i32 0, i32 3, i32 1)
  %v346 = getelementptr i8, ptr %v344, i64 4160
  call void @llvm.prefetch.p0(ptr %v346, i32 0, i32 3, i32 1)
  %v347 = add i64 %i341, 32
  %v348 = icmp sle i64 %v347, %n
  br i1 %v348, label %whole349, label %part350, !prof !0
whole349:
  %v352 = mul i64 %i341, 4
  %v353 = getelementptr i8, ptr %v337, i64 %v352
  br label %body351
part350:
  %v354 = sub i64 %n, %i341
  %v355 = call i64 @llvm.smin.i64(i64 %v354, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v356 = add i64 %i341, 0
  %v357 = sub i64 %v355, 0
  %v358 = mul i64 %v357, 4
  %v359 = sub i64 %v358, 0
  %v360 = mul i64 0, 4
  %v361 = getelementptr i8, ptr %buf7, i64 %v360
  %v362 = mul i64 %v356, 4
  %v363 = getelementptr i8, ptr %v337, i64 %v362
  call void @llvm.memcpy.p0.p0.i64(ptr %v361, ptr %v363, i64 %v359, i1 false)
  br label %body351
body351:
  %v364 = phi ptr [%v353, %whole349], [%buf7, %part350]
  %v365 = phi i64 [0, %whole349], [0, %part350]
  %v366 = phi i64 [32, %whole349], [%v355, %part350]
  %v367 = getelementptr i8, ptr %v364, i64 0
  %v368 = load <32 x i32>, ptr %v367, align 1
  %v369 = bitcast <32 x i32> %v368 to <32 x float>
  %v370 = add i64 %phase, %v335
  %v371 = mul i64 0, %lane
  %v372 = mul i64 %plane, 0
  %v373 = add i64 %v371, %v372
  %v374 = getelementptr i8, ptr %acc, i64 %v373
  %v375 = mul i64 %i341, 4
  %v376 = getelementptr i8, ptr %v374, i64 %v375
  %v377 = load <32 x float>, ptr %v376, align 1
  br i1 %v348, label %join379, label %part378, !prof !0
part378:
  %v380 = trunc i64 %v365 to i32
  %v381 = insertelement <32 x i32> poison, i32 %v380, i64 0
  %v382 = shufflevector <32 x i32> %v381, <32 x i32> poison, <32 x i32> zeroinitializer
  %v383 = trunc i64 %v366 to i32
  %v384 = insertelement <32 x i32> poison, i32 %v383, i64 0
  %v385 = shufflevector <32 x i32> %v384, <32 x i32> poison, <32 x i32> zeroinitializer
  %v386 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v382
  %v387 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v385
  %v388 = and <32 x i1> %v386, %v387
  %v389 = select <32 x i1> %v388, <32 x float> %v369, <32 x float> splat (float 0x8000000000000000)
  br label %join379
join379:
  %v390 = phi <32 x float> [%v369, %body351], [%v389, %part378]
  %v391 = add i64 %v370, 0
  %v392 = fadd <32 x float> %v377, %v390
  %v393 = mul i64 0, %lane
  %v394 = mul i64 %plane, 0
  %v395 = add i64 %v393, %v394
  %v396 = getelementptr i8, ptr %acc, i64 %v395
  %v397 = mul i64 %i341, 4
  %v398 = getelementptr i8, ptr %v396, i64 %v397
  store <32 x float> %v392, ptr %v398, align 1
  %v399 = add i64 %i341, 32
  br label %head338
done340:
  %v400 = add i64 %i332, 1
  br label %head329
done331:
  br label %endif328
endif328:
  %v401 = add i64 %i246, 1
  br label %head243
done245:
  %v402 = add i64 %i241, 4
  br label %head238
done240:
  br label %head403
head403:
  %i406 = phi i64 [%v237, %done240], [%v472, %done412]
  %v407 = icmp slt i64 %i406, %k
  br i1 %v407, label %body404, label %done405
body404:
  %v408 = mul i64 %i406, %v6
  %v409 = getelementptr i8, ptr %v2, i64 %v408
  br label %head410
head410:
  %i413 = phi i64 [0, %body404], [%v471, %join451]
  %v414 = icmp slt i64 %i413, %n
  br i1 %v414, label %body411, label %done412
body411:
  %v415 = mul i64 %i413, 4
  %v416 = getelementptr i8, ptr %v409, i64 %v415
  %v417 = getelementptr i8, ptr %v416, i64 4096
  call void @llvm.prefetch.p0(ptr %v417, i32 0, i32 3, i32 1)
  %v418 = getelementptr i8, ptr %v416, i64 4160
  call void @llvm.prefetch.p0(ptr %v418, i32 0, i32 3, i32 1)
  %v419 = add i64 %i413, 32
  %v420 = icmp sle i64 %v419, %n
  br i1 %v420, label %whole421, label %part422, !prof !0
whole421:
  %v424 = mul i64 %i413, 4
  %v425 = getelementptr i8, ptr %v409, i64 %v424
  br label %body423
part422:
  %v426 = sub i64 %n, %i413
  %v427 = call i64 @llvm.smin.i64(i64 %v426, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v428 = add i64 %i413, 0
  %v429 = sub i64 %v427, 0
  %v430 = mul i64 %v429, 4
  %v431 = sub i64 %v430, 0
  %v432 = mul i64 0, 4
  %v433 = getelementptr i8, ptr %buf7, i64 %v432
  %v434 = mul i64 %v428, 4
  %v435 = getelementptr i8, ptr %v409, i64 %v434
  call void @llvm.memcpy.p0.p0.i64(ptr %v433, ptr %v435, i64 %v431, i1 false)
  br label %body423
body423:
  %v436 = phi ptr [%v425, %whole421], [%buf7, %part422]
  %v437 = phi i64 [0, %whole421], [0, %part422]
  %v438 = phi i64 [32, %whole421], [%v427, %part422]
  %v439 = getelementptr i8, ptr %v436, i64 0
  %v440 = load <32 x i32>, ptr %v439, align 1
  %v441 = bitcast <32 x i32> %v440 to <32 x float>
  %v442 = add i64 %phase, %i406
  %v443 = mul i64 0, %lane
  %v444 = mul i64 %plane, 0
  %v445 = add i64 %v443, %v444
  %v446 = getelementptr i8, ptr %acc, i64 %v445
  %v447 = mul i64 %i413, 4
  %v448 = getelementptr i8, ptr %v446, i64 %v447
  %v449 = load <32 x float>, ptr %v448, align 1
  br i1 %v420, label %join451, label %part450, !prof !0
part450:
  %v452 = trunc i64 %v437 to i32
  %v453 = insertelement <32 x i32> poison, i32 %v452, i64 0
  %v454 = shufflevector <32 x i32> %v453, <32 x i32> poison, <32 x i32> zeroinitializer
  %v455 = trunc i64 %v438 to i32
  %v456 = insertelement <32 x i32> poison, i32 %v455, i64 0
  %v457 = shufflevector <32 x i32> %v456, <32 x i32> poison, <32 x i32> zeroinitializer
  %v458 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v454
  %v459 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v457
  %v460 = and <32 x i1> %v458, %v459
  %v461 = select <32 x i1> %v460, <32 x float> %v441, <32 x float> splat (float 0x8000000000000000)
  br label %join451
join451:
  %v462 = phi <32 x float> [%v441, %body423], [%v461, %part450]
  %v463 = add i64 %v442, 0
  %v464 = fadd <32 x float> %v449, %v462
  %v465 = mul i64 0, %lane
  %v466 = mul i64 %plane, 0
  %v467 = add i64 %v465, %v466
  %v468 = getelementptr i8, ptr %acc, i64 %v467
  %v469 = mul i64 %i413, 4
  %v470 = getelementptr i8, ptr %v468, i64 %v469
  store <32 x float> %v464, ptr %v470, align 1
  %v471 = add i64 %i413, 32
  br label %head410
done412:
  %v472 = add i64 %i406, 1
  br label %head403
done405:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
