"""Operations whose kernels say more than a reader wants to know: their text, by hand.

Each does what the kernel does, operation by operation, so that the numbers are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import ATOM, Text, call, infix, item, listed, method, prefix

Template = Callable[..., Text]


def _sum(x: Symbol, *, axis: Any, keepdims: bool) -> Text:
    return _reduced("sum", x, axis, keepdims)


def _reduced(name: str, x: Symbol, axis: Any, keepdims: bool) -> Text:
    if x.dtype.kind == "V" or x.dtype == np.float16:  # these are added up in a wider dtype
        raise NotWritableError(name)
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
    if x.dtype.kind not in "fc":
        raise NotWritableError("Mean")
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
    return call("np.where", condition, g.text, Text("0"))


def _pad(x: Symbol, *, paddings: Any) -> Text:
    return call("np.pad", x.text, [tuple(map(int, p)) for p in paddings])


def _softmax(x: Symbol, *, axis: int) -> Text:
    return call("_softmax", x.text, axis)


def _log_softmax(x: Symbol, *, axis: int) -> Text:
    return call("_log_softmax", x.text, axis)


def _slice(x: Symbol, *, key: Any) -> Text:
    return item(x.text, key)


def _slice_gradient(g: Symbol, *, key: Any, shape: Any) -> Text:
    return call("_placed", g.text, _index(key), tuple(map(int, shape)))


def _index(key: Any) -> Text:
    """A key as an expression of its own."""
    keys = key if isinstance(key, tuple) else (key,)
    return Text(f"np.s_{item(Text(''), keys if len(keys) > 1 else keys[0]).text}")


def _gather(x: Symbol, i: Symbol, *, axis: int, batch_dims: int) -> Text:
    if batch_dims:
        raise NotWritableError("GatherV2 with batch dimensions")
    return call("np.take", x.text, i.text, axis=axis)


def _gather_gradient(g: Symbol, i: Symbol, *, axis: int, batch_dims: int, shape: Any) -> Text:
    if batch_dims:
        raise NotWritableError("the gradient of a gather with batch dimensions")
    whole = tuple(map(int, shape))
    if axis % len(whole) == 0:
        return call("_scattered", g.text, i.text, whole)
    key = ", ".join([*[":"] * (axis % len(whole)), i.text.text])
    return call("_scattered", g.text, Text(f"np.s_[{key}]"), whole)


def _scatter_nd(i: Symbol, x: Symbol, *, shape: Any, batch_dims: int) -> Text:
    if batch_dims or not i.shape[-1]:
        raise NotWritableError("ScatterNd with batch dimensions")
    return call("_scattered", x.text, _places(i), tuple(map(int, shape)))


def _tensor_scatter(name: str) -> Template:
    def template(x: Symbol, i: Symbol, rows: Symbol, **_: Any) -> Text:
        if not i.shape[-1]:
            raise NotWritableError(name)
        return call(name, x.text, _places(i), rows.text)

    return template


def _places(i: Symbol) -> Text:
    """An index for each axis, of an array of indices."""
    return Text(f"tuple(np.moveaxis({i.text}, -1, 0))")


def _band(x: Symbol, *, lower: int, upper: int) -> Text:
    return call("_band", x.text, lower, upper)


def _concatenated(*xs: Symbol, axis: int) -> Text:
    return call("np.concatenate", listed([x.text for x in xs]), axis)


def _stacked(*xs: Symbol, axis: int) -> Text:
    return call("np.stack", listed([x.text for x in xs]), axis)


def _einsum(*xs: Symbol, equation: str) -> Text:
    named = {"optimize": True} if len(xs) > 1 else {}
    return call("np.einsum", equation, *[x.text for x in xs], **named)


def _totals(*xs: Symbol) -> Text:
    total = xs[0].text
    for x in xs[1:]:
        total = infix("+", total, x.text)
    return total


def _bias(x: Symbol, b: Symbol, *, data_format: str) -> Text:
    if x.ndim > 2 and data_format.startswith("NC"):
        raise NotWritableError("BiasAdd with channels first")
    return infix("+", x.text, b.text)


def _bias_gradient(g: Symbol, *, data_format: str) -> Text:
    if g.ndim > 2 and data_format.startswith("NC"):
        raise NotWritableError("BiasAddGrad with channels first")
    return call("np.sum", g.text, axis=tuple(range(g.ndim - 1)) if g.ndim > 2 else 0)


def _inverse(a: Symbol, *, adjoint: bool) -> Text:
    return call("np.linalg.inv", _turned(a, adjoint and a.dtype.kind == "f"))


def _solved(a: Symbol, b: Symbol, *, adjoint: bool) -> Text:
    return call("np.linalg.solve", _turned(a, adjoint and a.dtype.kind == "f"), b.text)


def _gather_nd(x: Symbol, i: Symbol, *, batch_dims: int) -> Text:
    if batch_dims or not i.shape[-1]:
        raise NotWritableError("GatherNd with batch dimensions")
    return Text(f"{_atom(x)}[tuple(np.moveaxis({i.text}, -1, 0))]")


def _atom(x: Symbol) -> str:
    return x.text.text if x.text.level == ATOM else f"({x.text})"


def _same(x: Symbol, **_: Any) -> Text:
    return x.text


TEMPLATES: Final[dict[str, Template]] = {
    "Identity": _same,
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
    "SparseSoftmaxCrossEntropyWithLogits": lambda x, i: call("_cross_entropy", x.text, i.text),
    "SparseSoftmaxCrossEntropySlope": lambda x, i: call("_cross_entropy_slope", x.text, i.text),
    "Cholesky": lambda a: call("np.linalg.cholesky", a.text),
    "MatrixInverse": _inverse,
    "MatrixSolve": _solved,
    "MatrixDeterminant": lambda a: call("np.linalg.det", a.text),
    "MatrixBandPart": _band,
    "GatherNd": _gather_nd,
    "ScatterNd": _scatter_nd,
    "TensorScatterAdd": _tensor_scatter("_with_added"),
    "TensorScatterUpdate": _tensor_scatter("_with_updated"),
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


def several(name: str, x: Symbol, attrs: Attrs) -> Text | None:
    """Operations of several results: one expression that gives them all; None if it is not known."""
    if name == "Unpack":
        axis = attrs["axis"]
        return x.text if axis == 0 else call("np.moveaxis", x.text, axis, 0)
    if name in ("Split", "SplitV"):
        ends = [int(e) for e in np.cumsum(attrs["sizes"])[:-1]]
        return call("np.split", x.text, ends, attrs["axis"])
    return None


# Functions that a text may need, which are put before it.
HELPERS: Final = {
    "_softmax": """
