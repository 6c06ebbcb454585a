"""Against recorded results of TensorFlow 2.21: value, gradient, second order and forward mode, in
eager mode, in a graph run by a session, and in a function.

The records hold calls of the public API with their inputs, and what TensorFlow returned. There are
three rules:

- where TensorFlow raised an error there is nothing to compare;
- where TensorFlow contradicts the mathematics (the "quirks" of a case), it is not followed;
- None and a tensor are different first gradients; at second order and in forward mode None counts
  as zeros.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

pytestmark = pytest.mark.usefixtures("interpreted")

Case = dict[str, Any]
RECORDS = Path(__file__).parent / "data" / "oracle.json.gz"
CASES: list[Case] = json.loads(gzip.decompress(RECORDS.read_bytes()))["cases"]

# How near a result must be, by dtype: relative to itself, and absolute for a size of one.
NEAR = {
    "float64": (1e-6, 1e-7),
    "complex128": (1e-6, 1e-7),
    "float32": (2e-4, 2e-5),
    "complex64": (2e-4, 2e-5),
    "float16": (3e-2, 1e-2),
    "bfloat16": (3e-2, 1e-2),
}


# ---- records ----------------------------------------------------------------------------------


def numbers(record: list[Any]) -> Any:
    """The array of a record, [dtype, shape, elements], in the widest dtype of its kind."""
    dtype, shape, flat = record
    if dtype.startswith("complex"):
        return np.array([complex(float(a), float(b)) for a, b in flat], complex).reshape(shape)
    if dtype in NEAR:
        return np.array([float(v) for v in flat], float).reshape(shape)
    return np.array(flat, dtype).reshape(shape)


def tensor(array: Any, dtype: str) -> Any:
    return tf.cast(tf.constant(array), dtype)


def fixed(tag: str, record: list[Any]) -> Any:
    """The cotangent or tangent that was used when the case was recorded: it follows from its name.

    Multiples of 1/64 between 1/4 and 3/2, of either sign: exact in every dtype.
    """
    dtype, shape, _ = record
    random = np.random.RandomState(int(hashlib.sha256(tag.encode()).hexdigest()[:8], 16))

    def draw() -> Any:
        sizes, signs = random.randint(16, 97, shape), random.randint(0, 2, shape)
        return np.asarray(sizes * (2 * signs - 1) / 64.0)

    first = draw()
    return tensor(first + 1j * draw() if dtype.startswith("complex") else first, dtype)


def directions(case: Case, role: str) -> list[Any]:
    return [fixed(f"{case['id']}/{role}/{n}", case["inputs"][n]) for n in case["diff"]]


# ---- what is compared -------------------------------------------------------------------------


def inputs(case: Case) -> dict[str, Any]:
    return {n: tensor(numbers(r), r[0]) for n, r in case["inputs"].items()}


def results(case: Case, named: dict[str, Any]) -> list[Any]:
    scope: dict[str, Any] = {"tf": tf, "np": np}
    exec(case.get("prelude", ""), scope)
    return list(tf.nest.flatten(eval(case["expr"], scope | named)))


def smooth(case: Case, ys: list[Any]) -> list[tuple[int, Any]]:
    """The results with a gradient, and where they stand."""
    return [(i, y) for i, y in enumerate(ys) if case["value"][i][0] in NEAR]


def by_tape(ys: list[Any], sources: list[Any], seeds: list[Any], tape: Any) -> list[Any]:
    return list(tape.gradient(ys, sources, output_gradients=seeds))


def by_graph(ys: list[Any], sources: list[Any], seeds: list[Any], tape: Any) -> list[Any]:
    return list(tf.gradients(ys, sources, grad_ys=seeds))


def gradients(case: Case, named: dict[str, Any], pull: Any = by_tape) -> list[Any]:
    sources = [named[n] for n in case["diff"]]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        ys = results(case, named)
    seen = smooth(case, ys)
    if not seen and pull is by_tape:
        with pytest.warns(tf.errors.GradientWarning):
            return list(tape.gradient(ys, sources))
    if not seen:
        return list(tf.gradients(ys, sources))
    seeds = [fixed(f"{case['id']}/out{i}", case["value"][i]) for i, _ in seen]
    return pull([y for _, y in seen], sources, seeds, tape)


def second_gradients(case: Case, named: dict[str, Any], pull: Any = by_tape) -> list[Any]:
    sources = [named[n] for n in case["diff"]]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        found = gradients(case, named, pull)
        first = [g if g is None else tf.convert_to_tensor(g) for g in found]
    pairs = zip(first, directions(case, "second"), strict=True)
    kept = [(g, v) for g, v in pairs if g is not None]
    if not kept:
        return [None] * len(sources)
    targets, seeds = zip(*kept, strict=True)
    return pull(list(targets), sources, list(seeds), tape)


def derivatives(case: Case, named: dict[str, Any], function: Any = None) -> list[Any]:
    sources = [named[n] for n in case["diff"]]
    with tf.autodiff.ForwardAccumulator(sources, directions(case, "forward")) as acc:
        ys = results(case, named) if function is None else function(named)
    return [acc.jvp(y) for _, y in smooth(case, ys)]


# ---- modes ------------------------------------------------------------------------------------

WORK = {"value": results, "gradient": gradients, "second": second_gradients}


def eagerly(case: Case, kind: str) -> list[Any]:
    named = inputs(case)
    return derivatives(case, named) if kind == "forward" else WORK[kind](case, named)


def in_a_function(case: Case, kind: str) -> list[Any]:
    work = WORK["value" if kind == "forward" else kind]

    @tf.function
    def traced(*values: Any) -> list[Any]:
        return work(case, dict(zip(case["inputs"], values, strict=True)))

    def call(named: dict[str, Any]) -> list[Any]:
        return list(traced(*named.values()))

    named = inputs(case)
    return derivatives(case, named, call) if kind == "forward" else call(named)


def in_a_graph(case: Case, kind: str) -> list[Any]:
    arrays = {name: np.asarray(x) for name, x in inputs(case).items()}
    with tf.Graph().as_default():
        named, feed = {}, {}
        for name, record in case["inputs"].items():
            array = arrays[name]
            named[name] = tf.compat.v1.placeholder(record[0], array.shape)
            feed[named[name]] = array
        work: Any = WORK[kind]
        found = work(case, named) if kind == "value" else work(case, named, by_graph)
        tensors = [y if y is None else tf.convert_to_tensor(y) for y in found]
        with tf.compat.v1.Session() as session:
            values = iter(session.run([y for y in tensors if y is not None], feed))
        pairs = [(y, None if y is None else next(values)) for y in tensors]
    return [v if y is None else tf.constant(v, y.dtype) for y, v in pairs]


MODES = {"eager": eagerly, "graph": in_a_graph, "function": in_a_function}

# ---- comparison -------------------------------------------------------------------------------


def assert_recorded(got: Any, record: list[Any] | None, none_is_zeros: bool, loose: float) -> None:
    """A result is the recorded one."""
    if got is None or record is None:
        there = got if record is None else numbers(record)
        if none_is_zeros and there is not None:
            assert not np.any(np.asarray(there))
        else:
            assert there is None
        return
    dense = tf.convert_to_tensor(got)
    assert dense.dtype.name == record[0]
    want = numbers(record)
    have = np.asarray(dense).astype(want.dtype)
    assert have.shape == want.shape
    if record[0] not in NEAR:
        assert np.array_equal(have, want)
        return
    relative, absolute = (loose * v for v in NEAR[record[0]])
    size = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)))
    np.testing.assert_allclose(have, want, rtol=relative, atol=absolute * size)


def expected(case: Case, kind: str, mode: str) -> Any:
    """What TensorFlow gave; a mode has a record of its own where it differs."""
    return case.get(mode, {}).get(kind, case.get(kind))


# In a function TensorFlow pushes nothing through a fused batch norm; the derivative is there.
BEYOND = {("nn.fused_batch_norm.train", "forward", "function")}


def recorded() -> list[Any]:
    """Every case, kind and mode in which there is something to compare."""
    chosen = []
    for case in CASES:
        for kind in ("value", "gradient", "second", "forward"):
            for mode in MODES:
                skipped = kind in case.get("quirks", ()) or (kind, mode) == ("forward", "graph")
                skipped |= (case["id"], kind, mode) in BEYOND
                if not skipped and isinstance(expected(case, kind, mode), list):
                    chosen.append(pytest.param(case, kind, mode, id=f"{case['id']}-{kind}-{mode}"))
    return chosen


@pytest.mark.parametrize(("case", "kind", "mode"), recorded())
def test_recorded(case: Case, kind: str, mode: str) -> None:
    """What TensorFlow computed."""
    got, want = MODES[mode](case, kind), expected(case, kind, mode)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert_recorded(g, w, kind in ("second", "forward"), case.get("tol", 1.0))
