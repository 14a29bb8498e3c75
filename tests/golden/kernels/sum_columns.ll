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
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 2
  %v6 = load i64, ptr %v5, align 8
  %v11 = and i64 %k, -4
  br label %head12
head12:
  %i15 = phi i64 [0, %entry], [%v224, %done19]
  %v16 = icmp slt i64 %i15, %v11
  br i1 %v16, label %body13, label %done14
body13:
  br label %head17
head17:
  %i20 = phi i64 [0, %body13], [%v223, %done38]
  %v21 = icmp slt i64 %i20, 1
  br i1 %v21, label %body18, label %done19
body18:
  %v22 = add i64 %i15, %i20
  %v23 = add i64 %v22, 0
  %v24 = mul i64 %v23, %v6
  %v25 = getelementptr i8, ptr %v2, i64 %v24
  %v26 = add i64 %v22, 1
  %v27 = mul i64 %v26, %v6
  %v28 = getelementptr i8, ptr %v2, i64 %v27
  %v29 = add i64 %v22, 2
  %v30 = mul i64 %v29, %v6
  %v31 = getelementptr i8, ptr %v2, i64 %v30
  %v32 = add i64 %v22, 3
  %v33 = mul i64 %v32, %v6
  %v34 = getelementptr i8, ptr %v2, i64 %v33
  %v35 = add i64 %phase, %v22
  br label %head36
head36:
  %i39 = phi i64 [0, %body18], [%v222, %join202]
  %v40 = icmp slt i64 %i39, %n
  br i1 %v40, label %body37, label %done38
body37:
  %v41 = mul i64 0, %lane
  %v42 = mul i64 %plane, 0
  %v43 = add i64 %v41, %v42
  %v44 = getelementptr i8, ptr %acc, i64 %v43
  %v45 = mul i64 %i39, 4
  %v46 = getelementptr i8, ptr %v44, i64 %v45
  %v47 = load <32 x float>, ptr %v46, align 1
  %v48 = mul i64 %i39, 4
  %v49 = getelementptr i8, ptr %v25, i64 %v48
  %v50 = getelementptr i8, ptr %v49, i64 512
  call void @llvm.prefetch.p0(ptr %v50, i32 0, i32 3, i32 1)
  %v51 = getelementptr i8, ptr %v49, i64 576
  call void @llvm.prefetch.p0(ptr %v51, i32 0, i32 3, i32 1)
  %v52 = add i64 %i39, 32
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %whole54, label %part55, !prof !0
whole54:
  %v57 = mul i64 %i39, 4
  %v58 = getelementptr i8, ptr %v25, i64 %v57
  br label %body56
