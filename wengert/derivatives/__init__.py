"""Derivatives as functions of functions: each takes a function and gives the function of a derivative.

structures  Nested arguments and results, dataclasses included: their leaves, and how they are put back
arguments   Which arguments of a function are differentiated, as tensors of their own
leaving     Values that leave a function which is differentiated: warnings of what has no gradient then
results     Results of a function that is differentiated: what they must be
trail       What a function computed, operation by operation
cost        What a derivative costs, estimated from the operations of the function
plan        What a derivative will cost, and the ways to compute it
reverse     Reverse mode: grad, value_and_grad, vjp
forward     Forward mode: jvp, linearize, linear_transpose
mapping     vmap: a function of one example becomes a function of many
sparse      Sparse Jacobians and Hessians, by patterns and colors
taylor_mode  All derivatives along a line, up to some order; the forward Laplacian
jacobians   Jacobians and what is made of them: hessian, hvp, laplacian, divergence, curl
scipy_bridge  For SciPy: a Jacobian as a linear operator, and a function with the derivatives that
              optimizers ask for
checkpointing  A loop whose gradient keeps few of its states
closures    A function together with the values it closes over
implicit_functions  Roots, fixed points, minima, linear systems and differential equations
spectral_functions  Functions of Hermitian matrices, by their eigenvalues
outside     Functions of NumPy, SciPy and other programs as operations
"""

from wengert.derivatives.checkpointing import checkpointed_loop as checkpointed_loop
from wengert.derivatives.forward import jvp as jvp
from wengert.derivatives.forward import linear_transpose as linear_transpose
from wengert.derivatives.forward import linearize as linearize
from wengert.derivatives.implicit_functions.linear_solve import linear_solve as linear_solve
from wengert.derivatives.implicit_functions.ode import ode_solve as ode_solve
from wengert.derivatives.implicit_functions.roots import fixed_point as fixed_point
from wengert.derivatives.implicit_functions.roots import implicit_root as implicit_root
from wengert.derivatives.implicit_functions.roots import minimize_implicit as minimize_implicit
from wengert.derivatives.jacobians import curl as curl
from wengert.derivatives.jacobians import divergence as divergence
from wengert.derivatives.jacobians import hessian as hessian
from wengert.derivatives.jacobians import hessian_diag as hessian_diag
from wengert.derivatives.jacobians import hvp as hvp
from wengert.derivatives.jacobians import jacobian as jacobian
from wengert.derivatives.jacobians import laplacian as laplacian
from wengert.derivatives.mapping import per_example_gradients as per_example_gradients
from wengert.derivatives.mapping import vmap as vmap
from wengert.derivatives.outside.wrap import wrap as wrap
from wengert.derivatives.reverse import grad as grad
from wengert.derivatives.reverse import value_and_grad as value_and_grad
from wengert.derivatives.reverse import vjp as vjp
from wengert.derivatives.scipy_bridge import jacobian_operator as jacobian_operator
from wengert.derivatives.scipy_bridge import to_scipy as to_scipy
from wengert.derivatives.spectral_functions.function import spectral_function as spectral_function
from wengert.derivatives.taylor_mode.mode import taylor as taylor
