"""Ragged tensors: what the table of samples cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wengert as tf

v1 = tf.compat.v1

R = [[1.0, 2.0], [], [3.0]]
DEEP = [[[1], [2, 3]], []]
LISTS = st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=5)


@given(LISTS)
def test_there_and_back(rows: Any) -> None:
    """Lists survive being ragged, dense and sparse."""
    r = tf.ragged.constant(rows, tf.int32, ragged_rank=1)
    assert r.to_list() == rows
    lengths = [len(row) for row in rows]
    assert r.row_lengths().numpy().tolist() == lengths
    assert tf.RaggedTensor.from_tensor(r.to_tensor(), lengths).to_list() == rows
    assert tf.RaggedTensor.from_sparse(r.to_sparse()).to_list() == rows
    assert tf.reduce_sum(r, 1).numpy().tolist() == [sum(row) for row in rows]
    assert tf.concat([r, r], 1).to_list() == [row + row for row in rows]
    assert [row.numpy().tolist() for row in r] == rows
    assert r[::-1, 1:].to_list() == [row[1:] for row in rows[::-1]]


def test_factories_agree() -> None:
    """Rows can be told in five ways."""
    make = tf.RaggedTensor
    values = [1, 2, 3, 4]
    made = [
        make.from_row_splits(values, [0, 2, 2, 4]),
        make.from_row_lengths(values, [2, 0, 2]),
        make.from_row_limits(values, [2, 2, 4]),
        make.from_row_starts(values, [0, 2, 2]),
        make.from_value_rowids(values, [0, 0, 2, 2]),
    ]
    assert [r.to_list() for r in made] == [[[1, 2], [], [3, 4]]] * 5
    assert make.from_uniform_row_length(values, 2).shape == [2, 2]
    nested = make.from_nested_row_splits(values, [[0, 1, 3], [0, 2, 2, 4]])
    assert nested.to_list() == [[[1, 2]], [[], [3, 4]]]
    assert nested.nested_row_splits[0].numpy().tolist() == [0, 1, 3]


def test_deeper_ones() -> None:
    """Rows of rows: as tensors, reduced along each axis."""
    r = tf.ragged.constant(DEEP)
    assert r.to_tensor().numpy().tolist() == [[[1, 0], [2, 3]], [[0, 0], [0, 0]]]
    assert tf.reduce_sum(r, axis=1).to_list() == [[3, 3], []]
    assert tf.reduce_sum(r, axis=2).to_list() == [[1, 5], []]
    assert tf.reduce_sum(r, axis=0).to_list() == [[1], [2, 3]]
    assert r.bounding_shape().numpy().tolist() == [2, 2, 2]
    assert r.to_sparse().indices.numpy().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_reductions_of_empty_rows() -> None:
    """As TensorFlow has them."""
    r = tf.ragged.constant(R)
    assert tf.reduce_max(r, 1).numpy()[1] == np.finfo("f4").min
    assert np.isnan(tf.reduce_mean(r, 1).numpy()[1])
    assert tf.reduce_prod(r, 1).numpy().tolist() == [2.0, 1.0, 3.0]
    truths = tf.ragged.constant([[True, False], [], [True]], ragged_rank=1)
    assert tf.reduce_any(truths, 1).numpy().tolist() == [True, False, True]
    assert tf.reduce_all(truths, 1).numpy().tolist() == [False, True, True]
    assert tf.reduce_mean(r).numpy() == 2.0


def test_operators() -> None:
    """Element by element; a dense operand of one column is spread along the rows."""
    r = tf.ragged.constant(R)
    assert (r * r - 1.0).to_list() == [[0.0, 3.0], [], [8.0]]
    assert (2.0 / r).to_list()[0] == [2.0, 1.0]
    assert (r + tf.constant([[10.0], [20.0], [30.0]])).to_list() == [[11.0, 12.0], [], [33.0]]
    assert (r > 1.5).to_list() == [[False, True], [], [True]]
    assert (-r).to_list() == [[-1.0, -2.0], [], [-3.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"elements of y:\n\[0 1 2\]"):
        r + tf.ragged.constant([[1.0], [2.0], [3.0]])


def test_padding_and_shapes() -> None:
    """to_tensor fills up, or cuts, to a shape; from_tensor takes padding away."""
    r = tf.ragged.constant(R)
    assert r.to_tensor(9.0, shape=[2, 3]).numpy().tolist() == [[1.0, 2.0, 9.0], [9.0, 9.0, 9.0]]
    assert r.to_tensor(shape=[4, 1]).numpy().tolist() == [[1.0], [0.0], [3.0], [0.0]]
    found = tf.RaggedTensor.from_tensor([[1, 0, 2], [3, 0, 0]], padding=0)
    assert found.to_list() == [[1, 0, 2], [3]]


def test_gradients_flow_to_the_values() -> None:
    """As source and as target of a tape."""
    r = tf.ragged.constant(R)
    with tf.GradientTape() as tape:
        tape.watch(r)
        y = r * r
    assert tape.gradient(y, r).to_list() == [[2.0, 4.0], [], [6.0]]


def test_in_functions_and_graphs() -> None:
    """Arguments and results of functions; the same in a graph whose sizes are not known."""
    f = tf.function(lambda r: (r[1:] * 2.0, tf.reduce_sum(r, 1)))
    doubled, total = f(tf.ragged.constant(R))
    assert doubled.to_list() == [[], [6.0]]
    assert total.numpy().tolist() == [3.0, 0.0, 3.0]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        dense = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1]).to_tensor(7.0)
        found = session.run(tf.gradients(dense, x)[0], {x: [1.0, 2.0, 3.0]})
    assert np.asarray(getattr(found, "values", found)).tolist() == [1.0, 1.0, 1.0]


def test_rows_that_do_not_fit() -> None:
    """Splits must rise from zero to the number of values."""
    for splits in ([0, 3], [1, 2], [0, 2, 1, 2], []):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="do not form a valid RaggedTensor"
        ):
            tf.RaggedTensor.from_row_splits([1, 2], splits)
    with pytest.raises(ValueError, match="constructor is private"):
        tf.RaggedTensor([1], [0, 1])
    with pytest.raises(ValueError, match="Cannot index into an inner ragged dimension"):
        tf.ragged.constant(R)[:, 0]


def test_stacked_and_masked() -> None:
    """tf.stack, tf.concat, boolean_mask, range."""
    r = tf.ragged.constant(R)
    assert tf.stack([r, r]).to_list() == [R, R]
    assert tf.concat([r, r], 0).to_list() == R + R
    assert tf.ragged.boolean_mask(r, [True, False, True]).to_list() == [[1.0, 2.0], [3.0]]
    masked = tf.ragged.boolean_mask(
        r, tf.ragged.constant([[False, True], [], [True]], ragged_rank=1)
    )
    assert masked.to_list() == [[2.0], [], [3.0]]
    assert tf.ragged.range([0, 5], [3, 3], [1, -1]).to_list() == [[0, 1, 2], [5, 4]]


def test_gather_of_rows() -> None:
    r = tf.ragged.constant([[1, 2], [3], []])
    assert tf.gather(r, [1, 0]).to_list() == [[3], [1, 2]]
    assert tf.gather(r, [[0, 2], [1, 1]]).to_list() == [[[1, 2], []], [[3], [3]]]
    assert tf.gather(r, 1).numpy().tolist() == [3]
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.gather(tf.RaggedTensor.from_row_splits(x, [0, 2, 3]), [0, 0])
        y = tf.reduce_sum(rows.flat_values * [1.0, 10.0, 100.0, 1000.0])
    assert tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist() == [101.0, 1010.0, 0.0]


def test_row_splits_with_a_tensor_in_them() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    r = tf.RaggedTensor.from_row_splits(x, [0, 2, tf.size(x)])
    assert r.to_list() == [[1.0, 2.0], [3.0]]
    assert r.row_splits.dtype is tf.int32


# ---- what only a run knows --------------------------------------------------------------------

FLOATS = tf.TensorSpec([None], tf.float64)
LENGTHS = tf.TensorSpec([None], tf.int64)
X = np.array([1.0, 2.0, 3.0])


def in_both(f: Any, specs: Any) -> list[Any]:
    """A function at once and as a graph that does not know the sizes."""
    return [f, tf.function(f, input_signature=specs)]


def test_splits_that_do_not_fit_the_values() -> None:
    def by_row_ids(x: Any, y: Any) -> Any:
        return tf.RaggedTensor.from_value_rowids(x, tf.range(tf.size(y))).to_tensor()

    def by_lengths(x: Any, lengths: Any) -> Any:
        return tf.RaggedTensor.from_row_lengths(x, lengths).to_tensor()

    for f in in_both(by_row_ids, [FLOATS, FLOATS]):
        assert f(X, X).numpy().tolist() == [[1.0], [2.0], [3.0]]
        for y in (X[:2], [1.0, 2.0, 3.0, 4.0]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="a valid RaggedTensor"):
                f(X, y)
    for f in in_both(by_lengths, [FLOATS, LENGTHS]):
        assert f(X, [1, 2]).numpy().tolist() == [[1.0, 0.0], [2.0, 3.0]]
        for lengths in ([1, 1], [3, 1], [1, -1, 3]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="a valid RaggedTensor"):
                f(X, lengths)
    with_known_lengths = tf.function(lambda x: by_lengths(x, [1, 2]), input_signature=[FLOATS])
    assert with_known_lengths(X).numpy().tolist() == [[1.0, 0.0], [2.0, 3.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="end with the number of values"):
        with_known_lengths(X[:2])


def test_what_is_known_of_splits_is_checked_before_a_run() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.RaggedTensor.from_row_splits(x, tf.constant([0, 2, 1, 3])).to_tensor()

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 2, 1, 3\] falls"):
        f.get_concrete_function(FLOATS)

    @tf.function
    def fits(x: Any) -> Any:
        r = tf.RaggedTensor.from_row_splits(x, tf.constant([0, 2, 3]))
        return (r + r * 2.0).flat_values

    graph = fits.get_concrete_function(tf.TensorSpec([3], tf.float64)).graph
    assert not [op for op in graph.get_operations() if op.type == "Assert"]


def test_rows_of_different_lengths() -> None:
    def total(x: Any, a: Any, y: Any, b: Any) -> Any:
        one, other = tf.RaggedTensor.from_row_lengths(x, a), tf.RaggedTensor.from_row_lengths(y, b)
        return (one + other).flat_values

    def by_flat_values(x: Any, a: Any, y: Any, b: Any) -> Any:
        one, other = tf.RaggedTensor.from_row_lengths(x, a), tf.RaggedTensor.from_row_lengths(y, b)
        return tf.ragged.map_flat_values(tf.add, one, other).flat_values

    specs = [FLOATS, LENGTHS, FLOATS, LENGTHS]
    for f in in_both(total, specs) + in_both(by_flat_values, specs):
        assert f(X, [1, 2], X, [1, 2]).numpy().tolist() == [2.0, 4.0, 6.0]
        for lengths in ([2, 1], [1, 1, 1], [3]):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"Unable to br|not hold"):
                f(X, [1, 2], X, lengths)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Unable to br|not hold"):
            f(X, [1, 2], X[:1], [0, 1])


def test_splits_of_two_dtypes() -> None:
    def total(x: Any, a: Any, b: Any) -> Any:
        made = tf.RaggedTensor.from_row_lengths
        return (made(x, a) + made(x, b)).flat_values

    for f in in_both(total, [FLOATS, LENGTHS, tf.TensorSpec([None], tf.int32)]):
        lengths = np.array([1, 2])
        assert f(X, lengths, lengths.astype(np.int32)).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_session_checks_the_rows_of_what_it_computes() -> None:
    """And of nothing else: a graph has no order but that of what is needed."""
    with tf.Graph().as_default():
        values = v1.placeholder(tf.float32, [None])
        mine, others = (v1.placeholder(tf.int64, [None]) for _ in range(2))
        a, b = (tf.RaggedTensor.from_row_splits(values, s) for s in (mine, others))
        sums, both = tf.reduce_sum(a, 1), (a + b).flat_values
        mapped = tf.ragged.map_flat_values(tf.add, a, b).flat_values
        good = {values: [1, 2, 3], mine: [0, 1, 3], others: [0, 1, 3]}
        with v1.Session() as session:
            assert session.run(sums, good).tolist() == [1.0, 5.0]
            assert session.run(both, good).tolist() == session.run(mapped, good).tolist()
            for fetch, bad in (
                (sums, {mine: [0, 1, 4]}), (sums, {mine: [1, 2, 3]}),
                (both, {others: [0, 2, 3]}), (mapped, {others: [0, 2, 3]}),
            ):  # fmt: skip
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(fetch, good | bad)
            assert session.run(sums, good | {others: [7, 7]}).tolist() == [1.0, 5.0]


@pytest.mark.parametrize("row_length", [2, tf.constant(2)])
def test_rows_of_one_length_of_an_unknown_number_of_values(row_length: Any) -> None:
    """Splits have the dtype of the length; without a length there are no rows."""
    spec = tf.TensorSpec([None], tf.float32)
    make: Any = tf.RaggedTensor.from_uniform_row_length

    @tf.function(input_signature=[spec])
    def rows(values: Any) -> Any:
        made = make(values, row_length)
        return made, tf.reduce_sum(made, 1)

    made, sums = rows(tf.range(6.0))
    assert made.to_list() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert sums.numpy().tolist() == [1.0, 5.0, 9.0]
    assert made.row_splits.dtype == tf.convert_to_tensor(row_length, dtype_hint=tf.int64).dtype
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows(tf.range(5.0))
    of_argument = tf.function(lambda values, n: make(values, n))
    assert of_argument(tf.range(6.0), tf.constant(3)).to_list() == [
        [0.0, 1.0, 2.0],
        [3.0, 4.0, 5.0],
    ]
    assert make(tf.zeros([0]), 0).to_list() == []
    with pytest.raises(ValueError, match="rank 0"):
        make([1.0, 2.0], [2])


def test_row_ids_that_only_a_run_knows() -> None:
    """The last of them tells the number of rows, unless that is an argument, too."""
    make = tf.RaggedTensor.from_value_rowids
    values, ids = tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 0, 2])
    unknown = [tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.int32)]
    for signature in (None, unknown):
        made = tf.function(lambda v, i: make(v, i), input_signature=signature)
        assert made(values, ids).to_list() == [[1.0, 2.0], [], [3.0]]
        assert made(values[:0], ids[:0]).to_list() == []
    counted = tf.function(lambda v, i, n: make(v, i, n))
    assert counted(values, ids, tf.constant(4)).to_list() == [[1.0, 2.0], [], [3.0], []]
    with pytest.raises(tf.errors.InvalidArgumentError):
        counted(values, ids, tf.constant(2))


def test_partitions_of_what_only_a_run_knows() -> None:
    """Every way to tell the rows, of arguments of a function of unknown size."""
    make = tf.experimental.RowPartition
    ways: list[tuple[Any, list[int], list[int]]] = [
        (make.from_row_splits, [0, 2, 2, 3], [0, 2, 2, 3]),
        (make.from_row_lengths, [2, 0, 1], [0, 2, 2, 3]),
        (make.from_row_limits, [2, 2, 3], [0, 2, 2, 3]),
        (make.from_value_rowids, [0, 0, 2], [0, 2, 2, 3]),
        (lambda a: make.from_row_starts(a, nvals=3), [0, 2, 2], [0, 2, 2, 3]),
        (lambda a: make.from_uniform_row_length(a[0], nvals=4), [2], [0, 2, 4]),
        (lambda a: make.from_uniform_row_length(a[0], nrows=2), [2], [0, 2, 4]),
    ]
    for way, numbers, splits in ways:
        for dtype in (tf.int32, tf.int64):

            def shown(a: Any, way: Any = way) -> Any:
                made = way(a)
                return made.row_splits(), made.offsets_in_rows()

            expected = [
                x - splits[i] for i in range(len(splits) - 1) for x in range(*splits[i : i + 2])
            ]
            signature = [tf.TensorSpec([None], dtype)]
            for f in (shown, tf.function(shown, input_signature=signature)):
                found = f(tf.constant(numbers, dtype))
                assert [v.numpy().tolist() for v in found] == [splits, expected]
                assert [v.dtype for v in found] == [dtype, dtype]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_ranges_of_drawn_ends(dtype: Any) -> None:
    """Each number is the one before it and a step, rounded to the dtype, as in TensorFlow."""
    rng = np.random.default_rng(0)
    for count in (0, 1, 7, 40):
        first, last = (rng.uniform(-20, 20, count).astype(dtype) for _ in range(2))
        step = (rng.choice([-1, 1], count) * rng.uniform(1, 9, count)).astype(dtype)
        if count == 40:
            last[0] = first[0] + 3000 * step[0]  # far longer than the others
        found = tf.ragged.range(first, last, step)
        assert found.dtype == tf.as_dtype(dtype)
        for row, a, b, d in zip(found, first, last, step, strict=True):
            want, now = [], a
            while now < b if d > 0 else now > b:
                want.append(now)
                now = dtype(now + d)
            size = np.ceil(np.divide(b - a, d)) if np.issubdtype(dtype, np.floating) else len(want)
            assert row.numpy().tolist() == want[: int(max(size, 0))]


def test_ranges_that_are_far_or_endless() -> None:
    low, high = -(2**63), 2**63 - 1
    found = tf.ragged.range(
        tf.constant([low, high, high - 3]), tf.constant([high, low, high]), [2**62, -high, 2]
    )
    assert found.to_list() == [
        [low, low + 2**62, 0, 2**62], [high, 0, -high], [high - 3, high - 1],
    ]  # fmt: skip
    for start, limit, step in ((0.0, np.inf, 1.0), (0.0, np.nan, 1.0), (0.0, 5.0, np.nan)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"limit - start\) / delta\) <="):
            tf.ragged.range([start], [limit], [step])
    assert tf.ragged.range([0.0], [5.0], [np.inf]).to_list() == [[]]
    half = tf.ragged.range(tf.constant([1.0], tf.bfloat16), tf.constant([3.0], tf.bfloat16))
    assert half.dtype == tf.bfloat16
    assert half.to_list() == [[1.0, 2.0]]
