"""What the programs share: how one is run in each mode, and what is kept of its result."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[], Any]
Programs = dict[str, Program]
PYTHON = (AttributeError, TypeError, ValueError, LookupError, NotImplementedError, RuntimeError)


def internal(path: str) -> Any:
    """A module of TensorFlow's own: Wengert's, while imports of TensorFlow are redirected."""
    return importlib.import_module(f"tensorflow.python.{path}")


def kind_of(error: BaseException) -> str:
    """The kind of an error: that of an operation by its name."""
    names = [kind.__name__ for kind in type(error).__mro__]
    if "OpError" in names:
        return names[names.index("OpError") - 1]
    return next((k.__name__ for k in PYTHON if isinstance(error, k)), names[0])


def refusal(call: Program, pattern: str = "") -> Any:
    """The kind of error that a call raises, and whether its message has what is searched for."""
    try:
        call()
    except Exception as error:
        return [kind_of(error), bool(re.search(pattern, str(error)))]
    return "nothing raised"


def in_session(tf: Any, build: Program, feeds: Any = None) -> Any:
    """What a graph gives that a function builds; with feeds, by name of the placeholder."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        fetched = build()
        session.run(v1.global_variables_initializer())
        return session.run(fetched, feeds)


def everywhere(tf: Any, build: Program) -> Any:
    """What is given eagerly, in a function, and in a session."""
    return [outcome(m) for m in (build, tf.function(build), lambda: in_session(tf, build))]


def outcome(program: Program) -> Any:
    """What a program gives, or the kind of its error."""
    try:
        return shown(program())
    except Exception as error:
        return f"raises {kind_of(error)}"


def shown(value: Any) -> Any:
    """A value in numbers and text, the same for both libraries."""
    if isinstance(value, dict):
        return {str(k): shown(v) for k, v in value.items()}
    if hasattr(value, "to_list"):
        return [value.dtype.name, shown(value.to_list())]
    if hasattr(value, "dense_shape"):
        return [shown(value.indices), shown(value.values), shown(value.dense_shape)]
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return [value.dtype.name, shown(_plain(value).tolist())]
    return _leaf(value)


def _plain(array: Any) -> Any:
    kind = array.dtype.kind
    return array.astype(np.float64) if kind not in "biufcOSU" else array


def _leaf(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [shown(value.real), shown(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, type(None))) else str(value)


def named(*programs: Program) -> Programs:
    """Programs under their own names, in words."""
    return {program.__name__.replace("_", " ").strip(): program for program in programs}
