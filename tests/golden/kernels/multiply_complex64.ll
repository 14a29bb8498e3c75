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
  %buf163 = alloca <32 x float>, i64 1, align 64
  %buf164 = alloca <32 x float>, i64 1, align 64
  %buf165 = alloca <32 x float>, i64 1, align 64
  %buf166 = alloca <32 x float>, i64 1, align 64
  %buf167 = alloca <32 x float>, i64 1, align 64
  %buf168 = alloca <32 x float>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v186, %endif107]
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
  %i49 = phi i64 [%v42, %body24], [%v102, %endif99]
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
  br i1 %v39, label %then98, label %else100
then98:
  store <64 x i32> %v97, ptr %v56, align 64, !nontemporal !2
  br label %endif99
else100:
  store <64 x i32> %v97, ptr %v56, align 1
  br label %endif99
endif99:
  %v101 = add i64 %i49, 32
  %v102 = call i64 asm "", "=r,0"(i64 %v101)
  br label %head46
done48:
  %v103 = sub i64 %n, %v45
  %v104 = or i64 %v42, %v103
  %v105 = icmp ne i64 %v104, 0
  br i1 %v105, label %then106, label %endif107, !prof !1
then106:
  br label %head108
head108:
  %i111 = phi i64 [0, %then106], [%v185, %endif119]
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
  %v120 = sub i64 %v116, %v114
  %v121 = mul i64 %v120, 2
  %v122 = trunc i64 %v121 to i32
  %v123 = insertelement <64 x i32> poison, i32 %v122, i64 0
  %v124 = shufflevector <64 x i32> %v123, <64 x i32> poison, <64 x i32> zeroinitializer
  %v125 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v124
  %v126 = mul i64 %v114, 8
  %v127 = getelementptr i8, ptr %v29, i64 %v126
  %v128 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v127, <64 x i1> %v125, <64 x i32> zeroinitializer)
  store <64 x i32> %v128, ptr %buf19, align 64
  %v129 = mul i64 %v120, 2
  %v130 = trunc i64 %v129 to i32
  %v131 = insertelement <64 x i32> poison, i32 %v130, i64 0
  %v132 = shufflevector <64 x i32> %v131, <64 x i32> poison, <64 x i32> zeroinitializer
  %v133 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v132
  %v134 = mul i64 %v114, 8
  %v135 = getelementptr i8, ptr %v31, i64 %v134
  %v136 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v135, <64 x i1> %v133, <64 x i32> zeroinitializer)
  store <64 x i32> %v136, ptr %buf20, align 64
  %v137 = load <64 x i32>, ptr %buf19, align 1
  %v138 = shufflevector <64 x i32> %v137, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v139 = shufflevector <64 x i32> %v137, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v140 = bitcast <32 x i32> %v138 to <32 x float>
  %v141 = bitcast <32 x i32> %v139 to <32 x float>
  %v142 = load <64 x i32>, ptr %buf20, align 1
  %v143 = shufflevector <64 x i32> %v142, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v144 = shufflevector <64 x i32> %v142, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v145 = bitcast <32 x i32> %v143 to <32 x float>
  %v146 = bitcast <32 x i32> %v144 to <32 x float>
  %v147 = fmul <32 x float> %v140, %v145
  %v148 = fmul <32 x float> %v141, %v146
  %v149 = fsub <32 x float> %v147, %v148
  %v150 = fmul <32 x float> %v140, %v146
  %v151 = fmul <32 x float> %v141, %v145
  %v152 = fadd <32 x float> %v150, %v151
  %v153 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v149)
  %v154 = fcmp olt <32 x float> %v153, splat (float 0x7FF0000000000000)
  %v155 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v152)
  %v156 = fcmp olt <32 x float> %v155, splat (float 0x7FF0000000000000)
  %v157 = and <32 x i1> %v154, %v156
  %v158 = xor <32 x i1> %v157, splat (i1 1)
  %v159 = bitcast <32 x i1> %v158 to i32
  %v160 = icmp ne i32 %v159, 0
  br i1 %v160, label %side162, label %join161, !prof !1
side162:
  store <32 x float> %v140, ptr %buf163, align 64
  store <32 x float> %v141, ptr %buf164, align 64
  store <32 x float> %v145, ptr %buf165, align 64
  store <32 x float> %v146, ptr %buf166, align 64
  call void @weft_cmul_rare_f32(ptr %buf163, ptr %buf164, ptr %buf165, ptr %buf166, ptr %buf167, ptr %buf168, i64 32)
  %v169 = load <32 x float>, ptr %buf167, align 64
  %v170 = load <32 x float>, ptr %buf168, align 64
  %v171 = select <32 x i1> %v158, <32 x float> %v169, <32 x float> %v149
  %v172 = select <32 x i1> %v158, <32 x float> %v170, <32 x float> %v152
  br label %join161
join161:
  %v173 = phi <32 x float> [%v171, %side162], [%v149, %then118]
  %v174 = phi <32 x float> [%v172, %side162], [%v152, %then118]
  %v175 = bitcast <32 x float> %v173 to <32 x i32>
  %v176 = bitcast <32 x float> %v174 to <32 x i32>
  %v177 = shufflevector <32 x i32> %v175, <32 x i32> %v176, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v178 = mul i64 %v114, 8
  %v179 = getelementptr i8, ptr %v33, i64 %v178
  %v180 = mul i64 %v120, 2
  %v181 = trunc i64 %v180 to i32
  %v182 = insertelement <64 x i32> poison, i32 %v181, i64 0
  %v183 = shufflevector <64 x i32> %v182, <64 x i32> poison, <64 x i32> zeroinitializer
  %v184 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v183
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v177, ptr align 1 %v179, <64 x i1> %v184)
  br label %endif119
endif119:
  %v185 = add i64 %i111, 1
  br label %head108
done110:
  br label %endif107
endif107:
  %v186 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then187, label %endif188
then187:
  fence seq_cst
  br label %endif188
endif188:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
