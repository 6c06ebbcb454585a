"""The machine's innermost functions in C (machine.c), where the package was built with a C compiler.

The Python of each stays beside it: it is what the C does, it runs where there is none, and tests run
both. WENGERT_MACHINE=python takes it everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from wengert.host.fp_errors import VARIABLE

try:
    from wengert.core import _machine  # type: ignore[attr-defined]
except ImportError:  # built without a compiler, or for another Python
    _machine = None

Function = TypeVar("Function", bound=Callable[..., Any])


def _is_usable() -> bool:
    """Whether it is there, is wanted, and knows this NumPy."""
    if _machine is None or os.environ.get("WENGERT_MACHINE") == "python":
        return False
    return VARIABLE is not None and bool(_machine.knows(np.zeros((3, 5))))


machine: Final[Any] = _machine if _is_usable() else None
TWINS: Final[dict[str, Callable[..., Any]]] = {}  # the Python of the functions that are in C


def in_c(function: Function) -> Function:
    """The function as it is in C, where it is."""
    if machine is None:
        return function
    TWINS[function.__name__] = function
    found: Function = getattr(machine, function.__name__)
    return found
