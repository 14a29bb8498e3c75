; map|32|load.int32[]0;load.int32[]1;floor_divide.int32[0, 1]None|int32:1,int32:1,int32:1
declare <32 x double> @llvm.floor.v32f64(<32 x double>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
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
  %i26 = phi i64 [0, %entry], [%v107, %done40]
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
  %i41 = phi i64 [0, %body24], [%v106, %endif98]
  %v42 = icmp slt i64 %i41, %n
  br i1 %v42, label %body39, label %done40
body39:
  %v43 = add i64 %i41, 32
  %v44 = icmp sle i64 %v43, %n
  br i1 %v44, label %whole45, label %part46, !prof !0
whole45:
  %v48 = mul i64 %i41, 4
  %v49 = getelementptr i8, ptr %v29, i64 %v48
  %v50 = mul i64 %i41, 4
  %v51 = getelementptr i8, ptr %v31, i64 %v50
  %v52 = mul i64 %i41, 4
  %v53 = getelementptr i8, ptr %v33, i64 %v52
  br label %body47
part46:
  %v54 = sub i64 %n, %i41
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v56 = add i64 %i41, 0
  %v57 = sub i64 %v55, 0
  %v58 = mul i64 %v57, 4
  %v59 = sub i64 %v58, 0
  %v60 = mul i64 0, 4
  %v61 = getelementptr i8, ptr %buf19, i64 %v60
  %v62 = mul i64 %v56, 4
  %v63 = getelementptr i8, ptr %v29, i64 %v62
  call void @llvm.memcpy.p0.p0.i64(ptr %v61, ptr %v63, i64 %v59, i1 false)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v64 = add i64 %i41, 0
  %v65 = sub i64 %v55, 0
  %v66 = mul i64 %v65, 4
  %v67 = sub i64 %v66, 0
  %v68 = mul i64 0, 4
  %v69 = getelementptr i8, ptr %buf20, i64 %v68
  %v70 = mul i64 %v64, 4
  %v71 = getelementptr i8, ptr %v31, i64 %v70
  call void @llvm.memcpy.p0.p0.i64(ptr %v69, ptr %v71, i64 %v67, i1 false)
  br label %body47
body47:
  %v72 = phi ptr [%v49, %whole45], [%buf19, %part46]
  %v73 = phi ptr [%v51, %whole45], [%buf20, %part46]
  %v74 = phi ptr [%v53, %whole45], [%buf21, %part46]
  %v75 = phi i64 [0, %whole45], [0, %part46]
  %v76 = phi i64 [32, %whole45], [%v55, %part46]
  %v77 = getelementptr i8, ptr %v72, i64 0
  %v78 = load <32 x i32>, ptr %v77, align 1
  %v79 = getelementptr i8, ptr %v73, i64 0
  %v80 = load <32 x i32>, ptr %v79, align 1
  %v81 = icmp eq <32 x i32> %v80, splat (i32 0)
  %v82 = select <32 x i1> %v81, <32 x i32> splat (i32 1), <32 x i32> %v80
  %v83 = sitofp <32 x i32> %v78 to <32 x double>
  %v84 = sitofp <32 x i32> %v82 to <32 x double>
  %v85 = fdiv <32 x double> %v83, %v84
  %v86 = call <32 x double> @llvm.floor.v32f64(<32 x double> %v85)
  %v87 = fcmp oeq <32 x double> %v86, splat (double 0x41E0000000000000)
  %v88 = fneg <32 x double> %v86
  %v89 = select <32 x i1> %v87, <32 x double> %v88, <32 x double> %v86
  %v90 = fptosi <32 x double> %v89 to <32 x i32>
  %v91 = select <32 x i1> %v81, <32 x i32> splat (i32 0), <32 x i32> %v90
  %v95 = and i1 %v37, %v44
  br i1 %v95, label %far92, label %near93
far92:
  store <32 x i32> %v91, ptr %v74, align 64, !nontemporal !2
  br label %stored94
near93:
  store <32 x i32> %v91, ptr %v74, align 1
  br label %stored94
stored94:
  %v96 = xor i1 %v44, 1
  br i1 %v96, label %then97, label %endif98, !prof !1
then97:
  %v99 = mul i64 %v75, 4
  %v100 = getelementptr i8, ptr %buf21, i64 %v99
  %v101 = add i64 %i41, %v75
  %v102 = mul i64 %v101, 4
  %v103 = getelementptr i8, ptr %v33, i64 %v102
  %v104 = sub i64 %v76, %v75
  %v105 = mul i64 %v104, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v103, ptr %v100, i64 %v105, i1 false)
  br label %endif98
endif98:
  %v106 = add i64 %i41, 32
  br label %head38
done40:
  %v107 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then108, label %endif109
then108:
  fence seq_cst
  br label %endif109
endif109:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
