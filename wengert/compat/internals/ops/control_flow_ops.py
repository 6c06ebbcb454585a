"""tensorflow.python.ops.control_flow_ops: control dependencies, and the ways that values go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.session.modes import control_dependencies
from wengert.ops.arrays.identity import identity
from wengert.ops.control.dead_values import merge as merge
from wengert.ops.control.dead_values import switch as switch

_SwitchRefOrTensor = switch_ref_or_tensor = ref_switch = switch


def with_dependencies(
    dependencies: Sequence[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The tensor, with control dependencies on others."""
    with control_dependencies(dependencies):
        return identity(output_tensor, name=name)


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Any]]],
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """The function of the first condition that holds, chosen by a cond of the caller's."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    chosen = pairs.pop()[1] if default is None else default
    for pred, function in reversed(pairs):
        chosen = _link(cond_fn, pred, function, chosen, cond_kwargs)
    return chosen()


def _link(cond_fn: Any, pred: Any, function: Any, rest: Any, options: Any) -> Callable[[], Any]:
    return lambda: cond_fn(pred, true_fn=function, false_fn=rest, **options)
