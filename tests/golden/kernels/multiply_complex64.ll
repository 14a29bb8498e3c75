; map|32|load.complex64[]0;load.complex64[]1;multiply.complex64[0, 1]None|complex64:1,complex64:1,complex64:1
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @weft_cmul_rare_f32(ptr, ptr, ptr, ptr, ptr, ptr, i64)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <64 x i32>, i64 1, align 64
  %buf20 = alloca <64 x i32>, i64 1, align 64
  %buf21 = alloca <64 x i32>, i64 1, align 64
  %buf103 = alloca <32 x float>, i64 1, align 64
  %buf104 = alloca <32 x float>, i64 1, align 64
  %buf105 = alloca <32 x float>, i64 1, align 64
  %buf106 = alloca <32 x float>, i64 1, align 64
  %buf107 = alloca <32 x float>, i64 1, align 64
  %buf108 = alloca <32 x float>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v133, %done40]
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
  %i41 = phi i64 [0, %body24], [%v132, %endif124]
  %v42 = icmp slt i64 %i41, %n
  br i1 %v42, label %body39, label %done40
body39:
  %v43 = add i64 %i41, 32
  %v44 = icmp sle i64 %v43, %n
  br i1 %v44, label %whole45, label %part46, !prof !0
whole45:
  %v48 = mul i64 %i41, 8
  %v49 = getelementptr i8, ptr %v29, i64 %v48
  %v50 = mul i64 %i41, 8
  %v51 = getelementptr i8, ptr %v31, i64 %v50
  %v52 = mul i64 %i41, 8
  %v53 = getelementptr i8, ptr %v33, i64 %v52
  br label %body47
part46:
  %v54 = sub i64 %n, %i41
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <64 x i32> splat (i32 0), ptr %buf19, align 64
  %v56 = add i64 %i41, 0
  %v57 = sub i64 %v55, 0
  %v58 = mul i64 %v57, 8
  %v59 = sub i64 %v58, 0
  %v60 = mul i64 0, 8
  %v61 = getelementptr i8, ptr %buf19, i64 %v60
  %v62 = mul i64 %v56, 8
  %v63 = getelementptr i8, ptr %v29, i64 %v62
  call void @llvm.memcpy.p0.p0.i64(ptr %v61, ptr %v63, i64 %v59, i1 false)
  store <64 x i32> splat (i32 0), ptr %buf20, align 64
  %v64 = add i64 %i41, 0
  %v65 = sub i64 %v55, 0
  %v66 = mul i64 %v65, 8
  %v67 = sub i64 %v66, 0
  %v68 = mul i64 0, 8
  %v69 = getelementptr i8, ptr %buf20, i64 %v68
  %v70 = mul i64 %v64, 8
  %v71 = getelementptr i8, ptr %v31, i64 %v70
  call void @llvm.memcpy.p0.p0.i64(ptr %v69, ptr %v71, i64 %v67, i1 false)
  br label %body47
