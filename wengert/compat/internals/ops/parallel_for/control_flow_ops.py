"""tensorflow.python.ops.parallel_for.control_flow_ops: loops with independent iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.function.vectorized_map import vectorized_map as vectorized_map
from wengert.ops.arrays.creation import range_
from wengert.ops.control.map import map_fn


def pfor(
    loop_fn: Callable[..., Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """The results of loop_fn(0), loop_fn(1), ..., stacked; all iterations are vectorized."""
    return vectorized_map(loop_fn, range_(iters), fallback_to_while_loop, warn)


def for_loop(
    loop_fn: Callable[..., Any],
    loop_fn_dtypes: Any,
    iters: Any,
    parallel_iterations: int | None = None,
) -> Any:
    """The results of loop_fn(0), loop_fn(1), ..., stacked; iterations run one after the other."""
    return map_fn(loop_fn, range_(iters), dtype=loop_fn_dtypes)
