"""Lowering of what is not elementwise: views, reductions, products, softmax, gathers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Literal,
    View,
    broadcast,
    reshape,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lanes import (
    LANES,
    Lane,
    call,
    cast,
    floor_quotient,
    floor_remainder,
    like,
)
from wengert.engines.native.frontend.lowering import RULES, Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of, is_float, type_of
from wengert.engines.native.frontend.scatter_rules import rows_of_examples
from wengert.graph.operation import Operation

# ---- powers whose exponent is known --------------------------------------------------------------


def _root(x: Lane) -> Lane:
    """Infinity of -infinity, and zero of -0, as a power and unlike the square root."""
    return LANES.where(x == -math.inf, like(x, math.inf), LANES.sqrt(x) + like(x, 0.0))


_POWERS: Final[dict[float, Callable[[Lane], Lane]]] = {
    -1.0: lambda x: like(x, 1.0) / x,
    -0.5: lambda x: like(x, 1.0) / _root(x),
    0.5: _root,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    4.0: lambda x: (x * x) * (x * x),
}


@rule("Pow")
def _power(low: Lowering, op: Operation, x: View, y: View, **_: Any) -> View:
    simple = _POWERS.get(float(y.base.value)) if type(y.base) is Literal else None
    if simple is None or not is_float(x.kind):
        return low.elementwise(op, [x, y])
    return low.computed(simple, broadcast(x, _shape_of(op)))


# ---- views: the same elements in another order or shape ------------------------------------------


def _shape_of(op: Operation, index: int = 0) -> Dims:
    shape: Dims = op.outputs[index]._array.shape
    return shape


@rule("Identity", "StopGradient", "PreventGradient", "Snapshot")
def _same(low: Lowering, op: Operation, x: View, **_: Any) -> View:
    return x


@rule("EnsureShape")
def _of_shape(low: Lowering, op: Operation, x: View, *, shape: Any) -> View:
    if not shape.is_compatible_with(x.shape):
        raise NotLowered("another shape, of which NumPy's kernel tells")
    return x


@rule("IdentityN")
def _same_all(low: Lowering, op: Operation, *xs: View) -> Sequence[View]:
    return xs


@rule("After")
def _after(low: Lowering, op: Operation, x: View, other: View, **_: Any) -> View:
    """A copy: what is computed of it is not taken for what was computed before."""
    return low.copied_after(x, other)


@rule("Reshape", "ExpandDims", "Squeeze")
def _reshape(low: Lowering, op: Operation, x: View, **_: Any) -> View:
    return low.reshape(x, _shape_of(op))


@rule("Transpose")
def _transpose(low: Lowering, op: Operation, x: View, *, perm: Dims) -> View:
    return transpose(x, perm)


@rule("BroadcastTo", "Fill")
def _broadcast(low: Lowering, op: Operation, x: View, *, shape: Dims) -> View:
    return broadcast(x, shape)


@rule("Tile")
def _tile(low: Lowering, op: Operation, x: View, *, multiples: Dims) -> View:
    pairs = [(m, n) for m, n in zip(multiples, x.shape, strict=True)]
    apart = reshape(x, tuple([s for _, n in pairs for s in (1, n)]))
    assert apart is not None
    return low.reshape(broadcast(apart, tuple([s for pair in pairs for s in pair])), _shape_of(op))


@rule("StridedSlice", "Slice")
def _slice(low: Lowering, op: Operation, x: View, *, key: Any) -> View:
    if not all(k is None or k is Ellipsis or isinstance(k, (slice, int)) for k in key):
        raise NotLowered("an index that is no number")
    return slice_view(x, key)


@rule("ReverseV2")
def _reverse(low: Lowering, op: Operation, x: View, *, axis: Dims) -> View:
    return slice_view(x, [slice(None, None, -1 if i in axis else 1) for i in range(len(x.shape))])


@rule("Unpack")
def _unpack(low: Lowering, op: Operation, x: View, *, num: int, axis: int) -> Sequence[View]:
    return [slice_view(x, (*[slice(None)] * (axis % len(x.shape)), i)) for i in range(num)]


@rule("Split", "SplitV")
def _split(low: Lowering, op: Operation, x: View, *, sizes: Dims, axis: int) -> Sequence[View]:
    ends, axis = list(itertools.accumulate(sizes)), axis % len(x.shape)
    return [
        slice_view(x, (*[slice(None)] * axis, slice(end - size, end)))
        for size, end in zip(sizes, ends, strict=True)
    ]


@rule("StridedSliceGrad")
def _slice_grad(low: Lowering, op: Operation, g: View, *, key: Any, shape: Dims) -> View:
    if not all(k is None or k is Ellipsis or isinstance(k, (slice, int)) for k in key):
        raise NotLowered("an index that is no number")
    place = slice_view(whole(Base(shape, g.kind)), key)
    return low.assembled(shape, g.kind, 0, [(broadcast(g, place.shape), place)])


@rule("Pad")
def _pad(low: Lowering, op: Operation, x: View, *, paddings: Any, constant: Any = 0) -> View:
    if np.size(constant) != 1:
        raise NotLowered("padding with several values")
    return padded(low, x, paddings, np.asarray(constant).astype(dtype_of(x.kind)).reshape(())[()])


def padded(low: Lowering, x: View, paddings: Any, fill: Any) -> View:
    """An array with a number around it."""
    shape = tuple([a + n + b for (a, b), n in zip(paddings, x.shape, strict=True)])
    key = [slice(a, a + n) for (a, _), n in zip(paddings, x.shape, strict=True)]
    place = slice_view(whole(Base(shape, x.kind)), key)
    return low.assembled(shape, x.kind, fill, [(x, place)])


RULES["PadV2"] = _pad


@rule("ConcatV2")
def _concat(low: Lowering, op: Operation, *xs: View, axis: int) -> View:
    shape = _shape_of(op)
    return low.assembled(shape, xs[0].kind, None, _side_by_side(shape, axis, xs))


def _side_by_side(shape: Dims, axis: int, xs: Sequence[View]) -> list[tuple[View, View]]:
    target = whole(Base(shape, xs[0].kind))
    parts, begin = [], 0
    for x in xs:
        end = begin + x.shape[axis]
        parts.append((x, slice_view(target, (*[slice(None)] * axis, slice(begin, end)))))
        begin = end
    return parts


@rule("Pack")
def _pack(low: Lowering, op: Operation, *xs: View, axis: int) -> View:
    shape = _shape_of(op)
    apart = [slice_view(x, (*[slice(None)] * axis, None)) for x in xs]
    return low.assembled(shape, xs[0].kind, None, _side_by_side(shape, axis, apart))


@rule("AddN")
def _add_n(low: Lowering, op: Operation, *xs: View) -> View:
    total = xs[0]
    for x in xs[1:]:
        total = low.computed(LANES.add, total, x)
    return total


@rule("BiasAdd")
def _bias_add(low: Lowering, op: Operation, x: View, b: View, *, data_format: str) -> View:
    return low.computed(LANES.add, x, low.reshape(b, _beside(x.shape, data_format)))


def _beside(shape: Dims, data_format: str) -> Dims:
    if data_format == "NHWC":
        return (shape[-1],)
    return (shape[1], *[1] * (len(shape) - 2))


@rule("BiasAddGrad")
def _bias_add_grad(low: Lowering, op: Operation, g: View, *, data_format: str) -> View:
    rank = len(g.shape)
    channel = rank - 1 if data_format == "NHWC" else 1
    return low.reduced("sum", g, [i for i in range(rank) if i != channel], False)


# ---- reductions --------------------------------------------------------------------------------


def _reduction(how: str, kinds: str) -> Callable[..., View]:
    def lowered(low: Lowering, op: Operation, x: View, *, axis: Dims, keepdims: bool) -> View:
        if x.kind[0] not in kinds:
            raise NotLowered(f"{how} of {x.kind}")
        return low.reduced(how, x, axis, keepdims)

    return lowered


RULES["Sum"] = _reduction("sum", "fiu")
RULES["Prod"] = _reduction("prod", "fiu")
RULES["Max"] = _reduction("max", "fiu")
RULES["Min"] = _reduction("min", "fiu")
RULES["All"] = _reduction("all", "b")
RULES["Any"] = _reduction("any", "b")


@rule("Mean")
def _mean(low: Lowering, op: Operation, x: View, *, axis: Dims, keepdims: bool) -> View:
    if not is_float(x.kind):
        raise NotLowered("means of integers")
    count = math.prod([x.shape[i] for i in axis])
    total = low.reduced("sum", x, axis, keepdims)
    return low.computed(lambda t, n: t / n, total, low.number(x.kind, count))


@rule("EuclideanNorm")
def _norm(low: Lowering, op: Operation, x: View, *, axis: Dims, keepdims: bool) -> View:
    if not is_float(x.kind):
        raise NotLowered("norms of integers")
    squares = low.computed(lambda v: v * v, x)
    return low.computed(LANES.sqrt, low.reduced("sum", squares, axis, keepdims))


@rule("L2Loss")
def _l2_loss(low: Lowering, op: Operation, x: View) -> View:
    squares = low.computed(lambda v: v * v, x)
    total = low.reduced("sum", squares, range(len(x.shape)), False)
    return low.computed(lambda t: t * 0.5, total)


# ---- special functions, whose kernels are SciPy's --------------------------------------------------


@rule("PolygammaOfOrder")
def _polygamma(low: Lowering, op: Operation, x: View, *, order: int) -> View:
    return low.computed(lambda v: call(f"polygamma_{order}", v), x)


# ---- products of matrices ----------------------------------------------------------------------


@rule("MatMul", "BatchMatMulV2")
def _matmul(
    low: Lowering, op: Operation, a: View, b: View, *, transpose_a: bool, transpose_b: bool
) -> View:
    return low.product(_turned(a) if transpose_a else a, _turned(b) if transpose_b else b)


def _turned(x: View) -> View:
    rank = len(x.shape)
    return transpose(x, [*range(rank - 2), rank - 1, rank - 2])


# ---- whole quotients ----------------------------------------------------------------------------


@rule("FloorDiv", "FloorMod")
def _whole_quotient(low: Lowering, op: Operation, x: View, y: View) -> View:
    """By a positive number that is known; any other may be zero, which NumPy's kernel reports."""
    if is_float(x.kind):
        return low.elementwise(op, [x, y])
    if type(y.base) is not Literal or not y.base.value > 0:
        raise NotLowered("a remainder of another kind")
    by = int(y.base.value)
    rule = floor_quotient if op.row.name == "FloorDiv" else floor_remainder
    return broadcast(low.computed(lambda v: rule(v, by), x), _shape_of(op))


