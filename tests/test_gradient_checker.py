"""tf.test.compute_gradient and tf.compat.v1.test: they show what is right, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

v1 = tf.compat.v1
MATRIX = np.array([[1.0, 2.0, -1.0], [0.5, -0.3, 0.7]])


def error(f: Callable[..., Any], *x: Any, **kwargs: Any) -> float:
    """The largest difference between the two Jacobians."""
    theoretical, numerical = tf.test.compute_gradient(f, list(x), **kwargs)
    return max(np.abs(a - b).max() for a, b in zip(theoretical, numerical, strict=True))


def error_in_graph(f: Callable[..., Any], *x: Any) -> float:
    """The same by the checker of graphs."""
    with tf.Graph().as_default(), v1.Session():
        inputs = [v1.placeholder(a.dtype, a.shape) for a in x]
        y = f(*inputs)
        shapes = [a.shape for a in x]
        return v1.test.compute_gradient_error(inputs, shapes, y, y.shape.as_list(), list(x))


# ---- tf.test ----------------------------------------------------------------------------------


def test_a_matrix_for_each_argument() -> None:
    """A row for each number of the result, a column for each number of the argument."""
    a, b = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    theoretical, numerical = tf.test.compute_gradient(tf.matmul, [a, b])
    assert isinstance(theoretical, tuple)
    assert [m.tolist() for m in theoretical] == [[[3.0, 4.0]], [[1.0, 2.0]]]
    for exact, found in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-10)


def test_the_jacobian_of_several_results() -> None:
    """As NumPy has it: ∂(x_i² x_j) in row i."""
    x = np.array([1.0, 2.0, 3.0])
    ((found,), _) = tf.test.compute_gradient(lambda x: x * x * tf.reverse(x, [0]), [x])
    want = np.diag(2 * x * x[::-1]) + np.fliplr(np.diag(x * x))
    np.testing.assert_allclose(found, want, rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes(dtype: Any) -> None:
    """The matrices have the dtype of the argument."""
    theoretical, numerical = tf.test.compute_gradient(lambda x: x * 2, [np.ones(2, dtype)])
    for matrices in (theoretical, numerical):
        assert matrices[0].dtype == dtype
        assert matrices[0].tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_complex_numbers_are_two() -> None:
    """Real and imaginary parts stand beside each other; TensorFlow gives these numbers."""
    ((square,), (numerical,)) = tf.test.compute_gradient(
        lambda x: x * x, [np.array([1 + 2j], np.complex64)]
    )
    assert square.dtype == np.float32
    assert square.tolist() == [[2.0, -4.0], [4.0, 2.0]]
    np.testing.assert_allclose(numerical, square, rtol=1e-3)
    ((absolute,), (numerical,)) = tf.test.compute_gradient(tf.abs, [np.array([1 + 2j])])
    np.testing.assert_allclose(absolute, [[1 / np.sqrt(5), 2 / np.sqrt(5)]], rtol=1e-14)
    np.testing.assert_allclose(numerical, absolute, rtol=1e-6)


def test_rows_and_nothing() -> None:
    """IndexedSlices are made dense; no gradient is zeros; an empty argument has no columns."""
    ((found,), (numerical,)) = tf.test.compute_gradient(
        lambda x: tf.gather(x, [0, 0]), [np.ones([2, 1])]
    )
    assert found.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    np.testing.assert_allclose(numerical, found)
    ((zeros,), _) = tf.test.compute_gradient(lambda x: tf.ones([2]), [np.ones(2)])
    assert zeros.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    ((empty,), (numerical,)) = tf.test.compute_gradient(lambda x: x * 2, [np.ones([0, 2])])
    assert empty.shape == numerical.shape == (0, 0)


def test_delta() -> None:
    """The step of the differences: a cube is 3x² + δ² by them."""
    _, (found,) = tf.test.compute_gradient(lambda x: x**3, [np.array(2.0)], delta=0.5)
    np.testing.assert_allclose(found, [[12.25]], rtol=1e-14)
    _, (found,) = tf.test.compute_gradient(lambda x: x**3, [np.array(2.0)])
    np.testing.assert_allclose(found, [[12.0 + 2.0**-20]], rtol=1e-12)


def test_of_functions() -> None:
    """A tf.function is checked like any other; so is a gradient."""

    @tf.function
    def f(x: Any) -> Any:
        return tf.sin(x) * tf.reduce_sum(x)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    assert error(f, MATRIX) < 1e-6
    assert error(gradient, MATRIX) < 1e-6


@pytest.mark.parametrize(
    ("f", "x", "kind", "match"),
    [
        (tf.square, np.ones(2), ValueError, "^`x` must be a list or tuple of values convertible to "
         "a Tensor \\(arguments to `f`\\), not a <class 'numpy.ndarray'>"),
        (tf.square, [np.ones(2, np.int32)], AssertionError, "^Cannot compute gradient for "
         "unsupported type int32 of argument 0"),
        (lambda x: (x, x), [np.ones(2)], TypeError, "^The function must return one tensor"),
    ],
)  # fmt: skip
def test_errors(f: Any, x: Any, kind: type[Exception], match: str) -> None:
    """What cannot be checked."""
    with pytest.raises(kind, match=match):
        tf.test.compute_gradient(f, x)


# ---- planted faults ---------------------------------------------------------------------------


def with_rule(value: Callable[..., Any], rule: Callable[..., Any]) -> Any:
    """A function with a gradient of one's own."""

    @tf.custom_gradient
    def f(*xs: Any) -> Any:
        return value(*xs), lambda dy: rule(dy, *xs)

    return f


