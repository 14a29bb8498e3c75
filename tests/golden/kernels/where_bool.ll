; map|64|load.int8[]0;scalar.int8[]0;greater.bool[0, 1]None;load.int16[]1;load.int16[]2;where.int16[2, 3, 4]None|int8:1,int16:1,int16:1,int16:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  %i38 = phi i64 [0, %entry], [%v125, %done54]
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
  %i55 = phi i64 [0, %body36], [%v124, %endif116]
  %v56 = icmp slt i64 %i55, %n
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = add i64 %i55, 64
  %v58 = icmp sle i64 %v57, %n
  br i1 %v58, label %whole59, label %part60, !prof !0
whole59:
  %v62 = mul i64 %i55, 1
  %v63 = getelementptr i8, ptr %v41, i64 %v62
  %v64 = mul i64 %i55, 2
  %v65 = getelementptr i8, ptr %v43, i64 %v64
  %v66 = mul i64 %i55, 2
  %v67 = getelementptr i8, ptr %v45, i64 %v66
  %v68 = mul i64 %i55, 2
  %v69 = getelementptr i8, ptr %v47, i64 %v68
  br label %body61
part60:
  %v70 = sub i64 %n, %i55
  %v71 = call i64 @llvm.smin.i64(i64 %v70, i64 64)
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v72 = add i64 %i55, 0
  %v73 = sub i64 %v71, 0
  %v74 = mul i64 %v73, 1
  %v75 = sub i64 %v74, 0
  %v76 = mul i64 0, 1
  %v77 = getelementptr i8, ptr %buf25, i64 %v76
  %v78 = mul i64 %v72, 1
  %v79 = getelementptr i8, ptr %v41, i64 %v78
  call void @llvm.memcpy.p0.p0.i64(ptr %v77, ptr %v79, i64 %v75, i1 false)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v80 = add i64 %i55, 0
  %v81 = sub i64 %v71, 0
  %v82 = mul i64 %v81, 2
  %v83 = sub i64 %v82, 0
  %v84 = mul i64 0, 2
  %v85 = getelementptr i8, ptr %buf26, i64 %v84
  %v86 = mul i64 %v80, 2
  %v87 = getelementptr i8, ptr %v43, i64 %v86
  call void @llvm.memcpy.p0.p0.i64(ptr %v85, ptr %v87, i64 %v83, i1 false)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v88 = add i64 %i55, 0
  %v89 = sub i64 %v71, 0
  %v90 = mul i64 %v89, 2
  %v91 = sub i64 %v90, 0
  %v92 = mul i64 0, 2
  %v93 = getelementptr i8, ptr %buf27, i64 %v92
  %v94 = mul i64 %v88, 2
  %v95 = getelementptr i8, ptr %v45, i64 %v94
  call void @llvm.memcpy.p0.p0.i64(ptr %v93, ptr %v95, i64 %v91, i1 false)
  br label %body61
body61:
  %v96 = phi ptr [%v63, %whole59], [%buf25, %part60]
  %v97 = phi ptr [%v65, %whole59], [%buf26, %part60]
  %v98 = phi ptr [%v67, %whole59], [%buf27, %part60]
  %v99 = phi ptr [%v69, %whole59], [%buf28, %part60]
  %v100 = phi i64 [0, %whole59], [0, %part60]
  %v101 = phi i64 [64, %whole59], [%v71, %part60]
  %v102 = getelementptr i8, ptr %v96, i64 0
  %v103 = load <64 x i8>, ptr %v102, align 1
  %v104 = icmp sgt <64 x i8> %v103, %v33
  %v105 = getelementptr i8, ptr %v97, i64 0
  %v106 = load <64 x i16>, ptr %v105, align 1
  %v107 = getelementptr i8, ptr %v98, i64 0
  %v108 = load <64 x i16>, ptr %v107, align 1
  %v109 = select <64 x i1> %v104, <64 x i16> %v106, <64 x i16> %v108
  %v113 = and i1 %v51, %v58
  br i1 %v113, label %far110, label %near111
far110:
  store <64 x i16> %v109, ptr %v99, align 64, !nontemporal !2
  br label %stored112
near111:
  store <64 x i16> %v109, ptr %v99, align 1
  br label %stored112
stored112:
  %v114 = xor i1 %v58, 1
  br i1 %v114, label %then115, label %endif116, !prof !1
then115:
  %v117 = mul i64 %v100, 2
  %v118 = getelementptr i8, ptr %buf28, i64 %v117
  %v119 = add i64 %i55, %v100
  %v120 = mul i64 %v119, 2
  %v121 = getelementptr i8, ptr %v47, i64 %v120
  %v122 = sub i64 %v101, %v100
  %v123 = mul i64 %v122, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v121, ptr %v118, i64 %v123, i1 false)
  br label %endif116
endif116:
  %v124 = add i64 %i55, 64
  br label %head52
done54:
  %v125 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then126, label %endif127
then126:
  fence seq_cst
  br label %endif127
endif127:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
