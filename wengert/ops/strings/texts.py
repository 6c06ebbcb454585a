"""Strings from strings, and numbers from them, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError, OutOfRangeError
from wengert.inference.public_functions import deferrable
from wengert.inference.shape_inference import form_of
from wengert.ops.arrays.shaping import as_numbers
from wengert.ops.strings.patterns import compiled, full_matches, rewriting, substitution
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import normal_axis, shape_text
from wengert.values.tensor import Tensor
from wengert.values.typed_calls import of_one

if TYPE_CHECKING:
    from wengert.values.shapes import Dims
    from wengert.values.typing import Array, DTypeLike, Namespace, NumpyDType, TensorLike

OBJECT: Final = np.dtype(object)


def text_of(value: TensorLike, what: str = "input") -> Tensor:
    """A value as a tensor of strings."""
    found = convert(value, hint=dtypes.string)
    if found.dtype is not dtypes.string:
        raise TypeError(f"{what} must be strings, got {found.dtype.name}: {found!r}.")
    return found


def each(x: Array, function: Callable[[bytes], Any], dtype: NumpyDType = OBJECT) -> Array:
    """A function of every string of an array."""
    return filled(x.shape, list(map(function, as_bytes(x))), dtype)


def as_bytes(x: Array) -> list[bytes]:
    """All strings of an array, in order."""
    values = listed(x)
    if not set(map(type, values)) <= {bytes}:
        values = [v if isinstance(v, bytes) else str(v).encode() for v in values]
    return values


def listed(x: Array) -> list[Any]:
    """All elements of an array, in order."""
    return x.reshape(-1).tolist()  # type: ignore[no-any-return]


def filled(shape: Dims, values: Sequence[Any], dtype: NumpyDType = OBJECT) -> Array:
    """An array of these elements, in order."""
    if dtype != OBJECT:
        return np.fromiter(values, dtype, len(values)).reshape(shape)
    out = np.empty(len(values), object)
    out[:] = values
    return out.reshape(shape)


def _by(method: str, encoding: str) -> Callable[[bytes], bytes]:
    """A method of bytes; of text, where an encoding is given: what is none becomes U+FFFD."""
    if not encoding:
        return getattr(bytes, method)  # type: ignore[no-any-return]
    return lambda text: getattr(text.decode(errors="replace"), method)().encode()


def _of_each(name: str, kernel: Callable[..., Any]) -> Row:
    return op(name, kernel, shape=lambda x, **_: x, dtype=lambda x, **_: OBJECT)


LOWER: Row = _of_each("StringLower", lambda _, x, *, encoding: each(x, _by("lower", encoding)))
UPPER: Row = _of_each("StringUpper", lambda _, x, *, encoding: each(x, _by("upper", encoding)))
STRIP: Row = _of_each("StringStrip", lambda _, x: each(x, bytes.strip))


@of_one
@deferrable
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Small letters in place of capitals; beyond ASCII with the encoding "utf-8".

    >>> tf.strings.lower("Wengert 1964").numpy()
    b'wengert 1964'
    """
    return apply(LOWER, (text_of(input),), {"encoding": encoding})  # type: ignore[no-any-return]


@of_one
@deferrable
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Capitals in place of small letters; beyond ASCII with the encoding "utf-8".

    >>> tf.strings.upper(["tape", "graph"]).numpy().tolist()
    [b'TAPE', b'GRAPH']
    """
    return apply(UPPER, (text_of(input),), {"encoding": encoding})  # type: ignore[no-any-return]


@of_one
@deferrable
def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Strings without the blanks at both ends.

    >>> tf.strings.strip("  a rule ").numpy()
    b'a rule'
    """
    return apply(STRIP, (text_of(input),))  # type: ignore[no-any-return]


def begins(text: bytes) -> list[int]:
    """Where the characters of UTF-8 begin: at all bytes that do not continue another."""
    found = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80]
    return found if not text or text[0] & 0xC0 != 0x80 else [0, *found]


def _length(unit: str) -> Callable[[bytes], int]:
    return len if unit == "BYTE" else lambda text: len(text.translate(None, _CONTINUING))


