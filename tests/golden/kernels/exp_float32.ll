; map |32|load.float32[]0;exp.float32[0]None|float32:1,float32:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.fma.v32f32(<32 x float>, <32 x float>, <32 x float>)
declare <32 x i32> @llvm.masked.load.v32i32.p0(ptr, <32 x i1>, <32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v32i32.p0(<32 x i32>, ptr, <32 x i1>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @weft_exp_wide_f32(ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <32 x i32>, i64 1, align 64
  %buf14 = alloca <32 x i32>, i64 1, align 64
  %buf87 = alloca <32 x float>, i64 1, align 64
  %buf88 = alloca <32 x float>, i64 1, align 64
  %buf148 = alloca <32 x float>, i64 1, align 64
  %buf149 = alloca <32 x float>, i64 1, align 64
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
  %i19 = phi i64 [0, %entry], [%v168, %endif102]
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
  %v42 = icmp sge i64 %n, 8192
  %v43 = select i1 %v42, i64 1536, i64 0
  %v44 = sub i64 %n, %v41
  %v45 = and i64 %v44, -32
  %v46 = add i64 %v41, %v45
  br label %head47
head47:
  %i50 = phi i64 [%v41, %body17], [%v97, %endif94]
  %v51 = icmp slt i64 %i50, %v46
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = mul i64 %i50, 4
  %v53 = getelementptr i8, ptr %v22, i64 %v52
  %v54 = add i64 %v43, 0
  %v55 = getelementptr i8, ptr %v53, i64 %v54
  call void @llvm.prefetch.p0(ptr %v55, i32 0, i32 3, i32 1)
  %v56 = add i64 %v43, 64
  %v57 = getelementptr i8, ptr %v53, i64 %v56
  call void @llvm.prefetch.p0(ptr %v57, i32 0, i32 3, i32 1)
  %v58 = mul i64 %i50, 4
  %v59 = getelementptr i8, ptr %v22, i64 %v58
  %v60 = mul i64 %i50, 4
  %v61 = getelementptr i8, ptr %v24, i64 %v60
  %v62 = getelementptr i8, ptr %v59, i64 0
  %v63 = load <32 x i32>, ptr %v62, align 1
  %v64 = bitcast <32 x i32> %v63 to <32 x float>
  %v65 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v64)
  %v66 = fcmp ugt <32 x float> %v65, splat (float 0x4055C00000000000)
  %v67 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v64, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v68 = fsub <32 x float> %v67, splat (float 0x4168000FE0000000)
  %v69 = bitcast <32 x float> %v67 to <32 x i32>
  %v70 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v68, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v64)
  %v71 = fmul <32 x float> %v68, splat (float 0x3E205C6100000000)
  %v72 = fadd <32 x float> %v70, %v71
  %v73 = fmul <32 x float> %v72, %v72
  %v74 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v72, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v75 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v72, <32 x float> %v74, <32 x float> splat (float 0x3FA55585C0000000))
  %v76 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v72, <32 x float> %v75, <32 x float> splat (float 0x3FC55548C0000000))
  %v77 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v72, <32 x float> %v76, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v78 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v73, <32 x float> %v77, <32 x float> %v71)
  %v79 = fadd <32 x float> %v70, %v78
  %v80 = shl <32 x i32> %v69, splat (i32 23)
  %v81 = bitcast <32 x i32> %v80 to <32 x float>
  %v82 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v81, <32 x float> %v79, <32 x float> %v81)
  %v83 = bitcast <32 x i1> %v66 to i32
  %v84 = icmp ne i32 %v83, 0
  br i1 %v84, label %side86, label %join85, !prof !1
side86:
  store <32 x float> %v64, ptr %buf87, align 64
  call void @weft_exp_wide_f32(ptr %buf87, ptr %buf88, i64 32)
  %v89 = load <32 x float>, ptr %buf88, align 64
  %v90 = select <32 x i1> %v66, <32 x float> %v89, <32 x float> %v82
  br label %join85
join85:
  %v91 = phi <32 x float> [%v90, %side86], [%v82, %body48]
  %v92 = bitcast <32 x float> %v91 to <32 x i32>
  br i1 %v38, label %then93, label %else95
then93:
  store <32 x i32> %v92, ptr %v61, align 64, !nontemporal !2
  br label %endif94
else95:
  store <32 x i32> %v92, ptr %v61, align 1
  br label %endif94
endif94:
  %v96 = add i64 %i50, 32
  %v97 = call i64 asm "", "=r,0"(i64 %v96)
  br label %head47
done49:
  %v98 = sub i64 %n, %v46
  %v99 = or i64 %v41, %v98
  %v100 = icmp ne i64 %v99, 0
  br i1 %v100, label %then101, label %endif102, !prof !1
then101:
  br label %head103
