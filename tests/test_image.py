"""Images where the table cannot look: TensorFlow's numbers, kinks, grey, errors, other dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric import directional

import wengert as tf
from wengert.ops.image.measures import _noise_ratio, _similarity

INVALID = tf.errors.InvalidArgumentError
F64 = tf.float64


def gradients(f: Callable[..., Any], *xs: Any) -> list[Any]:
    """The gradients of the sum of f."""
    tensors = [tf.constant(x, F64) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    return [None if g is None else g.numpy() for g in tape.gradient(y, tensors)]


def assert_derivatives(f: Callable[..., Any], *xs: Any, seed: int = 0) -> None:
    """Gradient and second derivatives of the sum of squares of f agree with differences."""
    rng = np.random.default_rng(seed)
    xs = tuple(np.asarray(x, np.float64) for x in xs)
    vs, ws = ([rng.normal(size=x.shape) for x in xs] for _ in range(2))

    def total(*ts: Any) -> Any:
        return tf.reduce_sum(tf.square(f(*ts)))

    def pulled(arrays: Any) -> Any:
        parts = gradients(total, *arrays)
        return [np.asarray(sum(np.vdot(p, w) for p, w in zip(parts, ws, strict=True)))]

    first = sum(np.vdot(g, v) for g, v in zip(gradients(total, *xs), vs, strict=True))
    slope = directional(lambda ys: [total(*map(tf.constant, ys)).numpy()], xs, vs)[0]
    np.testing.assert_allclose(first, slope, rtol=1e-7, atol=1e-8)

    tensors = [tf.constant(x) for x in xs]
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = total(*tensors)
        parts = tape.gradient(y, tensors)
        inner = tf.add_n([tf.reduce_sum(p * w) for p, w in zip(parts, ws, strict=True)])
    second = outer.gradient(inner, tensors, unconnected_gradients="zero")
    got = sum(np.vdot(g.numpy(), v) for g, v in zip(second, vs, strict=True))
    want = directional(pulled, xs, vs)[0]
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


# ---- resize -----------------------------------------------------------------------------------

# Of a row of five pixels: to three, to three with antialias, to seven; by TensorFlow 2.21.
ROW = [0.0, 1.0, 4.0, 9.0, 16.0]
RECORDED = [
    ("bilinear", False, [0.3333, 4.0, 13.6667]),
    ("bilinear", True, [0.4286, 4.4444, 13.0]),
    ("bilinear", None, [0.0, 0.5714, 1.8571, 4.0, 7.5714, 12.0, 16.0]),
    ("nearest", False, [0.0, 4.0, 16.0]),
    ("nearest", None, [0.0, 1.0, 1.0, 4.0, 9.0, 9.0, 16.0]),
    ("bicubic", False, [0.1722, 4.0, 14.2436]),
    ("bicubic", True, [0.1692, 4.1953, 13.3385]),
    ("bicubic", None, [-0.0582, 0.36, 1.6541, 4.0, 7.3651, 12.4167, 16.4071]),
    ("area", False, [0.4, 4.4, 13.2]),
    ("area", None, [0.0, 0.6, 1.6, 4.0, 8.0, 11.8, 16.0]),
    ("gaussian", False, [0.3392, 4.2130, 13.6253]),
    ("gaussian", True, [0.7102, 4.6820, 12.2417]),
    ("gaussian", None, [0.0710, 0.6180, 1.8381, 4.2130, 7.7600, 11.8935, 15.5030]),
    ("lanczos3", False, [0.1093, 4.0, 14.4374]),
    ("lanczos3", True, [0.1033, 4.0, 13.5305]),
    ("lanczos3", None, [-0.0047, 0.3431, 1.6241, 4.0, 6.9076, 12.7234, 16.4357]),
    ("lanczos5", False, [0.0166, 4.0, 14.4846]),
    ("lanczos5", True, [0.1804, 3.9136, 13.5841]),
    ("lanczos5", None, [-0.0035, 0.1360, 2.0713, 4.0, 6.4845, 12.8986, 16.4697]),
    ("mitchellcubic", False, [0.2470, 4.1111, 13.9203]),
    ("mitchellcubic", True, [0.4096, 4.4277, 12.8131]),
    ("mitchellcubic", None, [0.0, 0.4543, 1.7642, 4.1111, 7.4785, 12.2563, 16.0]),
]
METHODS = sorted({method for method, _, _ in RECORDED})


@pytest.mark.parametrize(("method", "antialias", "want"), RECORDED)
def test_resize_as_tensorflow(method: str, antialias: bool | None, want: list[float]) -> None:
    """The numbers of TensorFlow, along the width and along the height."""
    x = tf.constant(ROW)[None, :, None]
    for image, size in ((x, [1, len(want)]), (tf.image.transpose(x), [len(want), 1])):
        y = tf.image.resize(image, size, method=method, antialias=bool(antialias))
        np.testing.assert_allclose(y.numpy().ravel(), want, atol=6e-5)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(METHODS), st.booleans())
@settings(max_examples=60, deadline=None)
def test_resize_keeps_what_is_constant(old: int, new: int, method: str, antialias: bool) -> None:
    """Weights sum to one; so the gradient of the sum is the number of pixels."""
    x = np.ones((old, 2, 1))
    y = tf.image.resize(x, [new, 3], method=method, antialias=antialias)
    np.testing.assert_allclose(y.numpy(), np.ones((new, 3, 1)), rtol=1e-12)
    (g,) = gradients(lambda x: tf.image.resize(x, [new, 3], method, antialias=antialias), x)
    np.testing.assert_allclose(g.sum(), 3 * new, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_dtypes_of_resize(method: str) -> None:
    """float32, except of nearest pixels, and of float64, which stays exact."""
    for dtype in (tf.uint8, tf.int32, tf.float16, tf.bfloat16, tf.float32, tf.float64):
        y = tf.image.resize(tf.cast(tf.ones([2, 2, 1]), dtype), [3, 3], method=method)
        wide = tf.float64 if dtype is tf.float64 else tf.float32
        assert y.dtype is (dtype if method == "nearest" else wide)


def test_gradient_of_half_precision_images() -> None:
    """The gradient has the dtype of the image."""
    x = tf.ones([2, 2, 1], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, [4, 4])
    g = tape.gradient(y, x)
    assert g.dtype is tf.float16
    assert g.numpy().ravel().tolist() == [4.0] * 4


def test_the_second_derivative_of_a_resize() -> None:
    """It is linear; through a square the second derivative is 2 A^T A. TensorFlow's was wrong."""
    x = np.random.default_rng(0).normal(size=(3, 2, 1))
    for method in METHODS:
        assert_derivatives(lambda x, m=method: tf.image.resize(x, [4, 3], m), x)


