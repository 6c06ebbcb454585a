"""Convolutions and pooling, normalization: ONNX has the channels first."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.insight.onnx.reductions import reduced
from wengert.insight.onnx.shaping import reshaped, transposed
from wengert.insight.onnx.site import Rule, Site
from wengert.insight.onnx.terms import NoCounterpartError, Term


class _Images:
    """Where the spatial axes are, and the windows along them."""

    def __init__(self, s: Site, rank: int) -> None:
        self.last = s.attrs["data_format"][-1] == "C"
        self.rank = rank
        self.axes = range(1, rank - 1) if self.last else range(2, rank)
        self._attrs = s.attrs

    def along(self, name: str) -> list[int]:
        """An attribute of each spatial axis."""
        return [int(self._attrs[name][a]) for a in self.axes]

    def pads(
        self, size: tuple[int, ...], out: tuple[int, ...], reach: list[int], strides: list[int]
    ) -> list[int]:
        """What is added in front along all axes, then behind along all."""
        explicit, fronts, behinds = self._attrs.get("explicit_paddings", ()), [], []
        for n, axis in enumerate(self.axes):
            total = 0
            if self._attrs["padding"] == "SAME":
                total = max((out[axis] - 1) * strides[n] + reach[n] - size[axis], 0)
            front, behind = total // 2, total - total // 2
            if self._attrs["padding"] == "EXPLICIT":
                front, behind = explicit[2 * axis], explicit[2 * axis + 1]
            fronts.append(int(front))
            behinds.append(int(behind))
        return [*fronts, *behinds]

    def first(self, x: Term) -> Term:
        """With the channels first."""
        return transposed(x, [0, self.rank - 1, *range(1, self.rank - 1)]) if self.last else x

    def back(self, x: Term) -> Term:
        """With the channels where they were."""
        return transposed(x, [0, *range(2, self.rank), 1]) if self.last else x


def _filter(w: Term, rank: int) -> Term:
    """From spatial axes, inputs, outputs to outputs, inputs, spatial axes."""
    return transposed(w, [rank - 1, rank - 2, *range(rank - 2)])


def _geometry(
    s: Site, images: _Images, kernel: tuple[int, ...], size: tuple[int, ...], out: tuple[int, ...]
) -> dict[str, Any]:
    if not all((*size, *out, *kernel)):
        raise NoCounterpartError("images without elements")
    strides, rates = images.along("strides"), images.along("dilations")
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rates, strict=False)]
    return {
        "kernel_shape": list(kernel), "strides": strides, "dilations": rates,
        "pads": images.pads(size, out, reach, strides),
    }  # fmt: skip


def _convolution(s: Site) -> Term:
    images = _Images(s, s.rank)
    *kernel, inner, _ = s.size(1)
    how = _geometry(s, images, tuple(kernel), s.size(), s.made())
    channels = s.size()[-1 if images.last else 1]
    w = _filter(s.x[1], s.rank)
    return images.back(images.first(s.x[0]).node("Conv", w, group=channels // inner, **how))


def _depthwise(s: Site) -> Term:
    images = _Images(s, s.rank)
    *kernel, channels, times = s.size(1)
    how = _geometry(s, images, tuple(kernel), s.size(), s.made())
    w = reshaped(transposed(s.x[1], [2, 3, 0, 1]), [channels * times, 1, *kernel])
    return images.back(images.first(s.x[0]).node("Conv", w, group=channels, **how))


def _transposed_convolution(s: Site) -> Term:
    """The gradient of a convolution, which `conv2d_transpose` is: what is cut off at the end may be more."""
    w, g = s.x
    images = _Images(s, len(s.made()))
    *kernel, inner, _ = s.size(0)
    channels = s.made()[-1 if images.last else 1]
    if channels != inner:
        raise NoCounterpartError("a transposed convolution in groups")
    how = _geometry(s, images, tuple(kernel), s.made(), s.size(1))
    count = len(kernel)
    sizes = [s.made()[a] for a in images.axes]
    given = [s.size(1)[a] for a in images.axes]
    pads, more = how["pads"], []
    for n in range(count):
        reach = (kernel[n] - 1) * how["dilations"][n] + 1
        full = (given[n] - 1) * how["strides"][n] + reach
        more.append(max(sizes[n] + pads[n] + pads[count + n] - full, 0))
    weights = transposed(w, [count + 1, count, *range(count)])
    return images.back(images.first(g).node("ConvTranspose", weights, output_padding=more, **how))


def _pooling(kind: str, **more: Any) -> Rule:
    def rule(s: Site) -> Term:
        images = _Images(s, s.rank)
        if any(s.attrs["ksize"][a] != 1 for a in range(s.rank) if a not in images.axes):
            raise NoCounterpartError("pooling of channels or examples")
        kernel, strides = images.along("ksize"), images.along("strides")
        if not all((*s.size(), *s.made())):
            raise NoCounterpartError("images without elements")
        pads = images.pads(s.size(), s.made(), kernel, strides)
        pooled = images.first(s.x[0]).node(
            kind, kernel_shape=kernel, strides=strides, pads=pads, **more
        )
        return images.back(pooled)

    return rule


def _batch_norm(s: Site) -> list[Term]:
    """(x - m) / sqrt(v + epsilon) scale + offset; in training the averages are those of x."""
    x, scale, offset, mean, variance = s.x
    axis = s.attrs["axis"]
    others = [a for a in range(s.rank) if a != axis]
    along = [n if a == axis else 1 for a, n in enumerate(s.size())]
    m, v = mean, variance
    if s.attrs["training"]:
        if s.attrs["factor"] != 1.0:
            raise NoCounterpartError("a running average")
        wide = x.cast(scale.dtype)
        m = reduced("ReduceMean", wide, others, False)
        apart = wide - reshaped(m, along)
        v = reduced("ReduceMean", apart * apart, others, False)
    slope = scale / (v + s.attrs["epsilon"]).node("Sqrt")
    y = (x.cast(scale.dtype) - reshaped(m, along)) * reshaped(slope, along) + reshaped(
        offset, along
    )
    count = int(np.prod([s.size()[a] for a in others]))
    unbiased = v * (count / max(count - 1, 1)) if s.attrs["training"] else v
    return [y.cast(x.dtype), *[t.node("Identity") for t in (m, unbiased, m, v)]]


def _resize(s: Site) -> Term:
    """Images with the channels last, in another size."""
    corners, half = s.attrs["align_corners"], s.attrs["half_pixel_centers"]
    places = "align_corners" if corners else "half_pixel" if half else "asymmetric"
    if s.op.type == "ResizeBilinear":
        how: dict[str, Any] = {"mode": "linear"}
    else:
        nearest = "floor" if places == "asymmetric" else "round_prefer_ceil"
        how = {"mode": "nearest", "nearest_mode": nearest}
    n, h, w, c = s.made()
    x = transposed(s.x[0], [0, 3, 1, 2])
    sizes = x.constant([n, c, h, w])
    resized = x.node("Resize", None, None, sizes, coordinate_transformation_mode=places, **how)
    return transposed(resized, [0, 2, 3, 1])


def _local_response(s: Site) -> Term:
    size = 2 * s.attrs["depth_radius"] + 1
    how = {"alpha": s.attrs["alpha"] * size, "beta": s.attrs["beta"], "bias": s.attrs["bias"]}
    floats = {key: float(value) for key, value in how.items()}
    x = transposed(s.x[0], [0, 3, 1, 2]).node("LRN", size=size, **floats)
    return transposed(x, [0, 2, 3, 1])


RULES: Final[dict[str, Rule]] = {
    "Conv2D": _convolution,
    "Conv3D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "Conv2DBackpropInput": _transposed_convolution,
    "Conv3DBackpropInputV2": _transposed_convolution,
    "MaxPool": _pooling("MaxPool"),
    "MaxPool3D": _pooling("MaxPool"),
    "AvgPool": _pooling("AveragePool", count_include_pad=0),
    "AvgPool3D": _pooling("AveragePool", count_include_pad=0),
    "ResizeBilinear": _resize,
    "ResizeNearestNeighbor": _resize,
    "LRN": _local_response,
    "FusedBatchNormV3": _batch_norm,
}
