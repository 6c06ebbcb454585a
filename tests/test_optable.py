"""Every operation against NumPy, against differences, and against itself in every mode."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from batched_cases import batch_choices, examples, mapped, named, shared_of, stacked
from numeric import (
    arrays,
    assert_near,
    assert_same,
    directional,
    forward_over_reverse,
    gradients_or_zeros,
    inner,
    length,
    like,
    outcomes,
    pullback,
    pushforward,
    restricted,
    reverse_over_forward,
    reverse_over_reverse,
    smooth,
    tangents,
    tensors,
)
from optable import CASES, LINES
from samples import Case

import wengert as tf
from wengert.core.context import also_listening
from wengert.core.table import TABLE, complete

SMOOTH = [c for c in CASES if c.varied and not c.line.constant]
CONSTANT = [c for c in CASES if c.varied and c.line.constant]
LOW = {
    "float32": (np.float32, 2.0**-23),
    "float16": (np.float16, 2.0**-10),
    "bfloat16": (ml_dtypes.bfloat16, 2.0**-7),
}


def is_complex(case: Case) -> bool:
    return any(x.dtype.kind == "c" for x in case.inputs())


every = pytest.mark.parametrize("case", CASES, ids=repr)
every_smooth = pytest.mark.parametrize("case", SMOOTH, ids=repr)
every_constant = pytest.mark.parametrize("case", CONSTANT, ids=repr)
every_low = named(
    [(c, k) for c in CASES if c.line.small and c.varied and not is_complex(c) for k in LOW]
    + [(c, "complex64") for c in CASES if c.line.small and is_complex(c)]
)
every_whole = named([(c, k) for c in CASES if not is_complex(c) for k in c.line.dtypes.split()])


def point(case: Case, draw: int = 0) -> tuple[Any, list[Any], list[Any], list[Any]]:
    """f as a function of its differentiable inputs, a point, and directions w and v there."""
    xs = tensors(case.inputs(draw))
    f = restricted(case.call, xs, case.varied)
    at = [xs[i] for i in case.varied]
    rng = case.rng(100 + draw)
    return f, at, tensors(like(rng, f(*at))), tensors(like(rng, at))


def in_numpy(f: Any) -> Any:
    return lambda xs: arrays(f(*tensors(xs)))


# ---- the table itself -------------------------------------------------------------------------


def test_table_is_complete() -> None:
    """Every operation has a line, and every line an operation."""
    complete()
    rows = {row.name for row in TABLE.values() if not row.users and not row.only_in_graphs}
    assert {one.type for one in LINES if not one.type.startswith("[")} == rows


class Heard:
    """A recorder that remembers which operations ran."""

    computes = False

    def __init__(self) -> None:
        self.names: list[str] = []

    def record(self, row: Any, inputs: Any, attrs: Any, result: Any) -> None:
        self.names.append(row.name)

    def follows(self, values: Any) -> bool:
        return False

    def accessed(self, variable: Any) -> None:
        pass


@pytest.mark.parametrize("case", [c for c in CASES if c.line.type[0] != "["], ids=repr)
def test_line_runs_its_operation(case: Case) -> None:
    """The public function carries out the operation that the line names."""
    heard: Any = Heard()
    with also_listening(heard):
        case.call(*tensors(case.inputs()))
    assert case.line.type in heard.names


# ---- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in CASES if c.line.reference], ids=repr)
def test_value(case: Case) -> None:
    """The value is NumPy's."""
    xs = case.inputs()
    got, want = arrays(outcomes(case.call, tensors(xs))), case.reference(*xs)
    assert_same(got, [w.astype(g.dtype) for g, w in zip(got, want, strict=True)], 1e-13)


@every_whole
def test_value_of_other_dtypes(case: Case, kind: str) -> None:
    """Integers and booleans keep their dtype, and the value is NumPy's."""
    rng = case.rng(1)
    xs = [
        rng.integers(0 if kind == "bool" else 1, 2 if kind == "bool" else 5, x.shape).astype(kind)
        if x.dtype.kind == "f"
        else x
        for x in case.inputs()
    ]
    kinds = [y.dtype for y in outcomes(case.call, tensors(case.inputs()))]
    got, want = arrays(outcomes(case.call, tensors(xs))), case.reference(*xs)
    for g, w, k in zip(got, want, kinds, strict=True):
        assert g.dtype == (kind if k is tf.float64 else k.as_numpy_dtype)
        assert np.array_equal(g, w.astype(g.dtype))