SIN = with_rule(tf.sin, lambda dy, x: dy * tf.cos(x))
PRODUCT = with_rule(
    tf.matmul,
    lambda dy, a, b: [tf.matmul(dy, b, transpose_b=True), tf.matmul(a, dy, transpose_a=True)],
)
NORMALIZED = with_rule(
    lambda x: x / tf.reduce_sum(x),
    lambda dy, x: dy / tf.reduce_sum(x) - tf.reduce_sum(dy * x) / tf.reduce_sum(x) ** 2,
)
SQUARE = np.array([[1.0, 2.0], [0.5, -0.3]])
OTHER = np.array([[0.3, -1.0], [2.0, 0.1]])
POSITIVE = np.array([0.5, 1.5, 2.0])
RIGHT = [(SIN, [MATRIX]), (PRODUCT, [SQUARE, OTHER]), (NORMALIZED, [POSITIVE])]
FAULTS = {
    "0.1 % off": (with_rule(tf.sin, lambda dy, x: dy * tf.cos(x) * 1.001), [MATRIX]),
    "one element": (with_rule(tf.sin, lambda dy, x: dy * tf.cos(x) + [[0.0, 0.0, 1e-3], [0.0] * 3]),
                    [MATRIX]),
    "transposed": (
        with_rule(
            tf.matmul,
            lambda dy, a, b: [tf.matmul(dy, b), tf.matmul(a, dy, transpose_a=True)],
        ),
        [SQUARE, OTHER],
    ),
    "missing a term": (
        with_rule(lambda x: x / tf.reduce_sum(x), lambda dy, x: dy / tf.reduce_sum(x)),
        [POSITIVE],
    ),
    "a sign": (with_rule(tf.cos, lambda dy, x: dy * tf.sin(x)), [MATRIX]),
    "not linear": (with_rule(tf.sin, lambda dy, x: dy * dy * 2.0 * tf.cos(x)), [MATRIX]),
    "conjugated": (with_rule(lambda x: x * x, lambda dy, x: dy * 2.0 * x),
                   [np.array([1 + 2j, 3 - 1j])]),
}  # fmt: skip


@pytest.mark.parametrize("check", [error, error_in_graph])
@pytest.mark.parametrize("case", range(len(RIGHT)))
def test_right_rules_pass(case: int, check: Any) -> None:
    """The differences agree with them to six digits."""
    f, x = RIGHT[case]
    assert check(f, *x) < 1e-6


@pytest.mark.parametrize("check", [error, error_in_graph])
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, check: Any) -> None:
    """Each shows an error a hundred times as large."""
    f, x = FAULTS[fault]
    assert check(f, *x) > 1e-4


# ---- tf.compat.v1.test ------------------------------------------------------------------------


def test_in_a_graph() -> None:
    """A row for each number of x, a column for each number of y."""
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float64, [3, 1])
        y = tf.gather(x, [0, 2])
        found, numerical = v1.test.compute_gradient(x, [3, 1], y, [2, 1], np.ones([3, 1]))
    assert found.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    np.testing.assert_allclose(numerical, found, atol=1e-12)


