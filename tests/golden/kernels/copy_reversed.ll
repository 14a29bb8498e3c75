; map |16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
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
  %i19 = phi i64 [0, %entry], [%v96, %endif60]
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
  %i40 = phi i64 [%v33, %body17], [%v55, %endif53]
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
  br i1 %v30, label %then52, label %else54
then52:
  store <16 x i64> %v51, ptr %v46, align 64, !nontemporal !2
  br label %endif53
else54:
  store <16 x i64> %v51, ptr %v46, align 1
  br label %endif53
endif53:
  %v55 = add i64 %i40, 16
  br label %head37
done39:
  %v56 = sub i64 %n, %v36
  %v57 = or i64 %v33, %v56
  %v58 = icmp ne i64 %v57, 0
  br i1 %v58, label %then59, label %endif60, !prof !1
then59:
  br label %head61
head61:
  %i64 = phi i64 [0, %then59], [%v95, %endif72]
  %v65 = icmp slt i64 %i64, 2
  br i1 %v65, label %body62, label %done63
body62:
  %v66 = icmp eq i64 %i64, 0
  %v67 = select i1 %v66, i64 0, i64 %v36
  %v68 = icmp eq i64 %i64, 0
  %v69 = select i1 %v68, i64 %v33, i64 %n
  %v70 = icmp slt i64 %v67, %v69
  br i1 %v70, label %then71, label %endif72
then71:
  %v73 = sub i64 %v69, %v67
  %v74 = mul i64 %v73, 1
  %v75 = trunc i64 %v74 to i32
  %v76 = insertelement <16 x i32> poison, i32 %v75, i64 0
  %v77 = shufflevector <16 x i32> %v76, <16 x i32> poison, <16 x i32> zeroinitializer
  %v78 = icmp slt <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>, %v77
  %v79 = add i64 %v67, 15
  %v80 = mul i64 %v79, -8
  %v81 = getelementptr i8, ptr %v22, i64 %v80
  %v82 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v81, <16 x i1> %v78, <16 x i64> zeroinitializer)
  store <16 x i64> %v82, ptr %buf13, align 64
  %v83 = getelementptr i8, ptr %buf13, i64 0
  %v84 = load <16 x i64>, ptr %v83, align 1
  %v85 = shufflevector <16 x i64> %v84, <16 x i64> %v84, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v86 = bitcast <16 x i64> %v85 to <16 x double>
  %v87 = bitcast <16 x double> %v86 to <16 x i64>
  %v88 = mul i64 %v67, 8
  %v89 = getelementptr i8, ptr %v24, i64 %v88
  %v90 = mul i64 %v73, 1
  %v91 = trunc i64 %v90 to i32
  %v92 = insertelement <16 x i32> poison, i32 %v91, i64 0
  %v93 = shufflevector <16 x i32> %v92, <16 x i32> poison, <16 x i32> zeroinitializer
  %v94 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v93
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v87, ptr align 1 %v89, <16 x i1> %v94)
  br label %endif72
endif72:
  %v95 = add i64 %i64, 1
  br label %head61
done63:
  br label %endif60
endif60:
  %v96 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then97, label %endif98
then97:
  fence seq_cst
  br label %endif98
endif98:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
