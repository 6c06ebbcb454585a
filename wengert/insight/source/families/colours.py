"""Colours: hue, saturation and value; contrast."""

from __future__ import annotations

from typing import Any, Final

from wengert.insight.source.kernels import Symbol
from wengert.insight.source.text import Text, call


def _helped(name: str) -> Any:
    def template(*xs: Symbol) -> Text:
        return call(name, *[x.text for x in xs])

    return template


TEMPLATES: Final = {
    "RGBToHSV": _helped("_rgb_to_hsv"),
    "HSVToRGB": _helped("_hsv_to_rgb"),
    "AdjustHue": _helped("_with_hue_turned"),
    "AdjustSaturation": _helped("_with_saturation"),
    "AdjustContrastv2": _helped("_with_contrast"),
}

HELPERS: Final = {
    "_hue_and_ends": """
def _hue_and_ends(x):
    red, green, blue = np.moveaxis(x, -1, 0)
    low, value = np.min(x, axis=-1), np.max(x, axis=-1)
    reach = value - low
    is_red, is_green = red == value, green == value
    first = np.where(is_red, green, np.where(is_green, blue, red))
    second = np.where(is_red, blue, np.where(is_green, red, green))
    start = np.where(is_green, reach.dtype.type(2 / 6), 4 / 6)
    start = np.where(is_red, 0, start)
    safe = np.where(reach > 0, 6 * reach, 1)
    hue = np.where(reach > 0, (first - second) / safe + start, 0)
    hue = hue.astype(x.dtype)
    return hue + (hue < 0), low, value
""",
    "_pure": """
def _pure(hue):
    red = np.clip(-1.0 + np.abs(6 * hue - 3.0), 0, 1)
    green = np.clip(2.0 - np.abs(6 * hue - 2.0), 0, 1)
    blue = np.clip(2.0 - np.abs(6 * hue - 4.0), 0, 1)
    return np.stack([red, green, blue], -1)
""",
    "_rgb_to_hsv": """
def _rgb_to_hsv(x):
    hue, low, value = _hue_and_ends(x)
    reach = value - low
    saturation = np.where(value > 0, reach / np.where(value > 0, value, 1), 0)
    return np.stack([hue, saturation, value], -1).astype(x.dtype)
""",
    "_hsv_to_rgb": """
def _hsv_to_rgb(x):
    hue, saturation, value = np.moveaxis(x, -1, 0)
    pale = (1 - saturation)[..., None]
    return (pale + saturation[..., None] * _pure(hue)) * value[..., None]
""",
    "_for_each_pixel": """
def _for_each_pixel(number):
    number = np.asarray(number)
    return number if number.ndim == 0 else number[..., 0]
""",
    "_with_hue_turned": """
def _with_hue_turned(x, delta):
    hue, low, high = _hue_and_ends(x)
    hue = hue + _for_each_pixel(delta).astype(x.dtype)
    pure = _pure(hue - np.floor(hue))
    return low[..., None] + (high - low)[..., None] * pure
""",
    "_with_saturation": """
def _with_saturation(x, factor):
    hsv = _rgb_to_hsv(x)
    hsv[..., 1] = np.clip(hsv[..., 1] * _for_each_pixel(factor), 0, 1)
    return _hsv_to_rgb(hsv)
""",
    "_with_contrast": """
def _with_contrast(x, factor):
    mean = np.sum(np.sum(x, axis=-3, keepdims=True), axis=-2, keepdims=True)
    mean = mean / (x.shape[-3] * x.shape[-2])
    return (x - mean) * np.asarray(factor).astype(x.dtype) + mean
""",
}
