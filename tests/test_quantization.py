"""Quantization: the gradient that passes by the rounding, at all orders and in all modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf

INVALID = tf.errors.InvalidArgumentError
Q = tf.quantization
X = [-2.0, -1.0, -0.4, 0.0, 0.3, 0.9, 1.0, 2.0]
UNDER, INSIDE, OVER = [1, 1] + [0] * 6, [0, 0, 1, 1, 1, 1, 1, 0], [0] * 7 + [1]
W = np.arange(1.0, 9.0)

# As TensorFlow 2.21 gives them: the values, and for ones the gradients of x, min and max.
RECORDED = [
    ((-1.0, 1.0), {}, [-0.99607849, -0.99607849, -0.40000004, 0.0, 0.29803923, 0.90196085,
                       1.00392163, 1.00392163], INSIDE, 2.0, 1.0),
    ((0.5, 1.0), {}, [0.0, 0.0, 0.0, 0.0, 0.3, 0.5, 0.5, 0.5], [0, 0, 0, 1, 1, 0, 0, 0], 3.0, 3.0),
    ((-0.6, 1.0), {"num_bits": 3, "narrow_range": True},
     [-0.53333336, -0.53333336, -0.26666668, 0.0, 0.26666668, 0.80000007, 1.0666667, 1.0666667],
     INSIDE, 2.0, 1.0),
    ((0.0, 0.0), {}, [0.0] * 8, [1] * 8, 0.0, 0.0),
]  # fmt: skip


def pull(f: Any, *xs: Any, weights: Any = None) -> list[Any]:
    tensors = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    found = tape.gradient(y, tensors, output_gradients=weights)
    return [None if g is None else g.numpy().tolist() for g in found]


@pytest.mark.parametrize(("ends", "how", "value", "of_x", "of_min", "of_max"), RECORDED)
@pytest.mark.parametrize("mode", [lambda f: f, tf.function], ids=["eager", "function"])
def test_variable_ends(
    mode: Any, ends: Any, how: Any, value: Any, of_x: Any, of_min: Any, of_max: Any
) -> None:
    """The numbers of TensorFlow."""
    f = mode(lambda x, a, b: Q.fake_quant_with_min_max_vars(x, a, b, **how))
    y = f(tf.constant(X), *map(tf.constant, ends))
    np.testing.assert_allclose(y.numpy(), value, rtol=1e-6)
    assert pull(f, X, *ends) == [of_x, of_min, of_max]


def test_channels() -> None:
    """The gradient of an end is the sum over its channel."""
    x = [[-2.0, 0.3, 1.0], [0.2, -0.3, 0.7]]
    ends = [-0.5, -1.0, -1.0], [1.0, 0.5, 0.5]
    f = Q.fake_quant_with_min_max_vars_per_channel
    want = [[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert pull(f, x, *ends) == want
    ones = np.ones((2, 3), np.float32)
    got = Q.fake_quant_with_min_max_vars_per_channel_gradient(ones, x, *ends)
    assert [g.numpy().tolist() for g in got] == want


def test_forward_mode() -> None:
    """The transposed rule; TensorFlow has None here."""
    x, t = tf.constant(X), tf.constant(W, tf.float32)
    a, b = tf.constant(-1.0), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator([x, a, b], [t, a * 10, b * 100]) as acc:
        y = Q.fake_quant_with_min_max_vars(x, a, b)
        z = Q.fake_quant_with_min_max_args(x, -1.0, 1.0)
        q = Q.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True)
    inner = W * np.array(INSIDE)
    assert acc.jvp(z).numpy().tolist() == inner.tolist()
    ends = -10 * np.array(UNDER) + 100 * np.array(OVER)
    assert acc.jvp(y).numpy().tolist() == (inner + ends).tolist()
    assert acc.jvp(q).numpy().tolist() == (W * [0, 1, 1, 1, 1, 1, 1, 0]).tolist()


def test_second_order() -> None:
    """The gradient of y^2 is 2 y where it passes, and that of its sum 2: the rule at work twice."""
    for f in (
        lambda x: Q.fake_quant_with_min_max_args(x, -1.0, 1.0),
        lambda x: Q.fake_quant_with_min_max_vars(x, -1.0, 1.0),
        lambda x: Q.quantize_and_dequantize_v2(x, -0.999, 1.0, range_given=True),
    ):
        x = tf.constant(X)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.square(f(x))
            g = tape.gradient(y, x)
        assert outer.gradient(g, x).numpy().tolist() == [2.0 * i for i in INSIDE]


def test_gradient_functions() -> None:
    """What the tape gives, as functions; linear in the gradients at every order."""
    g = tf.constant(W, tf.float32)
    got = Q.fake_quant_with_min_max_vars_gradient(g, X, -1.0, 1.0)
    of_x = (W * INSIDE).tolist()
    assert [v.numpy().tolist() for v in got] == [of_x, 3.0, 8.0]
    f = lambda g: Q.fake_quant_with_min_max_args_gradient(g, X, -1.0, 1.0)  # noqa: E731
    assert f(g).numpy().tolist() == of_x
    assert pull(f, W.astype("f"), weights=g) == [of_x]


def test_zero_is_a_level() -> None:
    """The ends move so that zero stays zero; a default range is -6 to 6."""
    for low, high in ((-1.1, 0.7), (-0.013, 3.0), (0.2, 1.0), (-4.0, -1.0)):
        assert Q.fake_quant_with_min_max_vars([0.0], low, high).numpy() == 0.0
    y = Q.fake_quant_with_min_max_args([-7.0, -6.0, 0.0, 5.97, 8.0])
    np.testing.assert_allclose(
        y.numpy(), [-6.0235295, -5.9764705, 0.0, 5.9764705, 5.9764705], rtol=1e-6
    )


# ---- quantize and dequantize ------------------------------------------------------------------

LEVELS = [
    ((-1.0, 1.0), {"range_given": True}, [-1.0078740, -1.0, -0.4015748, 0.0, 0.2992126, 0.8976378,
                                          1.0, 1.0], [0, 1, 1, 1, 1, 1, 1, 0]),
    ((0.0, 1.0), {"range_given": True, "signed_input": False, "num_bits": 4},
     [0.0, 0.0, 0.0, 0.0, 0.26666668, 0.9333334, 1.0, 1.0], [0, 0, 0, 1, 1, 1, 1, 0]),
    ((-0.5, 1.0), {"range_given": True, "num_bits": 4, "narrow_range": True,
                   "round_mode": "HALF_UP"},
     [-1.0, -1.0, -0.4285715, 0.0, 0.2857143, 0.8571429, 1.0, 1.0], INSIDE),
    ((-0.5, 1.0), {"num_bits": 4}, [-2.0, -1.1428572, -0.2857143, 0.0, 0.2857143, 0.8571429,
                                    1.1428572, 2.0], INSIDE),
]  # fmt: skip


@pytest.mark.parametrize(("ends", "how", "value", "passes"), LEVELS)
def test_quantized_as_tensorflow(ends: Any, how: Any, value: Any, passes: Any) -> None:
    """Its values; the newer passes gradients between the ends, the older everywhere."""
    newer, older = Q.quantize_and_dequantize_v2, Q.quantize_and_dequantize
    for f in (newer, older):
        np.testing.assert_allclose(f(X, *ends, **how).numpy(), value, rtol=1e-6, atol=1e-6)
    assert pull(lambda x, a, b: newer(x, a, b, **how), X, *ends) == [passes, 0.0, 0.0]
    assert pull(lambda x, a, b: older(x, a, b, **how), X, *ends) == [[1.0] * 8, None, None]


def test_ranges_along_an_axis() -> None:
    """Each slice has its own levels."""
    x = [[-2.0, 0.3, 1.0], [0.2, -0.3, 0.7]]
    f = Q.quantize_and_dequantize_v2
    y = f(x, [-0.5, -1.0], [1.0, 0.5], num_bits=4, axis=0)
    np.testing.assert_allclose(y.numpy(), [[-2.0, 0.25, 1.0], [0.2, -0.3, 0.7]], rtol=1e-6)
    z = f(x, [-0.5, -1.0], [1.0, 0.5], num_bits=4, range_given=True, axis=-2)
    np.testing.assert_allclose(z[0], f(x[0], -0.5, 1.0, num_bits=4, range_given=True))
    np.testing.assert_allclose(z[1], f(x[1], -1.0, 0.5, num_bits=4, range_given=True))
    assert not f([0.0, 0.0], 0.0, 0.0).numpy().any()


def test_errors() -> None:
    """Classes and first sentences are TensorFlow's."""
    args, channels = Q.fake_quant_with_min_max_args, Q.fake_quant_with_min_max_vars_per_channel
    two = [0.0, 0.0]
    for call, words in [
        (lambda: args(X, min=1.0, max=0.0), "min has to be smaller than max, was: 1"),
        (lambda: args(X, num_bits=1), "num_bits must be between 2 and 16, inclusive"),
        (lambda: args(tf.constant([1, 2])), "not in the list of allowed values"),
        (lambda: channels([[0.0] * 3], two, two), "min has incorrect size, expected 3 was 2"),
        (lambda: Q.fake_quant_with_min_max_vars(X, two, 1.0), "`min` must be rank 0"),
        (lambda: Q.fake_quant_with_min_max_args_gradient([1.0], X), "must be the same size"),
        (lambda: Q.quantize_and_dequantize_v2(X, two, 1.0), "input_min must be a scalar"),
        (lambda: Q.quantize_and_dequantize(X, 0.0, 1.0, round_mode="UP"), "Round mode string"),
        (lambda: Q.quantize_and_dequantize(X, 0.0, 1.0, num_bits=1), "num_bits is out of range"),
    ]:
        with pytest.raises(INVALID, match=words):
            call()
