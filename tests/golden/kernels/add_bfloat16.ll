; map |32|load.float32[]0;astype.bfloat16[0]None;load.float32[]1;astype.bfloat16[2]None;add.bfloat16[1, 3]None|float32:1,float32:1,bfloat16:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
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
  %i26 = phi i64 [0, %entry], [%v186, %endif114]
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
  %v51 = sub i64 %n, %v50
  %v52 = and i64 %v51, -32
  %v53 = add i64 %v50, %v52
  br label %head54
head54:
  %i57 = phi i64 [%v50, %body24], [%v109, %endif106]
  %v58 = icmp slt i64 %i57, %v53
  br i1 %v58, label %body55, label %done56
body55:
  %v59 = mul i64 %i57, 4
  %v60 = getelementptr i8, ptr %v29, i64 %v59
  %v61 = mul i64 %i57, 4
  %v62 = getelementptr i8, ptr %v31, i64 %v61
  %v63 = mul i64 %i57, 2
  %v64 = getelementptr i8, ptr %v33, i64 %v63
  %v65 = getelementptr i8, ptr %v60, i64 0
  %v66 = load <32 x i32>, ptr %v65, align 1
  %v67 = bitcast <32 x i32> %v66 to <32 x float>
  %v68 = bitcast <32 x float> %v67 to <32 x i32>
  %v69 = lshr <32 x i32> %v68, splat (i32 16)
  %v70 = and <32 x i32> %v69, splat (i32 1)
  %v71 = add <32 x i32> %v68, %v70
  %v72 = add <32 x i32> %v71, splat (i32 32767)
  %v73 = fcmp uno <32 x float> %v67, %v67
  %v74 = or <32 x i32> %v68, splat (i32 4194304)
  %v75 = select <32 x i1> %v73, <32 x i32> %v74, <32 x i32> %v72
  %v76 = and <32 x i32> %v75, splat (i32 -65536)
  %v77 = bitcast <32 x i32> %v76 to <32 x float>
  %v78 = getelementptr i8, ptr %v62, i64 0
  %v79 = load <32 x i32>, ptr %v78, align 1
  %v80 = bitcast <32 x i32> %v79 to <32 x float>
  %v81 = bitcast <32 x float> %v80 to <32 x i32>
  %v82 = lshr <32 x i32> %v81, splat (i32 16)
  %v83 = and <32 x i32> %v82, splat (i32 1)
  %v84 = add <32 x i32> %v81, %v83
  %v85 = add <32 x i32> %v84, splat (i32 32767)
  %v86 = fcmp uno <32 x float> %v80, %v80
  %v87 = or <32 x i32> %v81, splat (i32 4194304)
  %v88 = select <32 x i1> %v86, <32 x i32> %v87, <32 x i32> %v85
  %v89 = and <32 x i32> %v88, splat (i32 -65536)
  %v90 = bitcast <32 x i32> %v89 to <32 x float>
  %v91 = fadd <32 x float> %v77, %v90
  %v92 = bitcast <32 x float> %v91 to <32 x i32>
  %v93 = lshr <32 x i32> %v92, splat (i32 16)
  %v94 = and <32 x i32> %v93, splat (i32 1)
  %v95 = add <32 x i32> %v92, %v94
  %v96 = add <32 x i32> %v95, splat (i32 32767)
  %v97 = fcmp uno <32 x float> %v91, %v91
  %v98 = or <32 x i32> %v92, splat (i32 4194304)
  %v99 = select <32 x i1> %v97, <32 x i32> %v98, <32 x i32> %v96
  %v100 = and <32 x i32> %v99, splat (i32 -65536)
  %v101 = bitcast <32 x i32> %v100 to <32 x float>
  %v102 = bitcast <32 x float> %v101 to <32 x i32>
  %v103 = lshr <32 x i32> %v102, splat (i32 16)
  %v104 = trunc <32 x i32> %v103 to <32 x i16>
  br i1 %v47, label %then105, label %else107
then105:
  store <32 x i16> %v104, ptr %v64, align 64, !nontemporal !2
  br label %endif106
else107:
  store <32 x i16> %v104, ptr %v64, align 1
  br label %endif106
endif106:
  %v108 = add i64 %i57, 32
  %v109 = call i64 asm "", "=r,0"(i64 %v108)
  br label %head54
done56:
  %v110 = sub i64 %n, %v53
  %v111 = or i64 %v50, %v110
  %v112 = icmp ne i64 %v111, 0
  br i1 %v112, label %then113, label %endif114, !prof !1
then113:
  br label %head115
head115:
  %i118 = phi i64 [0, %then113], [%v185, %endif126]
  %v119 = icmp slt i64 %i118, 2
  br i1 %v119, label %body116, label %done117
