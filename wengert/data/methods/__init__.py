"""The methods of datasets.

made       A dataset of a row's result
sources    from_tensors, from_tensor_slices, from_generator, range, random, list_files
order      take, skip, repeat, shuffle, zip, concatenate, choose, cache, prefetch
functions  map, filter, flat_map, interleave, scan, take_while, groups
batches    batch, padded_batch, ragged_batch, unbatch, rebatch, window
finish     reduce, get_single_element, cardinality, options
"""
