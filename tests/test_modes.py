"""What holds in eager mode holds in a session and in a function: values, gradients, shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numeric import arrays, assert_same, like, outcomes, restricted, tensors
from optable import CASES
from samples import Case

import wengert as tf
from wengert.core.dispatch import apply
from wengert.core.row import Row

pytestmark = pytest.mark.usefixtures("interpreted")


def one_a_line(cases: Sequence[Case]) -> list[Case]:
    """The first case of each line."""
    return list({c.line.type: c for c in reversed(cases)}.values())[::-1]


KNOWN = {"static": lambda x: x.shape, "sizes": lambda x: [None] * x.ndim, "rank": lambda x: None}
FORMS = list(KNOWN)
# A variable cannot be made of a tensor that a function is given, nor a generator, which has one.
MAKES_VARIABLES = ("ReadVariableOp", "RngAdvanced")
# A graph must know how many slices there will be.
COUNTS_BY_SIZE = ("Unpack",)
PURE = [c for c in CASES if not c.is_stateful and c.line.type not in MAKES_VARIABLES]
SMOOTH = [c for c in PURE if c.varied and not c.line.constant]


def foreseeable(cases: Sequence[Case]) -> list[Case]:
    return [c for c in one_a_line(cases) if c.line.type not in COUNTS_BY_SIZE]


every = pytest.mark.parametrize("case", PURE, ids=repr)
lines = pytest.mark.parametrize("case", foreseeable(PURE), ids=repr)
smooth_cases = pytest.mark.parametrize("case", SMOOTH, ids=repr)
smooth_lines = pytest.mark.parametrize("case", foreseeable(SMOOTH), ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
unknown = pytest.mark.parametrize("form", FORMS[1:])

Build = Callable[..., list[Any]]


# ---- the three modes --------------------------------------------------------------------------


def in_session(build: Build, xs: Sequence[Any], form: str) -> tuple[list[Any], list[Any]]:
    """What a session computes of fed placeholders, and the tensors it computed."""
    with tf.Graph().as_default():
        places = [tf.compat.v1.placeholder(x.dtype, KNOWN[form](x)) for x in xs]
        ys = build(*places)
        with tf.compat.v1.Session() as session:
            there = [y for y in ys if y is not None]
            feed = dict(zip(places, xs, strict=True))
            first, again = session.run(there, feed), session.run(there, feed)
    assert_same(
        again, first, 1e-12
    )  # the first run is checked step by step, the second is a program
    values = iter(again)
    return [None if y is None else next(values) for y in ys], ys


def in_function(build: Build, xs: Sequence[Any], form: str) -> tuple[list[Any], list[Any]]:
    """What a traced function returns, and the tensors in its graph."""
    traced: list[Any] = []

    def body(*given: Any) -> list[Any]:
        traced[:] = build(*given)
        return list(traced)

    specs = [tf.TensorSpec(KNOWN[form](x), x.dtype) for x in xs]
    signature = None if form == "static" else specs
    function = tf.function(body, input_signature=signature)
    first, found = (
        [None if y is None else np.asarray(y) for y in function(*tensors(xs))] for _ in range(2)
    )
    assert_same(found, first, 1e-11)
    return found, traced


MODES = {"session": in_session, "function": in_function}
every_mode = pytest.mark.parametrize("mode", MODES)


def assert_equal(got: Sequence[Any], want: Sequence[Any]) -> None:
    """The same dtypes, shapes and bits."""
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        if w is None or g is None:
            assert g is w
            continue
        g, w = np.asarray(g), np.asarray(w)
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        assert g.tobytes() == w.tobytes() if g.dtype != object else np.array_equal(g, w)


def assert_foreseen(ys: Sequence[Any], values: Sequence[Any]) -> None:
    """What was known of the results before they were computed was right."""
    for y, value in zip(ys, values, strict=True):
        if y is not None:
            assert y.shape.is_compatible_with(np.shape(value)), f"{y} is {np.shape(value)}"
            assert y.dtype.as_numpy_dtype == np.asarray(value).dtype or y.dtype is tf.string


# ---- values -----------------------------------------------------------------------------------


@every
@every_mode
def test_value(case: Case, mode: str) -> None:
    """The value is that of eager mode, to the last bit."""
    xs = case.inputs()
    want = arrays(outcomes(case.call, tensors(xs)))
    got, ys = MODES[mode](lambda *ps: outcomes(case.call, ps), xs, "static")
    assert_equal(got, want)
    assert_foreseen(ys, got)


@lines
@every_mode
@unknown
def test_value_of_unknown_shape(case: Case, mode: str, form: str) -> None:
    """The same with placeholders of which sizes, or not even the rank, are known."""
    if form == "rank" and not case.line.ranked:
        pytest.skip("it asks for the rank, as in TensorFlow")
    xs = case.inputs()
    want = arrays(outcomes(case.call, tensors(xs)))
    got, ys = MODES[mode](lambda *ps: outcomes(case.call, ps), xs, form)
    assert_same(got, want, 1e-13)
    assert_foreseen(ys, got)


# ---- gradients --------------------------------------------------------------------------------


def by_tape(f: Build, at: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(at)
        ys = f(*at)
    return tape.gradient(ys, list(at), output_gradients=list(ws))


def by_graph(f: Build, at: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
    return tf.gradients(f(*at), list(at), grad_ys=list(ws))


def twice(first: Any, second: Any, f: Build, ws: Sequence[Any], vs: Sequence[Any]) -> Build:
    """The gradient of the weighted gradient; zeros where there is none."""

    def function(*at: Any) -> list[Any]:
        found = zip(first(f, at, ws), at, strict=True)
        return [tf.zeros_like(x) if g is None else tf.convert_to_tensor(g) for g, x in found]

    return lambda *at: second(function, at, vs)


class Point:
    """A case as a function of its differentiable inputs, with weights for one gradient and two."""

    def __init__(self, case: Case) -> None:
        self.xs = case.inputs()
        self.f = lambda *full: restricted(case.call, full, case.varied)
        self.varied = case.varied
        rng = case.rng(100)
        self.at = [self.xs[i] for i in case.varied]
        ys = restricted(case.call, tensors(self.xs), case.varied)(*tensors(self.at))
        self.ws, self.vs = like(rng, ys), like(rng, self.at)

    def first(self, way: Any) -> Build:
        def build(*full: Any) -> list[Any]:
            return way(self.f(*full), [full[i] for i in self.varied], tensors(self.ws))

        return build

    def second(self, first: Any, second: Any) -> Build:
        def build(*full: Any) -> list[Any]:
            f = self.f(*full)
            return twice(first, second, f, tensors(self.ws), tensors(self.vs))(
                *[full[i] for i in self.varied]
            )

        return build


WAYS = {"session": by_graph, "function": by_tape}


def dense(build: Build) -> Build:
    return lambda *xs: [None if g is None else tf.convert_to_tensor(g) for g in build(*xs)]


@smooth_cases
@every_mode
def test_gradient(case: Case, mode: str) -> None:
    """Gradients are those of eager mode, to the last bit where every shape is known."""
    point = Point(case)
    want = [
        None if g is None else np.asarray(g)
        for g in dense(point.first(by_tape))(*tensors(point.xs))
    ]
    got, ys = MODES[mode](dense(point.first(WAYS[mode])), point.xs, "static")
    assert_equal(got, want)
    assert_foreseen(ys, got)


@smooth_lines
@every_mode
@unknown
def test_gradient_of_unknown_shape(case: Case, mode: str, form: str) -> None:
    point = Point(case)
    want = arrays(dense(point.first(by_tape))(*tensors(point.xs)))
    got, ys = MODES[mode](dense(point.first(WAYS[mode])), point.xs, form)
    assert_same(got, want, 1e-12)
    assert_foreseen(ys, got)


def zeros_for_none(found: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    pairs = zip(found, like, strict=True)
    return [np.zeros_like(x) if g is None else np.asarray(g) for g, x in pairs]


@smooth_lines
@every_mode
@every_form
def test_second_order(case: Case, mode: str, form: str) -> None:
    """Second derivatives are those of eager mode."""
    point, way = Point(case), WAYS[mode]
    want = zeros_for_none(dense(point.second(by_tape, by_tape))(*tensors(point.xs)), point.at)
    got, ys = MODES[mode](dense(point.second(way, way)), point.xs, form)
    assert_same(zeros_for_none(got, point.at), want, 1e-11)
    assert_foreseen(ys, got)


@smooth_lines
def test_tape_in_a_graph(case: Case) -> None:
    """In a session's graph a tape gives what tf.gradients gives."""
    point = Point(case)
    want = arrays(dense(point.first(by_tape))(*tensors(point.xs)))
    got, _ = in_session(dense(point.first(by_tape)), point.xs, "static")
    assert_same(got, want, 1e-13)


