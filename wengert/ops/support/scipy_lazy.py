"""Lazy imports of SciPy, which takes longer to load than Wengert, and linear algebra beside other programs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from wengert.host.locks import load_module
from wengert.host.parallel import mind_the_load, mind_the_load_of


@functools.cache
def scipy_special() -> Any:
    """The module scipy.special."""
    return load_module("scipy.special")


def scipy_linalg() -> Any:
    """The module scipy.linalg, with as many threads as the machine has to spare."""
    mind_the_load()
    return _scipy_linalg()


@functools.cache
def _scipy_linalg() -> Any:
    found = load_module("scipy.linalg")
    mind_the_load_of(load_module("scipy"))
    return found


def numpy_linalg() -> Any:
    """NumPy's linear algebra, likewise."""
    mind_the_load()
    return np.linalg


@functools.cache
def scipy_stats() -> Any:
    """The module scipy.stats."""
    return load_module("scipy.stats")


@functools.cache
def scipy_sparse() -> Any:
    """The module scipy.sparse."""
    return load_module("scipy.sparse")