# ---- softmax and its kin -----------------------------------------------------------------------


def _below_largest(low: Lowering, x: View, axis: int = -1) -> View:
    """x minus the largest element along an axis; NaN still propagates."""
    along = [axis % len(x.shape)]
    return low.computed(LANES.subtract, x, low.reduced("top", x, along, True))


def _softmax_of(low: Lowering, x: View, axis: int = -1) -> View:
    e = low.computed(LANES.exp, _below_largest(low, x, axis))
    total = low.reduced("sum", e, [axis % len(x.shape)], True)
    return low.computed(LANES.multiply, e, low.computed(LANES.reciprocal, total))


def _along(low: Lowering, x: View, axis: int) -> View:
    """Numbers whose softmax is computed along an axis; without axes of one behind it."""
    if not is_float(x.kind):
        raise NotLowered("a softmax of other numbers")
    is_last = all(n == 1 for n in x.shape[axis + 1 :])
    return low.reshape(x, x.shape[: axis + 1]) if is_last else x


@rule("Softmax")
def _softmax(low: Lowering, op: Operation, x: View, *, axis: int) -> View:
    return low.reshape(_softmax_of(low, _along(low, x, axis), axis), x.shape)


@rule("LogSoftmax")
def _log_softmax(low: Lowering, op: Operation, x: View, *, axis: int) -> View:
    d = _below_largest(low, _along(low, x, axis), axis)
    total = low.reduced("sum", low.computed(LANES.exp, d), [axis], True)
    return low.reshape(low.computed(lambda v, t: v - LANES.log(t), d, total), x.shape)


