"""Raw operations between floats and the integers that stand for them on a scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.arithmetic import maximum, minimum
from wengert.ops.math.comparison import greater, greater_equal, less_equal, logical_and, where
from wengert.ops.math.complex import abs as abs_
from wengert.ops.math.complex import sign
from wengert.ops.math.elementwise import cast, floor, ones_like, zeros_like
from wengert.ops.math.elementwise import round as to_even
from wengert.ops.quantization.quantize import quantize_and_dequantize, quantize_and_dequantize_v2
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32, float64
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, TensorLike

MODES: Final = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


def _plain(kind: DType) -> str:
    return kind.name.removeprefix("q")


def _limits(kind: DType, narrow_range: bool) -> tuple[float, float]:
    """The least and the greatest integer of a quantized dtype."""
    info = np.iinfo(_plain(kind))
    return float(info.min) + narrow_range, float(info.max)


def _along(end: Tensor, rank: int | None, axis: int) -> Tensor:
    """The ends of the range of each channel, as they are broadcast."""
    if axis == -1 or rank is None:
        return end
    return reshape(end, [-1 if i == axis else 1 for i in range(rank)])


def _away(x: Tensor) -> Tensor:
    return sign(x) * floor(abs_(x) + 0.5)


def _check(mode: str, kind: str) -> None:
    if mode not in MODES:
        raise InvalidArgumentError(
            f"Mode string must be 'MIN_COMBINED', 'MIN_FIRST', or 'SCALED', is '{mode}' [Op:{kind}]"
        )


def _widened(low: Tensor, high: Tensor, least: float) -> tuple[Tensor, Tensor]:
    """A range that holds zero, and is not too small."""
    low = minimum(low, 0.0)
    width = maximum(1.0, maximum(abs_(low), abs_(high))) * least
    return low, maximum(0.0, maximum(high, low + width))


def _levels_per_unit(low: Tensor, high: Tensor, bottom: float, top: float) -> Tensor:
    """The scale without an offset with which both ends of the range have a level."""
    above = top / high
    if not bottom:
        return above
    below = where(greater(bottom * low, 0.0), bottom / low, np.inf * ones_like(low))
    return minimum(below, where(greater(high, 0.0), above, np.inf * ones_like(high)))


def _quantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str, round_mode: str,
    narrow_range: bool, axis: int, ensure_minimum_range: float, **given: DTypeLike,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Floats as integers of a quantized dtype, and the range that these stand for."""
    _check(mode, "QuantizeV2")
    kind, x = as_dtype(given["T"]), cast(convert(input, float32), float64)
    bottom, top = _limits(kind, narrow_range)
    low, high = (cast(convert(end, float32), float64) for end in (min_range, max_range))
    low, high = _widened(low, high, ensure_minimum_range)
    if mode == "SCALED":
        scale = _levels_per_unit(low, high, bottom, top)
        low, high = bottom / scale, top / scale
    else:
        scale = (top - bottom) / (high - low)
    a, b, by = (_along(end, x.shape.rank, axis) for end in (low, high, scale))
    nearest = to_even if round_mode == "HALF_TO_EVEN" else _away
    if mode == "SCALED":
        found = nearest(x * by)
    elif mode == "MIN_FIRST":
        found = _away(x * by) - _away(a * by) + bottom
    else:
        found = _away((minimum(maximum(x, a), b) - a) * by + bottom)
    levels = cast(minimum(maximum(found, bottom), top), as_dtype(_plain(kind)))
    return cast(levels, kind), cast(low, float32), cast(high, float32)


def _dequantize(
    input: Tensor, min_range: TensorLike, max_range: TensorLike, mode: str, narrow_range: bool,
    axis: int, dtype: DTypeLike,
) -> Tensor:  # fmt: skip
    """The floats that integers of a quantized dtype stand for."""
    _check(mode, "Dequantize")
    bottom, top = _limits(input.dtype, narrow_range)
    low, high = (
        _along(cast(convert(end, float32), float64), input.shape.rank, axis)
        for end in (min_range, max_range)
    )
    levels = cast(cast(input, as_dtype(_plain(input.dtype))), float64)
    if mode == "SCALED":
        step = maximum(low / bottom, high / top) if bottom else high / top
        return cast(levels * step, dtype)
    step = (high - low) / (top - bottom)
    first = _away(low / step) * step if mode == "MIN_FIRST" else low
    return cast((levels - bottom) * step + first, dtype)


def _rounded(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of ours whose axis is None where an operation's is -1."""

    def raw(input: TensorLike, input_min: TensorLike, input_max: TensorLike, **how: Any) -> Tensor:
        axis = how.pop("axis")
        bits = int(np.asarray(how.pop("num_bits")))
        chosen = None if axis == -1 else axis
        return function(input, input_min, input_max, num_bits=bits, axis=chosen, **how)

    return raw


def _inside(
    gradients: TensorLike,
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    axis: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients where the input is within its range; those of the ends are zero."""
    g, x = convert(gradients), convert(input)
    low, high = (convert(end, x.dtype) for end in (input_min, input_max))
    a, b = (_along(end, x.shape.rank, axis) for end in (low, high))
    kept = where(logical_and(greater_equal(x, a), less_equal(x, b)), g, zeros_like(g))
    return kept, zeros_like(low), zeros_like(high)


WRITTEN: Final[dict[str, Callable[..., Any]]] = {
    "Dequantize": _dequantize,
    "QuantizeAndDequantizeV3": _rounded(quantize_and_dequantize),
    "QuantizeAndDequantizeV4": _rounded(quantize_and_dequantize_v2),
    "QuantizeAndDequantizeV4Grad": _inside,
    "QuantizeV2": _quantize,
}
