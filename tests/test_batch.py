"""Batches: one function over many examples at once."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import LeakedTensorError

ROWS = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def gradient_of(f: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def one_by_one(f: Any, xs: Any) -> Any:
    return np.stack([np.asarray(f(x)) for x in xs])


@pytest.mark.parametrize(
    "f",
    [
        lambda r: r * r + 1.0,
        lambda r: r * tf.reduce_sum(r),
        lambda r: tf.linalg.matvec(W, tf.nn.softmax(r)),  # type: ignore[has-type]
        lambda r: tf.tensordot(r, r, 1),
        lambda r: r[::-1] * r[0],
        lambda r: tf.where(r > 2.0, r, -r),
        lambda r: tf.concat([r, tf.zeros([2])], 0),
        lambda r: tf.cumsum(r) / tf.norm(r),
    ],
)
def test_a_batch_is_what_its_examples_are(f: Any) -> None:
    """Values and gradients, against the examples one by one."""
    np.testing.assert_allclose(tf.vectorized_map(f, ROWS), one_by_one(f, ROWS), rtol=1e-6)

    def slope(r: Any) -> Any:
        return gradient_of(f, r)

    np.testing.assert_allclose(tf.vectorized_map(slope, ROWS), one_by_one(slope, ROWS), rtol=1e-6)


W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_structures() -> None:
    """Arguments and results may be nested."""
    result = tf.vectorized_map(
        lambda e: {"sum": e["a"] + e["b"], "twice": (e["a"] * 2.0,)},
        {"a": ROWS, "b": tf.constant([10.0, 20.0, 30.0])},
    )
    assert result["sum"].numpy().tolist() == [[11.0, 12.0], [23.0, 24.0], [35.0, 36.0]]
    assert result["twice"][0].numpy().tolist() == (ROWS.numpy() * 2.0).tolist()


def test_a_result_that_does_not_depend_on_the_example_is_repeated() -> None:
    """Once for each."""
    result = tf.vectorized_map(lambda r: tf.constant([7.0]), ROWS)
    assert result.numpy().tolist() == [[7.0]] * 3


def test_a_tape_outside_records_the_batch() -> None:
    """As one computation: the gradient reaches the arguments and what was captured."""
    scale = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([ROWS, scale])
        y = tf.vectorized_map(lambda r: tf.reduce_sum(r * r) * scale, ROWS)
    by_rows, by_scale = tape.gradient(y, [ROWS, scale])
    np.testing.assert_allclose(by_rows, 4.0 * ROWS.numpy())
    assert by_scale.numpy() == np.sum(ROWS.numpy() ** 2)


def test_forward_mode_outside_and_inside() -> None:
    """Tangents pass through the batch."""
    t = tf.ones([3, 2])
    with tf.autodiff.ForwardAccumulator(ROWS, t) as forward:
        y = tf.vectorized_map(lambda r: tf.reduce_sum(r * r), ROWS)
    np.testing.assert_allclose(forward.jvp(y), 2.0 * ROWS.numpy().sum(1))

    def inside(r: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(r, tf.ones([2])) as forward:
            y = tf.reduce_sum(r * r)
        return forward.jvp(y)

    np.testing.assert_allclose(tf.vectorized_map(inside, ROWS), 2.0 * ROWS.numpy().sum(1))


def test_a_batch_within_a_batch() -> None:
    """Every pair of rows, against NumPy."""

    def products(r: Any) -> Any:
        return tf.vectorized_map(lambda s: tf.reduce_sum(r * s), ROWS)

    rows = ROWS.numpy()
    np.testing.assert_allclose(tf.vectorized_map(products, ROWS), rows @ rows.T)


def test_an_empty_batch() -> None:
    """No examples, and still the shape of a result, also without a batching rule."""
    empty = tf.zeros([0, 2])
    assert tf.vectorized_map(lambda r: r * 2.0, empty).shape == (0, 2)
    gathered = tf.vectorized_map(lambda r: tf.gather_nd(r, [[0], [1], [0]]), empty)
    assert gathered.shape == (0, 3)


SPECS = {
    "known": [tf.TensorSpec([3, 2]), tf.TensorSpec([1, 2])],
    "of one size": [tf.TensorSpec([3, 2]), tf.TensorSpec([None, 2])],
    "of no size": [tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2])],
    "of no rank": [tf.TensorSpec(None), tf.TensorSpec(None)],
}


@pytest.mark.parametrize("specs", [None, *SPECS.values()], ids=["eager", *SPECS])
def test_an_argument_with_one_example_is_for_all(specs: Any) -> None:
    """As if it were repeated; its gradient is the sum."""
    x, one = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([[10.0, 100.0]])

    def products(x: Any, one: Any) -> Any:
        return tf.vectorized_map(lambda e: e[0] * e[1], (x, one))

    f = products if specs is None else tf.function(products, input_signature=specs)
    with tf.GradientTape() as tape:
        tape.watch([x, one])
        y = f(x, one)
    assert y.numpy().tolist() == (x.numpy() * one.numpy()).tolist()
    to_x, to_one = map(tf.convert_to_tensor, tape.gradient(y, [x, one]))
    assert to_x.numpy().tolist() == [[10.0, 100.0]] * 3
    assert to_one.numpy().tolist() == [[9.0, 12.0]]
    if specs is None or specs[0].is_compatible_with(one):
        assert f(one, one).numpy().tolist() == [[100.0, 10000.0]]


@pytest.mark.parametrize("mode", [lambda f: f, tf.function])
def test_none_among_the_results(mode: Any) -> None:
    f = mode(lambda x: tf.vectorized_map(lambda r: {"a": (r * 2.0, None), "b": None}, x))
    found = f(ROWS)
    assert found["a"][0].numpy().tolist() == (ROWS * 2.0).numpy().tolist()
    assert found["a"][1] is found["b"] is None
    assert mode(lambda x: tf.vectorized_map(lambda r: None, x))(ROWS) is None


def test_arguments_of_different_sizes() -> None:
    """The error shows the shapes."""
    with pytest.raises(ValueError, match=re.escape("[[3, 2], [2]]")):
        tf.vectorized_map(lambda e: e[0], [ROWS, tf.ones([2])])


@pytest.mark.parametrize(
    "f", [lambda r: r if r[0] > 0 else -r, lambda r: r.numpy(), lambda r: float(r[0])]
)
def test_an_example_has_no_value(f: Any) -> None:
    """The error says what to write instead, and the state stays whole."""
    with pytest.raises(
        (LeakedTensorError, AttributeError), match=r"tf\.where instead of a Python `if`"
    ):
        tf.vectorized_map(f, ROWS)
    assert (ROWS * 1.0).shape == (3, 2)


def test_a_tensor_that_leaves_its_batch() -> None:
    """Using it outside is an error that says so."""
    kept: list[Any] = []
    tf.vectorized_map(lambda r: kept.append(r) or r, ROWS)  # type: ignore[func-returns-value]
    for use in (lambda t: t * 2.0, tf.exp, lambda t: tf.reshape(t, [1, 2]), tf.reduce_sum):
        with pytest.raises(LeakedTensorError, match="outside the function that was being vect"):
            use(kept[0])


def test_an_error_inside_leaves_the_state_whole() -> None:
    """The fixture of all tests looks at the state, too."""
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        with pytest.raises(ZeroDivisionError):
            tf.vectorized_map(lambda r: 1 / 0, ROWS)
        y = ROWS * 2.0
    assert tape.gradient(y, ROWS).numpy().tolist() == [[2.0, 2.0]] * 3


def test_variables_inside() -> None:
    """A tape outside sees that they are read."""
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda r: r * v, ROWS)
    assert tape.gradient(y, v).numpy() == 21.0


TABLE = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], [10, 20]), 0)
GENERATOR = tf.random.Generator.from_seed(1)
MORE_THAN_A_FUNCTION: Any = {
    "normal": lambda r: r + tf.random.normal([2]),
    "integers": lambda r: tf.random.uniform([2], 3, 9, tf.int32),
    "dropout": lambda r: tf.nn.dropout(r, 0.5),
    "gamma": lambda r: tf.random.gamma([], r),
    "poisson": lambda r: tf.random.poisson([2], r),
    "shuffle": tf.random.shuffle,
    "categorical": lambda r: tf.random.categorical(r[None], 4),
    "candidates": lambda r: tf.random.uniform_candidate_sampler([[1]], 1, 2, True, 5)[0],
    "generator": lambda r: r + GENERATOR.normal([2]),
    "table": lambda r: TABLE.lookup(tf.cast(r, tf.int32)),
    "print": lambda r: (tf.print(r), r)[1],
    "assert": lambda r: (tf.debugging.assert_positive(r), r)[1],
    "branch": lambda r: tf.cond(r[0] > 1.0, lambda: r + tf.random.normal([2]), lambda: r),
    "loop": lambda r: tf.while_loop(
        lambda i, _: i < 3, lambda i, r: (i + 1, r + tf.random.normal([2])), (0, r)
    )[1],
}


@pytest.mark.parametrize("f", MORE_THAN_A_FUNCTION.values(), ids=MORE_THAN_A_FUNCTION)
def test_effects_and_draws_of_each_example(f: Any, capsys: Any) -> None:
    """Eager, in a function, and where the number of examples is known only at run time."""
    forms = [(tf.vectorized_map(f, ROWS).shape, capsys.readouterr().err)]
    for sizes in (ROWS.shape, [None, 2]):
        g = tf.function(lambda x: tf.vectorized_map(f, x), input_signature=[tf.TensorSpec(sizes)])
        forms.append((g(ROWS).shape, capsys.readouterr().err))
    assert forms[0] == forms[1] == forms[2]


OF_ITS_SIZE: Any = {
    "zeros": lambda r: tf.zeros(tf.shape(r)),
    "ones": lambda r: tf.ones([tf.shape(r)[0], 2]),
    "range": lambda r: tf.range(tf.size(r)),
    "eye": lambda r: tf.eye(tf.shape(r)[0]) * r,
    "top_k": lambda r: tf.math.top_k(r, k=tf.shape(r)[0] - 1)[0],
    "scatter": lambda r: tf.scatter_nd([[0]], r[:1], tf.shape(r)),
    "segments": lambda r: tf.math.unsorted_segment_sum(r, tf.zeros(tf.shape(r), tf.int32), tf.shape(r)[0]),
    "reshape": lambda r: tf.reshape(r, [tf.shape(r)[0], 1]),
    "tile": lambda r: tf.tile(r, [tf.shape(r)[0]]),
    "slice": lambda r: r[: tf.shape(r)[0] - 1],
    "pad": lambda r: tf.pad(r, [[0, tf.shape(r)[0]]]),
    "one_hot": lambda r: tf.one_hot(0, tf.shape(r)[0]) * r,
    "array": lambda r: tf.TensorArray(r.dtype, size=tf.shape(r)[0]).unstack(r).stack(),
    "index": lambda r: r[tf.argmax(r)],
    "indices": lambda r: ROWS[tf.argmax(r) - 2, None, tf.argmin(r)],
    "column": lambda r: ROWS[..., tf.argmin(-r)],
}  # fmt: skip


@pytest.mark.parametrize("f", OF_ITS_SIZE.values(), ids=OF_ITS_SIZE)
def test_the_size_of_an_example(f: Any) -> None:
    """It is that of all: it can be used where a number is needed; an index may differ."""
    want = one_by_one(f, ROWS)
    for sizes in (ROWS.shape, [3, None], [None, None]):
        g = tf.function(lambda x: tf.vectorized_map(f, x), input_signature=[tf.TensorSpec(sizes)])
        np.testing.assert_allclose(g(ROWS), want)
    np.testing.assert_allclose(tf.vectorized_map(f, ROWS), want)


def test_parts_of_several_sizes() -> None:
    rows = tf.constant([[1.0, 2.0], [4.0, 3.0]])
    with pytest.raises(TypeError, match=r"another size in each example.*tf\.map_fn"):
        tf.vectorized_map(lambda r: r[tf.argmax(r) :], rows)


def test_a_check_of_an_example_fails() -> None:
    check = lambda r: (tf.debugging.assert_less(r, 3.0), r)[1]  # noqa: E731
    for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
            run(check, ROWS)


def test_a_tangent_of_one_example_beside_what_all_have_in_common() -> None:
    """Forward mode inside of a map, where only the direction differs from example to example."""
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)

    def column(direction: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, direction) as forward:
            y = tf.stack([tf.sin(x[0]) * x[1], x[2] ** 2.0 + x[0]])
        return forward.jvp(y)

    found = tf.vectorized_map(column, tf.eye(3, dtype=tf.float64))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([tf.sin(x[0]) * x[1], x[2] ** 2.0 + x[0]])
    np.testing.assert_allclose(found, tf.transpose(tape.jacobian(y, x)), rtol=1e-14)
