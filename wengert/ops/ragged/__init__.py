"""Ragged tensors.

places       Bookkeeping for ragged tensors: which value is in which row
tensor       RaggedTensor: a tensor whose rows have different lengths
spec         The type spec of ragged tensors
conversions  Ragged tensors from dense and sparse ones, and back
indexing     Indexing of ragged tensors: rows, slices of rows, the same slice of every row
operators    Python's operators on ragged tensors, elementwise
methods      Attaches the methods of ragged tensors that are defined by operations on them
factories    Functions of tf.ragged: creation from lists and ranges, concatenation, maps and masks
elements     Ragged tensors under tf.map_fn: their rows as elements, and rows of results as a
             ragged tensor
reductions   Reductions of ragged tensors: across the rows, within rows, or over everything
"""
