"""Dead code, and matrix products merged into few large ones.

A recurrent network multiplies the same weights by one slice after another, and adds up as many
small products for their gradient. Adjacent slices form one matrix, and a sum of products is the
product of the concatenated matrices: sum(A_i B_i) = [A_1 A_2 ...] [B_1; B_2; ...].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.arrays import (
    Base,
    Input,
    Literal,
    Map,
    Pieces,
    Product,
    Reduction,
    View,
    is_plain,
    reshape,
    row_major,
    transpose,
    whole,
)
from wengert.engines.native.frontend.lowering import Lowering, leading_dimension, piece_of
from wengert.engines.native.optimize.aliases import Alias, Readers, needed, pinned, resolved
from wengert.engines.native.optimize.assemble import assemble
from wengert.engines.native.optimize.roll import roll

# Products with a longer inner axis gain nothing from being merged, nor do larger ones from being merged
# where their matrices have to be copied for it.
LONG: Final = 1024


def simplify(low: Lowering, wanted: Sequence[View]) -> list[Any]:
    """The items of a lowering that are needed, some of them replaced by cheaper ones."""
    items = needed(low.items, wanted)
    rolled = roll(assemble(items, wanted), wanted)
    if rolled is not items:
        items = needed(rolled, wanted)
    if not any(type(item) is Product for item in items):
        return items
    items = _side_by_side(items, wanted)
    items = _replaced(items, wanted, _summed_product)
    items = _sums_of_products(items, wanted)
    items = _replaced(items, wanted, _moved_product)
    items = _replaced(items, wanted, _onto)
    return needed(items, wanted)


# ---- slices of one array times the same matrix --------------------------------------------------


def _side_by_side(items: list[Any], wanted: Sequence[View]) -> list[Any]:
    """Products of adjacent slices by the same matrix, as one product."""
    families: dict[Any, list[Product]] = {}
    kept = pinned(items, wanted)
    for item in items:
        if type(item) is Product and len(item.shape) == 2 and id(item) not in kept:
            a, b = item.views
            key = (id(a.base), a.shape, a.strides, id(b.base), b.offset, b.shape, b.strides)
            families.setdefault(key, []).append(item)
    larger: dict[int, Product] = {}
    aliases: dict[int, Alias] = {}
    for family in families.values():
        joined = _joined([p.views[0] for p in sorted(family, key=_begin)])
        if len(family) < 2 or joined is None:
            continue
        first = family[0]
        rows, columns = first.shape
        product = Product(
            (rows * len(family), columns), first.kind, [joined, first.views[1]], first.place
        )
        larger[id(first)] = product
        for k, part in enumerate(sorted(family, key=_begin)):
            aliases[id(part)] = Alias(part, product, k * rows * columns)
    if not aliases:
        return items
    found: list[Any] = []
    for item in items:
        if id(item) in larger:
            found.append(larger[id(item)])
        found.append(aliases.get(id(item), item))
    return resolved(found, wanted)


def _begin(product: Product) -> int:
    return product.views[0].offset


def _joined(views: Sequence[View]) -> View | None:
    """Vertically adjacent matrices of one array, as one matrix."""
    first = views[0]
    rows, columns = first.shape
    if rows == 1 or (first.strides[1] != 1 and columns != 1):
        return None
    for k, view in enumerate(views):
        at = first.offset + k * rows * first.strides[0]
        if view.base is not first.base or view.offset != at or view.strides != first.strides:
            return None
    return View(first.base, (rows * len(views), columns), first.offset, first.strides)


# ---- sums of products ---------------------------------------------------------------------------


class _Sums:
    """Finds sums of products, and replaces each by one product."""

    def __init__(self, items: Sequence[Any], wanted: Sequence[View]) -> None:
        self.items = items
        self._only_reader = Readers(items, wanted).only
        self._stacks: dict[Any, View] = {}

    def found(self) -> list[Any]:
        found: list[Any] = []
        for item in self.items:
            if _is_sum(item) and not _is_sum(self._only_reader(item)):
                made = self._instead(item)
                if made is not None:
                    found += made
                    continue
            found.append(item)
        return found

    def _terms(self, root: Map) -> list[View]:
        """The terms that a tree of additions adds up."""
        found, waiting = [], list(reversed(root.views))
        while waiting:
            view = waiting.pop()
            base = view.base
            if _is_sum(base) and self._only_reader(base) is not None:
                waiting += reversed(base.views)  # type: ignore[attr-defined]
            else:
                found.append(view)
        return found

    def _instead(self, root: Map) -> list[Any] | None:
        """One product plus the terms that are not products; None unless it replaces several."""
        terms = self._terms(root)
        products = [
            v.base
            for v in terms
            if type(v.base) is Product
            and v.base.shape == root.shape  # not a transposed vector
            and self._only_reader(v.base) is not None
            and v.base.views[0].shape[-1] <= LONG
        ]
        if len(products) < 2 or (max(root.shape) > LONG and not _lie_together(products)):
            return None
        chosen = {id(p) for p in products}
        others = [v for v in terms if id(v.base) not in chosen]
        return [*self._as_one(root, products), *self._with(root, others)]

    def _as_one(self, root: Map, products: Sequence[Any]) -> list[Any]:
        by_left = sorted(products, key=_begin)
        if _joined(_left_turned(by_left)) is not None:
            products = by_left
        made: list[Any] = []
        a = self._stack(_left_turned(products), made, root.place)
        b = self._stack([p.views[1] for p in products], made, root.place)
        self._product = Product(root.shape, root.kind, [transpose(a, (1, 0)), b], root.place)
        return [*made, self._product]

    def _with(self, root: Map, others: Sequence[View]) -> list[Any]:
        made: list[Any] = []
        total: Base = self._product
        for view in others:
            total = Map(
                root.shape, root.kind, root.code, root.result, [whole(total), view], root.place
            )
            made.append(total)
        return [*made, Alias(root, total, 0)]

    def _stack(self, views: Sequence[View], made: list[Any], place: Any) -> View:
        """Matrices stacked vertically: a view if memory has them so, otherwise a copy."""
        joined = _joined(views)
        if joined is not None:
            return joined
        key = tuple([(id(v.base), v.shape, v.offset, v.strides) for v in views])
        found = self._stacks.get(key)
        if found is None:
            columns = views[0].shape[1]
            target = Pieces((sum(v.shape[0] for v in views), columns), views[0].kind, place)
            begin = 0
            for view in views:
                goal = View(target, view.shape, begin * columns, row_major(view.shape))
                target.pieces.append(piece_of(view, goal, place))
                begin += view.shape[0]
            made += [*target.pieces, target]
            found = self._stacks[key] = whole(target)
        return found


def _left_turned(products: Sequence[Any]) -> list[View]:
    return [transpose(p.views[0], (1, 0)) for p in products]


def _lie_together(products: Sequence[Any]) -> bool:
    """Whether the matrices of products are one matrix in memory, so that none has to be copied."""
    ordered = sorted(products, key=_begin)
    return (
        _joined(_left_turned(ordered)) is not None
        and _joined([p.views[1] for p in ordered]) is not None
    )


def _is_sum(item: Any) -> bool:
    """Whether an array is the sum of two matrices."""
    if type(item) is not Map or len(item.shape) != 2 or len(item.views) != 2:
        return False
    ops = [op for op, *_ in item.code.instructions]
    return ops == ["param", "param", "add"] and all(
        v.shape == item.shape and is_plain(v) for v in item.views
    )


def _sums_of_products(items: Sequence[Any], wanted: Sequence[View]) -> list[Any]:
    return resolved(_Sums(items, wanted).found(), wanted)


WIDE: Final = 128  # columns or rows at which threads can share one product


def _summed_product(item: Any, only: Any) -> Product | None:
    """A sum of products over batch axes as one product, with these merged into its inner axis."""
    if type(item) is not Reduction or item.how != "sum" or item.along != "first":
        return None
    product = item.view.base
    if type(product) is not Product or only(product) is not item or not is_plain(item.view):
        return None
    if item.shape != product.shape[-2:] or max(item.shape) < WIDE or product.places is not None:
        return None
    # The rows of both are stacked, so that the batch axes and the inner axis become one.
    views = [_below(_turned(product.views[0])), _below(product.views[1])]
    if views[0] is None or views[1] is None:
        return None
    return Product(item.shape, item.kind, [_turned(views[0]), views[1]], item.place)


def _turned(view: View) -> View:
    axes = range(len(view.shape))
    return transpose(view, [*axes[:-2], axes[-1], axes[-2]])


def _below(view: View) -> View | None:
    """Matrices stacked vertically, if BLAS can read that."""
    found = reshape(view, (math.prod(view.shape[:-1]), view.shape[-1]))
    return None if found is None or leading_dimension(found) is None else found


# ---- products that are written in another order -----------------------------------------------------


def _replaced(
    items: Sequence[Any], wanted: Sequence[View], instead: Callable[[Any, Any], Product | None]
) -> list[Any]:
    """The items in their order, each replaced where a product computes the same."""
    only = Readers(items, wanted).only
    found: list[Any] = []
    for item in items:
        made = instead(item, only)
        found += [item] if made is None else [made, Alias(item, made, 0)]
    return resolved(found, wanted)


def _moved_product(item: Any, only: Any) -> Product | None:
    """A product that is only copied into another order, written in that order at once."""
    if type(item) is not Map or [op for op, *_ in item.code.instructions] != ["param"]:
        return None
    view = item.views[0]
    product = view.base
    if type(product) is not Product or product.places is not None or only(product) is not item:
        return None
    usual = row_major(product.shape)
    axes = [usual.index(s) if s in usual else -1 for s in view.strides]
    if sorted(axes) != list(range(len(usual))) or view.offset or 1 in product.shape:
        return None
    if view.size != product.size:  # a part of it, which has no room for the whole
        return None
    if axes[-1] != len(usual) - 1:  # BLAS writes contiguous rows
        return None
    moved = Product(item.shape, product.kind, product.views, product.place)
    strides = row_major(item.shape)
    moved.places = View(
        moved, product.shape, 0, tuple([strides[axes.index(i)] for i in range(len(axes))])
    )
    return moved


# ---- products that are added to something ----------------------------------------------------------


def _onto(item: Any, only: Any) -> Product | None:
    """The product that computes array + factor * product."""
    if type(item) is not Map or len(item.views) != 2 or not all(map(is_plain, item.views)):
        return None
    ops = [op for op, *_ in item.code.instructions]
    if ops not in (["param", "param", "add"], ["param", "param", "sub"]):
        return None
    if item.code.instructions[2][2] != (0, 1):
        return None
    for other, term in ((0, 1), (1, 0)) if ops[2] == "add" else ((0, 1),):
        scaled = _scaled_product(item.views[term], item, only)
        if scaled is None or item.views[other].base is scaled[0]:
            continue
        if type(item.views[other].base) not in (Map, Product, Input, Reduction):
            continue
        product, factor = scaled
        if any(v.base is item.views[other].base for v in product.views):
            continue  # BLAS reads its operands while it writes
        made = Product(product.shape, product.kind, product.views, item.place)
        made.factor = -factor if ops[2] == "sub" else factor
        made.onto = whole_like(item.views[other], product.shape)
        return made
    return None


def whole_like(view: View, shape: tuple[int, ...]) -> View:
    return View(view.base, shape, 0, row_major(shape))


def _scaled_product(view: View, reader: Any, only: Any) -> tuple[Product, float] | None:
    """A product, or a number times one, that has no other reader."""
    base, factor = view.base, 1.0
    if type(base) is Map and only(base) is reader and len(base.views) == 2:
        factor_found = _factor(base)
        if factor_found is None:
            return None
        (inner, factor), reader = factor_found, base
        if not is_plain(inner):
            return None
        base = inner.base
    if type(base) is not Product or only(base) is not reader:
        return None
    if base.onto is not None or base.places is not None:
        return None
    return base, factor


def _factor(item: Map) -> tuple[View, float] | None:
    """The view and the factor, if an array is a number times a view."""
    ops = [op for op, *_ in item.code.instructions]
    if ops != ["param", "param", "mul"]:
        return None
    for k in (0, 1):
        base = item.views[k].base
        if type(base) is Literal and math.isfinite(base.value):
            return item.views[1 - k], float(base.value)
    return None
