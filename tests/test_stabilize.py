"""Formulas computed by their stable forms: against fifty digits, over the whole range of the dtype."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf

mp = pytest.importorskip("mpmath").mp
import exact_series as exact  # noqa: E402  # it needs mpmath

# Errors are counted in units of the last place of |f| + |x f'|: what an error of one such unit in x
# would do. Below the smallest normal number there are fewer digits.
MOST_ULPS = 4.0


def log1pexp(x: Any) -> Any:
    return tf.math.log(1.0 + tf.exp(x))


def versine(x: Any) -> Any:
    half = exact.sin(0.5 * x)
    return 2 * half * half


# name: (as a program writes it, of mpmath, the domain)
ANY, NEGATIVE, POSITIVE, ABOVE = "any", "negative", "positive", "above -1"
FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = {
    "log(1+exp(x))": (log1pexp, lambda x: exact.log1p(exact.exp(x)), ANY),
    "log(exp(x)+1)": (
        lambda x: tf.math.log(tf.exp(x) + 1.0), lambda x: exact.log1p(exact.exp(x)), ANY),
    "log1p(exp(x))": (lambda x: tf.math.log1p(tf.exp(x)), lambda x: exact.log1p(exact.exp(x)), ANY),
    "log(sigmoid(x))": (
        lambda x: tf.math.log(tf.sigmoid(x)), lambda x: -exact.log1p(exact.exp(-x)), ANY),
    "log(1-sigmoid(x))": (
        lambda x: tf.math.log(1.0 - tf.sigmoid(x)), lambda x: -exact.log1p(exact.exp(x)), ANY),
    "log1p(-sigmoid(x))": (
        lambda x: tf.math.log1p(-tf.sigmoid(x)), lambda x: -exact.log1p(exact.exp(x)), ANY),
    "log(1/(1+exp(-x)))": (
        lambda x: tf.math.log(1.0 / (1.0 + tf.exp(-x))), lambda x: -exact.log1p(exact.exp(-x)), ANY),
    "sigmoid(x)": (tf.sigmoid, lambda x: 1 / (1 + exact.exp(-x)), ANY),
    "1-sigmoid(x)": (lambda x: 1.0 - tf.sigmoid(x), lambda x: 1 / (1 + exact.exp(x)), ANY),
    "1/(1+exp(-x))": (lambda x: 1.0 / (1.0 + tf.exp(-x)), lambda x: 1 / (1 + exact.exp(-x)), ANY),
    "reciprocal(1+exp(x))": (
        lambda x: tf.math.reciprocal(1.0 + tf.exp(x)), lambda x: 1 / (1 + exact.exp(x)), ANY),
    "exp(x)/(1+exp(x))": (
        lambda x: tf.exp(x) / (1.0 + tf.exp(x)), lambda x: 1 / (1 + exact.exp(-x)), ANY),
    "e/(1+e)": (lambda x: _shared(tf.exp(x)), lambda x: 1 / (1 + exact.exp(-x)), ANY),
    "3/(1+exp(-x))": (lambda x: 3.0 / (1.0 + tf.exp(-x)), lambda x: 3 / (1 + exact.exp(-x)), ANY),
    "softplus(x)": (tf.math.softplus, lambda x: exact.log1p(exact.exp(x)), ANY),
    "tanh(x)": (tf.tanh, exact.tanh, ANY),
    "1-tanh(x)": (lambda x: 1.0 - tf.tanh(x), lambda x: 2 / (1 + exact.exp(2 * x)), ANY),
    "1+tanh(x)": (lambda x: 1.0 + tf.tanh(x), lambda x: 2 / (1 + exact.exp(-2 * x)), ANY),
    "exp(x)-1": (lambda x: tf.exp(x) - 1.0, exact.expm1, ANY),
    "-1+exp(x)": (lambda x: -1.0 + tf.exp(x), exact.expm1, ANY),
    "1-exp(x)": (lambda x: 1.0 - tf.exp(x), lambda x: -exact.expm1(x), ANY),
    "log(1-exp(x))": (lambda x: tf.math.log(1.0 - tf.exp(x)), lambda x: exact.log(-exact.expm1(x)), NEGATIVE),
    "log1p(-exp(x))": (lambda x: tf.math.log1p(-tf.exp(x)), lambda x: exact.log(-exact.expm1(x)), NEGATIVE),
    "log(exp(x))": (lambda x: tf.math.log(tf.exp(x)), lambda x: x, ANY),
    "log(1+x)": (lambda x: tf.math.log(1.0 + x), exact.log1p, ABOVE),
    "log(1-x)": (lambda x: tf.math.log(1.0 - x), lambda x: exact.log1p(-x), "below 1"),
    "1-cos(x)": (lambda x: 1.0 - tf.cos(x), versine, "angle"),
    "cos(x)-1": (lambda x: tf.cos(x) - 1.0, lambda x: -versine(x), "angle"),
    "1-erf(x)": (lambda x: 1.0 - tf.math.erf(x), exact.erfc, ANY),
    "1+erf(x)": (lambda x: 1.0 + tf.math.erf(x), lambda x: exact.erfc(-x), ANY),
    "1-erfc(x)": (lambda x: 1.0 - tf.math.erfc(x), exact.erf, ANY),
    "x*log(x)": (lambda x: x * tf.math.log(x), lambda x: x * exact.log(x), POSITIVE),
    "-x*log(x)": (lambda x: -x * tf.math.log(x), lambda x: -x * exact.log(x), POSITIVE),
    "sqrt(1+x*x)": (lambda x: tf.sqrt(1.0 + x * x), lambda x: exact.sqrt(1 + x * x), ANY),
}  # fmt: skip


def _shared(e: Any) -> Any:
    return e / (1.0 + e)


def points(domain: str, dtype: Any) -> Any:
    """Magnitudes over the whole range of the dtype, more of them where functions bend."""
    info = np.finfo(dtype)
    wide = np.logspace(np.log10(info.tiny) + 1, np.log10(info.max) - 1, 41)
    near = np.concatenate([np.linspace(0.01, 12, 37), np.linspace(12, 100, 23), [300.0, 700.0]])
    x = np.sort(np.concatenate([wide, near]))
    if domain == "angle":
        x = x[x < 1e4]
    x = {
        "any": np.concatenate([-x[::-1], x]),
        "angle": np.concatenate([-x[::-1], x]),
        "positive": x,
        "negative": -x,
        "above -1": np.concatenate([-x[x < 1], x]),
        "below 1": np.concatenate([-x, x[x < 1]]),
    }[domain]
    return x.astype(dtype)


def ulps(found: Any, exact: Sequence[Any], bends: Sequence[Any], x: Any) -> Any:
    """The errors, in units of the last place of |f| + |x f'|; exact numbers may be out of range."""
    info = np.finfo(x.dtype)
    errors = []
    for y, e, bend, at in zip(found, exact, bends, x, strict=True):
        if abs(e) > float(info.max):
            errors.append(0.0 if np.isinf(y) and (y > 0) == (e > 0) else np.inf)
            continue
        scale = (abs(e) + abs(mp.mpf(float(at)) * bend)) * mp.mpf(float(info.eps))
        scale = max(scale, mp.mpf(float(info.tiny)))
        errors.append(float(abs(mp.mpf(float(y)) - e) / scale) if np.isfinite(y) else np.inf)
    return np.array(errors)


