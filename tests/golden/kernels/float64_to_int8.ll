; map |16|load.float64[]0;astype.int8[0]None|float64:1,int8:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %buf14 = alloca <16 x i8>, i64 1, align 64
  %v1 = getelementptr i64, ptr %L, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %L, i64 3
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %L, i64 1
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %L, i64 4
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr i64, ptr %L, i64 2
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %L, i64 5
  %v12 = load i64, ptr %v11, align 8
  br label %head15
head15:
  %i18 = phi i64 [0, %entry], [%v89, %endif52]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = sub i64 %n, 0
  %v25 = and i64 %v24, -16
  %v26 = add i64 0, %v25
  br label %head27
head27:
  %i30 = phi i64 [0, %body16], [%v47, %body28]
  %v31 = icmp slt i64 %i30, %v26
  br i1 %v31, label %body28, label %done29
body28:
  %v32 = mul i64 %i30, 8
  %v33 = getelementptr i8, ptr %v21, i64 %v32
  %v34 = mul i64 %i30, 1
  %v35 = getelementptr i8, ptr %v23, i64 %v34
  %v36 = getelementptr i8, ptr %v33, i64 0
  %v37 = load <16 x i64>, ptr %v36, align 1
  %v38 = bitcast <16 x i64> %v37 to <16 x double>
  %v39 = fcmp uno <16 x double> %v38, %v38
  %v40 = select <16 x i1> %v39, <16 x double> splat (double 0x0000000000000000), <16 x double> %v38
  %v41 = fcmp ogt <16 x double> %v40, splat (double 0xC060000000000000)
  %v42 = select <16 x i1> %v41, <16 x double> %v40, <16 x double> splat (double 0xC060000000000000)
  %v43 = fcmp olt <16 x double> %v42, splat (double 0x405FC00000000000)
  %v44 = select <16 x i1> %v43, <16 x double> %v42, <16 x double> splat (double 0x405FC00000000000)
  %v45 = fptosi <16 x double> %v44 to <16 x i32>
  %v46 = trunc <16 x i32> %v45 to <16 x i8>
  store <16 x i8> %v46, ptr %v35, align 1
  %v47 = add i64 %i30, 16
  br label %head27
done29:
  %v48 = sub i64 %n, %v26
  %v49 = or i64 0, %v48
  %v50 = icmp ne i64 %v49, 0
  br i1 %v50, label %then51, label %endif52, !prof !1
then51:
  br label %head53
head53:
  %i56 = phi i64 [0, %then51], [%v88, %endif64]
  %v57 = icmp slt i64 %i56, 2
  br i1 %v57, label %body54, label %done55
body54:
  %v58 = icmp eq i64 %i56, 0
  %v59 = select i1 %v58, i64 0, i64 %v26
  %v60 = icmp eq i64 %i56, 0
  %v61 = select i1 %v60, i64 0, i64 %n
  %v62 = icmp slt i64 %v59, %v61
  br i1 %v62, label %then63, label %endif64
then63:
  %v65 = sub i64 %v61, %v59
  %v66 = mul i64 %v65, 1
  %v67 = trunc i64 %v66 to i32
  %v68 = insertelement <16 x i32> poison, i32 %v67, i64 0
  %v69 = shufflevector <16 x i32> %v68, <16 x i32> poison, <16 x i32> zeroinitializer
  %v70 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v69
  %v71 = mul i64 %v59, 8
  %v72 = getelementptr i8, ptr %v21, i64 %v71
  %v73 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v72, <16 x i1> %v70, <16 x i64> zeroinitializer)
  store <16 x i64> %v73, ptr %buf13, align 64
  %v74 = getelementptr i8, ptr %buf13, i64 0
  %v75 = load <16 x i64>, ptr %v74, align 1
  %v76 = bitcast <16 x i64> %v75 to <16 x double>
  %v77 = fcmp uno <16 x double> %v76, %v76
  %v78 = select <16 x i1> %v77, <16 x double> splat (double 0x0000000000000000), <16 x double> %v76
  %v79 = fcmp ogt <16 x double> %v78, splat (double 0xC060000000000000)
  %v80 = select <16 x i1> %v79, <16 x double> %v78, <16 x double> splat (double 0xC060000000000000)
  %v81 = fcmp olt <16 x double> %v80, splat (double 0x405FC00000000000)
  %v82 = select <16 x i1> %v81, <16 x double> %v80, <16 x double> splat (double 0x405FC00000000000)
  %v83 = fptosi <16 x double> %v82 to <16 x i32>
  %v84 = trunc <16 x i32> %v83 to <16 x i8>
  %v85 = mul i64 %v59, 1
  %v86 = getelementptr i8, ptr %v23, i64 %v85
  store <16 x i8> %v84, ptr %buf14, align 1
  %v87 = mul i64 %v65, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v86, ptr %buf14, i64 %v87, i1 0)
  br label %endif64
endif64:
  %v88 = add i64 %i56, 1
  br label %head53
done55:
  br label %endif52
endif52:
  %v89 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
