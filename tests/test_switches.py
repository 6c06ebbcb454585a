"""Switches: strong zeros, targets that are no scalars, kinks, integer sources, masks, slices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import GradientWarning, InvalidArgumentError
from wengert.overrides.strong_zero import _of_terms

INF, NAN = float("inf"), float("nan")
v1 = tf.compat.v1


# ---- strong zeros -----------------------------------------------------------------------------

# A function of a vector, a point at which a branch that is not taken has infinite derivatives, the
# gradient of the sum, and the diagonal of the Hessian.
CLASSICS: dict[str, tuple[Callable[[Any], Any], list[float], list[float], list[float]]] = {
    "sqrt": (lambda x: tf.where(x > 0.0, tf.sqrt(x), 0.0), [0.0, 4.0], [0.0, 0.25], [0.0, -1 / 32]),
    "log": (lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0), [0.0, 4.0], [0, 0.25], [0, -1 / 16]),
    "reciprocal": (lambda x: tf.where(x > 0.0, 1.0 / x, x), [0.0, 2.0], [1.0, -0.25], [0.0, 0.25]),
    "quotient": (
        lambda x: tf.where(x > 0.0, (x + 1.0) / x, 0.0), [0.0, 2.0], [0, -0.25], [0, 0.25],
    ),
    "rsqrt": (
        lambda x: tf.where(x > 0.0, tf.math.rsqrt(x), 0.0), [0.0, 4.0], [0, -1 / 16], [0, 3 / 128],
    ),
    "power": (lambda x: tf.where(x > 0.0, x**0.5, 0.0), [0.0, 4.0], [0.0, 0.25], [0.0, -1 / 32]),
    "asin": (
        lambda x: tf.where(x < 1.0, tf.asin(x), 0.0), [1.0, 0.0], [0.0, 1.0], [0.0, 0.0],
    ),
    "norm": (
        lambda x: tf.where(x > 0.0, tf.sqrt(tf.reduce_sum(x[:, None] ** 2.0, 1)), 0.0),
        [0.0, 3.0], [0.0, 1.0], [0.0, 0.0],
    ),
    "overflow": (
        lambda x: tf.where(x < 100.0, tf.exp(x), 1.0), [1e4, 0.0], [0.0, 1.0], [0.0, 1.0],
    ),
    "chain": (
        lambda x: tf.where(x > 0.0, tf.tanh(tf.math.log(x) * tf.sqrt(x)), 0.0),
        [0.0, 1.0], [0.0, 1.0], [0.0, 0.0],
    ),
}  # fmt: skip


def gradient(f: Callable[[Any], Any], x: Any, **switches: Any) -> Any:
    with tf.GradientTape(**switches) as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def forward(f: Callable[[Any], Any], x: Any, **switches: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x), **switches) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


def in_a_session(f: Callable[[Any], Any], x: Any, **switches: Any) -> Any:
    with tf.Graph().as_default():
        given = tf.constant(x.numpy())
        (g,) = tf.gradients(f(given), given, **switches)
        found = v1.Session().run(g)
    return tf.constant(found)


def of_unknown_shape(f: Callable[[Any], Any]) -> Any:
    return tf.function(f, input_signature=[tf.TensorSpec(None, tf.float32)])


WAYS: dict[str, Callable[..., Any]] = {
    "eager": gradient,
    "function": lambda f, x, **s: gradient(tf.function(f), x, **s),
    "compiled": lambda f, x, **s: gradient(tf.function(f, jit_compile=True), x, **s),
    "unknown shape": lambda f, x, **s: gradient(of_unknown_shape(f), x, **s),
    "tape in a function": lambda f, x, **s: tf.function(lambda x: gradient(f, x, **s))(x),
    "tape in a compiled function": lambda f, x, **s: tf.function(
        lambda x: gradient(f, x, **s), jit_compile=True
    )(x),
    "session": in_a_session,
    "forward": forward,
    "forward of a function": lambda f, x, **s: forward(tf.function(f), x, **s),
    "forward of unknown shape": lambda f, x, **s: forward(of_unknown_shape(f), x, **s),
    "vmap": lambda f, x, **s: tf.vmap(
        tf.grad(lambda one: tf.reduce_sum(f(one)[0]), **s), in_axes=0
    )(x[:, None])[:, 0],
    "jacobian": lambda f, x, **s: tf.linalg.diag_part(tf.jacobian(f, mode="reverse", **s)(x)),
    "jacobian forward": lambda f, x, **s: tf.linalg.diag_part(
        tf.jacobian(f, mode="forward", **s)(x)
    ),
    "custom gradient": lambda f, x, **s: gradient(
        tf.custom_gradient(lambda x: (f(x), lambda dy: dy * gradient(f, x, **s))), x, **s
    ),
    "recomputed": lambda f, x, **s: gradient(tf.recompute_grad(f), x, **s),
    "in a cond": lambda f, x, **s: gradient(
        tf.function(lambda x: tf.cond(x[1] >= 0.0, lambda: f(x), lambda: x)), x, **s
    ),
    "linearized": lambda f, x, **s: tf.linearize(f, x, **s)[1](tf.ones_like(x)),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CLASSICS)
def test_zero_cotangents_contribute_zero(name: str, way: str) -> None:
    """No NaN comes out of what was not chosen; everything else is as before."""
    f, at, expected, _ = CLASSICS[name]
    found = WAYS[way](f, tf.constant(at), strong_zero=True)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


def twice(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    return lambda f, x, **s: outer(lambda x: inner(f, x, **s), x, **s)


ORDERS = {
    "reverse over reverse": twice(gradient, gradient),
    "forward over reverse": twice(forward, gradient),
    "reverse over forward": twice(gradient, forward),
    "forward over forward": twice(forward, forward),
    "of a function": lambda f, x, **s: twice(gradient, gradient)(tf.function(f), x, **s),
    "forward of a function": lambda f, x, **s: twice(forward, gradient)(tf.function(f), x, **s),
    "in a compiled function": lambda f, x, **s: tf.function(
        lambda x: twice(gradient, gradient)(f, x, **s), jit_compile=True
    )(x),
    "session": twice(in_a_session, lambda f, x, **s: tf.gradients(f(x), x, **s)[0]),
    "hessian": lambda f, x, **s: tf.linalg.diag_part(
        tf.hessian(lambda x: tf.reduce_sum(f(x)), **s)(x)
    ),
    "hvp": lambda f, x, **s: tf.hvp(lambda x: tf.reduce_sum(f(x)), **s)(x, tf.ones_like(x)),
}  # fmt: skip


@pytest.mark.parametrize("way", ORDERS)
@pytest.mark.parametrize("name", CLASSICS)
def test_second_derivatives_have_the_same_zeros(name: str, way: str) -> None:
    """By every pair of modes."""
    f, at, _, expected = CLASSICS[name]
    found = ORDERS[way](f, tf.constant(at), strong_zero=True)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["log", "reciprocal", "overflow"])
def test_by_default_they_are_as_in_tensorflow(name: str) -> None:
    """The switch is what makes the difference."""
    f, at, expected, _ = CLASSICS[name]
    found = gradient(f, tf.constant(at)).numpy()
    assert np.isnan(found[0])
    np.testing.assert_allclose(found[1], expected[1])
    assert np.isnan(gradient(f, tf.constant(at), strong_zero=False).numpy()[0])


def test_a_cotangent_that_passes_zero_keeps_its_derivative() -> None:
    """The zero is one of the value: x exp(x) at 0, where the cotangent of exp is x."""
    f: Any = lambda x: x * tf.exp(x)  # noqa: E731
    for order, expected in ((1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)):
        derivative = f
        for _ in range(order):
            derivative = tf.grad(derivative, strong_zero=True)
        assert derivative(0.0).numpy() == expected
    g = tf.grad(f, strong_zero=True)
    assert tf.jvp(g, (0.0,), (1.0,), strong_zero=True)[1].numpy() == 2.0


def test_what_is_infinite_stays_infinite() -> None:
    """Only zero cotangents are strong; mixed second derivatives are the same in both orders."""
    assert tf.grad(tf.sqrt, strong_zero=True)(0.0).numpy() == INF
    f: Any = lambda v: v[0] * tf.sqrt(v[1])  # noqa: E731
    found = tf.hessian(f, strong_zero=True)(tf.constant([0.0, 0.0])).numpy()
    np.testing.assert_array_equal(found, [[0.0, INF], [INF, 0.0]])
    assert np.isnan(tf.grad(lambda x: tf.sqrt(x * x), strong_zero=True)(0.0).numpy())


PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": lambda a, b: tf.matmul(a, b),
    "matmul of batches": lambda a, b: tf.matmul(a[None], b[None])[0],
    "einsum": lambda a, b: tf.einsum("ij,jk->ik", a, b),
    "elementwise": lambda a, b: tf.reduce_sum(a[:, :, None] * b[None], 1),
    "convolution": lambda a, b: tf.nn.conv2d(a[None, None], b[None, None], 1, "VALID")[0, 0],
}


@pytest.mark.parametrize("how", ["eager", "function", "batch"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_zero_rows_do_not_meet_infinity(name: str, how: str) -> None:
    """A row that does not count may hold anything."""
    times = PRODUCTS[name]
    a = tf.constant([[1.0, 2.0], [INF, NAN]])
    b = tf.constant([[1.0, 3.0], [2.0, 4.0]])

    def f(a: Any, b: Any) -> Any:
        return tf.reduce_sum(tf.where(tf.constant([[True], [False]]), times(a, b), 0.0))

    if how == "function":
        f = tf.function(f)
    found = tf.grad(f, argnums=(0, 1), strong_zero=True)
    if how == "batch":
        many = tf.vmap(found)(tf.stack([a, a * 0.0 + 1.0, a]), tf.stack([b, b, b]))
        da, db = [g[2] for g in many]
    else:
        da, db = found(a, b)
    np.testing.assert_array_equal(da.numpy(), [[4.0, 6.0], [0.0, 0.0]])
    np.testing.assert_array_equal(db.numpy(), [[1.0, 1.0], [2.0, 2.0]])
    assert np.isnan(tf.grad(f, argnums=1)(a, b).numpy()).any()


def test_jacobians_have_other_zeros_in_each_row() -> None:
    """The cotangents of all rows are computed at once."""
    w = tf.constant([[1.0, INF], [2.0, 3.0]])
    f: Any = lambda x: tf.linalg.matvec(w, tf.where(x > 0.0, tf.math.log(x), 0.0))  # noqa: E731
    found = tf.jacobian(f, mode="reverse", strong_zero=True)(tf.constant([1.0, 0.0])).numpy()
    np.testing.assert_array_equal(found, [[1.0, 0.0], [2.0, 0.0]])


@pytest.mark.parametrize("strong", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("kind", ["f4", "f8", "c16"])
def test_sums_of_strong_products(strong: tuple[int, ...], kind: str) -> None:
    """Against the sum, term by term."""
    random = np.random.default_rng(3)
    choices = np.array([0.0, 0.0, 1.0, -2.0, INF, -INF, NAN])
    for _ in range(40):
        a, b = (
            random.choice(choices, (3, 4)).astype(kind),
            random.choice(choices, (4, 2)).astype(kind),
        )
        with np.errstate(all="ignore"):
            found = _of_terms(np.matmul, a, b, strong, a.dtype)
            terms = a[:, :, None] * b[None]
            if 0 in strong:
                terms = np.where(a[:, :, None] == 0, 0, terms)
            if 1 in strong:
                terms = np.where(b[None] == 0, 0, terms)
            expected = terms.sum(1)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(np.isfinite(found), finite)
        np.testing.assert_allclose(found[finite], expected[finite])
        if kind != "c16":
            np.testing.assert_array_equal(found, expected)


def test_overrides_and_strong_zeros_go_together() -> None:
    """A rule that a user gave is run in the same way."""
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape(strong_zero=True) as tape:
        tape.watch(x)
        y = tf.where(x > 0.0, tf.math.log(x), 0.0)
    rules = {"Log": lambda op, grad: 10.0 * grad / op.inputs[0]}
    np.testing.assert_allclose(tape.gradient(y, x, overrides=rules).numpy(), [0.0, 2.5])


# ---- kinks ------------------------------------------------------------------------------------

# The function, the point, and the gradient of the sum by each convention; and how many ties there are.
POOL: Any = lambda x: tf.nn.max_pool2d(x[None, :, None, None], [2, 1], [2, 1], "VALID")  # noqa: E731
KINKS: dict[str, tuple[Any, list[float], list[float], list[float], list[float], int]] = {
    "Abs": (tf.abs, [0.0, -2.0], [0.0, -1.0], [0.0, -1.0], [0.0, -1.0], 1),
    "Sign": (tf.sign, [0.0, -2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 1),
    "Relu": (tf.nn.relu, [0.0, 1.0, -1.0], [0, 1, 0], [0.5, 1, 0], [0, 1, 0], 1),
    "Relu6": (tf.nn.relu6, [0.0, 1.0, 6.0], [0, 1, 0], [0.5, 1, 0.5], [0, 1, 0], 2),
    "LeakyRelu": (
        lambda x: tf.nn.leaky_relu(x, 0.5), [0.0, -1.0], [0.5, 0.5], [0.75, 0.5], [0, 0.5], 1,
    ),
    "Selu": (
        tf.nn.selu, [0.0, 1.0], [1.0507009873554805] * 2,
        [1.4044003, 1.0507009873554805], [0.0, 1.0507009873554805], 1,
    ),
    "Maximum": (lambda x: tf.maximum(x, 1.0), [1.0, 2.0], [1, 1], [0.5, 1], [0, 1], 1),
    "Maximum of two": (
        lambda x: tf.maximum(x[:2], x[1:]), [1.0, 1.0, 2.0], [1, 0, 1], [0.5, 0.5, 1], [0, 0, 1], 1,
    ),
    "Minimum": (lambda x: tf.minimum(1.0, x), [1.0, 0.0], [0, 1], [0.5, 1], [0, 1], 1),
    "ClipByValue": (
        lambda x: tf.clip_by_value(x, 0.0, 1.0), [0.0, 0.5, 1.0], [1, 1, 1], [0.5, 1, 0.5],
        [0, 1, 0], 2,
    ),
    "Max": (
        lambda x: tf.reduce_max(tf.reshape(x, (2, 3)), 1), [2.0, 2.0, 1.0, 1.0, 5.0, 3.0],
        [0.5, 0.5, 0, 0, 1, 0], [0.5, 0.5, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0], 1,
    ),
    "Min": (
        lambda x: tf.reduce_min(x, keepdims=True), [1.0, 1.0, 1.0, 2.0],
        [1 / 3, 1 / 3, 1 / 3, 0], [1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, 0], 1,
    ),
    "SegmentMax": (
        lambda x: tf.math.segment_max(x, [0, 0, 1, 1]), [2.0, 2.0, 1.0, 3.0],
        [0.5, 0.5, 0, 1], [0.5, 0.5, 0, 1], [0, 0, 0, 1], 1,
    ),
    "UnsortedSegmentMin": (
        lambda x: tf.math.unsorted_segment_min(x, [1, 0, 1, 0], 2), [2.0, 1.0, 2.0, 3.0],
        [0.5, 1, 0.5, 0], [0.5, 1, 0.5, 0], [0, 1, 0, 0], 1,
    ),
    "TensorScatterMax": (
        lambda x: tf.tensor_scatter_nd_max(x, [[0], [1]], [1.0, 5.0]), [1.0, 1.0, 1.0],
        [0.5, 0, 1], [0.5, 0, 1], [0, 0, 1], 1,
    ),
    "MaxPool": (POOL, [3.0, 3.0, 1.0, 2.0], [1, 0, 0, 1], [0.5, 0.5, 0, 1], [0, 0, 0, 1], 1),
}  # fmt: skip
# A session counts, and raises, when it runs; batches do so for each example.
KINK_WAYS = [
    "eager", "function", "compiled", "unknown shape", "tape in a function", "session", "forward",
    "forward of a function", "jacobian", "recomputed", "in a cond",
]  # fmt: skip


def summed(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: tf.reduce_sum(f(x))


def by_way(way: str, f: Any, x: Any, **switches: Any) -> Any:
    if way == "jacobian":
        return tf.reduce_sum(
            tf.reshape(tf.jacobian(f, mode="reverse", **switches)(x), (-1, len(x))), 0
        )
    if way in ("forward", "forward of a function"):  # along each direction
        call = f if way == "forward" else tf.function(f)
        return tf.reduce_sum(
            tf.reshape(tf.jacobian(call, mode="forward", **switches)(x), (-1, len(x))), 0
        )
    return WAYS[way](summed(f), x, **switches)


@pytest.mark.parametrize("way", KINK_WAYS)
@pytest.mark.parametrize("kinks", ["tensorflow", "mean", "zero"])
@pytest.mark.parametrize("name", KINKS)
def test_kinks(name: str, kinks: str, way: str) -> None:
    """Every operation by every convention, in every mode."""
    f, at, *by_choice, _ = KINKS[name]
    expected = by_choice[("tensorflow", "mean", "zero").index(kinks)]
    if way == "in a cond":
        inner = f
        f = lambda x: tf.cond(tf.size(x) > 0, lambda: summed(inner)(x), lambda: 0.0)  # noqa: E731
        way = "function"
    found = by_way(way, f, tf.constant(at), kinks=kinks)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", KINKS)
def test_without_the_switch_they_are_tensorflows(name: str) -> None:
    """The default has not changed."""
    f, at, expected, *_ = KINKS[name]
    np.testing.assert_allclose(gradient(f, tf.constant(at)).numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("way", ["eager", "function", "compiled", "session", "forward"])
@pytest.mark.parametrize("name", KINKS)
def test_kinks_raise(name: str, way: str) -> None:
    """The error names the operation, the number of ties, and the user's line."""
    f, at, *_, count = KINKS[name]
    kind = name.split()[0]
    with pytest.raises(
        InvalidArgumentError, match=rf"{kind}, called at .*test_switches.py:\d+"
    ) as e:
        by_way(way, f, tf.constant(at), kinks="raise")
    if way != "forward":
        assert f"at {count} place" in str(e.value)
    away = tf.constant(np.linspace(1.1, 1.9, len(at)).astype("f4"))
    WAYS[way](summed(f), away, kinks="raise")


