"""TensorShape, and the tensors that are made by giving a shape."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wengert as tf

UNKNOWN = tf.TensorShape(None)
SHAPES = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=4)
KNOWN = st.lists(st.none() | st.integers(0, 3), max_size=4)


def fits(dims: Any, other: Any) -> bool:
    """The meaning of compatible: some sizes stand for both shapes."""
    if dims is None or other is None:
        return True
    return len(dims) == len(other) and all(
        None in pair or pair[0] == pair[1] for pair in zip(dims, other, strict=True)
    )


# ---- what a shape is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dims", "rank", "sizes", "shown", "printed"),
    [
        ([], 0, [], "TensorShape([])", "()"),
        ([2], 1, [2], "TensorShape([2])", "(2,)"),
        (3, 1, [3], "TensorShape([3])", "(3,)"),
        ((2, None), 2, [2, None], "TensorShape([2, None])", "(2, None)"),
        (np.array([2, 3]), 2, [2, 3], "TensorShape([2, 3])", "(2, 3)"),
        (tf.constant([2, 3]), 2, [2, 3], "TensorShape([2, 3])", "(2, 3)"),
        (tf.TensorShape([2, 3]), 2, [2, 3], "TensorShape([2, 3])", "(2, 3)"),
        ([np.int64(2)], 1, [2], "TensorShape([2])", "(2,)"),
    ],
    ids=str,
)
def test_a_shape_has_sizes(dims: Any, rank: int, sizes: Any, shown: str, printed: str) -> None:
    """Whatever it was made of: rank, sizes and text."""
    shape = tf.TensorShape(dims)
    assert (shape.rank, shape.ndims, len(shape)) == (rank, rank, rank)
    assert (shape.as_list(), [d.value for d in shape.dims or []], list(shape), tuple(shape)) == (
        sizes,
        sizes,
        sizes,
        tuple(sizes),
    )
    assert (repr(shape), str(shape)) == (shown, printed)
    assert all(type(size) is int for size in shape if size is not None)


def test_a_shape_of_unknown_rank() -> None:
    """It has no rank, no sizes and no truth."""
    assert (UNKNOWN.rank, UNKNOWN.ndims, UNKNOWN.dims) == (None, None, None)
    assert (repr(UNKNOWN), str(UNKNOWN)) == ("TensorShape(None)", "<unknown>")
    assert not UNKNOWN
    assert tf.TensorShape([])


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (len, "Cannot take the length of shape with unknown rank."),
        (list, "Cannot iterate over a shape with unknown rank."),
        (lambda s: s.as_list(), "as_list() is not defined on an unknown TensorShape."),
    ],
)
def test_what_an_unknown_rank_cannot_tell(ask: Any, text: str) -> None:
    """The error says that the rank is unknown."""
    with pytest.raises(ValueError, match=re.escape(text)):
        ask(UNKNOWN)


@pytest.mark.parametrize(
    ("dims", "error", "text"),
    [
        (-1, ValueError, "Dimension -1 must be >= 0"),
        ([2, -1], ValueError, "Dimension -1 must be >= 0"),
        ([1.5], TypeError, "Dimension value must be integer or None or have an __index__ method"),
        (["a"], TypeError, "got value ''a'' with type '<class 'str'>'"),
        ("ab", TypeError, "got value ''ab'' with type '<class 'str'>'"),
    ],
    ids=str,
)
def test_what_is_no_shape(dims: Any, error: Any, text: str) -> None:
    """Sizes are non-negative integers or None."""
    with pytest.raises(error, match=re.escape(text)):
        tf.TensorShape(dims)


@given(SHAPES)
def test_a_shape_is_known_when_all_sizes_are(dims: Any) -> None:
    """is_fully_defined and num_elements."""
    shape = tf.TensorShape(dims)
    known = dims is not None and None not in dims
    assert shape.is_fully_defined() is known
    assert shape.num_elements() == (int(np.prod(dims)) if known else None)


def test_an_assertion_names_the_shape() -> None:
    """assert_is_fully_defined passes or says which shape is not."""
    tf.TensorShape([2]).assert_is_fully_defined()
    with pytest.raises(ValueError, match=re.escape("Shape (None,) is not fully defined")):
        tf.TensorShape([None]).assert_is_fully_defined()


# ---- a shape as a sequence --------------------------------------------------------------------


@given(KNOWN, st.data())
def test_indexing_is_that_of_a_tuple(dims: Any, data: Any) -> None:
    """An integer gives a size, a slice a shape, and what is out of range an IndexError."""
    shape = tf.TensorShape(dims)
    cut = data.draw(st.slices(len(dims)))
    assert shape[cut] == tf.TensorShape(dims[cut])
    assert [shape[i] for i in range(-len(dims), len(dims))] == dims + dims
    with pytest.raises(IndexError):
        shape[len(dims)]


def test_indexing_an_unknown_rank() -> None:
    """What is unknown stays unknown; the length of a slice may be known."""
    assert UNKNOWN[0] is None
    assert UNKNOWN[1:3] == [None, None]
    assert UNKNOWN[:2] == [None, None]
    assert [UNKNOWN[s].rank for s in (slice(1, None), slice(-1, None), slice(0, 4, 2))] == [
        None
    ] * 3


@given(SHAPES, SHAPES)
def test_concatenation(dims: Any, other: Any) -> None:
    """+ joins the sizes, with lists and tuples on either side; the unknown swallows the rest."""
    known = dims is not None and other is not None
    expected = tf.TensorShape([*dims, *other] if known else None)
    a, b = tf.TensorShape(dims), tf.TensorShape(other)
    assert a + b == a.concatenate(b) == expected
    if known:
        assert a + other == dims + b == tuple(dims) + b == expected


@given(SHAPES, SHAPES)
def test_equality_is_that_of_the_sizes(dims: Any, other: Any) -> None:
    """None equals None here, and equal shapes have equal hashes."""
    a, b = tf.TensorShape(dims), tf.TensorShape(other)
    assert (a == b) is (dims == other)
    assert (a != b) is (dims != other)
    if a == b:
        assert hash(a) == hash(b)


def test_a_shape_equals_what_makes_it() -> None:
    """Lists and tuples compare as shapes; other things are not equal."""
    shape = tf.TensorShape([2, None])
    assert shape == [2, None]
    assert shape == (2, None)
    for other in ("ab", object(), 2.5, [-1], None, [2]):
        assert shape != other
    assert UNKNOWN == None  # noqa: E711


@given(SHAPES)
def test_a_shape_survives_copying(dims: Any) -> None:
    """Copies and pickles are equal, as keys too."""
    shape = tf.TensorShape(dims)
    for twin in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert {twin: True}[shape]


def test_numpy_takes_a_shape() -> None:
    """A known shape is a shape for NumPy."""
    assert np.zeros(tf.TensorShape([2, 3])).shape == (2, 3)


# ---- two shapes -------------------------------------------------------------------------------


@given(SHAPES, SHAPES)
def test_compatible_shapes_merge(dims: Any, other: Any) -> None:
    """Merging fails exactly where shapes are incompatible, and knows what both know."""
    a, b = tf.TensorShape(dims), tf.TensorShape(other)
    assert a.is_compatible_with(b) is b.is_compatible_with(a) is fits(dims, other)
    if not fits(dims, other):
        with pytest.raises(ValueError, match=re.escape(f"Shapes {a} and {b} are not compatible")):
            a.merge_with(b)
        with pytest.raises(ValueError, match=re.escape(f"Shapes {a} and {b} are incompatible")):
            a.assert_is_compatible_with(b)
        return
    a.assert_is_compatible_with(b)
    merged = a.merge_with(b)
    assert merged == b.merge_with(a)
    if dims is None or other is None:
        assert merged == (b if dims is None else a)
    else:
        pairs = zip(dims, other, strict=True)
        assert merged == [y if x is None else x for x, y in pairs]


@given(SHAPES, SHAPES)
def test_what_two_shapes_have_in_common(dims: Any, other: Any) -> None:
    """The most specific compatible shape is compatible with both and keeps every shared size."""
    a, b = tf.TensorShape(dims), tf.TensorShape(other)
    common = a.most_specific_compatible_shape(b)
    assert common == b.most_specific_compatible_shape(a)
    assert common.is_compatible_with(a)
    assert common.is_compatible_with(b)
    if None not in (dims, other) and len(dims) == len(other):
        pairs = zip(dims, other, strict=True)
        assert common == [x if x == y else None for x, y in pairs]
    else:
        assert common.rank is None


def test_ranks_are_checked() -> None:
    """with_rank and its relatives pass a shape of the rank, give a rank to the unknown, or fail."""
    shape = tf.TensorShape([2, 3])
    assert shape.with_rank(2) == shape.with_rank_at_least(1) == shape.with_rank_at_most(3) == shape
    assert UNKNOWN.with_rank(2) == [None, None]
    assert UNKNOWN.with_rank_at_least(2).rank is None
    assert UNKNOWN.with_rank_at_most(2).rank is None
    shape.assert_has_rank(2)
    shape.assert_same_rank([None, None])
    shape.assert_same_rank(None)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (lambda s: s.with_rank(1), "Shape (2, 3) must have rank 1"),
        (lambda s: s.assert_has_rank(3), "Shape (2, 3) must have rank 3"),
        (lambda s: s.with_rank_at_least(3), "Shape (2, 3) must have rank at least 3"),
        (lambda s: s.with_rank_at_most(1), "Shape (2, 3) must have rank at most 1"),
        (lambda s: s.assert_same_rank([1]), "Shapes (2, 3) and (1,) must have the same rank"),
    ],
)
def test_a_wrong_rank_is_named(check: Any, text: str) -> None:
    """The error shows the shape and the rank."""
    with pytest.raises(ValueError, match=re.escape(text)):
        check(tf.TensorShape([2, 3]))


# ---- tensors of a shape -----------------------------------------------------------------------

MAKERS = [tf.zeros, tf.ones, lambda shape: tf.fill(shape, 7.0)]


@pytest.mark.parametrize("make", MAKERS, ids=["zeros", "ones", "fill"])
@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ([], ()),
        ((), ()),
        (2, (2,)),
        ([2, 0], (2, 0)),
        (tf.TensorShape([2, 1]), (2, 1)),
        (tf.constant([2, 1], tf.int64), (2, 1)),
        (np.array([2, 1]), (2, 1)),
        ([tf.constant(2), 1], (2, 1)),
    ],
    ids=str,
)
def test_a_shape_in_any_form(make: Any, given: Any, shape: Any) -> None:
    """Numbers, lists, arrays, tensors and TensorShapes say how large a tensor is to be."""
    assert make(given).shape == shape


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float64", "complex64", "int8", "uint64", "bool"]
)
def test_zeros_and_ones_of_a_dtype(name: str) -> None:
    """The elements are the dtype's own zero and one."""
    for t, number in ((tf.zeros([2], name), 0), (tf.ones([2], name), 1)):
        assert [t.dtype, t.numpy().tolist()] == [name, [number, number]]
    assert (tf.zeros([1]).dtype, tf.ones([1]).dtype) == (tf.float32, tf.float32)


