"""Rules where differences are of no use: ties, zeros, infinities, nothing at all.

The expected numbers are TensorFlow's, except where TensorFlow contradicts the mathematics.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numeric import arrays, tensors

import wengert as tf

NAN, INF = float("nan"), float("inf")


def wide(*values: Any) -> list[Any]:
    """Tensors of double precision."""
    found = [np.asarray(v) for v in values]
    return tensors([v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in found])


def gradients(f: Callable[..., Any], *values: Any) -> list[Any]:
    """The gradients of the sum of f, one for each argument."""
    xs = wide(*values)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [g if g is None else np.asarray(tf.convert_to_tensor(g)) for g in tape.gradient(y, xs)]


def second(f: Callable[..., Any], *values: Any) -> list[Any]:
    """The gradients of the sum of the first gradients; zeros where nothing connects."""
    xs = wide(*values)
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
        first = tape.gradient(y, xs)
    return arrays(outer.gradient(first, xs, unconnected_gradients="zero"))


def tangent(f: Callable[..., Any], value: Any, direction: Any) -> Any:
    """The derivative of f along a direction."""
    (x, v) = wide(value, direction)
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        y = f(x)
    return np.asarray(acc.jvp(y))


def same(got: Any, want: Any) -> None:
    """Equal, NaN with NaN, to rounding."""
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-15, equal_nan=True)


# ---- ties -------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [tf.maximum, tf.minimum])
def test_tie_goes_to_the_first_argument(call: Any) -> None:
    """Of two equal arguments the first takes all of the gradient, in both modes."""
    dx, dy = gradients(call, [1.0, 2.0, 0.0], [1.0, 2.0, -0.0])
    same(dx, [1.0, 1.0, 1.0])
    same(dy, [0.0, 0.0, 0.0])
    (three,) = wide([3.0])
    same(tangent(lambda x: call(x, three), [3.0], [5.0]), [5.0])
    same(tangent(lambda x: call(three, x), [3.0], [5.0]), [0.0])


@pytest.mark.parametrize("call", [tf.reduce_max, tf.reduce_min])
def test_equal_extremes_share_the_gradient(call: Any) -> None:
    """Elements that share the extreme share its gradient equally, and so its tangent."""
    same(gradients(call, [[3.0, 3.0], [3.0, 3.0]])[0], np.full((2, 2), 0.25))
    same(gradients(lambda x: call(x, axis=0), [[2.0, 1.0], [2.0, 1.0]])[0], np.full((2, 2), 0.5))
    same(tangent(call, [3.0, 3.0], [1.0, 0.0]), 0.5)
    same(gradients(call, [-INF, -INF])[0], [0.5, 0.5])


def test_bounds_of_clip() -> None:
    """At a bound the gradient still goes to the value; beyond, to the bound."""
    dx, low, high = gradients(tf.clip_by_value, [0.0, 1.0, 2.0, -1.0], 0.0, 1.0)
    same(dx, [1.0, 1.0, 0.0, 0.0])
    same(low, 1.0)
    same(high, 1.0)


# ---- kinks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "slope"),
    [
        (tf.abs, 0.0),
        (tf.sign, 0.0),
        (tf.nn.relu, 0.0),
        (tf.nn.relu6, 0.0),
        (tf.nn.elu, 1.0),
        (tf.nn.selu, 1.0507009873554805),
        (lambda x: tf.nn.leaky_relu(x, 0.25), 0.25),
        (tf.nn.softsign, 1.0),
    ],
    ids=["abs", "sign", "relu", "relu6", "elu", "selu", "leaky_relu", "softsign"],
)
def test_slope_at_zero(call: Any, slope: float) -> None:
    """The slope at zero, and at minus zero, is TensorFlow's."""
    same(gradients(call, [0.0, -0.0])[0], [slope, slope])
    same(tangent(call, [0.0], [2.0]), [2.0 * slope])