@pytest.mark.parametrize("name", KINKS)
def test_ties_are_counted(name: str) -> None:
    """By the tape, and by the block around."""
    f, at, *_, count = KINKS[name]
    x = tf.constant(at)
    with tf.config.gradient_switches(kinks="mean") as ties:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)
        tf.function(lambda x: gradient(f, x))(x)
    assert tape.ties.count == count
    assert ties.count == 2 * count
    assert ties.by_operation == {name.split()[0]: 2 * count}
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x), kinks="zero") as accumulator:
        f(x)
    assert accumulator.ties.count == count


def test_ties_that_do_not_matter_are_not_counted() -> None:
    """A cotangent of zero asks for no derivative."""
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape(kinks="raise") as tape:
        tape.watch(x)
        y = tf.nn.relu(x) * 0.0
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0.0, 0.0])
    assert tape.ties.count == 0


@pytest.mark.parametrize("kinks", ["mean", "zero"])
def test_second_derivatives_at_kinks(kinks: str) -> None:
    """The slopes at a kink are constants: relu(x) * x has the slope s x + s x, and 2 s behind that."""
    slope = {"mean": 0.5, "zero": 0.0}[kinks]
    f: Any = lambda x: tf.nn.relu(x) * x * 3.0  # noqa: E731
    for way in (
        "reverse over reverse",
        "forward over reverse",
        "of a function",
        "hessian",
        "session",
    ):
        found = ORDERS[way](f, tf.constant([0.0, 2.0]), kinks=kinks)
        np.testing.assert_allclose(found.numpy(), [6.0 * slope, 6.0])


