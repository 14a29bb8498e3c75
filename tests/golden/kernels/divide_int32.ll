; map |32|load.int32[]0;load.int32[]1;floor_divide.int32[0, 1]None|int32:1,int32:1,int32:1
declare <32 x double> @llvm.floor.v32f64(<32 x double>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
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
  %i26 = phi i64 [0, %entry], [%v146, %endif89]
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
  %v51 = sub i64 %n, %v50
  %v52 = and i64 %v51, -32
  %v53 = add i64 %v50, %v52
  br label %head54
head54:
  %i57 = phi i64 [%v50, %body24], [%v84, %endif81]
  %v58 = icmp slt i64 %i57, %v53
  br i1 %v58, label %body55, label %done56
body55:
  %v59 = mul i64 %i57, 4
  %v60 = getelementptr i8, ptr %v29, i64 %v59
  %v61 = mul i64 %i57, 4
  %v62 = getelementptr i8, ptr %v31, i64 %v61
  %v63 = mul i64 %i57, 4
  %v64 = getelementptr i8, ptr %v33, i64 %v63
  %v65 = getelementptr i8, ptr %v60, i64 0
  %v66 = load <32 x i32>, ptr %v65, align 1
  %v67 = getelementptr i8, ptr %v62, i64 0
  %v68 = load <32 x i32>, ptr %v67, align 1
  %v69 = icmp eq <32 x i32> %v68, splat (i32 0)
  %v70 = select <32 x i1> %v69, <32 x i32> splat (i32 1), <32 x i32> %v68
  %v71 = sitofp <32 x i32> %v66 to <32 x double>
  %v72 = sitofp <32 x i32> %v70 to <32 x double>
  %v73 = fdiv <32 x double> %v71, %v72
  %v74 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v73)
  %v75 = fcmp oeq <32 x double> %v74, splat (double 0x41E0000000000000)
  %v76 = fneg <32 x double> %v74
  %v77 = select <32 x i1> %v75, <32 x double> %v76, <32 x double> %v74
  %v78 = fptosi <32 x double> %v77 to <32 x i32>
  %v79 = select <32 x i1> %v69, <32 x i32> splat (i32 0), <32 x i32> %v78
  br i1 %v47, label %then80, label %else82
then80:
  store <32 x i32> %v79, ptr %v64, align 64, !nontemporal !2
  br label %endif81
else82:
  store <32 x i32> %v79, ptr %v64, align 1
  br label %endif81
endif81:
  %v83 = add i64 %i57, 32
  %v84 = call i64 asm "", "=r,0"(i64 %v83)
  br label %head54
done56:
  %v85 = sub i64 %n, %v53
  %v86 = or i64 %v50, %v85
  %v87 = icmp ne i64 %v86, 0
  br i1 %v87, label %then88, label %endif89, !prof !1
then88:
  br label %head90
head90:
  %i93 = phi i64 [0, %then88], [%v145, %endif101]
  %v94 = icmp slt i64 %i93, 2
  br i1 %v94, label %body91, label %done92
body91:
  %v95 = icmp eq i64 %i93, 0
  %v96 = select i1 %v95, i64 0, i64 %v53
  %v97 = icmp eq i64 %i93, 0
  %v98 = select i1 %v97, i64 %v50, i64 %n
  %v99 = icmp slt i64 %v96, %v98
  br i1 %v99, label %then100, label %endif101
then100:
  %v102 = sub i64 %v98, %v96
  %v103 = mul i64 %v96, 4
  %v104 = getelementptr i8, ptr %v29, i64 %v103
  %v105 = mul i64 %v96, 4
  %v106 = getelementptr i8, ptr %v31, i64 %v105
  %v107 = mul i64 %v102, 1
  %v108 = getelementptr i8, ptr %v104, i64 0
  %v109 = trunc i64 %v107 to i32
  %v110 = insertelement <32 x i32> poison, i32 %v109, i64 0
  %v111 = shufflevector <32 x i32> %v110, <32 x i32> poison, <32 x i32> zeroinitializer
  %v112 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v111
  %v113 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v108, <32 x i1> %v112, <32 x i32> zeroinitializer)
  %v114 = mul i64 %v102, 1
  %v115 = getelementptr i8, ptr %v106, i64 0
  %v116 = trunc i64 %v114 to i32
  %v117 = insertelement <32 x i32> poison, i32 %v116, i64 0
  %v118 = shufflevector <32 x i32> %v117, <32 x i32> poison, <32 x i32> zeroinitializer
  %v119 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v118
  %v120 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v115, <32 x i1> %v119, <32 x i32> zeroinitializer)
  %v121 = icmp eq <32 x i32> %v120, splat (i32 0)
  %v122 = select <32 x i1> %v121, <32 x i32> splat (i32 1), <32 x i32> %v120
  %v123 = sitofp <32 x i32> %v113 to <32 x double>
  %v124 = sitofp <32 x i32> %v122 to <32 x double>
  %v125 = fdiv <32 x double> %v123, %v124
  %v126 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v125)
  %v127 = fcmp oeq <32 x double> %v126, splat (double 0x41E0000000000000)
  %v128 = fneg <32 x double> %v126
  %v129 = select <32 x i1> %v127, <32 x double> %v128, <32 x double> %v126
  %v130 = fptosi <32 x double> %v129 to <32 x i32>
  %v131 = select <32 x i1> %v121, <32 x i32> splat (i32 0), <32 x i32> %v130
  %v132 = mul i64 %v96, 4
  %v133 = getelementptr i8, ptr %v33, i64 %v132
  br i1 %v47, label %then134, label %else137, !prof !1
then134:
  store <32 x i32> %v131, ptr %buf21, align 1
  %v136 = mul i64 %v102, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v133, ptr %buf21, i64 %v136, i1 0)
  br label %endif135
else137:
  %v138 = mul i64 %v96, 4
  %v139 = getelementptr i8, ptr %v33, i64 %v138
  %v140 = mul i64 %v102, 1
  %v141 = trunc i64 %v140 to i32
  %v142 = insertelement <32 x i32> poison, i32 %v141, i64 0
  %v143 = shufflevector <32 x i32> %v142, <32 x i32> poison, <32 x i32> zeroinitializer
  %v144 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v143
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v131, ptr align 1 %v139, <32 x i1> %v144)
  br label %endif135
endif135:
  br label %endif101
endif101:
  %v145 = add i64 %i93, 1
  br label %head90
done92:
  br label %endif89
endif89:
  %v146 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then147, label %endif148
then147:
  fence seq_cst
  br label %endif148
endif148:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
