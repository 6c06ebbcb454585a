"""What pipelines do, a row for each operation of TensorFlow.

sources     Elements from tensors, ranges, Python's generators, chance
order       Which elements come, and when: take, skip, repeat, shuffle, zip, concatenate, choose, cache
functions   Users' functions: map, filter, flat_map, interleave, scan, group
batches     Several elements as one, and one as several
fields      Elements from fields between commas
files       Elements from files, and elements that are kept in files
background  Elements that are made while others are used
"""
