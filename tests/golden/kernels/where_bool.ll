; map |64|load.int8[]0;scalar.int8[]0;greater.bool[0, 1]None;load.int16[]1;load.int16[]2;where.int16[2, 3, 4]None|int8:1,int16:1,int16:1,int16:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <64 x i8>, i64 1, align 64
  %buf26 = alloca <64 x i16>, i64 1, align 64
  %buf27 = alloca <64 x i16>, i64 1, align 64
  %buf28 = alloca <64 x i16>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
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
  %v29 = getelementptr i8, ptr %S, i64 0
  %v30 = load i64, ptr %v29, align 8
  %v31 = trunc i64 %v30 to i8
  %v32 = insertelement <64 x i8> poison, i8 %v31, i64 0
  %v33 = shufflevector <64 x i8> %v32, <64 x i8> poison, <64 x i32> zeroinitializer
  %v34 = icmp eq i64 %v16, -1
  br label %head35
head35:
  %i38 = phi i64 [0, %entry], [%v111, %done54]
  %v39 = icmp slt i64 %i38, %m
  br i1 %v39, label %body36, label %done37
body36:
  %v40 = mul i64 %i38, %v18
  %v41 = getelementptr i8, ptr %v2, i64 %v40
  %v42 = mul i64 %i38, %v20
  %v43 = getelementptr i8, ptr %v4, i64 %v42
  %v44 = mul i64 %i38, %v22
  %v45 = getelementptr i8, ptr %v6, i64 %v44
  %v46 = mul i64 %i38, %v24
  %v47 = getelementptr i8, ptr %v8, i64 %v46
  %v48 = ptrtoint ptr %v47 to i64
  %v49 = and i64 %v48, 63
  %v50 = icmp eq i64 %v49, 0
  %v51 = and i1 %v34, %v50
  br label %head52
head52:
  %i55 = phi i64 [0, %body36], [%v110, %endif106]
  %v56 = icmp slt i64 %i55, %n
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = add i64 %i55, 64
  %v58 = icmp sle i64 %v57, %n
  br i1 %v58, label %side60, label %side61, !prof !0
side60:
  %v62 = mul i64 %i55, 1
  %v63 = getelementptr i8, ptr %v41, i64 %v62
  %v64 = mul i64 %i55, 2
  %v65 = getelementptr i8, ptr %v43, i64 %v64
  %v66 = mul i64 %i55, 2
  %v67 = getelementptr i8, ptr %v45, i64 %v66
  %v68 = mul i64 %i55, 2
  %v69 = getelementptr i8, ptr %v47, i64 %v68
  br label %join59
side61:
  %v70 = sub i64 %n, %i55
  %v71 = call i64 @llvm.smin.i64(i64 %v70, i64 64)
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v72 = mul i64 %v71, 1
  %v73 = sub i64 %v72, 0
  %v74 = getelementptr i8, ptr %buf25, i64 0
  %v75 = mul i64 %i55, 1
  %v76 = getelementptr i8, ptr %v41, i64 %v75
  call void @llvm.memcpy.p0.p0.i64(ptr %v74, ptr %v76, i64 %v73, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v77 = mul i64 %v71, 2
  %v78 = sub i64 %v77, 0
  %v79 = getelementptr i8, ptr %buf26, i64 0
  %v80 = mul i64 %i55, 2
  %v81 = getelementptr i8, ptr %v43, i64 %v80
  call void @llvm.memcpy.p0.p0.i64(ptr %v79, ptr %v81, i64 %v78, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v82 = mul i64 %v71, 2
  %v83 = sub i64 %v82, 0
  %v84 = getelementptr i8, ptr %buf27, i64 0
  %v85 = mul i64 %i55, 2
  %v86 = getelementptr i8, ptr %v45, i64 %v85
  call void @llvm.memcpy.p0.p0.i64(ptr %v84, ptr %v86, i64 %v83, i1 0)
  br label %join59
join59:
  %v87 = phi ptr [%v63, %side60], [%buf25, %side61]
  %v88 = phi ptr [%v65, %side60], [%buf26, %side61]
  %v89 = phi ptr [%v67, %side60], [%buf27, %side61]
  %v90 = phi ptr [%v69, %side60], [%buf28, %side61]
  %v91 = phi i64 [64, %side60], [%v71, %side61]
  %v92 = getelementptr i8, ptr %v87, i64 0
  %v93 = load <64 x i8>, ptr %v92, align 1
  %v94 = icmp sgt <64 x i8> %v93, %v33
  %v95 = getelementptr i8, ptr %v88, i64 0
  %v96 = load <64 x i16>, ptr %v95, align 1
  %v97 = getelementptr i8, ptr %v89, i64 0
  %v98 = load <64 x i16>, ptr %v97, align 1
  %v99 = select <64 x i1> %v94, <64 x i16> %v96, <64 x i16> %v98
  %v100 = and i1 %v51, %v58
  br i1 %v100, label %then101, label %else103
then101:
  store <64 x i16> %v99, ptr %v90, align 64, !nontemporal !2
  br label %endif102
else103:
  store <64 x i16> %v99, ptr %v90, align 1
  br label %endif102
endif102:
  %v104 = xor i1 %v58, 1
  br i1 %v104, label %then105, label %endif106, !prof !1
then105:
  %v107 = mul i64 %i55, 2
  %v108 = getelementptr i8, ptr %v47, i64 %v107
  %v109 = mul i64 %v91, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v108, ptr %buf28, i64 %v109, i1 0)
  br label %endif106
endif106:
  %v110 = add i64 %i55, 64
  br label %head52
done54:
  %v111 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then112, label %endif113
then112:
  fence seq_cst
  br label %endif113
endif113:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
