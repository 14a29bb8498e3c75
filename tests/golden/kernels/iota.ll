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
  %i26 = phi i64 [0, %entry], [%v110, %done70]
  %v27 = icmp slt i64 %i26, %m
  br i1 %v27, label %body24, label %done25
body24:
  %v28 = mul i64 %i26, %v10
  %v29 = add i64 %v2, %v28
  %v30 = mul i64 %i26, %v12
  %v31 = getelementptr i8, ptr %v4, i64 %v30
  %v32 = ptrtoint ptr %v31 to i64
  %v33 = sub i64 0, %v32
  %v34 = and i64 %v33, 63
  %v35 = and i64 %v34, 7
  %v36 = icmp eq i64 %v35, 0
  %v37 = and i1 %v22, %v36
  %v38 = select i1 %v37, i64 %v34, i64 0
  %v39 = lshr i64 %v38, 3
  %v40 = call i64 @llvm.smin.i64(i64 %v39, i64 %n)
  %v41 = sub i64 %n, %v40
  %v42 = and i64 %v41, -16
  %v43 = add i64 %v40, %v42
  br label %head44
head44:
  %i47 = phi i64 [%v40, %body24], [%v67, %endif65]
  %v48 = icmp slt i64 %i47, %v43
  br i1 %v48, label %body45, label %done46
body45:
  %v49 = mul i64 %i47, 8
  %v50 = getelementptr i8, ptr %v31, i64 %v49
  %v51 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v52 = shufflevector <16 x i64> %v51, <16 x i64> poison, <16 x i32> zeroinitializer
  %v53 = mul i64 %i47, %v6
  %v54 = insertelement <16 x i64> poison, i64 %v53, i64 0
  %v55 = shufflevector <16 x i64> %v54, <16 x i64> poison, <16 x i32> zeroinitializer
  %v56 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v57 = shufflevector <16 x i64> %v56, <16 x i64> poison, <16 x i32> zeroinitializer
  %v58 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v57
  %v59 = add <16 x i64> %v55, %v58
  %v60 = add <16 x i64> %v52, %v59
  %v61 = add <16 x i64> %v60, %v17
  %v62 = mul <16 x i64> %v61, %v21
  %v63 = and i1 %v37, 1
  br i1 %v63, label %then64, label %else66
then64:
  store <16 x i64> %v62, ptr %v50, align 64, !nontemporal !2
  br label %endif65
else66:
  store <16 x i64> %v62, ptr %v50, align 1
  br label %endif65
endif65:
  %v67 = add i64 %i47, 16
  br label %head44
done46:
  br label %head68
head68:
  %i71 = phi i64 [0, %done46], [%v109, %endif79]
  %v72 = icmp slt i64 %i71, 2
  br i1 %v72, label %body69, label %done70
body69:
  %v73 = icmp eq i64 %i71, 0
  %v74 = select i1 %v73, i64 0, i64 %v43
  %v75 = icmp eq i64 %i71, 0
  %v76 = select i1 %v75, i64 %v40, i64 %n
  %v77 = icmp slt i64 %v74, %v76
  br i1 %v77, label %then78, label %endif79
then78:
  %v80 = add i64 %v74, 16
  %v81 = icmp sle i64 %v80, %v76
  br i1 %v81, label %side83, label %side84, !prof !0
side83:
  %v85 = mul i64 %v74, 8
  %v86 = getelementptr i8, ptr %v31, i64 %v85
  br label %join82
side84:
  %v87 = sub i64 %v76, %v74
  %v88 = call i64 @llvm.smin.i64(i64 %v87, i64 16)
  br label %join82
join82:
  %v89 = phi ptr [%v86, %side83], [%buf13, %side84]
  %v90 = phi i64 [16, %side83], [%v88, %side84]
  %v91 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v92 = shufflevector <16 x i64> %v91, <16 x i64> poison, <16 x i32> zeroinitializer
  %v93 = mul i64 %v74, %v6
  %v94 = insertelement <16 x i64> poison, i64 %v93, i64 0
  %v95 = shufflevector <16 x i64> %v94, <16 x i64> poison, <16 x i32> zeroinitializer
  %v96 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v97 = shufflevector <16 x i64> %v96, <16 x i64> poison, <16 x i32> zeroinitializer
  %v98 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v97
  %v99 = add <16 x i64> %v95, %v98
  %v100 = add <16 x i64> %v92, %v99
  %v101 = add <16 x i64> %v100, %v17
  %v102 = mul <16 x i64> %v101, %v21
  store <16 x i64> %v102, ptr %v89, align 1
  %v103 = xor i1 %v81, 1
  br i1 %v103, label %then104, label %endif105, !prof !1
then104:
  %v106 = mul i64 %v74, 8
  %v107 = getelementptr i8, ptr %v31, i64 %v106
  %v108 = mul i64 %v90, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v107, ptr %buf13, i64 %v108, i1 0)
  br label %endif105
endif105:
  br label %endif79
endif79:
  %v109 = add i64 %i71, 1
  br label %head68
done70:
  %v110 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then111, label %endif112
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
