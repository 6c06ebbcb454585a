"""Square brackets: everything Python's slicing has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import wengert as tf
from wengert.core import reverse
from wengert.ops.arrays.slicing import STRIDED_SLICE
from wengert.values.tensor import wrap


def counting(shape: Any) -> Any:
    """An array in which every element is another."""
    return np.arange(float(np.prod(shape, dtype=int))).reshape(shape)


@st.composite
def shapes_and_indices(draw: Any) -> Any:
    """A shape, and an index of integers, slices, None and an ellipsis that fits it."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    index = draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    return shape, index


@st.composite
def shapes_and_slices(draw: Any) -> Any:
    """Slices whose ends may lie far outside, and whose steps go either way."""
    ends = st.none() | st.integers(-7, 7) | st.sampled_from([2**40, -(2**40)])
    steps = st.none() | st.integers(-4, 4).filter(bool)
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    count = draw(st.integers(1, len(shape)))
    return shape, tuple(slice(draw(ends), draw(ends), draw(steps)) for _ in range(count))


def wrapped(index: Any) -> Any:
    """The same index with scalar tensors where it has integers."""
    if isinstance(index, tuple):
        return tuple(wrapped(part) for part in index)
    if isinstance(index, slice):
        return slice(*(wrapped(part) for part in (index.start, index.stop, index.step)))
    return tf.constant(index) if isinstance(index, int) else index


# ---- laws -------------------------------------------------------------------------------------


@given(shapes_and_indices())
def test_slicing_is_numpys(drawn: Any) -> None:
    """With any basic index a tensor gives what its array gives."""
    shape, index = drawn
    array = counting(shape)
    got = tf.constant(array)[index]
    assert isinstance(got, tf.Tensor)
    assert got.shape == array[index].shape
    np.testing.assert_array_equal(got.numpy(), array[index])


@given(shapes_and_slices())
def test_slices_are_clipped(drawn: Any) -> None:
    """A slice takes what there is, forwards or backwards."""
    shape, index = drawn
    array = counting(shape)
    np.testing.assert_array_equal(tf.constant(array)[index].numpy(), array[index])


@given(shapes_and_slices())
def test_tensors_are_indices(drawn: Any) -> None:
    """A scalar tensor stands for its number, everywhere in a slice."""
    shape, index = drawn
    array = counting(shape)
    np.testing.assert_array_equal(tf.constant(array)[wrapped(index)].numpy(), array[index])


@given(shapes_and_indices())
def test_the_gradient_of_a_slice_is_ones_scattered(drawn: Any) -> None:
    """Ones where the slice looked, zeros elsewhere."""
    shape, index = drawn
    x = tf.Variable(counting(shape))
    with tf.GradientTape() as tape:
        y = x[index]
    expected = np.zeros(shape)
    expected[index] = 1.0
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4), st.data())
def test_masks_select(shape: Any, data: Any) -> None:
    """A boolean tensor over the first axes selects where it is true, and passes gradients there."""
    depth = data.draw(st.integers(1, len(shape)))
    mask = data.draw(hnp.arrays(np.bool_, shape[:depth]))
    array = counting(shape)
    x = tf.Variable(array)
    with tf.GradientTape() as tape:
        y = x[tf.constant(mask)]
    np.testing.assert_array_equal(y.numpy(), array[mask])
    np.testing.assert_array_equal(x[mask].numpy(), array[mask])
    gradient = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    chosen = mask.reshape(mask.shape + (1,) * (len(shape) - depth))
    np.testing.assert_array_equal(gradient, np.zeros(shape) + chosen)


# ---- indices of every kind --------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [
        1,
        np.int8(1),
        np.array(1),
        tf.constant(1),
        tf.constant(1, tf.int64),
        tf.Variable(1),
        [1],
        (1,),
    ],
    ids=lambda i: type(i).__name__,
)
def test_an_integer_in_any_form(index: Any) -> None:
    """Python's and NumPy's integers and scalar tensors; a list is a tuple, as in TensorFlow."""
    assert tf.constant([10, 20, 30])[index].numpy() == 20