def test_proportions_are_kept() -> None:
    """The smaller scale decides; sizes are rounded to even halves."""
    sizes = [((3, 2), (6, 6)), ((4, 6), (3, 3)), ((5, 5), (2, 9)), ((2, 4), (1, 3))]
    found = [
        tuple(tf.image.resize(tf.ones([*have, 1]), size, preserve_aspect_ratio=True).shape[:2])
        for have, size in sizes
    ]
    assert found == [(6, 4), (2, 3), (2, 2), (1, 2)]


def test_errors_of_resize() -> None:
    """Classes and first sentences are TensorFlow's."""
    x = tf.ones([2, 2, 1])
    for call, error, words in [
        (lambda: tf.image.resize(x[0], [2, 2]), ValueError, "'images' must have either 3 or 4"),
        (lambda: tf.image.resize(x, [2]), ValueError, "'size' must be a 1-D Tensor of 2"),
        (lambda: tf.image.resize(x, ["a", 2]), ValueError, "'size' must be a 1-D int32 Tensor"),
        (lambda: tf.image.resize(x, [2, 2], "foo"), ValueError, "method is not implemented: foo"),
        (lambda: tf.image.resize(x, [0, 2]), INVALID, "output dimensions must be positive"),
        (lambda: tf.image.resize(x[:0], [2, 2]), INVALID, "input image must be of non-zero size"),
        (lambda: tf.compat.v1.image.resize(x, [2, 2], 7), ValueError, "not implemented: 7"),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_version_one() -> None:
    """What has the size already is left alone; corners may be aligned."""
    v1 = tf.compat.v1.image
    x = tf.constant([[[0], [4]]], tf.uint8)
    assert v1.resize(x, [1, 2]).dtype is tf.uint8
    assert v1.resize(x, [1, 3], v1.ResizeMethod.BILINEAR, True).numpy().ravel().tolist() == [
        0,
        2,
        4,
    ]
    assert v1.resize_images(x, [1, 3], "nearest").numpy().ravel().tolist() == [0, 0, 4]
    assert v1.resize(x, [1, 1], 3).numpy().ravel().tolist() == [2.0]
    assert v1.crop_to_bounding_box(x, 0, 1, 1, 1).numpy().ravel().tolist() == [4]


def test_sizes_known_when_they_run() -> None:
    """A function of images of any size."""
    f = tf.function(
        lambda x: tf.image.resize(x, [2, 2]),
        input_signature=[tf.TensorSpec([None, None, None, 1], tf.float32)],
    )
    for size in (1, 3, 4):
        x = tf.random.stateless_uniform([1, size, size + 1, 1], [1, 2])
        np.testing.assert_array_equal(f(x).numpy(), tf.image.resize(x, [2, 2]).numpy())


# ---- crop_and_resize --------------------------------------------------------------------------

IMAGE = np.random.default_rng(1).normal(size=(2, 4, 5, 2))
BOXES = np.array([[0.11, 0.23, 0.83, 0.92], [0.9, 0.77, 0.12, 0.09], [-0.2, 0.31, 1.17, 0.57]])


def test_crop_to_second_order() -> None:
    """In the image and in the boxes, and mixed. TensorFlow's second order in boxes was wrong."""
    for size in ([3, 2], [1, 4], [1, 1]):
        assert_derivatives(
            lambda x, b, size=size: tf.image.crop_and_resize(x, b, [0, 1, 1], size), IMAGE, BOXES
        )


def test_third_order_of_crop() -> None:
    """Along both sides at once there is a mixed derivative; the third order in a box is none."""
    image = tf.constant(IMAGE[:1, :, :, :1])
    box = tf.constant([[0.4, 0.45, 0.4, 0.45]], F64)

    def at(box: Any) -> Any:
        return tf.image.crop_and_resize(image, box, [0], [1, 1])

    with tf.GradientTape() as third:
        third.watch(box)
        with tf.GradientTape() as second:
            second.watch(box)
            with tf.GradientTape() as first:
                first.watch(box)
                y = at(box)
            g = first.gradient(y, box)
        h = second.jacobian(g, box)
    r, c = 3 * 0.4, 4 * 0.45
    i, j = int(r), int(c)
    mixed = IMAGE[0, i + 1, j + 1, 0] - IMAGE[0, i, j + 1, 0] - IMAGE[0, i + 1, j, 0]
    mixed += IMAGE[0, i, j, 0]
    side, cross = np.zeros((2, 2)), np.full((2, 2), 3 * 4 / 4 * mixed)
    want = np.kron(np.ones((2, 2)), np.array([[0, 1], [1, 0]])) * cross[0, 0]
    np.testing.assert_allclose(h.numpy()[0, :, 0, :], want + side[0, 0], atol=1e-12)
    assert not third.gradient(h, box, unconnected_gradients="zero").numpy().any()


def test_the_nearest_pixel_pulls_boxes_as_straight_lines_would() -> None:
    """TensorFlow's convention: the gradient of boxes does not depend on the method."""

    def f(b: Any, method: str) -> Any:
        return tf.image.crop_and_resize(tf.constant(IMAGE), b, [0, 1, 1], [2, 3], method)

    (a,), (b,) = (gradients(lambda b, m=m: f(b, m), BOXES) for m in ("bilinear", "nearest"))
    np.testing.assert_array_equal(a, b)


def test_outside_of_the_image() -> None:
    """Samples outside have the extrapolation value and no gradient."""
    x = tf.ones([1, 2, 2, 1])
    y = tf.image.crop_and_resize(x, [[-1.0, 0.0, 0.0, 1.0]], [0], [2, 2], extrapolation_value=7.0)
    assert y.numpy().ravel().tolist() == [7.0, 7.0, 1.0, 1.0]
    whole = tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [7, 7])
    assert (whole.numpy() == 1.0).all()


