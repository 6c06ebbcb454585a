"""Elementwise operations: arithmetic, comparisons, complex numbers.

elementwise  Elementwise operations of one input, from trivial to tricky
comparison   Comparisons, logical operations, and tf.where
complex      Complex numbers
arithmetic   Elementwise operations of two inputs: arithmetic, all forms of division, powers, max
             and min
"""
