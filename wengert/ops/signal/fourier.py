"""Discrete Fourier transforms, of complex and of real signals, in any number of dimensions.

The transform is its own transpose, so the rules of the complex rows are the rows themselves. A real
signal of n elements has n // 2 + 1 frequencies; all others are conjugates of those. Its rules weigh
a frequency that represents a conjugate pair twice (`_twice`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.shaping import as_shape
from wengert.ops.arrays.slicing import pad, roll, take_part
from wengert.ops.math.complex import conj
from wengert.ops.math.elementwise import cast
from wengert.ops.reductions.reductions import normal_axes
from wengert.ops.support.batch_rules import BatchRule, with_attrs
from wengert.values.convert import convert, convert_to_tensor
from wengert.values.dtypes import complex64, complex128, complex_of, float32, float64, real_of
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.dtypes import DType
    from wengert.values.typing import Array, Integers, Namespace, TensorLike, TensorOrDims

# ---- complex ----------------------------------------------------------------------------------


def _axes_moved(name: str) -> BatchRule:
    def change(attrs: Attrs, size: int) -> Attrs:
        return {"axes": tuple(a + 1 for a in attrs["axes"])}

    return with_attrs(name, change)


def _complex_row(name: str, function: str) -> Row:
    def kernel(xp: Namespace, x: Array, *, axes: Dims) -> Array:
        if 0 in x.shape:  # NumPy refuses axes without elements
            return x + 0
        return getattr(xp.fft, function)(x, axes=axes)

    return op(
        name,
        kernel,
        vjp=(lambda g, y, x, *, axes: apply(row_of[name], (g,), {"axes": axes}),),
        shape=lambda x, *, axes: x,
        linear=(0,),
        batch=_axes_moved(name),
        saves="",
    )


NAMES = ("FFT", "FFT2D", "FFT3D", "FFTND")
row_of: dict[str, Row] = {}
for _name in NAMES:
    row_of[_name] = _complex_row(_name, "fftn")
    row_of[f"I{_name}"] = _complex_row(f"I{_name}", "ifftn")

# ---- real -------------------------------------------------------------------------------------


def _twice(size: int, axis: int, rank: int, dtype: DType) -> Tensor:
    """2 for frequencies of the last transformed axis that represent a conjugate pair, else 1."""
    count = np.full(size // 2 + 1, 2.0)
    count[0] = 1.0
    if size % 2 == 0:
        count[-1] = 1.0
    return convert(count.reshape([-1 if a == axis else 1 for a in range(rank)]).astype(
        dtype.numpy_dtype))  # fmt: skip


def _real_kernel(xp: Namespace, x: Array, *, axes: Dims, size: int) -> Array:
    return xp.fft.rfftn(x, axes=axes)


def _real_back_kernel(xp: Namespace, z: Array, *, axes: Dims, size: int) -> Array:
    sizes = [*[z.shape[a] for a in axes[:-1]], size]
    return xp.fft.irfftn(z, sizes, axes=axes)


def _real_rule(
    g: Tensor, y: Tensor | None, x: TensorOrDims, *, axes: Dims, size: int, name: str
) -> Tensor:
    """The sum over frequencies of the real part of g exp(-i...), as an inverse transform."""
    count = float(math.prod(dims(x)[a] for a in axes))
    halves = conj(g) / _twice(size, axes[-1], len(dims(g)), g.dtype)
    result: Tensor = apply(row_of[f"I{name}"], (halves,), {"axes": axes, "size": size}) * count
    return result


def _real_back_rule(
    g: Tensor, y: Tensor | None, z: TensorOrDims, *, axes: Dims, size: int, name: str
) -> Tensor:
    count = float(math.prod(dims(g)[a] for a in axes))
    forward = conj(apply(row_of[name], (g,), {"axes": axes, "size": size}))
    return forward * _twice(size, axes[-1], len(dims(forward)), forward.dtype) / count


def _real_shape(x: Dims, *, axes: Dims, size: int, last: Callable[[Any], Any]) -> Dims:
    at = axes[-1] % len(x)
    return (*x[:at], last(size), *x[at + 1 :])


def _with_name(rule: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda *xs, **attrs: rule(*xs, name=name, **attrs)


def _real_rows(name: str) -> None:
    for row_name, kernel, rule, last, dtype in (
        (name, _real_kernel, _real_rule, lambda size: size // 2 + 1, complex_of),
        (f"I{name}", _real_back_kernel, _real_back_rule, lambda size: size, real_of),
    ):
        row_of[row_name] = op(
            row_name,
            kernel,
            vjp=(_with_name(rule, name),),
            shape=partial(_real_shape, last=last),
            dtype=lambda x, dtype=dtype, **attrs: dtype(x),
            linear=(0,),
            batch=_axes_moved(row_name),
            saves="",
        )


for _name in NAMES:
    _real_rows(f"R{_name}")

# ---- public functions -------------------------------------------------------------------------


def _last(x: Tensor, count: int, name: str) -> Dims:
    rank = len(dims(x))
    if rank < count:
        raise InvalidArgumentError(
            f"Input must have rank of at least {count} but got: {shape_text(dims(x))} [Op:{name}]. "
            f"Shape must be at least rank {count} but is rank {rank}"
        )
    return tuple(range(rank - count, rank))


# The dtypes of signals. TensorFlow prefers the first for what is not a tensor yet, and casts NumPy's
# arrays to it whatever they hold: for double precision, give a tensor.
COMPLEX: Final = (complex64, complex128)
REAL: Final = (float32, float64)


def as_signal(value: TensorLike, kinds: tuple[DType, DType], name: str) -> Tensor:
    """A tensor of one of two dtypes."""
    x = convert_to_tensor(value, dtype_hint=kinds[0])
    if x.dtype not in kinds:
        raise InvalidArgumentError(
            f"Value for attr '{'Treal' if kinds is REAL else 'Tcomplex'}' of {x.dtype.spoken} is "
            f"not in the list of allowed values: {kinds[0].name}, {kinds[1].name} [Op:{name}]. "
            "Use tf.cast to convert the tensor first."
        )
    return x


def _as_complex_signal(value: TensorLike, name: str) -> Tensor:
    """The same for operations that take complex numbers as they are, but for arrays in eager mode."""
    if current_graph() is not None or not isinstance(value, (np.ndarray, np.generic)):
        x = convert(value)
        if x.dtype.is_complex:
            return x
    return as_signal(value, COMPLEX, name)


def _along_last(count: int, inverse: bool, example: tuple[str, str]) -> Callable[..., Tensor]:
    name = f"{'I' if inverse else ''}{NAMES[count - 1]}"

    def function(input: Tensor | Array, name: str | None = None) -> Tensor:
        x = _as_complex_signal(input, row.name)
        result: Tensor = apply(row, (x,), {"axes": _last(x, count, row.name)}, name)
        return result

    row = row_of[name]
    kind = "inverse Fourier transform" if inverse else "Fourier transform"
    function.__name__ = function.__qualname__ = name.lower()
    axes = "last axis" if count == 1 else f"last {count} axes"
    function.__doc__ = (
        f"The discrete {kind} along the {axes}.\n\n"
        f"    >>> tf.signal.{name.lower()}({example[0]}).numpy().tolist()\n    {example[1]}\n    "
    )
    return deferrable(function)


fft = _along_last(1, False, ("tf.constant([1, 1], tf.complex64)", "[(2+0j), 0j]"))
fft2d = _along_last(2, False, ("tf.constant([[1, 1]], tf.complex64)", "[[(2+0j), 0j]]"))
fft3d = _along_last(3, False, ("tf.constant([[[1, 1]]], tf.complex64)", "[[[(2+0j), 0j]]]"))
ifft = _along_last(1, True, ("tf.constant([2, 0], tf.complex64)", "[(1+0j), (1+0j)]"))
ifft2d = _along_last(2, True, ("tf.constant([[2, 0]], tf.complex64)", "[[(1+0j), (1+0j)]]"))
ifft3d = _along_last(3, True, ("tf.constant([[[2, 0]]], tf.complex64)", "[[[(1+0j), (1+0j)]]]"))


def fit_to(x: Tensor, sizes: Sequence[int | None], axes: Dims) -> Tensor:
    """Truncate, or pad with zeros, to sizes along axes."""
    key: list[Any] = [slice(None)] * len(dims(x))
    room = [[0, 0] for _ in dims(x)]
    for size, axis in zip(sizes, axes, strict=True):
        if size is None or size == dims(x)[axis]:
            continue
        if size < dims(x)[axis]:
            key[axis] = slice(0, size)
        else:
            room[axis][1] = size - dims(x)[axis]
    if any(part != slice(None) for part in key):
        x = take_part(x, tuple(key))
    return pad(x, room) if any(after for _, after in room) else x


def _lengths(fft_length: Sequence[int] | None, count: int, name: str) -> tuple[int | None, ...]:
    if fft_length is None:
        return (None,) * count
    sizes = as_shape(fft_length)
    if len(sizes) != count:
        raise InvalidArgumentError(
            f"fft_length must have shape [{count}], got {shape_text((len(sizes),))} [Op:{name}]. "
            f"Dimension must be {count} but is {len(sizes)}"
        )
    if any(size < 1 for size in sizes):
        raise InvalidArgumentError(f"fft_length must be positive, got {list(sizes)} [Op:{name}]")
    return sizes


def _of_real(x: Tensor, axes: Dims, lengths: Sequence[int | None], name: str) -> Tensor:
    part = fit_to(x, lengths, axes)
    result: Tensor = apply(row_of[name], (part,), {"axes": axes, "size": dims(part)[axes[-1]]})
    return result


def _to_real(z: Tensor, axes: Dims, lengths: Sequence[int | None], name: str) -> Tensor:
    size = lengths[-1]
    if size is None:
        size = max(2 * (dims(z)[axes[-1]] - 1), 0)
    part = fit_to(z, [*lengths[:-1], size // 2 + 1], axes)
    result: Tensor = apply(row_of[name], (part,), {"axes": axes, "size": size})
    return result


def _real_along_last(count: int, inverse: bool, example: tuple[str, str]) -> Callable[..., Tensor]:
    name = f"{'I' if inverse else ''}R{NAMES[count - 1]}"

    def function(
        input_tensor: TensorLike, fft_length: Sequence[int] | None = None, name: str | None = None
    ) -> Tensor:
        x = as_signal(input_tensor, COMPLEX if inverse else REAL, row.name)
        lengths = _lengths(fft_length, count, row.name)
        axes = _last(x, count, row.name)
        return (_to_real if inverse else _of_real)(x, axes, lengths, row.name)

    row = row_of[name]
    function.__name__ = function.__qualname__ = name.lower()
    axes = "last axis" if count == 1 else f"last {count} axes"
    summary = (
        f"The real signal with the given frequencies along the {axes}"
        if inverse
        else f"The frequencies of a real signal along the {axes}, without the redundant ones"
    )
    function.__doc__ = (
        f"{summary}.\n\n"
        f"    >>> tf.signal.{name.lower()}({example[0]}).numpy().tolist()\n    {example[1]}\n    "
    )
    return deferrable(function)


rfft = _real_along_last(1, False, ("[1.0, 2.0]", "[(3+0j), (-1+0j)]"))
rfft2d = _real_along_last(2, False, ("[[1.0, 2.0]]", "[[(3+0j), (-1+0j)]]"))
rfft3d = _real_along_last(3, False, ("[[[1.0, 2.0]]]", "[[[(3+0j), (-1+0j)]]]"))
irfft = _real_along_last(1, True, ("tf.constant([3, -1], tf.complex64)", "[1.0, 2.0]"))
irfft2d = _real_along_last(2, True, ("tf.constant([[3, -1]], tf.complex64)", "[[1.0, 2.0]]"))
irfft3d = _real_along_last(3, True, ("tf.constant([[[3, -1]]], tf.complex64)", "[[[1.0, 2.0]]]"))


def _chosen(
    x: Tensor, fft_length: TensorLike | None, axes: Integers | None, name: str
) -> tuple[Dims, Any]:
    """The axes of a transform, and the sizes to which the signal is truncated or padded."""
    rank = len(dims(x))
    sizes = None if fft_length is None else as_shape(fft_length)
    if axes is None:
        count = rank if sizes is None else len(sizes)
        along = _last(x, count, name)
    else:
        along = normal_axes(axes, rank, name)
    return along, _lengths(sizes, len(along), name)


def _scaled(y: Tensor, norm: str | None, sizes: int, inverse: bool) -> Tensor:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"`norm` must be None, 'backward', 'ortho' or 'forward', got {norm!r}.")
    power = {"ortho": 0.5, "forward": 1.0}.get(norm or "", 0.0)
    return y if not power else y * float(sizes) ** (power if inverse else -power)


def _size(shape: Dims, axes: Dims) -> int:
    return math.prod(shape[a] for a in axes)


@deferrable
def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Integers | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete Fourier transform along some axes.

    >>> tf.signal.fftnd(tf.constant([[1, 1]], tf.complex64), axes=[1]).numpy().tolist()
    [[(2+0j), 0j]]
    """
    return _complex_nd("FFTND", input_tensor, fft_length, axes, norm)


