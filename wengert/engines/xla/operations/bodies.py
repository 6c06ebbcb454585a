"""What bodies of loops and branches carry on besides their results, in the form that it had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.engines.xla.backend import jnp
from wengert.engines.xla.rows import Rows, as_rows, zeros_in_form
from wengert.engines.xla.tracing import Trace
from wengert.values.tensor import TensorList


def state_after(trace: Trace, before: Sequence[Any], changed: set[int]) -> list[Any]:
    """The state after a body, in the form that it had; what the body changed is noted."""
    after = trace.state
    changed.update(
        i for i, (new, old) in enumerate(zip(after, before, strict=True)) if new is not old
    )
    return list(map(as_carried, after, before))


def but_for(before: Sequence[Any], after: Sequence[Any], changed: set[int]) -> list[Any]:
    """The state before, but for what was changed: the rest need not be handed back."""
    return [after[i] if i in changed else old for i, old in enumerate(before)]


def as_carried(new: Any, old: Any) -> Any:
    """A new value in the form of the old one."""
    new = as_rows(new)
    if isinstance(old, TensorList):
        return new
    if isinstance(old, Rows):
        return zeros_in_form(old) if isinstance(new, TensorList) else new.in_form_of(old)
    return new if new is None or old is None else jnp.asarray(new, jnp.asarray(old).dtype)
