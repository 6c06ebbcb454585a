"""tensorflow.python.eager.forwardprop: forward mode, operation by operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wengert.api.function.vectorized_map import vectorized_map
from wengert.api.gradients.forward_accumulator import ForwardAccumulator
from wengert.compat.internals.eager.execute import execute
from wengert.ops.arrays.identity import identity
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor

# After so many shapes of an operation TensorFlow traces it for all; here nothing is traced.
_TRACE_COUNT_LIMIT: Final = 32


def _jvp_dispatch(
    op_name: str,
    attr_tuple: Sequence[Any],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    tangents: Sequence[Tensor],
    use_batch: bool = False,
) -> list[Tensor | None]:
    """The tangents of an operation's results; with `use_batch` for each row of the tangents."""
    if not use_batch:
        return _pushed(op_name, attr_tuple, inputs, len(outputs), tangents)
    for x, t in zip(inputs, tangents, strict=True):
        wanted = TensorShape([None]).concatenate(x.shape)
        if not t.shape.is_compatible_with(wanted):
            raise ValueError(
                f"Tangent {t} was expected to be of shape {wanted} but is instead of shape {t.shape}"
            )
    found: list[Tensor | None] = vectorized_map(
        lambda rows: _pushed(op_name, attr_tuple, inputs, len(outputs), rows), list(tangents)
    )
    return found


def _pushed(
    op_name: str, attrs: Sequence[Any], inputs: Sequence[Any], count: int, tangents: Sequence[Any]
) -> list[Tensor | None]:
    own = [identity(convert(x)) for x in inputs]  # a value that is two inputs has two tangents
    given = [(x, t) for x, t in zip(own, tangents, strict=True) if x.dtype.is_differentiable]
    with ForwardAccumulator([x for x, _ in given], [t for _, t in given]) as accumulator:
        results = execute(op_name, count, own, attrs)
    return [accumulator.jvp(y) for y in results]