def test_strings_have_a_zero_and_no_one() -> None:
    """The zero of strings is the empty one."""
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    for make in (lambda: tf.ones([2], tf.string), lambda: tf.eye(2, dtype=tf.string)):
        with pytest.raises(TypeError, match="Cannot convert 1 to EagerTensor of dtype string"):
            make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.zeros([2, -1]),
        lambda: tf.ones(-1),
        lambda: tf.fill([-1], 1),
        lambda: tf.eye(-1),
        lambda: tf.eye(2, num_columns=-1),
    ],
)
def test_no_size_is_negative(make: Any) -> None:
    """A negative size is an error."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        make()


def test_fill_repeats_a_scalar() -> None:
    """Of any dtype, and nothing but a scalar; a gradient is the sum over the copies."""
    assert tf.fill([2], "a").numpy().tolist() == [b"a", b"a"]
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.fill([2, 3], x)
    assert tape.gradient(y, x).numpy() == 6.0
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=re.escape("value must represent a scalar, got shape [2]"),
    ):
        tf.fill([2], [1, 2])


def test_eye() -> None:
    """The identity, of any proportions, any number of times."""
    assert tf.eye(2, 3, dtype=tf.int32).numpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    batch = tf.eye(2, batch_shape=tf.constant([3, 1]))
    assert batch.shape == (3, 1, 2, 2)
    np.testing.assert_array_equal(batch.numpy()[2, 0], np.eye(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("arguments", "expected", "dtype"),
    [
        ((3,), [0, 1, 2], tf.int32),
        ((0,), [], tf.int32),
        ((1, 4), [1, 2, 3], tf.int32),
        ((5, 0, -2), [5, 3, 1], tf.int32),
        ((0, 5, 2.5), [0.0, 2.5], tf.float32),
        ((1, 2.5, 0.5), [1.0, 1.5, 2.0], tf.float32),
        ((2**40, 2**40 + 2), [2**40, 2**40 + 1], tf.int64),
        ((3, tf.constant(5.0, tf.float64)), [3.0, 4.0], tf.float64),
        ((tf.constant(2.0, tf.float16),), [0.0, 1.0], tf.float16),
        ((tf.Variable(2),), [0, 1], tf.int32),
    ],
    ids=str,
)
def test_range(arguments: Any, expected: Any, dtype: Any) -> None:
    """The numbers from start to before limit, of the widest of the dtypes given."""
    t = tf.range(*arguments)
    assert (t.dtype, t.numpy().tolist()) == (dtype, expected)


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "int8", "int64", "uint16"]
)
def test_range_of_a_dtype(name: str) -> None:
    """A dtype that is asked for is given; tensors are cast to it."""
    t = tf.range(1, tf.constant(3.5), dtype=name)
    assert [t.dtype, np.asarray(t).astype(float).tolist()] == [
        name,
        [1.0, 2.0] if "int" in name else [1.0, 2.0, 3.0],
    ]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.range(0, 3, 0), "Requires delta != 0: 0"),
        (lambda: tf.range(1, 0), "Requires start <= limit when delta > 0: 1/0"),
        (lambda: tf.range(0, 3, -1), "Requires start >= limit when delta < 0: 0/3"),
        (lambda: tf.range(0.0, float("nan")), "Requires start <= limit when delta > 0: 0.0/nan"),
        (lambda: tf.range([1, 2]), "limit must be a scalar, not shape [2]"),
        (lambda: tf.range(0, 3, [1]), "delta must be a scalar, not shape [1]"),
        (lambda: tf.range("a"), "Value for attr 'Tidx' of string is not in the list of allowed"),
        (lambda: tf.range(True), "Value for attr 'Tidx' of bool is not in the list of allowed"),
    ],
)
def test_what_is_no_range(make: Any, text: str) -> None:
    """The error says which requirement was not met."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        make()


