"""LLVM IR for reductions: their neutral elements, and combining two partial results."""

from __future__ import annotations

import math
from typing import Any

from wengert.engines.native.codegen.vectors import Body, llvm_type
from wengert.engines.native.frontend.scalar import constant, is_float


def neutral(how: str, kind: str) -> Any:
    """The neutral element of a sum, a product or an extreme, as the extra of a constant."""
    if how in ("any", "all"):
        return how == "all"
    if how == "sum":  # adding -0.0 changes nothing, not even -0.0
        return constant(kind, -0.0 if is_float(kind) else 0)
    if how == "prod":
        return constant(kind, 1)
    if is_float(kind):
        return constant(kind, math.inf if how == "min" else -math.inf)
    bits = 8 * int(kind[1])
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return low if how == "max" else high


def combine(body: Body, how: str, kind: str, a: str, b: str, width: int) -> str:
    """Combine two partial sums, products or extremes."""
    kinds, truth = llvm_type(kind, width), llvm_type("b1", width)
    if how in ("any", "all"):
        return body.set(f"{'or' if how == 'any' else 'and'} {kinds} {a}, {b}")
    if how in ("sum", "prod"):
        word = "add" if how == "sum" else "mul"
        return body.set(f"{'f' if is_float(kind) else ''}{word} {kinds} {a}, {b}")
    if not is_float(kind):
        sign = "s" if kind[0] == "i" else "u"
        better = body.set(f"icmp {sign}{'gt' if how == 'max' else 'lt'} {kinds} {b}, {a}")
        return body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")
    if how == "top":  # the maximum, with no regard for NaN
        better = body.set(f"fcmp ogt {kinds} {b}, {a}")
        return body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")
    # NaN propagates: a new one is taken, an old one kept.
    better = body.set(f"fcmp {'ogt' if how == 'max' else 'olt'} {kinds} {b}, {a}")
    largest = body.set(f"select {truth} {better}, {kinds} {b}, {kinds} {a}")  # one instruction
    nan = body.set(f"fcmp uno {kinds} {b}, {b}")
    return body.set(f"select {truth} {nan}, {kinds} {b}, {kinds} {largest}")


def across(body: Body, how: str, kind: str, vector: str, width: int) -> str:
    """Reduce a vector to a scalar: halves, then their halves, and so on."""
    while width > 1:
        half = width // 2
        pair = [half_of(body, vector, kind, width, h) for h in (0, 1)]
        vector = combine(body, how, kind, pair[0], pair[1], half)
        width = half
    return vector


def half_of(body: Body, vector: str, kind: str, width: int, which: int) -> str:
    """One half of a vector; an element if there are two."""
    kinds = llvm_type(kind, width)
    if width == 2:
        return body.set(f"extractelement {kinds} {vector}, i32 {which}")
    places = ", ".join(f"i32 {which * width // 2 + k}" for k in range(width // 2))
    return body.set(
        f"shufflevector {kinds} {vector}, {kinds} poison, <{width // 2} x i32> <{places}>"
    )
