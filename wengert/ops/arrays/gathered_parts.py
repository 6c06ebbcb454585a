"""Parts of a tensor at places that differ between the examples of a batch, or are not known: gathers.

x[i] and x[i : i + 4] are gathers where `i` is another one in each example of a vectorized function,
and in what an engine traces that learns no numbers on its way.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from wengert.core.batch import Batched
from wengert.errors import SymbolicValueError
from wengert.inference.symbolic_integers import integers_of
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.math.arithmetic import maximum
from wengert.ops.math.comparison import where
from wengert.values.convert import convert
from wengert.values.dtypes import int32
from wengert.values.sizes import Size, key_of, length
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, dims


class _Gathering(threading.local):
    """Whether an index that is not known is that of a gather in this thread, or waits until it is known."""

    is_on = False
    shape: Sequence[int] | None = None  # of what a key takes, where it is known


_GATHERING: Final = _Gathering()


@contextmanager
def gathering(shape: Sequence[int] | None = None) -> Iterator[None]:
    """Within it x[i] is a gather where i is not known: for engines that learn no numbers on their way.

    A graph may know the shape of x[i : i + 4] by what it knows of i.
    """
    before = _GATHERING.is_on, _GATHERING.shape
    _GATHERING.is_on, _GATHERING.shape = True, shape
    try:
        yield
    finally:
        _GATHERING.is_on, _GATHERING.shape = before


class Window(NamedTuple):
    """So many neighbours along an axis from a place on that is not known, none of which is beyond its end."""

    begin: Any
    size: Any
    wraps: bool = False  # whether a negative place counts from the end


def is_gathered(part: Any) -> bool:
    """Whether a part of a key is at a place that is gathered."""
    if isinstance(part, slice):
        return part.step in (None, 1) and (is_placed(part.start) or is_placed(part.stop))
    return type(part) is Window or is_placed(part)


def is_placed(index: Any) -> bool:
    """Whether an index differs between examples, or is one that is not known and is gathered."""
    if type(index) is Batched:
        return True
    if not _GATHERING.is_on or type(index) is not SymbolicTensor or dims(index):
        return False
    found = integers_of(index)
    return found is None or type(found.item()) is Size


def places_of(value: Any) -> Sequence[Any]:
    """The elements of a vector of integers: numbers, and tensors where they are gathered."""
    if type(value) is Batched or (_GATHERING.is_on and type(value) is SymbolicTensor):
        parts = [value[k] for k in range(dims(value)[0])]
    else:
        parts = list(value) if isinstance(value, (list, tuple)) else []
    if not any(map(is_placed, parts)):
        return as_shape(value)
    return [part if is_placed(part) else as_shape([part])[0] for part in parts]


def at_places(x: Tensor, parts: Sequence[Any], rest: list[Any]) -> Tensor:
    """What is gathered of `x`, to which the rest of the key was applied: all along these axes."""
    for at, part in reversed(list(enumerate(parts))):
        if not is_gathered(part):
            continue
        behind = Ellipsis in rest[:at]  # then axes are counted from the end
        kept = sum(map(_keeps_an_axis, rest[at:] if behind else rest[:at]))
        axis = len(dims(x)) - kept if behind else kept
        if isinstance(part, slice):
            part = _window(part, dims(x)[axis], _known_size(parts, at))
        x = gather(x, _indices(part, dims(x)[axis]), axis=axis)
        rest[at] = part if isinstance(part, (slice, Window)) else 0
    return x


def _keeps_an_axis(part: Any) -> bool:
    return part is None or isinstance(part, (slice, Window))


def _indices(part: Any, have: Any) -> Tensor:
    """The places along an axis of some size."""
    if type(part) is Window:
        begin = convert(part.begin, hint=int32)
        return begin + range_(part.size, dtype=begin.dtype)
    return from_the_front(part, have)


def from_the_front(index: Tensor, have: Any) -> Tensor:
    """Indices on an axis of some size, of which negative ones count from its end."""
    found: Tensor = where(index < 0, index + convert(have, index.dtype), index)
    return found


def _known_size(parts: Sequence[Any], at: int) -> int | None:
    """How many elements a graph knows that a part of a key takes."""
    shape = _GATHERING.shape
    if shape is None:
        return None
    kept = [_keeps_an_axis(part) for part in parts]
    return shape[len(shape) - sum(kept[at:]) if Ellipsis in parts[:at] else sum(kept[:at])]


def _window(part: slice, have: Any, size: int | None) -> Window:
    begin = 0 if part.start is None else part.start
    return Window(_begin(begin, have), _window_size(part, have) if size is None else size)


def _begin(place: Any, have: Any) -> Any:
    """Where a slice begins: at the first element, if its place is before that."""
    if type(place) is int:
        return place if place >= 0 else max(place + have, 0)
    return maximum(from_the_front(place, have), 0)


def _window_size(part: slice, have: Any) -> int:
    """How many elements a slice takes, if that are as many in each example."""
    start = 0 if part.start is None else part.start
    stop = have if part.stop is None else part.stop
    pairs = zip(_integers(start + stop * 0), _integers(stop + start * 0), strict=True)
    sizes = {key_of(n): n for n in [length(slice(a, b), have) for a, b in pairs]}
    if any(type(size) is Size for size in sizes.values()):
        raise _unknown_sizes(part)
    if len(sizes) > 1:
        raise of_another_size(part.start if is_placed(part.start) else part.stop)
    return int(next(iter(sizes.values()), 0))  # of no examples nobody can tell


def _integers(bound: Any) -> Any:
    """The values of a bound in all examples, of all batches."""
    while type(bound) is Batched:
        bound = bound._full
    found = integers_of(bound)
    if found is None:
        raise _unknown_sizes(bound)
    return found.ravel().tolist()


def _unknown_sizes(part: Any) -> SymbolicValueError:
    return SymbolicValueError(
        f"Whether {part!r} takes as many elements in each example is not known before the graph "
        "runs. Use tf.slice, which takes a size."
    )


def of_another_size(bound: Any) -> TypeError:
    """What is raised where sizes would differ between examples."""
    return TypeError(
        f"A part that begins or ends at {bound!r} has another size in each example of a batch. Use "
        "tf.gather with as many indices in each, or tf.map_fn."
    )
