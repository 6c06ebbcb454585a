"""Values that are calculated with: an operator, or a method, is a node of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from wengert.insight.onnx.model import Model, Slot, is_calculated, kind_of


class NoCounterpartError(NotImplementedError):
    """ONNX has nothing that computes this."""


# Nodes that are defined for floating-point numbers only.
_OF_FLOATS: Final = frozenset((
    "Exp", "Log", "Sqrt", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh",
    "Floor", "Ceil", "Round", "Reciprocal", "IsNaN", "IsInf", "Sigmoid", "Softplus", "Softsign", "Elu", "Selu", "LeakyRelu",
    "Softmax", "LogSoftmax", "Conv", "ConvTranspose", "AveragePool", "MaxPool", "LRN", "Det", "ReduceLogSumExp",
))  # fmt: skip


def _operator(
    kind: str, is_turned: bool = False, is_question: bool = False
) -> Callable[[Term, Any], Term]:
    def combined(self: Term, other: Any) -> Term:
        a, b = (self.like(other), self) if is_turned else (self, other)
        return a.node(kind, b, dtype=np.bool_ if is_question else None)

    return combined


class Term:
    """A value of the model."""

    __array_ufunc__ = None

    def __init__(self, model: Model, slot: Slot) -> None:
        self.model = model
        self.slot = slot

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its numbers."""
        return self.slot.dtype

    def like(self, value: Any) -> Term:
        """A number as a constant of the same dtype; a term as it is."""
        if isinstance(value, Term):
            return value
        return Term(self.model, self.model.constant(np.asarray(value, self.dtype)))

    def constant(self, array: Any, dtype: Any = np.int64) -> Term:
        """A constant: of whole numbers unless a dtype is named."""
        return Term(self.model, self.model.constant(np.asarray(array, dtype)))

    def node(self, kind: str, *others: Any, dtype: Any = None, **attrs: Any) -> Term:
        """What a node of this and other terms gives."""
        return self.nodes(kind, [dtype or self.dtype], *others, **attrs)[0]

    def nodes(self, kind: str, dtypes: list[Any], *others: Any, **attrs: Any) -> list[Term]:
        """The results of a node that has several."""
        terms = [self, *[None if x is None else self.like(x) for x in others]]
        if kind in _OF_FLOATS and self.dtype.kind not in "fV":
            raise NoCounterpartError(f"{kind} of {self.dtype}")
        slots = [None if t is None else t.slot for t in terms]
        return [Term(self.model, y) for y in self.model.add(kind, slots, dtypes, **attrs)]

    def cast(self, dtype: Any) -> Term:
        """The same numbers in another dtype."""
        if not is_calculated(dtype):
            raise NoCounterpartError(f"a cast to {dtype}")
        if self.dtype == np.dtype(dtype):
            return self
        return self.node("Cast", dtype=dtype, to=kind_of(dtype))

    def astype(self, dtype: Any, copy: bool = True) -> Term:
        """The same, as arrays call it."""
        return self.cast(dtype)

    def __neg__(self) -> Term:
        return self.node("Neg")

    def __abs__(self) -> Term:
        return self.node("Abs")

    def __invert__(self) -> Term:
        return self.node("Not" if self.dtype.kind == "b" else "BitwiseNot")

    __add__, __radd__ = _operator("Add"), _operator("Add", is_turned=True)
    __sub__, __rsub__ = _operator("Sub"), _operator("Sub", is_turned=True)
    __mul__, __rmul__ = _operator("Mul"), _operator("Mul", is_turned=True)
    __truediv__, __rtruediv__ = _operator("Div"), _operator("Div", is_turned=True)
    __pow__, __rpow__ = _operator("Pow"), _operator("Pow", is_turned=True)
    __and__, __or__, __matmul__ = _operator("And"), _operator("Or"), _operator("MatMul")
    __lt__, __le__ = _operator("Less", is_question=True), _operator("LessOrEqual", is_question=True)
    __gt__ = _operator("Greater", is_question=True)
    __ge__ = _operator("GreaterOrEqual", is_question=True)
    __eq__ = _operator("Equal", is_question=True)  # type: ignore[assignment]  # a term, not a bool
    __hash__ = object.__hash__
