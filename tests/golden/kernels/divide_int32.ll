; map |32|load.int32[]0;load.int32[]1;floor_divide.int32[0, 1]None|int32:1,int32:1,int32:1
declare <32 x double> @llvm.floor.v32f64(<32 x double>)
declare i64 @llvm.smin.i64(i64, i64)
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
  %i26 = phi i64 [0, %entry], [%v138, %done79]
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
  %i49 = phi i64 [%v42, %body24], [%v76, %endif74]
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
  %v72 = and i1 %v39, 1
  br i1 %v72, label %then73, label %else75
then73:
  store <32 x i32> %v71, ptr %v56, align 64, !nontemporal !2
  br label %endif74
else75:
  store <32 x i32> %v71, ptr %v56, align 1
  br label %endif74
endif74:
  %v76 = add i64 %i49, 32
  br label %head46
done48:
  br label %head77
head77:
  %i80 = phi i64 [0, %done48], [%v137, %endif88]
  %v81 = icmp slt i64 %i80, 2
  br i1 %v81, label %body78, label %done79
body78:
  %v82 = icmp eq i64 %i80, 0
  %v83 = select i1 %v82, i64 0, i64 %v45
  %v84 = icmp eq i64 %i80, 0
  %v85 = select i1 %v84, i64 %v42, i64 %n
  %v86 = icmp slt i64 %v83, %v85
  br i1 %v86, label %then87, label %endif88
then87:
  %v89 = add i64 %v83, 32
  %v90 = icmp sle i64 %v89, %v85
  br i1 %v90, label %side92, label %side93, !prof !0
side92:
  %v94 = mul i64 %v83, 4
  %v95 = getelementptr i8, ptr %v29, i64 %v94
  %v96 = mul i64 %v83, 4
  %v97 = getelementptr i8, ptr %v31, i64 %v96
  %v98 = mul i64 %v83, 4
  %v99 = getelementptr i8, ptr %v33, i64 %v98
  br label %join91
side93:
  %v100 = sub i64 %v85, %v83
  %v101 = call i64 @llvm.smin.i64(i64 %v100, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v102 = mul i64 %v101, 4
  %v103 = sub i64 %v102, 0
  %v104 = getelementptr i8, ptr %buf19, i64 0
  %v105 = mul i64 %v83, 4
  %v106 = getelementptr i8, ptr %v29, i64 %v105
  call void @llvm.memcpy.p0.p0.i64(ptr %v104, ptr %v106, i64 %v103, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v107 = mul i64 %v101, 4
  %v108 = sub i64 %v107, 0
  %v109 = getelementptr i8, ptr %buf20, i64 0
  %v110 = mul i64 %v83, 4
  %v111 = getelementptr i8, ptr %v31, i64 %v110
  call void @llvm.memcpy.p0.p0.i64(ptr %v109, ptr %v111, i64 %v108, i1 0)
  br label %join91
join91:
  %v112 = phi ptr [%v95, %side92], [%buf19, %side93]
  %v113 = phi ptr [%v97, %side92], [%buf20, %side93]
  %v114 = phi ptr [%v99, %side92], [%buf21, %side93]
  %v115 = phi i64 [32, %side92], [%v101, %side93]
  %v116 = getelementptr i8, ptr %v112, i64 0
  %v117 = load <32 x i32>, ptr %v116, align 1
  %v118 = getelementptr i8, ptr %v113, i64 0
  %v119 = load <32 x i32>, ptr %v118, align 1
  %v120 = icmp eq <32 x i32> %v119, splat (i32 0)
  %v121 = select <32 x i1> %v120, <32 x i32> splat (i32 1), <32 x i32> %v119
  %v122 = sitofp <32 x i32> %v117 to <32 x double>
  %v123 = sitofp <32 x i32> %v121 to <32 x double>
  %v124 = fdiv <32 x double> %v122, %v123
  %v125 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v124)
  %v126 = fcmp oeq <32 x double> %v125, splat (double 0x41E0000000000000)
  %v127 = fneg <32 x double> %v125
  %v128 = select <32 x i1> %v126, <32 x double> %v127, <32 x double> %v125
  %v129 = fptosi <32 x double> %v128 to <32 x i32>
  %v130 = select <32 x i1> %v120, <32 x i32> splat (i32 0), <32 x i32> %v129
  store <32 x i32> %v130, ptr %v114, align 1
  %v131 = xor i1 %v90, 1
  br i1 %v131, label %then132, label %endif133, !prof !1
then132:
  %v134 = mul i64 %v83, 4
  %v135 = getelementptr i8, ptr %v33, i64 %v134
  %v136 = mul i64 %v115, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v135, ptr %buf21, i64 %v136, i1 0)
  br label %endif133
endif133:
  br label %endif88
endif88:
  %v137 = add i64 %i80, 1
  br label %head77
done79:
  %v138 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then139, label %endif140
then139:
  fence seq_cst
  br label %endif140
endif140:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
