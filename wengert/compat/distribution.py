"""TensorFlow as an installed package, while its import is redirected: libraries ask for its version first.

Loaded when something asks, which has `importlib.metadata` then: importing that takes 20 ms.
"""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path
from typing import Final

from wengert.compat import v1
from wengert.compat.standins import FOLDER

_METADATA: Final = f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {v1.VERSION}\n"


class TensorFlow(Distribution):
    """What is known of the package: its name and its version."""

    def read_text(self, filename: str) -> str | None:
        """Its metadata; of other files there are none."""
        return _METADATA if filename == "METADATA" else None

    def locate_file(self, path: object) -> Path:
        """Where a file would be."""
        return FOLDER / str(path)
