; map |32|load.float32[]0;scalar.float32[]0;multiply.float32[0, 1]None|float32:2,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
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
  %i24 = phi i64 [0, %entry], [%v119, %endif77]
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
  %v47 = sub i64 %n, %v46
  %v48 = and i64 %v47, -32
  %v49 = add i64 %v46, %v48
  br label %head50
head50:
  %i53 = phi i64 [%v46, %body22], [%v72, %endif69]
  %v54 = icmp slt i64 %i53, %v49
  br i1 %v54, label %body51, label %done52
body51:
  %v55 = mul i64 %i53, 8
  %v56 = getelementptr i8, ptr %v27, i64 %v55
  %v57 = mul i64 %i53, 4
  %v58 = getelementptr i8, ptr %v29, i64 %v57
  %v59 = getelementptr i8, ptr %v56, i64 0
  %v60 = load <32 x i32>, ptr %v59, align 1
  %v61 = getelementptr i8, ptr %v56, i64 124
  %v62 = load <32 x i32>, ptr %v61, align 1
  %v63 = shufflevector <32 x i32> %v60, <32 x i32> %v60, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v64 = shufflevector <32 x i32> %v63, <32 x i32> %v62, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v65 = bitcast <32 x i32> %v64 to <32 x float>
  %v66 = fmul <32 x float> %v65, %v19
  %v67 = bitcast <32 x float> %v66 to <32 x i32>
  br i1 %v43, label %then68, label %else70
then68:
  store <32 x i32> %v67, ptr %v58, align 64, !nontemporal !2
  br label %endif69
else70:
  store <32 x i32> %v67, ptr %v58, align 1
  br label %endif69
endif69:
  %v71 = add i64 %i53, 32
  %v72 = call i64 asm "", "=r,0"(i64 %v71)
  br label %head50
done52:
  %v73 = sub i64 %n, %v49
  %v74 = or i64 %v46, %v73
  %v75 = icmp ne i64 %v74, 0
  br i1 %v75, label %then76, label %endif77, !prof !1
then76:
  br label %head78
head78:
  %i81 = phi i64 [0, %then76], [%v118, %endif89]
  %v82 = icmp slt i64 %i81, 2
  br i1 %v82, label %body79, label %done80
body79:
  %v83 = icmp eq i64 %i81, 0
  %v84 = select i1 %v83, i64 0, i64 %v49
  %v85 = icmp eq i64 %i81, 0
  %v86 = select i1 %v85, i64 %v46, i64 %n
  %v87 = icmp slt i64 %v84, %v86
  br i1 %v87, label %then88, label %endif89
then88:
  %v90 = sub i64 %v86, %v84
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v91 = mul i64 %v90, 8
  %v92 = sub i64 %v91, 4
  %v93 = getelementptr i8, ptr %buf13, i64 0
  %v94 = mul i64 %v84, 8
  %v95 = getelementptr i8, ptr %v27, i64 %v94
  call void @llvm.memcpy.p0.p0.i64(ptr %v93, ptr %v95, i64 %v92, i1 0)
  %v96 = getelementptr i8, ptr %buf13, i64 0
  %v97 = load <32 x i32>, ptr %v96, align 1
  %v98 = getelementptr i8, ptr %buf13, i64 124
  %v99 = load <32 x i32>, ptr %v98, align 1
  %v100 = shufflevector <32 x i32> %v97, <32 x i32> %v97, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v101 = shufflevector <32 x i32> %v100, <32 x i32> %v99, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v102 = bitcast <32 x i32> %v101 to <32 x float>
  %v103 = fmul <32 x float> %v102, %v19
  %v104 = bitcast <32 x float> %v103 to <32 x i32>
  %v105 = mul i64 %v84, 4
  %v106 = getelementptr i8, ptr %v29, i64 %v105
  br i1 %v43, label %then107, label %else110, !prof !1
then107:
  store <32 x i32> %v104, ptr %buf14, align 1
  %v109 = mul i64 %v90, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v106, ptr %buf14, i64 %v109, i1 0)
  br label %endif108
else110:
  %v111 = mul i64 %v84, 4
  %v112 = getelementptr i8, ptr %v29, i64 %v111
  %v113 = mul i64 %v90, 1
  %v114 = trunc i64 %v113 to i32
  %v115 = insertelement <32 x i32> poison, i32 %v114, i64 0
  %v116 = shufflevector <32 x i32> %v115, <32 x i32> poison, <32 x i32> zeroinitializer
  %v117 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v116
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v104, ptr align 1 %v112, <32 x i1> %v117)
  br label %endif108
endif108:
  br label %endif89
endif89:
  %v118 = add i64 %i81, 1
  br label %head78
done80:
  br label %endif77
endif77:
  %v119 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then120, label %endif121
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
