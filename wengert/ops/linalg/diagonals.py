"""Diagonals of matrices: diag, diag_part, set_diag, trace, band_part.

A band of diagonals `k = (low, high)` is stored as the rows of an array, the highest diagonal first.
Diagonals shorter than the longest are at one end of their row, depending on `align`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import plain, reshape, static
from wengert.ops.arrays.unknown_fillers import filled, is_unknown
from wengert.ops.math.elementwise import zeros_like
from wengert.ops.reductions.reductions import reduce_sum
from wengert.ops.support.batch_rules import with_attrs
from wengert.ops.support.declare import beside, convert_alike
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, maximum, minimum, shapes_differ
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, IntLike, Namespace, TensorLike

Band = tuple[int, int]
ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


# ---- the positions of a band's elements -------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _places(band: Band, rows: int, columns: int, align: str) -> tuple[Any, Any, Any, Any]:
    """For each element of the band: its row and column, and its index in the stored diagonals."""
    low, high = band
    longest = _longest(band, rows, columns)
    above, below = align.split("_")
    found: list[Any] = []
    for number, d in enumerate(range(high, low - 1, -1)):
        length = max(0, min(rows + min(0, d), columns - max(0, d)))
        along = np.arange(length)
        left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
        start = 0 if left else longest - length
        found.append((along - min(0, d), along + max(0, d), np.full(length, number), along + start))
    r, c, m, n = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return r, c, m, n


def _longest(band: Band, rows: int, columns: int) -> Any:
    low, high = band
    return minimum(rows + min(high, 0), columns + min(-low, 0))


def _diagonals_shape(band: Band, rows: int, columns: int) -> Dims:
    longest = _longest(band, rows, columns)
    return (longest,) if band[0] == band[1] else (band[1] - band[0] + 1, longest)


# ---- a matrix of diagonals, and back ----------------------------------------------------------


def _diagonal_of(y: Array, k: int) -> Array:
    """A diagonal of matrices whose rows lie together, as a part of them that can be written to."""
    rows, columns = y.shape[-2:]
    begin, length = (
        (k, min(rows, columns - k)) if k >= 0 else (-k * columns, min(rows + k, columns))
    )
    return y.reshape(*y.shape[:-2], rows * columns)[..., begin :: columns + 1][..., :length]


def _diag_kernel(
    xp: Namespace, x: Array, *, band: Band, rows: int, columns: int, padding: Any, align: str
) -> Array:
    if band[0] == band[1]:
        y = xp.full((*x.shape[:-1], rows, columns), padding, x.dtype)
        _diagonal_of(y, band[0])[...] = x
        return y
    y = xp.full((*x.shape[:-2], rows, columns), padding, x.dtype)
    r, c, m, n = _places(band, rows, columns, align)
    y[..., r, c] = x[..., m, n]
    return y


def _diag_part_kernel(xp: Namespace, x: Array, *, band: Band, padding: Any, align: str) -> Array:
    if band[0] == band[1]:
        return x.diagonal(band[0], -2, -1).copy()
    rows, columns = x.shape[-2:]
    count = band[1] - band[0] + 1
    y = xp.full((*x.shape[:-2], count, _longest(band, rows, columns)), padding, x.dtype)
    r, c, m, n = _places(band, rows, columns, align)
    y[..., m, n] = x[..., r, c]
    return y


def _set_diag_kernel(_: Namespace, x: Array, d: Array, *, band: Band, align: str) -> Array:
    y = x.copy()
    if band[0] == band[1]:
        _diagonal_of(y, band[0])[...] = d
        return y
    r, c, m, n = _places(band, *x.shape[-2:], align)
    y[..., r, c] = d[..., m, n]
    return y


def _as_matrix(x: Tensor, band: Band, rows: int, columns: int, align: str) -> Tensor:
    attrs = {"band": band, "rows": rows, "columns": columns, "padding": 0, "align": align}
    result: Tensor = apply(MATRIX_DIAG, (x,), attrs)
    return result


def _as_diagonals(x: Tensor, band: Band, align: str) -> Tensor:
    result: Tensor = apply(MATRIX_DIAG_PART, (x,), {"band": band, "padding": 0, "align": align})
    return result


def _diag_shape(x: Dims, *, band: Band, rows: int, columns: int, **attrs: object) -> Dims:
    front = x[:-1] if band[0] == band[1] else x[:-2]
    return (*front, rows, columns)


# With a padding other than zero the two are not linear; their derivatives are, with zeros there.
MATRIX_DIAG: Row = op(
    "MatrixDiagV3",
    _diag_kernel,
    vjp=(lambda g, y, x, *, band, rows, columns, padding, align: _as_diagonals(g, band, align),),
    jvp=(
        lambda t, y, x, *, band, rows, columns, padding, align: _as_matrix(
            t, band, rows, columns, align
        ),
    ),
    shape=_diag_shape,
    batch=with_attrs("MatrixDiagV3", lambda attrs, n: {}),
    saves="",
)
MATRIX_DIAG_PART: Row = op(
    "MatrixDiagPartV3",
    _diag_part_kernel,
    vjp=(
        lambda g, y, x, *, band, padding, align: _as_matrix(
            g, band, dims(x)[-2], dims(x)[-1], align
        ),
    ),
    jvp=(lambda t, y, x, *, band, padding, align: _as_diagonals(t, band, align),),
    shape=lambda x, *, band, **attrs: (*x[:-2], *_diagonals_shape(band, *x[-2:])),
    batch=with_attrs("MatrixDiagPartV3", lambda attrs, n: {}),
    saves="",
)
MATRIX_SET_DIAG: Row = op(
    "MatrixSetDiagV3",
    _set_diag_kernel,
    vjp=(
        lambda g, y, x, d, *, band, align: apply(
            MATRIX_SET_DIAG,
            (g, zeros_like(_as_diagonals(g, band, align))),
            {"band": band, "align": align},
        ),
        lambda g, y, x, d, *, band, align: _as_diagonals(g, band, align),
    ),
    shape=lambda x, d, *, band, align: x,
    linear="jointly",
    batch=with_attrs("MatrixSetDiagV3", lambda attrs, n: {}),
    saves="",
)


@deferrable
def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: IntLike = -1,
    num_cols: IntLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """A matrix with the given diagonals and `padding_value` everywhere else.

    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    >>> tf.linalg.diag([[0, 1], [2, 3]], k=(0, 1)).numpy().tolist()
    [[2, 1], [0, 3]]
    """
    x, band = beside("MatrixDiagV3", diagonal, padding_value), _band(k, "MatrixDiagV3")
    _check_align(align, "MatrixDiagV3")
    least = 1 if band[0] == band[1] else 2
    if len(dims(x)) < least:
        raise InvalidArgumentError(
            f"diagonal must be at least {least}-dim, received shape: {shape_text(dims(x))} "
            "[Op:MatrixDiagV3]"
        )
    if least == 2 and certainly(dims(x)[-2] != band[1] - band[0] + 1):
        raise InvalidArgumentError(
            "The number of diagonals provided in the input does not match the lower_diag_index and "
            f"upper_diag_index range: {dims(x)[-2]} for {band} [Op:MatrixDiagV3]"
        )
    rows, columns = _size(band, dims(x)[-1], int(static(num_rows)), int(static(num_cols)))
    if is_unknown(padding_value, x):
        return filled(lambda part: _as_matrix(part, band, rows, columns, align), x, padding_value)
    attrs = {
        "band": band,
        "rows": rows,
        "columns": columns,
        "padding": _padding(padding_value, x),
        "align": align,
    }
    result: Tensor = apply(MATRIX_DIAG, (x,), attrs)
    return result


def _size(band: Band, longest: int, rows: int, columns: int) -> tuple[int, int]:
    """The size of the smallest matrix with such diagonals, if it is not given."""
    least_rows, least_columns = longest - min(band[1], 0), longest + max(band[0], 0)
    if rows != -1 and certainly(rows < least_rows):
        raise InvalidArgumentError(
            f"The number of rows is too small. It is {rows}; the diagonals need {least_rows}. "
            "[Op:MatrixDiagV3]"
        )
    if columns != -1 and certainly(columns < least_columns):
        raise InvalidArgumentError(
            f"The number of columns is too small. It is {columns}; the diagonals need "
            f"{least_columns}. [Op:MatrixDiagV3]"
        )
    if rows == columns == -1:
        return (maximum(least_rows, least_columns),) * 2
    rows, columns = rows if rows != -1 else least_rows, columns if columns != -1 else least_columns
    if certainly(rows != least_rows) and certainly(columns != least_columns):
        raise InvalidArgumentError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            f"and diagonal: {rows} x {columns} for diagonals of length {longest} [Op:MatrixDiagV3]"
        )
    return rows, columns


@deferrable
def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of a matrix; rows of shorter ones are padded with `padding_value`.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 0)).numpy().tolist()
    [[1, 4], [3, 0]]
    """
    x, band = beside("MatrixDiagPartV3", input, padding_value), _band(k, "MatrixDiagPartV3")
    _check_align(align, "MatrixDiagPartV3")
    _check_within(x, band, "MatrixDiagPartV3")
    if is_unknown(padding_value, x):
        return filled(lambda part: _as_diagonals(part, band, align), x, padding_value)
    attrs = {"band": band, "padding": _padding(padding_value, x), "align": align}
    result: Tensor = apply(MATRIX_DIAG_PART, (x,), attrs)
    return result


