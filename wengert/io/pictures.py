"""Pictures as arrays, and back."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.io.codecs import bmp_in, kind_of, loaded, of_16_bits, opened, pillow, png_of
from wengert.ops.image.adjust import convert_image_dtype
from wengert.ops.strings.texts import each, text_of
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int32, uint8, uint16
from wengert.values.tensor import Tensor

_OBJECT: Final = np.dtype(object)
_MODES: Final = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}

# ---- reading ------------------------------------------------------------------------------------


def _text(contents: Any) -> bytes:
    found = np.asarray(contents, object)
    if found.ndim:
        raise InvalidArgumentError(f"contents must be scalar, got shape {list(found.shape)}")
    return found.item()  # type: ignore[no-any-return]


def _pixels(data: bytes, channels: int, ratio: int, accurate: bool, fancy: bool) -> Any:
    """The pixels of a PNG, JPEG or GIF picture of one frame."""
    kind = kind_of(data)
    if kind == "png":
        return _png_pixels(data, channels)
    picture = opened(data)
    if kind == "jpeg":
        return _jpeg_pixels(picture, channels, ratio, accurate)
    if kind == "gif":
        if channels not in (0, 3):
            raise InvalidArgumentError(f"channels must be 0 or 3 for GIF, got {channels}")
        if getattr(picture, "n_frames", 1) > 1:
            raise InvalidArgumentError("Got more than one frame: decode_gif takes such pictures.")
        return np.asarray(loaded(picture).convert("RGB"))
    raise InvalidArgumentError(
        "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
        if kind != "bmp"
        else "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead."
    )


def _png_pixels(data: bytes, channels: int) -> Any:
    deep = of_16_bits(data) if len(data) > 32 else None
    if deep is not None:
        return _of_channels(deep, channels)
    picture = loaded(opened(data))
    if picture.mode.startswith("I"):
        return _of_channels(np.asarray(picture).astype(np.uint16)[..., None], channels)
    mode = picture.mode
    if mode == "1":
        picture = picture.convert("L")
    elif mode not in _MODES.values() or "transparency" in picture.info:
        clear = "transparency" in picture.info
        plain = "LA" if mode == "L" else "RGBA"
        picture = picture.convert(plain if clear else "RGB")
    found = np.asarray(picture)
    return _of_channels(found[..., None] if found.ndim == 2 else found, channels)


def _of_channels(pixels: Any, channels: int) -> Any:
    """Gray for colours, colours for gray; with or without how opaque they are."""
    have = pixels.shape[2]
    if channels in (0, have):
        return pixels
    full = np.iinfo(pixels.dtype).max
    colours, clear = pixels[..., : have - 1 + have % 2], have % 2 == 0
    if channels >= 3 and colours.shape[2] == 1:
        colours = np.repeat(colours, 3, 2)
    if channels <= 2 and colours.shape[2] == 3:
        weights = np.array([9798, 19235, 3735], np.int64)
        colours = (colours @ weights >> 15)[..., None].astype(pixels.dtype)
    if channels % 2:
        return colours
    opaque = pixels[..., -1:] if clear else np.full_like(pixels[..., :1], full)
    return np.concatenate([colours, opaque], 2)


def _jpeg_pixels(picture: Any, channels: int, ratio: int, accurate: bool) -> Any:
    if channels not in (0, 1, 3):
        raise InvalidArgumentError(f"channels must be 0, 1, 3 for JPEG, got {channels}")
    if ratio not in (1, 2, 4, 8):
        raise InvalidArgumentError(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    own = 1 if picture.mode == "L" else 3
    wanted = channels or own
    if ratio > 1 or (wanted == 1 and own == 3):
        size = tuple(-(-side // ratio) for side in picture.size)
        picture.draft("L" if wanted == 1 else "RGB", size)
    found = np.asarray(loaded(picture).convert(_MODES[wanted]))
    return found[..., None] if found.ndim == 2 else found


def _frames(data: bytes) -> Any:
    if kind_of(data) != "gif":
        found = _pixels(data, 3, 1, False, True)
        return found[None]
    picture = opened(data)
    frames = []
    for at in range(getattr(picture, "n_frames", 1)):
        picture.seek(at)
        frames.append(np.asarray(loaded(picture).convert("RGB")))
    return np.stack(frames)


def _decoded(
    _: Any,
    contents: Any,
    *,
    kind: str,
    channels: int,
    dtype: Any,
    ratio: int = 1,
    accurate: bool = False,
    fancy: bool = True,
    animated: bool = True,
) -> Any:
    data = _text(contents)
    found = kind_of(data)
    if not data:
        raise InvalidArgumentError("Input is empty.")
    if kind == "bmp" and found != "bmp":
        raise InvalidArgumentError("Not a BMP file: its first bytes are not BM")
    if found == "bmp" and kind in ("bmp", "image"):
        return _as(bmp_in(data, channels), dtype)
    if kind == "gif" or (kind == "image" and found == "gif"):
        if channels not in (0, 3):
            raise InvalidArgumentError(f"channels must be 0 or 3 for GIF, got {channels}")
        frames = _frames(data)
        return _as(frames if animated else frames[0], dtype)
    return _as(_pixels(data, channels, ratio, accurate, fancy), dtype)


def _as(pixels: Any, dtype: Any) -> Any:
    if pixels.dtype == dtype:
        return pixels
    if dtype == np.uint8:
        return (pixels >> 8).astype(np.uint8)
    return pixels.astype(np.uint16) * 257


def _decoded_form(xs: Any, attrs: Any) -> list[Any]:
    many = attrs["kind"] == "gif"
    if attrs["kind"] == "image" and attrs["animated"]:
        return [(None, attrs["dtype"])]
    channels = attrs["channels"] or None
    return [((None, None, None, 3) if many else (None, None, channels), attrs["dtype"])]


DECODE: Final = Row(
    "DecodeImage", _decoded, forms=_decoded_form, stateful=True, by_value=True, users=True
)


def _read(
    contents: Any, name: str | None, kind: str, channels: int, dtype: Any, **rest: Any
) -> Tensor:
    number = as_dtype(dtype)
    if number not in (uint8, uint16):
        raise InvalidArgumentError(
            f"Value for attr 'dtype' of {number.spoken} is not in the list of allowed values: uint8, uint16"
        )
    attrs = {"kind": kind, "channels": int(channels), "dtype": number.numpy_dtype, **rest}
    return apply(DECODE, [text_of(contents, "contents")], attrs, name)  # type: ignore[no-any-return]


def _checked(channels: int, allowed: tuple[int, ...], what: str) -> int:
    if channels not in allowed:
        raise InvalidArgumentError(
            f"channels must be {', '.join(map(str, allowed))} for {what}, got {channels}"
        )
    return channels


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """The pixels of a PNG, of shape (height, width, channels).

    >>> gray = tf.constant([[[0], [255]]], tf.uint8)
    >>> tf.io.decode_png(tf.io.encode_png(gray)).numpy().tolist()
    [[[0], [255]]]
    """
    return _read(contents, name, "png", _checked(channels, (0, 1, 3, 4), "PNG"), dtype)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG, of shape (height, width, channels).

    >>> picture = tf.io.encode_jpeg(tf.fill([8, 8, 3], np.uint8(200)))
    >>> tf.io.decode_jpeg(picture).shape
    TensorShape([8, 8, 3])
    """
    checked = _checked(channels, (0, 1, 3), "JPEG")
    accurate = dct_method == "INTEGER_ACCURATE"
    return _read(
        contents,
        name,
        "jpeg",
        checked,
        uint8,
        ratio=ratio,
        accurate=accurate,
        fancy=fancy_upscaling,
    )


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of a JPEG: from (y, x), so high and so wide.

    >>> picture = tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(picture, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])
    """
    whole = decode_jpeg(contents, channels, ratio, fancy_upscaling, dct_method=dct_method)
    return apply(CROP, [whole, convert(crop_window, int32)], {}, name)  # type: ignore[no-any-return]


def _cropped(_: Any, whole: Any, window: Any) -> Any:
    y, x, height, width = window.tolist()
    inside = 0 <= y < y + height <= whole.shape[0] and 0 <= x < x + width <= whole.shape[1]
    if not inside:
        raise InvalidArgumentError(
            f"Invalid crop window: x={x}, y={y}, w={width}, h={height} for image size "
            f"{whole.shape[1]}x{whole.shape[0]}"
        )
    return whole[y : y + height, x : x + width]


CROP: Final = Row(
    "CropDecoded",
    _cropped,
    forms=lambda xs, attrs: [((None, None, None), np.dtype(np.uint8))],
    stateful=True,
    by_value=True,
)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP, of shape (height, width, channels).

    >>> head = b"BM" + bytes(8) + bytes([54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0])
    >>> tf.io.decode_bmp(head + bytes(24) + bytes([3, 2, 1, 0])).numpy().tolist()
    [[[1, 2, 3]]]
    """
    return _read(contents, name, "bmp", _checked(channels, (0, 1, 3, 4), "BMP"), uint8)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of a GIF, of shape (frames, height, width, 3).

    >>> tf.io.decode_gif(tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))).shape
    TensorShape([1, 2, 3, 3])
    """
    return _read(contents, name, "gif", 0, uint8)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a picture in BMP, GIF, JPEG or PNG; a GIF has frames as a first axis.

    >>> picture = tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))
    >>> tf.io.decode_image(picture).shape
    TensorShape([2, 3, 1])
    """
    wanted = as_dtype(dtype)
    own = wanted if wanted in (uint8, uint16) else uint16
    rest = {"animated": bool(expand_animations)}
    found = _read(
        contents, name, "image", _checked(channels or 0, (0, 1, 3, 4), "pictures"), own, **rest
    )
    return found if wanted is own else convert_image_dtype(found, wanted)


