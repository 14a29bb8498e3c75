; map |16|load.float64[]0;positive.float64[0]None|float64:-1,float64:1
declare <16 x i64> @llvm.masked.load.v16i64.p0(ptr, <16 x i1>, <16 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
define void @map(ptr %L, ptr %S, i64 %n, i64 %m) #0 {
entry:
  %buf13 = alloca <16 x i64>, i64 1, align 64
  %buf14 = alloca <16 x i64>, i64 1, align 64
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
  %v15 = icmp eq i64 %v8, -1
  br label %head16
head16:
  %i19 = phi i64 [0, %entry], [%v97, %endif61]
  %v20 = icmp slt i64 %i19, %m
  br i1 %v20, label %body17, label %done18
body17:
  %v21 = mul i64 %i19, %v10
  %v22 = getelementptr i8, ptr %v2, i64 %v21
  %v23 = mul i64 %i19, %v12
  %v24 = getelementptr i8, ptr %v4, i64 %v23
  %v25 = ptrtoint ptr %v24 to i64
  %v26 = sub i64 0, %v25
  %v27 = and i64 %v26, 63
  %v28 = and i64 %v27, 7
  %v29 = icmp eq i64 %v28, 0
  %v30 = and i1 %v15, %v29
  %v31 = select i1 %v30, i64 %v27, i64 0
  %v32 = lshr i64 %v31, 3
  %v33 = call i64 @llvm.smin.i64(i64 %v32, i64 %n)
  %v34 = sub i64 %n, %v33
  %v35 = and i64 %v34, -16
  %v36 = add i64 %v33, %v35
  br label %head37
head37:
  %i40 = phi i64 [%v33, %body17], [%v56, %endif53]
  %v41 = icmp slt i64 %i40, %v36
  br i1 %v41, label %body38, label %done39
body38:
  %v42 = add i64 %i40, 15
  %v43 = mul i64 %v42, -8
  %v44 = getelementptr i8, ptr %v22, i64 %v43
  %v45 = mul i64 %i40, 8
  %v46 = getelementptr i8, ptr %v24, i64 %v45
  %v47 = getelementptr i8, ptr %v44, i64 0
  %v48 = load <16 x i64>, ptr %v47, align 1
  %v49 = shufflevector <16 x i64> %v48, <16 x i64> %v48, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v50 = bitcast <16 x i64> %v49 to <16 x double>
  %v51 = bitcast <16 x double> %v50 to <16 x i64>
  br i1 %v30, label %then52, label %else54
then52:
  store <16 x i64> %v51, ptr %v46, align 64, !nontemporal !2
  br label %endif53
else54:
  store <16 x i64> %v51, ptr %v46, align 1
  br label %endif53
endif53:
  %v55 = add i64 %i40, 16
  %v56 = call i64 asm "", "=r,0"(i64 %v55)
  br label %head37
done39:
  %v57 = sub i64 %n, %v36
  %v58 = or i64 %v33, %v57
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
  %v68 = select i1 %v67, i64 0, i64 %v36
  %v69 = icmp eq i64 %i65, 0
  %v70 = select i1 %v69, i64 %v33, i64 %n
  %v71 = icmp slt i64 %v68, %v70
  br i1 %v71, label %then72, label %endif73
then72:
  %v74 = sub i64 %v70, %v68
  %v75 = mul i64 %v74, 1
  %v76 = trunc i64 %v75 to i32
  %v77 = insertelement <16 x i32> poison, i32 %v76, i64 0
  %v78 = shufflevector <16 x i32> %v77, <16 x i32> poison, <16 x i32> zeroinitializer
  %v79 = icmp slt <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>, %v78
  %v80 = add i64 %v68, 15
  %v81 = mul i64 %v80, -8
  %v82 = getelementptr i8, ptr %v22, i64 %v81
  %v83 = call <16 x i64> @llvm.masked.load.v16i64.p0(ptr align 1 %v82, <16 x i1> %v79, <16 x i64> zeroinitializer)
  store <16 x i64> %v83, ptr %buf13, align 64
  %v84 = getelementptr i8, ptr %buf13, i64 0
  %v85 = load <16 x i64>, ptr %v84, align 1
  %v86 = shufflevector <16 x i64> %v85, <16 x i64> %v85, <16 x i32> <i32 31, i32 30, i32 29, i32 28, i32 27, i32 26, i32 25, i32 24, i32 23, i32 22, i32 21, i32 20, i32 19, i32 18, i32 17, i32 16>
  %v87 = bitcast <16 x i64> %v86 to <16 x double>
  %v88 = bitcast <16 x double> %v87 to <16 x i64>
  %v89 = mul i64 %v68, 8
  %v90 = getelementptr i8, ptr %v24, i64 %v89
  %v91 = mul i64 %v74, 1
  %v92 = trunc i64 %v91 to i32
  %v93 = insertelement <16 x i32> poison, i32 %v92, i64 0
  %v94 = shufflevector <16 x i32> %v93, <16 x i32> poison, <16 x i32> zeroinitializer
  %v95 = icmp slt <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>, %v94
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %v88, ptr align 1 %v90, <16 x i1> %v95)
  br label %endif73
endif73:
  %v96 = add i64 %i65, 1
  br label %head62
done64:
  br label %endif61
endif61:
  %v97 = add i64 %i19, 1
  br label %head16
done18:
  br i1 %v15, label %then98, label %endif99
then98:
  fence seq_cst
  br label %endif99
endif99:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{i32 1}
