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
  %i26 = phi i64 [0, %entry], [%v199, %endif106]
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
  %v37 = and i64 %v36, 1
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = select i1 %v39, i64 %v36, i64 0
  %v41 = lshr i64 %v40, 1
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
  %v51 = mul i64 %i49, 4
  %v52 = getelementptr i8, ptr %v29, i64 %v51
  %v53 = mul i64 %i49, 4
  %v54 = getelementptr i8, ptr %v31, i64 %v53
  %v55 = mul i64 %i49, 2
  %v56 = getelementptr i8, ptr %v33, i64 %v55
  %v57 = getelementptr i8, ptr %v52, i64 0
  %v58 = load <32 x i32>, ptr %v57, align 1
  %v59 = bitcast <32 x i32> %v58 to <32 x float>
  %v60 = bitcast <32 x float> %v59 to <32 x i32>
  %v61 = lshr <32 x i32> %v60, splat (i32 16)
  %v62 = and <32 x i32> %v61, splat (i32 1)
  %v63 = add <32 x i32> %v60, %v62
  %v64 = add <32 x i32> %v63, splat (i32 32767)
  %v65 = fcmp uno <32 x float> %v59, %v59
  %v66 = or <32 x i32> %v60, splat (i32 4194304)
  %v67 = select <32 x i1> %v65, <32 x i32> %v66, <32 x i32> %v64
  %v68 = and <32 x i32> %v67, splat (i32 -65536)
  %v69 = bitcast <32 x i32> %v68 to <32 x float>
  %v70 = getelementptr i8, ptr %v54, i64 0
  %v71 = load <32 x i32>, ptr %v70, align 1
  %v72 = bitcast <32 x i32> %v71 to <32 x float>
  %v73 = bitcast <32 x float> %v72 to <32 x i32>
  %v74 = lshr <32 x i32> %v73, splat (i32 16)
  %v75 = and <32 x i32> %v74, splat (i32 1)
  %v76 = add <32 x i32> %v73, %v75
  %v77 = add <32 x i32> %v76, splat (i32 32767)
  %v78 = fcmp uno <32 x float> %v72, %v72
  %v79 = or <32 x i32> %v73, splat (i32 4194304)
  %v80 = select <32 x i1> %v78, <32 x i32> %v79, <32 x i32> %v77
  %v81 = and <32 x i32> %v80, splat (i32 -65536)
  %v82 = bitcast <32 x i32> %v81 to <32 x float>
  %v83 = fadd <32 x float> %v69, %v82
  %v84 = bitcast <32 x float> %v83 to <32 x i32>
  %v85 = lshr <32 x i32> %v84, splat (i32 16)
  %v86 = and <32 x i32> %v85, splat (i32 1)
  %v87 = add <32 x i32> %v84, %v86
  %v88 = add <32 x i32> %v87, splat (i32 32767)
  %v89 = fcmp uno <32 x float> %v83, %v83
  %v90 = or <32 x i32> %v84, splat (i32 4194304)
  %v91 = select <32 x i1> %v89, <32 x i32> %v90, <32 x i32> %v88
  %v92 = and <32 x i32> %v91, splat (i32 -65536)
  %v93 = bitcast <32 x i32> %v92 to <32 x float>
  %v94 = bitcast <32 x float> %v93 to <32 x i32>
  %v95 = lshr <32 x i32> %v94, splat (i32 16)
  %v96 = trunc <32 x i32> %v95 to <32 x i16>
  %v97 = and i1 %v39, 1
  br i1 %v97, label %then98, label %else100
then98:
  store <32 x i16> %v96, ptr %v56, align 64, !nontemporal !2
  br label %endif99
else100:
  store <32 x i16> %v96, ptr %v56, align 1
  br label %endif99
endif99:
  %v101 = add i64 %i49, 32
  br label %head46
done48:
  %v102 = sub i64 %n, %v45
  %v103 = or i64 %v42, %v102
  %v104 = icmp ne i64 %v103, 0
  br i1 %v104, label %then105, label %endif106
then105:
  br label %head107
head107:
  %i110 = phi i64 [0, %then105], [%v198, %endif118]
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
  %v119 = add i64 %v113, 32
  %v120 = icmp sle i64 %v119, %v115
  br i1 %v120, label %side122, label %side123, !prof !0
side122:
  %v124 = mul i64 %v113, 4
  %v125 = getelementptr i8, ptr %v29, i64 %v124
  %v126 = mul i64 %v113, 4
  %v127 = getelementptr i8, ptr %v31, i64 %v126
  %v128 = mul i64 %v113, 2
  %v129 = getelementptr i8, ptr %v33, i64 %v128
  br label %join121
