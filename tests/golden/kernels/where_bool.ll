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
  %i38 = phi i64 [0, %entry], [%v130, %endif89]
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
  %i63 = phi i64 [%v56, %body36], [%v84, %endif82]
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
  br label %head60
done62:
  %v85 = sub i64 %n, %v59
  %v86 = or i64 %v56, %v85
  %v87 = icmp ne i64 %v86, 0
  br i1 %v87, label %then88, label %endif89, !prof !1
then88:
  br label %head90
head90:
  %i93 = phi i64 [0, %then88], [%v129, %endif101]
  %v94 = icmp slt i64 %i93, 2
  br i1 %v94, label %body91, label %done92
body91:
  %v95 = icmp eq i64 %i93, 0
  %v96 = select i1 %v95, i64 0, i64 %v59
  %v97 = icmp eq i64 %i93, 0
  %v98 = select i1 %v97, i64 %v56, i64 %n
  %v99 = icmp slt i64 %v96, %v98
  br i1 %v99, label %then100, label %endif101
then100:
  %v102 = sub i64 %v98, %v96
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v103 = mul i64 %v102, 1
  %v104 = sub i64 %v103, 0
  %v105 = getelementptr i8, ptr %buf25, i64 0
  %v106 = mul i64 %v96, 1
  %v107 = getelementptr i8, ptr %v41, i64 %v106
  call void @llvm.memcpy.p0.p0.i64(ptr %v105, ptr %v107, i64 %v104, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v108 = mul i64 %v102, 2
  %v109 = sub i64 %v108, 0
  %v110 = getelementptr i8, ptr %buf26, i64 0
  %v111 = mul i64 %v96, 2
  %v112 = getelementptr i8, ptr %v43, i64 %v111
  call void @llvm.memcpy.p0.p0.i64(ptr %v110, ptr %v112, i64 %v109, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v113 = mul i64 %v102, 2
  %v114 = sub i64 %v113, 0
  %v115 = getelementptr i8, ptr %buf27, i64 0
  %v116 = mul i64 %v96, 2
  %v117 = getelementptr i8, ptr %v45, i64 %v116
  call void @llvm.memcpy.p0.p0.i64(ptr %v115, ptr %v117, i64 %v114, i1 0)
  %v118 = getelementptr i8, ptr %buf25, i64 0
  %v119 = load <64 x i8>, ptr %v118, align 1
  %v120 = icmp sgt <64 x i8> %v119, %v33
  %v121 = getelementptr i8, ptr %buf26, i64 0
  %v122 = load <64 x i16>, ptr %v121, align 1
  %v123 = getelementptr i8, ptr %buf27, i64 0
  %v124 = load <64 x i16>, ptr %v123, align 1
  %v125 = select <64 x i1> %v120, <64 x i16> %v122, <64 x i16> %v124
  %v126 = mul i64 %v96, 2
  %v127 = getelementptr i8, ptr %v47, i64 %v126
  store <64 x i16> %v125, ptr %buf28, align 1
  %v128 = mul i64 %v102, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v127, ptr %buf28, i64 %v128, i1 0)
  br label %endif101
endif101:
  %v129 = add i64 %i93, 1
  br label %head90
done92:
  br label %endif89
endif89:
  %v130 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then131, label %endif132
then131:
  fence seq_cst
  br label %endif132
endif132:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
