"""Sources that are parts of what a tape watches: slices, reshapes and transposes of x in place of x.

A part that the target was computed from is differentiated like any value. For any other part the
gradient is the same part of the gradient of x, provided that it is known to be a part of x: from
the tape's records, from a graph, or from memory, where a view lies within the array that was
watched. The elements of a part are different elements of x. A copy cannot be told from other
tensors, and a single element is a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.reverse import pull_back, through
from wengert.core.row import Attrs, Row
from wengert.core.tape import LEAF, WIDTH, Tape, inputs_of, ways
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import reshape
from wengert.state.variable import Variable
from wengert.values.bound_ops import bound
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor
from wengert.values.value import Key

if TYPE_CHECKING:
    from wengert.values.typing import Array
    from wengert.values.value import Value

# Operations of one input that only move elements, each to one place.
_MOVERS: Final = frozenset(
    ("StridedSlice", "Slice", "Reshape", "Transpose", "Squeeze", "ExpandDims", "ReverseV2", "Roll")
)
_READ: Final = "ReadVariableOp"


class Part(NamedTuple):
    """A part of a watched value."""

    of: Value
    take: Callable[[Any], Any]  # takes the same part of a value shaped like `of`


def pull_back_to(
    tape: Tape, targets: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any], drain: bool
) -> list[Any]:
    """The cotangents of the sources, as `pull_back` gives them, also of parts of watched values."""
    positions = tape.positions
    asking = [i for i, x in enumerate(sources) if positions.get(x._key) != LEAF]
    parts = _parts(tape, targets, sources, asking) if asking else {}
    if not parts:
        return pull_back(tape, targets, seeds, sources, drain)
    whole = [part.of for part in parts.values()]
    pulled = pull_back(tape, targets, seeds, [*sources, *whole], drain)
    found, of_whole = pulled[: len(sources)], pulled[len(sources) :]
    for (i, part), g in zip(parts.items(), of_whole, strict=True):
        found[i] = None if g is None else part.take(bound.to_dense(g))
    return found


def whole_of(tape: Tape, source: Any) -> Value | None:
    """The watched value of which a source is a part; None if it is not known to be one."""
    part = _part(tape, source)
    return None if part is None else part.of


def _parts(
    tape: Tape, targets: Sequence[Any], sources: Sequence[Any], asking: Sequence[int]
) -> dict[int, Part]:
    """The sources that are parts and that no target depends on."""
    found = {}
    for i in asking:
        part = _part(tape, sources[i])
        if part is not None and part.of.dtype is sources[i].dtype:
            found[i] = part
    recorded = {i: sources[i]._key for i in found if sources[i]._key in tape.positions}
    aims = {t._key for t in targets}
    for i, key in recorded.items():
        if not aims.isdisjoint(through(ways(tape.records), {key})):
            del found[i]
    return found


def _part(tape: Tape, source: Any) -> Part | None:
    if type(source) is SymbolicTensor:
        return _of_graph(tape, source)
    if type(source) is not Tensor:
        return None
    if source._key in tape.positions:
        return _of_records(tape, source._key)
    return _of_memory(tape, source._array)


# ---- what operations say ----------------------------------------------------------------------


def _of_records(tape: Tape, key: Key) -> Part | None:
    """A part that was taken while the tape recorded."""
    moves: list[tuple[Row, Attrs]] = []
    while tape.positions[key] != LEAF:
        at = tape.positions[key]
        row, attrs, key_a, key_b, a, b, *_ = tape.records[at : at + WIDTH]
        (first, *_), _ = inputs_of(key_a, key_b, a, b)
        if row.name == _READ and _read_array(tape, first) is not None:
            return Part(tape.watched[first], _moving(moves)) if moves else None
        if row.name not in _MOVERS:
            return None
        moves.append((row, attrs))
        key = first
    return Part(tape.watched[key], _moving(moves))


def _of_graph(tape: Tape, source: SymbolicTensor) -> Part | None:
    """A part that a graph under construction has."""
    moves: list[tuple[Row, Attrs]] = []
    while source._key not in tape.watched:
        op = source.op
        if op.row.name not in _MOVERS or len(op.inputs) != 1:
            return None
        moves.append((op.row, op.attrs))
        (source,) = op.inputs
    whole = tape.watched[source._key]
    return None if isinstance(whole, Variable) else Part(whole, _moving(moves))


def _moving(moves: Sequence[tuple[Row, Attrs]]) -> Callable[[Any], Any]:
    """A function that carries out moves, the last one first, on a value like their input."""

    def take(g: Any) -> Any:
        for row, attrs in reversed(moves):
            g = apply(row, (g,), attrs)
        return g

    return take


# ---- what the memory says ---------------------------------------------------------------------


def _of_memory(tape: Tape, array: Any) -> Part | None:
    """A view of the memory of a watched value, which has not changed since."""
    if not isinstance(array, np.ndarray) or array.base is None or not array.size:
        return None
    owner = _owner(array)
    for key, value in tape.watched.items():
        if not isinstance(value._array, np.ndarray) or _owner(value._array) is not owner:
            continue
        whole = _read_array(tape, key) if isinstance(value, Variable) else value._array
        if whole is not None:
            places = _places(array, whole)
            if places is not None:
                return Part(value, lambda g, at=places: gather(reshape(g, (-1,)), at))  # type: ignore[misc]
    return None


def _read_array(tape: Tape, key: Key) -> Array | None:
    """The value of a variable, if all that was recorded read the same."""
    found: Array | None = None
    records = tape.records
    for at in range(0, len(records), WIDTH):
        if records[at].name == _READ and records[at + 2] == key:
            array = records[at + 7]._array
            if found is not None and array is not found:
                return None
            found = array
    return found


def _owner(array: Array) -> Any:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _places(part: Array, whole: Array) -> Array | None:
    """The flat indices of a part's elements in the whole; None if it is not a part."""
    if part.dtype != whole.dtype or _layout(part) == _layout(whole):
        return None  # the whole array cannot be told from a copy made for another purpose
    wanted, there = _addresses(part), _addresses(whole).ravel()
    order = np.argsort(there)
    at = np.minimum(np.searchsorted(there[order], wanted), there.size - 1)
    places: Array = order[at]
    if (there[places] != wanted).any() or np.unique(places).size < places.size:
        return None
    return places


def _layout(array: Array) -> tuple[Any, ...]:
    return array.__array_interface__["data"][0], array.shape, array.strides


def _addresses(array: Array) -> Array:
    """The address of each element."""
    found = np.array(array.__array_interface__["data"][0], np.int64)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        steps = np.arange(size, dtype=np.int64) * stride
        found = found + steps.reshape(-1, *[1] * (array.ndim - axis - 1))
    return found
