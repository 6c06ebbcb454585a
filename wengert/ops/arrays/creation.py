"""Creation of tensors: constants, zeros, ranges, grids."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph, is_replaced, made_from, to_graph
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.malloc import LARGE, keep_memory
from wengert.inference.public_functions import deferrable
from wengert.inference.symbolic_integers import array_of, integers_of
from wengert.ops.arrays.joining import stack
from wengert.ops.arrays.shaping import (
    BROADCAST_TO,
    FILL,
    as_shape,
    broadcast_to,
    one_axis,
    reshape,
    static,
    transpose,
)
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.elementwise import cast, in_floats
from wengert.ops.support.batch_rules import BatchRule
from wengert.ops.support.declare import convert_alike
from wengert.ops.support.replaced_types import warn_of_replaced
from wengert.values import dtypes
from wengert.values.convert import convert, convert_to_tensor, register_converter
from wengert.values.dimensions import Dimension
from wengert.values.dtypes import DType, as_dtype
from wengert.values.shapes import TensorShape, shape_text
from wengert.values.sizes import Size, Symbol, certainly, evaluate, inference_mode, positive
from wengert.values.symbolic import AnyShape, SymbolicTensor, count_of, is_certain
from wengert.values.tensor import Tensor, dims, wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array, DTypeLike, IntLike, ShapeLike, TensorLike


@deferrable
def constant(
    value: Any, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str = "Const"
) -> Tensor:
    """A constant tensor from a number, an array or a nested list, which is copied.

    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    if dtype is not None and isinstance(value, Tensor) and value.dtype is not as_dtype(dtype):
        raise TypeError(
            f"Expected tensor {_shown(value)} with dtype {as_dtype(dtype)!r}, but got dtype "
            f"{value.dtype!r}. Use tf.cast(tensor, {as_dtype(dtype)!r})."
        )
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    wanted = _sizes(shape)
    size, asked = math.prod(dims(tensor)), math.prod(wanted)
    if size == asked:
        return reshape(tensor, wanted)
    if size == 1:
        return to_graph(wrap(np.broadcast_to(np.reshape(np.asarray(tensor), ()), wanted)))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {np.asarray(tensor)} "
        f"(converted from {value!r}) has {size} elements, but got `shape` {wanted} with {asked} "
        "elements."
    )


def _shown(tensor: Tensor) -> object:
    return tensor.numpy() if type(tensor) is Tensor else tensor


_INT: Final = frozenset((int,))


def _are_sizes(shape: Sequence[Any]) -> bool:
    """Whether these are plain numbers, and none is negative."""
    return _INT.issuperset(map(type, shape)) and min(shape, default=0) >= 0


def _sizes(shape: ShapeLike | TensorLike) -> tuple[int, ...]:
    """The shape of a tensor to create."""
    if isinstance(shape, (list, tuple)) and _are_sizes(shape):
        return tuple(shape)
    sizes = as_shape(shape)
    for size in sizes:
        if size < 0 if type(size) is int else certainly(size < 0):
            raise InvalidArgumentError(f"Dimension {size} must be >= 0 [Op:Fill]")
    return tuple([s if type(s) is int else positive(s) for s in sizes])


_FILLING: Final = 1 << 28  # elements, of which a constant would fill the memory


def _made(make: Callable[..., Any], shape: tuple[Any, ...], dtype: Any) -> Tensor:
    """Zeros or ones; during shape inference, any tensor of that shape if it is unknown or large.

    In a graph so many that they would fill the memory are made when it runs, if it does.
    """
    graph = current_graph()
    if graph is not None or inference_mode.now:
        count = math.prod(shape) if is_certain(shape) else None
        guessed = inference_mode.now and (count is None or count >= LARGE)
        if guessed or (count is not None and count >= _FILLING and graph is not None):
            result: Tensor = apply(BROADCAST_TO, (wrap(make((), dtype)),), {"shape": shape})
            return result
    made = make(shape, dtype)
    if made.size >= LARGE:
        keep_memory(made.size)
    return wrap(made) if graph is None else to_graph(wrap(made))


def _of_ones(dtype: DTypeLike) -> Any:
    """The NumPy dtype of a tensor of ones."""
    kind = as_dtype(dtype)
    if kind is dtypes.string:
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    return kind.numpy_dtype