# ---- writing ------------------------------------------------------------------------------------


def _png_kernel(_: Any, image: Any, *, compression: int) -> Any:
    if image.ndim < 3:
        raise InvalidArgumentError(f"image must be at least rank 3, got {list(image.shape)}")
    channels = image.shape[-1]
    if channels not in (1, 2, 3, 4):
        raise InvalidArgumentError(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    if not image.size:
        raise InvalidArgumentError("image cannot be empty")
    lead = image.shape[:-3]
    texts = np.empty(lead, object)
    for at in np.ndindex(lead):
        texts[at] = png_of(image[at], compression)
    return texts


ENCODE_PNG: Final = Row(
    "EncodePng",
    _png_kernel,
    forms=lambda xs, attrs: [
        (None if xs[0].shape.rank is None else tuple(xs[0]._array.shape)[:-3], _OBJECT)
    ],
    stateful=True,
)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Pixels of uint8 or uint16 with 1 to 4 channels as PNG.

    >>> tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)).numpy()[1:4]
    b'PNG'
    """
    pixels = convert(image, hint=uint8)
    if pixels.dtype not in (uint8, uint16):
        raise InvalidArgumentError(
            f"Value for attr 'T' of {pixels.dtype.spoken} is not in the list of allowed values: uint8, uint16 "
            "[Op:EncodePng]"
        )
    if not -1 <= compression <= 9:
        raise InvalidArgumentError(f"compression should be in [-1,9], got {compression}")
    return apply(ENCODE_PNG, [pixels], {"compression": int(compression)}, name)  # type: ignore[no-any-return]


def _jpeg_kernel(_: Any, image: Any, *, format: str, save: dict[str, Any], density: Any) -> Any:
    if image.ndim != 3:
        raise InvalidArgumentError(f"image must be 3-dimensional, got {list(image.shape)}")
    channels = image.shape[2]
    expected = {"grayscale": 1, "rgb": 3}.get(format, channels)
    if channels not in (1, 3) or channels != expected:
        raise InvalidArgumentError(
            f"image must have 1 or 3 channels, got {channels}"
            if not format
            else f"format '{format}' expects {expected} channels, got {channels}"
        )
    pixels = image[..., 0] if channels == 1 else image
    file = io.BytesIO()
    subsampling = {} if channels == 1 else {"subsampling": save["subsampling"]}
    rest = {k: v for k, v in save.items() if k != "subsampling"}
    pillow().fromarray(np.ascontiguousarray(pixels)).save(
        file, "JPEG", dpi=density, **rest, **subsampling
    )
    return np.array(file.getvalue(), object)


ENCODE_JPEG: Final = Row(
    "EncodeJpeg",
    _jpeg_kernel,
    forms=lambda xs, attrs: [((), _OBJECT)],
    stateful=True,
    users=True,
)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Pixels of uint8 with 1 or 3 channels as JPEG.

    >>> tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([2, 3, 1], tf.uint8))).numpy()
    np.True_
    """
    if not 0 <= quality <= 100:
        raise InvalidArgumentError(f"quality must be in [0,100], got {quality}")
    if format not in ("", "grayscale", "rgb"):
        raise InvalidArgumentError(
            f'Value for attr \'format\' of "{format}" is not in the list of allowed values: "", '
            '"grayscale", "rgb"'
        )
    unit = 1.0 if density_unit == "in" else 2.54
    save: dict[str, Any] = {
        "quality": int(quality),
        "progressive": bool(progressive),
        "optimize": bool(optimize_size),
        "subsampling": "4:2:0" if chroma_downsampling else "4:4:4",
    }
    if xmp_metadata:
        save["xmp"] = xmp_metadata.encode()
    attrs = {"format": format, "save": save, "density": (x_density * unit, y_density * unit)}
    return apply(ENCODE_JPEG, [convert(image, uint8)], attrs, name)  # type: ignore[no-any-return]


