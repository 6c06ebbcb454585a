"""Parts of arrays that a loop takes by an index: their gradients, and what these cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

RNG = np.random.default_rng(5)
SHAPE = (6, 5, 4)
X = RNG.random(SHAPE) + 0.5
TIMES = 4

# What a body takes of x; whether its gradient is rows alone, with nothing as large as x in the body.
TAKEN: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {
    "an index": (lambda x, i: x[i], True),
    "from the end": (lambda x, i: x[-1 - i], True),
    "of the second axis": (lambda x, i: x[:, i], True),
    "of the last axis": (lambda x, i: x[..., i], True),
    "of two axes": (lambda x, i: x[i, :, i % 4], True),
    "of all axes": (lambda x, i: x[i, i, i], True),
    "beside known ones": (lambda x, i: x[i, 1:4, ::2], True),
    "with a new axis": (lambda x, i: x[i, tf.newaxis, 2], True),
    "an index of what an index gave": (lambda x, i: x[i][i], True),
    "two": (lambda x, i: x[i] + 2.0 * x[(i * 5) % 6], True),
    "a gather": (lambda x, i: tf.gather(x, i), True),
    "a gather of several": (lambda x, i: tf.gather(x, [0, i, 0]), True),
    "a gather along an axis": (lambda x, i: tf.gather(x, [[i, i], [0, 3]], axis=1), True),
    "coordinates": (lambda x, i: tf.gather_nd(x, [[i, i + 1], [0, i], [i, i + 1]]), True),
    "an embedding": (lambda x, i: tf.nn.embedding_lookup(x, [i, 2]), True),
    "neighbours": (lambda x, i: tf.slice(x, [1, i, 0], [3, 2, 4]), True),
    "a window": (lambda x, i: x[i : i + 2], True),
    "a window beside new axes and known parts": (lambda x, i: x[None, 1, i : i + 2, ::2], True),
    "a window of the last axis": (lambda x, i: x[..., i % 3 : i % 3 + 2], True),
    "a window from the end": (lambda x, i: x[-2 - i : -1 - i], True),
    "a window in a window": (lambda x, i: x[i : i + 3][1:], True),
    "windows along two axes": (lambda x, i: x[i : i + 2, i : i + 1], False),
    "a window beside an index": (lambda x, i: x[i, i : i + 2], False),
    "neighbours by the names of arguments": (
        lambda x, i: tf.slice(x, begin=[1, i, 0], size=[3, 2, 4]),
        True,
    ),
    "some beside the whole": (lambda x, i: x[i] * tf.reduce_sum(x), False),
    "a slice, which may be cut": (lambda x, i: x[i * 2 : i * 2 + 2], False),
    "on one way": (lambda x, i: tf.cond(i % 2 == 0, lambda: x[i], lambda: x[0] * 2.0), False),
    "on one of two ways": (
        lambda x, i: tf.cond(i % 2 == 0, lambda: tf.sin(x[i]), lambda: tf.ones_like(x[i])),
        True,
    ),
    "something else on each way": (
        lambda x, i: tf.cond(i % 2 == 0, lambda: x[i] * x[-1 - i], lambda: tf.sin(x[i + 1])),
        True,
    ),
    "rows and windows of two ways": (
        lambda x, i: tf.cond(i > 1, lambda: tf.reduce_sum(x[i : i + 2], 0), lambda: x[i]),
        True,
    ),
    "on ways along other axes": (
        lambda x, i: tf.cond(i > 1, lambda: x[:, i, :4], lambda: tf.gather(x, i % 2, axis=1)),
        True,
    ),
    "on a way in a way": (
        lambda x, i: tf.cond(
            i > 0, lambda: tf.cond(i > 2, lambda: x[i], lambda: x[1] * 0.0), lambda: x[i + 1]
        ),
        False,
    ),
    "of three ways": (
        lambda x, i: tf.switch_case(i % 3, [lambda: x[i], lambda: tf.exp(x[i + 1]), lambda: x[-i]]),
        True,
    ),
    "the whole on one way": (
        lambda x, i: tf.cond(i > 1, lambda: x[i], lambda: tf.reduce_sum(x, 0)),
        False,
    ),
    "a batch of gathers": (lambda x, i: tf.gather(x, [[i]] * 6, axis=1, batch_dims=1), False),
}


def weighed(part: Any, i: Any) -> Any:
    """A number that depends on each element of a part, and on the iteration."""
    flat = tf.reshape(part, [-1])
    return tf.reduce_sum(tf.square(flat)) * tf.cast(i + 1, tf.float64) + tf.reduce_prod(flat[:3])


def looped(take: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def loss(x: Any) -> Any:
        zero = tf.constant(0.0, tf.float64)
        step = lambda i, a: (i + 1, a * 0.9 + weighed(take(x, i), i))  # noqa: E731
        return tf.while_loop(lambda i, a: i < TIMES, step, (0, zero))[1]

    return loss


def written_out(take: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    def loss(x: Any) -> Any:
        a: Any = 0.0
        for i in range(TIMES):
            a = a * 0.9 + weighed(take(x, tf.constant(i)), tf.constant(i))
        return a

    return loss


def gradient_of(loss: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tf.convert_to_tensor(tape.gradient(y, x))

    return gradient


def second_of(loss: Callable[[Any], Any]) -> Callable[[Any], Any]:
    weights = tf.constant(np.cos(np.arange(120.0)).reshape(SHAPE))
    first = gradient_of(loss)
    return gradient_of(lambda x: tf.reduce_sum(first(x) * weights))


WAYS: dict[str, dict[str, Any]] = {
    "a graph": {},
    "compiled": {"jit_compile": True},
    "sizes that are not known": {"input_signature": [tf.TensorSpec([None, 5, None], tf.float64)]},
    "compiled for any sizes": {
        "input_signature": [tf.TensorSpec([None, None, None], tf.float64)],
        "jit_compile": True,
    },
    "a rank that is not known": {"input_signature": [tf.TensorSpec(None, tf.float64)]},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", TAKEN)
def test_gradients(name: str, way: str) -> None:
    take, _ = TAKEN[name]
    for of in (gradient_of, second_of):
        want = of(written_out(take))(tf.constant(X))
        found = tf.function(of(looped(take)), **WAYS[way])(tf.constant(X))
        np.testing.assert_allclose(found, want, 1e-11, 1e-11)


@pytest.mark.parametrize("name", TAKEN)
def test_other_derivatives(name: str) -> None:
    """Forward over reverse, and the Jacobian of a gradient."""
    take, _ = TAKEN[name]
    loop, plain = gradient_of(looped(take)), gradient_of(written_out(take))
    direction = tf.constant(RNG.random(SHAPE))

    def pushed(f: Any) -> Any:
        def push(x: Any) -> Any:
            with tf.autodiff.ForwardAccumulator(x, direction) as forward:
                g = f(x)
            return forward.jvp(g)

        return push

    np.testing.assert_allclose(
        tf.function(pushed(loop))(tf.constant(X)), pushed(plain)(tf.constant(X)), 1e-11, 1e-11
    )

    def rows(f: Any) -> Any:
        def jacobian(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(f(x), [1, 2])
            return tape.jacobian(y, x)

        return jacobian

    np.testing.assert_allclose(
        tf.function(rows(loop))(tf.constant(X)), rows(plain)(tf.constant(X)), 1e-11, 1e-11
    )


def computed_in_gradient(take: Callable[[Any, Any], Any]) -> list[Any]:
    """What the body of the gradient's loop computes in each iteration."""
    graph = tf.function(gradient_of(looped(take))).get_concrete_function(tf.constant(X)).graph
    *_, backward = [op.row.bodies for op in graph.operations if op.row.name == "While"]
    waiting = [*backward.results, *[e.inside for e in backward.emitted]]
    found: dict[int, Any] = {}
    while waiting:
        y = waiting.pop()
        if y.op.inputs and id(y) not in found:
            found[id(y)] = y
            waiting += y.op.inputs
    return list(found.values())


