"""Kernels for large arrays outside of graphs, compiled once for all sizes.

padded_lines          Shared by kernels with windows over images: the padded lines that a part reads
batch_norm            Formulas of large matrices and vectors of their columns: elementwise, or
                      summed over the rows
checksum              The checksum CRC-32C by the processor's own instruction
conv                  Convolutions of large channels-last images, without im2col
conv_sums             Shared by the kernels of convolutions: sums of a few adjacent windows
filter_sums           Shared by the kernels of a filter's gradient: sums of a few of its numbers
winograd              Convolutions with fewer multiplications
winograd_filter_gradient  The gradient of these with respect to the filter
winograd_tiles        Shared by these two: the sums and differences of what tiles see
conv_filter_gradient  The gradient of large convolutions with respect to the filter
cumulative            Cumulative sums and products along any axis: a few rows, or vectors of
                      adjacent sums, side by side
depthwise_conv        Depthwise convolutions of large channels-last images
depthwise_filter_gradient  The gradient of these with respect to the filter
elementwise           Elementwise operations on large arrays: one loop, generated from the row's
                      own kernel; row by row, where rows lie apart or are repeated
columns               Shared by kernels of matrices: some columns in a buffer, and sums of products
                      with them in registers
in_turn               What is done with one element depends on those before it: counts, unique
                      elements, suppression of boxes, Poisson samples
factors               Cholesky factors and triangular systems of large matrices
local_response_norm   Local response normalization of large arrays: one pass, a few channels at a
                      time
matmul                Matrix products of any size, also of matrices with gaps
random_numbers        Random words, uniform and normal samples
pooling               Pooling of large channels-last images: max, mean, and the gradient of mean
max_pool_gradient     The gradient of max pooling of large images: each window's cotangent goes to
                      its first maximum
reductions            Sums and extremes of large arrays, along rows or down columns, and softmax
segments              Sums and extremes of rows that have the same index
tridiagonal           Tridiagonal systems, many side by side
transposes            Transposed matrices, in tiles
update                Large variables are added to in place
"""
