"""Loops of graphs that are compiled whole: the same numbers as NumPy's, to every order, and the same errors."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.program import loops, rows
from wengert.ops.control.trip_counts import trips
from wengert.values.tensor import TensorList

RNG = np.random.default_rng(0)
X = tf.constant(RNG.normal(size=(3, 4)))
W = tf.constant(RNG.normal(size=(4, 4)) * 0.3)
V = tf.Variable(RNG.normal(size=(4, 4)) * 0.3)

Function = Callable[..., Any]


def loop(n: int, body: Function) -> Function:
    """Some iterations of a body that takes a value and all arguments."""
    return lambda *xs: tf.while_loop(
        lambda i, a: i < n, lambda i, a: (i + 1, body(a, *xs)), (0, xs[0])
    )[1]


def steps(f: Any, *xs: Any) -> list[str]:
    return [step["kind"] for step in f.plan(*xs).steps]


def agree(f: Function, *xs: Any) -> list[str]:
    """The kinds of steps of the compiled function, after it gave the same as NumPy, twice."""
    wanted = tf.nest.flatten(tf.function(f, jit_compile=False)(*xs))
    compiled = tf.function(f, jit_compile=True)
    for _ in range(2):
        for y, z in zip(tf.nest.flatten(compiled(*xs)), wanted, strict=True):
            np.testing.assert_allclose(y, z, rtol=1e-9, atol=1e-11)
    return steps(compiled, *xs)


def with_gradient(f: Function) -> Function:
    def both(*xs: Any) -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([*xs, V])
            y = f(*xs)
        return y, tape.gradient(y, [*xs, V], unconnected_gradients="zero")

    return both


def orders(f: Function) -> list[Function]:
    """The function, with its gradient, and with the gradient of a number made of that."""
    first = with_gradient(f)

    def total(*xs: Any) -> Any:
        return sum(tf.reduce_sum(tf.square(g)) for g in first(*xs)[1])

    return [f, first, with_gradient(total)]


def agree_around_a_tape(f: Function, xs: tuple[Any, ...], **options: Any) -> None:
    """The gradient that a tape outside takes of the compiled function is the one of NumPy's."""
    found = []
    for compiled in (False, True):
        g = tf.function(f, jit_compile=compiled, **options)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = g(*xs)
        found.append(tape.gradient(y, xs, unconnected_gradients="zero"))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


