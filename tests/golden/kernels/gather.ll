; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <16 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %buf75 = alloca <16 x i64>, i64 1, align 64
  %buf76 = alloca <16 x i32>, i64 1, align 64
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
  %v27 = icmp eq i64 %v16, -1
  br label %head28
head28:
  %i31 = phi i64 [0, %entry], [%v102, %done49]
  %v32 = icmp slt i64 %i31, %m
  br i1 %v32, label %body29, label %done30
body29:
  %v33 = mul i64 %i31, %v18
  %v34 = getelementptr i8, ptr %v2, i64 %v33
  %v35 = mul i64 %i31, %v20
  %v36 = add i64 %v4, %v35
  %v37 = mul i64 %i31, %v22
  %v38 = getelementptr i8, ptr %v6, i64 %v37
  %v39 = mul i64 %i31, %v24
  %v40 = getelementptr i8, ptr %v8, i64 %v39
  %v41 = insertelement <16 x i64> poison, i64 %v36, i64 0
  %v42 = shufflevector <16 x i64> %v41, <16 x i64> poison, <16 x i32> zeroinitializer
  %v43 = ptrtoint ptr %v40 to i64
  %v44 = and i64 %v43, 63
  %v45 = icmp eq i64 %v44, 0
  %v46 = and i1 %v27, %v45
  br label %head47
head47:
  %i50 = phi i64 [0, %body29], [%v101, %endif97]
  %v51 = icmp slt i64 %i50, %n
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = add i64 %i50, 16
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %side55, label %side56, !prof !0
side55:
  %v57 = mul i64 %i50, 4
  %v58 = getelementptr i8, ptr %v34, i64 %v57
  %v59 = mul i64 %i50, 4
  %v60 = getelementptr i8, ptr %v40, i64 %v59
  br label %join54
side56:
  %v61 = sub i64 %n, %i50
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 16)
  store <16 x i32> splat (i32 0), ptr %buf25, align 64
  %v63 = mul i64 %v62, 4
  %v64 = sub i64 %v63, 0
  %v65 = getelementptr i8, ptr %buf25, i64 0
  %v66 = mul i64 %i50, 4
  %v67 = getelementptr i8, ptr %v34, i64 %v66
  call void @llvm.memcpy.p0.p0.i64(ptr %v65, ptr %v67, i64 %v64, i1 0)
  br label %join54
join54:
  %v68 = phi ptr [%v58, %side55], [%buf25, %side56]
  %v69 = phi ptr [%v60, %side55], [%buf26, %side56]
  %v70 = phi i64 [16, %side55], [%v62, %side56]
  %v71 = getelementptr i8, ptr %v68, i64 0
  %v72 = load <16 x i32>, ptr %v71, align 1
  %v73 = sext <16 x i32> %v72 to <16 x i64>
  %v74 = mul <16 x i64> %v73, %v42
  store <16 x i64> %v74, ptr %buf75, align 64
  br label %head77
head77:
  %i80 = phi i64 [0, %join54], [%v87, %body78]
  %v81 = icmp slt i64 %i80, %v70
  br i1 %v81, label %body78, label %done79
body78:
  %v82 = getelementptr i64, ptr %buf75, i64 %i80
  %v83 = load i64, ptr %v82, align 8
  %v84 = getelementptr i8, ptr %v38, i64 %v83
  %v85 = load i32, ptr %v84, align 1
  %v86 = getelementptr i32, ptr %buf76, i64 %i80
  store i32 %v85, ptr %v86, align 1
  %v87 = add i64 %i80, 1
  br label %head77
done79:
  %v88 = load <16 x i32>, ptr %buf76, align 64
  %v89 = bitcast <16 x i32> %v88 to <16 x float>
  %v90 = bitcast <16 x float> %v89 to <16 x i32>
  %v91 = and i1 %v46, %v53
  br i1 %v91, label %then92, label %else94
then92:
  store <16 x i32> %v90, ptr %v69, align 64, !nontemporal !2
  br label %endif93
else94:
  store <16 x i32> %v90, ptr %v69, align 1
  br label %endif93
endif93:
  %v95 = xor i1 %v53, 1
  br i1 %v95, label %then96, label %endif97, !prof !1
then96:
  %v98 = mul i64 %i50, 4
  %v99 = getelementptr i8, ptr %v40, i64 %v98
  %v100 = mul i64 %v70, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v99, ptr %buf26, i64 %v100, i1 0)
  br label %endif97
endif97:
  %v101 = add i64 %i50, 16
  br label %head47
done49:
  %v102 = add i64 %i31, 1
  br label %head28
done30:
  br i1 %v27, label %then103, label %endif104
then103:
  fence seq_cst
  br label %endif104
endif104:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