head103:
  %i106 = phi i64 [0, %then101], [%v167, %endif114]
  %v107 = icmp slt i64 %i106, 2
  br i1 %v107, label %body104, label %done105
body104:
  %v108 = icmp eq i64 %i106, 0
  %v109 = select i1 %v108, i64 0, i64 %v46
  %v110 = icmp eq i64 %i106, 0
  %v111 = select i1 %v110, i64 %v41, i64 %n
  %v112 = icmp slt i64 %v109, %v111
  br i1 %v112, label %then113, label %endif114
then113:
  %v115 = sub i64 %v111, %v109
  %v116 = mul i64 %v109, 4
  %v117 = getelementptr i8, ptr %v22, i64 %v116
  %v118 = mul i64 %v115, 1
  %v119 = getelementptr i8, ptr %v117, i64 0
  %v120 = trunc i64 %v118 to i32
  %v121 = insertelement <32 x i32> poison, i32 %v120, i64 0
  %v122 = shufflevector <32 x i32> %v121, <32 x i32> poison, <32 x i32> zeroinitializer
  %v123 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v122
  %v124 = call <32 x i32> @llvm.masked.load.v32i32.p0(ptr align 1 %v119, <32 x i1> %v123, <32 x i32> zeroinitializer)
  %v125 = bitcast <32 x i32> %v124 to <32 x float>
  %v126 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v125)
  %v127 = fcmp ugt <32 x float> %v126, splat (float 0x4055C00000000000)
  %v128 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v125, <32 x float> splat (float 0x3FF7154760000000), <32 x float> splat (float 0x4168000FE0000000))
  %v129 = fsub <32 x float> %v128, splat (float 0x4168000FE0000000)
  %v130 = bitcast <32 x float> %v128 to <32 x i32>
  %v131 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v129, <32 x float> splat (float 0xBFE62E4300000000), <32 x float> %v125)
  %v132 = fmul <32 x float> %v129, splat (float 0x3E205C6100000000)
  %v133 = fadd <32 x float> %v131, %v132
  %v134 = fmul <32 x float> %v133, %v133
  %v135 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> splat (float 0x3F56AB78E0000000), <32 x float> splat (float 0x3F8123D7C0000000))
  %v136 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> %v135, <32 x float> splat (float 0x3FA55585C0000000))
  %v137 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> %v136, <32 x float> splat (float 0x3FC55548C0000000))
  %v138 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v133, <32 x float> %v137, <32 x float> splat (float 0x3FDFFFFFC0000000))
  %v139 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v134, <32 x float> %v138, <32 x float> %v132)
  %v140 = fadd <32 x float> %v131, %v139
  %v141 = shl <32 x i32> %v130, splat (i32 23)
  %v142 = bitcast <32 x i32> %v141 to <32 x float>
  %v143 = call <32 x float> @llvm.fma.v32f32(<32 x float> %v142, <32 x float> %v140, <32 x float> %v142)
  %v144 = bitcast <32 x i1> %v127 to i32
  %v145 = icmp ne i32 %v144, 0
  br i1 %v145, label %side147, label %join146, !prof !1
side147:
  store <32 x float> %v125, ptr %buf148, align 64
  call void @weft_exp_wide_f32(ptr %buf148, ptr %buf149, i64 32)
  %v150 = load <32 x float>, ptr %buf149, align 64
  %v151 = select <32 x i1> %v127, <32 x float> %v150, <32 x float> %v143
  br label %join146
join146:
  %v152 = phi <32 x float> [%v151, %side147], [%v143, %then113]
  %v153 = bitcast <32 x float> %v152 to <32 x i32>
  %v154 = mul i64 %v109, 4
  %v155 = getelementptr i8, ptr %v24, i64 %v154
  br i1 %v38, label %then156, label %else159, !prof !1
then156:
  store <32 x i32> %v153, ptr %buf14, align 1
  %v158 = mul i64 %v115, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v155, ptr %buf14, i64 %v158, i1 0)
  br label %endif157
else159:
  %v160 = mul i64 %v109, 4
  %v161 = getelementptr i8, ptr %v24, i64 %v160
  %v162 = mul i64 %v115, 1
  %v163 = trunc i64 %v162 to i32
  %v164 = insertelement <32 x i32> poison, i32 %v163, i64 0
  %v165 = shufflevector <32 x i32> %v164, <32 x i32> poison, <32 x i32> zeroinitializer
  %v166 = icmp slt <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>, %v165
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %v153, ptr align 1 %v161, <32 x i1> %v166)
  br label %endif157
endif157:
  br label %endif114
endif114:
  %v167 = add i64 %i106, 1
  br label %head103
done105:
  br label %endif102
endif102:
  %v168 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then169, label %endif170
then169:
  fence seq_cst
  br label %endif170
endif170:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
