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
  %i19 = phi i64 [0, %entry], [%v105, %done59]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = sub i64 0, %v25
  %v27 = and i64 %v26, 63
  %v28 = and i64 %v27, 7
  %v29 = icmp eq i64 %v28, 0
  %v30 = and i1 %v15, %v29
  %v31 = select i1 %v30, i64 %v27, i64 0
  %v32 = lshr i64 %v31, 3
  %v33 = call i64 @llvm.smin.i64(i64 %v32, i64 %n)
  %v34 = sub i64 %n, %v33
  %v35 = and i64 %v34, -16
  %v36 = add i64 %v33, %v35
  br label %head37
head37:
  %i40 = phi i64 [%v33, %body17], [%v56, %endif54]
  %v41 = icmp slt i64 %i40, %v36
  br i1 %v41, label %body38, label %done39
body38:
  %v42 = add i64 %i40, 15
  %v43 = mul i64 %v42, -8
  %v44 = getelementptr i8, ptr %v22, i64 %v43
  %v45 = mul i64 %i40, 8
  %v46 = getelementptr i8, ptr %v24, i64 %v45
  %v47 = getelementptr i8, ptr %v44, i64 0
  %v48 = load <16 x i64>, ptr %v47, align 1
  %v49 = shufflevector <16 x i64> %v48, <16 x i64> %v48, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v50 = bitcast <16 x i64> %v49 to <16 x double>
  %v51 = bitcast <16 x double> %v50 to <16 x i64>
  %v52 = and i1 %v30, 1
  br i1 %v52, label %then53, label %else55
then53:
  store <16 x i64> %v51, ptr %v46, align 64, !nontemporal !2
  br label %endif54
else55:
  store <16 x i64> %v51, ptr %v46, align 1
  br label %endif54
endif54:
  %v56 = add i64 %i40, 16
  br label %head37
done39:
  br label %head57
head57:
  %i60 = phi i64 [0, %done39], [%v104, %endif68]
  %v61 = icmp slt i64 %i60, 2
  br i1 %v61, label %body58, label %done59
body58:
  %v62 = icmp eq i64 %i60, 0
  %v63 = select i1 %v62, i64 0, i64 %v36
  %v64 = icmp eq i64 %i60, 0
  %v65 = select i1 %v64, i64 %v33, i64 %n
  %v66 = icmp slt i64 %v63, %v65
  br i1 %v66, label %then67, label %endif68
then67:
  %v69 = add i64 %v63, 16
  %v70 = icmp sle i64 %v69, %v65
  br i1 %v70, label %side72, label %side73, !prof !0
side72:
  %v74 = add i64 %v63, 15
  %v75 = mul i64 %v74, -8
  %v76 = getelementptr i8, ptr %v22, i64 %v75
  %v77 = mul i64 %v63, 8
  %v78 = getelementptr i8, ptr %v24, i64 %v77
  br label %join71
side73:
  %v79 = sub i64 %v65, %v63
  %v80 = call i64 @llvm.smin.i64(i64 %v79, i64 16)
  store <16 x i64> splat (i64 0), ptr %buf13, align 64
  %v81 = sub i64 %v80, 1
  %v82 = add i64 %v63, %v81
  %v83 = sub i64 16, %v80
  %v84 = mul i64 %v83, 8
  %v85 = mul i64 %v80, 8
  %v86 = sub i64 %v85, 0
  %v87 = getelementptr i8, ptr %buf13, i64 %v84
  %v88 = mul i64 %v82, -8
  %v89 = getelementptr i8, ptr %v22, i64 %v88
  call void @llvm.memcpy.p0.p0.i64(ptr %v87, ptr %v89, i64 %v86, i1 0)
  br label %join71
join71:
  %v90 = phi ptr [%v76, %side72], [%buf13, %side73]
  %v91 = phi ptr [%v78, %side72], [%buf14, %side73]
  %v92 = phi i64 [16, %side72], [%v80, %side73]
  %v93 = getelementptr i8, ptr %v90, i64 0
  %v94 = load <16 x i64>, ptr %v93, align 1
  %v95 = shufflevector <16 x i64> %v94, <16 x i64> %v94, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v96 = bitcast <16 x i64> %v95 to <16 x double>
  %v97 = bitcast <16 x double> %v96 to <16 x i64>
  store <16 x i64> %v97, ptr %v91, align 1
  %v98 = xor i1 %v70, 1
  br i1 %v98, label %then99, label %endif100, !prof !1
then99:
  %v101 = mul i64 %v63, 8
  %v102 = getelementptr i8, ptr %v24, i64 %v101
  %v103 = mul i64 %v92, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v102, ptr %buf14, i64 %v103, i1 0)
  br label %endif100
endif100:
  br label %endif68
endif68:
  %v104 = add i64 %i60, 1
  br label %head57
done59:
  %v105 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then106, label %endif107
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
