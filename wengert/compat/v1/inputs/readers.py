"""tf.compat.v1.TextLineReader and its kin: records of the files that a queue names."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from wengert.compat.v1.queues.queue import QueueBase
from wengert.compat.v1.queues.waiting import Waiting
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError, UnimplementedError, of_os_error
from wengert.formats.compressed import opened
from wengert.formats.lines import lines_of
from wengert.formats.records import records_in
from wengert.io.records import TFRecordOptions
from wengert.state.cell import Resource, resource
from wengert.values.convert import convert
from wengert.values.dtypes import RESOURCE, int64, string

Record = tuple[bytes, bytes]  # key and value
_RECORD_FRAME = 16  # bytes: a length, and two checksums


class ReadRecord(NamedTuple):
    """A record and where it is from."""

    key: Any
    value: Any


class Reading(Resource):
    """What a session keeps of a reader: the file that it reads, and how far it came."""

    def __init__(self, records_of: Callable[[bytes], Iterator[Record]]) -> None:
        self._records_of = records_of
        self._alone = (
            threading.Lock()
        )  # not `_lock`: plans would hold it while they wait for a queue
        self.reset()

    def reset(self) -> None:
        """Begin again."""
        self._now: Iterator[Record] | None = None
        self.produced = self.completed = 0

    def read(self, queue: Waiting, count: int) -> list[Record]:
        """So many records; fewer where a file ends."""
        with self._alone:
            found: list[Record] = []
            while not found:
                if self._now is None:
                    ((name,),) = queue.take(1, fewer=False)
                    self._now = self._records_of(name.item())
                found = list(itertools.islice(self._now, count))
                if len(found) < count or self._ends_with_the_last():
                    self._now = None
                    self.completed += 1
            self.produced += len(found)
            return found

    def _ends_with_the_last(self) -> bool:
        return isinstance(self._now, _OneRecord)


class _OneRecord:
    """The single record of a work unit, which is complete with it."""

    def __init__(self, record: Record) -> None:
        self._left = iter([record])

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        return next(self._left)


# ---- rows -----------------------------------------------------------------------------------------


def _row(name: str, kernel: Any, forms: Any) -> Row:
    return Row(name, kernel, forms=forms, many=True, stateful=True, effects=True)


def _texts(values: list[bytes]) -> Any:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _read(_: Any, reading: Reading, queue: Waiting) -> list[Any]:
    ((key, value),) = reading.read(queue, 1)
    return [_texts([text]).reshape(()) for text in (key, value)]


def _read_up_to(_: Any, reading: Reading, queue: Waiting, count: Any) -> list[Any]:
    found = reading.read(queue, int(count))
    return [_texts([record[k] for record in found]) for k in (0, 1)]


def _number(name: str, number: Callable[[Reading], int]) -> Row:
    return _row(
        name,
        lambda _, reading: [np.array(number(reading), np.int64)],
        lambda xs, attrs: [((), int64.numpy_dtype)],
    )


def _reset(_: Any, reading: Reading) -> list[Any]:
    reading.reset()
    return []


READ = _row("ReaderReadV2", _read, lambda xs, attrs: [((), string.numpy_dtype)] * 2)
READ_UP_TO = _row(
    "ReaderReadUpToV2", _read_up_to, lambda xs, attrs: [((None,), string.numpy_dtype)] * 2
)
PRODUCED = _number("ReaderNumRecordsProducedV2", lambda reading: reading.produced)
COMPLETED = _number("ReaderNumWorkUnitsCompletedV2", lambda reading: reading.completed)
RESET = _row("ReaderResetV2", _reset, lambda xs, attrs: [])


def _none_here(_: Any, **__: Any) -> Any:
    raise TypeError("A reader stands in a graph; a session brings what it reads.")


def _handle(name: str) -> Row:
    resource(name, lambda op: Reading(op.attrs["reader"]._records))
    return Row(name, _none_here, forms=lambda xs, attrs: [((), RESOURCE)])


# ---- readers --------------------------------------------------------------------------------------


class ReaderBase:
    """What all readers have: operations that read the next records of the files that a queue names."""

    _handle_row: ClassVar[Row]

    def __init__(self, name: str | None = None) -> None:
        graph = current_graph()
        if graph is None:
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        self._graph = graph
        self._handle = graph.add(
            self._handle_row, (), {"reader": self}, name or self._handle_row.name
        ).outputs[0]

    def _records(self, name: bytes) -> Iterator[Record]:
        raise NotImplementedError

    @property
    def reader_ref(self) -> Any:
        """What stands for the reader in its graph."""
        return self._handle

    def read(self, queue: Any, name: str | None = None) -> ReadRecord:
        """The next record, and where it is from; the queue is asked for a file when one is at its end."""
        return ReadRecord(*apply(READ, [self._handle, _ref(queue)], {}, name))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> ReadRecord:
        """So many records, fewer at the end of a file."""
        given = [self._handle, _ref(queue), convert(num_records, int64)]
        return ReadRecord(*apply(READ_UP_TO, given, {}, name))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records were read."""
        return apply(PRODUCED, [self._handle], {}, name)[0]

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files were read to their ends."""
        return apply(COMPLETED, [self._handle], {}, name)[0]

    def reset(self, name: str | None = None) -> Any:
        """An operation after which reading begins again, with the next file of the queue."""
        apply(RESET, [self._handle], {}, name)
        return self._graph.operations[-1]

    def serialize_state(self, name: str | None = None) -> Any:
        """The state as a string: not of these readers."""
        raise UnimplementedError(
            "Reader SerializeState: save how far training came with a checkpoint of a tf.data iterator."
        )

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Go on from a state: not of these readers."""
        return self.serialize_state(name)

    @property
    def supports_serialize(self) -> bool:
        """Whether the state can be a string."""
        return False


