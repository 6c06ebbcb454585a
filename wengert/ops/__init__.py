"""The operations, in folders by family.

A row declares each one; the rest of its file is the kernel, the rules and the public function.

gradient_sum  The sum of two gradients of the same value, as the reverse sweep accumulates them
operators     Python's operators on tensors and variables
kinks         The kinks of operations, and their rows with another derivative there

support       Helpers that the files of operations share
math          Elementwise operations: arithmetic, comparisons, complex numbers
arrays        Arrays: creation, slicing, joining, reshaping, gather and scatter
reductions    Reductions and sorting: sums, cumulative sums, segment sums, sorted and unique
              elements
state         Variables in graphs
control       Control flow: branches, loops, functions over elements, and control dependencies
linalg        Linear algebra
special       Special functions
random        Random numbers
quantization  Quantization
sparse        Sparse tensors, sets, and the distance between sequences
ragged        Ragged tensors
strings       Strings: taken apart, joined, changed, and turned into numbers
signal        Signals: Fourier transforms, frames and spectra
nn            Neural networks
image         Images
stable        Operations carried out in a form that neither overflows nor cancels
"""
