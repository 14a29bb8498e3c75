; map |32|load.float32[]0;astype.bfloat16[0]None;load.float32[]1;astype.bfloat16[2]None;add.bfloat16[1, 3]None|float32:1,float32:1,bfloat16:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <32 x i32>, i64 1, align 64
  %buf20 = alloca <32 x i32>, i64 1, align 64
  %buf21 = alloca <32 x i16>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v200, %endif128]
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
  %v37 = mul i64 %n, 2
  %v38 = or i64 %v36, %v37
  %v39 = and i64 %v38, 63
  %v40 = icmp eq i64 %v39, 0
  %v41 = and i1 %v22, %v40
  %v42 = icmp sge i64 %v37, 3072
  %v43 = and i1 %v22, %v42
  %v44 = and i64 %v36, 1
  %v45 = icmp eq i64 %v44, 0
  %v46 = and i1 %v43, %v45
  %v47 = or i1 %v41, %v46
  %v48 = select i1 %v47, i64 %v36, i64 0
  %v49 = lshr i64 %v48, 1
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 %n)
  %v51 = icmp sge i64 %n, 16384
  %v52 = select i1 %v51, i64 1536, i64 0
  %v53 = sub i64 %n, %v50
  %v54 = and i64 %v53, -32
  %v55 = add i64 %v50, %v54
  br label %head56
head56:
  %i59 = phi i64 [%v50, %body24], [%v123, %endif120]
  %v60 = icmp slt i64 %i59, %v55
  br i1 %v60, label %body57, label %done58
body57:
  %v61 = mul i64 %i59, 4
  %v62 = getelementptr i8, ptr %v29, i64 %v61
  %v63 = add i64 %v52, 0
  %v64 = getelementptr i8, ptr %v62, i64 %v63
  call void @llvm.prefetch.p0(ptr %v64, i32 0, i32 3, i32 1)
  %v65 = add i64 %v52, 64
  %v66 = getelementptr i8, ptr %v62, i64 %v65
  call void @llvm.prefetch.p0(ptr %v66, i32 0, i32 3, i32 1)
  %v67 = mul i64 %i59, 4
  %v68 = getelementptr i8, ptr %v31, i64 %v67
  %v69 = add i64 %v52, 0
  %v70 = getelementptr i8, ptr %v68, i64 %v69
  call void @llvm.prefetch.p0(ptr %v70, i32 0, i32 3, i32 1)
  %v71 = add i64 %v52, 64
  %v72 = getelementptr i8, ptr %v68, i64 %v71
  call void @llvm.prefetch.p0(ptr %v72, i32 0, i32 3, i32 1)
  %v73 = mul i64 %i59, 4
  %v74 = getelementptr i8, ptr %v29, i64 %v73
  %v75 = mul i64 %i59, 4
  %v76 = getelementptr i8, ptr %v31, i64 %v75
  %v77 = mul i64 %i59, 2
  %v78 = getelementptr i8, ptr %v33, i64 %v77
  %v79 = getelementptr i8, ptr %v74, i64 0
  %v80 = load <32 x i32>, ptr %v79, align 1
  %v81 = bitcast <32 x i32> %v80 to <32 x float>
  %v82 = bitcast <32 x float> %v81 to <32 x i32>
  %v83 = lshr <32 x i32> %v82, splat (i32 16)
  %v84 = and <32 x i32> %v83, splat (i32 1)
  %v85 = add <32 x i32> %v82, %v84
  %v86 = add <32 x i32> %v85, splat (i32 32767)
  %v87 = fcmp uno <32 x float> %v81, %v81
  %v88 = or <32 x i32> %v82, splat (i32 4194304)
  %v89 = select <32 x i1> %v87, <32 x i32> %v88, <32 x i32> %v86
  %v90 = and <32 x i32> %v89, splat (i32 -65536)
  %v91 = bitcast <32 x i32> %v90 to <32 x float>
  %v92 = getelementptr i8, ptr %v76, i64 0
  %v93 = load <32 x i32>, ptr %v92, align 1
  %v94 = bitcast <32 x i32> %v93 to <32 x float>
  %v95 = bitcast <32 x float> %v94 to <32 x i32>
  %v96 = lshr <32 x i32> %v95, splat (i32 16)
  %v97 = and <32 x i32> %v96, splat (i32 1)
  %v98 = add <32 x i32> %v95, %v97
  %v99 = add <32 x i32> %v98, splat (i32 32767)
  %v100 = fcmp uno <32 x float> %v94, %v94
  %v101 = or <32 x i32> %v95, splat (i32 4194304)
  %v102 = select <32 x i1> %v100, <32 x i32> %v101, <32 x i32> %v99
  %v103 = and <32 x i32> %v102, splat (i32 -65536)
  %v104 = bitcast <32 x i32> %v103 to <32 x float>
  %v105 = fadd <32 x float> %v91, %v104
  %v106 = bitcast <32 x float> %v105 to <32 x i32>
  %v107 = lshr <32 x i32> %v106, splat (i32 16)
  %v108 = and <32 x i32> %v107, splat (i32 1)
  %v109 = add <32 x i32> %v106, %v108
  %v110 = add <32 x i32> %v109, splat (i32 32767)
  %v111 = fcmp uno <32 x float> %v105, %v105
  %v112 = or <32 x i32> %v106, splat (i32 4194304)
  %v113 = select <32 x i1> %v111, <32 x i32> %v112, <32 x i32> %v110
  %v114 = and <32 x i32> %v113, splat (i32 -65536)
  %v115 = bitcast <32 x i32> %v114 to <32 x float>
  %v116 = bitcast <32 x float> %v115 to <32 x i32>
  %v117 = lshr <32 x i32> %v116, splat (i32 16)
  %v118 = trunc <32 x i32> %v117 to <32 x i16>
  br i1 %v47, label %then119, label %else121
