"""Convolutions and pooling: shifted slices of an array, and products of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.core.row import Attrs
from wengert.insight.source.kernels import NotWritableError, Symbol
from wengert.insight.source.text import Text, call, infix, method
from wengert.ops.arrays.window_geometry import Windows, channels_last
from wengert.ops.nn.conv.rows import where_windows_stand
from wengert.ops.nn.pool.kernels import counts, sliding_axes
from wengert.ops.nn.pool.rows import pool_windows
from wengert.values.shapes import Dims

Steps = dict[str, Any]


def steps_of(at: Windows) -> Steps:
    """How windows stand, in the words of the helpers; strides and rates of one are not said."""
    ones = (1,) * len(at.size)
    reach = [(k - 1) * r + 1 for k, r in zip(at.kernel, at.rate, strict=True)]
    last = [(n - 1) * s for n, s in zip(at.out, at.stride, strict=True)]
    pads = [
        (b, max(end + wide - size - b, 0))
        for b, end, wide, size in zip(at.before, last, reach, at.size, strict=True)
    ]
    named: Steps = {"padding": pads} if any(map(any, pads)) else {}
    named |= {"strides": at.stride} if at.stride != ones else {}
    return named | ({"rates": at.rate} if at.rate != ones else {})


# ---- convolutions -----------------------------------------------------------------------------


def _whole(at: Windows, n: int, channels: int) -> Windows:
    """Windows over all axes: one image, and all channels at once."""
    return Windows(
        (n, *at.size, channels), (1, *at.kernel, channels), (1, *at.stride, 1),
        (1, *at.rate, 1), (0, *at.before, 0), (n, *at.out, 1),
    )  # fmt: skip


def _last(x: Symbol, form: str) -> Text:
    return x.text if channels_last(form) else call("np.moveaxis", x.text, 1, -1)


def _back(y: Text, form: str) -> Text:
    return y if channels_last(form) else call("np.moveaxis", y, -1, 1)


def _standing(image: Dims, kernel: Dims, attrs: Attrs) -> tuple[Windows, int]:
    """The windows over all axes, and how many channels the image has."""
    channels = image[-1] if channels_last(attrs["data_format"]) else image[1]
    at = where_windows_stand(image, kernel[:-2], attrs, "Conv")
    return _whole(at, image[0], channels), channels


def _is_pointwise(at: Windows) -> bool:
    return all(k == 1 for k in at.kernel[1:-1]) and at.out[:-1] == at.size[:-1]


def _convolution(x: Symbol, w: Symbol, **attrs: Any) -> Text:
    at, channels = _standing(x.shape, w.shape, attrs)
    form, given = attrs["data_format"], _last(x, attrs["data_format"])
    if _is_pointwise(at) and w.shape[-2] == channels:
        return _back(infix("@", given, method(w.text, "reshape", *w.shape[-2:])), form)
    groups = {} if w.shape[-2] == channels else {"groups": channels // w.shape[-2]}
    return _back(call("_convolved", given, w.text, **steps_of(at), **groups), form)


def _to_image(w: Symbol, g: Symbol, *, input_sizes: Dims, **attrs: Any) -> Text:
    at, channels = _standing(input_sizes, w.shape, attrs)
    groups = {} if w.shape[-2] == channels else {"groups": channels // w.shape[-2]}
    given, form = _last(g, attrs["data_format"]), attrs["data_format"]
    text = call("_convolved_back", given, w.text, at.size, **steps_of(at), **groups)
    return _back(text, form)


def _to_filter(x: Symbol, g: Symbol, *, filter_sizes: Dims, **attrs: Any) -> Text:
    at, channels = _standing(x.shape, filter_sizes, attrs)
    form, inner = attrs["data_format"], filter_sizes[-2]
    groups = {} if inner == channels else {"groups": channels // inner}
    sizes = tuple(filter_sizes)
    return call("_filter_gradient", _last(x, form), _last(g, form), sizes, **steps_of(at), **groups)


def _one_filter_each(shape: Dims) -> Dims:
    """The shape of a depthwise filter as that of one with a group for each channel."""
    return (*shape[:-2], 1, shape[-2] * shape[-1])


def _grouped(w: Symbol) -> Symbol:
    shape = _one_filter_each(w.shape)
    return Symbol(method(w.text, "reshape", shape), w.dtype, shape)


def _depthwise(x: Symbol, w: Symbol, **attrs: Any) -> Text:
    return _convolution(x, _grouped(w), **attrs)


def _depthwise_to_image(w: Symbol, g: Symbol, *, input_sizes: Dims, **attrs: Any) -> Text:
    return _to_image(_grouped(w), g, input_sizes=input_sizes, **attrs)


def _depthwise_to_filter(x: Symbol, g: Symbol, *, filter_sizes: Dims, **attrs: Any) -> Text:
    text = _to_filter(x, g, filter_sizes=_one_filter_each(filter_sizes), **attrs)
    return method(text, "reshape", tuple(filter_sizes))


# ---- pooling ----------------------------------------------------------------------------------


def _lowest(dtype: Any) -> Any:
    if dtype.kind not in "fiu":
        raise NotWritableError("MaxPool")
    return -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _max_pool(x: Symbol, **attrs: Any) -> Text:
    at = pool_windows(x.shape, attrs)
    return call("_max_pool", x.text, at.kernel, **filled(x, steps_of(at)))


def filled(x: Symbol, steps: Steps) -> Steps:
    """With what stands beyond the edges, where windows reach there: less than all else."""
    return steps | ({"fill": _lowest(x.dtype)} if "padding" in steps else {})


def _max_pool_back(x: Symbol, y: Symbol, g: Symbol, **attrs: Any) -> Text:
    at = pool_windows(x.shape, attrs)
    return call("_max_pool_back", x.text, g.text, at.kernel, **filled(x, steps_of(at)))


def _at_maxima(x: Symbol, y: Symbol, u: Symbol, **attrs: Any) -> Text:
    at = pool_windows(x.shape, attrs)
    return call("_at_maxima", x.text, u.text, at.kernel, **filled(x, steps_of(at)))


def _numbers(at: Windows, dtype: Any) -> Text:
    """How many elements each window has, without the padding: a number, or an array of them."""
    found = counts(at, np.dtype(dtype))
    if found.size and (found == found.flat[0]).all():
        return Text(f"{float(found.flat[0])}")
    axes = [counts(at._replace(kernel=_only(at, i)), np.dtype(dtype)) for i in sliding_axes(at)]
    text = Text("")
    for one in axes:
        part = call("np.array", one.tolist(), np.dtype(dtype))
        text = infix("*", text, part) if text.text else part
    return text


def _only(at: Windows, axis: int) -> Dims:
    return tuple(k if i == axis else 1 for i, k in enumerate(at.kernel))


def _mean_pool(x: Symbol, **attrs: Any) -> Text:
    at = pool_windows(x.shape, attrs)
    total = call("_sum_pool", x.text, at.kernel, **steps_of(at))
    return infix("/", total, _bracketed(_numbers(at, x.dtype)))


def _bracketed(a: Text) -> Text:
    return a if a.level > 70 else Text(f"({a.text})")


def _mean_pool_back(g: Symbol, *, orig_input_shape: Dims, **attrs: Any) -> Text:
    at = pool_windows(tuple(orig_input_shape), attrs)
    share = infix("/", g.text, _bracketed(_numbers(at, g.dtype)))
    return call("_sum_pool_back", share, at.size, at.kernel, **steps_of(at))


TEMPLATES: Final = {
    **dict.fromkeys(("Conv2D", "Conv3D"), _convolution),
    **dict.fromkeys(("Conv2DBackpropInput", "Conv3DBackpropInputV2"), _to_image),
    **dict.fromkeys(("Conv2DBackpropFilter", "Conv3DBackpropFilterV2"), _to_filter),
    "DepthwiseConv2dNative": _depthwise,
    "DepthwiseConv2dNativeBackpropInput": _depthwise_to_image,
    "DepthwiseConv2dNativeBackpropFilter": _depthwise_to_filter,
    **dict.fromkeys(("MaxPool", "MaxPool3D"), _max_pool),
    **dict.fromkeys(("MaxPoolGrad", "MaxPool3DGrad"), _max_pool_back),
    **dict.fromkeys(("MaxPoolGradGrad", "MaxPool3DGradGrad"), _at_maxima),
    **dict.fromkeys(("AvgPool", "AvgPool3D"), _mean_pool),
    **dict.fromkeys(("AvgPoolGrad", "AvgPool3DGrad"), _mean_pool_back),
}

HELPERS: Final = {
    "_windows": """