def test_a_scalar_has_no_axis_to_slice() -> None:
    """Only an ellipsis, new axes and the empty index apply."""
    t = tf.constant(5.0)
    assert [t[i].shape for i in (..., (), None, (tf.newaxis, ...))] == [(), (), (1,), (1,)]


def test_newaxis_is_none() -> None:
    """tf.newaxis and None are one thing."""
    assert tf.constant([1, 2])[:, tf.newaxis].shape == (2, 1)
    assert tf.newaxis is None


@pytest.mark.parametrize("index", [0, (0, 1), slice(None, None, -1), (..., 1), None], ids=str)
def test_strings_are_sliced_like_numbers(index: Any) -> None:
    """A part of a tensor of strings is a tensor of strings."""
    array = np.array([[b"a", b"bc"], [b"", b"d"]], object)
    got = tf.constant(array)[index]
    assert got.dtype is tf.string
    assert np.array_equal(got.numpy(), array[index])


@pytest.mark.parametrize("name", ["bool", "bfloat16", "complex64", "uint8"])
def test_slices_keep_the_dtype(name: str) -> None:
    """Whatever it is."""
    t = tf.cast([[0, 1], [1, 0]], name)
    assert [t[1].dtype, t[0, 1].dtype, t[::-1].dtype, t[None].dtype] == [name] * 4


def test_a_slice_does_not_change_the_tensor() -> None:
    """What numpy() gives of a slice is apart from the tensor."""
    t = tf.constant([1, 2, 3])
    t[1:].numpy()[0] = 9
    assert t.numpy().tolist() == [1, 2, 3]


def test_second_derivatives_of_slices() -> None:
    """A gradient of a gradient flows through the same places."""
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x[::-2] * x[0] * x[0])
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [9.0, 0.0, 1.0]
    assert outer.gradient(first, x).numpy().tolist() == [14.0, 0.0, 2.0]


# ---- what does not fit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "index", "text"),
    [
        ((4,), 5, "slice index 5 of dimension 0 out of bounds."),
        ((4,), -5, "slice index -5 of dimension 0 out of bounds."),
        ((2, 3), (0, 3), "slice index 3 of dimension 1 out of bounds."),
        ((2, 3), (..., 3), "slice index 3 of dimension 1 out of bounds."),
        ((2, 3), (None, 2), "slice index 2 of dimension 0 out of bounds."),
        ((0, 3), 0, "slice index 0 of dimension 0 out of bounds."),
        ((4,), 2**70, f"slice index {2**70} of dimension 0 out of bounds."),
        ((), 0, "Attempting to slice scalar input."),
        ((), slice(None), "Attempting to slice scalar input."),
        ((4,), (0, 0), "Index out of range using input dim 1; input has only 1 dims"),
        ((2, 3), (0, ..., 0, 0), "Index out of range using input dim 2; input has only 2 dims"),
        ((4,), slice(None, None, 0), "strides[0] must be non-zero"),
        ((2, 3), (0, slice(None, None, 0)), "strides[1] must be non-zero"),
        ((2, 3), (..., ...), "Multiple ellipses in slice spec not allowed"),
    ],
    ids=str,
)
def test_an_index_that_does_not_fit(shape: Any, index: Any, text: str) -> None:
    """TensorFlow's words, with the index and the dimension."""
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=re.escape(f"{text} [Op:StridedSlice]")
    ):
        tf.zeros(shape)[index]