def test_crops_of_integers() -> None:
    """Images of integers give float32; no boxes give no crops."""
    x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    y = tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [1, 1])
    assert (y.dtype, y.numpy().item()) == (tf.float32, 1.5)
    assert tf.image.crop_and_resize(x, tf.zeros([0, 4]), [], [2, 3]).shape == [0, 2, 3, 1]


def test_errors_of_crop() -> None:
    """Classes and first sentences are TensorFlow's."""
    x, box = tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0, 1.0]]
    f = tf.image.crop_and_resize
    for call, error, words in [
        (lambda: f(x, box, [3], [2, 2]), tf.errors.OutOfRangeError, "box_index has values outside"),
        (lambda: f(x, box, [0], [0, 2]), INVALID, "crop dimensions must be positive"),
        (lambda: f(x, box, [0, 0], [2, 2]), INVALID, "box_index has incompatible shape"),
        (lambda: f(x, box, [0], [2, 2], "x"), INVALID, "'method' of \"x\" is not in the list"),
        (lambda: f(x, [[0.0]], [0], [2, 2]), INVALID, "boxes must be 2-D"),
        (lambda: f(x[0], box, [0], [2, 2]), INVALID, "input image must be 4-D"),
    ]:
        with pytest.raises(error, match=words):
            call()


# ---- colours ----------------------------------------------------------------------------------

PIXELS = np.array([[[0.9, 0.2, 0.4], [0.1, 0.7, 0.55], [0.3, 0.25, 0.8], [0.6, 0.55, 0.1]]])


@given(st.lists(st.integers(0, 64), min_size=3, max_size=3))
@settings(max_examples=80, deadline=None)
def test_there_and_back(colour: list[int]) -> None:
    """Hue, saturation and value determine the colour."""
    x = np.array(colour) / 64
    y = tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(tf.constant(x))).numpy()
    np.testing.assert_allclose(y, x, atol=1e-12)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=3))
