"""tf.debugging.assert_...: checks of values, ranks, shapes and dtypes.

What is known when a graph is built is checked then; the rest is checked by an Assert operation when
the graph runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.context import activate, current_graph
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import nameable, typed
from wengert.ops.arrays.creation import rank as rank_of
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.creation import size as size_of
from wengert.ops.control.effects import Assert, no_op
from wengert.ops.math import comparison
from wengert.ops.math.arithmetic import add, minimum, multiply, subtract
from wengert.ops.math.complex import abs as abs_
from wengert.ops.reductions.reductions import reduce_all, reduce_any
from wengert.state.variable import Variable
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype, float32, int32
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import Form, SymbolicTensor, is_certain
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import check_of_two

if TYPE_CHECKING:
    from wengert.graph.operation import Operation
    from wengert.values.typing import Array, DTypeLike, IntLike, TensorLike

Compare = Callable[[Any, Any], Any]


def same_vectors(p: Tensor, q: Tensor) -> Tensor:
    """Whether two vectors are equal; their sizes may differ."""
    count = minimum(size_of(p), size_of(q))
    same = reduce_all(comparison.equal(p[:count], q[:count]))
    return comparison.logical_and(comparison.equal(size_of(p), size_of(q)), same)


def of_same_shape(a: Tensor, b: Tensor, message: str) -> Tensor:
    """`a`, after a check at run time that two shapes, possibly of unknown rank, are equal."""
    # A known shape is a constant, which for a variable avoids reading it.
    p, q = [convert(dims(v), int32) if is_certain(dims(v)) else shape_of(v) for v in (a, b)]
    return bound.provided(a, same_vectors(p, q), message)


# ---- values -----------------------------------------------------------------------------------


@nameable
def _compared(
    sign: str,
    compare: Compare,
    x: TensorLike,
    y: TensorLike,
    message: object,
    summarize: int | None,
    name: str | None = None,
) -> Operation | None:
    """Assert that a comparison holds for all elements of two tensors."""
    a = convert(x)
    b = convert(y, hint=a.dtype)
    if _known(a) is not None and _known(b) is not None:
        if np.all(_now(compare, _eager(a), _eager(b))):
            return _nothing()
        raise InvalidArgumentError(_difference(sign, compare, a, b, message, summarize))
    told: list[Any] = [f"{_opening(message)}Condition x {sign} y did not hold element-wise:"]
    told += [*_shown("x", a), *_shown("y", b)]
    return Assert(reduce_all(compare(a, b)), told, summarize)


def _known(x: Tensor) -> Array | None:
    """The value of a tensor, if it is known already."""
    own = x._array
    return getattr(x, "_known", None) if isinstance(own, Form) else own  # of a batch, none


def _eager(x: Tensor) -> Array:
    return np.asarray(_known(x))


def _now(compare: Compare, a: Array, b: Array) -> Array:
    with activate((), None):
        return np.asarray(compare(a, b))


def _nothing() -> Operation | None:
    """The result of a check that has passed already."""
    return None if current_graph() is None else no_op()


def _opening(message: object) -> str:
    return "" if message is None else f"{message}\n"


def _shown(name: str, x: Tensor) -> list[Any]:
    return [f"{name} ({getattr(x, 'name', '') if type(x) is SymbolicTensor else ''}) = ", x]


def _difference(
    sign: str, compare: Compare, a: Tensor, b: Tensor, message: object, summarize: Any
) -> str:
    """TensorFlow's message about the first elements for which a comparison does not hold."""
    p, q = np.broadcast_arrays(_eager(a), _eager(b))
    count = 3 if summarize is None else summarize
    lines = [f"{_opening(message)}Condition x {sign} y did not hold."]
    if p.ndim:
        wrong = np.argwhere(np.logical_not(_now(compare, p, q)))
        first = wrong[: count if count >= 0 else None]
        at = tuple(first.T)
        lines += [
            f"Indices of first {len(first)} different values:",
            str(first),
            f"Corresponding x values:\n{p[at]}",
            f"Corresponding y values:\n{q[at]}",
        ]
    for name, value in (("x", _eager(a)), ("y", _eager(b))):
        some = value.ravel()[: count if count >= 0 else None]
        lines += [f"First {some.size} elements of {name}:", str(some)]
    return "\n".join(lines)


