"""Random numbers: NumPy's bits, from Philox in XLA's integers.

A stateful operation takes blocks from its generator's stream, whose place the caller hands over and
moves on after the run. Samples by rejection of several kinds are NumPy's, called back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.xla.asked import refuse_if
from wengert.engines.xla.backend import jax, jnp, lax
from wengert.engines.xla.rebound import rebound
from wengert.engines.xla.stand_ins import TracedPhilox
from wengert.engines.xla.traced import Traced, bare
from wengert.engines.xla.tracing import UNKNOWN_SIZES, Trace, cannot, is_known, value_needed
from wengert.engines.xla.versions import helper, version, whole
from wengert.graph.operation import Operation
from wengert.ops.random import distributions, philox, rows
from wengert.ops.random.philox import LONG, SCRAMBLING, WORD, Philox
from wengert.ops.random.rejection import RESERVED
from wengert.ops.random.seeds import Stream
from wengert.values.dtypes import DType, float32, float64

_CANDIDATES: Final = 8  # blocks drawn for a group of truncated samples; the reference draws on


def _traced(state: Any) -> TracedPhilox:
    """A generator whose state is traced, of any."""
    if isinstance(state, TracedPhilox):
        return state
    low, high = np.uint64(state.counter & LONG), np.uint64(state.counter >> 64)
    return TracedPhilox(low, high, np.uint64(state.key))


def _blocks(state: Any, offsets: Any) -> Any:
    state = _traced(state)
    low = jnp.asarray(offsets, np.uint64) + state.low
    high = (low < state.low).astype(np.uint64) + state.high
    key = jnp.asarray(state.key)
    made = philox.rounds(low & WORD, low >> 32, high & WORD, high >> 32, key)
    return jnp.stack(made, -1).astype(np.uint32)


@helper(philox.blocks)
def _some_blocks(state: Any, offsets: Any) -> Any:
    return Traced(_blocks(state, bare(offsets)))


@helper(philox.random_words)
def _words(state: Any, count: int) -> Any:
    return Traced(_blocks(state, np.arange(-(-count // 4), dtype=np.uint64)).reshape(-1)[:count])


@helper(rows.generator)
def _generator(key: Any, counter: Any) -> TracedPhilox:
    low, high = (jnp.asarray(bare(counter))[k].astype(np.uint64) for k in range(2))
    return TracedPhilox(low, high, jnp.asarray(bare(key))[0].astype(np.uint64))


@version("StatelessRandomGetKeyCounter")
def _key_and_counter(seed: Any) -> list[Any]:
    first, second = (jnp.asarray(seed)[k].astype(np.uint64) for k in range(2))
    state = TracedPhilox(first, second, np.uint64(SCRAMBLING))
    a, b, c, d = (_blocks(state, np.zeros(1, np.uint64))[0, k].astype(np.uint64) for k in range(4))
    return [(a | b << 32)[None], jnp.stack([jnp.zeros((), np.uint64), c | d << 32])]


@version("RngAdvanced")
def _advanced(state: Any, *, delta: int) -> Any:
    """The counter, in two halves, after so many numbers; the key stays."""
    blocks = delta * RESERVED
    low, high, key = (jnp.asarray(state)[k].astype(np.uint64) for k in range(3))
    after = low + np.uint64(blocks & LONG)
    high = high + np.uint64(blocks >> 64 & LONG) + (after < low).astype(np.uint64)
    return jnp.stack([after, high, key]).astype(np.int64)


# ---- distributions ------------------------------------------------------------------------------


@helper(distributions.normal)
def _normal(state: Any, count: int, dtype: DType) -> Any:
    even = count + count % 2
    bits = _words(state, even * distributions.words_each(dtype))
    return rebound(distributions.normal_of)(bits, dtype)[:count]


@helper(distributions.fraction)
def _fraction(bits: Any, dtype: DType) -> Any:
    unsigned, width, exponent = distributions._FRACTIONS[dtype.name]
    digits = bare(bits).astype(unsigned) & unsigned((1 << width) - 1)
    whole_bits = digits | unsigned(exponent << width)
    one = np.ones((), dtype.numpy_dtype)
    return Traced(lax.bitcast_convert_type(whole_bits, dtype.numpy_dtype) - one)


@helper(distributions.integers_of)
def _integers_of(bits: Any, dtype: DType) -> Any:
    words = bare(bits)
    if dtype.size == 8:
        words = words[..., 0::2].astype(np.uint64) | words[..., 1::2].astype(np.uint64) << 32
    return Traced(lax.bitcast_convert_type(words, dtype.numpy_dtype))


@helper(distributions.integers)
def _integers(state: Any, count: int, dtype: DType, low: Any, high: Any) -> Any:
    unsigned = np.uint64 if dtype.size == 8 else np.uint32
    first, last = (jnp.asarray(bare(v)).astype(unsigned) for v in (low, high))
    words = bare(_words(state, count * distributions.words_each(dtype)))
    if dtype.size == 8:
        words = words[..., 0::2].astype(np.uint64) | words[..., 1::2].astype(np.uint64) << 32
    # a width of zero means all integers, of which none is left out
    span = last - first
    made = jnp.where(span == 0, words, words % jnp.where(span == 0, 1, span)) + first
    return Traced(lax.bitcast_convert_type(made.astype(unsigned), dtype.numpy_dtype))


@helper(rows._check_bounds)
def _check_bounds(who: str, low: Any, high: Any) -> None:
    refuse_if(jnp.asarray(bare(low)) >= jnp.asarray(bare(high)))


@helper(distributions.truncated_normal)
def _truncated(state: Any, count: int, dtype: DType) -> Any:
    """The first samples of each group that are within the limits."""
    size = 4 // distributions.words_each(dtype)
    starts = np.arange(-(-count // size), dtype=np.uint64) * np.uint64(64 * size)
    offsets = (starts[:, None] + np.arange(_CANDIDATES, dtype=np.uint64)).reshape(-1)
    bits = Traced(_blocks(state, offsets).reshape(len(starts), 4 * _CANDIDATES))
    some = bare(rebound(distributions.normal_of)(bits, float64 if dtype is float64 else float32))
    inside = jnp.abs(some) < distributions._LIMIT
    refuse_if(jnp.any(inside.sum(-1) < size))
    order = jnp.argsort(~inside, axis=-1)[:, :size]
    found = jnp.take_along_axis(some, order, -1).reshape(-1)[:count]
    return Traced(found.astype(dtype.numpy_dtype))


@helper(distributions.permutation)
def _permutation(state: Any, count: int) -> Any:
    """The Fisher-Yates shuffle."""
    if count < 2:
        return np.arange(count)
    words = bare(_words(state, count - 1))

    def exchanged(i: Any, order: Any) -> Any:
        j = i + (words[i] % (count - i).astype(np.uint32)).astype(np.int64)
        a, b = order[i], order[j]
        return order.at[i].set(b).at[j].set(a)

    return Traced(lax.fori_loop(0, count - 1, exchanged, jnp.arange(count)))


# ---- by rejection: NumPy's ----------------------------------------------------------------------


class _Probe:
    """A stream that finds out how many blocks an operation takes."""

    blocks = 0

    def reserve(self, blocks: int) -> Philox:
        """The first state, whatever is asked."""
        self.blocks = blocks
        return Philox(0, 0)


@whole("RandomGamma", "RandomPoissonV2", "Multinomial")
def _by_numpy(trace: Trace, op: Operation, inputs: Sequence[Any]) -> Any:
    """NumPy's samples, from the generator as it stands when the plan runs."""
    return _results_by_numpy(trace, op, inputs)[0]


