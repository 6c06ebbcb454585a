"""Summaries that a session runs: tf.compat.v1.summary."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from wengert.api.session.modes import name_scope
from wengert.api.variables.graph_variable import GraphKeys
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.formats.events import GRAPH, RUN_METADATA, SUMMARY, EventFile, event, summary
from wengert.formats.png import png
from wengert.formats.wire import Message
from wengert.saving.summaries.graphs import graph_message
from wengert.saving.summaries.kinds import _pixels, _plugin
from wengert.values.convert import convert
from wengert.values.dtypes import string
from wengert.values.tensor import Tensor

_SIMPLE, _IMAGE, _HISTOGRAM = 2, 4, 5  # fields of Summary.Value
_LARGEST: Final = 1e20
_SMALLEST: Final = 1e-12


def _text(data: bytes) -> Any:
    return np.array(data, object)


def _encoded(_: Any, *arrays: Any, encode: Any) -> Any:
    return _text(encode(*[np.asarray(a) for a in arrays]))


ENCODE: Final = Row(
    "EncodeSummary", _encoded, forms=lambda xs, attrs: [((), string.numpy_dtype)], users=True
)


def _made(
    name: str, tensors: Any, encode: Any, collections: Any, family: str | None = None
) -> Tensor:
    """A tensor of a graph, with a message Summary; it is noted in the collections."""
    around = f"{_cleaned(family)}/" if family else ""
    graph = current_graph()
    with name_scope(f"{around}{_cleaned(name)}") as scope:
        attrs = {"encode": functools.partial(encode, around + str(scope).rstrip("/"))}
        made: Tensor = apply(ENCODE, [convert(t) for t in tensors], attrs, scope)
    if graph is not None:
        graph.add_to_collections(
            [GraphKeys.SUMMARIES] if collections is None else collections, made
        )
    return made


def _cleaned(tag: str) -> str:
    """A tag as the name that its operation may have."""
    return re.sub(r"[^-/\w.]", "_", tag).lstrip("/")


def by_tag(encode: Any, tags: Any, values: Any) -> Tensor:
    """A summary whose tag is a tensor, as graphs from files have them: `scalars` or `distribution`."""
    made: Tensor = apply(ENCODE, [convert(tags, string), convert(values)], {"encode": encode})
    return made


def scalars(tags: Any, values: Any) -> bytes:
    """Numbers, each with its tag."""
    pairs = zip(tags.reshape(-1).tolist(), values.reshape(-1), strict=True)
    return b"".join(scalar_bytes(tag.decode(), np.asarray(value)) for tag, value in pairs)


def distribution(tag: Any, values: Any) -> bytes:
    """How values are distributed."""
    return _histogram(tag.item().decode(), values)


def _value(tag: str) -> Message:
    return Message().text(1, tag)


def _one(value: Message) -> bytes:
    return Message().message(1, value).done()


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of a number, as a string.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     len(session.run(tf.compat.v1.summary.merge_all()))
    13
    """
    return _made(name, [tensor], scalar_bytes, collections, family)


