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
  %buf133 = alloca <32 x float>, i64 1, align 64
  %buf134 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v147, %endif86]
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
  %i40 = phi i64 [%v33, %body17], [%v81, %endif78]
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
  br i1 %v30, label %then77, label %else79
then77:
  store <32 x i32> %v76, ptr %v45, align 64, !nontemporal !2
  br label %endif78
else79:
  store <32 x i32> %v76, ptr %v45, align 1
  br label %endif78
endif78:
  %v80 = add i64 %i40, 32
  %v81 = call i64 asm "", "=r,0"(i64 %v80)
  br label %head37
done39:
  %v82 = sub i64 %n, %v36
  %v83 = or i64 %v33, %v82
  %v84 = icmp ne i64 %v83, 0
  br i1 %v84, label %then85, label %endif86, !prof !1
then85:
  br label %head87
head87:
  %i90 = phi i64 [0, %then85], [%v146, %endif98]
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
  %v99 = sub i64 %v95, %v93
  %v100 = mul i64 %v99, 1
  %v101 = trunc i64 %v100 to i32
  %v102 = insertelement <32 x i32> poison, i32 %v101, i64 0
  %v103 = shufflevector <32 x i32> %v102, <32 x i32> poison, <32 x i32> zeroinitializer
  %v104 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v103
  %v105 = mul i64 %v93, 4
  %v106 = getelementptr i8, ptr %v22, i64 %v105
  %v107 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v106, <32 x i1> %v104, <32 x i32> zeroinitializer)
  store <32 x i32> %v107, ptr %buf13, align 64
  %v108 = getelementptr i8, ptr %buf13, i64 0
  %v109 = load <32 x i32>, ptr %v108, align 1
  %v110 = bitcast <32 x i32> %v109 to <32 x float>
  %v111 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v110)
  %v112 = fcmp ugt <32 x float> %v111, splat (float 0x4055C00000000000)
  %v113 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v110, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v114 = fsub <32 x float> %v113, splat (float 0x4168000FE0000000)
  %v115 = bitcast <32 x float> %v113 to <32 x i32>
  %v116 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v114, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v110)
  %v117 = fmul <32 x float> %v114, splat (float 0x3E205C6100000000)
  %v118 = fadd <32 x float> %v116, %v117
  %v119 = fmul <32 x float> %v118, %v118
  %v120 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v118, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v121 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v118, <32 x float> %v120, <32 x float> splat (float 0x3FA55585C0000000))
  %v122 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v118, <32 x float> %v121, <32 x float> splat (float 0x3FC55548C0000000))
  %v123 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v118, <32 x float> %v122, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v124 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v119, <32 x float> %v123, <32 x float> %v117)
  %v125 = fadd <32 x float> %v116, %v124
  %v126 = shl <32 x i32> %v115, splat (i32 23)
  %v127 = bitcast <32 x i32> %v126 to <32 x float>
  %v128 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v127, <32 x float> %v125, <32 x float> %v127)
  %v129 = bitcast <32 x i1> %v112 to i32
  %v130 = icmp ne i32 %v129, 0
  br i1 %v130, label %side132, label %join131, !prof !1
side132:
  store <32 x float> %v110, ptr %buf133, align 64
  call void @weft_exp_wide_f32(ptr %buf133, ptr %buf134, i64 32)
  %v135 = load <32 x float>, ptr %buf134, align 64
  %v136 = select <32 x i1> %v112, <32 x float> %v135, <32 x float> %v128
  br label %join131
join131:
  %v137 = phi <32 x float> [%v136, %side132], [%v128, %then97]
  %v138 = bitcast <32 x float> %v137 to <32 x i32>
  %v139 = mul i64 %v93, 4
  %v140 = getelementptr i8, ptr %v24, i64 %v139
  %v141 = mul i64 %v99, 1
  %v142 = trunc i64 %v141 to i32
  %v143 = insertelement <32 x i32> poison, i32 %v142, i64 0
  %v144 = shufflevector <32 x i32> %v143, <32 x i32> poison, <32 x i32> zeroinitializer
  %v145 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v144
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v138, ptr align 1 %v140, <32 x i1> %v145)
  br label %endif98
endif98:
  %v146 = add i64 %i90, 1
  br label %head87
done89:
  br label %endif86
endif86:
  %v147 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then148, label %endif149
then148:
  fence seq_cst
  br label %endif149
endif149:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
