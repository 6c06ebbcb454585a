"""Arguments of SciPy's functions that say how it shall compute, which means nothing here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from wengert.host.locks import load_module
from wengert.inference.public_functions import deferrable

_IGNORED: Final = (
    "allow_singular",
    "check_finite",
    "driver",
    "lapack_driver",
    "method",
    "overwrite_a",
    "overwrite_ab",
    "overwrite_b",
)


def as_in_scipy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes the arguments of SciPy's, too, that have no influence on its result."""
    return ignoring(*_IGNORED)(deferrable(function))


def ignoring(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that takes these arguments, too, and says which others it takes."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        known = frozenset(inspect.signature(function).parameters)

        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            unknown = kwargs.keys() - known
            for name in unknown:
                if name not in names:
                    raise TypeError(
                        f"{name!r} is no argument of this function: it takes "
                        f"{', '.join(inspect.signature(function).parameters)}. tf.wrap makes a "
                        "differentiable function of SciPy's own, with all arguments."
                    )
                kwargs.pop(name)
            return function(*args, **kwargs)

        return public

    return decorated


def no_such(module: str, name: str) -> AttributeError:
    """What is said of a function that is not here."""
    is_scipys = not name.startswith("_") and hasattr(load_module(f"scipy.{module}"), name)
    way = f"tf.wrap makes a differentiable function of a function of SciPy's, as scipy.{module}.{name} is."
    hint = way if is_scipys else f"Neither has scipy.{module}."
    return AttributeError(f"wengert.scipy.{module} has no {name!r}. {hint}")
