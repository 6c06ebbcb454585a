"""tensorflow.python.framework.smart_cond: a branch that is decided at once where its condition is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wengert import get_static_value
from wengert.inference.symbolic_integers import known_value
from wengert.ops.control.cond import case, cond
from wengert.state.variable import Variable
from wengert.values.symbolic import SymbolicTensor


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """One of two functions: called now if the condition is known, otherwise a branch of the graph."""
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("Arguments `true_fn` and `false_fn` must be callable.")
    known = None if isinstance(pred, Variable) else smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def evaluated(value: Any) -> Any:
    """A value that follows from what is known while a graph is built; None if it does not."""
    found = get_static_value(value)
    return (
        found if found is not None or not isinstance(value, SymbolicTensor) else known_value(value)
    )


def smart_constant_value(pred: Any) -> bool | None:
    """The condition if it is known; None otherwise."""
    if pred in (0, 1, True, False) if isinstance(pred, (bool, int)) else False:
        return bool(pred)
    if isinstance(pred, (np.ndarray, np.generic)):
        return bool(pred)
    if not hasattr(pred, "dtype"):
        raise TypeError(
            f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received {pred!r}."
        )
    found = evaluated(pred)
    return None if found is None else bool(found)


def smart_case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, name: str = "smart_case"
) -> Any:
    """The first of several functions whose condition holds; called now where that is known."""
    pairs = pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    undecided = []
    for pred, function in pairs:
        known = smart_constant_value(pred)
        if known is None:
            undecided.append((pred, function))
        elif known:  # those behind it are never reached
            default = function
            break
    if undecided or default is None:
        return case(undecided, default, exclusive, name=name)
    return default()
