; map |32|load.float32[]0;exp.float32[0]None|float32:1,float32:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_exp_wide_f32(ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %buf79 = alloca <32 x float>, i64 1, align 64
  %buf80 = alloca <32 x float>, i64 1, align 64
  %buf140 = alloca <32 x float>, i64 1, align 64
  %buf141 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v160, %endif94]
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
  %v28 = mul i64 %n, 4
  %v29 = or i64 %v27, %v28
  %v30 = and i64 %v29, 63
  %v31 = icmp eq i64 %v30, 0
  %v32 = and i1 %v15, %v31
  %v33 = icmp sge i64 %v28, 3072
  %v34 = and i1 %v15, %v33
  %v35 = and i64 %v27, 3
  %v36 = icmp eq i64 %v35, 0
  %v37 = and i1 %v34, %v36
  %v38 = or i1 %v32, %v37
  %v39 = select i1 %v38, i64 %v27, i64 0
  %v40 = lshr i64 %v39, 2
  %v41 = call i64 @llvm.smin.i64(i64 %v40, i64 %n)
  %v42 = sub i64 %n, %v41
  %v43 = and i64 %v42, -32
  %v44 = add i64 %v41, %v43
  br label %head45
head45:
  %i48 = phi i64 [%v41, %body17], [%v89, %endif86]
  %v49 = icmp slt i64 %i48, %v44
  br i1 %v49, label %body46, label %done47
body46:
  %v50 = mul i64 %i48, 4
  %v51 = getelementptr i8, ptr %v22, i64 %v50
  %v52 = mul i64 %i48, 4
  %v53 = getelementptr i8, ptr %v24, i64 %v52
  %v54 = getelementptr i8, ptr %v51, i64 0
  %v55 = load <32 x i32>, ptr %v54, align 1
  %v56 = bitcast <32 x i32> %v55 to <32 x float>
  %v57 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v56)
  %v58 = fcmp ugt <32 x float> %v57, splat (float 0x4055C00000000000)
  %v59 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v56, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v60 = fsub <32 x float> %v59, splat (float 0x4168000FE0000000)
  %v61 = bitcast <32 x float> %v59 to <32 x i32>
  %v62 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v60, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v56)
  %v63 = fmul <32 x float> %v60, splat (float 0x3E205C6100000000)
  %v64 = fadd <32 x float> %v62, %v63
  %v65 = fmul <32 x float> %v64, %v64
  %v66 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v67 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> %v66, <32 x float> splat (float 0x3FA55585C0000000))
  %v68 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> %v67, <32 x float> splat (float 0x3FC55548C0000000))
  %v69 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> %v68, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v70 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v65, <32 x float> %v69, <32 x float> %v63)
  %v71 = fadd <32 x float> %v62, %v70
  %v72 = shl <32 x i32> %v61, splat (i32 23)
  %v73 = bitcast <32 x i32> %v72 to <32 x float>
  %v74 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v73, <32 x float> %v71, <32 x float> %v73)
  %v75 = bitcast <32 x i1> %v58 to i32
  %v76 = icmp ne i32 %v75, 0
  br i1 %v76, label %side78, label %join77, !prof !1
side78:
  store <32 x float> %v56, ptr %buf79, align 64
  call void @weft_exp_wide_f32(ptr %buf79, ptr %buf80, i64 32)
  %v81 = load <32 x float>, ptr %buf80, align 64
  %v82 = select <32 x i1> %v58, <32 x float> %v81, <32 x float> %v74
  br label %join77
join77:
  %v83 = phi <32 x float> [%v82, %side78], [%v74, %body46]
  %v84 = bitcast <32 x float> %v83 to <32 x i32>
  br i1 %v38, label %then85, label %else87
then85:
  store <32 x i32> %v84, ptr %v53, align 64, !nontemporal !2
  br label %endif86
else87:
  store <32 x i32> %v84, ptr %v53, align 1
  br label %endif86
endif86:
  %v88 = add i64 %i48, 32
  %v89 = call i64 asm "", "=r,0"(i64 %v88)
  br label %head45
done47:
  %v90 = sub i64 %n, %v44
  %v91 = or i64 %v41, %v90
  %v92 = icmp ne i64 %v91, 0
  br i1 %v92, label %then93, label %endif94, !prof !1
then93:
  br label %head95
