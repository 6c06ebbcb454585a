"""What runs machine code, and loads nothing of the compiler.

processor    What this processor can do, and what compiled code depends on
cache        Plans and compiled code kept on disk, so that a second process starts warm
elf_loader   Object files in memory, put there without LLVM
llvm         LLVM: from its language to machine code for this processor
openblas     Products of matrices: the OpenBLAS of `scipy-openblas32`, loaded with the best
             kernels
runtime_ir   What runs a plan without Python: its steps, the threads, and products of matrices
thread_pool  The pool: threads that carry out parts of steps, and sleep when there are none
trampoline   From Python into machine code: a built-in function whose arguments are NumPy arrays
"""
