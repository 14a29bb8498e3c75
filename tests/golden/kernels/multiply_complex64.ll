; map |32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_cmul_rare_f32(ptr, ptr, ptr, ptr, ptr, ptr, i64)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <64 x i32>, i64 1, align 64
  %buf20 = alloca <64 x i32>, i64 1, align 64
  %buf21 = alloca <64 x i32>, i64 1, align 64
  %buf96 = alloca <32 x float>, i64 1, align 64
  %buf97 = alloca <32 x float>, i64 1, align 64
  %buf98 = alloca <32 x float>, i64 1, align 64
  %buf99 = alloca <32 x float>, i64 1, align 64
  %buf100 = alloca <32 x float>, i64 1, align 64
  %buf101 = alloca <32 x float>, i64 1, align 64
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
  %v22 = icmp eq i64 %v12, -1
  br label %head23
head23:
  %i26 = phi i64 [0, %entry], [%v122, %done40]
  %v27 = icmp slt i64 %i26, %m
  br i1 %v27, label %body24, label %done25
body24:
  %v28 = mul i64 %i26, %v14
  %v29 = getelementptr i8, ptr %v2, i64 %v28
  %v30 = mul i64 %i26, %v16
  %v31 = getelementptr i8, ptr %v4, i64 %v30
  %v32 = mul i64 %i26, %v18
  %v33 = getelementptr i8, ptr %v6, i64 %v32
  %v34 = ptrtoint ptr %v33 to i64
  %v35 = and i64 %v34, 63
  %v36 = icmp eq i64 %v35, 0
  %v37 = and i1 %v22, %v36
  br label %head38
head38:
  %i41 = phi i64 [0, %body24], [%v121, %endif117]
  %v42 = icmp slt i64 %i41, %n
  br i1 %v42, label %body39, label %done40
body39:
  %v43 = add i64 %i41, 32
  %v44 = icmp sle i64 %v43, %n
  br i1 %v44, label %side46, label %side47, !prof !0
side46:
  %v48 = mul i64 %i41, 8
  %v49 = getelementptr i8, ptr %v29, i64 %v48
  %v50 = mul i64 %i41, 8
  %v51 = getelementptr i8, ptr %v31, i64 %v50
  %v52 = mul i64 %i41, 8
  %v53 = getelementptr i8, ptr %v33, i64 %v52
  br label %join45
side47:
  %v54 = sub i64 %n, %i41
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf19, align 64
  %v56 = mul i64 %v55, 8
  %v57 = sub i64 %v56, 0
  %v58 = getelementptr i8, ptr %buf19, i64 0
  %v59 = mul i64 %i41, 8
  %v60 = getelementptr i8, ptr %v29, i64 %v59
  call void @llvm.memcpy.p0.p0.i64(ptr %v58, ptr %v60, i64 %v57, i1 0)
  store <64 x i32> splat (i32 0), ptr %buf20, align 64
  %v61 = mul i64 %v55, 8
  %v62 = sub i64 %v61, 0
  %v63 = getelementptr i8, ptr %buf20, i64 0
  %v64 = mul i64 %i41, 8
  %v65 = getelementptr i8, ptr %v31, i64 %v64
  call void @llvm.memcpy.p0.p0.i64(ptr %v63, ptr %v65, i64 %v62, i1 0)
  br label %join45
join45:
  %v66 = phi ptr [%v49, %side46], [%buf19, %side47]
  %v67 = phi ptr [%v51, %side46], [%buf20, %side47]
  %v68 = phi ptr [%v53, %side46], [%buf21, %side47]
  %v69 = phi i64 [32, %side46], [%v55, %side47]
  %v70 = load <64 x i32>, ptr %v66, align 1
  %v71 = shufflevector <64 x i32> %v70, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v72 = shufflevector <64 x i32> %v70, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v73 = bitcast <32 x i32> %v71 to <32 x float>
  %v74 = bitcast <32 x i32> %v72 to <32 x float>
  %v75 = load <64 x i32>, ptr %v67, align 1
  %v76 = shufflevector <64 x i32> %v75, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v77 = shufflevector <64 x i32> %v75, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v78 = bitcast <32 x i32> %v76 to <32 x float>
  %v79 = bitcast <32 x i32> %v77 to <32 x float>
  %v80 = fmul <32 x float> %v73, %v78
  %v81 = fmul <32 x float> %v74, %v79
  %v82 = fsub <32 x float> %v80, %v81
  %v83 = fmul <32 x float> %v73, %v79
  %v84 = fmul <32 x float> %v74, %v78
  %v85 = fadd <32 x float> %v83, %v84
  %v86 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v82)
  %v87 = fcmp olt <32 x float> %v86, splat (float 0x7FF0000000000000)
  %v88 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v85)
  %v89 = fcmp olt <32 x float> %v88, splat (float 0x7FF0000000000000)
  %v90 = and <32 x i1> %v87, %v89
  %v91 = xor <32 x i1> %v90, splat (i1 1)
  %v92 = bitcast <32 x i1> %v91 to i32
  %v93 = icmp ne i32 %v92, 0
  br i1 %v93, label %side95, label %join94, !prof !1
side95:
  store <32 x float> %v73, ptr %buf96, align 64
  store <32 x float> %v74, ptr %buf97, align 64
  store <32 x float> %v78, ptr %buf98, align 64
  store <32 x float> %v79, ptr %buf99, align 64
  call void @weft_cmul_rare_f32(ptr %buf96, ptr %buf97, ptr %buf98, ptr %buf99, ptr %buf100, ptr %buf101, i64 32)
  %v102 = load <32 x float>, ptr %buf100, align 64
  %v103 = load <32 x float>, ptr %buf101, align 64
  %v104 = select <32 x i1> %v91, <32 x float> %v102, <32 x float> %v82
  %v105 = select <32 x i1> %v91, <32 x float> %v103, <32 x float> %v85
  br label %join94
join94:
  %v106 = phi <32 x float> [%v104, %side95], [%v82, %join45]
  %v107 = phi <32 x float> [%v105, %side95], [%v85, %join45]
  %v108 = bitcast <32 x float> %v106 to <32 x i32>
  %v109 = bitcast <32 x float> %v107 to <32 x i32>
  %v110 = shufflevector <32 x i32> %v108, <32 x i32> %v109, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v111 = and i1 %v37, %v44
  br i1 %v111, label %then112, label %else114
then112:
  store <64 x i32> %v110, ptr %v68, align 64, !nontemporal !2
  br label %endif113
else114:
  store <64 x i32> %v110, ptr %v68, align 1
  br label %endif113
endif113:
  %v115 = xor i1 %v44, 1
  br i1 %v115, label %then116, label %endif117, !prof !1
then116:
  %v118 = mul i64 %i41, 8
  %v119 = getelementptr i8, ptr %v33, i64 %v118
  %v120 = mul i64 %v69, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v119, ptr %buf21, i64 %v120, i1 0)
  br label %endif117
endif117:
  %v121 = add i64 %i41, 32
  br label %head38
done40:
  %v122 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then123, label %endif124
then123:
  fence seq_cst
  br label %endif124
endif124:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
