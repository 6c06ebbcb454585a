"""Activation functions, softmax and cross-entropy losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import is_replaced, own_gradients
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.host.parallel import in_rows, mind_the_load
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import expand_dims, one_axis, reshape, transpose
from wengert.ops.math.arithmetic import maximum, pow
from wengert.ops.math.comparison import greater_equal, where
from wengert.ops.math.elementwise import (
    abs_real,
    cast,
    exp,
    log1p,
    ones_like,
    sigmoid,
    sqrt,
    square,
    tanh,
    zeros_like,
)
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.special.gamma import erfc
from wengert.ops.support.batch_rules import batch_all, shift_axis
from wengert.ops.support.branchless import choose, keep
from wengert.ops.support.declare import REAL, REAL_OR_INT, Unary, convert_alike, unary, wrong_dtype
from wengert.ops.support.half_precision import in_precision, widen
from wengert.ops.support.large_kernels import elementwise_kernel, softmax_kernel
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, shapes_differ
from wengert.values.tensor import Tensor, dims
from wengert.values.typed_calls import of_one, of_two
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.ops.support.parameter_names import UnaryOfFeatures
    from wengert.values.typing import Array, Integers, Namespace, TensorLike

# ---- activations ------------------------------------------------------------------------------


def _zeros(x: Array) -> Array:
    """Zeros to compare with: with a row of them NumPy is twice as fast as with a scalar."""
    return np.zeros(x.shape[-1] if x.ndim and x.shape[-1] >= 64 else (), x.dtype)


RELU_GRAD: Row = op(
    "ReluGrad",
    lambda _, g, y: keep(y > 0, g),
    # A slope is flat, which is not the same as unconnected: second derivatives are 0, not None.
    vjp=(lambda gg, z, g, y: apply(RELU_GRAD, (gg, y)), lambda gg, z, g, y: zeros_like(y)),
    elementwise=True,
    large=elementwise_kernel,
    saves="x",
)
relu: UnaryOfFeatures = unary(
    "Relu",
    "nn.relu",
    "max(x, 0). The gradient at 0 is 0.",
    ("[-1.0, 2.0]", "[0. 2.]"),
    parameters=("features",),
    kernel=lambda xp, x: xp.maximum(x, _zeros(x)),
    vjp=lambda g, y, x: apply(RELU_GRAD, (g, y)),
    saves="y",
    takes=REAL_OR_INT,
)
_relu6: Unary = unary(
    "Relu6",
    "nn.relu6",
    "min(max(x, 0), 6).",
    ("[-1.0, 2.0, 8.0]", "[0. 2. 6.]"),
    kernel=lambda xp, x: xp.minimum(xp.maximum(x, _zeros(x)), x.dtype.type(6)),
    vjp=lambda g, y, x: where(y < 6.0, apply(RELU_GRAD, (g, y)), zeros_like(g)),
    saves="y",
    takes=REAL_OR_INT,
)
elu: UnaryOfFeatures = unary(
    "Elu",
    "nn.elu",
    "x where it is positive, exp(x) - 1 elsewhere.",
    ("[0.0, 2.0]", "[0. 2.]"),
    parameters=("features",),
    kernel=lambda xp, x: xp.where(x > 0, x, xp.expm1(x)),
    vjp=lambda g, y, x: where(y < 0.0, g * (y + 1.0), g),
    saves="y",
    takes=REAL,
    slow=True,
)
_SELU_SCALE = 1.0507009873554805
_SELU_ALPHA = 1.6732632423543772
selu: UnaryOfFeatures = unary(
    "Selu",
    "nn.selu",
    "The elu, scaled so that it keeps mean and variance.",
    ("[0.0, 1.0]", "[0.     1.0507]"),
    parameters=("features",),
    kernel=lambda xp, x: xp.where(
        x > 0, x, x.dtype.type(_SELU_ALPHA) * xp.expm1(x)
    ) * x.dtype.type(_SELU_SCALE),
    vjp=lambda g, y, x: where(y < 0.0, g * (y + _SELU_SCALE * _SELU_ALPHA), g * _SELU_SCALE),
    saves="y",
    takes=REAL,
    slow=True,
)  # fmt: skip
softplus: UnaryOfFeatures = unary(
    "Softplus",
    "math.softplus",
    "log(1 + exp(x)), without overflow.",
    ("[0.0, 100.0]", "[  0.6931 100.    ]"),
    parameters=("features",),
    kernel=lambda xp, x: xp.maximum(x, x.dtype.type(0)) + xp.log1p(xp.exp(-xp.abs(x))),
    vjp=lambda g, y, x: g * sigmoid(x),
    saves="x",
    takes=REAL,
    slow=True,
)
softsign: UnaryOfFeatures = unary(
    "Softsign",
    "nn.softsign",
    "x / (1 + |x|).",
    ("[-1.0, 3.0]", "[-0.5   0.75]"),
    parameters=("features",),
    kernel=lambda xp, x: x / (x.dtype.type(1) + xp.abs(x)),
    vjp=lambda g, y, x: g / square(1.0 + abs_real(x)),
    saves="x",
    takes=REAL,
)


def _leaky_large(_: Row, arrays: Sequence[Array], attrs: Attrs) -> Array:
    (x,) = arrays
    alpha = x.dtype.type(attrs["alpha"])
    below = x * alpha
    return np.maximum(x, below) if 0 < alpha <= 1 else choose(x > 0, x, below)


LEAKY_RELU: Row = op(
    "LeakyRelu",
    lambda xp, x, *, alpha: xp.where(x > 0, x, x * x.dtype.type(alpha)),
    vjp=(lambda g, y, x, *, alpha: where(x > 0.0, apply(RELU_GRAD, (g, x)), g * alpha),),
    large=_leaky_large,
    slow=True,
    elementwise=True,
    saves="x",
)


@of_one
@deferrable
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """ReLU capped at 6: min(max(x, 0), 6).

    >>> tf.nn.relu6([-1.0, 2.0, 8.0]).numpy().tolist()
    [0.0, 2.0, 6.0]
    """
    return _relu6(features)


@of_one
@deferrable
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Leaky ReLU: x where it is positive, alpha x elsewhere.

    >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5).numpy().tolist()
    [-0.5, 2.0]
    """
    x = convert(features)
    if x.dtype.is_integer:
        x = cast(x, dtypes.float32)
    result: Tensor = apply(LEAKY_RELU, (x,), {"alpha": float(alpha)})
    return result


