; abreast sum float32 |32|load.float32[]0|float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @abreast(ptr %L, ptr %S, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step) #0 {
entry:
  %buf7 = alloca <32 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v8 = udiv i64 %m, %step
  br label %head9
head9:
  %i12 = phi i64 [0, %entry], [%v281, %done18]
  %v13 = icmp slt i64 %i12, %v8
  br i1 %v13, label %body10, label %done11
body10:
  %v14 = mul i64 %i12, %v6
  %v15 = getelementptr i8, ptr %v2, i64 %v14
  br label %head16
head16:
  %i19 = phi i64 [0, %body10], [%v280, %join253]
  %v20 = icmp slt i64 %i19, %step
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = sub i64 %step, 32
  %v22 = call i64 @llvm.smin.i64(i64 %i19, i64 %v21)
  %v23 = and i64 %n, -8
  br label %head24
head24:
  %i27 = phi i64 [0, %body17], [%v141, %body25]
  %c28 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v49, %body25]
  %c29 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v62, %body25]
  %c30 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v75, %body25]
  %c31 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v88, %body25]
  %c32 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v101, %body25]
  %c33 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v114, %body25]
  %c34 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v127, %body25]
  %c35 = phi <32 x float> [splat (float 0x8000000000000000), %body17], [%v140, %body25]
  %v36 = icmp slt i64 %i27, %v23
  br i1 %v36, label %body25, label %done26
