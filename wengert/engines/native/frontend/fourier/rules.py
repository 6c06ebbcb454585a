"""Lowering of Fourier transforms, whose real and imaginary parts are arrays of their own."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    Known,
    View,
    slice_view,
    transpose,
    whole,
)
from wengert.engines.native.frontend.fourier.forms import (
    Form,
    columns_of,
    radices_of,
    table_of,
)
from wengert.engines.native.frontend.lanes import Lane
from wengert.engines.native.frontend.lowering import Lowering
from wengert.engines.native.frontend.scalar import NotLowered, dtype_of
from wengert.host.threads import get_threads
from wengert.values.open_size import is_open, of_both

WORTH: Final = 1 << 19  # elements times the logarithm of a size that another thread is worth

Planes = tuple[View, View]


def transformed(
    low: Lowering, re: View, im: View, axis: int, inverse: bool, scale: float
) -> Planes:
    """The transform along an axis, times a number."""
    axis %= len(re.shape)
    if inverse:  # the same with the parts exchanged
        found = transformed(low, im, re, axis, False, scale)
        return found[1], found[0]
    outer, size, inner = _around(re, axis)
    if radices_of(size) is None:
        return _by_chirps(low, re, im, axis, scale)
    form = _form(re.kind, outer, size, inner, "complex", scale)
    return _pair(_by_routine(low, form, [re, im], [re.shape] * 2))


def from_real(low: Lowering, x: View, axis: int, size: int, scale: float = 1.0) -> Planes:
    """The frequencies from 0 to size // 2 of real numbers."""
    axis %= len(x.shape)
    last = len(x.shape) - 1
    if axis != last:
        found = from_real(low, _swapped(x, axis), last, size, scale)
        return _swapped(found[0], axis), _swapped(found[1], axis)
    outer, size, _ = _around(x, axis)
    shape = (*x.shape[:-1], size // 2 + 1)
    if size % 2 or radices_of(size // 2) is None:
        zero = low.number(x.kind, 0, x.shape)
        both = transformed(low, x, zero, axis, False, scale)
        front = (Ellipsis, slice(0, size // 2 + 1))
        return slice_view(both[0], front), slice_view(both[1], front)
    form = _form(x.kind, outer, size // 2, 1, "from real", scale)
    return _pair(_by_routine(low, form, [x], [shape] * 2))


def to_real(low: Lowering, re: View, im: View, axis: int, size: int, scale: float) -> View:
    """The real numbers whose frequencies from 0 to size // 2 these are, if scale is 1 / size.

    The imaginary parts of what has none, the first frequency and for even sizes the last one, are
    ignored.
    """
    axis %= len(re.shape)
    last = len(re.shape) - 1
    if axis != last:
        given = _swapped(re, axis), _swapped(im, axis)
        return _swapped(to_real(low, *given, last, size, scale), axis)
    outer, count, _ = _around(re, axis)
    if is_open((size,)) or count != size // 2 + 1:
        raise NotLowered("another number of frequencies than that of the real numbers")
    if size % 2 or radices_of(size // 2) is None:
        return _from_all(low, re, im, size, scale)
    shape = (*re.shape[:-1], size)
    form = _form(re.kind, outer, size // 2, 1, "to real", scale)
    (found,) = _by_routine(low, form, [re, im], [shape])
    return found


def _around(x: View, axis: int) -> tuple[int, int, int]:
    """The number of elements before an axis, on it, and behind it."""
    outer, size, inner = (
        math.prod(part) for part in (x.shape[:axis], x.shape[axis : axis + 1], x.shape[axis + 1 :])
    )
    if x.kind not in ("f4", "f8") or is_open((size, inner)):
        raise NotLowered("no transform of a known size of floating-point numbers")
    return outer, size, inner


def _swapped(x: View, axis: int) -> View:
    """The same with an axis and the last one exchanged."""
    order = list(range(len(x.shape)))
    order[axis], order[-1] = order[-1], order[axis]
    return transpose(x, order)


def _pair(found: Sequence[View]) -> Planes:
    return found[0], found[1]


# ---- by the routine ------------------------------------------------------------------------------


def _form(kind: str, outer: int, size: int, inner: int, ends: str, scale: float) -> Form:
    """The form of transforms, which several threads share if there is enough to do."""
    radices, columns = radices_of(size), columns_of(kind, size, inner)
    assert radices is not None
    blocks = -(-inner // columns)

    def parts(rows: int) -> int:
        work = rows * inner * size * size.bit_length()
        return max(1, min(get_threads(), rows * blocks, work // WORTH))

    count = of_both(parts, outer)
    each = of_both(lambda rows, by: -(-rows * blocks // by), outer, count)
    return Form(kind, outer, size, inner, radices, columns, ends, scale, each, count)


def _by_routine(
    low: Lowering, form: Form, operands: Sequence[View], shapes: Sequence[Dims]
) -> list[View]:
    table = whole(table_of(form))
    rooms = [((form.parts * form.size * form.columns,), form.kind)] * (2 * _rooms(form))
    work = form.outer * form.size * form.inner * form.size.bit_length()
    forms = [(shape, form.kind) for shape in shapes]
    return low.routine(
        "fourier.transform", (form,), [*operands, table], forms, rooms, work, form.parts
    )


def _rooms(form: Form) -> int:
    """How often there must be room for what is between two passes, where the result is none."""
    passes = len(form.radices)
    if form.ends != "complex":
        return 1 if form.ends == "from real" or passes == 1 else 2
    return min(passes - 1, 1 if form.columns == form.inner else 2)


# ---- sizes with large prime factors --------------------------------------------------------------


def _by_chirps(low: Lowering, re: View, im: View, axis: int, scale: float) -> Planes:
    """The transform as a convolution with a chirp: 2 j k is j^2 + k^2 - (j - k)^2 (Bluestein's way)."""
    size, rank = re.shape[axis], len(re.shape)
    long = _enough(2 * size - 1)
    shape = (*re.shape[:axis], long, *re.shape[axis + 1 :])
    chirp = _along(_chirp(re.kind, size, 0), axis, rank)
    place = slice_view(whole(Base(shape, re.kind)), [*[slice(None)] * axis, slice(0, size)])
    given = [
        low.assembled(shape, re.kind, 0, [(part, place)])
        for part in low.all_computed(_product, re, im, *chirp)
    ]
    spectrum = transformed(low, given[0], given[1], axis, False, 1.0)
    filter_ = _along(_chirp(re.kind, size, long), axis, rank)
    made = low.all_computed(_product, *spectrum, *filter_)
    found = transformed(low, made[0], made[1], axis, True, scale)
    front = [*[slice(None)] * axis, slice(0, size)]
    parts = [slice_view(part, front) for part in found]
    return _pair(low.all_computed(_product, *parts, *chirp))


def _product(a: Lane, b: Lane, c: Lane, d: Lane) -> Sequence[Lane]:
    """(a + i b) (c + i d)"""
    return a * c - b * d, a * d + b * c


def _enough(least: int) -> int:
    """A size of few radices that is not much larger."""
    power = 1 << (least - 1).bit_length()
    return min(n for n in (power, power // 4 * 3, power // 8 * 5) if n >= least)


@functools.lru_cache(maxsize=32)
def _chirp(kind: str, size: int, long: int) -> tuple[Known, Known]:
    """exp(-pi i k^2 / size), or the transform of its conjugate for a long convolution, over its length."""
    index = np.arange(size)
    angles = np.pi / size * (index * index % (2 * size))
    chirp = np.exp(-1j * angles)
    if long:
        around = np.zeros(long, np.complex128)
        around[:size] = chirp.conj()
        around[long - size + 1 :] = chirp.conj()[:0:-1]
        chirp = np.fft.fft(around) / long
    parts = [part.astype(dtype_of(kind)) for part in (chirp.real, chirp.imag)]
    return Known(parts[0].shape, kind, parts[0]), Known(parts[1].shape, kind, parts[1])


def _along(known: Sequence[Known], axis: int, rank: int) -> list[View]:
    """Known numbers along an axis."""
    key: list[Any] = [None] * rank
    key[axis] = slice(None)
    return [slice_view(whole(each), key) for each in known]


# ---- odd numbers of real numbers -----------------------------------------------------------------


def _from_all(low: Lowering, re: View, im: View, size: int, scale: float) -> View:
    """By all frequencies: the others are the conjugates of those that are given."""
    shape = (*re.shape[:-1], size)
    place = whole(Base(shape, re.kind))
    half = (size - 1) // 2
    front = slice(1, half + 1)
    pieces = [(slice(0, 1), slice(0, 1), 0.0), (front, front, 1.0)]
    pieces.append((slice(half, 0, -1), slice(size - half, size), -1.0))
    if size % 2 == 0:
        middle = slice(size // 2, size // 2 + 1)
        pieces.append((middle, middle, 0.0))
    parts: list[list[tuple[View, View]]] = [[], []]
    for source, target, sign in pieces:
        goal = slice_view(place, (Ellipsis, target))
        if not goal.size:
            continue
        a, b = (slice_view(x, (Ellipsis, source)) for x in (re, im))
        parts[0].append((a, goal))
        parts[1].append((_times(low, b, sign), goal))
    full = [low.assembled(shape, re.kind, None, part) for part in parts]
    return transformed(low, full[0], full[1], len(shape) - 1, True, scale)[0]


def _times(low: Lowering, x: View, sign: float) -> View:
    """A number times 1, 0 or -1."""
    if sign == 0.0:
        return low.number(x.kind, 0, x.shape)
    return x if sign == 1.0 else low.computed(lambda v: -v, x)
