"""Reductions and sorting: sums, cumulative sums, segment sums, sorted and unique elements.

cumulative  Cumulative sums, products and log-sum-exp
reductions  Reductions along axes: sum, mean, max, argmax, logsumexp and others
counting    Counting: histograms, bincount, confusion matrices
segments    Segment reductions: sums, means, products and extremes of rows with the same index
stable_order  The stable order of numbers, by a plain sort of integers that contain their places
sorting     Sorting: sort, argsort, top_k, searchsorted
isotonic    Isotonic regression: the nearest non-increasing (or non-decreasing) sequence
sequences   Sequence masks and reversal, repetition, and permutations
unique      The unique elements of a vector, or slices along an axis
order_statistic  The n-th smallest element of each row
"""
