"""Python functions as operations: tf.numpy_function and tf.py_function."""

from __future__ import annotations

import contextvars
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from wengert.api.function.enclosed import call_enclosed
from wengert.core.batch import Batched
from wengert.core.context import activate, announce, current_graph, graph_around
from wengert.core.dispatch import apply
from wengert.core.reverse import conjugate, pull_through
from wengert.core.row import NO_ATTRS, Attrs, Row
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
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.bound_ops import bound
from wengert.values.composite import Composite
from wengert.values.convert import as_array, convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, wrap
from wengert.values.type_spec import TensorSpec, TypeSpec, spec_of

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, Namespace, TensorLike

Result = TypeVar("Result")


def _unknown_shapes(xs: Sequence[Tensor], attrs: Attrs) -> list[Any]:
    """Python functions may return any shapes."""
    return [(None, dtype.numpy_dtype) for dtype in attrs["wanted"]]


# What an error of a Python function is called, as an error of an operation.
_KINDS: Final[Sequence[tuple[Any, type[OpError]]]] = [
    (OpError, UnknownError),
    ((TypeError, ValueError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
]


def _called_apart(func: Callable[..., Result], *args: Tensor | Array) -> Result:
    """Call a function of the user's. The context variables that it sets are its own."""
    return contextvars.copy_context().run(func, *args)


def _run(func: Callable[..., Result], *args: Tensor | Array) -> Result:
    """The same within an operation: its errors become those of the operation."""
    try:
        return _called_apart(func, *args)
    except Exception as error:
        raise as_operations_error(error) from error


def as_operations_error(error: Exception) -> OpError:
    """What a user's function raised, as an error of the operation that called it."""
    kind = next(made for known, made in _KINDS if isinstance(error, known))
    return kind(f"{type(error).__name__}: {error}")


def _as_list(returned: Result | Sequence[Result] | None) -> list[Any]:
    """The values that a function returned: what is in a list or a tuple, nothing, or a single one."""
    if returned is None:
        return []
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def _check_number(
    func: Callable[..., Any], found: Sequence[Any], wanted: Sequence[DType], op_name: str
) -> None:
    if len(found) != len(wanted):
        raise InvalidArgumentError(
            f"{_name_of(func)} returns {len(found)} values, but expects to see {len(wanted)} "
            f"values. [Op:{op_name}]"
        )


def _name_of(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", "pyfunc")


def _each(wanted: object) -> tuple[Sequence[Any], bool]:
    """What is wanted of each result, and whether there is a single one."""
    return (wanted, False) if isinstance(wanted, (list, tuple)) else ([wanted], True)


# ---- functions of arrays ----------------------------------------------------------------------


def _kernel(
    _: Namespace, *arrays: Array, func: Callable[..., Any], wanted: Sequence[DType]
) -> list[Any]:
    own = [_as_value(r) for r in _as_list(_run(func, *map(_own, arrays)))]
    _check_number(func, own, wanted, "PyFunc")
    for i, (array, dtype) in enumerate(zip(own, wanted, strict=True)):
        found = convert(array).dtype
        if found is not dtype:
            raise InvalidArgumentError(
                f"{i}-th value returned by {_name_of(func)} is {found.spoken}, but expects "
                f"{dtype.spoken}. Return an array of that dtype, or say Tout=tf.{found.name} "
                "[Op:PyFunc]"
            )
    return own


def _own(array: Array) -> Array:
    """A copy, which the function may write to; a single number or string comes as such."""
    return array.copy() if array.shape else array[()]


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


def _called_eagerly(
    func: Callable[..., Any], inputs: Sequence[TensorLike], row: Row
) -> Tensor | list[Tensor] | None:
    """Call the function as Python does: its errors come as they are, and Tout is not asked."""
    returned = _called_apart(func, *map(np.array, inputs))
    if returned is None:
        return None
    given = [x for x in inputs if isinstance(x, (Tensor, Variable))]
    made = [convert(r) for r in nest.flatten(returned)]
    results: list[Tensor] = announce(row, given, NO_ATTRS, made)
    return results[0] if len(results) == 1 else results


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

    The arrays are copies, which it may change. While execution is eager it is called as Python does:
    `Tout` is not asked, and one result is a tensor, several are a list of tensors. In a graph its errors
    are those of an operation, and results that are not of the dtypes in `Tout` are an error.

    It reads the caller's context variables; those that it sets are set for the call alone.
    `@tf.numpy_function(Tout=...)` decorates a function whose calls are such calls.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32).numpy()
    np.float32(0.0)
    """
    if func is None or inp is None or Tout is None:
        return _decorator(numpy_function, Tout, stateful, name)
    row = PY_FUNC if stateful else PY_FUNC_STATELESS
    inputs = list(inp)
    if graph_around() is None and not any(isinstance(x, Batched) for x in nest.flatten(inputs)):
        return _called_eagerly(func, inputs, row)
    wanted, single = _each(Tout)
    attrs = {"func": func, "wanted": [as_dtype(w) for w in wanted]}
    results = apply(row, [convert(x) for x in inputs], attrs, name)
    return results[0] if single else results


# ---- functions of tensors ---------------------------------------------------------------------


class _OfTensors:
    """A Python function whose arguments and results are tensors."""

    def __init__(self, func: Callable[..., Any], wanted: Sequence[DType]) -> None:
        self._func = func
        self._wanted = wanted
        self.__name__ = _name_of(func)

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        """What is returned beyond what is wanted is left out."""
        returned = _as_list(self._func(*tensors))
        return [convert(r, dtype) for r, dtype in zip(returned, self._wanted, strict=False)]


class _Flat:
    """A Python function as one from tensors to tensors: those that its values are made of."""

    def __init__(
        self, func: Callable[..., Any], inputs: Sequence[TypeSpec], wanted: Sequence[TypeSpec]
    ) -> None:
        self._func = func
        self._inputs = inputs
        self._wanted = wanted
        self.__name__ = _name_of(func)

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        """What is returned beyond what is wanted is left out."""
        returned = self._func(*nest.with_tensors(self._inputs, tensors))
        pairs = zip(_as_list(returned), self._wanted, strict=False)
        return [tensor for value, spec in pairs for tensor in self._tensors(value, spec)]

    def _tensors(self, value: TensorLike, spec: TypeSpec) -> list[Tensor]:
        if not isinstance(spec, TensorSpec) and not spec.is_compatible_with(value):
            raise ValueError(
                f"{self.__name__} returned {value!r}, which does not match {spec!r} in Tout."
            )
        return spec._to_tensor_list(value)


def _called(func: Callable[..., Any], inputs: Sequence[Any], wanted: Sequence[DType]) -> list[Any]:
    """Call a function of tensors now or, while a graph is built, when the graph runs."""
    if current_graph() is not None:
        made: list[Any] = apply(EAGER_PY_FUNC, inputs, {"func": func, "wanted": wanted})
        return made
    results: list[Any] = call_enclosed(functools.partial(_run, func), inputs)
    _check_number(func, results, wanted, "EagerPyFunc")
    return results


def _eager_kernel(
    _: Namespace, *arrays: Array, func: Callable[..., Any], wanted: Sequence[DType]
) -> list[Any]:
    with activate((), None):
        return [y._array for y in _called(func, [wrap(a) for a in arrays], wanted)]


def _pulled(gs: Sequence[Any], ys: Sequence[Tensor], xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The gradient is a Python function, too: it calls the function on a tape."""
    func = attrs["func"]
    there = [g is not None for g in gs]
    plain = [conjugate(g) for g in gs if g is not None]
    places = [i for i, x in enumerate(xs) if x.dtype.is_differentiable]

    def gradients(*values: Tensor) -> list[Tensor]:
        cotangents = iter(values[: len(plain)])
        given = values[len(plain) :]
        seeds = [next(cotangents) if is_there else None for is_there in there]
        pulled = pull_through(func, given, seeds)
        return [_dense(pulled[i], given[i]) for i in places]

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
    Tout: DTypeLike | TypeSpec | Sequence[DTypeLike | TypeSpec] | None = None,  # noqa: N803
    name: str | None = None,
) -> Any:
    """Call a Python function on tensors. Gradients of every order flow through its operations.

    They reach what is in `inp`, and nothing else that the function reads, such as variables; an input that
    the results do not depend on has zeros. Composite values in `inp` come as they are; for a composite
    result, `Tout` has its `tf.TypeSpec`.

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
    each, single = _each(Tout)
    given = [x if isinstance(x, (Tensor, Composite)) else convert(x) for x in inp]
    if all(isinstance(x, Tensor) for x in given) and not any(isinstance(w, TypeSpec) for w in each):
        dtypes = [as_dtype(w) for w in each]
        results = _called(_OfTensors(func, dtypes), given, dtypes)
    else:
        results = _called_with_specs(func, given, each)
    return results[0] if single else results


def _called_with_specs(
    func: Callable[..., Any], given: Sequence[Any], each: Iterable[Any]
) -> list[Any]:
    """Call a function some of whose values are made of tensors."""
    wanted = [w if isinstance(w, TypeSpec) else TensorSpec(None, as_dtype(w)) for w in each]
    flat = _Flat(func, list(map(spec_of, given)), wanted)
    dtypes = [part.dtype for part in nest.tensors_of(wanted)]
    tensors = iter(_called(flat, nest.tensors_of(given), dtypes))
    return [_made_of(tensors, spec) for spec in wanted]


def _made_of(tensors: Iterator[Tensor], spec: TypeSpec) -> Tensor | Composite:
    """The next result. Nobody checked that a tensor has the shape in Tout, so it is not relied on."""
    if isinstance(spec, TensorSpec):
        return next(tensors)
    own = list(itertools.islice(tensors, len(spec._flat_tensor_specs)))
    for tensor, part in zip(own, spec._flat_tensor_specs, strict=True):
        tensor.set_shape(part.shape)
    made: Composite = spec._with_parts(iter(own))
    return made
