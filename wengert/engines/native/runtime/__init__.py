"""Runs machine code, without loading the compiler.

processor    The features of this processor, and the fingerprint that compiled code depends on
cache        The cache of plans and compiled code on disk, so that a second process starts warm
elf_loader   Loads object files into memory, without LLVM
pieces       A module of LLVM IR in pieces that can be compiled side by side
llvm_calls   LLVM's functions, called past llvmlite's Python
llvm         LLVM: from IR to machine code for this processor
named_kernels Kernels for arrays of any size, which plans find by their names
units        Machine code in units that plans share: a function with all that it calls
openblas     Matrix products: the OpenBLAS of `scipy-openblas32`, loaded with the best kernels
array_memory NumPy's allocation functions, with a cache of freed blocks
memory_ir    LLVM IR of the memory of arrays: freed blocks are kept, and are the next arrays'
runtime_ir   LLVM IR of the runtime: the steps of a plan, the threads, and calls of BLAS
thread_pool  The pool: threads that carry out parts of steps, and sleep when there are none
trampoline   From Python into machine code: a built-in function whose arguments are NumPy arrays
"""
