"""Convolutions: their rows, and how TensorFlow's arguments become attributes.

Image, filter and windows have three bilinear maps, which are closed under differentiation: the
convolution, its gradient with respect to the image, and that with respect to the filter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.ops.arrays.shaping import reshape, transpose
from wengert.ops.arrays.window_geometry import (
    Windows,
    channels_last,
    explicit_in_space,
    in_space,
    windows,
)
from wengert.ops.nn.conv.kernels import compare, correlate
from wengert.ops.nn.conv.spreading import spread
from wengert.ops.support.batch_rules import BatchRule, batch_all
from wengert.ops.support.half_precision import widen
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import certainly, maximum
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace


class Family(NamedTuple):
    """The three maps of one kind of convolution."""

    forward: Row
    to_input: Row
    to_filter: Row
    depthwise: bool


def where_windows_stand(image: Dims, kernel: Dims, attrs: Attrs, who: str) -> Windows:
    """The windows for the shape of an image and the sizes of a filter."""
    form = attrs["data_format"]
    return windows(
        tuple(in_space(image, form)),
        tuple(kernel),
        in_space(attrs["strides"], form),
        in_space(attrs["dilations"], form),
        attrs["padding"],
        explicit_in_space(attrs.get("explicit_paddings", ()), form),
        who,
    )


def _image(sizes: Dims, channels: int, form: str) -> Dims:
    return (
        (sizes[0], *sizes[1:], channels)
        if channels_last(form)
        else (sizes[0], channels, *sizes[1:])
    )


def _channels(shape: Dims, form: str) -> int:
    return shape[-1] if channels_last(form) else shape[1]


def _last(x: Array, form: str) -> Array:
    return x if channels_last(form) else np.moveaxis(x, 1, -1)


def _back(y: Array, form: str) -> Array:
    return y if channels_last(form) else np.ascontiguousarray(np.moveaxis(y, -1, 1))


# ---- kernels and shapes -------------------------------------------------------------------------


def _flat_filter(shape: Dims, depthwise: bool) -> Dims:
    """The filter of a depthwise convolution as that of one with a group for each channel."""
    return (*shape[:-2], 1, shape[-2] * shape[-1]) if depthwise else shape


def _kernels(who: str, depthwise: bool) -> tuple[Callable[..., Any], ...]:
    def forward(_: Namespace, x: Array, w: Array, **attrs: Any) -> Array:
        form = attrs["data_format"]
        at = where_windows_stand(x.shape, w.shape[:-2], attrs, who)
        flat = widen(w).reshape(_flat_filter(w.shape, depthwise))
        return _back(correlate(widen(_last(x, form)), flat, at).astype(x.dtype, copy=False), form)

    def to_input(_: Namespace, w: Array, g: Array, *, input_sizes: Dims, **attrs: Any) -> Array:
        form = attrs["data_format"]
        at = where_windows_stand(input_sizes, w.shape[:-2], attrs, who)
        flat = widen(w).reshape(_flat_filter(w.shape, depthwise))
        x = spread(widen(_last(g, form)), flat, at, _channels(input_sizes, form))
        return _back(x.astype(g.dtype, copy=False), form)

    def to_filter(_: Namespace, x: Array, g: Array, *, filter_sizes: Dims, **attrs: Any) -> Array:
        form = attrs["data_format"]
        at = where_windows_stand(x.shape, filter_sizes[:-2], attrs, who)
        shape = _flat_filter(filter_sizes, depthwise)
        w = compare(widen(_last(x, form)), widen(_last(g, form)), at, shape)
        return w.reshape(filter_sizes).astype(x.dtype, copy=False)

    return forward, to_input, to_filter


def _result_shape(who: str, depthwise: bool) -> Callable[..., Dims]:
    def shape(image: Dims, kernel: Dims, **attrs: Any) -> Dims:
        form = attrs["data_format"]
        made = kernel[-2] * kernel[-1] if depthwise else kernel[-1]
        at = where_windows_stand(image, kernel[:-2], attrs, who)
        return _image((image[0], *at.out), made, form)

    return shape


# ---- batches ----------------------------------------------------------------------------------


def _merged(x: Any) -> Any:
    """The batch of examples merged with the batch of images."""
    n, images, *rest = dims(x)
    return reshape(x, (n * images, *rest))


def _apart(y: Any, size: int, images: int) -> Any:
    return reshape(y, (size, images, *dims(y)[1:]))


def _side_by_side(x: Any, form: str) -> Any:
    """The images of all examples as one, with the channels of the examples side by side."""
    rank = len(dims(x))
    if channels_last(form):
        order = (*range(1, rank - 1), 0, rank - 1)
        n, images, *space, channels = dims(x)
        return reshape(transpose(x, order), (images, *space, n * channels))
    n, images, channels, *space = dims(x)
    return reshape(transpose(x, (1, 0, *range(2, rank))), (images, n * channels, *space))


def _taken_apart(y: Any, form: str, n: int) -> Any:
    rank = len(dims(y))
    if channels_last(form):
        *rest, channels = dims(y)
        apart = reshape(y, (*rest, n, channels // n))
        return transpose(apart, (rank - 1, *range(rank - 1), rank))
    images, channels, *space = dims(y)
    apart = reshape(y, (images, n, channels // n, *space))
    return transpose(apart, (1, 0, *range(2, rank + 1)))


def _one_filter(w: Any, depthwise: bool) -> Any:
    """The filters of all examples side by side: a group for each example."""
    n, *kernel, inner, made = dims(w)
    axis = len(kernel) + (0 if depthwise else 1)
    order = (*range(1, axis + 1), 0, *range(axis + 1, len(kernel) + 3))
    shape = (*kernel, n * inner, made) if depthwise else (*kernel, inner, n * made)
    return reshape(transpose(w, order), shape)


def _filters(w: Any, n: int, depthwise: bool) -> Any:
    *kernel, inner, made = dims(w)
    axis = len(kernel) + (0 if depthwise else 1)
    wide = (*kernel, n, inner // n, made) if depthwise else (*kernel, inner, n, made // n)
    order = (axis, *range(axis), *range(axis + 1, len(wide)))
    return transpose(reshape(w, wide), order)


def _batched(name: str, depthwise: bool) -> BatchRule:
    """A larger batch of images if all examples share the filter; otherwise a group per example."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        row, form = ROWS[name], attrs["data_format"]
        given, taught = attrs.get("input_sizes"), attrs.get("filter_sizes")
        image = 1 if given else 0
        if not taught and not batched[1 - image]:
            merged = [_merged(x) if i == image else x for i, x in enumerate(xs)]
            if given:
                attrs = attrs | {"input_sizes": (size * given[0], *given[1:])}
            return _apart(apply(row, merged, attrs), size, dims(xs[image])[1])
        full = batch_all(batched, size, xs)
        if given:
            sizes = _image((given[0], *in_space(given, form)), size * _channels(given, form), form)
            attrs = attrs | {"input_sizes": sizes}
        if taught:
            attrs = attrs | {"filter_sizes": _wider(taught, size, depthwise)}
        kinds = (True, True) if taught else (image == 0, image == 1)
        wide = [
            _side_by_side(x, form) if is_image else _one_filter(x, depthwise)
            for x, is_image in zip(full, kinds, strict=True)
        ]
        y = apply(row, wide, attrs)
        return _filters(y, size, depthwise) if taught else _taken_apart(y, form, size)

    return rule


