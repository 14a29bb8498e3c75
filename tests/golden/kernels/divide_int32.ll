; map |32|load.int32[]0;load.int32[]1;floor_divide.int32[0, 1]None|int32:1,int32:1,int32:1
declare <32 x double> @llvm.floor.v32f64(<32 x double>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <32 x i32>, i64 1, align 64
  %buf20 = alloca <32 x i32>, i64 1, align 64
  %buf21 = alloca <32 x i32>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v160, %endif103]
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
  %v37 = mul i64 %n, 4
  %v38 = or i64 %v36, %v37
  %v39 = and i64 %v38, 63
  %v40 = icmp eq i64 %v39, 0
  %v41 = and i1 %v22, %v40
  %v42 = icmp sge i64 %v37, 3072
  %v43 = and i1 %v22, %v42
  %v44 = and i64 %v36, 3
  %v45 = icmp eq i64 %v44, 0
  %v46 = and i1 %v43, %v45
  %v47 = or i1 %v41, %v46
  %v48 = select i1 %v47, i64 %v36, i64 0
  %v49 = lshr i64 %v48, 2
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 %n)
  %v51 = icmp sge i64 %n, 8192
  %v52 = select i1 %v51, i64 1536, i64 0
  %v53 = sub i64 %n, %v50
  %v54 = and i64 %v53, -32
  %v55 = add i64 %v50, %v54
  br label %head56
head56:
  %i59 = phi i64 [%v50, %body24], [%v98, %endif95]
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
  %v77 = mul i64 %i59, 4
  %v78 = getelementptr i8, ptr %v33, i64 %v77
  %v79 = getelementptr i8, ptr %v74, i64 0
  %v80 = load <32 x i32>, ptr %v79, align 1
  %v81 = getelementptr i8, ptr %v76, i64 0
  %v82 = load <32 x i32>, ptr %v81, align 1
  %v83 = icmp eq <32 x i32> %v82, splat (i32 0)
  %v84 = select <32 x i1> %v83, <32 x i32> splat (i32 1), <32 x i32> %v82
  %v85 = sitofp <32 x i32> %v80 to <32 x double>
  %v86 = sitofp <32 x i32> %v84 to <32 x double>
  %v87 = fdiv <32 x double> %v85, %v86
  %v88 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v87)
  %v89 = fcmp oeq <32 x double> %v88, splat (double 0x41E0000000000000)
  %v90 = fneg <32 x double> %v88
  %v91 = select <32 x i1> %v89, <32 x double> %v90, <32 x double> %v88
  %v92 = fptosi <32 x double> %v91 to <32 x i32>
  %v93 = select <32 x i1> %v83, <32 x i32> splat (i32 0), <32 x i32> %v92
  br i1 %v47, label %then94, label %else96
then94:
  store <32 x i32> %v93, ptr %v78, align 64, !nontemporal !2
  br label %endif95
else96:
  store <32 x i32> %v93, ptr %v78, align 1
  br label %endif95
endif95:
  %v97 = add i64 %i59, 32
  %v98 = call i64 asm "", "=r,0"(i64 %v97)
  br label %head56
done58:
  %v99 = sub i64 %n, %v55
  %v100 = or i64 %v50, %v99
  %v101 = icmp ne i64 %v100, 0
  br i1 %v101, label %then102, label %endif103, !prof !1
then102:
  br label %head104
head104:
  %i107 = phi i64 [0, %then102], [%v159, %endif115]
  %v108 = icmp slt i64 %i107, 2
  br i1 %v108, label %body105, label %done106
body105:
  %v109 = icmp eq i64 %i107, 0
  %v110 = select i1 %v109, i64 0, i64 %v55
  %v111 = icmp eq i64 %i107, 0
  %v112 = select i1 %v111, i64 %v50, i64 %n
  %v113 = icmp slt i64 %v110, %v112
  br i1 %v113, label %then114, label %endif115
then114:
  %v116 = sub i64 %v112, %v110
  %v117 = mul i64 %v110, 4
  %v118 = getelementptr i8, ptr %v29, i64 %v117
  %v119 = mul i64 %v110, 4
  %v120 = getelementptr i8, ptr %v31, i64 %v119
  %v121 = mul i64 %v116, 1
  %v122 = getelementptr i8, ptr %v118, i64 0
  %v123 = trunc i64 %v121 to i32
  %v124 = insertelement <32 x i32> poison, i32 %v123, i64 0
  %v125 = shufflevector <32 x i32> %v124, <32 x i32> poison, <32 x i32> zeroinitializer
  %v126 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v125
  %v127 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v122, <32 x i1> %v126, <32 x i32> zeroinitializer)
  %v128 = mul i64 %v116, 1
  %v129 = getelementptr i8, ptr %v120, i64 0
  %v130 = trunc i64 %v128 to i32
  %v131 = insertelement <32 x i32> poison, i32 %v130, i64 0
  %v132 = shufflevector <32 x i32> %v131, <32 x i32> poison, <32 x i32> zeroinitializer
  %v133 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v132
  %v134 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v129, <32 x i1> %v133, <32 x i32> zeroinitializer)
  %v135 = icmp eq <32 x i32> %v134, splat (i32 0)
  %v136 = select <32 x i1> %v135, <32 x i32> splat (i32 1), <32 x i32> %v134
  %v137 = sitofp <32 x i32> %v127 to <32 x double>
  %v138 = sitofp <32 x i32> %v136 to <32 x double>
  %v139 = fdiv <32 x double> %v137, %v138
  %v140 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v139)
  %v141 = fcmp oeq <32 x double> %v140, splat (double 0x41E0000000000000)
  %v142 = fneg <32 x double> %v140
  %v143 = select <32 x i1> %v141, <32 x double> %v142, <32 x double> %v140
  %v144 = fptosi <32 x double> %v143 to <32 x i32>
  %v145 = select <32 x i1> %v135, <32 x i32> splat (i32 0), <32 x i32> %v144
  %v146 = mul i64 %v110, 4
  %v147 = getelementptr i8, ptr %v33, i64 %v146
  br i1 %v47, label %then148, label %else151, !prof !1
then148:
  store <32 x i32> %v145, ptr %buf21, align 1
  %v150 = mul i64 %v116, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v147, ptr %buf21, i64 %v150, i1 0)
  br label %endif149
else151:
  %v152 = mul i64 %v110, 4
  %v153 = getelementptr i8, ptr %v33, i64 %v152
  %v154 = mul i64 %v116, 1
  %v155 = trunc i64 %v154 to i32
  %v156 = insertelement <32 x i32> poison, i32 %v155, i64 0
  %v157 = shufflevector <32 x i32> %v156, <32 x i32> poison, <32 x i32> zeroinitializer
  %v158 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v157
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v145, ptr align 1 %v153, <32 x i1> %v158)
  br label %endif149
endif149:
  br label %endif115
endif115:
  %v159 = add i64 %i107, 1
  br label %head104
done106:
  br label %endif103
endif103:
  %v160 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then161, label %endif162
then161:
  fence seq_cst
  br label %endif162
endif162:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