def _softmax(x, axis):
    y = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return y / np.sum(y, axis=axis, keepdims=True)
""",
    "_log_softmax": """
def _log_softmax(x, axis):
    y = x - np.max(x, axis=axis, keepdims=True)
    return y - np.log(np.sum(np.exp(y), axis=axis, keepdims=True))
""",
    "_sigmoid": """
def _sigmoid(x):
    return 1 / (1 + np.exp(-x))
""",
    "_rsqrt_gradient": """
def _rsqrt_gradient(y, g):
    return np.where(g != 0, g * -0.5 * (y * y * y), 0)
""",
    "_half_square": """
def _half_square(x):
    return np.dot(x.reshape(-1), x.reshape(-1)) * 0.5
""",
    "_cross_entropy": """
def _cross_entropy(x, labels):
    y = x - np.max(x, axis=-1, keepdims=True)
    logs = y - np.log(np.sum(np.exp(y), axis=-1, keepdims=True))
    return -np.take_along_axis(logs, np.asarray(labels)[..., None], -1)[..., 0]
""",
    "_cross_entropy_slope": """
def _cross_entropy_slope(x, labels):
    y = np.exp(x - np.max(x, axis=-1, keepdims=True))
    y = y / np.sum(y, axis=-1, keepdims=True)
    flat = y.reshape(-1, y.shape[-1])
    flat[np.arange(len(flat)), np.ravel(labels)] -= 1
    return y
""",
    "_placed": """
def _placed(part, key, shape):
    whole = np.zeros(shape, part.dtype)
    whole[key] = part
    return whole
""",
    "_with_added": """
def _with_added(x, places, rows):
    y = x.copy()
    np.add.at(y, places, rows)
    return y
""",
    "_with_updated": """
def _with_updated(x, places, rows):
    y = x.copy()
    y[places] = rows
    return y
""",
    "_band": """
def _band(x, lower, upper):
    offset = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    inside = np.ones(offset.shape, bool)
    if lower >= 0:
        inside &= offset >= -lower
    if upper >= 0:
        inside &= offset <= upper
    return np.where(inside, x, 0)
""",
    "_shifted": """
def _shifted(x, axis, reverse):
    y = np.zeros_like(x)
    before = (*[slice(None)] * axis, slice(0, -1))
    after = (*[slice(None)] * axis, slice(1, None))
    y[before if reverse else after] = x[after if reverse else before]
    return y
""",
    "_scattered": """
def _scattered(rows, indices, shape):
    whole = np.zeros(shape, rows.dtype)
    np.add.at(whole, indices, rows)
    return whole
""",
}
