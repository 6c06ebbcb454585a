"""Lazy imports of SciPy, which takes longer to load than Wengert."""

from __future__ import annotations

import functools
from typing import Any

from wengert.host.locks import load_module


@functools.cache
def scipy_special() -> Any:
    """The module scipy.special."""
    return load_module("scipy.special")


@functools.cache
def scipy_stats() -> Any:
    """The module scipy.stats."""
    return load_module("scipy.stats")


@functools.cache
def scipy_sparse() -> Any:
    """The module scipy.sparse."""
    return load_module("scipy.sparse")
