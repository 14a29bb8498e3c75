; map|16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <16 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %buf79 = alloca <16 x i64>, i64 1, align 64
  %buf80 = alloca <16 x i32>, i64 1, align 64
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
  %i31 = phi i64 [0, %entry], [%v110, %done49]
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
  %v41 = ptrtoint ptr %v40 to i64
  %v42 = and i64 %v41, 63
  %v43 = icmp eq i64 %v42, 0
  %v44 = and i1 %v27, %v43
  %v45 = insertelement <16 x i64> poison, i64 %v36, i64 0
  %v46 = shufflevector <16 x i64> %v45, <16 x i64> poison, <16 x i32> zeroinitializer
  br label %head47
head47:
  %i50 = phi i64 [0, %body29], [%v109, %endif101]
  %v51 = icmp slt i64 %i50, %n
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = add i64 %i50, 16
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %whole54, label %part55, !prof !0
whole54:
  %v57 = mul i64 %i50, 4
  %v58 = getelementptr i8, ptr %v34, i64 %v57
  %v59 = mul i64 %i50, 4
  %v60 = getelementptr i8, ptr %v40, i64 %v59
  br label %body56
part55:
  %v61 = sub i64 %n, %i50
  %v62 = call i64 @llvm.smin.i64(i64 %v61, i64 16)
  store <16 x i32> splat (i32 0), ptr %buf25, align 64
  %v63 = add i64 %i50, 0
  %v64 = sub i64 %v62, 0
  %v65 = mul i64 %v64, 4
  %v66 = sub i64 %v65, 0
  %v67 = mul i64 0, 4
  %v68 = getelementptr i8, ptr %buf25, i64 %v67
  %v69 = mul i64 %v63, 4
  %v70 = getelementptr i8, ptr %v34, i64 %v69
  call void @llvm.memcpy.p0.p0.i64(ptr %v68, ptr %v70, i64 %v66, i1 false)
  br label %body56
body56:
  %v71 = phi ptr [%v58, %whole54], [%buf25, %part55]
  %v72 = phi ptr [%v60, %whole54], [%buf26, %part55]
  %v73 = phi i64 [0, %whole54], [0, %part55]
  %v74 = phi i64 [16, %whole54], [%v62, %part55]
  %v75 = getelementptr i8, ptr %v71, i64 0
  %v76 = load <16 x i32>, ptr %v75, align 1
  %v77 = sext <16 x i32> %v76 to <16 x i64>
  %v78 = mul <16 x i64> %v77, %v46
  store <16 x i64> %v78, ptr %buf79, align 64
  br label %head81
head81:
  %i84 = phi i64 [%v73, %body56], [%v91, %body82]
  %v85 = icmp slt i64 %i84, %v74
  br i1 %v85, label %body82, label %done83
body82:
  %v86 = getelementptr i64, ptr %buf79, i64 %i84
  %v87 = load i64, ptr %v86, align 8
  %v88 = getelementptr i8, ptr %v38, i64 %v87
  %v89 = load i32, ptr %v88, align 1
  %v90 = getelementptr i32, ptr %buf80, i64 %i84
  store i32 %v89, ptr %v90, align 1
  %v91 = add i64 %i84, 1
  br label %head81
done83:
  %v92 = load <16 x i32>, ptr %buf80, align 64
  %v93 = bitcast <16 x i32> %v92 to <16 x float>
  %v94 = bitcast <16 x float> %v93 to <16 x i32>
  %v98 = and i1 %v44, %v53
  br i1 %v98, label %far95, label %near96
far95:
  store <16 x i32> %v94, ptr %v72, align 64, !nontemporal !2
  br label %stored97
near96:
  store <16 x i32> %v94, ptr %v72, align 1
  br label %stored97
stored97:
  %v99 = xor i1 %v53, 1
  br i1 %v99, label %then100, label %endif101, !prof !1
then100:
  %v102 = mul i64 %v73, 4
  %v103 = getelementptr i8, ptr %buf26, i64 %v102
  %v104 = add i64 %i50, %v73
  %v105 = mul i64 %v104, 4
  %v106 = getelementptr i8, ptr %v40, i64 %v105
  %v107 = sub i64 %v74, %v73
  %v108 = mul i64 %v107, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v106, ptr %v103, i64 %v108, i1 false)
  br label %endif101
endif101:
  %v109 = add i64 %i50, 16
  br label %head47
done49:
  %v110 = add i64 %i31, 1
  br label %head28
done30:
  br i1 %v27, label %then111, label %endif112
then111:
  fence seq_cst
  br label %endif112
endif112:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
