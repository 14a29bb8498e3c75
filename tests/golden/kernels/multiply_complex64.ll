; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr, <64 x i1>, <64 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v64i32.p0(<64 x i32>, ptr, <64 x i1>)
declare void @weft_cmul_rare_f32(ptr, ptr, ptr, ptr, ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <64 x i32>, i64 1, align 64
  %buf20 = alloca <64 x i32>, i64 1, align 64
  %buf21 = alloca <64 x i32>, i64 1, align 64
  %buf83 = alloca <32 x float>, i64 1, align 64
  %buf84 = alloca <32 x float>, i64 1, align 64
  %buf85 = alloca <32 x float>, i64 1, align 64
  %buf86 = alloca <32 x float>, i64 1, align 64
  %buf87 = alloca <32 x float>, i64 1, align 64
  %buf88 = alloca <32 x float>, i64 1, align 64
  %buf179 = alloca <32 x float>, i64 1, align 64
  %buf180 = alloca <32 x float>, i64 1, align 64
  %buf181 = alloca <32 x float>, i64 1, align 64
  %buf182 = alloca <32 x float>, i64 1, align 64
  %buf183 = alloca <32 x float>, i64 1, align 64
  %buf184 = alloca <32 x float>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 6
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 1
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 4
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 7
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %L, i64 2
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %L, i64 5
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %L, i64 8
  %v18 = load i64, ptr %v17, align 8
  %v22 = icmp eq i64 %v12, -1
  br label %head23
head23:
  %i26 = phi i64 [0, %entry], [%v205, %endif107]
  %v27 = icmp slt i64 %i26, %m
  br i1 %v27, label %body24, label %done25
body24:
  %v28 = mul i64 %i26, %v14
  %v29 = getelementptr i8, ptr %v2, i64 %v28
  %v30 = mul i64 %i26, %v16
  %v31 = getelementptr i8, ptr %v4, i64 %v30
  %v32 = mul i64 %i26, %v18
  %v33 = getelementptr i8, ptr %v6, i64 %v32
  %v34 = ptrtoint ptr %v33 to i64
  %v35 = sub i64 0, %v34
  %v36 = and i64 %v35, 63
  %v37 = and i64 %v36, 7
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = select i1 %v39, i64 %v36, i64 0
  %v41 = lshr i64 %v40, 3
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %n)
  %v43 = sub i64 %n, %v42
  %v44 = and i64 %v43, -32
  %v45 = add i64 %v42, %v44
  br label %head46
head46:
  %i49 = phi i64 [%v42, %body24], [%v102, %endif100]
  %v50 = icmp slt i64 %i49, %v45
  br i1 %v50, label %body47, label %done48
body47:
  %v51 = mul i64 %i49, 8
  %v52 = getelementptr i8, ptr %v29, i64 %v51
  %v53 = mul i64 %i49, 8
  %v54 = getelementptr i8, ptr %v31, i64 %v53
  %v55 = mul i64 %i49, 8
  %v56 = getelementptr i8, ptr %v33, i64 %v55
  %v57 = load <64 x i32>, ptr %v52, align 1
  %v58 = shufflevector <64 x i32> %v57, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v59 = shufflevector <64 x i32> %v57, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v60 = bitcast <32 x i32> %v58 to <32 x float>
  %v61 = bitcast <32 x i32> %v59 to <32 x float>
  %v62 = load <64 x i32>, ptr %v54, align 1
  %v63 = shufflevector <64 x i32> %v62, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v64 = shufflevector <64 x i32> %v62, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v65 = bitcast <32 x i32> %v63 to <32 x float>
  %v66 = bitcast <32 x i32> %v64 to <32 x float>
  %v67 = fmul <32 x float> %v60, %v65
  %v68 = fmul <32 x float> %v61, %v66
  %v69 = fsub <32 x float> %v67, %v68
  %v70 = fmul <32 x float> %v60, %v66
  %v71 = fmul <32 x float> %v61, %v65
  %v72 = fadd <32 x float> %v70, %v71
  %v73 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v69)
  %v74 = fcmp olt <32 x float> %v73, splat (float 0x7FF0000000000000)
  %v75 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v72)
  %v76 = fcmp olt <32 x float> %v75, splat (float 0x7FF0000000000000)
  %v77 = and <32 x i1> %v74, %v76
  %v78 = xor <32 x i1> %v77, splat (i1 1)
  %v79 = bitcast <32 x i1> %v78 to i32
  %v80 = icmp ne i32 %v79, 0
  br i1 %v80, label %side82, label %join81, !prof !1
