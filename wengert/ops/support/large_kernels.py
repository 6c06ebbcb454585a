"""Machine code for large arrays outside of compiled plans, where there is some.

NumPy computes with one pass on one processor for each of its functions. Kernels of the native
engine whose sizes are arguments take one pass for all, on all processors. They are compiled when
they are first needed and kept on disk. Where they do not fit, or nothing compiles, it is NumPy's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

from wengert.core.row import Attrs, Row
from wengert.engines.select import Settings
from wengert.host.locks import load_module


def elementwise_kernel(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """`large` of elementwise rows: one loop, however many functions of NumPy the kernel calls."""
    return large_kernel("elementwise", "applied", row, arrays, attrs)


def in_rows(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """`large` of reductions: of the last axes, in one loop."""
    return large_kernel("reductions", "reduced", row, arrays, attrs)


def large_kernel(module: str, function: str, *arguments: Any) -> Any:
    """What a function of the native engine gives; None where NumPy should compute it.

    It is asked only for large arrays. The function itself gives None for what it does not do.
    """
    if Settings.engine == "numpy":
        return None
    found = _function(module, function)
    return None if found is None else found(*arguments)


@functools.cache
def _function(module: str, function: str) -> Any:
    """A function of the native engine; None where there is none."""
    if sys.platform not in ("linux", "darwin"):
        return None
    try:
        kernels = load_module("wengert.engines.native.codegen.kernel_writer")
        kernels.prepare()
        found = load_module(f"wengert.engines.native.kernels.{module}")
    except Exception:  # noqa: BLE001  # nothing compiles here: NumPy is always right
        return None
    return kernels.careful(getattr(found, function))
