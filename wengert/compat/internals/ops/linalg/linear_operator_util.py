"""tensorflow.python.ops.linalg.linear_operator_util: helpers of linear operators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wengert.api.session.modes import executing_eagerly
from wengert.linear_operators.arguments import broadcast_batches, is_in_blocks, solve_broadcast
from wengert.linear_operators.combined import LinearOperatorAdjoint
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.control import asserts
from wengert.ops.control.effects import no_op
from wengert.ops.math.complex import abs as absolute
from wengert.ops.math.complex import imag
from wengert.state.variable import Variable
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype

# ---- parameters -------------------------------------------------------------------------------


def is_ref(x: Any) -> bool:
    """Whether a value is a variable: what is read of it later may differ."""
    return isinstance(x, Variable)


def assert_not_ref_type(x: Any, arg_name: str) -> None:
    """Raise for a variable."""
    if is_ref(x):
        raise TypeError(f"Argument {arg_name} cannot be a variable. Found: {type(x)}.")


def convert_nonref_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """A tensor, but a variable and None unchanged."""
    if value is None or is_ref(value):
        return value
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    return convert(value, None if dtype is None else as_dtype(dtype), hint)


def base_dtype(dtype: Any) -> Any:
    """The dtype: there are no references here."""
    return None if dtype is None else as_dtype(dtype)


def dtype_name(dtype: Any) -> str:
    """The name of a dtype."""
    return as_dtype(dtype).name


def check_dtype(arg: Any, dtype: Any) -> None:
    """Raise for an argument of another dtype."""
    if arg.dtype is not as_dtype(dtype):
        raise TypeError(
            f"Expected argument to have dtype {dtype}. Found: {arg.dtype} in tensor {arg}."
        )


def shape_tensor(shape: Any, name: str | None = None) -> Any:
    """A shape as a tensor of int32."""
    known = isinstance(shape, (list, tuple)) and not any(hasattr(s, "dtype") for s in shape)
    return convert(np.asarray(shape, np.int32) if known else shape)


# ---- checks -----------------------------------------------------------------------------------


def assert_no_entries_with_modulus_zero(
    x: Any, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Any:
    """Raise if an element is zero."""
    return asserts.assert_positive(absolute(convert(x)), message=message)


def assert_zero_imag_part(
    x: Any, message: str | None = None, name: str = "assert_zero_imag_part"
) -> Any:
    """Raise if an element has an imaginary part."""
    x = convert(x)
    if not x.dtype.is_complex:
        return None if executing_eagerly() else no_op()
    return asserts.assert_equal(imag(x), 0.0, message=message)


def assert_compatible_matrix_dimensions(operator: Any, x: Any) -> Any:
    """Raise unless a matrix has as many rows as the operator has columns."""
    return asserts.assert_equal(
        shape_of(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible: x[-2] must be the number of columns",
    )


def assert_is_batch_matrix(tensor: Any) -> None:
    """Raise unless it has two axes at least."""
    rank = tensor.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(
            f"Expected [batch] matrix to have at least two dimensions. Found: {tensor}."
        )


# ---- batches ----------------------------------------------------------------------------------


def broadcast_matrix_batch_dims(batch_matrices: Any, name: str | None = None) -> list[Any]:
    """Matrices, broadcast to the batch axes that they have in common."""
    if isinstance(batch_matrices, str) or not isinstance(batch_matrices, Iterable):
        raise TypeError(
            f'Argument `batch_matrices` must be a "proper" iterable. Found: {type(batch_matrices)}.'
        )
    matrices = [convert(x) for x in batch_matrices]
    for matrix in matrices:
        assert_is_batch_matrix(matrix)
    return broadcast_batches(matrices) if matrices else []


def matrix_solve_with_broadcast(
    matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None
) -> Any:
    """The solutions of linear systems whose batch axes broadcast."""
    a = convert(matrix)
    return solve_broadcast(a, convert(rhs, hint=a.dtype), adjoint)


# ---- hints ------------------------------------------------------------------------------------


def is_adjoint_pair(x: Any, y: Any) -> bool:
    """Whether two operators are known to be each other's adjoint, without a look at their elements."""
    if x is y:
        return bool(x.is_self_adjoint)
    return _is_adjoint_of(x, y) or _is_adjoint_of(y, x)


def _is_adjoint_of(x: Any, y: Any) -> bool:
    return isinstance(x, LinearOperatorAdjoint) and x.operator is y


def is_aat_form(operators: Sequence[Any]) -> bool:
    """Whether a product of operators reads the same from behind, with adjoints: A A^H is such."""
    listed = list(operators)
    if not listed:
        raise ValueError("AAT form is undefined for empty operators")
    if len(listed) % 2:
        return False
    return all(is_adjoint_pair(listed[i], listed[-i - 1]) for i in range(len(listed) // 2))


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """A hint of an operator, or the one given; raises if they contradict each other."""
    own = getattr(operator, hint_attr_name)
    if None not in (own, provided_hint_value) and own != provided_hint_value:
        raise ValueError(message)
    return own if provided_hint_value is None else provided_hint_value


# ---- blocks -----------------------------------------------------------------------------------


def arg_is_blockwise(block_dimensions: Sequence[Any], arg: Any, arg_split_dim: int) -> bool:
    """Whether an argument is a list of blocks rather than a nested list of numbers."""
    return is_in_blocks([_size(d) for d in block_dimensions], arg, arg_split_dim)


def _size(dimension: Any) -> Any:
    value = dimension[0] if isinstance(dimension, (list, tuple)) else dimension
    return getattr(value, "value", value)


def split_arg_into_blocks(
    block_dims: Any, block_dims_fn: Any, arg: Any, axis: int = -1
) -> list[Any]:
    """The blocks of an argument along its last axis but one, or its last."""
    sizes = [_size(d) for d in block_dims]
    counts = block_dims_fn() if None in sizes else sizes
    begin: Any = 0
    found = []
    for count in counts:
        part = slice(begin, begin + count)
        found.append(arg[..., part, :] if axis == -2 else arg[..., part])
        begin = begin + count
    return found


def _reshape_for_efficiency(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> tuple[Any, Any, Any, bool]:
    """The arguments unchanged: systems with broadcast batches are as fast as others here."""
    return a, b, lambda x: x, False