@pytest.mark.parametrize(
    ("index", "shown"),
    [
        (0.5, "0.5"),
        ("a", "'a'"),
        (True, "True"),
        (1j, "1j"),
        ({}, "{}"),
        (slice(0.5, None), "0.5"),
        (slice(None, "a"), "'a'"),
        (slice(None, None, 1.0), "1.0"),
        ((0, [0, 1]), "[0, 1]"),
        (([0, 1], 0), "[0, 1]"),
        (range(2), "range(0, 2)"),
        (np.array([1, 2]), "array([1, 2])"),
        (tf.constant([1, 2]), "<tf.Tensor: shape=(2,), dtype=int32"),
        (tf.constant(1.0), "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
        (slice(tf.constant([1]), None), "<tf.Tensor: shape=(1,), dtype=int32"),
        ((slice(None), tf.constant([True, False])), "<tf.Tensor: shape=(2,), dtype=bool"),
    ],
    ids=str,
)
def test_what_is_no_index(index: Any, shown: str) -> None:
    """TensorFlow's words, the offending part, and what to use instead."""
    text = (
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {shown}"
    )
    with pytest.raises(TypeError, match=f"{re.escape(text)}.*tf.gather.*tf.boolean_mask"):
        tf.zeros([2, 2])[index]


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (tf.constant([True, False]), "Shapes (4,) and (2,) are incompatible"),
        (tf.constant(True), "mask cannot be scalar."),
    ],
    ids=["short", "scalar"],
)
def test_a_mask_that_does_not_fit(mask: Any, text: str) -> None:
    """A mask has the shape of the axes it selects from."""
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.zeros([4])[mask]


def test_an_index_that_does_not_fit_leaves_the_tape_whole() -> None:
    """What was recorded before and after the error is differentiated."""
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        with pytest.raises(tf.errors.InvalidArgumentError):
            y[5]
        z = y[1]
    assert tape.gradient(z, x).numpy().tolist() == [0.0, 4.0]


def test_strided_slice_needs_bounds_of_one_length() -> None:
    """TensorFlow's sentence."""
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Expected begin, end, and strides to be 1D equal size tensors, but got shapes \[1\], "
        r"\[2\], and \[1\] instead",
    ):
        tf.strided_slice([[1, 2]], [0], [1, 2])


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (lambda i, s: (i, slice(s, 2)), (None,)),
        (lambda i, s: (slice(s, i),), (None, 4)),
        (lambda i, s: (Ellipsis, i), (3,)),
        (lambda i, s: (i, None, slice(1, 3)), (1, 2)),
    ],
)
def test_the_rank_of_a_part_whose_bounds_only_a_run_knows(key: Any, expected: Any) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        i, s = (v1.placeholder(tf.int32, []) for _ in range(2))
        x = tf.constant(np.arange(12.0).reshape(3, 4))
        found = x[key(i, s)]
        assert tuple(found.shape) == expected
        run = v1.Session().run(found, {i: 1, s: 0})
    assert run.tolist() == np.arange(12.0).reshape(3, 4)[key(1, 0)].tolist()


def test_a_scalar_has_no_side_to_pad() -> None:
    for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        assert float(tf.pad(tf.constant(1.5), tf.zeros([0, 2], tf.int32), mode)) == 1.5


def test_a_depth_is_an_integer() -> None:
    with pytest.raises(TypeError, match="depth must be an integer"):
        tf.one_hot([1], 2.5)


# ---- cotangents of parts, added in place ----------------------------------------------------------


def of_parts(v: Any) -> Any:
    """A sum over parts of a tensor that overlap, of all forms of keys."""
    keys: list[Any] = [
        0,
        -1,
        (..., 1),
        (slice(1, 3), None, 2),
        slice(None, None, 2),
        (2, 3),
        (..., slice(0, 0)),
    ]
    return sum(tf.reduce_sum(tf.sin(v[key] * (k + 1.0))) for k, key in enumerate(keys))


