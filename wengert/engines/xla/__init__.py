"""The XLA engine: a plan becomes one function of `jax.numpy`, which XLA compiles. JAX is optional.

A plan's steps are evaluated once, while JAX traces, with the rows' own kernels and `jax.numpy` in
place of NumPy. What is known then stays NumPy's, so shapes that a program computes are static.
JAX's differentiation is never used.

backend            JAX, loaded when first asked for
versions           The tables: XLA's own versions of rows, and of what kernels call
asked              What kernels ask of arrays that are only traced
ufuncs             What NumPy's functions, and their methods, are in JAX
traced             Arrays that JAX traces, as NumPy's functions see them
rebound            Kernels that call NumPy by its name, with another namespace in its place
rows               A list of a loop as one array
rooms              How many iterations the stacks of loops have room for; runs that are made again for more
stand_ins          What stands for variables and generators meanwhile
callbacks          Calls of Python from compiled code
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
operations         XLA's own versions of rows, by family
"""