@pytest.mark.parametrize("name", TAKEN)
def test_what_an_iteration_computes(name: str) -> None:
    """Nothing as large as x, where all that is taken of it are rows."""
    take, is_rows = TAKEN[name]
    assert is_rows == all(y.shape != SHAPE for y in computed_in_gradient(take))


def test_a_long_loop_is_compiled_whole() -> None:
    def loss(x: Any) -> Any:
        body = lambda i, a: (i + 1, tf.sin(a) + x[i])  # noqa: E731
        return tf.reduce_sum(tf.while_loop(lambda i, a: i < 50, body, (0, x[0]))[1])

    x = tf.constant(RNG.random((50, 3)))
    f: Any = tf.function(gradient_of(loss), jit_compile=True)
    np.testing.assert_allclose(f(x), tf.function(gradient_of(loss))(x), 1e-12)
    assert "NumPy" not in {step["kind"] for step in f.plan(x).steps}


@pytest.mark.parametrize(
    ("rows", "times", "are_kept"), [(8, 4, False), (40, 4, True), (40, 1 << 23, False)]
)
def test_rows_are_kept_where_they_are_less(rows: int, times: int, are_kept: bool) -> None:
    """Not of a small array, nor where there would be very many."""

    def loss(x: Any) -> Any:
        body = lambda i, a: (i + 1, a + tf.reduce_sum(x[i % rows] ** 2))  # noqa: E731
        return tf.while_loop(lambda i, a: i < times, body, (0, 0.0))[1]

    loop = backward_loop(gradient_of(loss), tf.ones([rows, 3]))
    assert are_kept == all(x.shape != (rows, 3) for x in loop.carried)


