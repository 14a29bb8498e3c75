; map|32|load.float32[]0;scalar.float32[]0;multiply.float32[0, 1]None|float32:2,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  br label %head20
head20:
  %i23 = phi i64 [0, %entry], [%v77, %done31]
  %v24 = icmp slt i64 %i23, %m
  br i1 %v24, label %body21, label %done22
body21:
  %v25 = mul i64 %i23, %v10
  %v26 = getelementptr i8, ptr %v2, i64 %v25
  %v27 = mul i64 %i23, %v12
  %v28 = getelementptr i8, ptr %v4, i64 %v27
  br label %head29
head29:
  %i32 = phi i64 [0, %body21], [%v76, %endif68]
  %v33 = icmp slt i64 %i32, %n
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = add i64 %i32, 32
  %v35 = icmp sle i64 %v34, %n
  br i1 %v35, label %whole36, label %part37, !prof !0
whole36:
  %v39 = mul i64 %i32, 8
  %v40 = getelementptr i8, ptr %v26, i64 %v39
  %v41 = mul i64 %i32, 4
  %v42 = getelementptr i8, ptr %v28, i64 %v41
  br label %body38
part37:
  %v43 = sub i64 %n, %i32
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v45 = add i64 %i32, 0
  %v46 = sub i64 %v44, 0
  %v47 = mul i64 %v46, 8
  %v48 = sub i64 %v47, 4
  %v49 = mul i64 0, 8
  %v50 = getelementptr i8, ptr %buf13, i64 %v49
  %v51 = mul i64 %v45, 8
  %v52 = getelementptr i8, ptr %v26, i64 %v51
  call void @llvm.memcpy.p0.p0.i64(ptr %v50, ptr %v52, i64 %v48, i1 false)
  br label %body38
body38:
  %v53 = phi ptr [%v40, %whole36], [%buf13, %part37]
  %v54 = phi ptr [%v42, %whole36], [%buf14, %part37]
  %v55 = phi i64 [0, %whole36], [0, %part37]
  %v56 = phi i64 [32, %whole36], [%v44, %part37]
  %v57 = getelementptr i8, ptr %v53, i64 0
  %v58 = load <32 x i32>, ptr %v57, align 1
  %v59 = getelementptr i8, ptr %v53, i64 124
  %v60 = load <32 x i32>, ptr %v59, align 1
  %v61 = shufflevector <32 x i32> %v58, <32 x i32> %v58, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v62 = shufflevector <32 x i32> %v61, <32 x i32> %v60, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v63 = bitcast <32 x i32> %v62 to <32 x float>
  %v64 = fmul <32 x float> %v63, %v19
  %v65 = bitcast <32 x float> %v64 to <32 x i32>
  store <32 x i32> %v65, ptr %v54, align 1
  %v66 = xor i1 %v35, 1
  br i1 %v66, label %then67, label %endif68, !prof !1
then67:
  %v69 = mul i64 %v55, 4
  %v70 = getelementptr i8, ptr %buf14, i64 %v69
  %v71 = add i64 %i32, %v55
  %v72 = mul i64 %v71, 4
  %v73 = getelementptr i8, ptr %v28, i64 %v72
  %v74 = sub i64 %v56, %v55
  %v75 = mul i64 %v74, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v73, ptr %v70, i64 %v75, i1 false)
  br label %endif68
endif68:
  %v76 = add i64 %i32, 32
  br label %head29
done31:
  %v77 = add i64 %i23, 1
  br label %head20
done22:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
