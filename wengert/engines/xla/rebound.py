"""Kernels that call NumPy by its name, rebound: copies whose `np` is the namespace of what is traced.

A kernel and what it calls in `wengert.ops` are copied with other globals: `np` is the namespace,
SciPy's special functions are JAX's, and what only makes large arrays faster is left out. Where a
kernel does what an array that is traced cannot, the copy raises, and NumPy is called back.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinMethodType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from wengert.engines.xla.traced import SPECIAL, XP
from wengert.engines.xla.versions import HELPERS
from wengert.ops.support.large_kernels import LargeKernel
from wengert.ops.support.scipy_lazy import scipy_special

_REPLACED: Final = (FunctionType, type, type(scipy_special))
_MADE: Final[dict[Any, Any]] = {}


def rebound(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with the namespace in place of NumPy."""
    found: Callable[..., Any] = _converted(kernel)
    return found


def _converted(value: Any) -> Any:
    """A global of a kernel, or what it closes over, as its copy sees it."""
    if value is np:
        return XP
    if value is scipy_special:
        return _special
    if isinstance(value, ModuleType) and value.__name__.startswith("wengert.ops."):
        return _Module(value)
    if isinstance(value, LargeKernel):
        return _not_faster
    if type(value) is BuiltinMethodType and isinstance(value.__self__, np.ufunc):
        return getattr(_converted(value.__self__), value.__name__)
    if isinstance(value, _REPLACED) and value in HELPERS:
        return HELPERS[value]
    if isinstance(value, np.ufunc):
        name = str(getattr(value, "__name__", ""))
        return getattr(XP, name) if getattr(np, name, None) is value else value
    if isinstance(value, partial):
        return partial(_converted(value.func), *map(_converted, value.args), **value.keywords)
    if isinstance(value, FunctionType):
        return (
            _copy(value)
            if value.__module__.startswith("wengert.ops.") or _is_kernel(value)
            else value
        )
    return value


class _Module:
    """A module whose functions are rebound when they are asked for."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _converted(getattr(self._module, name))


def _is_kernel(function: FunctionType) -> bool:
    """Whether it is the kernel of a row that an extension declared."""
    return function.__module__.startswith("scipy.special")  # as kernels that call SciPy say


def _copy(function: FunctionType) -> Any:
    if function in _MADE:
        return _MADE[function]
    own: dict[str, Any] = {"__builtins__": builtins, "__name__": function.__module__}
    cells = (
        None if function.__closure__ is None else tuple(CellType() for _ in function.__closure__)
    )
    made = FunctionType(function.__code__, own, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    _MADE[function] = made
    for name in names_in(function.__code__):
        if name in function.__globals__:
            own[name] = _converted(function.__globals__[name])
    for cell, given in zip(cells or (), function.__closure__ or (), strict=True):
        cell.cell_contents = _converted(given.cell_contents)
    return made


def names_in(code: CodeType) -> Iterator[str]:
    """The names that a function and those inside of it look up."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from names_in(part)


def _special() -> Any:
    return SPECIAL


def _not_faster(*_: Any, **__: Any) -> None:
    """What a kernel for large arrays gives where it does not apply."""
