"""Places on a line, in order, and what is asked for between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wengert.api.numpy import pairs
from wengert.api.numpy.promotion import promoted_floats
from wengert.api.numpy.shapes import moveaxis
from wengert.api.numpy.statistics import searchsorted
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather_densely
from wengert.ops.arrays.identity import identity
from wengert.ops.math import comparison as compare
from wengert.ops.math.comparison import where
from wengert.ops.math.complex import real
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.reductions.reductions import reduce_any
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric


def beside(x: Tensor, axes: int) -> Tensor:
    """With so many more axes behind, along which it is broadcast."""
    key = (Ellipsis, *[None] * axes)
    return x[key] if axes else x


def ordered(x: Tensor) -> Tensor:
    """Places as numbers that have an order; values that are complex make complex numbers of them."""
    return real(x) if x.dtype.is_complex else x


def interval(places: Tensor, at: Tensor) -> Tensor:
    """The number of the interval that a place is in, or is nearest to."""
    after = searchsorted(ordered(places), ordered(at), "right")
    last: Tensor = pairs.minimum(pairs.maximum(after, 1), dims(places)[0] - 1)
    return last - 1


def within(line: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """The interval that a place is in, and which share of it is before the place: none where there is one place alone."""
    if is_one(line):
        return zeros_like(searchsorted(ordered(line), ordered(at))), zeros_like(at)
    i = interval(line, at)
    begin = gather_densely(line, i)
    return i, (at - begin) / (gather_densely(line, i + 1) - begin)


def is_one(line: Tensor) -> bool:
    """Whether a line is known to have one place."""
    size = dims(line)[0]
    return isinstance(size, int) and size == 1


def is_outside(places: Tensor, at: Tensor) -> Tensor:
    """Whether places are before the first one of a line, or after the last one."""
    lines, x = ordered(places), ordered(at)
    return compare.logical_or(x < lines[0], x > lines[-1])


def rising(places: Tensor, at: Tensor) -> tuple[Tensor, Tensor]:
    """Places, and others, as numbers that rise with them: of places that fall the opposites."""
    lines, x = ordered(places), ordered(at)
    falls = lines[-1] < lines[0]
    if type(falls) is Tensor:
        return (-lines, -x) if falls else (lines, x)
    way = where(falls, cast(-1.0, lines.dtype), cast(1.0, lines.dtype))
    return lines * way, x * way


def holds(condition: Tensor) -> bool:
    """Whether a condition holds anywhere, as far as that is known: nothing is of values that a graph will have."""
    return type(condition) is Tensor and bool(reduce_any(condition))


def in_front(y: Tensor, axis: int) -> tuple[Tensor, int]:
    """The values with the axis of the places first, and where it was."""
    rank = len(dims(y))
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return moveaxis(y, axis, 0), axis % rank


def back(y: Tensor, places: int, axis: int) -> Tensor:
    """The values with the axes of the places, which are first, where the axis was."""
    return moveaxis(y, list(range(places)), list(range(axis, axis + places))) if axis else y


def points(x: Numeric, y: Numeric, axis: int, is_smooth: bool = True) -> tuple[Tensor, Tensor, int]:
    """Places and values, of which there is one for each place."""
    places, values = promoted_floats(x, y)
    if len(dims(places)) != 1:
        raise ValueError("`x` must be 1-dimensional.")
    front, axis = in_front(values, axis)
    return places, _fitting(places, front, axis, is_smooth), axis


@deferrable
def _fitting(places: Tensor, values: Tensor, axis: int, is_smooth: bool) -> Tensor:
    """The values, if they fit the places, and these rise; of a smooth curve all are finite, as one reaches far."""
    n = dims(places)[0]
    if certainly(n < 1 + is_smooth):
        raise ValueError(f"`x` must contain at least {1 + is_smooth} elements.")
    for name, found in (("x", places), ("y", values)) if is_smooth else ():
        if holds(found - found != 0.0):  # neither an infinity nor NaN has a difference of zero
            raise ValueError(f"`{name}` must contain only finite values.")
    if certainly(dims(values)[0] != n):
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    if holds(ordered(places[1:]) <= ordered(places[:-1])):
        raise ValueError("`x` must be strictly increasing sequence.")
    fitting: Tensor = identity(values)
    return fitting
