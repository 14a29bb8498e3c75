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
  %i26 = phi i64 [0, %entry], [%v90, %done40]
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
  %i41 = phi i64 [0, %body24], [%v89, %endif85]
  %v42 = icmp slt i64 %i41, %n
  br i1 %v42, label %body39, label %done40
body39:
  %v43 = add i64 %i41, 32
  %v44 = icmp sle i64 %v43, %n
  br i1 %v44, label %side46, label %side47, !prof !0
side46:
  %v48 = mul i64 %i41, 4
  %v49 = getelementptr i8, ptr %v29, i64 %v48
  %v50 = mul i64 %i41, 4
  %v51 = getelementptr i8, ptr %v31, i64 %v50
  %v52 = mul i64 %i41, 4
  %v53 = getelementptr i8, ptr %v33, i64 %v52
  br label %join45
side47:
  %v54 = sub i64 %n, %i41
  %v55 = call i64 @llvm.smin.i64(i64 %v54, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v56 = mul i64 %v55, 4
  %v57 = sub i64 %v56, 0
  %v58 = getelementptr i8, ptr %buf19, i64 0
  %v59 = mul i64 %i41, 4
  %v60 = getelementptr i8, ptr %v29, i64 %v59
  call void @llvm.memcpy.p0.p0.i64(ptr %v58, ptr %v60, i64 %v57, i1 0)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v61 = mul i64 %v55, 4
  %v62 = sub i64 %v61, 0
  %v63 = getelementptr i8, ptr %buf20, i64 0
  %v64 = mul i64 %i41, 4
  %v65 = getelementptr i8, ptr %v31, i64 %v64
  call void @llvm.memcpy.p0.p0.i64(ptr %v63, ptr %v65, i64 %v62, i1 0)
  br label %join45
join45:
  %v66 = phi ptr [%v49, %side46], [%buf19, %side47]
  %v67 = phi ptr [%v51, %side46], [%buf20, %side47]
  %v68 = phi ptr [%v53, %side46], [%buf21, %side47]
  %v69 = phi i64 [32, %side46], [%v55, %side47]
  %v70 = getelementptr i8, ptr %v66, i64 0
  %v71 = load <32 x i32>, ptr %v70, align 1
  %v72 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v71)
  %v73 = bitcast <32 x i32> %v72 to <32 x float>
  %v74 = getelementptr i8, ptr %v67, i64 0
  %v75 = load <32 x i32>, ptr %v74, align 1
  %v76 = bitcast <32 x i32> %v75 to <32 x float>
  %v77 = fadd <32 x float> %v73, %v76
  %v78 = bitcast <32 x float> %v77 to <32 x i32>
  %v79 = and i1 %v37, %v44
  br i1 %v79, label %then80, label %else82
then80:
  store <32 x i32> %v78, ptr %v68, align 64, !nontemporal !2
  br label %endif81
else82:
  store <32 x i32> %v78, ptr %v68, align 1
  br label %endif81
endif81:
  %v83 = xor i1 %v44, 1
  br i1 %v83, label %then84, label %endif85, !prof !1
then84:
  %v86 = mul i64 %i41, 4
  %v87 = getelementptr i8, ptr %v33, i64 %v86
  %v88 = mul i64 %v69, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v87, ptr %buf21, i64 %v88, i1 0)
  br label %endif85
endif85:
  %v89 = add i64 %i41, 32
  br label %head38
done40:
  %v90 = add i64 %i26, 1
  br label %head23
done25:
  br i1 %v22, label %then91, label %endif92
then91:
  fence seq_cst
  br label %endif92
endif92:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
