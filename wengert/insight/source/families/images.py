"""Images, normalization, and what moves their axes."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call, item, method
from wengert.ops.arrays.window_geometry import channels_last
from wengert.values.shapes import Dims

# ---- resizing ---------------------------------------------------------------------------------


def _resized(weights: str, back: bool) -> Any:
    def template(x: Symbol, *, size: Dims, **how: bool) -> Text:
        named = {k: v for k, v in how.items() if v}
        parts = []
        for have, out in zip(x.shape[1:3], size, strict=True):
            first = (int(out), have) if back else (have, int(out))
            parts.append(method(call(weights, *first, **named), "astype", x.dtype))
        equation = "ha,nhwc,wb->nabc" if back else "ah,nhwc,bw->nabc"
        named = {"optimize": True}
        return call("np.einsum", equation, parts[0], x.text, parts[1], **named)

    return template


def _scaled(back: bool) -> Any:
    """Of another width along each axis."""

    def template(
        x: Symbol, *, size: Dims, scale: Any, translation: Any, kernel_type: str, antialias: bool
    ) -> Text:
        parts = []
        for axis, (have, out) in enumerate(zip(x.shape[1:3], size, strict=True)):
            first = (int(out), have) if back else (have, int(out))
            named: dict[str, Any] = {"widened": True} if antialias else {}
            if translation[axis]:
                named["moved"] = float(translation[axis])
            weights = call("_curved", *first, float(scale[axis]), kernel_type, **named)
            parts.append(method(weights, "astype", x.dtype))
        equation = "ha,nhwc,wb->nabc" if back else "ah,nhwc,bw->nabc"
        return call("np.einsum", equation, parts[0], x.text, parts[1], optimize=True)

    return template


def _nearest(x: Symbol, *, size: Dims, **how: bool) -> Text:
    named = {k: v for k, v in how.items() if v}
    text = x.text
    for axis in (1, 2):
        text = call(
            "np.take", text, call("_nearest", x.shape[axis], int(size[axis - 1]), **named), axis
        )
    return text


def _cropped(
    x: Symbol, boxes: Symbol, which: Symbol, *, crop_size: Dims, method: str,
    extrapolation_value: float, order: Dims,
) -> Text:  # fmt: skip
    named = {} if tuple(order) == (0, 0) else {"order": tuple(order)}
    beyond = extrapolation_value if not named else 0.0
    given = (x.text, boxes.text, which.text, tuple(map(int, crop_size)), method, beyond)
    return call("_crops", *given, **named)


def _cropped_back(
    g: Symbol, boxes: Symbol, which: Symbol, *, shape: Dims, method: str, order: Dims
) -> Text:
    named = {} if tuple(order) == (0, 0) else {"order": tuple(order)}
    given = (g.text, boxes.text, which.text, tuple(map(int, shape)), method)
    return call("_crops_back", *given, **named)


# ---- normalization ----------------------------------------------------------------------------


def _batch_norm(
    x: Symbol, scale: Symbol, offset: Symbol, mean: Symbol, variance: Symbol, *,
    axis: int, epsilon: float, training: bool, factor: float,
) -> Text:  # fmt: skip
    given = [v.text for v in (x, scale, offset)]
    if training:
        blend = (
            {}
            if factor == 1.0
            else {"old": Text(f"({mean.text}, {variance.text})"), "factor": factor}
        )
        return call("_batch_norm", *given, axis, epsilon, **blend)
    return call("_normalized", *given, mean.text, variance.text, axis, epsilon)


def _batch_norm_back(*xs: Symbol, axis: int, epsilon: float) -> Text:
    return call("_batch_norm_back", *[x.text for x in xs], axis, epsilon)


def _response(x: Symbol, **attrs: Any) -> Text:
    return call("_response_norm", x.text, *_response_attrs(attrs))


def _response_back(g: Symbol, x: Symbol, **attrs: Any) -> Text:
    return call("_response_norm_back", g.text, x.text, *_response_attrs(attrs))


def _response_attrs(attrs: dict[str, Any]) -> list[Any]:
    return [attrs[k] for k in ("depth_radius", "bias", "alpha", "beta")]


# ---- space and depth --------------------------------------------------------------------------


def _rearranged(x: Symbol, block: int, form: str, down: bool) -> Text:
    """Blocks of pixels as channels, or the other way round."""
    last = channels_last(form)
    n, h, w, c = x.shape if last else (x.shape[0], *x.shape[2:], x.shape[1])
    text = x.text if last else call("np.moveaxis", x.text, 1, -1)
    b = block
    split = (n, h // b, b, w // b, b, c) if down else (n, h, w, b, b, c // b**2)
    whole = (n, h // b, w // b, b * b * c) if down else (n, h * b, w * b, c // b**2)
    turned = method(method(text, "reshape", split), "transpose", 0, 1, 3, 2, 4, 5)
    text = method(turned, "reshape", whole)
    return text if last else call("np.moveaxis", text, -1, 1)


def _to_batch(x: Symbol, *, block_shape: Dims, paddings: Any) -> Text:
    """Blocks of pixels as images of their own."""
    m, text, shape = len(block_shape), x.text, list(x.shape)
    if any(map(any, paddings)):
        pads = [(0, 0), *[tuple(map(int, p)) for p in paddings], *[(0, 0)] * (x.ndim - 1 - m)]
        text, shape = (
            call("np.pad", text, pads),
            [n + sum(p) for n, p in zip(shape, pads, strict=True)],
        )
    space, rest = shape[1 : m + 1], shape[m + 1 :]
    pairs = [v for n, b in zip(space, block_shape, strict=True) for v in (n // b, int(b))]
    order = [*range(2, 2 * m + 2, 2), 0, *range(1, 2 * m + 1, 2)]
    order += range(2 * m + 1, 2 * m + 1 + len(rest))
    apart = method(method(text, "reshape", (shape[0], *pairs, *rest)), "transpose", *order)
    return method(apart, "reshape", (shape[0] * prod(block_shape), *pairs[::2], *rest))


def _from_batch(x: Symbol, *, block_shape: Dims, crops: Any) -> Text:
    """Images that are blocks of pixels, as one."""
    m, blocks = len(block_shape), [int(b) for b in block_shape]
    space, rest = x.shape[1 : m + 1], x.shape[m + 1 :]
    count = x.shape[0] // prod(blocks)
    order = [m, *[v for i in range(m) for v in (m + 1 + i, i)]]
    order += range(2 * m + 1, 2 * m + 1 + len(rest))
    apart = method(x.text, "reshape", (*blocks, count, *space, *rest))
    sizes = [n * b for n, b in zip(space, blocks, strict=True)]
    text = method(method(apart, "transpose", *order), "reshape", (count, *sizes, *rest))
    if not any(map(any, crops)):
        return text
    kept = [slice(int(a), n - int(b)) for n, (a, b) in zip(sizes, crops, strict=True)]
    return item(text, (slice(None), *kept))


TEMPLATES: Final = {
    "SpaceToBatchND": _to_batch,
    "BatchToSpaceND": _from_batch,
    "ResizeBilinear": _resized("_between", back=False),
    "ResizeBilinearGrad": _resized("_between", back=True),
    "ResizeBicubic": _resized("_cubic_between", back=False),
    "ResizeBicubicGrad": _resized("_cubic_between", back=True),
    "ResizeArea": _resized("_covered", back=False),
    "ResizeAreaGrad": _resized("_covered", back=True),
    "ScaleAndTranslate": _scaled(back=False),
    "ScaleAndTranslateGrad": _scaled(back=True),
    "ResizeNearestNeighbor": _nearest,
    "ResizeNearestNeighborGrad": _resized("_nearest_weights", back=True),
    "CropAndResize": _cropped,
    "CropAndResizeGradImage": _cropped_back,
    "FusedBatchNormV3": _batch_norm,
    "FusedBatchNormGradV3": _batch_norm_back,
    "LRN": _response,
    "LRNGrad": _response_back,
    "DepthToSpace": lambda x, *, block_size, data_format: _rearranged(x, block_size, data_format, False),
    "SpaceToDepth": lambda x, *, block_size, data_format: _rearranged(x, block_size, data_format, True),
}  # fmt: skip

HELPERS: Final = {
    "_between": """