SMOOTH: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "elementwise": (loop(5, lambda a, x: tf.sin(a) * x), (X,)),
    "product": (loop(7, lambda a, x, w: tf.tanh(a @ w) + x * 0.1), (X, W)),
    "variable": (loop(7, lambda a, x: tf.tanh(a @ V) + x * 0.1), (X,)),
    "more rows than there is room for": (loop(500, lambda a, x: tf.tanh(a) * 0.99 + x * 0.01), (X,)),
    "no iteration": (loop(0, lambda a, x: tf.tanh(a)), (X,)),
    "one iteration": (loop(1, lambda a, x: tf.tanh(a)), (X,)),
    "reductions": (loop(3, lambda a, x: a / tf.reduce_sum(a * a, 1, keepdims=True)), (X,)),
    "softmax": (loop(3, lambda a, x: tf.nn.softmax(a + x)), (X,)),
    "the result is saved": (loop(4, lambda a, x: tf.exp(-a)), (X,)),
    "an unknown number": (
        lambda x: tf.while_loop(
            lambda a: tf.reduce_sum(a * a) < 100.0, lambda a: (a * 1.3 + 0.1,), (x,)
        )[0],
        (X,),
    ),
    "a part of what was saved": (
        loop(3, lambda a, x: tf.sin(tf.concat([x[1:], a[:1]], 0)) * a),
        (X,),
    ),
    "at most so many": (
        lambda x: tf.while_loop(
            lambda a: True, lambda a: (a * 1.3 + 0.1,), (x,), maximum_iterations=9
        )[0],
        (X,),
    ),
    "values that change places": (
        lambda x: tf.while_loop(
            lambda i, a, b: i < 4, lambda i, a, b: (i + 1, b * a, tf.cos(a)), (0, x, x * 2.0)
        )[1:],
        (X,),
    ),
    "one loop after another": (
        lambda x: loop(4, lambda a, x: tf.sin(a) * x)(loop(3, lambda a, x: tf.cos(a) * x)(x)),
        (X,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_orders(name: str) -> None:
    f, xs = SMOOTH[name]
    for g in orders(f):
        kinds = agree(g, *xs)
        assert "while" in kinds
        assert "NumPy" not in kinds


@pytest.mark.parametrize("name", SMOOTH)
def test_a_tape_around_a_compiled_function(name: str) -> None:
    """What the gradient needs leaves one plan as a list and enters another."""
    agree_around_a_tape(*SMOOTH[name])


@pytest.mark.parametrize("name", SMOOTH)
def test_forward(name: str) -> None:
    f, xs = SMOOTH[name]
    assert "while" in agree(lambda *xs: tf.jvp(f, xs, tuple(map(tf.ones_like, xs))), *xs)


NESTED: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "a loop in a loop": (
        loop(4, lambda a, x: loop(3, lambda b, *_: tf.sin(b) * x)(a)),
        (X,),
    ),
    "with a product": (
        loop(4, lambda a, x, w: loop(3, lambda b, *_: tf.tanh(b @ w))(a) + x * 0.1),
        (X, W),
    ),
    "three": (
        loop(2, lambda a, x: loop(3, lambda b, _: loop(2, lambda c, _: tf.cos(c) * x)(b))(a)),
        (X,),
    ),
    "a loop in a branch": (
        lambda x: tf.cond(
            tf.reduce_sum(x) > 0.0, lambda: loop(3, lambda a, x: tf.sin(a) * x)(x), lambda: x * 2.0
        ),
        (X,),
    ),
    "a loop in each branch": (
        lambda x: tf.cond(
            tf.reduce_sum(x) > 1e9,
            lambda: loop(3, lambda a, x: tf.sin(a) * x)(x),
            lambda: loop(5, lambda a, x: tf.cos(a) * x)(x),
        ),
        (X,),
    ),
    "a branch in a loop in a loop": (
        loop(
            3,
            lambda a, x: loop(
                3,
                lambda b, _: tf.cond(
                    tf.reduce_sum(b) > 0.0, lambda: tf.sin(b) * x, lambda: b * x * x
                ),
            )(a),
        ),
        (X,),
    ),
    "a map in a loop": (loop(3, lambda a, x: tf.map_fn(lambda r: tf.sin(r) * r, a)), (X,)),
    "a scan in a map": (
        lambda x: tf.map_fn(lambda r: tf.scan(lambda p, q: tf.tanh(p + q), r), x),
        (X,),
    ),
    "a loop in a scan": (
        lambda x: tf.scan(lambda a, r: loop(3, lambda b, _: tf.sin(b) + r)(a), x),
        (X,),
    ),
}


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("pause", [loops._PAUSE, 1])
def test_nested(name: str, pause: int, monkeypatch: Any) -> None:
    """Also where loops that are known to be long stop, to be interrupted, and go on."""
    monkeypatch.setattr(loops, "_PAUSE", pause)
    if pause == 1:
        monkeypatch.setenv(
            "WENGERT_CACHE_DIR", ""
        )  # what is kept there was made with the usual pause
    f, xs = NESTED[name]
    for g in orders(f):
        kinds = agree(g, *xs)
        assert "while" in kinds or "branch" in kinds
        assert "NumPy" not in kinds


@pytest.mark.parametrize("name", NESTED)
def test_a_tape_around_nested_loops(name: str) -> None:
    """A list of lists leaves the plan."""
    agree_around_a_tape(*NESTED[name])


COUNTED: dict[str, tuple[Function, int | None]] = {
    "up": (lambda n: (0, lambda i: i < n, lambda i: i + 1), 7),
    "to the end": (lambda n: (1, lambda i: i <= n, lambda i: i + 1), 7),
    "in steps": (lambda n: (0, lambda i: i < n, lambda i: 3 + i), 3),
    "down": (lambda n: (n, lambda i: i > 0, lambda i: i - 2), 4),
    "down to the end": (lambda n: (n, lambda i: i >= 0, lambda i: i - 2), 4),
    "turned": (lambda n: (0, lambda i: n > i, lambda i: i + 2), 4),
    "two limits": (lambda n: (0, lambda i: tf.logical_and(i < n, i < 5), lambda i: i + 1), 5),
    "none": (lambda n: (n, lambda i: i < n, lambda i: i + 1), None),
    "not by a number": (lambda n: (1, lambda i: i < n, lambda i: i * 2), None),
    "not a limit": (lambda n: (0, lambda i: tf.not_equal(i, n), lambda i: i + 1), None),
}


@pytest.mark.parametrize("name", COUNTED)
def test_how_often_a_loop_runs(name: str) -> None:
    """What is known before is what happens."""
    counted, wanted = COUNTED[name]

    def f(x: Any) -> Any:
        begin, goes_on, step = counted(7)
        return tf.while_loop(
            lambda i, k, a: goes_on(i), lambda i, k, a: (step(i), k + 1, tf.sin(a)), (begin, 0, x)
        )[1:]

    agree(with_gradient(lambda x: f(x)[1]), X)
    (op,) = [
        op
        for op in tf.function(f).get_concrete_function(X).graph.get_operations()
        if op.row.bodies is not None
    ]
    count = trips(op, op.row.bodies)
    assert (count or None) == wanted
    if wanted is not None:
        assert int(f(X)[0]) == wanted


@pytest.mark.parametrize(
    ("begin", "goes_on", "step"),
    [
        (np.int8(120), lambda i: i <= 127, 4),
        (np.int8(120), lambda i: i < 127, 4),
        (np.uint8(250), lambda i: i <= 255, 1),
        (np.uint8(10), lambda i: i >= 0, -1),
        (np.int32(2**31 - 8), lambda i: i < 2**31 - 2, 4),
        (np.int64(2**63 - 3), lambda i: i <= 2**63 - 1, 1),
    ],
)
def test_a_counter_that_wraps_around(begin: Any, goes_on: Function, step: int) -> None:
    """It does not end where the limit seems to be passed."""

    def f(x: Any) -> Any:
        return tf.while_loop(
            lambda i, a: goes_on(i),
            lambda i, a: (i + step if step > 0 else i - -step, tf.sin(a) * 0.9),
            (tf.constant(begin), x),
            maximum_iterations=20,
        )[1]

    agree(with_gradient(f), X)


def test_a_long_loop_of_known_length_is_interrupted() -> None:
    f = tf.function(loop(2_000_000_000, lambda a, x: tf.sin(a) + x), jit_compile=True)
    f.plan(X)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        f(X)
    timer.join()


def pair(n: int, body: Function, *start: Any) -> Any:
    return tf.while_loop(lambda i, *_: i < n, lambda i, *xs: (i + 1, *body(*xs)), (0, *start))[1:]


CARRIED: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "swapped": (lambda a, b: pair(7, lambda a, b: (b, a + b * 0.5), a, b), (X, X * 2.0)),
    "the same twice": (
        lambda a: pair(5, lambda a, b: (tf.sin(b) + a, tf.sin(b) + a), a, a),
        (X,),
    ),
    "left alone": (lambda a: pair(3, lambda a, b: (a + b, b), a, a * 3.0), (X,)),
    "a constant": (lambda a: pair(3, lambda a: (tf.constant([[1.0, 2.0, 3.0, 4.0]], a.dtype) + a * 0.1,), a), (X,)),
    "becomes a constant": (lambda a: pair(3, lambda a, b: (a + b, tf.ones_like(a)), a, a), (X,)),
    "becomes what is outside": (lambda a, c: pair(3, lambda a, b: (a + b, c), a, a), (X, X * 2.0)),
    "integers": (lambda k: pair(9, lambda k: (k * 3 + 1,), k), (tf.constant([1, 2, 3], tf.int64),)),
    "truth": (
        lambda a: tf.while_loop(
            lambda go, a: go, lambda go, a: (tf.reduce_max(a) < 50.0, a * 1.2 + 0.1), (True, a)
        ),
        (X,),
    ),
    "a loop in a loop": (
        lambda a: tf.while_loop(
            lambda i, a: i < 5,
            lambda i, a: (
                i + 1,
                tf.while_loop(
                    lambda j, b: j < i, lambda j, b: (j + 1, tf.tanh(b @ W) + a), (0, a)
                )[1],
            ),
            (0, a),
        ),
        (X,),
    ),
    "constants in a loop in a loop": (
        lambda a: pair(
            4,
            lambda a: pair(
                3, lambda b: (tf.sin(b) + tf.constant([[0.1], [0.2], [0.3]], b.dtype),), a
            ),
            a,
        ),
        (X,),
    ),
    "constants in a branch in a loop": (
        lambda a: tf.while_loop(
            lambda i, a: i < 4,
            lambda i, a: (
                i + 1,
                tf.cond(i < 2, lambda: a * np.arange(4.0), lambda: a - np.arange(3.0)[:, None]),
            ),
            (0, a),
        ),
        (X,),
    ),
    "rows by an index": (
        lambda a, k: pair(4, lambda a, k: (tf.gather(a, k), tf.reverse(k, [0])), a, k),
        (X, tf.constant([2, 0, 1])),
    ),
    "in several parts": (
        lambda a: pair(3, lambda a: (tf.sin(a) + tf.reduce_mean(a),), a),
        (tf.constant(RNG.normal(size=(300, 700))),),
    ),
    "a product by BLAS": (
        lambda a, w: pair(3, lambda a: (a @ w * 0.01,), a),
        (tf.constant(RNG.normal(size=(64, 600))), tf.constant(RNG.normal(size=(600, 600)))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CARRIED)
def test_what_is_carried(name: str) -> None:
    f, xs = CARRIED[name]
    kinds = agree(f, *xs)
    assert "while" in kinds
    assert "NumPy" not in kinds


def test_a_check_in_the_body_raises() -> None:
    @tf.function(jit_compile=True)
    def beyond(a: Any, k: Any) -> Any:
        return pair(4, lambda a, k: (tf.gather(a, k), k + 1), a, k)

    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = 3 is not in \[0, 3\)"
    ):
        beyond(X, tf.constant([2, 0, 1]))
    assert "while" in steps(beyond, X, tf.constant([2, 0, 1]))


def test_a_variable_that_changes_around_a_loop() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        v.assign_add([1.0, 1.0])
        (y,) = pair(3, lambda a: (a + v,), x)
        v.assign(y)
        return y

    np.testing.assert_array_equal(f(tf.zeros([2])), [6.0, 9.0])
    np.testing.assert_array_equal(v, [6.0, 9.0])
    np.testing.assert_array_equal(f(tf.zeros([2])), [21.0, 30.0])


def test_a_check_does_not_write_over_what_it_looks_at() -> None:
    """The check of an index that is updated in the same loop comes before the update."""
    k = tf.Variable([2, 0, 1])

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        y = tf.gather(x, k)
        k.assign_add([1, 1, 1])
        return y

    f(X)
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(X)
    np.testing.assert_array_equal(k, [3, 1, 2])


def test_a_loop_without_an_end_is_interrupted() -> None:
    f = tf.function(
        lambda x: tf.while_loop(lambda a: a < 10.0, lambda a: (a * 0.5,), (x,))[0], jit_compile=True
    )
    assert f(tf.constant(20.0)) == 20.0
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        f(tf.constant(1.0))
    timer.join()
    assert f(tf.constant(20.0)) == 20.0


# ---- lists, indices and random numbers ----------------------------------------------------------


def written(x: Any) -> Any:
    array = tf.TensorArray(x.dtype, size=5, element_shape=x.shape)
    return tf.while_loop(
        lambda i, a, array: i < 5,
        lambda i, a, array: (i + 1, tf.sin(a) * x, array.write(i, a)),
        (0, x, array),
    )[2].stack()


def two_arrays(x: Any) -> Any:
    """One is read while another is written; some rows are never written."""
    source = tf.TensorArray(x.dtype, size=3).unstack(x)
    target = tf.TensorArray(x.dtype, size=6, element_shape=x.shape[1:])
    target = tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, t.write(2 * i, source.read(i) ** 2)), (0, target)
    )[1]
    return target.stack(), target.read(1), target.read(2)