@deferrable
def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Replace the diagonals of a matrix.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy().tolist()
    [[0, 2], [3, 0]]
    """
    x, d = convert_alike("MatrixSetDiagV3", input, diagonal)
    band = _band(k, "MatrixSetDiagV3")
    _check_align(align, "MatrixSetDiagV3")
    _check_within(x, band, "MatrixSetDiagV3")
    wanted = (*dims(x)[:-2], *_diagonals_shape(band, *dims(x)[-2:]))
    if shapes_differ(dims(d), wanted):
        raise InvalidArgumentError(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index]. Input shape: {shape_text(dims(x))} Diagonal shape: "
            f"{shape_text(dims(d))} Expected diagonal shape: {shape_text(wanted)} [Op:MatrixSetDiagV3]"
        )
    result: Tensor = apply(MATRIX_SET_DIAG, (x, d), {"band": band, "align": align})
    return result


def _band(k: TensorLike, who: str) -> Band:
    if type(k) is int:
        return k, k
    ends = [int(v) for v in np.ravel(static(k))]
    if len(ends) not in (1, 2):
        raise InvalidArgumentError(
            f"diag_index must have only one or two elements, received {len(ends)} elements. "
            f"[Op:{who}]"
        )
    if ends[0] > ends[-1]:
        raise InvalidArgumentError(
            "lower_diag_index must not be larger than upper_diag_index: "
            f"{ends[0]} > {ends[-1]} [Op:{who}]"
        )
    return ends[0], ends[-1]


def _check_align(align: str, who: str) -> None:
    if align not in ALIGNS:
        raise InvalidArgumentError(
            f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: "
            f"{', '.join(ALIGNS)} [Op:{who}]"
        )


def _check_within(x: Tensor, band: Band, who: str) -> None:
    check_matrix(x, who)
    rows, columns = dims(x)[-2:]
    for word, d in zip(("lower", "upper"), band, strict=True):
        if not (-rows < d < columns or d == 0):
            raise InvalidArgumentError(
                f"{word}_diag_index is out of bound: {d}. It must be between {-rows} and {columns} "
                f"[Op:{who}]"
            )


def check_matrix(x: Tensor, who: str) -> None:
    """Raise unless a tensor has two axes or more."""
    if len(dims(x)) < 2:
        raise InvalidArgumentError(
            f"input must be at least 2-dim, received shape: {shape_text(dims(x))} [Op:{who}]"
        )


def _padding(value: TensorLike, x: Tensor) -> Any:
    if type(value) is int and value == 0 and x.dtype.is_floating:  # almost always
        return 0.0
    value = bool(value) if x.dtype.is_bool and type(value) is int and value in (0, 1) else value
    return plain(value, x.dtype).astype(x.dtype.as_numpy_dtype).item()


@deferrable
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The trace: the sum of the main diagonal.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    return reduce_sum(diag_part(x), -1)


# ---- the band around the main diagonal --------------------------------------------------------


def _band_part_kernel(_: Namespace, x: Array, *, lower: int, upper: int) -> Array:
    rows, columns = x.shape[-2:]
    find = _inside if rows * columns <= _SMALL else _inside.__wrapped__
    return np.where(find(rows, columns, lower, upper), x, np.zeros((), x.dtype))


_SMALL: Final = 1 << 14  # elements of a matrix, of which the places of a band are kept


@functools.lru_cache(maxsize=64)
def _inside(rows: int, columns: int, lower: int, upper: int) -> Array:
    """Whether elements are within a band."""
    offset = np.arange(columns) - np.arange(rows)[:, None]
    inside = np.ones((rows, columns), bool)
    if lower >= 0:
        inside &= offset >= -lower
    if upper >= 0:
        inside &= offset <= upper
    return inside


MATRIX_BAND_PART: Row = op(
    "MatrixBandPart",
    _band_part_kernel,
    vjp=(lambda g, y, x, *, lower, upper: within_band(g, lower, upper),),
    shape=lambda x, *, lower, upper: x,
    linear=(0,),
    batch=with_attrs("MatrixBandPart", lambda attrs, n: {}),
    saves="",
)


def within_band(x: Tensor, lower: int, upper: int) -> Tensor:
    """`x` with zeros outside a band of `lower` subdiagonals and `upper` superdiagonals."""
    result: Tensor = apply(MATRIX_BAND_PART, (x,), {"lower": lower, "upper": upper})
    return result


@deferrable
def band_part(
    input: TensorLike, num_lower: IntLike, num_upper: IntLike, name: str | None = None
) -> Tensor:
    """Zero a matrix outside a band; a negative number keeps all diagonals on that side.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    x = convert(input)
    check_matrix(x, "MatrixBandPart")
    lower, upper = (n if type(n) is int else int(static(n)) for n in (num_lower, num_upper))
    sides = (("lower", "rows", lower, dims(x)[-2]), ("upper", "columns", upper, dims(x)[-1]))
    for side, what, count, size in sides:
        if count > size:
            raise InvalidArgumentError(
                f"num_{side} must be negative or less or equal to number of {what} ({size}) got: "
                f"{count} [Op:MatrixBandPart]"
            )
    result: Tensor = within_band(x, lower, upper)
    return result