_CONTINUING: Final = bytes(range(0x80, 0xC0))  # the bytes of UTF-8 that continue a character


def _checked_unit(unit: str) -> str:
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise InvalidArgumentError(
            f"Value for attr 'unit' of \"{unit}\" is not in the list of allowed values: "
            '"BYTE", "UTF8_CHAR"'
        )
    return unit


LENGTH: Row = op(
    "StringLength",
    lambda _, x, *, unit: each(x, _length(unit), np.dtype(np.int32)),
    shape=lambda x, *, unit: x,
    dtype=lambda x, *, unit: np.dtype(np.int32),
)


@of_one
@deferrable
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or with the unit "UTF8_CHAR" of characters.

    >>> tf.strings.length(["a", "tape"]).numpy().tolist()
    [1, 4]
    """
    return apply(LENGTH, (text_of(input),), {"unit": _checked_unit(unit)})  # type: ignore[no-any-return]


# ---- pieces -------------------------------------------------------------------------------------


def _piece(text: bytes, pos: int, size: int, unit: str) -> bytes:
    if unit == "BYTE" and 0 <= pos <= len(text) and size >= 0:
        return text[pos : pos + size]
    is_plain = unit == "BYTE" or text.isascii()
    places: Sequence[int] = range(len(text)) if is_plain else begins(text)
    count = len(places)
    begin = pos if pos >= 0 else count + pos
    if not 0 <= begin <= count:
        raise InvalidArgumentError(f"pos {pos} out of range for string {text!r} [Op:Substr]")
    end = min(begin + size, count) if size >= 0 else count
    ends = range(count + 1) if is_plain else [*places, len(text)]
    return text[ends[begin] : ends[end]]


def _is_inside(texts: Sequence[bytes], pos: int, size: int, unit: str) -> bool:
    """Whether the pieces are what Python's slices give."""
    return unit == "BYTE" and pos >= 0 <= size and pos <= min(map(len, texts), default=pos)


def _substr_kernel(_: Namespace, x: Array, pos: Array, size: Array, *, unit: str) -> Array:
    texts = as_bytes(x)
    if unit != "BYTE" and all(map(bytes.isascii, texts)):
        unit = "BYTE"
    if not pos.ndim and not size.ndim and _is_inside(texts, int(pos), int(size), unit):
        begin, end = int(pos), int(pos) + int(size)
        return filled(x.shape, [text[begin:end] for text in texts])
    xs, begins, sizes = np.broadcast_arrays(x, pos, size)
    whole = zip(listed(xs), listed(begins), listed(sizes), strict=True)
    return filled(xs.shape, [_piece(*each_one, unit) for each_one in whole])


def _substr_shape(x: Dims, pos: Dims, size: Dims, *, unit: str) -> Any:
    if not pos and not size:
        return x
    return (None,) * max(len(x), len(pos), len(size))


SUBSTR: Row = op(
    "Substr",
    _substr_kernel,
    shape=_substr_shape,
    dtype=lambda x, pos, size, *, unit: OBJECT,
)


@of_one
@deferrable
def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """A piece of every string, from a place on.

    >>> tf.strings.substr(["gradient", "tape"], 1, 3).numpy().tolist()
    [b'rad', b'ape']
    """
    return apply(  # type: ignore[no-any-return]
        SUBSTR, (text_of(input), convert(pos), convert(len)), {"unit": _checked_unit(unit)}
    )


def _join_kernel(_: Namespace, *xs: Array, separator: str) -> Array:
    shapes = {x.shape for x in xs if x.shape}
    if len(shapes) > 1:
        raise InvalidArgumentError(
            f"Input shapes do not match: {', '.join(map(shape_text, shapes))} [Op:StringJoin]"
        )
    arrays = np.broadcast_arrays(*xs)
    rows = zip(*map(listed, arrays), strict=True)
    return filled(arrays[0].shape, list(map(separator.encode().join, rows)))


def _joined_shape(*shapes: Any, separator: str) -> Any:
    return next((shape for shape in shapes if len(shape)), ())