def test_slope_of_relu6_at_six() -> None:
    """Six itself is flat."""
    same(gradients(tf.nn.relu6, [6.0, 5.0, 7.0])[0], [0.0, 1.0, 0.0])


@pytest.mark.parametrize("call", [tf.nn.relu, tf.nn.relu6])
def test_relu_of_nan(call: Any) -> None:
    """NaN stays NaN; no gradient passes it."""
    (x,) = wide([NAN])
    same(call(x).numpy(), [NAN])
    same(gradients(call, [NAN])[0], [0.0])


@pytest.mark.parametrize("call", [tf.floor, tf.round, tf.math.ceil, tf.math.rint])
def test_steps_have_no_gradient(call: Any) -> None:
    """A step function gives None, not zeros."""
    assert gradients(call, [0.5]) == [None]


# ---- the square root and the norm at zero -----------------------------------------------------


def test_square_root_at_zero() -> None:
    """The slope is infinite, its own slope too; below zero there is none."""
    same(gradients(tf.sqrt, [0.0, 4.0, -1.0])[0], [INF, 0.25, NAN])
    same(second(tf.sqrt, [0.0, 4.0])[0], [-INF, -0.03125])
    same(gradients(tf.math.rsqrt, [0.0, 4.0])[0], [-INF, -0.0625])


@pytest.mark.parametrize("call", [tf.sqrt, tf.math.rsqrt])
def test_root_in_the_branch_not_chosen(call: Any) -> None:
    """No gradient comes from a root that tf.where left out, infinite as its slope may be."""
    masked = lambda x: tf.where(x > 0.0, call(x), tf.zeros_like(x))  # noqa: E731
    slope = {tf.sqrt: 0.25, tf.math.rsqrt: -0.0625}[call]
    same(gradients(masked, [0.0, -1.0, 4.0])[0], [0.0, 0.0, slope])
    same(tangent(masked, [0.0, -1.0, 4.0], [1.0, 1.0, 1.0]), [0.0, 0.0, slope])


def test_logarithm_in_the_branch_not_chosen() -> None:
    """0 / 0: the known trap of tf.where, as in TensorFlow; a safe argument avoids it."""
    log = tf.math.log
    same(gradients(lambda x: tf.where(x > 0.0, log(x), 0.0), [0.0, 2.0])[0], [NAN, 0.5])
    safe = lambda x: tf.where(x > 0.0, log(tf.where(x > 0.0, x, 1.0)), 0.0)  # noqa: E731
    same(gradients(safe, [0.0, 2.0])[0], [0.0, 0.5])
    same(second(safe, [0.0, 2.0])[0], [0.0, -0.25])


@pytest.mark.parametrize("call", [tf.norm, tf.math.reduce_euclidean_norm])
def test_norm_at_zero(call: Any) -> None:
    """The norm has no slope at zero."""
    same(gradients(call, [0.0, 0.0])[0], [NAN, NAN])
    same(tangent(call, [0.0, 0.0], [0.0, 1.0]), NAN)


def test_deviation_of_equal_numbers() -> None:
    """Neither has the standard deviation; the variance has."""
    same(gradients(tf.math.reduce_std, [1.0, 1.0])[0], [NAN, NAN])
    same(gradients(tf.math.reduce_variance, [1.0, 1.0])[0], [0.0, 0.0])


def test_clip_by_norm_at_zero() -> None:
    """The norm is not asked where the vector is zero."""
    same(gradients(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0])[0], [1.0, 1.0])


# ---- powers, and products with a zero ---------------------------------------------------------


def test_powers() -> None:
    """x**0 has slope zero in x; log x counts as zero where x is not positive."""
    dx, dy = gradients(tf.pow, [0.0, 0.0, 0.0, 2.0, -2.0, -2.0], [0.0, 1.0, 2.0, 0.0, 2.0, 3.0])
    same(dx, [NAN, 1.0, 0.0, 0.0, -4.0, 12.0])
    same(dy, [0.0, 0.0, 0.0, np.log(2.0), 0.0, 0.0])
    dx, dy = gradients(tf.pow, [0.0, -2.0, 1.0], [-1.0, 0.5, INF])
    same(dx, [-INF, NAN, INF])
    same(dy, [NAN, NAN, 0.0])


