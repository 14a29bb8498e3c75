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
  %i18 = phi i64 [0, %entry], [%v89, %endif53]
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
  %i30 = phi i64 [0, %body16], [%v48, %body28]
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
  %v48 = call i64 asm "", "=r,0"(i64 %v47)
  br label %head27
done29:
  %v49 = sub i64 %n, %v26
  %v50 = or i64 0, %v49
  %v51 = icmp ne i64 %v50, 0
  br i1 %v51, label %then52, label %endif53, !prof !1
then52:
  br label %head54
head54:
  %i57 = phi i64 [0, %then52], [%v88, %endif65]
  %v58 = icmp slt i64 %i57, 2
  br i1 %v58, label %body55, label %done56
body55:
  %v59 = icmp eq i64 %i57, 0
  %v60 = select i1 %v59, i64 0, i64 %v26
  %v61 = icmp eq i64 %i57, 0
  %v62 = select i1 %v61, i64 0, i64 %n
  %v63 = icmp slt i64 %v60, %v62
  br i1 %v63, label %then64, label %endif65
then64:
  %v66 = sub i64 %v62, %v60
  %v67 = mul i64 %v60, 8
  %v68 = getelementptr i8, ptr %v21, i64 %v67
  %v69 = mul i64 %v66, 1
  %v70 = getelementptr i8, ptr %v68, i64 0
  %v71 = trunc i64 %v69 to i32
  %v72 = insertelement <16 x i32> poison, i32 %v71, i64 0
  %v73 = shufflevector <16 x i32> %v72, <16 x i32> poison, <16 x i32> zeroinitializer
  %v74 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v73
  %v75 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v70, <16 x i1> %v74, <16 x i64> zeroinitializer)
  %v76 = bitcast <16 x i64> %v75 to <16 x double>
  %v77 = fcmp uno <16 x double> %v76, %v76
  %v78 = select <16 x i1> %v77, <16 x double> splat (double 0x0000000000000000), <16 x double> %v76
  %v79 = fcmp ogt <16 x double> %v78, splat (double 0xC060000000000000)
  %v80 = select <16 x i1> %v79, <16 x double> %v78, <16 x double> splat (double 0xC060000000000000)
  %v81 = fcmp olt <16 x double> %v80, splat (double 0x405FC00000000000)
  %v82 = select <16 x i1> %v81, <16 x double> %v80, <16 x double> splat (double 0x405FC00000000000)
  %v83 = fptosi <16 x double> %v82 to <16 x i32>
  %v84 = trunc <16 x i32> %v83 to <16 x i8>
  %v85 = mul i64 %v60, 1
  %v86 = getelementptr i8, ptr %v23, i64 %v85
  store <16 x i8> %v84, ptr %buf14, align 1
  %v87 = mul i64 %v66, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v86, ptr %buf14, i64 %v87, i1 0)
  br label %endif65
endif65:
  %v88 = add i64 %i57, 1
  br label %head54
done56:
  br label %endif53
endif53:
  %v89 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