def test_a_range_of_a_dtype_does_not_round() -> None:
    """Python numbers must fit the dtype asked for."""
    for limit, dtype in ((2.5, tf.int32), (3, tf.bool), (3, tf.string)):
        with pytest.raises(TypeError, match="Cannot convert"):
            tf.range(limit, dtype=dtype)


@given(st.integers(0, 6), st.integers(-3, 3), st.integers(-3, 3))
def test_linspace(count: int, start: int, stop: int) -> None:
    """Evenly spaced from start to stop; integers become float64."""
    t = tf.linspace(start, stop, count)
    assert t.dtype is tf.float64
    np.testing.assert_allclose(t.numpy(), np.linspace(start, stop, count), atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_linspace_between_arrays(axis: int) -> None:
    """Start and stop broadcast; the new axis stands where it is asked for."""
    start, stop = np.array([0.0, 1.0]), np.array(4.0)
    expected = np.linspace(*np.broadcast_arrays(start, stop), 5, axis=axis)
    np.testing.assert_allclose(tf.linspace(start, stop, 5, axis=axis).numpy(), expected)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: tf.linspace(0.0, 1.0, -1), ValueError, "Requires num >= 0, got -1"),
        (lambda: tf.linspace(0.0, 1.0, 2.5), TypeError, "must be an integer, got 2.5"),  # type: ignore[arg-type]
        (lambda: tf.linspace(0.0, 1.0, 3, axis=1), ValueError, "axis = 1 not in [-1, 1)"),
        (lambda: tf.linspace(1, 4.0, 3), TypeError, "Cannot convert 4.0 to EagerTensor of dtype"),
    ],
)
def test_what_is_no_linspace(make: Any, error: Any, text: str) -> None:
    """The error names the argument."""
    with pytest.raises(error, match=re.escape(text)):
        make()


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sizes", [[2], [2, 3], [2, 1, 3]], ids=str)
def test_meshgrid(sizes: Any, indexing: str) -> None:
    """Coordinates of a grid, as NumPy gives them."""
    vectors = [np.arange(n) + 10 * i for i, n in enumerate(sizes)]
    got = tf.meshgrid(*vectors, indexing=indexing)
    for grid, expected in zip(got, np.meshgrid(*vectors, indexing=indexing), strict=True):
        np.testing.assert_array_equal(grid.numpy(), expected)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (
            {"indexing": "zz"},
            ValueError,
            "`indexing` parameter must be either 'xy' or 'ij', got 'zz'",
        ),
        ({"foo": 1}, TypeError, "'foo' is an invalid keyword argument for this function"),
    ],
)
def test_what_is_no_meshgrid(options: Any, error: Any, text: str) -> None:
    """The error names the option."""
    with pytest.raises(error, match=re.escape(text)):
        tf.meshgrid([1], [2], **options)


