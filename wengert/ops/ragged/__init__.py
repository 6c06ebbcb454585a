"""Ragged tensors.

places       Bookkeeping for ragged tensors: which value stands in which row
tensor       RaggedTensor: a tensor whose rows have different lengths
conversions  Ragged tensors from dense and sparse ones, and back
indexing     Square brackets of ragged tensors: rows, slices of rows, the same slice of every row
operators    Python's operators on ragged tensors, element by element
methods      The methods of ragged tensors that are made of operations on them, given to the class
factories    Functions of tf.ragged: ragged tensors of lists and ranges, joined, mapped and masked
reductions   Reductions of ragged tensors: along the rows, along what is in them, or of everything
"""
