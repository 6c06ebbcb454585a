"""Fake quantization: quantization simulated in floats.

Rounding a value to one of a few levels has no useful derivative. So the gradient passes straight
through if the value is in the range of the levels; a value outside is clipped, and its gradient
goes to that end of the range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row, Rule
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.math.comparison import equal, where
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.support.batch_rules import all_at_once, beside_the_first
from wengert.ops.support.declare import REAL, convert_alike, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values import dtypes
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.shapes import shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Namespace, TensorLike

# ---- levels between two ends ------------------------------------------------------------------


def _levels(low: Array, high: Array, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """The ends of the range, nudged so that zero is a level, and the step between levels."""
    first, last = (1 if narrow_range else 0), 2**num_bits - 1
    step = (high - low) / (last - first)
    safe = np.where(step == 0, np.ones_like(step), step)
    zero = np.floor(np.clip(first - low / safe, first, last) + 0.5).astype(step.dtype)
    return (first - zero) * step, (last - zero) * step, step


def _quantized_kernel(
    _: Namespace, x: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool
) -> Array:
    wide, a, b = widen(x), widen(low), widen(high)
    first, last, step = _levels(a, b, num_bits, narrow_range)
    safe = np.where(step == 0, np.ones_like(step), step)
    inverse = 1 / safe
    moved = np.clip(wide, np.minimum(first, last), np.maximum(first, last)) - first
    zero = np.floor(-first * inverse + 0.5)
    levels = np.floor(moved * inverse - zero + 0.5)
    return np.where((a == 0) & (b == 0), 0, levels * step).astype(x.dtype)


def _side_kernel(
    _: Namespace, x: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool
) -> Array:
    """-1 for a value below the levels, 0 within their range, 1 above."""
    wide, a, b = widen(x), widen(low), widen(high)
    first, last, _ = _levels(a, b, num_bits, narrow_range)
    side = np.where(
        wide < first, -1, np.where(wide > last, 1, np.where(np.isnan(wide), _NOWHERE, 0))
    )
    return np.where((a == 0) & (b == 0), 0, side).astype(np.int32)


def _kept(side: int, g: Tensor, xs: Sequence[Tensor], how: Attrs) -> Tensor:
    return where(equal(apply(SIDE, xs, how), side), g, zeros_like(g))


_NOWHERE: Final = 2  # neither below, nor within, nor above: NaN
SIDE: Row = op("FakeQuantSide", _side_kernel, batch=beside_the_first("FakeQuantSide"))
# The reverse rule of each input. They save inputs only.
RULES: Final[tuple[Rule, ...]] = (
    lambda g, y, *xs, **how: _kept(0, g, xs, how),
    lambda g, y, *xs, **how: bound.sum_to(_kept(-1, g, xs, how), dims(xs[1])),
    lambda g, y, *xs, **how: bound.sum_to(_kept(1, g, xs, how), dims(xs[2])),
)
VARS: Row = op(
    "FakeQuantWithMinMaxVars",
    _quantized_kernel,
    vjp=RULES,
    batch=beside_the_first("FakeQuantWithMinMaxVars"),
    shape=lambda x, low, high, **how: x,
    saves="x",
)
PER_CHANNEL: Row = op(
    "FakeQuantWithMinMaxVarsPerChannel",
    _quantized_kernel,
    vjp=RULES,
    batch=beside_the_first("FakeQuantWithMinMaxVarsPerChannel"),
    shape=lambda x, low, high, **how: x,
    saves="x",
)


def _with_ends(kernel: Callable[..., Array]) -> Callable[..., Array]:
    """The kernel with the ends of the range as attributes."""

    def run(_: Namespace, x: Array, *, min: float, max: float, **how: Any) -> Array:
        wide = widen(x).dtype
        return kernel(np, x, np.array(min, wide), np.array(max, wide), **how)

    return run


def _args_rule(g: Tensor, y: Tensor | None, x: Tensor, **how: Any) -> Tensor:
    result: Tensor = apply(ARGS_GRAD, (g, x), how)
    return result


_side_of_args = _with_ends(_side_kernel)
ARGS: Row = op(
    "FakeQuantWithMinMaxArgs",
    _with_ends(_quantized_kernel),
    vjp=(_args_rule,),
    jvp=(_args_rule,),
    shape=lambda x, **how: x,
    batch=all_at_once("FakeQuantWithMinMaxArgs"),
    saves="x",
)
ARGS_GRAD: Row = op(
    "FakeQuantWithMinMaxArgsGradient",
    lambda _, g, x, **how: np.where(_side_of_args(np, x, **how) == 0, g, 0).astype(g.dtype),
    vjp=(lambda h, y, g, x, **how: apply(ARGS_GRAD, (h, x), how), None),
    shape=lambda g, x, **how: g,
    linear=(0,),
    batch=all_at_once("FakeQuantWithMinMaxArgsGradient"),
    saves="x",
)

# ---- functions --------------------------------------------------------------------------------


def _how(num_bits: int, narrow_range: bool, who: str) -> dict[str, Any]:
    if not 2 <= int(num_bits) <= 16:
        raise InvalidArgumentError(
            f"num_bits must be between 2 and 16, inclusive, not {num_bits} [Op:{who}]"
        )
    return {"num_bits": int(num_bits), "narrow_range": bool(narrow_range)}


def _floats(who: Row, *values: TensorLike) -> list[Tensor]:
    tensors = convert_alike(who.name, convert(values[0], hint=dtypes.float32), *values[1:])
    if tensors[0].dtype.numpy_dtype.kind not in REAL:
        raise wrong_dtype(who, tensors[0].dtype, REAL)
    return tensors


def _args_attrs(
    low: float, high: float, num_bits: int, narrow_range: bool, who: Row
) -> dict[str, Any]:
    if not low < high:
        raise InvalidArgumentError(
            f"min has to be smaller than max, was: {low} >= {high} [Op:{who.name}]"
        )
    return {"min": float(low), "max": float(high), **_how(num_bits, narrow_range, who.name)}


@deferrable
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round values to one of 2**num_bits levels from `min` to `max`, zero among them.

    >>> tf.quantization.fake_quant_with_min_max_args([0.2, 9.0], 0.0, 3.0, 2).numpy().tolist()
    [0.0, 3.0]
    """
    attrs = _args_attrs(min, max, num_bits, narrow_range, ARGS)
    result: Tensor = apply(ARGS, _floats(ARGS, inputs), attrs)
    return result


