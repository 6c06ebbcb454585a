"""Scalars, histograms, images, sounds, texts and tensors, as TensorBoard shows them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.core.context import activate, current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.formats.events import SUMMARY, event, metadata, summary
from wengert.formats.png import png
from wengert.saving.summaries.current import condition_now, current, summary_scope
from wengert.values.convert import convert
from wengert.values.dtypes import bool_, int64, string
from wengert.values.tensor import Tensor

Encoder = Callable[[Any], Any]
_BUCKETS: Final = 30
_WAV: Final = b"\x10\x0b"  # AudioPluginData: the encoding is WAV
_LOUDEST: Final = 32767


def _write(
    _: Any, on: Any, step: Any, data: Any, *, encode: Encoder, tag: str, about: Any, writer: Any
) -> Any:
    if not np.asarray(on).item():
        return np.array(False)
    message = summary(tag, np.asarray(encode(np.asarray(data))), about)
    writer.add(event(SUMMARY, message.done(), int(step)))
    return np.array(True)


WRITE: Final = Row(
    "WriteSummary",
    _write,
    forms=lambda xs, attrs: [((), bool_.numpy_dtype)],
    stateful=True,
    effects=True,
    users=True,
)


def written(tag: str, data: Any, step: Any, encode: Encoder, about: Any) -> Tensor:
    """Give a tensor to the writer in force; whether it is recorded."""
    on = condition_now()
    if on is False or current.writer is None:
        return convert(False)
    step = current.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    step = convert(step() if callable(step) and not isinstance(step, Tensor) else step)
    attrs = {
        "encode": encode,
        "tag": tag,
        "about": None if about is None else about.done(),
        "writer": current.writer,
    }
    made: Tensor = apply(WRITE, [convert(on, bool_), _whole(step), convert(data)], attrs)
    return made


def _whole(step: Any) -> Tensor:
    if not step.dtype.is_integer:
        raise InvalidArgumentError(f"The step of a summary is an integer, not {step.dtype.name}.")
    return (
        step if current_graph() is not None else convert(np.asarray(step).astype(np.int64), int64)
    )


def _plugin(name: str, description: str | None, content: bytes = b"") -> Any:
    return metadata(name, content, description=description or "")


def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Write a tensor under a tag, with SummaryMetadata for a plug-in of TensorBoard.

    >>> tf.summary.write("x", [1.0, 2.0], step=1).numpy()
    np.False_
    """
    with summary_scope(name or "write_summary"):
        if condition_now() is False:
            return convert(False)
        about = None if metadata is None else _Bytes(metadata)
        data = tensor() if callable(tensor) and not isinstance(tensor, Tensor) else tensor
        return written(tag, data, step, _same, about)


class _Bytes:
    """A message of the package protobuf, or its bytes."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def done(self) -> bytes:
        """The message."""
        value = self._value
        data: bytes = value if isinstance(value, bytes) else value.SerializeToString()
        return data


def _same(array: Any) -> Any:
    return array


# ---- scalars, texts -----------------------------------------------------------------------------


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.scalar("loss", 0.25, step=3).numpy()
    np.True_
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        if condition_now() is False:
            return convert(False)
        return written(tag, data, step, _as_scalar, _plugin("scalars", description))


def _as_scalar(array: Any) -> Any:
    if array.shape != ():
        raise InvalidArgumentError(f"A scalar summary has one number, not shape {array.shape}.")
    return array.astype(np.float32)


def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write text, which is shown as Markdown.

    >>> tf.summary.text("note", "begun", step=0).numpy()
    np.False_
    """
    with summary_scope(name, "text_summary") as (tag, _):
        if condition_now() is False:
            return convert(False)
        tensor = convert(data)
        if tensor.dtype is not string:
            raise InvalidArgumentError(f"A text summary has strings, not {tensor.dtype.name}.")
        return written(tag, tensor, step, _same, _plugin("text", description))


