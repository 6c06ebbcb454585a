"""SymPy and mpmath, which may be missing."""

from __future__ import annotations

import importlib
from typing import Any


class MissingPackageError(ImportError):
    """A package that is only needed here is not installed."""


def package(name: str, title: str) -> Any:
    """The package; an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"{title} is not installed: pip install wengert[insight]"
        ) from error


def sympy() -> Any:
    """SymPy."""
    return package("sympy", "SymPy")


def mpmath() -> Any:
    """Its arithmetic of many digits."""
    return package("mpmath", "mpmath")
