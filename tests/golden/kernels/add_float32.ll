; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32:1,float32:1,float32:1
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
  %i26 = phi i64 [0, %entry], [%v139, %endif74]
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
  %i49 = phi i64 [%v42, %body24], [%v69, %endif67]
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
  %v59 = bitcast <32 x i32> %v58 to <32 x float>
  %v60 = getelementptr i8, ptr %v54, i64 0
  %v61 = load <32 x i32>, ptr %v60, align 1
  %v62 = bitcast <32 x i32> %v61 to <32 x float>
  %v63 = fadd <32 x float> %v59, %v62
  %v64 = bitcast <32 x float> %v63 to <32 x i32>
  %v65 = and i1 %v39, 1
  br i1 %v65, label %then66, label %else68
then66:
  store <32 x i32> %v64, ptr %v56, align 64, !nontemporal !2
  br label %endif67
else68:
  store <32 x i32> %v64, ptr %v56, align 1
  br label %endif67
endif67:
  %v69 = add i64 %i49, 32
  br label %head46
done48:
  %v70 = sub i64 %n, %v45
  %v71 = or i64 %v42, %v70
  %v72 = icmp ne i64 %v71, 0
  br i1 %v72, label %then73, label %endif74
then73:
  br label %head75
head75:
  %i78 = phi i64 [0, %then73], [%v138, %endif86]
  %v79 = icmp slt i64 %i78, 2
  br i1 %v79, label %body76, label %done77
body76:
  %v80 = icmp eq i64 %i78, 0
  %v81 = select i1 %v80, i64 0, i64 %v45
  %v82 = icmp eq i64 %i78, 0
  %v83 = select i1 %v82, i64 %v42, i64 %n
  %v84 = icmp slt i64 %v81, %v83
  br i1 %v84, label %then85, label %endif86
then85:
  %v87 = add i64 %v81, 32
  %v88 = icmp sle i64 %v87, %v83
  br i1 %v88, label %side90, label %side91, !prof !0
side90:
  %v92 = mul i64 %v81, 4
  %v93 = getelementptr i8, ptr %v29, i64 %v92
  %v94 = mul i64 %v81, 4
  %v95 = getelementptr i8, ptr %v31, i64 %v94
  %v96 = mul i64 %v81, 4
  %v97 = getelementptr i8, ptr %v33, i64 %v96
  br label %join89
side91:
  %v98 = sub i64 %v83, %v81
  %v99 = call i64 @llvm.smin.i64(i64 %v98, i64 32)
  %v100 = mul i64 %v99, 1
  %v101 = trunc i64 %v100 to i32
  %v102 = insertelement <32 x i32> poison, i32 %v101, i64 0
  %v103 = shufflevector <32 x i32> %v102, <32 x i32> poison, <32 x i32> zeroinitializer
  %v104 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v103
  %v105 = mul i64 %v81, 4
  %v106 = getelementptr i8, ptr %v29, i64 %v105
  %v107 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v106, <32 x i1> %v104, <32 x i32> zeroinitializer)
  store <32 x i32> %v107, ptr %buf19, align 64
  %v108 = mul i64 %v99, 1
  %v109 = trunc i64 %v108 to i32
  %v110 = insertelement <32 x i32> poison, i32 %v109, i64 0
  %v111 = shufflevector <32 x i32> %v110, <32 x i32> poison, <32 x i32> zeroinitializer
  %v112 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v111
  %v113 = mul i64 %v81, 4
  %v114 = getelementptr i8, ptr %v31, i64 %v113
  %v115 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v114, <32 x i1> %v112, <32 x i32> zeroinitializer)
  store <32 x i32> %v115, ptr %buf20, align 64
  br label %join89
join89:
  %v116 = phi ptr [%v93, %side90], [%buf19, %side91]
  %v117 = phi ptr [%v95, %side90], [%buf20, %side91]
  %v118 = phi ptr [%v97, %side90], [%buf21, %side91]
  %v119 = phi i64 [32, %side90], [%v99, %side91]
  %v120 = getelementptr i8, ptr %v116, i64 0
  %v121 = load <32 x i32>, ptr %v120, align 1
  %v122 = bitcast <32 x i32> %v121 to <32 x float>
  %v123 = getelementptr i8, ptr %v117, i64 0
  %v124 = load <32 x i32>, ptr %v123, align 1
  %v125 = bitcast <32 x i32> %v124 to <32 x float>
  %v126 = fadd <32 x float> %v122, %v125
  %v127 = bitcast <32 x float> %v126 to <32 x i32>
  store <32 x i32> %v127, ptr %v118, align 1
  %v128 = xor i1 %v88, 1
  br i1 %v128, label %then129, label %endif130, !prof !1
then129:
  %v131 = mul i64 %v81, 4
  %v132 = getelementptr i8, ptr %v33, i64 %v131
  %v133 = mul i64 %v119, 1
  %v134 = trunc i64 %v133 to i32
  %v135 = insertelement <32 x i32> poison, i32 %v134, i64 0
  %v136 = shufflevector <32 x i32> %v135, <32 x i32> poison, <32 x i32> zeroinitializer
  %v137 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v136
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v127, ptr align 1 %v132, <32 x i1> %v137)
  br label %endif130
endif130:
  br label %endif86
endif86:
  %v138 = add i64 %i78, 1
  br label %head75
done77:
  br label %endif74
endif74:
  %v139 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then140, label %endif141
then140:
  fence seq_cst
  br label %endif141
endif141:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