body25:
  %v37 = add i64 %i27, 0
  %v38 = mul i64 %v37, %v4
  %v39 = getelementptr i8, ptr %v15, i64 %v38
  %v40 = mul i64 %v22, 4
  %v41 = getelementptr i8, ptr %v39, i64 %v40
  %v42 = getelementptr i8, ptr %v41, i64 4096
  call void @llvm.prefetch.p0(ptr %v42, i32 0, i32 3, i32 1)
  %v43 = getelementptr i8, ptr %v41, i64 4160
  call void @llvm.prefetch.p0(ptr %v43, i32 0, i32 3, i32 1)
  %v44 = mul i64 %v22, 4
  %v45 = getelementptr i8, ptr %v39, i64 %v44
  %v46 = getelementptr i8, ptr %v45, i64 0
  %v47 = load <32 x i32>, ptr %v46, align 1
  %v48 = bitcast <32 x i32> %v47 to <32 x float>
  %v49 = fadd <32 x float> %c28, %v48
  %v50 = add i64 %i27, 1
  %v51 = mul i64 %v50, %v4
  %v52 = getelementptr i8, ptr %v15, i64 %v51
  %v53 = mul i64 %v22, 4
  %v54 = getelementptr i8, ptr %v52, i64 %v53
  %v55 = getelementptr i8, ptr %v54, i64 4096
  call void @llvm.prefetch.p0(ptr %v55, i32 0, i32 3, i32 1)
  %v56 = getelementptr i8, ptr %v54, i64 4160
  call void @llvm.prefetch.p0(ptr %v56, i32 0, i32 3, i32 1)
  %v57 = mul i64 %v22, 4
  %v58 = getelementptr i8, ptr %v52, i64 %v57
  %v59 = getelementptr i8, ptr %v58, i64 0
  %v60 = load <32 x i32>, ptr %v59, align 1
  %v61 = bitcast <32 x i32> %v60 to <32 x float>
  %v62 = fadd <32 x float> %c29, %v61
  %v63 = add i64 %i27, 2
  %v64 = mul i64 %v63, %v4
  %v65 = getelementptr i8, ptr %v15, i64 %v64
  %v66 = mul i64 %v22, 4
  %v67 = getelementptr i8, ptr %v65, i64 %v66
  %v68 = getelementptr i8, ptr %v67, i64 4096
  call void @llvm.prefetch.p0(ptr %v68, i32 0, i32 3, i32 1)
  %v69 = getelementptr i8, ptr %v67, i64 4160
  call void @llvm.prefetch.p0(ptr %v69, i32 0, i32 3, i32 1)
  %v70 = mul i64 %v22, 4
  %v71 = getelementptr i8, ptr %v65, i64 %v70
  %v72 = getelementptr i8, ptr %v71, i64 0
  %v73 = load <32 x i32>, ptr %v72, align 1
  %v74 = bitcast <32 x i32> %v73 to <32 x float>
  %v75 = fadd <32 x float> %c30, %v74
  %v76 = add i64 %i27, 3
  %v77 = mul i64 %v76, %v4
  %v78 = getelementptr i8, ptr %v15, i64 %v77
  %v79 = mul i64 %v22, 4
  %v80 = getelementptr i8, ptr %v78, i64 %v79
  %v81 = getelementptr i8, ptr %v80, i64 4096
  call void @llvm.prefetch.p0(ptr %v81, i32 0, i32 3, i32 1)
  %v82 = getelementptr i8, ptr %v80, i64 4160
  call void @llvm.prefetch.p0(ptr %v82, i32 0, i32 3, i32 1)
  %v83 = mul i64 %v22, 4
  %v84 = getelementptr i8, ptr %v78, i64 %v83
  %v85 = getelementptr i8, ptr %v84, i64 0
  %v86 = load <32 x i32>, ptr %v85, align 1
  %v87 = bitcast <32 x i32> %v86 to <32 x float>
  %v88 = fadd <32 x float> %c31, %v87
  %v89 = add i64 %i27, 4
  %v90 = mul i64 %v89, %v4
  %v91 = getelementptr i8, ptr %v15, i64 %v90
  %v92 = mul i64 %v22, 4
  %v93 = getelementptr i8, ptr %v91, i64 %v92
  %v94 = getelementptr i8, ptr %v93, i64 4096
  call void @llvm.prefetch.p0(ptr %v94, i32 0, i32 3, i32 1)
  %v95 = getelementptr i8, ptr %v93, i64 4160
  call void @llvm.prefetch.p0(ptr %v95, i32 0, i32 3, i32 1)
  %v96 = mul i64 %v22, 4
  %v97 = getelementptr i8, ptr %v91, i64 %v96
  %v98 = getelementptr i8, ptr %v97, i64 0
  %v99 = load <32 x i32>, ptr %v98, align 1
  %v100 = bitcast <32 x i32> %v99 to <32 x float>
  %v101 = fadd <32 x float> %c32, %v100
  %v102 = add i64 %i27, 5
  %v103 = mul i64 %v102, %v4
  %v104 = getelementptr i8, ptr %v15, i64 %v103
  %v105 = mul i64 %v22, 4
  %v106 = getelementptr i8, ptr %v104, i64 %v105
  %v107 = getelementptr i8, ptr %v106, i64 4096
  call void @llvm.prefetch.p0(ptr %v107, i32 0, i32 3, i32 1)
  %v108 = getelementptr i8, ptr %v106, i64 4160
  call void @llvm.prefetch.p0(ptr %v108, i32 0, i32 3, i32 1)
  %v109 = mul i64 %v22, 4
  %v110 = getelementptr i8, ptr %v104, i64 %v109
  %v111 = getelementptr i8, ptr %v110, i64 0
  %v112 = load <32 x i32>, ptr %v111, align 1
  %v113 = bitcast <32 x i32> %v112 to <32 x float>
  %v114 = fadd <32 x float> %c33, %v113
  %v115 = add i64 %i27, 6
  %v116 = mul i64 %v115, %v4
  %v117 = getelementptr i8, ptr %v15, i64 %v116
  %v118 = mul i64 %v22, 4
  %v119 = getelementptr i8, ptr %v117, i64 %v118
  %v120 = getelementptr i8, ptr %v119, i64 4096
  call void @llvm.prefetch.p0(ptr %v120, i32 0, i32 3, i32 1)
  %v121 = getelementptr i8, ptr %v119, i64 4160
  call void @llvm.prefetch.p0(ptr %v121, i32 0, i32 3, i32 1)
  %v122 = mul i64 %v22, 4
  %v123 = getelementptr i8, ptr %v117, i64 %v122
  %v124 = getelementptr i8, ptr %v123, i64 0
  %v125 = load <32 x i32>, ptr %v124, align 1
  %v126 = bitcast <32 x i32> %v125 to <32 x float>
  %v127 = fadd <32 x float> %c34, %v126
  %v128 = add i64 %i27, 7
  %v129 = mul i64 %v128, %v4
  %v130 = getelementptr i8, ptr %v15, i64 %v129
  %v131 = mul i64 %v22, 4
  %v132 = getelementptr i8, ptr %v130, i64 %v131
  %v133 = getelementptr i8, ptr %v132, i64 4096
  call void @llvm.prefetch.p0(ptr %v133, i32 0, i32 3, i32 1)
  %v134 = getelementptr i8, ptr %v132, i64 4160
  call void @llvm.prefetch.p0(ptr %v134, i32 0, i32 3, i32 1)
  %v135 = mul i64 %v22, 4
  %v136 = getelementptr i8, ptr %v130, i64 %v135
  %v137 = getelementptr i8, ptr %v136, i64 0
  %v138 = load <32 x i32>, ptr %v137, align 1
  %v139 = bitcast <32 x i32> %v138 to <32 x float>
  %v140 = fadd <32 x float> %c35, %v139
  %v141 = add i64 %i27, 8
  br label %head24
done26:
  %v142 = and i64 %n, -8
  %v143 = add i64 %v142, 0
  %v144 = icmp slt i64 %v143, %n
  br i1 %v144, label %side146, label %join145