@check_of_two
@typed
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that all elements are equal.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    return _compared("==", comparison.equal, x, y, message, summarize, name=name)


@check_of_two
@typed
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: object = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that no elements are equal.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return _compared("!=", comparison.not_equal, x, y, message, summarize, name=name)


@check_of_two
@typed
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that every element of x is below that of y.

    >>> tf.debugging.assert_less([1, 2], 3)
    """
    return _compared("<", comparison.less, x, y, message, summarize, name=name)


@check_of_two
@typed
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that no element of x is above that of y.

    >>> tf.debugging.assert_less_equal([1, 2], 2)
    """
    return _compared("<=", comparison.less_equal, x, y, message, summarize, name=name)


@check_of_two
@typed
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that every element of x is above that of y.

    >>> tf.debugging.assert_greater([1, 2], 0)
    """
    return _compared(">", comparison.greater, x, y, message, summarize, name=name)


@check_of_two
@typed
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that no element of x is below that of y.

    >>> tf.debugging.assert_greater_equal([1, 2], 1)
    """
    return _compared(">=", comparison.greater_equal, x, y, message, summarize, name=name)


@nameable
def _signed(
    sign: str,
    compare: Compare,
    x: TensorLike,
    message: object,
    summarize: int | None,
    name: str | None = None,
) -> Operation | None:
    """Assert a comparison of every element with zero."""
    tensor = convert(x)
    opening = "" if message is None else f"{message}.  "
    sentence = f"Condition x {sign} 0 did not hold element-wise:"
    if _known(tensor) is not None:
        value = _eager(tensor)
        if np.all(_now(compare, value, value.dtype.type(0))):
            return _nothing()
        kind = f"x (shape={tensor.shape} dtype={tensor.dtype.name}) = "
        shown = str([str(v) for v in value.ravel()[: 3 if summarize is None else summarize]])
        raise InvalidArgumentError(
            f"{opening}\n{sentence}\n{kind}\n{shown if value.ndim else value}"
        )
    holds = reduce_all(compare(tensor, convert(0, hint=tensor.dtype)))
    return Assert(holds, [opening, sentence, *_shown("x", tensor)], summarize)


