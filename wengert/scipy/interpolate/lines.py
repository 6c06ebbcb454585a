"""Values between points of a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from wengert.api.numpy import pairs
from wengert.api.numpy.promotion import promoted_floats
from wengert.api.numpy.statistics import searchsorted
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.gathering import gather_densely
from wengert.ops.arrays.identity import identity
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.comparison import where
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.sorting import argsort
from wengert.scipy.interpolate.places import back, beside, holds, is_one, ordered, points, within
from wengert.scipy.interpolate.splines import CubicSpline
from wengert.values.sizes import certainly
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.api.numpy.promotion import Numeric

KINDS: Final = ("linear", "slinear", "nearest", "nearest-up", "previous", "zero", "next", "cubic")
_OF_ORDERS: Final = {0: "zero", 1: "slinear", 3: "cubic"}


@deferrable
def _of_length(x: Tensor, y: Tensor, axis: int) -> Tensor:
    """The values, if there are as many as places."""
    if len(dims(x)) != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if not dims(y):
        raise ValueError("the y array must have at least one dimension.")
    if -len(dims(y)) <= axis < len(dims(y)) and certainly(dims(x)[0] != dims(y)[axis]):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    return identity(y)  # type: ignore[no-any-return]


class interp1d:
    """The values between points, on straight lines or as `kind` says.

    >>> from wengert.scipy.interpolate import interp1d
    >>> interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 0.0])([0.5, 1.75]).numpy().tolist()
    [5.0, 2.5]
    """

    def __init__(
        self,
        x: Numeric,
        y: Numeric,
        kind: str | int = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = math.nan,
        assume_sorted: bool = False,
    ) -> None:
        kind = _OF_ORDERS.get(kind, kind) if isinstance(kind, int) else kind
        if kind not in KINDS:
            raise NotImplementedError(f"{kind} is unsupported: it is one of {', '.join(KINDS)}.")
        places, values = promoted_floats(x, y)
        values = _of_length(places, values, axis)
        if not assume_sorted:
            order = argsort(ordered(places))
            places = gather_densely(places, order)
            values = gather_densely(values, order, axis % len(dims(values)))
        self.x, self.y, self.axis = points(places, values, axis, is_smooth=False)
        self._kind, self.fill_value = kind, fill_value
        self._extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        if self._extrapolates and bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = not self._extrapolates if bounds_error is None else bounds_error
        self._curve = CubicSpline(self.x, self.y) if kind == "cubic" else None

    def __call__(self, x: Numeric) -> Tensor:
        """The values at some places."""
        at, places, values = promoted_floats(x, self.x, self.y)
        behind, rank = len(dims(values)) - 1, len(dims(at))
        line, where_asked = ordered(places), ordered(at)
        below, above = where_asked < line[0], where_asked > line[-1]
        if self.bounds_error:
            for outside, words in ((below, "below"), (above, "above")):
                if holds(outside):
                    raise ValueError(f"A value in x_new is {words} the interpolation range.")
        found = self._curve(at) if self._curve is not None else self._between(places, values, at)
        if not self._extrapolates:
            given = self.fill_value
            ends = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
            for outside, value in zip((below, above), ends, strict=True):
                fill = _fitting_fill(cast(value, found.dtype), values)
                found = where(beside(outside, behind), fill, found)
        return back(found, rank, self.axis)

    def _between(self, x: Tensor, y: Tensor, at: Tensor) -> Tensor:
        if self._kind in ("previous", "zero", "next"):
            return self._on_one_side(x, y, at)
        i, share = within(x, at)
        if self._kind.startswith("nearest"):
            near = ordered(share)
            is_far = near >= 0.5 if self._kind == "nearest-up" else near > 0.5
            return gather_densely(y, i + cast(is_far, i.dtype))
        low = gather_densely(y, i)
        if is_one(x):
            return low
        return low + (gather_densely(y, i + 1) - low) * beside(share, len(dims(y)) - 1)

    def _on_one_side(self, x: Tensor, y: Tensor, at: Tensor) -> Tensor:
        """The value at the last place before, or at the first one after; NaN where there is none, but of "zero"."""
        is_next = self._kind == "next"
        line, place = ordered(x), ordered(at)
        found = (
            searchsorted(line, place, "left") if is_next else searchsorted(line, place, "right") - 1
        )
        last = dims(x)[0] - 1
        value = gather_densely(y, pairs.minimum(pairs.maximum(found, 0), last))
        if self._kind == "zero":
            return value
        is_there = found <= last if is_next else found >= 0
        return where(beside(is_there, len(dims(y)) - 1), value, math.nan)


@deferrable
def _fitting_fill(value: Tensor, values: Tensor) -> Tensor:
    """What stands outside, if it can be that for all curves."""
    given, shape = dims(value), dims(values)[1:]
    wanted = shape or (1,)
    padded = (*[1] * (len(wanted) - len(given)), *given)
    if len(padded) > len(wanted) or any(
        certainly(size not in (1, n)) for size, n in zip(padded, wanted, strict=True)
    ):
        raise ValueError(
            f"fill_value argument must be able to broadcast up to shape {wanted} but had shape {given}"
        )
    return reshape(value, ()) if given and not shape else identity(value)
