"""XLA's own versions of rows, by family: where a kernel is NumPy's, or jax.numpy has a better way.

all_versions       Importing it fills the tables
helpers            What kernels call that is written for NumPy's memory: scatters, checks, rows in parts
elementwise        Elementwise rows, and others that look at all elements
special_functions  Bessel functions, which JAX lacks
windows            Convolutions, pooling and other functions of sliding windows
linear_algebra     Decompositions and systems
variables          Variables: read, replaced and changed while a plan is traced
lists              Lists of loops and of tf.TensorArray
bodies             What bodies of loops and branches carry on
iterations         How many iterations a loop has, if its counters say it
loops              Loops
branches           Branches
random_numbers     NumPy's bits, from Philox in XLA's integers
"""
