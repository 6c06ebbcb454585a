"""tensorflow.python.ops.control_flow_ops: control dependencies, and the ways that values go."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from wengert.api.session.modes import control_dependencies
from wengert.ops.arrays.identity import identity
from wengert.ops.control.cond import switch_case
from wengert.ops.control.dead_values import merge as merge
from wengert.ops.control.dead_values import switch as switch
from wengert.ops.support.static_value import get_static_value
from wengert.values import nest
from wengert.values.convert import convert

_SwitchRefOrTensor = switch_ref_or_tensor = ref_switch = switch


def _Identity(tensor: Any, name: str | None = None) -> Any:
    """The same value; of composite tensors, that of each component."""
    return nest.map_structure(
        lambda part: identity(part, name=name), tensor, expand_composites=True
    )


def ref_select(index: Any, inputs: Sequence[Any], name: str | None = None) -> Any:
    """The variable at an index or, where the index is not known yet, the value of that one."""
    at = get_static_value(convert(index))
    if at is not None:
        return inputs[int(at)]
    return switch_case(
        index, [functools.partial(identity, v) for v in inputs], name=name or "switch_case"
    )


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
