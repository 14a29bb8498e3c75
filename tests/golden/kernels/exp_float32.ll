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
  %buf82 = alloca <32 x float>, i64 1, align 64
  %buf83 = alloca <32 x float>, i64 1, align 64
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
  %v15 = icmp eq i64 %v8, -1
  br label %head16
head16:
  %i19 = phi i64 [0, %entry], [%v103, %done31]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = and i64 %v25, 63
  %v27 = icmp eq i64 %v26, 0
  %v28 = and i1 %v15, %v27
  br label %head29
head29:
  %i32 = phi i64 [0, %body17], [%v102, %endif94]
  %v33 = icmp slt i64 %i32, %n
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = add i64 %i32, 32
  %v35 = icmp sle i64 %v34, %n
  br i1 %v35, label %whole36, label %part37, !prof !0
whole36:
  %v39 = mul i64 %i32, 4
  %v40 = getelementptr i8, ptr %v22, i64 %v39
  %v41 = mul i64 %i32, 4
  %v42 = getelementptr i8, ptr %v24, i64 %v41
  br label %body38
part37:
  %v43 = sub i64 %n, %i32
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v45 = add i64 %i32, 0
  %v46 = sub i64 %v44, 0
  %v47 = mul i64 %v46, 4
  %v48 = sub i64 %v47, 0
  %v49 = mul i64 0, 4
  %v50 = getelementptr i8, ptr %buf13, i64 %v49
  %v51 = mul i64 %v45, 4
  %v52 = getelementptr i8, ptr %v22, i64 %v51
  call void @llvm.memcpy.p0.p0.i64(ptr %v50, ptr %v52, i64 %v48, i1 false)
  br label %body38
body38:
  %v53 = phi ptr [%v40, %whole36], [%buf13, %part37]
  %v54 = phi ptr [%v42, %whole36], [%buf14, %part37]
  %v55 = phi i64 [0, %whole36], [0, %part37]
  %v56 = phi i64 [32, %whole36], [%v44, %part37]
  %v57 = getelementptr i8, ptr %v53, i64 0
  %v58 = load <32 x i32>, ptr %v57, align 1
  %v59 = bitcast <32 x i32> %v58 to <32 x float>
  %v60 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v59)
  %v61 = fcmp ugt <32 x float> %v60, splat (float 0x4055C00000000000)
  %v62 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v59, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v63 = fsub <32 x float> %v62, splat (float 0x4168000FE0000000)
  %v64 = bitcast <32 x float> %v62 to <32 x i32>
  %v65 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v59)
  %v66 = fmul <32 x float> %v63, splat (float 0x3E205C6100000000)
  %v67 = fadd <32 x float> %v65, %v66
  %v68 = fmul <32 x float> %v67, %v67
  %v69 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v67, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v70 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v67, <32 x float> %v69, <32 x float> splat (float 0x3FA55585C0000000))
  %v71 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v67, <32 x float> %v70, <32 x float> splat (float 0x3FC55548C0000000))
  %v72 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v67, <32 x float> %v71, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v73 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v68, <32 x float> %v72, <32 x float> %v66)
  %v74 = fadd <32 x float> %v65, %v73
  %v75 = shl <32 x i32> %v64, splat (i32 23)
  %v76 = bitcast <32 x i32> %v75 to <32 x float>
  %v77 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v76, <32 x float> %v74, <32 x float> %v76)
  %v80 = bitcast <32 x i1> %v61 to i32
  %v81 = icmp ne i32 %v80, 0
  br i1 %v81, label %cold78, label %join79, !prof !1
cold78:
  store <32 x float> %v59, ptr %buf82, align 64
  call void @weft_exp_wide_f32(ptr %buf82, ptr %buf83, i64 32)
  %v84 = load <32 x float>, ptr %buf83, align 64
  %v85 = select <32 x i1> %v61, <32 x float> %v84, <32 x float> %v77
  br label %join79
join79:
  %v86 = phi <32 x float> [%v77, %body38], [%v85, %cold78]
  %v87 = bitcast <32 x float> %v86 to <32 x i32>
  %v91 = and i1 %v28, %v35
  br i1 %v91, label %far88, label %near89
far88:
  store <32 x i32> %v87, ptr %v54, align 64, !nontemporal !2
  br label %stored90
near89:
  store <32 x i32> %v87, ptr %v54, align 1
  br label %stored90
stored90:
  %v92 = xor i1 %v35, 1
  br i1 %v92, label %then93, label %endif94, !prof !1
then93:
  %v95 = mul i64 %v55, 4
  %v96 = getelementptr i8, ptr %buf14, i64 %v95
  %v97 = add i64 %i32, %v55
  %v98 = mul i64 %v97, 4
  %v99 = getelementptr i8, ptr %v24, i64 %v98
  %v100 = sub i64 %v56, %v55
  %v101 = mul i64 %v100, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v99, ptr %v96, i64 %v101, i1 false)
  br label %endif94
endif94:
  %v102 = add i64 %i32, 32
  br label %head29
done31:
  %v103 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then104, label %endif105
then104:
  fence seq_cst
  br label %endif105
endif105:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
