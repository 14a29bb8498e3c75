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
  %buf162 = alloca <32 x float>, i64 1, align 64
  %buf163 = alloca <32 x float>, i64 1, align 64
  %buf164 = alloca <32 x float>, i64 1, align 64
  %buf165 = alloca <32 x float>, i64 1, align 64
  %buf166 = alloca <32 x float>, i64 1, align 64
  %buf167 = alloca <32 x float>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v185, %endif106]
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
  %i49 = phi i64 [%v42, %body24], [%v101, %endif99]
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
  br label %head46
done48:
  %v102 = sub i64 %n, %v45
  %v103 = or i64 %v42, %v102
  %v104 = icmp ne i64 %v103, 0
  br i1 %v104, label %then105, label %endif106, !prof !1
then105:
  br label %head107
head107:
  %i110 = phi i64 [0, %then105], [%v184, %endif118]
  %v111 = icmp slt i64 %i110, 2
  br i1 %v111, label %body108, label %done109
body108:
  %v112 = icmp eq i64 %i110, 0
  %v113 = select i1 %v112, i64 0, i64 %v45
  %v114 = icmp eq i64 %i110, 0
  %v115 = select i1 %v114, i64 %v42, i64 %n
  %v116 = icmp slt i64 %v113, %v115
  br i1 %v116, label %then117, label %endif118
then117:
  %v119 = sub i64 %v115, %v113
  %v120 = mul i64 %v119, 2
  %v121 = trunc i64 %v120 to i32
  %v122 = insertelement <64 x i32> poison, i32 %v121, i64 0
  %v123 = shufflevector <64 x i32> %v122, <64 x i32> poison, <64 x i32> zeroinitializer
  %v124 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v123
  %v125 = mul i64 %v113, 8
  %v126 = getelementptr i8, ptr %v29, i64 %v125
  %v127 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v126, <64 x i1> %v124, <64 x i32> zeroinitializer)
  store <64 x i32> %v127, ptr %buf19, align 64
  %v128 = mul i64 %v119, 2
  %v129 = trunc i64 %v128 to i32
  %v130 = insertelement <64 x i32> poison, i32 %v129, i64 0
  %v131 = shufflevector <64 x i32> %v130, <64 x i32> poison, <64 x i32> zeroinitializer
  %v132 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v131
  %v133 = mul i64 %v113, 8
  %v134 = getelementptr i8, ptr %v31, i64 %v133
  %v135 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v134, <64 x i1> %v132, <64 x i32> zeroinitializer)
  store <64 x i32> %v135, ptr %buf20, align 64
  %v136 = load <64 x i32>, ptr %buf19, align 1
  %v137 = shufflevector <64 x i32> %v136, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v138 = shufflevector <64 x i32> %v136, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v139 = bitcast <32 x i32> %v137 to <32 x float>
  %v140 = bitcast <32 x i32> %v138 to <32 x float>
  %v141 = load <64 x i32>, ptr %buf20, align 1
  %v142 = shufflevector <64 x i32> %v141, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v143 = shufflevector <64 x i32> %v141, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v144 = bitcast <32 x i32> %v142 to <32 x float>
  %v145 = bitcast <32 x i32> %v143 to <32 x float>
  %v146 = fmul <32 x float> %v139, %v144
  %v147 = fmul <32 x float> %v140, %v145
  %v148 = fsub <32 x float> %v146, %v147
  %v149 = fmul <32 x float> %v139, %v145
  %v150 = fmul <32 x float> %v140, %v144
  %v151 = fadd <32 x float> %v149, %v150
  %v152 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v148)
  %v153 = fcmp olt <32 x float> %v152, splat (float 0x7FF0000000000000)
  %v154 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v151)
  %v155 = fcmp olt <32 x float> %v154, splat (float 0x7FF0000000000000)
  %v156 = and <32 x i1> %v153, %v155
  %v157 = xor <32 x i1> %v156, splat (i1 1)
  %v158 = bitcast <32 x i1> %v157 to i32
  %v159 = icmp ne i32 %v158, 0
  br i1 %v159, label %side161, label %join160, !prof !1
side161:
  store <32 x float> %v139, ptr %buf162, align 64
  store <32 x float> %v140, ptr %buf163, align 64
  store <32 x float> %v144, ptr %buf164, align 64
  store <32 x float> %v145, ptr %buf165, align 64
  call void @weft_cmul_rare_f32(ptr %buf162, ptr %buf163, ptr %buf164, ptr %buf165, ptr %buf166, ptr %buf167, i64 32)
  %v168 = load <32 x float>, ptr %buf166, align 64
  %v169 = load <32 x float>, ptr %buf167, align 64
  %v170 = select <32 x i1> %v157, <32 x float> %v168, <32 x float> %v148
  %v171 = select <32 x i1> %v157, <32 x float> %v169, <32 x float> %v151
  br label %join160
join160:
  %v172 = phi <32 x float> [%v170, %side161], [%v148, %then117]
  %v173 = phi <32 x float> [%v171, %side161], [%v151, %then117]
  %v174 = bitcast <32 x float> %v172 to <32 x i32>
  %v175 = bitcast <32 x float> %v173 to <32 x i32>
  %v176 = shufflevector <32 x i32> %v174, <32 x i32> %v175, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v177 = mul i64 %v113, 8
  %v178 = getelementptr i8, ptr %v33, i64 %v177
  %v179 = mul i64 %v119, 2
  %v180 = trunc i64 %v179 to i32
  %v181 = insertelement <64 x i32> poison, i32 %v180, i64 0
  %v182 = shufflevector <64 x i32> %v181, <64 x i32> poison, <64 x i32> zeroinitializer
  %v183 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v182
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v176, ptr align 1 %v178, <64 x i1> %v183)
  br label %endif118
endif118:
  %v184 = add i64 %i110, 1
  br label %head107
done109:
  br label %endif106
endif106:
  %v185 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then186, label %endif187
then186:
  fence seq_cst
  br label %endif187
endif187:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
