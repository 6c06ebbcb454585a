"""Kernels of machine code for large arrays: the numbers of NumPy's kernels, whatever the sizes."""

from __future__ import annotations

import inspect
import itertools
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.core.dispatch import apply
from wengert.core.table import TABLE
from wengert.engines.native.codegen import kernel_writer
from wengert.engines.native.frontend.images import image_tiles
from wengert.engines.native.kernels import (
    batch_norm,
    elementwise,
    factors,
    matmul,
    reductions,
    segments,
)
from wengert.engines.native.runtime.processor import is_supported
from wengert.host.malloc import LARGE, LARGE_PAIR, MANY_ROWS, NARROW
from wengert.ops.linalg.einsum_products import as_product
from wengert.ops.nn.conv import by_machine_code, kernels
from wengert.ops.random import distributions, philox
from wengert.ops.random.philox import Philox, blocks, random_words
from wengert.ops.support.large_kernels import LargeKernel, elementwise_kernel, philox_kernel
from wengert.values.tensor import wrap

pytestmark = pytest.mark.skipif(not is_supported(), reason="nothing compiles here")

KINDS = ["f4", "f8"]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-310, 3e38, 1.0, -1.0, 0.5]
# Both sum in their own order.
CLOSE = {"f4": {"rtol": 2e-5, "atol": 2e-4}, "f8": {"rtol": 1e-12, "atol": 1e-11}}


@pytest.fixture(autouse=True)
def native_again() -> Iterator[None]:
    yield
    tf.config.set_engine(None)
    tf.config.set_threads(None)


def drawn(shape: Any, kind: str, special: float = 0.0, seed: int = 0) -> Any:
    """Numbers of many sizes; a share of them special."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape) * 3
    chosen = rng.choice(SPECIAL, size=np.shape(x))
    with np.errstate(all="ignore"):
        return np.where(rng.random(np.shape(x)) < special, chosen, x).astype(kind)


def alike(got: Any, want: Any, kind: str, exact: bool = False) -> None:
    """The same shape, dtype and numbers; infinities and NaN in the same places."""
    a, b = np.asarray(got), np.asarray(want)
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    if exact:
        np.testing.assert_array_equal(a, b)
        assert np.array_equal(np.signbit(a), np.signbit(b)) or np.isnan(b).any()
    else:
        np.testing.assert_allclose(a, b, **CLOSE[kind])


def both(run: Callable[[], Any], used: bool = True) -> tuple[Any, Any]:
    """What the kernels of machine code give, which must be used, and what NumPy's give."""
    asked = []
    real = LargeKernel.__call__

    def noted(kernel: LargeKernel[Any], *arguments: Any) -> Any:
        result = real(kernel, *arguments)
        asked.append(result is not None)
        return result

    LargeKernel.__call__ = noted  # type: ignore[assignment, method-assign]
    try:
        got = run()
    finally:
        LargeKernel.__call__ = real  # type: ignore[method-assign]
    assert any(asked) is used
    tf.config.set_engine("numpy")
    want = run()
    tf.config.set_engine(None)
    return got, want