body116:
  %v120 = icmp eq i64 %i118, 0
  %v121 = select i1 %v120, i64 0, i64 %v53
  %v122 = icmp eq i64 %i118, 0
  %v123 = select i1 %v122, i64 %v50, i64 %n
  %v124 = icmp slt i64 %v121, %v123
  br i1 %v124, label %then125, label %endif126
then125:
  %v127 = sub i64 %v123, %v121
  %v128 = mul i64 %v121, 4
  %v129 = getelementptr i8, ptr %v29, i64 %v128
  %v130 = mul i64 %v121, 4
  %v131 = getelementptr i8, ptr %v31, i64 %v130
  %v132 = mul i64 %v127, 1
  %v133 = getelementptr i8, ptr %v129, i64 0
  %v134 = trunc i64 %v132 to i32
  %v135 = insertelement <32 x i32> poison, i32 %v134, i64 0
  %v136 = shufflevector <32 x i32> %v135, <32 x i32> poison, <32 x i32> zeroinitializer
  %v137 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v136
  %v138 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v133, <32 x i1> %v137, <32 x i32> zeroinitializer)
  %v139 = bitcast <32 x i32> %v138 to <32 x float>
  %v140 = bitcast <32 x float> %v139 to <32 x i32>
  %v141 = lshr <32 x i32> %v140, splat (i32 16)
  %v142 = and <32 x i32> %v141, splat (i32 1)
  %v143 = add <32 x i32> %v140, %v142
  %v144 = add <32 x i32> %v143, splat (i32 32767)
  %v145 = fcmp uno <32 x float> %v139, %v139
  %v146 = or <32 x i32> %v140, splat (i32 4194304)
  %v147 = select <32 x i1> %v145, <32 x i32> %v146, <32 x i32> %v144
  %v148 = and <32 x i32> %v147, splat (i32 -65536)
  %v149 = bitcast <32 x i32> %v148 to <32 x float>
  %v150 = mul i64 %v127, 1
  %v151 = getelementptr i8, ptr %v131, i64 0
  %v152 = trunc i64 %v150 to i32
  %v153 = insertelement <32 x i32> poison, i32 %v152, i64 0
  %v154 = shufflevector <32 x i32> %v153, <32 x i32> poison, <32 x i32> zeroinitializer
  %v155 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v154
  %v156 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v151, <32 x i1> %v155, <32 x i32> zeroinitializer)
  %v157 = bitcast <32 x i32> %v156 to <32 x float>
  %v158 = bitcast <32 x float> %v157 to <32 x i32>
  %v159 = lshr <32 x i32> %v158, splat (i32 16)
  %v160 = and <32 x i32> %v159, splat (i32 1)
  %v161 = add <32 x i32> %v158, %v160
  %v162 = add <32 x i32> %v161, splat (i32 32767)
  %v163 = fcmp uno <32 x float> %v157, %v157
  %v164 = or <32 x i32> %v158, splat (i32 4194304)
  %v165 = select <32 x i1> %v163, <32 x i32> %v164, <32 x i32> %v162
  %v166 = and <32 x i32> %v165, splat (i32 -65536)
  %v167 = bitcast <32 x i32> %v166 to <32 x float>
  %v168 = fadd <32 x float> %v149, %v167
  %v169 = bitcast <32 x float> %v168 to <32 x i32>
  %v170 = lshr <32 x i32> %v169, splat (i32 16)
  %v171 = and <32 x i32> %v170, splat (i32 1)
  %v172 = add <32 x i32> %v169, %v171
  %v173 = add <32 x i32> %v172, splat (i32 32767)
  %v174 = fcmp uno <32 x float> %v168, %v168
  %v175 = or <32 x i32> %v169, splat (i32 4194304)
  %v176 = select <32 x i1> %v174, <32 x i32> %v175, <32 x i32> %v173
  %v177 = and <32 x i32> %v176, splat (i32 -65536)
  %v178 = bitcast <32 x i32> %v177 to <32 x float>
  %v179 = bitcast <32 x float> %v178 to <32 x i32>
  %v180 = lshr <32 x i32> %v179, splat (i32 16)
  %v181 = trunc <32 x i32> %v180 to <32 x i16>
  %v182 = mul i64 %v121, 2
  %v183 = getelementptr i8, ptr %v33, i64 %v182
  store <32 x i16> %v181, ptr %buf21, align 1
  %v184 = mul i64 %v127, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v183, ptr %buf21, i64 %v184, i1 0)
  br label %endif126
endif126:
  %v185 = add i64 %i118, 1
  br label %head115
done117:
  br label %endif114
endif114:
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
