"""Operations whose kernels say more than a reader wants to know: their text, by hand.

Each does what the kernel does, operation by operation, so that the numbers are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.row import Row
from wengert.insight.source.families import TEMPLATES as FAMILIES
from wengert.insight.source.families.functions import TEMPLATES as SPECIAL
from wengert.insight.source.families.functions import of_scipy
from wengert.insight.source.families.rows import (
    batched_gather,
    batched_gather_back,
    changed,
    gathered_nd,
    scattered_nd,
)
from wengert.insight.source.kernels import NotWritableError, Symbol, with_dtype
from wengert.insight.source.text import (
    Text,
    call,
    index_of,
    infix,
    item,
    listed,
    method,
    prefix,
)
from wengert.ops.linalg.matmul import is_ordered

Template = Callable[..., Text]


def _sum(x: Symbol, *, axis: Any, keepdims: bool) -> Text:
    return _reduced("sum", x, axis, keepdims)


def _reduced(name: str, x: Symbol, axis: Any, keepdims: bool) -> Text:
    named: dict[str, Any] = {}
    axes = (
        tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    )
    if not axes:
        return x.text
    if {a % x.ndim for a in axes} != set(range(x.ndim)):
        named["axis"] = axes[0] if len(axes) == 1 else axes
    if keepdims:
        named["keepdims"] = True
        named.setdefault("axis", axes)
    return call(f"np.{name}", x.text, **named)


def _mean(x: Symbol, *, axis: Any, keepdims: bool) -> Text:
    if x.dtype.kind not in "fcV":
        raise NotWritableError("Mean")
    if x.dtype == np.float16:  # the sum is rounded before it is divided
        wide = _reduced("sum", x.astype(np.float32), axis, keepdims)
        axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        count = float(np.prod([x.shape[a] for a in axes]))
        return infix("/", method(wide, "astype", x.dtype), Text(repr(count)))
    return _reduced("mean", x, axis, keepdims)


def _matmul(a: Symbol, b: Symbol, *, transpose_a: bool, transpose_b: bool, **_: Any) -> Text:
    return infix("@", _turned(a, transpose_a), _turned(b, transpose_b))


def _turned(a: Symbol, is_turned: bool) -> Text:
    if not is_turned:
        return a.text
    if a.ndim == 2:
        text = a.text if a.text.level == 100 else Text(f"({a.text})")
        return Text(f"{text}.T")
    return call("np.swapaxes", a.text, -1, -2)


def _select(c: Symbol, x: Symbol, y: Symbol) -> Text:
    return call("np.where", c.text, x.text, y.text)


def _cast(x: Symbol, *, dtype: Any, source: Any) -> Text:
    if source.is_complex and not dtype.is_complex:
        return method(call("np.real", x.text), "astype", np.dtype(dtype.numpy_dtype))
    if dtype.is_bool:
        return infix("!=", x.text, Text("0"))
    return method(x.text, "astype", np.dtype(dtype.numpy_dtype))


def _relu(x: Symbol) -> Text:
    return call("np.maximum", x.text, Text("0"))


def _kept(condition: Text, g: Symbol) -> Text:
    return call("np.where", condition, with_dtype(g).text, Text("0"))


def _pad(x: Symbol, *, paddings: Any) -> Text:
    return call("np.pad", x.text, [tuple(map(int, p)) for p in paddings])


def _softmax(x: Symbol, *, axis: int) -> Text:
    return call("_softmax", x.text, axis)


def _log_softmax(x: Symbol, *, axis: int) -> Text:
    return call("_log_softmax", x.text, axis)


def _slice(x: Symbol, *, key: Any) -> Text:
    return item(x.text, key)


def _slice_gradient(g: Symbol, *, key: Any, shape: Any) -> Text:
    return call("_placed", g.text, index_of(key), tuple(map(int, shape)))


def _gather(x: Symbol, i: Symbol, *, axis: int, batch_dims: int) -> Text:
    if batch_dims:
        return batched_gather(x, i, axis=axis, batch_dims=batch_dims)
    return call("np.take", x.text, i.text, axis=axis)


def _gather_gradient(g: Symbol, i: Symbol, *, axis: int, batch_dims: int, shape: Any) -> Text:
    if batch_dims:
        return batched_gather_back(g, i, axis=axis, batch_dims=batch_dims, shape=shape)
    whole = tuple(map(int, shape))
    if axis % len(whole) == 0:
        return call("_scattered", g.text, i.text, whole)
    key = ", ".join([*[":"] * (axis % len(whole)), i.text.text])
    return call("_scattered", g.text, Text(f"np.s_[{key}]"), whole)


def _band(x: Symbol, *, lower: int, upper: int) -> Text:
    return call("_band", x.text, lower, upper)


def _concatenated(*xs: Symbol, axis: int) -> Text:
    return call("np.concatenate", listed([x.text for x in xs]), axis)


def _stacked(*xs: Symbol, axis: int) -> Text:
    return call("np.stack", listed([x.text for x in xs]), axis)


def _einsum(*xs: Symbol, equation: str) -> Text:
    named = {"optimize": True} if is_ordered([x.size for x in xs]) else {}
    return call("np.einsum", equation, *[x.text for x in xs], **named)


def _totals(*xs: Symbol) -> Text:
    total = xs[0].text
    for x in xs[1:]:
        total = infix("+", total, x.text)
    return total


def _bias(x: Symbol, b: Symbol, *, data_format: str) -> Text:
    if x.ndim > 2 and data_format.startswith("NC"):
        b = Symbol(method(b.text, "reshape", -1, *[1] * (x.ndim - 2)), b.dtype, b.shape)
    return infix("+", x.text, b.text)


def _bias_gradient(g: Symbol, *, data_format: str) -> Text:
    if g.ndim > 2 and data_format.startswith("NC"):
        return call("np.sum", g.text, axis=(0, *range(2, g.ndim)))
    return call("np.sum", g.text, axis=tuple(range(g.ndim - 1)) if g.ndim > 2 else 0)


def _inverse(a: Symbol, *, adjoint: bool) -> Text:
    return call("np.linalg.inv", _turned(a, adjoint and a.dtype.kind == "f"))


def _solved(a: Symbol, b: Symbol, *, adjoint: bool) -> Text:
    return call("np.linalg.solve", _turned(a, adjoint and a.dtype.kind == "f"), b.text)


def _same(x: Symbol, *_: Symbol, **__: Any) -> Text:
    return x.text


def _all(*xs: Symbol) -> Text:
    return listed([x.text for x in xs])


def _spread(x: Symbol, *like: Symbol, shape: Any = None) -> Text:
    """In a shape that is known, or that of another array."""
    if shape is None and not (like and like[0].ndim):
        raise NotWritableError("BroadcastTo")
    whole = call("np.shape", like[0].text) if like else tuple(map(int, shape))
    return call("np.broadcast_to", x.text, whole)


TEMPLATES: Final[dict[str, Template]] = {
    "BroadcastTo": _spread,
    "Identity": _same,
    "After": _same,
    "StopGradient": _same,
    "PreventGradient": _same,
    "ReadVariableOp": _same,
    "EnsureShape": _same,
    "CheckNumerics": _same,
    "Sum": _sum,
    "Prod": lambda x, *, axis, keepdims: _reduced("prod", x, axis, keepdims),
    "Max": lambda x, *, axis, keepdims: _reduced("max", x, axis, keepdims),
    "Min": lambda x, *, axis, keepdims: _reduced("min", x, axis, keepdims),
    "Any": lambda x, *, axis, keepdims: _reduced("any", x, axis, keepdims),
    "All": lambda x, *, axis, keepdims: _reduced("all", x, axis, keepdims),
    "Mean": _mean,
    "MatMul": _matmul,
    "BatchMatMulV2": _matmul,
    "SelectV2": _select,
    "Select": _select,
    "Cast": _cast,
    "Relu": _relu,
    "ReluGrad": lambda g, y: _kept(infix(">", y.text, Text("0")), g),
    "SqrtGrad": lambda y, g: call(
        "np.where",
        infix("!=", g.text, Text("0")),
        infix("/", infix("*", g.text, Text("0.5")), y.text),
        Text("0"),
    ),
    "SigmoidGrad": lambda y, g: infix(
        "*", g.text, infix("*", infix("-", Text("1"), y.text), y.text)
    ),
    "Sigmoid": lambda x: call("_sigmoid", x.text),
    "RsqrtGrad": lambda y, g: call("_rsqrt_gradient", y.text, g.text),
    "L2Loss": lambda x: call("_half_square", x.text),
    "BiasAdd": _bias,
    "BiasAddGrad": _bias_gradient,
    "SoftmaxCrossEntropyWithLogits": lambda x, t: call("_soft_cross_entropy", x.text, t.text),
    "SparseSoftmaxCrossEntropyWithLogits": lambda x, i: call("_cross_entropy", x.text, i.text),
    "SparseSoftmaxCrossEntropySlope": lambda x, i: call("_cross_entropy_slope", x.text, i.text),
    "Cholesky": lambda a: call("np.linalg.cholesky", a.text),
    "MatrixInverse": _inverse,
    "MatrixSolve": _solved,
    "MatrixDeterminant": lambda a: call("np.linalg.det", a.text),
    "MatrixBandPart": _band,
    "GatherNd": gathered_nd,
    "ScatterNd": scattered_nd,
    "TensorScatterAdd": changed("Add", True),
    "TensorScatterSub": changed("Sub", True),
    "TensorScatterUpdate": changed("Update", True),
    "Shift": lambda x, *, axis, reverse: call("_shifted", x.text, axis, reverse),
    "Pad": _pad,
    "Softmax": _softmax,
    "LogSoftmax": _log_softmax,
    "Slice": _slice,
    "StridedSlice": _slice,
    "StridedSliceGrad": _slice_gradient,
    "GatherV2": _gather,
    "GatherV2Grad": _gather_gradient,
    "ConcatV2": _concatenated,
    "Pack": _stacked,
    "Einsum": _einsum,
    "AddN": _totals,
    "LogicalNot": lambda x: prefix("~", x.text),
    "LogicalAnd": lambda x, y: infix("&", x.text, y.text),
    "LogicalOr": lambda x, y: infix("|", x.text, y.text),
    "ArgMax": lambda x, *, axis, dtype, **_: method(call("np.argmax", x.text, axis), "astype", _numpy(dtype)),
    "ArgMin": lambda x, *, axis, dtype, **_: method(call("np.argmin", x.text, axis), "astype", _numpy(dtype)),
}  # fmt: skip


def _numpy(dtype: Any) -> Any:
    return np.dtype(getattr(dtype, "numpy_dtype", dtype))


def _parts(x: Symbol, *, axis: int, **_: Any) -> Text:
    return x.text if axis == 0 else call("np.moveaxis", x.text, axis, 0)


def _split(x: Symbol, *, sizes: Any, axis: int, **_: Any) -> Text:
    return call("np.split", x.text, [int(e) for e in np.cumsum(sizes)[:-1]], axis)


# Operations of several results: one expression that gives them all.
TEMPLATES.update({"Unpack": _parts, "Split": _split, "SplitV": _split, "IdentityN": _all})


# Rows that are moved, compared, or added up one by one.
_AS_IT_IS: Final = (
    "MirrorPadGrad", "LinearRecurrence", "SegmentMax", "SegmentMin", "UnsortedSegmentM", "ResourceScatter", "TensorScatter",
)  # fmt: skip
# Of half precision: computed in float32, and rounded once. Special functions are computed in float64.
WIDENED: Final = {
    "Sum", "Prod", "MatMul", "BatchMatMulV2", "Einsum", "Softmax", "LogSoftmax", "L2Loss", "BiasAddGrad",
    "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropySlope", "Cholesky", "MatrixInverse",
    "MatrixSolve", "MatrixDeterminant", "Erf", "Erfc",
    *[name for name in FAMILIES if name not in SPECIAL and not name.startswith(_AS_IT_IS)],
}  # fmt: skip


def template_of(row: Row) -> Template | None:
    """How to write an operation, if that is not what its kernel says."""
    return TEMPLATES.get(row.name) or of_family(row) or of_scipy(row)


def of_family(row: Row) -> Template | None:
    """A text with a helper."""

    def written(*xs: Symbol, **attrs: Any) -> Text:
        if any(0 in x.shape for x in xs[:2]):
            raise NotWritableError(f"{row.name} of nothing")
        found: Text = FAMILIES[row.name](*map(with_dtype, xs), **attrs)
        return found

    return written if row.name in FAMILIES else None
