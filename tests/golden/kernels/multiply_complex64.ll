; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr, <64 x i1>, <64 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v64i32.p0(<64 x i32>, ptr, <64 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <64 x i32>, i64 1, align 64
  %buf20 = alloca <64 x i32>, i64 1, align 64
  %buf21 = alloca <64 x i32>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v154, %endif93]
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
  %v37 = mul i64 %n, 8
  %v38 = or i64 %v36, %v37
  %v39 = and i64 %v38, 63
  %v40 = icmp eq i64 %v39, 0
  %v41 = and i1 %v22, %v40
  %v42 = icmp sge i64 %v37, 3072
  %v43 = and i1 %v22, %v42
  %v44 = and i64 %v36, 7
  %v45 = icmp eq i64 %v44, 0
  %v46 = and i1 %v43, %v45
  %v47 = or i1 %v41, %v46
  %v48 = select i1 %v47, i64 %v36, i64 0
  %v49 = lshr i64 %v48, 3
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 %n)
  %v51 = sub i64 %n, %v50
  %v52 = and i64 %v51, -32
  %v53 = add i64 %v50, %v52
  br label %head54
head54:
  %i57 = phi i64 [%v50, %body24], [%v88, %endif85]
  %v58 = icmp slt i64 %i57, %v53
  br i1 %v58, label %body55, label %done56
body55:
  %v59 = mul i64 %i57, 8
  %v60 = getelementptr i8, ptr %v29, i64 %v59
  %v61 = mul i64 %i57, 8
  %v62 = getelementptr i8, ptr %v31, i64 %v61
  %v63 = mul i64 %i57, 8
  %v64 = getelementptr i8, ptr %v33, i64 %v63
  %v65 = load <64 x i32>, ptr %v60, align 1
  %v66 = shufflevector <64 x i32> %v65, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v67 = shufflevector <64 x i32> %v65, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v68 = bitcast <32 x i32> %v66 to <32 x float>
  %v69 = bitcast <32 x i32> %v67 to <32 x float>
  %v70 = load <64 x i32>, ptr %v62, align 1
  %v71 = shufflevector <64 x i32> %v70, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v72 = shufflevector <64 x i32> %v70, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v73 = bitcast <32 x i32> %v71 to <32 x float>
  %v74 = bitcast <32 x i32> %v72 to <32 x float>
  %v75 = fmul <32 x float> %v68, %v73
  %v76 = fmul <32 x float> %v69, %v74
  %v77 = fsub <32 x float> %v75, %v76
  %v78 = fmul <32 x float> %v68, %v74
  %v79 = fmul <32 x float> %v69, %v73
  %v80 = fadd <32 x float> %v78, %v79
  %v81 = bitcast <32 x float> %v77 to <32 x i32>
  %v82 = bitcast <32 x float> %v80 to <32 x i32>
  %v83 = shufflevector <32 x i32> %v81, <32 x i32> %v82, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  br i1 %v47, label %then84, label %else86
then84:
  store <64 x i32> %v83, ptr %v64, align 64, !nontemporal !2
  br label %endif85
else86:
  store <64 x i32> %v83, ptr %v64, align 1
  br label %endif85
endif85:
  %v87 = add i64 %i57, 32
  %v88 = call i64 asm "", "=r,0"(i64 %v87)
  br label %head54
done56:
  %v89 = sub i64 %n, %v53
  %v90 = or i64 %v50, %v89
  %v91 = icmp ne i64 %v90, 0
  br i1 %v91, label %then92, label %endif93, !prof !1
then92:
  br label %head94
head94:
  %i97 = phi i64 [0, %then92], [%v153, %endif105]
  %v98 = icmp slt i64 %i97, 2
  br i1 %v98, label %body95, label %done96
body95:
  %v99 = icmp eq i64 %i97, 0
  %v100 = select i1 %v99, i64 0, i64 %v53
  %v101 = icmp eq i64 %i97, 0
  %v102 = select i1 %v101, i64 %v50, i64 %n
  %v103 = icmp slt i64 %v100, %v102
  br i1 %v103, label %then104, label %endif105
then104:
  %v106 = sub i64 %v102, %v100
  %v107 = mul i64 %v100, 8
  %v108 = getelementptr i8, ptr %v29, i64 %v107
  %v109 = mul i64 %v100, 8
  %v110 = getelementptr i8, ptr %v31, i64 %v109
  %v111 = mul i64 %v106, 2
  %v112 = trunc i64 %v111 to i32
  %v113 = insertelement <64 x i32> poison, i32 %v112, i64 0
  %v114 = shufflevector <64 x i32> %v113, <64 x i32> poison, <64 x i32> zeroinitializer
  %v115 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v114
  %v116 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v108, <64 x i1> %v115, <64 x i32> zeroinitializer)
  %v117 = shufflevector <64 x i32> %v116, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v118 = shufflevector <64 x i32> %v116, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v119 = bitcast <32 x i32> %v117 to <32 x float>
  %v120 = bitcast <32 x i32> %v118 to <32 x float>
  %v121 = mul i64 %v106, 2
  %v122 = trunc i64 %v121 to i32
  %v123 = insertelement <64 x i32> poison, i32 %v122, i64 0
  %v124 = shufflevector <64 x i32> %v123, <64 x i32> poison, <64 x i32> zeroinitializer
  %v125 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v124
  %v126 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v110, <64 x i1> %v125, <64 x i32> zeroinitializer)
  %v127 = shufflevector <64 x i32> %v126, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v128 = shufflevector <64 x i32> %v126, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v129 = bitcast <32 x i32> %v127 to <32 x float>
  %v130 = bitcast <32 x i32> %v128 to <32 x float>
  %v131 = fmul <32 x float> %v119, %v129
  %v132 = fmul <32 x float> %v120, %v130
  %v133 = fsub <32 x float> %v131, %v132
  %v134 = fmul <32 x float> %v119, %v130
  %v135 = fmul <32 x float> %v120, %v129
  %v136 = fadd <32 x float> %v134, %v135
  %v137 = bitcast <32 x float> %v133 to <32 x i32>
  %v138 = bitcast <32 x float> %v136 to <32 x i32>
  %v139 = shufflevector <32 x i32> %v137, <32 x i32> %v138, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v140 = mul i64 %v100, 8
  %v141 = getelementptr i8, ptr %v33, i64 %v140
  br i1 %v47, label %then142, label %else145, !prof !1
then142:
  store <64 x i32> %v139, ptr %buf21, align 1
  %v144 = mul i64 %v106, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v141, ptr %buf21, i64 %v144, i1 0)
  br label %endif143
else145:
  %v146 = mul i64 %v100, 8
  %v147 = getelementptr i8, ptr %v33, i64 %v146
  %v148 = mul i64 %v106, 2
  %v149 = trunc i64 %v148 to i32
  %v150 = insertelement <64 x i32> poison, i32 %v149, i64 0
  %v151 = shufflevector <64 x i32> %v150, <64 x i32> poison, <64 x i32> zeroinitializer
  %v152 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v151
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v139, ptr align 1 %v147, <64 x i1> %v152)
  br label %endif143
endif143:
  br label %endif105
endif105:
  %v153 = add i64 %i97, 1
  br label %head94
done96:
  br label %endif93
endif93:
  %v154 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then155, label %endif156
then155:
  fence seq_cst
  br label %endif156
endif156:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
