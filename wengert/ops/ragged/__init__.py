"""Ragged tensors.

places       Bookkeeping for ragged tensors: which value is in which row
partition_checks  What row partitions must be: checked at once, or when the graph runs
tensor       RaggedTensor: a tensor whose rows have different lengths
spec         The type spec of ragged tensors
conversions  Ragged tensors from dense and sparse ones, and back
indexing     Indexing of ragged tensors: rows, slices of rows, the same slice of every row
operators    Python's operators on ragged tensors, elementwise
merging      Neighbouring dimensions as one
methods      Attaches the methods of ragged tensors that are defined by operations on them
factories    Functions of tf.ragged: creation from lists and ranges, concatenation, maps and masks
answers      How ragged tensors answer public functions: elementwise ones all at once, others one by
             one
array_functions  What functions of arrays do with ragged tensors: tf.concat, tf.gather, tf.where
math_functions   What functions of numbers do with ragged tensors: reductions, products, softmax
row_partition    RowPartition: which values are in which row, without the values
dynamic_shape    DynamicRaggedShape: the shape of a tensor whose rows may differ in length
elements     Ragged tensors under tf.map_fn: their rows as elements, and rows of results as a
             ragged tensor
reductions   Reductions of ragged tensors: across the rows, within rows, or over everything
"""