@every
def test_inputs_are_left_alone(case: Case) -> None:
    """Neither the operation nor its gradient changes an array it was given."""
    given = case.inputs()
    xs, copies = tensors(given), [g.copy() for g in given]
    held = [x._array for x in xs]
    ys = outcomes(case.call, xs)
    before = [np.array(y) for y in ys]
    if case in SMOOTH:
        f = restricted(case.call, xs, case.varied)
        at = [xs[i] for i in case.varied]
        ws = tensors(like(case.rng(9), f(*at)))
        ws_before = [np.array(w) for w in ws]
        pullback(f, at, ws)
        pushforward(f, at, at)
        assert all(np.array_equal(w, b) for w, b in zip(arrays(ws), ws_before, strict=True))
    assert all(np.array_equal(h, c) for h, c in zip(held, copies, strict=True))
    assert all(np.array_equal(y, b) for y, b in zip(arrays(ys), before, strict=True))


# ---- first order ------------------------------------------------------------------------------


@every_smooth
def test_reverse_equals_differences(case: Case) -> None:
    """<w, J v> by differences is <gradient of <w, f>, v>."""
    f, at, ws, vs = point(case)
    pushed = directional(in_numpy(f), arrays(at), arrays(vs))
    pulled = arrays(pullback(f, at, ws))
    size = length(arrays(ws)) * length(pushed)
    assert_near(inner(arrays(ws), pushed), inner(pulled, arrays(vs)), size, 1e-9)


@every_smooth
def test_gradient_has_the_form_of_its_input(case: Case) -> None:
    """A gradient has the shape and dtype of the input."""
    f, at, ws, _ = point(case)
    for x, g in zip(at, pullback(f, at, ws), strict=True):
        assert g.dtype is x.dtype
        assert g.shape == x.shape


@every_smooth
def test_forward_equals_differences(case: Case) -> None:
    """The tangent of each result is its derivative along the tangents of the inputs."""
    f, at, _, vs = point(case)
    want = directional(in_numpy(f), arrays(at), arrays(vs))
    got = arrays(pushforward(f, at, vs))
    assert [g.dtype for g in got] == [y.dtype for y in arrays(f(*at))]
    assert_same(got, want, 1e-9)


@every_smooth
def test_forward_is_adjoint_to_reverse(case: Case) -> None:
    """<w, J v> = <J^T w, v>, to rounding."""
    f, at, ws, vs = point(case)
    pushed, pulled = arrays(pushforward(f, at, vs)), arrays(pullback(f, at, ws))
    size = length(arrays(ws)) * length(pushed)
    assert_near(inner(arrays(ws), pushed), inner(pulled, arrays(vs)), size, 1e-12)


@every_smooth
def test_one_source_alone(case: Case) -> None:
    """The gradient and the tangent of one input do not need the others to be watched."""
    f, at, ws, vs = point(case)
    together = arrays(pullback(f, at, ws))
    pushed = []
    for i, (x, v) in enumerate(zip(at, vs, strict=True)):
        one = restricted(f, at, [i])
        assert_same(arrays(pullback(one, [x], ws)), [together[i]], 1e-13)
        pushed.append(arrays(tangents(one, [x], [v], "zero")))
    total = [sum(parts) for parts in zip(*pushed, strict=True)]
    assert_same(arrays(pushforward(f, at, vs)), total, 1e-12)


@every_smooth
def test_gradient_of_the_rule_in_its_cotangent(case: Case) -> None:
    """The reverse rule is linear in its cotangent; its derivative there is forward mode."""
    f, at, ws, vs = point(case)
    with tf.GradientTape() as tape:
        tape.watch(ws)
        pulled = pullback(f, at, ws)
    pushed = gradients_or_zeros(tape, pulled, ws, vs)
    assert_same(arrays(pushed), arrays(pushforward(f, at, vs)), 1e-12)