def test_square_by_a_power_to_second_order() -> None:
    """The second derivative of x**2 at zero is two."""
    same(second(lambda x: x**2.0, [0.0, -1.0])[0], [2.0, 2.0])


@pytest.mark.parametrize(
    ("call", "at", "value", "dx", "dy"),
    [
        (
            tf.math.xlogy,
            ([0, 0, 1, 2], [0, 2, 0, 1]),
            [0, 0, -INF, 0],
            [0, 0, -INF, 0],
            [0, 0, INF, 2],
        ),
        (tf.math.xlog1py, ([0, 0, 1], [-1, 2, -1]), [0, 0, -INF], [0, 0, -INF], [0, 0, INF]),
        (tf.math.xdivy, ([0, 0, 1], [0, 2, 0]), [0, 0, INF], [0, 0, INF], [0, 0, -INF]),
        (tf.math.divide_no_nan, ([1, 0, 2], [0, 0, 4]), [0, 0, 0.5], [0, 0, 0.25], [0, 0, -0.125]),
        (
            tf.math.multiply_no_nan,
            ([INF, NAN, 2, 3], [0, 0, 0, 4]),
            [0, 0, 0, 12],
            [0, 0, 0, 4],
            [INF, NAN, 2, 3],
        ),
    ],
    ids=["xlogy", "xlog1py", "xdivy", "divide_no_nan", "multiply_no_nan"],
)
def test_zero_wins(call: Any, at: Any, value: Any, dx: Any, dy: Any) -> None:
    """What is zero by convention is zero, and so is its gradient."""
    same(call(*wide(*at)).numpy(), value)
    got = gradients(call, *at)
    same(got[0], dx)
    same(got[1], dy)


def test_reciprocal_no_nan() -> None:
    """The reciprocal of zero is zero and does not change."""
    same(gradients(tf.math.reciprocal_no_nan, [0.0, 2.0])[0], [0.0, -0.25])
    same(second(tf.math.reciprocal_no_nan, [0.0, 2.0])[0], [0.0, 0.25])


def test_remainders_of_negative_numbers() -> None:
    """The remainder's slope in the divisor is minus the whole quotient, rounded its own way."""
    same(gradients(tf.math.floormod, [-7.0, 7.0, 6.0], [3.0, -3.0, 3.0])[1], [3.0, 3.0, -2.0])
    same(gradients(tf.truncatemod, [-7.0, 7.0, 6.0], [3.0, -3.0, 3.0])[1], [2.0, 2.0, -2.0])


# ---- products of many factors -----------------------------------------------------------------


def derivative(factors: set[int], x: Any, *by: int) -> float:
    """Of the product of some elements, by some of them."""
    if len(set(by)) < len(by) or not factors.issuperset(by):
        return 0.0
    return float(np.prod([x[i] for i in factors.difference(by)]))


WITH_ZEROS = list(itertools.product(*[(0.0, v) for v in (2.0, -3.0, 5.0, 7.0)]))


@pytest.mark.parametrize("x", WITH_ZEROS, ids=str)
def test_product_with_zeros(x: Any) -> None:
    """Gradient and Hessian of a product are exact, wherever factors are zero."""
    n, every = len(x), set(range(len(x)))
    (t,) = wide(x)
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.reduce_prod(t)
        g = tape.gradient(y, t)
    want = [derivative(every, x, i) for i in range(n)]
    hessian = [[derivative(every, x, i, j) for j in range(n)] for i in range(n)]
    assert g.numpy().tolist() == want
    assert outer.jacobian(g, t).numpy().tolist() == hessian


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("x", WITH_ZEROS, ids=str)
def test_running_product_with_zeros(x: Any, exclusive: bool, reverse: bool) -> None:
    """Gradient and Hessian of running products are exact, wherever factors are zero."""
    n = len(x)
    weights = [1.0, 10.0, 100.0, 1000.0]
    (t, w) = wide(x, weights)
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = tf.math.cumprod(t, exclusive=exclusive, reverse=reverse)
        g = tape.gradient(y, t, output_gradients=w)
    spans = []
    for i in range(n):
        part = range(i + exclusive, n) if reverse else range(i + 1 - exclusive)
        spans.append(set(part))

    def weighted(*by: int) -> float:
        return sum(c * derivative(s, x, *by) for c, s in zip(weights, spans, strict=True))

    assert g.numpy().tolist() == [weighted(i) for i in range(n)]
    hessian = [[weighted(i, j) for j in range(n)] for i in range(n)]
    assert outer.jacobian(g, t).numpy().tolist() == hessian