def _labels(low: Lowering, labels: View, depth: int) -> View:
    """Labels as small integers; those out of range become -1."""

    def inside(label: Lane) -> Lane:
        good = LANES.logical_and(label >= 0, label < depth)
        return cast(LANES.where(good, label, -1), np.dtype(np.int32))

    return low.computed(inside, labels)


def _checked(low: Lowering, labels: View) -> None:
    wrong = low.computed(lambda label: label < 0, labels)
    low.checks.append(low.reduced("any", wrong, range(len(labels.shape)), False))


@rule("SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(low: Lowering, op: Operation, x: View, labels: View) -> View:
    if not is_float(x.kind):
        raise NotLowered("logits of integers")
    axis = len(x.shape) - 1
    d = _below_largest(low, x)
    total = low.reduced("sum", low.computed(LANES.exp, d), [axis], False)
    label = _labels(low, labels, x.shape[axis])
    _checked(low, label)
    chosen = low.computed(
        lambda v, at, one: LANES.where(at == one, v, 0.0 * v.dtype.type(0)),
        d, low.places(x.shape, axis), low.reshape(label, (*label.shape, 1)),
    )  # fmt: skip
    picked = low.reduced("sum", chosen, [axis], False)
    return low.computed(lambda p, t: -(p - LANES.log(t)), picked, total)


@rule("SparseSoftmaxCrossEntropySlope")
def _slope(low: Lowering, op: Operation, x: View, labels: View) -> View:
    if not is_float(x.kind):
        raise NotLowered("logits of integers")
    axis = len(x.shape) - 1
    p = _softmax_of(low, x)
    label = low.reshape(_labels(low, labels, x.shape[axis]), (*labels.shape, 1))
    return low.computed(
        lambda v, at, one: LANES.where(at == one, v - 1.0, v), p, low.places(x.shape, axis), label
    )


@rule("OneHot")
def _one_hot(
    low: Lowering, op: Operation, i: View, *, depth: int, axis: int, on: Any, off: Any
) -> View:
    if i.kind[0] not in "iu":
        raise NotLowered("indices that are no integers")
    shape = _shape_of(op)
    label = low.reshape(_labels(low, i, depth), (*i.shape[:axis], 1, *i.shape[axis:]))
    type_of(on.dtype)
    return low.computed(
        lambda at, one: LANES.where(at == one, on[()], off[()]), low.places(shape, axis), label
    )


# ---- gathers -----------------------------------------------------------------------------------


@rule("GatherV2")
def _gather(low: Lowering, op: Operation, x: View, i: View, *, axis: int, batch_dims: int) -> View:
    if batch_dims:
        return rows_of_examples(low, x, i, axis, batch_dims)
    if i.kind not in ("i4", "i8"):
        raise NotLowered("indices of another type")
    inside = low.within(i, 0, x.shape[axis])
    return low.gathered(
        low.stored(x), low.reshape(inside, _among(x.shape, i.shape, axis)), axis, i.shape
    )


def _among(shape: Dims, index: Dims, axis: int) -> Dims:
    """The shape in which an index broadcasts against the other axes of a table."""
    return (*[1] * axis, *index, *[1] * (len(shape) - axis - 1))
