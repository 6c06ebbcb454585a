"""Arrays made, cut, joined, rearranged, and picked from by index.

shaping           Shapes: operations that move elements without changing them
gathering         Elements picked by index, put by index, and summed by index; and IndexedSlices
identity          Operations that pass their input on, and differ in what they do with the
                  gradient
slicing           Parts of an array, an array as a part of a larger one, and elements in another
                  order
joining           Arrays joined to one, and one array parted into several
broadcasting      Shapes that two tensors have in common, other views of the same bytes,
                  polynomials
creation          Tensors out of nothing: constants, zeros, ranges
indexing          Square brackets
partitioning      Rows dealt out to several tensors, and put together from several tensors
scatter_kernels   What is done to the elements at some places of an array, one after the other
tensor_scatter    Tensors with some of their elements replaced, added to,
text              Numbers as text
variable_scatter  Rows of a variable added to, replaced, ...: the `scatter_...` methods of
                  variables
window_geometry   Windows that slide over the axes of an array: how many there are, and where they
                  stand
"""