@settings(max_examples=60, deadline=None)
def test_gradients_are_finite_where_colours_are_equal(colour: list[int]) -> None:
    """Grey and black, too: their hue has no derivative."""
    x = np.array([[colour]]) / 4
    for f in (
        tf.image.rgb_to_hsv,
        tf.image.hsv_to_rgb,
        lambda x: tf.image.adjust_hue(x, 0.3),
        lambda x: tf.image.adjust_saturation(x, 0.5),
    ):
        assert np.isfinite(gradients(f, x)[0]).all()


def test_ties_of_colours_as_tensorflow() -> None:
    """The first colour is the strongest, the last the weakest: TensorFlow's gradients of hsv^2."""
    x = [[0.5, 0.5, 0.2], [0.2, 0.5, 0.5], [0.5, 0.2, 0.5], [0.0, 0.0, 0.0], [0.7, 0.7, 0.7]]
    want = [
        [1.7748148, 0.18518521, -2.4],
        [-2.4, 1.4044445, 0.5555556],
        [2.885926, -2.4, -0.92592597],
        [0.0, 0.0, 0.0],
        [1.4, 0.0, 0.0],
    ]
    (g,) = gradients(lambda x: tf.square(tf.image.rgb_to_hsv(x)), x)
    np.testing.assert_allclose(g, want, rtol=1e-6)


def test_colours_to_second_order() -> None:
    """Also where TensorFlow has None (hsv_to_rgb) or raises (hue, saturation, contrast)."""
    hsv = np.array([[[0.1, 0.3, 0.8], [0.45, 0.7, 0.4], [0.8, 0.35, 0.6]]])
    assert_derivatives(tf.image.hsv_to_rgb, hsv)
    assert_derivatives(tf.image.rgb_to_hsv, PIXELS)
    assert_derivatives(tf.image.adjust_hue, PIXELS, 0.13)
    assert_derivatives(tf.image.adjust_saturation, PIXELS, 0.7)
    assert_derivatives(tf.image.adjust_contrast, PIXELS, 1.3)


def test_saturation_has_an_end() -> None:
    """What is clipped does not move with the factor."""
    x = np.array([[[1.0, 0.5, 0.5]]])
    _, g = gradients(tf.image.adjust_saturation, x, 3.0)
    assert g == 0.0
    y = tf.image.adjust_saturation(x, 3.0)
    assert y.numpy().ravel().tolist() == [1.0, 0.0, 0.0]


def test_hue_of_negative_colours() -> None:
    """Hue turns colours between the weakest and the strongest, wherever these are."""
    x = PIXELS - 2.0
    moved = tf.image.adjust_hue(x, 0.2).numpy() + 2.0
    np.testing.assert_allclose(moved, tf.image.adjust_hue(PIXELS, 0.2).numpy(), atol=1e-12)
    assert_derivatives(tf.image.adjust_hue, x, 0.2)


def test_images_of_integers() -> None:
    """They come back as integers, rounded and clipped as TensorFlow does."""
    x = tf.constant([[[10, 128, 250], [0, 30, 255]]], tf.uint8)
    calls = {
        "brightness": lambda: tf.image.adjust_brightness(x, 0.2),
        "contrast": lambda: tf.image.adjust_contrast(x, 2.0),
        "gamma": lambda: tf.image.adjust_gamma(x, 2.0, 1.5),
        "saturation": lambda: tf.image.adjust_saturation(x, 0.5),
        "hue": lambda: tf.image.adjust_hue(x, 0.5),
        "grey": lambda: tf.image.rgb_to_grayscale(x),
    }
    want = {
        "brightness": [61, 179, 255, 51, 81, 255],
        "contrast": [15, 177, 247, 0, 0, 255],
        "gamma": [0, 96, 255, 0, 5, 255],
        "saturation": [130, 189, 250, 127, 142, 255],
        "hue": [250, 132, 10, 255, 225, 0],
        "grey": [106, 46],
    }
    found = {name: call().numpy().ravel().tolist() for name, call in calls.items()}
    assert found == want


def test_conversions_of_dtype() -> None:
    """Integers have the range 0 to 1 in floats; between integers the ranges are scaled."""
    f = tf.image.convert_image_dtype
    assert f([0, 127, 255], tf.uint8).dtype is tf.uint8
    assert f(tf.constant([0, 255], tf.uint8), tf.float32).numpy().tolist() == [0.0, 1.0]
    assert f([0.5, 2.0, -1.0], tf.uint8, saturate=True).numpy().tolist() == [127, 255, 0]
    assert f(tf.constant([1, 255], tf.uint8), tf.int16).numpy().tolist() == [128, 32640]
    assert f(tf.constant([128, 32767], tf.int16), tf.uint8).numpy().tolist() == [1, 255]
    assert f(tf.constant([1.5], tf.float64), tf.float16).dtype is tf.float16
    with pytest.raises(AttributeError, match="dtype must be either floating point or integer"):
        f([1.0], tf.bool)
    with pytest.raises(AttributeError, match="image dtype must be either floating"):
        f([True], tf.uint8)