@deferrable
def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """Concatenated ReLU: relu(x) and relu(-x) side by side.

    >>> tf.nn.crelu([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    x = convert(features)
    return relu(concat([x, -x], axis))


@of_one
@deferrable
def silu(features: TensorLike, beta: TensorLike = 1.0, name: str | None = None) -> Tensor:
    """SiLU, also known as swish: x sigmoid(beta x).

    >>> tf.nn.silu([0.0, 100.0]).numpy().tolist()
    [0.0, 100.0]
    """
    x = convert(features)
    steepness = beta if isinstance(beta, (int, float)) else cast(beta, x.dtype)
    if is_replaced("Mul", "Sigmoid"):  # but not within it, as it has a gradient of its own there
        with own_gradients():
            return _silu(x, steepness)
    return _silu(x, steepness)


def _silu(x: Tensor, beta: float | Tensor) -> Tensor:
    """A tensor has a gradient, so it takes part whatever it holds."""
    return x * sigmoid(x if not isinstance(beta, Value) and beta == 1.0 else x * beta)


swish = silu


@of_one
@deferrable
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), without overflow.

    >>> tf.math.log_sigmoid([0.0]).numpy().round(4)
    array([-0.6931], dtype=float32)
    """
    return -softplus(-convert(x))


@of_one
@deferrable
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """GELU (Gaussian error linear unit): x times the probability that a standard normal is below x.

    >>> tf.nn.gelu([0.0, 10.0]).numpy().tolist()
    [0.0, 10.0]
    """
    x = convert(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: features.dtype={x.dtype}"
        )
    if approximate:
        cube = pow(x, 3.0) if is_replaced("Pow") else x * x * x  # as TensorFlow makes it, or faster
        inner = 0.7978845608028654 * (x + 0.044715 * cube)
        return 0.5 * x * (1.0 + tanh(inner))
    return 0.5 * x * erfc(x * -0.7071067811865476)  # 1 + erf(...) loses all digits below -5


