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
  %i26 = phi i64 [0, %entry], [%v126, %done73]
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
  br label %head71
head71:
  %i74 = phi i64 [0, %done48], [%v125, %endif82]
  %v75 = icmp slt i64 %i74, 2
  br i1 %v75, label %body72, label %done73
body72:
  %v76 = icmp eq i64 %i74, 0
  %v77 = select i1 %v76, i64 0, i64 %v45
  %v78 = icmp eq i64 %i74, 0
  %v79 = select i1 %v78, i64 %v42, i64 %n
  %v80 = icmp slt i64 %v77, %v79
  br i1 %v80, label %then81, label %endif82
then81:
  %v83 = add i64 %v77, 32
  %v84 = icmp sle i64 %v83, %v79
  br i1 %v84, label %side86, label %side87, !prof !0
side86:
  %v88 = mul i64 %v77, 4
  %v89 = getelementptr i8, ptr %v29, i64 %v88
  %v90 = mul i64 %v77, 4
  %v91 = getelementptr i8, ptr %v31, i64 %v90
  %v92 = mul i64 %v77, 4
  %v93 = getelementptr i8, ptr %v33, i64 %v92
  br label %join85
side87:
  %v94 = sub i64 %v79, %v77
  %v95 = call i64 @llvm.smin.i64(i64 %v94, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v96 = mul i64 %v95, 4
  %v97 = sub i64 %v96, 0
  %v98 = getelementptr i8, ptr %buf19, i64 0
  %v99 = mul i64 %v77, 4
  %v100 = getelementptr i8, ptr %v29, i64 %v99
  call void @llvm.memcpy.p0.p0.i64(ptr %v98, ptr %v100, i64 %v97, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v101 = mul i64 %v95, 4
  %v102 = sub i64 %v101, 0
  %v103 = getelementptr i8, ptr %buf20, i64 0
  %v104 = mul i64 %v77, 4
  %v105 = getelementptr i8, ptr %v31, i64 %v104
  call void @llvm.memcpy.p0.p0.i64(ptr %v103, ptr %v105, i64 %v102, i1 0)
  br label %join85
join85:
  %v106 = phi ptr [%v89, %side86], [%buf19, %side87]
  %v107 = phi ptr [%v91, %side86], [%buf20, %side87]
  %v108 = phi ptr [%v93, %side86], [%buf21, %side87]
  %v109 = phi i64 [32, %side86], [%v95, %side87]
  %v110 = getelementptr i8, ptr %v106, i64 0
  %v111 = load <32 x i32>, ptr %v110, align 1
  %v112 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v111)
  %v113 = bitcast <32 x i32> %v112 to <32 x float>
  %v114 = getelementptr i8, ptr %v107, i64 0
  %v115 = load <32 x i32>, ptr %v114, align 1
  %v116 = bitcast <32 x i32> %v115 to <32 x float>
  %v117 = fadd <32 x float> %v113, %v116
  %v118 = bitcast <32 x float> %v117 to <32 x i32>
  store <32 x i32> %v118, ptr %v108, align 1
  %v119 = xor i1 %v84, 1
  br i1 %v119, label %then120, label %endif121, !prof !1
then120:
  %v122 = mul i64 %v77, 4
  %v123 = getelementptr i8, ptr %v33, i64 %v122
  %v124 = mul i64 %v109, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v123, ptr %buf21, i64 %v124, i1 0)
  br label %endif121
endif121:
  br label %endif82
endif82:
  %v125 = add i64 %i74, 1
  br label %head71
done73:
  %v126 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then127, label %endif128
then127:
  fence seq_cst
  br label %endif128
endif128:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