def test_product_with_zeros_to_third_order() -> None:
    """So it goes on at every order."""
    x = (0.0, 2.0, 0.0, 3.0)
    (t,) = wide(x)
    with tf.GradientTape() as third:
        third.watch(t)
        with tf.GradientTape() as outer:
            outer.watch(t)
            with tf.GradientTape() as tape:
                tape.watch(t)
                y = tf.reduce_prod(t)
            g = tape.gradient(y, t)
        h = outer.jacobian(g, t)
    every = set(range(4))
    want = [[[derivative(every, x, i, j, k) for k in every] for j in every] for i in every]
    assert third.jacobian(h, t).numpy().tolist() == want


# ---- infinities -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "value", "slope"),
    [
        ([1000.0, 1000.0], 1000.0 + np.log(2.0), [0.5, 0.5]),
        ([-INF, 0.0], 0.0, [0.0, 1.0]),
        ([-INF, -INF], -INF, [NAN, NAN]),
        ([INF, 0.0], INF, [NAN, 0.0]),
    ],
    ids=["large", "one-inf", "all-inf", "plus-inf"],
)
def test_logsumexp(x: Any, value: float, slope: Any) -> None:
    """Large arguments do not overflow; minus infinity counts for nothing."""
    same(tf.reduce_logsumexp(wide(x)[0]).numpy(), value)
    same(gradients(tf.reduce_logsumexp, x)[0], slope)


def test_softmax_of_large_numbers() -> None:
    """Only differences matter; minus infinity has no share."""
    softmax, log_softmax = tf.nn.softmax, tf.nn.log_softmax
    same(softmax(wide([1e4, 1e4, -INF])[0]).numpy(), [0.5, 0.5, 0.0])
    same(gradients(lambda x: softmax(x)[0], [1e4, 1e4, -1e4])[0], [0.25, -0.25, 0.0])
    same(log_softmax(wide([1000.0, 0.0])[0]).numpy(), [0.0, -1000.0])
    same(gradients(lambda x: log_softmax(x)[1], [1000.0, 0.0])[0], [-1.0, 1.0])


def test_losses_of_large_logits() -> None:
    """Losses are finite where their logarithms alone are not."""
    cross = tf.nn.softmax_cross_entropy_with_logits
    same(gradients(cross, [[0.0, 1.0]], [[1000.0, 0.0]])[1], [[1.0, -1.0]])
    logistic = tf.nn.sigmoid_cross_entropy_with_logits
    same(logistic(*wide([1.0, 0.0], [1000.0, -1000.0])).numpy(), [0.0, 0.0])
    same(gradients(logistic, [1.0, 0.0, 1.0], [1000.0, -1000.0, -1000.0])[1], [0.0, 0.0, -1.0])
    same(gradients(tf.math.log_sigmoid, [-1000.0, 1000.0])[0], [1.0, 0.0])


def test_logistic_loss_to_second_order_at_zero() -> None:
    """The logits at zero are no kink."""
    loss = lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x)  # noqa: E731
    same(gradients(loss, [0.0])[0], [-0.5])
    same(second(loss, [0.0])[0], [0.25])


