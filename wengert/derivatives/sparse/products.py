"""The products of a sparse Jacobian, and its elements read off them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from wengert.core.context import also_listening, current_graph
from wengert.core.reverse import conjugate, pull_back
from wengert.core.tape import LEAF, WIDTH, Tape, ways
from wengert.derivatives import structures
from wengert.derivatives.arguments import ArgNums, Arguments
from wengert.derivatives.forward import jvp
from wengert.derivatives.mapping import for_each
from wengert.derivatives.results import differentiable_result, without_aux
from wengert.derivatives.sparse.coloring import Split, color
from wengert.derivatives.sparse.pattern import Links, Pattern, Place, outline, pattern_of, same
from wengert.derivatives.sparse.reading import read_off
from wengert.derivatives.trail import Event, Trail
from wengert.host.locks import load_module
from wengert.ops.arrays.gathering import gather, unsorted_segment_sum
from wengert.ops.arrays.joining import concat
from wengert.ops.arrays.shaping import reshape
from wengert.ops.math.elementwise import cast, zeros_like
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.bound_ops import bound
from wengert.values.convert import convert
from wengert.values.shapes import Dims
from wengert.values.tensor import dims, key_of


def colored_jacobian(
    f: Callable[..., Any],
    argnums: ArgNums,
    chunk_size: int | None,
    has_aux: bool,
    sparse: bool | str,
    coloring: str,
    symmetric: bool = False,
) -> Callable[..., Any]:
    """The function of the Jacobian of a function, by as few products as its pattern allows."""
    known: list[Kept] = []
    form: Form = "scipy" if sparse == "scipy" else "tensor" if sparse else "dense"

    @functools.wraps(f, updated=())
    def whole(*args: Any, **kwargs: Any) -> Any:
        if form == "scipy" and current_graph() is not None:
            raise ValueError(
                "sparse='scipy' is for derivatives that are computed at once; in a function or a "
                "graph take sparse=True, and make the matrix of the SparseTensor that comes out."
            )
        run = Run(Arguments(f, args, kwargs, argnums, who="jacobian"), has_aux, "jacobian")
        kind = only_in_reverse(coloring) if run.is_complex else coloring
        kept = kept_for(run, known, kind, symmetric and not run.is_complex)
        parts = blocks(run, kept, nonzeros(run, kept, chunk_size), form)
        found = structures.pack(run.value, [run.given.pack(row) for row in parts])
        return (found, run.aux) if has_aux else found

    return whole


def only_in_reverse(coloring: str) -> str:
    """The coloring for complex values, of which one forward direction does not give both parts."""
    if coloring in ("auto", "rows"):
        return "rows"
    raise ValueError(
        f"coloring={coloring!r} takes products in forward mode, of which each gives only half of a "
        "derivative by a complex number. For complex arguments or results take 'rows'."
    )


class Kept(NamedTuple):
    """What an earlier call with the same outline has found: the pattern, and how to split it."""

    outline: Any
    pattern: Pattern
    split: Split


class Run:
    """One call of a function, with all that it computed."""

    def __init__(self, given: Arguments, has_aux: bool, who: str) -> None:
        self.given = given
        self.has_aux = has_aux
        self.tape = Tape()
        for leaf in given.leaves:
            self.tape.watch(leaf)
        trail = Trail()
        with also_listening(self.tape), trail.active():
            value, self.aux = without_aux(given.call(), has_aux, who)
            self.targets = [differentiable_result(y, who) for y in structures.flatten(value)]
        self.value = structures.pack(value, self.targets)
        self.events: list[Event] = trail.events

    @property
    def is_complex(self) -> bool:
        """Whether some argument or result is complex."""
        return any(v.dtype.is_complex for v in (*self.given.leaves, *self.targets))

    def at(self, place: Place) -> Any:
        """The argument or result at a place."""
        if isinstance(place, tuple):
            return self.events[place[0]].results[place[1]]
        return self.given.leaves[place]


def kept_for(run: Run, known: list[Kept], kind: str, symmetric: bool = False) -> Kept:
    """The pattern of a call, and its colors: known from an earlier one, or found now."""
    line = outline(run.events, run.given.leaves, run.targets)
    if line is not None:
        line = [kind, symmetric, *line]
        for kept in known:
            if same(kept.outline, line):
                return kept
    pattern = pattern_of(run.events, run.given.leaves, run.targets)
    found = Kept(line, pattern, color(pattern, kind, symmetric))
    if line is not None:
        known[:] = [*known[-7:], found]
    return found


def nonzeros(run: Run, kept: Kept, chunk_size: int | None) -> Any:
    """The elements of the Jacobian that can differ from zero, in the order of the links."""
    pattern, split = kept.pattern, kept.split
    count = pattern.links.total
    dtype = _common_dtype([*run.given.leaves, *run.targets])
    total: Any = None
    if split.rows.total:
        products = _pulled(run, pattern, split, dtype, chunk_size)
        ends = split.by_rows[pattern.belongs]
        size = dims(products)[1]
        rows, columns = (part[ends] for part in pattern.end_links)
        values = gather(reshape(products, (-1,)), split.rows.colors[rows] * size + columns)
        total = unsorted_segment_sum(values, pattern.belongs[ends], count)
    if split.columns.total:
        products = _pushed(run, pattern, split, dtype, chunk_size)
        mine = ~split.by_rows
        rows, columns = (part[mine] for part in pattern.links)
        values = read_off(split.columns, Links(rows, columns), products)
        if not mine.all():
            values = unsorted_segment_sum(values, np.flatnonzero(mine), count)
        total = values if total is None else total + values
    return convert(np.zeros(0, dtype.as_numpy_dtype)) if total is None else total


def _common_dtype(values: Sequence[Any]) -> Any:
    return convert(np.zeros(0, np.result_type(*[v.dtype.as_numpy_dtype for v in values]))).dtype


def _units(colors: Any, count: int, like: Sequence[Any]) -> list[Any]:
    """For each color the sum of its unit vectors, in tensors of the shapes of some, with colors in front."""
    units = np.zeros((count, len(colors)))
    there = np.flatnonzero(colors >= 0)
    units[colors[there], there] = 1.0
    ends = np.cumsum([math.prod(dims(x)) for x in like])
    parts = np.split(units, ends[:-1], axis=1)
    return [
        convert(part.reshape(count, *dims(x)).astype(x.dtype.as_numpy_dtype))
        for part, x in zip(parts, like, strict=True)
    ]


def _joined(parts: Sequence[Any], dtype: Any, count: int) -> Any:
    """Products as one matrix, a row for each color."""
    return concat([cast(reshape(part, (count, -1)), dtype) for part in parts], 1)


# ---- reverse mode -------------------------------------------------------------------------------


def _pulled(run: Run, pattern: Pattern, split: Split, dtype: Any, chunk_size: int | None) -> Any:
    """The products of rows: a gradient by the ends for each color."""
    count = split.rows.total
    ends = [run.at(place) for place in pattern.ends]
    tape = _cut(run.tape, {key_of(run.at(place)) for place in pattern.moves}, ends)

    def one(*seeds: Any) -> list[Any]:
        found = pull_back(tape, run.targets, seeds, ends, drain=False)
        return [
            zeros_like(x) if g is None else conjugate(bound.to_dense(g))
            for g, x in zip(found, ends, strict=True)
        ]

    seeds = _units(split.rows.colors, count, run.targets)
    return _joined(for_each(one, count, seeds, chunk_size), dtype, count)


def _cut(tape: Tape, moved: set[Any], ends: Sequence[Any]) -> Tape:
    """The tape without what only moves elements, so that gradients stop at what is moved."""
    found = Tape()
    for at, (_, out) in enumerate(ways(tape.records)):
        if moved.isdisjoint(out):
            found.positions.update(dict.fromkeys(out, len(found.records)))
            found.records += tape.records[at * WIDTH : (at + 1) * WIDTH]
    for x in ends:
        found.positions[key_of(x)] = LEAF
        found.watched[key_of(x)] = x
    return found


# ---- forward mode -------------------------------------------------------------------------------


def _pushed(run: Run, pattern: Pattern, split: Split, dtype: Any, chunk_size: int | None) -> Any:
    """The products of columns: a derivative along a direction for each color."""
    count, given = split.columns.total, run.given

    def one(*directions: Any) -> list[Any]:
        def function(*leaves: Any) -> list[Any]:
            value = given.call(leaves)
            return structures.flatten(value[0] if run.has_aux else value)

        return list(jvp(function, given.leaves, directions)[1])

    directions = _units(split.columns.colors, count, given.leaves)
    return _joined(for_each(one, count, directions, chunk_size), dtype, count)


# ---- results ------------------------------------------------------------------------------------


Form = Literal["tensor", "scipy", "dense"]


def blocks(run: Run, kept: Kept, values: Any, form: Form) -> list[list[Any]]:
    """For each result, for each argument, its part of the Jacobian."""
    links = kept.pattern.links
    found, below = [], 0
    for y in run.targets:
        height, beside, row = math.prod(dims(y)), 0, []
        for x in run.given.leaves:
            width = math.prod(dims(x))
            mine = (links.rows >= below) & (links.rows < below + height)
            mine &= (links.columns >= beside) & (links.columns < beside + width)
            own = Links(links.rows[mine] - below, links.columns[mine] - beside)
            part = values if mine.all() else gather(values, np.flatnonzero(mine))
            row.append(_FORMS[form](own, cast(part, x.dtype), dims(y), dims(x)))
            beside += width
        found.append(row)
        below += height
    return found


def _as_tensor(links: Links, values: Any, y: Dims, x: Dims) -> SparseTensor:
    indices = np.concatenate([_coordinates(links.rows, y), _coordinates(links.columns, x)], 1)
    return SparseTensor(indices, values, (*y, *x))


def _coordinates(numbers: Any, shape: Dims) -> Any:
    """The places of elements, by their numbers."""
    columns = np.unravel_index(numbers, shape) if shape else ()  # NumPy takes no empty shape
    return np.stack(columns, 1) if columns else np.zeros((len(numbers), 0), np.int64)


def _as_dense(links: Links, values: Any, y: Dims, x: Dims) -> Any:
    height, width = math.prod(y), math.prod(x)
    full = unsorted_segment_sum(values, links.rows * width + links.columns, height * width)
    return reshape(full, (*y, *x))


def _as_scipy(links: Links, values: Any, y: Dims, x: Dims) -> Any:
    shape = math.prod(y), math.prod(x)
    starts = np.concatenate([[0], np.cumsum(np.bincount(links.rows, minlength=shape[0]))])
    csr = load_module("scipy.sparse").csr_matrix
    found = np.asarray(values)
    if found.dtype.itemsize < 4:  # SciPy has no matrices of half precision
        found = found.astype(np.float32)
    return csr((found, links.columns, starts), shape=shape)


_FORMS: Final[dict[str, Callable[..., Any]]] = {
    "tensor": _as_tensor,
    "scipy": _as_scipy,
    "dense": _as_dense,
}