def counted(body: Function, x: Any) -> Any:
    return pair(3, lambda i, a: (i + 1, body(i, a)), 0, x)[1]


WITH_LISTS: dict[str, Function] = {
    "scan": lambda x: tf.scan(lambda a, b: tf.sin(a) + b, x),
    "scan in reverse": lambda x: tf.scan(lambda a, b: tf.sin(a) * b, x, reverse=True),
    "map": lambda x: tf.map_fn(lambda b: tf.sin(b) * b, x),
    "map to two": lambda x: tf.map_fn(
        lambda r: (tf.reduce_sum(r * x), r[::-1]), x, fn_output_signature=(x.dtype, x.dtype)
    ),
    "fold": lambda x: tf.foldl(lambda a, b: tf.sin(a) + b, x),
    "written": written,
    "two arrays": two_arrays,
    "an index": lambda x: counted(lambda i, a: a + x[i], x),
    "an index from the end": lambda x: counted(lambda i, a: a * x[-1 - i, 1:2], x),
    "an index of a column": lambda x: counted(lambda i, a: a + x[..., i, tf.newaxis], x),
    "a cell": lambda x: counted(lambda i, a: a + x[0, i] * x[i, 0], x),
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_LISTS)
def test_lists_and_indices(name: str) -> None:
    f = WITH_LISTS[name]
    first = with_gradient(f)
    agree(with_gradient(lambda x: tf.reduce_sum(tf.sin(first(x)[1][0]))), X)
    for g in (f, first):
        kinds = agree(g, X)
        assert "while" in kinds
        assert "NumPy" not in kinds


