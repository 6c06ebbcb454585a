"""Sizes that come with what is fed.

A size belongs to the tensor on which it was first seen: often a placeholder from which a result was computed. Where
that result is fed, its sizes are known, and with them those that they were composed of. The placeholder need not be
fed for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from wengert.execution.plan import Plan
from wengert.inference.measured_inputs import measured_inputs
from wengert.values.sizes import QUOTIENT, Size, Symbol, evaluate, key_of
from wengert.values.symbolic import SymbolicTensor, is_certain

if TYPE_CHECKING:
    from wengert.values.typing import Array

_MOST: Final = 1 << 40  # elements of an axis, beyond which nobody looks for a size
_Number: TypeAlias = Callable[[Sequence["Array"]], int]  # of the values that are fed


class Measured(NamedTuple):
    """A tensor of which a plan takes sizes alone, and these."""

    tensor: SymbolicTensor
    sizes: list[_Number]

    def stand_in(self, fed: Sequence[Array]) -> Array:
        """An array of those sizes."""
        shape = [size(fed) for size in self.sizes]
        return np.broadcast_to(np.zeros((), self.tensor._array.dtype), shape)


def measured_by_feeds(plan: Plan) -> list[Measured]:
    """The tensors of which the steps of a plan take sizes alone, where fed results tell these."""
    told = _Told(plan.feeds)
    if not told.sizes:
        return []
    alone: dict[int, SymbolicTensor] = {}
    others = {id(x) for x in [*plan.fetches, *plan.feeds]}
    for op in plan.steps:
        measured = measured_inputs(op.row)
        for at, x in enumerate(op.inputs):
            if at in measured or op.row.by_shape:
                alone[id(x)] = x
            else:
                others.add(id(x))
    found = [_measured(x, told) for key, x in alone.items() if key not in others]
    return [one for one in found if one is not None]


def _measured(x: SymbolicTensor, told: _Told) -> Measured | None:
    """How the sizes of a tensor follow; None if they do not, or need not."""
    if x.shape.rank is None or is_certain(x._array.shape):
        return None
    sizes = [told.number(n) for n in x._array.shape]
    known = [size for size in sizes if size is not None]
    return Measured(x, known) if len(known) == len(sizes) else None


class _Told:
    """What the sizes of fed results tell."""

    def __init__(self, feeds: Sequence[SymbolicTensor]) -> None:
        self.sizes: dict[Any, _Number] = {}
        self._symbols: dict[Symbol, _Number] = {}
        for at, x in enumerate(feeds):
            if not x.op.inputs or x.shape.rank is None:
                continue
            for axis, size in enumerate(x._array.shape):
                if type(size) is Size:
                    self._add(size, _axis_of(at, axis))

    def _add(self, size: Size, number: _Number) -> None:
        self.sizes[key_of(size)] = number
        symbols = size.symbols
        if len(symbols) == 1 and not _shares(size):
            self._symbols[symbols[0]] = lambda fed: _solved(size, number(fed))

    def number(self, size: Any) -> _Number | None:
        """A size, if it follows."""
        if type(size) is not Size:
            return lambda _: int(size)
        known = self._symbols
        if found := self.sizes.get(key_of(size)):
            return found
        if not known.keys() >= set(size.symbols):
            return None
        return lambda fed: int(evaluate(size, lambda symbol: known[symbol](fed)))


def _axis_of(at: int, axis: int) -> _Number:
    return lambda fed: fed[at].shape[axis]


def _shares(size: Any) -> bool:
    """Whether there is a quotient in it: several sizes have the same one."""
    atoms = [atom for atoms, _ in size.terms for atom in atoms] if type(size) is Size else []
    composed = [atom for atom in atoms if type(atom) is not Symbol]
    return any(atom.kind == QUOTIENT or any(map(_shares, atom.parts)) for atom in composed)


def _solved(size: Size, value: int) -> int:
    """The least value of its symbol with which a size, which grows with it, is so much."""

    def is_less(number: int) -> bool:
        return bool(evaluate(size, lambda _: number) < value)

    found, enough = 0, 1
    while enough < _MOST and is_less(enough):
        enough *= 2
    while found < enough:
        middle = (found + enough) // 2
        if is_less(middle):
            found = middle + 1
        else:
            enough = middle
    return found
