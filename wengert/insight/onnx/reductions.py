"""Sums and their kin, products of matrices, softmax, and what else is one number of many."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.insight.onnx.elementwise import floor_divide, mod, where
from wengert.insight.onnx.shaping import reshaped, squeezed, transposed, unsqueezed
from wengert.insight.onnx.site import Rule, Site
from wengert.insight.onnx.terms import NoCounterpartError, Term


def reduced(kind: str, x: Term, axes: Any, keepdims: bool) -> Term:
    """One number for all along these axes."""
    if not len(axes):
        return x
    return x.node(kind, x.constant(sorted(axes)), keepdims=int(keepdims))


def _reduction(kind: str) -> Rule:
    def rule(s: Site) -> Term:
        axis = s.attrs["axis"]
        axes = range(s.rank) if axis is None else [axis] if isinstance(axis, int) else axis
        x, listed = s.x[0], [a % s.rank for a in axes]
        if kind == "ReduceL2" and not listed:
            return abs(x)
        if x.dtype.kind != "b":
            return reduced(kind, x, listed, s.attrs["keepdims"])
        return reduced(kind, x.cast(np.int32), listed, s.attrs["keepdims"]).cast(np.bool_)

    return rule


def _place(kind: str) -> Rule:
    def rule(s: Site) -> Term:
        found = s.x[0].node(kind, dtype=np.int64, axis=s.attrs["axis"], keepdims=0)
        return found.cast(s.dtype())

    return rule


def _matmul(s: Site) -> Term:
    a, b = s.x
    if s.attrs["transpose_a"]:
        a = _turned(a, len(s.size(0)))
    if s.attrs["transpose_b"]:
        b = _turned(b, len(s.size(1)))
    return a @ b


def _turned(x: Term, rank: int) -> Term:
    return transposed(x, [*range(rank - 2), rank - 1, rank - 2])


def _add_n(s: Site) -> Term:
    total = s.x[0]
    for x in s.x[1:]:
        total = total + x
    return total


def _softmax(kind: str) -> Rule:
    def rule(s: Site) -> Term:
        axis = s.attrs["axis"]
        axes = [axis] if isinstance(axis, int) else list(axis)
        if len(axes) != 1:
            raise NoCounterpartError("a softmax along several axes")
        return s.x[0].node(kind, axis=axes[0])

    return rule


def _classes(s: Site) -> Term:
    """The negative logarithm of the probability of each label."""
    x, labels = s.x
    last = s.rank - 1
    found = x.node("LogSoftmax", axis=last).node(
        "GatherElements", unsqueezed(labels, [last]), axis=last
    )
    return -squeezed(found, [last])


def _cumulated(s: Site) -> Term:
    x = s.x[0]
    how = {key: int(s.attrs[key]) for key in ("exclusive", "reverse")}
    return x.node("CumSum", x.constant(s.attrs["axis"] % s.rank), **how)


def _largest(s: Site) -> list[Term]:
    x = s.x[0]
    k = x.constant([s.attrs["k"]])
    values, places = x.nodes(
        "TopK", [x.dtype, np.int64], k, axis=-1, largest=int(s.attrs["largest"])
    )
    return [values, places.cast(s.dtype(1))]


def _bias(s: Site) -> Term:
    x, b = s.x
    if s.attrs["data_format"][-1] == "C":
        return x + b
    return x + reshaped(b, [1, *s.size(1), *[1] * (s.rank - 2)])


def _unique(s: Site) -> list[Term]:
    x = s.x[0]
    values, _, places, counts = x.nodes("Unique", [x.dtype, *[np.int64] * 3], sorted=0)
    rest = [counts.cast(s.dtype(2))] if len(s.op.outputs) > 2 else []
    return [values, places.cast(s.dtype(1)), *rest]


def _truncated_division(s: Site) -> Term:
    quotient = s.x[0] / s.x[1]
    if quotient.dtype.kind in "iu":
        return quotient
    return quotient.node("Sign") * abs(quotient).node("Floor")


def _segments(how: str, start: Any) -> Rule:
    """The sum, or something else, of the elements of each segment; those of negative numbers are in none."""

    def rule(s: Site) -> Term:
        x, ids = s.x
        count, inner = s.attrs["num_segments"], s.size()[len(s.size(1)) :]
        first = start(x.dtype) if callable(start) else start
        empty = x.constant(np.full((count + 1, *inner), first), x.dtype)
        places = unsqueezed(where(ids < 0, count, ids).cast(np.int64), [len(s.size(1))])
        found = empty.node("ScatterND", places, x, reduction=how)
        zero, one = x.constant([0]), x.constant([count])
        return found.node("Slice", zero, one, zero)

    return rule


def _lowest(dtype: Any) -> Any:
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


def _passed(s: Site) -> list[Term]:
    return s.x[: len(s.op.outputs)]


def _einsum(s: Site) -> Term:
    sizes: dict[str, set[int]] = {}
    for at, letters in enumerate(s.attrs["equation"].partition("->")[0].split(",")):
        for letter, n in zip(letters.replace("...", "."), s.size(at), strict=False):
            sizes.setdefault(letter, set()).add(n)
    if "." in sizes or any(len(found) > 1 for found in sizes.values()):
        raise NoCounterpartError("a sum with axes that are spread")
    return s.x[0].node("Einsum", *s.x[1:], equation=s.attrs["equation"])


def _one(kind: str, **attrs: Any) -> Rule:
    return lambda s: s.x[0].node(kind, *s.x[1:], **attrs)


RULES: Final[dict[str, Rule]] = {
    "Sum": _reduction("ReduceSum"),
    "Mean": _reduction("ReduceMean"),
    "Prod": _reduction("ReduceProd"),
    "Max": _reduction("ReduceMax"),
    "Min": _reduction("ReduceMin"),
    "All": _reduction("ReduceMin"),
    "Any": _reduction("ReduceMax"),
    "EuclideanNorm": _reduction("ReduceL2"),
    "StableLogSumExp": _reduction("ReduceLogSumExp"),
    "ArgMax": _place("ArgMax"),
    "ArgMin": _place("ArgMin"),
    "L2Loss": lambda s: reduced("ReduceSumSquare", s.x[0], range(s.rank), False) * 0.5 if s.rank else s.x[0] * s.x[0] * 0.5,
    "MatMul": _matmul,
    "BatchMatMulV2": _matmul,
    "Einsum": _einsum,
    "AddN": _add_n,
    "Softmax": _softmax("Softmax"),
    "LogSoftmax": _softmax("LogSoftmax"),
    "StableSoftmax": _softmax("Softmax"),
    "StableLogSoftmax": _softmax("LogSoftmax"),
    "SparseSoftmaxCrossEntropyWithLogits": _classes,
    "Cumsum": _cumulated,
    "TopKV2": _largest,
    "Unique": _unique,
    "UniqueWithCounts": _unique,
    "BiasAdd": _bias,
    "MatrixDeterminant": _one("Det"),
    "UnsortedSegmentSum": _segments("add", 0),
    "UnsortedSegmentProd": _segments("mul", 1),
    "UnsortedSegmentMax": _segments("max", _lowest),
    "UnsortedSegmentMin": _segments("min", _highest),
    "Cast": lambda s: s.x[0].cast(s.dtype()),
    **dict.fromkeys((
        "Identity", "StopGradient", "ReadVariableOp", "PlaceholderWithDefault", "CheckNumerics", "EnsureShape", "After",
    ), lambda s: s.x[0]),
    "IdentityN": _passed,
    "SelectV2": lambda s: where(*s.x),
    "Sigmoid": _one("Sigmoid"),
    "Softplus": _one("Softplus"),
    "Softsign": _one("Softsign"),
    "Erf": _one("Erf"),
    "Relu": lambda s: s.x[0].node("Relu") if s.x[0].dtype.kind in "fV" else s.x[0].node("Max", 0),
    "Relu6": lambda s: s.x[0].node("Max", 0).node("Min", 6),
    "ReluGrad": lambda s: where(s.x[1] > 0, s.x[0], 0),
    "Erfc": lambda s: 1.0 - s.x[0].node("Erf"),  # what ONNX can say: its small values lose digits
    "Elu": _one("Elu"),
    "Selu": _one("Selu"),
    "LeakyRelu": lambda s: s.x[0].node("LeakyRelu", alpha=float(s.attrs["alpha"])),
    "FloorDiv": lambda s: floor_divide(*s.x),
    "FloorMod": lambda s: mod(*s.x),
    "TruncateDiv": _truncated_division,
    "Round": lambda s: s.x[0].node("Round") if s.x[0].dtype.kind in "fV" else s.x[0],
}  # fmt: skip
