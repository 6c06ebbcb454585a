"""tensorflow.python.ops.cond_v2: branches, which are always functions here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.ops.control.cond import cond, switch_case


def cond_v2(pred: Any, true_fn: Any, false_fn: Any, name: str = "cond") -> Any:
    """Call one of two functions."""
    return cond(pred, true_fn, false_fn, name=name)


def indexed_case(branch_index: Any, branch_fns: Sequence[Callable[[], Any]], name: str = "") -> Any:
    """Call one of several functions."""
    return switch_case(branch_index, list(branch_fns), name=name or "indexed_case")


def get_func_graphs(op: Any) -> tuple[Any, ...]:
    """The graphs of the branches of an operation."""
    return tuple(op.row.graphs)