then119:
  store <32 x i16> %v118, ptr %v78, align 64, !nontemporal !2
  br label %endif120
else121:
  store <32 x i16> %v118, ptr %v78, align 1
  br label %endif120
endif120:
  %v122 = add i64 %i59, 32
  %v123 = call i64 asm "", "=r,0"(i64 %v122)
  br label %head56
done58:
  %v124 = sub i64 %n, %v55
  %v125 = or i64 %v50, %v124
  %v126 = icmp ne i64 %v125, 0
  br i1 %v126, label %then127, label %endif128, !prof !1
then127:
  br label %head129
head129:
  %i132 = phi i64 [0, %then127], [%v199, %endif140]
  %v133 = icmp slt i64 %i132, 2
  br i1 %v133, label %body130, label %done131
body130:
  %v134 = icmp eq i64 %i132, 0
  %v135 = select i1 %v134, i64 0, i64 %v55
  %v136 = icmp eq i64 %i132, 0
  %v137 = select i1 %v136, i64 %v50, i64 %n
  %v138 = icmp slt i64 %v135, %v137
  br i1 %v138, label %then139, label %endif140
then139:
  %v141 = sub i64 %v137, %v135
  %v142 = mul i64 %v135, 4
  %v143 = getelementptr i8, ptr %v29, i64 %v142
  %v144 = mul i64 %v135, 4
  %v145 = getelementptr i8, ptr %v31, i64 %v144
  %v146 = mul i64 %v141, 1
  %v147 = getelementptr i8, ptr %v143, i64 0
  %v148 = trunc i64 %v146 to i32
  %v149 = insertelement <32 x i32> poison, i32 %v148, i64 0
  %v150 = shufflevector <32 x i32> %v149, <32 x i32> poison, <32 x i32> zeroinitializer
  %v151 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v150
  %v152 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v147, <32 x i1> %v151, <32 x i32> zeroinitializer)
  %v153 = bitcast <32 x i32> %v152 to <32 x float>
  %v154 = bitcast <32 x float> %v153 to <32 x i32>
  %v155 = lshr <32 x i32> %v154, splat (i32 16)
  %v156 = and <32 x i32> %v155, splat (i32 1)
  %v157 = add <32 x i32> %v154, %v156
  %v158 = add <32 x i32> %v157, splat (i32 32767)
  %v159 = fcmp uno <32 x float> %v153, %v153
  %v160 = or <32 x i32> %v154, splat (i32 4194304)
  %v161 = select <32 x i1> %v159, <32 x i32> %v160, <32 x i32> %v158
  %v162 = and <32 x i32> %v161, splat (i32 -65536)
  %v163 = bitcast <32 x i32> %v162 to <32 x float>
  %v164 = mul i64 %v141, 1
  %v165 = getelementptr i8, ptr %v145, i64 0
  %v166 = trunc i64 %v164 to i32
  %v167 = insertelement <32 x i32> poison, i32 %v166, i64 0
  %v168 = shufflevector <32 x i32> %v167, <32 x i32> poison, <32 x i32> zeroinitializer
  %v169 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v168
  %v170 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v165, <32 x i1> %v169, <32 x i32> zeroinitializer)
  %v171 = bitcast <32 x i32> %v170 to <32 x float>
  %v172 = bitcast <32 x float> %v171 to <32 x i32>
  %v173 = lshr <32 x i32> %v172, splat (i32 16)
  %v174 = and <32 x i32> %v173, splat (i32 1)
  %v175 = add <32 x i32> %v172, %v174
  %v176 = add <32 x i32> %v175, splat (i32 32767)
  %v177 = fcmp uno <32 x float> %v171, %v171
  %v178 = or <32 x i32> %v172, splat (i32 4194304)
  %v179 = select <32 x i1> %v177, <32 x i32> %v178, <32 x i32> %v176
  %v180 = and <32 x i32> %v179, splat (i32 -65536)
  %v181 = bitcast <32 x i32> %v180 to <32 x float>
  %v182 = fadd <32 x float> %v163, %v181
  %v183 = bitcast <32 x float> %v182 to <32 x i32>
  %v184 = lshr <32 x i32> %v183, splat (i32 16)
  %v185 = and <32 x i32> %v184, splat (i32 1)
  %v186 = add <32 x i32> %v183, %v185
  %v187 = add <32 x i32> %v186, splat (i32 32767)
  %v188 = fcmp uno <32 x float> %v182, %v182
  %v189 = or <32 x i32> %v183, splat (i32 4194304)
  %v190 = select <32 x i1> %v188, <32 x i32> %v189, <32 x i32> %v187
  %v191 = and <32 x i32> %v190, splat (i32 -65536)
  %v192 = bitcast <32 x i32> %v191 to <32 x float>
  %v193 = bitcast <32 x float> %v192 to <32 x i32>
  %v194 = lshr <32 x i32> %v193, splat (i32 16)
  %v195 = trunc <32 x i32> %v194 to <32 x i16>
  %v196 = mul i64 %v135, 2
  %v197 = getelementptr i8, ptr %v33, i64 %v196
  store <32 x i16> %v195, ptr %buf21, align 1
  %v198 = mul i64 %v141, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v197, ptr %buf21, i64 %v198, i1 0)
  br label %endif140
endif140:
  %v199 = add i64 %i132, 1
  br label %head129
done131:
  br label %endif128
endif128:
  %v200 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then201, label %endif202
then201:
  fence seq_cst
  br label %endif202
endif202:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
