"""Branches as version 1 writes them: a Switch sends a value one of two ways, a Merge takes what arrives.

On the way that was not taken nothing is computed. Its values are dead, and so is what depends on one;
engines/dead_values.py runs graphs that have them. Where tf.cond or tf.switch_case can be had, they compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import NO_ATTRS, EachInput, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.execution.plan import MERGE as MERGES
from wengert.execution.plan import SWITCH as SWITCHES
from wengert.inference.public_functions import deferrable
from wengert.inference.shape_inference import common_form, form_of
from wengert.ops.math.comparison import equal
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace, TensorLike


class Switch(NamedTuple):
    """The two ways of a value, of which one is dead."""

    output_false: Any
    output_true: Any


class Merge(NamedTuple):
    """The value that arrived, and which of the inputs it was."""

    output: Any
    value_index: Any


# ---- rows --------------------------------------------------------------------------------------


def _switch_kernel(_: Namespace, data: Array, pred: Array) -> list[Array]:
    none = np.empty(0, np.asarray(data).dtype)  # outside of graphs nothing is dead
    return [none, data] if pred else [data, none]


def _switch_rule(gs: Sequence[Any], ys: Sequence[Any], data: Any, pred: Tensor) -> Any:
    if not isinstance(pred, SymbolicTensor):
        return gs[int(bool(pred))]
    return merge([switch(g, pred)[way] for way, g in enumerate(gs)])[0]


def _merge_kernel(_: Namespace, *values: Array) -> list[Any]:
    return [values[0], np.int32(0)]


def _merge_rule(at: int, gs: Sequence[Any], ys: Sequence[Any], *xs: Any) -> Any:
    return switch(gs[0], equal(ys[1], at))[1]


SWITCH: Row = op(
    SWITCHES,
    _switch_kernel,
    vjp=(_switch_rule, None),
    forms=lambda xs, attrs: [form_of(xs[0])] * 2,
    many=True,
)
MERGE: Row = op(
    MERGES,
    _merge_kernel,
    vjp=EachInput(_merge_rule),
    forms=lambda xs, attrs: [common_form(list(map(form_of, xs))), ((), np.dtype(np.int32))],
    many=True,
)


# ---- functions ---------------------------------------------------------------------------------


@deferrable
def switch(data: Any, pred: TensorLike, name: str | None = None) -> Switch:
    """The value, to go one of two ways; the other output is dead."""
    condition = convert(pred, hint=bool_)
    if condition.dtype is not bool_ or condition.shape.rank not in (0, None):
        raise InvalidArgumentError(
            f"Switch needs a boolean scalar as its predicate, got {condition!r} [Op:Switch]"
        )
    parts = nest.flatten(data, expand_composites=True)
    ways = [apply(SWITCH, (convert(x), condition), NO_ATTRS) for x in parts]
    packed = [nest.pack_sequence_as(data, way, True) for way in zip(*ways, strict=True)]
    return Switch(*packed)


@deferrable
def merge(inputs: Sequence[Any], name: str | None = None) -> Merge:
    """The input that is alive, and its index; the first, if there are several."""
    if any(x is None for x in inputs):
        raise ValueError(
            "At least one of the merge inputs is None. All must be values of one form: "
            f"{list(inputs)}"
        )
    each = [nest.flatten(x, expand_composites=True) for x in inputs]
    found = [apply(MERGE, tuple(map(convert, part)), NO_ATTRS) for part in zip(*each, strict=True)]
    return Merge(nest.pack_sequence_as(inputs[0], [y for y, _ in found], True), found[0][1])
