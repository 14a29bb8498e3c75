; map |16|load.int32[]0;astype.int64[0]None;coord.int64[]1;multiply.int64[1, 2]None;gather.float32[3]2|int32:1,coordinate:0,float32:0,float32:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <16 x i32>, i64 1, align 64
  %buf26 = alloca <16 x i32>, i64 1, align 64
  %buf80 = alloca <16 x i64>, i64 1, align 64
  %buf81 = alloca <16 x i32>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 6
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 9
  %v8 = load ptr, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 1
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 4
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr i64, ptr %L, i64 7
  %v14 = load i64, ptr %v13, align 8
  %v15 = getelementptr i64, ptr %L, i64 10
  %v16 = load i64, ptr %v15, align 8
  %v17 = getelementptr i64, ptr %L, i64 2
  %v18 = load i64, ptr %v17, align 8
  %v19 = getelementptr i64, ptr %L, i64 5
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %L, i64 8
  %v22 = load i64, ptr %v21, align 8
  %v23 = getelementptr i64, ptr %L, i64 11
  %v24 = load i64, ptr %v23, align 8
  %v27 = icmp eq i64 %v16, -1
  br label %head28
head28:
  %i31 = phi i64 [0, %entry], [%v107, %done54]
  %v32 = icmp slt i64 %i31, %m
  br i1 %v32, label %body29, label %done30
body29:
  %v33 = mul i64 %i31, %v18
  %v34 = getelementptr i8, ptr %v2, i64 %v33
  %v35 = mul i64 %i31, %v20
  %v36 = add i64 %v4, %v35
  %v37 = mul i64 %i31, %v22
  %v38 = getelementptr i8, ptr %v6, i64 %v37
  %v39 = mul i64 %i31, %v24
  %v40 = getelementptr i8, ptr %v8, i64 %v39
  %v41 = insertelement <16 x i64> poison, i64 %v36, i64 0
  %v42 = shufflevector <16 x i64> %v41, <16 x i64> poison, <16 x i32> zeroinitializer
  %v43 = ptrtoint ptr %v40 to i64
  %v44 = sub i64 0, %v43
  %v45 = and i64 %v44, 63
  %v46 = and i64 %v45, -1
  %v47 = icmp eq i64 %v46, 0
  %v48 = and i1 %v27, %v47
  %v49 = select i1 %v48, i64 %v45, i64 0
  %v50 = lshr i64 %v49, 2
  %v51 = call i64 @llvm.smin.i64(i64 %v50, i64 %n)
  br label %head52
head52:
  %i55 = phi i64 [0, %body29], [%v106, %endif102]
  %v56 = icmp slt i64 %i55, %n
  br i1 %v56, label %body53, label %done54
body53:
  %v57 = add i64 %i55, 16
  %v58 = icmp sle i64 %v57, %n
  br i1 %v58, label %side60, label %side61, !prof !0
side60:
  %v62 = mul i64 %i55, 4
  %v63 = getelementptr i8, ptr %v34, i64 %v62
  %v64 = mul i64 %i55, 4
  %v65 = getelementptr i8, ptr %v40, i64 %v64
  br label %join59
side61:
  %v66 = sub i64 %n, %i55
  %v67 = call i64 @llvm.smin.i64(i64 %v66, i64 16)
  store <16 x i32> splat (i32 0), ptr %buf25, align 64
  %v68 = mul i64 %v67, 4
  %v69 = sub i64 %v68, 0
  %v70 = getelementptr i8, ptr %buf25, i64 0
  %v71 = mul i64 %i55, 4
  %v72 = getelementptr i8, ptr %v34, i64 %v71
  call void @llvm.memcpy.p0.p0.i64(ptr %v70, ptr %v72, i64 %v69, i1 0)
  br label %join59
join59:
  %v73 = phi ptr [%v63, %side60], [%buf25, %side61]
  %v74 = phi ptr [%v65, %side60], [%buf26, %side61]
  %v75 = phi i64 [16, %side60], [%v67, %side61]
  %v76 = getelementptr i8, ptr %v73, i64 0
  %v77 = load <16 x i32>, ptr %v76, align 1
  %v78 = sext <16 x i32> %v77 to <16 x i64>
  %v79 = mul <16 x i64> %v78, %v42
  store <16 x i64> %v79, ptr %buf80, align 64
  br label %head82
head82:
  %i85 = phi i64 [0, %join59], [%v92, %body83]
  %v86 = icmp slt i64 %i85, %v75
  br i1 %v86, label %body83, label %done84
body83:
  %v87 = getelementptr i64, ptr %buf80, i64 %i85
  %v88 = load i64, ptr %v87, align 8
  %v89 = getelementptr i8, ptr %v38, i64 %v88
  %v90 = load i32, ptr %v89, align 1
  %v91 = getelementptr i32, ptr %buf81, i64 %i85
  store i32 %v90, ptr %v91, align 1
  %v92 = add i64 %i85, 1
  br label %head82
done84:
  %v93 = load <16 x i32>, ptr %buf81, align 64
  %v94 = bitcast <16 x i32> %v93 to <16 x float>
  %v95 = bitcast <16 x float> %v94 to <16 x i32>
  %v96 = and i1 %v48, %v58
  br i1 %v96, label %then97, label %else99
then97:
  store <16 x i32> %v95, ptr %v74, align 64, !nontemporal !2
  br label %endif98
else99:
  store <16 x i32> %v95, ptr %v74, align 1
  br label %endif98
endif98:
  %v100 = xor i1 %v58, 1
  br i1 %v100, label %then101, label %endif102, !prof !1
then101:
  %v103 = mul i64 %i55, 4
  %v104 = getelementptr i8, ptr %v40, i64 %v103
  %v105 = mul i64 %v75, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v104, ptr %buf26, i64 %v105, i1 0)
  br label %endif102
endif102:
  %v106 = add i64 %i55, 16
  br label %head52
done54:
  %v107 = add i64 %i31, 1
  br label %head28
done30:
  br i1 %v27, label %then108, label %endif109
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
