"""JAX, loaded when it is first asked for: `jnp.exp` imports jax.numpy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from wengert.host.cpu_devices import tell
from wengert.host.locks import load_module

_MISSING: Final = (
    "The engine 'xla', meshes and several processes need JAX ({error}): pip install 'wengert[xla]'"
)


class MissingJaxError(ImportError):
    """JAX is not installed, or cannot be imported."""


class _Lazy:
    """A module that is imported when a name of it is asked for, and keeps the names."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who looks at an object, not for JAX
            raise AttributeError(name)
        found = getattr(load(self._module), name)
        setattr(self, name, found)
        return found


def load(module: str) -> Any:
    """A module of JAX's, which is told how many devices the processor is."""
    try:
        tell(load_module("jax"))
        return load_module(module)
    except ImportError as error:
        raise MissingJaxError(_MISSING.format(error=error)) from error


jax: Final[Any] = _Lazy("jax")
jnp: Final[Any] = _Lazy("jax.numpy")
lax: Final[Any] = _Lazy("jax.lax")
special: Final[Any] = _Lazy("jax.scipy.special")
linalg: Final[Any] = _Lazy("jax.scipy.linalg")
_callbacks: Final[Any] = _Lazy("jax.experimental")


def io_callback(*args: Any, **settings: Any) -> Any:
    """A call of Python from compiled code, for its effects."""
    return _callbacks.io_callback(*args, **settings)


@functools.cache
def _widening() -> Any:
    """The context manager, which JAX has moved."""
    try:
        return jax.enable_x64
    except AttributeError:
        return _callbacks.enable_x64


def wide() -> Any:
    """A context in which JAX has 64-bit types, in this thread alone."""
    return _widening()(True)


def called_wide(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a call with 64-bit types. No interrupt leaves them to the program."""
    setting = _widening()
    try:
        before = setting.get_local()
    except AttributeError:  # an older version of JAX
        with setting(True):
            return function(*args)
    try:
        setting.set_local(True)
        return function(*args)
    finally:
        setting.set_local(before)


def require() -> None:
    """An ImportError that says what to install, unless JAX is there."""
    _ = jax.jit
