"""tf.test.compute_gradient: Jacobians by automatic differentiation and by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.gradients.gradient_tape import GradientTape
from wengert.api.gradients.graph_gradients import gradients
from wengert.core.context import current_graph
from wengert.graph.graph import defaults
from wengert.ops.arrays.identity import identity
from wengert.ops.math.elementwise import zeros_like
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.dtypes import of_numpy, real_of
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.api.session.session import Session
    from wengert.graph.operation import Operation
    from wengert.values.symbolic import SymbolicTensor
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, TensorLike

# ---- matrices ---------------------------------------------------------------------------------


def _reals(array: Array) -> Array:
    """The numbers of an array as a vector; a complex one is two, its real and imaginary part."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _moved(array: Array, at: int, step: TensorLike) -> Array:
    """The array with one of its numbers changed."""
    copy = np.array(array, order="C")  # so that the vector of its numbers is a view
    _reals(copy.reshape(-1))[at] += step
    return copy


def _theoretical(pull: Callable[[Any], Any], x: Array, y: Array) -> Array:
    """Row by row: what comes back for a one in each place of the result."""
    rows, columns = _reals(y).size, _reals(x).size
    jacobian = np.zeros((rows, columns), real_of(x.dtype))
    for row in range(rows):
        one = _moved(np.zeros_like(y), row, 1)
        pulled = np.asarray(pull(one))
        jacobian[row] = _reals(pulled.astype(x.dtype).reshape(-1))
    return jacobian


def _numerical(value: Callable[[Any], Any], x: Array, y: Array, delta: float) -> Array:
    """Column by column: half the difference over a step in each place of the input."""
    rows, columns = _reals(y).size, _reals(x).size
    jacobian = np.zeros((rows, columns), real_of(x.dtype))
    wide = real_of(y.dtype) if y.dtype.itemsize > 2 else np.dtype(np.float32)
    for column in range(columns):
        above, below = (_reals(value(_moved(x, column, s))) for s in (delta, -delta))
        jacobian[:, column] = (above.astype(wide) - below.astype(wide)) / (2 * delta)
    return jacobian


# ---- tf.test.compute_gradient -----------------------------------------------------------------


def compute_gradient(
    f: Callable[..., Any], x: Sequence[TensorLike], delta: float | None = None
) -> Any:
    """The Jacobians of a function, by automatic differentiation and by finite differences.

    Both are tuples with a matrix for each argument: a row for each number of the result, a column
    for each number of the argument. A complex number counts as two.

    >>> theoretical, numerical = tf.test.compute_gradient(lambda x: x ** 2, [[1.0, 2.0]])
    >>> theoretical[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    >>> bool(np.max(np.abs(theoretical[0] - numerical[0])) < 1e-2)
    True
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    graph = current_graph()
    session = None if graph is None or graph.is_function else _session()
    arrays = [np.asarray(_value_in(session, value)) for value in x]
    for i, array in enumerate(arrays):
        _check_dtype(array, i)
    step = 1.0 / 1024 if delta is None else delta
    if session is not None:
        return _in_session(session, f, arrays, step)
    y = _evaluated(f, arrays)
    pairs = [_jacobians(f, arrays, i, y, step) for i in range(len(arrays))]
    return tuple([t for t, _ in pairs]), tuple([n for _, n in pairs])


def _value_in(session: Session | None, value: TensorLike) -> Any:
    """The value of an argument, which in a graph may be one of its tensors."""
    given = convert(value)
    return given if session is None else session.run(given)


def _in_session(session: Session, f: Callable[..., Any], arrays: list[Any], delta: float) -> Any:
    """The Jacobians of a function of tensors of a graph, which is called once."""
    xs = [identity(wrap(array)) for array in arrays]
    y: Any = _one(f(*xs))
    given = dict(zip(xs, arrays, strict=True))
    like = np.zeros_like(session.run(y, given))
    pairs = [
        _two_jacobians(session, x, array, y, like, delta, given, unconnected=True)
        for x, array in given.items()
    ]
    return tuple([t.T for t, _ in pairs]), tuple([n.T for _, n in pairs])


def _check_dtype(array: Array, index: int) -> None:
    dtype = of_numpy(array.dtype)
    if not dtype.is_differentiable:
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {dtype.name} of argument {index}"
        )


def _evaluated(f: Callable[..., Any], arrays: Sequence[Any]) -> Array:
    return np.asarray(_one(f(*[wrap(a) for a in arrays])))


def _one(result: Tensor) -> Tensor:
    if isinstance(result, (list, tuple)):
        raise TypeError(
            f"The function must return one tensor, it returned {type(result).__name__} of "
            f"{len(result)}. Check each of them by a function of its own."
        )
    return bound.to_dense(result) if isinstance(result, IndexedSlices) else convert(result)


def _jacobians(
    f: Callable[..., Any], arrays: list[Any], at: int, y: Array, delta: float
) -> tuple[Array, Array]:
    def value(x: Array) -> Array:
        return _evaluated(f, [*arrays[:at], x, *arrays[at + 1 :]])

    x = arrays[at]
    return _theoretical(_puller(f, arrays, at), x, y), _numerical(value, x, y, delta)


def _puller(f: Callable[..., Any], arrays: Sequence[Any], at: int) -> Callable[[Any], Any]:
    """From a cotangent of the result to the gradient of one argument; the result is computed once.

    TensorFlow's gradients of complex numbers are conjugated where they enter and leave; the rows
    of a Jacobian of reals are what comes back unchanged.
    """
    tensors = [wrap(a) for a in arrays]
    with GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        result = _one(f(*tensors))

    def pull(one: Array) -> Array:
        pulled = tape.gradient(result, tensors[at], wrap(one))
        return np.zeros_like(arrays[at]) if pulled is None else np.asarray(bound.to_dense(pulled))

    return pull


# ---- tf.compat.v1.test ------------------------------------------------------------------------


def compute_gradient_of_graph(
    x: Tensor | list[Tensor],
    x_shape: Sequence[Any],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """The Jacobian dy/dx of tensors of a graph, by gradients and by finite differences.

    A row for each number of x, a column for each number of y: that of `tf.test` transposed.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session():
    ...     x = v1.placeholder(tf.float64, [2])
    ...     found, _ = v1.test.compute_gradient(x, [2], x ** 2, [2], np.array([1.0, 2.0]))
    >>> found.tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        return _of_graph([x], [x_shape], y, y_shape, [x_init_value], delta, init_targets, feeds)[0]
    values = [None] * len(x) if x_init_value is None else x_init_value
    return _of_graph(x, x_shape, y, y_shape, values, delta, init_targets, feeds)


