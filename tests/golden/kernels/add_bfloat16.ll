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
  %i26 = phi i64 [0, %entry], [%v180, %endif106]
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
  %i49 = phi i64 [%v42, %body24], [%v101, %endif98]
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
  br i1 %v39, label %then97, label %else99
then97:
  store <32 x i16> %v96, ptr %v56, align 64, !nontemporal !2
  br label %endif98
else99:
  store <32 x i16> %v96, ptr %v56, align 1
  br label %endif98
endif98:
  %v100 = add i64 %i49, 32
  %v101 = call i64 asm "", "=r,0"(i64 %v100)
  br label %head46
done48:
  %v102 = sub i64 %n, %v45
  %v103 = or i64 %v42, %v102
  %v104 = icmp ne i64 %v103, 0
  br i1 %v104, label %then105, label %endif106, !prof !1
then105:
  br label %head107
head107:
  %i110 = phi i64 [0, %then105], [%v179, %endif118]
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
  %v120 = mul i64 %v119, 1
  %v121 = trunc i64 %v120 to i32
  %v122 = insertelement <32 x i32> poison, i32 %v121, i64 0
  %v123 = shufflevector <32 x i32> %v122, <32 x i32> poison, <32 x i32> zeroinitializer
  %v124 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v123
  %v125 = mul i64 %v113, 4
  %v126 = getelementptr i8, ptr %v29, i64 %v125
  %v127 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v126, <32 x i1> %v124, <32 x i32> zeroinitializer)
  store <32 x i32> %v127, ptr %buf19, align 64
  %v128 = mul i64 %v119, 1
  %v129 = trunc i64 %v128 to i32
  %v130 = insertelement <32 x i32> poison, i32 %v129, i64 0
  %v131 = shufflevector <32 x i32> %v130, <32 x i32> poison, <32 x i32> zeroinitializer
  %v132 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v131
  %v133 = mul i64 %v113, 4
  %v134 = getelementptr i8, ptr %v31, i64 %v133
  %v135 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v134, <32 x i1> %v132, <32 x i32> zeroinitializer)
  store <32 x i32> %v135, ptr %buf20, align 64
  %v136 = getelementptr i8, ptr %buf19, i64 0
  %v137 = load <32 x i32>, ptr %v136, align 1
  %v138 = bitcast <32 x i32> %v137 to <32 x float>
  %v139 = bitcast <32 x float> %v138 to <32 x i32>
  %v140 = lshr <32 x i32> %v139, splat (i32 16)
  %v141 = and <32 x i32> %v140, splat (i32 1)
  %v142 = add <32 x i32> %v139, %v141
  %v143 = add <32 x i32> %v142, splat (i32 32767)
  %v144 = fcmp uno <32 x float> %v138, %v138
  %v145 = or <32 x i32> %v139, splat (i32 4194304)
  %v146 = select <32 x i1> %v144, <32 x i32> %v145, <32 x i32> %v143
  %v147 = and <32 x i32> %v146, splat (i32 -65536)
  %v148 = bitcast <32 x i32> %v147 to <32 x float>
  %v149 = getelementptr i8, ptr %buf20, i64 0
  %v150 = load <32 x i32>, ptr %v149, align 1
  %v151 = bitcast <32 x i32> %v150 to <32 x float>
  %v152 = bitcast <32 x float> %v151 to <32 x i32>
  %v153 = lshr <32 x i32> %v152, splat (i32 16)
  %v154 = and <32 x i32> %v153, splat (i32 1)
  %v155 = add <32 x i32> %v152, %v154
  %v156 = add <32 x i32> %v155, splat (i32 32767)
  %v157 = fcmp uno <32 x float> %v151, %v151
  %v158 = or <32 x i32> %v152, splat (i32 4194304)
  %v159 = select <32 x i1> %v157, <32 x i32> %v158, <32 x i32> %v156
  %v160 = and <32 x i32> %v159, splat (i32 -65536)
  %v161 = bitcast <32 x i32> %v160 to <32 x float>
  %v162 = fadd <32 x float> %v148, %v161
  %v163 = bitcast <32 x float> %v162 to <32 x i32>
  %v164 = lshr <32 x i32> %v163, splat (i32 16)
  %v165 = and <32 x i32> %v164, splat (i32 1)
  %v166 = add <32 x i32> %v163, %v165
  %v167 = add <32 x i32> %v166, splat (i32 32767)
  %v168 = fcmp uno <32 x float> %v162, %v162
  %v169 = or <32 x i32> %v163, splat (i32 4194304)
  %v170 = select <32 x i1> %v168, <32 x i32> %v169, <32 x i32> %v167
  %v171 = and <32 x i32> %v170, splat (i32 -65536)
  %v172 = bitcast <32 x i32> %v171 to <32 x float>
  %v173 = bitcast <32 x float> %v172 to <32 x i32>
  %v174 = lshr <32 x i32> %v173, splat (i32 16)
  %v175 = trunc <32 x i32> %v174 to <32 x i16>
  %v176 = mul i64 %v113, 2
  %v177 = getelementptr i8, ptr %v33, i64 %v176
  store <32 x i16> %v175, ptr %buf21, align 1
  %v178 = mul i64 %v119, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v177, ptr %buf21, i64 %v178, i1 0)
  br label %endif118
endif118:
  %v179 = add i64 %i110, 1
  br label %head107
done109:
  br label %endif106
endif106:
  %v180 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then181, label %endif182
then181:
  fence seq_cst
  br label %endif182
endif182:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