@deferrable
def zeros(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Tensor:  # fmt: skip
    """A tensor of zeros.

    >>> tf.zeros([2]).numpy().tolist()
    [0.0, 0.0]
    """
    kind = as_dtype(dtype)
    if kind is dtypes.string:
        return constant(b"", shape=shape)
    return _made(np.zeros, _sizes(shape), kind.numpy_dtype)


@deferrable
def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Tensor:  # fmt: skip
    """A tensor of ones.

    >>> tf.ones([2]).numpy().tolist()
    [1.0, 1.0]
    """
    return _made(np.ones, _sizes(shape), _of_ones(dtype))


@deferrable
def fill(
    dims: TensorLike, value: TensorLike, name: str | None = None, layout: object = None
) -> Tensor:
    """A tensor filled with a scalar, to which a gradient flows.

    >>> tf.fill([2], 7).numpy().tolist()
    [7, 7]
    """
    scalar = convert(value)
    if scalar.shape.rank == 1 and scalar.shape[0] == 1:
        scalar = reshape(scalar, ())
    if scalar._array.shape:
        raise InvalidArgumentError(
            f"value must represent a scalar, got shape {shape_text(scalar._array.shape)} [Op:Fill]"
        )
    if is_replaced(FILL.name):
        result: Tensor = apply(FILL, (scalar,), {"shape": _sizes(dims)})
        return result
    return broadcast_to(scalar, _sizes(dims))


@deferrable
def eye(
    num_rows: Any,
    num_columns: TensorLike | None = None,
    batch_shape: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, also rectangular or batched: ones on the diagonal, zeros elsewhere.

    >>> tf.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = int(static(num_rows))
    columns = rows if num_columns is None else int(static(num_columns))
    batch = () if batch_shape is None else as_shape(batch_shape)
    shape = _sizes((*batch, rows, columns))
    if inference_mode.now and rows * columns >= LARGE:  # a guess of sizes may be of many gigabytes
        return _made(np.ones, shape, _of_ones(dtype))
    return to_graph(wrap(np.broadcast_to(np.eye(rows, columns, dtype=_of_ones(dtype)), shape)))


@deferrable
def range_(
    start: Any,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Evenly spaced numbers from start (0 by default) up to, but not including, limit.

    >>> tf.range(3).numpy().tolist(), tf.range(1.0, 2.0, 0.5).numpy().tolist()
    ([0, 1, 2], [1.0, 1.5])
    """
    begin, end = (0, start) if limit is None else (start, limit)
    given = None if dtype is None else as_dtype(dtype)
    parts = [convert(v, hint=given) for v in (begin, end, delta)]
    kind = given or max((p.dtype for p in parts), key=_width)
    if not (kind.is_integer or kind.is_floating):
        raise _no_range_of(kind)
    first, last, step = (_end_of_range(*named, kind) for named in zip(_ENDS, parts, strict=True))
    if certainly(step == 0):
        raise InvalidArgumentError("Requires delta != 0: 0 [Op:Range]")
    if any(type(end) is Size for end in (first, last, step)):
        count = positive(-((last - first) // -step))  # rounded up, for either sign
        if (
            is_certain((count,)) and type(step) is not Size
        ):  # so many numbers, from an unknown one on
            return cast(parts[0], kind) + wrap((np.arange(count) * step).astype(kind.numpy_dtype))
        return _made(np.zeros, (count,), kind.numpy_dtype)
    if not (first <= last if step > 0 else first >= last):
        sign = ">" if step < 0 else "<"
        raise InvalidArgumentError(
            f"Requires start {sign}= limit when delta {'<' if step < 0 else '>'} 0: "
            f"{first}/{last} [Op:Range]"
        )
    if kind.is_integer:  # NumPy adds the step to the limit, which may overflow
        first, last, step = int(first), int(last), int(step)
    made = to_graph(wrap(np.arange(first, last, step).astype(kind.numpy_dtype)))
    return made if kind.is_integer else made_from(_RANGE, parts, made)


# Says of what a range was made, where someone takes note of it.
_RANGE: Final = Row("Range", "arange")
_ENDS: Final = ("start", "limit", "delta")
_WIDTHS: Final = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)


def _width(dtype: DType) -> int:
    """The index of a dtype in the order of promotion for ranges."""
    if dtype not in _WIDTHS:
        raise _no_range_of(dtype)
    return _WIDTHS.index(dtype)


def _no_range_of(dtype: DType) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Value for attr 'Tidx' of {dtype.spoken} is not in the list of allowed values: "
        f"{', '.join(d.spoken for d in _WIDTHS)} [Op:Range]"
    )


def _end_of_range(name: str, tensor: Tensor, dtype: DType) -> Any:
    if dims(tensor):
        raise InvalidArgumentError(
            f"{name} must be a scalar, not shape {shape_text(dims(tensor))} [Op:Range]"
        )
    end = tensor if tensor.dtype == dtype else cast(tensor, dtype)
    if type(end) is Tensor:
        return end._array[()]
    known = integers_of(end) if type(end) is SymbolicTensor else None
    return np.asarray(end if known is None else known)[()]


range_.__name__ = range_.__qualname__ = "range"


@deferrable
def linspace(
    start: TensorLike, stop: TensorLike, num: IntLike, name: str | None = None, axis: int = 0
) -> Tensor:
    """`num` evenly spaced values from start to stop, both included.

    >>> tf.linspace(0.0, 1.0, 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    first, last = convert_alike("LinSpace", start, stop)
    first, last = in_floats(first), in_floats(last)
    count = _count(num)
    shape = np.broadcast_shapes(tuple(dims(first)), tuple(dims(last)))
    at = one_axis(axis, len(shape) + 1, "LinSpace")
    steps = np.linspace(0.0, 1.0, count).astype(first.dtype.numpy_dtype)
    weight = convert(steps.reshape([-1 if i == at else 1 for i in range(len(shape) + 1)]))
    kept = (*shape[:at], 1, *shape[at:])
    low, high = (
        reshape(broadcast_to(first, shape), kept),
        reshape(broadcast_to(last, shape), kept),
    )
    for bound in (start, stop):
        warn_of_replaced("tf.linspace", "'Mul' and 'AddV2'", bound, "ConcatV2", "Slice")
    return low * (1.0 - weight) + high * weight


def _count(num: IntLike) -> int:
    count = static(num)
    if count.dtype.kind not in "iuO":
        raise TypeError(f"Argument `num` of tf.linspace must be an integer, got {num!r}.")
    if certainly(count < 0):
        raise InvalidArgumentError(f"Requires num >= 0, got {count} [Op:LinSpace]")
    return int(count)


@deferrable
def meshgrid(*args: TensorLike, **kwargs: Any) -> list[Tensor]:
    """Coordinate arrays of a grid, one for each vector.

    >>> [t.numpy().tolist() for t in tf.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [reshape(v, (-1,)) for v in convert_alike("Meshgrid", *args)]
    shape = tuple(dims(v)[0] for v in vectors)
    grids = [
        broadcast_to(reshape(v, tuple(-1 if j == i else 1 for j in range(len(shape)))), shape)
        for i, v in enumerate(vectors)
    ]
    if indexing == "xy" and len(shape) > 1:
        swap = (1, 0, *range(2, len(shape)))
        grids = [transpose(g, swap) for g in grids]
    return grids


def _counted(sizes: int | Sequence[int | None], dtype: DType, who: str) -> Array:
    largest: Any = sizes if isinstance(sizes, int) else max(sizes, default=0)  # type: ignore[type-var]
    if largest > _greatest(dtype):
        raise InvalidArgumentError(
            f"{largest} does not fit into {dtype.name}: use out_type=tf.int64 [Op:{who}]"
        )
    return np.array(sizes, dtype.numpy_dtype)


@functools.cache
def _greatest(dtype: DType) -> int:
    return int(np.iinfo(dtype.numpy_dtype).max) if dtype.is_integer else int(dtype.max)


def _of_one_example(name: str) -> BatchRule:
    """The examples of a batch have the same shape: it is no batch."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        one = dims(xs[0])[1:]  # and not that of the first: there may be none
        return convert(one if name == "Shape" else count_of(one), attrs["dtype"])

    return rule


SHAPE: Row = op(
    "Shape",
    lambda _, x, *, dtype: _counted(x.shape, dtype, "Shape"),
    shape=lambda have, *, dtype: (len(have),),
    dtype=lambda x, *, dtype: dtype.numpy_dtype,
    integers=lambda xs, attrs: array_of(tuple(iter(dims(xs[0])))),
    batch=_of_one_example("Shape"),
    by_shape=True,
)
SIZE: Row = op(
    "Size",
    lambda _, x, *, dtype: _counted(x.size, dtype, "Size"),
    shape=lambda have, *, dtype: (),
    dtype=lambda x, *, dtype: dtype.numpy_dtype,
    integers=lambda xs, attrs: array_of([count_of(dims(xs[0]))]).reshape(()),
    batch=_of_one_example("Size"),
    by_shape=True,
)


@deferrable
def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape of a tensor, as a tensor.

    >>> tf.shape([[1, 2], [3, 4]]).numpy().tolist()
    [2, 2]
    """
    x, kind = convert(input), as_dtype(out_type or dtypes.int32)
    if not is_certain(dims(x)):
        result: Tensor = apply(SHAPE, (x,), {"dtype": kind})
        return result
    return to_graph(wrap(_counted(dims(x), kind, "Shape")))


@deferrable
def shape_n(
    input: Iterable[TensorLike], out_type: DTypeLike = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The shapes of several tensors.

    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], 3.0])]
    [[2], []]
    """
    return [shape(x, out_type) for x in input]


@deferrable
def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements.

    >>> tf.size([[1, 2], [3, 4]]).numpy().item()
    4
    """
    x, kind = convert(input), as_dtype(out_type or dtypes.int32)
    if not is_certain(dims(x)):
        result: Tensor = apply(SIZE, (x,), {"dtype": kind})
        return result
    return to_graph(wrap(_counted(math.prod(dims(x)), kind, "Size")))


@deferrable
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes.

    >>> tf.rank([[1, 2], [3, 4]]).numpy().item()
    2
    """
    x = convert(input)
    return convert(len(dims(x))) if isinstance(dims(x), tuple) else size(shape(x))


def shape_tensor(sizes: Any) -> Tensor:
    """A shape as a tensor, when some sizes are known only when the graph runs."""
    if isinstance(sizes, AnyShape):
        return shape(sizes.tensor)
    if isinstance(sizes, Tensor):
        return sizes
    return stack([cast(_size_tensor(s) if type(s) is Size else s, dtypes.int32) for s in sizes])


def _size_tensor(size: Size) -> Tensor:
    """A symbolic size as a tensor, computed from the tensors whose sizes it depends on."""
    found: Tensor = evaluate(size, _symbol_tensor, maximum)
    return found


def _symbol_tensor(symbol: Symbol) -> Tensor:
    if symbol.element is None:
        return size(symbol.tensor) if symbol.axis is None else shape(symbol.tensor)[symbol.axis]
    return cast(reshape(symbol.tensor, (-1,))[symbol.element], dtypes.int32)


def blank(x: Tensor, wanted: tuple[int, ...]) -> Tensor:
    """Zeros of a shape, with the dtype of `x`."""
    return to_graph(wrap(np.zeros(wanted, x._array.dtype)))


def _size_converter(value: Size, dtype: DType | None, hint: DType | None) -> Tensor:
    return cast(_size_tensor(value), dtype or hint or dtypes.int32)


def _shape_converter(value: TensorShape, dtype: DType | None, hint: DType | None) -> Tensor:
    if dtype is not None and not dtype.is_integer:
        raise TypeError(
            f"Cannot convert {value!r} to dtype {dtype.name}. Allowed dtypes are tf.int32 and "
            "tf.int64."
        )
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known {value!r} to a Tensor.")
    wanted = dtype or (hint if hint is dtypes.int64 else dtypes.int32)
    return to_graph(wrap(_counted(value.as_list(), wanted, "Const")))


def _dimension_converter(value: Dimension, dtype: DType | None, hint: DType | None) -> Tensor:
    if dtype is not None and not dtype.is_integer:
        raise TypeError(f"Cannot convert {value!r} to dtype {dtype.name}: it is an integer.")
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    return convert(value.value, dtype)


register_converter(Size, _size_converter)
register_converter(Dimension, _dimension_converter)
register_converter(TensorShape, _shape_converter)
