"""From loops to LLVM IR.

gemm_forms     Which matrix products are compiled into the plan rather than left to BLAS
layout         How a group is laid out: its scalar code, its axes, rows and columns, parts, and
               stages
short_rows     Rows of two to four elements, such as points in space: a row in each lane of a vector
vectors        LLVM IR for scalar code, vectorized
math_functions Vector versions of the functions of `mathematics` that some code calls
memory_access  LLVM IR for memory: loads, stores, gathers and scatters of vectors, with masks
short_accesses Masked loads and stores as those of short vectors, which LLVM keeps in registers
combine        LLVM IR for reductions: their neutral elements, and combining two partial results
column_loop    LLVM IR for the loop over the columns of a row, vectorized, with accumulators
loop_emitter   LLVM IR for groups: a function each
function_writer  Writes a function in LLVM IR: integers, loops, branches, vectors and memory
size_table     Functions for all sizes: open sizes are read from a table, the last argument of a
               function
panel_columns  The columns of a panel of the right matrix: as many as fit, or what is left at its
               edge
kernel_writer  Kernels whose sizes are arguments: compiled once, for arrays of any size
squares        Squares of vectors, transposed in registers
tiles_writer   Tiles that a kernel computes, and a loop over the rows of each as soon as it is
               complete
gemm_writer    Code generation for matrix products: blocks of the left matrix times panels of the
               right one
vector_products  The same for products of a small matrix with a vector
"""
