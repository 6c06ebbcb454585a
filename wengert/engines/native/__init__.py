"""The native engine: plans compiled to machine code by LLVM, matrix products by OpenBLAS.

scalar        straight-line code on single numbers
lanes         what a kernel sees in place of NumPy and arrays: it writes scalar code
mathematics   exp, log, sin and the others, written with lanes
arrays        a graph as loops over index spaces: what there is to compile
lowering      from operations to that
fusing        which loops become one
emitting      loops as LLVM's language
machine       LLVM itself, loaded when it is first needed; the cache of compiled code
blas          matrix products: OpenBLAS, found and called by address
threads       the pool
engine        a plan that can be called
"""
