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
  %i38 = phi i64 [0, %entry], [%v139, %endif98]
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
  %v51 = mul i64 %n, 2
  %v52 = or i64 %v50, %v51
  %v53 = and i64 %v52, 63
  %v54 = icmp eq i64 %v53, 0
  %v55 = and i1 %v34, %v54
  %v56 = icmp sge i64 %v51, 3072
  %v57 = and i1 %v34, %v56
  %v58 = and i64 %v50, 1
  %v59 = icmp eq i64 %v58, 0
  %v60 = and i1 %v57, %v59
  %v61 = or i1 %v55, %v60
  %v62 = select i1 %v61, i64 %v50, i64 0
  %v63 = lshr i64 %v62, 1
  %v64 = call i64 @llvm.smin.i64(i64 %v63, i64 %n)
  %v65 = sub i64 %n, %v64
  %v66 = and i64 %v65, -64
  %v67 = add i64 %v64, %v66
  br label %head68
head68:
  %i71 = phi i64 [%v64, %body36], [%v93, %endif90]
  %v72 = icmp slt i64 %i71, %v67
  br i1 %v72, label %body69, label %done70
body69:
  %v73 = mul i64 %i71, 1
  %v74 = getelementptr i8, ptr %v41, i64 %v73
  %v75 = mul i64 %i71, 2
  %v76 = getelementptr i8, ptr %v43, i64 %v75
  %v77 = mul i64 %i71, 2
  %v78 = getelementptr i8, ptr %v45, i64 %v77
  %v79 = mul i64 %i71, 2
  %v80 = getelementptr i8, ptr %v47, i64 %v79
  %v81 = getelementptr i8, ptr %v74, i64 0
  %v82 = load <64 x i8>, ptr %v81, align 1
  %v83 = icmp sgt <64 x i8> %v82, %v33
  %v84 = getelementptr i8, ptr %v76, i64 0
  %v85 = load <64 x i16>, ptr %v84, align 1
  %v86 = getelementptr i8, ptr %v78, i64 0
  %v87 = load <64 x i16>, ptr %v86, align 1
  %v88 = select <64 x i1> %v83, <64 x i16> %v85, <64 x i16> %v87
  br i1 %v61, label %then89, label %else91
then89:
  store <64 x i16> %v88, ptr %v80, align 64, !nontemporal !2
  br label %endif90
else91:
  store <64 x i16> %v88, ptr %v80, align 1
  br label %endif90
endif90:
  %v92 = add i64 %i71, 64
  %v93 = call i64 asm "", "=r,0"(i64 %v92)
  br label %head68
done70:
  %v94 = sub i64 %n, %v67
  %v95 = or i64 %v64, %v94
  %v96 = icmp ne i64 %v95, 0
  br i1 %v96, label %then97, label %endif98, !prof !1
then97:
  br label %head99
head99:
  %i102 = phi i64 [0, %then97], [%v138, %endif110]
  %v103 = icmp slt i64 %i102, 2
  br i1 %v103, label %body100, label %done101
body100:
  %v104 = icmp eq i64 %i102, 0
  %v105 = select i1 %v104, i64 0, i64 %v67
  %v106 = icmp eq i64 %i102, 0
  %v107 = select i1 %v106, i64 %v64, i64 %n
  %v108 = icmp slt i64 %v105, %v107
  br i1 %v108, label %then109, label %endif110
then109:
  %v111 = sub i64 %v107, %v105
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v112 = mul i64 %v111, 1
  %v113 = sub i64 %v112, 0
  %v114 = getelementptr i8, ptr %buf25, i64 0
  %v115 = mul i64 %v105, 1
  %v116 = getelementptr i8, ptr %v41, i64 %v115
  call void @llvm.memcpy.p0.p0.i64(ptr %v114, ptr %v116, i64 %v113, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v117 = mul i64 %v111, 2
  %v118 = sub i64 %v117, 0
  %v119 = getelementptr i8, ptr %buf26, i64 0
  %v120 = mul i64 %v105, 2
  %v121 = getelementptr i8, ptr %v43, i64 %v120
  call void @llvm.memcpy.p0.p0.i64(ptr %v119, ptr %v121, i64 %v118, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v122 = mul i64 %v111, 2
  %v123 = sub i64 %v122, 0
  %v124 = getelementptr i8, ptr %buf27, i64 0
  %v125 = mul i64 %v105, 2
  %v126 = getelementptr i8, ptr %v45, i64 %v125
  call void @llvm.memcpy.p0.p0.i64(ptr %v124, ptr %v126, i64 %v123, i1 0)
  %v127 = getelementptr i8, ptr %buf25, i64 0
  %v128 = load <64 x i8>, ptr %v127, align 1
  %v129 = icmp sgt <64 x i8> %v128, %v33
  %v130 = getelementptr i8, ptr %buf26, i64 0
  %v131 = load <64 x i16>, ptr %v130, align 1
  %v132 = getelementptr i8, ptr %buf27, i64 0
  %v133 = load <64 x i16>, ptr %v132, align 1
  %v134 = select <64 x i1> %v129, <64 x i16> %v131, <64 x i16> %v133
  %v135 = mul i64 %v105, 2
  %v136 = getelementptr i8, ptr %v47, i64 %v135
  store <64 x i16> %v134, ptr %buf28, align 1
  %v137 = mul i64 %v111, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v136, ptr %buf28, i64 %v137, i1 0)
  br label %endif110
endif110:
  %v138 = add i64 %i102, 1
  br label %head99
done101:
  br label %endif98
endif98:
  %v139 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then140, label %endif141
then140:
  fence seq_cst
  br label %endif141
endif141:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