def _windows(x, kernel, strides=None, rates=None, padding=0, fill=0):
    x = np.pad(x, padding, constant_values=fill)
    rates = rates or [1] * x.ndim
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rates)]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach)
    return seen[tuple(slice(None, None, s) for s in [*(strides or [1] * x.ndim), *rates])]
""",
    "_laid_back": """
def _laid_back(parts, shape, kernel, out, strides=None, rates=None, padding=None):
    strides, rates = strides or [1] * len(shape), rates or [1] * len(shape)
    padding = padding or [(0, 0)] * len(shape)
    x = np.zeros([n + a + b for n, (a, b) in zip(shape, padding)], parts.dtype)
    for tap in np.ndindex(*kernel):
        starts = [t * r for t, r in zip(tap, rates)]
        place = tuple(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(starts, out, strides))
        x[place] += parts[(..., *tap)]
    return x[tuple(slice(a, a + n) for n, (a, _) in zip(shape, padding))]
""",
    "_convolved": """
def _convolved(x, w, groups=1, **steps):
    seen = _windows(x, (1, *w.shape[:-2], x.shape[-1]), **steps)
    parts = []
    for rows, each in zip(np.split(seen, groups, -1), np.split(w, groups, -1)):
        rows = rows.reshape(-1, each[..., 0].size)
        parts.append(rows @ each.reshape(rows.shape[1], -1))
    return np.concatenate(parts, -1).reshape(*seen.shape[: x.ndim - 1], -1)