# ---- questions ----------------------------------------------------------------------------------

IS_JPEG: Final = Row(
    "IsJpeg",
    lambda _, x: each(x, lambda text: kind_of(text) == "jpeg", np.dtype(bool)),
    shape=lambda x: x,
    dtype=lambda x: np.dtype(bool),
    stateful=True,
)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    r"""Whether the bytes begin as those of a JPEG do.

    >>> tf.io.is_jpeg(b"\xff\xd8\xff\xe0").numpy()
    np.True_
    """
    return apply(IS_JPEG, [text_of(contents, "contents")], {}, name)  # type: ignore[no-any-return]


def _size_kernel(_: Any, contents: Any, *, dtype: Any) -> Any:
    data = _text(contents)
    if kind_of(data) != "jpeg":
        raise InvalidArgumentError("Invalid image data: it is no JPEG [Op:ExtractJpegShape]")
    picture = opened(data)
    return np.array([picture.size[1], picture.size[0], len(picture.getbands())], dtype)


JPEG_SHAPE: Final = Row(
    "ExtractJpegShape",
    _size_kernel,
    forms=lambda xs, attrs: [((3,), attrs["dtype"])],
    stateful=True,
    users=True,
)


def extract_jpeg_shape(contents: Any, output_type: Any = int32, name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG, without its pixels.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([2, 3, 1], tf.uint8))).numpy().tolist()
    [2, 3, 1]
    """
    attrs = {"dtype": as_dtype(output_type).numpy_dtype}
    return apply(JPEG_SHAPE, [text_of(contents, "contents")], attrs, name)  # type: ignore[no-any-return]
