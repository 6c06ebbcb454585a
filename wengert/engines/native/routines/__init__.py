"""Functions of a plan that are no loops over elements, written in LLVM IR for the sizes of the plan.

Each gets the arrays in memory that it reads, then its results, then room for what it needs on the way.

scans      Each element from the one before it: cumulative sums and their kin
sorting    The first elements in sorted order, with their indices
scatters   Rows added to the rows of an array, or written over them, by an index
fourier    Fourier transforms of numbers whose real and imaginary parts are two arrays
factors    Small matrices: Cholesky factors, LU factors, and systems that these solve
"""