@pytest.mark.parametrize("at", [3, -4])
def test_an_index_beyond_the_end(at: int) -> None:
    f = tf.function(lambda x, i: pair(2, lambda a: (a + x[i],), x), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"slice index {at} of dimension 0"):
        f(X, tf.constant(at))


def test_a_list_that_was_handed_out_does_not_change() -> None:
    """The rows of a loop's list are written over only where nobody reads them."""

    @tf.function(jit_compile=True)
    def f(x: Any) -> Any:
        first = tf.TensorArray(x.dtype, size=3, element_shape=x.shape).write(0, x)
        second = pair(3, lambda i, t: (i + 1, t.write(i, x * 2.0)), 0, first)[1]
        return first.stack(), second.stack()

    before, after = f(X)
    np.testing.assert_array_equal(before[1:], np.zeros((2, 3, 4)))
    np.testing.assert_array_equal(after, [X * 2.0] * 3)


DRAWS: dict[str, Function] = {
    f"{name} {dtype.name}": lambda seed, shape, draw=draw, dtype=dtype: draw(
        shape, seed, dtype=dtype
    )
    for name, draw in (
        ("uniform", tf.random.stateless_uniform),
        ("normal", tf.random.stateless_normal),
    )
    for dtype in (tf.float32, tf.float64)
} | {
    f"integers {dtype.name}": lambda seed, shape, dtype=dtype: tf.random.stateless_uniform(
        shape, seed, None, None, dtype=dtype
    )
    for dtype in (tf.int32, tf.int64, tf.uint32, tf.uint64)
}


