; map |16|coord.int64[]0;scalar.int64[]1;add.int64[0, 1]None;scalar.int64[]0;multiply.int64[2, 3]None|coordinate:s,int64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  %v14 = getelementptr i8, ptr %S, i64 16
  %v15 = load i64, ptr %v14, align 8
  %v16 = insertelement <16 x i64> poison, i64 %v15, i64 0
  %v17 = shufflevector <16 x i64> %v16, <16 x i64> poison, <16 x i32> zeroinitializer
  %v18 = getelementptr i8, ptr %S, i64 0
  %v19 = load i64, ptr %v18, align 8
  %v20 = insertelement <16 x i64> poison, i64 %v19, i64 0
  %v21 = shufflevector <16 x i64> %v20, <16 x i64> poison, <16 x i32> zeroinitializer
  %v22 = icmp eq i64 %v8, -1
  br label %head23
head23:
  %i26 = phi i64 [0, %entry], [%v75, %done38]
  %v27 = icmp slt i64 %i26, %m
  br i1 %v27, label %body24, label %done25
body24:
  %v28 = mul i64 %i26, %v10
  %v29 = add i64 %v2, %v28
  %v30 = mul i64 %i26, %v12
  %v31 = getelementptr i8, ptr %v4, i64 %v30
  %v32 = ptrtoint ptr %v31 to i64
  %v33 = and i64 %v32, 63
  %v34 = icmp eq i64 %v33, 0
  %v35 = and i1 %v22, %v34
  br label %head36
head36:
  %i39 = phi i64 [0, %body24], [%v74, %endif70]
  %v40 = icmp slt i64 %i39, %n
  br i1 %v40, label %body37, label %done38
body37:
  %v41 = add i64 %i39, 16
  %v42 = icmp sle i64 %v41, %n
  br i1 %v42, label %side44, label %side45, !prof !0
side44:
  %v46 = mul i64 %i39, 8
  %v47 = getelementptr i8, ptr %v31, i64 %v46
  br label %join43
side45:
  %v48 = sub i64 %n, %i39
  %v49 = call i64 @llvm.smin.i64(i64 %v48, i64 16)
  br label %join43
join43:
  %v50 = phi ptr [%v47, %side44], [%buf13, %side45]
  %v51 = phi i64 [16, %side44], [%v49, %side45]
  %v52 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v53 = shufflevector <16 x i64> %v52, <16 x i64> poison, <16 x i32> zeroinitializer
  %v54 = mul i64 %i39, %v6
  %v55 = insertelement <16 x i64> poison, i64 %v54, i64 0
  %v56 = shufflevector <16 x i64> %v55, <16 x i64> poison, <16 x i32> zeroinitializer
  %v57 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v58 = shufflevector <16 x i64> %v57, <16 x i64> poison, <16 x i32> zeroinitializer
  %v59 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v58
  %v60 = add <16 x i64> %v56, %v59
  %v61 = add <16 x i64> %v53, %v60
  %v62 = add <16 x i64> %v61, %v17
  %v63 = mul <16 x i64> %v62, %v21
  %v64 = and i1 %v35, %v42
  br i1 %v64, label %then65, label %else67
then65:
  store <16 x i64> %v63, ptr %v50, align 64, !nontemporal !2
  br label %endif66
else67:
  store <16 x i64> %v63, ptr %v50, align 1
  br label %endif66
endif66:
  %v68 = xor i1 %v42, 1
  br i1 %v68, label %then69, label %endif70, !prof !1
then69:
  %v71 = mul i64 %i39, 8
  %v72 = getelementptr i8, ptr %v31, i64 %v71
  %v73 = mul i64 %v51, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v72, ptr %buf13, i64 %v73, i1 0)
  br label %endif70
endif70:
  %v74 = add i64 %i39, 16
  br label %head36
done38:
  %v75 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then76, label %endif77
then76:
  fence seq_cst
  br label %endif77
endif77:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