def to_second_order(f: Callable[[Any], Any], x: Any) -> list[Any]:
    x = tf.constant(x)
    with tf.GradientTape(stabilize=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return [v.numpy() for v in (y, first, outer.gradient(first, x, unconnected_gradients="zero"))]


def by_function(f: Callable[[Any], Any], x: Any) -> list[Any]:
    """By a compiled plan, differentiated from outside."""
    traced = tf.function(f, stabilize=True)
    first = tf.grad(lambda v: tf.reduce_sum(traced(v)))
    second = tf.grad(lambda v: tf.reduce_sum(first(v)))
    given = tf.constant(x)
    return [traced(given).numpy(), first(given).numpy(), second(given).numpy()]


def worst_errors(name: str, dtype: Any, way: Callable[..., Any]) -> list[tuple[float, str]]:
    """The largest error of value, gradient and second order, and where it is."""
    f, reference, domain = FORMS[name]
    x = points(domain, dtype)
    with mp.workdps(exact.DIGITS[dtype]):
        known = [reference(exact.variable(float(v))).derivatives() for v in x]
        orders = [list(order) for order in zip(*known, strict=True)]
        worst = []
        for n, found in enumerate(way(f, x)):
            errors = ulps(found, orders[n], orders[n + 1], x)
            i = int(np.argmax(errors))
            where = f"order {n} at {x[i]}: {found[i]}, not {mp.nstr(orders[n][i])}"
            worst.append((float(errors[i]), where))
    return worst


@pytest.mark.parametrize("way", [to_second_order, by_function])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FORMS)
def test_all_digits_are_there(name: str, dtype: Any, way: Any) -> None:
    """In value, gradient and second order, as far as the numbers of the dtype reach."""
    for error, where in worst_errors(name, dtype, way):
        assert error < MOST_ULPS, where


