"""Images, normalization, and what moves their axes."""

from __future__ import annotations

from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call, method
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


TEMPLATES: Final = {
    "ResizeBilinear": _resized("_between", back=False),
    "ResizeBilinearGrad": _resized("_between", back=True),
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
    step = (size - 1) / (out - 1) if align_corners and out > 1 else size / out
    at = (np.arange(out) + 0.5) * step - 0.5 if half_pixel_centers else np.arange(out) * step
    low, weights = np.floor(at).astype(int), np.zeros((out, size))
    np.add.at(weights, (np.arange(out), np.clip(low, 0, size - 1)), 1 - (at - low))
    np.add.at(weights, (np.arange(out), np.clip(low + 1, 0, size - 1)), at - low)
    return weights
""",
    "_nearest": """
def _nearest(size, out, align_corners=False, half_pixel_centers=False):
    f = np.float32
    step = f((size - 1) / (out - 1) if align_corners and out > 1 else size / out)
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