def _erf_kernel(_: Namespace, x: Array) -> Array:
    return scipy_special().erf(widen(x)).astype(x.dtype, copy=False)


erf: Unary = unary(
    "Erf",
    "math.erf",
    "The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.",
    ("[0.0, 10.0]", "[0. 1.]"),
    kernel=_erf_kernel,
    vjp=lambda g, y, x: g * (1.1283791670955126 * exp(-x * x)),
    saves="x",
    takes=REAL,
    slow=True,
)

# ---- softmax ----------------------------------------------------------------------------------

FEW: Final = 1 << 10  # elements of which one pass takes less than to prepare several


def _below_largest(x: Array, axis: int, finish: Callable[[Any], None]) -> Array:
    """x minus its maximum along an axis, then `finish` in place, on all processors."""
    if x.ndim and x.size < FEW:
        given = widen(x)
        out = given - np.maximum.reduce(given, axis, keepdims=True, initial=-np.inf)
        finish(out)
        return in_precision(out, x.dtype)
    out = np.empty(x.shape, widen(x[:0]).dtype) if x.ndim else x

    def work(rows: slice) -> None:
        given = widen(x[rows])
        top = np.maximum.reduce(given, axis, keepdims=True, initial=-np.inf)
        finish(np.subtract(given, top, out=out[rows]))

    in_rows(work, x, axis)
    return in_precision(out, x.dtype)


_LARGE: Final = 1 << 10  # elements, for which NumPy's passes take longer than to call a kernel


def _softmax_kernel(_: Namespace, x: Array, *, axis: int) -> Array:
    found = softmax_kernel(x, axis, False) if x.size >= _LARGE else None
    if found is not None:
        return found

    def finish(y: Array) -> None:
        np.exp(y, out=y)
        y /= np.add.reduce(y, axis=axis, keepdims=True)

    return _below_largest(x, axis, finish)


def _log_softmax_kernel(_: Namespace, x: Array, *, axis: int) -> Array:
    found = softmax_kernel(x, axis, True) if x.size >= _LARGE else None
    if found is not None:
        return found

    def finish(y: Array) -> None:
        y -= np.log(np.add.reduce(np.exp(y), axis=axis, keepdims=True))

    return _below_largest(x, axis, finish)


SOFTMAX: Row = op(
    "Softmax",
    _softmax_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(lambda g, y, x, *, axis: (g - reduce_sum(g * y, axis, keepdims=True)) * y,),
    # The Jacobian is symmetric.
    jvp=(lambda t, y, x, *, axis: (t - reduce_sum(t * y, axis, keepdims=True)) * y,),
    batch=shift_axis("Softmax"),
    saves="y",
)
LOG_SOFTMAX: Row = op(
    "LogSoftmax",
    _log_softmax_kernel,
    shape=lambda x, *_, **attrs: x,
    vjp=(lambda g, y, x, *, axis: g - exp(y) * reduce_sum(g, axis, keepdims=True),),
    jvp=(lambda t, y, x, *, axis: t - reduce_sum(t * exp(y), axis, keepdims=True),),
    batch=shift_axis("LogSoftmax"),
    saves="y",
)


