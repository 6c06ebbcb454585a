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
from wengert.engines.select import Chosen
from wengert.host.locks import loaded


def in_one_loop(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """`large` of elementwise rows: one loop, however many functions of NumPy the kernel calls."""
    return computed("elementwise", "applied", row, arrays, attrs)


def in_rows(row: Row, arrays: Sequence[Any], attrs: Attrs) -> Any:
    """`large` of reductions: of the last axes, in one loop."""
    return computed("reductions", "reduced", row, arrays, attrs)


def computed(module: str, function: str, *arguments: Any) -> Any:
    """What a function of the native engine gives; None where NumPy should compute it.

    It is asked only for large arrays. The function itself gives None for what it does not do.
    """
    if Chosen.engine == "numpy":
        return None
    found = _function(module, function)
    return None if found is None else found(*arguments)


@functools.cache
def _function(module: str, function: str) -> Any:
    """A function of the native engine; None where there is none."""
    if sys.platform not in ("linux", "darwin"):
        return None
    try:
        kernels = loaded("wengert.engines.native.codegen.kernel_writer")
        kernels.prepare()
        found = loaded(f"wengert.engines.native.kernels.{module}")
    except Exception:  # nothing compiles here: NumPy is always right
        return None
    return kernels.careful(getattr(found, function))
