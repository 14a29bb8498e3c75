; map |16|coord.int64[]0;scalar.int64[]0;add.int64[0, 1]None;scalar.int64[]1;multiply.int64[2, 3]None|coordinate:s,int64:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
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
  %v14 = getelementptr i8, ptr %S, i64 0
  %v15 = load i64, ptr %v14, align 8
  %v16 = insertelement <16 x i64> poison, i64 %v15, i64 0
  %v17 = shufflevector <16 x i64> %v16, <16 x i64> poison, <16 x i32> zeroinitializer
  %v18 = getelementptr i8, ptr %S, i64 16
  %v19 = load i64, ptr %v18, align 8
  %v20 = insertelement <16 x i64> poison, i64 %v19, i64 0
  %v21 = shufflevector <16 x i64> %v20, <16 x i64> poison, <16 x i32> zeroinitializer
  %v22 = icmp eq i64 %v8, -1
  br label %head23
head23:
  %i26 = phi i64 [0, %entry], [%v120, %endif80]
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
  %v35 = mul i64 %n, 8
  %v36 = or i64 %v34, %v35
  %v37 = and i64 %v36, 63
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = icmp sge i64 %v35, 3072
  %v41 = and i1 %v22, %v40
  %v42 = and i64 %v34, 7
  %v43 = icmp eq i64 %v42, 0
  %v44 = and i1 %v41, %v43
  %v45 = or i1 %v39, %v44
  %v46 = select i1 %v45, i64 %v34, i64 0
  %v47 = lshr i64 %v46, 3
  %v48 = call i64 @llvm.smin.i64(i64 %v47, i64 %n)
  %v49 = sub i64 %n, %v48
  %v50 = and i64 %v49, -16
  %v51 = add i64 %v48, %v50
  br label %head52
head52:
  %i55 = phi i64 [%v48, %body24], [%v75, %endif72]
  %v56 = icmp slt i64 %i55, %v51
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = mul i64 %i55, 8
  %v58 = getelementptr i8, ptr %v31, i64 %v57
  %v59 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v60 = shufflevector <16 x i64> %v59, <16 x i64> poison, <16 x i32> zeroinitializer
  %v61 = mul i64 %i55, %v6
  %v62 = insertelement <16 x i64> poison, i64 %v61, i64 0
  %v63 = shufflevector <16 x i64> %v62, <16 x i64> poison, <16 x i32> zeroinitializer
  %v64 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v65 = shufflevector <16 x i64> %v64, <16 x i64> poison, <16 x i32> zeroinitializer
  %v66 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v65
  %v67 = add <16 x i64> %v63, %v66
  %v68 = add <16 x i64> %v60, %v67
  %v69 = add <16 x i64> %v68, %v17
  %v70 = mul <16 x i64> %v69, %v21
  br i1 %v45, label %then71, label %else73
then71:
  store <16 x i64> %v70, ptr %v58, align 64, !nontemporal !2
  br label %endif72
else73:
  store <16 x i64> %v70, ptr %v58, align 1
  br label %endif72
endif72:
  %v74 = add i64 %i55, 16
  %v75 = call i64 asm "", "=r,0"(i64 %v74)
  br label %head52
done54:
  %v76 = sub i64 %n, %v51
  %v77 = or i64 %v48, %v76
  %v78 = icmp ne i64 %v77, 0
  br i1 %v78, label %then79, label %endif80, !prof !1
then79:
  br label %head81
head81:
  %i84 = phi i64 [0, %then79], [%v119, %endif92]
  %v85 = icmp slt i64 %i84, 2
  br i1 %v85, label %body82, label %done83
body82:
  %v86 = icmp eq i64 %i84, 0
  %v87 = select i1 %v86, i64 0, i64 %v51
  %v88 = icmp eq i64 %i84, 0
  %v89 = select i1 %v88, i64 %v48, i64 %n
  %v90 = icmp slt i64 %v87, %v89
  br i1 %v90, label %then91, label %endif92
then91:
  %v93 = sub i64 %v89, %v87
  %v94 = insertelement <16 x i64> poison, i64 %v29, i64 0
  %v95 = shufflevector <16 x i64> %v94, <16 x i64> poison, <16 x i32> zeroinitializer
  %v96 = mul i64 %v87, %v6
  %v97 = insertelement <16 x i64> poison, i64 %v96, i64 0
  %v98 = shufflevector <16 x i64> %v97, <16 x i64> poison, <16 x i32> zeroinitializer
  %v99 = insertelement <16 x i64> poison, i64 %v6, i64 0
  %v100 = shufflevector <16 x i64> %v99, <16 x i64> poison, <16 x i32> zeroinitializer
  %v101 = mul <16 x i64> <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>, %v100
  %v102 = add <16 x i64> %v98, %v101
  %v103 = add <16 x i64> %v95, %v102
  %v104 = add <16 x i64> %v103, %v17
  %v105 = mul <16 x i64> %v104, %v21
  %v106 = mul i64 %v87, 8
  %v107 = getelementptr i8, ptr %v31, i64 %v106
  br i1 %v45, label %then108, label %else111, !prof !1
then108:
  store <16 x i64> %v105, ptr %buf13, align 1
  %v110 = mul i64 %v93, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v107, ptr %buf13, i64 %v110, i1 0)
  br label %endif109
else111:
  %v112 = mul i64 %v87, 8
  %v113 = getelementptr i8, ptr %v31, i64 %v112
  %v114 = mul i64 %v93, 1
  %v115 = trunc i64 %v114 to i32
  %v116 = insertelement <16 x i32> poison, i32 %v115, i64 0
  %v117 = shufflevector <16 x i32> %v116, <16 x i32> poison, <16 x i32> zeroinitializer
  %v118 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v117
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v105, ptr align 1 %v113, <16 x i1> %v118)
  br label %endif109
endif109:
  br label %endif92
endif92:
  %v119 = add i64 %i84, 1
  br label %head81
done83:
  br label %endif80
endif80:
  %v120 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then121, label %endif122
then121:
  fence seq_cst
  br label %endif122
endif122:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
