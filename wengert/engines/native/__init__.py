"""The native engine: plans compiled to machine code by LLVM, large matrix products by OpenBLAS.

A plan goes through the rooms in this order, from a graph to loops, from loops to machine code, and
becomes a program that is kept on disk. Where it is found there, only `program` and `runtime` are
loaded.

frontend     From the operations of a plan to scalar code: the kernel of a row is called with lanes
             in place of arrays, and writes it
mathematics  exp, log, sin and the others, written with lanes
optimize     Nothing twice, nothing in vain, few large products; which arrays are computed in one loop
codegen      Loops and products of matrices in LLVM's language, on vectors
program      A plan as a program: built, written down, kept, loaded and run
runtime      What runs it without Python: threads, LLVM, OpenBLAS, the cache, this processor
kernels      For large arrays outside of graphs, whatever their sizes: functions whose sizes are
             arguments

engine         The native engine as the rest of the house knows it: what compiles is loaded when it
               is first asked
large_kernels  Machine code for large arrays outside of graphs: which kernel computes what
coverage       Which operations the native engine computes itself
"""
