; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
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
  %buf168 = alloca <32 x float>, i64 1, align 64
  %buf169 = alloca <32 x float>, i64 1, align 64
  %buf170 = alloca <32 x float>, i64 1, align 64
  %buf171 = alloca <32 x float>, i64 1, align 64
  %buf172 = alloca <32 x float>, i64 1, align 64
  %buf173 = alloca <32 x float>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v190, %done105]
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
  br label %head103
head103:
  %i106 = phi i64 [0, %done48], [%v189, %endif114]
  %v107 = icmp slt i64 %i106, 2
  br i1 %v107, label %body104, label %done105
body104:
  %v108 = icmp eq i64 %i106, 0
  %v109 = select i1 %v108, i64 0, i64 %v45
  %v110 = icmp eq i64 %i106, 0
  %v111 = select i1 %v110, i64 %v42, i64 %n
  %v112 = icmp slt i64 %v109, %v111
  br i1 %v112, label %then113, label %endif114
then113:
  %v115 = add i64 %v109, 32
  %v116 = icmp sle i64 %v115, %v111
  br i1 %v116, label %side118, label %side119, !prof !0
side118:
  %v120 = mul i64 %v109, 8
  %v121 = getelementptr i8, ptr %v29, i64 %v120
  %v122 = mul i64 %v109, 8
  %v123 = getelementptr i8, ptr %v31, i64 %v122
  %v124 = mul i64 %v109, 8
  %v125 = getelementptr i8, ptr %v33, i64 %v124
  br label %join117
side119:
  %v126 = sub i64 %v111, %v109
  %v127 = call i64 @llvm.smin.i64(i64 %v126, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf19, align 64
  %v128 = mul i64 %v127, 8
  %v129 = sub i64 %v128, 0
  %v130 = getelementptr i8, ptr %buf19, i64 0
  %v131 = mul i64 %v109, 8
  %v132 = getelementptr i8, ptr %v29, i64 %v131
  call void @llvm.memcpy.p0.p0.i64(ptr %v130, ptr %v132, i64 %v129, i1 0)
  store <64 x i32> splat (i32 0), ptr %buf20, align 64
  %v133 = mul i64 %v127, 8
  %v134 = sub i64 %v133, 0
  %v135 = getelementptr i8, ptr %buf20, i64 0
  %v136 = mul i64 %v109, 8
  %v137 = getelementptr i8, ptr %v31, i64 %v136
  call void @llvm.memcpy.p0.p0.i64(ptr %v135, ptr %v137, i64 %v134, i1 0)
  br label %join117
join117:
  %v138 = phi ptr [%v121, %side118], [%buf19, %side119]
  %v139 = phi ptr [%v123, %side118], [%buf20, %side119]
  %v140 = phi ptr [%v125, %side118], [%buf21, %side119]
  %v141 = phi i64 [32, %side118], [%v127, %side119]
  %v142 = load <64 x i32>, ptr %v138, align 1
  %v143 = shufflevector <64 x i32> %v142, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v144 = shufflevector <64 x i32> %v142, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v145 = bitcast <32 x i32> %v143 to <32 x float>
  %v146 = bitcast <32 x i32> %v144 to <32 x float>
  %v147 = load <64 x i32>, ptr %v139, align 1
  %v148 = shufflevector <64 x i32> %v147, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v149 = shufflevector <64 x i32> %v147, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v150 = bitcast <32 x i32> %v148 to <32 x float>
  %v151 = bitcast <32 x i32> %v149 to <32 x float>
  %v152 = fmul <32 x float> %v145, %v150
  %v153 = fmul <32 x float> %v146, %v151
  %v154 = fsub <32 x float> %v152, %v153
  %v155 = fmul <32 x float> %v145, %v151
  %v156 = fmul <32 x float> %v146, %v150
  %v157 = fadd <32 x float> %v155, %v156
  %v158 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v154)
  %v159 = fcmp olt <32 x float> %v158, splat (float 0x7FF0000000000000)
  %v160 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v157)
  %v161 = fcmp olt <32 x float> %v160, splat (float 0x7FF0000000000000)
  %v162 = and <32 x i1> %v159, %v161
  %v163 = xor <32 x i1> %v162, splat (i1 1)
  %v164 = bitcast <32 x i1> %v163 to i32
  %v165 = icmp ne i32 %v164, 0
  br i1 %v165, label %side167, label %join166, !prof !1
side167:
  store <32 x float> %v145, ptr %buf168, align 64
  store <32 x float> %v146, ptr %buf169, align 64
  store <32 x float> %v150, ptr %buf170, align 64
  store <32 x float> %v151, ptr %buf171, align 64
  call void @weft_cmul_rare_f32(ptr %buf168, ptr %buf169, ptr %buf170, ptr %buf171, ptr %buf172, ptr %buf173, i64 32)
  %v174 = load <32 x float>, ptr %buf172, align 64
  %v175 = load <32 x float>, ptr %buf173, align 64
  %v176 = select <32 x i1> %v163, <32 x float> %v174, <32 x float> %v154
  %v177 = select <32 x i1> %v163, <32 x float> %v175, <32 x float> %v157
  br label %join166
join166:
  %v178 = phi <32 x float> [%v176, %side167], [%v154, %join117]
  %v179 = phi <32 x float> [%v177, %side167], [%v157, %join117]
  %v180 = bitcast <32 x float> %v178 to <32 x i32>
  %v181 = bitcast <32 x float> %v179 to <32 x i32>
  %v182 = shufflevector <32 x i32> %v180, <32 x i32> %v181, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  store <64 x i32> %v182, ptr %v140, align 1
  %v183 = xor i1 %v116, 1
  br i1 %v183, label %then184, label %endif185, !prof !1
then184:
  %v186 = mul i64 %v109, 8
  %v187 = getelementptr i8, ptr %v33, i64 %v186
  %v188 = mul i64 %v141, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v187, ptr %buf21, i64 %v188, i1 0)
  br label %endif185
endif185:
  br label %endif114
endif114:
  %v189 = add i64 %i106, 1
  br label %head103
done105:
  %v190 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then191, label %endif192
then191:
  fence seq_cst
  br label %endif192
endif192:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
