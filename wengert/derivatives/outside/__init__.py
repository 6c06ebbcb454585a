"""Functions that are not made of our operations.

differences  Complex steps and finite differences, of functions of arrays
wrap         Functions of NumPy, SciPy and other programs as operations
"""
