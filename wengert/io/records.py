"""TFRecord files: records one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from wengert.errors import FailedPreconditionError
from wengert.formats.compressed import opened
from wengert.formats.records import named_records, record
from wengert.host.files import errors_of_files
from wengert.io.paths import path_of


class TFRecordCompressionType:
    """How a file of records is compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_TEXTS = {TFRecordCompressionType.NONE: "", TFRecordCompressionType.ZLIB: "ZLIB",
          TFRecordCompressionType.GZIP: "GZIP"}  # fmt: skip


class TFRecordOptions:
    """How a file of records is written and read.

    >>> tf.io.TFRecordOptions(compression_type="GZIP").compression_type
    'GZIP'
    """

    compression_type_map = _TEXTS

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)  # checks it
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The kind of compression as text, of options, a number or a text."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in _TEXTS:
            return _TEXTS[options]
        if options in _TEXTS.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')


class TFRecordWriter:
    """Writes a file of records.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._path = path_of(path)
        codec = TFRecordOptions.get_compression_type_string(options)
        with errors_of_files():
            self._file: IO[bytes] | None = opened(self._path, "wb", codec)

    def write(self, record: Any) -> None:
        """Add a record, which is bytes."""
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"A record is bytes, got {record!r}: message.SerializeToString() gives some."
            )
        if self._file is None:
            raise FailedPreconditionError("Writer not initialized or previously closed")
        with errors_of_files():
            self._file.write(_record(bytes(record)))

    def flush(self) -> None:
        """Write what is waiting."""
        if self._file is None:
            raise FailedPreconditionError("Writer not initialized or previously closed")
        with errors_of_files():
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with errors_of_files():
                self._file.close()
            self._file = None

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


_record = record


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tf.compat.v1.python_io.tf_record_iterator(path))
    [b'one']
    """
    name, codec = path_of(path), TFRecordOptions.get_compression_type_string(options)
    with errors_of_files():
        file = opened(name, "rb", codec)
    with file:
        yield from named_records(file, name)
