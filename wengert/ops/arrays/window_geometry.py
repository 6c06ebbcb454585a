"""Sliding windows: their number and positions, from sizes, strides, padding and dilations.

Convolutions, pooling, patches and morphology read their arguments here. An output position `o`
and a position `t` of the window meet the input at `o * stride + t * rate - before`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.row import Attrs
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.shaping import as_shape
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, positive
from wengert.values.symbolic import is_certain

if TYPE_CHECKING:
    from wengert.values.typing import Integers

FIRST = ("NCW", "NCHW", "NCDHW")
LAST = ("NWC", "NHWC", "NDHWC")


class Windows(NamedTuple):
    """The geometry of sliding windows, axis by axis."""

    size: Dims  # of the input
    kernel: Dims
    stride: Dims
    rate: Dims
    before: Dims  # the padding in front of the input
    out: Dims  # the number of windows


class Tap(NamedTuple):
    """One position within the window: the outputs it contributes to, and its input elements."""

    at: Dims
    out: tuple[slice, ...]
    size: tuple[slice, ...]


def windows(
    size: Dims, kernel: Dims, stride: Dims, rate: Dims, padding: str, explicit: Dims, who: str
) -> Windows:
    """The windows for TensorFlow's arguments; `explicit` has two numbers for each axis."""
    # Symbolic sizes are not cached, as they would keep their graphs alive.
    find = _found if is_certain(size) and is_certain(kernel) else _found.__wrapped__
    return find(size, kernel, stride, rate, padding, explicit, who)