def _between(size, out, align_corners=False, half_pixel_centers=False):
    step = _step(size, out, align_corners)
    at = (np.arange(out) + 0.5) * step - 0.5 if half_pixel_centers else np.arange(out) * step
    low, weights = np.floor(at).astype(int), np.zeros((out, size))
    np.add.at(weights, (np.arange(out), np.clip(low, 0, size - 1)), 1 - (at - low))
    np.add.at(weights, (np.arange(out), np.clip(low + 1, 0, size - 1)), at - low)
    return weights
""",
    "_step": """
def _step(size, out, align_corners):
    return (size - 1) / (out - 1) if align_corners and out > 1 else size / out
""",
    "_put_weights": """
def _put_weights(size, index, weight):
    weights = np.zeros((len(index), size))
    rows = np.arange(len(index))[:, None] + 0 * index
    np.add.at(weights, (rows, np.clip(index, 0, size - 1)), weight)
    return weights
""",
    "_cubic": """
def _cubic(x, slope):
    near = ((slope + 2) * x - (slope + 3)) * x * x + 1
    far = ((slope * x - 5 * slope) * x + 8 * slope) * x - 4 * slope
    return np.where(x <= 1, near, far)
""",
    "_cubic_between": """
def _cubic_between(size, out, align_corners=False, half_pixel_centers=False):
    f, step = np.float32, np.float32(_step(size, out, align_corners))
    i = np.arange(out, dtype=f)
    at = (i + f(0.5)) * step - f(0.5) if half_pixel_centers else i * step
    low = np.floor(at)
    part = np.rint((at - low) * f(1024)).astype(float) / 1024
    away = np.stack([1 + part, part, 1 - part, 2 - part], axis=1)
    weight = _cubic(away, -0.5 if half_pixel_centers else -0.75)
    index = low.astype(int)[:, None] + np.arange(-1, 3)
    if half_pixel_centers:
        weight = np.where((index >= 0) & (index < size), weight, 0.0)
        weight = weight / weight.sum(axis=1, keepdims=True)
    return _put_weights(size, index, weight)
