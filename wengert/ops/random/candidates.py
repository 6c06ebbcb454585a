"""Candidate sampling: a few classes for each step of training, in place of all of them.

A sampler draws `num_sampled` classes for a batch, each once if `unique`. How often a class is expected among
them corrects the scores of the losses in `ops.nn.sampled_losses`. The numbers are TensorFlow's.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.context import graph_around
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, of_os_error
from wengert.inference.public_functions import nameable
from wengert.ops.arrays.shaping import static
from wengert.ops.random.samplers import (
    Draws,
    Sampler,
    fixed_unigram,
    learned_unigram,
    log_uniform,
    uniform,
)
from wengert.ops.random.seeds import Stream, eager_stream, graph_stream, seeds_of
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

_WORDS_EACH: Final = 2048  # reserved for a candidate: drawing a class once may take many tries
_RULED_OUT: Final = -np.finfo(np.float32).max


# ---- rows -----------------------------------------------------------------------------------------


def _of_range(kind: Callable[[int], Sampler]) -> Callable[[Stream, Attrs], Sampler]:
    return lambda _, attrs: kind(attrs["range_max"])


_learned: Final[weakref.WeakKeyDictionary[Stream, Sampler]] = weakref.WeakKeyDictionary()


def _learning(stream: Stream, attrs: Attrs) -> Sampler:
    """The sampler of an operation, which learns from run to run."""
    return _learned.setdefault(stream, learned_unigram(attrs["range_max"]))


def _fixed(_: Stream, attrs: Attrs) -> Sampler:
    return fixed_unigram(_checked_weights(attrs))


def _checked_weights(attrs: Attrs) -> list[float]:
    """The weights of this shard's classes; reserved ones have none."""
    file, given = attrs["vocab_file"], attrs["unigrams"]
    if bool(file) == bool(given):
        wanted = "Must only provide one of" if file else "Must provide either"
        raise InvalidArgumentError(
            f"{wanted} vocab_file {'and' if file else 'or'} unigrams. [Op:FixedUnigramCandidateSampler]"
        )
    read = _weights_in(file) if file else given
    all_weights = [0.0] * attrs["num_reserved_ids"] + [w ** attrs["distortion"] for w in read]
    weights = all_weights[attrs["shard"] :: attrs["num_shards"]]
    if len(weights) != attrs["range_max"]:
        raise InvalidArgumentError(
            f"range is {attrs['range_max']} must be equal to weights size  {len(weights)} "
            "[Op:FixedUnigramCandidateSampler]"
        )
    return weights


def _weights_in(file: str) -> list[float]:
    """The last field of each line."""
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except OSError as error:
        raise of_os_error(error, file) from None
    return [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]


