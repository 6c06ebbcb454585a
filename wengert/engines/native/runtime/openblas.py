"""Matrix products: the OpenBLAS of `scipy-openblas32`, loaded with the best kernels.

OpenBLAS selects its kernels by the name of the processor when it is loaded, and takes an unknown
name for an older processor. NumPy's copy is a separate library, which is not touched.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
from typing import Any, Final

from wengert.engines.native.runtime.processor import features
from wengert.host import numpy_openblas
from wengert.host.locks import awaited_lock

_LOCK: Final = awaited_lock()


def best_core() -> str | None:
    """The kernels to request: by the processor's features, not by its name."""
    if features() >= {"avx512f", "avx512vl", "avx512dq"}:
        return "SkylakeX"
    if features() >= {"avx2", "fma"}:
        return "Haswell"
    return None


def _file() -> str | None:
    """The path of OpenBLAS. The package is not imported: it would load the library at once."""
    found = importlib.util.find_spec("scipy_openblas32")
    for place in found.submodule_search_locations or () if found is not None else ():
        folder = os.path.join(place, "lib")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if "openblas" in name and (".so" in name or name.endswith((".dylib", ".dll"))):
                return os.path.join(folder, name)
    return None


@functools.cache
def library() -> Any:
    """OpenBLAS, single-threaded, as the pool distributes the work. None if it is missing."""
    file = _file()
    if file is None:
        return None
    with _LOCK:
        before = {
            name: os.environ.get(name) for name in ("OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS")
        }
        core = before["OPENBLAS_CORETYPE"] or best_core()
        if core is not None:
            os.environ["OPENBLAS_CORETYPE"] = core
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        try:
            return ctypes.CDLL(file)
        except OSError:
            return None
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@functools.cache
def address(kind: str) -> int | None:
    """The address of the matrix product for an element type."""
    found = library()
    if found is None:
        return None
    name = {"f4": "sgemm", "f8": "dgemm"}[kind]
    for full in (f"scipy_cblas_{name}", f"cblas_{name}"):
        if hasattr(found, full):
            return ctypes.cast(getattr(found, full), ctypes.c_void_p).value
    return None


def core() -> str:
    """The kernels that OpenBLAS uses."""
    found = library()
    if found is None:
        return "none"
    return numpy_openblas.core(numpy_openblas.function(found, "get_corename")) or "none"
