"""tensorflow.contrib.eager: eager mode before it became part of TensorFlow itself."""

from wengert.api.function.function import function as defun
from wengert.api.function.python_functions import py_function as py_func
from wengert.api.gradients.custom_gradient import custom_gradient as custom_gradient
from wengert.api.gradients.gradient_checker import compute_gradient as compute_gradient
from wengert.api.gradients.gradient_tape import GradientTape as GradientTape
from wengert.api.session.modes import enable_eager_execution as enable_eager_execution
from wengert.api.session.modes import executing_eagerly as executing_eagerly
from wengert.compat.internals.eager.backprop import gradients_function as gradients_function
from wengert.compat.internals.eager.backprop import implicit_grad as implicit_gradients
from wengert.compat.internals.eager.backprop import (
    implicit_val_and_grad as implicit_value_and_gradients,
)
from wengert.compat.internals.eager.backprop import make_vjp as make_vjp
from wengert.compat.internals.eager.backprop import (
    val_and_grad_function as value_and_gradients_function,
)
from wengert.state.variable import Variable as Variable
from wengert.testing.decorators import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes,
)
from wengert.testing.decorators import (
    run_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes,
)

__all__ = [
    "defun",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "py_func",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
    "value_and_gradients_function",
]
