"""The formats of pictures: PNG is written, and BMP read, here; the rest is done by Pillow."""

from __future__ import annotations

import importlib
import io
import struct
import warnings
import zlib
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_BEGINNINGS: Final = {b"\xff\xd8\xff": "jpeg", _PNG: "png", b"GIF8": "gif", b"BM": "bmp"}


def kind_of(data: bytes) -> str:
    """The format of a picture, by its first bytes."""
    return next((kind for begin, kind in _BEGINNINGS.items() if data.startswith(begin)), "")


def pillow() -> Any:
    """The package Pillow."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            "Pictures in PNG, JPEG and GIF are read by the package Pillow: pip install 'wengert[images]'."
        ) from error


def opened(data: bytes) -> Any:
    """A picture, as Pillow has it."""
    library = pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            picture = library.open(io.BytesIO(data))
    except library.UnidentifiedImageError:
        raise InvalidArgumentError(
            "Unknown image file format. One of JPEG, PNG, GIF, BMP required: the data begin with "
            f"{data[:8]!r}."
        ) from None
    except Exception as error:  # noqa: BLE001  # of any kind: the data are damaged
        raise _damaged(error) from None
    return picture


def loaded(picture: Any) -> Any:
    """The picture with its pixels."""
    try:
        picture.load()
    except Exception as error:  # noqa: BLE001
        raise _damaged(error) from None
    return picture


def _damaged(error: Exception) -> InvalidArgumentError:
    return InvalidArgumentError(f"Invalid image data: {error}")


# ---- PNG ----------------------------------------------------------------------------------------


def png_of(image: Any, compression: int) -> bytes:
    """An array of shape (height, width, channels) as PNG."""
    height, width, channels = image.shape
    depth = image.dtype.itemsize * 8
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = np.ascontiguousarray(image.astype(image.dtype.newbyteorder(">")))
    lines = rows.view(np.uint8).reshape(height, -1)
    plain = np.concatenate([np.zeros((height, 1), np.uint8), lines], 1).tobytes()
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"".join(
        [
            _PNG,
            _chunk(b"IHDR", head),
            _chunk(b"IDAT", zlib.compress(plain, compression)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def of_16_bits(data: bytes) -> Any:
    """The pixels of a PNG with 16 bits for each of several channels, which Pillow would cut; None for others."""
    width, height, depth, kind, _, _, laced = struct.unpack(">IIBBBBB", data[16:29])
    if depth != 16 or laced or kind not in (2, 4, 6):
        return None
    channels = {2: 3, 4: 2, 6: 4}[kind]
    try:
        plain = zlib.decompress(b"".join(_parts(data)))
        lines = np.frombuffer(plain, np.uint8).reshape(height, -1)
    except (zlib.error, ValueError, struct.error) as error:
        raise _damaged(error) from None
    step, before, rows = 2 * channels, bytes(2 * channels * width), []
    for line in lines:
        before = _unfiltered(int(line[0]), bytearray(line[1:].tobytes()), before, step)
        rows.append(before)
    found = np.frombuffer(b"".join(rows), ">u2").reshape(height, width, channels)
    return found.astype(np.uint16)


def _parts(data: bytes) -> Any:
    at = 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        if name == b"IDAT":
            yield data[at + 8 : at + 8 + size]
        at += size + 12


def _unfiltered(kind: int, line: bytearray, above: bytes, step: int) -> bytes:
    """A line of which a filter kept the differences."""
    for at in range(len(line)):
        left = line[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        guess = (0, left, above[at], left + above[at] >> 1, _nearest(left, above[at], corner))[kind]
        line[at] = line[at] + guess & 255
    return bytes(line)


def _nearest(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


# ---- BMP ----------------------------------------------------------------------------------------


def bmp_in(data: bytes, channels: int) -> Any:
    """The pixels of a BMP of 8, 24 or 32 bits without compression."""
    if len(data) < 32:
        raise InvalidArgumentError(
            f"Incomplete bmp content, requires at least 32 bytes, got {len(data)}"
        )
    begin, size, width, height = (
        struct.unpack("<i", data[10:14])[0],
        *struct.unpack("<Iii", data[14:26]),
    )
    bits = struct.unpack("<H", data[28:30])[0]
    found = bits // 8
    if size < 16 or bits not in (8, 24, 32):
        raise InvalidArgumentError(f"Number of channels must be 1, 3 or 4, was {found}")
    if channels not in (0, found):
        raise InvalidArgumentError(
            f"channels attribute {channels} does not match bits per pixel from file {found}"
        )
    line = (width * found + 3) // 4 * 4
    rows = abs(height)
    if width <= 0 or not rows or begin < 0 or len(data) < begin + line * (rows - 1) + width * found:
        raise InvalidArgumentError(
            f"Incomplete bmp content, requires at least {begin + line * rows} bytes, got {len(data)}"
        )
    body = np.frombuffer(data[begin : begin + line * rows].ljust(line * rows, b"\0"), np.uint8)
    pixels = body.reshape(rows, line)[:, : width * found].reshape(rows, width, found)
    pixels = pixels[::-1] if height > 0 else pixels
    return np.ascontiguousarray(pixels[..., [2, 1, 0, 3][:found]] if found > 1 else pixels)