side146:
  %v147 = mul i64 %v143, %v4
  %v148 = getelementptr i8, ptr %v15, i64 %v147
  %v149 = mul i64 %v22, 4
  %v150 = getelementptr i8, ptr %v148, i64 %v149
  %v151 = getelementptr i8, ptr %v150, i64 4096
  call void @llvm.prefetch.p0(ptr %v151, i32 0, i32 3, i32 1)
  %v152 = getelementptr i8, ptr %v150, i64 4160
  call void @llvm.prefetch.p0(ptr %v152, i32 0, i32 3, i32 1)
  %v153 = mul i64 %v22, 4
  %v154 = getelementptr i8, ptr %v148, i64 %v153
  %v155 = getelementptr i8, ptr %v154, i64 0
  %v156 = load <32 x i32>, ptr %v155, align 1
  %v157 = bitcast <32 x i32> %v156 to <32 x float>
  %v158 = fadd <32 x float> %c28, %v157
  br label %join145
join145:
  %v159 = phi <32 x float> [%v158, %side146], [%c28, %done26]
  %v160 = and i64 %n, -8
  %v161 = add i64 %v160, 1
  %v162 = icmp slt i64 %v161, %n
  br i1 %v162, label %side164, label %join163
side164:
  %v165 = mul i64 %v161, %v4
  %v166 = getelementptr i8, ptr %v15, i64 %v165
  %v167 = mul i64 %v22, 4
  %v168 = getelementptr i8, ptr %v166, i64 %v167
  %v169 = getelementptr i8, ptr %v168, i64 4096
  call void @llvm.prefetch.p0(ptr %v169, i32 0, i32 3, i32 1)
  %v170 = getelementptr i8, ptr %v168, i64 4160
  call void @llvm.prefetch.p0(ptr %v170, i32 0, i32 3, i32 1)
  %v171 = mul i64 %v22, 4
  %v172 = getelementptr i8, ptr %v166, i64 %v171
  %v173 = getelementptr i8, ptr %v172, i64 0
  %v174 = load <32 x i32>, ptr %v173, align 1
  %v175 = bitcast <32 x i32> %v174 to <32 x float>
  %v176 = fadd <32 x float> %c29, %v175
  br label %join163
join163:
  %v177 = phi <32 x float> [%v176, %side164], [%c29, %join145]
  %v178 = and i64 %n, -8
  %v179 = add i64 %v178, 2
  %v180 = icmp slt i64 %v179, %n
  br i1 %v180, label %side182, label %join181
side182:
  %v183 = mul i64 %v179, %v4
  %v184 = getelementptr i8, ptr %v15, i64 %v183
  %v185 = mul i64 %v22, 4
  %v186 = getelementptr i8, ptr %v184, i64 %v185
  %v187 = getelementptr i8, ptr %v186, i64 4096
  call void @llvm.prefetch.p0(ptr %v187, i32 0, i32 3, i32 1)
  %v188 = getelementptr i8, ptr %v186, i64 4160
  call void @llvm.prefetch.p0(ptr %v188, i32 0, i32 3, i32 1)
  %v189 = mul i64 %v22, 4
  %v190 = getelementptr i8, ptr %v184, i64 %v189
  %v191 = getelementptr i8, ptr %v190, i64 0
  %v192 = load <32 x i32>, ptr %v191, align 1
  %v193 = bitcast <32 x i32> %v192 to <32 x float>
  %v194 = fadd <32 x float> %c30, %v193
  br label %join181
join181:
  %v195 = phi <32 x float> [%v194, %side182], [%c30, %join163]
  %v196 = and i64 %n, -8
  %v197 = add i64 %v196, 3
  %v198 = icmp slt i64 %v197, %n
  br i1 %v198, label %side200, label %join199
side200:
  %v201 = mul i64 %v197, %v4
  %v202 = getelementptr i8, ptr %v15, i64 %v201
  %v203 = mul i64 %v22, 4
  %v204 = getelementptr i8, ptr %v202, i64 %v203
  %v205 = getelementptr i8, ptr %v204, i64 4096
  call void @llvm.prefetch.p0(ptr %v205, i32 0, i32 3, i32 1)
  %v206 = getelementptr i8, ptr %v204, i64 4160
  call void @llvm.prefetch.p0(ptr %v206, i32 0, i32 3, i32 1)
  %v207 = mul i64 %v22, 4
  %v208 = getelementptr i8, ptr %v202, i64 %v207
  %v209 = getelementptr i8, ptr %v208, i64 0
  %v210 = load <32 x i32>, ptr %v209, align 1
  %v211 = bitcast <32 x i32> %v210 to <32 x float>
  %v212 = fadd <32 x float> %c31, %v211
  br label %join199
