; map|32|load.float32[]0;load.float32[]1;add.float32[0, 1]None|float32~:1,float32:1,float32:1
declare <32 x i32> @llvm.bswap.v32i32(<32 x i32>)
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
  br label %head22
head22:
  %i25 = phi i64 [0, %entry], [%v92, %done35]
  %v26 = icmp slt i64 %i25, %m
  br i1 %v26, label %body23, label %done24
body23:
  %v27 = mul i64 %i25, %v14
  %v28 = getelementptr i8, ptr %v2, i64 %v27
  %v29 = mul i64 %i25, %v16
  %v30 = getelementptr i8, ptr %v4, i64 %v29
  %v31 = mul i64 %i25, %v18
  %v32 = getelementptr i8, ptr %v6, i64 %v31
  br label %head33
head33:
  %i36 = phi i64 [0, %body23], [%v91, %endif83]
  %v37 = icmp slt i64 %i36, %n
  br i1 %v37, label %body34, label %done35
body34:
  %v38 = add i64 %i36, 32
  %v39 = icmp sle i64 %v38, %n
  br i1 %v39, label %whole40, label %part41, !prof !0
whole40:
  %v43 = mul i64 %i36, 4
  %v44 = getelementptr i8, ptr %v28, i64 %v43
  %v45 = mul i64 %i36, 4
  %v46 = getelementptr i8, ptr %v30, i64 %v45
  %v47 = mul i64 %i36, 4
  %v48 = getelementptr i8, ptr %v32, i64 %v47
  br label %body42
part41:
  %v49 = sub i64 %n, %i36
  %v50 = call i64 @llvm.smin.i64(i64 %v49, i64 32)
  store <32 x i32> splat (i32 0), ptr %buf19, align 64
  %v51 = add i64 %i36, 0
  %v52 = sub i64 %v50, 0
  %v53 = mul i64 %v52, 4
  %v54 = sub i64 %v53, 0
  %v55 = mul i64 0, 4
  %v56 = getelementptr i8, ptr %buf19, i64 %v55
  %v57 = mul i64 %v51, 4
  %v58 = getelementptr i8, ptr %v28, i64 %v57
  call void @llvm.memcpy.p0.p0.i64(ptr %v56, ptr %v58, i64 %v54, i1 false)
  store <32 x i32> splat (i32 0), ptr %buf20, align 64
  %v59 = add i64 %i36, 0
  %v60 = sub i64 %v50, 0
  %v61 = mul i64 %v60, 4
  %v62 = sub i64 %v61, 0
  %v63 = mul i64 0, 4
  %v64 = getelementptr i8, ptr %buf20, i64 %v63
  %v65 = mul i64 %v59, 4
  %v66 = getelementptr i8, ptr %v30, i64 %v65
  call void @llvm.memcpy.p0.p0.i64(ptr %v64, ptr %v66, i64 %v62, i1 false)
  br label %body42
body42:
  %v67 = phi ptr [%v44, %whole40], [%buf19, %part41]
  %v68 = phi ptr [%v46, %whole40], [%buf20, %part41]
  %v69 = phi ptr [%v48, %whole40], [%buf21, %part41]
  %v70 = phi i64 [0, %whole40], [0, %part41]
  %v71 = phi i64 [32, %whole40], [%v50, %part41]
  %v72 = getelementptr i8, ptr %v67, i64 0
  %v73 = load <32 x i32>, ptr %v72, align 1
  %v74 = call <32 x i32> @llvm.bswap.v32i32(<32 x i32> %v73)
  %v75 = bitcast <32 x i32> %v74 to <32 x float>
  %v76 = getelementptr i8, ptr %v68, i64 0
  %v77 = load <32 x i32>, ptr %v76, align 1
  %v78 = bitcast <32 x i32> %v77 to <32 x float>
  %v79 = fadd <32 x float> %v75, %v78
  %v80 = bitcast <32 x float> %v79 to <32 x i32>
  store <32 x i32> %v80, ptr %v69, align 1
  %v81 = xor i1 %v39, 1
  br i1 %v81, label %then82, label %endif83, !prof !1
then82:
  %v84 = mul i64 %v70, 4
  %v85 = getelementptr i8, ptr %buf21, i64 %v84
  %v86 = add i64 %i36, %v70
  %v87 = mul i64 %v86, 4
  %v88 = getelementptr i8, ptr %v32, i64 %v87
  %v89 = sub i64 %v71, %v70
  %v90 = mul i64 %v89, 4
  call void @llvm.memcpy.p0.p0.i64(ptr %v88, ptr %v85, i64 %v90, i1 false)
  br label %endif83
endif83:
  %v91 = add i64 %i36, 32
  br label %head33
done35:
  %v92 = add i64 %i25, 1
  br label %head22
done24:
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
