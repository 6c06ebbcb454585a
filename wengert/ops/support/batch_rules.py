"""Batching rules that several families share: shift axis attributes past the batch axis.

A rule receives which inputs are batched, the size of the batch, the inputs with the batch axis in
front, and the attributes; it returns the result with the batch axis in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.batch import align
from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import TABLE
from wengert.values.bound_ops import bound
from wengert.values.tensor import dims

BatchRule = Callable[[Sequence[bool], int, Sequence[Any], Attrs], Any]


def with_attrs(name: str, change: Callable[[Attrs, int], Attrs]) -> BatchRule:
    """Run the operation on all examples at once, with changed attributes.

    Inputs that are not batched are repeated, so this suits operations whose inputs are alike
    (concat, stack) or that have only one.
    """

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        row: Row = TABLE[name]
        return apply(row, batch_all(batched, size, xs), attrs | change(attrs, size))

    return rule


def batch_all(batched: Sequence[bool], size: int, xs: Sequence[Any]) -> list[Any]:
    """All inputs with a batch axis."""
    return [
        x if b else bound.broadcast_to(x, (size, *dims(x)))
        for x, b in zip(xs, batched, strict=True)
    ]


def all_at_once(name: str) -> BatchRule:
    """For operations that treat each element, or each example, apart."""
    return with_attrs(name, lambda attrs, n: {})


def beside_the_first(name: str) -> BatchRule:
    """For elementwise operations whose result has the shape of the first input, as others must broadcast."""

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        first = batch_all(batched[:1], size, xs[:1])
        return apply(TABLE[name], align([True, *batched[1:]], [*first, *xs[1:]]), attrs)

    return rule


def shift_axis(name: str) -> BatchRule:
    """For operations along `axis`, counted from the front, or from the end if ranks are unknown."""
    return with_attrs(name, lambda attrs, n: {"axis": attrs["axis"] + (attrs["axis"] >= 0)})


def shift_axes(name: str) -> BatchRule:
    """For operations along several axes, counted from the front."""
    return with_attrs(name, lambda attrs, n: {"axis": tuple(a + 1 for a in attrs["axis"])})


def merged_batch(name: str, sizes: str = "orig_input_shape") -> BatchRule:
    """For operations on batches of images: all examples' images are merged into one batch.

    `sizes` is the name of the attribute that says the shape of the result, if there is one.
    """

    def rule(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Any:
        merged = [
            bound.reshape(x, (size * dims(x)[1], *dims(x)[2:]))
            for x in batch_all(batched, size, xs)
        ]
        shape = attrs.get(sizes)
        if shape is not None:
            attrs = attrs | {sizes: (size * shape[0], *shape[1:])}
        y = apply(TABLE[name], merged, attrs)
        return bound.reshape(y, (size, dims(y)[0] // size, *dims(y)[1:]))

    return rule
