; map |16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
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
  %i19 = phi i64 [0, %entry], [%v110, %endif69]
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
  %v42 = sub i64 %n, %v41
  %v43 = and i64 %v42, -16
  %v44 = add i64 %v41, %v43
  br label %head45
head45:
  %i48 = phi i64 [%v41, %body17], [%v64, %endif61]
  %v49 = icmp slt i64 %i48, %v44
  br i1 %v49, label %body46, label %done47
body46:
  %v50 = add i64 %i48, 15
  %v51 = mul i64 %v50, -8
  %v52 = getelementptr i8, ptr %v22, i64 %v51
  %v53 = mul i64 %i48, 8
  %v54 = getelementptr i8, ptr %v24, i64 %v53
  %v55 = getelementptr i8, ptr %v52, i64 0
  %v56 = load <16 x i64>, ptr %v55, align 1
  %v57 = shufflevector <16 x i64> %v56, <16 x i64> %v56, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v58 = bitcast <16 x i64> %v57 to <16 x double>
  %v59 = bitcast <16 x double> %v58 to <16 x i64>
  br i1 %v38, label %then60, label %else62
then60:
  store <16 x i64> %v59, ptr %v54, align 64, !nontemporal !2
  br label %endif61
else62:
  store <16 x i64> %v59, ptr %v54, align 1
  br label %endif61
endif61:
  %v63 = add i64 %i48, 16
  %v64 = call i64 asm "", "=r,0"(i64 %v63)
  br label %head45
done47:
  %v65 = sub i64 %n, %v44
  %v66 = or i64 %v41, %v65
  %v67 = icmp ne i64 %v66, 0
  br i1 %v67, label %then68, label %endif69, !prof !1
then68:
  br label %head70
head70:
  %i73 = phi i64 [0, %then68], [%v109, %endif81]
  %v74 = icmp slt i64 %i73, 2
  br i1 %v74, label %body71, label %done72
body71:
  %v75 = icmp eq i64 %i73, 0
  %v76 = select i1 %v75, i64 0, i64 %v44
  %v77 = icmp eq i64 %i73, 0
  %v78 = select i1 %v77, i64 %v41, i64 %n
  %v79 = icmp slt i64 %v76, %v78
  br i1 %v79, label %then80, label %endif81
then80:
  %v82 = sub i64 %v78, %v76
  %v83 = add i64 %v76, 15
  %v84 = mul i64 %v83, -8
  %v85 = getelementptr i8, ptr %v22, i64 %v84
  %v86 = mul i64 %v82, 1
  %v87 = getelementptr i8, ptr %v85, i64 0
  %v88 = trunc i64 %v86 to i32
  %v89 = insertelement <16 x i32> poison, i32 %v88, i64 0
  %v90 = shufflevector <16 x i32> %v89, <16 x i32> poison, <16 x i32> zeroinitializer
  %v91 = icmp slt <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>, %v90
  %v92 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v87, <16 x i1> %v91, <16 x i64> zeroinitializer)
  %v93 = shufflevector <16 x i64> %v92, <16 x i64> %v92, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v94 = bitcast <16 x i64> %v93 to <16 x double>
  %v95 = bitcast <16 x double> %v94 to <16 x i64>
  %v96 = mul i64 %v76, 8
  %v97 = getelementptr i8, ptr %v24, i64 %v96
  br i1 %v38, label %then98, label %else101, !prof !1
then98:
  store <16 x i64> %v95, ptr %buf14, align 1
  %v100 = mul i64 %v82, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v97, ptr %buf14, i64 %v100, i1 0)
  br label %endif99
else101:
  %v102 = mul i64 %v76, 8
  %v103 = getelementptr i8, ptr %v24, i64 %v102
  %v104 = mul i64 %v82, 1
  %v105 = trunc i64 %v104 to i32
  %v106 = insertelement <16 x i32> poison, i32 %v105, i64 0
  %v107 = shufflevector <16 x i32> %v106, <16 x i32> poison, <16 x i32> zeroinitializer
  %v108 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v107
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v95, ptr align 1 %v103, <16 x i1> %v108)
  br label %endif99
endif99:
  br label %endif81
endif81:
  %v109 = add i64 %i73, 1
  br label %head70
done72:
  br label %endif69
endif69:
  %v110 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then111, label %endif112
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