@pytest.mark.parametrize("shape", [(), (1,), (4,), (5,), (3, 7), (2, 1, 513)], ids=str)
@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers(name: str, shape: tuple[int, ...]) -> None:
    """The same bits as NumPy's; doubles to rounding, where a logarithm may differ in the last place."""
    draw = DRAWS[name]
    for seed in (tf.constant([1, -2]), tf.constant([2**40 + 3, -5], tf.int64)):
        wanted = tf.function(lambda s: draw(s, shape), jit_compile=False)(seed)
        f = tf.function(lambda s: draw(s, shape), jit_compile=True)
        if name == "normal float64":
            np.testing.assert_allclose(f(seed), wanted, rtol=1e-14)
        else:
            np.testing.assert_array_equal(f(seed), wanted)
        assert "NumPy" not in steps(f, seed)


def test_a_chain_of_random_steps() -> None:
    def chain(seed: Any) -> Any:
        def step(i: Any, x: Any) -> Any:
            new = tf.random.split(seed + i, 2)
            proposal = x + 0.5 * tf.random.stateless_normal([4], new[0])
            ratio = tf.reduce_sum(x * x - proposal * proposal) / 2.0
            accepts = tf.math.log(tf.random.stateless_uniform([], new[1])) < ratio
            return i + 1, tf.where(accepts, proposal, x)

        return tf.while_loop(lambda i, x: i < 50, step, (0, tf.zeros([4])))[1]

    seed = tf.constant([3, 4])
    compiled = tf.function(chain, jit_compile=True)
    np.testing.assert_allclose(
        compiled(seed), tf.function(chain, jit_compile=False)(seed), rtol=1e-5, atol=1e-6
    )
    assert "NumPy" not in steps(compiled, seed)


