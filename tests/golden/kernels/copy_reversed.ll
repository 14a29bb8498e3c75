; map |16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %buf14 = alloca <16 x i64>, i64 1, align 64
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
  %v15 = icmp eq i64 %v8, -1
  br label %head16
head16:
  %i19 = phi i64 [0, %entry], [%v74, %done31]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = and i64 %v25, 63
  %v27 = icmp eq i64 %v26, 0
  %v28 = and i1 %v15, %v27
  br label %head29
head29:
  %i32 = phi i64 [0, %body17], [%v73, %endif69]
  %v33 = icmp slt i64 %i32, %n
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = add i64 %i32, 16
  %v35 = icmp sle i64 %v34, %n
  br i1 %v35, label %side37, label %side38, !prof !0
side37:
  %v39 = add i64 %i32, 15
  %v40 = mul i64 %v39, -8
  %v41 = getelementptr i8, ptr %v22, i64 %v40
  %v42 = mul i64 %i32, 8
  %v43 = getelementptr i8, ptr %v24, i64 %v42
  br label %join36
side38:
  %v44 = sub i64 %n, %i32
  %v45 = call i64 @llvm.smin.i64(i64 %v44, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v46 = sub i64 %v45, 1
  %v47 = add i64 %i32, %v46
  %v48 = sub i64 16, %v45
  %v49 = mul i64 %v48, 8
  %v50 = mul i64 %v45, 8
  %v51 = sub i64 %v50, 0
  %v52 = getelementptr i8, ptr %buf13, i64 %v49
  %v53 = mul i64 %v47, -8
  %v54 = getelementptr i8, ptr %v22, i64 %v53
  call void @llvm.memcpy.p0.p0.i64(ptr %v52, ptr %v54, i64 %v51, i1 0)
  br label %join36
join36:
  %v55 = phi ptr [%v41, %side37], [%buf13, %side38]
  %v56 = phi ptr [%v43, %side37], [%buf14, %side38]
  %v57 = phi i64 [16, %side37], [%v45, %side38]
  %v58 = getelementptr i8, ptr %v55, i64 0
  %v59 = load <16 x i64>, ptr %v58, align 1
  %v60 = shufflevector <16 x i64> %v59, <16 x i64> %v59, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v61 = bitcast <16 x i64> %v60 to <16 x double>
  %v62 = bitcast <16 x double> %v61 to <16 x i64>
  %v63 = and i1 %v28, %v35
  br i1 %v63, label %then64, label %else66
then64:
  store <16 x i64> %v62, ptr %v56, align 64, !nontemporal !2
  br label %endif65
else66:
  store <16 x i64> %v62, ptr %v56, align 1
  br label %endif65
endif65:
  %v67 = xor i1 %v35, 1
  br i1 %v67, label %then68, label %endif69, !prof !1
then68:
  %v70 = mul i64 %i32, 8
  %v71 = getelementptr i8, ptr %v24, i64 %v70
  %v72 = mul i64 %v57, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v71, ptr %buf14, i64 %v72, i1 0)
  br label %endif69
endif69:
  %v73 = add i64 %i32, 16
  br label %head29
done31:
  %v74 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then75, label %endif76
then75:
  fence seq_cst
  br label %endif76
endif76:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
