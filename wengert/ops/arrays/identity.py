"""identity, stop_gradient and others that return their input but treat its gradient differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import EachInput, Row
from wengert.core.table import op
from wengert.errors import AnomalyError, InvalidArgumentError, NoGradientError
from wengert.inference.public_functions import deferrable
from wengert.inference.symbolic_integers import by_function
from wengert.ops.math.comparison import where
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.declare import INEXACT, TENSOR_LIKE, wrong_dtype
from wengert.values import dtypes, nest
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import shape_text, stretches
from wengert.values.symbolic import SymbolicTensor, is_certain, known_shape
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

IDENTITY: Row = op(
    "Identity",
    lambda _, x: x,
    vjp=(lambda g, y, x: g,),
    elementwise=True,
    integers=by_function(lambda x: x),
    passes_slices=True,
    saves="",
)


def _at_reading(shape: Any) -> Any:
    """What is known of the shape of a value: sizes that are not fixed may be others at each reading."""
    known = known_shape(shape)
    return None if known.rank is None else tuple(known)


READ: Row = op(
    "ReadVariableOp",
    lambda _, x: x,
    step=lambda _, cell: cell._array,
    shape=_at_reading,
    enters=True,
    vjp=(lambda g, y, x: g,),
    elementwise=True,
    passes_slices=True,
    saves="y",  # the variable may have another value when a rule runs
)
IDENTITY_N: Row = op(
    "IdentityN",
    lambda _, *xs: xs,
    vjp=EachInput(lambda i, gs, ys, *xs: gs[i]),
    linear="jointly",
    batch=lambda batched, n, xs, attrs: apply(IDENTITY_N, batch_all(batched, n, xs)),
    many=True,
    saves="",
)
# A value, once another is there: it is copied, so that no engine takes the two for one.
AFTER: Row = op(
    "After",
    lambda _, x, other: x.copy(),
    vjp=(lambda g, y, x, other: g, None),
    shape=lambda x, other: x,
    batch=lambda batched, n, xs, attrs: apply(AFTER, batch_all(batched, n, xs)),
    saves="",
)
STOP_GRADIENT: Row = op("StopGradient", lambda _, x: x, elementwise=True, cuts=True)


def _check_kernel(_: Namespace, x: Array, *, message: str, of_gradient: bool = False) -> Array:
    if not np.all(np.isfinite(x)):
        found = " and ".join(
            word
            for word, there in (
                ("Inf", np.any(np.isinf(x))),
                ("NaN", np.any(np.isnan(x))),
            )
            if there
        )
        kind = AnomalyError if of_gradient else InvalidArgumentError
        raise kind(f"{message} : Tensor had {found} values [Op:CheckNumerics]")
    return x


CHECK_NUMERICS: Row = op(
    "CheckNumerics",
    _check_kernel,
    vjp=(
        lambda g, y, x, *, message, **_: check_numerics(
            g,
            "Not a number (NaN) or infinity (Inf) values detected in gradient. "
            f"CheckNumerics: {message}",
        ),
    ),
    elementwise=True,
    linear=(0,),
    saves="",
    checks=True,
)


@deferrable
def identity(input: TensorLike, name: str | None = None) -> Any:
    """A new tensor with the same value.

    >>> tf.identity(2.0).numpy()
    np.float32(2.0)
    """
    if isinstance(input, IndexedSlices):
        return input.with_values(identity(input.values))
    if nest.is_composite(input):
        return nest.with_tensors(input, [identity(part) for part in nest.tensors_of(input)])
    return apply(IDENTITY, (convert(input),))


def after(x: TensorLike, other: SymbolicTensor | None) -> Any:
    """A new tensor with the same value; of a graph, one that is there only once another is.

    What is computed of it again is so not taken for what was computed before, nor computed too soon.
    """
    return identity(x) if other is None else apply(AFTER, (convert(x), other))


@deferrable
def identity_n(input: TensorLike, name: str | None = None) -> list[Tensor]:
    """The same values as new tensors, in one operation whose gradient sees all of them.

    >>> [t.numpy().item() for t in tf.identity_n([1.0, 2])]
    [1.0, 2]
    """
    if not isinstance(input, (list, tuple)):
        raise TypeError(
            "Expected list for 'input' argument to 'identity_n' Op, "
            f"not {type(input).__name__}: {input!r}."
        )
    results: list[Tensor] = apply(IDENTITY_N, [convert(x) for x in input])
    return results


@deferrable
def stop_gradient(input: Any, name: str | None = None, *, mask: Any = None) -> Any:
    """The same value, treated as a constant by gradients.

    Args:
        input: A tensor, or a nested structure of them.
        name: A name for the operation.
        mask: Which elements are treated so, in derivatives of every order and mode; all, if it is not
            given. Of the shape of the tensor or one that broadcasts to it, and nested as `input` is.

    Returns:
        Tensors of the same values.

    Raises:
        TypeError: If the mask is not of booleans.
        InvalidArgumentError: If it does not broadcast to the shape of the tensor.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)
    >>> tf.grad(lambda x: tf.reduce_sum(tf.stop_gradient(x, mask=x > 1.0)))(tf.constant([1.0, 2.0])).numpy()
    array([1., 0.], dtype=float32)
    """
    if mask is not None:
        return nest.map_structure(_stopped_where, input, mask)
    if isinstance(input, (list, tuple)) and not any(
        isinstance(x, TENSOR_LIKE) for x in nest.flatten(input)
    ):
        input = convert(input)  # numbers, which are one tensor to every operation
    return nest.map_structure(
        lambda x: apply(STOP_GRADIENT, (convert(x),)), input, expand_composites=True
    )


def _stopped_where(input: TensorLike, mask: TensorLike) -> Tensor:
    x, stopped = convert(input), convert(mask)
    if stopped.dtype is not dtypes.bool_:
        raise TypeError(
            f"The mask of tf.stop_gradient is of booleans, got {stopped.dtype.name}: compare, or cast "
            "it to tf.bool."
        )
    have, wanted = dims(stopped), dims(x)
    if is_certain(have) and is_certain(wanted) and not stretches(have, wanted):
        raise InvalidArgumentError(
            f"Shapes {shape_text(have)} and {shape_text(wanted)} are incompatible: a mask must "
            "broadcast to the shape of the tensor [Op:StopGradient]"
        )
    return where(stopped, apply(STOP_GRADIENT, (x,)), x)


@deferrable
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; an error with the message if it contains NaN or infinity.

    >>> tf.debugging.assert_all_finite([1.0, 2.0], "found one").numpy().tolist()
    [1.0, 2.0]
    """
    return check_numerics(x, message)


