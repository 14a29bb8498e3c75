; map|32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32:1,float32:1,float32:1
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
  %i26 = phi i64 [0, %entry], [%v100, %done40]
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
  %i41 = phi i64 [0, %body24], [%v99, %endif91]
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
  %v79 = bitcast <32 x i32> %v78 to <32 x float>
  %v80 = getelementptr i8, ptr %v73, i64 0
  %v81 = load <32 x i32>, ptr %v80, align 1
  %v82 = bitcast <32 x i32> %v81 to <32 x float>
  %v83 = fadd <32 x float> %v79, %v82
  %v84 = bitcast <32 x float> %v83 to <32 x i32>
  %v88 = and i1 %v37, %v44
  br i1 %v88, label %far85, label %near86
far85:
  store <32 x i32> %v84, ptr %v74, align 64, !nontemporal !2
  br label %stored87
near86:
  store <32 x i32> %v84, ptr %v74, align 1
  br label %stored87
stored87:
  %v89 = xor i1 %v44, 1
  br i1 %v89, label %then90, label %endif91, !prof !1
then90:
  %v92 = mul i64 %v75, 4
  %v93 = getelementptr i8, ptr %buf21, i64 %v92
  %v94 = add i64 %i41, %v75
  %v95 = mul i64 %v94, 4
  %v96 = getelementptr i8, ptr %v33, i64 %v95
  %v97 = sub i64 %v76, %v75
  %v98 = mul i64 %v97, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v96, ptr %v93, i64 %v98, i1 false)
  br label %endif91
endif91:
  %v99 = add i64 %i41, 32
  br label %head38
done40:
  %v100 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then101, label %endif102
then101:
  fence seq_cst
  br label %endif102
endif102:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
