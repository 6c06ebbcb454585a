"""tensorflow.python.lib.io.tf_record: records of a file one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from wengert.formats.compressed import opened
from wengert.formats.records import records_in


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file."""
    codec = options if isinstance(options, str) else getattr(options, "compression_type", "") or ""
    with opened(os.fspath(path), "rb", codec) as file:
        yield from records_in(file)