def gradient(f: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """A value, and the gradient for cotangents that are not all alike."""
    with tf.GradientTape() as tape:
        v = tf.constant(x)
        tape.watch(v)
        y = f(v)
    g = np.cos(np.arange(y.numpy().size)).reshape(y.shape).astype(x.dtype)
    return y.numpy(), tape.gradient(y, v, output_gradients=tf.constant(g)).numpy()


def assert_both(run: Callable[[], Any], kind: str, exact: bool = False, used: bool = True) -> None:
    for got, want in zip(*both(run, used), strict=True):
        alike(got, want, kind, exact)


def asks(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> bool:
    """Whether a kernel for large arrays is asked."""
    asked: list[Any] = []
    with monkeypatch.context() as patched:
        patched.setattr(LargeKernel, "__call__", lambda *given: asked.append(given))
        run()
    return bool(asked)


@pytest.mark.parametrize("name", ["Neg", "Exp", "Softplus", "Atan2", "AddV2"])
def test_a_row_says_from_how_many_elements_on_an_array_is_large(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    row = TABLE[name]
    for size in (row.large_from - 1, row.large_from):
        xs = [tf.constant(drawn(size, "f4"))] * inputs_of(row)
        assert asks(monkeypatch, partial(apply, row, xs)) == (size == row.large_from)


def test_many_short_rows_are_large_for_a_reduction(monkeypatch: pytest.MonkeyPatch) -> None:
    for shape, axis, wanted in (
        ((MANY_ROWS, NARROW - 1), 1, True),
        ((MANY_ROWS - 1, NARROW - 1), 1, False),
        ((MANY_ROWS, NARROW), 1, False),
        ((MANY_ROWS, NARROW - 1), None, False),  # all of it is one
        ((MANY_ROWS, 1), 1, False),
        ((4, MANY_ROWS // 4, 2), 2, True),
    ):
        x = tf.constant(np.ones(shape, "f4"))
        for reduce in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min):
            assert asks(monkeypatch, partial(reduce, x, axis)) == wanted, shape


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("name", ["Neg", "Exp", "Softplus", "Atan2", "AddV2"])
def test_a_graph_that_is_interpreted_asks_as_eager_mode_does(
    monkeypatch: pytest.MonkeyPatch, name: str, is_known: bool
) -> None:
    """In its first run, and in later ones, which are generated code."""
    row = TABLE[name]
    for size in (row.large_from - 1, row.large_from):
        spec = tf.TensorSpec([size if is_known else None], tf.float32)
        f = tf.function(
            lambda *xs: apply(row, xs), jit_compile=False, input_signature=[spec] * inputs_of(row)
        )
        xs = [tf.constant(drawn(size, "f4"))] * inputs_of(row)
        want = apply(row, xs).numpy()
        for _ in range(3):
            assert np.array_equal(f(*xs).numpy(), want)
        assert asks(monkeypatch, partial(f, *xs)) == (size == row.large_from)


@pytest.mark.parametrize("rows", [None, 3000])
def test_a_session_gives_the_numbers_of_eager_mode(rows: int | None) -> None:
    """Of broadcast rows, many short rows and sums, of which some are written over and some are fetched."""

    def f(x: Any, b: Any) -> Any:
        y = tf.nn.softplus(x * b + 1.0)
        return y, tf.reduce_sum(tf.exp(-y), 1), tf.reduce_mean(y * y - b)

    x, b = drawn((3000, 30), "f4"), drawn((30,), "f4")
    want = [v.numpy() for v in f(tf.constant(x), tf.constant(b))]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        place = tf.compat.v1.placeholder(tf.float32, [rows, 30])
        results = f(place, tf.constant(b))
        for _ in range(3):
            got = session.run(results, {place: x})
            assert all(map(np.array_equal, got, want))


# ---- elementwise --------------------------------------------------------------------------------

LOOPS = sorted(name for name, row in TABLE.items() if row.large is elementwise_kernel)


NEXT_TO_ZEROS = {"Lgamma", "Digamma", "BesselJ0", "BesselJ1", "BesselY0", "BesselY1", "Expint"}


def inputs_of(row: Any) -> int:
    if isinstance(row.vjp, tuple):
        return len(row.vjp)
    return len(inspect.signature(row.kernel).parameters) - 1 if row.ufunc is None else 1


@pytest.mark.parametrize("name", LOOPS)
def test_a_row_gives_what_its_kernel_gives(name: str) -> None:
    """On numbers of many sizes, infinities, NaN, both zeros and numbers near zero."""
    row = TABLE[name]
    for kind in KINDS:
        count = inputs_of(row)
        xs = [drawn(1003, kind, 0.2, seed) for seed in range(count)]
        if name == "SelectV2":
            xs[0] = xs[0] > 0
        got = elementwise.apply_row(row, xs, {}) if known(row, xs) else None
        if got is None:
            continue
        with np.errstate(all="ignore"):
            want = row.kernel(np, *xs)
        assert got.dtype == want.dtype
        finite = np.isfinite(want)
        np.testing.assert_array_equal(got[~finite], want[~finite])
        eps, tiny = np.finfo(kind).eps, np.finfo(kind).tiny
        # Next to its zeros the result is a small sum of large terms, there and here.
        atol = 16 * eps if name in NEXT_TO_ZEROS else 8 * tiny
        np.testing.assert_allclose(got[finite], want[finite], rtol=64 * eps, atol=atol)


def known(row: Any, xs: Any) -> bool:
    """Whether a row can be written as scalar code."""
    kinds = tuple("b1" if x.dtype == bool else x.dtype.str[1:] for x in xs)
    return elementwise._made(row, kinds) is not None


def test_most_rows_are_loops() -> None:
    """A guard: what can no longer be lowered would silently be NumPy's."""
    found = [n for n in LOOPS if known(TABLE[n], [drawn(3, "f4")] * inputs_of(TABLE[n]))]
    assert len(found) >= 40
    assert {"Exp", "Sigmoid", "Relu", "ReluGrad", "SigmoidGrad", "SqrtGrad", "Tanh"} <= set(found)


def test_zeros_with_signs() -> None:
    """relu and choices keep the signs that NumPy gives."""
    x = np.tile(np.float32([0.0, -0.0, 1.0, -1.0]), LARGE // 4)
    assert_both(lambda: [tf.nn.relu(x), tf.where(x > 0, -x, x), -tf.constant(x)], "f4", exact=True)


def test_numbers_beside_arrays() -> None:
    """A single number is read once, and a row for each row."""
    x, c = drawn((200, 200), "f4"), drawn((200, 200), "f4") > 0
    assert_both(lambda: [tf.where(c, x, 0.5), tf.where(c, np.float32(2), x)], "f4", exact=True)
    assert_both(lambda: [tf.where(c, x, x[0])], "f4", exact=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "truediv", "maximum", "minimum"])
def test_pairs(name: str, kind: str) -> None:
    """NumPy's bits, with a number on either side, too."""
    f = getattr(tf.math, name)
    x, y = (drawn((601, 503), kind, 0.2, seed) for seed in (1, 2))
    assert x.size >= LARGE_PAIR
    two = x.dtype.type(2)
    assert_both(lambda: [f(x, y), f(x, two), f(two, x)], kind, exact=True)
    fewer = LARGE_PAIR // (2 if kind == "f8" else 1) // 503
    assert_both(lambda: [f(x[:fewer], y[:fewer])], kind, exact=True, used=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "other"),
    [
        ((601, 503), (503,)), ((601, 503), (601, 1)), ((503,), (601, 503)), ((601, 1), (601, 503)),
        ((3, 300, 301), (300, 301)), ((3, 300, 301), (3, 1, 1)), ((3, 300, 301), (3, 300, 1)),
        ((3, 300, 301), (1, 300, 301)), ((2, 1, 170_000), (170_000,)), ((1, 300_000), (1, 1)),
        ((512, 512), (512,)), ((512, 512), (512, 1)), ((512, 512), (1, 512)),
        ((70_000, 4), (4,)), ((70_000, 4), (70_000, 1)), ((300, 300, 3), (300, 3)),
        ((3, 300, 301), (3, 1, 301)), ((3, 300, 301), (300, 1)), ((999, 1, 5), (1, 99, 5)),
    ],
)  # fmt: skip
def test_broadcast_pairs(shape: Any, other: Any, kind: str) -> None:
    """A number for each row, or for each column; repeated along any axis."""
    x, y = drawn(shape, kind, 0.2, 1), drawn(other, kind, 0.2, 2)
    assert_both(lambda: [tf.subtract(x, y), tf.math.squared_difference(x, y)], kind, exact=True)


# Ways for an array to lie in memory, or to broadcast to one that it is made of.
LYING: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "with gaps": lambda x: np.concatenate([x, x], -1)[..., : x.shape[-1]],
    "every other": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "every other row": lambda x: np.repeat(x, 2, -2)[..., ::2, :],
    "backwards": lambda x: x[..., ::-1, ::-1],
    "turned": lambda x: np.ascontiguousarray(x.T).T,
    "repeated": lambda x: np.broadcast_to(x[..., :1], x.shape),
    "a row, repeated": lambda x: np.broadcast_to(x[..., :1, :], x.shape),
    "a column": lambda x: x[..., :1],
    "a column with gaps": lambda x: x[..., -1:],
    "a row": lambda x: x[..., :1, :],
    "the last axes": lambda x: x.reshape(-1, *x.shape[-2:])[0],
    "a number": lambda x: x[(0,) * x.ndim],
}


@pytest.mark.parametrize("one", LYING)
@pytest.mark.parametrize("other", LYING)
def test_short_rows_that_lie_in_any_way(one: str, other: str) -> None:
    """NumPy's bits, whoever computes them."""
    draw = np.random.default_rng([*map(ord, one + other)])
    for _ in range(4):
        columns, lead = int(draw.integers(1, NARROW + 2)), draw.integers(1, 4, draw.integers(0, 3))
        most = LARGE // columns // int(np.prod(lead))
        shape = (*map(int, lead), int(draw.integers(most, 2 * most)), columns)
        x, y = (LYING[w](drawn(shape, "f4", 0.1, k)) for k, w in enumerate((one, other)))
        with np.errstate(all="ignore"):
            for f, name in ((np.subtract, "Sub"), (np.maximum, "Maximum"), (np.less, "Less")):
                want = f(x, y)
                alike(apply(TABLE[name], (wrap(x), wrap(y))), want, "f4", exact=True)
                if max(x.size, y.size) < LARGE:
                    continue
                found = elementwise.apply_row(TABLE[name], [x, y], {})
                if found is not None:
                    alike(found, want, "f4", exact=True)


def test_short_rows_are_taken() -> None:
    """Of the ways above, all but those in which a row is not a step from the next."""
    x = drawn((9000, 4), "f4")
    taken = [
        way
        for way, f in LYING.items()
        if elementwise.apply_row(TABLE["Mul"], [x, f(x)], {}) is not None
    ]
    assert sorted({*LYING} - {*taken}) == ["backwards", "every other", "turned"]


@pytest.mark.parametrize("seed", range(80))
def test_arrays_of_any_axes_broadcast(seed: int) -> None:
    """Any axis of either may be missing or be repeated; a number of them may be there in two loops."""
    draw = np.random.default_rng(seed)
    for _ in range(4):
        rank = int(draw.integers(1, 5))
        shape = [int(n) for n in draw.integers(1, 7, rank)]
        shape[draw.integers(rank)] = LARGE_PAIR // math.prod(shape) + int(draw.integers(1, 9))
        if draw.random() < 0.3:
            shape[-1] += 40
        sizes = [[n if draw.random() < 0.7 else 1 for n in shape] for _ in range(2)]
        x, y = (drawn(s[draw.integers(0, rank) :], "f4", seed=k) for k, s in enumerate(sizes))
        alike(tf.subtract(x, y), x - y, "f4", exact=True)
        alike(apply(TABLE["Maximum"], (wrap(x), wrap(y))), np.maximum(x, y), "f4", exact=True)


def test_shapes_that_do_not_fit_are_refused_as_small_ones_are() -> None:
    for shape, other in (
        ((70000, 3), (70000, 2)),
        ((3, 100000), (4, 100000)),
        ((70000,), (69999,)),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            tf.subtract(np.ones(shape, np.float32), np.ones(other, np.float32))


def test_rows_and_columns_at_once() -> None:
    c, row, column = drawn((300, 200), "f4") > 0, drawn((200,), "f4"), drawn((300, 1), "f4")
    assert_both(lambda: [tf.where(c, row, column), tf.where(c, column, 2.0)], "f4", exact=True)


def test_arrays_with_gaps_are_numpys() -> None:
    x = tf.constant(drawn((400, 400), "f8"))
    assert_both(lambda: [tf.tanh(x[:, ::2]), tf.tanh(tf.transpose(x))], "f8", used=False)


def test_where_an_array_begins_does_not_matter() -> None:
    """Nor which elements a vector holds: the bits of a number depend on nothing but itself."""
    x = drawn(LARGE * 2 + 7, "f4")
    whole = tf.math.softplus(x).numpy()
    for begin in (1, 3, 8):
        part = tf.math.softplus(x[begin : begin + LARGE]).numpy()
        assert part.tobytes() == whole[begin : begin + LARGE].tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exponent", [1.0, 2.0, -1.0, 0.0, 0.5, 3.0])
def test_powers_that_are_cheap(exponent: float, kind: str) -> None:
    """They are powers, of the nearest bits; large or small."""
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.25, 7e-5, 6e4]
    x = np.concatenate([np.array(special, kind), drawn(LARGE, "f8").astype(kind)])
    power = np.dtype(kind).type(exponent)
    with np.errstate(all="ignore"):
        want = np.power(x, power)
        want = np.where(np.isneginf(x), np.inf, want) + 0 if exponent == 0.5 else want
        nearest = {0.0: np.ones_like(x), 1.0: x, 2.0: x * x, -1.0: 1 / x}.get(exponent)
    for count in (len(special), len(x)):
        found = tf.pow(x[:count], power).numpy()
        alike(found, want[:count].astype(kind), kind)
        if nearest is not None:
            alike(found, nearest[:count], kind, exact=True)
    assert tf.pow(x[:2], np.full((1, 1), power)).shape == (1, 2)


# ---- rows ---------------------------------------------------------------------------------------

ROWS = [
    (97, 1003), (2, 3, 9000), (1200, 40), (40000,),
    (20000, 2), (11000, 3), (4701, 7), (5003, 8), (3000, 5, 13), (1500, 31),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ROWS)
def test_rows(shape: Any, kind: str) -> None:
    x = drawn(shape, kind)
    assert_both(
        lambda: [
            *[reduce(x, -1) for reduce in (tf.reduce_sum, tf.reduce_mean)],
            tf.reduce_sum(x, list(range(x.ndim)), keepdims=True),
            tf.nn.softmax(x),
            tf.nn.log_softmax(x),
        ],
        kind,
    )
    assert_both(lambda: [tf.reduce_max(x, -1), tf.reduce_min(x, -1, True)], kind, exact=True)


@pytest.mark.parametrize("columns", [2, 3, 8, 19, 150])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_infinities(kind: str, columns: int) -> None:
    x = drawn((45000 // columns, columns), kind, 0.005)
    x[0], x[1], x[2, 1], x[3, -1] = -np.inf, -0.0, np.nan, np.inf
    assert_both(lambda: [tf.reduce_sum(x, 1), tf.nn.softmax(x), tf.nn.log_softmax(x)], kind)
    assert_both(lambda: [tf.reduce_max(x, 1), tf.reduce_min(x, 1)], kind, exact=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((11000, 3), 0), ((3, 4000, 5), 1), ((700, 50, 2), 1), ((4, 7, 6, 1700, 1), (1, 2)), ((5003, 31), 0),
        ((2, 3, 5, 9001), (0, 1, 2)), ((9, 700, 100), 1), ((1200, 320), 0), ((60, 2, 3000), 1), ((20_000, 2), 0),
    ],
)  # fmt: skip
def test_other_axes(shape: Any, axes: Any, kind: str) -> None:
    """Rows that follow each other are added up, in chunks if there are many."""
    x = drawn(shape, kind)
    assert_both(lambda: [tf.reduce_sum(x, axes), tf.reduce_mean(x, axes, keepdims=True)], kind)
    y = drawn(shape, kind, 0.01)
    assert_both(lambda: [tf.reduce_max(y, axes), tf.reduce_min(y, axes, True)], kind, exact=True)


def test_other_axes_that_are_numpys() -> None:
    """Those between which others are kept, and few long rows."""
    x = drawn((300, 200), "f4")
    assert_both(lambda: [tf.reduce_sum(x, 0), tf.nn.softmax(x, 0)], "f4", used=False)
    x = drawn((30, 20, 70), "f4")
    assert_both(lambda: [tf.reduce_sum(x, [0, 2])], "f4", used=False)


def test_long_sums_keep_their_digits() -> None:
    """As many as NumPy's sums by halves keep, also of a million numbers alike."""
    x = np.full(10**6, 0.1, np.float32)
    assert abs(float(tf.reduce_sum(x)) / 1e5 - 1) < 1e-6
    logs = tf.nn.log_softmax(np.zeros(10**6, np.float32)).numpy()
    np.testing.assert_allclose(logs, -np.log(1e6), rtol=1e-6)


def test_cross_entropy() -> None:
    x, labels = drawn((200, 300), "f4"), np.arange(200) % 300
    assert_both(
        lambda: gradient(lambda v: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, v), x),
        "f4",
    )


# ---- pooling ------------------------------------------------------------------------------------

IMAGES = [(3, 40, 41, 16), (2, 45, 30, 19), (1, 22, 23, 100)]
WINDOWS = list(itertools.product([1, 2, 3, (2, 5)], [1, 2, (3, 1)], ["SAME", "VALID"]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", IMAGES)
def test_maxima(shape: Any, kind: str) -> None:
    """With many ties, NaN and infinities: the same bits, also of the gradient."""
    x = np.round(drawn(shape, kind, 0.02))
    explicit = [[0, 0], [1, 0], [0, 1], [0, 0]]
    for size, stride, padding in [*WINDOWS, ((2, 3), 2, explicit)]:
        if size != 1:
            pool = lambda v, *given: tf.nn.max_pool2d(v, *given)  # noqa: E731
            for got, want in zip(*both(lambda: gradient(
                lambda v: pool(v, size, stride, padding), x
            )), strict=True):  # fmt: skip
                np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", IMAGES)
def test_means(shape: Any, kind: str) -> None:
    x = drawn(shape, kind)
    for size, stride, padding in WINDOWS:
        if size != 1:
            given = size, stride, padding
            assert_both(lambda: gradient(lambda v: tf.nn.avg_pool2d(v, *given), x), kind)


def test_pooling_of_other_layouts() -> None:
    """Volumes, lines, halves and few channels are NumPy's."""
    y, line = drawn((2, 8, 20, 20, 16), "f4"), drawn((200, 200, 2), "f4")
    run = lambda: [tf.nn.max_pool3d(y, 2, 2, "SAME"), tf.nn.max_pool1d(line, 2, 2, "SAME")]  # noqa: E731
    assert_both(run, "f4", exact=True, used=False)
    half = y[0].astype("f2")
    assert_both(lambda: [tf.nn.max_pool2d(half, 2, 2, "SAME")], "f2", exact=True, used=False)


# ---- convolutions -------------------------------------------------------------------------------

FILTERS = [
    ((2, 20, 21, 16), (3, 3), 32),
    ((2, 19, 18, 7), (3, 5), 19),
    ((3, 17, 5, 5), (5, 5), 9),
    ((1, 24, 24, 64), (3, 3), 64),
    ((4, 20, 20, 16), (1, 1), 8),
    ((2, 30, 30, 16), (3, 3), 4),
    ((2, 12, 3, 130), (2, 2), 48),
    ((2, 30, 31, 9), (3, 3), 1),
    ((2, 30, 31, 9), (3, 3), 3),
]
HOW = [
    *itertools.product([1, 2, (3, 1)], ["SAME", "VALID", [[0, 0], [1, 0], [1, 3], [0, 0]]], [1]),
    (1, "SAME", 2),
    (1, "VALID", (1, 2)),
]


@pytest.fixture
def always(monkeypatch: Any) -> None:
    """Convolutions with little to do are asked for, too."""
    monkeypatch.setattr(kernels, "WORTH_SHARING", 1)


def filter_of(shape: Any, kind: str) -> Any:
    return drawn(shape, kind, seed=9) / 3


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", FILTERS, ids=str)
def test_convolutions(case: Any, kind: str) -> None:
    shape, size, made = case
    x, w = drawn(shape, kind), filter_of((*size, shape[3], made), kind)
    for strides, padding, rate in HOW:
        if padding == "VALID" and ((rate != 1 and shape[2] < 9) or shape[2] < size[1]):
            continue
        given = strides, padding, "NHWC", rate
        run = lambda: gradient(lambda v: tf.nn.conv2d(v, w, *given), x)  # noqa: E731
        assert_both(run, kind)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("most", [1 << 20, 1 << 11], ids=["whole", "in pieces"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", FILTERS, ids=str)
def test_gradients_in_the_filter(
    case: Any, kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums over all windows, some rows of them at a time: as near as NumPy's."""
    monkeypatch.setattr(image_tiles, "WHOLE", most)
    shape, size, made = case
    x, w = drawn(shape, kind), filter_of((*size, shape[3], made), kind)
    for strides, padding, rate in HOW:
        if padding == "VALID" and ((rate != 1 and shape[2] < 9) or shape[2] < size[1]):
            continue
        given = strides, padding, "NHWC", rate
        got, want = both(lambda: gradient(lambda v: tf.nn.conv2d(x, v, *given), w)[1])
        np.testing.assert_allclose(got, want, rtol=0, atol=CLOSE[kind]["rtol"] * np.abs(want).max())


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", [1, 3])
@pytest.mark.parametrize("case", [((2, 20, 21, 32), (3, 3)), ((3, 23, 6, 117), (3, 5))], ids=str)
def test_channels_by_themselves(case: Any, made: int, kind: str) -> None:
    shape, size = case
    x, w = drawn(shape, kind), filter_of((*size, shape[3], made), kind)
    for strides, padding, rate in [(1, "SAME", 1), (2, "VALID", 1), (2, "SAME", 1), (1, "SAME", 2)]:
        steps = [1, strides, strides, 1]
        for got, want in zip(*both(lambda: gradient(
            lambda v: tf.nn.depthwise_conv2d(v, w, steps, padding, dilations=[rate, rate]), x
        )), strict=True):  # fmt: skip
            alike(got, want, kind)
        got, want = both(
            lambda: gradient(
                lambda v: tf.nn.depthwise_conv2d(x, v, steps, padding, dilations=[rate, rate]), w
            )[1]
        )
        np.testing.assert_allclose(got, want, rtol=0, atol=CLOSE[kind]["rtol"] * np.abs(want).max())


def test_convolutions_of_other_layouts() -> None:
    """Channels in front are moved."""
    x, w = drawn((2, 16, 30, 30), "f4"), filter_of((3, 3, 16, 24), "f4")
    assert_both(lambda: [tf.nn.conv2d(x.transpose(0, 2, 3, 1), w, 1, "SAME")], "f4", used=False)
    y = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    assert_both(lambda: [tf.nn.conv2d_transpose(y, filter_of((3, 3, 32, 16), "f4"),
                                                (2, 60, 60, 32), 2)], "f4")  # fmt: skip


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("room", [1 << 24, 1 << 12], ids=["at once", "by samples"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "case",
    [
        ((2, 13, 17, 32), (3, 2, 8, 48)),  # four groups
        ((3, 9, 8, 9), (2, 3, 3, 48)),
        ((3, 7, 9, 12, 8), (3, 2, 3, 8, 16)),  # volumes
        ((2, 4, 8, 7, 5), (4, 3, 1, 5, 21)),
        ((2, 5, 8, 9, 16), (2, 3, 3, 8, 32)),  # of two groups
    ],
    ids=str,
)
def test_groups_and_volumes(case: Any, kind: str, room: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(by_machine_code, "LARGE_BYTES", room)
    shape, size = case
    axes = len(shape) - 2
    x, w = drawn(shape, kind), filter_of(size, kind)
    for strides, padding, rates in [
        (1, "SAME", 1),
        (2, "VALID", 1),
        (3, "SAME", 1),
        (1, "SAME", 2),
    ]:
        given = [strides] * axes, padding, None, [rates] * axes
        for got, want in zip(
            *both(lambda: gradient(lambda v: tf.nn.convolution(v, w, *given), x)), strict=True
        ):
            alike(got, want, kind)
        got, want = both(lambda: gradient(lambda v: tf.nn.convolution(x, v, *given), w)[1])
        np.testing.assert_allclose(got, want, rtol=0, atol=CLOSE[kind]["rtol"] * np.abs(want).max())


def test_lines_too_long_are_numpys() -> None:
    """What a part needs stays below a megabyte."""
    x, w = drawn((1, 8, 4000, 32), "f4"), filter_of((3, 3, 32, 16), "f4")
    assert_both(lambda: [tf.nn.conv2d(x, w, 1, "SAME")], "f4", used=False)


# ---- the others ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(9, 20, 20, 24), (5, 31, 33, 20), (700, 100)])
def test_batch_norm(shape: Any) -> None:
    x = drawn(shape, "f4") + np.float32(100)
    channels = shape[-1]
    scale, offset = np.linspace(1, 2, channels).astype("f4"), np.zeros(channels, "f4")
    image = x if len(shape) == 4 else x.reshape(-1, 1, 1, channels)
    run = lambda: tf.compat.v1.nn.fused_batch_norm(image, scale, offset)  # noqa: E731
    for got, want in zip(*both(run), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_response_normalization(kind: str) -> None:
    x = drawn((2, 20, 20, 70), kind)
    for radius, beta in ((5, 0.5), (2, 0.75), (100, 1.0), (0, 0.6)):
        run = lambda: [tf.nn.local_response_normalization(tf.constant(x), radius, beta=beta)]  # noqa: E731
        assert_both(run, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("channels", [16, 64, 70])
def test_gradient_of_response_normalization(kind: str, channels: int) -> None:
    x, g = (drawn((2, 30, 40, channels), kind, seed=seed) for seed in (0, 1))
    for radius, beta in ((5, 0.5), (4, 0.75), (100, 1.0), (0, 0.6)):

        def run(radius: int = radius, beta: float = beta) -> list[Any]:
            given = tf.constant(x)
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = tf.nn.local_response_normalization(given, radius, 1.5, 0.3, beta)
            return [tape.gradient(y, given, output_gradients=tf.constant(g))]

        assert_both(run, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [8, 37, 100, 257])
def test_rows_that_meet(kind: str, width: int) -> None:
    """Again and again: where threads wrote to the same places, an extreme would be lost at times."""
    x = drawn((20000 // width * 8, width), kind, 0.01)
    ids = np.random.default_rng(1).integers(0, 5, len(x))
    extremes = tf.math.unsorted_segment_max, tf.math.unsorted_segment_min
    for _ in range(5):
        assert_both(lambda: [f(x, ids, 6) for f in extremes], kind, exact=True)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_any_width_are_summed_one_after_the_other(kind: str) -> None:
    """Bit for bit what NumPy adds, which goes through the rows in turn."""
    draw = np.random.default_rng(5)
    for width in [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, *draw.integers(32, 300, 6)]:
        x = drawn((4000 // width + int(draw.integers(9)), int(width)), kind, 0.01)
        ids = draw.integers(0, 9, len(x)).astype(draw.choice(["i4", "i8"]))
        for ufunc in (np.add, np.maximum, np.minimum):
            out = drawn((9, int(width)), kind)
            wanted = out.copy()
            with np.errstate(all="ignore"):
                ufunc.at(wanted, ids, x)
            assert segments.change_rows(ufunc, out, ids, x) is out
            alike(out, wanted, kind, exact=True)


def test_indices_outside_are_not_written() -> None:
    out, x = np.zeros((4, 100), "f4"), drawn((1000, 100), "f4")
    for bad in (-1, 4):
        ids = np.full(1000, bad)
        assert segments.change_rows(np.maximum, out, ids, x) is None
    assert not out.any()


def test_sums_of_columns() -> None:
    x = drawn((5000, 97), "f8")
    alike(batch_norm.sum_formula("value", x), x.sum(0), "f8")
    assert batch_norm.sum_formula("value", x[:, :1].copy()) is None


@pytest.mark.parametrize("alpha", [0.2, 1.0, 0.0, -0.5, 2.0, 1e-30])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_leaky_relu_has_the_bits_of_its_definition(kind: str, alpha: float) -> None:
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -1e-45, 1e-45]
    x = np.concatenate([special, drawn(LARGE, "f8")]).astype(kind)
    with np.errstate(all="ignore"):
        wanted = np.where(x > 0, x, x * x.dtype.type(alpha))
    alike(tf.nn.leaky_relu(x, alpha), wanted, kind, exact=True)


# ---- threads, engines, memory -------------------------------------------------------------------


def programs() -> list[Any]:
    x = drawn((4, 32, 32, 32), "f4")
    w = filter_of((3, 3, 32, 32), "f4")
    flat_x = x.reshape(128, -1)
    return [
        tf.tanh(x).numpy(),
        tf.nn.softmax(flat_x).numpy(),
        tf.reduce_sum(flat_x, 1).numpy(),
        *gradient(lambda v: tf.nn.conv2d(v, w, 1, "SAME"), x),
        *gradient(lambda v: tf.nn.max_pool2d(v, 3, 2, "SAME"), x),
        *gradient(lambda v: tf.nn.avg_pool2d(v, 3, 2, "SAME"), x),
        tf.compat.v1.nn.fused_batch_norm(x, np.ones(32, "f4"), np.ones(32, "f4"))[0].numpy(),
    ]


def bits() -> list[bytes]:
    return [y.tobytes() for y in programs()]


def test_threads_change_no_bit(monkeypatch: Any) -> None:
    monkeypatch.setattr("wengert.host.threads.available", lambda: 3)
    want = bits()
    for count in (1, 3, 2):
        tf.config.set_threads(count)
        assert bits() == want


def test_many_threads_at_once() -> None:
    want = bits()
    with ThreadPoolExecutor(6) as pool:
        assert all(found == want for found in pool.map(lambda _: bits(), range(12)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork() -> None:
    code = (
        "import os, numpy as np, wengert as tf\n"
        "x = np.linspace(-3, 3, 100000, dtype=np.float32)\n"
        "want = tf.tanh(x).numpy().tobytes()\n"
        "child = os.fork()\n"
        "same = tf.tanh(x).numpy().tobytes() == want\n"
        "if not child: os._exit(0 if same else 1)\n"
        "print(same, os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "0"], done.stderr


def test_inputs_are_left_alone() -> None:
    x = drawn((4, 32, 32, 32), "f4")
    before = x.tobytes()
    tf.nn.conv2d(x, filter_of((3, 3, 32, 32), "f4"), 1, "SAME")
    tf.nn.softmax(x)
    tf.nn.relu(x)
    tf.nn.max_pool2d(x, 2, 2, "SAME")
    assert x.tobytes() == before


def test_the_reference_engine_asks_nobody() -> None:
    """tf.config.set_engine("numpy"): the bits of the row's own kernel."""
    x = drawn(LARGE, "f4")
    tf.config.set_engine("numpy")
    assert tf.sigmoid(x).numpy().tobytes() == TABLE["Sigmoid"].kernel(np, x).tobytes()


def test_small_arrays_ask_nobody(monkeypatch: Any) -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("it is small")

    monkeypatch.setattr(LargeKernel, "__call__", refused)
    x = drawn((4, 5, 5, 3), "f4")
    tf.nn.conv2d(x, filter_of((3, 3, 3, 8), "f4"), 1, "SAME")
    tf.nn.max_pool2d(x, 2, 2, "SAME")
    tf.reduce_sum(tf.nn.softmax(tf.tanh(x)))


def test_compiled_plans_use_them_too() -> None:
    """A step of NumPy's in a compiled function is the row's kernel, which asks."""
    x, w = drawn((4, 32, 32, 16), "f4"), filter_of((3, 3, 16, 32), "f4")
    f = tf.function(
        lambda v: tf.nn.max_pool2d(tf.nn.conv2d(tf.nn.relu(v), w, 1, "SAME"), 2, 2, "SAME")
    )
    eager = tf.nn.max_pool2d(tf.nn.conv2d(tf.nn.relu(x), w, 1, "SAME"), 2, 2, "SAME")
    assert f(tf.constant(x)).numpy().tobytes() == eager.numpy().tobytes()


def test_without_memory_numpy_does_it() -> None:
    """A kernel that gets none says so, and what it wrote is not used."""

    def text() -> str:
        w = kernel_writer.KernelWriter(1, 1)
        w.write("f4", w.room("f4", w.numbers[0]), 0, "0.0", 1)
        return w.text()

    kernel = kernel_writer.kernel(text)()
    x = np.zeros(3, np.float32)
    kernel(1, (10,), x)
    for _ in range(2):
        with pytest.raises(MemoryError):
            kernel(4, (1 << 60,), x)
    assert kernel_writer.careful(lambda: kernel(4, (1 << 60,), x))() is None


def test_a_mistake_is_told_once(monkeypatch: Any) -> None:
    """What does not compile is NumPy's, with one warning."""
    monkeypatch.setattr("wengert.host.warn_once._WARNED", set())

    def broken(*_: Any) -> Any:
        raise RuntimeError("LLVM says no")

    monkeypatch.setattr(reductions, "_softmax", broken)
    x = drawn((200, 300), "f4")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(2):
            y = tf.nn.softmax(x).numpy()
    assert len(found) == 1
    assert "LLVM says no" in str(found[0].message)
    np.testing.assert_allclose(y.sum(1), 1, rtol=1e-5)


WITHOUT = """
import sys, warnings
sys.modules["llvmlite"] = sys.modules["llvmlite.binding"] = None
warnings.simplefilter("error")
import numpy as np, wengert as tf
x = np.linspace(-3, 3, 2 * 32 * 32 * 32, dtype=np.float32).reshape(2, 32, 32, 32)
y = tf.nn.max_pool2d(tf.tanh(tf.nn.conv2d(x, np.ones((3, 3, 32, 8), np.float32), 1, "SAME")), 2, 2, "SAME")
print(float(tf.reduce_sum(tf.nn.softmax(y))))
"""


def test_without_llvm_numpy_does_it() -> None:
    """Silently."""
    env = {**os.environ, "WENGERT_CACHE_DIR": ""}
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, env=env)
    assert not done.stderr
    assert abs(float(done.stdout) - 2 * 16 * 16) < 1e-2


def test_a_fault_is_found() -> None:
    """The comparison sees an element that is 0.1 % off, and a lost sign of zero."""
    x = drawn(1000, "f4")
    y = x.copy()
    y[517] *= 1.001
    with pytest.raises(AssertionError):
        alike(y, x, "f4")
    with pytest.raises(AssertionError):
        alike(np.float32([0.0]), np.float32([-0.0]), "f4", exact=True)


# ---- matrix products ------------------------------------------------------------------------------

SIZES = [
    (4, 1, 4), (5, 7, 6), (64, 64, 64), (100, 37, 65), (13, 513, 17), (50, 1025, 129), (192, 512, 33),
    (97, 3, 49), (4, 600, 200), (300, 16, 10), (600, 200, 70), (530, 700, 33),
]  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [(), (3,), (2, 5)], ids=str)
def test_products(kind: str, sizes: tuple[int, int, int], batch: tuple[int, ...]) -> None:
    """However the matrices lie in memory; what is refused is refused for all of these."""
    rows, depth, columns = sizes
    a, b = drawn((*batch, rows, depth), kind), drawn((*batch, depth, columns), kind)
    bound = np.finfo(kind).eps * depth * (np.abs(a) @ np.abs(b)).max()
    for x, y in itertools.product((a, _across(a)), (b, _across(b))):
        found = matmul.product(x, y)
        assert (found is None) == (bool(batch) and rows * depth * columns < matmul.EACH)
        if found is not None:
            assert found.flags.c_contiguous
            assert np.abs(found - a @ b).max() <= bound


def _across(x: Any) -> Any:
    """The same matrices, column by column in memory."""
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def test_products_of_parts_of_matrices() -> None:
    a, b = drawn((90, 120), "f8"), drawn((120, 160), "f8")
    alike(matmul.product(a[:, ::2], b[::2]), a[:, ::2] @ b[::2], "f8")
    alike(matmul.product(a[5:], b[:, 3:]), a[5:] @ b[:, 3:], "f8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lying", range(12))
def test_products_of_matrices_with_gaps(kind: str, lying: int) -> None:
    """Each side beside others of its kind, row by row or column by column, into rows with gaps."""
    draw = np.random.default_rng(lying)
    for _ in range(6):
        rows, depth, columns = (int(n) for n in draw.integers(4, 90, 3))
        depth = int(draw.choice([1, depth, 530, 1100]))
        batch = () if draw.random() < 0.3 else (int(draw.integers(1, 5)),)
        a, b = (_beside(drawn((*batch, *s), kind), draw) for s in ((rows, depth), (depth, columns)))
        memory = np.zeros((*batch, rows, columns + 13), kind)
        out = memory[..., 3 : 3 + columns]
        found = matmul.product(a, b, out)
        assert (found is None) == (
            bool(batch) and batch != (1,) and rows * depth * columns < matmul.EACH
        )
        if found is None:
            continue
        assert found is out
        bound = np.finfo(kind).eps * depth * (np.abs(a) @ np.abs(b)).max()
        assert np.abs(out - a @ b).max() <= bound
        assert not memory[..., :3].any()
        assert not memory[..., 3 + columns :].any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(3, 100, 40, 30), (2, 300, 60, 500), (7, 49, 700, 5), (25, 990, 10, 10)])  # fmt: skip
def test_products_of_matrices_whose_rows_lie_in_turn(kind: str, sizes: tuple[int, ...]) -> None:
    """The first rows of all matrices, then the second ones: so does the result."""
    batch, rows, depth, columns = sizes
    a = drawn((rows, batch, depth), kind).swapaxes(0, 1)
    b = drawn((batch, depth, columns), kind)
    out = np.full((rows, batch, columns), np.nan, kind).swapaxes(0, 1)
    assert matmul.product(a, b, out) is out
    bound = np.finfo(kind).eps * depth * (np.abs(a) @ np.abs(b)).max()
    assert np.abs(out - a @ b).max() <= bound


def _beside(x: Any, draw: Any) -> Any:
    """Its axes in any order in memory, of which the outer ones are parts of longer axes."""
    order = draw.permutation(x.ndim)
    wide = np.full([x.shape[axis] + 5 for axis in order], np.nan, x.dtype)
    lying = wide.transpose(np.argsort(order))
    part = lying[tuple(slice(2, 2 + size) for size in x.shape)]
    part[...] = x
    return part


@pytest.mark.parametrize("seed", range(60))
def test_einsums_are_products_as_they_lie(seed: int) -> None:
    """Whatever the order of the labels, also of parts of arrays; no operand is changed."""
    draw = np.random.default_rng(seed)
    labels = iter("abcdefgh")
    count, rows, summed, columns = (
        [next(labels) for _ in range(draw.integers(least, 3))] for least in (0, 1, 1, 1)
    )
    size = {k: int(draw.integers(2, 5)) for k in count}
    size |= {k: int(draw.integers(4, 14)) for k in (*rows, *columns)}
    size |= {k: int(draw.integers(2, 5)) for k in summed}
    size[summed[0]] = 1 + 2**18 // math.prod(size[k] for k in (*rows, *columns))  # worth a kernel
    first, second, out = (
        "".join(draw.permutation([*g, *h, *count]))
        for g, h in ((rows, summed), (summed, columns), (rows, columns))
    )
    a, b = (drawn([size[k] for k in term], "f8", seed=k) for k, term in enumerate((first, second)))
    if draw.random() < 0.5:
        a, b = _beside(a, draw), _beside(b, draw)
    equation, before = f"{first},{second}->{out}", (a.copy(), b.copy())
    found = tf.einsum(equation, wrap(a), wrap(b))
    np.testing.assert_allclose(found, np.einsum(equation, a, b), rtol=1e-10, atol=1e-9)
    assert (a == before[0]).all()
    assert (b == before[1]).all()


def test_the_einsums_of_batches_copy_nothing() -> None:
    """Those of a batch of vectors with a matrix for each of several components, and their gradients."""
    x, w = drawn((300, 20, 12), "f8"), drawn((20, 12, 12), "f8")
    for equation, a, b in (("kij,nkj->nki", w, x), ("nki,kij->nkj", x, w), ("nki,nkj->kij", x, x)):
        product = as_product(equation, a.shape, b.shape)
        assert product is not None
        alike(product.in_place(a, b), np.einsum(equation, a, b), "f8")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (drawn((3, 200), "f4"), drawn((200, 200), "f4")),
        (drawn((200, 200), "f4"), drawn((200, 1), "f4")),
        (drawn((200, 200), "f4"), drawn((200, 200), "f8")),
        (drawn((2, 100, 100), "f4"), drawn((100, 100), "f4")),
        (np.ones((200, 200), "u4"), np.ones((200, 200), "u4")),
        (np.ones((0, 100, 100)), np.ones((0, 100, 100))),
        (np.ones((100, 0)), np.ones((0, 100))),
    ],
)
def test_products_that_are_left_to_numpy(a: Any, b: Any) -> None:
    assert matmul.product(a, b) is None


def test_products_are_the_same_for_any_number_of_threads() -> None:
    a, b = drawn((300, 700), "f4"), drawn((700, 90), "f4")
    want = tf.matmul(a, b).numpy()
    tf.config.set_threads(1)
    matmul._made.cache_clear()
    matmul._READY.clear()
    assert (tf.matmul(a, b).numpy() == want).all()


def test_gradients_of_products() -> None:
    """Transposed either way, and of batches: as with NumPy, to second order."""
    a, b = tf.constant(drawn((2, 80, 90), "f8")), tf.constant(drawn((2, 80, 70), "f8"))

    def twice() -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch([a, b])
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = tf.reduce_sum(tf.tanh(tf.matmul(a, b, transpose_a=True)))
            first = tape.gradient(y, [a, b])
            length = tf.add_n([tf.reduce_sum(g**2) for g in first])
        return [*first, *outer.gradient(length, [a, b])]

    found = twice()
    tf.config.set_engine("numpy")
    for x, want in zip(found, twice(), strict=True):
        alike(x, want, "f8")


# ---- factors and random words ---------------------------------------------------------------------


def positive_definite(size: int, kind: str, batch: tuple[int, ...] = ()) -> Any:
    x = np.random.default_rng(size).standard_normal((*batch, size, size))
    return (x @ x.swapaxes(-1, -2) / size + np.eye(size)).astype(kind)


@pytest.mark.parametrize("size", [63, 64, 65, 97, 129, 1024, 1025])
@pytest.mark.parametrize("kind", KINDS)
def test_cholesky_reads_the_lower_triangle(kind: str, size: int) -> None:
    a = positive_definite(size, kind)
    assert (factors.cholesky(a) is not None) == (64 <= size <= 1024)
    alike(tf.linalg.cholesky(np.tril(a) + np.triu(a * np.nan, 1)), np.linalg.cholesky(a), kind)
    assert np.isnan(tf.linalg.cholesky(-a).numpy()[0, 0])


@pytest.mark.parametrize("at", [0, 5, 64, 69])
def test_a_matrix_that_is_not_positive_definite(at: int) -> None:
    """Its factor is NaN, and those of the others of its batch are not."""
    a = positive_definite(70, "f4", (3,))
    a[1, at, at] = -1
    found = tf.linalg.cholesky(a).numpy()
    assert np.isnan(np.diagonal(found[1])).all()
    alike(found[::2], np.linalg.cholesky(a[::2]), "f4")


@pytest.mark.parametrize("sides", [1, 3, 16, 17, 64, 130])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_triangular_systems(kind: str, lower: bool, adjoint: bool, sides: int) -> None:
    """Of the other triangle nothing is read; the matrix may lie in memory either way."""
    a = np.linalg.cholesky(positive_definite(100, kind))
    b = drawn((100, sides), kind)
    used = a if lower else a.T
    full = used + (np.triu if lower else np.tril)(np.full_like(a, np.nan), 1 if lower else -1)
    want = np.linalg.solve(used.T if adjoint else used, b)
    assert (factors.triangular_solve(full, b, lower, adjoint) is None) == (sides == 1)
    for given in (full, np.asfortranarray(full)):
        alike(tf.linalg.triangular_solve(given, b, lower, adjoint), want, kind)


@pytest.mark.parametrize("adjoint", [True, False])
def test_factors_of_several_matrices(adjoint: bool) -> None:
    """More than a matrix has rows, and a matrix that all right-hand sides share."""
    a = positive_definite(65, "f8", (2, 40))
    lower, b = np.linalg.cholesky(a), drawn((2, 40, 65, 2), "f8")
    alike(tf.linalg.cholesky(a), lower, "f8")
    used = lower.swapaxes(-1, -2) if adjoint else lower
    alike(tf.linalg.triangular_solve(lower, b, adjoint=adjoint), np.linalg.solve(used, b), "f8")
    want = np.linalg.solve(used[0, 0], b)
    alike(tf.linalg.triangular_solve(lower[0, 0], b, adjoint=adjoint), want, "f8")


def test_gradients_of_factors() -> None:
    """They go on through the kernels, to second order."""
    a = tf.constant(positive_definite(70, "f8"))

    def loss(x: Any) -> Any:
        l = tf.linalg.cholesky(x)  # noqa: E741
        return tf.reduce_sum(tf.linalg.triangular_solve(l, x[:, :2]) ** 2)

    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = loss(a)
        first = tape.gradient(y, a)
        length = tf.reduce_sum(first**2)
    second = outer.gradient(length, a)
    tf.config.set_engine("numpy")
    with tf.GradientTape() as outer:
        outer.watch(a)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = loss(a)
        length = tf.reduce_sum(tape.gradient(y, a) ** 2)
    np.testing.assert_allclose(second, outer.gradient(length, a), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("count", [1, 4, 5, 40_001])
@pytest.mark.parametrize("start", [0, (1 << 64) - 3, (1 << 128) - 2, 12345 << 70])
def test_random_words(start: int, count: int) -> None:
    """The words that NumPy computes, where halves of the counter overflow, too."""
    state = Philox(start, 0x9E3779B97F4A7C15)
    want = blocks(state, np.arange(-(-count // 4), dtype=np.uint64)).reshape(-1)[:count]
    assert philox_kernel(philox.CONSTANTS, *state, 1) is not None
    found = random_words(state, count)
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("target", ["float32", "float64"])
@pytest.mark.parametrize("source", ["float32", "float64", "int32", "int64", "uint8", "bool"])
def test_casts_to_floats(source: str, target: str) -> None:
    """NumPy's bits, of what overflows and of what has no number, too."""
    bits = np.random.default_rng(5).integers(0, 256, 8 * 500_001, np.uint8)
    x = (
        bits[: 500_001 * np.dtype(source).itemsize].view(source)
        if source != "bool"
        else bits[:500_001] > 99
    )
    run = lambda: tf.cast(tf.constant(x), target).numpy()  # noqa: E731
    found, wanted = both(run) if source != target else (run(), x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(found, x.astype(target))
    assert found.dtype == target


@pytest.mark.parametrize("dtypes", [("float32", "float16"), ("float16", "float32")])
@pytest.mark.parametrize("size", [1, 2, 17, elementwise.WIDEST - 1])
def test_no_vector_begins_before_a_short_array(monkeypatch: Any, dtypes: Any, size: int) -> None:
    """The last one ends with the array: of a shorter one it would write over the memory before."""
    monkeypatch.setattr(elementwise, "_loop", None)
    x = np.linspace(-2.0, 2.0, size).astype(dtypes[0])
    found = elementwise.in_other_size(x, np.dtype(dtypes[1]))
    assert found.dtype == dtypes[1]
    np.testing.assert_array_equal(found, x.astype(dtypes[1]))
    assert elementwise.apply_row(TABLE["Exp"], [x], {}) is None


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize("columns", [1, 2, 17])
def test_a_few_sums_of_many_halves(dtype: Any, columns: int) -> None:
    """Each is divided, or its root taken, before it is rounded, in each way of running."""
    x = tf.fill([2500, columns], tf.constant(100.0, dtype))
    few = x[:30]
    for reduce, many, wanted in (
        (tf.reduce_mean, 100.0, 100.0),
        (tf.math.reduce_euclidean_norm, 5000.0, 548.0),
    ):
        for given, value in ((x, many), (few, wanted)):
            for way in (lambda f: f, tf.function, tf.function(jit_compile=True)):
                found = np.asarray(way(lambda v, r=reduce: r(v, 0))(given), np.float64)
                np.testing.assert_allclose(found, np.full([columns], value), rtol=4e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_of_extremes_beside_nan(dtype: Any, axis: int) -> None:
    """A NaN is left out, unless there is nothing else; of equal ones the first counts."""
    x = np.random.default_rng(0).integers(0, 9, (20, 30, 40)).astype(dtype)
    for share in (0.0, 0.001, 1.0):
        given = x.copy()
        given[np.random.default_rng(1).random(x.shape) < share] = np.nan
        for find, worst in (("argmax", -np.inf), ("argmin", np.inf)):
            want = getattr(np, find)(np.where(np.isnan(given), worst, given), axis)
            assert (getattr(tf, find)(given, axis).numpy() == want).all()


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("count", [4096, 4097, 5003, 30_001])
@pytest.mark.parametrize("start", [0, 2**64 - 3, 2**128 - 700])
@pytest.mark.parametrize("draw", [distributions.uniform, distributions.normal, distributions.truncated_normal])  # fmt: skip
def test_many_samples(draw: Any, start: int, count: int, dtype: tf.DType) -> None:
    """NumPy's, whose sines in double precision round otherwise; a counter may go on in its upper half."""
    found, wanted = both(lambda: draw(Philox(start, 0x123456789ABCDEF), count, dtype))
    assert (found.dtype, found.shape) == (wanted.dtype, (count,))
    if dtype is tf.float64:
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-15)
    else:
        np.testing.assert_array_equal(found, wanted)


# ---- parts of arrays -----------------------------------------------------------------------------

PARTS = [
    ((200, 11), (slice(None), slice(0, 3))),
    ((200, 11), (slice(3, 150), slice(3, 6))),
    ((200, 11), (slice(5, 199, 3), slice(9, 11))),
    ((3, 50, 40), (slice(1, None), slice(None), slice(2, 39))),
    ((3, 50, 400), (slice(None), slice(1, 30, 2), slice(5, 301))),
    ((6, 5, 7, 8), (slice(None), slice(None), slice(1, 4), slice(3, 8))),
    ((70, 300), (slice(2, 60),)),
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", [*KINDS, "f2"])
@pytest.mark.parametrize(("shape", "key"), PARTS)
def test_add_to_a_part(shape: Any, key: Any, kind: str, threads: int) -> None:
    """It is added once to each number, and what lies between the rows stays."""
    tf.config.set_threads(threads)
    for seed in range(3):
        total = drawn(shape, kind, special=0.1, seed=seed)
        added = drawn(total[key].shape, kind, special=0.1, seed=seed + 9)
        for given in (added, np.asfortranarray(added), np.repeat(added, 2, -1)[..., ::2]):
            got, want = total.copy(), total.copy()
            with np.errstate(all="ignore"):
                want[key] += given
            if elementwise.add_to_part(got[key], given) is None:
                assert given is not added  # only what lies row by row
            else:
                alike(got, want, kind, exact=True)


@pytest.mark.parametrize(
    ("part", "added"),
    [
        (np.zeros((9, 4), "f4")[:, :3], np.ones((9, 3), "f8")),
        (np.zeros((9, 4), "i4")[:, :3], np.ones((9, 3), "i4")),
        (np.zeros((9, 4))[:, :3], np.ones((9, 1))),
        (np.zeros((9, 4))[:, 1], np.ones(9)),
        (np.zeros((9, 4))[::-1, :3], np.ones((9, 3))),
        (np.zeros((0, 4))[:, :3], np.ones((0, 3))),
    ],
    ids=["dtypes", "integers", "shapes", "column", "backwards", "nothing"],
)
def test_what_numpy_adds_to_a_part(part: Any, added: Any) -> None:
    assert elementwise.add_to_part(part, added) is None
    assert not part.any()


def test_gradients_of_columns_are_added_where_they_lie() -> None:
    x = tf.constant(drawn((3000, 7), "f8"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[:, :3] ** 2) + tf.reduce_sum(x[:, 2:6] ** 3) + tf.reduce_sum(x[5:, 1:])
    want = np.zeros_like(x)
    want[:, :3] += 2 * x[:, :3]
    want[:, 2:6] += 3 * x[:, 2:6] ** 2
    want[5:, 1:] += 1
    alike(tape.gradient(y, x), want, "f8")
