"""The derivative as a program of NumPy, to read and to keep.

text        Expressions with as few brackets as they need
kernels     What a kernel computes, as an expression: it is called with symbols in place of arrays
templates   Operations whose kernels say more than a reader wants to know
statements  A graph as lines of Python: what gets a name, what stands within another expression
loops       Loops and branches, as loops and branches
derivation  The value and the gradient of a function as one graph
program     tf.source: the text, and the function that it is
"""
