"""Lines of the table of samples: convolutions and pooling."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from samples import Dims, Line, anywhere, distinct, internal, line

import wengert as tf
from wengert.ops.image.patches import extract_patches

Attrs = dict[str, Any]

# ---- references, written for clarity: one window after the other --------------------------------


def np_pads(sizes: Dims, reach: Dims, strides: Dims, padding: Any) -> list[tuple[int, int]]:
    """What is put in front of and behind each axis."""
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    if padding != "SAME":
        return [tuple(p) for p in padding]
    pads = []
    for n, r, s in zip(sizes, reach, strides, strict=True):
        total = max((-(-n // s) - 1) * s + r - n, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def np_windows(
    x: Any, kernel: Dims, strides: Dims, rates: Dims, padding: Any, fill: float
) -> tuple[Dims, Callable[[Dims], Any]]:
    """How many windows an array (n, *sizes, channels) has, and a function for one of them."""
    reach = tuple((k - 1) * r + 1 for k, r in zip(kernel, rates, strict=True))
    pads = np_pads(x.shape[1:-1], reach, strides, padding)
    padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    sizes = padded.shape[1:-1]
    out = tuple((n - r) // s + 1 for n, r, s in zip(sizes, reach, strides, strict=True))

    def window(at: Dims) -> Any:
        cuts = [
            slice(a * s, a * s + r, rate)
            for a, s, r, rate in zip(at, strides, reach, rates, strict=True)
        ]
        return padded[tuple([slice(None), *cuts])]

    return out, window


def spread_over(value: Any, count: int) -> Dims:
    """One number for each axis of space, from what TensorFlow takes."""
    numbers = [value] if isinstance(value, int) else list(value or [1])
    if len(numbers) == count + 2:
        numbers = numbers[1:-1]
    return tuple(numbers * count if len(numbers) == 1 else numbers)


def np_conv(x: Any, w: Any, strides: Any, padding: Any, dilations: Any = None) -> Any:
    spatial = w.ndim - 2
    steps, rates = spread_over(strides, spatial), spread_over(dilations, spatial)
    pads = padding if isinstance(padding, str) else padding[1:-1]
    out, window = np_windows(x, w.shape[:-2], steps, rates, pads, 0.0)
    inner, made = w.shape[-2:]
    groups = x.shape[-1] // inner
    y = np.zeros((len(x), *out, made))
    for at in np.ndindex(*out):
        seen = window(at)
        for o in range(made):
            group = o // (made // groups)
            part = seen[..., group * inner : (group + 1) * inner] * w[..., o]
            y[tuple([slice(None), *at, o])] = part.sum(axis=tuple(range(1, x.ndim)))
    return y


def np_depthwise(x: Any, w: Any, strides: Any, padding: Any, dilations: Any = None) -> Any:
    channels, times = w.shape[2:]
    return np_conv(x, w.reshape(*w.shape[:2], 1, channels * times), strides, padding, dilations)


def np_transposed(x: Any, w: Any, shape: Dims, **attrs: Any) -> Any:
    """By the definition: the products with all images that have a single one."""
    basis = np.eye(int(np.prod(shape[1:]))).reshape(-1, *shape[1:])
    seen = np_conv(basis, w, **attrs)
    return np.tensordot(x, seen, (tuple(range(1, x.ndim)),) * 2).reshape(shape)


def np_pool(join: Any, fill: float) -> Callable[..., Any]:
    def reference(x: Any, ksize: Any, strides: Any, padding: Any) -> Any:
        spatial = x.ndim - 2
        kernel, steps = spread_over(ksize, spatial), spread_over(strides, spatial)
        pads = padding if isinstance(padding, str) else padding[1:-1]
        out, window = np_windows(x, kernel, steps, (1,) * spatial, pads, fill)
        y = np.zeros((len(x), *out, x.shape[-1]))
        for at in np.ndindex(*out):
            y[tuple([slice(None), *at])] = join(window(at), axis=tuple(range(1, x.ndim - 1)))
        return y

    return reference


np_max_pool = np_pool(np.max, -np.inf)
np_avg_pool = np_pool(np.nanmean, np.nan)


def channels_first(reference: Callable[..., Any]) -> Callable[..., Any]:
    """A reference for images with the channels in front; attributes are for those at the end."""

    def moved(x: Any, *others: Any, data_format: str, **attrs: Any) -> Any:
        return np.moveaxis(reference(np.moveaxis(x, 1, -1), *others, **attrs), -1, 1)

    return moved


def np_patches(x: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    n = x.ndim - 2
    out, window = np_windows(x, sizes[1:-1], strides[1:-1], rates[1:-1], padding, 0.0)
    y = np.zeros((len(x), *out, int(np.prod(sizes)) * x.shape[-1]))
    assert n == len(out)
    for at in np.ndindex(*out):
        y[tuple([slice(None), *at])] = window(at).reshape(len(x), -1)
    return y


def np_volume_patches(x: Any, ksizes: Any, strides: Any, padding: str) -> Any:
    return np_patches(x, ksizes, strides, (1,) * 5, padding)


def np_dilation(
    x: Any, w: Any, strides: Any, padding: str, data_format: str, dilations: Any
) -> Any:
    out, window = np_windows(x, w.shape[:2], strides[1:-1], dilations[1:-1], padding, -np.inf)
    y = np.zeros((len(x), *out, x.shape[-1]))
    for at in np.ndindex(*out):
        y[tuple([slice(None), *at])] = (window(at) + w).max(axis=(1, 2))
    return y


def np_erosion(x: Any, w: Any, *args: Any, **attrs: Any) -> Any:
    return -np_dilation(-x, w[::-1, ::-1], *args, **attrs)


def np_neighbours(x: Any, depth_radius: int) -> Any:
    y = np.zeros_like(x)
    for c in range(x.shape[-1]):
        y[..., c] = x[..., max(c - depth_radius, 0) : c + depth_radius + 1].sum(-1)
    return y


def np_lrn(
    x: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5
) -> Any:
    return x / (bias + alpha * np_neighbours(x * x, depth_radius)) ** beta


def np_bias_add(x: Any, b: Any, data_format: str = "NHWC") -> Any:
    return x + (b if data_format == "NHWC" else b.reshape(-1, *[1] * (x.ndim - 2)))


def np_depth_to_space(x: Any, block_size: int) -> Any:
    n, h, w, c = x.shape
    y = np.zeros((n, h * block_size, w * block_size, c // block_size**2), x.dtype)
    for i, j in np.ndindex(block_size, block_size):
        at = (i * block_size + j) * y.shape[-1]
        y[:, i::block_size, j::block_size] = x[..., at : at + y.shape[-1]]
    return y


def np_space_to_depth(x: Any, block_size: int) -> Any:
    places = itertools.product(range(block_size), repeat=2)
    return np.concatenate([x[:, i::block_size, j::block_size] for i, j in places], axis=-1)


def np_space_to_batch(x: Any, block_shape: Dims, paddings: Any) -> Any:
    rest = x.ndim - 1 - len(block_shape)
    x = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * rest])
    parts = []
    for at in np.ndindex(*block_shape):
        cuts = [slice(a, None, b) for a, b in zip(at, block_shape, strict=True)]
        parts.append(x[tuple([slice(None), *cuts])])
    return np.concatenate(parts)


def np_batch_to_space(x: Any, block_shape: Dims, crops: Any) -> Any:
    count = int(np.prod(block_shape))
    space = [s * b for s, b in zip(x.shape[1:], block_shape, strict=False)]
    y = np.zeros((len(x) // count, *space, *x.shape[1 + len(space) :]), x.dtype)
    for part, at in zip(np.split(x, count), np.ndindex(*block_shape), strict=True):
        cuts = [slice(a, None, b) for a, b in zip(at, block_shape, strict=True)]
        y[tuple([slice(None), *cuts])] = part
    kept = [slice(a, s - b) for s, (a, b) in zip(space, crops, strict=True)]
    return y[tuple([slice(None), *kept])]


ROWS = np.array([0, 1, 3, 4])
COLS = np.array([0, 2, 3, 5])


def regions(overlapping: bool) -> Any:
    """The regions between ROWS and COLS: where in the output, where in the input."""
    more = int(overlapping)
    for i, j in np.ndindex(3, 3):
        rows = slice(ROWS[i], min(ROWS[i + 1] + more, 4))
        yield (slice(None), i, j), (slice(None), rows, slice(COLS[j], min(COLS[j + 1] + more, 5)))


def np_fractional(join: Any) -> Callable[..., Any]:
    def reference(x: Any, overlapping: bool) -> Any:
        y = np.zeros((len(x), 3, 3, x.shape[-1]))
        for out, met in regions(overlapping):
            y[out] = join(x[met], axis=(1, 2))
        return y

    return reference


def np_boundaries(words: Any, size: int, count: int, pseudo_random: bool) -> Any:
    alpha, k = size / count, size // count
    if pseudo_random:
        share = (int(words[0]) % 2**20 * 2**32 + int(words[1])) * 2.0**-52
        u = share * min((k + 2) / alpha - 1, (size + 1 - k) / alpha - count + 1)
        return np.array([0, *(int(np.ceil(alpha * (i + u))) - 1 for i in range(1, count)), size])
    order = list(range(count))
    for i in range(count - 1):
        j = i + int(words[i]) % (count - i)
        order[i], order[j] = order[j], order[i]
    return np.array([0, *np.cumsum([k + (at < size % count) for at in order])])


# ---- operations that only rules use -------------------------------------------------------------

CONV: Attrs = {
    "strides": (1, 2, 1, 1),
    "padding": "SAME",
    "explicit_paddings": (),
    "data_format": "NHWC",
    "dilations": (1, 1, 2, 1),
}
CONV_3D: Attrs = {
    "strides": (1, 2, 1, 1, 1),
    "padding": "SAME",
    "explicit_paddings": (),
    "data_format": "NDHWC",
    "dilations": (1, 1, 1, 1, 1),
}
POOL: Attrs = {
    "ksize": (1, 2, 3, 1),
    "strides": (1, 1, 2, 1),
    "padding": "SAME",
    "explicit_paddings": (),
    "data_format": "NHWC",
}
POOL_3D: Attrs = {
    "ksize": (1, 2, 2, 2, 1),
    "strides": (1, 2, 1, 2, 1),
    "padding": "SAME",
    "explicit_paddings": (),
    "data_format": "NDHWC",
}
MORPH: Attrs = {"strides": (1, 1, 1, 1), "rates": (1, 1, 2, 1), "padding": "SAME"}


def fixed_first(type: str, fixed: Callable[[Any], list[Any]], **attrs: Any) -> Callable[..., Any]:
    """A row called with its first inputs fixed: those that say where the maxima are."""
    run = internal(type)

    def call(g: Any, **more: Any) -> Any:
        return run(*fixed(g), g, **{**attrs, **more})

    return call


def drawn(shape: Dims) -> Any:
    """The same distinct numbers each time, of few binary digits."""
    return np.round(distinct(np.random.default_rng(7), shape) * 16) / 16


IMAGE = drawn((1, 3, 4, 2))
VOLUME = drawn((1, 2, 3, 3, 1))
FILTER = drawn((2, 2, 2)) / 4
WIDE = drawn((2, 4, 5, 2))


def jacobian_of(forward: Callable[[Any], Any], image: Any) -> Any:
    """Of a piecewise linear map, by differences that are exact in binary: (inputs, outputs)."""
    step, here = 2.0**-7, forward(image)
    units = np.eye(image.size).reshape(-1, *image.shape)
    return np.array([(forward(image + step * e) - here).ravel() / step for e in units])


def np_from_windows(forward: Callable[[Any], Any], image: Any) -> Callable[..., Any]:
    """What is given back to the image, or else picked from it, by the Jacobian."""
    jacobian = jacobian_of(forward, image)

    def reference(g: Any, **attrs: Any) -> Any:
        if g.size == jacobian.shape[1]:
            return (jacobian @ g.ravel()).reshape(image.shape)
        return (g.ravel() @ jacobian).reshape(np.asarray(forward(image)).shape)

    return reference


def max_pool_here(x: Any) -> Any:
    return np_max_pool(x, (2, 3), (1, 2), "SAME")


def max_pool_3d_here(x: Any) -> Any:
    return np_max_pool(x, 2, (2, 1, 2), "SAME")


def dilation_here(x: Any, w: Any) -> Any:
    return np_dilation(x, w, (1, 1, 1, 1), "SAME", "NHWC", (1, 1, 2, 1))


def with_sizes(**sizes: Dims) -> list[Attrs]:
    return [{**CONV, **sizes}]


def np_taught(forward: Callable[..., Any]) -> Callable[..., Any]:
    """What image and windows give to a filter: the products with what single ones would make."""

    def reference(x: Any, g: Any, filter_sizes: Dims, strides: Any, padding: str, dilations: Any,
                  **_: Any) -> Any:  # fmt: skip
        units = np.eye(int(np.prod(filter_sizes))).reshape(-1, *filter_sizes)
        made = [np.vdot(forward(x, w, strides, padding, dilations), g) for w in units]
        return np.array(made).reshape(filter_sizes)

    return reference


def np_given_back(forward: Callable[..., Any]) -> Callable[..., Any]:
    """What windows give back to an image."""

    def reference(w: Any, g: Any, input_sizes: Dims, strides: Any, padding: str, dilations: Any,
                  **_: Any) -> Any:  # fmt: skip
        units = np.eye(int(np.prod(input_sizes))).reshape(-1, *input_sizes)
        made = [np.vdot(forward(x, w, strides, padding, dilations), g) for x in units]
        return np.array(made).reshape(input_sizes)

    return reference


def np_put(g: Any, index: Any, shape: Dims, include_batch_in_index: bool) -> Any:
    x = np.zeros(shape)
    flat = x.reshape(-1) if include_batch_in_index else x.reshape(len(x), -1)
    for at in np.ndindex(*g.shape):
        place = index[at] if include_batch_in_index else (at[0], index[at])
        flat[place] += g[at]
    return x


def np_take(u: Any, index: Any, include_batch_in_index: bool) -> Any:
    if include_batch_in_index:
        return u.reshape(-1)[index]
    return np.stack([row.reshape(-1)[i] for row, i in zip(u, index, strict=True)])


def image_places(rng: Any, shape: Dims) -> Any:
    return rng.integers(0, 12, shape).astype(np.int64)


def np_argmax_pool(x: Any, ksize: Any, strides: Any, padding: Any, **_: Any) -> Any:
    y = np_max_pool(x, ksize, strides, padding)
    flat = x.reshape(len(x), -1)
    found = [np.argmax(flat[b[0]] == y[b]) for b in np.ndindex(*y.shape)]
    return [y, np.array(found).reshape(y.shape)]


# ---- lines ------------------------------------------------------------------------------------

ONE = [1, 1, 1, 1]
SAMPLES: Sequence[Attrs] = [
    {"strides": 1, "padding": "SAME"},
    {"strides": [1, 2], "padding": "VALID"},
    {"strides": [1, 2, 2, 1], "padding": "SAME", "dilations": [2, 1]},
    {"strides": 2, "padding": [[0, 0], [2, 0], [0, 1], [0, 0]], "dilations": 2},
]
CONVOLUTIONS = [
    line("Conv2D", tf.nn.conv2d, np_conv, shapes=[[(1, 4, 5, 2), (2, 3, 2, 3)]], attrs=SAMPLES),
    line("Conv2D", tf.nn.conv2d, np_conv, attrs=[SAMPLES[0], SAMPLES[2]],
         shapes=[[(1, 3, 4, 4), (2, 2, 2, 6)], [(2, 3, 2, 3), (1, 1, 3, 2)],
                 [(2, 3, 3, 3), (2, 2, 1, 3)], [(0, 3, 3, 1), (2, 2, 1, 2)],
                 [(1, 2, 2, 1), (1, 1, 1, 0)]]),
    line("[Conv2D]", tf.nn.conv2d, channels_first(np_conv), shapes=[[(2, 2, 3, 4), (2, 2, 2, 3)]],
         attrs=[{"strides": [2, 1], "padding": "SAME", "data_format": "NCHW"}]),
    line("[Conv1D]", lambda x, w, **attrs: tf.nn.conv1d(x, w, attrs.pop("strides"), **attrs),
         np_conv, shapes=[[(2, 5, 2), (3, 2, 2)]],
         attrs=[{"strides": 2, "padding": "SAME"},
                {"strides": 1, "padding": "VALID", "dilations": 2},
                {"strides": 1, "padding": [[0, 0], [1, 2], [0, 0]]}]),
    # First what does not fit the sizes that a graph guesses for unknown ones: volumes of 24 to the
    # fifth elements, and filters as large, would take minutes.
    line("Conv3D", tf.nn.conv3d, np_conv, shapes=[[(1, 3, 2, 3, 2), (2, 2, 1, 2, 2)]],
         attrs=[{"strides": 1, "padding": "VALID", "dilations": [2, 1, 2]},
                {"strides": [*ONE, 1], "padding": "SAME"},
                {"strides": [1, 2, 1, 2, 1], "padding": "VALID"},
                {"strides": 1, "padding": "SAME", "dilations": [2, 1, 1]}]),
    line("DepthwiseConv2dNative", tf.nn.depthwise_conv2d, np_depthwise,
         shapes=[[(1, 4, 3, 2), (2, 2, 2, 2)]],
         attrs=[{"strides": ONE, "padding": "SAME"}, {"strides": [1, 2, 2, 1], "padding": "VALID"},
                {"strides": ONE, "padding": "SAME", "dilations": [2, 2]},
                {"strides": ONE, "padding": [[0, 0], [1, 0], [0, 1], [0, 0]]}]),
    line("Conv2DBackpropInput", internal("Conv2DBackpropInput"), np_given_back(np_conv),
         shapes=[[(2, 2, 2, 3), (1, 2, 3, 3)]], attrs=with_sizes(input_sizes=(1, 3, 3, 2))),
    line("Conv2DBackpropFilter", internal("Conv2DBackpropFilter"), np_taught(np_conv),
         shapes=[[(2, 3, 3, 2), (2, 2, 3, 3)]], attrs=with_sizes(filter_sizes=(2, 2, 2, 3))),
    line("Conv2DBackpropInput", internal("Conv2DBackpropInput"), np_given_back(np_conv),
         shapes=[[(2, 2, 2, 4), (1, 2, 3, 4)]], attrs=with_sizes(input_sizes=(1, 3, 3, 4))),
    line("Conv2DBackpropFilter", internal("Conv2DBackpropFilter"), np_taught(np_conv),
         shapes=[[(1, 3, 3, 4), (1, 2, 3, 4)]], attrs=with_sizes(filter_sizes=(2, 2, 2, 4))),
    line("Conv3DBackpropInputV2", internal("Conv3DBackpropInputV2"), np_given_back(np_conv),
         shapes=[[(2, 1, 2, 2, 1), (1, 1, 2, 2, 1)]],
         attrs=[{**CONV_3D, "input_sizes": (1, 2, 2, 2, 2)}]),
    line("Conv3DBackpropFilterV2", internal("Conv3DBackpropFilterV2"), np_taught(np_conv),
         shapes=[[(1, 2, 2, 2, 2), (1, 1, 2, 2, 1)]],
         attrs=[{**CONV_3D, "filter_sizes": (2, 1, 2, 2, 1)}]),
    line("DepthwiseConv2dNativeBackpropInput", internal(
         "DepthwiseConv2dNativeBackpropInput"), np_given_back(np_depthwise), shapes=[[(2, 2, 2, 2), (1, 2, 3, 4)]], attrs=with_sizes(input_sizes=(1, 3, 3, 2))),
    line("DepthwiseConv2dNativeBackpropFilter", internal("DepthwiseConv2dNativeBackpropFilter"),
         np_taught(np_depthwise), shapes=[[(1, 3, 3, 2), (1, 2, 3, 4)]],
         attrs=with_sizes(filter_sizes=(2, 2, 2, 2))),
    line("[Conv2DTranspose]", lambda x, w, shape, **attrs: tf.nn.conv2d_transpose(
             x, w, shape, attrs["strides"], attrs["padding"]), np_transposed,
         shapes=[[(1, 2, 2, 3), (2, 3, 2, 3)]],
         attrs=[{"shape": (1, 3, 4, 2), "strides": 2, "padding": "SAME"},
                {"shape": (1, 3, 4, 2), "strides": 1, "padding": "VALID"}]),
]  # fmt: skip

POOLED: Sequence[Attrs] = [
    {"ksize": 2, "strides": 2, "padding": "VALID"},
    {"ksize": [2, 3], "strides": [1, 2], "padding": "SAME"},
    {"ksize": 3, "strides": 1, "padding": "SAME"},
    {"ksize": [1, 1], "strides": [2, 1], "padding": "VALID"},
]
POOLING = [
    line("MaxPool", tf.nn.max_pool2d, np_max_pool, distinct, shapes=[[(2, 4, 5, 2)]],
         attrs=[*POOLED, {"ksize": [1, 3, 2, 1], "strides": ONE,
                          "padding": [[0, 0], [1, 2], [0, 1], [0, 0]]}]),
    line("[MaxPool]", tf.nn.max_pool, channels_first(np_max_pool), distinct,
         shapes=[[(1, 2, 3, 4)]],
         attrs=[{"ksize": 2, "strides": [2, 1], "padding": "SAME", "data_format": "NCHW"}]),
    line("MaxPool3D", tf.nn.max_pool3d, np_max_pool, distinct, shapes=[[(1, 3, 2, 4, 2)]],
         attrs=[POOLED[0], POOLED[2]]),
    line("AvgPool", tf.nn.avg_pool2d, np_avg_pool, shapes=[[(2, 4, 5, 2)]], attrs=POOLED),
    line("[AvgPool]", tf.nn.avg_pool, channels_first(np_avg_pool), shapes=[[(1, 2, 3, 4)]],
         attrs=[{"ksize": 2, "strides": [2, 1], "padding": "SAME", "data_format": "NCHW"}]),
    line("AvgPool3D", tf.nn.avg_pool3d, np_avg_pool, shapes=[[(1, 3, 2, 4, 2)]],
         attrs=[POOLED[0], POOLED[2]]),
    line("[AvgPool1D]", tf.nn.avg_pool1d, np_avg_pool, shapes=[[(2, 5, 2)]], attrs=[POOLED[2]]),
    line("[MaxPool1D]", tf.nn.max_pool1d, np_max_pool, distinct, shapes=[[(2, 5, 2)]],
         attrs=[POOLED[0], POOLED[2]]),
    line("MaxPoolWithArgmax", tf.nn.max_pool_with_argmax, np_argmax_pool, distinct,
         shapes=[[(2, 3, 4, 1)]], attrs=[POOLED[0], POOLED[2]]),
    line("MaxPoolGrad", fixed_first("MaxPoolGrad", lambda g: [IMAGE, max_pool_here(IMAGE)],
         **POOL), np_from_windows(max_pool_here, IMAGE), shapes=[[(1, 3, 2, 2)]], small=False),
    line("MaxPoolGradGrad", fixed_first("MaxPoolGradGrad", lambda g: [IMAGE, max_pool_here(IMAGE)],
         **POOL), np_from_windows(max_pool_here, IMAGE), shapes=[[(1, 3, 4, 2)]], small=False),
    line("MaxPool3DGrad", fixed_first("MaxPool3DGrad",
         lambda g: [VOLUME, max_pool_3d_here(VOLUME)], **POOL_3D),
         np_from_windows(max_pool_3d_here, VOLUME), shapes=[[(1, 1, 3, 2, 1)]], small=False),
    line("MaxPool3DGradGrad", fixed_first("MaxPool3DGradGrad",
         lambda g: [VOLUME, max_pool_3d_here(VOLUME)], **POOL_3D),
         np_from_windows(max_pool_3d_here, VOLUME), shapes=[[(1, 2, 3, 3, 1)]], small=False),
    line("AvgPoolGrad", internal("AvgPoolGrad"), lambda g, orig_input_shape, **_: np_from_windows(
             lambda x: np_avg_pool(x, (2, 3), (1, 2), "SAME"), np.zeros((1, 3, 4, 2)))(g),
         shapes=[[(1, 3, 2, 2)]], attrs=[{**POOL, "orig_input_shape": (1, 3, 4, 2)}]),
    line("AvgPool3DGrad", internal("AvgPool3DGrad"),
         lambda g, orig_input_shape, **_: np_from_windows(
             lambda x: np_avg_pool(x, 2, (2, 1, 2), "SAME"), np.zeros((1, 2, 3, 3, 1)))(g),
         shapes=[[(1, 1, 3, 2, 1)]], attrs=[{**POOL_3D, "orig_input_shape": (1, 2, 3, 3, 1)}]),
    *(line("MaxPoolGradWithArgmax", internal("MaxPoolGradWithArgmax"), np_put, anywhere,
           image_places, shapes=[[(2, 2, 2, 1)] * 2],
           attrs=[{"shape": (2, 3, 4, 1), "include_batch_in_index": with_batch}])
      for with_batch in (False, True)),
    *(line("MaxPoolGradGradWithArgmax", internal("MaxPoolGradGradWithArgmax"), np_take, anywhere,
           image_places, shapes=[[(2, 3, 4, 1), (2, 2, 2, 1)]],
           attrs=[{"include_batch_in_index": with_batch}]) for with_batch in (False, True)),
]  # fmt: skip


def bounded(type: str) -> Callable[..., Any]:
    """A fractional pooling with given boundaries behind its other inputs."""
    run = internal(type)
    return lambda *xs, **attrs: run(*xs, ROWS, COLS, **attrs)


OVERLAPPING: Sequence[Attrs] = [{"overlapping": False}, {"overlapping": True}]


def np_fractional_jacobian(join: Any, image: Any) -> Callable[..., Any]:
    def reference(g: Any, overlapping: bool, **_: Any) -> Any:
        return np_from_windows(lambda x: np_fractional(join)(x, overlapping), image)(g)

    return reference


FRACTIONAL = [
    line("FractionalPoolBoundaries", internal("FractionalPoolBoundaries"), np_boundaries,
         lambda rng, shape: rng.integers(0, 1 << 32, shape), shapes=[[(4,)]], constant=True, small=False,
         attrs=[{"size": 7, "count": 4, "pseudo_random": True},
                {"size": 7, "count": 4, "pseudo_random": False},
                {"size": 8, "count": 4, "pseudo_random": True}]),
    line("FractionalMaxPool", bounded("FractionalMaxPool"), np_fractional(np.max), distinct,
         shapes=[[(2, 4, 5, 2)]], attrs=OVERLAPPING),
    line("FractionalAvgPool", bounded("FractionalAvgPool"), np_fractional(np.mean),
         shapes=[[(2, 4, 5, 2)]], attrs=OVERLAPPING),
    line("FractionalMaxPoolGrad", lambda g, **attrs: bounded("FractionalMaxPoolGrad")(
             WIDE, g, **attrs), np_fractional_jacobian(np.max, WIDE), shapes=[[(2, 3, 3, 2)]],
         attrs=OVERLAPPING, small=False),
    line("FractionalMaxPoolGradGrad", lambda u, **attrs: bounded("FractionalMaxPoolGradGrad")(
             WIDE, u, **attrs), np_fractional_jacobian(np.max, WIDE), shapes=[[(2, 4, 5, 2)]],
         attrs=OVERLAPPING, small=False),
    line("FractionalAvgPoolGrad", bounded("FractionalAvgPoolGrad"),
         np_fractional_jacobian(np.mean, np.zeros(WIDE.shape)), shapes=[[(2, 3, 3, 2)]],
         attrs=[{**o, "shape": (2, 4, 5, 2)} for o in OVERLAPPING]),
]  # fmt: skip

MORPHOLOGY = [
    *(line(type, call, reference, distinct, anywhere, shapes=[[(1, 3, 4, 2), (2, 2, 2)]], attrs=[
        {"strides": ONE, "padding": "SAME", "data_format": "NHWC", "dilations": ONE},
        {"strides": [1, 2, 1, 1], "padding": "VALID", "data_format": "NHWC",
         "dilations": [1, 1, 2, 1]}])
      for type, call, reference in (("Dilation2D", tf.nn.dilation2d, np_dilation),
                                    ("[Erosion2D]", tf.nn.erosion2d, np_erosion))),
    line("Dilation2DBackpropInput", fixed_first("Dilation2DBackpropInput",
         lambda g: [IMAGE, FILTER], **MORPH),
         np_from_windows(lambda x: dilation_here(x, FILTER), IMAGE), shapes=[[(1, 3, 4, 2)]],
         small=False),
    line("Dilation2DGradGradInput", fixed_first("Dilation2DGradGradInput",
         lambda g: [IMAGE, FILTER], **MORPH), lambda u: np_picked(u), shapes=[[(1, 3, 4, 2)]],
         small=False),
    line("Dilation2DBackpropFilter", fixed_first("Dilation2DBackpropFilter",
         lambda g: [IMAGE, FILTER], **MORPH),
         np_from_windows(lambda w: dilation_here(IMAGE, w), FILTER), shapes=[[(1, 3, 4, 2)]],
         small=False),
    line("Dilation2DGradGradFilter", fixed_first("Dilation2DGradGradFilter",
         lambda g: [IMAGE, FILTER], **MORPH),
         np_from_windows(lambda w: dilation_here(IMAGE, w), FILTER), shapes=[[(2, 2, 2)]],
         small=False),
]  # fmt: skip


def np_picked(u: Any) -> Any:
    """Of each window the element of u where the dilation has its maximum."""
    jacobian = jacobian_of(lambda x: dilation_here(x, FILTER), IMAGE)
    return (u.ravel() @ jacobian).reshape(IMAGE.shape)


RESPONSE: Sequence[Attrs] = [
    {},
    {"depth_radius": 1, "bias": 0.5, "alpha": 2.0, "beta": 0.75},
    {"depth_radius": 2, "bias": 2.0, "alpha": 0.3, "beta": 1.3},
    {"depth_radius": 1, "bias": 1.0, "alpha": 0.5, "beta": 1.0},
]


NETWORK = [
    line("LRN", tf.nn.local_response_normalization, np_lrn, shapes=[[(1, 2, 1, 5)]],
         attrs=RESPONSE),
    line("LRNGrad", internal("LRNGrad"), None, shapes=[[(1, 2, 1, 4)] * 2], attrs=RESPONSE[1:3]),
    line("NeighbourSum", internal("NeighbourSum"), np_neighbours, shapes=[[(2, 5)]],
         attrs=[{"depth_radius": 1}, {"depth_radius": 7}]),
    line("BiasAdd", tf.nn.bias_add, np_bias_add, shapes=[[(2, 3), (3,)], [(2, 2, 1, 3), (3,)]],
         complex=True, dtypes="int32"),
    line("BiasAdd", tf.nn.bias_add, np_bias_add, shapes=[[(2, 3, 2), (3,)]],
         attrs=[{"data_format": "NCHW"}]),
    line("BiasAddGrad", internal("BiasAddGrad"),
         lambda g, data_format: g.sum((0, 1) if data_format == "NHWC" else (0, 2)),
         shapes=[[(2, 3, 2)]], attrs=[{"data_format": f} for f in ("NHWC", "NCHW")]),
]  # fmt: skip

MOVES = "int32 bool"
REARRANGING = [
    line("DepthToSpace", tf.nn.depth_to_space, np_depth_to_space, shapes=[[(2, 1, 2, 8)]],
         attrs=[{"block_size": 2}], complex=True, dtypes=MOVES),
    line("SpaceToDepth", tf.nn.space_to_depth, np_space_to_depth, shapes=[[(2, 2, 4, 2)]],
         attrs=[{"block_size": 2}], complex=True, dtypes=MOVES),
    line("[DepthToSpace]", tf.nn.depth_to_space, channels_first(np_depth_to_space),
         shapes=[[(2, 8, 1, 2)]], attrs=[{"block_size": 2, "data_format": "NCHW"}]),
    line("[SpaceToDepth]", tf.nn.space_to_depth, channels_first(np_space_to_depth),
         shapes=[[(2, 2, 2, 4)]], attrs=[{"block_size": 2, "data_format": "NCHW"}]),
    line("SpaceToBatchND", tf.space_to_batch, np_space_to_batch, shapes=[[(2, 3, 4, 2)]],
         attrs=[{"block_shape": (2, 2), "paddings": [[1, 0], [0, 0]]},
                {"block_shape": (3,), "paddings": [[0, 0]]}], complex=True, dtypes=MOVES),
    line("BatchToSpaceND", tf.batch_to_space, np_batch_to_space, shapes=[[(12, 2, 3, 1)]],
         attrs=[{"block_shape": (2, 3), "crops": [[1, 0], [0, 2]]},
                {"block_shape": (2,), "crops": [[0, 1]]}], complex=True, dtypes=MOVES),
    line("ExtractImagePatches", extract_patches, np_patches, shapes=[[(2, 4, 3, 2)]],
         attrs=[{"sizes": [1, 2, 2, 1], "strides": ONE, "rates": ONE, "padding": "SAME"},
                {"sizes": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "rates": [1, 2, 1, 1],
                 "padding": "VALID"}]),
    line("ExtractVolumePatches", tf.extract_volume_patches, np_volume_patches,
         shapes=[[(1, 2, 3, 2, 2)]],
         attrs=[{"ksizes": [1, 2, 2, 1, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME"}]),
    line("ExtractImagePatchesGrad", internal("ExtractImagePatchesGrad"), None,
         shapes=[[(1, 3, 3, 8)]], attrs=[{"input_shape": (1, 3, 3, 2), "ksizes": (1, 2, 2, 1),
                                          "strides": (1, 1, 1, 1), "rates": (1, 1, 1, 1),
                                          "padding": "SAME"}]),
    line("ExtractVolumePatchesGrad", internal("ExtractVolumePatchesGrad"), None,
         shapes=[[(1, 1, 2, 2, 4)]],
         attrs=[{"input_shape": (1, 2, 2, 2, 1), "ksizes": (1, 2, 2, 1, 1),
                 "strides": (1, 2, 1, 1, 1), "padding": "SAME"}]),
]  # fmt: skip

LINES: Sequence[Line] = [
    *CONVOLUTIONS,
    *POOLING,
    *FRACTIONAL,
    *MORPHOLOGY,
    *NETWORK,
    *REARRANGING,
]