@pytest.mark.parametrize(
    ("call", "x", "slope"),
    [
        (tf.sigmoid, [1000.0, -1000.0], [0.0, 0.0]),
        (tf.tanh, [1000.0, -INF], [0.0, 0.0]),
        (tf.math.softplus, [800.0, -800.0, INF, -INF], [1.0, 0.0, 1.0, 0.0]),
        (tf.math.expm1, [1e-300, -INF], [1.0, 0.0]),
        (tf.math.log1p, [1e-300, -1.0], [1.0, INF]),
        (tf.math.log, [0.0], [INF]),
        (tf.asin, [1.0, -1.0, 2.0], [INF, INF, NAN]),
        (tf.acos, [1.0, -1.0], [-INF, -INF]),
        (tf.acosh, [1.0], [INF]),
        (tf.atanh, [1.0], [INF]),
        (tf.math.erf, [INF, 0.0], [0.0, 2.0 / np.sqrt(np.pi)]),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_slopes_at_the_ends(call: Any, x: Any, slope: Any) -> None:
    """Saturated, singular and out of the domain."""
    same(gradients(call, x)[0], slope)


def test_extremes_with_nan() -> None:
    """NaN is passed on, not left out."""
    call: Any
    for call in (tf.reduce_max, tf.reduce_min):
        assert np.isnan(call(wide([1.0, NAN, 2.0])[0]).numpy())
    for call in (tf.maximum, tf.minimum):
        assert np.all(np.isnan(call(*wide([NAN, 1.0], [1.0, NAN])).numpy()))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64], ids=repr)
def test_arg_extremes_pass_over_nan(dtype: Any) -> None:
    """NaN is never the largest or the smallest; the first of nothing but NaN is."""
    table = [
        ([NAN, 1.0, 2.0], 2, 1),
        ([2.0, NAN, 1.0], 0, 2),
        ([NAN, NAN, NAN], 0, 0),
        ([-INF, NAN, -INF], 0, 0),
        ([NAN, -INF, -INF], 0, 1),
        ([NAN, INF, 1.0], 1, 2),
    ]
    for values, largest, smallest in table:
        x = tf.cast(tf.constant(values), dtype)
        assert tf.argmax(x).numpy() == largest
        assert tf.argmin(x).numpy() == smallest


# ---- nothing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (tf.reduce_sum, 0.0),
        (tf.reduce_prod, 1.0),
        (tf.reduce_max, -INF),
        (tf.reduce_min, INF),
        (tf.reduce_mean, NAN),
        (tf.reduce_logsumexp, -INF),
        (tf.math.reduce_euclidean_norm, 0.0),
    ],
    ids=["sum", "prod", "max", "min", "mean", "logsumexp", "norm"],
)
def test_reduction_of_nothing(call: Any, value: float) -> None:
    """The value is the neutral one; the gradient is as empty as the input."""
    (x,) = wide(np.zeros((0, 2)))
    same(call(x, axis=0).numpy(), [value, value])
    assert gradients(lambda x: call(x, axis=0), np.zeros((0, 2)))[0].shape == (0, 2)


def test_tangent_of_the_mean_of_nothing() -> None:
    """The mean of nothing is NaN, but it does not change."""
    nothing = np.zeros((0, 2))
    same(tangent(lambda x: tf.reduce_mean(x, axis=0), nothing, nothing), [0.0, 0.0])


def test_mean_of_integers() -> None:
    """Rounded towards zero; nothing has the mean zero."""
    assert tf.reduce_mean([-1, -2, -2]).numpy() == -1
    assert tf.reduce_mean(tf.constant([200, 200], tf.uint8)).numpy() == 200
    assert tf.reduce_mean(tf.zeros([0], tf.int32)).numpy() == 0


@pytest.mark.parametrize(
    ("values", "count"),
    [([True, False, True], 2), (["a", "", "b"], 2), ([0, 5], 1), ([0.0, NAN], 1), ([0j, 1j], 1)],
    ids=["bool", "string", "int", "float", "complex"],
)
def test_count_nonzero_of_any_dtype(values: Any, count: int) -> None:
    """Booleans count when true, strings when not empty."""
    assert tf.math.count_nonzero(values).numpy() == count


