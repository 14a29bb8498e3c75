; map|32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_cmul_rare_f32(ptr, ptr, ptr, ptr, ptr, ptr, i64)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <64 x i32>, i64 1, align 64
  %buf20 = alloca <64 x i32>, i64 1, align 64
  %buf21 = alloca <64 x i32>, i64 1, align 64
  %buf98 = alloca <32 x float>, i64 1, align 64
  %buf99 = alloca <32 x float>, i64 1, align 64
  %buf100 = alloca <32 x float>, i64 1, align 64
  %buf101 = alloca <32 x float>, i64 1, align 64
  %buf102 = alloca <32 x float>, i64 1, align 64
  %buf103 = alloca <32 x float>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 6
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 1
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 4
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 7
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %L, i64 2
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %L, i64 5
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %L, i64 8
  %v18 = load i64, ptr %v17, align 8
  br label %head22
head22:
  %i25 = phi i64 [0, %entry], [%v124, %done35]
  %v26 = icmp slt i64 %i25, %m
  br i1 %v26, label %body23, label %done24
body23:
  %v27 = mul i64 %i25, %v14
  %v28 = getelementptr i8, ptr %v2, i64 %v27
  %v29 = mul i64 %i25, %v16
  %v30 = getelementptr i8, ptr %v4, i64 %v29
  %v31 = mul i64 %i25, %v18
  %v32 = getelementptr i8, ptr %v6, i64 %v31
  br label %head33
head33:
  %i36 = phi i64 [0, %body23], [%v123, %endif115]
  %v37 = icmp slt i64 %i36, %n
  br i1 %v37, label %body34, label %done35
body34:
  %v38 = add i64 %i36, 32
  %v39 = icmp sle i64 %v38, %n
  br i1 %v39, label %whole40, label %part41, !prof !0
whole40:
  %v43 = mul i64 %i36, 8
  %v44 = getelementptr i8, ptr %v28, i64 %v43
  %v45 = mul i64 %i36, 8
  %v46 = getelementptr i8, ptr %v30, i64 %v45
  %v47 = mul i64 %i36, 8
  %v48 = getelementptr i8, ptr %v32, i64 %v47
  br label %body42
part41:
  %v49 = sub i64 %n, %i36
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf19, align 64
  %v51 = add i64 %i36, 0
  %v52 = sub i64 %v50, 0
  %v53 = mul i64 %v52, 8
  %v54 = sub i64 %v53, 0
  %v55 = mul i64 0, 8
  %v56 = getelementptr i8, ptr %buf19, i64 %v55
  %v57 = mul i64 %v51, 8
  %v58 = getelementptr i8, ptr %v28, i64 %v57
  call void @llvm.memcpy.p0.p0.i64(ptr %v56, ptr %v58, i64 %v54, i1 false)
  store <64 x i32> splat (i32 0), ptr %buf20, align 64
  %v59 = add i64 %i36, 0
  %v60 = sub i64 %v50, 0
  %v61 = mul i64 %v60, 8
  %v62 = sub i64 %v61, 0
  %v63 = mul i64 0, 8
  %v64 = getelementptr i8, ptr %buf20, i64 %v63
  %v65 = mul i64 %v59, 8
  %v66 = getelementptr i8, ptr %v30, i64 %v65
  call void @llvm.memcpy.p0.p0.i64(ptr %v64, ptr %v66, i64 %v62, i1 false)
  br label %body42
body42:
  %v67 = phi ptr [%v44, %whole40], [%buf19, %part41]
  %v68 = phi ptr [%v46, %whole40], [%buf20, %part41]
  %v69 = phi ptr [%v48, %whole40], [%buf21, %part41]
  %v70 = phi i64 [0, %whole40], [0, %part41]
  %v71 = phi i64 [32, %whole40], [%v50, %part41]
  %v72 = load <64 x i32>, ptr %v67, align 1
  %v73 = shufflevector <64 x i32> %v72, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v74 = shufflevector <64 x i32> %v72, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v75 = bitcast <32 x i32> %v73 to <32 x float>
  %v76 = bitcast <32 x i32> %v74 to <32 x float>
  %v77 = load <64 x i32>, ptr %v68, align 1
  %v78 = shufflevector <64 x i32> %v77, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v79 = shufflevector <64 x i32> %v77, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v80 = bitcast <32 x i32> %v78 to <32 x float>
  %v81 = bitcast <32 x i32> %v79 to <32 x float>
  %v82 = fmul <32 x float> %v75, %v80
  %v83 = fmul <32 x float> %v76, %v81
  %v84 = fsub <32 x float> %v82, %v83
  %v85 = fmul <32 x float> %v75, %v81
  %v86 = fmul <32 x float> %v76, %v80
  %v87 = fadd <32 x float> %v85, %v86
  %v88 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v84)
  %v89 = fcmp olt <32 x float> %v88, splat (float 0x7FF0000000000000)
  %v90 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v87)
  %v91 = fcmp olt <32 x float> %v90, splat (float 0x7FF0000000000000)
  %v92 = and <32 x i1> %v89, %v91
  %v93 = xor <32 x i1> %v92, splat (i1 1)
  %v96 = bitcast <32 x i1> %v93 to i32
  %v97 = icmp ne i32 %v96, 0
  br i1 %v97, label %cold94, label %join95, !prof !1
cold94:
  store <32 x float> %v75, ptr %buf98, align 64
  store <32 x float> %v76, ptr %buf99, align 64
  store <32 x float> %v80, ptr %buf100, align 64
  store <32 x float> %v81, ptr %buf101, align 64
  call void @weft_cmul_rare_f32(ptr %buf98, ptr %buf99, ptr %buf100, ptr %buf101, ptr %buf102, ptr %buf103, i64 32)
  %v104 = load <32 x float>, ptr %buf102, align 64
  %v105 = load <32 x float>, ptr %buf103, align 64
  %v106 = select <32 x i1> %v93, <32 x float> %v104, <32 x float> %v84
  %v107 = select <32 x i1> %v93, <32 x float> %v105, <32 x float> %v87
  br label %join95
join95:
  %v108 = phi <32 x float> [%v84, %body42], [%v106, %cold94]
  %v109 = phi <32 x float> [%v87, %body42], [%v107, %cold94]
  %v110 = bitcast <32 x float> %v108 to <32 x i32>
  %v111 = bitcast <32 x float> %v109 to <32 x i32>
  %v112 = shufflevector <32 x i32> %v110, <32 x i32> %v111, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  store <64 x i32> %v112, ptr %v69, align 1
  %v113 = xor i1 %v39, 1
  br i1 %v113, label %then114, label %endif115, !prof !1
then114:
  %v116 = mul i64 %v70, 8
  %v117 = getelementptr i8, ptr %buf21, i64 %v116
  %v118 = add i64 %i36, %v70
  %v119 = mul i64 %v118, 8
  %v120 = getelementptr i8, ptr %v32, i64 %v119
  %v121 = sub i64 %v71, %v70
  %v122 = mul i64 %v121, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v120, ptr %v117, i64 %v122, i1 false)
  br label %endif115
endif115:
  %v123 = add i64 %i36, 32
  br label %head33
done35:
  %v124 = add i64 %i25, 1
  br label %head22
done24:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
