"""Sparse tensors, sets, and the distance between sequences.

places         Bookkeeping for sparse tensors: sorting and grouping of coordinates
tensor         SparseTensor: coordinates and the values there; everything else is zero
spec           The type spec of sparse tensors
answers        What functions of tensors do with sparse ones
elements       Sparse tensors under tf.map_fn: their rows as elements, and results as one sparse
               tensor
counting       Counts of the integers in each row, as a sparse tensor
edit_distance  The Levenshtein distance between sequences
shaping        Rearranging sparse tensors: coordinates change, values are gathered
math           Arithmetic of sparse tensors
segments       Segment reductions of selected rows: gather and segment sum in one step
sets           Set operations on rows: unique elements, union, intersection, difference
"""