""",
    "_covered": """
def _covered(size, out, align_corners=False):
    step = _step(size, out, align_corners) or 1.0
    start = np.arange(out)[:, None] * step
    pixel = np.arange(int(np.ceil(out * step - 1e-9)) + 1)
    share = np.minimum(pixel + 1, start + step) - np.maximum(pixel, start)
    weight = np.maximum(share, 0.0) / step
    return _put_weights(size, pixel + 0 * weight.astype(int), weight)
""",
    "_curve": """
def _curve(x, kind):
    if kind in ("lanczos3", "lanczos5"):
        return np.sinc(x) * np.sinc(x / float(kind[-1]))
    if kind == "gaussian":
        return np.exp(-2.0 * x * x)
    if kind == "triangle":
        return 1.0 - x
    if kind == "keyscubic":
        return _cubic(x, -0.5)
    near = ((7 / 6) * x - 2.0) * x * x + 8 / 9
    far = ((-7 / 18 * x + 2.0) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 1, far, near)
""",
    "_curved": """
def _curved(size, out, scale, kind, widened=False, moved=0.0):
    f = np.float32
    step = f(1.0) / f(scale)
    at = np.arange(0.5, out, dtype=f) * step - step * f(moved)
    shrunk = f(1.0) / max(step, f(1.0)) if widened else f(1.0)
    away = np.abs(np.arange(0.5, size, dtype=f) - at[:, None]) * shrunk
    radius = {"lanczos3": 3, "lanczos5": 5, "gaussian": 1.5, "triangle": 1}
    near = away < f(radius.get(kind, 2))
    wide = max(1.0 / scale, 1.0) if widened else 1.0
    at = (np.arange(out) + 0.5 - moved) / scale
    away = np.abs(np.arange(size) + 0.5 - at[:, None]) / wide
    weight = np.where(near, _curve(away, kind), 0.0)
    weight = np.where(((at >= 0) & (at <= size))[:, None], weight, 0.0)
    total = weight.sum(axis=1, keepdims=True)
    least = 1000 * np.finfo(f).tiny
    return weight / np.where(np.abs(total) >= least, total, 1.0)
""",
    "_nearest": """
def _nearest(size, out, align_corners=False, half_pixel_centers=False):
    f = np.float32
    step = f(_step(size, out, align_corners))
    at = (np.arange(out, dtype=f) + f(0.5 * half_pixel_centers)) * step + f(0.5 * align_corners)
    return np.clip(np.floor(at).astype(int), 0, size - 1)
""",
    "_nearest_weights": """
def _nearest_weights(size, out, **how):
    return np.eye(size)[_nearest(size, out, **how)]
""",
    "_corners": """
