"""The events of a file: tf.compat.v1.train.summary_iterator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wengert.errors import DataLossError
from wengert.formats.protos import decode_error, message
from wengert.formats.records import named_records
from wengert.host.files import errors_of_files
from wengert.io.paths import path_of


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of a file, as messages Event; a damaged one is an error that names the record.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     written = tf.summary.scalar("loss", 0.5, step=3)
    ...     tf.summary.flush()
    >>> file = tf.io.gfile.glob(f"{folder}/*")[0]
    >>> [(event.step, v.tag) for event in tf.compat.v1.train.summary_iterator(file)
    ...  for v in event.summary.value]
    [(3, 'loss')]
    """
    kind, name = message("Event"), path_of(path)
    with errors_of_files():
        file = open(name, "rb")  # noqa: SIM115  # closed below
    with file:
        for number, data in enumerate(named_records(file, name)):
            try:
                yield kind.FromString(data)
            except decode_error() as error:
                raise DataLossError(f"{name}, record {number}: {error}") from None
