"""tensorflow.python.platform.resource_loader: files next to the program."""

from __future__ import annotations

import os

from wengert.host.user_frames import callers_frame


def get_data_files_path() -> str:
    """The folder of the calling file."""
    return os.path.dirname(os.path.abspath(callers_frame().f_code.co_filename))


def get_path_to_datafile(path: str) -> str:
    """The path of a file in that folder."""
    return os.path.join(get_data_files_path(), path)