def test_both_switches_together() -> None:
    """A tie in a branch that was not taken."""
    f: Any = lambda x: tf.where(x > 0.0, tf.math.log(tf.nn.relu(x)), tf.nn.relu(x))  # noqa: E731
    found = gradient(f, tf.constant([0.0, 2.0]), strong_zero=True, kinks="mean")
    np.testing.assert_allclose(found.numpy(), [0.5, 0.5])


# ---- targets that are no scalars, integers ----------------------------------------------------


def squares(on: Any, output_gradients: Any = None) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(on_nonscalar=on) as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=output_gradients).numpy().tolist()


def test_targets_that_are_no_scalars() -> None:
    """Summed silently by default; the message names the ways out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert squares(None) == squares("sum") == [2.0, 4.0]
        assert squares("raise", tf.constant([1.0, 10.0])) == [2.0, 40.0]
    words = "jacobian.*reduce_sum.*output_gradients"
    with pytest.warns(GradientWarning, match=words):
        assert squares("warn") == [2.0, 4.0]
    with pytest.raises(ValueError, match=words):
        squares("raise")
    with (
        pytest.raises(ValueError, match=r"shape \[2\]"),
        tf.config.gradient_switches(on_nonscalar="raise"),
    ):
        squares(None)
    assert tf.grad(lambda x: x * x)(3.0).numpy() == 6.0


def test_targets_in_a_list() -> None:
    """Those that have weights, or are scalars, are no reason."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True, on_nonscalar="raise") as tape:
        tape.watch(x)
        y, z = x * x, tf.reduce_sum(x)
    assert tape.gradient([z, y], x, output_gradients=[None, x]).numpy().tolist() == [3.0, 9.0]
    with pytest.raises(ValueError, match="no scalar"):
        tape.gradient([z, y], x, output_gradients=[z, None])
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_targets_in_graphs() -> None:
    """tf.gradients says the same."""
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        with pytest.raises(ValueError, match=r"jacobian.*reduce_sum.*grad_ys"):
            tf.gradients(x * x, x, on_nonscalar="raise")
        assert len(tf.gradients(x * x, x, [x], on_nonscalar="raise")) == 1
        unknown = v1.placeholder(tf.float32)
        assert len(tf.gradients(unknown * 2.0, unknown, on_nonscalar="raise")) == 1