@pytest.mark.parametrize("persistent", [False, True])
def test_the_cotangents_of_parts_are_added_up(persistent: bool) -> None:
    x = tf.constant(np.random.default_rng(1).standard_normal((4, 5)))
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = of_parts(x)
    found = tape.gradient(y, x).numpy()
    wanted = tf.function(lambda v: tf.gradients(of_parts(v), v)[0])(x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    if persistent:
        np.testing.assert_array_equal(tape.gradient(y, x), found)
        np.testing.assert_array_equal(tape.gradient(y, x), found)


def test_what_others_see_is_not_written_into() -> None:
    """What a program gave for a cotangent, what it asked for on the way, and what another value has."""
    x, seed = tf.constant(np.arange(6.0)), tf.constant(np.ones(6))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        v = x * 2.0
        parts = [v[k] for k in range(6)]
        w = tf.identity(v)
    found = tape.gradient(
        [v, w, *parts], [v, x], output_gradients=[seed, seed, *[tf.constant(3.0, tf.float64)] * 6]
    )
    assert found[0].numpy().tolist() == [5.0] * 6
    assert found[1].numpy().tolist() == [10.0] * 6
    assert seed.numpy().tolist() == [1.0] * 6


def test_parts_have_derivatives_of_every_order() -> None:
    x = tf.constant(np.random.default_rng(2).standard_normal((4, 5)))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = of_parts(x)
        first = tape.gradient(y, x)
        length = tf.reduce_sum(first * first)
    wanted = tf.function(
        lambda v: tf.gradients(tf.reduce_sum(tf.gradients(of_parts(v), v)[0] ** 2), v)[0]
    )(x)
    np.testing.assert_allclose(outer.gradient(length, x), wanted, rtol=1e-12, atol=1e-12)


def test_only_what_nobody_else_sees_is_added_to_in_place() -> None:
    g, attrs = tf.constant(1.0), {"key": (0,)}

    def added(total: Any, hold: Any = None) -> bool:
        cotangents: dict[Any, Any] = {"x": total() if callable(total) else total}
        held = hold(cotangents["x"]) if hold else None
        done = reverse._added(STRIDED_SLICE, attrs, g, cotangents, "x")
        assert cotangents["x"].numpy().tolist() == ([2.0, 1.0] if done else [1.0, 1.0])
        del held
        return done

    def ones() -> Any:
        return wrap(np.ones(2, np.float32))

    assert added(ones)
    assert not added(ones())
    assert not added(ones, lambda total: total)
    assert not added(ones, lambda total: total._array)
    assert not added(ones, lambda total: total._array[:1])
    assert not added(lambda: wrap(np.ones((1, 2), np.float32)[0]))
    assert not reverse._added(STRIDED_SLICE, attrs, g, {}, "x")
    with tf.GradientTape():
        assert not added(ones)


@pytest.mark.parametrize("place", [(1,), (1, 2), (1, 2, 0)])
def test_one_place_is_gathered_as_it_is_indexed(place: tuple[int, ...]) -> None:
    """By one index of as many numbers as the tensor has axes, too, which leaves a scalar."""
    x = tf.constant(counting((2, 3, 2)))
    for gathered in (tf.gather_nd, tf.function(tf.gather_nd)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = gathered(x, list(place))
        np.testing.assert_array_equal(found, x.numpy()[place])
        expected = np.zeros(x.shape)
        expected[place] = 1.0
        np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(found, x)), expected)


@pytest.mark.parametrize(
    "key", [np.s_[:, None], np.s_[None], np.s_[..., None], np.s_[0:, None, ::1], np.s_[...]]
)
def test_the_gradient_of_new_axes_alone_is_the_cotangent_without_them(key: Any) -> None:
    """No zeros are made of which all are overwritten; whatever the bounds that are written out."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float64, [None, 3])
        y = x[key]
        (g,) = tf.gradients(y * y, x)
        assert "StridedSliceGrad" not in {op.type for op in graph.get_operations()}
        value = np.arange(6.0).reshape(2, 3)
        with tf.compat.v1.Session() as session:
            assert session.run(g, {x: value}).tolist() == (2.0 * value).tolist()
