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
  %buf143 = alloca <32 x float>, i64 1, align 64
  %buf144 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v156, %endif86]
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
  %v82 = sub i64 %n, %v36
  %v83 = or i64 %v33, %v82
  %v84 = icmp ne i64 %v83, 0
  br i1 %v84, label %then85, label %endif86
then85:
  br label %head87
head87:
  %i90 = phi i64 [0, %then85], [%v155, %endif98]
  %v91 = icmp slt i64 %i90, 2
  br i1 %v91, label %body88, label %done89
body88:
  %v92 = icmp eq i64 %i90, 0
  %v93 = select i1 %v92, i64 0, i64 %v36
  %v94 = icmp eq i64 %i90, 0
  %v95 = select i1 %v94, i64 %v33, i64 %n
  %v96 = icmp slt i64 %v93, %v95
  br i1 %v96, label %then97, label %endif98
then97:
  %v99 = add i64 %v93, 32
  %v100 = icmp sle i64 %v99, %v95
  br i1 %v100, label %side102, label %side103, !prof !0
side102:
  %v104 = mul i64 %v93, 4
  %v105 = getelementptr i8, ptr %v22, i64 %v104
  %v106 = mul i64 %v93, 4
  %v107 = getelementptr i8, ptr %v24, i64 %v106
  br label %join101
side103:
  %v108 = sub i64 %v95, %v93
  %v109 = call i64 @llvm.smin.i64(i64 %v108, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf13, align 64
  %v110 = mul i64 %v109, 4
  %v111 = sub i64 %v110, 0
  %v112 = getelementptr i8, ptr %buf13, i64 0
  %v113 = mul i64 %v93, 4
  %v114 = getelementptr i8, ptr %v22, i64 %v113
  call void @llvm.memcpy.p0.p0.i64(ptr %v112, ptr %v114, i64 %v111, i1 0)
  br label %join101
join101:
  %v115 = phi ptr [%v105, %side102], [%buf13, %side103]
  %v116 = phi ptr [%v107, %side102], [%buf14, %side103]
  %v117 = phi i64 [32, %side102], [%v109, %side103]
  %v118 = getelementptr i8, ptr %v115, i64 0
  %v119 = load <32 x i32>, ptr %v118, align 1
  %v120 = bitcast <32 x i32> %v119 to <32 x float>
  %v121 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v120)
  %v122 = fcmp ugt <32 x float> %v121, splat (float 0x4055C00000000000)
  %v123 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v120, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v124 = fsub <32 x float> %v123, splat (float 0x4168000FE0000000)
  %v125 = bitcast <32 x float> %v123 to <32 x i32>
  %v126 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v124, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v120)
  %v127 = fmul <32 x float> %v124, splat (float 0x3E205C6100000000)
  %v128 = fadd <32 x float> %v126, %v127
  %v129 = fmul <32 x float> %v128, %v128
  %v130 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v128, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v131 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v128, <32 x float> %v130, <32 x float> splat (float 0x3FA55585C0000000))
  %v132 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v128, <32 x float> %v131, <32 x float> splat (float 0x3FC55548C0000000))
  %v133 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v128, <32 x float> %v132, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v134 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v129, <32 x float> %v133, <32 x float> %v127)
  %v135 = fadd <32 x float> %v126, %v134
  %v136 = shl <32 x i32> %v125, splat (i32 23)
  %v137 = bitcast <32 x i32> %v136 to <32 x float>
  %v138 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v137, <32 x float> %v135, <32 x float> %v137)
  %v139 = bitcast <32 x i1> %v122 to i32
  %v140 = icmp ne i32 %v139, 0
  br i1 %v140, label %side142, label %join141, !prof !1
side142:
  store <32 x float> %v120, ptr %buf143, align 64
  call void @weft_exp_wide_f32(ptr %buf143, ptr %buf144, i64 32)
  %v145 = load <32 x float>, ptr %buf144, align 64
  %v146 = select <32 x i1> %v122, <32 x float> %v145, <32 x float> %v138
  br label %join141
join141:
  %v147 = phi <32 x float> [%v146, %side142], [%v138, %join101]
  %v148 = bitcast <32 x float> %v147 to <32 x i32>
  store <32 x i32> %v148, ptr %v116, align 1
  %v149 = xor i1 %v100, 1
  br i1 %v149, label %then150, label %endif151, !prof !1
then150:
  %v152 = mul i64 %v93, 4
  %v153 = getelementptr i8, ptr %v24, i64 %v152
  %v154 = mul i64 %v117, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v153, ptr %buf14, i64 %v154, i1 0)
  br label %endif151
endif151:
  br label %endif98
endif98:
  %v155 = add i64 %i90, 1
  br label %head87
done89:
  br label %endif86
endif86:
  %v156 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then157, label %endif158
then157:
  fence seq_cst
  br label %endif158
endif158:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
