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
  %buf71 = alloca <32 x float>, i64 1, align 64
  %buf72 = alloca <32 x float>, i64 1, align 64
  %buf138 = alloca <32 x float>, i64 1, align 64
  %buf139 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v151, %done84]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = sub i64 0, %v25
  %v27 = and i64 %v26, 63
  %v28 = and i64 %v27, 3
  %v29 = icmp eq i64 %v28, 0
  %v30 = and i1 %v15, %v29
  %v31 = select i1 %v30, i64 %v27, i64 0
  %v32 = lshr i64 %v31, 2
  %v33 = call i64 @llvm.smin.i64(i64 %v32, i64 %n)
  %v34 = sub i64 %n, %v33
  %v35 = and i64 %v34, -32
  %v36 = add i64 %v33, %v35
  br label %head37
head37:
  %i40 = phi i64 [%v33, %body17], [%v81, %endif79]
  %v41 = icmp slt i64 %i40, %v36
  br i1 %v41, label %body38, label %done39
body38:
  %v42 = mul i64 %i40, 4
  %v43 = getelementptr i8, ptr %v22, i64 %v42
  %v44 = mul i64 %i40, 4
  %v45 = getelementptr i8, ptr %v24, i64 %v44
  %v46 = getelementptr i8, ptr %v43, i64 0
  %v47 = load <32 x i32>, ptr %v46, align 1
  %v48 = bitcast <32 x i32> %v47 to <32 x float>
  %v49 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v48)
  %v50 = fcmp ugt <32 x float> %v49, splat (float 0x4055C00000000000)
  %v51 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v48, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v52 = fsub <32 x float> %v51, splat (float 0x4168000FE0000000)
  %v53 = bitcast <32 x float> %v51 to <32 x i32>
  %v54 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v52, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v48)
  %v55 = fmul <32 x float> %v52, splat (float 0x3E205C6100000000)
  %v56 = fadd <32 x float> %v54, %v55
  %v57 = fmul <32 x float> %v56, %v56
  %v58 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v56, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v59 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v56, <32 x float> %v58, <32 x float> splat (float 0x3FA55585C0000000))
  %v60 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v56, <32 x float> %v59, <32 x float> splat (float 0x3FC55548C0000000))
  %v61 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v56, <32 x float> %v60, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v62 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v57, <32 x float> %v61, <32 x float> %v55)
  %v63 = fadd <32 x float> %v54, %v62
  %v64 = shl <32 x i32> %v53, splat (i32 23)
  %v65 = bitcast <32 x i32> %v64 to <32 x float>
  %v66 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v65, <32 x float> %v63, <32 x float> %v65)
  %v67 = bitcast <32 x i1> %v50 to i32
  %v68 = icmp ne i32 %v67, 0
  br i1 %v68, label %side70, label %join69, !prof !1
side70:
  store <32 x float> %v48, ptr %buf71, align 64
  call void @weft_exp_wide_f32(ptr %buf71, ptr %buf72, i64 32)
  %v73 = load <32 x float>, ptr %buf72, align 64
  %v74 = select <32 x i1> %v50, <32 x float> %v73, <32 x float> %v66
  br label %join69
join69:
  %v75 = phi <32 x float> [%v74, %side70], [%v66, %body38]
  %v76 = bitcast <32 x float> %v75 to <32 x i32>
  %v77 = and i1 %v30, 1
  br i1 %v77, label %then78, label %else80
then78:
  store <32 x i32> %v76, ptr %v45, align 64, !nontemporal !2
  br label %endif79
else80:
  store <32 x i32> %v76, ptr %v45, align 1
  br label %endif79
endif79:
  %v81 = add i64 %i40, 32
  br label %head37
done39:
  br label %head82
head82:
  %i85 = phi i64 [0, %done39], [%v150, %endif93]
  %v86 = icmp slt i64 %i85, 2
  br i1 %v86, label %body83, label %done84
body83:
  %v87 = icmp eq i64 %i85, 0
  %v88 = select i1 %v87, i64 0, i64 %v36
  %v89 = icmp eq i64 %i85, 0
  %v90 = select i1 %v89, i64 %v33, i64 %n
  %v91 = icmp slt i64 %v88, %v90
  br i1 %v91, label %then92, label %endif93
