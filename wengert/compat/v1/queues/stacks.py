"""Stacks: what was pushed last is popped first."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.compat.v1.queues.rows import effect, handle_of, handle_row, run
from wengert.errors import InvalidArgumentError
from wengert.inference.shape_inference import form_of
from wengert.ops.support.static_value import get_static_value
from wengert.state.cell import Resource
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.tensor import Tensor


class Pile(Resource):
    """The elements of a stack."""

    what = "stack"

    def __init__(self, dtype: Any, most: int, name: str) -> None:
        self._kind, self._most, self._name = dtype, most, name
        self._elements: list[Any] = []
        self._closed = False

    def push(self, element: Any) -> None:
        """One more on top."""
        self._check_open()
        if element.dtype != self._kind:
            raise InvalidArgumentError(
                f"Must have type {self._kind} but got {element.dtype} [Op:StackPushV2]"
            )
        if 0 <= self._most <= len(self._elements):
            raise InvalidArgumentError(
                f"Stack[{self._name}] overflowed its max_size ({self._most}) [Op:StackPushV2]"
            )
        self._elements.append(np.array(element))

    def pop(self) -> Any:
        """The one on top, which is removed."""
        self._check_open()
        if not self._elements:
            raise InvalidArgumentError(
                f"Stack[{self._name}] is empty when calling Pop(). [Op:StackPopV2]"
            )
        return self._elements.pop()

    def close(self) -> None:
        """Nothing is pushed or popped any more."""
        self._closed = True
        self._elements = []

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError(f"Stack[{self._name}] has already been closed.")


def _push(_: Any, pile: Pile, element: Any) -> list[Any]:
    pile.push(np.asarray(element))
    return [element]


def _close(_: Any, pile: Pile) -> list[Any]:
    pile.close()
    return []


STACK = handle_row("StackV2", lambda op: Pile(**op.attrs))
PUSH = effect("StackPushV2", _push, lambda xs, attrs: [form_of(xs[1])])
POP = effect(
    "StackPopV2", lambda _, pile, dtype: [pile.pop()], lambda xs, attrs: [(None, attrs["dtype"])]
)
CLOSE = effect("StackCloseV2", _close)


def stack_v2(max_size: Any, elem_type: Any, stack_name: str = "", name: str | None = None) -> Any:
    """A stack: what stands for it. It holds elements of a dtype; at most so many, if not -1."""
    kind = as_dtype(elem_type).numpy_dtype
    attrs = {"dtype": kind, "most": int(get_static_value(convert(max_size))), "name": stack_name}
    return handle_of(STACK, attrs, name or "StackV2", lambda: Pile(**attrs))


def stack_push_v2(
    handle: Any, elem: Any, swap_memory: bool = False, name: str | None = None
) -> Tensor:
    """Push an element; the result is the element."""
    pushed: Tensor = run(PUSH, handle, [convert(elem)], {}, name)[0]
    return pushed


def stack_pop_v2(handle: Any, elem_type: Any, name: str | None = None) -> Tensor:
    """Pop the element that was pushed last."""
    attrs = {"dtype": as_dtype(elem_type).numpy_dtype}
    popped: Tensor = run(POP, handle, [], attrs, name)[0]
    return popped


def stack_close_v2(handle: Any, name: str | None = None) -> Any:
    """Close a stack."""
    return run(CLOSE, handle, [], {}, name)
