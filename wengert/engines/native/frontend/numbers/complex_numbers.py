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
from wengert.engines.native.frontend.numbers.complex_lanes import COMPLEX_LANES, ComplexLane
from wengert.engines.native.frontend.numbers.retyped import Retyped
from wengert.engines.native.frontend.plan_key import Inexact, exactly
from wengert.engines.native.frontend.scalar import Code, NotLowered, dtype_of
from wengert.values.symbolic import SymbolicTensor, is_certain

PART_OF: Final = {np.dtype(np.complex64): "f4", np.dtype(np.complex128): "f8"}


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
    """The shape, with the axis of the parts, and the type of the memory of a complex tensor."""
    form = x._array
    kind = PART_OF.get(form.dtype) if isinstance(form.dtype, np.dtype) else None
    if kind is None or not is_certain(form.shape):
        return None
    return (*form.shape, 2), kind


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
    kinds = tuple([("c" if isinstance(x, Pair) else "") + x.kind for x in operands])
    code, results = _template(op.row, kinds, op.attrs)
    form = op.outputs[0]._array
    wanted = PART_OF.get(form.dtype)
    if (len(results) == 2) != (wanted is not None) or (
        wanted or code.kind(results[0])
    ) != code.kind(results[0]):
        raise NotLowered("the result has another dtype in NumPy")
    views = [v for x in operands for v in (x if isinstance(x, Pair) else (x,))]
    given = [broadcast(v, form.shape) for v in views]
    found = [low.mapped(code, result, given, form.shape) for result in results]
    return Pair(*found) if len(found) == 2 else found[0]


def computed(low: Any, function: Callable[..., Any], *operands: Operand) -> Pair:
    """An elementwise pair, from a function of lanes and pairs of lanes."""

    def of_parts(*lanes: Lane) -> tuple[Lane, Lane]:
        left = iter(lanes)
        given = [_lane(isinstance(x, Pair), left) for x in operands]
        found = function(*given)
        return found.real, found.imag

    views = [v for x in operands for v in (x if isinstance(x, Pair) else (x,))]
    return Pair(*low.all_computed(of_parts, *views))


def _lane(is_pair: bool, left: Any) -> Any:
    return ComplexLane(next(left), next(left)) if is_pair else next(left)


# Scalar code with its results, or the reason why there is none.
_TEMPLATES: Final[dict[Any, tuple[Code, list[int]] | str]] = {}


def _template(row: Any, kinds: tuple[str, ...], attrs: dict[str, Any]) -> tuple[Code, list[int]]:
    try:
        key = (row.kernel, kinds, exactly(attrs))
    except Inexact:
        raise NotLowered("attributes without a key") from None
    found = _TEMPLATES.get(key)
    if found is None:
        try:
            found = _written(row, kinds, attrs)
        except NotLowered as reason:
            found = str(reason)
        _TEMPLATES[key] = found
    if isinstance(found, str):
        raise NotLowered(found)
    return found


def _written(row: Any, kinds: tuple[str, ...], attrs: dict[str, Any]) -> tuple[Code, list[int]]:
    code = Code()
    count = 0
    given: list[Any] = []
    for kind in kinds:
        lanes = []
        for _ in kind[: len(kind) - 1]:  # two for a pair: "cf4" has one letter more
            lanes.append(Lane(code, code.add("param", kind[-2:], (), count), dtype_of(kind[-2:])))
            count += 1
        given.append(ComplexLane(*lanes) if len(lanes) == 2 else lanes[0])
    try:
        result = row.kernel(COMPLEX_LANES, *given, **attrs)
    except NotLowered:
        raise
    except Exception as error:  # noqa: BLE001  # the kernel uses what lanes do not support
        raise NotLowered(f"{row.name}: {error}") from None
    if isinstance(result, ComplexLane):
        return code, [result.real.value, result.imag.value]
    if isinstance(result, Lane):
        return code, [result.value]
    raise NotLowered(f"{row.name} gives {type(result).__name__}")


def has_pair_lanes(row: Any) -> bool:
    """Whether a row's kernel takes a complex number in place of an array."""
    try:
        _template(row, ("cf4",), {})
    except NotLowered:
        return False
    return True
