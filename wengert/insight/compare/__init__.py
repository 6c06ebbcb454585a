"""One function differentiated in all ways, side by side; and its derivative as a formula.

optional     SymPy and mpmath, which may be missing
spaces       What kernels are called with in place of NumPy: SymPy's functions, or mpmath's
composition  A function of one number as the operations that it is composed of
ways         The ways to differentiate, each with its value and what it took
comparison   tf.compare: the ways side by side
formula      tf.formula: the derivative as a formula
"""
