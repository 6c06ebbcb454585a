"""Elementwise operations: arithmetic, comparisons, complex numbers.

elementwise  Elementwise operations of one input, from trivial to tricky
comparison   Comparisons, logic, and the choice between two values
complex      Complex numbers
arithmetic   Elementwise operations of two inputs: arithmetic, division in all its forms, powers,
             extremes
"""
