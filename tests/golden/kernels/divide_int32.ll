; map |32|load.int32[]0;load.int32[]1;floor_divide.int32[0, 1]None|int32:1,int32:1,int32:1
declare <32 x double> @llvm.floor.v32f64(<32 x double>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
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
  %i26 = phi i64 [0, %entry], [%v134, %endif81]
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
  %v37 = and i64 %v36, 3
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = select i1 %v39, i64 %v36, i64 0
  %v41 = lshr i64 %v40, 2
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %n)
  %v43 = sub i64 %n, %v42
  %v44 = and i64 %v43, -32
  %v45 = add i64 %v42, %v44
  br label %head46
head46:
  %i49 = phi i64 [%v42, %body24], [%v76, %endif73]
  %v50 = icmp slt i64 %i49, %v45
  br i1 %v50, label %body47, label %done48
body47:
  %v51 = mul i64 %i49, 4
  %v52 = getelementptr i8, ptr %v29, i64 %v51
  %v53 = mul i64 %i49, 4
  %v54 = getelementptr i8, ptr %v31, i64 %v53
  %v55 = mul i64 %i49, 4
  %v56 = getelementptr i8, ptr %v33, i64 %v55
  %v57 = getelementptr i8, ptr %v52, i64 0
  %v58 = load <32 x i32>, ptr %v57, align 1
  %v59 = getelementptr i8, ptr %v54, i64 0
  %v60 = load <32 x i32>, ptr %v59, align 1
  %v61 = icmp eq <32 x i32> %v60, splat (i32 0)
  %v62 = select <32 x i1> %v61, <32 x i32> splat (i32 1), <32 x i32> %v60
  %v63 = sitofp <32 x i32> %v58 to <32 x double>
  %v64 = sitofp <32 x i32> %v62 to <32 x double>
  %v65 = fdiv <32 x double> %v63, %v64
  %v66 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v65)
  %v67 = fcmp oeq <32 x double> %v66, splat (double 0x41E0000000000000)
  %v68 = fneg <32 x double> %v66
  %v69 = select <32 x i1> %v67, <32 x double> %v68, <32 x double> %v66
  %v70 = fptosi <32 x double> %v69 to <32 x i32>
  %v71 = select <32 x i1> %v61, <32 x i32> splat (i32 0), <32 x i32> %v70
  br i1 %v39, label %then72, label %else74
then72:
  store <32 x i32> %v71, ptr %v56, align 64, !nontemporal !2
  br label %endif73
else74:
  store <32 x i32> %v71, ptr %v56, align 1
  br label %endif73
endif73:
  %v75 = add i64 %i49, 32
  %v76 = call i64 asm "", "=r,0"(i64 %v75)
  br label %head46
done48:
  %v77 = sub i64 %n, %v45
  %v78 = or i64 %v42, %v77
  %v79 = icmp ne i64 %v78, 0
  br i1 %v79, label %then80, label %endif81, !prof !1
then80:
  br label %head82
head82:
  %i85 = phi i64 [0, %then80], [%v133, %endif93]
  %v86 = icmp slt i64 %i85, 2
  br i1 %v86, label %body83, label %done84
body83:
  %v87 = icmp eq i64 %i85, 0
  %v88 = select i1 %v87, i64 0, i64 %v45
  %v89 = icmp eq i64 %i85, 0
  %v90 = select i1 %v89, i64 %v42, i64 %n
  %v91 = icmp slt i64 %v88, %v90
  br i1 %v91, label %then92, label %endif93
then92:
  %v94 = sub i64 %v90, %v88
  %v95 = mul i64 %v94, 1
  %v96 = trunc i64 %v95 to i32
  %v97 = insertelement <32 x i32> poison, i32 %v96, i64 0
  %v98 = shufflevector <32 x i32> %v97, <32 x i32> poison, <32 x i32> zeroinitializer
  %v99 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v98
  %v100 = mul i64 %v88, 4
  %v101 = getelementptr i8, ptr %v29, i64 %v100
  %v102 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v101, <32 x i1> %v99, <32 x i32> zeroinitializer)
  store <32 x i32> %v102, ptr %buf19, align 64
  %v103 = mul i64 %v94, 1
  %v104 = trunc i64 %v103 to i32
  %v105 = insertelement <32 x i32> poison, i32 %v104, i64 0
  %v106 = shufflevector <32 x i32> %v105, <32 x i32> poison, <32 x i32> zeroinitializer
  %v107 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v106
  %v108 = mul i64 %v88, 4
  %v109 = getelementptr i8, ptr %v31, i64 %v108
  %v110 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v109, <32 x i1> %v107, <32 x i32> zeroinitializer)
  store <32 x i32> %v110, ptr %buf20, align 64
  %v111 = getelementptr i8, ptr %buf19, i64 0
  %v112 = load <32 x i32>, ptr %v111, align 1
  %v113 = getelementptr i8, ptr %buf20, i64 0
  %v114 = load <32 x i32>, ptr %v113, align 1
  %v115 = icmp eq <32 x i32> %v114, splat (i32 0)
  %v116 = select <32 x i1> %v115, <32 x i32> splat (i32 1), <32 x i32> %v114
  %v117 = sitofp <32 x i32> %v112 to <32 x double>
  %v118 = sitofp <32 x i32> %v116 to <32 x double>
  %v119 = fdiv <32 x double> %v117, %v118
  %v120 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v119)
  %v121 = fcmp oeq <32 x double> %v120, splat (double 0x41E0000000000000)
  %v122 = fneg <32 x double> %v120
  %v123 = select <32 x i1> %v121, <32 x double> %v122, <32 x double> %v120
  %v124 = fptosi <32 x double> %v123 to <32 x i32>
  %v125 = select <32 x i1> %v115, <32 x i32> splat (i32 0), <32 x i32> %v124
  %v126 = mul i64 %v88, 4
  %v127 = getelementptr i8, ptr %v33, i64 %v126
  %v128 = mul i64 %v94, 1
  %v129 = trunc i64 %v128 to i32
  %v130 = insertelement <32 x i32> poison, i32 %v129, i64 0
  %v131 = shufflevector <32 x i32> %v130, <32 x i32> poison, <32 x i32> zeroinitializer
  %v132 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v131
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v125, ptr align 1 %v127, <32 x i1> %v132)
  br label %endif93
endif93:
  %v133 = add i64 %i85, 1
  br label %head82
done84:
  br label %endif81
endif81:
  %v134 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then135, label %endif136
then135:
  fence seq_cst
  br label %endif136
endif136:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