# ---- branches -----------------------------------------------------------------------------------

BRANCHES: dict[str, Function] = {
    "two": lambda x, p: tf.cond(p, lambda: tf.sin(x) * x, lambda: tf.cos(x)),
    "left alone": lambda x, p: tf.cond(p, lambda: x, lambda: tf.cos(x)),
    "constants": lambda x, p: tf.cond(p, lambda: tf.fill([3, 4], x[0, 0]), lambda: tf.ones_like(x)),
    "several results": lambda x, p: tf.cond(p, lambda: (tf.sin(x), x), lambda: (x, x)),
    "a variable": lambda x, p: tf.cond(p, lambda: tf.tanh(x @ V), lambda: x @ W),
    "in a branch": lambda x, p: tf.cond(
        p, lambda: tf.cond(x[0, 0] > 0.0, lambda: tf.sin(x), lambda: -x), lambda: x @ W
    ),
    "in a loop": lambda x, p: counted(
        lambda i, a: tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(a), lambda: a * x), x
    ),
    "by an index": lambda x, p: tf.switch_case(
        tf.cast(p, tf.int32) + 1, [lambda: x, lambda: tf.sin(x), lambda: tf.exp(x)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("name", BRANCHES)
def test_branches(name: str, chosen: bool) -> None:
    f, p = BRANCHES[name], tf.constant(chosen)

    def first(x: Any, p: Any) -> Any:
        return with_gradient(lambda x: f(x, p))(x)

    def second(x: Any, p: Any) -> Any:
        return with_gradient(lambda x: tf.reduce_sum(tf.sin(first(x, p)[1][0])))(x)

    for g in (f, first, second):
        kinds = agree(g, X, p)
        assert "branch" in kinds or "while" in kinds
        assert "NumPy" not in kinds
    grads = []
    for compiled in (False, True):  # the tape is outside, so that values of branches leave the plan
        h = tf.function(f, jit_compile=compiled)
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = h(X, p)
        grads.append(tape.gradient(y, X))
    np.testing.assert_allclose(*grads, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("shift", [1.0, -1.0])
def test_a_loop_reads_what_a_branch_left_behind_in_branches_alone(shift: float) -> None:
    """Where the other branch was chosen there is nothing, which the loop over the rows of a Jacobian is given."""

    def rows(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(
                tf.reduce_sum(x) > 0.0,
                lambda: x * x,
                lambda: tf.math.floormod(x, 1.5 + tf.square(x)),
            )
        return tape.jacobian(y, x)

    x = tf.constant([0.3, -0.2]) + shift
    f = tf.function(rows, input_signature=[tf.TensorSpec([None])], jit_compile=True)
    np.testing.assert_allclose(f(x), rows(x), rtol=1e-6)
    assert "while" in steps(f, x)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint32"])
def test_whole_quotients(dtype: str) -> None:
    x = tf.constant(np.arange(-50, 50).astype(dtype))
    for by in (1, 2, 3, 7, 16):
        f = tf.function(lambda x, by=by: (x % by, x // by), jit_compile=True)
        for y, z in zip(f(x), f.python_function(x), strict=True):
            np.testing.assert_array_equal(y, z)
        assert "NumPy" not in steps(f, x)


# ---- drawn --------------------------------------------------------------------------------------


def drawn(seed: int) -> tuple[Function, tuple[Any, ...]]:
    """A loop of one to three values of a drawn size, with drawn operations."""
    draw = random.Random(seed)
    rows, columns = draw.randint(1, 9), draw.randint(1, 40)
    count, values = draw.choice([0, 1, 2, 5, 80]), draw.randint(1, 3)
    rng = np.random.default_rng(seed)
    matrix = tf.constant(rng.normal(size=(columns, columns)) / columns)
    plan = [
        (draw.choice("mstpraxw"), draw.randrange(values), draw.randrange(values))
        for _ in range(values)
    ]

    def one(kind: str, a: Any, b: Any, x: Any) -> Any:
        return {
            "m": lambda: tf.tanh(a * b),
            "s": lambda: tf.sin(a) + 0.1 * b,
            "t": lambda: tf.math.softplus(a - b),
            "p": lambda: tf.tanh(a @ matrix) + b * 0.5,
            "r": lambda: a / (1.0 + tf.reduce_sum(tf.abs(b), 1, keepdims=True)),
            "a": lambda: a,
            "x": lambda: tf.reverse(a, [1]) * 0.9,
            "w": lambda: tf.where(a > b, tf.cos(a), x),
        }[kind]()

    def f(x: Any) -> Any:
        start = [x + 0.1 * i for i in range(values)]
        body = lambda *vs: [one(k, vs[i], vs[j], x) for k, i, j in plan]  # noqa: E731
        found = pair(count, body, *start)
        return tf.add_n([tf.reduce_sum(y * (i + 1.0)) for i, y in enumerate(found)])

    return f, (tf.constant(rng.normal(size=(rows, columns))),)


@pytest.mark.parametrize("seed", range(40))
def test_drawn_loops(seed: int) -> None:
    f, xs = drawn(seed)
    first = with_gradient(f)
    assert "while" in agree(first, *xs)
    agree(with_gradient(lambda x: tf.reduce_sum(tf.sin(first(x)[1][0]))), *xs)


def test_lists_of_several_lengths_are_refused() -> None:
    """Machine code would read beyond the shorter one."""
    rows.check_lengths(np.array([3, 3]), np.array([3, 8]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"they have \[3, 2\] elements"):
        rows.check_lengths(np.array([3, 3]), np.array([2, 2]))


def test_lists_of_another_form_are_left_to_numpy() -> None:
    even = TensorList([np.ones(2), None])
    dense, tally = rows.as_rows(even, (2,), np.dtype(float))
    np.testing.assert_array_equal(dense, [[1.0, 1.0], [0.0, 0.0]])
    assert tally.tolist() == [2, 2]
    for values in ([np.ones(2)], TensorList([np.ones(3)]), TensorList([np.ones(2, np.float32)])):
        assert rows.as_rows(values, (2,), np.dtype(float)) == (None, None)
