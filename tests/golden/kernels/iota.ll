; map|16|coord.int64[]0;scalar.int64[]0;add.int64[0, 1]None;scalar.int64[]1;multiply.int64[2, 3]None|coordinate:s,int64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load i64, ptr %v1, align 8
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
  %v14 = getelementptr i8, ptr %S, i64 0
  %v15 = load i64, ptr %v14, align 8
  %v16 = insertelement <16 x i64> poison, i64 %v15, i64 0
  %v17 = shufflevector <16 x i64> %v16, <16 x i64> poison, <16 x i32> zeroinitializer
  %v18 = getelementptr i8, ptr %S, i64 16
  %v19 = load i64, ptr %v18, align 8
  %v20 = insertelement <16 x i64> poison, i64 %v19, i64 0
  %v21 = shufflevector <16 x i64> %v20, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %head22
head22:
  %i25 = phi i64 [0, %entry], [%v71, %done33]
  %v26 = icmp slt i64 %i25, %m
  br i1 %v26, label %body23, label %done24
body23:
  %v27 = mul i64 %i25, %v10
  %v28 = add i64 %v2, %v27
  %v29 = mul i64 %i25, %v12
  %v30 = getelementptr i8, ptr %v4, i64 %v29
  br label %head31
head31:
  %i34 = phi i64 [0, %body23], [%v70, %endif62]
  %v35 = icmp slt i64 %i34, %n
  br i1 %v35, label %body32, label %done33
body32:
  %v36 = add i64 %i34, 16
  %v37 = icmp sle i64 %v36, %n
  br i1 %v37, label %whole38, label %part39, !prof !0
whole38:
  %v41 = mul i64 %i34, 8
  %v42 = getelementptr i8, ptr %v30, i64 %v41
  br label %body40
part39:
  %v43 = sub i64 %n, %i34
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 16)
  br label %body40
body40:
  %v45 = phi ptr [%v42, %whole38], [%buf13, %part39]
  %v46 = phi i64 [0, %whole38], [0, %part39]
  %v47 = phi i64 [16, %whole38], [%v44, %part39]
  %v48 = insertelement <16 x i64> poison, i64 %v28, i64 0
  %v49 = shufflevector <16 x i64> %v48, <16 x i64> poison, <16 x i32> zeroinitializer
  %v50 = mul i64 %i34, %v6
  %v51 = insertelement <16 x i64> poison, i64 %v50, i64 0
  %v52 = shufflevector <16 x i64> %v51, <16 x i64> poison, <16 x i32> zeroinitializer
  %v53 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v54 = shufflevector <16 x i64> %v53, <16 x i64> poison, <16 x i32> zeroinitializer
  %v55 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v54
  %v56 = add <16 x i64> %v52, %v55
  %v57 = add <16 x i64> %v49, %v56
  %v58 = add <16 x i64> %v57, %v17
  %v59 = mul <16 x i64> %v58, %v21
  store <16 x i64> %v59, ptr %v45, align 1
  %v60 = xor i1 %v37, 1
  br i1 %v60, label %then61, label %endif62, !prof !1
then61:
  %v63 = mul i64 %v46, 8
  %v64 = getelementptr i8, ptr %buf13, i64 %v63
  %v65 = add i64 %i34, %v46
  %v66 = mul i64 %v65, 8
  %v67 = getelementptr i8, ptr %v30, i64 %v66
  %v68 = sub i64 %v47, %v46
  %v69 = mul i64 %v68, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v67, ptr %v64, i64 %v69, i1 false)
  br label %endif62
endif62:
  %v70 = add i64 %i34, 16
  br label %head31
done33:
  %v71 = add i64 %i25, 1
  br label %head22
done24:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
