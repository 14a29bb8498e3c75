; map |64|load.int8[]0;scalar.int8[]0;greater.bool[0, 1]None;load.int16[]1;load.int16[]2;where.int16[2, 3, 4]None|int8:1,int16:1,int16:1,int16:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %i38 = phi i64 [0, %entry], [%v157, %endif116]
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
  %v65 = icmp sge i64 %n, 16384
  %v66 = select i1 %v65, i64 1536, i64 0
  %v67 = sub i64 %n, %v64
  %v68 = and i64 %v67, -64
  %v69 = add i64 %v64, %v68
  br label %head70
head70:
  %i73 = phi i64 [%v64, %body36], [%v111, %endif108]
  %v74 = icmp slt i64 %i73, %v69
  br i1 %v74, label %body71, label %done72
body71:
  %v75 = mul i64 %i73, 1
  %v76 = getelementptr i8, ptr %v41, i64 %v75
  %v77 = add i64 %v66, 0
  %v78 = getelementptr i8, ptr %v76, i64 %v77
  call void @llvm.prefetch.p0(ptr %v78, i32 0, i32 3, i32 1)
  %v79 = mul i64 %i73, 2
  %v80 = getelementptr i8, ptr %v43, i64 %v79
  %v81 = add i64 %v66, 0
  %v82 = getelementptr i8, ptr %v80, i64 %v81
  call void @llvm.prefetch.p0(ptr %v82, i32 0, i32 3, i32 1)
  %v83 = add i64 %v66, 64
  %v84 = getelementptr i8, ptr %v80, i64 %v83
  call void @llvm.prefetch.p0(ptr %v84, i32 0, i32 3, i32 1)
  %v85 = mul i64 %i73, 2
  %v86 = getelementptr i8, ptr %v45, i64 %v85
  %v87 = add i64 %v66, 0
  %v88 = getelementptr i8, ptr %v86, i64 %v87
  call void @llvm.prefetch.p0(ptr %v88, i32 0, i32 3, i32 1)
  %v89 = add i64 %v66, 64
  %v90 = getelementptr i8, ptr %v86, i64 %v89
  call void @llvm.prefetch.p0(ptr %v90, i32 0, i32 3, i32 1)
  %v91 = mul i64 %i73, 1
  %v92 = getelementptr i8, ptr %v41, i64 %v91
  %v93 = mul i64 %i73, 2
  %v94 = getelementptr i8, ptr %v43, i64 %v93
  %v95 = mul i64 %i73, 2
  %v96 = getelementptr i8, ptr %v45, i64 %v95
  %v97 = mul i64 %i73, 2
  %v98 = getelementptr i8, ptr %v47, i64 %v97
  %v99 = getelementptr i8, ptr %v92, i64 0
  %v100 = load <64 x i8>, ptr %v99, align 1
  %v101 = icmp sgt <64 x i8> %v100, %v33
  %v102 = getelementptr i8, ptr %v94, i64 0
  %v103 = load <64 x i16>, ptr %v102, align 1
  %v104 = getelementptr i8, ptr %v96, i64 0
  %v105 = load <64 x i16>, ptr %v104, align 1
  %v106 = select <64 x i1> %v101, <64 x i16> %v103, <64 x i16> %v105
  br i1 %v61, label %then107, label %else109
then107:
  store <64 x i16> %v106, ptr %v98, align 64, !nontemporal !2
  br label %endif108
else109:
  store <64 x i16> %v106, ptr %v98, align 1
  br label %endif108
endif108:
  %v110 = add i64 %i73, 64
  %v111 = call i64 asm "", "=r,0"(i64 %v110)
  br label %head70
done72:
  %v112 = sub i64 %n, %v69
  %v113 = or i64 %v64, %v112
  %v114 = icmp ne i64 %v113, 0
  br i1 %v114, label %then115, label %endif116, !prof !1
then115:
  br label %head117
head117:
  %i120 = phi i64 [0, %then115], [%v156, %endif128]
  %v121 = icmp slt i64 %i120, 2
  br i1 %v121, label %body118, label %done119
body118:
  %v122 = icmp eq i64 %i120, 0
  %v123 = select i1 %v122, i64 0, i64 %v69
  %v124 = icmp eq i64 %i120, 0
  %v125 = select i1 %v124, i64 %v64, i64 %n
  %v126 = icmp slt i64 %v123, %v125
  br i1 %v126, label %then127, label %endif128
then127:
  %v129 = sub i64 %v125, %v123
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v130 = mul i64 %v129, 1
  %v131 = sub i64 %v130, 0
  %v132 = getelementptr i8, ptr %buf25, i64 0
  %v133 = mul i64 %v123, 1
  %v134 = getelementptr i8, ptr %v41, i64 %v133
  call void @llvm.memcpy.p0.p0.i64(ptr %v132, ptr %v134, i64 %v131, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v135 = mul i64 %v129, 2
  %v136 = sub i64 %v135, 0
  %v137 = getelementptr i8, ptr %buf26, i64 0
  %v138 = mul i64 %v123, 2
  %v139 = getelementptr i8, ptr %v43, i64 %v138
  call void @llvm.memcpy.p0.p0.i64(ptr %v137, ptr %v139, i64 %v136, i1 0)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v140 = mul i64 %v129, 2
  %v141 = sub i64 %v140, 0
  %v142 = getelementptr i8, ptr %buf27, i64 0
  %v143 = mul i64 %v123, 2
  %v144 = getelementptr i8, ptr %v45, i64 %v143
  call void @llvm.memcpy.p0.p0.i64(ptr %v142, ptr %v144, i64 %v141, i1 0)
  %v145 = getelementptr i8, ptr %buf25, i64 0
  %v146 = load <64 x i8>, ptr %v145, align 1
  %v147 = icmp sgt <64 x i8> %v146, %v33
  %v148 = getelementptr i8, ptr %buf26, i64 0
  %v149 = load <64 x i16>, ptr %v148, align 1
  %v150 = getelementptr i8, ptr %buf27, i64 0
  %v151 = load <64 x i16>, ptr %v150, align 1
  %v152 = select <64 x i1> %v147, <64 x i16> %v149, <64 x i16> %v151
  %v153 = mul i64 %v123, 2
  %v154 = getelementptr i8, ptr %v47, i64 %v153
  store <64 x i16> %v152, ptr %buf28, align 1
  %v155 = mul i64 %v129, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v154, ptr %buf28, i64 %v155, i1 0)
  br label %endif128
endif128:
  %v156 = add i64 %i120, 1
  br label %head117
done119:
  br label %endif116
endif116:
  %v157 = add i64 %i38, 1
  br label %head35
done37:
  br i1 %v34, label %then158, label %endif159
then158:
  fence seq_cst
  br label %endif159
endif159:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
