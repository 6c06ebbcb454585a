"""Sparse tensors: what the table of samples cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf

AT = [[0, 0], [0, 2], [1, 1]]


def example(values: Any = (1.0, 2.0, 3.0)) -> Any:
    return tf.SparseTensor(AT, values, [2, 4])


def differences(f: Any, x: Any, h: float = 1e-6) -> Any:
    out = np.zeros_like(x)
    for i in range(x.size):
        step = np.zeros_like(x)
        step.flat[i] = h
        out.flat[i] = (f(x + step) - f(x - step)) / (2 * h)
    return out


def slope(f: Any, x: Any) -> Any:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# ---- the value itself -------------------------------------------------------------------------


def test_it_shows_its_parts() -> None:
    """The repr is TensorFlow's."""
    assert repr(tf.SparseTensor([[0]], [5], [2])) == (
        "SparseTensor(indices=tf.Tensor([[0]], shape=(1, 1), dtype=int64), values=tf.Tensor([5], "
        "shape=(1,), dtype=int32), dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (([[0, 5], [0, 6]], [1.0], [2, 3]), "Dimensions 2 and 1 are not compatible"),
        (([0, 5], [1.0], [2, 3]), "must have rank 2"),
        (([[0, 5]], [1.0], [2, 3, 3]), "Dimensions 2 and 3 are not compatible"),
    ],
)
def test_parts_that_do_not_fit(parts: Any, words: str) -> None:
    """A mismatch is said when the tensor is made."""
    with pytest.raises(ValueError, match=words):
        tf.SparseTensor(*parts)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ([[0, 2], [0, 0]], "out of order"),
        ([[0, 0], [0, 0]], "is repeated"),
        ([[0, 5], [0, 6]], r"\[0,5\] is out of bounds: need 0 <= index < \[2,3\]"),
    ],
)
def test_indices_that_are_wrong(at: Any, words: str) -> None:
    """to_dense checks coordinates."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.sparse.to_dense(tf.SparseTensor(at, [1.0, 2.0], [2, 3]))


def test_as_a_nested_structure() -> None:
    """tf.nest sees one value, or with expand_composites its three tensors."""
    s = example()
    assert tf.nest.flatten([s]) == [s]
    parts = tf.nest.flatten(s, expand_composites=True)
    assert [p.shape.rank for p in parts] == [2, 1, 1]
    again = tf.nest.pack_sequence_as(s, parts, expand_composites=True)
    assert again.values is s.values


def test_as_source_and_target_of_a_tape() -> None:
    """Gradients flow to and from the values."""
    s = example()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(s)
        doubled = tf.sparse.map_values(tf.multiply, s, 2.0)
        total = tf.sparse.reduce_sum(doubled)
    found = tape.gradient(total, s)
    assert isinstance(found, tf.SparseTensor)
    assert found.values.numpy().tolist() == [2.0, 2.0, 2.0]
    assert tape.gradient(doubled, s.values).numpy().tolist() == [2.0, 2.0, 2.0]


def test_as_argument_and_result_of_a_function() -> None:
    """A function is traced once for each shape; its result is sparse again."""
    f = tf.function(lambda s: tf.sparse.transpose(tf.sparse.add(s, s)))
    for _ in range(2):
        result = f(example())
    assert f.experimental_get_tracing_count() == 1
    assert result.shape == [4, 2]
    assert result.values.numpy().tolist() == [2.0, 6.0, 4.0]
    f(tf.SparseTensor([[0, 0]], [1.0], [2, 4]))
    assert f.experimental_get_tracing_count() == 2 or result.shape == [4, 2]


def test_in_a_session() -> None:
    """Placeholders are fed with SparseTensorValues, which fetches return."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        s = v1.sparse_placeholder(tf.float32, [2, 4])
        y = tf.sparse.softmax(tf.sparse.reorder(s))
        value = v1.SparseTensorValue(np.array(AT), np.zeros(3, "f4"), np.array([2, 4]))
        found = session.run(y, {s: value})
    assert isinstance(found, v1.SparseTensorValue)
    assert found.values.tolist() == [0.5, 0.5, 1.0]
    assert found.dense_shape.tolist() == [2, 4]


# ---- arithmetic -------------------------------------------------------------------------------


def test_a_threshold_leaves_out_small_sums() -> None:
    """Their gradient is zero."""
    other = tf.constant([-0.5, 4.0, 1.0])
    f = lambda x: tf.sparse.add(example(x), example(other), 1.0).values  # noqa: E731
    x = np.array([1.0, 2.0, 3.0], "f4")
    assert f(tf.constant(x)).numpy().tolist() == [6.0, 4.0]
    assert slope(f, x).numpy().tolist() == [0.0, 1.0, 1.0]