def compute_gradient_error_of_graph(
    x: Tensor | list[Tensor],
    x_shape: Sequence[Any],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """The largest difference between the two Jacobians of `compute_gradient`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session():
    ...     x = v1.placeholder(tf.float64, [2])
    ...     error = v1.test.compute_gradient_error(x, [2], tf.sin(x), [2])
    >>> bool(error < 1e-6)
    True
    """
    found = compute_gradient_of_graph(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    errors = [
        np.abs(a - b).max() if a.size else 0.0
        for a, b in (found if isinstance(found, list) else [found])
    ]
    return max(errors)


def _of_graph(
    xs: Sequence[Any],
    shapes: Sequence[Any],
    y: Any,
    y_shape: Sequence[int],
    values: Sequence[Any],
    delta: float,
    init_targets: Operation | None,
    feeds: dict[Any, Any],
) -> list[Any]:
    session = _session()
    if init_targets is not None:
        targets = init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]
        for target in targets:
            session.run(target)
    starts = [_start(x, s, v) for x, s, v in zip(xs, shapes, values, strict=True)]
    like = np.zeros(tuple(y_shape), y.dtype.numpy_dtype)
    known = dict(zip(xs, starts, strict=True))
    needed = {x: start for x, start in known.items() if x.op.type == "Placeholder"}
    return [
        _two_jacobians(session, x, start, y, like, delta, {**needed, x: start} | feeds)
        for x, start in known.items()
    ]


def _session() -> Session:
    if current_graph() is None and not defaults.sessions:
        raise RuntimeError(
            "tf.compat.v1.test.compute_gradient checks tensors of a graph in the default session. "
            "Where operations run at once use tf.test.compute_gradient(function, [values])."
        )
    if not defaults.sessions:
        raise ValueError(
            "Cannot compute a gradient: No default session is registered. Use "
            "`with tf.compat.v1.Session():`"
        )
    session: Session = defaults.sessions[-1]
    return session


def _start(x: Tensor, shape: Sequence[int], value: Array | None) -> Array:
    """The value that was given, or numbers between 0 and 1 by chance."""
    dtype = x.dtype
    if not dtype.is_differentiable:
        raise AssertionError(f"Don't know how to compute a gradient of {dtype.name}: {x!r}.")
    if value is not None:
        return np.asarray(value, dtype.numpy_dtype)
    rng = np.random.default_rng()
    numbers = rng.random(tuple(shape))
    if dtype.is_complex:
        numbers = numbers + 1j * rng.random(tuple(shape))
    return np.asarray(numbers, dtype.numpy_dtype)


def _two_jacobians(
    session: Session,
    x: Tensor,
    start: Array,
    y: SymbolicTensor,
    like: Array,
    delta: float,
    given: dict[Any, Any],
    *,
    unconnected: bool = False,
) -> tuple[Any, Any]:
    """Both, by x and by y. A result that does not depend on x is an error, unless it may be."""
    with y.graph.as_default():
        seed = identity(wrap(like))
        (gradient,) = gradients(y, x, seed)
        if gradient is None and unconnected:
            gradient = zeros_like(x)
        if gradient is None:
            raise AssertionError(f"dx = None: {y!r} does not depend on {x!r}.")
        gradient = bound.to_dense(gradient)
    pull = session.make_callable(gradient, [seed, *given])
    value = session.make_callable(y, list(given))
    rest = [v for k, v in given.items() if k is not x]
    order = list(given).index(x)

    def with_x(now: Array) -> list[Any]:
        return [*rest[:order], now, *rest[order:]]

    theoretical = _theoretical(lambda one: pull(one, *with_x(start)), start, like)
    numerical = _numerical(lambda now: np.asarray(value(*with_x(now))), start, like, delta)
    return theoretical.T, numerical.T