# ---- second order -----------------------------------------------------------------------------


@every_smooth
def test_second_order_equals_differences(case: Case) -> None:
    """The gradient of the gradient, against differences of the gradient."""
    f, at, ws, vs = point(case)
    us = like(case.rng(7), at)
    moved = directional(
        lambda xs: arrays(pullback(f, tensors(xs), ws)), arrays(at), us
    )  # H u, where H is the Hessian of <w, f>
    pulled = arrays(reverse_over_reverse(f, at, ws, vs))  # H v, as H is symmetric
    size = length(arrays(vs)) * length(moved)
    assert_near(inner(arrays(vs), moved), inner(pulled, us), size, 1e-8)


@every_smooth
def test_orders_of_modes_agree(case: Case) -> None:
    """Reverse over reverse, forward over reverse and reverse over forward are the same."""
    f, at, ws, vs = point(case)
    want = arrays(reverse_over_reverse(f, at, ws, vs))
    assert_same(arrays(forward_over_reverse(f, at, ws, vs)), want, 1e-11)
    assert_same(arrays(reverse_over_forward(f, at, ws, vs)), want, 1e-11)


@every_smooth
def test_forward_over_forward(case: Case) -> None:
    """The derivative of the derivative agrees with reverse mode: <w, D2 f(v, v)> = <H v, v>."""
    f, at, ws, vs = point(case)
    with tf.autodiff.ForwardAccumulator(at, vs) as acc:
        pushed = pushforward(f, at, vs)
    twice = arrays(acc.jvp(pushed, unconnected_gradients="zero"))
    h = arrays(reverse_over_reverse(f, at, ws, vs))
    size = length(arrays(ws)) * length(twice)
    assert_near(inner(arrays(ws), twice), inner(h, arrays(vs)), size, 1e-11)


# ---- without a derivative ---------------------------------------------------------------------


@every_constant
def test_no_gradient(case: Case) -> None:
    """What has no derivative gives None in both modes."""
    xs = tensors(case.inputs())
    sources = [xs[i] for i in case.varied]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        with tf.autodiff.ForwardAccumulator(sources, sources) as acc:
            ys = smooth(case.call, xs)
    assert tape.gradient(ys, sources) == [None] * len(sources)
    assert acc.jvp(ys) == [None] * len(ys)


# ---- batches ----------------------------------------------------------------------------------


@named(batch_choices())
def test_batched_value(case: Case, kind: Any) -> None:
    """A vectorized function gives the stacked results of the examples."""
    one, xs, want = mapped(case, kind)
    got = arrays(tf.vectorized_map(one, tuple(tensors(xs))))
    assert_same(got, want, 1e-13)


@named([(c, k) for c, k in batch_choices() if c in SMOOTH])
def test_batched_gradient(case: Case, kind: Any) -> None:
    """Gradients inside a vectorized function are the gradients of each example."""
    shared = shared_of(kind)
    rows = examples(case, shared)
    cotangents = []
    want_rows = []
    for k, xs in enumerate(rows):
        given = tensors(xs)
        f = restricted(case.call, given, case.varied)
        at = [given[i] for i in case.varied]
        ws = like(case.rng(50 + k), f(*at))
        cotangents.append(ws)
        want_rows.append(arrays(pullback(f, at, tensors(ws))))
    constant = tf.constant(rows[0][shared]) if shared is not None else None
    varying = [x for i, x in enumerate(stacked(rows)) if i != shared]

    def one(parts: Any) -> Any:
        given = list(parts[0])
        if shared is not None:
            given.insert(shared, constant)
        f = restricted(case.call, given, case.varied)
        return pullback(f, [given[i] for i in case.varied], list(parts[1]))

    elems = (tuple(tensors(varying)), tuple(tensors(stacked(cotangents))))
    assert_same(arrays(tf.vectorized_map(one, elems)), stacked(want_rows), 1e-12)