def test_a_threshold_is_for_sums_of_two() -> None:
    """What only one of them has stays, however small."""
    a = tf.SparseTensor([[0], [1]], [0.5, 0.1], [4])
    b = tf.SparseTensor([[1], [2]], [0.2, 0.05], [4])
    for threshold, places in ((0.3, [[0], [1], [2]]), (1.0, [[0], [2]])):
        found = tf.sparse.add(a, b, threshold)
        assert found.indices.numpy().tolist() == places
        assert found.values.numpy()[-1] == np.float32(0.05)


def test_tangents_of_a_sum() -> None:
    """Forward mode has them, where TensorFlow has none."""
    x, t = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 10.0, 100.0])
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        y = tf.sparse.add(example(x), tf.SparseTensor([[0, 2]], [5.0], [2, 4])).values
    assert acc.jvp(y).numpy().tolist() == [1.0, 10.0, 100.0]


def test_concat_has_a_gradient() -> None:
    """Where TensorFlow has none."""
    f = lambda x: tf.sparse.concat(0, [example(x), example(x * x)]).values  # noqa: E731
    assert slope(f, np.array([1.0, 2.0, 3.0])).numpy().tolist() == [3.0, 5.0, 7.0]


def test_softmax_to_the_second_order() -> None:
    """The slope of the slope is that of differences."""
    w = np.array([0.3, -1.2, 0.7])
    f = lambda x: tf.reduce_sum(tf.sparse.softmax(example(x)).values * w)  # noqa: E731
    x = np.array([0.2, 1.1, -0.4])
    second = slope(lambda y: tf.reduce_sum(slope(f, y) * w), x)
    want = differences(lambda y: np.sum(slope(f, y).numpy() * w), x)
    assert np.allclose(second, want, atol=1e-7)


def test_no_values_at_all() -> None:
    """Empty tensors go through everything."""
    s = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, "f4"), [2, 3])
    assert tf.sparse.to_dense(s).numpy().sum() == 0
    assert tf.sparse.reduce_max(s, 1).numpy().tolist() == [0.0, 0.0]
    assert tf.sparse.softmax(s).values.shape == [0]
    assert tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2])).shape == [2, 2]
    assert tf.sparse.fill_empty_rows(s, 1.0)[0].values.numpy().tolist() == [1.0, 1.0]


def test_bincount_of_rows() -> None:
    """Dense, sparse and weighted numbers."""
    rows = tf.sparse.bincount([[1, 1, 3], [0, 0, 2]], axis=-1, maxlength=3)
    assert tf.sparse.to_dense(rows).numpy().tolist() == [[0, 2, 0], [2, 0, 1]]
    s = tf.SparseTensor([[0, 0], [2, 1]], [1, 3], [3, 4])
    assert tf.sparse.bincount(s, axis=-1).indices.numpy().tolist() == [[0, 1], [2, 3]]
    f = lambda w: tf.sparse.bincount([1, 1, 3], w).values  # noqa: E731
    assert slope(f, np.ones(3)).numpy().tolist() == [1.0, 1.0, 1.0]


def test_reset_shape_needs_room() -> None:
    """The new shape may not be smaller."""
    assert tf.sparse.reset_shape(example()).shape == [2, 3]
    with pytest.raises(ValueError, match="new_shape should have dimension sizes >="):
        tf.sparse.reset_shape(example(), [1, 4])


# ---- sets, distances, sequences ---------------------------------------------------------------


def test_sets_of_sparse_rows() -> None:
    """Rows of sparse tensors are sets, too; empty rows count."""
    a = tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 2])
    b = tf.SparseTensor([[0, 0], [1, 0]], [1, 3], [2, 2])
    found = tf.sets.difference(a, b)
    assert found.indices.numpy().tolist() == [[1, 0]]
    assert tf.sets.size(tf.sets.union(a, b)).numpy().tolist() == [1, 2]
    assert tf.sets.difference(a, b, aminusb=False).values.numpy().tolist() == [3]
    assert tf.sets.intersection([["a", "b"]], [["b", "c"]]).values.numpy().tolist() == [b"b"]


def test_edit_distance_of_nothing() -> None:
    """A distance from an empty truth is infinite, unless both are empty."""
    said = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    meant = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2)
    )
    assert tf.edit_distance(said, meant).numpy().tolist() == [[np.inf, 1.0], [0.5, 1.0]]