@pytest.mark.parametrize(
    "name", ["log(1+exp(x))", "1-cos(x)", "exp(x)-1", "sigmoid(x)", "1-erf(x)"]
)
def test_as_written_digits_are_missing(name: str) -> None:
    """The measure sees what is lost without the stable form."""

    def as_written(f: Callable[[Any], Any], x: Any) -> list[Any]:
        given = tf.constant(x)
        first = tf.grad(lambda v: tf.reduce_sum(f(v)))
        second = tf.grad(lambda v: tf.reduce_sum(first(v)))
        return [f(given).numpy(), first(given).numpy(), second(given).numpy()]

    assert max(error for error, _ in worst_errors(name, np.float32, as_written)) > 1000 * MOST_ULPS


# ---- of two numbers -----------------------------------------------------------------------------

PAIRS = [
    (3.0, 4.0),
    (1.0, 1e-25),
    (1e-25, 1.0),
    (1e-30, 2e-10),
    (1e30, 3e30),
    (-5.0, 1e-3),
    (0.0, 2.0),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "write", [lambda x, y: tf.sqrt(x * x + y * y), lambda x, y: tf.sqrt(tf.square(x) + y**2.0)]
)
def test_the_hypotenuse(write: Any, dtype: Any) -> None:
    """In value, gradient and second derivatives, with numbers whose squares overflow or vanish."""
    eps = float(np.finfo(dtype).eps)
    for a, b in PAIRS:
        x, y = tf.constant(a, dtype), tf.constant(b, dtype)
        with tf.GradientTape(persistent=True, stabilize=True) as outer:
            outer.watch([x, y])
            with tf.GradientTape() as inner:
                inner.watch([x, y])
                z = write(x, y)
            gx, gy = inner.gradient(z, [x, y])
        found = [z, gx, gy, *outer.gradient(gx, [x, y]), *outer.gradient(gy, [x, y])]
        p, q = mp.mpf(float(x)), mp.mpf(float(y))
        r = mp.sqrt(p * p + q * q)
        mixed = -p * q / r**3
        wanted = [r, p / r, q / r, q * q / r**3, mixed, mixed, p * p / r**3]
        for value, exactly in zip(found, wanted, strict=True):
            floor = float(np.finfo(dtype).tiny)
            assert abs(float(value) - exactly) <= 8 * eps * abs(exactly) + floor, (a, b)