def _ref(queue: Any) -> Any:
    return queue.queue_ref if isinstance(queue, QueueBase) else queue


def _opened(name: bytes, codec: str = "") -> Any:
    try:
        return opened(os.fsdecode(name), "rb", codec)
    except OSError as error:
        raise of_os_error(error) from error


class TextLineReader(ReaderBase):
    """The lines of text files, without their ends; keys are file:line."""

    _handle_row = _handle("TextLineReaderV2")

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        self._skipped = skip_header_lines or 0
        super().__init__(name)

    def _records(self, name: bytes) -> Iterator[Record]:
        _opened(name).close()  # says what is wrong with the file
        for number, line in enumerate(lines_of(os.fsdecode(name)), 1):
            if number > self._skipped:
                yield b"%s:%d" % (name, number), line


class WholeFileReader(ReaderBase):
    """Whole files; keys are their names."""

    _handle_row = _handle("WholeFileReaderV2")
    supports_serialize = True

    def _records(self, name: bytes) -> Iterator[Record]:
        with _opened(name) as file:
            return _OneRecord((name, file.read()))


class IdentityReader(ReaderBase):
    """What the queue holds, as key and as value."""

    _handle_row = _handle("IdentityReaderV2")
    supports_serialize = True

    def _records(self, name: bytes) -> Iterator[Record]:
        return _OneRecord((name, name))


class TFRecordReader(ReaderBase):
    """The records of TFRecord files; keys are file:place."""

    _handle_row = _handle("TFRecordReaderV2")

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        self._codec = TFRecordOptions.get_compression_type_string(options)
        super().__init__(name)

    def _records(self, name: bytes) -> Iterator[Record]:
        at = 0
        with _opened(name, self._codec) as file:
            for record in records_in(file):
                yield b"%s:%d" % (name, at), record
                at += len(record) + _RECORD_FRAME


class FixedLengthRecordReader(ReaderBase):
    """Pieces of one length, every `hop_bytes` (that length unless given); keys are file:number."""

    _handle_row = _handle("FixedLengthRecordReaderV2")

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        self._length, self._hop = record_bytes, hop_bytes or record_bytes
        self._ends = header_bytes or 0, footer_bytes or 0
        self._codec = encoding or ""
        if record_bytes <= 0:
            raise InvalidArgumentError(f"record_bytes must be > 0, got {record_bytes}")
        super().__init__(name)

    def _records(self, name: bytes) -> Iterator[Record]:
        head, foot = self._ends
        with _opened(name, self._codec) as file:
            data = file.read()
        last = len(data) - foot - self._length
        for number, at in enumerate(range(head, last + 1, self._hop)):
            yield b"%s:%d" % (name, number), data[at : at + self._length]


class LMDBReader(ReaderBase):
    """Records of LMDB: not here."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        raise UnimplementedError(
            "LMDBReader: LMDB is not read here; the package lmdb reads it, and "
            "tf.data.Dataset.from_generator takes its records."
        )