def test_edit_distance_of_drawn_sequences() -> None:
    """The table of all distances between beginnings says the same."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        a, b = (rng.integers(0, 3, rng.integers(1, 12)) for _ in range(2))
        table = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
        for i, x in enumerate(a, 1):
            for j, y in enumerate(b, 1):
                near = table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (x != y)
                table[i, j] = min(near)
        given = [tf.sparse.from_dense([[f"c{v}" for v in x]]) for x in (a, b)]
        found = tf.edit_distance(given[0], given[1], normalize=False)
        assert found.numpy().tolist() == [table[-1, -1]]


def test_edit_distance_beyond_the_shape() -> None:
    inside = tf.SparseTensor([[0, 0]], [1], [2, 2])
    for row in (-1, 2):
        beyond = tf.SparseTensor([[row, 0]], [1], [2, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
            tf.edit_distance(inside, beyond)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, object])
def test_sets_of_drawn_rows(kind: Any) -> None:
    """As Python's sets say, for rows that are missing and numbers that are far apart, too."""
    rng = np.random.default_rng(3)
    far = np.array([-(2**63), 2**63 - 1, 0, 5], np.int64)
    for count in (0, 1, 5, 60):
        sets: list[dict[Any, set[Any]]] = [{}, {}]
        given: list[Any] = []
        for held in sets:
            at = np.unravel_index(np.sort(rng.choice(60, count, replace=False)), (4, 3, 5))
            values = rng.integers(0, 9, count)
            if kind is not object:
                values = far[values % 4] if kind is np.int64 else values.astype(kind)
            for i, j, value in zip(*at[:2], values.tolist(), strict=True):
                held.setdefault((int(i), int(j)), set()).add(value)
            shown = np.array([str(v) for v in values], object) if kind is object else values
            given.append(tf.SparseTensor(np.stack(at, 1), tf.constant(shown), (4, 3, 5)))
        for how, combine in (
            (tf.sets.union, set.union),
            (tf.sets.intersection, set.intersection),
            (tf.sets.difference, set.difference),
        ):
            want = [
                ([*row, k], str(value).encode() if kind is object else value)
                for row in sorted({*sets[0], *sets[1]})
                for k, value in enumerate(sorted(combine(*[s.get(row, set()) for s in sets])))
            ]
            found = how(given[0], given[1])
            assert found.indices.numpy().tolist() == [at for at, _ in want]
            assert found.values.numpy().tolist() == [value for _, value in want]
            assert found.dense_shape.numpy()[-1] == max((at[-1] + 1 for at, _ in want), default=0)
        sizes = tf.sets.size(given[0]).numpy()
        assert {(i, j): n for (i, j), n in np.ndenumerate(sizes) if n} == {
            row: len(held) for row, held in sets[0].items()
        }


def test_edit_distance_of_unknown_sizes() -> None:
    """Which are guessed at, and may be large, while the graph is built."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        a, b = (v1.sparse_placeholder(tf.int32, [None, 2]) for _ in range(2))
        d = tf.edit_distance(a, b)
        assert d.dtype == tf.float32


def test_a_sparse_placeholder_of_a_constant_shape() -> None:
    """A tensor whose value is known says the shape, or at least the rank."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        f = v1.sparse_placeholder(tf.float32, tf.constant(np.array([4, 3])))
        assert f.shape == [4, 3]
        y = v1.sparse_tensor_dense_matmul(f, tf.ones([3, 2]))
        fed = v1.SparseTensorValue([[0, 0], [3, 1]], [1.0, 2.0], [4, 3])
        assert session.run(y, {f: fed}).tolist() == [[1, 1], [0, 0], [0, 0], [2, 2]]
        g = v1.sparse_placeholder(tf.float32, v1.placeholder(tf.int64, [2]))
        assert g.shape.as_list() == [None, None]


def test_edit_distance_of_unknown_ranks() -> None:
    """Of what a session is fed: how good a program of version 1 hears."""
    v1 = tf.compat.v1
    fed = (np.array([[0, 0], [0, 1], [1, 0]]), np.array([1, 2, 3]), np.array([2, 2]))
    other = (np.array([[0, 0], [1, 0]]), np.array([1, 4]), np.array([2, 1]))
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.sparse_placeholder(tf.int32, [None, 2])
        b = v1.sparse_placeholder(tf.int32)
        d = tf.edit_distance(a, b)
        assert d.dtype == tf.float32
        mean = tf.reduce_mean(d)
        assert session.run([d, mean], {a: fed, b: other})[0].tolist() == [1.0, 1.0]
        assert session.run(mean, {a: fed, b: fed}) == 0.0


