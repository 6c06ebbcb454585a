"""tf.keras: Keras, where the package is installed; without it, optimizers and initializers.

Keras computes with TensorFlow, which Wengert stands for: the first use of a name redirects
`import tensorflow` here, as `wengert.compat.install()` does. `tf.losses` and `tf.metrics` are Keras's, too.
"""

import functools as _functools
import importlib as _importlib
import importlib.util as _util
import os as _os
import sys as _sys
import typing as _typing

from wengert.errors import MissingNameError as _MissingNameError

_OURS = ("optimizers", "initializers")
_PACKAGE = "keras"
# Keras, with the names that TensorFlow gives it.
_AS_IN_TENSORFLOW = "keras._tf_keras.keras"
OPTIMIZERS = "keras.src.optimizers"


def is_installed() -> bool:
    """Whether the package Keras is there."""
    return _util.find_spec(_PACKAGE) is not None


def module(path: str = "") -> _typing.Any:
    """Keras's module at a path below tf.keras."""
    compat = _importlib.import_module("wengert.compat")
    if not compat.is_installed():
        compat.install()
    _os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    return _importlib.import_module(f"{_AS_IN_TENSORFLOW}.{path}".rstrip("."))


def taking_ours(get: "_typing.Callable[..., _typing.Any]") -> "_typing.Callable[..., _typing.Any]":
    """Keras's function that finds an optimizer, which makes its own of one of ours, with the same settings."""

    @_functools.wraps(get)
    def found(identifier: "_typing.Any") -> "_typing.Any":
        ours = _importlib.import_module("wengert.optimizers")
        kind = type(identifier)
        if getattr(ours, kind.__name__, None) is kind:
            identifier = {"class_name": kind.__name__, "config": identifier.get_config()}
        elif isinstance(identifier, ours.Optimizer):
            raise ValueError(
                f"A model of Keras cannot be trained by {kind.__name__}, which is not one of tf.optimizers itself: "
                "derive it from tf.keras.optimizers.Optimizer."
            )
        return get(identifier)

    return found


def version() -> str:
    """The version of Keras that is installed; without it, of the Keras that it would be."""
    if not is_installed():
        return "3"
    found: str = module().version()
    return found


def __getattr__(name: str) -> "_typing.Any":
    if name.startswith("__"):
        raise AttributeError(f"module 'wengert.keras' has no attribute {name!r}")
    if is_installed():
        return getattr(module(), name)
    if name in _OURS:
        return _importlib.import_module(f"wengert.{name}")
    raise _absent(f"keras.{name}")


def _absent(path: str) -> "_MissingNameError":
    return _MissingNameError(
        f"tf.{path} is of the package keras, which is not installed: pip install wengert[keras]. "
        "Without it there are tf.keras.optimizers and tf.keras.initializers; tf.Module holds variables, "
        "and tf.nn has the operations of layers."
    )


def part(space: str, name: str) -> "_typing.Any":
    """A name in a namespace that TensorFlow has from Keras: `losses`, `metrics`."""
    path = f"{space}.{name}"
    if name.startswith("__"):
        raise AttributeError(f"module 'wengert.{space}' has no attribute {name!r}")
    # Looked at first, as loading Keras takes two seconds.
    if _is_of_version_1(space, name):
        raise _MissingNameError(f"tf.{path} is of TensorFlow 1: tf.compat.v1.{path}.")
    if not is_installed():
        raise _absent(path)
    return getattr(module(space), name)


def parts(space: str) -> list[str]:
    """The names of such a namespace."""
    return sorted(dir(module(space))) if is_installed() else []


def _is_of_version_1(space: str, name: str) -> bool:
    """Whether it is one of version 1's functions, which are called otherwise; both have the class Reduction."""
    old = _importlib.import_module(f"wengert.compat.v1.{space}")
    return name != "Reduction" and hasattr(old, name)


def __dir__() -> list[str]:
    return sorted([*(dir(module()) if is_installed() and _PACKAGE in _sys.modules else []), *_OURS])