head95:
  %i98 = phi i64 [0, %then93], [%v159, %endif106]
  %v99 = icmp slt i64 %i98, 2
  br i1 %v99, label %body96, label %done97
body96:
  %v100 = icmp eq i64 %i98, 0
  %v101 = select i1 %v100, i64 0, i64 %v44
  %v102 = icmp eq i64 %i98, 0
  %v103 = select i1 %v102, i64 %v41, i64 %n
  %v104 = icmp slt i64 %v101, %v103
  br i1 %v104, label %then105, label %endif106
then105:
  %v107 = sub i64 %v103, %v101
  %v108 = mul i64 %v101, 4
  %v109 = getelementptr i8, ptr %v22, i64 %v108
  %v110 = mul i64 %v107, 1
  %v111 = getelementptr i8, ptr %v109, i64 0
  %v112 = trunc i64 %v110 to i32
  %v113 = insertelement <32 x i32> poison, i32 %v112, i64 0
  %v114 = shufflevector <32 x i32> %v113, <32 x i32> poison, <32 x i32> zeroinitializer
  %v115 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v114
  %v116 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v111, <32 x i1> %v115, <32 x i32> zeroinitializer)
  %v117 = bitcast <32 x i32> %v116 to <32 x float>
  %v118 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v117)
  %v119 = fcmp ugt <32 x float> %v118, splat (float 0x4055C00000000000)
  %v120 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v117, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v121 = fsub <32 x float> %v120, splat (float 0x4168000FE0000000)
  %v122 = bitcast <32 x float> %v120 to <32 x i32>
  %v123 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v121, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v117)
  %v124 = fmul <32 x float> %v121, splat (float 0x3E205C6100000000)
  %v125 = fadd <32 x float> %v123, %v124
  %v126 = fmul <32 x float> %v125, %v125
  %v127 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v125, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v128 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v125, <32 x float> %v127, <32 x float> splat (float 0x3FA55585C0000000))
  %v129 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v125, <32 x float> %v128, <32 x float> splat (float 0x3FC55548C0000000))
  %v130 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v125, <32 x float> %v129, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v131 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v126, <32 x float> %v130, <32 x float> %v124)
  %v132 = fadd <32 x float> %v123, %v131
  %v133 = shl <32 x i32> %v122, splat (i32 23)
  %v134 = bitcast <32 x i32> %v133 to <32 x float>
  %v135 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v134, <32 x float> %v132, <32 x float> %v134)
  %v136 = bitcast <32 x i1> %v119 to i32
  %v137 = icmp ne i32 %v136, 0
  br i1 %v137, label %side139, label %join138, !prof !1
side139:
  store <32 x float> %v117, ptr %buf140, align 64
  call void @weft_exp_wide_f32(ptr %buf140, ptr %buf141, i64 32)
  %v142 = load <32 x float>, ptr %buf141, align 64
  %v143 = select <32 x i1> %v119, <32 x float> %v142, <32 x float> %v135
  br label %join138
join138:
  %v144 = phi <32 x float> [%v143, %side139], [%v135, %then105]
  %v145 = bitcast <32 x float> %v144 to <32 x i32>
  %v146 = mul i64 %v101, 4
  %v147 = getelementptr i8, ptr %v24, i64 %v146
  br i1 %v38, label %then148, label %else151, !prof !1
then148:
  store <32 x i32> %v145, ptr %buf14, align 1
  %v150 = mul i64 %v107, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v147, ptr %buf14, i64 %v150, i1 0)
  br label %endif149
else151:
  %v152 = mul i64 %v101, 4
  %v153 = getelementptr i8, ptr %v24, i64 %v152
  %v154 = mul i64 %v107, 1
  %v155 = trunc i64 %v154 to i32
  %v156 = insertelement <32 x i32> poison, i32 %v155, i64 0
  %v157 = shufflevector <32 x i32> %v156, <32 x i32> poison, <32 x i32> zeroinitializer
  %v158 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v157
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v145, ptr align 1 %v153, <32 x i1> %v158)
  br label %endif149
endif149:
  br label %endif106
endif106:
  %v159 = add i64 %i98, 1
  br label %head95
done97:
  br label %endif94
endif94:
  %v160 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then161, label %endif162
then161:
  fence seq_cst
  br label %endif162
endif162:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