side82:
  store <32 x float> %v60, ptr %buf83, align 64
  store <32 x float> %v61, ptr %buf84, align 64
  store <32 x float> %v65, ptr %buf85, align 64
  store <32 x float> %v66, ptr %buf86, align 64
  call void @weft_cmul_rare_f32(ptr %buf83, ptr %buf84, ptr %buf85, ptr %buf86, ptr %buf87, ptr %buf88, i64 32)
  %v89 = load <32 x float>, ptr %buf87, align 64
  %v90 = load <32 x float>, ptr %buf88, align 64
  %v91 = select <32 x i1> %v78, <32 x float> %v89, <32 x float> %v69
  %v92 = select <32 x i1> %v78, <32 x float> %v90, <32 x float> %v72
  br label %join81
join81:
  %v93 = phi <32 x float> [%v91, %side82], [%v69, %body47]
  %v94 = phi <32 x float> [%v92, %side82], [%v72, %body47]
  %v95 = bitcast <32 x float> %v93 to <32 x i32>
  %v96 = bitcast <32 x float> %v94 to <32 x i32>
  %v97 = shufflevector <32 x i32> %v95, <32 x i32> %v96, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v98 = and i1 %v39, 1
  br i1 %v98, label %then99, label %else101
then99:
  store <64 x i32> %v97, ptr %v56, align 64, !nontemporal !2
  br label %endif100
else101:
  store <64 x i32> %v97, ptr %v56, align 1
  br label %endif100
endif100:
  %v102 = add i64 %i49, 32
  br label %head46
done48:
  %v103 = sub i64 %n, %v45
  %v104 = or i64 %v42, %v103
  %v105 = icmp ne i64 %v104, 0
  br i1 %v105, label %then106, label %endif107
then106:
  br label %head108
head108:
  %i111 = phi i64 [0, %then106], [%v204, %endif119]
  %v112 = icmp slt i64 %i111, 2
  br i1 %v112, label %body109, label %done110
body109:
  %v113 = icmp eq i64 %i111, 0
  %v114 = select i1 %v113, i64 0, i64 %v45
  %v115 = icmp eq i64 %i111, 0
  %v116 = select i1 %v115, i64 %v42, i64 %n
  %v117 = icmp slt i64 %v114, %v116
  br i1 %v117, label %then118, label %endif119
then118:
  %v120 = add i64 %v114, 32
  %v121 = icmp sle i64 %v120, %v116
  br i1 %v121, label %side123, label %side124, !prof !0
side123:
  %v125 = mul i64 %v114, 8
  %v126 = getelementptr i8, ptr %v29, i64 %v125
  %v127 = mul i64 %v114, 8
  %v128 = getelementptr i8, ptr %v31, i64 %v127
  %v129 = mul i64 %v114, 8
  %v130 = getelementptr i8, ptr %v33, i64 %v129
  br label %join122
side124:
  %v131 = sub i64 %v116, %v114
  %v132 = call i64 @llvm.smin.i64(i64 %v131, i64 32)
  %v133 = mul i64 %v132, 2
  %v134 = trunc i64 %v133 to i32
  %v135 = insertelement <64 x i32> poison, i32 %v134, i64 0
  %v136 = shufflevector <64 x i32> %v135, <64 x i32> poison, <64 x i32> zeroinitializer
  %v137 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v136
  %v138 = mul i64 %v114, 8
  %v139 = getelementptr i8, ptr %v29, i64 %v138
  %v140 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v139, <64 x i1> %v137, <64 x i32> zeroinitializer)
  store <64 x i32> %v140, ptr %buf19, align 64
  %v141 = mul i64 %v132, 2
  %v142 = trunc i64 %v141 to i32
  %v143 = insertelement <64 x i32> poison, i32 %v142, i64 0
  %v144 = shufflevector <64 x i32> %v143, <64 x i32> poison, <64 x i32> zeroinitializer
  %v145 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v144
  %v146 = mul i64 %v114, 8
  %v147 = getelementptr i8, ptr %v31, i64 %v146
  %v148 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v147, <64 x i1> %v145, <64 x i32> zeroinitializer)
  store <64 x i32> %v148, ptr %buf20, align 64
  br label %join122
