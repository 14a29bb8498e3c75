; map |32|load.float32[]0;scalar.float32[]0;multiply.float32[0, 1]None|float32:2,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <64 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 1
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 4
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 2
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 5
  %v12 = load i64, ptr %v11, align 8
  %v15 = getelementptr i8, ptr %S, i64 0
  %v16 = load double, ptr %v15, align 8
  %v17 = fptrunc double %v16 to float
  %v18 = insertelement <32 x float> poison, float %v17, i64 0
  %v19 = shufflevector <32 x float> %v18, <32 x float> poison, <32 x i32> zeroinitializer
  %v20 = icmp eq i64 %v8, -1
  br label %head21
head21:
  %i24 = phi i64 [0, %entry], [%v131, %endif89]
  %v25 = icmp slt i64 %i24, %m
  br i1 %v25, label %body22, label %done23
body22:
  %v26 = mul i64 %i24, %v10
  %v27 = getelementptr i8, ptr %v2, i64 %v26
  %v28 = mul i64 %i24, %v12
  %v29 = getelementptr i8, ptr %v4, i64 %v28
  %v30 = ptrtoint ptr %v29 to i64
  %v31 = sub i64 0, %v30
  %v32 = and i64 %v31, 63
  %v33 = mul i64 %n, 4
  %v34 = or i64 %v32, %v33
  %v35 = and i64 %v34, 63
  %v36 = icmp eq i64 %v35, 0
  %v37 = and i1 %v20, %v36
  %v38 = icmp sge i64 %v33, 3072
  %v39 = and i1 %v20, %v38
  %v40 = and i64 %v32, 3
  %v41 = icmp eq i64 %v40, 0
  %v42 = and i1 %v39, %v41
  %v43 = or i1 %v37, %v42
  %v44 = select i1 %v43, i64 %v32, i64 0
  %v45 = lshr i64 %v44, 2
  %v46 = call i64 @llvm.smin.i64(i64 %v45, i64 %n)
  %v47 = icmp sge i64 %n, 8192
  %v48 = select i1 %v47, i64 1536, i64 0
  %v49 = sub i64 %n, %v46
  %v50 = and i64 %v49, -32
  %v51 = add i64 %v46, %v50
  br label %head52
head52:
  %i55 = phi i64 [%v46, %body22], [%v84, %endif81]
  %v56 = icmp slt i64 %i55, %v51
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = mul i64 %i55, 8
  %v58 = getelementptr i8, ptr %v27, i64 %v57
  %v59 = add i64 %v48, 0
  %v60 = getelementptr i8, ptr %v58, i64 %v59
  call void @llvm.prefetch.p0(ptr %v60, i32 0, i32 3, i32 1)
  %v61 = add i64 %v48, 64
  %v62 = getelementptr i8, ptr %v58, i64 %v61
  call void @llvm.prefetch.p0(ptr %v62, i32 0, i32 3, i32 1)
  %v63 = add i64 %v48, 128
  %v64 = getelementptr i8, ptr %v58, i64 %v63
  call void @llvm.prefetch.p0(ptr %v64, i32 0, i32 3, i32 1)
  %v65 = add i64 %v48, 192
  %v66 = getelementptr i8, ptr %v58, i64 %v65
  call void @llvm.prefetch.p0(ptr %v66, i32 0, i32 3, i32 1)
  %v67 = mul i64 %i55, 8
  %v68 = getelementptr i8, ptr %v27, i64 %v67
  %v69 = mul i64 %i55, 4
  %v70 = getelementptr i8, ptr %v29, i64 %v69
  %v71 = getelementptr i8, ptr %v68, i64 0
  %v72 = load <32 x i32>, ptr %v71, align 1
  %v73 = getelementptr i8, ptr %v68, i64 124
  %v74 = load <32 x i32>, ptr %v73, align 1
  %v75 = shufflevector <32 x i32> %v72, <32 x i32> %v72, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v76 = shufflevector <32 x i32> %v75, <32 x i32> %v74, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v77 = bitcast <32 x i32> %v76 to <32 x float>
  %v78 = fmul <32 x float> %v77, %v19
  %v79 = bitcast <32 x float> %v78 to <32 x i32>
  br i1 %v43, label %then80, label %else82
then80:
  store <32 x i32> %v79, ptr %v70, align 64, !nontemporal !2
  br label %endif81
else82:
  store <32 x i32> %v79, ptr %v70, align 1
  br label %endif81
endif81:
  %v83 = add i64 %i55, 32
  %v84 = call i64 asm "", "=r,0"(i64 %v83)
  br label %head52
done54:
  %v85 = sub i64 %n, %v51
  %v86 = or i64 %v46, %v85
  %v87 = icmp ne i64 %v86, 0
  br i1 %v87, label %then88, label %endif89, !prof !1
then88:
  br label %head90
head90:
  %i93 = phi i64 [0, %then88], [%v130, %endif101]
  %v94 = icmp slt i64 %i93, 2
  br i1 %v94, label %body91, label %done92
body91:
  %v95 = icmp eq i64 %i93, 0
  %v96 = select i1 %v95, i64 0, i64 %v51
  %v97 = icmp eq i64 %i93, 0
  %v98 = select i1 %v97, i64 %v46, i64 %n
  %v99 = icmp slt i64 %v96, %v98
  br i1 %v99, label %then100, label %endif101
then100:
  %v102 = sub i64 %v98, %v96
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v103 = mul i64 %v102, 8
  %v104 = sub i64 %v103, 4
  %v105 = getelementptr i8, ptr %buf13, i64 0
  %v106 = mul i64 %v96, 8
  %v107 = getelementptr i8, ptr %v27, i64 %v106
  call void @llvm.memcpy.p0.p0.i64(ptr %v105, ptr %v107, i64 %v104, i1 0)
  %v108 = getelementptr i8, ptr %buf13, i64 0
  %v109 = load <32 x i32>, ptr %v108, align 1
  %v110 = getelementptr i8, ptr %buf13, i64 124
  %v111 = load <32 x i32>, ptr %v110, align 1
  %v112 = shufflevector <32 x i32> %v109, <32 x i32> %v109, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v113 = shufflevector <32 x i32> %v112, <32 x i32> %v111, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v114 = bitcast <32 x i32> %v113 to <32 x float>
  %v115 = fmul <32 x float> %v114, %v19
  %v116 = bitcast <32 x float> %v115 to <32 x i32>
  %v117 = mul i64 %v96, 4
  %v118 = getelementptr i8, ptr %v29, i64 %v117
  br i1 %v43, label %then119, label %else122, !prof !1
then119:
  store <32 x i32> %v116, ptr %buf14, align 1
  %v121 = mul i64 %v102, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v118, ptr %buf14, i64 %v121, i1 0)
  br label %endif120
else122:
  %v123 = mul i64 %v96, 4
  %v124 = getelementptr i8, ptr %v29, i64 %v123
  %v125 = mul i64 %v102, 1
  %v126 = trunc i64 %v125 to i32
  %v127 = insertelement <32 x i32> poison, i32 %v126, i64 0
  %v128 = shufflevector <32 x i32> %v127, <32 x i32> poison, <32 x i32> zeroinitializer
  %v129 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v128
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v116, ptr align 1 %v124, <32 x i1> %v129)
  br label %endif120
endif120:
  br label %endif101
endif101:
  %v130 = add i64 %i93, 1
  br label %head90
done92:
  br label %endif89
endif89:
  %v131 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then132, label %endif133
then132:
  fence seq_cst
  br label %endif133
endif133:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
