"""What kernels borrow from SciPy, loaded when it is first needed: it takes longer than Wengert."""

from __future__ import annotations

import functools
from typing import Any

from wengert.host.locks import load_module


@functools.cache
def scipy_special() -> Any:
    return load_module("scipy.special")


@functools.cache
def scipy_linalg() -> Any:
    return load_module("scipy.linalg")


@functools.cache
def scipy_stats() -> Any:
    return load_module("scipy.stats")


@functools.cache
def scipy_sparse() -> Any:
    return load_module("scipy.sparse")
