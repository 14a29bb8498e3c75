; map |32|load.float32[]0;astype.bfloat16[0]None;load.float32[]1;astype.bfloat16[2]None;add.bfloat16[1, 3]None|float32:1,float32:1,bfloat16:1
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
  %i26 = phi i64 [0, %entry], [%v188, %done104]
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
  br label %head102
head102:
  %i105 = phi i64 [0, %done48], [%v187, %endif113]
  %v106 = icmp slt i64 %i105, 2
  br i1 %v106, label %body103, label %done104
body103:
  %v107 = icmp eq i64 %i105, 0
  %v108 = select i1 %v107, i64 0, i64 %v45
  %v109 = icmp eq i64 %i105, 0
  %v110 = select i1 %v109, i64 %v42, i64 %n
  %v111 = icmp slt i64 %v108, %v110
  br i1 %v111, label %then112, label %endif113
then112:
  %v114 = add i64 %v108, 32
  %v115 = icmp sle i64 %v114, %v110
  br i1 %v115, label %side117, label %side118, !prof !0
side117:
  %v119 = mul i64 %v108, 4
  %v120 = getelementptr i8, ptr %v29, i64 %v119
  %v121 = mul i64 %v108, 4
  %v122 = getelementptr i8, ptr %v31, i64 %v121
  %v123 = mul i64 %v108, 2
  %v124 = getelementptr i8, ptr %v33, i64 %v123
  br label %join116
side118:
  %v125 = sub i64 %v110, %v108
  %v126 = call i64 @llvm.smin.i64(i64 %v125, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v127 = mul i64 %v126, 4
  %v128 = sub i64 %v127, 0
  %v129 = getelementptr i8, ptr %buf19, i64 0
  %v130 = mul i64 %v108, 4
  %v131 = getelementptr i8, ptr %v29, i64 %v130
  call void @llvm.memcpy.p0.p0.i64(ptr %v129, ptr %v131, i64 %v128, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v132 = mul i64 %v126, 4
  %v133 = sub i64 %v132, 0
  %v134 = getelementptr i8, ptr %buf20, i64 0
  %v135 = mul i64 %v108, 4
  %v136 = getelementptr i8, ptr %v31, i64 %v135
  call void @llvm.memcpy.p0.p0.i64(ptr %v134, ptr %v136, i64 %v133, i1 0)
  br label %join116
join116:
  %v137 = phi ptr [%v120, %side117], [%buf19, %side118]
  %v138 = phi ptr [%v122, %side117], [%buf20, %side118]
  %v139 = phi ptr [%v124, %side117], [%buf21, %side118]
  %v140 = phi i64 [32, %side117], [%v126, %side118]
  %v141 = getelementptr i8, ptr %v137, i64 0
  %v142 = load <32 x i32>, ptr %v141, align 1
  %v143 = bitcast <32 x i32> %v142 to <32 x float>
  %v144 = bitcast <32 x float> %v143 to <32 x i32>
  %v145 = lshr <32 x i32> %v144, splat (i32 16)
  %v146 = and <32 x i32> %v145, splat (i32 1)
  %v147 = add <32 x i32> %v144, %v146
  %v148 = add <32 x i32> %v147, splat (i32 32767)
  %v149 = fcmp uno <32 x float> %v143, %v143
  %v150 = or <32 x i32> %v144, splat (i32 4194304)
  %v151 = select <32 x i1> %v149, <32 x i32> %v150, <32 x i32> %v148
  %v152 = and <32 x i32> %v151, splat (i32 -65536)
  %v153 = bitcast <32 x i32> %v152 to <32 x float>
  %v154 = getelementptr i8, ptr %v138, i64 0
  %v155 = load <32 x i32>, ptr %v154, align 1
  %v156 = bitcast <32 x i32> %v155 to <32 x float>
  %v157 = bitcast <32 x float> %v156 to <32 x i32>
  %v158 = lshr <32 x i32> %v157, splat (i32 16)
  %v159 = and <32 x i32> %v158, splat (i32 1)
  %v160 = add <32 x i32> %v157, %v159
  %v161 = add <32 x i32> %v160, splat (i32 32767)
  %v162 = fcmp uno <32 x float> %v156, %v156
  %v163 = or <32 x i32> %v157, splat (i32 4194304)
  %v164 = select <32 x i1> %v162, <32 x i32> %v163, <32 x i32> %v161
  %v165 = and <32 x i32> %v164, splat (i32 -65536)
  %v166 = bitcast <32 x i32> %v165 to <32 x float>
  %v167 = fadd <32 x float> %v153, %v166
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
  %v178 = bitcast <32 x float> %v177 to <32 x i32>
  %v179 = lshr <32 x i32> %v178, splat (i32 16)
  %v180 = trunc <32 x i32> %v179 to <32 x i16>
  store <32 x i16> %v180, ptr %v139, align 1
  %v181 = xor i1 %v115, 1
  br i1 %v181, label %then182, label %endif183, !prof !1
then182:
  %v184 = mul i64 %v108, 2
  %v185 = getelementptr i8, ptr %v33, i64 %v184
  %v186 = mul i64 %v140, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v185, ptr %buf21, i64 %v186, i1 0)
  br label %endif183
endif183:
  br label %endif113
endif113:
  %v187 = add i64 %i105, 1
  br label %head102
done104:
  %v188 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then189, label %endif190
then189:
  fence seq_cst
  br label %endif190
endif190:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