def test_a_uniform_image_is_standardized_without_nan() -> None:
    """The deviation is at least 1 / sqrt(pixels), also in the gradient."""
    x = np.full((2, 2, 1), 3.0)
    assert not tf.image.per_image_standardization(x).numpy().any()
    (g,) = gradients(lambda x: tf.square(tf.image.per_image_standardization(x)), x)
    assert not g.any()
    assert_derivatives(tf.image.per_image_standardization, PIXELS)


def test_errors_of_colours() -> None:
    """Classes and first sentences are TensorFlow's."""
    image = tf.image
    two, three = tf.zeros([3, 3, 2]), tf.zeros([3, 3, 3])
    failed = tf.errors.FailedPreconditionError
    for call, error, words in [
        (lambda: image.rgb_to_hsv(two), failed, "input must have 3 channels but input only has 2"),
        (lambda: image.hsv_to_rgb(two), failed, "input must have 3 channels but input only has 2"),
        (
            lambda: image.rgb_to_hsv(tf.constant([1, 2, 3])),
            INVALID,
            "not in the list of allowed values",
        ),
        (lambda: image.adjust_hue(three, 2.0), ValueError, "must be in the interval"),
        (
            lambda: image.adjust_hue(two, 0.2),
            INVALID,
            "input must have 3 channels but instead has 2",
        ),
        (lambda: image.adjust_contrast(two[0], 0.2), INVALID, "input must be at least 3-D"),
        (lambda: image.adjust_gamma(three, -1.0), ValueError, "Gamma should be a non-negative"),
        (lambda: image.grayscale_to_rgb(two), ValueError, "Last dimension of a grayscale image"),
        (lambda: image.rgb_to_grayscale(two), INVALID, "3 channels"),
        (lambda: image.rgb_to_yuv([[1, 2, 3]]), TypeError, "Cannot convert"),
        (lambda: image.per_image_standardization([1.0]), ValueError, "at least three-dimensional"),
    ]:
        with pytest.raises(error, match=words):
            call()


# ---- turned, cut and padded -------------------------------------------------------------------


@pytest.mark.parametrize("mode", [lambda f: f, tf.function], ids=["eager", "function"])
def test_quarters_of_a_circle(mode: Any) -> None:
    """Like numpy.rot90; with a gradient in a function, where TensorFlow has an error."""
    rng = np.random.default_rng(0)
    for shape, axes in (((2, 3, 2), (0, 1)), ((2, 2, 3, 1), (1, 2))):
        x, w = rng.normal(size=shape), rng.normal(size=shape)
        for k in range(-1, 6):
            turn = mode(lambda x, k=k: tf.image.rot90(x, k))
            np.testing.assert_array_equal(turn(tf.constant(x)).numpy(), np.rot90(x, k, axes))
            turned = np.rot90(w, k, axes)
            (g,) = gradients(lambda x, f=turn, t=turned: f(x) * t, x)
            np.testing.assert_array_equal(g, w)


