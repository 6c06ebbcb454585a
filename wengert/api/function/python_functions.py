"""Python functions as operations: tf.numpy_function and tf.py_function."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.api.gradients.registration import read_only
from wengert.core.context import activate, current_graph
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from wengert.inference.public_functions import nameable
from wengert.values.bound_ops import bound
from wengert.values.convert import as_array, convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike


def _unknown_shapes(xs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    """Python functions may return any shapes."""
    return [(None, dtype.numpy_dtype) for dtype in attrs["wanted"]]


# What an error of a Python function is called, as an error of an operation.
_KINDS: Final[Sequence[tuple[Any, type[OpError]]]] = [
    ((TypeError, ValueError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
]


def _run(
    func: Callable[..., Tensor | Array | Sequence[Tensor | Array]], *args: Tensor | Array
) -> Tensor | Array | Sequence[Tensor | Array]:
    """Call a function of the user's; its errors become those of an operation.

    The context variables that it sets are its own, as they are where a graph calls it.
    """
    try:
        return contextvars.copy_context().run(func, *args)
    except OpError:
        raise
    except Exception as error:
        kind = next(made for known, made in _KINDS if isinstance(error, known))
        raise kind(f"{type(error).__name__}: {error}") from error


# ---- functions of arrays ----------------------------------------------------------------------


def _kernel(
    _: Namespace, *arrays: Array, func: Callable[..., Any], wanted: Sequence[DType]
) -> list[Any]:
    results = _as_list(_run(func, *[read_only(a) if a.shape else a for a in arrays]), len(wanted))
    name = getattr(func, "__name__", "pyfunc")
    if len(results) != len(wanted):
        raise InvalidArgumentError(
            f"{name} returns {len(results)} values, but expects to see {len(wanted)} values. "
            "[Op:PyFunc]"
        )
    own = [_as_value(r) for r in results]
    for i, (array, dtype) in enumerate(zip(own, wanted, strict=True)):
        found = convert(array).dtype
        if found is not dtype:
            raise InvalidArgumentError(
                f"{i}-th value returned by {name} is {found.spoken}, but expects {dtype.spoken}. "
                f"Return an array of that dtype, or say Tout=tf.{found.name} [Op:PyFunc]"
            )
    return own


def _as_value(result: Any) -> Array:
    try:
        return as_array(np.asarray(result))
    except ValueError as error:
        raise InternalError(
            f"Unsupported object type {type(result).__name__}, or Unsupported numpy data type: "
            f"{error} [Op:PyFunc]"
        ) from error


def _array_row(name: str, stateful: bool) -> Row:
    """In a tf.function, a stateful one is called even if its results are unused."""
    return op(
        name,
        _kernel,
        forms=_unknown_shapes,
        many=True,
        users=True,
        stateful=stateful,
        effects=stateful,
    )


PY_FUNC: Row = _array_row("PyFunc", stateful=True)
PY_FUNC_STATELESS: Row = _array_row("PyFuncStateless", stateful=False)


def _as_list(result: Tensor | Array | Sequence[Tensor | Array], count: int) -> list[Any]:
    if result is None:
        return []
    if isinstance(result, tuple) or (isinstance(result, list) and len(result) == count):
        return list(result)
    if isinstance(result, list) and count > 1:
        return result
    return [result]


def _wanted(Tout: DTypeLike | Sequence[DTypeLike]) -> tuple[list[DType], bool]:  # noqa: N803
    """The dtypes of the results, and whether there is a single one."""
    if isinstance(Tout, (list, tuple)):
        return [as_dtype(t) for t in Tout], False
    return [as_dtype(Tout)], True


def _decorator(function: Callable[..., Any], tout: Any, *rest: Any) -> Callable[..., Any]:
    """For `@tf.py_function(Tout=...)`: a function whose calls are calls of an operation."""
    if tout is None:
        raise TypeError(
            f"tf.{function.__name__} takes a function, its arguments and Tout; as a decorator, Tout alone."
        )

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def call(*args: Any) -> Any:
            return function(func, args, tout, *rest)

        return call

    return decorate


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Iterable[TensorLike] | None = None,
    Tout: DTypeLike | Sequence[DTypeLike] | None = None,  # noqa: N803
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function on NumPy arrays. No gradient flows through it.

    It reads the caller's context variables; those that it sets are set for the call alone.
    `@tf.numpy_function(Tout=...)` decorates a function whose calls are such calls.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32).numpy()
    np.float32(0.0)
    """
    if func is None or inp is None or Tout is None:
        return _decorator(numpy_function, Tout, stateful, name)
    wanted, single = _wanted(Tout)
    row = PY_FUNC if stateful else PY_FUNC_STATELESS
    results = apply(row, [convert(x) for x in inp], {"func": func, "wanted": wanted}, name)
    return results[0] if single else results


