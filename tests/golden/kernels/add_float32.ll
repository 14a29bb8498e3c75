; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32:1,float32:1,float32:1
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
  %i26 = phi i64 [0, %entry], [%v132, %endif82]
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
  %i57 = phi i64 [%v50, %body24], [%v77, %endif74]
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
  %v67 = bitcast <32 x i32> %v66 to <32 x float>
  %v68 = getelementptr i8, ptr %v62, i64 0
  %v69 = load <32 x i32>, ptr %v68, align 1
  %v70 = bitcast <32 x i32> %v69 to <32 x float>
  %v71 = fadd <32 x float> %v67, %v70
  %v72 = bitcast <32 x float> %v71 to <32 x i32>
  br i1 %v47, label %then73, label %else75
then73:
  store <32 x i32> %v72, ptr %v64, align 64, !nontemporal !2
  br label %endif74
else75:
  store <32 x i32> %v72, ptr %v64, align 1
  br label %endif74
endif74:
  %v76 = add i64 %i57, 32
  %v77 = call i64 asm "", "=r,0"(i64 %v76)
  br label %head54
done56:
  %v78 = sub i64 %n, %v53
  %v79 = or i64 %v50, %v78
  %v80 = icmp ne i64 %v79, 0
  br i1 %v80, label %then81, label %endif82, !prof !1
then81:
  br label %head83
head83:
  %i86 = phi i64 [0, %then81], [%v131, %endif94]
  %v87 = icmp slt i64 %i86, 2
  br i1 %v87, label %body84, label %done85
body84:
  %v88 = icmp eq i64 %i86, 0
  %v89 = select i1 %v88, i64 0, i64 %v53
  %v90 = icmp eq i64 %i86, 0
  %v91 = select i1 %v90, i64 %v50, i64 %n
  %v92 = icmp slt i64 %v89, %v91
  br i1 %v92, label %then93, label %endif94
then93:
  %v95 = sub i64 %v91, %v89
  %v96 = mul i64 %v89, 4
  %v97 = getelementptr i8, ptr %v29, i64 %v96
  %v98 = mul i64 %v89, 4
  %v99 = getelementptr i8, ptr %v31, i64 %v98
  %v100 = mul i64 %v95, 1
  %v101 = getelementptr i8, ptr %v97, i64 0
  %v102 = trunc i64 %v100 to i32
  %v103 = insertelement <32 x i32> poison, i32 %v102, i64 0
  %v104 = shufflevector <32 x i32> %v103, <32 x i32> poison, <32 x i32> zeroinitializer
  %v105 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v104
  %v106 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v101, <32 x i1> %v105, <32 x i32> zeroinitializer)
  %v107 = bitcast <32 x i32> %v106 to <32 x float>
  %v108 = mul i64 %v95, 1
  %v109 = getelementptr i8, ptr %v99, i64 0
  %v110 = trunc i64 %v108 to i32
  %v111 = insertelement <32 x i32> poison, i32 %v110, i64 0
  %v112 = shufflevector <32 x i32> %v111, <32 x i32> poison, <32 x i32> zeroinitializer
  %v113 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v112
  %v114 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v109, <32 x i1> %v113, <32 x i32> zeroinitializer)
  %v115 = bitcast <32 x i32> %v114 to <32 x float>
  %v116 = fadd <32 x float> %v107, %v115
  %v117 = bitcast <32 x float> %v116 to <32 x i32>
  %v118 = mul i64 %v89, 4
  %v119 = getelementptr i8, ptr %v33, i64 %v118
  br i1 %v47, label %then120, label %else123, !prof !1
then120:
  store <32 x i32> %v117, ptr %buf21, align 1
  %v122 = mul i64 %v95, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v119, ptr %buf21, i64 %v122, i1 0)
  br label %endif121
else123:
  %v124 = mul i64 %v89, 4
  %v125 = getelementptr i8, ptr %v33, i64 %v124
  %v126 = mul i64 %v95, 1
  %v127 = trunc i64 %v126 to i32
  %v128 = insertelement <32 x i32> poison, i32 %v127, i64 0
  %v129 = shufflevector <32 x i32> %v128, <32 x i32> poison, <32 x i32> zeroinitializer
  %v130 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v129
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v117, ptr align 1 %v125, <32 x i1> %v130)
  br label %endif121
endif121:
  br label %endif94
endif94:
  %v131 = add i64 %i86, 1
  br label %head83
done85:
  br label %endif82
endif82:
  %v132 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then133, label %endif134
then133:
  fence seq_cst
  br label %endif134
endif134:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
