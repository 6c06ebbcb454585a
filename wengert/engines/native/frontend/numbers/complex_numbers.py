"""Complex numbers: pairs of arrays of real ones, between which nothing is copied.

What only moves numbers is lowered for each part by itself. What computes calls its row's kernel with
pairs of lanes. In memory that others see, the parts of a number lie side by side: such an
array has one axis more here, the last one, of two elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.engines.native.frontend.arrays import (
    Base,
    Dims,
    View,
    broadcast,
    slice_view,
    whole,
)
from wengert.engines.native.frontend.lanes import Lane
from wengert.engines.native.frontend.numbers.complex_lanes import (
    COMPLEX_LANES,
    PART_OF,
    ComplexLane,
)
from wengert.engines.native.frontend.numbers.retyped import Retyped
from wengert.engines.native.frontend.scalar import Code, NotLowered, dtype_of, type_of
from wengert.engines.native.frontend.templates import begun, kept, kernel_of
from wengert.values.symbolic import SymbolicTensor, is_certain


class Pair(NamedTuple):
    """The parts of an array of complex numbers."""

    real: View
    imag: View

    @property
    def shape(self) -> Dims:
        return self.real.shape

    @property
    def kind(self) -> str:
        return self.real.kind


Operand = View | Pair


def form_of_pair(x: SymbolicTensor) -> tuple[Dims, str] | None:
    """The shape, with the axis of the parts, and the type of the memory of a complex tensor; None if it is empty."""
    form = x._array
    kind = PART_OF.get(form.dtype) if isinstance(form.dtype, np.dtype) else None
    if kind is None or not is_certain(form.shape) or 0 in form.shape:
        return None
    return (*form.shape, 2), kind


def is_complex(value: Any) -> bool:
    """Whether a constant is an array of complex numbers."""
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype in PART_OF and value.size > 0


def pair_of(view: View) -> Pair:
    """The parts of what lies side by side."""
    real, imag = (slice_view(view, (Ellipsis, k)) for k in (0, 1))
    return Pair(real, imag)


def side_by_side(low: Any, pair: Pair) -> View:
    """The parts side by side in memory: where they are, if they lie there so, or else copied."""
    shape, (real, imag) = (*pair.shape, 2), pair
    is_joined = (real.base, real.strides, real.offset + 1) == (imag.base, imag.strides, imag.offset)
    if is_joined and real.base in low.of_pairs:
        found = low.stored(View(real.base, shape, real.offset, (*real.strides, 1)))
        low.of_pairs.add(found.base)
        return found  # type: ignore[no-any-return]
    target = whole(Base(shape, pair.kind))
    places = [slice_view(target, (Ellipsis, k)) for k in (0, 1)]
    joined = low.assembled(shape, pair.kind, None, list(zip(pair, places, strict=True)))
    low.of_pairs.add(joined.base)
    return joined  # type: ignore[no-any-return]


# ---- operations ---------------------------------------------------------------------------------

# Rules of their own, by the names of operations: an array or a pair, from arrays and pairs.
PAIR_RULES: Final[dict[str, Callable[..., Any]]] = {}
# Operations that do the same to both parts: they move numbers, or add them up.
OF_PARTS: Final = frozenset((
    "AddN", "After", "BiasAdd", "BiasAddGrad", "BroadcastTo", "ConcatV2", "Cumsum", "ExpandDims", "GatherNd",
    "GatherV2", "Identity", "IdentityN", "MatrixBandPart", "MatrixDiagPartV3", "MatrixDiagV3", "Mean",
    "MirrorPad", "MirrorPadGrad", "Pack", "Pad", "PadV2", "PreventGradient", "Reshape", "ReverseSequence",
    "ReverseV2", "Roll", "ScatterNd", "Slice", "Snapshot", "Split", "SplitV", "Squeeze", "StopGradient",
    "StridedSlice", "StridedSliceGrad", "Sum", "Tile", "Transpose", "Unpack", "UnsortedSegmentSum",
))  # fmt: skip


def pair_rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        PAIR_RULES.update(dict.fromkeys(names, function))
        return function

    return declared


def lowered_on_pairs(
    low: Any, op: Any, operands: Sequence[Operand], by_rule: Callable[..., Sequence[View]]
) -> list[Operand]:
    """What an operation gives, some of whose inputs or results are complex numbers."""
    rule = PAIR_RULES.get(op.row.name)
    if rule is not None:
        found = rule(low, op, *operands, **op.attrs)
        return list(found) if op.row.many else [found]
    if op.row.name in OF_PARTS:
        return each_part(op, operands, by_rule)
    if op.row.elementwise and not op.row.many and op.row.step is None:
        return [elementwise(low, op, operands)]
    raise NotLowered("there is no rule for complex numbers")


# Attributes that are numbers of the array.
_FILLS: Final = frozenset(("constant", "padding"))


def each_part(
    op: Any, operands: Sequence[Operand], by_rule: Callable[..., Sequence[View]]
) -> list[Operand]:
    """What an operation gives that does the same to both parts."""
    parts = []
    for which, part in enumerate((np.real, np.imag)):
        same = Retyped(op, _of_part)
        for name in _FILLS & same.attrs.keys():
            same.attrs[name] = part(same.attrs[name])
        parts.append(by_rule(same, [x[which] if isinstance(x, Pair) else x for x in operands]))
    return [Pair(*pair) for pair in zip(*parts, strict=True)]


def _of_part(dtype: Any) -> Any:
    return dtype_of(PART_OF[dtype]) if dtype in PART_OF else dtype


def elementwise(low: Any, op: Any, operands: Sequence[Operand]) -> Operand:
    """What a row's kernel computes of pairs of lanes."""
    kinds = [(_OF_PAIR if isinstance(x, Pair) else "") + x.kind for x in operands]
    code, results = kept(_written, op.row, kinds, op.attrs)
    form = op.outputs[0]._array
    part = PART_OF.get(form.dtype)
    if [code.kind(result) for result in results] != ([part] * 2 if part else [type_of(form.dtype)]):
        raise NotLowered("the result has another dtype in NumPy")
    given = [broadcast(v, form.shape) for v in _parts(operands)]
    found = [low.mapped(code, result, given, form.shape) for result in results]
    return Pair(*found) if part else found[0]


