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
  %i26 = phi i64 [0, %entry], [%v122, %endif75]
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
  %i49 = phi i64 [%v42, %body24], [%v70, %endif67]
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
  br i1 %v39, label %then66, label %else68
then66:
  store <32 x i32> %v65, ptr %v56, align 64, !nontemporal !2
  br label %endif67
else68:
  store <32 x i32> %v65, ptr %v56, align 1
  br label %endif67
endif67:
  %v69 = add i64 %i49, 32
  %v70 = call i64 asm "", "=r,0"(i64 %v69)
  br label %head46
done48:
  %v71 = sub i64 %n, %v45
  %v72 = or i64 %v42, %v71
  %v73 = icmp ne i64 %v72, 0
  br i1 %v73, label %then74, label %endif75, !prof !1
then74:
  br label %head76
head76:
  %i79 = phi i64 [0, %then74], [%v121, %endif87]
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
  %v88 = sub i64 %v84, %v82
  %v89 = mul i64 %v88, 1
  %v90 = trunc i64 %v89 to i32
  %v91 = insertelement <32 x i32> poison, i32 %v90, i64 0
  %v92 = shufflevector <32 x i32> %v91, <32 x i32> poison, <32 x i32> zeroinitializer
  %v93 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v92
  %v94 = mul i64 %v82, 4
  %v95 = getelementptr i8, ptr %v29, i64 %v94
  %v96 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v95, <32 x i1> %v93, <32 x i32> zeroinitializer)
  store <32 x i32> %v96, ptr %buf19, align 64
  %v97 = mul i64 %v88, 1
  %v98 = trunc i64 %v97 to i32
  %v99 = insertelement <32 x i32> poison, i32 %v98, i64 0
  %v100 = shufflevector <32 x i32> %v99, <32 x i32> poison, <32 x i32> zeroinitializer
  %v101 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v100
  %v102 = mul i64 %v82, 4
  %v103 = getelementptr i8, ptr %v31, i64 %v102
  %v104 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v103, <32 x i1> %v101, <32 x i32> zeroinitializer)
  store <32 x i32> %v104, ptr %buf20, align 64
  %v105 = getelementptr i8, ptr %buf19, i64 0
  %v106 = load <32 x i32>, ptr %v105, align 1
  %v107 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v106)
  %v108 = bitcast <32 x i32> %v107 to <32 x float>
  %v109 = getelementptr i8, ptr %buf20, i64 0
  %v110 = load <32 x i32>, ptr %v109, align 1
  %v111 = bitcast <32 x i32> %v110 to <32 x float>
  %v112 = fadd <32 x float> %v108, %v111
  %v113 = bitcast <32 x float> %v112 to <32 x i32>
  %v114 = mul i64 %v82, 4
  %v115 = getelementptr i8, ptr %v33, i64 %v114
  %v116 = mul i64 %v88, 1
  %v117 = trunc i64 %v116 to i32
  %v118 = insertelement <32 x i32> poison, i32 %v117, i64 0
  %v119 = shufflevector <32 x i32> %v118, <32 x i32> poison, <32 x i32> zeroinitializer
  %v120 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v119
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v113, ptr align 1 %v115, <32 x i1> %v120)
  br label %endif87
endif87:
  %v121 = add i64 %i79, 1
  br label %head76
done78:
  br label %endif75
endif75:
  %v122 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then123, label %endif124
then123:
  fence seq_cst
  br label %endif124
endif124:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
