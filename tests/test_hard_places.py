"""Places where the nearest formula has the wrong value: eagerly, in functions, of large arrays.

What is expected is exact to the last digits written, or a convention of TensorFlow's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

INF, NAN = np.inf, np.nan


def eagerly(f: Callable[..., Any], *xs: Any) -> Any:
    return f(*xs)


def in_a_function(f: Callable[..., Any], *xs: Any) -> Any:
    return tf.function(f)(*xs)


def of_large_arrays(f: Callable[..., Any], *xs: Any) -> Any:
    """The values again and again, until the kernels for large arrays take them."""
    count = 1 + (1 << 16) // len(xs[0])
    return f(*[tf.concat([x] * count, 0) for x in xs])[: len(xs[0])]


every_way = pytest.mark.parametrize(
    "run", [eagerly, in_a_function, of_large_arrays], ids=lambda run: run.__name__
)
CASES: dict[str, tuple[Callable[..., Any], list[Any], list[float]]] = {
    "floordiv is floor(x / y)": (
        tf.math.floordiv,
        [[1.0, 6.0, 5.0, INF, -1.0, -7.0, 1.0], [0.1, 0.1, 0.05, 1.0, INF, 2.0, 0.0]],
        [10.0, 60.0, 100.0, INF, -0.0, -4.0, INF],
    ),
    "gelu": (tf.nn.gelu, [[-5.0, -5.5]], [-1.43325786e-06, -1.04442594e-07]),
    "the square root as a power": (
        lambda x, y: x**y,
        [[-INF, -0.0, 4.0, -4.0], [0.5, 0.5, 0.5, 0.5]],
        [INF, 0.0, 2.0, NAN],
    ),
    "x ** 0.5": (lambda x: x**0.5, [[-INF, -0.0, 4.0, -4.0]], [INF, 0.0, 2.0, NAN]),
    "bounds the wrong way round": (
        lambda x: tf.clip_by_value(x, -1.0, -3.0),
        [[0.0, 5.0, -9.0, NAN]],
        [-1.0, -1.0, -1.0, NAN],
    ),
    "lgamma at its zeros": (
        tf.math.lgamma,
        [[1.0 + 2.0**-20, 2.0 - 2.0**-20, 1.0, 2.0]],
        [-5.5047501e-07, -4.0319827e-07, 0.0, 0.0],
    ),
    "digamma beside a pole": (
        tf.math.digamma, [[-1.0 + 2.0**-24, -2.0 - 2.0**-22]], [-16777216.0, 4194305.0],
    ),
    "zeta of NaN": (tf.math.zeta, [[NAN, 2.0], [0.0, NAN]], [NAN, NAN]),
}  # fmt: skip


@every_way
@pytest.mark.parametrize("name", CASES)
def test_value(run: Any, name: str) -> None:
    f, given, expected = CASES[name]
    found = run(f, *[tf.constant(x, tf.float32) for x in given])
    np.testing.assert_allclose(found, np.array(expected, np.float32), rtol=1e-6)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(expected)[number])


def test_values_in_float64() -> None:
    x = tf.constant([-8.0, -13.0], tf.float64)
    np.testing.assert_allclose(tf.nn.gelu(x), [-4.976768459e-15, -7.952313719e-38], rtol=1e-9)
    near = tf.constant([1 + 2.0**-30, 2 - 2.0**-30, 0.9], tf.float64)
    expected = [-5.375739784311e-10, -3.937485951913e-10, 6.63762397347431e-02]
    np.testing.assert_allclose(tf.math.lgamma(near), expected, rtol=1e-12)
    pole = tf.constant([-1 + 2.0**-53, -20.0001], tf.float64)
    np.testing.assert_allclose(tf.math.digamma(pole), [-(2.0**53), 10003.020199906], rtol=1e-8)


SLOPES: dict[str, tuple[Callable[..., Any], list[float], list[float]]] = {
    "expm1": (tf.math.expm1, [-10.0, -15.0, -20.0], [4.539993e-05, 3.059023e-07, 2.0611537e-09]),
    "gelu": (tf.nn.gelu, [-5.0], [-7.146946e-06]),
    "bessel_i1e": (tf.math.bessel_i1e, [3e9, -1e38, 0.0], [0.0, 0.0, 0.5]),
    "bessel_i0e": (tf.math.bessel_i0e, [3e9, -1e38, 0.0], [0.0, 0.0, 0.0]),
    "x ** 1.5": (lambda x: x**1.5, [-INF, 4.0], [INF, 3.0]),
    "nextafter": (lambda x: tf.math.nextafter(x, x + 1.0), [1.0, -2.0], [1.0, 1.0]),
}


def slope(f: Any) -> Any:
    def derivative(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return derivative


@every_way
@pytest.mark.parametrize("name", SLOPES)
def test_slope(run: Any, name: str) -> None:
    f, given, expected = SLOPES[name]
    found = run(slope(f), tf.constant(given))
    np.testing.assert_allclose(found, np.array(expected, np.float32), rtol=2e-6, atol=1e-12)


def test_second_slope_of_scaled_bessel_functions() -> None:
    found = slope(slope(tf.math.bessel_i0e))(tf.constant([3e9, 0.0], tf.float64))
    np.testing.assert_allclose(found, [0.0, 0.5], atol=1e-12)


def test_slope_of_the_rest_of_a_division() -> None:
    x, y = tf.constant([1.0, 6.0]), tf.constant([0.1, 0.1])
    with tf.GradientTape() as tape:
        tape.watch(y)
        rest = x % y
    np.testing.assert_array_equal(tape.gradient(rest, y), [-10.0, -60.0])


def test_bounds_the_wrong_way_round_get_the_gradient_of_what_is_chosen() -> None:
    x, low, high = tf.constant([0.0, 5.0, -9.0, -2.0]), tf.constant(-1.0), tf.constant(-3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = tf.clip_by_value(x, low, high)
    gradients = [g.numpy().tolist() for g in tape.gradient(y, [x, low, high])]
    assert gradients == [[0.0] * 4, 4.0, 0.0]


@pytest.mark.parametrize(
    ("given", "dtype"),
    [("int8", "float32"), ("uint8", "float32"), ("int16", "float32"), ("int32", "float64"),
     ("int64", "float64"), ("float16", "float16")],
)  # fmt: skip
def test_integers_become_floats(given: str, dtype: str) -> None:
    assert tf.linspace(tf.cast(0, given), tf.cast(10, given), 5).dtype.name == dtype
    fit, pools = tf.nn.isotonic_regression(tf.constant([[1, 3, 2]], given), decreasing=False)
    assert (fit.dtype.name, pools.dtype.name) == (dtype, "int32")
    assert fit.numpy().tolist() == [[1.0, 2.5, 2.5]]


def test_products_of_bytes_in_a_larger_dtype() -> None:
    a = tf.constant([[100, 100]], tf.int8)
    assert tf.matmul(a, a, transpose_b=True, output_type=tf.int32).numpy().tolist() == [[20000]]


@pytest.mark.parametrize("f", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod])
def test_nothing_divided_by_zero(f: Any) -> None:
    assert f(tf.range(0), 0).shape == (0,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        f(tf.range(1), 0)


# ---- sizes, axes, indices -----------------------------------------------------------------------


def test_sizes_beyond_32_bits() -> None:
    x = tf.constant(np.broadcast_to(np.uint8(1), [1]))
    x._array = np.broadcast_to(np.uint8(1), [2**31 + 5])  # without the memory
    for f in (tf.size, tf.shape):
        with pytest.raises(tf.errors.InvalidArgumentError, match="2147483653 does not fit"):
            f(x)
    assert tf.size(x, tf.int64).numpy() == 2**31 + 5


def test_axis_of_concat() -> None:
    x = tf.constant([1, 2])
    assert tf.concat(x, 0).numpy().tolist() == [1, 2]
    for axis in (tf.constant([1.0]), [1.0, 2.0], 0.0):
        with pytest.raises(TypeError, match="must be an integer"):
            tf.concat([x], axis)
    with pytest.raises(ValueError, match="must be one integer"):
        tf.concat(x, x)


@pytest.mark.parametrize("around", [lambda f: f, tf.function], ids=["eager", "function"])
def test_dynamic_stitch_of_negative_indices(around: Any) -> None:
    f = around(lambda i: tf.dynamic_stitch([i, [3]], [[1.0, 2.0], [9.0]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] is out of range"):
        f(tf.constant([0, -2]))


def test_searching_among_nothing_and_for_nothing() -> None:
    nothing = tf.zeros([0])
    assert tf.searchsorted(nothing, [1.0, 2.0]).numpy().tolist() == [0, 0]
    assert tf.searchsorted([1.0, 2.0], nothing).shape == (0,)
    assert tf.searchsorted(tf.zeros([2, 0]), tf.zeros([2, 3])).shape == (2, 3)
    assert tf.searchsorted(tf.zeros([0, 3]), tf.zeros([0, 2])).shape == (0, 2)


def test_average_pool_with_a_strided_cotangent() -> None:
    x = tf.random.stateless_normal([2, 4, 4, 3], [1, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h = tf.nn.avg_pool2d(x, 2, 2, "VALID")
        y = tf.transpose(h, [0, 3, 1, 2])
    weights = tf.random.stateless_normal(y.shape, [3, 4])
    direct = tape.gradient(
        h, x, tf.identity(tf.constant(weights.numpy().transpose(0, 2, 3, 1).copy()))
    )
    np.testing.assert_array_equal(tape.gradient(y, x, weights), direct)


def test_range_to_the_end_of_32_bits() -> None:
    """Without a warning of NumPy's: the step after the last number does not fit."""
    assert tf.range(2**31 - 3, 2**31 - 1, 5).numpy().tolist() == [2**31 - 3]


