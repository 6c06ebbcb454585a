"""Lowering of einsum: a product of matrices, between views of the operands and of the result."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wengert.engines.native.frontend.arrays import View, broadcast, is_plain, transpose
from wengert.engines.native.frontend.lanes import LANES
from wengert.engines.native.frontend.lowering import Lowering, rule
from wengert.engines.native.frontend.scalar import NotLowered
from wengert.graph.operation import Operation


@rule("Einsum")
def _einsum(low: Lowering, op: Operation, x: View, y: View, *, equation: str) -> View:
    terms, _, out = equation.partition("->")
    left, right = terms.split(",")
    sizes = _sizes((left, x), (right, y))
    if any(len(set(term)) < len(term) for term in (left, right, out)):
        raise NotLowered("an einsum with a label twice in a term")
    x, left = _summed(low, x, left, right + out)
    y, right = _summed(low, y, right, left + out)
    inner = [c for c in left if c in right and c not in out]
    if not inner:
        views = [_spread(v, term, out, sizes) for v, term in ((x, left), (y, right))]
        return low.computed(LANES.multiply, *views)
    if out and out[-1] not in right:  # the result's rows are those of the right matrix
        x, y, left, right = y, x, right, left
    batch = [c for c in out if c in left and c in right]
    rows = [c for c in out if c not in right]
    columns = [c for c in out if c not in left]
    a = _matrices(low, x, left, [batch, rows, inner], sizes)
    b = _matrices(low, y, right, [batch, inner, columns], sizes)
    order = "".join([*batch, *rows, *columns])
    product = low.reshape(low.product(a, b), tuple([sizes[c] for c in order]))
    return _written_in_order(low, transpose(product, [order.index(c) for c in out]))


def _sizes(*operands: tuple[str, View]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term, view in operands:
        for label, size in zip(term, view.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                raise NotLowered("an einsum that broadcasts")
    return sizes


def _summed(low: Lowering, view: View, term: str, others: str) -> tuple[View, str]:
    """An operand, summed along the axes that appear nowhere else."""
    alone = [k for k, c in enumerate(term) if c not in others]
    if not alone:
        return view, term
    return low.reduced("sum", view, alone, False), "".join(c for c in term if c in others)


def _spread(view: View, term: str, out: str, sizes: dict[str, int]) -> View:
    """An operand with the axes of the result."""
    view = transpose(view, sorted(range(len(term)), key=lambda k: out.index(term[k])))
    strides = iter(view.strides)
    steps = tuple([next(strides) if c in term else 0 for c in out])
    once = tuple([sizes[c] if c in term else 1 for c in out])
    return broadcast(View(view.base, once, view.offset, steps), tuple([sizes[c] for c in out]))


def _matrices(
    low: Lowering, view: View, term: str, groups: Sequence[Sequence[str]], sizes: dict[str, int]
) -> View:
    """An operand as matrices: the axes of the batch, then two that the others are merged into."""
    batch, rows, columns = groups
    view = transpose(view, [term.index(c) for group in groups for c in group])
    merged = [math.prod([sizes[c] for c in group]) for group in (rows, columns)]
    return low.reshape(view, (*[sizes[c] for c in batch], *merged))


def _written_in_order(low: Lowering, view: View) -> View:
    """The result in row-major order: a product is written so at once, if nothing else reads it."""
    return view if is_plain(view) else low.copied(view)