def test_the_hypotenuse_at_the_origin() -> None:
    """Its gradient there is zero, and so are the second derivatives."""
    x = tf.constant([0.0, 3.0])
    with tf.GradientTape(stabilize=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.sqrt(x * x + tf.square(0.0 * x))
        g = tape.gradient(z, x)
    assert g.numpy().tolist() == [0.0, 1.0]
    assert outer.gradient(g, x).numpy().tolist() == [0.0, 0.0]


# ---- exponentials along axes --------------------------------------------------------------------

LOGITS = [
    [0.5, -1.0, 2.0],
    [0.0, -50.0, -60.0],
    [1000.0, 0.0, -1000.0],
    [700.0, 700.0, 699.0],
    [-80.0, -81.0, -79.5],
]
ALONG: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "log(sum(exp))": (
        lambda x: tf.math.log(tf.reduce_sum(tf.exp(x))), lambda x: [mp.log(_total(x))]),
    "log(sum(exp, -1))": (
        lambda x: tf.math.log(tf.reduce_sum(tf.exp(x), -1, keepdims=True)),
        lambda x: [mp.log(_total(x))]),
    "exp/sum(exp)": (lambda x: tf.exp(x) / tf.reduce_sum(tf.exp(x)), lambda x: _shares(x)),
    "e/sum(e)": (lambda x: _normalized(tf.exp(x)), lambda x: _shares(x)),
    "softmax": (tf.nn.softmax, lambda x: _shares(x)),
    "log(softmax)": (
        lambda x: tf.math.log(tf.nn.softmax(x)), lambda x: [mp.log(p) for p in _shares(x)]),
    "log(exp/sum(exp))": (
        lambda x: tf.math.log(tf.exp(x) / tf.reduce_sum(tf.exp(x))),
        lambda x: [mp.log(p) for p in _shares(x)]),
    "log_softmax": (tf.nn.log_softmax, lambda x: [mp.log(p) for p in _shares(x)]),
}  # fmt: skip


def _total(x: Any) -> Any:
    return mp.fsum([mp.exp(v) for v in x])


def _shares(x: Any) -> list[Any]:
    total = _total(x)
    return [mp.exp(v) / total for v in x]


def _normalized(e: Any) -> Any:
    return e / tf.reduce_sum(e, -1, keepdims=True)


def _wanted(name: str, x: Any) -> tuple[Any, Any, Any]:
    """Value, Jacobian and Hessian of each result, from the shares p = softmax(x)."""
    n, p = range(len(x)), _shares(x)
    values = ALONG[name][1](x)
    # p_i (1 - p_j), with the complement as the sum of the others
    rest = [mp.fsum([p[k] for k in n if k != i]) for i in n]
    slope = [[p[i] * (rest[i] if i == j else -p[j]) for j in n] for i in n]
    if len(values) == 1:
        return values, [p], [slope]
    if "log" in name:
        first = [[rest[i] if i == j else -p[j] for j in n] for i in n]
        return values, first, [[[-slope[j][k] for k in n] for j in n] for _ in n]
    bend = [
        [[slope[i][k] * ((i == j) - p[j]) - p[i] * slope[j][k] for k in n] for j in n] for i in n
    ]
    return values, slope, bend


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ALONG)
def test_along_an_axis(name: str, dtype: Any) -> None:
    """In value, Jacobian and Hessian; errors are counted as those of inputs off by a unit."""
    f, eps = ALONG[name][0], float(np.finfo(dtype).eps)
    for logits in LOGITS:
        x = tf.constant(logits, dtype)
        n = len(logits)
        with tf.GradientTape(stabilize=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reshape(f(x), [-1])
            first = inner.jacobian(y, x)
        second = outer.jacobian(first, x)
        with mp.workdps(400):
            at = [mp.mpf(float(v)) for v in x.numpy()]
            wanted = _wanted(name, at)
            size = 1 + 2 * max(abs(v) for v in at)
            for found, exactly in zip((y, first, second), wanted, strict=True):
                shape = (-1,) + (n,) * (np.ndim(found.numpy()) - 1)
                flat = np.array(exactly, object).reshape(shape).ravel()
                for value, e in zip(found.numpy().ravel(), flat, strict=True):
                    bound = 16 * eps * size * abs(e) + float(np.finfo(dtype).tiny)
                    assert abs(mp.mpf(float(value)) - e) <= bound, (logits, value, mp.nstr(e))


def test_axes() -> None:
    """The sum must stand beneath what was summed; several axes and unknown sizes will do."""
    x = tf.constant([[1000.0, 1.0], [2.0, -1000.0]])
    with tf.debugging.stabilize():
        e = tf.exp(x)
        along = [
            e / tf.reduce_sum(e, 0),
            e / tf.reduce_sum(e, 1, keepdims=True),
            e / tf.reduce_sum(e),
        ]
        wrong = e / tf.reduce_sum(e, 1)
        both = tf.math.log(tf.reduce_sum(e, [0, 1]))
    for found, axis in zip(along, (0, 1, None), strict=True):
        flat = tf.nn.softmax(x if axis is not None else tf.reshape(x, [-1]), axis=axis)
        np.testing.assert_allclose(found.numpy().ravel(), flat.numpy().ravel(), rtol=1e-6)
    assert np.isnan(wrong.numpy()).any()
    assert both.numpy() == 1000.0
    spec = [tf.TensorSpec([None, None], tf.float32)]
    f = tf.function(lambda x: _normalized(tf.exp(x)), input_signature=spec, stabilize=True)
    assert f(x).numpy().tolist() == tf.nn.softmax(x).numpy().tolist()


# ---- x log x ------------------------------------------------------------------------------------


def test_zero_log_zero() -> None:
    """It is zero at zero, with the gradient that xlogy(x, x) has there; also for a variable."""
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape(stabilize=True) as tape:
        y = tf.reduce_sum(x * tf.math.log(x))
    assert y.numpy() == 0.0
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 1.0]