JOIN: Row = op("StringJoin", _join_kernel, shape=_joined_shape, dtype=lambda *_, separator: OBJECT)


@deferrable
def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors in one, place by place.

    >>> tf.strings.join([["d", "d2"], "y"], separator="/").numpy().tolist()
    [b'd/y', b'd2/y']
    """
    found = [text_of(x, "inputs") for x in inputs]
    return apply(JOIN, tuple(found), {"separator": separator})  # type: ignore[no-any-return]


def _reduce_join_kernel(
    _: Namespace, x: Array, *, axis: tuple[int, ...], keepdims: bool, separator: str
) -> Array:
    rest = [i for i in range(x.ndim) if i not in axis]
    kept = np.transpose(x, [*rest, *axis[::-1]]).reshape([*(x.shape[i] for i in rest), -1])
    out = np.empty(kept.shape[:-1], object)
    for at in np.ndindex(out.shape):
        out[at] = separator.encode().join(kept[at])
    return np.expand_dims(out, tuple(sorted(axis))) if keepdims else out


def _reduced_shape(x: Any, *, axis: tuple[int, ...], keepdims: bool, separator: str) -> Any:
    sizes = [1 if i in axis else n for i, n in enumerate(x)]
    return tuple(n for i, n in enumerate(sizes) if keepdims or i not in axis)


REDUCE_JOIN: Row = op("ReduceJoin", _reduce_join_kernel, shape=_reduced_shape)


@deferrable
def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings along axes in one; by default along all.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy().tolist()
    [b'a-b', b'c-d']
    """
    x = text_of(inputs, "inputs")
    rank = len(form_of(x)[0] or ())
    axes = range(rank)[::-1] if axis is None else as_numbers(axis)[0]
    for i in axes:
        if not -rank <= i < rank:
            raise OutOfRangeError(
                f"Invalid reduction dimension {i} for input with {rank} dimension(s) [Op:ReduceJoin]"
            )
    attrs = {
        "axis": tuple(normal_axis(i, rank) for i in axes),
        "keepdims": bool(keepdims),
        "separator": separator,
    }
    return apply(REDUCE_JOIN, (x,), attrs)  # type: ignore[no-any-return]


def _segment_join_kernel(
    _: Namespace, x: Array, ids: Array, count: Array, *, separator: str
) -> Array:
    rest = x.shape[ids.ndim :]
    if x.shape[: ids.ndim] != ids.shape:
        raise InvalidArgumentError(
            f"The shape of the inputs {list(x.shape)} must begin with that of segment_ids "
            f"{list(ids.shape)} [Op:UnsortedSegmentJoin]"
        )
    parts: list[list[Any]] = [[] for _ in range(int(count))]
    for row, at in zip(x.reshape(-1, *rest), ids.ravel().tolist(), strict=True):
        if not 0 <= at < len(parts):
            raise InvalidArgumentError(
                "segment_ids are not allowed to exceed num_segments or to have negative values: "
                f"{at} is not in [0, {len(parts)}) [Op:UnsortedSegmentJoin]"
            )
        parts[at].append(np.asarray(row, object))
    out = np.empty((len(parts), *rest), object)
    for place in np.ndindex(out.shape):
        out[place] = separator.encode().join([row[place[1:]] for row in parts[place[0]]])
    return out


SEGMENT_JOIN: Row = op(
    "UnsortedSegmentJoin",
    _segment_join_kernel,
    forms=lambda inputs, attrs: [(_segment_join_shape(*inputs), OBJECT)],
    by_value=True,
)


def _segment_join_shape(x: Any, ids: Any, count: Any) -> Any:
    sizes, rows = form_of(x)[0], form_of(ids)[0]
    return None if sizes is None or rows is None else (None, *sizes[len(rows) :])