def outside(case: Case, form: str) -> tuple[Point, Build]:
    """The case as a traced function of its differentiable inputs, to be called under tapes."""
    point = Point(case)

    def call(*at: Any) -> list[Any]:
        full = tensors(point.xs)
        for i, x in zip(point.varied, at, strict=True):
            full[i] = x
        return point.f(*full)(*at)

    specs = [tf.TensorSpec(KNOWN[form](x), x.dtype) for x in point.at]
    return point, tf.function(call, input_signature=None if form == "static" else specs)


@smooth_lines
@every_form
def test_tapes_around_a_function(case: Case, form: str) -> None:
    """A tape outside of a function differentiates it, twice."""
    point, f = outside(case, form)
    at, ws, vs = tensors(point.at), tensors(point.ws), tensors(point.vs)
    got = arrays([tf.convert_to_tensor(x) for x in by_tape(f, at, ws)])
    assert_same(got, arrays(dense(point.first(by_tape))(*tensors(point.xs))), 1e-12)
    second = zeros_for_none(dense(twice(by_tape, by_tape, f, ws, vs))(*at), point.at)
    want = zeros_for_none(dense(point.second(by_tape, by_tape))(*tensors(point.xs)), point.at)
    assert_same(second, want, 1e-11)


@smooth_lines
@every_form
def test_forward_mode_through_a_function(case: Case, form: str) -> None:
    """Tangents through a function are those of eager mode."""
    point, f = outside(case, form)
    found = []
    full = tensors(point.xs)
    for function in (point.f(*full), f):
        at = tensors(point.at)
        with tf.autodiff.ForwardAccumulator(at, tensors(point.vs)) as acc:
            ys = function(*at)
        found.append(zeros_for_none([acc.jvp(y) for y in ys], arrays(ys)))
    assert_same(found[1], found[0], 1e-12)


# ---- the checks themselves --------------------------------------------------------------------

HALF = np.full(2, 0.5)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_fault_in_a_plan_is_found(mode: Any) -> None:
    """A step that is not what the kernel is, by a rounding."""
    row = Row("TestFault", lambda xp, x: x * 3.0, step=lambda xp, x: x * 3.0 * (1 + 2.0**-52))
    got, _ = mode(lambda x: [apply(row, [x])], [HALF], "static")
    with pytest.raises(AssertionError):
        assert_equal(got, [HALF * 3.0])


def test_a_wrong_shape_rule_is_found() -> None:
    row = Row("TestShape", lambda xp, x: x * 3.0, shape=lambda shape: (7,))
    with pytest.raises(tf.errors.InternalError, match=r"TestShape computed float64\[2\] where"):
        in_session(lambda x: [apply(row, [x])], [HALF], "static")