""",
    "_convolved_back": """
def _convolved_back(g, w, shape, groups=1, **steps):
    parts = []
    for each, given in zip(np.split(w, groups, -1), np.split(g, groups, -1)):
        part = given @ each.reshape(-1, each.shape[-1]).T
        parts.append(part.reshape(*g.shape[:-1], 1, 1, *each.shape[:-1]))
    parts = np.concatenate(parts, -1)
    return _laid_back(parts, shape, (1, *w.shape[:-2], shape[-1]), (*g.shape[:-1], 1), **steps)
""",
    "_filter_gradient": """
def _filter_gradient(x, g, shape, groups=1, **steps):
    seen = _windows(x, (1, *shape[:-2], x.shape[-1]), **steps)
    parts = []
    for rows, given in zip(np.split(seen, groups, -1), np.split(g, groups, -1)):
        rows = rows.reshape(given[..., 0].size, -1)
        parts.append(rows.T @ given.reshape(len(rows), -1))
    return np.concatenate(parts, -1).reshape(shape)
""",
    "_max_pool": """
def _max_pool(x, kernel, **steps):
    return np.max(_windows(x, kernel, **steps), axis=tuple(range(-x.ndim, 0)))
""",
    "_first_maxima": """
def _first_maxima(x, kernel, **steps):
    seen = _windows(x, kernel, **steps)
    first = np.argmax(seen.reshape(*seen.shape[: x.ndim], -1), -1)[..., None]
    return (first == np.arange(np.prod(kernel))).reshape(seen.shape)
""",
    "_max_pool_back": """
def _max_pool_back(x, g, kernel, fill=0, **steps):
    chosen = _first_maxima(x, kernel, fill=fill, **steps)
    parts = np.where(chosen, g.reshape(*g.shape, *[1] * g.ndim), 0)
    return _laid_back(parts, x.shape, kernel, g.shape, **steps)
""",
    "_at_maxima": """
def _at_maxima(x, u, kernel, fill=0, **steps):
    chosen = _first_maxima(x, kernel, fill=fill, **steps)
    return np.sum(np.where(chosen, _windows(u, kernel, **steps), 0), axis=tuple(range(-x.ndim, 0)))
""",
    "_sum_pool": """
def _sum_pool(x, kernel, **steps):
    return np.sum(_windows(x, kernel, **steps), axis=tuple(range(-x.ndim, 0)))
""",
    "_sum_pool_back": """
def _sum_pool_back(g, shape, kernel, **steps):
    parts = np.broadcast_to(g.reshape(*g.shape, *[1] * g.ndim), (*g.shape, *kernel))
    return _laid_back(parts, shape, kernel, g.shape, **steps)
""",
}