def test_gradient_in_a_graph_of_rot90() -> None:
    """A session, too."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(np.arange(6.0).reshape(2, 3, 1))
        y = tf.image.rot90(x) * np.arange(6.0).reshape(3, 2, 1)
        (g,) = tf.compat.v1.gradients(y, [x])
        assert (
            session.run(g)[..., 0].tolist() == np.rot90(np.arange(6.0).reshape(3, 2), -1).tolist()
        )


def test_cut_and_padded() -> None:
    """Odd differences go to the end, as in TensorFlow."""
    x = tf.reshape(tf.range(1, 13), [3, 4, 1])
    y = tf.image.resize_with_crop_or_pad(x, 2, 7)[..., 0]
    assert y.numpy().tolist() == [[0, 1, 2, 3, 4, 0, 0], [0, 5, 6, 7, 8, 0, 0]]
    z = tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4)[..., 0]
    assert z.numpy().sum(1).tolist() == [0.0, 4.0, 4.0, 0.0]
    assert tf.image.central_crop(x, 0.5)[..., 0].numpy().tolist() == [[2, 3], [6, 7], [10, 11]]
    assert tf.image.central_crop(x, 1.0).shape == [3, 4, 1]


def test_errors_of_cuts() -> None:
    """Classes and first sentences are TensorFlow's."""
    image, x = tf.image, tf.zeros([3, 2, 1])
    for call, words in [
        (lambda: image.flip_left_right(x[0]), "must be at least three-dimensional"),
        (lambda: image.rot90(x[None, None]), "must have either 3 or 4 dimensions"),
        (lambda: image.central_crop(x, 1.5), "central_fraction must be within"),
        (lambda: image.crop_to_bounding_box(x, 1, 1, 3, 1), "height must be >= target"),
        (lambda: image.crop_to_bounding_box(x, 0, -1, 1, 1), "offset_width must be >= 0"),
        (lambda: image.pad_to_bounding_box(x, 1, 1, 3, 1), "width must be <= target - offset"),
        (lambda: image.resize_with_pad(x, 0, 2), "target_height must be > 0"),
        (lambda: image.resize_with_crop_or_pad(x[0], 2, 2), "must have either 3 or 4 dimensions"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


# ---- measures ---------------------------------------------------------------------------------


def two_images() -> tuple[Any, Any]:
    whole = np.arange(121).reshape(11, 11, 1)
    return (whole % 7 / 7).astype(np.float32), (whole % 5 / 5).astype(np.float32)


def test_measures_as_tensorflow() -> None:
    """Its numbers for two small images."""
    a, b = two_images()
    np.testing.assert_allclose(tf.image.ssim(a, b, 1.0).numpy(), 0.07648465, rtol=1e-4)
    np.testing.assert_allclose(tf.image.psnr(a, b, 1.0).numpy(), 7.8442245, rtol=1e-6)
    scales = tf.image.ssim_multiscale(a, a * 0.9, 1.0, power_factors=(0.4, 0.6), filter_size=4)
    np.testing.assert_allclose(scales.numpy(), 0.9913452, rtol=1e-5)


def test_measures_to_second_order() -> None:
    """In both images; of what is computed in float32, as it is in float64."""
    a, b = (x[:5, :4].astype(np.float64) for x in two_images())
    top = tf.constant(1.0, F64)

    def alike(x: Any, y: Any) -> Any:
        return tf.reduce_mean(_similarity(x, y, top, 3, 1.5, 0.01, 0.03)[0])

    assert_derivatives(lambda x, y: _noise_ratio(x, y, top), a, b)
    assert_derivatives(alike, a, b)
    assert_derivatives(tf.image.sobel_edges, a[None])
    assert_derivatives(lambda x: tf.image.image_gradients(x)[0], a[None])


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.uint8])
def test_measures_are_float32(dtype: Any) -> None:
    """Of images of any dtype, as in TensorFlow."""
    x = tf.cast(tf.reshape(tf.range(36), [6, 6, 1]), dtype)
    for y in (
        tf.image.psnr(x, x, 36),
        tf.image.ssim(x, x, 36, filter_size=3),
        tf.image.ssim_multiscale(x, x, 36, (0.5, 0.3), filter_size=3),
    ):
        assert y.dtype == tf.float32


def test_alike_means_one() -> None:
    """Batches of batches, odd sizes, and the map of places."""
    x = tf.random.stateless_uniform([2, 1, 7, 9, 3], [1, 2])
    np.testing.assert_allclose(tf.image.ssim(x, x, 1.0, filter_size=4), np.ones((2, 1)))
    score = tf.image.ssim_multiscale(x, x, 1.0, (0.5, 0.3), filter_size=3)
    np.testing.assert_allclose(score, np.ones((2, 1)))
    places = tf.image.ssim(x, x, 1.0, filter_size=4, return_index_map=True)
    assert places.shape == [2, 1, 4, 6]


def test_variation() -> None:
    """Its gradient counts the steps up and down."""
    (g,) = gradients(tf.image.total_variation, np.array([[[1.0], [3.0], [2.0]]]))
    assert g.ravel().tolist() == [-1.0, 2.0, -1.0]


def test_errors_of_measures() -> None:
    """What cannot be compared."""
    image, x, y = tf.image, tf.zeros([3, 2, 1]), tf.zeros([3, 3, 1])
    for call, error, words in [
        (lambda: image.psnr(x, y, 1.0), ValueError, "not compatible"),
        (lambda: image.ssim(x, x, 1.0), INVALID, "must fit into the images"),
        (lambda: image.psnr(x[0], x[0], 1.0), ValueError, "rank at least 3"),
        (lambda: image.total_variation(x[0]), ValueError, "'images' must be either 3 or 4-dim"),
        (lambda: image.image_gradients(x), ValueError, "image_gradients expects a 4D tensor"),
        (lambda: image.sobel_edges(x), ValueError, "4D tensor"),
    ]:
        with pytest.raises(error, match=words):
            call()


# ---- at random --------------------------------------------------------------------------------


def test_changes_at_random() -> None:
    """A seed decides; what is drawn lies between the bounds; gradients flow."""
    image = tf.image
    x = tf.constant(np.tile(PIXELS, (4, 3, 1, 1)))
    for f in (
        lambda x: image.stateless_random_brightness(x, 0.3, [1, 2]),
        lambda x: image.stateless_random_contrast(x, 0.5, 1.5, [1, 2]),
        lambda x: image.stateless_random_hue(x, 0.2, [1, 2]),
        lambda x: image.stateless_random_saturation(x, 0.5, 0.9, [1, 2]),
        lambda x: image.stateless_random_flip_left_right(x, [1, 2]),
        lambda x: image.stateless_random_flip_up_down(x[0], [1, 2]),
        lambda x: image.stateless_random_crop(x, [2, 2, 3, 3], [1, 2]),
    ):
        np.testing.assert_array_equal(f(x).numpy(), tf.function(f)(x).numpy())
        assert_derivatives(f, x.numpy())
    hue = tf.image.stateless_random_hue([[[0.9, 0.2, 0.4]]], 0.3, [1, 2])  # TensorFlow's number
    np.testing.assert_allclose(hue.numpy().ravel(), [0.9, 0.8670326, 0.2], rtol=1e-5)
    assert image.stateless_random_crop(tf.range(10), [3], [1, 2]).numpy().tolist() == [4, 5, 6]