def assert_positive(
    x: TensorLike, message: object = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Assert that every element is above zero.

    >>> tf.debugging.assert_positive([1.0, 2.0])
    """
    return _signed(">", comparison.greater, x, message, summarize, name=name)


def assert_negative(
    x: TensorLike, message: object = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Assert that every element is below zero.

    >>> tf.debugging.assert_negative([-1.0, -2.0])
    """
    return _signed("<", comparison.less, x, message, summarize, name=name)


def assert_non_negative(
    x: TensorLike, message: object = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Assert that no element is below zero.

    >>> tf.debugging.assert_non_negative([0.0, 1.0])
    """
    return _signed(">=", comparison.greater_equal, x, message, summarize, name=name)


def assert_non_positive(
    x: TensorLike, message: object = None, summarize: int | None = None, name: str | None = None
) -> Operation | None:
    """Assert that no element is above zero.

    >>> tf.debugging.assert_non_positive([0.0, -1.0])
    """
    return _signed("<=", comparison.less_equal, x, message, summarize, name=name)


@check_of_two
@nameable
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: object = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Operation | None:
    """Assert that |x - y| <= atol + rtol * |y|; both default to ten times the dtype's epsilon.

    >>> tf.debugging.assert_near(1.0, 1.0 + 1e-7)
    """
    a = convert(x)
    b = convert(y, a.dtype if not isinstance(y, Tensor) else None)
    real = b.dtype.real_dtype
    eps = 10 * float(np.finfo(real.as_numpy_dtype).eps) if real.is_floating else 0.0
    relative = convert(eps if rtol is None else rtol, hint=real)
    absolute = convert(eps if atol is None else atol, hint=real)
    allowed = add(absolute, multiply(relative, abs_(b)))
    holds = reduce_all(comparison.less_equal(abs_(subtract(a, b)), allowed))
    told = "" if message is None else f"{message}.  "
    sizes = [f"{_number(relative)}", f"{_number(absolute)}"]
    words = f"x and y not equal to tolerance rtol = {sizes[0]}, atol = {sizes[1]}"
    return Assert(holds, [told, words, *_shown("x", a), *_shown("y", b)], summarize)


def _number(x: Tensor) -> str:
    known = _known(x)
    return str(x) if known is None else str(np.asarray(known))


# ---- ranks and shapes -------------------------------------------------------------------------


def _ranked(
    x: TensorLike,
    message: object,
    wanted: str,
    fits: Compare,
    later: Callable[..., Any],
    data: list[Any],
) -> Operation | None:
    """Assert something of a tensor's rank: now if it is known, otherwise when the graph runs."""
    tensor = convert(x)
    opening = "" if message is None else f"{message}.  "
    called = tensor.name if type(tensor) is SymbolicTensor else ""
    rank = tensor.shape.rank
    if rank is None:
        told = [opening, f"Tensor {called} must have rank {wanted}", *data, "Received shape: "]
        return Assert(later(rank_of(tensor)), [*told, shape_of(tensor)])
    if not fits(rank, None):
        raise ValueError(
            f"{opening}Tensor {called} must have rank {wanted}.  Received rank {rank}, shape "
            f"{tensor.shape}"
        )
    return _nothing()


def _static_rank(rank: TensorLike | IntLike) -> int:
    value = rank if isinstance(rank, int) else np.asarray(convert(rank))
    if np.asarray(value).dtype.kind not in "iu":
        raise TypeError(f"Rank must be a scalar integer, got {rank!r}")
    if np.ndim(value):
        raise ValueError(f"Rank must be a scalar, got {rank!r}")
    return int(value)


@nameable
def assert_rank(
    x: TensorLike, rank: IntLike, message: object = None, name: str | None = None
) -> Operation | None:
    """Assert that a tensor has a rank.

    >>> tf.debugging.assert_rank([[1.0]], 2)
    """
    wanted = _static_rank(rank)
    return _ranked(
        x, message, str(wanted), lambda r, _: r == wanted,
        lambda r: comparison.equal(r, wanted), [],
    )  # fmt: skip


@nameable
def assert_rank_at_least(
    x: TensorLike, rank: IntLike, message: object = None, name: str | None = None
) -> Operation | None:
    """Assert that a tensor has at least a rank.

    >>> tf.debugging.assert_rank_at_least([[1.0]], 1)
    """
    least = _static_rank(rank)
    return _ranked(
        x, message, f"at least {least}", lambda r, _: r >= least,
        lambda r: comparison.greater_equal(r, least), [],
    )  # fmt: skip


@nameable
def assert_rank_in(
    x: TensorLike, ranks: Iterable[IntLike], message: object = None, name: str | None = None
) -> Operation | None:
    """Assert that a tensor has one of several ranks.

    >>> tf.debugging.assert_rank_in([[1.0]], [1, 2])
    """
    wanted = tuple([_static_rank(r) for r in ranks])
    return _ranked(
        x, message, f"in {wanted}", lambda r, _: r in wanted,
        lambda r: reduce_any(comparison.equal(r, list(wanted))), [],
    )  # fmt: skip


def assert_scalar(tensor: TensorLike, message: object = None, name: str | None = None) -> Any:
    """Assert that a tensor is a scalar; returns it.

    >>> tf.debugging.assert_scalar(3.0).numpy()
    np.float32(3.0)
    """
    x = convert(tensor)
    if x.shape.rank not in (None, 0):
        opening = "" if message is None else f"{message} "
        raise ValueError(f"{opening}Expected scalar shape, saw shape: {x.shape}.")
    return x


@nameable
def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[TensorLike, Any]],
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: object = None,
    name: str | None = None,
) -> Operation | None:
    """Assert the shapes of tensors, in which a name stands for the same size everywhere.

    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3)), (tf.ones([2]), ("N",))])
    """
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    sizes = _Sizes("" if message is None else f"{message}.  ", summarize)
    for value, wanted in pairs:
        sizes.check(convert(value), _symbols(wanted))
    return _nothing()


def _symbols(wanted: Sequence[int | str | EllipsisType]) -> tuple[Any, ...]:
    if isinstance(wanted, TensorShape):
        return tuple(wanted)
    if isinstance(wanted, (str, int)) or not isinstance(wanted, Iterable):
        return (wanted,)
    return tuple(wanted)