@pytest.mark.parametrize("compiled", [False, True])
def test_loops_that_end_when_they_run(compiled: bool) -> None:
    """Also before the first iteration, where there is no row at all."""

    @tf.function(jit_compile=compiled)
    def gradient(x: Any, most: Any) -> Any:
        def loss(x: Any) -> Any:
            body = lambda i, a: (i + 1, a + tf.reduce_sum(x[i] ** 2))  # noqa: E731
            go = lambda i, a: tf.logical_and(a < most, i < 6)  # noqa: E731
            return tf.while_loop(go, body, (0, tf.constant(0.0, tf.float64)))[1]

        return gradient_of(loss)(x)

    values = np.tile(X, (1, 1, 200))
    x = tf.constant(values)
    sums = np.cumsum(np.sum(values**2, (1, 2)))
    for most in (-1.0, 0.5, float(sums[2]) - 0.5, 1e9):
        count = int(np.searchsorted(sums, most)) + 1 if most > 0 else 0
        want = 2 * values * (np.arange(6) < count)[:, None, None]
        np.testing.assert_allclose(gradient(x, tf.constant(most, tf.float64)), want, 1e-12)


def test_an_index_that_is_never_reached_counts_for_nothing() -> None:
    """Indices beyond the end are an error, as before; those of a gather that are negative, too."""
    loss = looped(lambda x, i: x[i + 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 6 of dimension 0"):
        tf.function(gradient_of(loss))(tf.constant(X))


def test_variables_and_tensors_of_outside() -> None:
    v, outside = tf.Variable(X), tf.constant(X * 2.0)

    @tf.function
    def gradients() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(outside)
            body = lambda i, a: (  # noqa: E731
                i + 1,
                a
                + tf.reduce_sum(v[i] * outside[i])
                + tf.reduce_sum(outside[:, i] * tf.gather(v, [i, i])[0, 0]),
            )
            zero = tf.constant(0.0, tf.float64)
            y = tf.while_loop(lambda i, a: i < 5, body, (0, zero))[1]
        return tape.gradient(y, [v, outside])

    with tf.GradientTape() as tape:
        tape.watch(outside)
        y: Any = sum(
            tf.reduce_sum(v[i] * outside[i])
            + tf.reduce_sum(outside[:, i] * tf.gather(v, [i, i])[0, 0])
            for i in range(5)
        )
    for found, want in zip(gradients(), tape.gradient(y, [v, outside]), strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(found), tf.convert_to_tensor(want), 1e-12)


def test_sessions() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64, [None, 5, 4])
        y = looped(lambda x, i: x[i])(x)
        g = tf.gradients(y, x)[0]
        with tf.compat.v1.Session() as session:
            found = session.run(g, {x: X})
    np.testing.assert_allclose(found, gradient_of(written_out(lambda x, i: x[i]))(tf.constant(X)))


def test_complex_numbers() -> None:
    take = lambda x, i: tf.gather(x, [i])  # noqa: E731
    z = tf.constant(X[:, 0] + 1j * X[:, 1])

    def loss(z: Any) -> Any:
        body = lambda i, a: (i + 1, a + tf.reduce_sum(tf.abs(take(z, i)) ** 2) + tf.reduce_sum(tf.math.imag(z[i])))  # noqa: E731  # fmt: skip
        return tf.while_loop(lambda i, a: i < 6, body, (0, tf.constant(0.0, tf.float64)))[1]

    want = gradient_of(lambda z: tf.reduce_sum(tf.abs(z) ** 2) + tf.reduce_sum(tf.math.imag(z)))(z)
    for compiled in (False, True):
        found = tf.function(gradient_of(loss), jit_compile=compiled)(z)
        np.testing.assert_allclose(found, want, 1e-12)


# ---- what is asked for, and what does not change ---------------------------------------------------


def backward_loop(f: Callable[..., Any], *xs: Any) -> Any:
    graph = tf.function(f).get_concrete_function(*xs).graph
    *_, backward = [op.row.bodies for op in graph.operations if op.row.name == "While"]
    return backward


def descent(a: Any, w: Any, b: Any) -> Any:
    """Some steps of gradient descent, written as people write them."""

    def body(i: Any, w: Any, b: Any) -> Any:
        r = tf.linalg.matvec(a, w) - b
        return i + 1, w - 0.1 * tf.linalg.matvec(tf.transpose(a) * tf.exp(a[0, 0]), tf.tanh(r)), b

    return tf.while_loop(lambda i, w, b: i < 5, body, (0, w, b))[1]


def descent_written_out(a: Any, w: Any, b: Any) -> Any:
    for _ in range(5):
        r = tf.linalg.matvec(a, w) - b
        w = w - 0.1 * tf.linalg.matvec(tf.transpose(a) * tf.exp(a[0, 0]), tf.tanh(r))
    return w


A, W, B = (tf.constant(RNG.random(shape)) for shape in ((7, 3), (3,), (7,)))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("places", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_some(places: tuple[int, ...], order: int, compiled: bool) -> None:
    def of(steps: Callable[..., Any], order: int) -> Callable[..., Any]:
        def gradients(*xs: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([xs[k] for k in places])
                y = steps(*xs) if order == 1 else tf.concat([tf.reshape(g, [-1]) for g in of(steps, 1)(*xs)], 0)  # fmt: skip
                loss = tf.reduce_sum(tf.sin(y))
            return tape.gradient(loss, [xs[k] for k in places])

        return gradients

    want = of(descent_written_out, order)(A, W, B)
    found = tf.function(of(descent, order), jit_compile=compiled)(A, W, B)
    for g, w in zip(found, want, strict=True):
        np.testing.assert_allclose(g, w, 1e-11, 1e-12)


def test_only_what_is_asked_for_flows() -> None:
    """No gradient of the matrix, nor of what is carried along; of the matrix nothing is kept for each step."""

    def by_start(a: Any, w: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(descent(a, w, b))
        return tape.gradient(y, w)

    loop = backward_loop(by_start, A, W, B)
    assert [x.shape for x in loop.carried] == [(3,)]
    assert all(t.inside.shape.num_elements() <= 7 for t in loop.taken)

    def by_all(a: Any, w: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a, w, b])
            y = tf.reduce_sum(descent(a, w, b))
        return tape.gradient(y, [a, w, b])

    loop = backward_loop(by_all, A, W, B)
    assert sorted(x.shape.as_list() for x in loop.carried) == [[3], [7], [7, 3]]
    assert all(t.inside.shape.num_elements() <= 7 for t in loop.taken)


def test_a_branch_of_which_some_is_asked_for() -> None:
    @tf.function
    def by_vector(a: Any, w: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.cond(b[0] > 0.0, lambda: tf.linalg.matvec(a, w), lambda: b * w[0])
        return tape.gradient(y, w)

    graph = by_vector.get_concrete_function(A, W, B).graph
    *_, gradient = [op for op in graph.operations if op.row.name == "If"]
    assert [y.shape for y in gradient.outputs] == [(3,)]
    np.testing.assert_allclose(by_vector(A, W, B), np.sum(A, 0))


def test_what_does_not_change_is_not_computed_where_it_would_fail() -> None:
    """A matrix without an inverse, in a loop that does not run."""

    @tf.function
    def gradient(a: Any, w: Any, most: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            body = lambda w: (tf.linalg.matvec(tf.linalg.inv(a), w),)  # noqa: E731
            (y,) = tf.while_loop(lambda w: tf.reduce_sum(w) < most, body, (w,))
        return tape.gradient(y, w)

    singular = tf.zeros([3, 3], tf.float64)
    np.testing.assert_array_equal(gradient(singular, W, tf.constant(0.0, tf.float64)), np.ones(3))
    half = tf.eye(3, dtype=tf.float64) * 0.5
    found = gradient(half, W, tf.reduce_sum(W) * 3.0)
    np.testing.assert_allclose(found, np.full(3, 4.0))


def test_an_override_leads_through_what_has_no_derivative() -> None:
    """So what a carried value depends on is not told by the derivatives that there are without it."""

    @tf.function
    def loss(x: Any) -> Any:
        body = lambda i, a: (i + 1, tf.round(a * 3.0) / 3.0 * x)  # noqa: E731
        return tf.reduce_sum(tf.while_loop(lambda i, a: i < 3, body, (0, x))[1])

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = loss(x)
    found = tape.gradient(y, x, overrides={"Round": lambda op, g: g})
    a = x.numpy()
    da = np.ones(2)
    for _ in range(3):
        a, da = np.round(a * 3) / 3 * x.numpy(), da * x.numpy() + np.round(a * 3) / 3
    np.testing.assert_allclose(found, da, 1e-6)


@pytest.mark.parametrize("compiled", [False, True])
def test_what_depends_on_a_variable_changes_with_it(compiled: bool) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=compiled)
    def gradient(x: Any) -> Any:
        def body(i: Any, a: Any) -> Any:
            scale = tf.exp(v)
            v.assign_add([0.5, 0.25])
            return i + 1, a * scale * x

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.while_loop(lambda i, a: i < 3, body, (0, x))[1])
        return tape.gradient(y, x)

    x = np.array([1.1, 0.9])
    scales = np.exp([np.array([1.0, 2.0]) + k * np.array([0.5, 0.25]) for k in range(3)])
    want = 4.0 * x**3 * np.prod(scales, 0)
    np.testing.assert_allclose(gradient(tf.constant(x, tf.float32)), want, 1e-5)


# ---- neighbours from a place on that is not known ---------------------------------------------------

PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "rows": lambda x, i: tf.slice(x, [i, 0, 0], [2, 5, 4]),
    "columns, to the end": lambda x, i: tf.slice(x, [0, i, 1], [-1, 2, -1]),
    "one of the last axis": lambda x, i: tf.slice(x, (0, 1, i), (6, 3, 1)),
    "of two axes": lambda x, i: tf.slice(x, [i, i, 0], [3, 2, 4]),
    "with a new axis": lambda x, i: x[i, tf.newaxis],
    "with one behind": lambda x, i: x[..., i, tf.newaxis],
}


@pytest.mark.parametrize("name", PARTS)
def test_neighbours(name: str) -> None:
    """Compiled whole, in a loop and outside of one, with their gradients."""
    take = PARTS[name]
    one = lambda x, i: tf.reduce_sum(tf.sin(take(x, i)) * 2.0)  # noqa: E731

    def gradient(x: Any, i: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = one(x, i)
        return y, tape.gradient(y, x)

    f: Any = tf.function(gradient, jit_compile=True)
    for i in map(tf.constant, range(3)):
        for found, want in zip(f(tf.constant(X), i), gradient(tf.constant(X), i), strict=True):
            np.testing.assert_allclose(found, want, 1e-12)
    assert "NumPy" not in {step["kind"] for step in f.plan(tf.constant(X), i).steps}

    def loss(x: Any) -> Any:
        body = lambda i, a: (i + 1, tf.sin(a) + one(x, i))  # noqa: E731
        return tf.while_loop(lambda i, a: i < 3, body, (0, tf.constant(0.0, tf.float64)))[1]

    g: Any = tf.function(gradient_of(loss), jit_compile=True)
    want = gradient_of(lambda x: tf.sin(tf.sin(one(x, 0)) + one(x, 1)) + one(x, 2))(tf.constant(X))
    np.testing.assert_allclose(g(tf.constant(X)), want, 1e-11, 1e-12)
    assert "NumPy" not in {step["kind"] for step in g.plan(tf.constant(X)).steps}


@pytest.mark.parametrize("at", [5, -1])
def test_neighbours_beyond_the_end(at: int) -> None:
    f = tf.function(lambda x, i: tf.slice(x, [i, 0, 0], [2, 5, 4]), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected (begin|size)\[0\]"):
        f(tf.constant(X), tf.constant(at))


def test_sizes_of_slices_are_known() -> None:
    @tf.function
    def f(x: Any, i: Any) -> Any:
        assert tf.slice(x, [i, 0, 0], [2, 5, -1]).shape.as_list() == [2, 5, 4]
        assert tf.slice(x, [i, 0, 1], [-1, 2, -1]).shape.as_list() == [None, 2, 3]
        return i

    f(tf.constant(X), tf.constant(1))


# ---- rows of what a loop carries ------------------------------------------------------------------

STEPS = 6


def table(c: Any, w: Any) -> Any:
    """A row after the other, each of the one before."""

    def body(i: Any, m: Any) -> Any:
        row = tf.tanh(tf.linalg.matvec(w, m[i - 1]) + c[i])
        return i + 1, tf.tensor_scatter_nd_update(m, [[i]], [row])

    return tf.while_loop(lambda i, m: i < STEPS, body, (1, c * 0.5))[1]


def running(c: Any, w: Any) -> Any:
    def body(i: Any, m: Any) -> Any:
        return i + 1, tf.tensor_scatter_nd_add(m, [[i]], [w[0] * tf.gather(m, i - 1)])

    return tf.while_loop(lambda i, m: i < STEPS, body, (1, c))[1]


def exchanged(c: Any, w: Any) -> Any:
    """Two rows of one iteration, of which the second is read before the first is written."""

    def body(i: Any, m: Any) -> Any:
        a, b = m[i], m[i + 1]
        m = tf.tensor_scatter_nd_update(m, [[i]], [tf.minimum(a, b)])
        return i + 1, tf.tensor_scatter_nd_update(m, [[i + 1]], [tf.maximum(a, b) * w[0]])

    return tf.while_loop(lambda i, m: i < STEPS - 1, body, (0, c))[1]


def elements(c: Any, w: Any) -> Any:
    def body(i: Any, m: Any) -> Any:
        return i + 1, tf.tensor_scatter_nd_add(m, [[i, 1]], [m[i - 1, 1] * w[0, 0]])

    return tf.while_loop(lambda i, m: i < STEPS, body, (1, c))[1]


def kept_as_it_was(c: Any, w: Any) -> Any:
    """What is written over is read afterwards, too, and leaves the loop."""

    def body(i: Any, m: Any, before: Any) -> Any:
        after = tf.tensor_scatter_nd_update(m, [[i]], [m[i] * w[1]])
        return i + 1, after, before + tf.reduce_sum(m) + m[i, 0]

    _, m, before = tf.while_loop(lambda i, m, b: i < STEPS, body, (0, c, tf.reduce_sum(c)))
    return m * before


CARRIED = {f.__name__: f for f in (table, running, exchanged, elements, kept_as_it_was)}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", CARRIED)
def test_rows_of_what_is_carried(name: str, order: int) -> None:
    """Compiled they are written in their places: the numbers are those of the reference engine."""

    def of(f: Callable[..., Any], order: int) -> Callable[..., Any]:
        def gradients(c: Any, w: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([c, w])
                ys = [f(c, w)] if order == 1 else of(f, 1)(c, w)
                loss = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in ys])
            return tape.gradient(loss, [c, w])

        return gradients

    c = tf.constant(RNG.random((STEPS, 3)))
    w = tf.constant(RNG.random((3, 3)))
    f = CARRIED[name]
    for g in (f, of(f, order)):
        want = tf.function(g)(c, w)
        made: Any = tf.function(g, jit_compile=True)
        for _ in range(2):  # the second time with the memory of the first
            for a, b in zip(tf.nest.flatten(made(c, w)), tf.nest.flatten(want), strict=True):
                np.testing.assert_allclose(a, b, 1e-11, 1e-12)
        if order == 1:
            assert "NumPy" not in {step["kind"] for step in made.plan(c, w).steps}


def test_slopes_of_what_is_carried() -> None:
    """By differences, as the reference engine differentiates the same loop."""
    c, w = RNG.random((STEPS, 3)), RNG.random((3, 3))
    for f in CARRIED.values():
        with tf.GradientTape() as tape:
            x = tf.constant(c)
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(tf.function(f)(x, tf.constant(w))))
        found = tape.gradient(y, x)
        total = lambda c, f=f: float(tf.reduce_sum(tf.sin(f(tf.constant(c), tf.constant(w)))))  # noqa: E731
        for at in np.ndindex(c.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = c.copy()
                moved[at] += step
                sides.append(total(moved))
            np.testing.assert_allclose(found.numpy()[at], (sides[0] - sides[1]) / 2e-6, 1e-6, 1e-7)


def test_what_is_carried_is_not_kept_for_its_shape() -> None:
    def loss(c: Any) -> Any:
        return tf.reduce_sum(table(c, tf.eye(3, dtype=tf.float64)))

    loop = backward_loop(gradient_of(loss), tf.constant(RNG.random((STEPS, 3))))
    assert all(t.inside.shape != (STEPS, 3) for t in loop.taken)


@pytest.mark.parametrize("rows", [6, None])
@pytest.mark.parametrize("compiled", [False, True])
def test_rows_in_branches_of_what_a_loop_carries(rows: Any, compiled: bool) -> None:
    """Where it is not known how many there are, the gradient stays a whole array."""

    def step(i: Any, m: Any, s: Any) -> Any:
        one, other = (lambda: s + tf.reduce_sum(tf.sin(m[i]))), (lambda: s * 0.7 + m[i + 1, 0])
        return i + 1, m * 0.9, tf.cond(i % 2 == 0, one, other)

    def loss(x: Any) -> Any:
        zero = tf.constant(0.0, tf.float64)
        return tf.while_loop(lambda i, m, s: i < TIMES, step, (0, x, zero))[2]

    x = tf.constant(X[:, :, 0])
    weights = tf.cos(x)
    of_gradient = lambda x: tf.reduce_sum(gradient_of(loss)(x) * weights)  # noqa: E731
    signature = [tf.TensorSpec([rows, 5], tf.float64)]
    for f in (gradient_of(loss), gradient_of(of_gradient)):
        found = tf.function(f, input_signature=signature, jit_compile=compiled)(x)
        np.testing.assert_allclose(found, f(x), 1e-11, 1e-11)
