"""The generator itself, and the numbers made of its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from wengert.ops.random import distributions, rejection
from wengert.ops.random.philox import (
    LONG,
    Philox,
    blocks,
    random_words,
    rounds,
    scrambled_state,
    seeded_state,
)
from wengert.values import dtypes
from wengert.values.dtypes import DType

STATE = scrambled_state(1, 2)
FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)

# Answers that the authors of Philox publish beside their code.
KNOWN = [
    ([0] * 4, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ([0xFFFFFFFF] * 4, LONG, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        0xA4093822 | 0x299F31D0 << 32,
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def state_of(counter: list[int], key: int) -> Philox:
    return Philox(sum(word << 32 * i for i, word in enumerate(counter)), key)


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_known_answers(counter: list[int], key: int, answer: str) -> None:
    """Integers and arrays give the block that is published."""
    wanted = [int(word, 16) for word in answer.split()]
    assert list(rounds(*counter, key)) == wanted  # type: ignore[call-arg]
    arrays = [np.full(3, word, np.uint64) for word in counter]
    assert [r.tolist() for r in rounds(*arrays, key)] == [[word] * 3 for word in wanted]  # type: ignore[call-arg]
    assert random_words(state_of(counter, key), 4).tolist() == wanted


@pytest.mark.parametrize("start", [0, LONG - 5, (1 << 128) - 5, (LONG << 64) + LONG - 5])
@pytest.mark.parametrize("count", [3, 20, 10_000])
def test_blocks_follow_each_other(start: int, count: int) -> None:
    """However many are made at once, each block is that of its own counter."""
    state = Philox(start, 7)
    made = blocks(state, np.arange(count, dtype=np.uint64))
    assert made.dtype == np.uint32
    for i in (0, 1, 5, 6, count - 1):
        if i < count:
            assert made[i].tolist() == random_words(state.skipped(i), 4).tolist()


def test_words_are_a_prefix() -> None:
    """Fewer words are the first of more."""
    assert random_words(STATE, 7).tolist() == random_words(STATE, 1000)[:7].tolist()
    assert random_words(STATE, 0).shape == (0,)


def test_seeds_make_generators() -> None:
    """Negative seeds keep their bits; both halves of a scrambled seed count."""
    assert seeded_state(-1, -2) == Philox((LONG - 1) << 64, LONG)
    assert len({scrambled_state(a, b) for a in range(-3, 3) for b in range(-3, 3)}) == 36


# ---- distributions ----------------------------------------------------------------------------

MANY = 20_000


def likely(sample: Any, cdf: Any) -> None:
    """A sample that a distribution may well have given; fixed seeds give the same each time."""
    assert scipy.stats.kstest(np.asarray(sample, np.float64), cdf).pvalue > 0.01


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_uniform(dtype: DType) -> None:
    """Numbers lie in [0, 1) and have the moments they should."""
    x = distributions.uniform(STATE, MANY, dtype)
    assert x.dtype == dtype.numpy_dtype
    wide = x.astype(np.float64)
    assert wide.min() >= 0
    assert wide.max() < 1
    assert abs(wide.mean() - 0.5) < 0.01
    assert abs(wide.var() - 1 / 12) < 0.002


@pytest.mark.parametrize("dtype", FLOATS[2:], ids=lambda d: d.name)
def test_continuous_distributions(dtype: DType) -> None:
    """Uniform, normal and truncated normal numbers have their distributions."""
    likely(distributions.uniform(STATE, MANY, dtype), "uniform")
    likely(distributions.normal(STATE, MANY, dtype), "norm")
    likely(distributions.truncated_normal(STATE, MANY, dtype), scipy.stats.truncnorm(-2, 2).cdf)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_odd_counts(dtype: DType, count: int) -> None:
    """Normal numbers come in pairs and groups, and as many are given out as are asked for."""
    for make in (distributions.normal, distributions.truncated_normal):
        few, more = make(STATE, count, dtype), make(STATE, 16, dtype)
        assert few.tolist() == more[:count].tolist()
        assert few.dtype == dtype.numpy_dtype


def test_integers_reach_their_bounds() -> None:
    """All values from the low bound to below the high one, also across the whole range."""
    x = distributions.integers(STATE, 1000, dtypes.int32, np.int32(-3), np.int32(4))
    assert set(x.tolist()) == set(range(-3, 4))
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    x = distributions.integers(STATE, 1000, dtypes.int64, np.int64(low), np.int64(high))
    assert x.min() < 0 < x.max()


@pytest.mark.parametrize("alpha", [0.1, 0.9, 1.0, 1.7, 50.0])
def test_gamma(alpha: float) -> None:
    """Gamma numbers have their distribution."""
    x = rejection.gamma(STATE, MANY, np.array(alpha))
    likely(x, scipy.stats.gamma(alpha).cdf)


@pytest.mark.parametrize("rate", [0.3, 9.0, 10.0, 200.0])
def test_poisson(rate: float) -> None:
    """Poisson numbers have their mean and variance, and the frequencies of both methods."""
    x = rejection.poisson(STATE, MANY, np.array(rate))
    assert abs(x.mean() - rate) < 4 * np.sqrt(rate / MANY)
    assert abs(x.var() / rate - 1) < 0.05
    likely_counts(x, scipy.stats.poisson(rate))


@pytest.mark.parametrize(("n", "p"), [(7.0, 0.3), (7.0, 0.8), (300.0, 0.2), (300.0, 0.9)])
def test_binomial(n: float, p: float) -> None:
    """Binomial numbers have the frequencies they should."""
    likely_counts(
        rejection.binomial(STATE, MANY, np.array(n), np.array(p)), scipy.stats.binom(n, p)
    )


def likely_counts(x: Any, distribution: Any) -> None:
    """Frequencies by the chi-squared test, rare values taken together."""
    low, high = (int(distribution.ppf(q)) for q in (0.01, 0.99))
    seen = [np.sum(x <= low), *(np.sum(x == k) for k in range(low + 1, high)), np.sum(x >= high)]
    chance = [
        distribution.cdf(low),
        *(distribution.pmf(k) for k in range(low + 1, high)),
        distribution.sf(high - 1),
    ]
    assert scipy.stats.chisquare(seen, np.array(chance) * MANY).pvalue > 0.01


def test_what_has_no_distribution_is_nan() -> None:
    """Nonsense parameters end in nan instead of an endless search."""
    with np.errstate(all="ignore"):
        bad = np.array([np.nan, -1.0, np.inf])
        assert np.isnan(rejection.gamma(STATE, 2, bad)).all()
        assert np.isnan(rejection.poisson(STATE, 2, bad[[0, 2]])).all()
        assert np.isnan(rejection.binomial(STATE, 2, bad[[0]], np.array([0.5]))).all()
        assert np.isnan(rejection.binomial(STATE, 2, np.array([5.0]), bad[[0]])).all()


def test_permutation_is_one() -> None:
    """A shuffle has each number once, and every order of three about as often."""
    assert sorted(distributions.permutation(STATE, 50)) == list(range(50))
    orders = [tuple(distributions.permutation(STATE.skipped(i), 3)) for i in range(600)]
    assert min(orders.count(o) for o in set(orders)) > 70
    assert len(set(orders)) == 6


def test_categories() -> None:
    """Classes come with their probabilities; those without weight never do."""
    logits = np.log(np.array([[0.2, 0.3, 0.5], [1.0, 1e-300, 2.0]]))
    logits[1, 1] = -np.inf
    made = distributions.categories(STATE, logits, MANY)
    shares = [np.mean(made == k, axis=1) for k in range(3)]
    assert np.allclose(np.stack(shares, 1), [[0.2, 0.3, 0.5], [1 / 3, 0, 2 / 3]], atol=0.015)