def _corners(boxes, axis, count, size, method, order):
    share = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])
    share = share.astype(boxes.dtype)
    at = boxes[:, axis, None] * (1 - share) + boxes[:, axis + 2, None] * share
    at = at * (size - 1)
    inside = (at >= 0) & (at <= size - 1)
    at = np.where(inside, at, 0)
    if method == "nearest":
        return [(np.floor(at + 0.5).astype(int), np.ones_like(at))], inside
    low, high, one = np.floor(at).astype(int), np.ceil(at).astype(int), np.ones_like(at)
    weights = {0: (1 - (at - low), at - low), 1: (-one, one)}.get(order, (0 * one, 0 * one))
    return [(low, weights[0]), (high, weights[1])], inside
""",
    "_crops": """
def _crops(x, boxes, which, size, method, beyond, order=(0, 0)):
    rows, is_in_y = _corners(boxes, 0, size[0], x.shape[1], method, order[0])
    columns, is_in_x = _corners(boxes, 1, size[1], x.shape[2], method, order[1])
    total = 0.0
    for r, p in rows:
        for c, q in columns:
            pixels = x[which[:, None, None], r[:, :, None], c[:, None, :]]
            total = total + (p[:, :, None] * q[:, None, :])[..., None] * pixels
    inside = is_in_y[:, :, None] & is_in_x[:, None, :]
    return np.where(inside[..., None], total, beyond).astype(x.dtype)
""",
    "_crops_back": """
def _crops_back(g, boxes, which, shape, method, order=(0, 0)):
    rows, is_in_y = _corners(boxes, 0, g.shape[1], shape[1], method, order[0])
    columns, is_in_x = _corners(boxes, 1, g.shape[2], shape[2], method, order[1])
    g = np.where((is_in_y[:, :, None] & is_in_x[:, None, :])[..., None], g, 0)
    x = np.zeros(shape, g.dtype)
    for r, p in rows:
        for c, q in columns:
            place = (which[:, None, None], r[:, :, None], c[:, None, :])
            np.add.at(x, place, (p[:, :, None] * q[:, None, :])[..., None] * g)
    return x
""",
    "_along": """
def _along(x, axis):
    others = tuple(a for a in range(x.ndim) if a != axis)
    return others, [n if a == axis else 1 for a, n in enumerate(x.shape)]
""",
    "_normalized": """
def _normalized(x, scale, offset, mean, variance, axis, epsilon):
    shape = _along(x, axis)[1]
    slope = scale / np.sqrt(variance + scale.dtype.type(epsilon))
    y = (x - mean.reshape(shape)) * slope.reshape(shape) + offset.reshape(shape)
    return y, mean, variance, mean, variance
""",
    "_batch_norm": """
def _batch_norm(x, scale, offset, axis, epsilon, old=None, factor=1.0):
    others, shape = _along(x, axis)
    mean = np.mean(x, others)
    variance = np.mean(np.square(x - mean.reshape(shape)), others)
    y = _normalized(x, scale, offset, mean, variance, axis, epsilon)[0]
    count = x.size // scale.size
    seen = mean, variance * scale.dtype.type(count / max(count - 1, 1))
    if old is not None:
        seen = [a * (1 - factor) + b * factor if a.size else b for a, b in zip(old, seen)]
    return y, *seen, mean, variance
""",
    "_batch_norm_back": """
def _batch_norm_back(g, x, scale, mean, variance, dmean, dvariance, axis, epsilon):
    others, shape = _along(x, axis)
    count = x.size // scale.size
    inverse = 1 / np.sqrt(variance + variance.dtype.type(epsilon))
    slope = scale * inverse
    centred = x - mean.reshape(shape)
    dmean = dmean - np.sum(g, others) * slope
    dvariance = dvariance + np.sum(g * centred, others) * slope * (-0.5 * inverse * inverse)
    spread = (dmean / count).reshape(shape) + centred * (dvariance * (2.0 / count)).reshape(shape)
    return g * slope.reshape(shape) + spread
""",
    "_response_norm": """
def _response_norm(x, radius, bias, alpha, beta):
    at = np.arange(x.shape[-1])
    near = (np.abs(at[:, None] - at) <= radius).astype(x.dtype)
    return x * (bias + alpha * (np.square(x) @ near)) ** -beta
""",
    "_response_norm_back": """
def _response_norm_back(g, x, radius, bias, alpha, beta):
    at = np.arange(x.shape[-1])
    near = (np.abs(at[:, None] - at) <= radius).astype(x.dtype)
    size = bias + alpha * (np.square(x) @ near)
    scaled = g * size**-beta
    return scaled - 2 * alpha * beta * x * ((scaled * x / size) @ near)
""",
}
