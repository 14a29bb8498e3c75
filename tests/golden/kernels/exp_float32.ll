; map|32|load.float32[]0;exp.float32[0]None|float32:1,float32:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_exp_wide_f32(ptr, ptr, i64)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %buf77 = alloca <32 x float>, i64 1, align 64
  %buf78 = alloca <32 x float>, i64 1, align 64
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
  %i18 = phi i64 [0, %entry], [%v94, %done26]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  br label %head24
head24:
  %i27 = phi i64 [0, %body16], [%v93, %endif85]
  %v28 = icmp slt i64 %i27, %n
  br i1 %v28, label %body25, label %done26
body25:
  %v29 = add i64 %i27, 32
  %v30 = icmp sle i64 %v29, %n
  br i1 %v30, label %whole31, label %part32, !prof !0
whole31:
  %v34 = mul i64 %i27, 4
  %v35 = getelementptr i8, ptr %v21, i64 %v34
  %v36 = mul i64 %i27, 4
  %v37 = getelementptr i8, ptr %v23, i64 %v36
  br label %body33
part32:
  %v38 = sub i64 %n, %i27
  %v39 = call i64 @llvm.smin.i64(i64 %v38, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v40 = add i64 %i27, 0
  %v41 = sub i64 %v39, 0
  %v42 = mul i64 %v41, 4
  %v43 = sub i64 %v42, 0
  %v44 = mul i64 0, 4
  %v45 = getelementptr i8, ptr %buf13, i64 %v44
  %v46 = mul i64 %v40, 4
  %v47 = getelementptr i8, ptr %v21, i64 %v46
  call void @llvm.memcpy.p0.p0.i64(ptr %v45, ptr %v47, i64 %v43, i1 false)
  br label %body33
body33:
  %v48 = phi ptr [%v35, %whole31], [%buf13, %part32]
  %v49 = phi ptr [%v37, %whole31], [%buf14, %part32]
  %v50 = phi i64 [0, %whole31], [0, %part32]
  %v51 = phi i64 [32, %whole31], [%v39, %part32]
  %v52 = getelementptr i8, ptr %v48, i64 0
  %v53 = load <32 x i32>, ptr %v52, align 1
  %v54 = bitcast <32 x i32> %v53 to <32 x float>
  %v55 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v54)
  %v56 = fcmp ugt <32 x float> %v55, splat (float 0x4055C00000000000)
  %v57 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v54, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v58 = fsub <32 x float> %v57, splat (float 0x4168000FE0000000)
  %v59 = bitcast <32 x float> %v57 to <32 x i32>
  %v60 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v58, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v54)
  %v61 = fmul <32 x float> %v58, splat (float 0x3E205C6100000000)
  %v62 = fadd <32 x float> %v60, %v61
  %v63 = fmul <32 x float> %v62, %v62
  %v64 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v62, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v65 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v62, <32 x float> %v64, <32 x float> splat (float 0x3FA55585C0000000))
  %v66 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v62, <32 x float> %v65, <32 x float> splat (float 0x3FC55548C0000000))
  %v67 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v62, <32 x float> %v66, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v68 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> %v67, <32 x float> %v61)
  %v69 = fadd <32 x float> %v60, %v68
  %v70 = shl <32 x i32> %v59, splat (i32 23)
  %v71 = bitcast <32 x i32> %v70 to <32 x float>
  %v72 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v71, <32 x float> %v69, <32 x float> %v71)
  %v75 = bitcast <32 x i1> %v56 to i32
  %v76 = icmp ne i32 %v75, 0
  br i1 %v76, label %cold73, label %join74, !prof !1
cold73:
  store <32 x float> %v54, ptr %buf77, align 64
  call void @weft_exp_wide_f32(ptr %buf77, ptr %buf78, i64 32)
  %v79 = load <32 x float>, ptr %buf78, align 64
  %v80 = select <32 x i1> %v56, <32 x float> %v79, <32 x float> %v72
  br label %join74
join74:
  %v81 = phi <32 x float> [%v72, %body33], [%v80, %cold73]
  %v82 = bitcast <32 x float> %v81 to <32 x i32>
  store <32 x i32> %v82, ptr %v49, align 1
  %v83 = xor i1 %v30, 1
  br i1 %v83, label %then84, label %endif85, !prof !1
then84:
  %v86 = mul i64 %v50, 4
  %v87 = getelementptr i8, ptr %buf14, i64 %v86
  %v88 = add i64 %i27, %v50
  %v89 = mul i64 %v88, 4
  %v90 = getelementptr i8, ptr %v23, i64 %v89
  %v91 = sub i64 %v51, %v50
  %v92 = mul i64 %v91, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v90, ptr %v87, i64 %v92, i1 false)
  br label %endif85
endif85:
  %v93 = add i64 %i27, 32
  br label %head24
done26:
  %v94 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
