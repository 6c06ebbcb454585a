"""Errors that Python or NumPy raised within a public function: they are told with the call that the user wrote.

Whoever writes `tf.concat(parts, axis=[0])` should not read of arrays without dimensions alone. Errors
that Wengert raises itself name what was wrong, and stay as they are, as do those of the user's code.
"""

from __future__ import annotations

import dis
import inspect
import os
import reprlib
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final

import numpy as np

from wengert.errors import InvalidArgumentError, OpError, ResourceExhaustedError
from wengert.values.shapes import shape_text
from wengert.values.value import Value

# What a mistake in arguments may end in, deep inside; and what it is for whoever made the call.
FOREIGN: Final = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    MemoryError,
)
_OURS: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep
_NUMPY: Final = os.path.dirname(np.__file__) + os.sep
_SCIPY: Final = os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "scipy") + os.sep
_RAISING: Final = (dis.opmap["RAISE_VARARGS"], dis.opmap["RERAISE"])
_TEXT: Final = "__wengert_text__"  # of an error that was told, or may be: what it said alone


def unnamed(error: Exception) -> Exception:
    """Note of an error that it does not say which argument it is about: it is told with the call."""
    vars(error)[_TEXT] = str(error)
    return error


def told(
    error: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception:
    """The error to raise in place of one that left a public function."""
    text = _text_of(error)
    if text is None:
        return error
    call = f"{function.__name__.rstrip('_')}({_arguments(function, args, kwargs)})"
    found = _of_kind(error, f"{text.rstrip('.')}, in {call}.")
    vars(found)[_TEXT] = text
    return found.with_traceback(error.__traceback__)


def _text_of(error: Exception) -> str | None:
    """What an error says that is to be told with the call; None of any other."""
    frames = _frames(error.__traceback__)
    if len(frames) < 2 or any(not _is_inside(f.tb_frame.f_code.co_filename) for f in frames):
        return None  # of the call itself, or the user's
    known: str | None = vars(error).get(_TEXT)
    if known is not None:
        return known
    if isinstance(error, OpError) or type(error).__module__.startswith("wengert"):
        return None
    last = frames[-1]
    code = last.tb_frame.f_code
    raised = code.co_filename.startswith(_OURS) and code.co_code[last.tb_lasti] in _RAISING
    return None if raised else str(error)


def _frames(traceback: TracebackType | None) -> list[TracebackType]:
    found = []
    while traceback is not None:
        found.append(traceback)
        traceback = traceback.tb_next
    return found


def _is_inside(filename: str) -> bool:
    return filename.startswith((_OURS, _NUMPY, _SCIPY))


def _of_kind(error: Exception, text: str) -> Exception:
    """An error of the kind that a mistake in an argument is, which is the same one wherever it can be."""
    if isinstance(error, MemoryError):
        return ResourceExhaustedError(text)
    if isinstance(error, AttributeError):
        return TypeError(text)
    if type(error) in (TypeError, ValueError, InvalidArgumentError):
        error.args = (text,)
        return error
    return InvalidArgumentError(text)


def _arguments(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """The arguments of a call by their names, each in a few letters."""
    names = list(inspect.signature(function).parameters)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    return ", ".join(f"{name}={_brief(value)}" for name, value in given.items())


def _brief(value: Any) -> str:
    if isinstance(value, Value):
        known = value.shape.rank is not None
        return f"{value.dtype.name}{shape_text(value.shape) if known else ''}"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"array({value.dtype.name}{shape_text(value.shape)})"
    if type(value) is list and any(isinstance(v, Value) for v in value):
        return f"[{', '.join(map(_brief, value[:4]))}{', ...' if len(value) > 4 else ''}]"
    return reprlib.repr(value)
