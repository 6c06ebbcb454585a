"""Lowering of random numbers: Philox in the loop, by the functions that make them for NumPy.

A block of four words is computed for each fourth number, and its parts are written side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Literal,
    View,
    slice_view,
    whole,
)
from wengert.engines.native.frontend.lanes import LANES, Lane, emit, like
from wengert.engines.native.frontend.lowering import DRAWS, Lowering, rule
from wengert.engines.native.frontend.order_rules import places_among
from wengert.engines.native.frontend.random_lanes import (
    Words,
    block,
    normal,
    pairs_of,
    uniform,
    words_after,
)
from wengert.engines.native.frontend.scalar import NotLowered, type_of
from wengert.engines.native.frontend.scan_rules import scanned
from wengert.graph.operation import Operation
from wengert.ops.random.distributions import low_first
from wengert.ops.random.philox import SCRAMBLING
from wengert.ops.random.rejection import RESERVED
from wengert.values.dtypes import DType, float32, float64
from wengert.values.symbolic import is_certain


@rule("StatelessRandomGetKeyCounter")
def _key_and_counter(low: Lowering, op: Operation, seed: View) -> list[View]:
    def scrambled(first: Lane, second: Lane) -> list[Lane]:
        a, b, c, d = block(first, second, SCRAMBLING)
        return [a | b << 32, c | d << 32, a.dtype.type(0) * a]

    if seed.kind not in ("i4", "i8", "u4", "u8"):
        raise NotLowered("a seed that is no integer")
    parts = [slice_view(seed, [slice(k, k + 1)]) for k in range(2)]
    key, high, nothing = low.all_computed(scrambled, *parts)
    return [key, _interleaved(low, [nothing, high])]


@rule("RngAdvanced")
def _advanced(low: Lowering, op: Operation, state: View, *, delta: int) -> View:
    """The counter, of two words, after so many numbers; the key stays."""
    counter, high, key = _words(state)
    return _interleaved(low, [*_counted_on(low, counter, high, delta * RESERVED), key])


def _words(state: View) -> list[View]:
    return [slice_view(state, [slice(k, k + 1)]) for k in range(3)]


def _counted_on(low: Lowering, counter: View, high: View, blocks: int) -> list[View]:
    """The two words of a counter after so many blocks."""
    kind, by = np.dtype(counter.kind), np.uint64(blocks)

    def later(first: Lane, second: Lane) -> list[Lane]:
        a, b = first.view(np.uint64), second.view(np.uint64)
        found = a + by
        return [found.view(kind), (b + (found < a).astype("u8")).view(kind)]

    return low.all_computed(later, counter, high)


def _reserved(low: Lowering, op: Operation, blocks: int) -> View:
    """The key and the counter from which an operation draws; its stream goes on after so many blocks."""
    if not low.is_body:
        return low.reserved(op, blocks)
    stream = op.inputs[0]
    state = low.now(stream)
    key, counter, high = _words(state)
    low.changed_to(stream, _interleaved(low, [key, *_counted_on(low, counter, high, blocks)]))
    return state


def _interleaved(low: Lowering, parts: Sequence[View]) -> View:
    """The first element of each part, then the second of each, and so on."""
    (count,) = parts[0].shape
    target = whole(Base((count * len(parts),), parts[0].kind))
    places = [slice_view(target, [slice(k, None, len(parts))]) for k in range(len(parts))]
    return low.assembled(
        (count * len(parts),), parts[0].kind, None, list(zip(parts, places, strict=True))
    )


def _drawn(
    low: Lowering,
    op: Operation,
    key: View,
    counter: View,
    made: Callable[[Words], Sequence[Lane]],
    size: int,
) -> View:
    """Samples, of which `made` makes as many of a block's words as there are for their size."""
    shape = op.outputs[0]._array.shape
    count = math.prod(shape)
    blocks = -(-count // (16 // size))

    def function(at: Lane, key: Lane, first: Lane, second: Lane) -> Sequence[Lane]:
        return made(words_after(at, key, first, second))

    halves = [slice_view(counter, [slice(k, k + 1)]) for k in range(2)]
    numbers = whole(Count((blocks,), "i8"))
    long = [_unsigned(low, x) for x in (key, *halves)]
    all_of_them = _interleaved(low, low.all_computed(function, numbers, *long))
    return low.reshape(slice_view(all_of_them, [slice(0, count)]), shape)


def _unsigned(low: Lowering, x: View) -> View:
    if x.kind not in ("i8", "u8"):
        raise NotLowered("a state that has no 64 bits")
    return low.computed(lambda v: v.view(np.uint64), x) if x.kind == "i8" else x


def _key(state: View) -> list[View]:
    """The key and the counter of a stream's state."""
    return [slice_view(state, [part]) for part in (slice(0, 1), slice(1, 3))]


def _filling(
    stateful: str, stateless: str, samples: Callable[[Words, DType], Sequence[Lane]]
) -> None:
    """The rules of a distribution of floating-point numbers."""

    def of_words(dtype: DType) -> Callable[[Words], Sequence[Lane]]:
        if dtype not in (float32, float64):
            raise NotLowered("samples of another precision")
        return lambda words: samples(words, dtype)

    @rule(stateless)
    def pure(
        low: Lowering, op: Operation, key: View, counter: View, *, shape: object, dtype: DType
    ) -> View:
        return _drawn(low, op, key, counter, of_words(dtype), dtype.size)

    def drawn(low: Lowering, op: Operation) -> Sequence[View]:
        dtype = op.attrs["dtype"]
        count = _count(op, 1)
        made = of_words(dtype)
        key, counter = _key(_reserved(low, op, count * RESERVED))
        return [_drawn(low, op, key, counter, made, dtype.size)]

    DRAWS[stateful] = drawn


def _count(op: Operation, inputs: int) -> int:
    """The number of samples that a stream gives."""
    shape = op.outputs[0]._array.shape
    if len(op.inputs) > inputs or not is_certain(shape) or 0 in shape:
        raise NotLowered("so many samples are known only at run time, or none")
    return math.prod(shape)


_filling("RandomUniform", "StatelessRandomUniformV2", uniform)
_filling("RandomStandardNormal", "StatelessRandomNormalV2", normal)


# ---- integers ---------------------------------------------------------------------------------------


def _whole_numbers(words: Words, dtype: DType) -> Sequence[Lane]:
    """The bits of integers of a size."""
    if dtype.size < 4:
        raise NotLowered("integers of fewer than 32 bits")
    type_of(dtype.numpy_dtype)
    return words if dtype.size == 4 else pairs_of(words, low_first)


@rule("StatelessRandomUniformFullIntV2")
def _integers(
    low: Lowering, op: Operation, key: View, counter: View, *, shape: object, dtype: DType
) -> View:
    def made(words: Words) -> list[Lane]:
        return [b.view(dtype.numpy_dtype) for b in _whole_numbers(words, dtype)]

    return _drawn(low, op, key, counter, made, dtype.size)


@rule("StatelessRandomUniformIntV2")
def _between(
    low: Lowering, op: Operation, key: View, counter: View, least: View, end: View,
    *, shape: object, dtype: DType,
) -> View:  # fmt: skip
    """Integers of all sizes modulo the width, as NumPy's kernel makes them."""
    if type(least.base) is not Literal or type(end.base) is not Literal:
        raise NotLowered("limits that are known only at run time")
    first, width = int(least.base.value), int(end.base.value) - int(least.base.value)
    if width <= 0:
        raise NotLowered("no integers, which NumPy's kernel reports")

    def made(words: Words) -> list[Lane]:
        found = []
        for b in _whole_numbers(words, dtype):
            rest = b - emit("div", b, like(b, width)) * like(b, width)
            found.append((rest + like(b, first % (1 << 8 * dtype.size))).view(dtype.numpy_dtype))
        return found

    return _drawn(low, op, key, counter, made, dtype.size)


def _drawn_between(low: Lowering, op: Operation) -> Sequence[View]:
    count = _count(op, 3)
    least, end = (low.views.get(id(x)) for x in op.inputs[1:])
    if least is None or end is None:
        raise NotLowered("limits that are no numbers")
    key, counter = _key(_reserved(low, op, count * RESERVED))
    return [_between(low, op, key, counter, least, end, **op.attrs)]


DRAWS["RandomUniformInt"] = _drawn_between


# ---- classes ----------------------------------------------------------------------------------------


@rule("StatelessMultinomial", by_routine=True)
def _classes(
    low: Lowering, op: Operation, key: View, counter: View, logits: View,
    *, num_samples: int, dtype: DType,
) -> View:  # fmt: skip
    """The places of uniform samples among the sums of the probabilities, none of which is divided."""
    smallest = np.float64(np.finfo(np.float32).min)
    wide = low.computed(lambda x: x.astype("f8"), logits)

    def as_it_is(x: Lane) -> Lane:
        return LANES.where(LANES.isfinite(x), x, smallest)

    top = low.reduced("max", low.computed(as_it_is, wide), [1], True)
    weights = low.computed(
        lambda x, m: LANES.where(LANES.isfinite(x), LANES.exp(x - m), np.float64(0.0)), wide, top
    )
    sums = scanned(low, LANES.add, (weights,), 1, -0.0, False)
    points = _drawn(low, op, key, counter, lambda words: uniform(words, float64), 8)
    all_of_it = slice_view(sums, [slice(None), slice(-1, None)])
    place = places_among(low, sums, low.computed(LANES.multiply, points, all_of_it), True)
    return low.computed(lambda at: at.astype(dtype.numpy_dtype), place)


def _drawn_classes(low: Lowering, op: Operation) -> Sequence[View]:
    _count(op, 2)
    logits = low.views.get(id(op.inputs[1]))
    if logits is None or 0 in logits.shape or logits.kind not in ("f4", "f8"):
        raise NotLowered("there are no logits")
    blocks = logits.shape[0] * (-(-op.attrs["num_samples"] // 4) * 4) * 2 * RESERVED
    key, counter = _key(_reserved(low, op, blocks))
    return [_classes(low, op, key, counter, logits, **op.attrs)]


DRAWS["Multinomial"] = _drawn_classes
