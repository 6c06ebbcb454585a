"""Functions that are given by an equation: they are solved by any means, and differentiated by the equation.

vectors       Structures of tensors as one vector, in our own operations
solvers       Newton's method and others on arrays of NumPy
equation      A solved equation as one operation, with the derivative of the implicit function theorem
roots         implicit_root, fixed_point, minimize_implicit
linear_solve  A linear system whose matrix is a function
eagerly       A function of values as one operation of a graph
ode           ode_solve: initial value problems
"""
