"""A permutation from random words, by the Fisher-Yates shuffle; and the inverse of a permutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.frontend.scalar import TYPE_OF


def permutation(words: Any) -> Any:
    """The integers up to the number of words, each exchanged with one behind it, or itself."""
    order = np.arange(len(words) + 1)
    _exchanges()(1, (len(order),), words, order)
    return order


@kernel
def _exchanges() -> str:
    w = KernelWriter(2, 1)
    (words, order), (count,) = w.arrays, w.numbers

    def exchange(i: str, _: list[str]) -> None:
        word = w.set(f"zext i32 {w.read('u4', words, i, 1)} to i64")
        other = w.add(i, w.div(word, w.sub(count, i))[1])
        here, there = (w.read("i8", order, k, 1) for k in (i, other))
        w.write("i8", order, i, there, 1)
        w.write("i8", order, other, here, 1)

    w.loop(0, w.sub(count, 1), 1, exchange)
    return w.text()


def inverse(order: Any) -> Any:
    """Where each integer is; None if one is missing, which is an error, and for other dtypes."""
    kind = TYPE_OF.get(order.dtype)
    if kind not in ("i4", "i8"):
        return None
    found = np.full(order.shape, -1, order.dtype)
    _inverse(kind)(1, (len(order),), np.ascontiguousarray(order), found)
    return None if found.min(initial=0) < 0 else found


@kernel
def _inverse(kind: str) -> str:
    w = KernelWriter(2, 1)
    (order, found), (count,) = w.arrays, w.numbers

    def enter(i: str, _: list[str]) -> None:
        place, number = w.read(kind, order, i, 1), i
        if kind == "i4":
            place, number = w.set(f"sext i32 {place} to i64"), w.set(f"trunc i64 {i} to i32")
        is_inside = w.set(f"icmp ult i64 {place}, {count}")
        w.when(is_inside, lambda: w.write(kind, found, place, number, 1))

    w.loop(0, count, 1, enter)
    return w.text()
