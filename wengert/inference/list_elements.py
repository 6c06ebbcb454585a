"""What a graph tells of the lists in it: how many elements they have, and the shape of each.

It is asked for where a graph is replayed for known sizes, and follows from the operations that made
a list. What loops and branches give is noted when they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.inference.symbolic_integers import bounds_of_all, known_bounds, known_value
from wengert.values.dtypes import VARIANT
from wengert.values.sizes import Bounds
from wengert.values.symbolic import AnyShape, SymbolicTensor, is_certain

if TYPE_CHECKING:
    from wengert.core.row import Attrs

UNWRITTEN: Final = "unwritten"  # in place of a shape: no element was written


class Elements(NamedTuple):
    """What is known of a list; None stands for what is not."""

    length: int | None
    shape: Any  # of each element; if it is a list, what is known of that
    bounds: Bounds | None = None  # between which its integers lie


UNKNOWN: Final = Elements(None, None)


def is_list(x: Any) -> bool:
    """Whether a value of a graph is a list."""
    return getattr(x._array, "dtype", None) is VARIANT


def elements_known(x: SymbolicTensor) -> Elements:
    """What is known of a list in a graph."""
    waiting = [x]
    while waiting:
        y = waiting[-1]
        known = y.op.graph.elements
        sources = _RULES.get(y.op.row.name, _NO_RULE).lists(y.op.inputs)
        missing = [s for s in sources if id(s) not in known]
        if id(y) in known or not missing:
            waiting.pop()
            known.setdefault(id(y), _by_rule(y))
        waiting += missing if id(y) not in known else []
    found: Elements = x.op.graph.elements[id(x)]
    return found


def note_elements(x: SymbolicTensor, elements: Elements) -> None:
    """Say what is known of a list that enters a graph, or that a loop or branches give."""
    x.op.graph.elements[id(x)] = elements


def emitted_elements(inside: SymbolicTensor) -> Elements:
    """What is known of the list of what a loop emits in each iteration."""
    if is_list(inside):
        return Elements(None, elements_known(inside))
    return Elements(None, _shape(inside), known_bounds(inside))


def joined(a: Elements, b: Elements) -> Elements:
    """What holds for either of two lists."""
    return Elements(a.length if a.length == b.length else None, _shape_of_both(a.shape, b.shape))


def _shape_of_both(a: Any, b: Any) -> Any:
    if UNWRITTEN in (a, b):
        return b if a == UNWRITTEN else a
    return a if a == b else None


def refined(inputs: Sequence[Any], attrs: Attrs) -> Attrs:
    """The attributes of an operation that reads a list, with all that is known of the elements."""
    said = attrs.get("shape", ())
    open_ = said is None or None in said or ("count" in attrs and attrs["count"] is None)
    if not open_ or type(inputs[0]) is not SymbolicTensor:
        return attrs
    known = elements_known(inputs[0])
    more: dict[str, Any] = {}
    if type(known.shape) is tuple and (said is None or len(said) == len(known.shape)):
        more["shape"] = known.shape
    if "count" in attrs and attrs["count"] is None:
        more["count"] = known.length
    return {**attrs, **more}


# ---- by the operation that made it --------------------------------------------------------------


class _Rule(NamedTuple):
    found: Callable[[Sequence[Any], Attrs], Elements]
    of_lists: int = 0  # its first inputs, which are lists themselves

    def lists(self, inputs: Sequence[Any]) -> Sequence[SymbolicTensor]:
        return [x for x in inputs[: self.of_lists] if is_list(x)]


def _by_rule(x: SymbolicTensor) -> Elements:
    bodies = x.op.row.bodies
    if bodies is not None:
        return bodies.elements(x.op, x.value_index)  # type: ignore[no-any-return]
    outside = x.op.graph.outside_of(x)
    if type(outside) is SymbolicTensor:
        return elements_known(outside)
    return _RULES.get(x.op.row.name, _NO_RULE).found(x.op.inputs, x.op.attrs)


def _known(x: SymbolicTensor) -> Elements:
    found: Elements = x.op.graph.elements.get(id(x), UNKNOWN)
    return found


def _shape(x: SymbolicTensor) -> tuple[int, ...] | None:
    shape = x._array.shape
    return tuple(map(int, shape)) if is_certain(shape) else None


def _made(xs: Sequence[Any], attrs: Attrs) -> Elements:
    size = known_value(xs[0])
    return Elements(None if size is None or attrs.get("grows") else int(size), UNWRITTEN)


def _rows(xs: Sequence[Any], attrs: Attrs) -> Elements:
    shape = xs[0]._array.shape
    if isinstance(shape, AnyShape):
        return UNKNOWN
    length = int(shape[0]) if is_certain(shape[:1]) else None
    known = tuple(map(int, shape[1:])) if is_certain(shape[1:]) else None
    return Elements(length, known, bounds_of_all(xs[0]))


def _written(xs: Sequence[Any], attrs: Attrs) -> Elements:
    list_ = _known(xs[0])
    return Elements(list_.length, _shape_of_both(list_.shape, _shape(xs[2])))


_NO_RULE: Final = _Rule(lambda xs, attrs: UNKNOWN)
_SAME: Final = _Rule(lambda xs, attrs: _known(xs[0]), 1)
_RULES: Final = {
    "TensorListReserve": _Rule(_made),
    "TensorListFromTensor": _Rule(_rows),
    "TensorListSetItem": _Rule(_written, 1),
    "TensorListOnlyItem": _Rule(lambda xs, attrs: Elements(_known(xs[0]).length, _shape(xs[2])), 1),
    "TensorListClearItem": _SAME,
    "TensorListZerosLike": _SAME,
    "ZerosLike": _SAME,
    "TensorListAdd": _Rule(lambda xs, attrs: joined(_known(xs[0]), _known(xs[1])), 2),
}
