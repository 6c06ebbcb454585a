"""The same function in other ways: for many examples at once, in tf.function, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.api.function.function import function
from wengert.api.function.vectorized_map import vectorized_map
from wengert.insight.check.coordinates import joined, split
from wengert.insight.check.findings import Aspect, apart, fault_in, not_possible
from wengert.insight.check.slopes import rounding
from wengert.insight.check.subject import Subject, gradients_of, size_of
from wengert.values.tensor import wrap

if TYPE_CHECKING:
    from wengert.values.typing import Array


class Both:
    """The results of a function and its gradients, as a list of arrays."""

    def __init__(self, subject: Subject, values: Sequence[Array], rng: np.random.Generator) -> None:
        self.subject = subject
        self._rng = rng
        self.ws = split(rng.normal(size=joined(values).size), values)
        self._values = values

    def of(self, xs: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
        """The same of tensors."""
        return [*self.subject.call(xs), *gradients_of(self.subject.call, xs, ws)]

    def eagerly(self, xs: Sequence[Array]) -> list[Array]:
        """Operation by operation."""
        return _arrays(self.of(_tensors(xs), _tensors(self.ws)))

    def sizes(self, xs: Sequence[Array]) -> list[float]:
        """How large numbers may be expected to be of which each of them is made."""
        return [*[0.0] * len(self._values), *[size_of(self._values, [x]) for x in xs]]

    def noise(self, xs: Sequence[Array]) -> list[Array]:
        """What roundings of the inputs do to each of them."""
        found = rounding(lambda at: joined(self.eagerly(at)), xs, self._rng)
        ends = np.cumsum([joined([a]).size for a in self.eagerly(xs)])
        return list(np.split(found, ends[:-1]))


def _tensors(arrays: Sequence[Array]) -> list[Any]:
    return [wrap(np.array(a)) for a in arrays]


def _arrays(tensors: Sequence[Any]) -> list[Array]:
    return [np.array(t) for t in tensors]


def batched(
    subject: Subject, points: Sequence[Sequence[Array]], rng: np.random.Generator
) -> Aspect:
    """tf.vectorized_map gives what a loop over the examples gives."""
    both = Both(subject, subject.values(points[0]), rng)
    name = "batches"
    rows = [both.eagerly(xs) for xs in points]
    want = [np.stack(same) for same in zip(*rows, strict=True)]
    stacks = _tensors([np.stack(same) for same in zip(*points, strict=True)])
    weights = _tensors([np.stack([w] * len(points)) for w in both.ws])
    try:
        got = _arrays(
            vectorized_map(
                lambda parts: both.of(list(parts[0]), list(parts[1])),
                (tuple(stacks), tuple(weights)),
            )
        )
    except Exception as error:  # noqa: BLE001  # a function that is not made for batches
        return not_possible(name, error)

    def noise() -> list[Array]:
        parts = [both.noise(xs) for xs in points]
        return [np.concatenate(same) for same in zip(*parts, strict=True)]

    return _compared(name, "batch", "tf.vectorized_map", got, want, both, points[0], noise)


def in_function(
    subject: Subject, xs: Sequence[Array], rng: np.random.Generator, compiled: bool
) -> Aspect:
    """tf.function gives what the operations give one by one."""
    both = Both(subject, subject.values(xs), rng)
    name = "compiled" if compiled else "tf.function"
    want = both.eagerly(xs)
    try:
        traced = function(both.of, jit_compile=compiled)
        got = _arrays(traced(_tensors(xs), _tensors(both.ws)))
    except Exception as error:  # noqa: BLE001  # a function that cannot be traced
        return not_possible(name, error)
    return _compared(name, "modes", name, got, want, both, xs, lambda: both.noise(xs))


def _compared(
    name: str,
    kind: str,
    way: str,
    got: Sequence[Array],
    want: Sequence[Array],
    both: Both,
    xs: Sequence[Array],
    noise: Callable[[], list[Array]],
) -> Aspect:
    if [(a.shape, a.dtype) for a in got] != [(a.shape, a.dtype) for a in want]:
        return fault_in(
            name, kind, f"{way} gives other shapes or dtypes than the operations one by one"
        )
    gaps, results = apart(got, want, both.sizes(xs), noise), len(both.ws)
    if not any(gaps):
        return Aspect(name, "ok")
    if any(gaps[:results]):
        return fault_in(
            name,
            kind,
            f"{way} gives another result, by {max(gaps[:results]):.2g} of the largest number",
        )
    wrong = [n for n, gap in enumerate(gaps[results:]) if gap]
    return fault_in(
        name,
        kind,
        f"{way} gives another gradient, by {max(gaps[results:]):.2g} of the largest number",
        wrong,
    )
