; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32~:1,float32:1,float32:1
declare <32 x i32> @llvm.bswap.v32i32(<32 x i32>)
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
  %i26 = phi i64 [0, %entry], [%v148, %endif97]
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
  %i59 = phi i64 [%v50, %body24], [%v92, %endif89]
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
  %v81 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v80)
  %v82 = bitcast <32 x i32> %v81 to <32 x float>
  %v83 = getelementptr i8, ptr %v76, i64 0
  %v84 = load <32 x i32>, ptr %v83, align 1
  %v85 = bitcast <32 x i32> %v84 to <32 x float>
  %v86 = fadd <32 x float> %v82, %v85
  %v87 = bitcast <32 x float> %v86 to <32 x i32>
  br i1 %v47, label %then88, label %else90
then88:
  store <32 x i32> %v87, ptr %v78, align 64, !nontemporal !2
  br label %endif89
else90:
  store <32 x i32> %v87, ptr %v78, align 1
  br label %endif89
endif89:
  %v91 = add i64 %i59, 32
  %v92 = call i64 asm "", "=r,0"(i64 %v91)
  br label %head56
done58:
  %v93 = sub i64 %n, %v55
  %v94 = or i64 %v50, %v93
  %v95 = icmp ne i64 %v94, 0
  br i1 %v95, label %then96, label %endif97, !prof !1
then96:
  br label %head98
head98:
  %i101 = phi i64 [0, %then96], [%v147, %endif109]
  %v102 = icmp slt i64 %i101, 2
  br i1 %v102, label %body99, label %done100
body99:
  %v103 = icmp eq i64 %i101, 0
  %v104 = select i1 %v103, i64 0, i64 %v55
  %v105 = icmp eq i64 %i101, 0
  %v106 = select i1 %v105, i64 %v50, i64 %n
  %v107 = icmp slt i64 %v104, %v106
  br i1 %v107, label %then108, label %endif109
then108:
  %v110 = sub i64 %v106, %v104
  %v111 = mul i64 %v104, 4
  %v112 = getelementptr i8, ptr %v29, i64 %v111
  %v113 = mul i64 %v104, 4
  %v114 = getelementptr i8, ptr %v31, i64 %v113
  %v115 = mul i64 %v110, 1
  %v116 = getelementptr i8, ptr %v112, i64 0
  %v117 = trunc i64 %v115 to i32
  %v118 = insertelement <32 x i32> poison, i32 %v117, i64 0
  %v119 = shufflevector <32 x i32> %v118, <32 x i32> poison, <32 x i32> zeroinitializer
  %v120 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v119
  %v121 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v116, <32 x i1> %v120, <32 x i32> zeroinitializer)
  %v122 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v121)
  %v123 = bitcast <32 x i32> %v122 to <32 x float>
  %v124 = mul i64 %v110, 1
  %v125 = getelementptr i8, ptr %v114, i64 0
  %v126 = trunc i64 %v124 to i32
  %v127 = insertelement <32 x i32> poison, i32 %v126, i64 0
  %v128 = shufflevector <32 x i32> %v127, <32 x i32> poison, <32 x i32> zeroinitializer
  %v129 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v128
  %v130 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v125, <32 x i1> %v129, <32 x i32> zeroinitializer)
  %v131 = bitcast <32 x i32> %v130 to <32 x float>
  %v132 = fadd <32 x float> %v123, %v131
  %v133 = bitcast <32 x float> %v132 to <32 x i32>
  %v134 = mul i64 %v104, 4
  %v135 = getelementptr i8, ptr %v33, i64 %v134
  br i1 %v47, label %then136, label %else139, !prof !1
then136:
  store <32 x i32> %v133, ptr %buf21, align 1
  %v138 = mul i64 %v110, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v135, ptr %buf21, i64 %v138, i1 0)
  br label %endif137
else139:
  %v140 = mul i64 %v104, 4
  %v141 = getelementptr i8, ptr %v33, i64 %v140
  %v142 = mul i64 %v110, 1
  %v143 = trunc i64 %v142 to i32
  %v144 = insertelement <32 x i32> poison, i32 %v143, i64 0
  %v145 = shufflevector <32 x i32> %v144, <32 x i32> poison, <32 x i32> zeroinitializer
  %v146 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v145
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v133, ptr align 1 %v141, <32 x i1> %v146)
  br label %endif137
endif137:
  br label %endif109
endif109:
  %v147 = add i64 %i101, 1
  br label %head98
done100:
  br label %endif97
endif97:
  %v148 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then149, label %endif150
then149:
  fence seq_cst
  br label %endif150
endif150:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