def test_ctc_loss_with_a_label_that_is_no_class() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"label 9 is not in \[0, 5\)"):
        tf.nn.ctc_loss(tf.constant([[1, 9]]), tf.zeros([4, 1, 5]), [2], [4], blank_index=0)


def test_parts_of_a_partition_have_sizes_that_only_a_run_knows() -> None:
    shapes: list[Any] = []

    @tf.function
    def f(x: Any, places: Any) -> list[Any]:
        parts = tf.dynamic_partition(x, places, 5)
        shapes.extend(p.shape.as_list() for p in parts)
        return [tf.reduce_sum(tf.zeros(tf.shape(p)) + p * p) for p in parts]

    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    found = f(x, tf.constant([0, 3, 4, 3, 2]))
    assert [y.numpy() for y in found] == [1.0, 0.0, 25.0, 20.0, 9.0]
    assert shapes == [[None]] * 5
    known = tf.function(lambda x: tf.dynamic_partition(x, [0, 3, 4, 3, 2], 5))
    assert [p.shape for p in known(x)] == [(1,), (0,), (1,), (2,), (1,)]


def test_what_is_empty_is_reduced_and_counted() -> None:
    """An empty list is of the dtype that is asked for."""
    assert tf.reduce_all([]).numpy()
    assert not tf.reduce_any([]).numpy()
    assert tf.math.bincount(tf.constant([], tf.int32)).shape == [0]
    assert tf.math.bincount(tf.zeros([0, 3], tf.int32), axis=-1, minlength=2).shape == [0, 2]
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.reduce_all([1.0])
