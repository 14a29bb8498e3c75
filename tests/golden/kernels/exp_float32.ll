; map |32|load.float32[]0;exp.float32[0]None|float32:1,float32:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_exp_wide_f32(ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %buf78 = alloca <32 x float>, i64 1, align 64
  %buf79 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v95, %done31]
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
  %i32 = phi i64 [0, %body17], [%v94, %endif90]
  %v33 = icmp slt i64 %i32, %n
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = add i64 %i32, 32
  %v35 = icmp sle i64 %v34, %n
  br i1 %v35, label %side37, label %side38, !prof !0
side37:
  %v39 = mul i64 %i32, 4
  %v40 = getelementptr i8, ptr %v22, i64 %v39
  %v41 = mul i64 %i32, 4
  %v42 = getelementptr i8, ptr %v24, i64 %v41
  br label %join36
side38:
  %v43 = sub i64 %n, %i32
  %v44 = call i64 @llvm.smin.i64(i64 %v43, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v45 = mul i64 %v44, 4
  %v46 = sub i64 %v45, 0
  %v47 = getelementptr i8, ptr %buf13, i64 0
  %v48 = mul i64 %i32, 4
  %v49 = getelementptr i8, ptr %v22, i64 %v48
  call void @llvm.memcpy.p0.p0.i64(ptr %v47, ptr %v49, i64 %v46, i1 0)
  br label %join36
join36:
  %v50 = phi ptr [%v40, %side37], [%buf13, %side38]
  %v51 = phi ptr [%v42, %side37], [%buf14, %side38]
  %v52 = phi i64 [32, %side37], [%v44, %side38]
  %v53 = getelementptr i8, ptr %v50, i64 0
  %v54 = load <32 x i32>, ptr %v53, align 1
  %v55 = bitcast <32 x i32> %v54 to <32 x float>
  %v56 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v55)
  %v57 = fcmp ugt <32 x float> %v56, splat (float 0x4055C00000000000)
  %v58 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v55, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v59 = fsub <32 x float> %v58, splat (float 0x4168000FE0000000)
  %v60 = bitcast <32 x float> %v58 to <32 x i32>
  %v61 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v59, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v55)
  %v62 = fmul <32 x float> %v59, splat (float 0x3E205C6100000000)
  %v63 = fadd <32 x float> %v61, %v62
  %v64 = fmul <32 x float> %v63, %v63
  %v65 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v66 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> %v65, <32 x float> splat (float 0x3FA55585C0000000))
  %v67 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> %v66, <32 x float> splat (float 0x3FC55548C0000000))
  %v68 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v63, <32 x float> %v67, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v69 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> %v68, <32 x float> %v62)
  %v70 = fadd <32 x float> %v61, %v69
  %v71 = shl <32 x i32> %v60, splat (i32 23)
  %v72 = bitcast <32 x i32> %v71 to <32 x float>
  %v73 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v72, <32 x float> %v70, <32 x float> %v72)
  %v74 = bitcast <32 x i1> %v57 to i32
  %v75 = icmp ne i32 %v74, 0
  br i1 %v75, label %side77, label %join76, !prof !1
side77:
  store <32 x float> %v55, ptr %buf78, align 64
  call void @weft_exp_wide_f32(ptr %buf78, ptr %buf79, i64 32)
  %v80 = load <32 x float>, ptr %buf79, align 64
  %v81 = select <32 x i1> %v57, <32 x float> %v80, <32 x float> %v73
  br label %join76
join76:
  %v82 = phi <32 x float> [%v81, %side77], [%v73, %join36]
  %v83 = bitcast <32 x float> %v82 to <32 x i32>
  %v84 = and i1 %v28, %v35
  br i1 %v84, label %then85, label %else87
then85:
  store <32 x i32> %v83, ptr %v51, align 64, !nontemporal !2
  br label %endif86
else87:
  store <32 x i32> %v83, ptr %v51, align 1
  br label %endif86
endif86:
  %v88 = xor i1 %v35, 1
  br i1 %v88, label %then89, label %endif90, !prof !1
then89:
  %v91 = mul i64 %i32, 4
  %v92 = getelementptr i8, ptr %v24, i64 %v91
  %v93 = mul i64 %v52, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v92, ptr %buf14, i64 %v93, i1 0)
  br label %endif90
endif90:
  %v94 = add i64 %i32, 32
  br label %head29
done31:
  %v95 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then96, label %endif97
then96:
  fence seq_cst
  br label %endif97
endif97:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
