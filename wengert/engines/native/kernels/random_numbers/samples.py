"""Uniform and normal samples, as Philox makes their words: nothing is written but the samples."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.frontend.random_lanes import normal, uniform, words_after
from wengert.engines.native.frontend.scalar import TYPE_OF
from wengert.engines.native.frontend.templates import code_of
from wengert.engines.native.kernels.random_numbers.philox import about
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.runtime.processor import vector_bytes
from wengert.values.dtypes import DType

_PART: Final = 1 << 10  # blocks


def samples(name: str, counter: int, key: int, count: int, apart: int, dtype: DType) -> Any:
    """What so many blocks give, each so many after the one before: samples (count, 4), or 2 of float64."""
    kind = TYPE_OF.get(dtype.numpy_dtype)
    if kind not in ("f4", "f8"):
        return None
    width = vector_bytes() // 8
    groups, each = -(-count // width), 16 // dtype.size
    found = np.empty((groups * width, each), dtype.numpy_dtype)
    part, known = _PART // width, about(counter, key)
    _samples(name, dtype, width)(-(-groups // part), (groups, part, apart), known, found)
    return found[:count]


_OF_WORDS: Final = {"uniform": uniform, "normal": normal}


@kernel
def _samples(name: str, dtype: DType, width: int) -> str:
    """The kernel: a vector of blocks at a time, whose samples are written side by side."""
    made, kind, whole = _OF_WORDS[name], TYPE_OF[dtype.numpy_dtype], llvm_type("i8", width)
    scalar_code, results = code_of(
        lambda *given: made(words_after(*given), dtype), ["i8", "u8", "u8", "u8"]
    )
    code, values = elementary.expanded(scalar_code, results)
    w = KernelWriter(2, 3)
    (known, found), (groups, part, apart) = w.arrays, w.numbers
    low, high, key = (
        w.spread(llvm_type("u8", 1), w.read("u8", known, k, 1), width) for k in range(3)
    )
    places = ", ".join(f"i64 {k}" for k in range(width))
    steps = w.set(f"mul {whole} <{places}>, {w.spread('i64', apart, width)}")

    def group(i: str) -> None:
        begin = w.spread("i64", w.mul(w.mul(i, width), apart), width)
        at = w.set(f"add {whole} {begin}, {steps}")
        sides = w.code(code, [at, key, low, high], width, values, w.called)
        target = w.mul(i, width * len(sides))
        w.write(kind, found, target, _zipped(w, kind, sides, width), width * len(sides))

    w.share(part, groups, group)
    return w.text()


def _zipped(w: KernelWriter, kind: str, vectors: list[str], width: int) -> str:
    """The first elements of all vectors, then the second ones, and so on."""
    if len(vectors) == 1:
        return vectors[0]
    even, odd = (_zipped(w, kind, vectors[k::2], width) for k in (0, 1))
    size = width * len(vectors) // 2
    places = ", ".join(f"i32 {k + side * size}" for k in range(size) for side in (0, 1))
    half = llvm_type(kind, size)
    return w.set(f"shufflevector {half} {even}, {half} {odd}, <{2 * size} x i32> <{places}>")