@deferrable
def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings of each segment as one.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, "-").numpy().tolist()
    [b'b', b'a-c', b'']
    """
    given = text_of(inputs, "inputs"), convert(segment_ids), convert(num_segments)
    return apply(SEGMENT_JOIN, given, {"separator": separator})  # type: ignore[no-any-return]


# ---- patterns -----------------------------------------------------------------------------------


def _replace_kernel(
    _: Namespace, x: Array, pattern: Array, rewrite: Array, *, everywhere: bool
) -> Array:
    fits = compiled(_one(pattern, "Pattern"))
    parts = rewriting(_one(rewrite, "Rewrite"), fits.groups)
    if parts is None:  # TensorFlow leaves the texts as they are
        return each(x, lambda text: text)
    return each(x, substitution(fits, parts, everywhere))


def _match_kernel(_: Namespace, x: Array, pattern: Array) -> Array:
    found = full_matches(as_bytes(x), compiled(_one(pattern, "Pattern")))
    return filled(x.shape, found, np.dtype(bool))


def _one(text: Array, what: str) -> bytes:
    found = np.asarray(text, object)
    if found.ndim:
        raise InvalidArgumentError(f"{what} must be scalar, but received {list(found.shape)}")
    return found.item()  # type: ignore[no-any-return]


REGEX_REPLACE: Row = op(
    "RegexReplace",
    _replace_kernel,
    shape=lambda x, *_, everywhere: x,
    dtype=lambda *_, everywhere: OBJECT,
)
REGEX_FULL_MATCH: Row = op(
    "RegexFullMatch",
    _match_kernel,
    shape=lambda x, pattern: x,
    dtype=lambda x, pattern: np.dtype(bool),
)


@of_one
@deferrable
def regex_replace(
    input: TensorLike,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Strings with another text where a pattern fits; `\1` stands for its first group.

    >>> tf.strings.regex_replace("dy by dx", "d([xy])", r"\1'").numpy()
    b"y' by x'"
    """
    inputs = text_of(input), text_of(pattern, "pattern"), text_of(rewrite, "rewrite")
    return apply(REGEX_REPLACE, inputs, {"everywhere": bool(replace_global)})  # type: ignore[no-any-return]


@of_one
@deferrable
def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:
    """Whether a pattern fits the whole of each string.

    >>> tf.strings.regex_full_match(["dx", "dx/dy"], "d.").numpy().tolist()
    [True, False]
    """
    return apply(REGEX_FULL_MATCH, (text_of(input), text_of(pattern, "pattern")))  # type: ignore[no-any-return]


# ---- numbers ------------------------------------------------------------------------------------


def _number(dtype: NumpyDType) -> Callable[[bytes], Any]:
    def read(text: bytes) -> Any:
        try:
            if b"_" in text:
                raise ValueError(text)
            if dtype.kind == "f" and (b"x" in text or b"X" in text):
                return float.fromhex(text.decode())
            return float(text) if dtype.kind == "f" else dtype.type(int(text))
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"StringToNumberOp could not correctly convert string: {text.decode()} [Op:StringToNumber]"
            ) from None

    return read


def numbers(texts: Sequence[bytes], dtype: NumpyDType) -> Array | None:
    """The numbers that strings say, if Python reads them all as they are."""
    if b"_" in b"".join(texts):
        return None
    read: Callable[[bytes], Any] = float if dtype.kind == "f" else int
    try:
        return np.array(list(map(read, texts)), dtype)
    except (ValueError, OverflowError):
        return None


def _numbers_kernel(_: Namespace, x: Array, *, out_type: NumpyDType) -> Array:
    found = numbers(as_bytes(x), out_type)
    return each(x, _number(out_type), out_type) if found is None else found.reshape(x.shape)


TO_NUMBER: Row = op(
    "StringToNumber",
    _numbers_kernel,
    shape=lambda x, *, out_type: x,
    dtype=lambda x, *, out_type: out_type,
)


@of_one
@deferrable
def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The numbers that strings say.

    >>> tf.strings.to_number(["1.5", "-2e3"]).numpy().tolist()
    [1.5, -2000.0]
    """
    kind = np.dtype(as_dtype(out_type).as_numpy_dtype)
    return apply(TO_NUMBER, (text_of(input),), {"out_type": kind})  # type: ignore[no-any-return]
