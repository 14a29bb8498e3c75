; rows sum float32|32|load.float32[]0;load.float32[]1;multiply.float32[0, 1]None|float32:1,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @rows(ptr %L, ptr %S, i64 %n, i64 %m, ptr %part, i64 %pitch, i64 %first, i64 %base, i64 %step) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
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
  br label %head15
head15:
  %i18 = phi i64 [0, %entry], [%v139, %done61]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = and i64 %n, -32
  br label %head25
head25:
  %i28 = phi i64 [0, %body16], [%v58, %body26]
  %c29 = phi <8 x float> [splat (float 0x8000000000000000), %body16], [%v57, %body26]
  %v30 = icmp slt i64 %i28, %v24
  br i1 %v30, label %body26, label %done27
body26:
  %v31 = mul i64 %i28, 4
  %v32 = getelementptr i8, ptr %v21, i64 %v31
  %v33 = getelementptr i8, ptr %v32, i64 8192
  call void @llvm.prefetch.p0(ptr %v33, i32 0, i32 3, i32 1)
  %v34 = getelementptr i8, ptr %v32, i64 8256
  call void @llvm.prefetch.p0(ptr %v34, i32 0, i32 3, i32 1)
  %v35 = mul i64 %i28, 4
  %v36 = getelementptr i8, ptr %v23, i64 %v35
  %v37 = getelementptr i8, ptr %v36, i64 8192
  call void @llvm.prefetch.p0(ptr %v37, i32 0, i32 3, i32 1)
  %v38 = getelementptr i8, ptr %v36, i64 8256
  call void @llvm.prefetch.p0(ptr %v38, i32 0, i32 3, i32 1)
  %v39 = mul i64 %i28, 4
  %v40 = getelementptr i8, ptr %v21, i64 %v39
  %v41 = mul i64 %i28, 4
  %v42 = getelementptr i8, ptr %v23, i64 %v41
  %v43 = getelementptr i8, ptr %v40, i64 0
  %v44 = load <32 x i32>, ptr %v43, align 1
  %v45 = bitcast <32 x i32> %v44 to <32 x float>
  %v46 = getelementptr i8, ptr %v42, i64 0
  %v47 = load <32 x i32>, ptr %v46, align 1
  %v48 = bitcast <32 x i32> %v47 to <32 x float>
  %v49 = fmul <32 x float> %v45, %v48
  %v50 = shufflevector <32 x float> %v49, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v51 = fadd <8 x float> %c29, %v50
  %v52 = shufflevector <32 x float> %v49, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v53 = fadd <8 x float> %v51, %v52
  %v54 = shufflevector <32 x float> %v49, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v55 = fadd <8 x float> %v53, %v54
  %v56 = shufflevector <32 x float> %v49, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v57 = fadd <8 x float> %v55, %v56
  %v58 = add i64 %i28, 32
  br label %head25
done27:
  br label %head59
head59:
  %i62 = phi i64 [%v24, %done27], [%v124, %join104]
  %c63 = phi <8 x float> [%c29, %done27], [%v123, %join104]
  %v64 = icmp slt i64 %i62, %n
  br i1 %v64, label %body60, label %done61
body60:
  %v65 = add i64 %i62, 32
  %v66 = icmp sle i64 %v65, %n
  br i1 %v66, label %whole67, label %part68, !prof !0
whole67:
  %v70 = mul i64 %i62, 4
  %v71 = getelementptr i8, ptr %v21, i64 %v70
  %v72 = mul i64 %i62, 4
  %v73 = getelementptr i8, ptr %v23, i64 %v72
  br label %body69