def test_shape_size_and_rank() -> None:
    """As tensors, of whatever can be converted."""
    x = [[1.0, 2.0, 3.0]]
    assert tf.shape(x).numpy().tolist() == [1, 3]
    assert (int(tf.size(x)), int(tf.rank(x)), int(tf.size([])), int(tf.rank(1))) == (3, 2, 0, 0)
    assert [s.numpy().tolist() for s in tf.shape_n([x, 1.0])] == [[1, 3], []]
    assert (tf.shape(x).dtype, tf.shape(x, tf.int64).dtype, tf.size(x, tf.int64).dtype) == (
        tf.int32,
        tf.int64,
        tf.int64,
    )


# ---- shapes of what has no elements, and of what is known in part -----------------------------

# What TensorFlow 2.21 gives for tf.reshape: a shape, the shape that is asked for, and the result's.
NOTHING = [
    ([0, 5], [0, -1], (0, 5)), ([0, 2, 3], [0, -1], (0, 6)), ([5, 0], [-1, 0], (5, 0)),
    ([2, 0, 3], [2, -1], (2, 0)), ([0], [-1], (0,)), ([0], [0, 3, -1], (0, 3, 0)),
    ([0, 5], [2, -1, 0], (2, 2, 0)), ([0, 5], [0, 0, -1], (0, 0, 5)), ([0, 0], [0, -1], (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("have", "wanted", "expected"), NOTHING)
def test_reshape_of_nothing(have: Any, wanted: Any, expected: Any) -> None:
    """Of no elements, -1 is what is left of the sizes that are not zero: an empty batch is flattened."""
    x = tf.zeros(have)
    for known in (have, [None] * len(have), None):
        for compiled in (False, True):
            specs = [tf.TensorSpec(known)]
            f = tf.function(lambda x: tf.reshape(x, wanted), specs, jit_compile=compiled)
            assert tuple(f(x).shape) == expected
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(x, wanted)
    assert tuple(y.shape) == expected
    assert tape.gradient(y, x).shape == x.shape


def test_a_reshape_of_unknown_sizes_says_what_is_asked_for() -> None:
    """Its rank, and the sizes that are numbers."""

    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec(None)])
    def f(x: Any, y: Any) -> Any:
        for z in (x, y):
            assert tf.reshape(z, [0, -1]).shape.as_list() == [0, None]
            assert tf.reshape(z, [-1, 2, 0]).shape.as_list() == [None, 2, 0]
            assert tf.reshape(z, [-1, 3]).shape.as_list() == [None, 3]
        return tf.reshape(x, [0, -1]), tf.reshape(y, [-1, 3])

    empty, rows = f(tf.zeros([0, 5]), tf.ones([2, 3, 1]))
    assert (empty.shape, rows.shape) == ([0, 5], [2, 3])


