"""tf.raw_ops: operations by the names of their types."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import wengert as tf

raw = tf.raw_ops
X = np.linspace(-2.0, 2.0, 5)
IMAGE = np.arange(32.0).reshape(1, 4, 4, 2)
WINDOW: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}


@pytest.mark.parametrize("name", dir(raw))
def test_every_line_makes_a_function(name: str) -> None:
    """With the parameters of its line, and a name."""
    function = getattr(raw, name)
    assert function.__name__ == name
    assert list(inspect.signature(function).parameters)[-1] == "name"


def test_public_functions_by_their_operations() -> None:
    """Under the names of their arguments, or in the order of the line."""
    assert raw.Sum(input=[[1.0, 2.0]], axis=[1], keep_dims=True).numpy().tolist() == [[3.0]]
    assert raw.Mul(x=2.0, y=3.0).numpy() == 6.0
    assert raw.ConcatV2(values=[[1], [2]], axis=0).numpy().tolist() == [1, 2]
    assert [x.numpy().tolist() for x in raw.Split(axis=0, value=[1, 2], num_split=2)] == [[1], [2]]
    assert raw.Einsum(inputs=[[1.0, 2.0], [3.0, 4.0]], equation="i,i->").numpy() == 11.0
    assert raw.Cast(x=1.7, DstT=tf.int32).numpy() == 1
    assert raw.Exp(x=0.0).numpy() == 1.0
    assert raw.MatMul(a=[[1.0, 2.0]], b=[[3.0, 4.0]], transpose_b=True).numpy() == [[11.0]]
    assert raw.BesselJ0(x=0.0).numpy() == 1.0


GRADS = [
    ("TanhGrad", tf.tanh, lambda x, y, g: raw.TanhGrad(y=y, dy=g)),
    ("SigmoidGrad", tf.sigmoid, lambda x, y, g: raw.SigmoidGrad(y=y, dy=g)),
    ("ReluGrad", tf.nn.relu, lambda x, y, g: raw.ReluGrad(gradients=g, features=x)),
    ("Relu6Grad", tf.nn.relu6, lambda x, y, g: raw.Relu6Grad(gradients=g, features=x)),
    ("EluGrad", tf.nn.elu, lambda x, y, g: raw.EluGrad(gradients=g, outputs=y)),
    ("SeluGrad", tf.nn.selu, lambda x, y, g: raw.SeluGrad(gradients=g, outputs=y)),
    ("SoftplusGrad", tf.nn.softplus, lambda x, y, g: raw.SoftplusGrad(gradients=g, features=x)),
    ("SoftsignGrad", tf.nn.softsign, lambda x, y, g: raw.SoftsignGrad(gradients=g, features=x)),
    (
        "LeakyReluGrad",
        tf.nn.leaky_relu,
        lambda x, y, g: raw.LeakyReluGrad(gradients=g, features=x, alpha=0.2),
    ),
    ("ReciprocalGrad", tf.math.reciprocal, lambda x, y, g: raw.ReciprocalGrad(y=y, dy=g)),
    ("RsqrtGrad", lambda x: tf.math.rsqrt(x), lambda x, y, g: raw.RsqrtGrad(y=y, dy=g)),
]


@pytest.mark.parametrize(("name", "function", "grad"), GRADS, ids=[g[0] for g in GRADS])
def test_gradient_operations_are_the_gradients(name: str, function: Any, grad: Any) -> None:
    """What a gradient function computes with them is what the tape computes."""
    x = tf.constant(np.linspace(0.3, 7.0, 6) if name == "RsqrtGrad" else X + 0.1)
    g = tf.constant(np.linspace(1.0, 2.0, x.shape[0]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(grad(x, y, g), tape.gradient(y, x, g), rtol=1e-12)


def test_windows() -> None:
    """Convolutions and pools, forward and back, as rows of the table."""
    x, w = tf.constant(IMAGE), tf.constant(np.arange(8.0).reshape(2, 2, 2, 1))
    settings: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = raw.Conv2D(input=x, filter=w, **settings)
        top, mean = raw.MaxPool(input=x, **WINDOW), raw.AvgPool(value=x, **WINDOW)
    np.testing.assert_array_equal(y, tf.nn.conv2d(x, w, 1, "VALID"))
    g = tf.ones_like(y)
    np.testing.assert_allclose(
        raw.Conv2DBackpropInput(input_sizes=x.shape, filter=w, out_backprop=g, **settings),
        tape.gradient(y, x),
    )
    np.testing.assert_allclose(
        raw.Conv2DBackpropFilter(x, tf.shape(w), g, **settings), tape.gradient(y, w)
    )
    one = tf.ones_like(top)
    np.testing.assert_array_equal(raw.MaxPoolGrad(x, top, one, **WINDOW), tape.gradient(top, x))
    np.testing.assert_array_equal(
        raw.AvgPoolGrad(orig_input_shape=x.shape, grad=one, **WINDOW), tape.gradient(mean, x)
    )


def test_layouts() -> None:
    """Where an axis is, and numbers about axes, in another layout."""
    assert raw.DataFormatDimMap(
        x=[0, 1, -1], src_format="NHWC", dst_format="NCHW"
    ).numpy().tolist() == [0, 2, 1]
    moved = raw.DataFormatVecPermute(x=[7, 4, 9, 3], src_format="NHWC", dst_format="NCHW")
    assert moved.numpy().tolist() == [7, 3, 4, 9]
    assert raw.DataFormatVecPermute(
        x=[4, 9], src_format="NHWC", dst_format="NCHW"
    ).numpy().tolist() == [4, 9]
    a, b = raw.BroadcastGradientArgs(s0=[2, 3, 5], s1=[1])
    assert (a.numpy().tolist(), b.numpy().tolist()) == ([], [0, 1, 2])


def test_cross_entropy_gives_its_derivative_too() -> None:
    logits, labels = (
        tf.constant(X.reshape(1, 5)),
        tf.constant([[0.0, 0.5, 0.5, 0.0, 0.0]], tf.float64),
    )
    loss, back = raw.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        y = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    np.testing.assert_allclose(loss, y)
    np.testing.assert_allclose(back, tape.gradient(y, logits))


def test_normalised_batch() -> None:
    empty = tf.constant([], tf.float32)
    x = tf.constant(IMAGE, tf.float32)
    y, mean, *_ = raw.FusedBatchNormV3(
        x=x, scale=[1.0, 1.0], offset=[0.0, 0.0], mean=empty, variance=empty
    )
    np.testing.assert_allclose(mean, IMAGE.mean((0, 1, 2)))
    np.testing.assert_allclose(tf.reduce_mean(y), 0.0, atol=1e-6)


def test_an_unknown_operation_and_a_wrong_argument() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Expp'"):
        raw.Expp
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        raw.Mul(x=1.0)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("QueueEnqueueV2", "tf.queue"),
        ("StackV2", "list of Python"),
        ("Enter", "tf.while_loop"),
        ("Nothing", "public"),
    ],
)
def test_what_is_missing_says_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*{instead}"):
        getattr(tf.raw_ops, name)
