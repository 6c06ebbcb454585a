"""From loops to LLVM's language.

gemm_forms     Products of matrices that are machine code of the plan, and which those are
layout         How a group is laid out: its scalar code, its axes, rows and columns, parts, and
               stages
vectors        Scalar code as LLVM's language, on vectors of several elements at once
math_functions The functions of `mathematics` that a text calls, on vectors
memory_access  Memory in LLVM's language: vectors that are read, written, gathered and scattered,
               perhaps masked
combine        Sums, products and extremes in LLVM's language: what they begin with, and two of
               them put together
column_loop    The loop over the columns of a row in LLVM's language, a vector at a time, with sums
               that it carries
loop_emitter   Groups as functions in LLVM's language
kernel_writer  Kernels whose sizes are arguments: compiled once, for arrays of any size
gemm_writer    How products of matrices are written: a panel of the right one, and blocks of rows
               along it
"""
