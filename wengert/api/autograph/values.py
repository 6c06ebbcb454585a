"""Values of variables, in parts: tensors, which a graph can choose or carry, and all else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from wengert.api.autograph.state import ABSENT, GUARDED
from wengert.core.batch import Batched
from wengert.core.context import activate, current_graph, with_top
from wengert.graph.function_graph import FunctionGraph
from wengert.host.user_frames import callers_place
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.shaping import reshape
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.tensor import Tensor
from wengert.values.value import Value

_NUMBERS: Final = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def is_staged(value: object) -> bool:
    """Whether a condition or a sequence is known only when a graph runs."""
    if not isinstance(value, Value):
        return False
    return current_graph() is not None or isinstance(value, Batched)


def condition(value: object, of: str) -> Tensor:
    """A condition as a scalar boolean tensor."""
    tensor = convert(value)
    hint = "to check for None, use `is not None`"
    if tensor.dtype is not bool_:
        raise ValueError(
            f"condition of {of} expected to be `tf.bool` scalar, got {tensor!r}; to use as boolean "
            f"Tensor, use `tf.cast`; {hint} (at {callers_place()})"
        )
    if tensor.shape.rank == 0 or isinstance(tensor, Batched):
        return tensor
    if any(size not in (None, 1) for size in tensor.shape._dims or ()):
        raise ValueError(
            f"condition of {of} expected to be `tf.bool` scalar, got {tensor!r}; {hint} "
            f"(at {callers_place()})"
        )
    return reshape(tensor, ())


class Parts:
    """Values of variables: their leaves, of which those that can be tensors are."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)
        self._leaves = [_leaf(v) for v in nest.flatten(self.values)]
        self.tensors = [v for v in self._leaves if _is_tensor(v)]

    def with_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """The values with other tensors in the places of these."""
        given = iter(tensors)
        leaves = [next(given) if _is_tensor(v) else v for v in self._leaves]
        made: list[Any] = nest.pack_sequence_as(self.values, leaves)
        return made


def _leaf(value: object) -> Any:
    return convert(value) if isinstance(value, _NUMBERS) else value


def _is_tensor(value: object) -> bool:
    return isinstance(value, (Tensor, Composite))


def has_variable(values: Sequence[Any]) -> bool:
    """Whether a variable of the library is among the values."""
    return any(isinstance(v, Variable) for v in nest.flatten(list(values)))


def read_variables(values: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The values with tensors in place of variables, but of those that are the same on the other side.

    A graph chooses and carries tensors; which variable a name means is known when it is built.
    """
    return [v if v is o else _read(v) for v, o in zip(values, others, strict=True)]


def _read(value: Any) -> Any:
    if not has_variable([value]):
        return value
    leaves = [convert(v) if isinstance(v, Variable) else v for v in nest.flatten(value)]
    return nest.pack_sequence_as(value, leaves) if nest.is_nested(value) else leaves[0]


def same_structure(before: object, after: object) -> str:
    """Why two values have not the same structure; empty if they have."""
    try:
        nest.assert_same_structure(before, after)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def pairs(one: object, other: object) -> list[tuple[Any, Any]]:
    """The leaves of two values of one structure, side by side."""
    return [
        (_leaf(a), _leaf(b)) for a, b in zip(nest.flatten(one), nest.flatten(other), strict=True)
    ]


def kind_of(value: object) -> Any:
    """The dtype of a tensor; what else it is otherwise."""
    return value.dtype if _is_tensor(value) and hasattr(value, "dtype") else type(value)


def are_composites(one: object, other: object) -> bool:
    """Whether both are composite values of a kind: a branch or a loop compares their parts itself."""
    return isinstance(one, Composite) and kind_of(one) is kind_of(other)


def is_missing(value: object) -> bool:
    """Whether a variable has no value, or None."""
    return value is None or value is ABSENT or value is GUARDED


@contextmanager
def trial() -> Iterator[FunctionGraph]:
    """A graph for a round whose values are not used, only what is known of them."""
    graph = FunctionGraph("trial", current_graph())
    graph.only_traced = True
    with activate((), with_top(graph)):
        yield graph


def zeros_for(value: Any) -> Any:
    """A value of the same structure and dtypes, and of the shapes as far as they are known."""
    parts = Parts([value])
    return parts.with_tensors([_zeros(v) for v in parts.tensors])[0]


def _zeros(value: Any) -> Any:
    if isinstance(value, Composite):
        return value
    return zeros([size or 0 for size in value.shape._dims or ()], value.dtype)
