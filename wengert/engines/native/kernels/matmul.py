"""Matrix products outside of graphs, where our OpenBLAS has better kernels than NumPy's.

NumPy's copy selects its kernels by the name of the processor, and falls back to those of an older
one if the name is unknown: on some processors with AVX-512 it runs at half their speed. Where both
have the same kernels, NumPy computes the product.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import Input, Product, View
from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.engines.native.program.program import new_entry
from wengert.engines.native.program.steps import product_calls
from wengert.engines.native.runtime import openblas
from wengert.engines.native.runtime.trampoline import is_wrong
from wengert.host import numpy_openblas

# Kernels for vectors of 64 bytes, as OpenBLAS calls them.
WIDE: Final = frozenset(("SkylakeX", "Cooperlake", "SapphireRapids"))


@functools.cache
def is_better() -> bool:
    """Whether our kernels are for wider vectors than NumPy's."""
    return openblas.library() is not None and openblas.core() in WIDE and numpys_core() not in WIDE


def numpys_core() -> str:
    """The kernels of the OpenBLAS that NumPy is bundled with, if there is one."""
    return numpy_openblas.core(numpy_openblas.numpys_function("get_corename"))


def product(a: Any, b: Any) -> Any:
    """The product of two matrices; None where it has none. To be used where it `is_better`."""
    kind = TYPE_OF.get(a.dtype)
    if kind not in ("f4", "f8") or a.ndim != 2 or b.ndim != 2:
        return None
    turned = _turned(a), _turned(b)
    if None in turned:
        return None
    multiply = _made(kind, a.shape, b.shape, turned)
    out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    # A transposed matrix is passed as the matrix that is in memory.
    multiply(*[x.T if t else x for x, t in zip((a, b), turned, strict=True)], out)
    return out


def _turned(x: Any) -> bool | None:
    """Whether a contiguous matrix is column-major; None if it is not contiguous."""
    return False if x.flags.c_contiguous else True if x.flags.f_contiguous else None


@functools.lru_cache(maxsize=256)
def _made(kind: str, a: Any, b: Any, turned: tuple[bool, bool]) -> Callable[..., None]:
    bases = Input(a, kind), Input(b, kind)
    views = [_view(base, t) for base, t in zip(bases, turned, strict=True)]
    item = Product((a[0], b[1]), kind, views)
    (call,) = product_calls(item, by_blas=True)
    kept: list[Any] = []
    step = call.name, call.parts, ((0, 0), (1, 0), (2, 0)), call.tables
    return functools.partial(_call, new_entry([step], 3, True, kept), kept)


def _call(entry: Callable[..., Any], kept: Any, *arrays: Any) -> None:
    status = entry(*arrays)
    if status is not None:
        is_wrong(entry, status, *arrays)


def _view(base: Input, turned: bool) -> View:
    rows, columns = base.shape
    return View(base, base.shape, 0, (1, rows) if turned else (columns, 1))