def _along(row: Row, logits: TensorLike, axis: Integers | None) -> Tensor:
    x = convert(logits)
    if x._array.dtype.kind not in REAL:
        raise wrong_dtype(row, x.dtype)
    if not dims(x):
        raise InvalidArgumentError(
            f"Input dims must be >= 1: softmax needs an axis, got a scalar [Op:{row.name}]"
        )
    complaint = (
        "`dim` must be in the range [{low}, {rank}) where {rank} is the number of dimensions in "
        "the input. Received: dim={at}"
    )
    at = one_axis(-1 if axis is None else axis, len(dims(x)), row.name, complaint)
    last = len(dims(x)) - 1
    if at != last and is_replaced("Transpose"):  # before it and after it, as TensorFlow does it
        perm = [last if k == at else at if k == last else k for k in range(last + 1)]
        return transpose(apply(row, (transpose(x, perm),), {"axis": last}), perm)
    result: Tensor = apply(row, (x,), {"axis": at})
    return result


@deferrable
def softmax(logits: TensorLike, axis: Integers | None = None, name: str | None = None) -> Tensor:
    """Softmax: exp(x) / sum(exp(x)) along an axis, the last by default.

    >>> tf.nn.softmax([0.0, 0.0]).numpy().tolist()
    [0.5, 0.5]
    """
    return _along(SOFTMAX, logits, axis)


@deferrable
def log_softmax(
    logits: TensorLike, axis: Integers | None = None, name: str | None = None
) -> Tensor:
    """Log-softmax: x - log(sum(exp(x))) along an axis, the last by default.

    >>> tf.nn.log_softmax([0.0, 0.0]).numpy().round(4).tolist() == [np.float32(-0.6931)] * 2
    True
    """
    return _along(LOG_SOFTMAX, logits, axis)


# ---- losses -----------------------------------------------------------------------------------


