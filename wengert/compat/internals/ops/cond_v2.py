"""tensorflow.python.ops.cond_v2, while_v2: branches and loops, which are always functions here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.compat.v1.functions.control import while_loop as _while_loop
from wengert.ops.control.cond import cond, switch_case


def cond_v2(pred: Any, true_fn: Any, false_fn: Any, name: str = "cond") -> Any:
    """Call one of two functions."""
    return cond(pred, true_fn, false_fn, name=name)


fast_cond_v2 = cond_v2


def indexed_case(branch_index: Any, branch_fns: Sequence[Callable[[], Any]], name: str = "") -> Any:
    """Call one of several functions."""
    return switch_case(branch_index, list(branch_fns), name=name or "indexed_case")


def get_func_graphs(op: Any) -> tuple[Any, ...]:
    """The graphs of the branches of an operation."""
    return tuple(op.row.graphs)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
    return_same_structure: bool = True,
    back_prop: bool = True,
) -> Any:
    """Run `body` as long as `cond` holds; the only value of a list is returned alone on request."""
    found = _while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        name=name,
        maximum_iterations=maximum_iterations,
        return_same_structure=True,
    )
    is_alone = isinstance(loop_vars, (list, tuple)) and len(loop_vars) == 1
    return found[0] if is_alone and not return_same_structure else found
