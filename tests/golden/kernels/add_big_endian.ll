; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32~:1,float32:1,float32:1
declare <32 x i32> @llvm.bswap.v32i32(<32 x i32>)
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
  %i26 = phi i64 [0, %entry], [%v134, %endif83]
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
  %i57 = phi i64 [%v50, %body24], [%v78, %endif75]
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
  %v67 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v66)
  %v68 = bitcast <32 x i32> %v67 to <32 x float>
  %v69 = getelementptr i8, ptr %v62, i64 0
  %v70 = load <32 x i32>, ptr %v69, align 1
  %v71 = bitcast <32 x i32> %v70 to <32 x float>
  %v72 = fadd <32 x float> %v68, %v71
  %v73 = bitcast <32 x float> %v72 to <32 x i32>
  br i1 %v47, label %then74, label %else76
then74:
  store <32 x i32> %v73, ptr %v64, align 64, !nontemporal !2
  br label %endif75
else76:
  store <32 x i32> %v73, ptr %v64, align 1
  br label %endif75
endif75:
  %v77 = add i64 %i57, 32
  %v78 = call i64 asm "", "=r,0"(i64 %v77)
  br label %head54
done56:
  %v79 = sub i64 %n, %v53
  %v80 = or i64 %v50, %v79
  %v81 = icmp ne i64 %v80, 0
  br i1 %v81, label %then82, label %endif83, !prof !1
then82:
  br label %head84
head84:
  %i87 = phi i64 [0, %then82], [%v133, %endif95]
  %v88 = icmp slt i64 %i87, 2
  br i1 %v88, label %body85, label %done86
body85:
  %v89 = icmp eq i64 %i87, 0
  %v90 = select i1 %v89, i64 0, i64 %v53
  %v91 = icmp eq i64 %i87, 0
  %v92 = select i1 %v91, i64 %v50, i64 %n
  %v93 = icmp slt i64 %v90, %v92
  br i1 %v93, label %then94, label %endif95
then94:
  %v96 = sub i64 %v92, %v90
  %v97 = mul i64 %v90, 4
  %v98 = getelementptr i8, ptr %v29, i64 %v97
  %v99 = mul i64 %v90, 4
  %v100 = getelementptr i8, ptr %v31, i64 %v99
  %v101 = mul i64 %v96, 1
  %v102 = getelementptr i8, ptr %v98, i64 0
  %v103 = trunc i64 %v101 to i32
  %v104 = insertelement <32 x i32> poison, i32 %v103, i64 0
  %v105 = shufflevector <32 x i32> %v104, <32 x i32> poison, <32 x i32> zeroinitializer
  %v106 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v105
  %v107 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v102, <32 x i1> %v106, <32 x i32> zeroinitializer)
  %v108 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v107)
  %v109 = bitcast <32 x i32> %v108 to <32 x float>
  %v110 = mul i64 %v96, 1
  %v111 = getelementptr i8, ptr %v100, i64 0
  %v112 = trunc i64 %v110 to i32
  %v113 = insertelement <32 x i32> poison, i32 %v112, i64 0
  %v114 = shufflevector <32 x i32> %v113, <32 x i32> poison, <32 x i32> zeroinitializer
  %v115 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v114
  %v116 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v111, <32 x i1> %v115, <32 x i32> zeroinitializer)
  %v117 = bitcast <32 x i32> %v116 to <32 x float>
  %v118 = fadd <32 x float> %v109, %v117
  %v119 = bitcast <32 x float> %v118 to <32 x i32>
  %v120 = mul i64 %v90, 4
  %v121 = getelementptr i8, ptr %v33, i64 %v120
  br i1 %v47, label %then122, label %else125, !prof !1
then122:
  store <32 x i32> %v119, ptr %buf21, align 1
  %v124 = mul i64 %v96, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v121, ptr %buf21, i64 %v124, i1 0)
  br label %endif123
else125:
  %v126 = mul i64 %v90, 4
  %v127 = getelementptr i8, ptr %v33, i64 %v126
  %v128 = mul i64 %v96, 1
  %v129 = trunc i64 %v128 to i32
  %v130 = insertelement <32 x i32> poison, i32 %v129, i64 0
  %v131 = shufflevector <32 x i32> %v130, <32 x i32> poison, <32 x i32> zeroinitializer
  %v132 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v131
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v119, ptr align 1 %v127, <32 x i1> %v132)
  br label %endif123
endif123:
  br label %endif95
endif95:
  %v133 = add i64 %i87, 1
  br label %head84
done86:
  br label %endif83
endif83:
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
