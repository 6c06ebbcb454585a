"""Functions of OpenBLAS, however a copy of it was built."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Final

import numpy as np

# A build may add a prefix and a suffix to the names.
_SPELLINGS: Final = (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", ""))


def function(library: Any, name: str) -> Any:
    """The function `openblas_{name}` of a library, or None."""
    for prefix, suffix in _SPELLINGS:
        found = getattr(library, f"{prefix}openblas_{name}{suffix}", None)
        if found is not None:
            return found
    return None


def numpys_function(name: str) -> Any:
    """The same function of NumPy's bundled copy; None if there is none."""
    return bundled_function(np, name)


def bundled_function(package: Any, name: str) -> Any:
    """The same function of the copy that comes with a package, NumPy or SciPy."""
    place = os.path.dirname(os.path.dirname(package.__file__))
    folder = os.path.join(place, f"{package.__name__}.libs")
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if "openblas" in file:
            found = function(ctypes.CDLL(os.path.join(folder, file)), name)
            if found is not None:
                return found
    return None


def core(get_corename: Any) -> str:
    """The kernels that a copy uses, as reported by its function `get_corename`."""
    if get_corename is None:
        return ""
    get_corename.restype = ctypes.c_char_p
    return str(get_corename().decode())


def numpys_core() -> str:
    """The kernels of NumPy's bundled copy, if there is one."""
    return core(numpys_function("get_corename"))
