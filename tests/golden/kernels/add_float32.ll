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
  %i26 = phi i64 [0, %entry], [%v120, %endif74]
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
  %i49 = phi i64 [%v42, %body24], [%v69, %endif66]
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
  %v69 = call i64 asm "", "=r,0"(i64 %v68)
  br label %head46
done48:
  %v70 = sub i64 %n, %v45
  %v71 = or i64 %v42, %v70
  %v72 = icmp ne i64 %v71, 0
  br i1 %v72, label %then73, label %endif74, !prof !1
then73:
  br label %head75
head75:
  %i78 = phi i64 [0, %then73], [%v119, %endif86]
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
  %v87 = sub i64 %v83, %v81
  %v88 = mul i64 %v87, 1
  %v89 = trunc i64 %v88 to i32
  %v90 = insertelement <32 x i32> poison, i32 %v89, i64 0
  %v91 = shufflevector <32 x i32> %v90, <32 x i32> poison, <32 x i32> zeroinitializer
  %v92 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v91
  %v93 = mul i64 %v81, 4
  %v94 = getelementptr i8, ptr %v29, i64 %v93
  %v95 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v94, <32 x i1> %v92, <32 x i32> zeroinitializer)
  store <32 x i32> %v95, ptr %buf19, align 64
  %v96 = mul i64 %v87, 1
  %v97 = trunc i64 %v96 to i32
  %v98 = insertelement <32 x i32> poison, i32 %v97, i64 0
  %v99 = shufflevector <32 x i32> %v98, <32 x i32> poison, <32 x i32> zeroinitializer
  %v100 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v99
  %v101 = mul i64 %v81, 4
  %v102 = getelementptr i8, ptr %v31, i64 %v101
  %v103 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v102, <32 x i1> %v100, <32 x i32> zeroinitializer)
  store <32 x i32> %v103, ptr %buf20, align 64
  %v104 = getelementptr i8, ptr %buf19, i64 0
  %v105 = load <32 x i32>, ptr %v104, align 1
  %v106 = bitcast <32 x i32> %v105 to <32 x float>
  %v107 = getelementptr i8, ptr %buf20, i64 0
  %v108 = load <32 x i32>, ptr %v107, align 1
  %v109 = bitcast <32 x i32> %v108 to <32 x float>
  %v110 = fadd <32 x float> %v106, %v109
  %v111 = bitcast <32 x float> %v110 to <32 x i32>
  %v112 = mul i64 %v81, 4
  %v113 = getelementptr i8, ptr %v33, i64 %v112
  %v114 = mul i64 %v87, 1
  %v115 = trunc i64 %v114 to i32
  %v116 = insertelement <32 x i32> poison, i32 %v115, i64 0
  %v117 = shufflevector <32 x i32> %v116, <32 x i32> poison, <32 x i32> zeroinitializer
  %v118 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v117
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v111, ptr align 1 %v113, <32 x i1> %v118)
  br label %endif86
endif86:
  %v119 = add i64 %i78, 1
  br label %head75
done77:
  br label %endif74
endif74:
  %v120 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then121, label %endif122
then121:
  fence seq_cst
  br label %endif122
endif122:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