# ---- diagonals of arrays of higher rank -------------------------------------------------------


def _tensor_diag_kernel(_: Namespace, x: Array) -> Array:
    y = np.zeros((x.size, x.size), x.dtype)
    y[np.arange(x.size), np.arange(x.size)] = x.ravel()
    return y.reshape(x.shape * 2)


def _tensor_diag_part_kernel(_: Namespace, x: Array) -> Array:
    half = x.shape[: x.ndim // 2]
    size = int(np.prod(half))
    return x.reshape(size, size).diagonal().reshape(half).copy()


def _batched_tensor_diag(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Tensor:
    shape = dims(xs[0])[1:]
    flat = reshape(xs[0], (size, math.prod(shape)))
    return reshape(diag(flat), (size, *shape, *shape))


def _batched_tensor_diag_part(
    batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs
) -> Tensor:
    half = dims(xs[0])[1 : 1 + len(dims(xs[0])) // 2]
    count = math.prod(half)
    return reshape(diag_part(reshape(xs[0], (size, count, count))), (size, *half))


TENSOR_DIAG: Row = op(
    "Diag",
    _tensor_diag_kernel,
    vjp=(lambda g, y, x: tensor_diag_part(g),),
    shape=lambda x: (*x, *x),
    linear=(0,),
    batch=_batched_tensor_diag,
    saves="",
)
TENSOR_DIAG_PART: Row = op(
    "DiagPart",
    _tensor_diag_part_kernel,
    vjp=(lambda g, y, x: tensor_diag(g),),
    shape=lambda x: x[: len(x) // 2],
    linear=(0,),
    batch=_batched_tensor_diag_part,
    saves="",
)


@deferrable
def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with the elements on its diagonal: y[i, j, i, j] = x[i, j].

    >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    x = convert(diagonal)
    if not dims(x):
        raise InvalidArgumentError("Input must be at least rank 1, got 0 [Op:Diag]")
    result: Tensor = apply(TENSOR_DIAG, (x,))
    return result


@deferrable
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of even rank: y[i, j] = x[i, j, i, j].

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    x = convert(input)
    shape = dims(x)
    half, odd = divmod(len(shape), 2)
    if odd or not half:
        raise InvalidArgumentError(
            f"The rank of the tensor should be even and positive, got shape {shape_text(shape)} "
            "[Op:DiagPart]"
        )
    for i in range(half):
        if certainly(shape[i] != shape[half + i]):
            raise InvalidArgumentError(
                f"Invalid shape {shape_text(shape)}: dimensions {i} and {half + i} do not match. "
                "[Op:DiagPart]"
            )
    result: Tensor = apply(TENSOR_DIAG_PART, (x,))
    return result


def scaled_columns(x: Tensor, d: Tensor) -> Tensor:
    """x diag(d): each column times its factor."""
    return x * reshape(d, (*dims(d)[:-1], 1, dims(d)[-1]))
