; map |16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %i19 = phi i64 [0, %entry], [%v120, %endif79]
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
  %v28 = mul i64 %n, 8
  %v29 = or i64 %v27, %v28
  %v30 = and i64 %v29, 63
  %v31 = icmp eq i64 %v30, 0
  %v32 = and i1 %v15, %v31
  %v33 = icmp sge i64 %v28, 3072
  %v34 = and i1 %v15, %v33
  %v35 = and i64 %v27, 7
  %v36 = icmp eq i64 %v35, 0
  %v37 = and i1 %v34, %v36
  %v38 = or i1 %v32, %v37
  %v39 = select i1 %v38, i64 %v27, i64 0
  %v40 = lshr i64 %v39, 3
  %v41 = call i64 @llvm.smin.i64(i64 %v40, i64 %n)
  %v42 = icmp sge i64 %n, 4096
  %v43 = select i1 %v42, i64 1536, i64 0
  %v44 = sub i64 %n, %v41
  %v45 = and i64 %v44, -16
  %v46 = add i64 %v41, %v45
  br label %head47
head47:
  %i50 = phi i64 [%v41, %body17], [%v74, %endif71]
  %v51 = icmp slt i64 %i50, %v46
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = mul i64 %i50, -8
  %v53 = getelementptr i8, ptr %v22, i64 %v52
  %v54 = add i64 %v43, 0
  %v55 = sub i64 0, %v54
  %v56 = getelementptr i8, ptr %v53, i64 %v55
  call void @llvm.prefetch.p0(ptr %v56, i32 0, i32 3, i32 1)
  %v57 = add i64 %v43, 64
  %v58 = sub i64 0, %v57
  %v59 = getelementptr i8, ptr %v53, i64 %v58
  call void @llvm.prefetch.p0(ptr %v59, i32 0, i32 3, i32 1)
  %v60 = add i64 %i50, 15
  %v61 = mul i64 %v60, -8
  %v62 = getelementptr i8, ptr %v22, i64 %v61
  %v63 = mul i64 %i50, 8
  %v64 = getelementptr i8, ptr %v24, i64 %v63
  %v65 = getelementptr i8, ptr %v62, i64 0
  %v66 = load <16 x i64>, ptr %v65, align 1
  %v67 = shufflevector <16 x i64> %v66, <16 x i64> %v66, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v68 = bitcast <16 x i64> %v67 to <16 x double>
  %v69 = bitcast <16 x double> %v68 to <16 x i64>
  br i1 %v38, label %then70, label %else72
then70:
  store <16 x i64> %v69, ptr %v64, align 64, !nontemporal !2
  br label %endif71
else72:
  store <16 x i64> %v69, ptr %v64, align 1
  br label %endif71
endif71:
  %v73 = add i64 %i50, 16
  %v74 = call i64 asm "", "=r,0"(i64 %v73)
  br label %head47
done49:
  %v75 = sub i64 %n, %v46
  %v76 = or i64 %v41, %v75
  %v77 = icmp ne i64 %v76, 0
  br i1 %v77, label %then78, label %endif79, !prof !1
then78:
  br label %head80
head80:
  %i83 = phi i64 [0, %then78], [%v119, %endif91]
  %v84 = icmp slt i64 %i83, 2
  br i1 %v84, label %body81, label %done82
body81:
  %v85 = icmp eq i64 %i83, 0
  %v86 = select i1 %v85, i64 0, i64 %v46
  %v87 = icmp eq i64 %i83, 0
  %v88 = select i1 %v87, i64 %v41, i64 %n
  %v89 = icmp slt i64 %v86, %v88
  br i1 %v89, label %then90, label %endif91
then90:
  %v92 = sub i64 %v88, %v86
  %v93 = add i64 %v86, 15
  %v94 = mul i64 %v93, -8
  %v95 = getelementptr i8, ptr %v22, i64 %v94
  %v96 = mul i64 %v92, 1
  %v97 = getelementptr i8, ptr %v95, i64 0
  %v98 = trunc i64 %v96 to i32
  %v99 = insertelement <16 x i32> poison, i32 %v98, i64 0
  %v100 = shufflevector <16 x i32> %v99, <16 x i32> poison, <16 x i32> zeroinitializer
  %v101 = icmp slt <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>, %v100
  %v102 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v97, <16 x i1> %v101, <16 x i64> zeroinitializer)
  %v103 = shufflevector <16 x i64> %v102, <16 x i64> %v102, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v104 = bitcast <16 x i64> %v103 to <16 x double>
  %v105 = bitcast <16 x double> %v104 to <16 x i64>
  %v106 = mul i64 %v86, 8
  %v107 = getelementptr i8, ptr %v24, i64 %v106
  br i1 %v38, label %then108, label %else111, !prof !1
then108:
  store <16 x i64> %v105, ptr %buf14, align 1
  %v110 = mul i64 %v92, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v107, ptr %buf14, i64 %v110, i1 0)
  br label %endif109
else111:
  %v112 = mul i64 %v86, 8
  %v113 = getelementptr i8, ptr %v24, i64 %v112
  %v114 = mul i64 %v92, 1
  %v115 = trunc i64 %v114 to i32
  %v116 = insertelement <16 x i32> poison, i32 %v115, i64 0
  %v117 = shufflevector <16 x i32> %v116, <16 x i32> poison, <16 x i32> zeroinitializer
  %v118 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v117
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v105, ptr align 1 %v113, <16 x i1> %v118)
  br label %endif109
endif109:
  br label %endif91
endif91:
  %v119 = add i64 %i83, 1
  br label %head80
done82:
  br label %endif79
endif79:
  %v120 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then121, label %endif122
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
