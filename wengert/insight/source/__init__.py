"""The derivative as a program of NumPy, to read and to keep.

text        Expressions with as few brackets as they need
kernels     What a kernel computes, as an expression: it is called with symbols in place of arrays
families    Operations whose text is a helper of a few lines: convolutions, segments, matrices
templates   Operations whose kernels say more than a reader wants to know
helpers     The functions that a text may call, which are put before it
writer      Which operations a program consists of, and what it calls their results
statements  A graph as lines of Python: what gets a name, what stands within another expression
loops       Loops and branches, as loops and branches
derivation  The value and the gradient of a function as one graph
nests       The derivative as loops: C99, and Python for numba
result      What tf.source gives
program     tf.source: the text, and the function that it is
"""
