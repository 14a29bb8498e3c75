; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32~:1,float32:1,float32:1
declare <32 x i32> @llvm.bswap.v32i32(<32 x i32>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf19 = alloca <32 x i32>, i64 1, align 64
  %buf20 = alloca <32 x i32>, i64 1, align 64
  %buf21 = alloca <32 x i32>, i64 1, align 64
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
  %i26 = phi i64 [0, %entry], [%v131, %endif75]
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
  %v35 = sub i64 0, %v34
  %v36 = and i64 %v35, 63
  %v37 = and i64 %v36, 3
  %v38 = icmp eq i64 %v37, 0
  %v39 = and i1 %v22, %v38
  %v40 = select i1 %v39, i64 %v36, i64 0
  %v41 = lshr i64 %v40, 2
  %v42 = call i64 @llvm.smin.i64(i64 %v41, i64 %n)
  %v43 = sub i64 %n, %v42
  %v44 = and i64 %v43, -32
  %v45 = add i64 %v42, %v44
  br label %head46
head46:
  %i49 = phi i64 [%v42, %body24], [%v70, %endif68]
  %v50 = icmp slt i64 %i49, %v45
  br i1 %v50, label %body47, label %done48
body47:
  %v51 = mul i64 %i49, 4
  %v52 = getelementptr i8, ptr %v29, i64 %v51
  %v53 = mul i64 %i49, 4
  %v54 = getelementptr i8, ptr %v31, i64 %v53
  %v55 = mul i64 %i49, 4
  %v56 = getelementptr i8, ptr %v33, i64 %v55
  %v57 = getelementptr i8, ptr %v52, i64 0
  %v58 = load <32 x i32>, ptr %v57, align 1
  %v59 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v58)
  %v60 = bitcast <32 x i32> %v59 to <32 x float>
  %v61 = getelementptr i8, ptr %v54, i64 0
  %v62 = load <32 x i32>, ptr %v61, align 1
  %v63 = bitcast <32 x i32> %v62 to <32 x float>
  %v64 = fadd <32 x float> %v60, %v63
  %v65 = bitcast <32 x float> %v64 to <32 x i32>
  %v66 = and i1 %v39, 1
  br i1 %v66, label %then67, label %else69
then67:
  store <32 x i32> %v65, ptr %v56, align 64, !nontemporal !2
  br label %endif68
else69:
  store <32 x i32> %v65, ptr %v56, align 1
  br label %endif68
endif68:
  %v70 = add i64 %i49, 32
  br label %head46
done48:
  %v71 = sub i64 %n, %v45
  %v72 = or i64 %v42, %v71
  %v73 = icmp ne i64 %v72, 0
  br i1 %v73, label %then74, label %endif75
then74:
  br label %head76
head76:
  %i79 = phi i64 [0, %then74], [%v130, %endif87]
  %v80 = icmp slt i64 %i79, 2
  br i1 %v80, label %body77, label %done78
body77:
  %v81 = icmp eq i64 %i79, 0
  %v82 = select i1 %v81, i64 0, i64 %v45
  %v83 = icmp eq i64 %i79, 0
  %v84 = select i1 %v83, i64 %v42, i64 %n
  %v85 = icmp slt i64 %v82, %v84
  br i1 %v85, label %then86, label %endif87
then86:
  %v88 = add i64 %v82, 32
  %v89 = icmp sle i64 %v88, %v84
  br i1 %v89, label %side91, label %side92, !prof !0
side91:
  %v93 = mul i64 %v82, 4
  %v94 = getelementptr i8, ptr %v29, i64 %v93
  %v95 = mul i64 %v82, 4
  %v96 = getelementptr i8, ptr %v31, i64 %v95
  %v97 = mul i64 %v82, 4
  %v98 = getelementptr i8, ptr %v33, i64 %v97
  br label %join90
side92:
  %v99 = sub i64 %v84, %v82
  %v100 = call i64 @llvm.smin.i64(i64 %v99, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v101 = mul i64 %v100, 4
  %v102 = sub i64 %v101, 0
  %v103 = getelementptr i8, ptr %buf19, i64 0
  %v104 = mul i64 %v82, 4
  %v105 = getelementptr i8, ptr %v29, i64 %v104
  call void @llvm.memcpy.p0.p0.i64(ptr %v103, ptr %v105, i64 %v102, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v106 = mul i64 %v100, 4
  %v107 = sub i64 %v106, 0
  %v108 = getelementptr i8, ptr %buf20, i64 0
  %v109 = mul i64 %v82, 4
  %v110 = getelementptr i8, ptr %v31, i64 %v109
  call void @llvm.memcpy.p0.p0.i64(ptr %v108, ptr %v110, i64 %v107, i1 0)
  br label %join90
join90:
  %v111 = phi ptr [%v94, %side91], [%buf19, %side92]
  %v112 = phi ptr [%v96, %side91], [%buf20, %side92]
  %v113 = phi ptr [%v98, %side91], [%buf21, %side92]
  %v114 = phi i64 [32, %side91], [%v100, %side92]
  %v115 = getelementptr i8, ptr %v111, i64 0
  %v116 = load <32 x i32>, ptr %v115, align 1
  %v117 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v116)
  %v118 = bitcast <32 x i32> %v117 to <32 x float>
  %v119 = getelementptr i8, ptr %v112, i64 0
  %v120 = load <32 x i32>, ptr %v119, align 1
  %v121 = bitcast <32 x i32> %v120 to <32 x float>
  %v122 = fadd <32 x float> %v118, %v121
  %v123 = bitcast <32 x float> %v122 to <32 x i32>
  store <32 x i32> %v123, ptr %v113, align 1
  %v124 = xor i1 %v89, 1
  br i1 %v124, label %then125, label %endif126, !prof !1
then125:
  %v127 = mul i64 %v82, 4
  %v128 = getelementptr i8, ptr %v33, i64 %v127
  %v129 = mul i64 %v114, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v128, ptr %buf21, i64 %v129, i1 0)
  br label %endif126
endif126:
  br label %endif87
endif87:
  %v130 = add i64 %i79, 1
  br label %head76
done78:
  br label %endif75
endif75:
  %v131 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then132, label %endif133
then132:
  fence seq_cst
  br label %endif133
endif133:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