def _wider(shape: Dims, n: int, depthwise: bool) -> Dims:
    *kernel, inner, made = shape
    return (*kernel, n * inner, made) if depthwise else (*kernel, inner, n * made)


# ---- rows -------------------------------------------------------------------------------------

ROWS: Final[dict[str, Row]] = {}


def _family(forward: str, to_input: str, to_filter: str, depthwise: bool = False) -> Family:
    see, give, teach = _kernels(forward, depthwise)

    def back(w: Tensor, g: Tensor, sizes: Dims, attrs: Attrs) -> Tensor:
        result: Tensor = apply(ROWS[to_input], (w, g), {"input_sizes": sizes, **attrs})
        return result

    def learn(x: Tensor, g: Tensor, sizes: Dims, attrs: Attrs) -> Tensor:
        result: Tensor = apply(ROWS[to_filter], (x, g), {"filter_sizes": sizes, **attrs})
        return result

    def look(x: Tensor, w: Tensor, attrs: Attrs) -> Tensor:
        result: Tensor = apply(ROWS[forward], (x, w), attrs)
        return result

    ROWS[forward] = op(
        forward,
        see,
        vjp=(
            lambda g, y, x, w, **attrs: back(w, g, dims(x), attrs),
            lambda g, y, x, w, **attrs: learn(x, g, dims(w), attrs),
        ),
        shape=_result_shape(forward, depthwise),
        linear=(0, 1),
        batch=_batched(forward, depthwise),
        saves="x",
    )
    ROWS[to_input] = op(
        to_input,
        give,
        vjp=(
            lambda u, x, w, g, *, input_sizes, **attrs: learn(u, g, dims(w), attrs),
            lambda u, x, w, g, *, input_sizes, **attrs: look(u, w, attrs),
        ),
        shape=lambda w, g, *, input_sizes, **attrs: input_sizes,
        linear=(0, 1),
        batch=_batched(to_input, depthwise),
        saves="x",
    )
    ROWS[to_filter] = op(
        to_filter,
        teach,
        vjp=(
            lambda u, w, x, g, *, filter_sizes, **attrs: back(u, g, dims(x), attrs),
            lambda u, w, x, g, *, filter_sizes, **attrs: look(x, u, attrs),
        ),
        shape=lambda x, g, *, filter_sizes, **attrs: filter_sizes,
        linear=(0, 1),
        batch=_batched(to_filter, depthwise),
        saves="x",
    )
    return Family(ROWS[forward], ROWS[to_input], ROWS[to_filter], depthwise)


