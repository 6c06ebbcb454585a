"""tensorflow.python.framework.subscribe: side effects that see the value of a tensor before its readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from wengert.ops.arrays.identity import identity
from wengert.values import nest
from wengert.values.dtypes import resource, variant
from wengert.values.symbolic import SymbolicTensor

SideEffect = Callable[[Any], Any]


def subscribe(tensors: Any, side_effects: Any) -> Any:
    """Let side effects see tensors; what reads the tensors waits for them.

    The result has, in place of each tensor, the one that is read from now on.
    """
    effects = list(side_effects) if isinstance(side_effects, (list, tuple)) else [side_effects]
    single = isinstance(tensors, SymbolicTensor)
    for tensor in [tensors] if single else nest.flatten(tensors):
        if not isinstance(tensor, SymbolicTensor):
            raise TypeError(f"{type(tensor).__name__} has an unsupported type: {tensor!r}")
    if single:
        return _subscribed(tensors, effects)
    return nest.map_structure(lambda tensor: _subscribed(tensor, effects), tensors)


def _subscribed(tensor: Any, effects: Sequence[SideEffect]) -> Any:
    if tensor.dtype in (resource, variant):
        return tensor
    if _is_subscription(tensor):
        return _extended(tensor, effects)
    for reader in tensor.consumers():
        if reader.type == "Identity" and _is_subscription(reader.outputs[0]):
            return _extended(reader.outputs[0], effects)
    return _begun(tensor, effects)


def _is_subscription(tensor: Any) -> bool:
    """Whether it is what is read in place of a tensor with subscribers."""
    if tensor.op.type != "Identity":
        return False
    source = tensor.op.inputs[0].op.name
    return bool(
        re.match(rf"(.*/)?{re.escape(source)}/subscription/Identity(_\d+)?$", tensor.op.name)
    )


def _extended(tensor: Any, effects: Sequence[SideEffect]) -> Any:
    source = tensor.op.inputs[0]
    with tensor.graph.name_scope(f"{source.op.name}/subscription/"):
        made = _operations(source, effects)
    tensor.op._add_control_inputs(made)
    return tensor


def _begun(tensor: Any, effects: Sequence[SideEffect]) -> Any:
    graph, source = tensor.graph, tensor.op
    readers = [
        (op, i) for op in graph.get_operations() for i, x in enumerate(op.inputs) if x is tensor
    ]
    waiting = [op for op in graph.get_operations() if source in op.control_inputs]
    with graph.as_default(), graph.name_scope(f"{source.name}/subscription/"):
        with graph.control_dependencies(None):
            made = _operations(tensor, effects)
        with graph.control_dependencies(made):
            seen = identity(tensor)
    for op, i in readers:
        op._update_input(i, seen)
    for op in waiting:
        op._add_control_inputs([seen.op])
    return seen


def _operations(tensor: Any, effects: Sequence[SideEffect]) -> list[Any]:
    found = []
    for effect in effects:
        made = effect(tensor)
        if made is not None:
            found += [getattr(x, "op", x) for x in nest.flatten(made)]
    return found
