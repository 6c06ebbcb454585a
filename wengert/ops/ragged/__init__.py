"""Ragged tensors.

places       Bookkeeping for ragged tensors: which value is in which row
tensor       RaggedTensor: a tensor whose rows have different lengths
conversions  Ragged tensors from dense and sparse ones, and back
indexing     Indexing of ragged tensors: rows, slices of rows, the same slice of every row
operators    Python's operators on ragged tensors, elementwise
methods      Attaches the methods of ragged tensors that are defined by operations on them
factories    Functions of tf.ragged: creation from lists and ranges, concatenation, maps and masks
reductions   Reductions of ragged tensors: across the rows, within rows, or over everything
"""
