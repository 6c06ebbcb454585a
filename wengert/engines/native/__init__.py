"""The native engine: plans compiled to machine code by LLVM, large matrix products by OpenBLAS.

A plan goes through the rooms in this order, from a graph to loops, from loops to machine code, and
becomes a program that is cached on disk. On a cache hit only `program` and `runtime` are loaded.

frontend     From the operations of a plan to scalar code: a row's kernel is called with lanes in
             place of arrays, and so emits it
mathematics  exp, log, sin and the others, written with lanes
optimize     Common subexpressions, dead code, merged matrix products; loop fusion
codegen      LLVM IR for loops and matrix products, vectorized
routines     Functions of a plan that are no loops over elements: scans, sorting, scatters, factors
             of matrices, Fourier transforms
program      A plan as a program: built, serialized, cached, loaded and run
runtime      What runs it without Python: threads, LLVM, OpenBLAS, the cache, this processor
kernels      Kernels for large arrays outside of graphs, compiled once for all sizes: the sizes are
             arguments

engine         The native engine as registered with the rest of Wengert; the compiler is loaded on
               first use
large_kernels  Machine code for large arrays outside of graphs: which kernel computes what
coverage       Which operations the native engine computes itself
"""