@deferrable
def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Integers | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse discrete Fourier transform along some axes.

    >>> tf.signal.ifftnd(tf.constant([[2, 0]], tf.complex64), axes=[1]).numpy().tolist()
    [[(1+0j), (1+0j)]]
    """
    return _complex_nd("IFFTND", input_tensor, fft_length, axes, norm)


def _complex_nd(
    name: str,
    value: TensorLike,
    fft_length: TensorLike | None,
    axes: Integers | None,
    norm: str | None,
) -> Tensor:
    x = as_signal(value, COMPLEX, name)
    along, lengths = _chosen(x, fft_length, axes, name)
    part = fit_to(x, lengths, along)
    y = apply(row_of[name], (part,), {"axes": along})
    return _scaled(y, norm, _size(dims(part), along), name.startswith("I"))


@deferrable
def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Integers | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The frequencies of a real signal along some axes, without the redundant ones.

    >>> tf.signal.rfftnd([[1.0, 2.0]], axes=[1]).numpy().tolist()
    [[(3+0j), (-1+0j)]]
    """
    x = as_signal(input_tensor, REAL, "RFFTND")
    along, lengths = _chosen(x, fft_length, axes, "RFFTND")
    part = fit_to(x, lengths, along)
    y = _of_real(part, along, (None,) * len(along), "RFFTND")
    return _scaled(y, norm, _size(dims(part), along), False)