def test_ctc_loss_of_sparse_labels() -> None:
    """The same as of dense labels."""
    logits = tf.constant(np.random.default_rng(0).normal(size=(5, 2, 4)))
    labels = tf.constant([[1, 2, 0], [3, 0, 0]])
    s = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 3])
    want = tf.nn.ctc_loss(labels, logits, [2, 1], [5, 4], blank_index=0)
    got = tf.nn.ctc_loss(s, logits, None, [5, 4], blank_index=0)
    assert np.allclose(got, want)
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss(s, logits, None, [5, 4])


def test_lookup_of_empty_rows() -> None:
    """A row without ids is the default row, or zeros."""
    table = tf.constant([[2.0], [4.0]])
    ids = tf.SparseTensor([[0, 0], [2, 0]], [1, -1], [3, 1])
    lookup = tf.nn.safe_embedding_lookup_sparse
    assert lookup(table, ids).numpy().tolist() == [[4.0], [0.0], [0.0]]
    assert lookup(table, ids, default_id=0).numpy().tolist() == [[4.0], [2.0], [2.0]]
    with pytest.raises(ValueError, match="combiner must be one of"):
        lookup(table, ids, combiner="max")


def test_parts_that_do_not_fit_at_sizes_that_only_a_run_knows() -> None:
    def both(at: Any, values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            dense = tf.sparse.to_dense(tf.SparseTensor(at, values, [4]))
        return dense, tape.gradient(dense, values)

    at, x = np.array([[0], [1], [3]]), np.array([1.0, 2.0, 3.0])
    for sizes in ([None], None):
        specs = [
            tf.TensorSpec(None if sizes is None else [None, None], tf.int64),
            tf.TensorSpec(sizes, tf.float64),
        ]
        f = tf.function(both, input_signature=specs)
        assert [y.numpy().tolist() for y in f(at, x)] == [[1.0, 2.0, 0.0, 3.0], [1.0] * 3]
        for values in (x[:1], x[:2]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="as many values as coord"):
                f(at, values)
        with pytest.raises(tf.errors.InvalidArgumentError, match="an index for each axis"):
            f(np.repeat(at, 2, 1), x)


def test_parts_that_fit_are_not_checked_again() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
    def f(x: Any) -> Any:
        at = tf.where(x > 0.0)
        s = tf.SparseTensor(at, tf.gather_nd(x, at), tf.shape(x, tf.int64))
        return tf.sparse.to_dense(s.with_values(s.values * 2.0))

    assert f([1.0, -1.0, 3.0]).numpy().tolist() == [2.0, 0.0, 6.0]
    operations = f.get_concrete_function().graph.get_operations()
    assert not [op for op in operations if op.type == "Assert"]


@pytest.mark.parametrize("name", ["abs", "negative", "sign", "square", "tanh", "erf", "sin"])
def test_functions_that_keep_zeros(name: str) -> None:
    """As TensorFlow's, of the values alone, with their gradients."""
    function = getattr(tf.math, name)
    values = tf.constant([0.5, -2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        found = function(tf.SparseTensor([[0, 1], [1, 0]], values, [2, 2]))
        dense = function(values)
    assert found.values.numpy().tolist() == dense.numpy().tolist()
    assert found.shape == [2, 2]
    both = [tape.gradient(y, values) for y in (found.values, dense)]
    assert both[0] is None or both[0].numpy().tolist() == both[1].numpy().tolist()


def test_questions_of_shape() -> None:
    """Shape, size and rank of what it stands for; and a cast."""
    s = tf.sparse.from_dense([[0, 3, 0], [4, 0, 0]])
    asked = tf.function(lambda s: (tf.shape(s), tf.size(s), tf.rank(s), tf.cast(s, tf.float64)))
    for shape, size, rank, cast in (asked(s), asked.python_function(s)):
        assert (shape.numpy().tolist(), int(size), int(rank)) == ([2, 3], 6, 2)
        assert cast.dtype is tf.float64
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.exp(s)


def test_pieces_of_an_unknown_shape() -> None:
    """There are as many as are asked for, however that is said."""
    signature = [tf.SparseTensorSpec([None, None])]

    @tf.function(input_signature=signature)
    def pieces(s: Any) -> Any:
        return tf.sparse.split(s, 2, 1), tf.sparse.split(sp_input=s, num_split=2, axis=1)[1]

    first, second = pieces(example())[0]
    assert tf.sparse.to_dense(first).numpy().tolist() == [[1.0, 0.0], [0.0, 3.0]]
    assert tf.sparse.to_dense(second).numpy().tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert tf.sparse.to_dense(pieces(example())[1]).numpy().tolist() == [[2.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("mode", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    "lookup", [tf.nn.embedding_lookup_sparse, tf.nn.safe_embedding_lookup_sparse]
)
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0, 4.0]])
def test_the_gradient_of_a_lookup_has_a_row_for_each_id(
    lookup: Any, weights: Any, mode: Any
) -> None:
    """However often an id occurs: what takes norms of the rows counts each once, at each order."""
    table = tf.Variable([[1.0], [2.0], [3.0], [4.0]])
    at = [[0, 0], [0, 1], [1, 0], [2, 0]]
    ids = tf.SparseTensor(at, tf.constant([3, 1, 3, 0], tf.int64), [3, 2])
    given = None if weights is None else tf.SparseTensor(at, weights, [3, 2])

    def gradients() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(lookup(table, ids, given, combiner="sum") ** 2)
            first = tape.gradient(y, table)
            z = tf.reduce_sum(first.values)
        return first, outer.gradient(z, table)

    first, second = mode(gradients)()
    assert first.indices.numpy().tolist() == second.indices.numpy().tolist() == [3, 1, 0]
    w = np.array(weights or np.ones(4))
    a = np.array([[0, w[1], 0, w[0]], [0, 0, 0, w[2]], [w[3], 0, 0, 0]])  # the lookup as a matrix
    hessian = 2.0 * a.T @ a
    assert np.allclose(first.values[:, 0], (hessian @ [1.0, 2.0, 3.0, 4.0])[[3, 1, 0]])
    assert np.allclose(second.values[:, 0], hessian.sum(0)[[3, 1, 0]])


def test_coordinates_that_are_far_apart() -> None:
    """Too many places for one number each: the order and the groups are the same."""
    rng = np.random.default_rng(0)
    small = rng.integers(0, 3, (200, 3))
    far = small * 2**40
    for shape, at in (((3, 3, 3), small), ((2**42,) * 3, far)):
        values = np.arange(200.0)
        s = tf.sparse.reorder(tf.SparseTensor(at, values, shape))
        keys = small @ [9, 3, 1]
        assert s.values.numpy().tolist() == np.argsort(keys, kind="stable").tolist()
        total = tf.sparse.add(s, s)
        want = [2 * values[keys == key].sum() for key in np.unique(keys)]
        assert total.values.numpy().tolist() == want
        assert len(total.indices) == len(np.unique(keys))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_filled_rows_keep_their_order(dtype: Any) -> None:
    rng = np.random.default_rng(1)
    at = np.argwhere(rng.random((40, 5)) < 0.15)
    s = tf.SparseTensor(at, np.arange(len(at)).astype(dtype), (40, 5))
    filled, empty = tf.sparse.fill_empty_rows(s, -1.0)
    want = [
        (row, k) for row in range(40) for k in (np.flatnonzero(at[:, 0] == row).tolist() or [-1])
    ]
    assert filled.indices.numpy()[:, 0].tolist() == [row for row, _ in want]
    assert filled.values.numpy().tolist() == [k for _, k in want]
    assert empty.numpy().tolist() == [not (at[:, 0] == row).any() for row in range(40)]


@pytest.mark.parametrize(
    "dense", [tf.constant([[3.0, 4.0], [5.0, 6.0]]), tf.Variable([[3.0, 4.0], [5.0, 6.0]])]
)
def test_a_dense_left_operand_of_a_product(dense: Any) -> None:
    """It is the sparse product, whichever of the two is on the left; as are rows and numbers."""

    def product(x: Any, values: Any) -> Any:
        return tf.sparse.to_dense(x * tf.SparseTensor([[0, 0], [1, 1]], values, [2, 2]))

    for call in (product, tf.function(product)):
        values = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(dense)
            y = call(dense, values)
        to_dense, to_values = tape.gradient(
            y, [dense, values], tf.constant([[1.0, 9.0], [9.0, 10.0]])
        )
        assert y.numpy().tolist() == [[3.0, 0.0], [0.0, 12.0]]
        assert to_dense.numpy().tolist() == [[1.0, 0.0], [0.0, 20.0]]
        assert to_values.numpy().tolist() == [3.0, 60.0]
    for other in (dense[0] * 0.5, np.float32([1.5, 2.0]), tf.constant(1.5)):
        last = 3.0 if np.ndim(other) == 0 else 4.0
        assert product(other, [1.0, 2.0]).numpy().tolist() == [[1.5, 0.0], [0.0, last]]
