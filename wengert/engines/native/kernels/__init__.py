"""Kernels for large arrays outside of graphs, whatever their sizes.

padded_lines          What kernels with windows over images have in common: the lines that a part
                      sees, padded
batch_norm            Large matrices beside vectors of their columns: elementwise, and sums over
                      the rows
conv                  Convolutions of large images with the channels at the end, without copies of
                      their windows
conv_filter_gradient  The gradient of large convolutions in the filter
depthwise_conv        Convolutions of each channel with a filter of its own, on large images with
                      the channels at the end
elementwise           Elementwise operations on large arrays: one loop, written from the row's own
                      kernel
local_response_norm   Local response normalization of large arrays: one pass, a few channels at a
                      time
matmul                Matrix products outside of graphs, where our OpenBLAS has better kernels
                      than NumPy's
pooling               Pooling of large images with the channels at the end: maxima, means, and the
                      adjoint of means
max_pool_gradient     The gradient of a maximum over windows of large images: each window gives to
                      its first maximum
reductions            Sums, extremes and softmax of the rows of large arrays
segment_extremes      Extremes of the rows that have the same index, in large arrays
"""
