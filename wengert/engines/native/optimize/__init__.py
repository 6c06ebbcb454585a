"""Optimizations of lowered arrays.

fuse      Loop fusion: which arrays are computed in one loop
aliases   Arrays that are parts of other arrays, sums, and who reads what
assemble  Sums of padded arrays, and nested arrays of pieces, as one array
roll      Loops that a program wrote out, as operations on whole arrays
blocks    Large arrays between products, computed a block of rows at a time
region    The items that one such loop computes
cuts      How an item is divided, and with it what it reads
block_body  What a block computes: the body of that loop
across    Large arrays whose elements loops would read far apart, transposed first
simplify  Dead code, and matrix products merged into few large ones
"""
