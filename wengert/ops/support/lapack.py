"""The linear algebra of NumPy and of SciPy, with as many threads as the machine has to spare.

Each has a copy of OpenBLAS of its own, whose threads wait for each other.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wengert.host.locks import load_module
from wengert.host.parallel import mind_the_load, mind_the_load_of


def numpy_linalg() -> Any:
    """The module numpy.linalg."""
    mind_the_load()
    return np.linalg


def scipy_linalg() -> Any:
    """The module scipy.linalg, loaded at the first call."""
    mind_the_load()
    return _scipy_linalg()


@functools.cache
def _scipy_linalg() -> Any:
    found = load_module("scipy.linalg")
    mind_the_load_of(load_module("scipy"))
    return found