@pytest.mark.parametrize("what", ["source", "target", "watched"])
def test_integers(what: str) -> None:
    """A warning by default, an error on demand."""
    x, n = tf.constant(1.0), tf.constant(1)

    def take(how: Any) -> Any:
        with tf.GradientTape(int_sources=how) as tape:
            tape.watch(n if what == "watched" else x)
            y = x * tf.cast(n, tf.float32)
            m = tf.cast(x, tf.int32)
        return tape.gradient(m if what == "target" else y, n if what == "source" else x)

    for how in (None, "warn"):
        with pytest.warns(GradientWarning, match="floating"):
            take(how)
    with pytest.raises(TypeError, match=r"floating.*int_sources='raise'.*tf.cast"):
        take("raise")


def test_integers_elsewhere() -> None:
    """In forward mode, and in graphs."""
    n = tf.constant(1)
    with pytest.raises(TypeError, match="floating"):
        tf.autodiff.ForwardAccumulator(n, n, int_sources="raise")
    with tf.Graph().as_default():
        x = tf.constant(2)
        with pytest.raises(TypeError, match=r"tf\.gradients"):
            tf.gradients(tf.cast(x, tf.float32), x, int_sources="raise")


# ---- what is in force -------------------------------------------------------------------------

LOG: Any = lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0)  # noqa: E731