def test_empty_pieces() -> None:
    """Joining, gathering and softmax of nothing."""
    dx, dy = gradients(lambda x, y: tf.concat([x, y], 0) ** 2, np.zeros(0), [3.0])
    assert dx.shape == (0,)
    same(dy, [6.0])
    assert gradients(lambda x: tf.gather(x, []), [1.0, 2.0])[0].tolist() == [0.0, 0.0]
    assert gradients(tf.nn.softmax, np.zeros((2, 0)))[0].shape == (2, 0)


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 3, 0), (0, 3, 0)])
def test_gather_from_no_batch(shape: tuple[int, ...]) -> None:
    """There may be no examples, or nothing in them; the gradient has the shape all the same."""
    i = np.zeros((shape[0], 2), np.int32)
    (slope,) = gradients(lambda x: tf.gather(x, i, axis=1, batch_dims=1), np.zeros(shape))
    assert slope.shape == shape


def test_elementwise_of_nothing() -> None:
    """No elements beside one that is broadcast: its gradient is a sum of nothing."""
    dx, dy = gradients(lambda x, y: x * y, np.zeros((0, 2)), [[3.0, 4.0]])
    assert dx.shape == (0, 2)
    same(dy, [[0.0, 0.0]])


@pytest.mark.parametrize("shape", [(1,), (1, 1), (2, 1), ()], ids=str)
def test_axes_of_size_one(shape: tuple[int, ...]) -> None:
    """The gradient of what was broadcast has its shape, ones included."""
    y = np.ones(shape)
    dx, dy = gradients(lambda x, y: x * y, np.full((2, 3), 2.0), y)
    assert dx.shape == (2, 3)
    same(dy, np.full(shape, 12.0 / y.size))


# ---- indices ----------------------------------------------------------------------------------


def test_gather_of_the_same_row_twice() -> None:
    """Its gradient is the sum, in dense and in sliced form."""
    same(gradients(lambda x: tf.gather(x, [0, 0, 2]) ** 2, [1.0, 2.0, 3.0])[0], [4.0, 0.0, 6.0])
    columns = lambda x: tf.gather(x, [1, 1], axis=1) ** 2  # noqa: E731
    same(gradients(columns, [[1.0, 2.0]])[0], [[0.0, 8.0]])
    (x,) = wide([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [0, 0, 2]) ** 2
    sliced = tape.gradient(y, x)
    assert sliced.indices.numpy().tolist() == [0, 0, 2]
    same(sliced.values.numpy(), [2.0, 2.0, 6.0])


def test_scatter_to_the_same_place_twice() -> None:
    """Updates that meet are added; each has the gradient of the place."""
    (u,) = wide([10.0, 20.0, 30.0])
    same(tf.scatter_nd([[1], [3], [1]], u, [5]).numpy(), [0.0, 40.0, 0.0, 20.0, 0.0])
    squared = lambda u: tf.scatter_nd([[1], [3], [1]], u, [5]) ** 2  # noqa: E731
    same(gradients(squared, [10.0, 20.0, 30.0])[0], [80.0, 40.0, 80.0])


def test_rows_with_a_negative_segment_are_left_out() -> None:
    """They count for nothing and have no gradient."""
    total = lambda x: tf.math.unsorted_segment_sum(x, [0, -1, 0], 2) ** 2  # noqa: E731
    same(gradients(total, [1.0, 5.0, 2.0])[0], [6.0, 0.0, 6.0])


# ---- complex numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "z", "slope"),
    [
        (lambda z: z * z, 1 + 2j, 2 - 4j),
        (tf.exp, 1 + 2j, np.exp(1 - 2j)),
        (tf.math.log, 1 + 2j, 1 / (1 - 2j)),
        (tf.sqrt, 1 + 2j, 0.5 / np.sqrt(1 - 2j)),
        (tf.abs, 3 + 4j, 0.6 + 0.8j),
        (tf.math.conj, 3 + 4j, 1 + 0j),
        (tf.math.real, 3 + 4j, 1 + 0j),
        (tf.math.imag, 3 + 4j, 0 + 1j),
        (tf.math.angle, 3 + 4j, (-4 + 3j) / 25),
        (tf.sign, 1 + 2j, (2 - 1j) / 5**1.5 * 2),
        (lambda z: tf.math.squared_difference(z, 3 - 1j), 1 + 2j, -4 + 6j),
        (lambda z: tf.cast(z, tf.float64), 3 + 4j, 1 + 0j),
    ],
    ids=[
        "z*z",
        "exp",
        "log",
        "sqrt",
        "abs",
        "conj",
        "real",
        "imag",
        "angle",
        "sign",
        "sqdiff",
        "cast",
    ],
)
def test_conjugate_convention(call: Any, z: complex, slope: complex) -> None:
    """The gradient is the conjugate of the derivative, as in TensorFlow."""
    same(gradients(call, [z])[0], [slope])


