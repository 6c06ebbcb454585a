"""Derivatives as functions of functions: each takes a function and gives the function of a derivative.

structures  Nested arguments and results, dataclasses included: their leaves, and how they are put back
arguments   Which arguments of a function are differentiated, as tensors of their own
reverse     Reverse mode: grad, value_and_grad, vjp
forward     Forward mode: jvp, linearize, linear_transpose
mapping     vmap: a function of one example becomes a function of many
jacobians   Jacobians and what is made of them: hessian, hvp, laplacian, divergence, curl
scipy_bridge  For SciPy: a Jacobian as a linear operator, and a function with the derivatives that
              optimizers ask for
vectors     Structures of tensors as one vector, in our own operations
closures    A function together with what it reads from around
solvers     Newton's method and others on arrays of NumPy
equation    A solved equation as one operation, with the derivative of the implicit function theorem
implicit    implicit_root, fixed_point, minimize_implicit
linear_solve  A linear system whose matrix is a function
divided_differences  Divided differences of a function, also where points coincide
spectral    spectral_function: functions of Hermitian matrices
differences Complex steps and finite differences, of functions of arrays
external    wrap: functions of NumPy, SciPy and other programs as operations
eagerly     A function of values as one operation of a graph
ode         ode_solve: initial value problems
"""

from wengert.derivatives.external import wrap as wrap
from wengert.derivatives.forward import jvp as jvp
from wengert.derivatives.forward import linear_transpose as linear_transpose
from wengert.derivatives.forward import linearize as linearize
from wengert.derivatives.implicit import fixed_point as fixed_point
from wengert.derivatives.implicit import implicit_root as implicit_root
from wengert.derivatives.implicit import minimize_implicit as minimize_implicit
from wengert.derivatives.jacobians import curl as curl
from wengert.derivatives.jacobians import divergence as divergence
from wengert.derivatives.jacobians import hessian as hessian
from wengert.derivatives.jacobians import hessian_diag as hessian_diag
from wengert.derivatives.jacobians import hvp as hvp
from wengert.derivatives.jacobians import jacobian as jacobian
from wengert.derivatives.jacobians import laplacian as laplacian
from wengert.derivatives.linear_solve import linear_solve as linear_solve
from wengert.derivatives.mapping import per_example_gradients as per_example_gradients
from wengert.derivatives.mapping import vmap as vmap
from wengert.derivatives.ode import ode_solve as ode_solve
from wengert.derivatives.reverse import grad as grad
from wengert.derivatives.reverse import value_and_grad as value_and_grad
from wengert.derivatives.reverse import vjp as vjp
from wengert.derivatives.scipy_bridge import jacobian_operator as jacobian_operator
from wengert.derivatives.scipy_bridge import to_scipy as to_scipy
from wengert.derivatives.spectral import spectral_function as spectral_function
