"""tf.compat.v1.test: tests, and gradient checks in graphs."""

import atexit as _atexit
import functools as _functools
import os as _os
import shutil as _shutil
import sys as _sys
import tempfile as _tempfile
from typing import Any as _Any
from unittest import mock

from wengert import test as _test
from wengert.api.gradients.gradient_checker import (
    compute_gradient_error_of_graph as compute_gradient_error,
)
from wengert.api.gradients.gradient_checker import compute_gradient_of_graph as compute_gradient

__all__ = [
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "mock",
    "test_src_dir_path",
]


@_functools.cache
def get_temp_dir() -> str:
    """A temporary folder for files of tests: the same for the whole process, removed when it ends.

    >>> import os
    >>> os.path.isdir(tf.compat.v1.test.get_temp_dir())
    True
    """
    # Never the folder that all programs share: tests empty and remove what they are given.
    folder = _tempfile.mkdtemp(prefix="wengert-test-")
    _atexit.register(_shutil.rmtree, folder, ignore_errors=True)
    return folder


def test_src_dir_path(relative_path: str) -> str:
    """A path relative to the running program.

    >>> tf.compat.v1.test.test_src_dir_path("data").endswith("data")
    True
    """
    return _os.path.join(_os.path.dirname(_os.path.abspath(_sys.argv[0])), relative_path)


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_test, name)