# ---- histograms ---------------------------------------------------------------------------------


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Write how often values lie in each of some intervals.

    >>> tf.summary.histogram("weights", [1.0, 2.0, 2.0], step=0).numpy()
    np.False_
    """
    count = _BUCKETS if buckets is None else int(buckets)
    with summary_scope(name, "histogram_summary") as (tag, _):
        if condition_now() is False:
            return convert(False)
        about = _plugin("histograms", description)
        return written(tag, data, step, lambda array: counted(array, count), about)


def counted(array: Any, count: int) -> Any:
    """Rows of left end, right end and number of values.

    >>> counted(np.array([1.0, 2.0, 5.0]), 2).tolist()
    [[1.0, 3.0, 2.0], [3.0, 5.0, 1.0]]
    """
    values = array.astype(np.float64).reshape(-1)
    found = np.zeros((count, 3))
    if not values.size or not count:
        return found
    low, high = values.min(), values.max()
    if low == high:
        found[:, :2] = low
        found[-1, 2] = values.size
        return found
    edges = np.linspace(low, high, count + 1)
    places = np.minimum(((values - low) / ((high - low) / count)).astype(int), count - 1)
    found[:, 0], found[:, 1] = edges[:-1], edges[1:]
    found[:, 2] = np.bincount(places, minlength=count)
    return found


# ---- images, sounds -----------------------------------------------------------------------------


def image(
    name: str,
    data: Any,
    step: Any = None,
    max_outputs: Any = 3,
    description: str | None = None,
) -> Tensor:
    """Write pictures of one to four channels: of uint8, uint16, or of floats between 0 and 1.

    >>> tf.summary.image("digits", tf.zeros([1, 2, 2, 1]), step=0).numpy()
    np.False_
    """
    most = int(np.asarray(max_outputs))
    with summary_scope(name, "image_summary") as (tag, _):
        if condition_now() is False:
            return convert(False)
        about = _plugin("images", description)
        return written(tag, data, step, lambda array: _pictures(array, most), about)


def _pictures(array: Any, most: int) -> Any:
    """Width, height, and the pictures as PNG."""
    if array.ndim != 4 or array.shape[3] not in (1, 2, 3, 4):
        raise InvalidArgumentError(
            f"An image summary has the shape [count, height, width, 1 to 4 channels], not {array.shape}."
        )
    _, height, width, _ = array.shape
    texts = [str(width).encode(), str(height).encode()]
    return _strings(texts + [png(_pixels(picture)) for picture in array[:most]])


def _pixels(picture: Any) -> Any:
    if picture.dtype.kind == "f" or picture.dtype.kind == "V":
        return (np.clip(picture.astype(np.float64), 0.0, 1.0) * 255.5).astype(np.uint8)
    if picture.dtype == np.uint16:
        return picture
    return np.clip(picture, 0, 255).astype(np.uint8)


def _strings(values: list[bytes]) -> Any:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write sounds of shape [count, frames, channels] with values between -1 and 1, as WAV.

    >>> tf.summary.audio("tone", tf.zeros([1, 8, 1]), 8000, step=0).numpy()
    np.False_
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    most, rate = int(np.asarray(max_outputs)), int(np.asarray(sample_rate))
    with summary_scope(name, "audio_summary") as (tag, _):
        if condition_now() is False:
            return convert(False)
        about = _plugin("audio", description, _WAV)
        return written(tag, data, step, lambda array: _sounds(array, most, rate), about)


def _sounds(array: Any, most: int, rate: int) -> Any:
    if array.ndim != 3:
        raise InvalidArgumentError(
            f"An audio summary has the shape [count, frames, channels], not {array.shape}."
        )
    made = [part for clip in array[:most] for part in (_wav(clip, rate), b"")]
    return _strings(made).reshape(-1, 2)


def _wav(clip: Any, rate: int) -> bytes:
    channels = clip.shape[1]
    data = np.rint(np.clip(clip, -1.0, 1.0) * _LOUDEST).astype("<i2").tobytes()
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    body = (
        b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    )
    return bytes(b"RIFF" + struct.pack("<I", len(body)) + body)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Write a message Summary that is there already, as bytes.

    >>> tf.summary.experimental.write_raw_pb(b"", step=0).numpy()
    np.False_
    """
    if not condition_now() or current.writer is None:
        return convert(False)
    step = current.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    with activate((), None):
        data = tensor if isinstance(tensor, bytes) else np.asarray(tensor).item()
        current.writer.add(event(SUMMARY, data, int(np.asarray(step))))
    return convert(True)
