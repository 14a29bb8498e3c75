; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32:1,float32:1,float32:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %i26 = phi i64 [0, %entry], [%v146, %endif96]
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
  %v51 = icmp sge i64 %n, 8192
  %v52 = select i1 %v51, i64 1536, i64 0
  %v53 = sub i64 %n, %v50
  %v54 = and i64 %v53, -32
  %v55 = add i64 %v50, %v54
  br label %head56
head56:
  %i59 = phi i64 [%v50, %body24], [%v91, %endif88]
  %v60 = icmp slt i64 %i59, %v55
  br i1 %v60, label %body57, label %done58
body57:
  %v61 = mul i64 %i59, 4
  %v62 = getelementptr i8, ptr %v29, i64 %v61
  %v63 = add i64 %v52, 0
  %v64 = getelementptr i8, ptr %v62, i64 %v63
  call void @llvm.prefetch.p0(ptr %v64, i32 0, i32 3, i32 1)
  %v65 = add i64 %v52, 64
  %v66 = getelementptr i8, ptr %v62, i64 %v65
  call void @llvm.prefetch.p0(ptr %v66, i32 0, i32 3, i32 1)
  %v67 = mul i64 %i59, 4
  %v68 = getelementptr i8, ptr %v31, i64 %v67
  %v69 = add i64 %v52, 0
  %v70 = getelementptr i8, ptr %v68, i64 %v69
  call void @llvm.prefetch.p0(ptr %v70, i32 0, i32 3, i32 1)
  %v71 = add i64 %v52, 64
  %v72 = getelementptr i8, ptr %v68, i64 %v71
  call void @llvm.prefetch.p0(ptr %v72, i32 0, i32 3, i32 1)
  %v73 = mul i64 %i59, 4
  %v74 = getelementptr i8, ptr %v29, i64 %v73
  %v75 = mul i64 %i59, 4
  %v76 = getelementptr i8, ptr %v31, i64 %v75
  %v77 = mul i64 %i59, 4
  %v78 = getelementptr i8, ptr %v33, i64 %v77
  %v79 = getelementptr i8, ptr %v74, i64 0
  %v80 = load <32 x i32>, ptr %v79, align 1
  %v81 = bitcast <32 x i32> %v80 to <32 x float>
  %v82 = getelementptr i8, ptr %v76, i64 0
  %v83 = load <32 x i32>, ptr %v82, align 1
  %v84 = bitcast <32 x i32> %v83 to <32 x float>
  %v85 = fadd <32 x float> %v81, %v84
  %v86 = bitcast <32 x float> %v85 to <32 x i32>
  br i1 %v47, label %then87, label %else89
then87:
  store <32 x i32> %v86, ptr %v78, align 64, !nontemporal !2
  br label %endif88
else89:
  store <32 x i32> %v86, ptr %v78, align 1
  br label %endif88
endif88:
  %v90 = add i64 %i59, 32
  %v91 = call i64 asm "", "=r,0"(i64 %v90)
  br label %head56
done58:
  %v92 = sub i64 %n, %v55
  %v93 = or i64 %v50, %v92
  %v94 = icmp ne i64 %v93, 0
  br i1 %v94, label %then95, label %endif96, !prof !1
then95:
  br label %head97
head97:
  %i100 = phi i64 [0, %then95], [%v145, %endif108]
  %v101 = icmp slt i64 %i100, 2
  br i1 %v101, label %body98, label %done99
body98:
  %v102 = icmp eq i64 %i100, 0
  %v103 = select i1 %v102, i64 0, i64 %v55
  %v104 = icmp eq i64 %i100, 0
  %v105 = select i1 %v104, i64 %v50, i64 %n
  %v106 = icmp slt i64 %v103, %v105
  br i1 %v106, label %then107, label %endif108
then107:
  %v109 = sub i64 %v105, %v103
  %v110 = mul i64 %v103, 4
  %v111 = getelementptr i8, ptr %v29, i64 %v110
  %v112 = mul i64 %v103, 4
  %v113 = getelementptr i8, ptr %v31, i64 %v112
  %v114 = mul i64 %v109, 1
  %v115 = getelementptr i8, ptr %v111, i64 0
  %v116 = trunc i64 %v114 to i32
  %v117 = insertelement <32 x i32> poison, i32 %v116, i64 0
  %v118 = shufflevector <32 x i32> %v117, <32 x i32> poison, <32 x i32> zeroinitializer
  %v119 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v118
  %v120 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v115, <32 x i1> %v119, <32 x i32> zeroinitializer)
  %v121 = bitcast <32 x i32> %v120 to <32 x float>
  %v122 = mul i64 %v109, 1
  %v123 = getelementptr i8, ptr %v113, i64 0
  %v124 = trunc i64 %v122 to i32
  %v125 = insertelement <32 x i32> poison, i32 %v124, i64 0
  %v126 = shufflevector <32 x i32> %v125, <32 x i32> poison, <32 x i32> zeroinitializer
  %v127 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v126
  %v128 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v123, <32 x i1> %v127, <32 x i32> zeroinitializer)
  %v129 = bitcast <32 x i32> %v128 to <32 x float>
  %v130 = fadd <32 x float> %v121, %v129
  %v131 = bitcast <32 x float> %v130 to <32 x i32>
  %v132 = mul i64 %v103, 4
  %v133 = getelementptr i8, ptr %v33, i64 %v132
  br i1 %v47, label %then134, label %else137, !prof !1
then134:
  store <32 x i32> %v131, ptr %buf21, align 1
  %v136 = mul i64 %v109, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v133, ptr %buf21, i64 %v136, i1 0)
  br label %endif135
else137:
  %v138 = mul i64 %v103, 4
  %v139 = getelementptr i8, ptr %v33, i64 %v138
  %v140 = mul i64 %v109, 1
  %v141 = trunc i64 %v140 to i32
  %v142 = insertelement <32 x i32> poison, i32 %v141, i64 0
  %v143 = shufflevector <32 x i32> %v142, <32 x i32> poison, <32 x i32> zeroinitializer
  %v144 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v143
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v131, ptr align 1 %v139, <32 x i1> %v144)
  br label %endif135
endif135:
  br label %endif108
endif108:
  %v145 = add i64 %i100, 1
  br label %head97
done99:
  br label %endif96
endif96:
  %v146 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then147, label %endif148
then147:
  fence seq_cst
  br label %endif148
endif148:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