@deferrable
def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Integers | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The real signal with the given frequencies along some axes.

    >>> tf.signal.irfftnd(tf.constant([[3, -1]], tf.complex64), axes=[1]).numpy().tolist()
    [[1.0, 2.0]]
    """
    z = as_signal(input_tensor, COMPLEX, "IRFFTND")
    along, lengths = _chosen(z, fft_length, axes, "IRFFTND")
    y = _to_real(z, along, lengths, "IRFFTND")
    return _scaled(y, norm, _size(dims(y), along), True)


# ---- the order of frequencies -----------------------------------------------------------------


@deferrable
def fftshift(x: TensorLike, axes: Integers | None = None, name: str | None = None) -> Tensor:
    """Move the zero frequency to the middle.

    >>> tf.signal.fftshift([0.0, 1.0, -1.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """
    return _shifted(x, axes, lambda size: size // 2)


@deferrable
def ifftshift(x: TensorLike, axes: Integers | None = None, name: str | None = None) -> Tensor:
    """Move the zero frequency from the middle back to the front.

    >>> tf.signal.ifftshift([-1.0, 0.0, 1.0]).numpy().tolist()
    [0.0, 1.0, -1.0]
    """
    return _shifted(x, axes, lambda size: -(size // 2))


def _shifted(value: TensorLike, axes: Integers | None, by: Callable[[int], int]) -> Tensor:
    x = convert(value)
    along = normal_axes(axes, len(dims(x)), "Roll")
    return roll(x, [by(dims(x)[a]) for a in along], list(along))


def as_complex(x: Tensor) -> Tensor:
    """`x` cast to the complex dtype of its precision."""
    return cast(x, complex128 if x.dtype is float64 else complex64)
