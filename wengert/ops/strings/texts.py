"""Strings from strings, and numbers from them, one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.inference.shape_inference import form_of
from wengert.ops.strings.fingerprint import fingerprint
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import normal_axis
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
    out = np.empty(x.shape, dtype)
    for place, value in np.ndenumerate(x):
        out[place] = function(value if isinstance(value, bytes) else str(value).encode())
    return out


def _by(method: str, encoding: str) -> Callable[[bytes], bytes]:
    """A method of bytes; of text, where an encoding is given."""
    if not encoding:
        return lambda text: getattr(text, method)()
    return lambda text: getattr(text.decode(), method)().encode()


LOWER: Row = op("StringLower", lambda _, x, *, encoding: each(x, _by("lower", encoding)))
UPPER: Row = op("StringUpper", lambda _, x, *, encoding: each(x, _by("upper", encoding)))
STRIP: Row = op("StringStrip", lambda _, x: each(x, bytes.strip))


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


def _length(unit: str) -> Callable[[bytes], int]:
    return len if unit == "BYTE" else lambda text: len(text.decode("utf-8", "replace"))


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
    return apply(LENGTH, (text_of(input),), {"unit": unit})  # type: ignore[no-any-return]


# ---- pieces -------------------------------------------------------------------------------------


def _piece(text: bytes, pos: int, size: int, unit: str) -> bytes:
    parts: Any = text if unit == "BYTE" else text.decode("utf-8", "replace")
    begin = pos if pos >= 0 else len(parts) + pos
    if not 0 <= begin <= len(parts):
        raise InvalidArgumentError(f"pos {pos} out of range for string {text!r} [Op:Substr]")
    found = parts[begin : begin + max(size, 0)]
    return found if unit == "BYTE" else found.encode()  # type: ignore[no-any-return]


def _substr_kernel(_: Namespace, x: Array, pos: Array, size: Array, *, unit: str) -> Array:
    xs, begins, sizes = np.broadcast_arrays(x, pos, size)
    out = np.empty(xs.shape, object)
    for at in np.ndindex(out.shape):
        out[at] = _piece(xs[at], int(begins[at]), int(sizes[at]), unit)
    return out


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
        SUBSTR, (text_of(input), convert(pos), convert(len)), {"unit": unit}
    )


def _join_kernel(_: Namespace, *xs: Array, separator: str) -> Array:
    arrays = np.broadcast_arrays(*xs)
    out = np.empty(arrays[0].shape, object)
    for at in np.ndindex(out.shape):
        out[at] = separator.encode().join([a[at] for a in arrays])
    return out


JOIN: Row = op("StringJoin", _join_kernel)


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
    kept = np.transpose(x, [*rest, *axis]).reshape([*(x.shape[i] for i in rest), -1])
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
    axes = range(rank) if axis is None else np.atleast_1d(axis).tolist()
    attrs = {
        "axis": tuple(normal_axis(i, rank) for i in axes),
        "keepdims": bool(keepdims),
        "separator": separator,
    }
    return apply(REDUCE_JOIN, (x,), attrs)  # type: ignore[no-any-return]


# ---- patterns -----------------------------------------------------------------------------------


def _replaced(pattern: str, rewrite: str, everywhere: bool) -> Callable[[bytes], bytes]:
    compiled, new = re.compile(pattern.encode()), rewrite.replace("\\0", r"\g<0>").encode()
    return lambda text: compiled.sub(new, text, count=0 if everywhere else 1)


REGEX_REPLACE: Row = op(
    "RegexReplace",
    lambda _, x, *, pattern, rewrite, everywhere: each(x, _replaced(pattern, rewrite, everywhere)),
)
REGEX_FULL_MATCH: Row = op(
    "RegexFullMatch",
    lambda _, x, *, pattern: each(
        x, lambda text: re.fullmatch(pattern.encode(), text) is not None, np.dtype(bool)
    ),
    shape=lambda x, *, pattern: x,
    dtype=lambda x, *, pattern: np.dtype(bool),
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
    attrs = {"pattern": pattern, "rewrite": rewrite, "everywhere": replace_global}
    return apply(REGEX_REPLACE, (text_of(input),), attrs)  # type: ignore[no-any-return]


@of_one
@deferrable
def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:
    """Whether a pattern fits the whole of each string.

    >>> tf.strings.regex_full_match(["dx", "dx/dy"], "d.").numpy().tolist()
    [True, False]
    """
    return apply(REGEX_FULL_MATCH, (text_of(input),), {"pattern": pattern})  # type: ignore[no-any-return]


# ---- numbers ------------------------------------------------------------------------------------


def _number(dtype: NumpyDType) -> Callable[[bytes], Any]:
    def read(text: bytes) -> Any:
        try:
            return dtype.type(float(text) if dtype.kind == "f" else int(text))
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"StringToNumberOp could not correctly convert string: {text.decode()} [Op:StringToNumber]"
            ) from None

    return read


TO_NUMBER: Row = op(
    "StringToNumber",
    lambda _, x, *, out_type: each(x, _number(out_type), out_type),
    shape=lambda x, *, out_type: x,
    dtype=lambda x, *, out_type: out_type,
)
TO_BUCKET: Row = op(
    "StringToHashBucketFast",
    lambda _, x, *, num_buckets: each(
        x, lambda text: fingerprint(text) % num_buckets, np.dtype(np.int64)
    ),
    shape=lambda x, *, num_buckets: x,
    dtype=lambda x, *, num_buckets: np.dtype(np.int64),
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


@of_one
@deferrable
def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for every string, the same for the same string.

    >>> tf.strings.to_hash_bucket_fast(["tape", "graph", "tape"], 10).numpy().tolist()
    [0, 6, 0]
    """
    return apply(TO_BUCKET, (text_of(input),), {"num_buckets": int(num_buckets)})  # type: ignore[no-any-return]