def _sampling(type: str, sampler_of: Callable[[Stream, Attrs], Sampler]) -> Row:
    def kernel(_: Namespace, stream: Stream, true: Array, **attrs: Any) -> list[Any]:
        sampler, count = sampler_of(stream, attrs), attrs["num_sampled"]
        _check(type, true, attrs, sampler.size)
        draws = Draws(stream.reserve(_WORDS_EACH * count // 4))
        drawn, tries = _drawn(sampler, draws, count, attrs["unique"])
        expected = [_expected(sampler, x, count, tries) for x in (true, drawn)]
        if sampler.learn is not None:
            sampler.learn(true)
        return [drawn, *expected]

    return op(type, kernel, many=True, stateful=True, forms=_forms)


def _forms(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
    number, count = np.dtype(np.float32), (attrs["num_sampled"],)
    return [(count, np.dtype(np.int64)), (xs[1]._array.shape, number), (count, number)]


def _drawn(sampler: Sampler, draws: Draws, count: int, unique: bool) -> tuple[Array, int]:
    """Candidates, and how often one was drawn."""
    if not unique:
        return np.array([sampler.draw(draws) for _ in range(count)], np.int64), count
    found: dict[int, None] = {}
    for tries in itertools.count(1):
        found[sampler.draw(draws)] = None
        if len(found) == count:
            return np.array(list(found), np.int64), tries
    raise AssertionError


def _expected(sampler: Sampler, classes: Array, count: int, tries: int) -> Array:
    """How often each class is expected among the candidates."""
    shares = np.array([sampler.probability(x) for x in classes.reshape(-1).tolist()], np.float32)
    each = shares * count if tries == count else -np.expm1(tries * np.log1p(-shares))
    return each.astype(np.float32).reshape(classes.shape)


def _check(type: str, true: Array, attrs: Attrs, size: int) -> None:
    if true.ndim != 2:
        raise InvalidArgumentError(f"true_classes must be a matrix [Op:{type}]")
    if true.shape[1] != attrs["num_true"]:
        raise InvalidArgumentError(
            f"true_classes must have num_true columns, expected: {true.shape[1]} was: "
            f"{attrs['num_true']} [Op:{type}]"
        )
    if attrs["unique"] and attrs["num_sampled"] > size:
        raise InvalidArgumentError(f"Sampler's range is too small. [Op:{type}]")
    outside = true[(true < 0) | (true >= size)]
    if outside.size:
        raise InvalidArgumentError(
            f"`true_candidate` out of range [0, {size}), received {outside.flat[0]} [Op:{type}]"
        )


def _all(_: Namespace, stream: Stream, true: Array, **attrs: Any) -> list[Any]:
    ones = [np.ones(shape, np.float32) for shape in (true.shape, attrs["num_sampled"])]
    return [np.arange(attrs["num_sampled"]), *ones]


UNIFORM = _sampling("UniformCandidateSampler", _of_range(uniform))
LOG_UNIFORM = _sampling("LogUniformCandidateSampler", _of_range(log_uniform))
LEARNED_UNIGRAM = _sampling("LearnedUnigramCandidateSampler", _learning)
FIXED_UNIGRAM = _sampling("FixedUnigramCandidateSampler", _fixed)
ALL: Row = op("AllCandidateSampler", _all, many=True, stateful=True, forms=_forms)


def _hits(_: Namespace, true: Array, sampled: Array, *, num_true: int) -> list[Any]:
    if true.ndim != 2 or true.shape[1] != num_true:
        raise InvalidArgumentError(
            "true_candidates must be a batch_size * num_true matrix [Op:ComputeAccidentalHits]"
        )
    place = {value: at for at, value in enumerate(sampled.tolist())}
    pairs = [(row, place[x]) for row, xs in enumerate(true.tolist()) for x in xs if x in place]
    rows, places = np.array(pairs, np.int64).reshape(-1, 2).T
    return [rows.astype(np.int32), places, np.full(len(pairs), _RULED_OUT, np.float32)]


HITS: Row = op(
    "ComputeAccidentalHits",
    _hits,
    many=True,
    forms=lambda xs, attrs: [
        ((None,), np.dtype(kind)) for kind in (np.int32, np.int64, np.float32)
    ],
)


# ---- public functions ---------------------------------------------------------------------------


class Candidates(NamedTuple):
    """Classes that were drawn, and how often the true ones and they are expected."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def _sampled(row: Row, true_classes: TensorLike, seed: IntLike | None, **attrs: Any) -> Candidates:
    """Run a sampler; operations with equal seeds share a stream if all their attributes are equal."""
    attrs = {
        k: v if isinstance(v, (bool, tuple, str, float)) else int(static(v))
        for k, v in attrs.items()
    }
    for name in ("num_true", "num_sampled", "range_max"):
        if attrs.get(name, 1) < 1:
            raise InvalidArgumentError(
                f"Value for attr '{name}' of {attrs[name]} must be at least minimum 1 [Op:{row.name}]"
            )
    graph = graph_around()
    kinds = (row.name, *sorted(attrs.items()))
    stream = eager_stream(seed, kinds) if graph is None else graph_stream(graph, seed)
    found = apply(row, (stream, convert(true_classes, dtypes.int64)), attrs)
    return Candidates(*found)


@nameable
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes below `range_max`, all alike; how often the true ones and those drawn are expected.

    >>> sampled, true, drawn = tf.random.uniform_candidate_sampler([[3]], 1, 2, True, 4)
    >>> sampled.shape, true.shape, drawn.shape
    (TensorShape([2]), TensorShape([1, 1]), TensorShape([2]))
    """
    return _sampled(
        UNIFORM,
        true_classes,
        seed,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=bool(unique),
        range_max=range_max,
    )


@nameable
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by Zipf's law: the first ones are the most frequent.

    >>> _, true, _ = tf.random.log_uniform_candidate_sampler([[0], [9]], 1, 2, False, 10)
    >>> true.numpy().round(3).tolist() == [[np.float32(0.578)], [np.float32(0.079)]]
    True
    """
    return _sampled(
        LOG_UNIFORM,
        true_classes,
        seed,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=bool(unique),
        range_max=range_max,
    )


@nameable
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by how often this operation has seen them as true ones.

    >>> _, true, _ = tf.random.learned_unigram_candidate_sampler([[3]], 1, 2, False, 4)
    >>> true.numpy().tolist()
    [[0.5]]
    """
    return _sampled(
        LEARNED_UNIGRAM,
        true_classes,
        seed,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=bool(unique),
        range_max=range_max,
    )


@nameable
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: IntLike | None = None,
    name: str | None = None,
) -> Candidates:
    """Classes by given weights to the power of `distortion`, from a list or the last fields of a file.

    >>> found = tf.random.fixed_unigram_candidate_sampler([[1]], 1, 2, False, 2, unigrams=[1.0, 3.0])
    >>> found.true_expected_count.numpy().tolist()
    [[1.5]]
    """
    return _sampled(
        FIXED_UNIGRAM,
        true_classes,
        seed,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=bool(unique),
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=float(distortion),
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=tuple(float(w) for w in unigrams),
    )


@nameable
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: IntLike | None = None,
    name: str | None = None,
) -> Candidates:
    """All classes, for tests.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy().tolist()
    [0, 1, 2]
    """
    return _sampled(
        ALL, true_classes, seed, num_true=num_true, num_sampled=num_sampled, unique=bool(unique)
    )


@nameable
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: IntLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Where candidates are true classes: the rows, the candidates' places, and the weights that rule them out.

    >>> rows, places, _ = tf.nn.compute_accidental_hits([[3], [5]], [1, 5, 3], 1)
    >>> rows.numpy().tolist(), places.numpy().tolist()
    ([0, 1], [2, 1])
    """
    classes = convert(true_classes, dtypes.int64), convert(sampled_candidates, dtypes.int64)
    seeds_of(seed)  # nothing is drawn, but what is drawn next has the seeds after these
    rows, places, weights = apply(HITS, classes, {"num_true": int(static(num_true))})
    return rows, places, weights