def test_a_variable_is_one_value_until_it_is_assigned() -> None:
    """Also in functions, and in formulas other than x log x."""
    v, w = tf.Variable([0.0, 1.0]), tf.Variable([1e30, 3.0])

    @tf.function(stabilize=True)
    def entropy() -> Any:
        return tf.reduce_sum(v * tf.math.log(v))

    @tf.function(stabilize=True)
    def moved() -> Any:
        before = tf.exp(w)
        w.assign(w + 1.0)
        return before / tf.reduce_sum(tf.exp(w))

    assert entropy().numpy() == 0.0
    with tf.debugging.stabilize():
        assert tf.sqrt(w * w + w * w).numpy()[0] == np.float32(np.sqrt(2.0) * 1e30)
    w.assign([1.0, 3.0])
    np.testing.assert_allclose(tf.reduce_sum(moved()).numpy(), np.exp(-1.0), rtol=1e-6)


def test_a_value_and_its_copy_are_two() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        y = x * tf.math.log(tf.stop_gradient(x))
    assert tape.gradient(y, x).numpy() == np.log(np.float32(2.0))


# ---- what it leaves alone -----------------------------------------------------------------------


def test_it_is_off_by_default() -> None:
    x = tf.constant(1000.0)
    assert np.isinf(log1pexp(x))
    with tf.debugging.stabilize():
        assert log1pexp(x).numpy() == 1000.0
    assert np.isinf(log1pexp(x))
    assert np.isinf(tf.function(log1pexp)(x))


def test_a_one_that_is_followed_is_no_number() -> None:
    """Its gradient is there, so the formula is computed as it is written."""
    one, x = tf.Variable(1.0), tf.constant(0.5)
    with tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        y = tf.math.log(one + tf.exp(x))
    assert abs(tape.gradient(y, one).numpy() - 1 / (1 + np.exp(0.5))) < 1e-6
    held = tf.constant(1.0)

    @tf.function(stabilize=True)
    def f(x: Any) -> Any:
        return tf.math.log(held + tf.exp(x))

    with tf.GradientTape() as tape:
        tape.watch(held)
        y = f(x)
    assert tape.gradient(y, held) is not None


def test_a_value_that_is_watched_keeps_its_gradient() -> None:
    x = tf.constant(0.5)
    with tf.GradientTape(stabilize=True) as tape:
        e = tf.exp(x)
        tape.watch(e)
        y = tf.math.log(1.0 + e)
    assert abs(tape.gradient(y, e).numpy() - 1 / (1 + np.exp(0.5))) < 1e-6