def test_reshape_to_nothing() -> None:
    """What has elements stays an error."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="requires a multiple of 0"):
        tf.reshape(tf.zeros([2, 3]), [0, -1])


def test_an_empty_batch_is_flattened() -> None:
    """By its size, which is known at run time alone."""

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3])])
    def flat(x: Any) -> Any:
        return tf.reshape(x, [tf.shape(x)[0], -1])

    for shape in ([0, 2, 3], [4, 2, 3], [4, 0, 3], [0, 0, 3]):
        size = 3 if shape == [0, 0, 3] else shape[1] * 3
        assert tuple(flat(tf.zeros(shape)).shape) == (shape[0], size)


def test_parts_say_the_shape_of_a_stack() -> None:
    """One whose shape is known is enough; a loop may then carry the result."""

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def loop(d: Any) -> Any:
        assert tf.stack([0.0, d[0, 0]]).shape == [2]
        assert tf.stack([d, tf.ones([4, 2])], axis=-1).shape == [4, 2, 2]
        assert tf.stack([d, d]).shape.rank is None
        assert tf.add_n([d, tf.ones([4, 2])]).shape == [4, 2]
        body = lambda i, row: (i + 1, tf.stack([0.0, row[0] + d[i, 0]]))  # noqa: E731
        return tf.while_loop(lambda i, row: i < 2, body, (0, tf.ones([2])))[1]

    assert loop(tf.fill([4, 2], 3.0)).numpy().tolist() == [0.0, 3.0]
