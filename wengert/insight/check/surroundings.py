"""What a function changes around itself: its variables are put back after it was looked at."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wengert.api.variables.module import Module
from wengert.state.variable import Variable
from wengert.values import nest


@contextmanager
def variables_kept(f: Callable[..., Any] | str) -> Iterator[None]:
    """The variables that the function reaches have their values again afterwards."""
    before = [(v, v._array) for v in ([] if isinstance(f, str) else variables_around(f))]
    try:
        yield
    finally:
        for variable, array in before:
            variable._array = array


def variables_around(f: Callable[..., Any]) -> list[Variable]:
    """The variables in a function's closure, among the names it reads, and of the object it belongs to."""
    inner = inspect.unwrap(f)
    found: list[Variable] = []
    code = getattr(inner, "__code__", None)
    around = [getattr(inner, "__self__", None), inner]
    if code is not None:
        scope = getattr(inner, "__globals__", {})
        around += [scope[name] for name in code.co_names if name in scope]
    for cell in getattr(inner, "__closure__", None) or ():
        try:
            around.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    for value in around:
        for leaf in nest.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]:
            if type(leaf) is Variable:
                found.append(leaf)
            elif isinstance(leaf, Module):
                found += [v for v in leaf.variables if type(v) is Variable]
    return found
