; map |32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32:1,float32:1,float32:1
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
  %i26 = phi i64 [0, %entry], [%v124, %done72]
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
  %i49 = phi i64 [%v42, %body24], [%v69, %endif67]
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
  %v59 = bitcast <32 x i32> %v58 to <32 x float>
  %v60 = getelementptr i8, ptr %v54, i64 0
  %v61 = load <32 x i32>, ptr %v60, align 1
  %v62 = bitcast <32 x i32> %v61 to <32 x float>
  %v63 = fadd <32 x float> %v59, %v62
  %v64 = bitcast <32 x float> %v63 to <32 x i32>
  %v65 = and i1 %v39, 1
  br i1 %v65, label %then66, label %else68
then66:
  store <32 x i32> %v64, ptr %v56, align 64, !nontemporal !2
  br label %endif67
else68:
  store <32 x i32> %v64, ptr %v56, align 1
  br label %endif67
endif67:
  %v69 = add i64 %i49, 32
  br label %head46
done48:
  br label %head70
head70:
  %i73 = phi i64 [0, %done48], [%v123, %endif81]
  %v74 = icmp slt i64 %i73, 2
  br i1 %v74, label %body71, label %done72
body71:
  %v75 = icmp eq i64 %i73, 0
  %v76 = select i1 %v75, i64 0, i64 %v45
  %v77 = icmp eq i64 %i73, 0
  %v78 = select i1 %v77, i64 %v42, i64 %n
  %v79 = icmp slt i64 %v76, %v78
  br i1 %v79, label %then80, label %endif81
then80:
  %v82 = add i64 %v76, 32
  %v83 = icmp sle i64 %v82, %v78
  br i1 %v83, label %side85, label %side86, !prof !0
side85:
  %v87 = mul i64 %v76, 4
  %v88 = getelementptr i8, ptr %v29, i64 %v87
  %v89 = mul i64 %v76, 4
  %v90 = getelementptr i8, ptr %v31, i64 %v89
  %v91 = mul i64 %v76, 4
  %v92 = getelementptr i8, ptr %v33, i64 %v91
  br label %join84
side86:
  %v93 = sub i64 %v78, %v76
  %v94 = call i64 @llvm.smin.i64(i64 %v93, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v95 = mul i64 %v94, 4
  %v96 = sub i64 %v95, 0
  %v97 = getelementptr i8, ptr %buf19, i64 0
  %v98 = mul i64 %v76, 4
  %v99 = getelementptr i8, ptr %v29, i64 %v98
  call void @llvm.memcpy.p0.p0.i64(ptr %v97, ptr %v99, i64 %v96, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v100 = mul i64 %v94, 4
  %v101 = sub i64 %v100, 0
  %v102 = getelementptr i8, ptr %buf20, i64 0
  %v103 = mul i64 %v76, 4
  %v104 = getelementptr i8, ptr %v31, i64 %v103
  call void @llvm.memcpy.p0.p0.i64(ptr %v102, ptr %v104, i64 %v101, i1 0)
  br label %join84
join84:
  %v105 = phi ptr [%v88, %side85], [%buf19, %side86]
  %v106 = phi ptr [%v90, %side85], [%buf20, %side86]
  %v107 = phi ptr [%v92, %side85], [%buf21, %side86]
  %v108 = phi i64 [32, %side85], [%v94, %side86]
  %v109 = getelementptr i8, ptr %v105, i64 0
  %v110 = load <32 x i32>, ptr %v109, align 1
  %v111 = bitcast <32 x i32> %v110 to <32 x float>
  %v112 = getelementptr i8, ptr %v106, i64 0
  %v113 = load <32 x i32>, ptr %v112, align 1
  %v114 = bitcast <32 x i32> %v113 to <32 x float>
  %v115 = fadd <32 x float> %v111, %v114
  %v116 = bitcast <32 x float> %v115 to <32 x i32>
  store <32 x i32> %v116, ptr %v107, align 1
  %v117 = xor i1 %v83, 1
  br i1 %v117, label %then118, label %endif119, !prof !1
then118:
  %v120 = mul i64 %v76, 4
  %v121 = getelementptr i8, ptr %v33, i64 %v120
  %v122 = mul i64 %v108, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v121, ptr %buf21, i64 %v122, i1 0)
  br label %endif119
endif119:
  br label %endif81
endif81:
  %v123 = add i64 %i73, 1
  br label %head70
done72:
  %v124 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then125, label %endif126
then125:
  fence seq_cst
  br label %endif126
endif126:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
