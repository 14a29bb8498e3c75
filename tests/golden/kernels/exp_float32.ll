; map |32|load.float32[]0;exp.float32[0]None|float32:1,float32:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @weft_exp_wide_f32(ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %buf71 = alloca <32 x float>, i64 1, align 64
  %buf72 = alloca <32 x float>, i64 1, align 64
  %buf146 = alloca <32 x float>, i64 1, align 64
  %buf147 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v163, %endif86]
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
  %i90 = phi i64 [0, %then85], [%v162, %endif98]
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
  %v110 = mul i64 %v109, 1
  %v111 = trunc i64 %v110 to i32
  %v112 = insertelement <32 x i32> poison, i32 %v111, i64 0
  %v113 = shufflevector <32 x i32> %v112, <32 x i32> poison, <32 x i32> zeroinitializer
  %v114 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v113
  %v115 = mul i64 %v93, 4
  %v116 = getelementptr i8, ptr %v22, i64 %v115
  %v117 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v116, <32 x i1> %v114, <32 x i32> zeroinitializer)
  store <32 x i32> %v117, ptr %buf13, align 64
  br label %join101
join101:
  %v118 = phi ptr [%v105, %side102], [%buf13, %side103]
  %v119 = phi ptr [%v107, %side102], [%buf14, %side103]
  %v120 = phi i64 [32, %side102], [%v109, %side103]
  %v121 = getelementptr i8, ptr %v118, i64 0
  %v122 = load <32 x i32>, ptr %v121, align 1
  %v123 = bitcast <32 x i32> %v122 to <32 x float>
  %v124 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v123)
  %v125 = fcmp ugt <32 x float> %v124, splat (float 0x4055C00000000000)
  %v126 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v123, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v127 = fsub <32 x float> %v126, splat (float 0x4168000FE0000000)
  %v128 = bitcast <32 x float> %v126 to <32 x i32>
  %v129 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v127, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v123)
  %v130 = fmul <32 x float> %v127, splat (float 0x3E205C6100000000)
  %v131 = fadd <32 x float> %v129, %v130
  %v132 = fmul <32 x float> %v131, %v131
  %v133 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v131, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v134 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v131, <32 x float> %v133, <32 x float> splat (float 0x3FA55585C0000000))
  %v135 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v131, <32 x float> %v134, <32 x float> splat (float 0x3FC55548C0000000))
  %v136 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v131, <32 x float> %v135, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v137 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v132, <32 x float> %v136, <32 x float> %v130)
  %v138 = fadd <32 x float> %v129, %v137
  %v139 = shl <32 x i32> %v128, splat (i32 23)
  %v140 = bitcast <32 x i32> %v139 to <32 x float>
  %v141 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v140, <32 x float> %v138, <32 x float> %v140)
  %v142 = bitcast <32 x i1> %v125 to i32
  %v143 = icmp ne i32 %v142, 0
  br i1 %v143, label %side145, label %join144, !prof !1
side145:
  store <32 x float> %v123, ptr %buf146, align 64
  call void @weft_exp_wide_f32(ptr %buf146, ptr %buf147, i64 32)
  %v148 = load <32 x float>, ptr %buf147, align 64
  %v149 = select <32 x i1> %v125, <32 x float> %v148, <32 x float> %v141
  br label %join144
join144:
  %v150 = phi <32 x float> [%v149, %side145], [%v141, %join101]
  %v151 = bitcast <32 x float> %v150 to <32 x i32>
  store <32 x i32> %v151, ptr %v119, align 1
  %v152 = xor i1 %v100, 1
  br i1 %v152, label %then153, label %endif154, !prof !1
then153:
  %v155 = mul i64 %v93, 4
  %v156 = getelementptr i8, ptr %v24, i64 %v155
  %v157 = mul i64 %v120, 1
  %v158 = trunc i64 %v157 to i32
  %v159 = insertelement <32 x i32> poison, i32 %v158, i64 0
  %v160 = shufflevector <32 x i32> %v159, <32 x i32> poison, <32 x i32> zeroinitializer
  %v161 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v160
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v151, ptr align 1 %v156, <32 x i1> %v161)
  br label %endif154
endif154:
  br label %endif98
endif98:
  %v162 = add i64 %i90, 1
  br label %head87
done89:
  br label %endif86
endif86:
  %v163 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then164, label %endif165
then164:
  fence seq_cst
  br label %endif165
endif165:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
