; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr, <64 x i1>, <64 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v64i32.p0(<64 x i32>, ptr, <64 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %i26 = phi i64 [0, %entry], [%v176, %endif115]
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
  %v51 = icmp sge i64 %n, 4096
  %v52 = select i1 %v51, i64 1536, i64 0
  %v53 = sub i64 %n, %v50
  %v54 = and i64 %v53, -32
  %v55 = add i64 %v50, %v54
  br label %head56
head56:
  %i59 = phi i64 [%v50, %body24], [%v110, %endif107]
  %v60 = icmp slt i64 %i59, %v55
  br i1 %v60, label %body57, label %done58
body57:
  %v61 = mul i64 %i59, 8
  %v62 = getelementptr i8, ptr %v29, i64 %v61
  %v63 = add i64 %v52, 0
  %v64 = getelementptr i8, ptr %v62, i64 %v63
  call void @llvm.prefetch.p0(ptr %v64, i32 0, i32 3, i32 1)
  %v65 = add i64 %v52, 64
  %v66 = getelementptr i8, ptr %v62, i64 %v65
  call void @llvm.prefetch.p0(ptr %v66, i32 0, i32 3, i32 1)
  %v67 = add i64 %v52, 128
  %v68 = getelementptr i8, ptr %v62, i64 %v67
  call void @llvm.prefetch.p0(ptr %v68, i32 0, i32 3, i32 1)
  %v69 = add i64 %v52, 192
  %v70 = getelementptr i8, ptr %v62, i64 %v69
  call void @llvm.prefetch.p0(ptr %v70, i32 0, i32 3, i32 1)
  %v71 = mul i64 %i59, 8
  %v72 = getelementptr i8, ptr %v31, i64 %v71
  %v73 = add i64 %v52, 0
  %v74 = getelementptr i8, ptr %v72, i64 %v73
  call void @llvm.prefetch.p0(ptr %v74, i32 0, i32 3, i32 1)
  %v75 = add i64 %v52, 64
  %v76 = getelementptr i8, ptr %v72, i64 %v75
  call void @llvm.prefetch.p0(ptr %v76, i32 0, i32 3, i32 1)
  %v77 = add i64 %v52, 128
  %v78 = getelementptr i8, ptr %v72, i64 %v77
  call void @llvm.prefetch.p0(ptr %v78, i32 0, i32 3, i32 1)
  %v79 = add i64 %v52, 192
  %v80 = getelementptr i8, ptr %v72, i64 %v79
  call void @llvm.prefetch.p0(ptr %v80, i32 0, i32 3, i32 1)
  %v81 = mul i64 %i59, 8
  %v82 = getelementptr i8, ptr %v29, i64 %v81
  %v83 = mul i64 %i59, 8
  %v84 = getelementptr i8, ptr %v31, i64 %v83
  %v85 = mul i64 %i59, 8
  %v86 = getelementptr i8, ptr %v33, i64 %v85
  %v87 = load <64 x i32>, ptr %v82, align 1
  %v88 = shufflevector <64 x i32> %v87, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v89 = shufflevector <64 x i32> %v87, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v90 = bitcast <32 x i32> %v88 to <32 x float>
  %v91 = bitcast <32 x i32> %v89 to <32 x float>
  %v92 = load <64 x i32>, ptr %v84, align 1
  %v93 = shufflevector <64 x i32> %v92, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v94 = shufflevector <64 x i32> %v92, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v95 = bitcast <32 x i32> %v93 to <32 x float>
  %v96 = bitcast <32 x i32> %v94 to <32 x float>
  %v97 = fmul <32 x float> %v90, %v95
  %v98 = fmul <32 x float> %v91, %v96
  %v99 = fsub <32 x float> %v97, %v98
  %v100 = fmul <32 x float> %v90, %v96
  %v101 = fmul <32 x float> %v91, %v95
  %v102 = fadd <32 x float> %v100, %v101
  %v103 = bitcast <32 x float> %v99 to <32 x i32>
  %v104 = bitcast <32 x float> %v102 to <32 x i32>
  %v105 = shufflevector <32 x i32> %v103, <32 x i32> %v104, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  br i1 %v47, label %then106, label %else108
then106:
  store <64 x i32> %v105, ptr %v86, align 64, !nontemporal !2
  br label %endif107
else108:
  store <64 x i32> %v105, ptr %v86, align 1
  br label %endif107
endif107:
  %v109 = add i64 %i59, 32
  %v110 = call i64 asm "", "=r,0"(i64 %v109)
  br label %head56
done58:
  %v111 = sub i64 %n, %v55
  %v112 = or i64 %v50, %v111
  %v113 = icmp ne i64 %v112, 0
  br i1 %v113, label %then114, label %endif115, !prof !1
then114:
  br label %head116
head116:
  %i119 = phi i64 [0, %then114], [%v175, %endif127]
  %v120 = icmp slt i64 %i119, 2
  br i1 %v120, label %body117, label %done118
body117:
  %v121 = icmp eq i64 %i119, 0
  %v122 = select i1 %v121, i64 0, i64 %v55
  %v123 = icmp eq i64 %i119, 0
  %v124 = select i1 %v123, i64 %v50, i64 %n
  %v125 = icmp slt i64 %v122, %v124
  br i1 %v125, label %then126, label %endif127
then126:
  %v128 = sub i64 %v124, %v122
  %v129 = mul i64 %v122, 8
  %v130 = getelementptr i8, ptr %v29, i64 %v129
  %v131 = mul i64 %v122, 8
  %v132 = getelementptr i8, ptr %v31, i64 %v131
  %v133 = mul i64 %v128, 2
  %v134 = trunc i64 %v133 to i32
  %v135 = insertelement <64 x i32> poison, i32 %v134, i64 0
  %v136 = shufflevector <64 x i32> %v135, <64 x i32> poison, <64 x i32> zeroinitializer
  %v137 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v136
  %v138 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v130, <64 x i1> %v137, <64 x i32> zeroinitializer)
  %v139 = shufflevector <64 x i32> %v138, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v140 = shufflevector <64 x i32> %v138, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v141 = bitcast <32 x i32> %v139 to <32 x float>
  %v142 = bitcast <32 x i32> %v140 to <32 x float>
  %v143 = mul i64 %v128, 2
  %v144 = trunc i64 %v143 to i32
  %v145 = insertelement <64 x i32> poison, i32 %v144, i64 0
  %v146 = shufflevector <64 x i32> %v145, <64 x i32> poison, <64 x i32> zeroinitializer
  %v147 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v146
  %v148 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr align 1 %v132, <64 x i1> %v147, <64 x i32> zeroinitializer)
  %v149 = shufflevector <64 x i32> %v148, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v150 = shufflevector <64 x i32> %v148, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v151 = bitcast <32 x i32> %v149 to <32 x float>
  %v152 = bitcast <32 x i32> %v150 to <32 x float>
  %v153 = fmul <32 x float> %v141, %v151
  %v154 = fmul <32 x float> %v142, %v152
  %v155 = fsub <32 x float> %v153, %v154
  %v156 = fmul <32 x float> %v141, %v152
  %v157 = fmul <32 x float> %v142, %v151
  %v158 = fadd <32 x float> %v156, %v157
  %v159 = bitcast <32 x float> %v155 to <32 x i32>
  %v160 = bitcast <32 x float> %v158 to <32 x i32>
  %v161 = shufflevector <32 x i32> %v159, <32 x i32> %v160, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v162 = mul i64 %v122, 8
  %v163 = getelementptr i8, ptr %v33, i64 %v162
  br i1 %v47, label %then164, label %else167, !prof !1
then164:
  store <64 x i32> %v161, ptr %buf21, align 1
  %v166 = mul i64 %v128, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v163, ptr %buf21, i64 %v166, i1 0)
  br label %endif165
else167:
  %v168 = mul i64 %v122, 8
  %v169 = getelementptr i8, ptr %v33, i64 %v168
  %v170 = mul i64 %v128, 2
  %v171 = trunc i64 %v170 to i32
  %v172 = insertelement <64 x i32> poison, i32 %v171, i64 0
  %v173 = shufflevector <64 x i32> %v172, <64 x i32> poison, <64 x i32> zeroinitializer
  %v174 = icmp slt <64 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, %v173
  call void @llvm.masked.store.v64i32.p0(<64 x i32> %v161, ptr align 1 %v169, <64 x i1> %v174)
  br label %endif165
endif165:
  br label %endif127
endif127:
  %v175 = add i64 %i119, 1
  br label %head116
done118:
  br label %endif115
endif115:
  %v176 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then177, label %endif178
then177:
  fence seq_cst
  br label %endif178
endif178:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