join199:
  %v213 = phi <32 x float> [%v212, %side200], [%c31, %join181]
  %v214 = and i64 %n, -8
  %v215 = add i64 %v214, 4
  %v216 = icmp slt i64 %v215, %n
  br i1 %v216, label %side218, label %join217
side218:
  %v219 = mul i64 %v215, %v4
  %v220 = getelementptr i8, ptr %v15, i64 %v219
  %v221 = mul i64 %v22, 4
  %v222 = getelementptr i8, ptr %v220, i64 %v221
  %v223 = getelementptr i8, ptr %v222, i64 4096
  call void @llvm.prefetch.p0(ptr %v223, i32 0, i32 3, i32 1)
  %v224 = getelementptr i8, ptr %v222, i64 4160
  call void @llvm.prefetch.p0(ptr %v224, i32 0, i32 3, i32 1)
  %v225 = mul i64 %v22, 4
  %v226 = getelementptr i8, ptr %v220, i64 %v225
  %v227 = getelementptr i8, ptr %v226, i64 0
  %v228 = load <32 x i32>, ptr %v227, align 1
  %v229 = bitcast <32 x i32> %v228 to <32 x float>
  %v230 = fadd <32 x float> %c32, %v229
  br label %join217
join217:
  %v231 = phi <32 x float> [%v230, %side218], [%c32, %join199]
  %v232 = and i64 %n, -8
  %v233 = add i64 %v232, 5
  %v234 = icmp slt i64 %v233, %n
  br i1 %v234, label %side236, label %join235
side236:
  %v237 = mul i64 %v233, %v4
  %v238 = getelementptr i8, ptr %v15, i64 %v237
  %v239 = mul i64 %v22, 4
  %v240 = getelementptr i8, ptr %v238, i64 %v239
  %v241 = getelementptr i8, ptr %v240, i64 4096
  call void @llvm.prefetch.p0(ptr %v241, i32 0, i32 3, i32 1)
  %v242 = getelementptr i8, ptr %v240, i64 4160
  call void @llvm.prefetch.p0(ptr %v242, i32 0, i32 3, i32 1)
  %v243 = mul i64 %v22, 4
  %v244 = getelementptr i8, ptr %v238, i64 %v243
  %v245 = getelementptr i8, ptr %v244, i64 0
  %v246 = load <32 x i32>, ptr %v245, align 1
  %v247 = bitcast <32 x i32> %v246 to <32 x float>
  %v248 = fadd <32 x float> %c33, %v247
  br label %join235
join235:
  %v249 = phi <32 x float> [%v248, %side236], [%c33, %join217]
  %v250 = and i64 %n, -8
  %v251 = add i64 %v250, 6
  %v252 = icmp slt i64 %v251, %n
  br i1 %v252, label %side254, label %join253
side254:
  %v255 = mul i64 %v251, %v4
  %v256 = getelementptr i8, ptr %v15, i64 %v255
  %v257 = mul i64 %v22, 4
  %v258 = getelementptr i8, ptr %v256, i64 %v257
  %v259 = getelementptr i8, ptr %v258, i64 4096
  call void @llvm.prefetch.p0(ptr %v259, i32 0, i32 3, i32 1)
  %v260 = getelementptr i8, ptr %v258, i64 4160
  call void @llvm.prefetch.p0(ptr %v260, i32 0, i32 3, i32 1)
  %v261 = mul i64 %v22, 4
  %v262 = getelementptr i8, ptr %v256, i64 %v261
  %v263 = getelementptr i8, ptr %v262, i64 0
  %v264 = load <32 x i32>, ptr %v263, align 1
  %v265 = bitcast <32 x i32> %v264 to <32 x float>
  %v266 = fadd <32 x float> %c34, %v265
  br label %join253
join253:
  %v267 = phi <32 x float> [%v266, %side254], [%c34, %join235]
  %v268 = fadd <32 x float> %v159, %v231
  %v269 = fadd <32 x float> %v177, %v249
  %v270 = fadd <32 x float> %v195, %v267
  %v271 = fadd <32 x float> %v213, %c35
  %v272 = fadd <32 x float> %v268, %v270
  %v273 = fadd <32 x float> %v269, %v271
  %v274 = fadd <32 x float> %v272, %v273
  %v275 = mul i64 %i12, %step
  %v276 = add i64 %first, %v275
  %v277 = add i64 %v276, %v22
  %v278 = mul i64 %v277, 4
  %v279 = getelementptr i8, ptr %part, i64 %v278
  store <32 x float> %v274, ptr %v279, align 1
  %v280 = add i64 %i19, 32
  br label %head16
done18:
  %v281 = add i64 %i12, 1
  br label %head9
done11:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