side123:
  %v130 = sub i64 %v115, %v113
  %v131 = call i64 @llvm.smin.i64(i64 %v130, i64 32)
  %v132 = mul i64 %v131, 1
  %v133 = trunc i64 %v132 to i32
  %v134 = insertelement <32 x i32> poison, i32 %v133, i64 0
  %v135 = shufflevector <32 x i32> %v134, <32 x i32> poison, <32 x i32> zeroinitializer
  %v136 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v135
  %v137 = mul i64 %v113, 4
  %v138 = getelementptr i8, ptr %v29, i64 %v137
  %v139 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v138, <32 x i1> %v136, <32 x i32> zeroinitializer)
  store <32 x i32> %v139, ptr %buf19, align 64
  %v140 = mul i64 %v131, 1
  %v141 = trunc i64 %v140 to i32
  %v142 = insertelement <32 x i32> poison, i32 %v141, i64 0
  %v143 = shufflevector <32 x i32> %v142, <32 x i32> poison, <32 x i32> zeroinitializer
  %v144 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v143
  %v145 = mul i64 %v113, 4
  %v146 = getelementptr i8, ptr %v31, i64 %v145
  %v147 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v146, <32 x i1> %v144, <32 x i32> zeroinitializer)
  store <32 x i32> %v147, ptr %buf20, align 64
  br label %join121
join121:
  %v148 = phi ptr [%v125, %side122], [%buf19, %side123]
  %v149 = phi ptr [%v127, %side122], [%buf20, %side123]
  %v150 = phi ptr [%v129, %side122], [%buf21, %side123]
  %v151 = phi i64 [32, %side122], [%v131, %side123]
  %v152 = getelementptr i8, ptr %v148, i64 0
  %v153 = load <32 x i32>, ptr %v152, align 1
  %v154 = bitcast <32 x i32> %v153 to <32 x float>
  %v155 = bitcast <32 x float> %v154 to <32 x i32>
  %v156 = lshr <32 x i32> %v155, splat (i32 16)
  %v157 = and <32 x i32> %v156, splat (i32 1)
  %v158 = add <32 x i32> %v155, %v157
  %v159 = add <32 x i32> %v158, splat (i32 32767)
  %v160 = fcmp uno <32 x float> %v154, %v154
  %v161 = or <32 x i32> %v155, splat (i32 4194304)
  %v162 = select <32 x i1> %v160, <32 x i32> %v161, <32 x i32> %v159
  %v163 = and <32 x i32> %v162, splat (i32 -65536)
  %v164 = bitcast <32 x i32> %v163 to <32 x float>
  %v165 = getelementptr i8, ptr %v149, i64 0
  %v166 = load <32 x i32>, ptr %v165, align 1
  %v167 = bitcast <32 x i32> %v166 to <32 x float>
  %v168 = bitcast <32 x float> %v167 to <32 x i32>
  %v169 = lshr <32 x i32> %v168, splat (i32 16)
  %v170 = and <32 x i32> %v169, splat (i32 1)
  %v171 = add <32 x i32> %v168, %v170
  %v172 = add <32 x i32> %v171, splat (i32 32767)
  %v173 = fcmp uno <32 x float> %v167, %v167
  %v174 = or <32 x i32> %v168, splat (i32 4194304)
  %v175 = select <32 x i1> %v173, <32 x i32> %v174, <32 x i32> %v172
  %v176 = and <32 x i32> %v175, splat (i32 -65536)
  %v177 = bitcast <32 x i32> %v176 to <32 x float>
  %v178 = fadd <32 x float> %v164, %v177
  %v179 = bitcast <32 x float> %v178 to <32 x i32>
  %v180 = lshr <32 x i32> %v179, splat (i32 16)
  %v181 = and <32 x i32> %v180, splat (i32 1)
  %v182 = add <32 x i32> %v179, %v181
  %v183 = add <32 x i32> %v182, splat (i32 32767)
  %v184 = fcmp uno <32 x float> %v178, %v178
  %v185 = or <32 x i32> %v179, splat (i32 4194304)
  %v186 = select <32 x i1> %v184, <32 x i32> %v185, <32 x i32> %v183
  %v187 = and <32 x i32> %v186, splat (i32 -65536)
  %v188 = bitcast <32 x i32> %v187 to <32 x float>
  %v189 = bitcast <32 x float> %v188 to <32 x i32>
  %v190 = lshr <32 x i32> %v189, splat (i32 16)
  %v191 = trunc <32 x i32> %v190 to <32 x i16>
  store <32 x i16> %v191, ptr %v150, align 1
  %v192 = xor i1 %v120, 1
  br i1 %v192, label %then193, label %endif194, !prof !1
then193:
  %v195 = mul i64 %v113, 2
  %v196 = getelementptr i8, ptr %v33, i64 %v195
  %v197 = mul i64 %v151, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v196, ptr %buf21, i64 %v197, i1 0)
  br label %endif194
endif194:
  br label %endif118
endif118:
  %v198 = add i64 %i110, 1
  br label %head107
done109:
  br label %endif106
endif106:
  %v199 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then200, label %endif201
then200:
  fence seq_cst
  br label %endif201
endif201:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