def scalar_bytes(tag: str, array: Any) -> bytes:
    """The summary of a number."""
    if array.size != 1:
        raise InvalidArgumentError(
            f"tags and values are not the same shape: [] != {array.shape} (tag '{tag}')"
        )
    return _one(_value(tag).float32(_SIMPLE, float(array.reshape(()))))


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of how values are distributed, as a string.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     len(session.run(tf.compat.v1.summary.histogram("h", [1.0, 2.0]))) > 0
    True
    """
    return _made(name, [values], _histogram, collections, family)


@functools.cache
def _limits() -> Any:
    """Ends of intervals that grow by a tenth each, below and above zero."""
    found = [_SMALLEST]
    while found[-1] < _LARGEST:
        found.append(found[-1] * 1.1)
    positive = np.array([*found[:-1], np.finfo(np.float64).max])
    return np.concatenate([-positive[::-1], [0.0], positive])


def _histogram(tag: str, array: Any) -> bytes:
    values = array.astype(np.float64).reshape(-1)
    if not np.isfinite(values).all():
        raise InvalidArgumentError(f"Nan in summary histogram for: {tag}")
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, values, side="right"), minlength=len(limits))
    used = np.flatnonzero(counts)
    kept = slice(max(used[0] - 1, 0), used[-1] + 1) if used.size else slice(0, 1)
    made = Message()
    numbers = (values.min(), values.max()) if values.size else (limits[-1], -limits[-1])
    for field, number in enumerate((*numbers, values.size, values.sum(), (values**2).sum()), 1):
        made.float64(field, float(number))
    made.array(6, limits[kept], "<f8").array(7, counts[kept], "<f8")
    return _one(_value(tag).message(_HISTOGRAM, made))


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """A summary of pictures, as a string.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     len(session.run(tf.compat.v1.summary.image("i", tf.zeros([1, 2, 2, 1])))) > 0
    True
    """
    return _made(name, [tensor], functools.partial(_images, max_outputs), collections, family)


def _images(most: int, tag: str, array: Any) -> bytes:
    made = Message()
    _, height, width, channels = array.shape
    for n, picture in enumerate(array[:most]):
        shown = Message().integer(1, height).integer(2, width).integer(3, channels)
        shown.data(4, png(_scaled(picture)))
        own = f"{tag}/image" if most == 1 else f"{tag}/image/{n}"
        made.message(1, _value(own).message(_IMAGE, shown))
    return made.done()


def _scaled(picture: Any) -> Any:
    """Floats so that the largest is white; with negative ones zero is grey."""
    if picture.dtype.kind != "f":
        return _pixels(picture)
    low, high = float(picture.min()), float(picture.max())
    if low < 0:
        scale = max(abs(low), abs(high))
        return np.clip(picture * (127.0 / scale) + 128.0, 0, 255).astype(np.uint8)
    return (picture * (255.0 / high if high else 0.0)).astype(np.uint8)


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """A summary of text, as a string.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     b"hello" in session.run(tf.compat.v1.summary.text("t", tf.constant("hello")))
    True
    """
    return _made(name, [tensor], _of_text, collections)


def _of_text(tag: str, array: Any) -> bytes:
    return summary(tag, np.asarray(array), _plugin("text", None).done()).done()


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary of a tensor, as a string.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     len(session.run(tf.compat.v1.summary.tensor_summary("t", [1.0]))) > 0
    True
    """
    about = None if summary_metadata is None else summary_metadata.SerializeToString()
    return _made(
        name, [tensor], lambda tag, array: summary(tag, array, about).done(), collections, family
    )


def merge(inputs: Iterable[Any], collections: Any = None, name: str | None = None) -> Tensor:
    """Several summaries as one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v1 = tf.compat.v1.summary
    ...     len(session.run(v1.merge([v1.scalar("a", 1.0), v1.scalar("b", 2.0)])))
    20
    """
    graph = current_graph()
    attrs = {"encode": _merged}
    with name_scope(name or "Merge"):
        given = [convert(x) for x in inputs]
        made: Tensor = apply(ENCODE, given, attrs, name or "MergeSummary")
    if graph is not None and collections:
        graph.add_to_collections(collections, made)
    return made


def _merged(*arrays: Any) -> bytes:
    return b"".join(
        [part for array in arrays for part in np.asarray(array, object).reshape(-1).tolist()]
    )


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Any:
    """All summaries of the graph as one; None if there are none.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.merge_all() is None
    True
    """
    graph = current_graph()
    found = [] if graph is None else graph.get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


class FileWriter:
    """Writes summaries that a session ran into a file of events.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), session.graph) as writer:
    ...         writer.add_summary(session.run(loss), global_step=1)
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._folder = str(logdir)
        self._options = max_queue, flush_secs, filename_suffix or ""
        self._file = EventFile(self._folder, *self._options)
        self._closed = False
        if graph is not None:
            self.add_graph(graph)
        elif graph_def is not None:
            self._add(GRAPH, graph_def.SerializeToString(), 0)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add(self, field: int, data: bytes, step: Any) -> None:
        if self._closed:
            raise ValueError("Attempting to use a closed FileWriter.")
        self._file.add(event(field, data, 0 if step is None else int(np.asarray(step))))

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a message Summary, or its bytes."""
        if hasattr(summary, "SerializeToString"):
            summary = summary.SerializeToString()
        self._add(SUMMARY, bytes(np.asarray(summary, object).item()), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph."""
        self._add(GRAPH, graph_message(graph).done(), global_step)

    def add_event(self, event: Any) -> None:
        """Write a message Event."""
        self._file.add(event.SerializeToString())

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write what a session told of a run."""
        data = (
            run_metadata.SerializeToString() if hasattr(run_metadata, "SerializeToString") else b""
        )
        self._add(RUN_METADATA, Message().text(1, tag).data(2, data).done(), global_step)

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def flush(self) -> None:
        """Write what waits in memory."""
        self._file.flush()

    def close(self) -> None:
        """Write what waits; nothing can be written after, unless it is opened again."""
        self._file.flush()
        self._closed = True

    def reopen(self) -> None:
        """Go on in a new file."""
        if self._closed:
            self._file = EventFile(self._folder, *self._options)
            self._closed = False
