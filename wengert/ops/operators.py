"""Python's operators on tensors and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.core.context import current_graph
from wengert.core.dispatch import as_method, door_for_two
from wengert.core.table import TABLE
from wengert.ops.arrays import indexing
from wengert.ops.linalg import matmul
from wengert.ops.math import arithmetic, comparison, complex, elementwise
from wengert.ops.support.declare import BOOL, NUMBER, convert_alike, numpy_dtypes, wrong_dtype
from wengert.values.convert import convert
from wengert.values.dtypes import DType, bool_, string
from wengert.values.shapes import broadcastable
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import dims, wrap
from wengert.values.typed_calls import SAME_AS
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike

Operator = Callable[[Any, Any], Any]


_PLAIN: Final = (bool, list, tuple)


def _logical_or_bitwise(logical: Operator, bitwise: Operator) -> Operator:
    def operator(x: Any, y: Any) -> Tensor:
        if isinstance(y, Value) and _becomes(x, y.dtype):
            x = np.asarray(x).astype(y.dtype.as_numpy_dtype)  # `True ^ y`: it becomes what y is
        result: Tensor = (logical if convert(x).dtype is bool_ else bitwise)(x, y)
        return result

    return operator


def _becomes(x: Any, dtype: DType) -> bool:
    """Whether what stands before a tensor becomes what that is: booleans, and arrays beside booleans."""
    if isinstance(x, (np.ndarray, np.generic)):
        return dtype is bool_ or x.dtype == bool
    return isinstance(x, _PLAIN) and np.asarray(x).dtype == bool


def _comparison(compare: Operator, of_others: bool) -> Callable[..., Any]:
    """Elementwise where the shapes allow it; what holds of two that are simply not equal otherwise."""

    def operator(self: Tensor, other: TensorLike | None) -> Tensor | bool:
        if other is None:
            return of_others
        graph = current_graph() or (self.graph if isinstance(self, SymbolicTensor) else None)
        if graph is not None and not graph.is_function:
            # as in TensorFlow 1, where tensors are keys of dictionaries
            return (self is other) is not of_others
        a = convert(self)
        b = convert(other, hint=a.dtype)
        if is_certain(dims(a)) and is_certain(dims(b)) and not broadcastable(dims(a), dims(b)):
            return wrap(np.bool_(of_others))
        result: Tensor = compare(a, b)
        return result

    return operator


def _invert(self: Tensor) -> Tensor:
    tensor = convert(self)
    return (elementwise.logical_not if tensor.dtype is bool_ else elementwise.invert)(tensor)


def _is_truth(x: TensorLike) -> bool:
    return isinstance(x, Value) and x.dtype is bool_


def _factors(x: TensorLike, y: TensorLike) -> list[Any]:
    """The operands of `*`: with a boolean tensor both are booleans, and the product is `and`."""
    if _is_truth(x) or _is_truth(y):
        return [elementwise.cast(v, bool_) for v in (x, y)]
    x, y = convert_alike("Mul", x, y)
    if x.dtype is bool_ or x.dtype is string:
        raise wrong_dtype(_MUL, x.dtype)
    return [x, y]


_MUL = TABLE["Mul"]
_product = door_for_two(_MUL, numpy_dtypes(NUMBER + BOOL), _factors)
SAME_AS[_product] = arithmetic.multiply
_and = _logical_or_bitwise(comparison.logical_and, comparison.bitwise_and)
_or = _logical_or_bitwise(comparison.logical_or, comparison.bitwise_or)
_xor = _logical_or_bitwise(comparison.logical_xor, comparison.bitwise_xor)

BINARY: dict[str, Operator] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": _product,
    "truediv": arithmetic.truediv,
    "floordiv": arithmetic.floordiv,
    "mod": arithmetic.floormod,
    "pow": arithmetic.pow,
    "matmul": matmul.product,
    "and": _and,
    "or": _or,
    "xor": _xor,
}
ALONE: dict[str, Callable[..., Any]] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
    "eq": _comparison(comparison.equal, False),
    "ne": _comparison(comparison.not_equal, True),
    "neg": elementwise.negative,
    "pos": lambda self: convert(self),
    "abs": complex.abs,
    "invert": _invert,
    "getitem": indexing.bracket,
}


METHODS: dict[str, Callable[..., Any]] = {
    **{f"__{name}__": as_method(function, name) for name, function in BINARY.items()},
    **{f"__r{name}__": as_method(function, name, True) for name, function in BINARY.items()},
    **{f"__{name}__": function for name, function in ALONE.items()},
}
