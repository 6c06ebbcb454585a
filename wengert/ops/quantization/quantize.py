"""Quantization to the levels of an integer type, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.batch import with_rank
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE, op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import side_by_side, taken_apart
from wengert.ops.arrays.shaping import broadcast_to, reshape
from wengert.ops.math.comparison import greater_equal, less_equal, logical_and, where
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.ops.support.declare import REAL, convert_alike, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values.shapes import normal_axis, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike


def _range(
    low: Array, high: Array, signed_input: bool, num_bits: int, narrow_range: bool
) -> tuple[Any, Any, Any, Any]:
    """The scale (levels per unit), the step between levels, and the resulting ends of the range.

    The step is the larger of the two that the ends require. Both are computed by one division, as
    in TensorFlow, so that ties are rounded alike.
    """
    bottom = -(2 ** (num_bits - 1)) + narrow_range if signed_input else 0
    top = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.where(bottom * low > 0, bottom / low, np.inf)
        above = np.where(top * high > 0, top / high, np.inf)
    by_low = below < above
    scale, step = np.minimum(below, above), np.where(by_low, low / (bottom or 1), high / top)
    empty = np.isinf(scale)
    scale, step = np.where(empty, 0, scale), np.where(empty, 0, step)
    return scale, step, bottom * step, top * step


def _kernel(
    _: Namespace,
    x: Array,
    low: Array,
    high: Array,
    *,
    range_given: bool,
    round_mode: str,
    axis: int | None,
    **levels: Any,
) -> Array:
    wide = widen(x)
    a, b = _along(widen(low), wide.ndim, axis), _along(widen(high), wide.ndim, axis)
    if not range_given:
        others = None if axis is None else tuple(i for i in range(wide.ndim) if i != axis)
        a = wide.min(axis=others, keepdims=True) if wide.size else np.zeros_like(a)
        b = wide.max(axis=others, keepdims=True) if wide.size else np.zeros_like(b)
    scale, step, first, last = (np.asarray(v, wide.dtype) for v in _range(a, b, **levels))
    if range_given:
        wide = np.clip(wide, first, last)
    scaled = wide * scale
    whole = np.floor(scaled + 0.5) if round_mode == "HALF_UP" else np.rint(scaled)
    return (whole * step).astype(x.dtype)


def _along(end: Array, rank: int, axis: int | None) -> Array:
    if axis is None or not end.ndim:
        return end
    return end.reshape([-1 if i == axis else 1 for i in range(rank)])


def _inside_rule(
    g: Tensor, y: Tensor | None, x: Tensor, low: Tensor, high: Tensor, **how: Any
) -> Tensor:
    shape = [-1 if i == how["axis"] else 1 for i in range(len(dims(x)))]
    a, b = (reshape(end, shape) if dims(end) else end for end in (low, high))
    inside = logical_and(greater_equal(x, a), less_equal(x, b))
    return where(inside, g, zeros_like(g))


def _batched(name: str) -> BatchRule:
    """What is quantized with a range of its own lies side by side, as the channels do."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        row: Row = TABLE[name]
        axis = attrs["axis"]
        x, *ends = batch_all(batched, size, xs)
        if axis is None:
            rows = reshape(x, (size, math.prod(dims(x)[1:])))
            return reshape(apply(row, (rows, *ends), attrs | {"axis": 0}), dims(x))
        channels = dims(x)[1 + axis]
        flat = [
            reshape(broadcast_to(with_rank(end, 1), (size, channels)), (size * channels,))
            for end in ends
        ]
        y = apply(row, (side_by_side(x, axis), *flat), attrs)
        return taken_apart(y, axis, size)

    return rule


QUANTIZE_V2: Row = op(
    "QuantizeAndDequantizeV2",
    _kernel,
    vjp=(lambda g, y, x, low, high, **how: g, None, None),
    shape=lambda x, low, high, **how: x,
    batch=_batched("QuantizeAndDequantizeV2"),
    saves="",
)
QUANTIZE_V4: Row = op(
    "QuantizeAndDequantizeV4",
    _kernel,
    vjp=(
        _inside_rule,
        lambda g, y, x, low, high, **how: zeros_like(low),
        lambda g, y, x, low, high, **how: zeros_like(high),
    ),
    shape=lambda x, low, high, **how: x,
    batch=_batched("QuantizeAndDequantizeV4"),
    saves="x",
)
ROUNDING: Final = ("HALF_TO_EVEN", "HALF_UP")


def _quantized(
    row: Row, values: Iterable[TensorLike], axis: int | None, num_bits: int, **how: Any
) -> Tensor:
    tensors = convert_alike(row.name, *values)
    x = tensors[0]
    if x.dtype.numpy_dtype.kind not in REAL:
        raise wrong_dtype(row, x.dtype, REAL)
    if how["round_mode"] not in ROUNDING:
        raise InvalidArgumentError(
            f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{how['round_mode']}' "
            f"[Op:{row.name}]"
        )
    if axis is not None and axis >= np.iinfo(np.int32).max:
        raise InvalidArgumentError(f"Axis cannot be >= kint32max value, got {axis} [Op:{row.name}]")
    if axis is not None and axis >= max(len(dims(x)), 1):
        raise InvalidArgumentError(
            f"Shape must be at least rank {axis + 1} but is rank {len(dims(x))} [Op:{row.name}]"
        )
    signed = how["signed_input"]
    if not signed < num_bits < 63:
        raise InvalidArgumentError(
            f"num_bits is out of range: {num_bits} with signed_input {int(signed)} [Op:{row.name}]"
        )
    at = None if axis is None or (axis == -1 and not dims(x)) else normal_axis(axis, len(dims(x)))
    _check_ends(row, tensors, at)
    attrs = {**how, "num_bits": int(num_bits), "axis": at}
    result: Tensor = apply(row, tensors, attrs)
    return result


def _check_ends(row: Row, tensors: list[Tensor], axis: int | None) -> None:
    x, *ends = tensors
    for what, end in zip(("input_min", "input_max"), ends, strict=True):
        wanted = () if axis is None else (dims(x)[axis],)
        if dims(end) not in ((), wanted):
            must = "a scalar" if axis is None else f"of shape {shape_text(wanted)}"
            raise InvalidArgumentError(
                f"{what} must be {must}, not of shape {shape_text(dims(end))}. [Op:{row.name}]"
            )


@deferrable
def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Round values to the levels of an integer of `num_bits` bits, scaled to a range.

    The range is that of the values, or given. The gradient passes straight through for values in
    [input_min, input_max].

    >>> f = tf.quantization.quantize_and_dequantize_v2
    >>> f([0.2, 0.8, 5.0], 0.0, 3.0, False, num_bits=2, range_given=True).numpy().tolist()
    [0.0, 1.0, 3.0]
    """
    how = {
        "signed_input": bool(signed_input),
        "range_given": bool(range_given),
        "round_mode": round_mode,
        "narrow_range": bool(narrow_range),
    }
    return _quantized(QUANTIZE_V4, (input, input_min, input_max), axis, num_bits, **how)


@deferrable
def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """The older form of quantize_and_dequantize_v2, whose gradient passes everywhere.

    >>> f = tf.quantization.quantize_and_dequantize
    >>> f([0.2, 0.8, 5.0], 0.0, 3.0, False, num_bits=2, range_given=True).numpy().tolist()
    [0.0, 1.0, 3.0]
    """
    how = {
        "signed_input": bool(signed_input),
        "range_given": bool(range_given),
        "round_mode": round_mode,
        "narrow_range": bool(narrow_range),
    }
    return _quantized(QUANTIZE_V2, (input, input_min, input_max), axis, num_bits, **how)
