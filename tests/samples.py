"""What a line of the table of samples is made of: domains, lines, cases.

A line says how to call the operation through its public function, what NumPy says the value is,
and from where inputs are drawn, in which shapes, with which attributes. The tests make of each line
a case for every combination.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

import wengert as tf
from wengert.core.dispatch import apply
from wengert.core.table import TABLE

Dims = tuple[int, ...]
Rng: TypeAlias = np.random.Generator
Domain = Callable[[Rng, Dims], Any]


# ---- domains ----------------------------------------------------------------------------------


def between(low: float, high: float) -> Domain:
    return lambda rng, shape: rng.uniform(low, high, shape)


def signed(low: float, high: float) -> Domain:
    return lambda rng, shape: rng.uniform(low, high, shape) * rng.choice([-1.0, 1.0], shape)


anywhere = signed(0.3, 2.0)  # but not at a kink at zero
positive = between(0.3, 2.5)
inside = signed(0.1, 0.85)  # of (-1, 1)
above_one = between(1.2, 3.0)


def distinct(rng: Rng, shape: Dims) -> Any:
    """No two elements are near each other."""
    size = int(np.prod(shape))
    return (rng.permutation(size) - size / 2 + rng.uniform(-0.2, 0.2, size)).reshape(shape) + 0.4


def stepped(offset: float) -> Domain:
    """Multiples of one half, moved: elements drawn with other offsets are never equal to these."""
    return lambda rng, shape: rng.integers(-4, 4, shape) * 0.5 + offset


def pairs_of_equals(rng: Rng, shape: Dims) -> Any:
    """As many different elements in every draw."""
    return rng.permutation(int(np.prod(shape))) // 2 + 0.5


def halves(rng: Rng, shape: Dims) -> Any:
    """Divided by a number near one, these are not near a whole number."""
    return rng.integers(-3, 3, shape) + rng.uniform(0.35, 0.65, shape)


def some_large(rng: Rng, shape: Dims) -> Any:
    return np.where(rng.random(shape) < 0.3, rng.uniform(6.5, 9.0, shape), anywhere(rng, shape))


def integers(low: int, high: int) -> Domain:
    return lambda rng, shape: rng.integers(low, high, shape).astype(np.int32)


def booleans(rng: Rng, shape: Dims) -> Any:
    """Half of them true, however they are drawn."""
    size = int(np.prod(shape))
    return rng.permutation(np.arange(size) % 2 == 0).reshape(shape)


def complexes(rng: Rng, shape: Dims) -> Any:
    """Away from the axes, where functions have their cuts."""
    return signed(0.3, 1.2)(rng, shape) + 1j * signed(0.3, 0.9)(rng, shape)


# ---- lines and cases --------------------------------------------------------------------------

ONE: Sequence[Sequence[Dims]] = [[(2, 3)], [()]]
TWO: Sequence[Sequence[Dims]] = [
    [(2, 3), (2, 3)],
    [(2, 3), (3,)],
    [(2, 1), (1, 3)],
    [(), (2,)],
    [(2, 1, 2), (1, 1)],
]


@dataclass(frozen=True)
class Line:
    """An operation, or a function composed of operations (`type` is then in brackets)."""

    type: str
    call: Callable[..., Any]
    reference: Callable[..., Any] | None
    domains: tuple[Domain, ...]
    shapes: Sequence[Sequence[Dims]]
    attrs: Sequence[dict[str, Any]] = field(default_factory=lambda: [{}])
    constant: bool = False  # it has no gradient
    fixed: tuple[int, ...] = ()  # inputs in which it has none
    complex: bool = False  # takes complex inputs, too
    dtypes: str = ""  # other dtypes it takes
    small: bool = True  # takes float32, float16 and bfloat16
    ranked: bool = True  # takes a tensor of unknown rank


@dataclass(frozen=True)
class Case:
    """A line with shapes and attributes chosen."""

    name: str
    line: Line
    domains: tuple[Domain, ...]
    shapes: Sequence[Dims]
    attrs: dict[str, Any]

    def __repr__(self) -> str:
        return self.name

    def call(self, *xs: Any) -> Any:
        return self.line.call(*xs, **self.attrs)

    def reference(self, *xs: Any) -> list[Any]:
        assert self.line.reference is not None
        with np.errstate(all="ignore"):
            ys = self.line.reference(*xs, **self.attrs)
        return list(ys) if isinstance(ys, (list, tuple)) else [np.asarray(ys)]

    def rng(self, draw: int = 0) -> Rng:
        return np.random.default_rng([zlib.crc32(self.name.encode()), draw])

    def inputs(self, draw: int = 0) -> list[Any]:
        rng = self.rng(draw)
        return [np.asarray(d(rng, s)) for d, s in zip(self.domains, self.shapes, strict=True)]

    @property
    def is_stateful(self) -> bool:
        """Whether it gives something else each time."""
        return self.line.type in TABLE and TABLE[self.line.type].stateful

    @cached_property
    def varied(self) -> list[int]:
        """The inputs in which the operation may be differentiated."""
        return [
            i
            for i, x in enumerate(self.inputs())
            if x.dtype.kind in "fc" and i not in self.line.fixed
        ]


def line(
    type: str,
    call: Callable[..., Any],
    reference: Callable[..., Any] | None,
    *domains: Domain,
    shapes: Sequence[Sequence[Dims]] | None = None,
    attrs: Sequence[dict[str, Any]] | None = None,
    **fields: Any,
) -> Line:
    chosen = domains or (anywhere,)
    if shapes is None:
        shapes = {1: ONE, 2: TWO}[len(chosen)]
    return Line(type, call, reference, chosen, shapes, attrs or [{}], **fields)


def cases(lines: Sequence[Line]) -> list[Case]:
    made = []
    counts: dict[str, int] = {}
    for one in lines:
        kinds = [one.domains, *([_complex(one.domains)] if one.complex else [])]
        for domains, shapes, attrs in itertools.product(kinds, one.shapes, one.attrs):
            number = counts[one.type] = counts.get(one.type, 0) + 1
            full = domains * len(shapes) if len(domains) == 1 else domains
            made.append(Case(f"{one.type}-{number}", one, full, shapes, attrs))
    return made


def _complex(domains: tuple[Domain, ...]) -> tuple[Domain, ...]:
    real = [d(np.random.default_rng(0), (2,)).dtype.kind == "f" for d in domains]
    return tuple(complexes if r else d for d, r in zip(domains, real, strict=True))


def internal(type: str) -> Callable[..., Any]:
    """An operation that only rules use, by its row."""
    return lambda *xs, **attrs: apply(TABLE[type], [tf.convert_to_tensor(x) for x in xs], attrs)
