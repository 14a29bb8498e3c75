; rows sum float32 |32|load.float32[]0;load.float32[]1;multiply.float32[0, 1]None|float32:1,float32:1
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
  %i18 = phi i64 [0, %entry], [%v127, %done61]
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
  %i62 = phi i64 [%v24, %done27], [%v112, %join96]
  %c63 = phi <8 x float> [%c29, %done27], [%v111, %join96]
  %v64 = icmp slt i64 %i62, %n
  br i1 %v64, label %body60, label %done61
body60:
  %v65 = add i64 %i62, 32
  %v66 = icmp sle i64 %v65, %n
  br i1 %v66, label %side68, label %side69, !prof !0
side68:
  %v70 = mul i64 %i62, 4
  %v71 = getelementptr i8, ptr %v21, i64 %v70
  %v72 = mul i64 %i62, 4
  %v73 = getelementptr i8, ptr %v23, i64 %v72
  br label %join67
side69:
  %v74 = sub i64 %n, %i62
  %v75 = call i64 @llvm.smin.i64(i64 %v74, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v76 = mul i64 %v75, 4
  %v77 = sub i64 %v76, 0
  %v78 = getelementptr i8, ptr %buf13, i64 0
  %v79 = mul i64 %i62, 4
  %v80 = getelementptr i8, ptr %v21, i64 %v79
  call void @llvm.memcpy.p0.p0.i64(ptr %v78, ptr %v80, i64 %v77, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf14, align 64
  %v81 = mul i64 %v75, 4
  %v82 = sub i64 %v81, 0
  %v83 = getelementptr i8, ptr %buf14, i64 0
  %v84 = mul i64 %i62, 4
  %v85 = getelementptr i8, ptr %v23, i64 %v84
  call void @llvm.memcpy.p0.p0.i64(ptr %v83, ptr %v85, i64 %v82, i1 0)
  br label %join67
join67:
  %v86 = phi ptr [%v71, %side68], [%buf13, %side69]
  %v87 = phi ptr [%v73, %side68], [%buf14, %side69]
  %v88 = phi i64 [32, %side68], [%v75, %side69]
  %v89 = getelementptr i8, ptr %v86, i64 0
  %v90 = load <32 x i32>, ptr %v89, align 1
  %v91 = bitcast <32 x i32> %v90 to <32 x float>
  %v92 = getelementptr i8, ptr %v87, i64 0
  %v93 = load <32 x i32>, ptr %v92, align 1
  %v94 = bitcast <32 x i32> %v93 to <32 x float>
  %v95 = fmul <32 x float> %v91, %v94
  br i1 %v66, label %join96, label %side97, !prof !0
side97:
  %v98 = trunc i64 %v88 to i32
  %v99 = insertelement <32 x i32> poison, i32 %v98, i64 0
  %v100 = shufflevector <32 x i32> %v99, <32 x i32> poison, <32 x i32> zeroinitializer
  %v101 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v100
  %v102 = select <32 x i1> %v101, <32 x float> %v95, <32 x float> splat (float 0x8000000000000000)
  br label %join96
join96:
  %v103 = phi <32 x float> [%v95, %join67], [%v102, %side97]
  %v104 = shufflevector <32 x float> %v103, <32 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v105 = fadd <8 x float> %c63, %v104
  %v106 = shufflevector <32 x float> %v103, <32 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %v107 = fadd <8 x float> %v105, %v106
  %v108 = shufflevector <32 x float> %v103, <32 x float> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %v109 = fadd <8 x float> %v107, %v108
  %v110 = shufflevector <32 x float> %v103, <32 x float> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %v111 = fadd <8 x float> %v109, %v110
  %v112 = add i64 %i62, 32
  br label %head59
done61:
  %v113 = shufflevector <8 x float> %c63, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v114 = shufflevector <8 x float> %c63, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v115 = fadd <4 x float> %v113, %v114
  %v116 = shufflevector <4 x float> %v115, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v117 = shufflevector <4 x float> %v115, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v118 = fadd <2 x float> %v116, %v117
  %v119 = shufflevector <2 x float> %v118, <2 x float> poison, <1 x i32> <i32 0>
  %v120 = shufflevector <2 x float> %v118, <2 x float> poison, <1 x i32> <i32 1>
  %v121 = fadd <1 x float> %v119, %v120
  %v122 = mul i64 %i18, %step
  %v123 = add i64 %base, %v122
  %v124 = add i64 %first, %i18
  %v125 = mul i64 %v124, 4
  %v126 = getelementptr i8, ptr %part, i64 %v125
  store <1 x float> %v121, ptr %v126, align 1
  %v127 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
