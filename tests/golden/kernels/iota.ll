; map |16|coord.int64[]0;scalar.int64[]1;add.int64[0, 1]None;scalar.int64[]0;multiply.int64[2, 3]None|coordinate:s,int64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
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
  %i26 = phi i64 [0, %entry], [%v106, %endif72]
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
  %i47 = phi i64 [%v40, %body24], [%v67, %endif64]
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
  br i1 %v37, label %then63, label %else65
then63:
  store <16 x i64> %v62, ptr %v50, align 64, !nontemporal !2
  br label %endif64
else65:
  store <16 x i64> %v62, ptr %v50, align 1
  br label %endif64
endif64:
  %v66 = add i64 %i47, 16
  %v67 = call i64 asm "", "=r,0"(i64 %v66)
  br label %head44
done46:
  %v68 = sub i64 %n, %v43
  %v69 = or i64 %v40, %v68
  %v70 = icmp ne i64 %v69, 0
  br i1 %v70, label %then71, label %endif72, !prof !1
then71:
  br label %head73
head73:
  %i76 = phi i64 [0, %then71], [%v105, %endif84]
  %v77 = icmp slt i64 %i76, 2
  br i1 %v77, label %body74, label %done75
body74:
  %v78 = icmp eq i64 %i76, 0
  %v79 = select i1 %v78, i64 0, i64 %v43
  %v80 = icmp eq i64 %i76, 0
  %v81 = select i1 %v80, i64 %v40, i64 %n
  %v82 = icmp slt i64 %v79, %v81
  br i1 %v82, label %then83, label %endif84
then83:
  %v85 = sub i64 %v81, %v79
  %v86 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v87 = shufflevector <16 x i64> %v86, <16 x i64> poison, <16 x i32> zeroinitializer
  %v88 = mul i64 %v79, %v6
  %v89 = insertelement <16 x i64> poison, i64 %v88, i64 0
  %v90 = shufflevector <16 x i64> %v89, <16 x i64> poison, <16 x i32> zeroinitializer
  %v91 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v92 = shufflevector <16 x i64> %v91, <16 x i64> poison, <16 x i32> zeroinitializer
  %v93 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v92
  %v94 = add <16 x i64> %v90, %v93
  %v95 = add <16 x i64> %v87, %v94
  %v96 = add <16 x i64> %v95, %v17
  %v97 = mul <16 x i64> %v96, %v21
  %v98 = mul i64 %v79, 8
  %v99 = getelementptr i8, ptr %v31, i64 %v98
  %v100 = mul i64 %v85, 1
  %v101 = trunc i64 %v100 to i32
  %v102 = insertelement <16 x i32> poison, i32 %v101, i64 0
  %v103 = shufflevector <16 x i32> %v102, <16 x i32> poison, <16 x i32> zeroinitializer
  %v104 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v103
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v97, ptr align 1 %v99, <16 x i1> %v104)
  br label %endif84
endif84:
  %v105 = add i64 %i76, 1
  br label %head73
done75:
  br label %endif72
endif72:
  %v106 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then107, label %endif108
then107:
  fence seq_cst
  br label %endif108
endif108:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