@deferrable
def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int | None = -1, name: str | None = None
) -> Tensor:
    """Cross entropy -sum(labels log(softmax(logits))) along an axis. Gradients flow to both.

    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    x = convert(logits)
    t = convert(cast(labels, x.dtype))
    axis = -1 if axis is None else axis
    pairs = zip(dims(t)[::-1], dims(x)[::-1], strict=False)
    if any(certainly(a != b) and 1 not in (a, b) for a, b in pairs):
        raise InvalidArgumentError(
            f"logits and labels must be broadcastable: logits_size={shape_text(dims(x))} "
            f"labels_size={shape_text(dims(t))} [Op:SoftmaxCrossEntropyWithLogits]"
        )
    if is_replaced(CROSS_ENTROPY.name, "LogSoftmax", "Mul", "Neg", "Reshape", "Sum"):
        return _as_one(x, t, axis)
    return -reduce_sum(t * log_softmax(_of_all_classes(x, t, axis), axis), axis)


def _of_all_classes(x: Tensor, t: Tensor, axis: int) -> Tensor:
    """Logits for as many classes as there are labels: a single one stands for all of them."""
    rank = min(len(dims(x)), len(dims(t)))
    if not -rank <= axis < rank or certainly(dims(x)[axis] == dims(t)[axis]):
        return x
    return x + zeros_like(t)


def _as_one(x: Tensor, t: Tensor, axis: int) -> Tensor:
    """As one operation of matrices, as TensorFlow makes it: for those who replace gradients of its parts."""
    if dims(x) != dims(t):
        x, t = x + zeros_like(t), t + zeros_like(x)
    last = len(dims(x)) - 1
    at = one_axis(axis, last + 1, CROSS_ENTROPY.name)
    if at != last:
        x, t = (transpose(z, [*[k for k in range(last + 1) if k != at], at]) for z in (x, t))
    result: Tensor
    if not is_replaced("Reshape"):
        result = apply(CROSS_ENTROPY, (x, t))
        return result
    *others, classes = dims(x)
    result = apply(CROSS_ENTROPY, tuple([reshape(z, (-1, classes)) for z in (x, t)]))
    return reshape(result, others)


def _dense_kernel(_: Namespace, x: Array, t: Array) -> Array:
    logs = _log_softmax_kernel(np, widen(x), axis=x.ndim - 1)
    found: Array = -np.sum(widen(t) * logs, axis=-1)
    return found.astype(x.dtype, copy=False)


CROSS_ENTROPY: Row = op(
    "SoftmaxCrossEntropyWithLogits",
    _dense_kernel,
    shape=lambda logits, labels: logits[:-1],
    vjp=(
        lambda g, y, x, t: expand_dims(g, -1) * (softmax(x) * reduce_sum(t, -1, keepdims=True) - t),
        lambda g, y, x, t: -expand_dims(g, -1) * log_softmax(x),
    ),
    batch=lambda batched, n, xs, attrs: apply(CROSS_ENTROPY, batch_all(batched, n, xs)),
)


def _sparse_kernel(_: Namespace, x: Array, labels: Array) -> Array:
    """The logarithm of the sum of all exponentials, less the logit of the label; both less the maximum."""
    _check_labels(labels, x.shape)
    at = _of_labels(labels, x.shape[-1])
    if x.size < FEW:
        sums: list[Array] = []
        below = _below_largest(
            widen(x), x.ndim - 1, lambda y: sums.append(np.log(np.add.reduce(np.exp(y), -1)))
        )
        return in_precision(sums[0] - below.reshape(-1)[at].reshape(labels.shape), x.dtype)
    logs = _log_softmax_kernel(np, x, axis=x.ndim - 1)
    return -logs.reshape(-1)[at].reshape(labels.shape)


def _check_labels(labels: Array, shape: Dims) -> None:
    depth = shape[-1]
    if not depth:
        raise InvalidArgumentError(
            f"Must have at least one class, but got logits shape {shape_text(shape)} "
            "[Op:SparseSoftmaxCrossEntropyWithLogits]"
        )
    # Without their signs, labels below zero are beyond all others.
    if np.maximum.reduce(labels.view(f"u{labels.itemsize}"), None, initial=0) >= depth:
        bad = (labels < 0) | (labels >= depth)
        raise InvalidArgumentError(
            f"Received a label value of {int(labels[bad][0])} which is outside the valid range of "
            f"[0, {depth}).  Label values: {' '.join(map(str, labels.ravel()[:100]))} "
            "[Op:SparseSoftmaxCrossEntropyWithLogits]"
        )


def _of_labels(labels: Array, depth: int) -> Array:
    """Where among all logits those of the labels are."""
    return np.arange(labels.size) * depth + labels.reshape(-1)


def _slope_kernel(_: Namespace, x: Array, labels: Array) -> Array:
    """softmax(x), minus one at the label."""
    y = _softmax_kernel(np, x, axis=x.ndim - 1)
    y.reshape(-1)[_of_labels(labels, x.shape[-1])] -= y.dtype.type(1)
    return y


def _slope_rule(g: Tensor, y: Tensor | None, x: Tensor, labels: Tensor) -> Tensor:
    p = softmax(x)
    return (g - reduce_sum(g * p, -1, keepdims=True)) * p


SLOPE: Row = op(
    "SparseSoftmaxCrossEntropySlope",
    _slope_kernel,
    vjp=(_slope_rule, None),
    jvp=(_slope_rule, None),  # the Jacobian is symmetric
    shape=lambda x, labels: x,
    batch=lambda batched, n, xs, attrs: apply(SLOPE, batch_all(batched, n, xs)),
    saves="x",
)


def _sparse_rule(g: Tensor, y: Tensor | None, x: Tensor, labels: Tensor) -> Tensor:
    result: Tensor = expand_dims(g, -1) * apply(SLOPE, (x, labels))
    return result


def _sparse_push(t: Tensor, y: Tensor, x: Tensor, labels: Tensor) -> Tensor:
    return reduce_sum(t * apply(SLOPE, (x, labels)), -1)


SPARSE_CROSS_ENTROPY: Row = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    _sparse_kernel,
    shape=lambda logits, labels: logits[:-1],
    vjp=(_sparse_rule, None),
    jvp=(_sparse_push, None),
    batch=lambda batched, n, xs, attrs: apply(
        SPARSE_CROSS_ENTROPY,
        batch_all(batched, n, xs),
    ),
    saves="x",
)


@deferrable
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """Cross entropy with integer labels: -log(softmax(logits)) at the label of each example.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    t, x = convert(labels), convert(logits)
    if t.dtype not in (dtypes.int32, dtypes.int64):
        raise InvalidArgumentError(
            f"Value for attr 'Tlabels' of {t.dtype.spoken} is not in the list of allowed values: "
            "int32, int64 [Op:SparseSoftmaxCrossEntropyWithLogits]. "
            "For probabilities use tf.nn.softmax_cross_entropy_with_logits."
        )
    if x._array.dtype.kind not in REAL:
        raise wrong_dtype(SPARSE_CROSS_ENTROPY, x.dtype)
    if not dims(x):
        raise ValueError(f"`logits` cannot be a scalar. Received logits={x}")
    if len(dims(t)) != len(dims(x)) - 1:
        more = "" if dims(t) else "; labels must be 1-D, but got shape []"
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={dims(t)} of rank {len(dims(t))} and "
            f"logits.shape={dims(x)} of rank {len(dims(x))}{more}"
        )
    if shapes_differ(dims(t), dims(x)[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={dims(t)} and logits.shape={dims(x)}"
        )
    result: Tensor = apply(SPARSE_CROSS_ENTROPY, (x, t))
    return result


@of_two
@deferrable
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Sigmoid cross entropy (logistic loss): max(x, 0) - x t + log(1 + exp(-|x|)).

    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be given.")
    x, t = convert_alike("SigmoidCrossEntropy", logits, labels)
    if dims(x) != dims(t):
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({dims(x)} vs {dims(t)})."
        )
    zeros = zeros_like(x)
    positive = greater_equal(x, zeros)
    below = where(positive, -x, x)
    return where(positive, x, zeros) - x * t + log1p(exp(below))


