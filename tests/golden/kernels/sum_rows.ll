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
  %i18 = phi i64 [0, %entry], [%v112, %done26]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  br label %head24
head24:
  %i27 = phi i64 [0, %body16], [%v97, %join77]
  %c28 = phi <8 x float> [splat (float 0x8000000000000000), %body16], [%v96, %join77]
  %v29 = icmp slt i64 %i27, %n
  br i1 %v29, label %body25, label %done26
body25:
  %v30 = mul i64 %i27, 4
  %v31 = getelementptr i8, ptr %v21, i64 %v30
  %v32 = getelementptr i8, ptr %v31, i64 4096
  call void @llvm.prefetch.p0(ptr %v32, i32 0, i32 3, i32 1)
  %v33 = getelementptr i8, ptr %v31, i64 4160
  call void @llvm.prefetch.p0(ptr %v33, i32 0, i32 3, i32 1)
  %v34 = mul i64 %i27, 4
  %v35 = getelementptr i8, ptr %v23, i64 %v34
  %v36 = getelementptr i8, ptr %v35, i64 4096
  call void @llvm.prefetch.p0(ptr %v36, i32 0, i32 3, i32 1)
  %v37 = getelementptr i8, ptr %v35, i64 4160
  call void @llvm.prefetch.p0(ptr %v37, i32 0, i32 3, i32 1)
  %v38 = add i64 %i27, 32
  %v39 = icmp sle i64 %v38, %n
  br i1 %v39, label %whole40, label %part41, !prof !0
whole40:
  %v43 = mul i64 %i27, 4
  %v44 = getelementptr i8, ptr %v21, i64 %v43
  %v45 = mul i64 %i27, 4
  %v46 = getelementptr i8, ptr %v23, i64 %v45
  br label %body42
part41:
  %v47 = sub i64 %n, %i27
  %v48 = call i64 @llvm.smin.i64(i64 %v47, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v49 = add i64 %i27, 0
  %v50 = sub i64 %v48, 0
  %v51 = mul i64 %v50, 4
  %v52 = sub i64 %v51, 0
  %v53 = mul i64 0, 4
  %v54 = getelementptr i8, ptr %buf13, i64 %v53
  %v55 = mul i64 %v49, 4
  %v56 = getelementptr i8, ptr %v21, i64 %v55
  call void @llvm.memcpy.p0.p0.i64(ptr %v54, ptr %v56, i64 %v52, i1 false)
  store <32 x i32> splat (i32 0), ptr %buf14, align 64
  %v57 = add i64 %i27, 0
  %v58 = sub i64 %v48, 0
  %v59 = mul i64 %v58, 4
  %v60 = sub i64 %v59, 0
  %v61 = mul i64 0, 4
  %v62 = getelementptr i8, ptr %buf14, i64 %v61
  %v63 = mul i64 %v57, 4
  %v64 = getelementptr i8, ptr %v23, i64 %v63
  call void @llvm.memcpy.p0.p0.i64(ptr %v62, ptr %v64, i64 %v60, i1 false)
  br label %body42
body42:
  %v65 = phi ptr [%v44, %whole40], [%buf13, %part41]
  %v66 = phi ptr [%v46, %whole40], [%buf14, %part41]
  %v67 = phi i64 [0, %whole40], [0, %part41]
  %v68 = phi i64 [32, %whole40], [%v48, %part41]
  %v69 = getelementptr i8, ptr %v65, i64 0
  %v70 = load <32 x i32>, ptr %v69, align 1
  %v71 = bitcast <32 x i32> %v70 to <32 x float>
  %v72 = getelementptr i8, ptr %v66, i64 0
  %v73 = load <32 x i32>, ptr %v72, align 1
  %v74 = bitcast <32 x i32> %v73 to <32 x float>
  %v75 = fmul <32 x float> %v71, %v74
  br i1 %v39, label %join77, label %part76, !prof !0
part76:
  %v78 = trunc i64 %v67 to i32
  %v79 = insertelement <32 x i32> poison, i32 %v78, i64 0
  %v80 = shufflevector <32 x i32> %v79, <32 x i32> poison, <32 x i32> zeroinitializer
  %v81 = trunc i64 %v68 to i32
  %v82 = insertelement <32 x i32> poison, i32 %v81, i64 0
  %v83 = shufflevector <32 x i32> %v82, <32 x i32> poison, <32 x i32> zeroinitializer
  %v84 = icmp sge <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v80
  %v85 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v83
  %v86 = and <32 x i1> %v84, %v85
  %v87 = select <32 x i1> %v86, <32 x float> %v75, <32 x float> splat (float 0x8000000000000000)
  br label %join77
join77:
  %v88 = phi <32 x float> [%v75, %body42], [%v87, %part76]
  %v89 = shufflevector <32 x float> %v88, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v90 = fadd <8 x float> %c28, %v89
  %v91 = shufflevector <32 x float> %v88, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v92 = fadd <8 x float> %v90, %v91
  %v93 = shufflevector <32 x float> %v88, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v94 = fadd <8 x float> %v92, %v93
  %v95 = shufflevector <32 x float> %v88, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v96 = fadd <8 x float> %v94, %v95
  %v97 = add i64 %i27, 32
  br label %head24
done26:
  %v98 = mul i64 %i18, %step
  %v99 = add i64 %base, %v98
  %v100 = shufflevector <8 x float> %c28, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v101 = shufflevector <8 x float> %c28, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v102 = fadd <4 x float> %v100, %v101
  %v103 = shufflevector <4 x float> %v102, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v104 = shufflevector <4 x float> %v102, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v105 = fadd <2 x float> %v103, %v104
  %v106 = shufflevector <2 x float> %v105, <2 x float> poison, <1 x i32> <i32 0>
  %v107 = shufflevector <2 x float> %v105, <2 x float> poison, <1 x i32> <i32 1>
  %v108 = fadd <1 x float> %v106, %v107
  %v109 = add i64 %first, %i18
  %v110 = mul i64 %v109, 4
  %v111 = getelementptr i8, ptr %part, i64 %v110
  store <1 x float> %v108, ptr %v111, align 1
  %v112 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
