"""Lowering of Fourier transforms of complex and of real numbers, along one axis after the other."""

from __future__ import annotations

from typing import Any

from wengert.engines.native.frontend.arrays import Dims, View
from wengert.engines.native.frontend.fourier.rules import from_real, to_real, transformed
from wengert.engines.native.frontend.lowering import ROUTINES, Lowering
from wengert.engines.native.frontend.numbers.complex_numbers import PAIR_RULES, Pair
from wengert.graph.operation import Operation

NAMES = ("FFT", "FFT2D", "FFT3D", "FFTND")


def _along(low: Lowering, z: Pair, axes: Dims, inverse: bool) -> Pair:
    for axis in axes:
        scale = 1.0 / z.shape[axis] if inverse else 1.0
        z = Pair(*transformed(low, z.real, z.imag, axis, inverse, scale))
    return z


def _forward(low: Lowering, op: Operation, z: Pair, *, axes: Dims) -> Pair:
    return _along(low, z, axes, False)


def _inverse(low: Lowering, op: Operation, z: Pair, *, axes: Dims) -> Pair:
    return _along(low, z, axes, True)


def _of_real(low: Lowering, op: Operation, x: View, *, axes: Dims, size: int) -> Pair:
    found = Pair(*from_real(low, x, axes[-1], x.shape[axes[-1]]))
    return _along(low, found, axes[:-1], False)


def _to_real(low: Lowering, op: Operation, z: Pair, *, axes: Dims, size: int) -> View:
    z = _along(low, z, axes[:-1], True)
    return to_real(low, z.real, z.imag, axes[-1], size, 1.0 / size)


_RULES: dict[str, Any] = {"": _forward, "I": _inverse, "R": _of_real, "IR": _to_real}
for _name in NAMES:
    for _kind, _rule in _RULES.items():
        PAIR_RULES[f"{_kind}{_name}"] = _rule
        ROUTINES.add(f"{_kind}{_name}")
