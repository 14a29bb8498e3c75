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
  %i24 = phi i64 [0, %entry], [%v105, %endif69]
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
  %i45 = phi i64 [%v38, %body22], [%v64, %endif61]
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
  br i1 %v35, label %then60, label %else62
then60:
  store <32 x i32> %v59, ptr %v50, align 64, !nontemporal !2
  br label %endif61
else62:
  store <32 x i32> %v59, ptr %v50, align 1
  br label %endif61
endif61:
  %v63 = add i64 %i45, 32
  %v64 = call i64 asm "", "=r,0"(i64 %v63)
  br label %head42
done44:
  %v65 = sub i64 %n, %v41
  %v66 = or i64 %v38, %v65
  %v67 = icmp ne i64 %v66, 0
  br i1 %v67, label %then68, label %endif69, !prof !1
then68:
  br label %head70
head70:
  %i73 = phi i64 [0, %then68], [%v104, %endif81]
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
  %v82 = sub i64 %v78, %v76
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v83 = mul i64 %v82, 8
  %v84 = sub i64 %v83, 4
  %v85 = getelementptr i8, ptr %buf13, i64 0
  %v86 = mul i64 %v76, 8
  %v87 = getelementptr i8, ptr %v27, i64 %v86
  call void @llvm.memcpy.p0.p0.i64(ptr %v85, ptr %v87, i64 %v84, i1 0)
  %v88 = getelementptr i8, ptr %buf13, i64 0
  %v89 = load <32 x i32>, ptr %v88, align 1
  %v90 = getelementptr i8, ptr %buf13, i64 124
  %v91 = load <32 x i32>, ptr %v90, align 1
  %v92 = shufflevector <32 x i32> %v89, <32 x i32> %v89, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v93 = shufflevector <32 x i32> %v92, <32 x i32> %v91, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v94 = bitcast <32 x i32> %v93 to <32 x float>
  %v95 = fmul <32 x float> %v94, %v19
  %v96 = bitcast <32 x float> %v95 to <32 x i32>
  %v97 = mul i64 %v76, 4
  %v98 = getelementptr i8, ptr %v29, i64 %v97
  %v99 = mul i64 %v82, 1
  %v100 = trunc i64 %v99 to i32
  %v101 = insertelement <32 x i32> poison, i32 %v100, i64 0
  %v102 = shufflevector <32 x i32> %v101, <32 x i32> poison, <32 x i32> zeroinitializer
  %v103 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v102
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v96, ptr align 1 %v98, <32 x i1> %v103)
  br label %endif81
endif81:
  %v104 = add i64 %i73, 1
  br label %head70
done72:
  br label %endif69
endif69:
  %v105 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then106, label %endif107
then106:
  fence seq_cst
  br label %endif107
endif107:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