def test_blocks_nest() -> None:
    """What an inner block does not say is as around it; a tape's own word comes first."""
    zero = tf.constant(0.0)
    with tf.config.gradient_switches(strong_zero=True):
        assert gradient(LOG, zero).numpy() == 0.0
        with tf.config.gradient_switches(kinks="mean"):
            assert gradient(LOG, zero).numpy() == 0.0
            assert gradient(tf.nn.relu, zero).numpy() == 0.5
        with tf.config.gradient_switches(strong_zero=False):
            assert np.isnan(gradient(LOG, zero).numpy())
        assert np.isnan(gradient(LOG, zero, strong_zero=False).numpy())
        assert gradient(tf.nn.relu, zero).numpy() == 0.0
    assert np.isnan(gradient(LOG, zero).numpy())


def test_functions_are_traced_for_the_block() -> None:
    """A trace made within a block is not used outside, nor the other way round."""
    taken = tf.function(lambda x: gradient(LOG, x))
    zero = tf.constant(0.0)
    for _ in range(2):
        assert np.isnan(taken(zero).numpy())
        with tf.config.gradient_switches(strong_zero=True):
            assert taken(zero).numpy() == 0.0
    assert taken.experimental_get_tracing_count() == 2


def test_one_function_by_several_tapes() -> None:
    """The gradient of a trace is kept for each convention."""
    f = tf.function(lambda x: tf.nn.relu(x) + LOG(x))
    zero = tf.constant(0.0)
    for _ in range(2):
        assert np.isnan(gradient(f, zero).numpy())
        assert gradient(f, zero, strong_zero=True).numpy() == 0.0
        assert gradient(f, zero, strong_zero=True, kinks="mean").numpy() == 0.5
        assert forward(f, zero, kinks="mean").numpy() == 0.5
        assert forward(f, zero).numpy() == 0.0