join122:
  %v149 = phi ptr [%v126, %side123], [%buf19, %side124]
  %v150 = phi ptr [%v128, %side123], [%buf20, %side124]
  %v151 = phi ptr [%v130, %side123], [%buf21, %side124]
  %v152 = phi i64 [32, %side123], [%v132, %side124]
  %v153 = load <64 x i32>, ptr %v149, align 1
  %v154 = shufflevector <64 x i32> %v153, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v155 = shufflevector <64 x i32> %v153, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v156 = bitcast <32 x i32> %v154 to <32 x float>
  %v157 = bitcast <32 x i32> %v155 to <32 x float>
  %v158 = load <64 x i32>, ptr %v150, align 1
  %v159 = shufflevector <64 x i32> %v158, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v160 = shufflevector <64 x i32> %v158, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v161 = bitcast <32 x i32> %v159 to <32 x float>
  %v162 = bitcast <32 x i32> %v160 to <32 x float>
  %v163 = fmul <32 x float> %v156, %v161
  %v164 = fmul <32 x float> %v157, %v162
  %v165 = fsub <32 x float> %v163, %v164
  %v166 = fmul <32 x float> %v156, %v162
  %v167 = fmul <32 x float> %v157, %v161
  %v168 = fadd <32 x float> %v166, %v167
  %v169 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v165)
  %v170 = fcmp olt <32 x float> %v169, splat (float 0x7FF0000000000000)
  %v171 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v168)
  %v172 = fcmp olt <32 x float> %v171, splat (float 0x7FF0000000000000)
  %v173 = and <32 x i1> %v170, %v172
  %v174 = xor <32 x i1> %v173, splat (i1 1)
  %v175 = bitcast <32 x i1> %v174 to i32
  %v176 = icmp ne i32 %v175, 0
  br i1 %v176, label %side178, label %join177, !prof !1
side178:
  store <32 x float> %v156, ptr %buf179, align 64
  store <32 x float> %v157, ptr %buf180, align 64
  store <32 x float> %v161, ptr %buf181, align 64
  store <32 x float> %v162, ptr %buf182, align 64
  call void @weft_cmul_rare_f32(ptr %buf179, ptr %buf180, ptr %buf181, ptr %buf182, ptr %buf183, ptr %buf184, i64 32)
  %v185 = load <32 x float>, ptr %buf183, align 64
  %v186 = load <32 x float>, ptr %buf184, align 64
  %v187 = select <32 x i1> %v174, <32 x float> %v185, <32 x float> %v165
  %v188 = select <32 x i1> %v174, <32 x float> %v186, <32 x float> %v168
  br label %join177
join177:
  %v189 = phi <32 x float> [%v187, %side178], [%v165, %join122]
  %v190 = phi <32 x float> [%v188, %side178], [%v168, %join122]
  %v191 = bitcast <32 x float> %v189 to <32 x i32>
  %v192 = bitcast <32 x float> %v190 to <32 x i32>
  %v193 = shufflevector <32 x i32> %v191, <32 x i32> %v192, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  store <64 x i32> %v193, ptr %v151, align 1
  %v194 = xor i1 %v121, 1
  br i1 %v194, label %then195, label %endif196, !prof !1
then195:
  %v197 = mul i64 %v114, 8
  %v198 = getelementptr i8, ptr %v33, i64 %v197
  %v199 = mul i64 %v152, 2
  %v200 = trunc i64 %v199 to i32
  %v201 = insertelement <64 x i32> poison, i32 %v200, i64 0
  %v202 = shufflevector <64 x i32> %v201, <64 x i32> poison, <64 x i32> zeroinitializer
  %v203 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v202
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v193, ptr align 1 %v198, <64 x i1> %v203)
  br label %endif196
endif196:
  br label %endif119
endif119:
  %v204 = add i64 %i111, 1
  br label %head108
done110:
  br label %endif107
endif107:
  %v205 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then206, label %endif207
then206:
  fence seq_cst
  br label %endif207
endif207:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