def test_several_inputs() -> None:
    """A pair of matrices for each."""
    with tf.Graph().as_default(), v1.Session():
        x, z = tf.constant(np.ones([2, 1])), tf.constant(np.ones([1, 2]))
        found = v1.test.compute_gradient(
            [x, z], [[2, 1], [1, 2]], tf.matmul(x, z), [2, 2], [np.ones([2, 1]), np.ones([1, 2])]
        )
    assert [exact.tolist() for exact, _ in found] == [
        [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]],
        [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]],
    ]


def test_complex_in_a_graph() -> None:
    """Two rows and two columns for a number; TensorFlow gives these numbers."""
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.complex128, [1])
        found, numerical = v1.test.compute_gradient(x, [1], x**2, [1], np.array([1 + 2j]))
    np.testing.assert_allclose(found, [[2.0, 4.0], [-4.0, 2.0]], rtol=1e-14)
    np.testing.assert_allclose(numerical, found, rtol=1e-9)


def test_what_else_the_graph_needs() -> None:
    """Variables that are initialized first, and other placeholders."""
    with tf.Graph().as_default(), v1.Session():
        x, k = v1.placeholder(tf.float64, [2]), v1.placeholder(tf.float64, [])
        v = v1.Variable(3.0, dtype=tf.float64)
        found, _ = v1.test.compute_gradient(
            x, [2], k * v * x**2, [2], np.array([1.0, 2.0]), 1e-3, v.initializer, {k: 2.0}
        )
    assert found.tolist() == [[12.0, 0.0], [0.0, 24.0]]


def test_numbers_by_chance() -> None:
    """Without a value x is between 0 and 1."""
    with tf.Graph().as_default(), v1.Session():
        for dtype in (tf.float64, tf.complex128):
            x = v1.placeholder(dtype, [3])
            assert v1.test.compute_gradient_error(x, [3], tf.exp(x), [3]) < 1e-5


@pytest.mark.parametrize(
    ("make", "kind", "match"),
    [
        (lambda: (v1.placeholder(tf.int32, [2]),) * 2, AssertionError,
         "^Don't know how to compute a gradient of int32"),
        (lambda: (v1.placeholder(tf.float64, [2]), tf.ones([2], tf.float64)), AssertionError,
         "^dx = None: .* does not depend on"),
    ],
)  # fmt: skip
def test_errors_in_a_graph(make: Any, kind: type[Exception], match: str) -> None:
    """What cannot be checked."""
    with tf.Graph().as_default(), v1.Session():
        x, y = make()
        with pytest.raises(kind, match=match):
            v1.test.compute_gradient(x, [2], y, [2], np.ones(2))


def test_without_a_session() -> None:
    """The message says what is missing."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float64, [2])
        with pytest.raises(ValueError, match="No default session is registered"):
            v1.test.compute_gradient(x, [2], x, [2])
    with pytest.raises(RuntimeError, match=r"Where operations run at once use tf\.test\.compute"):
        v1.test.compute_gradient(tf.ones(2), [2], tf.ones(2), [2])


# ---- in graphs with sessions -------------------------------------------------------------------


def test_functions_in_graphs() -> None:
    """Within a graph, the function is built once and a session computes both Jacobians."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([2.0, 3.0], tf.float64))
        session.run(v1.global_variables_initializer())
        found, numeric = tf.test.compute_gradient(
            lambda a, b: tf.reduce_sum(a * v) * b, [tf.constant([1.0, 2.0], tf.float64), np.ones(1)]
        )
        np.testing.assert_allclose(found[0], [[2.0, 3.0]])
        np.testing.assert_allclose(found[1], [[8.0]])
        for one, other in zip(found, numeric, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)
        (nothing,), _ = tf.test.compute_gradient(lambda a: v * 1.0, [np.ones(2)])
        np.testing.assert_array_equal(nothing, np.zeros((2, 2)))


def test_functions_in_graphs_need_a_session() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No default session"):
        tf.test.compute_gradient(tf.sin, [np.ones(2)])


def test_of_several_inputs_the_others_keep_their_values() -> None:
    """What is checked with a value of its own is fed while it is checked, and not for the others."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session():
        x, z = tf.constant([1.0, 2.0], tf.float64), tf.constant([[1.0, 2.0]], tf.float64)
        (of_x, _), (of_z, _) = v1.test.compute_gradient(
            [x, z], [[2], [1, 2]], x * tf.reduce_sum(z), [2],
            x_init_value=[np.array([5.0, 6.0]), np.array([[3.0, 4.0]])],
        )  # fmt: skip
        assert of_x.tolist() == [[3.0, 0.0], [0.0, 3.0]]
        assert of_z.tolist() == [[1.0, 2.0], [1.0, 2.0]]