body47:
  %v72 = phi ptr [%v49, %whole45], [%buf19, %part46]
  %v73 = phi ptr [%v51, %whole45], [%buf20, %part46]
  %v74 = phi ptr [%v53, %whole45], [%buf21, %part46]
  %v75 = phi i64 [0, %whole45], [0, %part46]
  %v76 = phi i64 [32, %whole45], [%v55, %part46]
  %v77 = load <64 x i32>, ptr %v72, align 1
  %v78 = shufflevector <64 x i32> %v77, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v79 = shufflevector <64 x i32> %v77, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v80 = bitcast <32 x i32> %v78 to <32 x float>
  %v81 = bitcast <32 x i32> %v79 to <32 x float>
  %v82 = load <64 x i32>, ptr %v73, align 1
  %v83 = shufflevector <64 x i32> %v82, <64 x i32> poison, <32 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30, i32 32, i32 34, i32 36, i32 38, i32 40, i32 42, i32 44, i32 46, i32 48, i32 50, i32 52, i32 54, i32 56, i32 58, i32 60, i32 62>
  %v84 = shufflevector <64 x i32> %v82, <64 x i32> poison, <32 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15, i32 17, i32 19, i32 21, i32 23, i32 25, i32 27, i32 29, i32 31, i32 33, i32 35, i32 37, i32 39, i32 41, i32 43, i32 45, i32 47, i32 49, i32 51, i32 53, i32 55, i32 57, i32 59, i32 61, i32 63>
  %v85 = bitcast <32 x i32> %v83 to <32 x float>
  %v86 = bitcast <32 x i32> %v84 to <32 x float>
  %v87 = fmul <32 x float> %v80, %v85
  %v88 = fmul <32 x float> %v81, %v86
  %v89 = fsub <32 x float> %v87, %v88
  %v90 = fmul <32 x float> %v80, %v86
  %v91 = fmul <32 x float> %v81, %v85
  %v92 = fadd <32 x float> %v90, %v91
  %v93 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v89)
  %v94 = fcmp olt <32 x float> %v93, splat (float 0x7FF0000000000000)
  %v95 = call <32 x float> @llvm.fabs.v32f32(<32 x float> %v92)
  %v96 = fcmp olt <32 x float> %v95, splat (float 0x7FF0000000000000)
  %v97 = and <32 x i1> %v94, %v96
  %v98 = xor <32 x i1> %v97, splat (i1 1)
  %v101 = bitcast <32 x i1> %v98 to i32
  %v102 = icmp ne i32 %v101, 0
  br i1 %v102, label %cold99, label %join100, !prof !1
cold99:
  store <32 x float> %v80, ptr %buf103, align 64
  store <32 x float> %v81, ptr %buf104, align 64
  store <32 x float> %v85, ptr %buf105, align 64
  store <32 x float> %v86, ptr %buf106, align 64
  call void @weft_cmul_rare_f32(ptr %buf103, ptr %buf104, ptr %buf105, ptr %buf106, ptr %buf107, ptr %buf108, i64 32)
  %v109 = load <32 x float>, ptr %buf107, align 64
  %v110 = load <32 x float>, ptr %buf108, align 64
  %v111 = select <32 x i1> %v98, <32 x float> %v109, <32 x float> %v89
  %v112 = select <32 x i1> %v98, <32 x float> %v110, <32 x float> %v92
  br label %join100
join100:
  %v113 = phi <32 x float> [%v89, %body47], [%v111, %cold99]
  %v114 = phi <32 x float> [%v92, %body47], [%v112, %cold99]
  %v115 = bitcast <32 x float> %v113 to <32 x i32>
  %v116 = bitcast <32 x float> %v114 to <32 x i32>
  %v117 = shufflevector <32 x i32> %v115, <32 x i32> %v116, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  %v121 = and i1 %v37, %v44
  br i1 %v121, label %far118, label %near119
far118:
  store <64 x i32> %v117, ptr %v74, align 64, !nontemporal !2
  br label %stored120
near119:
  store <64 x i32> %v117, ptr %v74, align 1
  br label %stored120
stored120:
  %v122 = xor i1 %v44, 1
  br i1 %v122, label %then123, label %endif124, !prof !1
then123:
  %v125 = mul i64 %v75, 8
  %v126 = getelementptr i8, ptr %buf21, i64 %v125
  %v127 = add i64 %i41, %v75
  %v128 = mul i64 %v127, 8
  %v129 = getelementptr i8, ptr %v33, i64 %v128
  %v130 = sub i64 %v76, %v75
  %v131 = mul i64 %v130, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %v129, ptr %v126, i64 %v131, i1 false)
  br label %endif124
endif124:
  %v132 = add i64 %i41, 32
  br label %head38
done40:
  %v133 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then134, label %endif135
then134:
  fence seq_cst
  br label %endif135
endif135:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
