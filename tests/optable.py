"""The table of samples: a line for every operation.

Families that stand in a file of their own in wengert/ops have their lines in a file of their own,
table_*.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.special
import table_convolution
import table_image
import table_linalg
import table_network
import table_segments
import table_signal
import table_sparse
import table_special
import table_stable
import table_strings
from numpy_reference import (
    np_any_norm,
    np_cumulative,
    np_gather,
    np_gather_nd,
    np_matmul,
    np_norm,
    np_one_hot,
    np_orthogonal_basis,
    np_recurrence,
    np_scatter,
    np_scatter_nd,
    np_segment_sum,
    np_selu,
    np_shift,
    np_slice_grad,
    np_sparse_loss,
    np_split,
    np_unique,
)
from samples import (
    Case,
    Dims,
    Line,
    above_one,
    anywhere,
    between,
    booleans,
    cases,
    complexes,
    distinct,
    halves,
    inside,
    integers,
    internal,
    line,
    pairs_of_equals,
    positive,
    signed,
    some_large,
    stepped,
)

import wengert as tf

# ---- the table --------------------------------------------------------------------------------

AXES: Sequence[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": -1, "keepdims": True},
    {"axis": (0, -1)},
    {"axis": (), "keepdims": True},
]
ALONG: Sequence[dict[str, Any]] = [
    {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    for axis, exclusive, reverse in itertools.product((0, -1), (False, True), (False, True))
]
STEPS: Sequence[dict[str, Any]] = [
    {"axis": axis, "reverse": reverse} for axis, reverse in itertools.product((0, 1), (False, True))
]
FLAGS: Sequence[dict[str, Any]] = [
    {"transpose_a": a, "transpose_b": b} for a, b in itertools.product((False, True), (False, True))
]
KEYS: Sequence[Any] = [
    (1,),
    (slice(None, None, -1),),
    (slice(0, 3, 2), None, slice(None, -1)),
    (..., 0),
    (slice(2, 0, -1), ..., slice(1, None)),
    (slice(1, 1),),
]
EQUATIONS: Sequence[Any] = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("i,i->", (3,), (3,)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->j", (2, 2, 3)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ij,k->ik", (2, 3), (2,)),
    ("i,j->ij", (2,), (3,)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 2)),
    ("ij...,j->i...", (2, 3, 2), (3,)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)),
    ("...i,...i->...", (2, 3), (1, 3)),
    ("ii,ij->j", (2, 2), (2, 3)),
]
BATCHES: Sequence[tuple[Dims, Dims]] = [((2,), (2,)), ((2, 1), (3,)), ((), (2,)), ((1,), ())]
MOVES = "int32 uint8 bool"
WHOLE = "int32 int64"


def matrices(a: Dims = (), b: Dims = (), *, transpose_a: bool, transpose_b: bool) -> list[Dims]:
    """Shapes for a product of matrices with the given batch axes."""
    return [(*a, 3, 2) if transpose_a else (*a, 2, 3), (*b, 4, 3) if transpose_b else (*b, 3, 4)]


def _generator() -> tf.random.Generator:
    """A generator that traces do not make again."""
    with tf.init_scope():
        return tf.random.Generator.from_seed(1)


ELEMENTWISE = [
    line("Neg", tf.negative, np.negative, complex=True, dtypes=WHOLE),
    line("Square", tf.square, np.square, complex=True, dtypes=WHOLE),
    line("Reciprocal", tf.math.reciprocal, np.reciprocal, complex=True),
    line("Sqrt", tf.sqrt, np.sqrt, positive, complex=True),
    line("Rsqrt", tf.math.rsqrt, lambda x: 1 / np.sqrt(x), positive, complex=True),
    line("SqrtGrad", internal("SqrtGrad"), lambda y, g: g / (2 * y), positive, anywhere,
         complex=True),
    line("RsqrtGrad", internal("RsqrtGrad"), lambda y, g: -g * y**3 / 2, positive, anywhere,
         complex=True),
    line("Sign", tf.sign, np.sign, dtypes=WHOLE),
    line("Abs", tf.abs, np.abs, dtypes=WHOLE),
    line("Exp", tf.exp, np.exp, complex=True),
    line("Expm1", tf.math.expm1, np.expm1, complex=True),
    line("Log", tf.math.log, np.log, positive, complex=True),
    line("Log1p", tf.math.log1p, np.log1p, positive, complex=True),
    line("Sigmoid", tf.sigmoid, lambda x: 1 / (1 + np.exp(-x)), complex=True),
    line("SigmoidGrad", internal("SigmoidGrad"), lambda y, g: g * y * (1 - y), anywhere, anywhere,
         complex=True),
    line("Sin", tf.sin, np.sin, complex=True),
    line("Cos", tf.cos, np.cos, complex=True),
    line("Tan", tf.tan, np.tan, inside, complex=True),
    line("Asin", tf.asin, np.arcsin, inside, complex=True),
    line("Acos", tf.acos, np.arccos, inside, complex=True),
    line("Atan", tf.atan, np.arctan, complex=True),
    line("Sinh", tf.sinh, np.sinh, complex=True),
    line("Cosh", tf.cosh, np.cosh, complex=True),
    line("Tanh", tf.tanh, np.tanh, complex=True),
    line("Asinh", tf.asinh, np.arcsinh, complex=True),
    line("Acosh", tf.acosh, np.arccosh, above_one, complex=True),
    line("Atanh", tf.atanh, np.arctanh, inside, complex=True),
    line("Erf", tf.math.erf, scipy.special.erf),
    line("Floor", tf.floor, np.floor, stepped(0.2), constant=True),
    line("Ceil", tf.math.ceil, np.ceil, stepped(0.2), constant=True),
    line("Round", tf.round, np.round, stepped(0.0), constant=True, dtypes=WHOLE),
    line("Rint", tf.math.rint, np.rint, stepped(0.0), constant=True),
    line("IsNan", tf.math.is_nan, np.isnan, constant=True),
    line("IsInf", tf.math.is_inf, np.isinf, constant=True),
    line("IsFinite", tf.math.is_finite, np.isfinite, constant=True),
    line("LogicalNot", tf.logical_not, np.logical_not, booleans),
    line("Invert", tf.bitwise.invert, np.invert, integers(-5, 5)),
    line("ZerosLike", tf.zeros_like, np.zeros_like, constant=True, complex=True, dtypes=MOVES),
    line("OnesLike", tf.ones_like, np.ones_like, constant=True, complex=True, dtypes=MOVES),
    line("Cast", tf.cast, lambda x, dtype: x.astype(dtype.as_numpy_dtype),
         attrs=[{"dtype": tf.complex128}], small=False),
    line("Cast", tf.cast, lambda x, dtype: np.real(x), complexes, attrs=[{"dtype": tf.float64}],
         small=False),
    line("Cast", tf.cast, lambda x, dtype: x.astype(dtype.as_numpy_dtype), constant=True,
         small=False, attrs=[{"dtype": tf.int32}, {"dtype": tf.bool}, {"dtype": tf.int8}],
         dtypes="int32 bool"),
    line("Identity", tf.identity, np.copy, complex=True, dtypes=MOVES),
    line("After", internal("After"), lambda x, other: x, anywhere, anywhere, shapes=[[(2, 3), (2,)]], fixed=(1,)),
    line("Shape", internal("Shape"), lambda x, dtype: np.array(x.shape),
         attrs=[{"dtype": tf.int32}], constant=True),
    line("Size", internal("Size"), lambda x, dtype: np.array(x.size), attrs=[{"dtype": tf.int32}],
         constant=True),
    line("ReadVariableOp", internal("ReadVariableOp"), np.copy, complex=True),
    line("StopGradient", tf.stop_gradient, np.copy, constant=True, complex=True, dtypes=MOVES),
    line("CheckNumerics", tf.debugging.check_numerics, lambda x, message: x,
         attrs=[{"message": "m"}], complex=True),
    line("IdentityN", lambda *xs: tf.identity_n(xs), lambda *xs: list(xs), shapes=[[(2,), (1, 3)]],
         complex=True),
]  # fmt: skip

COMPLEX = [
    line("Real", tf.math.real, np.real, complexes),
    line("Imag", tf.math.imag, np.imag, complexes),
    line("Conj", tf.math.conj, np.conj, complexes),
    line("ComplexAbs", tf.abs, np.abs, complexes),
    line("Angle", tf.math.angle, np.angle, complexes),
    line("Complex", tf.complex, lambda x, y: x + 1j * y, anywhere, anywhere, small=False),
]  # fmt: skip

COMPARISONS = [
    *(line(name, call, reference, stepped(0.0), stepped(0.0), constant=True, dtypes=WHOLE) for name,
         call, reference in (("Less", tf.less, np.less),
         ("LessEqual", tf.less_equal, np.less_equal), ("Greater", tf.greater, np.greater),
         ("GreaterEqual", tf.greater_equal, np.greater_equal), ("Equal", tf.equal, np.equal),
         ("NotEqual", tf.not_equal, np.not_equal))),
    line("ApproximateEqual", tf.math.approximate_equal,
         lambda x, y, tolerance: np.abs(x - y) < tolerance, stepped(0.0), stepped(0.0),
         attrs=[{"tolerance": 0.75}], constant=True),
    line("LogicalAnd", tf.logical_and, np.logical_and, booleans, booleans),
    line("LogicalOr", tf.logical_or, np.logical_or, booleans, booleans),
    line("BitwiseAnd", tf.bitwise.bitwise_and, np.bitwise_and, integers(-5, 5), integers(-5, 5)),
    line("BitwiseOr", tf.bitwise.bitwise_or, np.bitwise_or, integers(-5, 5), integers(-5, 5)),
    line("BitwiseXor", tf.bitwise.bitwise_xor, np.bitwise_xor, integers(-5, 5), integers(-5, 5)),
    line("Where", tf.where, np.argwhere, booleans, shapes=[[(4,)], [(2, 3)]]),
    line("SelectV2", tf.where, np.where, booleans, anywhere, anywhere, complex=True, dtypes=MOVES,
         shapes=[[(2, 3)] * 3, [(3,), (2, 3), ()], [(2, 1), (3,), (1, 1)], [(), (2,), (2,)]]),
]  # fmt: skip

ARITHMETIC = [
    line("AddV2", tf.add, np.add, anywhere, anywhere, complex=True, dtypes=WHOLE),
    line("Sub", tf.subtract, np.subtract, anywhere, anywhere, complex=True, dtypes=WHOLE),
    line("Mul", tf.multiply, np.multiply, anywhere, anywhere, complex=True, dtypes=WHOLE),
    line("RealDiv", tf.realdiv, np.true_divide, anywhere, anywhere, complex=True),
    line("SquaredDifference", tf.math.squared_difference, lambda x, y: np.conj(x - y) * (x - y),
         anywhere, anywhere, complex=True, dtypes=WHOLE),
    line("DivNoNan", tf.math.divide_no_nan, np.divide, anywhere, anywhere, complex=True),
    line("MulNoNan", tf.math.multiply_no_nan, np.multiply, anywhere, anywhere, complex=True),
    line("FloorDiv", tf.math.floordiv, np.floor_divide, anywhere, anywhere, constant=True,
         dtypes=WHOLE),
    line("FloorMod", tf.math.floormod, np.mod, halves, signed(0.97, 1.03), dtypes=WHOLE),
    line("TruncateDiv", tf.truncatediv, lambda x, y: np.trunc(x / y), anywhere, anywhere,
         constant=True, dtypes=WHOLE),
    line("TruncateMod", tf.truncatemod, np.fmod, halves, signed(0.97, 1.03), dtypes=WHOLE),
    line("Pow", tf.pow, np.power, positive, anywhere, complex=True, dtypes=WHOLE),
    line("Xlogy", tf.math.xlogy, scipy.special.xlogy, anywhere, positive, complex=True),
    line("Xlog1py", tf.math.xlog1py, lambda x, y: x * np.log1p(y), anywhere, positive,
         complex=True),
    line("Xdivy", tf.math.xdivy, np.divide, anywhere, anywhere, complex=True),
    line("Atan2", tf.atan2, np.arctan2, anywhere, anywhere),
    line("NextAfter", tf.math.nextafter, np.nextafter, anywhere, anywhere,
         small=False),
    line("Maximum", tf.maximum, np.maximum, stepped(0.1), stepped(0.3), dtypes=WHOLE),
    line("Minimum", tf.minimum, np.minimum, stepped(0.1), stepped(0.3), dtypes=WHOLE),
    line("ClipByValue", tf.clip_by_value, np.clip, stepped(0.1), between(-1.05, -0.95),
         between(0.95, 1.05), shapes=[[(2, 3)] * 3, [(2, 3), (), (3,)], [(2, 3), (2, 1), (1, 1)]]),
    line("AddN", lambda *xs: tf.add_n(xs), lambda *xs: sum(xs), shapes=[[(2, 3)] * 3, [()]],
         complex=True, dtypes=WHOLE),
]  # fmt: skip

SHAPING = [
    line("Reshape", tf.reshape, lambda x, shape: x.reshape(shape), shapes=[[(2, 3)]],
         attrs=[{"shape": s} for s in ((6,), (3, -1), (1, 6, 1))], complex=True, dtypes=MOVES),
    line("Transpose", tf.transpose, lambda x, perm=None: np.transpose(x, perm),
         shapes=[[(2, 3, 1)]],
         attrs=[{}, {"perm": (0, 2, 1)}, {"perm": (2, 0, 1)}, {"perm": (-1, 0, 1)}],
         complex=True, dtypes=MOVES),
    line("ExpandDims", tf.expand_dims, np.expand_dims, shapes=[[(2, 3)]],
         attrs=[{"axis": a} for a in (0, 1, -1)], complex=True, dtypes=MOVES),
    line("Squeeze", tf.squeeze, lambda x, axis=None: np.squeeze(x, axis), shapes=[[(1, 2, 1)]],
         attrs=[{}, {"axis": 0}, {"axis": (0, -1)}], complex=True, dtypes=MOVES),
    line("BroadcastTo", tf.broadcast_to, np.broadcast_to, shapes=[[(2, 1)], [(3,)], [()]],
         attrs=[{"shape": (2, 2, 3)}], complex=True, dtypes=MOVES),
    line("Fill", internal("Fill"), np.broadcast_to, shapes=[[()]], attrs=[{"shape": (2, 3)}, {"shape": ()}], complex=True),
    line("Tile", tf.tile, lambda x, multiples: np.tile(x, multiples), shapes=[[(2, 3)], [(1, 2)]],
         attrs=[{"multiples": m} for m in ((2, 1), (1, 3), (2, 2), (0, 1))], complex=True,
         dtypes=MOVES),
    line("ConcatV2", lambda *xs, axis: tf.concat(xs, axis),
         lambda *xs, axis: np.concatenate(xs, axis), shapes=[[(2, 3), (2, 3), (2, 3)]],
         attrs=[{"axis": 0}, {"axis": -1}], complex=True, dtypes=MOVES),
    line("ConcatV2", lambda *xs, axis: tf.concat(xs, axis),
         lambda *xs, axis: np.concatenate(xs, axis), shapes=[[(2, 1), (2, 0), (2, 3)]],
         attrs=[{"axis": 1}]),
    line("Pack", lambda *xs, axis: tf.stack(xs, axis), lambda *xs, axis: np.stack(xs, axis),
         shapes=[[(2, 3)] * 3], attrs=[{"axis": 0}, {"axis": 1}, {"axis": -1}], complex=True,
         dtypes=MOVES),
    line("Unpack", lambda x, axis: tf.unstack(x, axis=axis),
         lambda x, axis: list(np.moveaxis(x, axis, 0)), shapes=[[(2, 3)]],
         attrs=[{"axis": 0}, {"axis": -1}], complex=True, dtypes=MOVES),
    line("Split", lambda x, sizes, axis: tf.split(x, sizes, axis), np_split, shapes=[[(2, 4)]],
         attrs=[{"sizes": 2, "axis": 0}, {"sizes": 2, "axis": -1}], complex=True, dtypes=MOVES),
    line("SplitV", lambda x, sizes, axis: tf.split(x, sizes, axis), np_split, shapes=[[(2, 4)]],
         attrs=[{"sizes": (1, 3), "axis": 1}, {"sizes": (4, 0), "axis": 1}], complex=True,
         dtypes=MOVES),
    line("StridedSlice", lambda x, key: x[key], lambda x, key: x[key], shapes=[[(3, 2)]],
         attrs=[{"key": k} for k in KEYS], complex=True, dtypes=MOVES),
    *(line("StridedSliceGrad", internal("StridedSliceGrad"), np_slice_grad,
         attrs=[{"key": k, "shape": (3, 2)}], shapes=[[np.empty((3, 2))[k].shape]], complex=True)
         for k in KEYS),
    line("Pad", tf.pad, lambda x, paddings: np.pad(x, paddings), shapes=[[(2, 3)]],
         attrs=[{"paddings": ((1, 0), (0, 2))}, {"paddings": ((0, 0), (1, 1))}], complex=True,
         dtypes=WHOLE),
    line("PadV2", lambda x, widths: tf.pad(x, widths, constant_values=5),
         lambda x, widths: np.pad(x, widths, constant_values=5), shapes=[[(2, 3)]],
         attrs=[{"widths": ((0, 0), (1, 1))}], complex=True, dtypes=WHOLE),
    *(line("MirrorPad", lambda x, paddings, mode: tf.pad(x, paddings, mode),
         lambda x, paddings, mode: np.pad(x, paddings, mode=mode.lower()), shapes=[[(2, 3)]],
         attrs=[{"paddings": ((1, 0), (1, reach)), "mode": mode}], complex=True, dtypes=WHOLE)
         for mode, reach in (("REFLECT", 2), ("SYMMETRIC", 3))),
    *(line("MirrorPadGrad", internal("MirrorPadGrad"), None, shapes=[[(3, 4 + reach)]],
         complex=True, attrs=[{"paddings": ((1, 0), (1, reach)), "mode": mode, "shape": (2, 3)}])
         for mode, reach in (("reflect", 2), ("symmetric", 3))),
    line("ReverseV2", tf.reverse, np.flip, shapes=[[(2, 3)]],
         attrs=[{"axis": (0,)}, {"axis": (-1, 0)}, {"axis": ()}], complex=True, dtypes=MOVES),
    line("Roll", tf.roll, np.roll, shapes=[[(2, 3)]], attrs=[{"shift": 1, "axis": 1}, {"shift": (-1,
         4), "axis": (0, -1)}], complex=True, dtypes=MOVES),
]  # fmt: skip

INDEXING = [
    line("GatherV2", tf.gather, np_gather, anywhere, integers(0, 3), shapes=[[(3, 2), (4,)],
         [(3,), ()], [(3, 1, 2), (2, 2)]], attrs=[{}], complex=True, dtypes=MOVES),
    line("GatherV2", tf.gather, np_gather, anywhere, integers(0, 3), shapes=[[(2, 3, 2), (4,)],
         [(2, 3, 2), (2, 2)]], attrs=[{"axis": 1}, {"axis": 1, "batch_dims": 0}], complex=True),
    line("GatherV2", tf.gather, np_gather, anywhere, integers(0, 3), shapes=[[(2, 3), (2, 4)],
         [(2, 3, 2), (2, 2, 2)]], attrs=[{"axis": 1, "batch_dims": 1}], complex=True),
    line("GatherV2", tf.gather, np_gather, anywhere, integers(0, 3), shapes=[[(2, 2, 3), (2, 4)],
         [(2, 4, 3, 2), (2,)]], attrs=[{"axis": 2, "batch_dims": 1}]),
    line("GatherV2Grad", internal("GatherV2Grad"), None, anywhere, integers(0, 3),
         shapes=[[(2, 4, 2), (4,)]], attrs=[{"axis": 1, "batch_dims": 0, "shape": (2, 3, 2)}],
         complex=True),
    line("GatherV2Grad", internal("GatherV2Grad"), None, anywhere, integers(0, 3),
         shapes=[[(2, 4, 2), (2, 4)]], attrs=[{"axis": 1, "batch_dims": 1, "shape": (2, 3, 2)}]),
    line("GatherNd", tf.gather_nd, np_gather_nd, anywhere, integers(0, 2), shapes=[[(2, 3), (4, 1)],
         [(2, 2), (3, 2)], [(2, 2, 3), (2, 2, 2)], [(2, 3), (2, 0)]], complex=True, dtypes=MOVES),
    line("GatherNd", tf.gather_nd, np_gather_nd, anywhere, integers(0, 2),
         shapes=[[(3, 2, 2), (3, 4, 1)]], attrs=[{"batch_dims": 1}]),
    line("ScatterNd", tf.scatter_nd, np_scatter_nd, integers(0, 2), anywhere,
         shapes=[[(4, 1), (4, 3)], [(5, 2), (5,)]], attrs=[{"shape": (3, 3)}], complex=True,
         dtypes=WHOLE),
    line("ScatterNd", tf.scatter_nd, np_scatter_nd, integers(0, 2), anywhere,
         shapes=[[(2, 3, 1), (2, 3, 2)], [(3, 0), (3, 4, 2)]], attrs=[{"shape": (4, 2)}]),
    line("OneHot", tf.one_hot, np_one_hot, integers(-1, 4), shapes=[[(2, 3)], [()]],
         attrs=[{"depth": 3}, {"depth": 2, "on_value": 5.0, "off_value": -1.0},
                {"depth": 3, "axis": 0}]),
    line("UnsortedSegmentSum", tf.math.unsorted_segment_sum, np_segment_sum, anywhere,
         integers(-1, 3), shapes=[[(4,), (4,)], [(4, 2), (4,)], [(2, 3, 2), (2, 3)]],
         attrs=[{"num_segments": 4}], complex=True, dtypes=WHOLE),
]  # fmt: skip

CHANGES: Sequence[tuple[str, Any]] = [
    ("Add", np.add),
    ("Sub", np.subtract),
    ("Mul", np.multiply),
    ("Div", lambda x, u: x // u if x.dtype.kind in "iu" else x / u),
    ("Min", np.minimum),
    ("Max", np.maximum),
    ("Update", lambda x, u: u),
]
SCATTERING = [
    line("[unique]", tf.unique, np_unique, pairs_of_equals, shapes=[[(5,)]], fixed=(0,)),
    *(line(f"ResourceScatter{kind}", internal(f"ResourceScatter{kind}"), np_scatter(change),
         anywhere, integers(0, 3), anywhere, constant=True, complex=kind not in ("Min", "Max"),
         shapes=[[(3, 2), (4,), (4, 2)], [(3,), (2, 2), (2, 2)], [(3, 2), (), (2,)],
         [(3, 2), (2,), ()]], dtypes=WHOLE) for kind, change in CHANGES),
    *(line(f"ResourceScatterNd{kind}", internal(f"ResourceScatterNd{kind}"),
         partial(np_scatter(change), nd=True), anywhere, integers(0, 2), anywhere, constant=True,
         shapes=[[(3, 2), (4, 1), (4, 2)], [(3, 2), (2, 2), (2,)]], complex=True, dtypes=WHOLE)
         for kind, change in CHANGES if kind in ("Add", "Sub", "Update")),
]  # fmt: skip

PRODUCTS = [
    *(line("MatMul", tf.matmul, np_matmul, shapes=[matrices(**f)], attrs=[f], complex=True,
         dtypes=WHOLE) for f in FLAGS),
    line("MatMul", tf.matmul, np_matmul, shapes=[[(2, 2), (2, 2)]], attrs=[{"adjoint_a": True},
         {"adjoint_b": True}, {"adjoint_a": True, "transpose_b": True}], complex=True),
    *(line("BatchMatMulV2", tf.matmul, np_matmul, attrs=[f], complex=True,
         shapes=[matrices(*lead, **f) for lead in BATCHES]) for f in FLAGS),
    *(line("Einsum", partial(tf.einsum, equation), partial(np.einsum, equation), shapes=[shapes],
         complex=True) for equation, *shapes in EQUATIONS),
]  # fmt: skip

REDUCTIONS = [
    line("Sum", tf.reduce_sum, np.sum, shapes=[[(2, 1, 3)]], attrs=AXES, complex=True,
         dtypes=WHOLE),
    line("Mean", tf.reduce_mean, np.mean, shapes=[[(2, 1, 3)]], attrs=AXES, complex=True),
    line("Prod", tf.reduce_prod, np.prod, shapes=[[(2, 1, 3)]], attrs=AXES, complex=True,
         dtypes=WHOLE),
    line("Max", tf.reduce_max, np.max, distinct, shapes=[[(2, 1, 3)]], attrs=AXES, dtypes=WHOLE),
    line("Min", tf.reduce_min, np.min, distinct, shapes=[[(2, 1, 3)]], attrs=AXES, dtypes=WHOLE),
    line("All", tf.reduce_all, np.all, booleans, shapes=[[(2, 1, 3)]], attrs=AXES),
    line("Any", tf.reduce_any, np.any, booleans, shapes=[[(2, 1, 3)]], attrs=AXES),
    line("ArgMax", lambda x, axis: tf.argmax(x, axis), np.argmax, distinct, shapes=[[(2, 3)]],
         attrs=[{"axis": 0}, {"axis": -1}], constant=True, dtypes=WHOLE),
    line("ArgMin", lambda x, axis: tf.argmin(x, axis), np.argmin, distinct, shapes=[[(2, 3)]],
         attrs=[{"axis": 0}, {"axis": -1}], constant=True, dtypes=WHOLE),
    line("EuclideanNorm", tf.math.reduce_euclidean_norm, np_norm, shapes=[[(2, 1, 3)]], attrs=AXES,
         complex=True),
    line("Cumsum", tf.cumsum, np_cumulative(np.cumsum, 0), shapes=[[(3, 2)]], attrs=ALONG,
         complex=True, dtypes=WHOLE),
    line("Cumprod", tf.math.cumprod, np_cumulative(np.cumprod, 1), shapes=[[(3, 2)]], attrs=ALONG,
         complex=True, dtypes=WHOLE),
    line("Shift", internal("Shift"), np_shift, shapes=[[(3, 2)]], attrs=STEPS, complex=True),
    line("LinearRecurrence", internal("LinearRecurrence"), np_recurrence, shapes=[[(3, 2), (3, 2)]],
         attrs=STEPS, complex=True),
]  # fmt: skip

NETWORK = [
    line("Relu", tf.nn.relu, lambda x: np.maximum(x, 0), dtypes=WHOLE),
    line("ReluGrad", internal("ReluGrad"), lambda g, y: np.where(y > 0, g, 0), anywhere, anywhere,
         shapes=[[(2, 3)] * 2], fixed=(1,)),
    line("Relu6", tf.nn.relu6, lambda x: np.clip(x, 0, 6), some_large, dtypes=WHOLE),
    line("Elu", tf.nn.elu, lambda x: np.where(x > 0, x, np.expm1(x))),
    line("Selu", tf.nn.selu, np_selu),
    line("Softplus", tf.math.softplus, lambda x: np.logaddexp(x, 0)),
    line("Softsign", tf.nn.softsign, lambda x: x / (1 + np.abs(x))),
    line("LeakyRelu", tf.nn.leaky_relu, lambda x, alpha=0.2: np.where(x > 0, x, alpha * x),
         attrs=[{}, {"alpha": 0.5}]),
    line("Softmax", tf.nn.softmax, lambda x, axis=-1: scipy.special.softmax(x, axis),
         shapes=[[(2, 3)]], attrs=[{}, {"axis": 0}]),
    line("LogSoftmax", tf.nn.log_softmax, lambda x, axis=-1: scipy.special.log_softmax(x, axis),
         shapes=[[(2, 3)]], attrs=[{}, {"axis": 0}]),
    line("SoftmaxCrossEntropyWithLogits", internal("SoftmaxCrossEntropyWithLogits"),
         lambda x, t: -np.sum(t * scipy.special.log_softmax(x, -1), -1), anywhere, anywhere,
         shapes=[[(2, 3), (2, 3)], [(3,), (3,)], [(2, 2, 3), (2, 2, 3)]]),
    line("SparseSoftmaxCrossEntropySlope", internal("SparseSoftmaxCrossEntropySlope"),
         lambda x, i: scipy.special.softmax(x, -1) - np.eye(3)[i], anywhere, integers(0, 3),
         shapes=[[(2, 3), (2,)], [(2, 2, 3), (2, 2)]]),
    line("SparseSoftmaxCrossEntropyWithLogits", tf.nn.sparse_softmax_cross_entropy_with_logits,
         np_sparse_loss, integers(0, 3), anywhere, shapes=[[(2,), (2, 3)], [(), (3,)],
         [(2, 2), (2, 2, 3)]]),
]  # fmt: skip

# Whose numbers they are is said in test_philox.py and test_random.py. They have no inputs that are
# differentiated, but for alpha: a sample's derivative is not that of the way it was drawn.
RANDOM = [
    *(line(type, call, None, shapes=[[]]) for type, call in [
        ("RandomUniform", lambda: tf.random.uniform([2, 3])),
        ("RandomStandardNormal", lambda: tf.random.normal([2, 3])),
        ("TruncatedNormal", lambda: tf.random.truncated_normal([2, 3])),
        ("RandomUniformInt", lambda: tf.random.uniform([2, 3], maxval=5, dtype=tf.int32)),
        ("RandomPoissonV2", lambda: tf.random.poisson([2, 3], [1.0, 20.0])),
        ("StatelessRandomUniformV2", lambda: tf.random.stateless_uniform([2, 3], [1, 2])),
        ("StatelessRandomNormalV2", lambda: tf.random.stateless_normal([2, 3], [1, 2])),
        ("StatelessTruncatedNormalV2",
         lambda: tf.random.stateless_truncated_normal([2, 3], [1, 2])),
        ("StatelessRandomUniformIntV2",
         lambda: tf.random.stateless_uniform([2, 3], [1, 2], maxval=5, dtype=tf.int32)),
        ("StatelessRandomUniformFullIntV2", lambda: tf.random.split([1, 2])),
        ("StatelessRandomGetKeyCounter", lambda: tf.random.split([1, 2])),
        ("StatelessRandomPoisson",
         lambda: tf.random.stateless_poisson([2, 2], [1, 2], [1.0, 20.0])),
        ("StatelessRandomBinomial",
         lambda: tf.random.stateless_binomial([2, 2], [1, 2], [5.0, 90.0], 0.3)),
        ("RngAdvanced", lambda: _generator().skip(3)),
        ("UniformCandidateSampler",
         lambda: tf.random.uniform_candidate_sampler([[3]], 1, 4, True, 9)[0]),
        ("LogUniformCandidateSampler",
         lambda: tf.random.log_uniform_candidate_sampler([[3]], 1, 4, True, 9)[2]),
        ("LearnedUnigramCandidateSampler",
         lambda: tf.random.learned_unigram_candidate_sampler([[3]], 1, 4, True, 9)[0]),
        ("FixedUnigramCandidateSampler",
         lambda: tf.random.fixed_unigram_candidate_sampler(
             [[1]], 1, 2, False, 3, unigrams=[1.0, 2.0, 3.0])[0]),
        ("AllCandidateSampler", lambda: tf.random.all_candidate_sampler([[3]], 1, 4, True)[0]),
        ("SampleDistortedBoundingBoxV2",
         lambda: tf.image.sample_distorted_bounding_box([9, 9, 3], [[[0.1, 0.1, 0.9, 0.9]]])[2]),
        ("[StatelessSampleDistortedBoundingBox]",
         lambda: tf.image.stateless_sample_distorted_bounding_box(
             [9, 9, 3], [[[0.1, 0.1, 0.9, 0.9]]], [1, 2])[2]),
        ("Fingerprint", lambda: tf.fingerprint(["a", "b"])),
        ("[ComputeAccidentalHits]",
         lambda: tf.nn.compute_accidental_hits([[3], [5]], [1, 5, 3], 1)[1]),
    ]),
    line("RandomGamma", lambda a: tf.random.gamma([4], a, dtype=a.dtype), None, positive,
         shapes=[[(2,)]], fixed=(0,)),
    line("StatelessRandomGammaV3",
         lambda a: tf.random.stateless_gamma([4, 2], [1, 2], a, dtype=a.dtype), None, positive,
         shapes=[[(2,)]], fixed=(0,)),
    line("RandomGammaGrad", internal("RandomGammaGrad"), None, positive, positive),
    line("Multinomial", lambda x: tf.random.categorical(x, 4), None, shapes=[[(2, 3)]], fixed=(0,)),
    line("StatelessMultinomial", lambda x: tf.random.stateless_categorical(x, 4, [1, 2]), None,
         shapes=[[(2, 3)]], fixed=(0,)),
    line("RandomShuffle", tf.random.shuffle, None, shapes=[[(4, 2)]], constant=True, small=False),
    line("StatelessShuffle", lambda x: tf.random.experimental.stateless_shuffle(x, [1, 2]),
         lambda x: x[[0, 3, 2, 1]], shapes=[[(4, 2)]], constant=True, dtypes=MOVES),
    line("OrthogonalBasis", internal("OrthogonalBasis"), np_orthogonal_basis, shapes=[[(4, 2)]],
         constant=True, small=False),
]  # fmt: skip

COMPOSED = [
    line("[sign]", tf.sign, np.sign, complexes),
    line("[angle]", tf.math.angle, np.angle, constant=True),
    line("[divide]", tf.divide, np.true_divide, anywhere, anywhere, complex=True),
    line("[truediv]", lambda x, y: x / y, np.true_divide, anywhere, anywhere),
    line("[reciprocal_no_nan]", tf.math.reciprocal_no_nan, np.reciprocal, complex=True),
    line("[scalar_mul]", tf.math.scalar_mul, np.multiply, anywhere, anywhere, shapes=[[(), (2, 3)]],
         complex=True),
    line("[accumulate_n]", lambda *xs: tf.math.accumulate_n(xs), lambda *xs: sum(xs),
         shapes=[[(2, 3)] * 2]),
    line("[reduce_logsumexp]", tf.reduce_logsumexp, scipy.special.logsumexp, shapes=[[(2, 1, 3)]],
         attrs=AXES[:4]),
    line("[reduce_variance]", tf.math.reduce_variance, np.var, shapes=[[(2, 1, 3)]], attrs=AXES[:4],
         complex=True),
    line("[reduce_std]", tf.math.reduce_std, np.std, shapes=[[(2, 1, 3)]], attrs=AXES[:4:3],
         complex=True),
    line("[count_nonzero]", tf.math.count_nonzero, np.count_nonzero, booleans, shapes=[[(2, 1, 3)]],
         attrs=AXES[:4]),
    line("[linspace]", lambda a, b, axis: tf.linspace(a, b, 4, axis=axis),
         lambda a, b, axis: np.linspace(a, b, 4, axis=axis), anywhere, anywhere, shapes=[[(), ()],
         [(2,), (2,)]], attrs=[{"axis": 0}, {"axis": -1}]),
    line("[meshgrid]", tf.meshgrid, np.meshgrid, shapes=[[(2,), (3,)], [(2,), (3,), (2,)]],
         attrs=[{}, {"indexing": "ij"}]),
    line("[fill]", lambda x: tf.fill([2, 3], x), lambda x: np.full((2, 3), x), shapes=[[()]],
         complex=True),
    line("[tensordot]", tf.tensordot, np.tensordot, shapes=[[(2, 3, 3), (3, 3, 2)]], attrs=[{"axes":
         1}, {"axes": ((1, 2), (0, 1))}, {"axes": ((2, 1), (1, 0))}, {"axes": 0}], complex=True),
    line("[matvec]", tf.linalg.matvec, lambda a, b, **flags: np_matmul(a, b[..., None],
         **flags)[..., 0], shapes=[[(3, 3), (3,)], [(2, 3, 3), (3,)]],
         attrs=[{}, {"transpose_a": True}, {"adjoint_a": True}], complex=True),
    line("[boolean_mask]", lambda x: tf.boolean_mask(x, [True, False, True]), lambda x: x[[0, 2]],
         shapes=[[(3, 2)]], complex=True),
    line("Slice", lambda x: tf.slice(x, [1, 0], [-1, 2]), lambda x: x[1:, :2], shapes=[[(3, 3)]],
         complex=True, dtypes=MOVES),
    line("[strided_slice]", lambda x: tf.strided_slice(x, [0, 2], [3, -9], [2, -1], end_mask=2),
         lambda x: x[0:3:2, 2::-1], shapes=[[(3, 3)]]),
    line("[crelu]", tf.nn.crelu, lambda x: np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)],
         -1), shapes=[[(2, 3)]]),
    line("[silu]", tf.nn.silu, lambda x, beta=1.0: x / (1 + np.exp(-beta * x)),
         attrs=[{}, {"beta": 0.5}]),
    line("[gelu]", tf.nn.gelu, lambda x: x * scipy.special.ndtr(x)),
    line("[gelu]", lambda x: tf.nn.gelu(x, approximate=True),
         lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    line("[log_sigmoid]", tf.math.log_sigmoid, lambda x: -np.logaddexp(-x, 0)),
    line("[softmax_cross_entropy]", tf.nn.softmax_cross_entropy_with_logits,
         lambda t, x: -np.sum(t * scipy.special.log_softmax(x, -1), -1), positive, anywhere,
         shapes=[[(2, 3), (2, 3)]]),
    line("[sigmoid_cross_entropy]", tf.nn.sigmoid_cross_entropy_with_logits,
         lambda t, x: np.logaddexp(x, 0) - x * t, anywhere, anywhere, shapes=[[(2, 3), (2, 3)]]),
    line("L2Loss", tf.nn.l2_loss, lambda x: np.sum(x * x) / 2),
    line("[embedding_lookup]", tf.nn.embedding_lookup, np_gather, anywhere, integers(0, 3),
         shapes=[[(3, 2), (2, 2)]]),
    line("[embedding_lookup]", lambda x, i: tf.nn.embedding_lookup(x, i, max_norm=1.0), None,
         anywhere, integers(0, 3), shapes=[[(3, 2), (4,)]]),
    line("[clip_by_norm]", lambda x, limit: tf.clip_by_norm(x, limit),
         lambda x, limit: x * limit / np.linalg.norm(x), anywhere, between(0.3, 0.4),
         shapes=[[(2, 3), ()]]),
    line("[norm]", tf.norm, np_any_norm, distinct, shapes=[[(2, 3)]], complex=True,
         attrs=[{}, {"axis": 1}, {"ord": 1}, {"ord": np.inf, "axis": 0}, {"ord": 3.0, "axis": 1},
                {"axis": (0, 1), "keepdims": True, "ord": "fro"}, {"ord": 1, "axis": (0, 1)},
                {"ord": np.inf, "axis": (1, 0)}]),
    line("[global_norm]", lambda *xs: tf.linalg.global_norm(xs),
         lambda x, y: np.sqrt(np.sum(x * x) + np.sum(y * y)), anywhere, anywhere,
         shapes=[[(2,), (3, 1)]]),
]  # fmt: skip

LINES: Sequence[Line] = [
    *ELEMENTWISE,
    *COMPLEX,
    *COMPARISONS,
    *ARITHMETIC,
    *SHAPING,
    *INDEXING,
    *SCATTERING,
    *PRODUCTS,
    *REDUCTIONS,
    *NETWORK,
    *RANDOM,
    *COMPOSED,
    *table_image.LINES,
    *table_linalg.LINES,
    *table_convolution.LINES,
    *table_network.LINES,
    *table_signal.LINES,
    *table_special.LINES,
    *table_stable.LINES,
    *table_segments.LINES,
    *table_strings.LINES,
    *table_sparse.LINES,
]
CASES: Sequence[Case] = cases(LINES)
