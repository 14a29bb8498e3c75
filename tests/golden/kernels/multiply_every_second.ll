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
  %i24 = phi i64 [0, %entry], [%v78, %done36]
  %v25 = icmp slt i64 %i24, %m
  br i1 %v25, label %body22, label %done23
body22:
  %v26 = mul i64 %i24, %v10
  %v27 = getelementptr i8, ptr %v2, i64 %v26
  %v28 = mul i64 %i24, %v12
  %v29 = getelementptr i8, ptr %v4, i64 %v28
  %v30 = ptrtoint ptr %v29 to i64
  %v31 = and i64 %v30, 63
  %v32 = icmp eq i64 %v31, 0
  %v33 = and i1 %v20, %v32
  br label %head34
head34:
  %i37 = phi i64 [0, %body22], [%v77, %endif73]
  %v38 = icmp slt i64 %i37, %n
  br i1 %v38, label %body35, label %done36
body35:
  %v39 = add i64 %i37, 32
  %v40 = icmp sle i64 %v39, %n
  br i1 %v40, label %side42, label %side43, !prof !0
side42:
  %v44 = mul i64 %i37, 8
  %v45 = getelementptr i8, ptr %v27, i64 %v44
  %v46 = mul i64 %i37, 4
  %v47 = getelementptr i8, ptr %v29, i64 %v46
  br label %join41
side43:
  %v48 = sub i64 %n, %i37
  %v49 = call i64 @llvm.smin.i64(i64 %v48, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v50 = mul i64 %v49, 8
  %v51 = sub i64 %v50, 4
  %v52 = getelementptr i8, ptr %buf13, i64 0
  %v53 = mul i64 %i37, 8
  %v54 = getelementptr i8, ptr %v27, i64 %v53
  call void @llvm.memcpy.p0.p0.i64(ptr %v52, ptr %v54, i64 %v51, i1 0)
  br label %join41
join41:
  %v55 = phi ptr [%v45, %side42], [%buf13, %side43]
  %v56 = phi ptr [%v47, %side42], [%buf14, %side43]
  %v57 = phi i64 [32, %side42], [%v49, %side43]
  %v58 = getelementptr i8, ptr %v55, i64 0
  %v59 = load <32 x i32>, ptr %v58, align 1
  %v60 = getelementptr i8, ptr %v55, i64 124
  %v61 = load <32 x i32>, ptr %v60, align 1
  %v62 = shufflevector <32 x i32> %v59, <32 x i32> %v59, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v63 = shufflevector <32 x i32> %v62, <32 x i32> %v61, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v64 = bitcast <32 x i32> %v63 to <32 x float>
  %v65 = fmul <32 x float> %v64, %v19
  %v66 = bitcast <32 x float> %v65 to <32 x i32>
  %v67 = and i1 %v33, %v40
  br i1 %v67, label %then68, label %else70
then68:
  store <32 x i32> %v66, ptr %v56, align 64, !nontemporal !2
  br label %endif69
else70:
  store <32 x i32> %v66, ptr %v56, align 1
  br label %endif69
endif69:
  %v71 = xor i1 %v40, 1
  br i1 %v71, label %then72, label %endif73, !prof !1
then72:
  %v74 = mul i64 %i37, 4
  %v75 = getelementptr i8, ptr %v29, i64 %v74
  %v76 = mul i64 %v57, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v75, ptr %buf14, i64 %v76, i1 0)
  br label %endif73
endif73:
  %v77 = add i64 %i37, 32
  br label %head34
done36:
  %v78 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then79, label %endif80
then79:
  fence seq_cst
  br label %endif80
endif80:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
