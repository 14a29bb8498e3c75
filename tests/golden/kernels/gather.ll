; map|16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <16 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %buf74 = alloca <16 x i64>, i64 1, align 64
  %buf75 = alloca <16 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 6
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 9
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 1
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 4
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %L, i64 7
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %L, i64 10
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %L, i64 2
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %L, i64 5
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %L, i64 8
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %L, i64 11
  %v24 = load i64, ptr %v23, align 8
  br label %head27
head27:
  %i30 = phi i64 [0, %entry], [%v101, %done44]
  %v31 = icmp slt i64 %i30, %m
  br i1 %v31, label %body28, label %done29
body28:
  %v32 = mul i64 %i30, %v18
  %v33 = getelementptr i8, ptr %v2, i64 %v32
  %v34 = mul i64 %i30, %v20
  %v35 = add i64 %v4, %v34
  %v36 = mul i64 %i30, %v22
  %v37 = getelementptr i8, ptr %v6, i64 %v36
  %v38 = mul i64 %i30, %v24
  %v39 = getelementptr i8, ptr %v8, i64 %v38
  %v40 = insertelement <16 x i64> poison, i64 %v35, i64 0
  %v41 = shufflevector <16 x i64> %v40, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %head42
head42:
  %i45 = phi i64 [0, %body28], [%v100, %endif92]
  %v46 = icmp slt i64 %i45, %n
  br i1 %v46, label %body43, label %done44
body43:
  %v47 = add i64 %i45, 16
  %v48 = icmp sle i64 %v47, %n
  br i1 %v48, label %whole49, label %part50, !prof !0
whole49:
  %v52 = mul i64 %i45, 4
  %v53 = getelementptr i8, ptr %v33, i64 %v52
  %v54 = mul i64 %i45, 4
  %v55 = getelementptr i8, ptr %v39, i64 %v54
  br label %body51
part50:
  %v56 = sub i64 %n, %i45
  %v57 = call i64 @llvm.smin.i64(i64 %v56, i64 16)
  store <16 x i32> splat (i32 0), ptr %buf25, align 64
  %v58 = add i64 %i45, 0
  %v59 = sub i64 %v57, 0
  %v60 = mul i64 %v59, 4
  %v61 = sub i64 %v60, 0
  %v62 = mul i64 0, 4
  %v63 = getelementptr i8, ptr %buf25, i64 %v62
  %v64 = mul i64 %v58, 4
  %v65 = getelementptr i8, ptr %v33, i64 %v64
  call void @llvm.memcpy.p0.p0.i64(ptr %v63, ptr %v65, i64 %v61, i1 false)
  br label %body51
body51:
  %v66 = phi ptr [%v53, %whole49], [%buf25, %part50]
  %v67 = phi ptr [%v55, %whole49], [%buf26, %part50]
  %v68 = phi i64 [0, %whole49], [0, %part50]
  %v69 = phi i64 [16, %whole49], [%v57, %part50]
  %v70 = getelementptr i8, ptr %v66, i64 0
  %v71 = load <16 x i32>, ptr %v70, align 1
  %v72 = sext <16 x i32> %v71 to <16 x i64>
  %v73 = mul <16 x i64> %v72, %v41
  store <16 x i64> %v73, ptr %buf74, align 64
  br label %head76
head76:
  %i79 = phi i64 [%v68, %body51], [%v86, %body77]
  %v80 = icmp slt i64 %i79, %v69
  br i1 %v80, label %body77, label %done78
body77:
  %v81 = getelementptr i64, ptr %buf74, i64 %i79
  %v82 = load i64, ptr %v81, align 8
  %v83 = getelementptr i8, ptr %v37, i64 %v82
  %v84 = load i32, ptr %v83, align 1
  %v85 = getelementptr i32, ptr %buf75, i64 %i79
  store i32 %v84, ptr %v85, align 1
  %v86 = add i64 %i79, 1
  br label %head76
done78:
  %v87 = load <16 x i32>, ptr %buf75, align 64
  %v88 = bitcast <16 x i32> %v87 to <16 x float>
  %v89 = bitcast <16 x float> %v88 to <16 x i32>
  store <16 x i32> %v89, ptr %v67, align 1
  %v90 = xor i1 %v48, 1
  br i1 %v90, label %then91, label %endif92, !prof !1
then91:
  %v93 = mul i64 %v68, 4
  %v94 = getelementptr i8, ptr %buf26, i64 %v93
  %v95 = add i64 %i45, %v68
  %v96 = mul i64 %v95, 4
  %v97 = getelementptr i8, ptr %v39, i64 %v96
  %v98 = sub i64 %v69, %v68
  %v99 = mul i64 %v98, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v97, ptr %v94, i64 %v99, i1 false)
  br label %endif92
endif92:
  %v100 = add i64 %i45, 16
  br label %head42
done44:
  %v101 = add i64 %i30, 1
  br label %head27
done29:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