def test_what_was_passed_over_has_no_gradient() -> None:
    """A result in the middle, which was not watched for itself."""
    x = tf.constant(0.5)
    with tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        e = tf.exp(x)
        y = tf.math.log(1.0 + e)
    assert tape.gradient(y, e) is None


def test_what_a_tape_did_not_record_stays_constant() -> None:
    x = tf.constant(0.5)
    with tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            e = tf.exp(x)
        y = tf.math.log(1.0 + e)
        z = tf.math.log(1.0 + tf.stop_gradient(tf.exp(x)))
    assert tape.gradient([y, z], x) is None


def test_a_rule_of_the_user_is_kept() -> None:
    x = tf.constant(0.5)
    with tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        with tf.gradient_override_map({"Exp": lambda op, g: 0.0 * g}):
            e = tf.exp(x)
            y = tf.math.log(1.0 + e)
    assert tape.gradient(y, x).numpy() == 0.0


def test_a_rule_of_the_user_is_kept_in_graphs() -> None:
    """Of the operation that begins a formula, and of the one that ends it."""
    for kind in ("Exp", "Log"):
        with tf.debugging.stabilize(), tf.Graph().as_default() as graph:
            x = tf.constant(0.5)
            with graph.gradient_override_map({kind: "TestStabilizeNothing"}):
                y = tf.math.log(1.0 + tf.exp(x))
            (slope,) = tf.gradients(y, x)
            with tf.compat.v1.Session() as session:
                assert session.run(slope) == 0.0


@tf.RegisterGradient("TestStabilizeNothing")
def _nothing(op: Any, g: Any) -> Any:
    return 0.0 * g


def test_other_dtypes_and_other_numbers_are_as_they_were() -> None:
    z = tf.constant(0.3 + 0.1j)
    x = tf.constant([0.3, 2.0])
    plain = [log1pexp(z), tf.math.log(2.0 + tf.exp(x)), tf.exp(x) - 2.0, tf.sqrt(x * x + x)]
    with tf.debugging.stabilize():
        stable = [log1pexp(z), tf.math.log(2.0 + tf.exp(x)), tf.exp(x) - 2.0, tf.sqrt(x * x + x)]
    for a, b in zip(plain, stable, strict=True):
        assert a.numpy().tolist() == b.numpy().tolist()
    with tf.debugging.stabilize():
        half = tf.constant([100.0, -3.0], tf.bfloat16)
        assert log1pexp(half).numpy().astype(np.float32).tolist() == [100.0, 0.048583984375]


def test_shapes_are_as_they_were() -> None:
    """A one with axes of its own makes the result larger."""
    with tf.debugging.stabilize():
        assert tf.math.log(tf.constant([[1.0]]) + tf.exp(tf.constant(0.5))).shape == (1, 1)


def test_values_are_not_kept_alive() -> None:
    with tf.debugging.stabilize():
        e = tf.exp(tf.constant([1.0, 2.0]))
        seen = weakref.ref(e)
        y = tf.math.log(1.0 + e)
        del e
        gc.collect()
        assert seen() is None
        assert y.shape == (2,)


# ---- where it holds -----------------------------------------------------------------------------


def test_functions_are_traced_for_it() -> None:
    """Each way once; functions within functions, too."""
    f = tf.function(log1pexp)
    x = tf.constant(1000.0)
    assert np.isinf(f(x))
    with tf.debugging.stabilize():
        assert f(x).numpy() == 1000.0
        assert f(x).numpy() == 1000.0
    assert np.isinf(f(x))
    assert f.experimental_get_tracing_count() == 2
    g = tf.function(lambda x: f(x) + 1.0, stabilize=True)
    assert g(x).numpy() == 1001.0
    assert np.isinf(f(x))


@pytest.mark.parametrize("jit", [None, True, False])
def test_compiled_plans(jit: bool | None) -> None:
    f = tf.function(log1pexp, stabilize=True, jit_compile=jit)
    x = tf.constant([-1000.0, 0.0, 1000.0])
    for _ in range(2):
        assert f(x).numpy()[[0, 2]].tolist() == [0.0, 1000.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.5, 1.0]


