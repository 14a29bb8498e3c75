; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32~:1,float32:1,float32:1
declare <32 x i32> @llvm.bswap.v32i32(<32 x i32>)
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
  %i26 = phi i64 [0, %entry], [%v141, %endif75]
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
  %i49 = phi i64 [%v42, %body24], [%v70, %endif68]
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
  %v59 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v58)
  %v60 = bitcast <32 x i32> %v59 to <32 x float>
  %v61 = getelementptr i8, ptr %v54, i64 0
  %v62 = load <32 x i32>, ptr %v61, align 1
  %v63 = bitcast <32 x i32> %v62 to <32 x float>
  %v64 = fadd <32 x float> %v60, %v63
  %v65 = bitcast <32 x float> %v64 to <32 x i32>
  %v66 = and i1 %v39, 1
  br i1 %v66, label %then67, label %else69
then67:
  store <32 x i32> %v65, ptr %v56, align 64, !nontemporal !2
  br label %endif68
else69:
  store <32 x i32> %v65, ptr %v56, align 1
  br label %endif68
endif68:
  %v70 = add i64 %i49, 32
  br label %head46
done48:
  %v71 = sub i64 %n, %v45
  %v72 = or i64 %v42, %v71
  %v73 = icmp ne i64 %v72, 0
  br i1 %v73, label %then74, label %endif75
then74:
  br label %head76
head76:
  %i79 = phi i64 [0, %then74], [%v140, %endif87]
  %v80 = icmp slt i64 %i79, 2
  br i1 %v80, label %body77, label %done78
body77:
  %v81 = icmp eq i64 %i79, 0
  %v82 = select i1 %v81, i64 0, i64 %v45
  %v83 = icmp eq i64 %i79, 0
  %v84 = select i1 %v83, i64 %v42, i64 %n
  %v85 = icmp slt i64 %v82, %v84
  br i1 %v85, label %then86, label %endif87
then86:
  %v88 = add i64 %v82, 32
  %v89 = icmp sle i64 %v88, %v84
  br i1 %v89, label %side91, label %side92, !prof !0
side91:
  %v93 = mul i64 %v82, 4
  %v94 = getelementptr i8, ptr %v29, i64 %v93
  %v95 = mul i64 %v82, 4
  %v96 = getelementptr i8, ptr %v31, i64 %v95
  %v97 = mul i64 %v82, 4
  %v98 = getelementptr i8, ptr %v33, i64 %v97
  br label %join90
side92:
  %v99 = sub i64 %v84, %v82
  %v100 = call i64 @llvm.smin.i64(i64 %v99, i64 32)
  %v101 = mul i64 %v100, 1
  %v102 = trunc i64 %v101 to i32
  %v103 = insertelement <32 x i32> poison, i32 %v102, i64 0
  %v104 = shufflevector <32 x i32> %v103, <32 x i32> poison, <32 x i32> zeroinitializer
  %v105 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v104
  %v106 = mul i64 %v82, 4
  %v107 = getelementptr i8, ptr %v29, i64 %v106
  %v108 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v107, <32 x i1> %v105, <32 x i32> zeroinitializer)
  store <32 x i32> %v108, ptr %buf19, align 64
  %v109 = mul i64 %v100, 1
  %v110 = trunc i64 %v109 to i32
  %v111 = insertelement <32 x i32> poison, i32 %v110, i64 0
  %v112 = shufflevector <32 x i32> %v111, <32 x i32> poison, <32 x i32> zeroinitializer
  %v113 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v112
  %v114 = mul i64 %v82, 4
  %v115 = getelementptr i8, ptr %v31, i64 %v114
  %v116 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v115, <32 x i1> %v113, <32 x i32> zeroinitializer)
  store <32 x i32> %v116, ptr %buf20, align 64
  br label %join90
join90:
  %v117 = phi ptr [%v94, %side91], [%buf19, %side92]
  %v118 = phi ptr [%v96, %side91], [%buf20, %side92]
  %v119 = phi ptr [%v98, %side91], [%buf21, %side92]
  %v120 = phi i64 [32, %side91], [%v100, %side92]
  %v121 = getelementptr i8, ptr %v117, i64 0
  %v122 = load <32 x i32>, ptr %v121, align 1
  %v123 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v122)
  %v124 = bitcast <32 x i32> %v123 to <32 x float>
  %v125 = getelementptr i8, ptr %v118, i64 0
  %v126 = load <32 x i32>, ptr %v125, align 1
  %v127 = bitcast <32 x i32> %v126 to <32 x float>
  %v128 = fadd <32 x float> %v124, %v127
  %v129 = bitcast <32 x float> %v128 to <32 x i32>
  store <32 x i32> %v129, ptr %v119, align 1
  %v130 = xor i1 %v89, 1
  br i1 %v130, label %then131, label %endif132, !prof !1
then131:
  %v133 = mul i64 %v82, 4
  %v134 = getelementptr i8, ptr %v33, i64 %v133
  %v135 = mul i64 %v120, 1
  %v136 = trunc i64 %v135 to i32
  %v137 = insertelement <32 x i32> poison, i32 %v136, i64 0
  %v138 = shufflevector <32 x i32> %v137, <32 x i32> poison, <32 x i32> zeroinitializer
  %v139 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v138
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v129, ptr align 1 %v134, <32 x i1> %v139)
  br label %endif132
endif132:
  br label %endif87
endif87:
  %v140 = add i64 %i79, 1
  br label %head76
done78:
  br label %endif75
endif75:
  %v141 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then142, label %endif143
then142:
  fence seq_cst
  br label %endif143
endif143:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
