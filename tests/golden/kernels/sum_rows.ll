; rows sum float32 |32|load.float32[]0;load.float32[]1;multiply.float32[0, 1]None|float32:1,float32:1
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
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
  %i18 = phi i64 [0, %entry], [%v115, %join63]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = sub i64 %n, 0
  %v25 = and i64 %v24, -32
  %v26 = add i64 0, %v25
  br label %head27
head27:
  %i30 = phi i64 [0, %body16], [%v61, %body28]
  %c31 = phi <8 x float> [splat (float 0x8000000000000000), %body16], [%v59, %body28]
  %v32 = icmp slt i64 %i30, %v26
  br i1 %v32, label %body28, label %done29
body28:
  %v33 = mul i64 %i30, 4
  %v34 = getelementptr i8, ptr %v21, i64 %v33
  %v35 = getelementptr i8, ptr %v34, i64 8192
  call void @llvm.prefetch.p0(ptr %v35, i32 0, i32 3, i32 1)
  %v36 = getelementptr i8, ptr %v34, i64 8256
  call void @llvm.prefetch.p0(ptr %v36, i32 0, i32 3, i32 1)
  %v37 = mul i64 %i30, 4
  %v38 = getelementptr i8, ptr %v23, i64 %v37
  %v39 = getelementptr i8, ptr %v38, i64 8192
  call void @llvm.prefetch.p0(ptr %v39, i32 0, i32 3, i32 1)
  %v40 = getelementptr i8, ptr %v38, i64 8256
  call void @llvm.prefetch.p0(ptr %v40, i32 0, i32 3, i32 1)
  %v41 = mul i64 %i30, 4
  %v42 = getelementptr i8, ptr %v21, i64 %v41
  %v43 = mul i64 %i30, 4
  %v44 = getelementptr i8, ptr %v23, i64 %v43
  %v45 = getelementptr i8, ptr %v42, i64 0
  %v46 = load <32 x i32>, ptr %v45, align 1
  %v47 = bitcast <32 x i32> %v46 to <32 x float>
  %v48 = getelementptr i8, ptr %v44, i64 0
  %v49 = load <32 x i32>, ptr %v48, align 1
  %v50 = bitcast <32 x i32> %v49 to <32 x float>
  %v51 = fmul <32 x float> %v47, %v50
  %v52 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v53 = fadd <8 x float> %c31, %v52
  %v54 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v55 = fadd <8 x float> %v53, %v54
  %v56 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v57 = fadd <8 x float> %v55, %v56
  %v58 = shufflevector <32 x float> %v51, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v59 = fadd <8 x float> %v57, %v58
  %v60 = add i64 %i30, 32
  %v61 = call i64 asm "", "=r,0"(i64 %v60)
  br label %head27
done29:
  %v62 = icmp slt i64 %v26, %n
  br i1 %v62, label %side64, label %join63
side64:
  %v65 = sub i64 %n, %v26
  %v66 = mul i64 %v26, 4
  %v67 = getelementptr i8, ptr %v21, i64 %v66
  %v68 = mul i64 %v26, 4
  %v69 = getelementptr i8, ptr %v23, i64 %v68
  %v70 = mul i64 %v65, 1
  %v71 = getelementptr i8, ptr %v67, i64 0
  %v72 = trunc i64 %v70 to i32
  %v73 = insertelement <32 x i32> poison, i32 %v72, i64 0
  %v74 = shufflevector <32 x i32> %v73, <32 x i32> poison, <32 x i32> zeroinitializer
  %v75 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v74
  %v76 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v71, <32 x i1> %v75, <32 x i32> zeroinitializer)
  %v77 = bitcast <32 x i32> %v76 to <32 x float>
  %v78 = mul i64 %v65, 1
  %v79 = getelementptr i8, ptr %v69, i64 0
  %v80 = trunc i64 %v78 to i32
  %v81 = insertelement <32 x i32> poison, i32 %v80, i64 0
  %v82 = shufflevector <32 x i32> %v81, <32 x i32> poison, <32 x i32> zeroinitializer
  %v83 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v82
  %v84 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v79, <32 x i1> %v83, <32 x i32> zeroinitializer)
  %v85 = bitcast <32 x i32> %v84 to <32 x float>
  %v86 = fmul <32 x float> %v77, %v85
  %v87 = trunc i64 %v65 to i32
  %v88 = insertelement <32 x i32> poison, i32 %v87, i64 0
  %v89 = shufflevector <32 x i32> %v88, <32 x i32> poison, <32 x i32> zeroinitializer
  %v90 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v89
  %v91 = select <32 x i1> %v90, <32 x float> %v86, <32 x float> splat (float 0x8000000000000000)
  %v92 = shufflevector <32 x float> %v91, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v93 = fadd <8 x float> %c31, %v92
  %v94 = shufflevector <32 x float> %v91, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v95 = fadd <8 x float> %v93, %v94
  %v96 = shufflevector <32 x float> %v91, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v97 = fadd <8 x float> %v95, %v96
  %v98 = shufflevector <32 x float> %v91, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v99 = fadd <8 x float> %v97, %v98
  br label %join63
join63:
  %v100 = phi <8 x float> [%v99, %side64], [%c31, %done29]
  %v101 = shufflevector <8 x float> %v100, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v102 = shufflevector <8 x float> %v100, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v103 = fadd <4 x float> %v101, %v102
  %v104 = shufflevector <4 x float> %v103, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v105 = shufflevector <4 x float> %v103, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v106 = fadd <2 x float> %v104, %v105
  %v107 = shufflevector <2 x float> %v106, <2 x float> poison, <1 x i32> <i32 0>
  %v108 = shufflevector <2 x float> %v106, <2 x float> poison, <1 x i32> <i32 1>
  %v109 = fadd <1 x float> %v107, %v108
  %v110 = mul i64 %i18, %step
  %v111 = add i64 %base, %v110
  %v112 = add i64 %first, %i18
  %v113 = mul i64 %v112, 4
  %v114 = getelementptr i8, ptr %part, i64 %v113
  store <1 x float> %v109, ptr %v114, align 1
  %v115 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
