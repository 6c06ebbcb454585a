"""The XLA engine: a plan becomes one function of `jax.numpy`, which XLA compiles. JAX is optional.

A plan's steps are evaluated once, while JAX traces, with the rows' own kernels and `jax.numpy` in
place of NumPy. What is known then stays NumPy's, so shapes that a program computes are static.
JAX's differentiation is never used.

backend            JAX, loaded when first asked for
versions           The tables: XLA's own versions of rows, and of what kernels call
traced             Arrays that JAX traces, as NumPy's functions see them
rebound            Kernels that call NumPy by its name, with another namespace in its place
rows               A list of a loop as one array
rooms              How many iterations the stacks of loops have room for; runs that are made again for more
tracing            A plan evaluated while JAX traces: which row computes how, what is checked
placement          On which device a plan runs
meetings           What all processes compute together, counted
layouts            Arrays that lie on several devices
alike              Whether operations of replicas are the same, with the bodies of their loops
groups             The operations of replicas, between two points where they meet
replicas           Replicas of a strategy: one program for all devices
compiled           A plan for values of one kind each, compiled and called; variables give their memory to steps
program            A plan that runs: compiled for each kind of values, which are handed over and back; in parts, where Python is between
engine             The engine as registered with the rest of Wengert
coverage           Which operations XLA computes, as far as a row tells

all_versions       Importing it fills the tables
helpers            What kernels call that is written for NumPy's memory: scatters, checks, rows in parts
elementwise        Elementwise rows, and others that look at all elements
special_functions  Bessel functions, which JAX lacks
windows            Convolutions, pooling and other functions of sliding windows
linear_algebra     Decompositions and systems
variables          Variables: read, replaced and changed while a plan is traced
lists              Lists of loops and of tf.TensorArray
control            Loops and branches
random_numbers     NumPy's bits, from Philox in XLA's integers
"""
