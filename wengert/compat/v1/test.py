"""tf.compat.v1.test: tests, and gradient checks in graphs."""

import os as _os
import sys as _sys
from typing import Any as _Any
from unittest import mock

from wengert import test as _test
from wengert.api.gradients.gradient_checker import (
    compute_gradient_error_of_graph as compute_gradient_error,
)
from wengert.api.gradients.gradient_checker import compute_gradient_of_graph as compute_gradient
from wengert.testing.folder import get_temp_dir

__all__ = [
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "mock",
    "test_src_dir_path",
]


def test_src_dir_path(relative_path: str) -> str:
    """A path relative to the running program.

    >>> tf.compat.v1.test.test_src_dir_path("data").endswith("data")
    True
    """
    return _os.path.join(_os.path.dirname(_os.path.abspath(_sys.argv[0])), relative_path)


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_test, name)
