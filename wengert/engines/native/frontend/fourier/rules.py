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
    COMPLEX,
    FROM_REAL,
    FROM_ROWS,
    TO_REAL,
    TO_ROWS,
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
    form = _form(re.kind, outer, size, inner, COMPLEX, scale)
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
    if size % 2 == 0 and radices_of(size // 2) is not None:
        form = _form(x.kind, outer, size // 2, 1, FROM_REAL, scale)
    elif radices_of(size) is not None:
        form = _form(x.kind, outer, size, 1, FROM_ROWS, scale)
    elif size % 2 == 0:
        return _from_halves(low, x, size, scale)
    else:
        re, im = transformed(low, x, low.number(x.kind, 0, x.shape), axis, False, scale)
        behind = (Ellipsis, slice(1, size // 2 + 1))
        place = slice_view(whole(Base(shape, x.kind)), behind)
        im = low.assembled(shape, x.kind, 0, [(slice_view(im, behind), place)])  # the sum is real
        return slice_view(re, (Ellipsis, slice(0, size // 2 + 1))), im
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
    if size % 2 == 0 and radices_of(size // 2) is not None:
        form = _form(re.kind, outer, size // 2, 1, TO_REAL, scale)
    elif radices_of(size) is not None:
        form = _form(re.kind, outer, size, 1, TO_ROWS, scale)
    elif size % 2 == 0:
        return _to_halves(low, re, im, size, scale)
    else:
        return _from_all(low, re, im, size, scale)
    (found,) = _by_routine(low, form, [re, im], [(*re.shape[:-1], size)])
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
    form = Form(kind, outer, size, inner, radices, columns, ends, scale, 1, 1)

    def parts(rows: int) -> int:
        work = rows * inner * size * size.bit_length()
        return max(1, min(get_threads(), form._replace(outer=rows).items, work // WORTH))

    count = of_both(parts, outer)
    each = of_both(lambda items, by: -(-items // by), form.items, count)
    return form._replace(each=each, parts=count)


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
    if form.ends != COMPLEX:
        return 1 if form.ends == FROM_REAL or passes == 1 else 2
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


# ---- real numbers, of sizes with large prime factors ------------------------------------------------


def _from_halves(low: Lowering, x: View, size: int, scale: float) -> Planes:
    """By the transform of half as many complex numbers, as the routine does it."""
    half, last = size // 2, len(x.shape) - 1
    even, odd = (slice_view(x, (Ellipsis, slice(k, None, 2))) for k in (0, 1))
    z = transformed(low, even, odd, last, False, scale)
    shape = (*x.shape[:-1], half + 1)
    inside = _joined(low, z, _root(x.kind, size), -0.5)
    a, b = (slice_view(part, (Ellipsis, slice(0, 1))) for part in z)
    first, end = low.all_computed(lambda u, v: [u + v, u - v], a, b)
    zero = low.number(x.kind, 0, a.shape)
    ends = (first, end), (zero, zero)
    return _pair(
        [_with_ends(low, part, *two, shape) for part, two in zip(inside, ends, strict=True)]
    )


def _to_halves(low: Lowering, re: View, im: View, size: int, scale: float) -> View:
    half, last = size // 2, len(re.shape) - 1
    shape = (*re.shape[:-1], half)
    inside = _joined(low, (re, im), _root(re.kind, size), 1.0)
    a, b = (slice_view(re, (Ellipsis, slice(k, k + 1))) for k in (0, half))
    ends = low.all_computed(lambda u, v: [u + v, u - v], a, b)
    z = [_with_ends(low, part, end, None, shape) for part, end in zip(inside, ends, strict=True)]
    found = transformed(low, z[0], z[1], last, True, scale)
    shape = (*re.shape[:-1], size)
    goal = whole(Base(shape, re.kind))
    places = [slice_view(goal, (Ellipsis, slice(k, None, 2))) for k in (0, 1)]
    return low.assembled(shape, re.kind, None, list(zip(found, places, strict=True)))


def _joined(low: Lowering, z: Planes, root: Known, factor: float) -> list[View]:
    """Elements k of one transform from elements k and n / 2 - k of the other, but for the ends.

    The factor is 1 for what is transformed back, and otherwise -1/2.
    """
    half = root.shape[-1] + 1
    here, there = slice(1, half), slice(half - 1, 0, -1)
    views = [slice_view(part, (Ellipsis, at)) for at in (here, there) for part in z]
    roots = [slice_view(whole(root), (k,)) for k in (0, 1)]

    def join(x: Lane, y: Lane, u: Lane, v: Lane, c: Lane, s: Lane) -> Sequence[Lane]:
        a, b = x - u, y + v
        by = x.dtype.type(abs(factor))
        if factor < 0.0:
            c = -c
        return [by * (x + u + (s * a - c * b)), by * (y - v + (s * b + c * a))]

    return low.all_computed(join, *views, *roots)


def _with_ends(low: Lowering, inside: View, first: View, end: View | None, shape: Dims) -> View:
    """An array of the first elements of rows, those that follow, and the last ones, if there are any."""
    goal, size = whole(Base(shape, inside.kind)), inside.shape[-1]
    parts = [(first, slice(0, 1)), (inside, slice(1, size + 1))]
    if end is not None:
        parts.append((end, slice(size + 1, size + 2)))
    places = [(part, slice_view(goal, (Ellipsis, place))) for part, place in parts]
    return low.assembled(shape, inside.kind, None, places)


@functools.lru_cache(maxsize=32)
def _root(kind: str, size: int) -> Known:
    """The parts of exp(-2 pi i k / size), k from 1 to below the half."""
    angles = 2.0 * np.pi / size * np.arange(1, size // 2)
    parts = np.stack([np.cos(angles), -np.sin(angles)]).astype(dtype_of(kind))
    return Known(parts.shape, kind, parts)


def _from_all(low: Lowering, re: View, im: View, size: int, scale: float) -> View:
    """By all frequencies of an odd number: the others are the conjugates of those that are given."""
    shape, half = (*re.shape[:-1], size), size // 2
    goal = whole(Base(shape, re.kind))
    places = slice(0, 1), slice(1, half + 1), slice(half + 1, size)
    sources = *places[:2], slice(half, 0, -1)
    full = []
    for x, sign in ((re, 1.0), (im, -1.0)):
        first, here, there = (slice_view(x, (Ellipsis, at)) for at in sources)
        if sign < 0.0:
            first, there = low.number(x.kind, 0, first.shape), low.computed(lambda v: -v, there)
        goals = [slice_view(goal, (Ellipsis, at)) for at in places]
        parts = list(zip((first, here, there), goals, strict=True))
        full.append(low.assembled(shape, x.kind, None, parts))
    return transformed(low, full[0], full[1], len(shape) - 1, True, scale)[0]
