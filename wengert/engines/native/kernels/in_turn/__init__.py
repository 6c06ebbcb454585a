"""Kernels that take one element after the other, as what is done with one depends on those before it.

counting      Integers are counted, or the weights at each are added up
unique        The unique elements of a vector, by a table of hashes
suppression   Non-maximum suppression of boxes: the best are kept, and what overlaps them is not
shuffle       A permutation from random words, and the inverse of one
draws         Shared by the kernels of samples: uniform numbers, and arithmetic of doubles
poisson       Poisson samples, each by a generator of its own
binomial      Binomial samples, likewise
elimination   LU decompositions of many small matrices
edit_distance  The Levenshtein distance of pairs of sequences
"""
