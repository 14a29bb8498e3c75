; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr, <64 x i1>, <64 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v64i32.p0(<64 x i32>, ptr, <64 x i1>)
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
  %i26 = phi i64 [0, %entry], [%v142, %endif85]
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
  %v37 = and i64 %v36, 7
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = select i1 %v39, i64 %v36, i64 0
  %v41 = lshr i64 %v40, 3
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %n)
  %v43 = sub i64 %n, %v42
  %v44 = and i64 %v43, -32
  %v45 = add i64 %v42, %v44
  br label %head46
head46:
  %i49 = phi i64 [%v42, %body24], [%v80, %endif77]
  %v50 = icmp slt i64 %i49, %v45
  br i1 %v50, label %body47, label %done48
body47:
  %v51 = mul i64 %i49, 8
  %v52 = getelementptr i8, ptr %v29, i64 %v51
  %v53 = mul i64 %i49, 8
  %v54 = getelementptr i8, ptr %v31, i64 %v53
  %v55 = mul i64 %i49, 8
  %v56 = getelementptr i8, ptr %v33, i64 %v55
  %v57 = load <64 x i32>, ptr %v52, align 1
  %v58 = shufflevector <64 x i32> %v57, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v59 = shufflevector <64 x i32> %v57, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v60 = bitcast <32 x i32> %v58 to <32 x float>
  %v61 = bitcast <32 x i32> %v59 to <32 x float>
  %v62 = load <64 x i32>, ptr %v54, align 1
  %v63 = shufflevector <64 x i32> %v62, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v64 = shufflevector <64 x i32> %v62, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v65 = bitcast <32 x i32> %v63 to <32 x float>
  %v66 = bitcast <32 x i32> %v64 to <32 x float>
  %v67 = fmul <32 x float> %v60, %v65
  %v68 = fmul <32 x float> %v61, %v66
  %v69 = fsub <32 x float> %v67, %v68
  %v70 = fmul <32 x float> %v60, %v66
  %v71 = fmul <32 x float> %v61, %v65
  %v72 = fadd <32 x float> %v70, %v71
  %v73 = bitcast <32 x float> %v69 to <32 x i32>
  %v74 = bitcast <32 x float> %v72 to <32 x i32>
  %v75 = shufflevector <32 x i32> %v73, <32 x i32> %v74, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  br i1 %v39, label %then76, label %else78
then76:
  store <64 x i32> %v75, ptr %v56, align 64, !nontemporal !2
  br label %endif77
else78:
  store <64 x i32> %v75, ptr %v56, align 1
  br label %endif77
endif77:
  %v79 = add i64 %i49, 32
  %v80 = call i64 asm "", "=r,0"(i64 %v79)
  br label %head46
done48:
  %v81 = sub i64 %n, %v45
  %v82 = or i64 %v42, %v81
  %v83 = icmp ne i64 %v82, 0
  br i1 %v83, label %then84, label %endif85, !prof !1
then84:
  br label %head86
head86:
  %i89 = phi i64 [0, %then84], [%v141, %endif97]
  %v90 = icmp slt i64 %i89, 2
  br i1 %v90, label %body87, label %done88
body87:
  %v91 = icmp eq i64 %i89, 0
  %v92 = select i1 %v91, i64 0, i64 %v45
  %v93 = icmp eq i64 %i89, 0
  %v94 = select i1 %v93, i64 %v42, i64 %n
  %v95 = icmp slt i64 %v92, %v94
  br i1 %v95, label %then96, label %endif97
then96:
  %v98 = sub i64 %v94, %v92
  %v99 = mul i64 %v98, 2
  %v100 = trunc i64 %v99 to i32
  %v101 = insertelement <64 x i32> poison, i32 %v100, i64 0
  %v102 = shufflevector <64 x i32> %v101, <64 x i32> poison, <64 x i32> zeroinitializer
  %v103 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v102
  %v104 = mul i64 %v92, 8
  %v105 = getelementptr i8, ptr %v29, i64 %v104
  %v106 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v105, <64 x i1> %v103, <64 x i32> zeroinitializer)
  store <64 x i32> %v106, ptr %buf19, align 64
  %v107 = mul i64 %v98, 2
  %v108 = trunc i64 %v107 to i32
  %v109 = insertelement <64 x i32> poison, i32 %v108, i64 0
  %v110 = shufflevector <64 x i32> %v109, <64 x i32> poison, <64 x i32> zeroinitializer
  %v111 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v110
  %v112 = mul i64 %v92, 8
  %v113 = getelementptr i8, ptr %v31, i64 %v112
  %v114 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v113, <64 x i1> %v111, <64 x i32> zeroinitializer)
  store <64 x i32> %v114, ptr %buf20, align 64
  %v115 = load <64 x i32>, ptr %buf19, align 1
  %v116 = shufflevector <64 x i32> %v115, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v117 = shufflevector <64 x i32> %v115, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v118 = bitcast <32 x i32> %v116 to <32 x float>
  %v119 = bitcast <32 x i32> %v117 to <32 x float>
  %v120 = load <64 x i32>, ptr %buf20, align 1
  %v121 = shufflevector <64 x i32> %v120, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v122 = shufflevector <64 x i32> %v120, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v123 = bitcast <32 x i32> %v121 to <32 x float>
  %v124 = bitcast <32 x i32> %v122 to <32 x float>
  %v125 = fmul <32 x float> %v118, %v123
  %v126 = fmul <32 x float> %v119, %v124
  %v127 = fsub <32 x float> %v125, %v126
  %v128 = fmul <32 x float> %v118, %v124
  %v129 = fmul <32 x float> %v119, %v123
  %v130 = fadd <32 x float> %v128, %v129
  %v131 = bitcast <32 x float> %v127 to <32 x i32>
  %v132 = bitcast <32 x float> %v130 to <32 x i32>
  %v133 = shufflevector <32 x i32> %v131, <32 x i32> %v132, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v134 = mul i64 %v92, 8
  %v135 = getelementptr i8, ptr %v33, i64 %v134
  %v136 = mul i64 %v98, 2
  %v137 = trunc i64 %v136 to i32
  %v138 = insertelement <64 x i32> poison, i32 %v137, i64 0
  %v139 = shufflevector <64 x i32> %v138, <64 x i32> poison, <64 x i32> zeroinitializer
  %v140 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v139
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v133, ptr align 1 %v135, <64 x i1> %v140)
  br label %endif97
endif97:
  %v141 = add i64 %i89, 1
  br label %head86
done88:
  br label %endif85
endif85:
  %v142 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then143, label %endif144
then143:
  fence seq_cst
  br label %endif144
endif144:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
