"""tensorflow.python.eager.forwardprop_util: the tangents that accumulators have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wengert.core.context import thread
from wengert.core.forward import Accumulator
from wengert.values.tensor import Tensor

Pairs = tuple[tuple[int, int], ...]


class TangentInfo(NamedTuple):
    """For each accumulator pairs of indices in values and tangents; and the tangents."""

    indices: tuple[Pairs, ...] = ()
    tangents: Sequence[Tensor] = ()


def pack_tangents(tensors: Sequence[Tensor]) -> TangentInfo:
    """The tangents that the active accumulators have of tensors, the innermost first.

    An outer one may have tangents of the tangents before, which follow the tensors.
    """
    values, indices = list(tensors), list[Pairs]()
    for accumulator in reversed(thread.context.recorders):
        if isinstance(accumulator, Accumulator):
            known = [(i, accumulator.tangent(v)) for i, v in enumerate(values)]
            there = [(i, t) for i, t in known if t is not None]
            indices.append(tuple((i, len(values) + n) for n, (i, _) in enumerate(there)))
            values += [t for _, t in there]
    return TangentInfo(tuple(indices), values[len(tensors) :])