@deferrable
def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradients where the inputs are in the range, zeros elsewhere.

    >>> f = tf.quantization.fake_quant_with_min_max_args_gradient
    >>> f([1.0, 1.0], [0.2, 9.0], 0.0, 3.0, 2).numpy().tolist()
    [1.0, 0.0]
    """
    attrs = _args_attrs(min, max, num_bits, narrow_range, ARGS_GRAD)
    g, x = _floats(ARGS_GRAD, gradients, inputs)
    _same_shape(g, x, ARGS_GRAD.name)
    result: Tensor = apply(ARGS_GRAD, (g, x), attrs)
    return result


def _same_shape(gradients: Tensor, inputs: Tensor, who: str) -> None:
    if dims(gradients) != dims(inputs):
        raise InvalidArgumentError(
            "gradient and input must be the same size, not "
            f"{shape_text(dims(gradients))} and {shape_text(dims(inputs))} [Op:{who}]"
        )


def _check_ends(row: Row, x: Tensor, low: Tensor, high: Tensor) -> None:
    wanted = dims(x)[-1:] if row is PER_CHANNEL else ()
    if row is PER_CHANNEL and not dims(x):
        raise InvalidArgumentError(f"inputs must be at least 1-D [Op:{row.name}]")
    for what, end in (("min", low), ("max", high)):
        if len(dims(end)) != len(wanted):
            raise InvalidArgumentError(
                f"`{what}` must be rank {len(wanted)} but is rank {len(dims(end))} [Op:{row.name}]"
            )
        if dims(end) != wanted:
            raise InvalidArgumentError(
                f"{what} has incorrect size, expected {wanted[0]} was {dims(end)[0]} "
                f"[Op:{row.name}]"
            )


def _simulated(row: Row, values: Iterable[TensorLike], num_bits: int, narrow_range: bool) -> Tensor:
    x, low, high = _floats(row, *values)
    _check_ends(row, x, low, high)
    result: Tensor = apply(row, (x, low, high), _how(num_bits, narrow_range, row.name))
    return result


def _pulled(
    row: Row, gradients: TensorLike, values: Iterable[TensorLike], num_bits: int, narrow_range: bool
) -> tuple[Tensor, Tensor, Tensor]:
    g, *xs = _floats(row, gradients, *values)
    _same_shape(g, xs[0], row.name + "Gradient")
    _check_ends(row, *xs)
    how = _how(num_bits, narrow_range, row.name)
    return tuple(rule(g, None, *xs, **how) for rule in RULES)


@deferrable
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round values to levels between two ends, to which gradients flow as well.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.2, 9.0], 0.0, 3.0, 2).numpy().tolist()
    [0.0, 3.0]
    """
    return _simulated(VARS, (inputs, min, max), num_bits, narrow_range)


@deferrable
def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of fake_quant_with_min_max_vars with respect to inputs, `min` and `max`.

    >>> f = tf.quantization.fake_quant_with_min_max_vars_gradient
    >>> [g.numpy().tolist() for g in f([1.0, 2.0], [0.2, 9.0], 0.0, 3.0, 2)]
    [[1.0, 0.0], 0.0, 2.0]
    """
    return _pulled(VARS, gradients, (inputs, min, max), num_bits, narrow_range)


@deferrable
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round values to levels between two ends, with separate ends for each channel (last axis).

    >>> f = tf.quantization.fake_quant_with_min_max_vars_per_channel
    >>> f([[9.0, 9.0]], [0.0, 0.0], [3.0, 6.0], 2).numpy().tolist()
    [[3.0, 6.0]]
    """
    return _simulated(PER_CHANNEL, (inputs, min, max), num_bits, narrow_range)


@deferrable
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of fake_quant_with_min_max_vars_per_channel.

    >>> f = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> [g.numpy().tolist() for g in f([[1.0, 2.0]], [[9.0, 1.0]], [0.0, 0.0], [3.0, 6.0], 2)]
    [[[0.0, 2.0]], [0.0, 0.0], [1.0, 0.0]]
    """
    return _pulled(PER_CHANNEL, gradients, (inputs, min, max), num_bits, narrow_range)