part68:
  %v74 = sub i64 %n, %i62
  %v75 = call i64 @llvm.smin.i64(i64 %v74, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v76 = add i64 %i62, 0
  %v77 = sub i64 %v75, 0
  %v78 = mul i64 %v77, 4
  %v79 = sub i64 %v78, 0
  %v80 = mul i64 0, 4
  %v81 = getelementptr i8, ptr %buf13, i64 %v80
  %v82 = mul i64 %v76, 4
  %v83 = getelementptr i8, ptr %v21, i64 %v82
  call void @llvm.memcpy.p0.p0.i64(ptr %v81, ptr %v83, i64 %v79, i1 false)
  store <32 x i32> splat (i32 0), ptr %buf14, align 64
  %v84 = add i64 %i62, 0
  %v85 = sub i64 %v75, 0
  %v86 = mul i64 %v85, 4
  %v87 = sub i64 %v86, 0
  %v88 = mul i64 0, 4
  %v89 = getelementptr i8, ptr %buf14, i64 %v88
  %v90 = mul i64 %v84, 4
  %v91 = getelementptr i8, ptr %v23, i64 %v90
  call void @llvm.memcpy.p0.p0.i64(ptr %v89, ptr %v91, i64 %v87, i1 false)
  br label %body69
body69:
  %v92 = phi ptr [%v71, %whole67], [%buf13, %part68]
  %v93 = phi ptr [%v73, %whole67], [%buf14, %part68]
  %v94 = phi i64 [0, %whole67], [0, %part68]
  %v95 = phi i64 [32, %whole67], [%v75, %part68]
  %v96 = getelementptr i8, ptr %v92, i64 0
  %v97 = load <32 x i32>, ptr %v96, align 1
  %v98 = bitcast <32 x i32> %v97 to <32 x float>
  %v99 = getelementptr i8, ptr %v93, i64 0
  %v100 = load <32 x i32>, ptr %v99, align 1
  %v101 = bitcast <32 x i32> %v100 to <32 x float>
  %v102 = fmul <32 x float> %v98, %v101
  br i1 %v66, label %join104, label %part103, !prof !0
part103:
  %v105 = trunc i64 %v94 to i32
  %v106 = insertelement <32 x i32> poison, i32 %v105, i64 0
  %v107 = shufflevector <32 x i32> %v106, <32 x i32> poison, <32 x i32> zeroinitializer
  %v108 = trunc i64 %v95 to i32
  %v109 = insertelement <32 x i32> poison, i32 %v108, i64 0
  %v110 = shufflevector <32 x i32> %v109, <32 x i32> poison, <32 x i32> zeroinitializer
  %v111 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v107
  %v112 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v110
  %v113 = and <32 x i1> %v111, %v112
  %v114 = select <32 x i1> %v113, <32 x float> %v102, <32 x float> splat (float 0x8000000000000000)
  br label %join104
join104:
  %v115 = phi <32 x float> [%v102, %body69], [%v114, %part103]
  %v116 = shufflevector <32 x float> %v115, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v117 = fadd <8 x float> %c63, %v116
  %v118 = shufflevector <32 x float> %v115, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v119 = fadd <8 x float> %v117, %v118
  %v120 = shufflevector <32 x float> %v115, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v121 = fadd <8 x float> %v119, %v120
  %v122 = shufflevector <32 x float> %v115, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v123 = fadd <8 x float> %v121, %v122
  %v124 = add i64 %i62, 32
  br label %head59
done61:
  %v125 = mul i64 %i18, %step
  %v126 = add i64 %base, %v125
  %v127 = shufflevector <8 x float> %c63, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v128 = shufflevector <8 x float> %c63, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v129 = fadd <4 x float> %v127, %v128
  %v130 = shufflevector <4 x float> %v129, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v131 = shufflevector <4 x float> %v129, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v132 = fadd <2 x float> %v130, %v131
  %v133 = shufflevector <2 x float> %v132, <2 x float> poison, <1 x i32> <i32 0>
  %v134 = shufflevector <2 x float> %v132, <2 x float> poison, <1 x i32> <i32 1>
  %v135 = fadd <1 x float> %v133, %v134
  %v136 = add i64 %first, %i18
  %v137 = mul i64 %v136, 4
  %v138 = getelementptr i8, ptr %part, i64 %v137
  store <1 x float> %v135, ptr %v138, align 1
  %v139 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
