"""Arrays as loops: which are kept in memory, which stand within the expressions of others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Count,
    Dims,
    Literal,
    Map,
    Piece,
    Pieces,
    Product,
    Reduction,
    View,
    row_major,
)
from wengert.engines.native.frontend.scalar import Code
from wengert.insight.source.kernels import NotWritableError
from wengert.insight.source.nests.index import Index, summed
from wengert.insight.source.nests.language import Language
from wengert.insight.source.nests.lowered import Written
from wengert.insight.source.nests.nest import Array, Block, Line, Nest, Remark, Store, nests_in
from wengert.insight.source.nests.scalars import expression
from wengert.insight.source.text import Text

_ONCE: Final = (Map,)  # whose elements an expression can compute where they are read
_WIDER: Final = {"f4": "f8"}  # sums of floats are added up as doubles


class Emission:
    """Writes the loops of arrays, in the order in which it is given them."""

    def __init__(
        self, language: Language, letters: Sequence[str], free: Callable[[str], str]
    ) -> None:
        self.language = language
        self.letters = letters
        self.free = free
        self.lines: list[Line] = []
        self.arrays: list[Array] = []
        self.pinned: set[str] = set()  # arrays that more than loops read
        self.uses: Counter[int] = Counter()  # how many arrays read one
        self.often: set[int] = set()  # those of which an element is read more than once
        self.called: dict[int, Callable[[], str]] = {}  # the names of arrays that have one
        self.shapes: dict[int, Dims] = {}  # the shapes of the program's values
        self.goals: dict[int, Array] = {}  # arrays that are handed out
        self.remark: Callable[[Any], str] = lambda place: ""
        self.places: dict[int, Array | str] = {}  # arrays in memory, and variables

    # ---- which are kept ------------------------------------------------------------------------

    def is_kept(self, base: Base) -> bool:
        """Whether an array has memory of its own."""
        if isinstance(base, (Literal, Count)):
            return False
        if not isinstance(base, _ONCE):
            return True
        return self.uses[id(base)] > 1 or id(base) in self.often or id(base) in self.called

    def count(self, base: Base) -> None:
        """Count what an array reads."""
        for view in base.operands:
            inner = view.base
            self.uses[id(inner)] += 1
            is_spread = math.prod(view.shape) > inner.size
            if is_spread or isinstance(base, (Product, Written)):
                self.often.add(id(inner))

    # ---- reading -------------------------------------------------------------------------------

    def text(self, view: View, nest: Nest, index: Sequence[Index]) -> Text:
        """An element of a view."""
        parts = [i.times(s) for i, s in zip(index, view.strides, strict=True)]
        at = summed(parts) + Index(view.offset)
        return self._of_base(view.base, nest, at)

    def _of_base(self, base: Base, nest: Nest, at: Index) -> Text:
        if isinstance(base, Literal):
            return self.language.number(base.kind, base.value)
        if isinstance(base, Count):
            return at.text()
        place = self.places.get(id(base))
        if isinstance(place, str):
            return Text(place)
        if place is not None:
            return self.read(place, nest, at)
        if not isinstance(base, _ONCE):
            raise NotWritableError(f"an array of {type(base).__name__}")
        return self.value(base, nest, self._apart(base.shape, at))

    def read(self, array: Array, nest: Nest, at: Index) -> Text:
        """An element of an array in memory."""
        text = self.language.element(array.name, array.shape, at)
        nest.reads.setdefault(array.name, set()).add(text.text)
        return text

    def value(self, base: Base, nest: Nest, index: Sequence[Index]) -> Text:
        """What an element is computed by."""
        assert isinstance(base, Map)
        texts = [self.text(v, nest, index) for v in base.views]
        return self.code(base.code, base.result, texts, nest)

    def code(self, code: Code, result: int, texts: Sequence[Text], nest: Nest) -> Text:
        """Scalar code, with names for what it needs more than once."""

        def bind(kind: str, text: Text) -> Text:
            name = self.free("t")
            nest.lines.append(self.language.defined(kind, name, text.text))
            return Text(name)

        return expression(self.language, code, result, texts, bind)

    def _apart(self, shape: Dims, at: Index) -> list[Index]:
        """An index for each axis."""
        found = []
        for n in reversed(shape):
            at, rest = at.divided(max(n, 1), self.language.division)
            found.append(rest)
        return found[::-1]

    # ---- writing -------------------------------------------------------------------------------

    def nest(self, sizes: Sequence[int], inside: Nest | None = None) -> Nest:
        """Loops, perhaps within others."""
        return Nest(sizes, self.letters, inside.depth if inside else 0)

    def add(self, nest: Nest, place: Any = None) -> None:
        """Loops that follow what is there, or are done with the loops before."""
        remark = self.remark(place) if place is not None else ""
        if remark:
            nest.remarks.append(Remark(remark))
        last = self.lines[-1] if self.lines else None
        if isinstance(last, Nest) and last.takes(nest):
            last.take(nest)
        else:
            self.lines.append(nest)

    def inner(self, nest: Nest, inner: Nest) -> None:
        """Loops within others are complete."""
        nest.note(inner)
        nest.lines += [inner] if inner.counts else inner.lines

    def store(self, array: Array, nest: Nest, at: Index, value: Text, adds: bool = False) -> None:
        """An assignment to an element."""
        place = self.language.element(array.name, array.shape, at).text
        nest.writes.setdefault(array.name, set()).add(place)
        if adds:  # in each round perhaps to the same element
            nest.writes[array.name].add("")
            nest.lines.append(f"{place} += {value}{self.language.end}")
        else:
            nest.lines.append(Store(array, place, value.text))

    def overwrite(self, array: Array, nest: Nest, at: Index, value: Text) -> None:
        """An assignment to an element, of which there may be several to the same one."""
        self.store(array, nest, at, value)
        nest.writes[array.name].add("")

    def store_if(self, condition: str, array: Array, nest: Nest, at: Index, value: Text) -> None:
        """An addition to an element where a condition holds."""
        self.store(array, nest, at, value, adds=True)
        nest.lines.append(Block(self.language.when(condition), [nest.lines.pop()]))

    def flat(self, shape: Sequence[int], index: Sequence[Index]) -> Index:
        """Where an element stands in row-major order."""
        return summed(i.times(s) for i, s in zip(index, row_major(tuple(shape)), strict=True))

    def array(self, base: Base) -> Array:
        """Memory for an array."""
        found = self.goals.get(id(base))
        if found is None:
            named = self.called.get(id(base))
            shape = self.shapes.get(id(base), base.shape)
            found = Array(named() if named else self.free("t"), base.kind, shape, "local")
        self.arrays.append(found)
        self.places[id(base)] = found
        return found

    def variable(self, base: Base) -> str:
        """A name for a single number."""
        named = self.called.get(id(base))
        name = named() if named else self.free("t")
        self.places[id(base)] = name
        return name

    def write(self, base: Base) -> None:
        """The loops that compute an array, if it is kept."""
        if isinstance(base, Piece) or not self.is_kept(base) or id(base) in self.places:
            return
        if isinstance(base, Reduction):
            self._reduction(base)
        elif isinstance(base, Product):
            self._product(base)
        elif isinstance(base, Pieces):
            target = self.array(base)
            for piece in base.pieces:
                self.copy(target, piece.views[0], piece.place, piece.target)
        elif isinstance(base, Written):
            base.write(self, self.array(base), base.views)
        elif isinstance(base, _ONCE):
            self._elements(base)

    def _is_number(self, base: Base) -> bool:
        """Whether an array is a single number, and has no axes in the program either."""
        has_axes = self.shapes.get(id(base), base.shape) != () or id(base) in self.goals
        return base.shape == () and not has_axes

    def _elements(self, base: Base) -> None:
        nest = self.nest(base.shape)
        value = self.value(base, nest, nest.index)
        if self._is_number(base):
            name = self.variable(base)
            nest.lines.append(self.language.defined(base.kind, name, value.text))
        else:
            array = self.places.get(id(base)) or self.array(base)
            assert isinstance(array, Array)
            self.store(array, nest, self.flat(base.shape, nest.index), value)
        self.add(nest, base.place)

    def copy(self, target: Array, view: View, place: Any = None, at: View | None = None) -> None:
        """The elements of a view, written into an array; `at` says where they go."""
        nest = self.nest(view.shape)
        value = self.text(view, nest, nest.index)
        if at is None:
            goal = self.flat(view.shape, nest.index)
        else:
            parts = [i.times(s) for i, s in zip(nest.index, at.strides, strict=True)]
            goal = summed(parts) + Index(at.offset)
        self.store(target, nest, goal, value)
        self.add(nest, place)

    # ---- reductions and products -----------------------------------------------------------------

    def _reduction(self, base: Reduction) -> None:
        kept = len(base.shape)
        outer = self.nest(base.shape)
        inner = self.nest(base.view.shape[kept:], outer)
        value = self.text(base.view, inner, [*outer.index, *inner.index])
        self._accumulated(base, outer, inner, base.how, value)

    def _product(self, base: Product) -> None:
        a, b = base.views
        outer = self.nest(base.shape)
        inner = self.nest([a.shape[-1]], outer)
        *batch, row, column = outer.index
        x = self.text(a, inner, [*batch, row, inner.index[0]])
        y = self.text(b, inner, [*batch, inner.index[0], column])
        self._accumulated(base, outer, inner, "sum", self.language.binary("*", base.kind, x, y))

    def _accumulated(self, base: Base, outer: Nest, inner: Nest, how: str, value: Text) -> None:
        """Loops that add up, or find an extreme, for each element of the result."""
        language, is_scalar = self.language, self._is_number(base)
        kind = _WIDER.get(base.kind, base.kind) if how == "sum" else base.kind
        first = language.number(kind, _first(how, kind))
        is_direct = is_scalar and kind == base.kind
        name = self.variable(base) if is_direct else self.free(_ACCUMULATORS[how])
        begins = language.defined(kind, name, first.text, changes=True)
        inner.lines.append(self._step(how, name, base.kind, value))
        if not is_scalar:
            outer.lines.append(begins)
            self.inner(outer, inner)
            total = Text(name) if kind == base.kind else language.cast(base.kind, kind, Text(name))
            self.store(self.array(base), outer, self.flat(base.shape, outer.index), total)
            self.add(outer, base.place)
            return
        inner.before.append(begins)
        inner.totals.add(name)
        self.add(inner, base.place)
        if not is_direct:
            end = language.cast(base.kind, kind, Text(name))
            self.lines.append(language.defined(base.kind, self.variable(base), end.text))

    def _step(self, how: str, name: str, kind: str, value: Text) -> str:
        language = self.language
        if how == "sum":
            return f"{name} += {value}{language.end}"
        if how == "prod":
            return f"{name} *= {value}{language.end}"
        known = Text(name)
        if how in ("any", "all"):
            both = language.truth("or" if how == "any" else "and", known, value)
            return f"{name} = {both}{language.end}"
        sign = "<" if how == "min" else ">"
        better = language.binary(sign, kind, value, known)
        if kind[0] == "f":  # NaN is the largest and the smallest of all
            better = language.truth("or", better, language.function("isnan", kind, value))
        return f"{name} = {language.select(better, value, known)}{language.end}"

    # ---- at the end ----------------------------------------------------------------------------

    def finish(self) -> None:
        """Arrays of which each round of one nest needs its own element alone become variables."""
        nests = nests_in(self.lines)
        for array in list(self.arrays):
            if array.role != "local" or array.name in self.pinned:
                continue
            users = [n for n in nests if array.name in n.reads or array.name in n.writes]
            places = set[str]().union(
                *[u.get(array.name, ()) for n in users for u in (n.reads, n.writes)]
            )
            if len(users) == 1 and len(places) == 1 and _is_stored(users[0], array):
                users[0].scalar(array, places.pop(), self.language)
                self.arrays.remove(array)
            elif not users:
                self.arrays.remove(array)


def _is_stored(nest: Nest, array: Array) -> bool:
    """Whether an array is written once, in the outermost of the loops."""
    return sum(isinstance(line, Store) and line.array is array for line in nest.lines) == 1


_ACCUMULATORS: Final = {
    "sum": "total", "prod": "product", "max": "largest", "top": "largest", "min": "smallest",
    "any": "found", "all": "each",
}  # fmt: skip


def _first(how: str, kind: str) -> Any:
    """What an accumulator begins with."""
    if how in ("sum", "prod"):
        return how == "prod"
    if how in ("any", "all"):
        return how == "all"
    is_least = how != "min"
    if kind[0] == "f":
        return -math.inf if is_least else math.inf
    bits = 8 * int(kind[1])
    if kind[0] == "u":
        return 0 if is_least else 2**bits - 1
    return -(2 ** (bits - 1)) if is_least else 2 ** (bits - 1) - 1