def _l2_kernel(_: Namespace, x: Array) -> Array:
    flat = widen(x).reshape(-1)
    mind_the_load()
    return np.asarray(np.dot(flat, flat) * flat.dtype.type(0.5)).astype(x.dtype)


def _batched_l2_loss(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
    x = xs[0]
    wide = x if x.dtype is dtypes.float64 else cast(x, dtypes.float32)
    total = reduce_sum(square(wide), range(1, len(dims(x))))
    return cast(total * 0.5, x.dtype)


L2_LOSS: Row = op(
    "L2Loss",
    _l2_kernel,
    vjp=(lambda g, y, x: g * x,),
    shape=lambda x: (),
    batch=_batched_l2_loss,
    saves="x",
)


@deferrable
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """L2 loss: half the sum of squares.

    >>> tf.nn.l2_loss([3.0, 4.0]).numpy().item()
    12.5
    """
    x = convert(t)
    if not x.dtype.is_floating:
        raise InvalidArgumentError(
            f"Value for attr 'T' of {x.dtype.spoken} is not in the list of allowed values: "
            "half, bfloat16, float, double [Op:L2Loss]"
        )
    result: Tensor = apply(L2_LOSS, (x,))
    return result


# ---- norms --------------------------------------------------------------------------------------


@deferrable
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: Integers | None = None, name: str | None = None
) -> Any:
    """Clip a tensor by its L2 norm: scale it down so that the norm does not exceed `clip_norm`.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy().round(4).tolist() == [np.float32(0.6), np.float32(0.8)]
    True
    """
    if isinstance(t, IndexedSlices):
        return t.with_values(clip_by_norm(t.values, clip_norm, axes))
    x = convert(t)
    limit = cast(maximum(clip_norm, 0), x.dtype)
    total = reduce_sum(x * x, axes, keepdims=True)
    positive = total > 0.0
    norm = where(positive, sqrt(where(positive, total, ones_like(total))), total)
    clipped = x * limit / maximum(norm, limit)
    return identity(clipped) if is_replaced("Identity") else clipped  # TensorFlow has one there
