"""NumPy's protocols on tensors: `np.sin(x)` and `np.concatenate([x, y])` of what is followed.

NumPy asks a class for `__array_ufunc__` and `__array_function__`. A tensor has them only where
somebody may follow it: a tape, an accumulator, a graph, a batch. Elsewhere the attribute is not
there, and NumPy does what it does with every object that has `__array__`, at the same cost.

An operator, `array * tensor`, is none of this: there NumPy asks for `__array_ufunc__`, too, and is
told that there is none, so that it leaves the operation to the tensor, as ever. Which of the two it
is stands in the instruction that the caller carries out.
"""

from __future__ import annotations

import dis
import importlib
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from wengert.core.context import thread

_DISPATCH: Final = "wengert.api.numpy.dispatch"
_OPERATORS: Final = frozenset(
    code
    for name, code in dis.opmap.items()
    if name.startswith(("BINARY_", "INPLACE_", "COMPARE_OP"))
)


class Offered:
    """A method of one of NumPy's protocols."""

    # Whether tensors have NumPy's methods: then its functions would call these, `out` and all.
    beside_methods = False

    def __init__(self, name: str, is_for_operators: bool) -> None:
        self._name = name
        self._is_for_operators = is_for_operators

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        context = thread.context
        is_asked = self.beside_methods and not self._is_for_operators
        if not context.recorders and context.interpreter is None and not is_asked:
            raise AttributeError(self._name)
        if self._is_for_operators:
            frame = sys._getframe(1)
            if is_operator(frame.f_code, frame.f_lasti):
                raise AttributeError(self._name)
        # Loaded late: NumPy's functions are many, and most programs give it no tensors.
        found: Callable[..., Any] = getattr(importlib.import_module(_DISPATCH), self._name)
        return found if instance is None else found.__get__(instance, owner)


def is_operator(code: CodeType, at: int) -> bool:
    """Whether an instruction is that of an operator, not of a call."""
    return at >= 0 and code.co_code[at] in _OPERATORS


METHODS: Final = {
    "__array_ufunc__": Offered("array_ufunc", is_for_operators=True),
    "__array_function__": Offered("array_function", is_for_operators=False),
}