# ---- functions of tensors ---------------------------------------------------------------------


def _called(func: Callable[..., Any], inputs: Sequence[Any], wanted: Sequence[DType]) -> list[Any]:
    """Call the function now or, while a graph is built, when the graph runs."""
    if current_graph() is not None:
        made: list[Any] = apply(EAGER_PY_FUNC, inputs, {"func": func, "wanted": wanted})
        return made
    results = _as_list(_run(func, *inputs), len(wanted))
    if len(results) != len(wanted):
        raise InvalidArgumentError(
            f"The function given to py_function returned {len(results)} values, but Tout names "
            f"{len(wanted)} [Op:EagerPyFunc]"
        )
    return [convert(r, d) for r, d in zip(results, wanted, strict=True)]


def _eager_kernel(
    _: Namespace, *arrays: Array, func: Callable[..., Any], wanted: Sequence[DType]
) -> list[Any]:
    with activate((), None):
        return [y._array for y in _called(func, [wrap(a) for a in arrays], wanted)]


def _pulled(gs: Sequence[Any], ys: Sequence[Tensor], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The gradient is a Python function, too: it calls the function on a tape."""
    func, wanted = attrs["func"], attrs["wanted"]
    there = [g is not None for g in gs]
    plain = [conjugate(g) for g in gs if g is not None]
    places = [i for i, x in enumerate(xs) if x.dtype.is_differentiable]

    def gradients(*values: Tensor) -> tuple[Any, ...]:
        cotangents = iter(values[: len(plain)])
        given = values[len(plain) :]
        seeds = [next(cotangents) if is_there else None for is_there in there]
        pulled = pull_through(lambda *v: _called(func, v, wanted), given, seeds)
        return tuple([_dense(pulled[i], given[i]) for i in places])

    found = _called(gradients, [*plain, *xs], [xs[i].dtype for i in places])
    for i, gradient in zip(places, found, strict=True):
        if isinstance(gradient, SymbolicTensor):
            gradient.adopt(xs[i]._array.shape)
    known = dict(zip(places, found, strict=True))
    return [conjugate(known.get(i)) for i in range(len(xs))]


def _dense(gradient: TensorLike, x: Tensor) -> Tensor:
    return bound.zeros_like(x) if gradient is None else bound.to_dense(gradient)


EAGER_PY_FUNC: Row = op(
    "EagerPyFunc",
    _eager_kernel,
    joint=_pulled,
    forms=_unknown_shapes,
    inline=lambda inputs, attrs: _called(attrs["func"], inputs, attrs["wanted"]),
    many=True,
    users=True,
    stateful=True,
    effects=True,
)


@nameable
def py_function(
    func: Callable[..., Any] | None = None,
    inp: Iterable[TensorLike] | None = None,
    Tout: DTypeLike | Sequence[DTypeLike] | None = None,  # noqa: N803
    name: str | None = None,
) -> Any:
    """Call a Python function on tensors. Gradients of every order flow through its operations.

    It reads the caller's context variables; those that it sets are set for the call alone.
    `@tf.py_function(Tout=...)` decorates a function whose calls are such calls.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda v: v * v if v > 0 else -v, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """
    if func is None or inp is None or Tout is None:
        return _decorator(py_function, Tout, name)
    wanted, single = _wanted(Tout)
    results = _called(func, [convert(x) for x in inp], wanted)
    return results[0] if single else results