@whole("UniformCandidateSampler", "LogUniformCandidateSampler", "FixedUnigramCandidateSampler")
def _results_by_numpy(trace: Trace, op: Operation, inputs: Sequence[Any]) -> list[Any]:
    """The same of an operation with several results."""
    row, stream = op.row, inputs[0]
    if row.inline is not None and not is_known(inputs[1]):  # the shape of the samples
        raise value_needed(op, UNKNOWN_SIZES)
    probe = _Probe()
    tried = row.kernel(np, probe, *map(_likely, inputs[1:]), **op.attrs)
    state = stream.reserve(probe.blocks)
    results = tried if row.many else [tried]
    forms = [jax.ShapeDtypeStruct(np.shape(y), y.dtype) for y in results]

    def kernel(_: Any, low: Any, high: Any, key: Any, *xs: Any, **attrs: Any) -> Any:
        there = Stream(Philox(int(low) | int(high) << 64, int(key)))
        return row.kernel(np, there, *xs, **attrs)

    given = [state.low, state.high, state.key, *inputs[1:]]
    return trace.called(op, kernel, forms, given)


@whole("LearnedUnigramCandidateSampler")
def _learned(trace: Trace, op: Operation, inputs: Sequence[Any]) -> Any:
    raise cannot(op, "it learns from run to run")


def _likely(x: Any) -> Any:
    """A value of the form of an input that no row refuses: of a class, or of a parameter."""
    if is_known(x):
        return x
    return (np.zeros if np.dtype(x.dtype).kind in "iu" else np.ones)(x.shape, x.dtype)