@named([(c, k) for c, k in batch_choices() if c in SMOOTH])
def test_gradient_through_a_batch(case: Case, kind: Any) -> None:
    """A tape outside sees the vectorized function; what is shared collects from all examples."""
    shared = shared_of(kind)
    rows = examples(case, shared)
    cotangents, pulled = [], []
    for k, xs in enumerate(rows):
        given = tensors(xs)
        f = restricted(case.call, given, case.varied)
        at = [given[i] for i in case.varied]
        cotangents.append(like(case.rng(50 + k), f(*at)))
        pulled.append(arrays(pullback(f, at, tensors(cotangents[-1]))))
    parts = stacked(pulled)
    want = [p.sum(0) if i == shared else p for i, p in zip(case.varied, parts, strict=True)]
    full = tensors([x[0] if i == shared else x for i, x in enumerate(stacked(rows))])

    def together(*xs: Any) -> list[Any]:
        def one(parts: Any) -> Any:
            given = list(parts)
            if shared is not None:
                given.insert(shared, xs[shared])
            return smooth(case.call, given)

        varying = tuple(x for i, x in enumerate(xs) if i != shared)
        return list(tf.vectorized_map(one, varying))

    f = restricted(together, full, case.varied)
    got = pullback(f, [full[i] for i in case.varied], tensors(stacked(cotangents)))
    assert_same(arrays(got), want, 1e-12)


# ---- other precisions -------------------------------------------------------------------------


def lowered(case: Case, kind: str) -> tuple[list[Any], list[Any], float]:
    """Inputs of a lower precision, the same numbers in double precision, and its epsilon."""
    if kind == "complex64":
        low = [x.astype("c8" if x.dtype.kind == "c" else x.dtype) for x in case.inputs()]
        return low, [x.astype("c16" if x.dtype.kind == "c" else x.dtype) for x in low], 2.0**-23
    dtype, epsilon = LOW[kind]
    low = [x.astype(dtype) if x.dtype.kind == "f" else x for x in case.inputs()]
    return low, [x.astype("f8") if x.dtype == dtype else x for x in low], epsilon


def quarters(case: Case, ys: list[Any]) -> list[Any]:
    """Cotangents that are exact in every precision."""
    rng = case.rng(3)
    return [(rng.integers(-6, 7, y.shape) / 4.0).astype(y.dtype) for y in ys]


def assert_rounded(got: list[Any], want: list[Any], epsilon: float, least: float) -> None:
    """Within a few roundings of what double precision gives, relative to the largest element.

    `least` is the size of what was added up, where sums can cancel.
    """
    for g, w in zip(map(np.asarray, got), map(np.asarray, want), strict=True):
        wide = np.complex128 if w.dtype.kind == "c" else np.float64
        size = max(float(np.max(np.abs(w), initial=0.0)), least)
        assert np.all(np.abs(g.astype(wide) - w.astype(wide)) <= epsilon * size)


def narrow(y: Any, kind: str) -> Any:
    """The dtype that a result has in the lower precision."""
    if kind == "complex64":
        return {tf.complex128: tf.complex64, tf.float64: tf.float32}.get(y.dtype, y.dtype)
    return tf.as_dtype(kind) if y.dtype is tf.float64 else y.dtype


@every_low
def test_lower_precision(case: Case, kind: str) -> None:
    """Results have the precision of the inputs, and are as good as that allows."""
    low, same, epsilon = lowered(case, kind)
    got, want = outcomes(case.call, tensors(low)), outcomes(case.call, tensors(same))
    assert [g.dtype for g in got] == [narrow(w, kind) for w in want]
    assert_rounded(got, want, 4 * epsilon, 0.01)


@named([(c, k) for c, k in [m.values for m in every_low.args[1]] if c in SMOOTH])
def test_gradient_in_lower_precision(case: Case, kind: str) -> None:
    """Gradients have the precision of the inputs, and are as good as that allows."""
    low, same, epsilon = lowered(case, kind)
    results = []
    for given in (tensors(low), tensors(same)):
        f = restricted(case.call, given, case.varied)
        at = [given[i] for i in case.varied]
        results.append(pullback(f, at, tensors(quarters(case, arrays(f(*at))))))
    got, want = results
    assert [g.dtype for g in got] == [narrow(w, kind) for w in want]
    assert_rounded(got, want, 16 * epsilon, 0.25)
