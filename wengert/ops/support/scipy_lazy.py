"""What kernels borrow from SciPy, loaded when it is first needed: it takes longer than Wengert."""

from __future__ import annotations

import functools
from typing import Any

from wengert.host.locks import loaded


@functools.cache
def scipy_special() -> Any:
    return loaded("scipy.special")


@functools.cache
def scipy_linalg() -> Any:
    return loaded("scipy.linalg")


@functools.cache
def scipy_stats() -> Any:
    return loaded("scipy.stats")


@functools.cache
def scipy_sparse() -> Any:
    return loaded("scipy.sparse")
