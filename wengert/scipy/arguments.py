"""Arguments of SciPy's functions that say how it shall compute, which means nothing here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from wengert.inference.public_functions import deferrable

_IGNORED: Final = (
    "allow_singular",
    "check_finite",
    "driver",
    "lapack_driver",
    "method",
    "overwrite_a",
    "overwrite_b",
)


def as_in_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes the arguments of SciPy's, too, that have no influence on its result."""
    inner = deferrable(function)

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **{k: v for k, v in kwargs.items() if k not in _IGNORED})

    return public