@of_one
@deferrable
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The same value, or an error if it, or later its gradient, contains NaN or Inf.

    >>> tf.debugging.check_numerics([1.0, float("nan")], "loss")
    Traceback (most recent call last):
        ...
    wengert.errors.InvalidArgumentError: loss : Tensor had NaN values [Op:CheckNumerics]
    """
    x = convert(tensor)
    if x._array.dtype.kind not in INEXACT:
        raise wrong_dtype(CHECK_NUMERICS, x.dtype)
    result: Tensor = apply(CHECK_NUMERICS, (x,), {"message": message})
    return result


def check_cotangent(tensor: Tensor, message: str) -> Tensor:
    """The same tensor, or an AnomalyError with the message if an element is NaN or infinite."""
    attrs = {"message": message, "of_gradient": True}
    result: Tensor = apply(CHECK_NUMERICS, (tensor,), attrs)
    return result


def _prevented(g: Tensor, y: Tensor, x: Tensor, *, message: str) -> Tensor:
    raise NoGradientError(
        f"Gradient explicitly disabled. Reason: {message or 'tf.raw_ops.PreventGradient'}"
    )


PREVENT_GRADIENT: Row = Row(
    "PreventGradient",
    lambda _, x, *, message: x,
    vjp=(_prevented,),
    shape=lambda have, *, message: have,
)


def prevent_gradient(input: TensorLike, message: str = "", name: str | None = None) -> Tensor:
    """The tensor itself; its gradient is an error with a message."""
    result: Tensor = apply(PREVENT_GRADIENT, (convert(input),), {"message": message}, name)
    return result