def test_complex_zero() -> None:
    """At zero |z| and z / |z| have slope zero."""
    same(gradients(tf.abs, [0j])[0], [0j])
    same(gradients(tf.sign, [0j])[0], [0j])


def test_distance_of_complex_numbers_is_real() -> None:
    """|x - y|^2 grows along x - y, and so for both of them."""
    dx, dy = gradients(tf.math.squared_difference, [1 + 2j], [3 - 1j])
    same(dx, [-4 + 6j])
    same(dy, [4 - 6j])
    same(second(tf.math.squared_difference, [1 + 2j], [3 - 1j])[0], [0j])


def test_stacked_plain_values_agree_on_a_dtype() -> None:
    """A float among integers makes floats of them; a tensor decides for all."""
    assert tf.stack([1, 2.5]).dtype is tf.float32
    assert tf.stack([1, 2]).dtype is tf.int32
    assert tf.stack([tf.constant(1.0, tf.float64), 2]).dtype is tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        tf.stack([[1.0], [1.0, 2.0]])


FLAT: dict[str, Callable[[Any], Any]] = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "crelu": tf.nn.crelu,
    "max_pool": lambda x: tf.nn.max_pool1d(x[None, :, None], 2, 1, "SAME"),
    "a network": lambda x: tf.nn.relu(x[None] @ tf.ones([3, 2])) @ tf.ones([2, 1]),
}


@pytest.mark.parametrize("name", FLAT)
def test_second_derivatives_of_flat_slopes_are_zero_and_not_none(name: str) -> None:
    x, one = tf.constant([-1.0, 2.0, 8.0]), tf.ones([3])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = FLAT[name](x)
        first = tape.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [0.0] * 3
    with tf.autodiff.ForwardAccumulator(x, one) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = FLAT[name](x)
        first = tape.gradient(y, x)
    assert accumulator.jvp(first).numpy().tolist() == [0.0] * 3
    twice = tf.function(lambda x: tf.gradients(tf.gradients(FLAT[name](x), x)[0], x)[0])
    assert twice(x).numpy().tolist() == [0.0] * 3


@pytest.mark.parametrize("size", [1, 1 << 16])
def test_a_root_beside_a_power_leaves_its_sign(size: int) -> None:
    """Where one exponent is a half, zeros of the others keep their signs; the root of -0 is 0."""
    x = np.tile(np.float32([-0.0, 2.0, -0.0, -np.inf, -1e30]), size)
    y = np.tile(np.float32([3.0, 0.5, 0.5, 0.5, -3.0]), size)
    found = tf.pow(tf.constant(x), tf.constant(y)).numpy()[-5:]
    np.testing.assert_allclose(
        found, np.float32([-0.0, np.sqrt(2.0), 0.0, np.inf, -0.0]), rtol=1e-6
    )
    assert np.signbit(found).tolist() == [True, False, False, False, True]
