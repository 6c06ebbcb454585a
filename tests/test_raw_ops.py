"""tf.raw_ops: operations by the names of their types."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert import errors

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


# ---- recorded from TensorFlow 2.21 --------------------------------------------------------------

PIXELS = tf.reshape([3.0, 1, 2, 4, 0, 5, 7, 6, 1, 2, 2, 8], [1, 3, 4, 1])
COTANGENT = tf.reshape(tf.range(1.0, 7.0), [1, 2, 3, 1])
REGIONS = {"row_pooling_sequence": [0, 1, 3], "col_pooling_sequence": [0, 2, 3, 4]}


def flat(x: Any) -> Any:
    return np.asarray(x).ravel()


def test_the_gradient_of_maxima_by_their_places() -> None:
    """And its own gradient, which picks there: TensorFlow has that one on GPUs alone."""
    at: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    _, places = tf.nn.max_pool_with_argmax(PIXELS, 2, 1, "VALID")
    back = raw.MaxPoolGradWithArgmax(input=PIXELS, grad=COTANGENT, argmax=places, **at)
    assert flat(back).tolist() == [0, 0, 0, 0, 0, 5, 10, 0, 0, 0, 0, 6]
    numbers = tf.reshape(tf.range(12.0), PIXELS.shape)
    again = raw.MaxPoolGradGradWithArgmax(input=PIXELS, grad=numbers, argmax=places, **at)
    assert flat(again).tolist() == [5, 6, 6, 5, 6, 11]


@pytest.mark.parametrize(
    ("overlapping", "tops", "most", "mean"),
    [
        (
            False,
            [3, 2, 4, 5, 7, 8],
            [1, 0, 2, 3, 0, 4, 5, 0, 0, 0, 0, 6],
            [0.5, 0.5, 2, 3, 1, 1, 2.5, 3, 1, 1, 2.5, 3],
        ),
        (
            True,
            [7, 7, 6, 7, 8, 8],
            [0, 0, 0, 0, 0, 0, 7, 3, 0, 0, 0, 11],
            np.array([2, 2, 8, 24, 10, 10, 31, 75, 8, 8, 23, 51]) / 12,
        ),
    ],
)
def test_gradients_of_fractional_pools(overlapping: bool, tops: Any, most: Any, mean: Any) -> None:
    y = tf.reshape(tf.constant(tops, tf.float32), COTANGENT.shape)
    at = REGIONS | {"out_backprop": COTANGENT, "overlapping": overlapping}
    found = raw.FractionalMaxPoolGrad(orig_input=PIXELS, orig_output=y, **at)
    assert flat(found).tolist() == most
    spread = raw.FractionalAvgPoolGrad(orig_input_tensor_shape=[1, 3, 4, 1], **at)
    np.testing.assert_allclose(flat(spread), mean, rtol=1e-6)


FLOATS = tf.constant([-1.3, -0.4, 0.0, 0.2, 0.8, 5.0])
LEVELS: list[tuple[Any, str, list[int], list[float], list[float]]] = [
    (tf.quint8, "MIN_COMBINED", [0, 51, 85, 102, 153, 255], [-1, 2], [-1, -0.4, 0, 0.2, 0.8, 2]),
    (tf.qint8, "MIN_FIRST", [-128, -77, -43, -26, 25, 127], [-1, 2], [-1, -0.4, 0, 0.2, 0.8, 2]),
    (tf.quint8, "SCALED", [0, 0, 0, 26, 102, 255], [0, 2], [0, 0, 0, 0.2039216, 0.8, 2]),
    (
        tf.qint8,
        "SCALED",
        [-83, -25, 0, 13, 51, 127],
        [-2.015748, 2],
        [-1.3070866, -0.3937008, 0, 0.2047244, 0.8031496, 2],
    ),
    (
        tf.qint16,
        "MIN_COMBINED",
        [-32768, -19661, -10923, -6554, 6553, 32767],
        [-1, 2],
        [-1, -0.4, 0, 0.2, 0.8, 2],
    ),
]


@pytest.mark.parametrize(("kind", "mode", "levels", "ends", "back"), LEVELS)
def test_levels_and_back(kind: Any, mode: str, levels: Any, ends: Any, back: Any) -> None:
    """Floats as quantized integers, the range that these stand for, and floats again."""
    found = raw.QuantizeV2(input=FLOATS, min_range=-1.0, max_range=2.0, T=kind, mode=mode)
    plain = tf.as_dtype(kind.name[1:])
    assert found[0].dtype == kind
    assert tf.cast(found[0], plain).numpy().tolist() == levels
    np.testing.assert_allclose(found[1:], ends, rtol=1e-6)
    again = raw.Dequantize(input=found[0], min_range=found[1], max_range=found[2], mode=mode)
    np.testing.assert_allclose(again, back, rtol=1e-6, atol=1e-7)


def test_ranges_of_levels() -> None:
    """Along an axis, without the least level, around zero, and not too small."""

    def levels(x: Any, low: Any, high: Any, kind: Any, **how: Any) -> list[Any]:
        found = raw.QuantizeV2(input=x, min_range=low, max_range=high, T=kind, **how)
        return [
            tf.cast(found[0], tf.int32).numpy().tolist(),
            *[e.numpy().tolist() for e in found[1:]],
        ]

    narrow = levels(FLOATS, -1.0, 2.0, tf.qint8, mode="SCALED", narrow_range=True)
    assert narrow == [[-83, -25, 0, 13, 51, 127], -2.0, 2.0]
    rows = tf.reshape(FLOATS, [2, 3])
    of_rows = levels(rows, [-1.0, -2.0], [1.0, 4.0], tf.qint8, mode="SCALED", axis=0)
    assert of_rows[0] == [[-128, -51, 0], [6, 25, 127]]
    np.testing.assert_allclose(of_rows[1:], [[-1.007874, -4.031496], [1, 4]], rtol=1e-6)
    assert levels(FLOATS, 1.0, 3.0, tf.quint8) == [[0, 0, 0, 17, 68, 255], 0.0, 3.0]
    assert levels(FLOATS, 0.0, 0.0, tf.quint8)[0] == [0, 0, 0, 255, 255, 255]
    with pytest.raises(errors.InvalidArgumentError, match="Mode string must be 'MIN_COMBINED'"):
        raw.QuantizeV2(input=FLOATS, min_range=0.0, max_range=1.0, T=tf.qint8, mode="NONE")


def test_rounding_to_levels() -> None:
    ends = {"input_min": -1.0, "input_max": 1.0}
    expected = [-8 / 7, -3 / 7, 0, 1 / 7, 6 / 7, 1]
    third = raw.QuantizeAndDequantizeV3(input=FLOATS, num_bits=4, **ends)
    fourth = raw.QuantizeAndDequantizeV4(input=FLOATS, num_bits=4, range_given=True, **ends)
    np.testing.assert_allclose(third, expected, rtol=1e-6)
    np.testing.assert_allclose(fourth, expected, rtol=1e-6)
    g, *zeros = raw.QuantizeAndDequantizeV4Grad(gradients=tf.range(1.0, 7.0), input=FLOATS, **ends)
    assert g.numpy().tolist() == [0, 2, 3, 4, 5, 0]
    assert [z.numpy() for z in zeros] == [0, 0]


def sawtooth(*shape: int, plus: float = 0.0) -> tf.Tensor:
    """Numbers without a pattern that matters."""
    numbers = np.arange(np.prod(shape)).reshape(shape) % 5 - 2
    return tf.constant(numbers * 0.3 + plus, tf.float32)


CELL: dict[str, Any] = {
    "x": sawtooth(1, 2),
    "cs_prev": sawtooth(1, 2, plus=1.0),
    "h_prev": sawtooth(1, 2, plus=-0.5),
    "w": sawtooth(4, 8),
    "wci": sawtooth(2),
    "wcf": sawtooth(2, plus=0.1),
    "wco": sawtooth(2, plus=-0.2),
    "b": sawtooth(8),
}


def test_a_step_of_a_cell() -> None:
    plain = raw.LSTMBlockCell(**CELL, forget_bias=0.7)
    np.testing.assert_allclose(plain[1], [[0.35261396, 0.15846162]], rtol=1e-5)
    np.testing.assert_allclose(plain[6], [[0.18454593, 0.08210769]], rtol=1e-5)
    seen = raw.LSTMBlockCell(**CELL, forget_bias=0.7, use_peephole=True)
    expected = [
        [0.32739297, 0.49250054],
        [0.33391914, 0.15620703],
        [0.76133269, 0.51998931],
        [0.47822997, 0.50297403],
        [0.08975779, -0.42189899],
        [0.32203791, 0.15494879],
        [0.15400818, 0.07793522],
    ]
    np.testing.assert_allclose(np.concatenate(seen), expected, rtol=1e-5)


def test_a_sequence_of_steps_and_its_gradients() -> None:
    given = CELL | {"x": sawtooth(3, 1, 2)}
    first = raw.BlockLSTM(seq_len_max=2, **given, forget_bias=0.7, use_peephole=True)
    np.testing.assert_allclose(first[6][1], [[0.0815611, 0.09211936]], rtol=1e-5)
    assert not np.any(first[6][2])
    second = raw.BlockLSTMV2(seq_len_max=3, **given, use_peephole=True)
    np.testing.assert_allclose(second[6][2], [[0.07899747, -0.26347098]], rtol=1e-5)
    kept = dict(zip(("i", "cs", "f", "o", "ci", "co", "h"), second, strict=True))
    back = raw.BlockLSTMGradV2(
        seq_len_max=3, **given, **kept, cs_grad=sawtooth(3, 1, 2), h_grad=sawtooth(3, 1, 2, plus=1.0),
        use_peephole=True,
    )  # fmt: skip
    np.testing.assert_allclose(
        back[0][:, 0],
        [[-0.1129706, 0.01535176], [-0.06782842, 0.08054192], [-0.02705852, 0.09168925]],
        rtol=1e-5,
    )
    np.testing.assert_allclose(back[1], [[-0.10539991, 0.20989141]], rtol=1e-5)
    np.testing.assert_allclose(back[6], [0.05626118, 0.03023461], rtol=1e-5)
    np.testing.assert_allclose(back[7][:3], [0.1325029, -0.07965811, 0.10433182], rtol=1e-5)


def test_a_sequence_whose_length_is_known_later() -> None:
    """It has the gradient of the one whose length is known."""
    given = CELL | {"x": tf.Variable(sawtooth(3, 1, 2))}

    def last(count: Any) -> Any:
        return raw.BlockLSTMV2(seq_len_max=count, **given)[6]

    found = []
    for function in (last, tf.function(last)):
        with tf.GradientTape() as tape:
            y = function(tf.constant(2, tf.int64))
        found.append((y, tape.gradient(y, given["x"])))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)
        assert np.any(one[0])
        assert not np.any(other[2])


@pytest.mark.parametrize("shape", [None, [None, None, None]])
@pytest.mark.parametrize("name", ["BlockLSTM", "BlockLSTMV2"])
def test_a_sequence_of_which_nothing_is_known(name: str, shape: Any) -> None:
    """Such a call is put off, and has all results and their gradients nevertheless."""

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = getattr(raw, name)(seq_len_max=3, **(CELL | {"x": x}))
        return found[6], found.cs, tape.gradient(found.h, x)

    x = tf.constant(sawtooth(3, 1, 2))
    later = tf.function(slope, input_signature=[tf.TensorSpec(shape, tf.float32)])
    for one, other in zip(later(x), slope(x), strict=True):
        assert np.any(one)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


def test_a_picture_resized_padded_and_convolved() -> None:
    y = raw.FusedResizeAndPadConv2D(
        input=PIXELS, size=[4, 4], paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT",
        filter=tf.reshape(tf.range(4.0), [2, 2, 1, 1]), strides=[1, 1, 1, 1], padding="VALID",
    )  # fmt: skip
    assert flat(y)[:6].tolist() == [11.75, 13, 13.75, 21.5, 19.75, 13.25]


def test_names_of_files_in_parts() -> None:
    assert raw.ShardedFilename(basename="a/b", shard=3, num_shards=12) == b"a/b-00003-of-00012"
    assert raw.ShardedFilespec(basename="a/b", num_shards=12) == b"a/b-?????-of-00012"


def test_gamma_numbers_by_key_and_counter() -> None:
    key, counter = tf.constant([5], tf.uint64), tf.constant([7, 9], tf.uint64)
    drawn = raw.StatelessRandomGammaV3(
        shape=[3], key=key, counter=counter, alg=1, alpha=[0.5, 1.0, 3.0]
    )
    np.testing.assert_allclose(drawn, [1.6148808, 2.0956314, 2.3031795], rtol=1e-6)


@pytest.mark.parametrize("in_graph", [False, True])
def test_lists_with_places_that_were_not_set(in_graph: bool) -> None:
    def joined() -> list[Any]:
        values = raw.TensorListReserve([-1, 2], 2, tf.float32)
        values = raw.TensorListSetItem(input_handle=values, index=0, item=[[1.0, 2.0]])
        some = raw.TensorListConcatV2(values, [-1, 2], [1, 3], tf.float32)
        values = raw.TensorListSetItem(input_handle=values, index=1, item=[[1.0, 2], [3, 4]])
        return [*some, *raw.TensorListConcatV2(values, [-1, 2], np.zeros(0, np.int64), tf.float32)]

    found = [x.numpy().tolist() for x in (tf.function(joined) if in_graph else joined)()]
    assert found == [[[1, 2], [0, 0], [0, 0], [0, 0]], [1, 3], [[1, 2], [1, 2], [3, 4]], [1, 2]]