@lru_cache(maxsize=4096)
def _found(
    size: Dims, kernel: Dims, stride: Dims, rate: Dims, padding: str, explicit: Dims, who: str
) -> Windows:
    before, out = [], []
    for i, n in enumerate(size):
        reach = (kernel[i] - 1) * rate[i] + 1
        if padding == "SAME":
            count = -(-n // stride[i])
            front = positive((count - 1) * stride[i] + reach - n) // 2
        else:
            front, behind = explicit[2 * i : 2 * i + 2] if padding == "EXPLICIT" else (0, 0)
            count = (n + front + behind - reach + stride[i]) // stride[i]
        if certainly(count < 0):
            raise InvalidArgumentError(
                f"Computed output size would be negative: {count} [input_size: {n}, "
                f"effective_filter_size: {reach}, stride: {stride[i]}] [Op:{who}]. The window is "
                'larger than the input: pad it, for example with padding="SAME".'
            )
        before.append(front)
        out.append(positive(count))
    return Windows(size, kernel, stride, rate, tuple(before), tuple(out))


@lru_cache(maxsize=1024)
def taps(w: Windows) -> tuple[Tap, ...]:
    """The positions within the window in order, without those that only meet padding."""
    axes = [[_span(w, i, t) for t in range(k)] for i, k in enumerate(w.kernel)]
    found = []
    for at in itertools.product(*[range(k) for k in w.kernel]):
        spans = [axes[i][t] for i, t in enumerate(at)]
        if all(s is not None for s in spans):
            found.append(Tap(at, tuple(s[0] for s in spans if s), tuple(s[1] for s in spans if s)))
    return tuple(found)


def _span(w: Windows, i: int, t: int) -> tuple[slice, slice] | None:
    """On one axis: the windows whose position `t` is inside of the input, and where that is."""
    start, stride = t * w.rate[i] - w.before[i], w.stride[i]
    low = max(0, -(start // stride))
    high = min(w.out[i], (w.size[i] - 1 - start) // stride + 1)
    if high <= low:
        return None
    return slice(low, high), slice(start + low * stride, start + (high - 1) * stride + 1, stride)


# ---- arguments --------------------------------------------------------------------------------


def channels_last(data_format: str) -> bool:
    """Whether a data format such as "NHWC" has its channels last."""
    return data_format[-1] == "C"


def each_axis(value: Any, rank: int, data_format: str, name: str) -> Dims:
    """One number for each axis of the input, from one for all, one per spatial axis, or all."""
    spatial = rank - 2
    given = (1,) if value is None else window_numbers(value)
    if len(given) == rank:
        return given
    if len(given) not in (1, spatial):
        lengths = f"1, {spatial} or {rank}" if spatial > 1 else f"1 or {rank}"
        raise ValueError(
            f"{name} should be of length {lengths}. "
            f"Received: {name}={value if value is not None else given} of length {len(given)}"
        )
    inner = given * spatial if len(given) == 1 else given
    return (1, *inner, 1) if channels_last(data_format) else (1, 1, *inner)


def window_numbers(value: Any) -> Dims:
    """Sizes or steps of windows, which are often computed: floats are taken without their fractions."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(v, (float, np.floating)) for v in listed):
        value = [int(v) if isinstance(v, (float, np.floating)) else v for v in listed]
    if isinstance(value, (list, tuple)) or hasattr(value, "shape") or hasattr(value, "as_list"):
        return as_shape(value)
    return (int(value),)


def as_text(value: Any) -> Any:
    """Text that may be bytes, as an operation's attributes are; anything else unchanged."""
    return value.decode() if isinstance(value, bytes) else value


def chosen_format(data_format: str | None, spatial: int, allowed: Sequence[str] = ()) -> str:
    """The data format, or the one with the channels at the end."""
    if data_format is None:
        return LAST[spatial - 1]
    data_format = as_text(data_format)
    formats = allowed or (LAST[spatial - 1], FIRST[spatial - 1])
    if data_format not in formats:
        raise ValueError(
            f"`data_format` must be one of {' or '.join(map(repr, formats))}. "
            f"Received: data_format={data_format!r}"
        )
    return str(data_format)


def padding_attrs(
    padding: str | Iterable[Integers], rank: int, data_format: str, who: str
) -> Attrs:
    """The padding as two attributes: its kind, and two numbers for each axis if it is explicit."""
    padding = as_text(padding)
    if isinstance(padding, str):
        return {"padding": _known_padding(padding, who), "explicit_paddings": ()}
    pairs = [as_shape(p) for p in padding]
    if len(pairs) == rank - 2:
        outside = [(0, 0)]
        pairs = [(0, 0), *pairs, (0, 0)] if channels_last(data_format) else [*outside * 2, *pairs]
    flat = tuple(n for pair in pairs for n in pair)
    if len(pairs) != rank or any(len(p) != 2 for p in pairs):
        raise ValueError(
            f"When padding is a list, it must be a list of size {rank} of pairs. "
            f"Received: padding={padding!r}"
        )
    _check_explicit(flat, data_format, who)
    return {"padding": "EXPLICIT", "explicit_paddings": flat}


def _known_padding(padding: str, who: str) -> str:
    upper = padding.upper()
    if upper not in ("SAME", "VALID"):
        raise InvalidArgumentError(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            f'"SAME", "VALID", or a list of pairs [Op:{who}]'
        )
    return upper


def _check_explicit(flat: Dims, data_format: str, who: str) -> None:
    if any(n < 0 for n in flat):
        raise InvalidArgumentError(
            f"All elements of explicit_paddings must be nonnegative, got {list(flat)} [Op:{who}]"
        )
    channel = len(flat) - 2 if channels_last(data_format) else 2
    if any(flat[:2]) or any(flat[channel : channel + 2]):
        raise ValueError(
            "Nonzero explicit padding in the batch or depth dimensions is not supported: "
            f"{list(flat)} [Op:{who}]"
        )


def check_positive(numbers: Dims, what: str, who: str) -> None:
    """Raise unless all numbers are positive."""
    if any(n <= 0 for n in numbers):
        raise InvalidArgumentError(f"{what} [Op:{who}], got {list(numbers)}.")


def in_space(numbers: Dims, data_format: str) -> Dims:
    """The entries for the spatial axes."""
    return numbers[1:-1] if channels_last(data_format) else numbers[2:]


def explicit_in_space(numbers: Dims, data_format: str) -> Dims:
    """The pairs of numbers for the spatial axes."""
    return numbers[2:-2] if channels_last(data_format) else numbers[4:]


def check_rank(shape: Dims, rank: int, who: str) -> None:
    """Raise unless a shape has this rank."""
    if len(shape) != rank:
        raise InvalidArgumentError(
            f"Input must be {rank}-dimensional, got shape {shape_text(shape)}: "
            f"Shape must be rank {rank} but is rank {len(shape)} [Op:{who}]"
        )
