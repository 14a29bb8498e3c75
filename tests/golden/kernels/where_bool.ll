; map|64|load.int8[]0;scalar.int8[]0;greater.bool[0, 1]None;load.int16[]1;load.int16[]2;where.int16[2, 3, 4]None|int8:1,int16:1,int16:1,int16:1
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf25 = alloca <64 x i8>, i64 1, align 64
  %buf26 = alloca <64 x i16>, i64 1, align 64
  %buf27 = alloca <64 x i16>, i64 1, align 64
  %buf28 = alloca <64 x i16>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
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
  %v29 = getelementptr i8, ptr %S, i64 0
  %v30 = load i64, ptr %v29, align 8
  %v31 = trunc i64 %v30 to i8
  %v32 = insertelement <64 x i8> poison, i8 %v31, i64 0
  %v33 = shufflevector <64 x i8> %v32, <64 x i8> poison, <64 x i32> zeroinitializer
  br label %head34
head34:
  %i37 = phi i64 [0, %entry], [%v116, %done49]
  %v38 = icmp slt i64 %i37, %m
  br i1 %v38, label %body35, label %done36
body35:
  %v39 = mul i64 %i37, %v18
  %v40 = getelementptr i8, ptr %v2, i64 %v39
  %v41 = mul i64 %i37, %v20
  %v42 = getelementptr i8, ptr %v4, i64 %v41
  %v43 = mul i64 %i37, %v22
  %v44 = getelementptr i8, ptr %v6, i64 %v43
  %v45 = mul i64 %i37, %v24
  %v46 = getelementptr i8, ptr %v8, i64 %v45
  br label %head47
head47:
  %i50 = phi i64 [0, %body35], [%v115, %endif107]
  %v51 = icmp slt i64 %i50, %n
  br i1 %v51, label %body48, label %done49
body48:
  %v52 = add i64 %i50, 64
  %v53 = icmp sle i64 %v52, %n
  br i1 %v53, label %whole54, label %part55, !prof !0
whole54:
  %v57 = mul i64 %i50, 1
  %v58 = getelementptr i8, ptr %v40, i64 %v57
  %v59 = mul i64 %i50, 2
  %v60 = getelementptr i8, ptr %v42, i64 %v59
  %v61 = mul i64 %i50, 2
  %v62 = getelementptr i8, ptr %v44, i64 %v61
  %v63 = mul i64 %i50, 2
  %v64 = getelementptr i8, ptr %v46, i64 %v63
  br label %body56
part55:
  %v65 = sub i64 %n, %i50
  %v66 = call i64 @llvm.smin.i64(i64 %v65, i64 64)
  store <64 x i8> splat (i8 0), ptr %buf25, align 64
  %v67 = add i64 %i50, 0
  %v68 = sub i64 %v66, 0
  %v69 = mul i64 %v68, 1
  %v70 = sub i64 %v69, 0
  %v71 = mul i64 0, 1
  %v72 = getelementptr i8, ptr %buf25, i64 %v71
  %v73 = mul i64 %v67, 1
  %v74 = getelementptr i8, ptr %v40, i64 %v73
  call void @llvm.memcpy.p0.p0.i64(ptr %v72, ptr %v74, i64 %v70, i1 false)
  store <64 x i16> splat (i16 0), ptr %buf26, align 64
  %v75 = add i64 %i50, 0
  %v76 = sub i64 %v66, 0
  %v77 = mul i64 %v76, 2
  %v78 = sub i64 %v77, 0
  %v79 = mul i64 0, 2
  %v80 = getelementptr i8, ptr %buf26, i64 %v79
  %v81 = mul i64 %v75, 2
  %v82 = getelementptr i8, ptr %v42, i64 %v81
  call void @llvm.memcpy.p0.p0.i64(ptr %v80, ptr %v82, i64 %v78, i1 false)
  store <64 x i16> splat (i16 0), ptr %buf27, align 64
  %v83 = add i64 %i50, 0
  %v84 = sub i64 %v66, 0
  %v85 = mul i64 %v84, 2
  %v86 = sub i64 %v85, 0
  %v87 = mul i64 0, 2
  %v88 = getelementptr i8, ptr %buf27, i64 %v87
  %v89 = mul i64 %v83, 2
  %v90 = getelementptr i8, ptr %v44, i64 %v89
  call void @llvm.memcpy.p0.p0.i64(ptr %v88, ptr %v90, i64 %v86, i1 false)
  br label %body56
body56:
  %v91 = phi ptr [%v58, %whole54], [%buf25, %part55]
  %v92 = phi ptr [%v60, %whole54], [%buf26, %part55]
  %v93 = phi ptr [%v62, %whole54], [%buf27, %part55]
  %v94 = phi ptr [%v64, %whole54], [%buf28, %part55]
  %v95 = phi i64 [0, %whole54], [0, %part55]
  %v96 = phi i64 [64, %whole54], [%v66, %part55]
  %v97 = getelementptr i8, ptr %v91, i64 0
  %v98 = load <64 x i8>, ptr %v97, align 1
  %v99 = icmp sgt <64 x i8> %v98, %v33
  %v100 = getelementptr i8, ptr %v92, i64 0
  %v101 = load <64 x i16>, ptr %v100, align 1
  %v102 = getelementptr i8, ptr %v93, i64 0
  %v103 = load <64 x i16>, ptr %v102, align 1
  %v104 = select <64 x i1> %v99, <64 x i16> %v101, <64 x i16> %v103
  store <64 x i16> %v104, ptr %v94, align 1
  %v105 = xor i1 %v53, 1
  br i1 %v105, label %then106, label %endif107, !prof !1
then106:
  %v108 = mul i64 %v95, 2
  %v109 = getelementptr i8, ptr %buf28, i64 %v108
  %v110 = add i64 %i50, %v95
  %v111 = mul i64 %v110, 2
  %v112 = getelementptr i8, ptr %v46, i64 %v111
  %v113 = sub i64 %v96, %v95
  %v114 = mul i64 %v113, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %v112, ptr %v109, i64 %v114, i1 false)
  br label %endif107
endif107:
  %v115 = add i64 %i50, 64
  br label %head47
done49:
  %v116 = add i64 %i37, 1
  br label %head34
done36:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
