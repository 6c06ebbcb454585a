"""tensorflow.python.platform.resource_loader: files beside the program."""

from __future__ import annotations

import os

from wengert.host.user_frames import callers_frame


def get_data_files_path() -> str:
    """The folder of the file that asks."""
    return os.path.dirname(os.path.abspath(callers_frame().f_code.co_filename))


def get_path_to_datafile(path: str) -> str:
    """A file in there."""
    return os.path.join(get_data_files_path(), path)