def test_each_image_of_a_batch_is_flipped_by_itself() -> None:
    """Each of them one of two; not all of them alike."""
    tf.random.set_seed(3)
    x = tf.tile(tf.reshape([1.0, 2.0], [1, 1, 2, 1]), [40, 1, 1, 1])
    y = tf.image.random_flip_left_right(x)[:, 0, :, 0].numpy()
    first = y[:, 0]
    assert set(first.tolist()) == {1.0, 2.0}
    assert (y.sum(1) == 3.0).all()
    assert tf.image.random_flip_up_down(tf.transpose(x, [0, 2, 1, 3])).shape == [40, 2, 1, 1]


def test_each_call_draws_anew() -> None:
    """With the state of the library."""
    tf.random.set_seed(3)
    image = tf.image
    x = tf.constant(PIXELS)
    for f in (
        lambda: image.random_brightness(x, 0.3),
        lambda: image.random_contrast(x, 0.5, 1.5),
        lambda: image.random_hue(x, 0.2),
        lambda: image.random_saturation(x, 0.5, 0.9),
    ):
        assert (f().numpy() != f().numpy()).any()
    assert image.random_crop(x, [1, 2, 3]).shape == [1, 2, 3]


def test_errors_at_random() -> None:
    """Classes and first sentences are TensorFlow's."""
    image, x = tf.image, tf.zeros([3, 2, 3])
    for call, error, words in [
        (lambda: image.random_hue(x, 1.0), ValueError, "max_delta must be <= 0.5"),
        (lambda: image.random_hue(x, -0.1), ValueError, "max_delta must be non-negative"),
        (lambda: image.random_contrast(x, 1.0, 0.5), ValueError, "upper must be > lower"),
        (lambda: image.random_saturation(x, -1.0, 0.5), ValueError, "lower must be non-negative"),
        (lambda: image.random_brightness(x, -1.0), ValueError, "max_delta must be non-negative"),
        (lambda: image.random_crop(x, [4, 1, 3]), INVALID, "Need value.shape >= size"),
    ]:
        with pytest.raises(error, match=words):
            call()


# ---- boxes and glimpses -----------------------------------------------------------------------


def brute(boxes: Any, scores: Any, limit: int, most: float, least: float) -> list[int]:
    """Each of the sorted boxes, unless one that is kept shares more with it."""
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        free = all(shared(boxes[i], boxes[j]) <= most for j in kept)
        if free and scores[i] > least and len(kept) < limit:
            kept.append(int(i))
    return kept


def shared(a: Any, b: Any) -> float:
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    both = np.prod(np.maximum(sides, 0))
    return float(both / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both))


def some_boxes(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 0.6, (20, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(0.1, 0.4, (20, 2))], axis=1)
    return boxes.astype(np.float32), rng.uniform(0, 1, 20).astype(np.float32)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [[20, 4], [None, 4], None], ids=["known", "sizes", "rank"])
def test_boxes_to_keep(seed: int, shape: Any) -> None:
    """One by one, in a function of whatever shapes."""
    boxes, scores = some_boxes(seed)
    want = brute(boxes, scores, 8, 0.15, 0.2)
    image = tf.image

    def both(b: Any, s: Any) -> Any:
        padded, count = image.non_max_suppression_padded(
            b, s, 15, 0.15, 0.2, pad_to_max_output_size=True
        )
        return (
            image.non_max_suppression(b, s, 8, 0.15, 0.2),
            *image.non_max_suppression_with_scores(b, s, 8, 0.15, 0.2),
            padded,
            count,
        )

    specs = [tf.TensorSpec(shape, tf.float32), tf.TensorSpec(shape and shape[:1], tf.float32)]
    places, again, kept, padded, count = tf.function(both, input_signature=specs)(boxes, scores)
    assert places.numpy().tolist() == again.numpy().tolist() == want
    assert kept.numpy().tolist() == scores[want].tolist()
    every = brute(boxes, scores, 15, 0.15, 0.2)
    assert padded.numpy().tolist() == every + [0] * (15 - len(every))
    assert count.numpy() == len(every)


def test_boxes_by_their_overlaps() -> None:
    """A matrix says what overlaps; boxes turned over are the same boxes."""
    boxes, scores = some_boxes(7)
    overlaps = np.array([[shared(a, b) for b in boxes] for a in boxes], np.float32)
    f = tf.image.non_max_suppression_overlaps
    want = tf.image.non_max_suppression(boxes, scores, 20, 0.1).numpy().tolist()
    assert f(overlaps, scores, 20, 0.1).numpy().tolist() == want
    turned = boxes[:, [2, 3, 0, 1]]
    assert tf.image.non_max_suppression(turned, scores, 20, 0.1).numpy().tolist() == want


