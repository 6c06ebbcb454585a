"""How functions of NumPy's names are declared: a name, words, an example, and what computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.inference.public_functions import deferrable

Example = tuple[str, str]  # the arguments, and what comes of them


def public_function(name: str, says: str, example: Example, function: Callable[..., Any]) -> Any:
    """The function under its public name, which a graph may put off."""
    given, gives = example
    rounded = ".round(4)" if "." in gives and name != "nextafter" else ""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{says}\n\n>>> tf.experimental.numpy.{name}({given}).numpy(){rounded}.tolist()\n{gives}\n"
    )
    return deferrable(function)
