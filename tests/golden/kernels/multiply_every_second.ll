; map |32|load.float32[]0;scalar.float32[]0;multiply.float32[0, 1]None|float32:2,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <64 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
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
  %v15 = getelementptr i8, ptr %S, i64 0
  %v16 = load double, ptr %v15, align 8
  %v17 = fptrunc double %v16 to float
  %v18 = insertelement <32 x float> poison, float %v17, i64 0
  %v19 = shufflevector <32 x float> %v18, <32 x float> poison, <32 x i32> zeroinitializer
  %v20 = icmp eq i64 %v8, -1
  br label %head21
head21:
  %i24 = phi i64 [0, %entry], [%v104, %endif68]
  %v25 = icmp slt i64 %i24, %m
  br i1 %v25, label %body22, label %done23
body22:
  %v26 = mul i64 %i24, %v10
  %v27 = getelementptr i8, ptr %v2, i64 %v26
  %v28 = mul i64 %i24, %v12
  %v29 = getelementptr i8, ptr %v4, i64 %v28
  %v30 = ptrtoint ptr %v29 to i64
  %v31 = sub i64 0, %v30
  %v32 = and i64 %v31, 63
  %v33 = and i64 %v32, 3
  %v34 = icmp eq i64 %v33, 0
  %v35 = and i1 %v20, %v34
  %v36 = select i1 %v35, i64 %v32, i64 0
  %v37 = lshr i64 %v36, 2
  %v38 = call i64 @llvm.smin.i64(i64 %v37, i64 %n)
  %v39 = sub i64 %n, %v38
  %v40 = and i64 %v39, -32
  %v41 = add i64 %v38, %v40
  br label %head42
head42:
  %i45 = phi i64 [%v38, %body22], [%v63, %endif61]
  %v46 = icmp slt i64 %i45, %v41
  br i1 %v46, label %body43, label %done44
body43:
  %v47 = mul i64 %i45, 8
  %v48 = getelementptr i8, ptr %v27, i64 %v47
  %v49 = mul i64 %i45, 4
  %v50 = getelementptr i8, ptr %v29, i64 %v49
  %v51 = getelementptr i8, ptr %v48, i64 0
  %v52 = load <32 x i32>, ptr %v51, align 1
  %v53 = getelementptr i8, ptr %v48, i64 124
  %v54 = load <32 x i32>, ptr %v53, align 1
  %v55 = shufflevector <32 x i32> %v52, <32 x i32> %v52, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v56 = shufflevector <32 x i32> %v55, <32 x i32> %v54, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v57 = bitcast <32 x i32> %v56 to <32 x float>
  %v58 = fmul <32 x float> %v57, %v19
  %v59 = bitcast <32 x float> %v58 to <32 x i32>
  br i1 %v35, label %then60, label %else62
then60:
  store <32 x i32> %v59, ptr %v50, align 64, !nontemporal !2
  br label %endif61
else62:
  store <32 x i32> %v59, ptr %v50, align 1
  br label %endif61
endif61:
  %v63 = add i64 %i45, 32
  br label %head42
done44:
  %v64 = sub i64 %n, %v41
  %v65 = or i64 %v38, %v64
  %v66 = icmp ne i64 %v65, 0
  br i1 %v66, label %then67, label %endif68, !prof !1
then67:
  br label %head69
head69:
  %i72 = phi i64 [0, %then67], [%v103, %endif80]
  %v73 = icmp slt i64 %i72, 2
  br i1 %v73, label %body70, label %done71
body70:
  %v74 = icmp eq i64 %i72, 0
  %v75 = select i1 %v74, i64 0, i64 %v41
  %v76 = icmp eq i64 %i72, 0
  %v77 = select i1 %v76, i64 %v38, i64 %n
  %v78 = icmp slt i64 %v75, %v77
  br i1 %v78, label %then79, label %endif80
then79:
  %v81 = sub i64 %v77, %v75
  store <64 x i32> splat (i32 0), ptr %buf13, align 64
  %v82 = mul i64 %v81, 8
  %v83 = sub i64 %v82, 4
  %v84 = getelementptr i8, ptr %buf13, i64 0
  %v85 = mul i64 %v75, 8
  %v86 = getelementptr i8, ptr %v27, i64 %v85
  call void @llvm.memcpy.p0.p0.i64(ptr %v84, ptr %v86, i64 %v83, i1 0)
  %v87 = getelementptr i8, ptr %buf13, i64 0
  %v88 = load <32 x i32>, ptr %v87, align 1
  %v89 = getelementptr i8, ptr %buf13, i64 124
  %v90 = load <32 x i32>, ptr %v89, align 1
  %v91 = shufflevector <32 x i32> %v88, <32 x i32> %v88, <32 x i32> <i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v92 = shufflevector <32 x i32> %v91, <32 x i32> %v90, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v93 = bitcast <32 x i32> %v92 to <32 x float>
  %v94 = fmul <32 x float> %v93, %v19
  %v95 = bitcast <32 x float> %v94 to <32 x i32>
  %v96 = mul i64 %v75, 4
  %v97 = getelementptr i8, ptr %v29, i64 %v96
  %v98 = mul i64 %v81, 1
  %v99 = trunc i64 %v98 to i32
  %v100 = insertelement <32 x i32> poison, i32 %v99, i64 0
  %v101 = shufflevector <32 x i32> %v100, <32 x i32> poison, <32 x i32> zeroinitializer
  %v102 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v101
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v95, ptr align 1 %v97, <32 x i1> %v102)
  br label %endif80
endif80:
  %v103 = add i64 %i72, 1
  br label %head69
done71:
  br label %endif68
endif68:
  %v104 = add i64 %i24, 1
  br label %head21
done23:
  br i1 %v20, label %then105, label %endif106
then105:
  fence seq_cst
  br label %endif106
endif106:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
