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
  %i26 = phi i64 [0, %entry], [%v129, %endif74]
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
  %v70 = sub i64 %n, %v45
  %v71 = or i64 %v42, %v70
  %v72 = icmp ne i64 %v71, 0
  br i1 %v72, label %then73, label %endif74
then73:
  br label %head75
head75:
  %i78 = phi i64 [0, %then73], [%v128, %endif86]
  %v79 = icmp slt i64 %i78, 2
  br i1 %v79, label %body76, label %done77
body76:
  %v80 = icmp eq i64 %i78, 0
  %v81 = select i1 %v80, i64 0, i64 %v45
  %v82 = icmp eq i64 %i78, 0
  %v83 = select i1 %v82, i64 %v42, i64 %n
  %v84 = icmp slt i64 %v81, %v83
  br i1 %v84, label %then85, label %endif86
then85:
  %v87 = add i64 %v81, 32
  %v88 = icmp sle i64 %v87, %v83
  br i1 %v88, label %side90, label %side91, !prof !0
side90:
  %v92 = mul i64 %v81, 4
  %v93 = getelementptr i8, ptr %v29, i64 %v92
  %v94 = mul i64 %v81, 4
  %v95 = getelementptr i8, ptr %v31, i64 %v94
  %v96 = mul i64 %v81, 4
  %v97 = getelementptr i8, ptr %v33, i64 %v96
  br label %join89
side91:
  %v98 = sub i64 %v83, %v81
  %v99 = call i64 @llvm.smin.i64(i64 %v98, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v100 = mul i64 %v99, 4
  %v101 = sub i64 %v100, 0
  %v102 = getelementptr i8, ptr %buf19, i64 0
  %v103 = mul i64 %v81, 4
  %v104 = getelementptr i8, ptr %v29, i64 %v103
  call void @llvm.memcpy.p0.p0.i64(ptr %v102, ptr %v104, i64 %v101, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v105 = mul i64 %v99, 4
  %v106 = sub i64 %v105, 0
  %v107 = getelementptr i8, ptr %buf20, i64 0
  %v108 = mul i64 %v81, 4
  %v109 = getelementptr i8, ptr %v31, i64 %v108
  call void @llvm.memcpy.p0.p0.i64(ptr %v107, ptr %v109, i64 %v106, i1 0)
  br label %join89
join89:
  %v110 = phi ptr [%v93, %side90], [%buf19, %side91]
  %v111 = phi ptr [%v95, %side90], [%buf20, %side91]
  %v112 = phi ptr [%v97, %side90], [%buf21, %side91]
  %v113 = phi i64 [32, %side90], [%v99, %side91]
  %v114 = getelementptr i8, ptr %v110, i64 0
  %v115 = load <32 x i32>, ptr %v114, align 1
  %v116 = bitcast <32 x i32> %v115 to <32 x float>
  %v117 = getelementptr i8, ptr %v111, i64 0
  %v118 = load <32 x i32>, ptr %v117, align 1
  %v119 = bitcast <32 x i32> %v118 to <32 x float>
  %v120 = fadd <32 x float> %v116, %v119
  %v121 = bitcast <32 x float> %v120 to <32 x i32>
  store <32 x i32> %v121, ptr %v112, align 1
  %v122 = xor i1 %v88, 1
  br i1 %v122, label %then123, label %endif124, !prof !1
then123:
  %v125 = mul i64 %v81, 4
  %v126 = getelementptr i8, ptr %v33, i64 %v125
  %v127 = mul i64 %v113, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v126, ptr %buf21, i64 %v127, i1 0)
  br label %endif124
endif124:
  br label %endif86
endif86:
  %v128 = add i64 %i78, 1
  br label %head75
done77:
  br label %endif74
endif74:
  %v129 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then130, label %endif131
then130:
  fence seq_cst
  br label %endif131
endif131:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
