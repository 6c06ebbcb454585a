"""tf.keras: Keras, where the package is installed; without it, optimizers and initializers.

Keras computes with TensorFlow, which Wengert stands for: the first use of a name redirects
`import tensorflow` here, as `wengert.compat.install()` does.
"""

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
    raise _MissingNameError(
        f"tf.keras.{name} is of the package keras, which is not installed: pip install wengert[keras]. "
        "Without it there are tf.keras.optimizers and tf.keras.initializers; tf.Module holds variables, "
        "and tf.nn has the operations of layers."
    )


def __dir__() -> list[str]:
    return sorted([*(dir(module()) if is_installed() and _PACKAGE in _sys.modules else []), *_OURS])