part55:
  %v59 = sub i64 %n, %i39
  %v60 = call i64 @llvm.smin.i64(i64 %v59, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v61 = add i64 %i39, 0
  %v62 = sub i64 %v60, 0
  %v63 = mul i64 %v62, 4
  %v64 = sub i64 %v63, 0
  %v65 = mul i64 0, 4
  %v66 = getelementptr i8, ptr %buf7, i64 %v65
  %v67 = mul i64 %v61, 4
  %v68 = getelementptr i8, ptr %v25, i64 %v67
  call void @llvm.memcpy.p0.p0.i64(ptr %v66, ptr %v68, i64 %v64, i1 false)
  br label %body56
body56:
  %v69 = phi ptr [%v58, %whole54], [%buf7, %part55]
  %v70 = phi i64 [0, %whole54], [0, %part55]
  %v71 = phi i64 [32, %whole54], [%v60, %part55]
  %v72 = getelementptr i8, ptr %v69, i64 0
  %v73 = load <32 x i32>, ptr %v72, align 1
  %v74 = bitcast <32 x i32> %v73 to <32 x float>
  br i1 %v53, label %join76, label %part75, !prof !0
part75:
  %v77 = trunc i64 %v70 to i32
  %v78 = insertelement <32 x i32> poison, i32 %v77, i64 0
  %v79 = shufflevector <32 x i32> %v78, <32 x i32> poison, <32 x i32> zeroinitializer
  %v80 = trunc i64 %v71 to i32
  %v81 = insertelement <32 x i32> poison, i32 %v80, i64 0
  %v82 = shufflevector <32 x i32> %v81, <32 x i32> poison, <32 x i32> zeroinitializer
  %v83 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v79
  %v84 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v82
  %v85 = and <32 x i1> %v83, %v84
  %v86 = select <32 x i1> %v85, <32 x float> %v74, <32 x float> splat (float 0x8000000000000000)
  br label %join76
join76:
  %v87 = phi <32 x float> [%v74, %body56], [%v86, %part75]
  %v88 = add i64 %v35, 0
  %v89 = fadd <32 x float> %v47, %v87
  %v90 = mul i64 %i39, 4
  %v91 = getelementptr i8, ptr %v28, i64 %v90
  %v92 = getelementptr i8, ptr %v91, i64 512
  call void @llvm.prefetch.p0(ptr %v92, i32 0, i32 3, i32 1)
  %v93 = getelementptr i8, ptr %v91, i64 576
  call void @llvm.prefetch.p0(ptr %v93, i32 0, i32 3, i32 1)
  %v94 = add i64 %i39, 32
  %v95 = icmp sle i64 %v94, %n
  br i1 %v95, label %whole96, label %part97, !prof !0
whole96:
  %v99 = mul i64 %i39, 4
  %v100 = getelementptr i8, ptr %v28, i64 %v99
  br label %body98
part97:
  %v101 = sub i64 %n, %i39
  %v102 = call i64 @llvm.smin.i64(i64 %v101, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf8, align 64
  %v103 = add i64 %i39, 0
  %v104 = sub i64 %v102, 0
  %v105 = mul i64 %v104, 4
  %v106 = sub i64 %v105, 0
  %v107 = mul i64 0, 4
  %v108 = getelementptr i8, ptr %buf8, i64 %v107
  %v109 = mul i64 %v103, 4
  %v110 = getelementptr i8, ptr %v28, i64 %v109
  call void @llvm.memcpy.p0.p0.i64(ptr %v108, ptr %v110, i64 %v106, i1 false)
  br label %body98
body98:
  %v111 = phi ptr [%v100, %whole96], [%buf8, %part97]
  %v112 = phi i64 [0, %whole96], [0, %part97]
  %v113 = phi i64 [32, %whole96], [%v102, %part97]
  %v114 = getelementptr i8, ptr %v111, i64 0
  %v115 = load <32 x i32>, ptr %v114, align 1
  %v116 = bitcast <32 x i32> %v115 to <32 x float>
  br i1 %v95, label %join118, label %part117, !prof !0
part117:
  %v119 = trunc i64 %v112 to i32
  %v120 = insertelement <32 x i32> poison, i32 %v119, i64 0
  %v121 = shufflevector <32 x i32> %v120, <32 x i32> poison, <32 x i32> zeroinitializer
  %v122 = trunc i64 %v113 to i32
  %v123 = insertelement <32 x i32> poison, i32 %v122, i64 0
  %v124 = shufflevector <32 x i32> %v123, <32 x i32> poison, <32 x i32> zeroinitializer
  %v125 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v121
  %v126 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v124
  %v127 = and <32 x i1> %v125, %v126
  %v128 = select <32 x i1> %v127, <32 x float> %v116, <32 x float> splat (float 0x8000000000000000)
  br label %join118
join118:
  %v129 = phi <32 x float> [%v116, %body98], [%v128, %part117]
  %v130 = add i64 %v35, 1
  %v131 = fadd <32 x float> %v89, %v129
  %v132 = mul i64 %i39, 4
  %v133 = getelementptr i8, ptr %v31, i64 %v132
  %v134 = getelementptr i8, ptr %v133, i64 512
  call void @llvm.prefetch.p0(ptr %v134, i32 0, i32 3, i32 1)
  %v135 = getelementptr i8, ptr %v133, i64 576
  call void @llvm.prefetch.p0(ptr %v135, i32 0, i32 3, i32 1)
  %v136 = add i64 %i39, 32
  %v137 = icmp sle i64 %v136, %n
  br i1 %v137, label %whole138, label %part139, !prof !0
whole138:
  %v141 = mul i64 %i39, 4
  %v142 = getelementptr i8, ptr %v31, i64 %v141
  br label %body140
part139:
  %v143 = sub i64 %n, %i39
  %v144 = call i64 @llvm.smin.i64(i64 %v143, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf9, align 64
  %v145 = add i64 %i39, 0
  %v146 = sub i64 %v144, 0
  %v147 = mul i64 %v146, 4
  %v148 = sub i64 %v147, 0
  %v149 = mul i64 0, 4
  %v150 = getelementptr i8, ptr %buf9, i64 %v149
  %v151 = mul i64 %v145, 4
  %v152 = getelementptr i8, ptr %v31, i64 %v151
  call void @llvm.memcpy.p0.p0.i64(ptr %v150, ptr %v152, i64 %v148, i1 false)
  br label %body140
body140:
  %v153 = phi ptr [%v142, %whole138], [%buf9, %part139]
  %v154 = phi i64 [0, %whole138], [0, %part139]
  %v155 = phi i64 [32, %whole138], [%v144, %part139]
  %v156 = getelementptr i8, ptr %v153, i64 0
  %v157 = load <32 x i32>, ptr %v156, align 1
  %v158 = bitcast <32 x i32> %v157 to <32 x float>
  br i1 %v137, label %join160, label %part159, !prof !0
part159:
  %v161 = trunc i64 %v154 to i32
  %v162 = insertelement <32 x i32> poison, i32 %v161, i64 0
  %v163 = shufflevector <32 x i32> %v162, <32 x i32> poison, <32 x i32> zeroinitializer
  %v164 = trunc i64 %v155 to i32
  %v165 = insertelement <32 x i32> poison, i32 %v164, i64 0
  %v166 = shufflevector <32 x i32> %v165, <32 x i32> poison, <32 x i32> zeroinitializer
  %v167 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v163
  %v168 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v166
  %v169 = and <32 x i1> %v167, %v168
  %v170 = select <32 x i1> %v169, <32 x float> %v158, <32 x float> splat (float 0x8000000000000000)
  br label %join160
join160:
  %v171 = phi <32 x float> [%v158, %body140], [%v170, %part159]
  %v172 = add i64 %v35, 2
  %v173 = fadd <32 x float> %v131, %v171
  %v174 = mul i64 %i39, 4
  %v175 = getelementptr i8, ptr %v34, i64 %v174
  %v176 = getelementptr i8, ptr %v175, i64 512
  call void @llvm.prefetch.p0(ptr %v176, i32 0, i32 3, i32 1)
  %v177 = getelementptr i8, ptr %v175, i64 576
  call void @llvm.prefetch.p0(ptr %v177, i32 0, i32 3, i32 1)
  %v178 = add i64 %i39, 32
  %v179 = icmp sle i64 %v178, %n
  br i1 %v179, label %whole180, label %part181, !prof !0
whole180:
  %v183 = mul i64 %i39, 4
  %v184 = getelementptr i8, ptr %v34, i64 %v183
  br label %body182
part181:
  %v185 = sub i64 %n, %i39
  %v186 = call i64 @llvm.smin.i64(i64 %v185, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf10, align 64
  %v187 = add i64 %i39, 0
  %v188 = sub i64 %v186, 0
  %v189 = mul i64 %v188, 4
  %v190 = sub i64 %v189, 0
  %v191 = mul i64 0, 4
  %v192 = getelementptr i8, ptr %buf10, i64 %v191
  %v193 = mul i64 %v187, 4
  %v194 = getelementptr i8, ptr %v34, i64 %v193
  call void @llvm.memcpy.p0.p0.i64(ptr %v192, ptr %v194, i64 %v190, i1 false)
  br label %body182
body182:
  %v195 = phi ptr [%v184, %whole180], [%buf10, %part181]
  %v196 = phi i64 [0, %whole180], [0, %part181]
  %v197 = phi i64 [32, %whole180], [%v186, %part181]
  %v198 = getelementptr i8, ptr %v195, i64 0
  %v199 = load <32 x i32>, ptr %v198, align 1
  %v200 = bitcast <32 x i32> %v199 to <32 x float>
  br i1 %v179, label %join202, label %part201, !prof !0
part201:
  %v203 = trunc i64 %v196 to i32
  %v204 = insertelement <32 x i32> poison, i32 %v203, i64 0
  %v205 = shufflevector <32 x i32> %v204, <32 x i32> poison, <32 x i32> zeroinitializer
  %v206 = trunc i64 %v197 to i32
  %v207 = insertelement <32 x i32> poison, i32 %v206, i64 0
  %v208 = shufflevector <32 x i32> %v207, <32 x i32> poison, <32 x i32> zeroinitializer
  %v209 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v205
  %v210 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v208
  %v211 = and <32 x i1> %v209, %v210
  %v212 = select <32 x i1> %v211, <32 x float> %v200, <32 x float> splat (float 0x8000000000000000)
  br label %join202
join202:
  %v213 = phi <32 x float> [%v200, %body182], [%v212, %part201]
  %v214 = add i64 %v35, 3
  %v215 = fadd <32 x float> %v173, %v213
  %v216 = mul i64 0, %lane
  %v217 = mul i64 %plane, 0
  %v218 = add i64 %v216, %v217
  %v219 = getelementptr i8, ptr %acc, i64 %v218
  %v220 = mul i64 %i39, 4
  %v221 = getelementptr i8, ptr %v219, i64 %v220
  store <32 x float> %v215, ptr %v221, align 1
  %v222 = add i64 %i39, 32
  br label %head36
done38:
  %v223 = add i64 %i20, 1
  br label %head17
done19:
  %v224 = add i64 %i15, 4
  br label %head12
done14:
  br label %head225
head225:
  %i228 = phi i64 [%v11, %done14], [%v295, %done236]
  %v229 = icmp slt i64 %i228, %k
  br i1 %v229, label %body226, label %done227
body226:
  %v230 = add i64 %i228, 0
  %v231 = mul i64 %v230, %v6
  %v232 = getelementptr i8, ptr %v2, i64 %v231
  %v233 = add i64 %phase, %i228
  br label %head234
head234:
  %i237 = phi i64 [0, %body226], [%v294, %join274]
  %v238 = icmp slt i64 %i237, %n
  br i1 %v238, label %body235, label %done236
body235:
  %v239 = mul i64 0, %lane
  %v240 = mul i64 %plane, 0
  %v241 = add i64 %v239, %v240
  %v242 = getelementptr i8, ptr %acc, i64 %v241
  %v243 = mul i64 %i237, 4
  %v244 = getelementptr i8, ptr %v242, i64 %v243
  %v245 = load <32 x float>, ptr %v244, align 1
  %v246 = mul i64 %i237, 4
  %v247 = getelementptr i8, ptr %v232, i64 %v246
  %v248 = getelementptr i8, ptr %v247, i64 512
  call void @llvm.prefetch.p0(ptr %v248, i32 0, i32 3, i32 1)
  %v249 = getelementptr i8, ptr %v247, i64 576
  call void @llvm.prefetch.p0(ptr %v249, i32 0, i32 3, i32 1)
  %v250 = add i64 %i237, 32
  %v251 = icmp sle i64 %v250, %n
  br i1 %v251, label %whole252, label %part253, !prof !0
whole252:
  %v255 = mul i64 %i237, 4
  %v256 = getelementptr i8, ptr %v232, i64 %v255
  br label %body254
part253:
  %v257 = sub i64 %n, %i237
  %v258 = call i64 @llvm.smin.i64(i64 %v257, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf7, align 64
  %v259 = add i64 %i237, 0
  %v260 = sub i64 %v258, 0
  %v261 = mul i64 %v260, 4
  %v262 = sub i64 %v261, 0
  %v263 = mul i64 0, 4
  %v264 = getelementptr i8, ptr %buf7, i64 %v263
  %v265 = mul i64 %v259, 4
  %v266 = getelementptr i8, ptr %v232, i64 %v265
  call void @llvm.memcpy.p0.p0.i64(ptr %v264, ptr %v266, i64 %v262, i1 false)
  br label %body254
body254:
  %v267 = phi ptr [%v256, %whole252], [%buf7, %part253]
  %v268 = phi i64 [0, %whole252], [0, %part253]
  %v269 = phi i64 [32, %whole252], [%v258, %part253]
  %v270 = getelementptr i8, ptr %v267, i64 0
  %v271 = load <32 x i32>, ptr %v270, align 1
  %v272 = bitcast <32 x i32> %v271 to <32 x float>
  br i1 %v251, label %join274, label %part273, !prof !0
part273:
  %v275 = trunc i64 %v268 to i32
  %v276 = insertelement <32 x i32> poison, i32 %v275, i64 0
  %v277 = shufflevector <32 x i32> %v276, <32 x i32> poison, <32 x i32> zeroinitializer
  %v278 = trunc i64 %v269 to i32
  %v279 = insertelement <32 x i32> poison, i32 %v278, i64 0
  %v280 = shufflevector <32 x i32> %v279, <32 x i32> poison, <32 x i32> zeroinitializer
  %v281 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v277
  %v282 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v280
  %v283 = and <32 x i1> %v281, %v282
  %v284 = select <32 x i1> %v283, <32 x float> %v272, <32 x float> splat (float 0x8000000000000000)
  br label %join274
join274:
  %v285 = phi <32 x float> [%v272, %body254], [%v284, %part273]
  %v286 = add i64 %v233, 0
  %v287 = fadd <32 x float> %v245, %v285
  %v288 = mul i64 0, %lane
  %v289 = mul i64 %plane, 0
  %v290 = add i64 %v288, %v289
  %v291 = getelementptr i8, ptr %acc, i64 %v290
  %v292 = mul i64 %i237, 4
  %v293 = getelementptr i8, ptr %v291, i64 %v292
  store <32 x float> %v287, ptr %v293, align 1
  %v294 = add i64 %i237, 32
  br label %head234
done236:
  %v295 = add i64 %i228, 1
  br label %head225
done227:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
