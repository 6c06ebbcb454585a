"""Arrays: creation, slicing, joining, reshaping, gather and scatter.

shaping           Reshape, transpose, squeeze, broadcast, tile: operations that only move elements
gathered_parts    Parts at places that differ between the examples of a batch, or are not known: gathers
gathering         Gather, scatter, one-hot, unsorted segment sums; and IndexedSlices
identity          identity, stop_gradient and others that return their input but treat its
                  gradient differently
slicing           Slice, pad, reverse and roll
joining           Joining and splitting: concat, stack, unstack, split
broadcasting      Broadcast shapes, bitcast, polyval, and a few others
creation          Creation of tensors: constants, zeros, ranges, grids
batched           Batching rules that move axes and indices
indexing          Indexing with square brackets, strided_slice, boolean_mask
partitioning      dynamic_partition and dynamic_stitch: rows split among tensors, and merged again
raw_bytes         decode_raw: the numbers whose bytes strings are
scatter_kernels   Scatter kernels: updates applied sequentially at coordinates
tensor_scatter    tensor_scatter_nd_update, add, sub, max and min: copies with some elements
                  changed
unknown_fillers   What is padded with a value that only a run knows
text              as_string: numbers as text
variable_scatter  The `scatter_...` methods of variables, which change rows
window_geometry   Sliding windows: their number and positions, from sizes, strides, padding and
                  dilations
"""
