"""Optimizations of lowered arrays.

fuse      Loop fusion: which arrays are computed in one loop
simplify  Dead code, and matrix products merged into few large ones
"""
