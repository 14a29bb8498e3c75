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
  %i26 = phi i64 [0, %entry], [%v119, %endif73]
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
  %i49 = phi i64 [%v42, %body24], [%v68, %endif66]
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
  br i1 %v39, label %then65, label %else67
then65:
  store <32 x i32> %v64, ptr %v56, align 64, !nontemporal !2
  br label %endif66
else67:
  store <32 x i32> %v64, ptr %v56, align 1
  br label %endif66
endif66:
  %v68 = add i64 %i49, 32
  br label %head46
done48:
  %v69 = sub i64 %n, %v45
  %v70 = or i64 %v42, %v69
  %v71 = icmp ne i64 %v70, 0
  br i1 %v71, label %then72, label %endif73, !prof !1
then72:
  br label %head74
head74:
  %i77 = phi i64 [0, %then72], [%v118, %endif85]
  %v78 = icmp slt i64 %i77, 2
  br i1 %v78, label %body75, label %done76
body75:
  %v79 = icmp eq i64 %i77, 0
  %v80 = select i1 %v79, i64 0, i64 %v45
  %v81 = icmp eq i64 %i77, 0
  %v82 = select i1 %v81, i64 %v42, i64 %n
  %v83 = icmp slt i64 %v80, %v82
  br i1 %v83, label %then84, label %endif85
then84:
  %v86 = sub i64 %v82, %v80
  %v87 = mul i64 %v86, 1
  %v88 = trunc i64 %v87 to i32
  %v89 = insertelement <32 x i32> poison, i32 %v88, i64 0
  %v90 = shufflevector <32 x i32> %v89, <32 x i32> poison, <32 x i32> zeroinitializer
  %v91 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v90
  %v92 = mul i64 %v80, 4
  %v93 = getelementptr i8, ptr %v29, i64 %v92
  %v94 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v93, <32 x i1> %v91, <32 x i32> zeroinitializer)
  store <32 x i32> %v94, ptr %buf19, align 64
  %v95 = mul i64 %v86, 1
  %v96 = trunc i64 %v95 to i32
  %v97 = insertelement <32 x i32> poison, i32 %v96, i64 0
  %v98 = shufflevector <32 x i32> %v97, <32 x i32> poison, <32 x i32> zeroinitializer
  %v99 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v98
  %v100 = mul i64 %v80, 4
  %v101 = getelementptr i8, ptr %v31, i64 %v100
  %v102 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v101, <32 x i1> %v99, <32 x i32> zeroinitializer)
  store <32 x i32> %v102, ptr %buf20, align 64
  %v103 = getelementptr i8, ptr %buf19, i64 0
  %v104 = load <32 x i32>, ptr %v103, align 1
  %v105 = bitcast <32 x i32> %v104 to <32 x float>
  %v106 = getelementptr i8, ptr %buf20, i64 0
  %v107 = load <32 x i32>, ptr %v106, align 1
  %v108 = bitcast <32 x i32> %v107 to <32 x float>
  %v109 = fadd <32 x float> %v105, %v108
  %v110 = bitcast <32 x float> %v109 to <32 x i32>
  %v111 = mul i64 %v80, 4
  %v112 = getelementptr i8, ptr %v33, i64 %v111
  %v113 = mul i64 %v86, 1
  %v114 = trunc i64 %v113 to i32
  %v115 = insertelement <32 x i32> poison, i32 %v114, i64 0
  %v116 = shufflevector <32 x i32> %v115, <32 x i32> poison, <32 x i32> zeroinitializer
  %v117 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v116
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v110, ptr align 1 %v112, <32 x i1> %v117)
  br label %endif85
endif85:
  %v118 = add i64 %i77, 1
  br label %head74
done76:
  br label %endif73
endif73:
  %v119 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then120, label %endif121
then120:
  fence seq_cst
  br label %endif121
endif121:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
