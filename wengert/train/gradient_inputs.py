"""Checks of the gradients and variables that users pass to an optimizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.values import dtypes, nest
from wengert.values.convert import convert
from wengert.values.dtypes import DType
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape, shape_text
from wengert.values.tensor import Tensor, dims
from wengert.values.value import Value


def pairs(grads_and_vars: Any) -> list[tuple[Any, Variable]]:
    """A list of (gradient, variable), where a gradient may be None."""
    given = []
    for pair in grads_and_vars:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                "`grads_and_vars` must hold pairs (gradient, variable), for example "
                f"zip(gradients, variables); found {pair!r}."
            )
        variable = nest.itself(pair[1])
        if not isinstance(variable, Variable):
            raise TypeError(
                f"Argument is not a tf.Variable: {pair[1]!r}. `grads_and_vars` must hold pairs "
                "(gradient, variable), in this order."
            )
        given.append((pair[0], variable))
    return [(_checked(g, v), v) for g, v in given]


def list_variables(variables: Sequence[Variable]) -> str:
    """Variables as shown in messages, without their values."""
    each = (f"'{v.name}' shape={v.shape} dtype={v.dtype.name}" for v in variables)
    return ", ".join(f"<tf.Variable {text}>" for text in each)


def no_gradients(variables: Sequence[Variable]) -> ValueError:
    """The error if no variable has a gradient."""
    if not variables:
        return ValueError(
            "No gradients provided for any variable: []. The list of gradients and variables is empty. "
            "Give it pairs (gradient, variable), such as zip(gradients, variables): a zip that was "
            "read once is empty, and so is a model without trainable variables."
        )
    return ValueError(
        f"No gradients provided for any variable: [{list_variables(variables)}]. All gradients are "
        "None: the loss does not depend on these variables. Compute it from them inside the tape "
        "or the loss function, with differentiable operations only. "
        "tape.explain(loss, variable) says where the way is cut."
    )


def _checked(gradient: Any, variable: Variable) -> Any:
    """The gradient as a tensor or IndexedSlices of the shape of the variable."""
    if gradient is None:
        return None
    if not (variable.dtype.is_floating or variable.dtype.is_complex):
        raise InvalidArgumentError(
            f"Value for attr 'T' of {variable.dtype.spoken} is not in the list of allowed values: "
            f"half, bfloat16, float, double, complex64, complex128. Variable '{variable.name}' "
            "holds no floating-point numbers: leave it out of the variables to train."
        )
    if isinstance(gradient, IndexedSlices):
        _check_shape(_whole_shape(gradient, variable), variable)
        return gradient
    tensor = convert(gradient, hint=variable.dtype)
    _check_shape(tensor.shape, variable)
    return tensor


def _whole_shape(slices: IndexedSlices, variable: Variable) -> TensorShape:
    """The shape of a variable with such rows."""
    values, indices = slices.values.shape, slices.indices.shape
    if values.rank is None or indices.rank is None:
        return TensorShape(None)
    return variable.shape[:1].concatenate(values[indices.rank :])


def _check_shape(shape: TensorShape, variable: Variable) -> None:
    if not shape.is_compatible_with(variable.shape):
        raise InvalidArgumentError(
            f"Cannot update variable with shape {shape_text(dims(variable))} using a Tensor with shape "
            f"{shape_text(shape)}, shapes must be equal. This is the gradient given for variable "
            f"'{variable.name}'; a gradient has the shape of its variable."
        )


def as_dtype_of(variable: Variable, gradient: Any) -> Any:
    """The gradient in the dtype of its variable."""
    return on_values(gradient, lambda g: cast(g, variable.dtype))


def check_dtype(gradient: Tensor | IndexedSlices, variable: Variable) -> None:
    """Raise if a gradient has another dtype than its variable."""
    if gradient.dtype is not variable.dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {variable.dtype.name} for Tensor with dtype "
            f"{gradient.dtype.name}: it is the gradient given for variable '{variable.name}'. "
            f"Use tf.cast(gradient, tf.{variable.dtype.name})."
        )


def scalar(value: Any, dtype: DType | None = None) -> Tensor:
    """A hyperparameter: a number, a tensor, a variable, or a function that returns one.

    Python's numbers become float32 first, whatever the dtype of the variable, as in TensorFlow.
    """
    tensor = convert(value() if callable(value) else value)
    return tensor if dtype is None else cast(tensor, dtype)


def snake_case(name: str) -> str:
    """A class name in snake case, for the name of a variable."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def as_rate(value: Any) -> Any:
    """A learning rate as a variable, so that it can be changed, or as a function or schedule."""
    if isinstance(value, Variable) or callable(value):
        return value
    if isinstance(value, (int, float, np.number, np.ndarray, Value)):
        rate = cast(value, dtypes.float32)
        return Variable(rate, trainable=False, name="learning_rate")
    raise ValueError(
        "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
        "callable (that takes in the current iteration value and returns the corresponding "
        f"learning rate value). Received instead: learning_rate={value}"
    )


def on_values(gradient: Any, function: Callable[[Any], Any]) -> Any:
    """Apply an elementwise function to a tensor or to IndexedSlices."""
    if isinstance(gradient, IndexedSlices):
        return gradient.with_values(function(gradient.values))
    return function(gradient)
