"""Lowering of the operations: along one axis after the other. `rules` is loaded on first use."""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.native.frontend.arrays import Dims, View
from wengert.engines.native.frontend.lowering import ROUTINES, Lowering
from wengert.engines.native.frontend.numbers.complex_numbers import PAIR_RULES, Pair
from wengert.graph.operation import Operation
from wengert.host.locks import load_module

NAMES: Final = ("FFT", "FFT2D", "FFT3D", "FFTND")
_RULES: Final = "wengert.engines.native.frontend.fourier.rules"


def _along(low: Lowering, z: Pair, axes: Dims, inverse: bool) -> Pair:
    for axis in axes:
        scale = 1.0 / z.shape[axis] if inverse else 1.0
        z = Pair(*load_module(_RULES).transformed(low, z.real, z.imag, axis, inverse, scale))
    return z


def _forward(low: Lowering, op: Operation, z: Pair, *, axes: Dims) -> Pair:
    return _along(low, z, axes, False)


def _inverse(low: Lowering, op: Operation, z: Pair, *, axes: Dims) -> Pair:
    return _along(low, z, axes, True)


def _of_real(low: Lowering, op: Operation, x: View, *, axes: Dims, size: int) -> Pair:
    found = Pair(*load_module(_RULES).from_real(low, x, axes[-1], x.shape[axes[-1]]))
    return _along(low, found, axes[:-1], False)


def _to_real(low: Lowering, op: Operation, z: Pair, *, axes: Dims, size: int) -> View:
    z = _along(low, z, axes[:-1], True)
    found: View = load_module(_RULES).to_real(low, z.real, z.imag, axes[-1], size, 1.0 / size)
    return found


_BY_KIND: dict[str, Any] = {"": _forward, "I": _inverse, "R": _of_real, "IR": _to_real}
for _name in NAMES:
    for _kind, _rule in _BY_KIND.items():
        PAIR_RULES[f"{_kind}{_name}"] = _rule
        ROUTINES.add(f"{_kind}{_name}")
