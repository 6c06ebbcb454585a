"""Grayscale morphology: dilation and erosion by a structuring function.

A dilation is the maximum over each window of input plus filter. Its gradients go to the position of
the first maximum, in the input and in the filter; the gradients of those gather from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.public_functions import deferrable
from wengert.ops.arrays.batched import merged
from wengert.ops.arrays.slicing import reverse
from wengert.ops.arrays.window_geometry import (
    Tap,
    Windows,
    check_positive,
    each_axis,
    taps,
    windows,
)
from wengert.ops.nn.pool.kernels import Firsts, lowest
from wengert.ops.support.declare import REAL_OR_INT, convert_alike, wrong_dtype
from wengert.ops.support.half_precision import widen
from wengert.values.convert import convert
from wengert.values.shapes import Dims, shape_text
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import Array, Integers, Namespace, TensorLike


def _windows(image: Dims, kernel: Dims, attrs: Attrs) -> Windows:
    return windows(
        tuple(image[1:3]),
        tuple(kernel[:2]),
        attrs["strides"][1:3],
        attrs["rates"][1:3],
        attrs["padding"],
        (),
        "Dilation2D",
    )


def _at(slices: tuple[slice, ...]) -> tuple[slice, ...]:
    return (slice(None), *slices)


def _moved(tap: Tap) -> Tap:
    """The same position for arrays with a batch axis in front."""
    return Tap(tap.at, _at(tap.out), _at(tap.size))


def _dilated(x: Array, w: Array, at: Windows) -> Array:
    y = np.full((len(x), *at.out, x.shape[-1]), lowest(x.dtype), x.dtype)
    for tap in map(_moved, taps(at)):
        part = y[tap.out]
        np.maximum(part, x[tap.size] + w[tap.at], out=part)
    return y


def _hits(x: Array, w: Array, at: Windows) -> Iterator[tuple[Tap, Any]]:
    """For each position of the window, the windows whose first maximum is there."""
    firsts = Firsts(_dilated(x, w, at))
    for tap in map(_moved, taps(at)):
        yield tap, firsts.at(tap, x[tap.size] + w[tap.at])


def _dilation(_: Namespace, x: Array, w: Array, **attrs: Any) -> Array:
    return _dilated(x, w, _windows(x.shape, w.shape, attrs))


def _to_input(_: Namespace, x: Array, w: Array, g: Array, **attrs: Any) -> Array:
    wide = widen(g)
    back = np.zeros(x.shape, wide.dtype)
    for tap, hit in _hits(x, w, _windows(x.shape, w.shape, attrs)):
        back[tap.size] += np.where(hit, wide[tap.out], wide.dtype.type(0))
    return back.astype(g.dtype, copy=False)


def _to_filter(_: Namespace, x: Array, w: Array, g: Array, **attrs: Any) -> Array:
    wide = widen(g)
    back = np.zeros(w.shape, wide.dtype)
    for tap, hit in _hits(x, w, _windows(x.shape, w.shape, attrs)):
        back[tap.at] = np.where(hit, wide[tap.out], wide.dtype.type(0)).sum(axis=(0, 1, 2))
    return back.astype(g.dtype, copy=False)


def _from_input(_: Namespace, x: Array, w: Array, u: Array, **attrs: Any) -> Array:
    at = _windows(x.shape, w.shape, attrs)
    y = np.zeros((len(x), *at.out, x.shape[-1]), u.dtype)
    for tap, hit in _hits(x, w, at):
        np.copyto(y[tap.out], u[tap.size], where=hit)
    return y


def _from_filter(_: Namespace, x: Array, w: Array, u: Array, **attrs: Any) -> Array:
    at = _windows(x.shape, w.shape, attrs)
    y = np.zeros((len(x), *at.out, x.shape[-1]), u.dtype)
    for tap, hit in _hits(x, w, at):
        np.copyto(y[tap.out], u[tap.at], where=hit)
    return y


def _out_shape(image: Dims, kernel: Dims, *_: Dims, **attrs: Any) -> Dims:
    return (image[0], *_windows(image, kernel, attrs).out, image[3])


DILATION: Row = op(
    "Dilation2D",
    _dilation,
    vjp=(
        lambda g, y, x, w, **attrs: apply(TO_INPUT, (x, w, g), attrs),
        lambda g, y, x, w, **attrs: apply(TO_FILTER, (x, w, g), attrs),
    ),
    jvp=(
        lambda t, y, x, w, **attrs: apply(FROM_INPUT, (x, w, t), attrs),
        lambda t, y, x, w, **attrs: apply(FROM_FILTER, (x, w, t), attrs),
    ),
    shape=_out_shape,
    batch=merged("Dilation2D", (3, 2), 3),
    saves="x",
)
TO_INPUT: Row = op(
    "Dilation2DBackpropInput",
    _to_input,
    vjp=(None, None, lambda u, b, x, w, g, **attrs: apply(FROM_INPUT, (x, w, u), attrs)),
    shape=lambda x, w, g, **attrs: x,
    linear=(2,),
    batch=merged("Dilation2DBackpropInput", (3, 2, 3), 3),
    saves="x",
)
TO_FILTER: Row = op(
    "Dilation2DBackpropFilter",
    _to_filter,
    vjp=(None, None, lambda u, b, x, w, g, **attrs: apply(FROM_FILTER, (x, w, u), attrs)),
    shape=lambda x, w, g, **attrs: w,
    linear=(2,),
    batch=merged("Dilation2DBackpropFilter", (3, 2, 3), 2),
    saves="x",
)
FROM_INPUT: Row = op(
    "Dilation2DGradGradInput",
    _from_input,
    vjp=(None, None, lambda g, b, x, w, u, **attrs: apply(TO_INPUT, (x, w, g), attrs)),
    shape=_out_shape,
    linear=(2,),
    batch=merged("Dilation2DGradGradInput", (3, 2, 3), 3),
    saves="x",
)
FROM_FILTER: Row = op(
    "Dilation2DGradGradFilter",
    _from_filter,
    vjp=(None, None, lambda g, b, x, w, u, **attrs: apply(TO_FILTER, (x, w, g), attrs)),
    shape=_out_shape,
    linear=(2,),
    batch=merged("Dilation2DGradGradFilter", (3, 2, 2), 3),
    saves="x",
)


@deferrable
def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Integers,
    padding: str,
    data_format: str,
    dilations: Integers,
    name: str | None = None,
) -> Tensor:
    """Grayscale dilation: the maximum of input plus filter over each window, per channel.

    >>> x = tf.reshape([1.0, 2.0, 4.0], [1, 1, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> y = tf.nn.dilation2d(x, [[[0.5], [0.0]]], ones, "VALID", "NHWC", ones)
    >>> y.numpy().ravel().tolist()
    [2.0, 4.0]
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    x, w = convert_alike("Dilation2D", input, filters)
    if x._array.dtype.kind not in REAL_OR_INT:
        raise wrong_dtype(DILATION, x.dtype)
    _check(dims(x), dims(w))
    attrs: Attrs = {
        "strides": each_axis(strides, 4, "NHWC", "strides"),
        "rates": each_axis(dilations, 4, "NHWC", "dilations"),
        "padding": str(padding).upper(),
    }
    check_positive(attrs["strides"], "Stride must be > 0", "Dilation2D")
    check_positive(attrs["rates"], "Dilated rates should be larger than 0.", "Dilation2D")
    if attrs["padding"] not in ("SAME", "VALID"):
        raise InvalidArgumentError(
            f"Value for attr 'padding' of {padding!r} is not in the list of allowed values: "
            '"SAME", "VALID" [Op:Dilation2D]'
        )
    result: Tensor = apply(DILATION, (x, w), attrs)
    return result


def _check(image: Dims, kernel: Dims) -> None:
    if len(image) != 4:
        raise InvalidArgumentError(
            f"input must be 4-dimensional: {shape_text(image)} [Op:Dilation2D]"
        )
    if len(kernel) != 3:
        raise InvalidArgumentError(
            f"filter must be 3-dimensional: {shape_text(kernel)} [Op:Dilation2D]"
        )
    if image[3] != kernel[2]:
        raise InvalidArgumentError(
            f"input and filter must have the same depth: {image[3]} vs {kernel[2]} [Op:Dilation2D]"
        )


@deferrable
def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Integers,
    padding: str,
    data_format: str,
    dilations: Integers,
    name: str | None = None,
) -> Tensor:
    """Grayscale erosion: the minimum of input minus mirrored filter over each window, per channel.

    >>> x = tf.reshape([1.0, 2.0, 4.0], [1, 1, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> y = tf.nn.erosion2d(x, [[[0.0], [3.0]]], ones, "VALID", "NHWC", ones)
    >>> y.numpy().ravel().tolist()
    [-2.0, -1.0]
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    x, w = convert_alike("Dilation2D", value, convert(filters))
    return -dilation2d(-x, reverse(w, [0, 1]), strides, padding, data_format, dilations)