then92:
  %v94 = add i64 %v88, 32
  %v95 = icmp sle i64 %v94, %v90
  br i1 %v95, label %side97, label %side98, !prof !0
side97:
  %v99 = mul i64 %v88, 4
  %v100 = getelementptr i8, ptr %v22, i64 %v99
  %v101 = mul i64 %v88, 4
  %v102 = getelementptr i8, ptr %v24, i64 %v101
  br label %join96
side98:
  %v103 = sub i64 %v90, %v88
  %v104 = call i64 @llvm.smin.i64(i64 %v103, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v105 = mul i64 %v104, 4
  %v106 = sub i64 %v105, 0
  %v107 = getelementptr i8, ptr %buf13, i64 0
  %v108 = mul i64 %v88, 4
  %v109 = getelementptr i8, ptr %v22, i64 %v108
  call void @llvm.memcpy.p0.p0.i64(ptr %v107, ptr %v109, i64 %v106, i1 0)
  br label %join96
join96:
  %v110 = phi ptr [%v100, %side97], [%buf13, %side98]
  %v111 = phi ptr [%v102, %side97], [%buf14, %side98]
  %v112 = phi i64 [32, %side97], [%v104, %side98]
  %v113 = getelementptr i8, ptr %v110, i64 0
  %v114 = load <32 x i32>, ptr %v113, align 1
  %v115 = bitcast <32 x i32> %v114 to <32 x float>
  %v116 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v115)
  %v117 = fcmp ugt <32 x float> %v116, splat (float 0x4055C00000000000)
  %v118 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v115, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v119 = fsub <32 x float> %v118, splat (float 0x4168000FE0000000)
  %v120 = bitcast <32 x float> %v118 to <32 x i32>
  %v121 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v119, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v115)
  %v122 = fmul <32 x float> %v119, splat (float 0x3E205C6100000000)
  %v123 = fadd <32 x float> %v121, %v122
  %v124 = fmul <32 x float> %v123, %v123
  %v125 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v123, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v126 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v123, <32 x float> %v125, <32 x float> splat (float 0x3FA55585C0000000))
  %v127 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v123, <32 x float> %v126, <32 x float> splat (float 0x3FC55548C0000000))
  %v128 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v123, <32 x float> %v127, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v129 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v124, <32 x float> %v128, <32 x float> %v122)
  %v130 = fadd <32 x float> %v121, %v129
  %v131 = shl <32 x i32> %v120, splat (i32 23)
  %v132 = bitcast <32 x i32> %v131 to <32 x float>
  %v133 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v132, <32 x float> %v130, <32 x float> %v132)
  %v134 = bitcast <32 x i1> %v117 to i32
  %v135 = icmp ne i32 %v134, 0
  br i1 %v135, label %side137, label %join136, !prof !1
side137:
  store <32 x float> %v115, ptr %buf138, align 64
  call void @weft_exp_wide_f32(ptr %buf138, ptr %buf139, i64 32)
  %v140 = load <32 x float>, ptr %buf139, align 64
  %v141 = select <32 x i1> %v117, <32 x float> %v140, <32 x float> %v133
  br label %join136
join136:
  %v142 = phi <32 x float> [%v141, %side137], [%v133, %join96]
  %v143 = bitcast <32 x float> %v142 to <32 x i32>
  store <32 x i32> %v143, ptr %v111, align 1
  %v144 = xor i1 %v95, 1
  br i1 %v144, label %then145, label %endif146, !prof !1
then145:
  %v147 = mul i64 %v88, 4
  %v148 = getelementptr i8, ptr %v24, i64 %v147
  %v149 = mul i64 %v112, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v148, ptr %buf14, i64 %v149, i1 0)
  br label %endif146
endif146:
  br label %endif93
endif93:
  %v150 = add i64 %i85, 1
  br label %head82
done84:
  %v151 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then152, label %endif153
then152:
  fence seq_cst
  br label %endif153
endif153:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
