; map |16|load.float64[]0;astype.int8[0]None|float64:1,int8:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
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
  %i18 = phi i64 [0, %entry], [%v97, %endif61]
  %v19 = icmp slt i64 %i18, %m
  br i1 %v19, label %body16, label %done17
body16:
  %v20 = mul i64 %i18, %v10
  %v21 = getelementptr i8, ptr %v2, i64 %v20
  %v22 = mul i64 %i18, %v12
  %v23 = getelementptr i8, ptr %v4, i64 %v22
  %v24 = icmp sge i64 %n, 32768
  %v25 = select i1 %v24, i64 1536, i64 0
  %v26 = sub i64 %n, 0
  %v27 = and i64 %v26, -16
  %v28 = add i64 0, %v27
  br label %head29
head29:
  %i32 = phi i64 [0, %body16], [%v56, %body30]
  %v33 = icmp slt i64 %i32, %v28
  br i1 %v33, label %body30, label %done31
body30:
  %v34 = mul i64 %i32, 8
  %v35 = getelementptr i8, ptr %v21, i64 %v34
  %v36 = add i64 %v25, 0
  %v37 = getelementptr i8, ptr %v35, i64 %v36
  call void @llvm.prefetch.p0(ptr %v37, i32 0, i32 3, i32 1)
  %v38 = add i64 %v25, 64
  %v39 = getelementptr i8, ptr %v35, i64 %v38
  call void @llvm.prefetch.p0(ptr %v39, i32 0, i32 3, i32 1)
  %v40 = mul i64 %i32, 8
  %v41 = getelementptr i8, ptr %v21, i64 %v40
  %v42 = mul i64 %i32, 1
  %v43 = getelementptr i8, ptr %v23, i64 %v42
  %v44 = getelementptr i8, ptr %v41, i64 0
  %v45 = load <16 x i64>, ptr %v44, align 1
  %v46 = bitcast <16 x i64> %v45 to <16 x double>
  %v47 = fcmp uno <16 x double> %v46, %v46
  %v48 = select <16 x i1> %v47, <16 x double> splat (double 0x0000000000000000), <16 x double> %v46
  %v49 = fcmp ogt <16 x double> %v48, splat (double 0xC060000000000000)
  %v50 = select <16 x i1> %v49, <16 x double> %v48, <16 x double> splat (double 0xC060000000000000)
  %v51 = fcmp olt <16 x double> %v50, splat (double 0x405FC00000000000)
  %v52 = select <16 x i1> %v51, <16 x double> %v50, <16 x double> splat (double 0x405FC00000000000)
  %v53 = fptosi <16 x double> %v52 to <16 x i32>
  %v54 = trunc <16 x i32> %v53 to <16 x i8>
  store <16 x i8> %v54, ptr %v43, align 1
  %v55 = add i64 %i32, 16
  %v56 = call i64 asm "", "=r,0"(i64 %v55)
  br label %head29
done31:
  %v57 = sub i64 %n, %v28
  %v58 = or i64 0, %v57
  %v59 = icmp ne i64 %v58, 0
  br i1 %v59, label %then60, label %endif61, !prof !1
then60:
  br label %head62
head62:
  %i65 = phi i64 [0, %then60], [%v96, %endif73]
  %v66 = icmp slt i64 %i65, 2
  br i1 %v66, label %body63, label %done64
body63:
  %v67 = icmp eq i64 %i65, 0
  %v68 = select i1 %v67, i64 0, i64 %v28
  %v69 = icmp eq i64 %i65, 0
  %v70 = select i1 %v69, i64 0, i64 %n
  %v71 = icmp slt i64 %v68, %v70
  br i1 %v71, label %then72, label %endif73
then72:
  %v74 = sub i64 %v70, %v68
  %v75 = mul i64 %v68, 8
  %v76 = getelementptr i8, ptr %v21, i64 %v75
  %v77 = mul i64 %v74, 1
  %v78 = getelementptr i8, ptr %v76, i64 0
  %v79 = trunc i64 %v77 to i32
  %v80 = insertelement <16 x i32> poison, i32 %v79, i64 0
  %v81 = shufflevector <16 x i32> %v80, <16 x i32> poison, <16 x i32> zeroinitializer
  %v82 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v81
  %v83 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v78, <16 x i1> %v82, <16 x i64> zeroinitializer)
  %v84 = bitcast <16 x i64> %v83 to <16 x double>
  %v85 = fcmp uno <16 x double> %v84, %v84
  %v86 = select <16 x i1> %v85, <16 x double> splat (double 0x0000000000000000), <16 x double> %v84
  %v87 = fcmp ogt <16 x double> %v86, splat (double 0xC060000000000000)
  %v88 = select <16 x i1> %v87, <16 x double> %v86, <16 x double> splat (double 0xC060000000000000)
  %v89 = fcmp olt <16 x double> %v88, splat (double 0x405FC00000000000)
  %v90 = select <16 x i1> %v89, <16 x double> %v88, <16 x double> splat (double 0x405FC00000000000)
  %v91 = fptosi <16 x double> %v90 to <16 x i32>
  %v92 = trunc <16 x i32> %v91 to <16 x i8>
  %v93 = mul i64 %v68, 1
  %v94 = getelementptr i8, ptr %v23, i64 %v93
  store <16 x i8> %v92, ptr %buf14, align 1
  %v95 = mul i64 %v74, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %v94, ptr %buf14, i64 %v95, i1 0)
  br label %endif73
endif73:
  %v96 = add i64 %i65, 1
  br label %head62
done64:
  br label %endif61
endif61:
  %v97 = add i64 %i18, 1
  br label %head15
done17:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
