"""Sparse tensors, sets, and the distance between sequences.

places         Bookkeeping for sparse tensors: orders and groups of coordinates
tensor         SparseTensor: coordinates, and the values that stand there; everything else is zero
counting       How often numbers occur in each row, as a sparse tensor
edit_distance  The Levenshtein distance between sequences
shaping        Sparse tensors rearranged: their coordinates change, their values are picked
math           Arithmetic of sparse tensors
segments       Reductions over segments of picked rows: gather and segment sum in one step
sets           Sets: the different elements of each row, and what two rows have in common or not
"""
