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
  %i24 = phi i64 [0, %entry], [%v121, %endif69]
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
  %v33 = and i64 %v32, 3
  %v34 = icmp eq i64 %v33, 0
  %v35 = and i1 %v20, %v34
  %v36 = select i1 %v35, i64 %v32, i64 0
  %v37 = lshr i64 %v36, 2
  %v38 = call i64 @llvm.smin.i64(i64 %v37, i64 %n)
  %v39 = sub i64 %n, %v38
  %v40 = and i64 %v39, -32
  %v41 = add i64 %v38, %v40
  br label %head42
head42:
  %i45 = phi i64 [%v38, %body22], [%v64, %endif62]
  %v46 = icmp slt i64 %i45, %v41
  br i1 %v46, label %body43, label %done44
body43:
  %v47 = mul i64 %i45, 8
  %v48 = getelementptr i8, ptr %v27, i64 %v47
  %v49 = mul i64 %i45, 4
  %v50 = getelementptr i8, ptr %v29, i64 %v49
  %v51 = getelementptr i8, ptr %v48, i64 0
  %v52 = load <32 x i32>, ptr %v51, align 1
  %v53 = getelementptr i8, ptr %v48, i64 124
  %v54 = load <32 x i32>, ptr %v53, align 1
  %v55 = shufflevector <32 x i32> %v52, <32 x i32> %v52, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v56 = shufflevector <32 x i32> %v55, <32 x i32> %v54, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v57 = bitcast <32 x i32> %v56 to <32 x float>
  %v58 = fmul <32 x float> %v57, %v19
  %v59 = bitcast <32 x float> %v58 to <32 x i32>
  %v60 = and i1 %v35, 1
  br i1 %v60, label %then61, label %else63
then61:
  store <32 x i32> %v59, ptr %v50, align 64, !nontemporal !2
  br label %endif62
else63:
  store <32 x i32> %v59, ptr %v50, align 1
  br label %endif62
endif62:
  %v64 = add i64 %i45, 32
  br label %head42
done44:
  %v65 = sub i64 %n, %v41
  %v66 = or i64 %v38, %v65
  %v67 = icmp ne i64 %v66, 0
  br i1 %v67, label %then68, label %endif69
then68:
  br label %head70
head70:
  %i73 = phi i64 [0, %then68], [%v120, %endif81]
  %v74 = icmp slt i64 %i73, 2
  br i1 %v74, label %body71, label %done72
body71:
  %v75 = icmp eq i64 %i73, 0
  %v76 = select i1 %v75, i64 0, i64 %v41
  %v77 = icmp eq i64 %i73, 0
  %v78 = select i1 %v77, i64 %v38, i64 %n
  %v79 = icmp slt i64 %v76, %v78
  br i1 %v79, label %then80, label %endif81
then80:
  %v82 = add i64 %v76, 32
  %v83 = icmp sle i64 %v82, %v78
  br i1 %v83, label %side85, label %side86, !prof !0
side85:
  %v87 = mul i64 %v76, 8
  %v88 = getelementptr i8, ptr %v27, i64 %v87
  %v89 = mul i64 %v76, 4
  %v90 = getelementptr i8, ptr %v29, i64 %v89
  br label %join84
side86:
  %v91 = sub i64 %v78, %v76
  %v92 = call i64 @llvm.smin.i64(i64 %v91, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v93 = mul i64 %v92, 8
  %v94 = sub i64 %v93, 4
  %v95 = getelementptr i8, ptr %buf13, i64 0
  %v96 = mul i64 %v76, 8
  %v97 = getelementptr i8, ptr %v27, i64 %v96
  call void @llvm.memcpy.p0.p0.i64(ptr %v95, ptr %v97, i64 %v94, i1 0)
  br label %join84
join84:
  %v98 = phi ptr [%v88, %side85], [%buf13, %side86]
  %v99 = phi ptr [%v90, %side85], [%buf14, %side86]
  %v100 = phi i64 [32, %side85], [%v92, %side86]
  %v101 = getelementptr i8, ptr %v98, i64 0
  %v102 = load <32 x i32>, ptr %v101, align 1
  %v103 = getelementptr i8, ptr %v98, i64 124
  %v104 = load <32 x i32>, ptr %v103, align 1
  %v105 = shufflevector <32 x i32> %v102, <32 x i32> %v102, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v106 = shufflevector <32 x i32> %v105, <32 x i32> %v104, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v107 = bitcast <32 x i32> %v106 to <32 x float>
  %v108 = fmul <32 x float> %v107, %v19
  %v109 = bitcast <32 x float> %v108 to <32 x i32>
  store <32 x i32> %v109, ptr %v99, align 1
  %v110 = xor i1 %v83, 1
  br i1 %v110, label %then111, label %endif112, !prof !1
then111:
  %v113 = mul i64 %v76, 4
  %v114 = getelementptr i8, ptr %v29, i64 %v113
  %v115 = mul i64 %v100, 1
  %v116 = trunc i64 %v115 to i32
  %v117 = insertelement <32 x i32> poison, i32 %v116, i64 0
  %v118 = shufflevector <32 x i32> %v117, <32 x i32> poison, <32 x i32> zeroinitializer
  %v119 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v118
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v109, ptr align 1 %v114, <32 x i1> %v119)
  br label %endif112
endif112:
  br label %endif81
endif81:
  %v120 = add i64 %i73, 1
  br label %head70
done72:
  br label %endif69
endif69:
  %v121 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then122, label %endif123
then122:
  fence seq_cst
  br label %endif123
endif123:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