def computed(low: Any, function: Callable[..., Any], *operands: Operand) -> Pair:
    """An elementwise pair, from a function of lanes and pairs of lanes."""

    def of_parts(*lanes: Lane) -> tuple[Lane, Lane]:
        found = function(*_joined([isinstance(x, Pair) for x in operands], lanes))
        return found.real, found.imag

    return Pair(*low.all_computed(of_parts, *_parts(operands)))


def _parts(operands: Sequence[Operand]) -> list[View]:
    return [v for x in operands for v in (x if isinstance(x, Pair) else (x,))]


def _joined(are_pairs: Sequence[bool], lanes: Sequence[Lane]) -> list[Any]:
    """The lanes of parts as what a kernel takes."""
    left = iter(lanes)
    return [ComplexLane(next(left), next(left)) if pair else next(left) for pair in are_pairs]


_OF_PAIR: Final = "c"  # before the type of the parts


def _written(row: Any, kinds: Sequence[str], attrs: dict[str, Any]) -> tuple[Code, list[int]]:
    """The kernel of a row as scalar code, some of whose inputs are pairs."""
    are_pairs = [kind[0] == _OF_PAIR for kind in kinds]
    parts = [
        kind[-2:] for kind, pair in zip(kinds, are_pairs, strict=True) for _ in range(1 + pair)
    ]
    code, lanes = begun(parts)
    result = kernel_of(row, COMPLEX_LANES, _joined(are_pairs, lanes), attrs)
    if isinstance(result, ComplexLane):
        return code, [result.real.value, result.imag.value]
    if isinstance(result, Lane):
        return code, [result.value]
    raise NotLowered(f"{row.name} gives {type(result).__name__}")


def has_pair_lanes(row: Any) -> bool:
    """Whether a row's kernel takes a complex number in place of an array."""
    try:
        kept(_written, row, [_OF_PAIR + "f4"], {})
    except NotLowered:
        return False
    return True
