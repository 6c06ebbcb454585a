"""The numbers that flow through a graph: of each value, and of its cotangent."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wengert.execution.engine_registry import REFERENCE
from wengert.execution.plan import given_value, has_effects
from wengert.execution.subgraph import Subgraph
from wengert.insight.explain.arrays import array_of, finite
from wengert.insight.source.derivation import Derivation
from wengert.state.variable import Variable
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import wrap

_FEW: Final = 8  # elements that are shown themselves

Numbers = dict[int, dict[str, str]]  # what a click shows, by the id of a tensor


def numbers_of(d: Derivation) -> Numbers:
    """Run the graph once at the values that it was made of, and say what every operation gave."""
    if any(isinstance(x, SymbolicTensor) for x in d.given):
        raise ValueError(
            "Numbers need values: give tf.draw a function and its arguments, or ask the tape, tape.draw(y, x, "
            "numbers=True). The tensors of a graph have no values before it runs."
        )
    tensors = [y for op in d.graph.operations for y in op.outputs]
    d.graph.engine = REFERENCE  # which computes each of them, and joins none
    outside = [*d.given, *d.graph.captured]
    if has_effects(d.graph):  # which shall not change the program's variables
        outside = [Variable(x) if isinstance(x, Variable) else x for x in outside]
    values = [given_value(x) for x in outside]
    found = dict(zip(map(id, tensors), Subgraph(d.graph, tensors).run_on(values), strict=True))
    said = {key: described(value) for key, value in found.items()}
    of = {y._key: y for y in tensors}
    for cotangent, key in d.cotangents.items():
        if key in of and said.get(cotangent):
            own = said[cotangent]
            said[id(of[key])] |= {f"gradient{_joined(k)}": text for k, text in own.items()}
    return said


def _joined(key: str) -> str:
    return "" if key == "value" else f", {key}"


def described(value: Any) -> dict[str, str]:
    """An array in a few words: itself if it is small, its range and its size otherwise, and what is odd about it."""
    array = array_of(wrap(value)) if isinstance(value, (np.ndarray, np.generic)) else None
    if array is None or array.dtype == object:
        return {}
    facts = {"value": _short(array) if array.size <= _FEW else _range(array)}
    bad = ~finite(array)
    if bad.any():
        nan = int(np.isnan(array).sum())
        counts = [(nan, "NaN"), (int(bad.sum()) - nan, "infinite")]
        facts["not finite"] = f"{_listed(counts)} of {array.size}"
    zeros = array.size - int(np.count_nonzero(array))
    if zeros and array.size > _FEW:
        facts["zeros"] = f"{zeros} of {array.size}"
    return facts


def _short(array: Any) -> str:
    form = (lambda x: f"{x:.5g}") if array.dtype.kind in "fc" else str
    return " ".join(np.array2string(array, separator=", ", formatter={"all": form}).split())


def _range(array: Any) -> str:
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} are true"
    sizes = np.abs(array) if array.dtype.kind == "c" else array
    kept = sizes[finite(sizes)].astype(np.float64)
    if not kept.size:
        return "no finite number"
    of = "sizes " if array.dtype.kind == "c" else ""
    if kept.min() == kept.max():
        return f"{of}all {kept.min():.5g}, norm {_norm(kept):.5g}"
    span = f"{of}{kept.min():.5g} to {kept.max():.5g}, mean {kept.mean():.5g}"
    return f"{span}, norm {_norm(kept):.5g}"


def _norm(numbers: Any) -> float:
    largest = float(np.abs(numbers).max())
    return largest * float(np.linalg.norm(numbers / largest)) if largest else 0.0


def _listed(counts: list[tuple[int, str]]) -> str:
    return ", ".join(f"{n} {what}" for n, what in counts if n)