CONV2D: Final = _family("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
CONV3D: Final = _family("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2")
DEPTHWISE: Final = _family(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    depthwise=True,
)


# ---- checks of the arguments --------------------------------------------------------------------


def check_filter(image: Dims, kernel: Dims, attrs: Attrs, family: Family) -> None:
    """Raise TensorFlow's errors if image and filter do not match."""
    who, rank = family.forward.name, 5 if family is CONV3D else 4
    for shape, what in ((image, "input"), (kernel, "filter")):
        if len(shape) != rank:
            raise InvalidArgumentError(
                f"{what} must be {rank}-dimensional: {shape_text(shape)} [Op:{who}]"
            )
    channels = _channels(image, attrs["data_format"])
    inner, made = kernel[-2:]
    left = channels - inner if family.depthwise or certainly(inner == 0) else channels % inner
    if certainly(left != 0):
        raise InvalidArgumentError(
            f"input depth must be evenly divisible by filter depth: {channels} vs {inner}: Depth of "
            f"input ({channels}) is not a multiple of input depth of filter ({inner}) [Op:{who}]"
        )
    groups = 1 if family.depthwise else maximum(channels // inner, 1)
    if certainly(made % groups != 0):
        raise InvalidArgumentError(
            f"output depth must be evenly divisible by number of groups: {made} vs {groups} "
            f"[Op:{who}]"
        )


def check_steps(attrs: Attrs, who: str) -> None:
    """Raise unless strides and dilations are positive, and one along batch and channels."""
    form = attrs["data_format"]
    names = (
        ("strides", "Stride must be > 0"),
        ("dilations", "Dilated rates should be larger than 0."),
    )
    for name, complaint in names:
        numbers = attrs[name]
        if min(numbers) <= 0:
            raise InvalidArgumentError(f"{complaint}, but got {min(numbers)} [Op:{who}]")
        if numbers[0] != 1 or _channels(numbers, form) != 1:
            raise InvalidArgumentError(
                f"Current implementation does not yet support {name} in the batch and depth "
                f"dimensions. [Op:{who}]"
            )


def check_windows(given: Dims, image: Dims, kernel: Dims, attrs: Attrs, family: Family) -> None:
    """Raise unless the windows have the shape that a convolution of the image would have."""
    who = family.to_input.name
    wanted = _result_shape(who, family.depthwise)(image, kernel, **attrs)
    if given != wanted:
        raise InvalidArgumentError(
            f"{who}: the windows of an input of shape {shape_text(image)} have the shape "
            f"{shape_text(wanted)}, not {shape_text(given)} [Op:{who}]"
        )
