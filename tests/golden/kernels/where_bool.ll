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
  %i38 = phi i64 [0, %entry], [%v131, %endif90]
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
  %v49 = sub i64 0, %v48
  %v50 = and i64 %v49, 63
  %v51 = and i64 %v50, 1
  %v52 = icmp eq i64 %v51, 0
  %v53 = and i1 %v34, %v52
  %v54 = select i1 %v53, i64 %v50, i64 0
  %v55 = lshr i64 %v54, 1
  %v56 = call i64 @llvm.smin.i64(i64 %v55, i64 %n)
  %v57 = sub i64 %n, %v56
  %v58 = and i64 %v57, -64
  %v59 = add i64 %v56, %v58
  br label %head60
head60:
  %i63 = phi i64 [%v56, %body36], [%v85, %endif82]
  %v64 = icmp slt i64 %i63, %v59
  br i1 %v64, label %body61, label %done62
body61:
  %v65 = mul i64 %i63, 1
  %v66 = getelementptr i8, ptr %v41, i64 %v65
  %v67 = mul i64 %i63, 2
  %v68 = getelementptr i8, ptr %v43, i64 %v67
  %v69 = mul i64 %i63, 2
  %v70 = getelementptr i8, ptr %v45, i64 %v69
  %v71 = mul i64 %i63, 2
  %v72 = getelementptr i8, ptr %v47, i64 %v71
  %v73 = getelementptr i8, ptr %v66, i64 0
  %v74 = load <64 x i8>, ptr %v73, align 1
  %v75 = icmp sgt <64 x i8> %v74, %v33
  %v76 = getelementptr i8, ptr %v68, i64 0
  %v77 = load <64 x i16>, ptr %v76, align 1
  %v78 = getelementptr i8, ptr %v70, i64 0
  %v79 = load <64 x i16>, ptr %v78, align 1
  %v80 = select <64 x i1> %v75, <64 x i16> %v77, <64 x i16> %v79
  br i1 %v53, label %then81, label %else83
then81:
  store <64 x i16> %v80, ptr %v72, align 64, !nontemporal !2
  br label %endif82
else83:
  store <64 x i16> %v80, ptr %v72, align 1
  br label %endif82
endif82:
  %v84 = add i64 %i63, 64
  %v85 = call i64 asm "", "=r,0"(i64 %v84)
  br label %head60
done62:
  %v86 = sub i64 %n, %v59
  %v87 = or i64 %v56, %v86
  %v88 = icmp ne i64 %v87, 0
  br i1 %v88, label %then89, label %endif90, !prof !1
then89:
  br label %head91
head91:
  %i94 = phi i64 [0, %then89], [%v130, %endif102]
  %v95 = icmp slt i64 %i94, 2
  br i1 %v95, label %body92, label %done93
body92:
  %v96 = icmp eq i64 %i94, 0
  %v97 = select i1 %v96, i64 0, i64 %v59
  %v98 = icmp eq i64 %i94, 0
  %v99 = select i1 %v98, i64 %v56, i64 %n
  %v100 = icmp slt i64 %v97, %v99
  br i1 %v100, label %then101, label %endif102
then101:
  %v103 = sub i64 %v99, %v97
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v104 = mul i64 %v103, 1
  %v105 = sub i64 %v104, 0
  %v106 = getelementptr i8, ptr %buf25, i64 0
  %v107 = mul i64 %v97, 1
  %v108 = getelementptr i8, ptr %v41, i64 %v107
  call void @llvm.memcpy.p0.p0.i64(ptr %v106, ptr %v108, i64 %v105, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v109 = mul i64 %v103, 2
  %v110 = sub i64 %v109, 0
  %v111 = getelementptr i8, ptr %buf26, i64 0
  %v112 = mul i64 %v97, 2
  %v113 = getelementptr i8, ptr %v43, i64 %v112
  call void @llvm.memcpy.p0.p0.i64(ptr %v111, ptr %v113, i64 %v110, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v114 = mul i64 %v103, 2
  %v115 = sub i64 %v114, 0
  %v116 = getelementptr i8, ptr %buf27, i64 0
  %v117 = mul i64 %v97, 2
  %v118 = getelementptr i8, ptr %v45, i64 %v117
  call void @llvm.memcpy.p0.p0.i64(ptr %v116, ptr %v118, i64 %v115, i1 0)
  %v119 = getelementptr i8, ptr %buf25, i64 0
  %v120 = load <64 x i8>, ptr %v119, align 1
  %v121 = icmp sgt <64 x i8> %v120, %v33
  %v122 = getelementptr i8, ptr %buf26, i64 0
  %v123 = load <64 x i16>, ptr %v122, align 1
  %v124 = getelementptr i8, ptr %buf27, i64 0
  %v125 = load <64 x i16>, ptr %v124, align 1
  %v126 = select <64 x i1> %v121, <64 x i16> %v123, <64 x i16> %v125
  %v127 = mul i64 %v97, 2
  %v128 = getelementptr i8, ptr %v47, i64 %v127
  store <64 x i16> %v126, ptr %buf28, align 1
  %v129 = mul i64 %v103, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v128, ptr %buf28, i64 %v129, i1 0)
  br label %endif102
endif102:
  %v130 = add i64 %i94, 1
  br label %head91
done93:
  br label %endif90
endif90:
  %v131 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then132, label %endif133
then132:
  fence seq_cst
  br label %endif133
endif133:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