def test_the_program() -> None:
    """Where nobody else says anything."""
    zero = tf.constant(0.0)
    tf.config.set_gradient_switches(strong_zero=True, kinks="mean")
    try:
        assert gradient(LOG, zero).numpy() == 0.0
        with tf.config.gradient_switches(kinks="zero"):
            assert gradient(tf.nn.relu, zero).numpy() == 0.0
            assert gradient(LOG, zero).numpy() == 0.0
    finally:
        tf.config.set_gradient_switches()
    assert np.isnan(gradient(LOG, zero).numpy())


BAD = [
    ("strong_zero", "yes", "True, False"),
    ("on_nonscalar", "error", "'sum', 'warn', 'raise'"),
    ("kinks", "average", "'tensorflow', 'mean', 'zero', 'raise'"),
    ("int_sources", "sum", "'warn', 'raise'"),
]


@pytest.mark.parametrize(("name", "value", "choices"), BAD)
def test_unknown_values(name: str, value: Any, choices: str) -> None:
    """The error lists the choices."""
    words = f"{name} must be one of {choices}, got '{value}'"
    for say in (
        tf.GradientTape, tf.config.set_gradient_switches,
        lambda **s: tf.config.gradient_switches(**s).__enter__(),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            say(**{name: value})
    if name in ("strong_zero", "kinks"):
        for function in (tf.grad, tf.value_and_grad, tf.jacobian, tf.hessian, tf.hvp, tf.curl):
            with pytest.raises(ValueError, match=words):
                function(tf.sin, **{name: value})
        with pytest.raises(ValueError, match=words):
            tf.vjp(tf.sin, 1.0, **{name: value})
        with pytest.raises(ValueError, match=words):
            tf.jvp(tf.sin, (1.0,), (1.0,), **{name: value})


# ---- stop_gradient with a mask ----------------------------------------------------------------

MASK = tf.constant([True, False, True])


@pytest.mark.parametrize("way", [w for w in WAYS if w not in ("vmap",)])
def test_gradients_stop_where_the_mask_is_true(way: str) -> None:
    """In every mode; the value is that of the tensor."""
    f: Any = lambda x: tf.stop_gradient(x, mask=MASK) * x  # noqa: E731
    x = tf.constant([1.0, 2.0, INF])
    np.testing.assert_array_equal(f(x).numpy(), [1.0, 4.0, INF])
    found = WAYS[way](f, tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found.numpy(), [1.0, 4.0, 3.0])


@pytest.mark.parametrize("way", ORDERS)
def test_second_derivatives_stop_there_too(way: str) -> None:
    """x² * stopped(x): 6 x where it is not stopped, 2 x where it is."""
    f: Any = lambda x: tf.stop_gradient(x, mask=MASK) * x * x  # noqa: E731
    found = ORDERS[way](f, tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found.numpy(), [2.0, 12.0, 6.0])


def test_masks_broadcast() -> None:
    """To the shape of the tensor, and not the other way round; in a batch each has its own."""
    x = tf.ones([2, 3])
    g = tf.grad(lambda x: tf.reduce_sum(tf.stop_gradient(x, mask=MASK)))(x)
    assert g.numpy().tolist() == [[0.0, 1.0, 0.0]] * 2
    g = tf.grad(lambda x: tf.reduce_sum(tf.stop_gradient(x, mask=True)))(x)
    assert g.numpy().tolist() == [[0.0] * 3] * 2
    each = tf.vmap(tf.grad(lambda x, m: tf.reduce_sum(tf.stop_gradient(x, mask=m))))
    assert each(x[:, 0], tf.constant([True, False])).numpy().tolist() == [0.0, 1.0]
    pair = tf.stop_gradient([x, x], mask=[True, False])
    assert [y.numpy().tolist() for y in pair] == [x.numpy().tolist()] * 2
    with pytest.raises(InvalidArgumentError, match="broadcast to the shape of the tensor"):
        tf.stop_gradient(tf.ones([3]), mask=tf.ones([2, 3], tf.bool))
    with pytest.raises(TypeError, match="booleans, got float32"):
        tf.stop_gradient(x, mask=x)


# ---- parts of what a tape watches -------------------------------------------------------------

MOVES: dict[str, Callable[[Any], Any]] = {
    "slice": lambda x: x[2:5],
    "steps": lambda x: x[::-2],
    "tf.slice": lambda x: tf.slice(x, [1], [3]),
    "reshape": lambda x: tf.reshape(x, [2, 3]),
    "transpose": lambda x: tf.transpose(tf.reshape(x, [2, 3]))[1:],
    "new axis": lambda x: x[:, None],
    "chain": lambda x: tf.reshape(x, [2, 3])[:, 1:][::-1],
}


def cubed(x: Any) -> Any:
    return tf.reduce_sum(x * x * x)


@pytest.mark.parametrize("when", ["before", "inside", "after", "in a function", "batch"])
@pytest.mark.parametrize("name", MOVES)
def test_the_gradient_of_a_part(name: str, when: str) -> None:
    """It is that part of the gradient, whenever it was taken."""
    take = MOVES[name]
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    def found(x: Any) -> Any:
        part = take(x) if when == "before" else None
        with tf.GradientTape() as tape:
            tape.watch(x)
            part = take(x) if when == "inside" else part
            y = cubed(x)
        return tape.gradient(y, take(x) if part is None else part)

    if when == "in a function":
        found = tf.function(found)
    if when == "batch":
        got = tf.vmap(lambda x, a: found(x) * a, in_axes=(None, 0))(x, tf.constant([1.0, 1.0]))[1]
    else:
        got = found(x)
    np.testing.assert_array_equal(got.numpy(), take(3.0 * x * x).numpy())


@pytest.mark.parametrize("name", MOVES)
def test_the_gradient_of_a_part_of_a_variable(name: str) -> None:
    """Of the value that the tape saw, and of no other."""
    take = MOVES[name]
    v = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    with tf.GradientTape(persistent=True) as tape:
        inside = take(v)
        y = cubed(v)
    after, expected = take(v), take(3.0 * v * v).numpy()
    for part in (inside, after):
        np.testing.assert_array_equal(tape.gradient(y, part).numpy(), expected)
    v.assign_add(tf.ones([6]))
    assert tape.gradient(y, take(v)) is None
    with tf.GradientTape() as tape:
        before = cubed(v)
        v.assign_add(tf.ones([6]))
        y = before + cubed(v)
    assert tape.gradient(y, take(v)) is None


def test_parts_have_jacobians_and_second_derivatives() -> None:
    """The part is taken by an operation, which tapes record."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_array_equal(tape.jacobian(y, x[1:]).numpy(), [[0, 0], [4, 0], [0, 6]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cubed(x)
        g = inner.gradient(y, x[1:])
    np.testing.assert_array_equal(outer.gradient(g, x).numpy(), [0.0, 12.0, 18.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cubed(x)
    first, part = tape.gradient(y, [x, x[:2]], unconnected_gradients="zero")
    assert first.numpy().tolist() == [3.0, 12.0, 27.0]
    assert part.numpy().tolist() == [3.0, 12.0]


def test_parts_on_the_way_are_as_ever() -> None:
    """What is computed from a part has the gradient that flows through it."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        part = x[1:]
        y = tf.reduce_sum(part * part) + tf.reduce_sum(x) * 10.0
    assert tape.gradient(y, part).numpy().tolist() == [4.0, 6.0]


def test_what_is_no_part_has_no_gradient() -> None:
    """Copies, other values, repeated elements, what only looks alike: None, as in TensorFlow."""
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    whole = tf.reshape(x, [4])
    half = x[:2]
    others: dict[str, Any] = {
        "a copy": tf.constant(x.numpy())[1:],
        "itself": tf.identity(x),
        "stopped": tf.stop_gradient(x),
        "repeated": tf.broadcast_to(x, [2, 4]),
        "as other numbers": tf.bitcast(x, tf.int32)[1:],
        "computed": (x * 1.0)[1:],
        "an element": x[1],
        "empty": x[2:2],
    }
    for what, other in others.items():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert tape.gradient(y, other) is None, what
    with tf.GradientTape() as tape:  # more than what is watched
        tape.watch(half)
        y = cubed(half)
    assert tape.gradient(y, whole[1:]) is None


def test_rules_that_look_for_the_batch() -> None:
    """A custom gradient within a custom gradient, and a loop, for many examples at once."""

    @tf.custom_gradient
    def inner(x: Any) -> Any:
        return tf.math.log(x), lambda dy: dy / x

    @tf.custom_gradient
    def outer(x: Any) -> Any:
        def rule(dy: Any) -> Any:
            _, again = tf.while_loop(lambda i, _: i < 1, lambda i, v: (i + 1, v), (0, dy))
            return again * tf.exp(-inner(x))

        return tf.math.log(x), rule

    f: Any = lambda x: tf.where(x > 0.0, outer(x), 0.0)  # noqa: E731
    x = tf.constant([0.0, 4.0])
    for g in (tf.grad(f, strong_zero=True), tf.grad(tf.function(f), strong_zero=True)):
        np.testing.assert_allclose(tf.vmap(g)(x).numpy(), [0.0, 0.25])
    np.testing.assert_allclose(gradient(f, x, strong_zero=True).numpy(), [0.0, 0.25])
    np.testing.assert_allclose(gradient(tf.function(f), x, strong_zero=True).numpy(), [0.0, 0.25])


def test_a_rule_that_replaces_another_has_no_kinks() -> None:
    """The identity in place of relu has one slope."""
    x = tf.constant([0.0, -1.0])
    with tf.GradientTape(kinks="mean") as tape:
        tape.watch(x)
        with tf.gradient_override_map({"Relu": "Identity"}):
            y = tf.nn.relu(x)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]
    with tf.GradientTape(kinks="zero") as tape:
        tape.watch(x)
        y = tf.nn.relu(x)
    found = tape.gradient(y, x, overrides={"Relu": lambda op, dy: dy * 7.0})
    assert found.numpy().tolist() == [7.0, 7.0]


def test_a_missing_gradient_that_is_not_asked_for() -> None:
    """It may be registered later, or stand beside the way."""
    absent = tf.register_op("BesideTheWay", lambda x: x * 2.0)
    x = tf.constant(3.0)
    with tf.GradientTape(strong_zero=True, persistent=True) as tape:
        tape.watch(x)
        beside = absent(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0
    with pytest.raises(LookupError, match="BesideTheWay"):
        tape.gradient(beside, x)
