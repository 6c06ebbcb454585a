"""tensorflow.python.training.slot_creator: variables that an optimizer keeps beside others."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1 import zeros_initializer
from wengert.ops.math.elementwise import zeros_like
from wengert.train.graph_mode import new_variable


def create_slot(
    primary: Any,
    val: Any,
    name: str,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable beside another one, with an initial value."""
    return new_variable(val, name, primary)


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable beside another one, with its own shape and dtype."""
    return new_variable(lambda: initializer(shape, dtype), name, primary)


def create_zeros_slot(
    primary: Any,
    name: str,
    dtype: Any = None,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable of zeros beside another one."""
    kind = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros_initializer(), primary.shape, kind, name)
    first = getattr(primary, "initialized_value", lambda: primary)()
    return create_slot(primary, zeros_like(first, dtype=kind), name)