class _Sizes:
    """The sizes that names stand for, and where they were first seen."""

    def __init__(self, opening: str, summarize: Any) -> None:
        self._opening = opening
        self._summarize = summarize
        self._first: dict[str, tuple[Any, Any, int]] = {}

    def check(self, x: Tensor, wanted: tuple[Any, ...]) -> None:
        rest = 0
        if wanted and wanted[0] in (Ellipsis, "...", "*") and isinstance(wanted[0], (str, type(...))):  # fmt: skip
            rest, wanted = 1, wanted[1:]
        if rest:
            assert_rank_at_least(x, len(wanted), self._opening or None)
        else:
            assert_rank(x, len(wanted), self._opening.removesuffix(".  ") or None)
        for i, size in enumerate(wanted):
            at = i - len(wanted) if rest else i
            if size is not None and size != ".":
                self._check_size(x, at, size)

    def _check_size(self, x: Tensor, at: int, wanted: int | str) -> None:
        found = x.shape[at] if x.shape.rank is not None else None
        size = shape_of(x)[at] if found is None else found
        source = "Specified explicitly."
        if isinstance(wanted, str) and not wanted.isdigit():
            if wanted not in self._first:
                self._first[wanted] = size, x, at
                return
            expected, other, axis = self._first[wanted]
            source = f"Specified by {_described(other)} dimension {axis}."
        else:
            expected = int(wanted)
        if isinstance(size, int) and isinstance(expected, int):
            if size != expected:
                raise ValueError(
                    f"{self._opening}{source}  {_described(x).capitalize()} dimension {at} must "
                    f"have size {expected}.  Received size {size}, shape {x.shape}"
                )
            return
        told = (
            f"{self._opening}{source}  {_described(x).capitalize()} dimension {at} must have size"
        )
        Assert(comparison.equal(size, expected), [told, expected, "Received shape: ", shape_of(x)])


def _described(x: Tensor) -> str:
    if type(x) is SymbolicTensor:
        return f"tensor {x.name}"
    return f"tensor shape={x.shape} dtype={x.dtype.name}"


# ---- dtypes -----------------------------------------------------------------------------------


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: object = None, name: str | None = None
) -> Operation | None:
    """Assert that a tensor has a dtype.

    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    wanted, x = as_dtype(tf_type), convert(tensor)
    if x.dtype is not wanted:
        opening = "" if message is None else f"{message}  "
        called = f"{x.name} " if type(x) is SymbolicTensor else "tensor "
        raise TypeError(f"{opening}{called}must be of type {wanted!r}; got {x.dtype!r}")
    return _nothing()


def assert_integer(
    x: TensorLike, message: object = None, name: str | None = None
) -> Operation | None:
    """Assert that a tensor has an integer dtype.

    >>> tf.debugging.assert_integer(tf.constant(1))
    """
    tensor = convert(x)
    if not tensor.dtype.is_integer:
        opening = "" if message is None else f"{message}  "
        called = tensor.name if type(tensor) is SymbolicTensor else "tensor"
        raise TypeError(
            f'{opening}Expected "x" to be integer type.  Found: {called} of dtype {tensor.dtype!r}'
        )
    return _nothing()


def assert_proper_iterable(values: object) -> None:
    """Assert that an argument is an iterable of values, not a tensor or a string.

    >>> tf.debugging.assert_proper_iterable([tf.constant(1.0)])
    """
    improper = (Tensor, Variable, IndexedSlices, np.ndarray, bytes, str)
    if isinstance(values, improper):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(
    tensors: Sequence[Any] | None = None, dtype: DTypeLike | None = None
) -> DType:
    """Assert that all tensors have one floating-point dtype; returns it, by default float32.

    Whatever has a dtype is asked for it: a linear operator, a library's distribution.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)])
    tf.float32
    """
    kind = None if dtype is None else as_dtype(dtype)
    first: Any = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        x = tensor if hasattr(tensor, "dtype") else convert(tensor)
        found = as_dtype(x.dtype).base_dtype
        if kind is not None and found is not kind:
            like = "" if first is None else f" as {first}"
            raise ValueError(f"{x}, type={found!r}, must be of the same type ({kind!r}){like}.")
        kind, first = found, x if first is None else first
    kind = kind or float32
    if not kind.is_floating:
        raise ValueError(f"Expected floating point type, got {kind!r}.")
    return kind


def is_numeric_tensor(tensor: object) -> bool:
    """Whether a value is a tensor of numbers.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)
    """
    return isinstance(tensor, (Tensor, Variable)) and tensor.dtype.is_numeric
