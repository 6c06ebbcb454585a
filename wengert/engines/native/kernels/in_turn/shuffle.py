"""A permutation from random words, by the Fisher-Yates shuffle."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel


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