def test_methods_and_eager_functions() -> None:
    class Model:
        @tf.function(stabilize=True)
        def call(self, x: Any) -> Any:
            return log1pexp(x)

    model, x = Model(), tf.constant(1000.0)
    assert model.call(x).numpy() == 1000.0
    tf.config.run_functions_eagerly(True)
    try:
        assert model.call(x).numpy() == 1000.0
    finally:
        tf.config.run_functions_eagerly(False)


def test_branches_and_loops_of_functions() -> None:
    @tf.function(stabilize=True)
    def f(x: Any) -> Any:
        y = tf.cond(x > 0.0, lambda: log1pexp(x), lambda: x)
        return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, log1pexp(y)), (0, y))[1]

    assert f(tf.constant(1000.0)).numpy() == 1000.0


def test_batches() -> None:
    x = tf.constant([[1000.0, 0.0], [-1000.0, -1000.0]])

    def f(row: Any) -> Any:
        return tf.math.log(tf.reduce_sum(tf.exp(row)))

    def within(row: Any) -> Any:
        with tf.debugging.stabilize():
            return f(row)

    with tf.debugging.stabilize():
        around = tf.vectorized_map(f, x)
    wanted = np.array([1000.0, np.log(2.0) - 1000.0], np.float32)
    np.testing.assert_array_equal(around.numpy(), wanted)
    np.testing.assert_array_equal(tf.vectorized_map(within, x).numpy(), wanted)


def test_forward_mode() -> None:
    x = tf.constant(1000.0)
    with tf.debugging.stabilize(), tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = log1pexp(x)
    assert acc.jvp(y).numpy() == 1.0


def test_sessions() -> None:
    """Also with the names that the program gives."""
    with tf.debugging.stabilize(), tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        y = tf.math.log(1.0 + tf.exp(x), name="loss")
        (slope,) = tf.gradients(y, x)
        with tf.compat.v1.Session() as session:
            value, found = session.run(["loss:0", slope], {x: [1000.0]})
    assert value.tolist() == [1000.0]
    assert found.tolist() == [1.0]


def test_blocks_nest() -> None:
    x = tf.constant(1000.0)
    with tf.debugging.stabilize(), tf.GradientTape(stabilize=True) as tape:
        tape.watch(x)
        with tf.debugging.stabilize():
            y = log1pexp(x)
        z = log1pexp(x)
    assert tape.gradient([y, z], x).numpy() == 2.0
    assert np.isinf(log1pexp(x))


def test_strong_zeros_beneath() -> None:
    x = tf.constant([0.0, 1000.0])
    with tf.GradientTape(stabilize=True, strong_zero=True) as tape:
        tape.watch(x)
        y = tf.where(x > 0.0, log1pexp(x), 0.0)
        g = tape.gradient(y, x)
    assert g.numpy().tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "taken",
    [
        lambda f, x: tf.vectorized_map(tf.grad(f), x),
        lambda f, x: tf.vmap(tf.grad(f))(x),
        lambda f, x: tf.per_example_gradients(lambda w, v: f(w + v))(tf.constant(0.0), x),
        lambda f, x: tf.linalg.diag_part(tf.jacobian(f)(x)),
        tf.function(lambda f, x: tf.vectorized_map(tf.grad(f), x)),
    ],
    ids=["vectorized_map", "vmap", "examples", "jacobian", "function"],
)
def test_gradients_within_batches(taken: Any) -> None:
    with tf.debugging.stabilize():
        found = taken(lambda z: tf.math.log(1.0 + tf.exp(z)), tf.constant([1.0, 800.0]))
        second = tf.hessian(lambda z: tf.reduce_sum(tf.math.log(1.0 + tf.exp(z))))
        assert np.isfinite(second(tf.constant([1.0, 800.0]))).all()
    np.testing.assert_allclose(found, [0.7310586, 1.0], rtol=1e-6)
