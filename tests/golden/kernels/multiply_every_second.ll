; map |32|load.float32[]0;scalar.float32[]0;multiply.float32[0, 1]None|float32:2,float32:1
declare i64 @llvm.smin.i64(i64, i64)
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
  %i24 = phi i64 [0, %entry], [%v112, %done67]
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
  br label %head65
head65:
  %i68 = phi i64 [0, %done44], [%v111, %endif76]
  %v69 = icmp slt i64 %i68, 2
  br i1 %v69, label %body66, label %done67
body66:
  %v70 = icmp eq i64 %i68, 0
  %v71 = select i1 %v70, i64 0, i64 %v41
  %v72 = icmp eq i64 %i68, 0
  %v73 = select i1 %v72, i64 %v38, i64 %n
  %v74 = icmp slt i64 %v71, %v73
  br i1 %v74, label %then75, label %endif76
then75:
  %v77 = add i64 %v71, 32
  %v78 = icmp sle i64 %v77, %v73
  br i1 %v78, label %side80, label %side81, !prof !0
side80:
  %v82 = mul i64 %v71, 8
  %v83 = getelementptr i8, ptr %v27, i64 %v82
  %v84 = mul i64 %v71, 4
  %v85 = getelementptr i8, ptr %v29, i64 %v84
  br label %join79
side81:
  %v86 = sub i64 %v73, %v71
  %v87 = call i64 @llvm.smin.i64(i64 %v86, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v88 = mul i64 %v87, 8
  %v89 = sub i64 %v88, 4
  %v90 = getelementptr i8, ptr %buf13, i64 0
  %v91 = mul i64 %v71, 8
  %v92 = getelementptr i8, ptr %v27, i64 %v91
  call void @llvm.memcpy.p0.p0.i64(ptr %v90, ptr %v92, i64 %v89, i1 0)
  br label %join79
join79:
  %v93 = phi ptr [%v83, %side80], [%buf13, %side81]
  %v94 = phi ptr [%v85, %side80], [%buf14, %side81]
  %v95 = phi i64 [32, %side80], [%v87, %side81]
  %v96 = getelementptr i8, ptr %v93, i64 0
  %v97 = load <32 x i32>, ptr %v96, align 1
  %v98 = getelementptr i8, ptr %v93, i64 124
  %v99 = load <32 x i32>, ptr %v98, align 1
  %v100 = shufflevector <32 x i32> %v97, <32 x i32> %v97, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v101 = shufflevector <32 x i32> %v100, <32 x i32> %v99, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v102 = bitcast <32 x i32> %v101 to <32 x float>
  %v103 = fmul <32 x float> %v102, %v19
  %v104 = bitcast <32 x float> %v103 to <32 x i32>
  store <32 x i32> %v104, ptr %v94, align 1
  %v105 = xor i1 %v78, 1
  br i1 %v105, label %then106, label %endif107, !prof !1
then106:
  %v108 = mul i64 %v71, 4
  %v109 = getelementptr i8, ptr %v29, i64 %v108
  %v110 = mul i64 %v95, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v109, ptr %buf14, i64 %v110, i1 0)
  br label %endif107
endif107:
  br label %endif76
endif76:
  %v111 = add i64 %i68, 1
  br label %head65
done67:
  %v112 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then113, label %endif114
then113:
  fence seq_cst
  br label %endif114
endif114:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