def test_soft_scores_fall() -> None:
    """With a sigma all boxes stay, in the order of what their scores have become."""
    boxes, scores = some_boxes(2)
    f = tf.image.non_max_suppression_with_scores
    places, kept = f(boxes, scores, 20, 1.0, soft_nms_sigma=0.3)
    assert sorted(places.numpy().tolist()) == list(range(20))
    assert (np.diff(kept.numpy()) <= 0).all()
    assert (kept.numpy() <= scores[places.numpy()]).all()


def test_boxes_of_several_classes() -> None:
    """Each class by itself, then the best of all; clipped, and filled with zeros."""
    boxes, scores = some_boxes(5)
    stretched = 1.5 * boxes
    per_class = np.stack([scores, scores[::-1]], axis=1)
    found = tf.image.combined_non_max_suppression(
        stretched[None, :, None], per_class[None], 4, 10, 0.15, 0.1
    )
    places, best, classes, count = (y.numpy()[0] for y in found)
    want = sorted(
        (-per_class[i, c], c, i)
        for c in (0, 1)
        for i in brute(stretched, per_class[:, c], 4, 0.15, 0.1)
    )
    assert count == len(want)
    assert best[:count].tolist() == [-float(s) for s, _, _ in want]
    assert classes[:count].tolist() == [c for _, c, _ in want]
    assert (places[:count] == np.clip(stretched[[i for _, _, i in want]], 0, 1)).all()
    assert not best[count:].any()


def test_errors_of_boxes() -> None:
    """Checked when they run."""
    boxes, scores = some_boxes(0)
    f = tf.image.non_max_suppression
    for call, words in [
        (lambda: f(boxes[:, :3], scores, 2), "boxes must have 4 columns"),
        (lambda: f(boxes, scores[:3], 2), "scores has incompatible shape"),
        (lambda: f(boxes[0], scores[0], 2), "boxes must be 2-D"),
        (lambda: f(boxes, scores, 2, 1.5), "iou_threshold must be in"),
        (lambda: tf.image.non_max_suppression_overlaps(boxes, scores, 2), "must be square"),
        (lambda: tf.image.combined_non_max_suppression(boxes, scores, 2, 2), "must be 4-D"),
        (lambda: tf.image.draw_bounding_boxes(boxes, boxes, None), "should be 4"),
    ]:
        with pytest.raises(INVALID, match=words):
            call()
    with pytest.raises(ValueError, match="must be True for"):
        tf.image.non_max_suppression_padded(boxes[None], scores[None], 2)


def test_glimpses() -> None:
    """Places by themselves, beyond the edge zeros or noise; the gradient goes to what was seen."""
    x = np.arange(1.0, 13.0).reshape(1, 3, 4, 1)
    f = tf.image.extract_glimpse

    def zeros(at: Any, **how: Any) -> Any:
        return f(x, [2, 2], [at], noise="zero", **how).numpy().ravel().tolist()

    assert zeros([0.0, 0.0]) == [2.0, 3.0, 6.0, 7.0]
    assert zeros([0.0, 0.5], centered=False) == [3.0, 4.0, 7.0, 8.0]
    assert zeros([2.0, 3.0], centered=False, normalized=False) == [12.0, 0.0, 0.0, 0.0]
    assert zeros([0.0, -3.0], normalized=False) == [0.0, 5.0, 0.0, 9.0]
    noisy = f(x, [2, 2], [[5.0, 5.0]]).numpy()
    assert ((noisy >= 0) & (noisy < 1)).all()
    (g,) = gradients(lambda x: f(x, [2, 2], [[2.0, 3.0]], False, False, "gaussian"), x)
    assert g.ravel().tolist() == [0.0] * 11 + [1.0]
    with pytest.raises(INVALID, match="noise must be"):
        f(x, [2, 2], [[0.0, 0.0]], noise="pink")


@pytest.mark.parametrize("name", ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeArea"])
@pytest.mark.parametrize(
    ("shape", "size", "words"),
    [
        ((3, 4, 1), [2, 2], "must be 4-dimensional"),
        ((1, 3, 4, 1), [2], "must have two elements"),
        ((1, 3, 4, 1), [0, 2], "must be positive"),
    ],
)
def test_raw_resizes_take_four_axes_and_two_sizes(
    name: str, shape: Any, size: Any, words: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        getattr(tf.raw_ops, name)(images=tf.ones(shape), size=size)
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match=words):
        getattr(tf.raw_ops, name)(images=tf.ones(shape), size=size)


def test_quarter_turns_are_one_number() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be rank 0"):
        tf.image.rot90(tf.ones([2, 3, 1]), k=[1])  # type: ignore[arg-type]
