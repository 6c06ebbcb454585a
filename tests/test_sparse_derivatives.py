"""Sparse Jacobians and Hessians: each against the dense one, the number of products, and the pattern."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numeric import arrays, assert_same, restricted, tensors
from optable import CASES
from samples import Case

import wengert as tf
from wengert.derivatives.arguments import Arguments
from wengert.derivatives.sparse.coloring import color
from wengert.derivatives.sparse.pattern import pattern_of
from wengert.derivatives.sparse.products import Kept, Run, kept_for

RNG = np.random.default_rng(15)
X = tf.constant(RNG.normal(size=12))
BAND = tf.constant(np.eye(12) + np.eye(12, k=3))
STENCIL = tf.constant(RNG.normal(size=(2, 2, 1, 2)))
EDGES = tf.sparse.from_dense(np.where(RNG.random((5, 12)) < 0.2, 1.5, 0.0))


def grid(x: Any) -> Any:
    return tf.reshape(x, [3, 4])


def image(x: Any) -> Any:
    return tf.reshape(x, [1, 3, 4, 1])


@tf.custom_gradient
def doubled(x: Any) -> Any:
    return 2.0 * x, lambda g: g * 2.0 + g[::-1] * 3.0  # another pattern than the forward one


@tf.custom_gradient
def reversed_gradient(x: Any) -> Any:
    return tf.identity(x), lambda g: -g  # it only moves, and its gradient is another one


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: x**2,
    "slices": lambda x: x[2:] * x[:-2] + tf.sin(x[1:-1]),
    "concat": lambda x: tf.concat([x, x[::-1]], 0)[3:9] * 2.0,
    "cumsum": lambda x: tf.cumsum(x) * x,
    "cumprod": lambda x: tf.math.cumprod(grid(x), 1, reverse=True),
    "softmax": lambda x: tf.nn.softmax(grid(x)),
    "sum": lambda x: tf.reduce_sum(grid(x) ** 2, 1),
    "mean": lambda x: tf.reduce_mean(grid(x) ** 2, 0, keepdims=True) * x[0],
    "max": lambda x: tf.reduce_max(grid(x), 0),
    "logsumexp": lambda x: tf.reduce_logsumexp(grid(x), 1),
    "gather": lambda x: tf.gather(x, [0, 3, 3, 5]) * tf.gather(x, [1, 1, 2, 2]),
    "gather nd": lambda x: tf.gather_nd(grid(x), [[0, 1], [2, 2]]) ** 2,
    "banded matrix": lambda x: tf.linalg.matvec(BAND, x) ** 2,
    "matrices": lambda x: grid(x) @ tf.transpose(grid(x)),
    "from the right": lambda x: tf.reshape(x[None] @ BAND, [-1]),
    "sparse matrix": lambda x: tf.sparse.sparse_dense_matmul(EDGES, x[:, None]) ** 2,
    "segments": lambda x: tf.math.unsorted_segment_sum(
        x**2, [0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 3, -1], 5
    ),
    "sorted segments": lambda x: tf.math.segment_prod(x, [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]),
    "scatter": lambda x: tf.scatter_nd([[1], [4], [1]], x[:3] ** 2, [6]),
    "scatter add": lambda x: tf.tensor_scatter_nd_add(x, [[1], [4]], x[:2] ** 2),
    "sort": lambda x: tf.sort(x) * 2.0,
    "top k": lambda x: tf.math.top_k(x, 3)[0],
    "where": lambda x: tf.where(x > 0.0, x, x[::-1]),
    "pad": lambda x: tf.pad(x[1:-1], [[1, 1]]) * x,
    "mirror pad": lambda x: tf.pad(x, [[2, 2]], "REFLECT")[:-4] * x,
    "roll": lambda x: tf.roll(x, 1, 0) * x - tf.roll(x, -2, 0),
    "stencil": lambda x: tf.nn.conv2d(image(x), STENCIL, 1, "SAME"),
    "stencil back": lambda x: tf.nn.conv2d_transpose(
        image(x), STENCIL[:, :, :, :1], [1, 4, 5, 1], 1, "VALID"
    ),
    "max pool": lambda x: tf.nn.max_pool2d(image(x), 2, 1, "VALID"),
    "mean pool": lambda x: tf.nn.avg_pool2d(image(x), 2, 1, "VALID"),
    "cross": lambda x: tf.linalg.cross(tf.reshape(x, [4, 3]), tf.ones([4, 3], tf.float64)),
    "einsum": lambda x: tf.einsum("ij,ik->jk", grid(x), grid(x**2)),
    "solve": lambda x: tf.linalg.solve(tf.reshape(x[:4], [2, 2]), tf.reshape(x[4:6], [2, 1])),
    "arrowhead": lambda x: tf.concat(
        [x[:1] + tf.reduce_sum(x[1:] ** 2, keepdims=True), x[1:] * x[0] + x[1:] ** 2], 0
    ),
    "itself": lambda x: x,
    "a part": lambda x: x[3:5],
    "one number": lambda x: tf.reduce_sum(x**3),
    "a constant": lambda x: tf.zeros([3], tf.float64),
    "stopped": lambda x: tf.stop_gradient(x) * x,
    "custom gradient": lambda x: doubled(x) * x,
    "gradient reversal": lambda x: reversed_gradient(x[1:]) * x[:-1],
    "forward mode": lambda x: tf.jvp(lambda x: x[1:] * x[:-1], (x,), (x * x,))[1],
    "function": tf.function(lambda x: x[1:] * x[:-1]),
    "map": lambda x: tf.map_fn(lambda row: row * row[0], grid(x)),
}


@pytest.mark.parametrize("coloring", ["auto", "columns", "rows", "both"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_the_dense_jacobian(name: str, coloring: str) -> None:
    f = FUNCTIONS[name]
    dense = tf.jacobian(f)(X)
    sparse = tf.jacobian(f, sparse=True, coloring=coloring)(X)
    assert tuple(sparse.shape) == tuple(dense.shape)
    places = np.asarray(sparse.indices).tolist()
    assert places == sorted(places)
    np.testing.assert_allclose(tf.sparse.to_dense(sparse), dense, rtol=1e-12, atol=1e-12)
    colored = tf.jacobian(f, mode="colored", coloring=coloring)(X)
    np.testing.assert_allclose(colored, dense, rtol=1e-12, atol=1e-12)
    matrix = tf.jacobian(f, sparse="scipy", coloring=coloring)(X)
    np.testing.assert_allclose(matrix.toarray().ravel(), np.ravel(dense), rtol=1e-12, atol=1e-12)


SMOOTH = [c for c in CASES if c.varied and not c.line.constant]


@pytest.mark.parametrize("case", SMOOTH, ids=repr)
def test_every_operation(case: Case) -> None:
    xs = tensors(case.inputs(0))
    f = restricted(case.call, xs, case.varied)
    at = [xs[i] for i in case.varied]
    argnums = tuple(range(len(at)))
    dense = tf.jacobian(lambda *at: list(f(*at)), argnums)(*at)
    colored = tf.jacobian(lambda *at: list(f(*at)), argnums, mode="colored")(*at)
    assert_same(arrays(tf.nest.flatten(colored)), arrays(tf.nest.flatten(dense)), 1e-11)


EXACT = (
    "elementwise slices concat cumsum cumprod softmax sum logsumexp gather banded_matrix matrices "
    "from_the_right sparse_matrix sorted_segments scatter scatter_add roll stencil "
    "stencil_back cross einsum arrowhead itself a_part one_number a_constant stopped function map"
)


@pytest.mark.parametrize("name", EXACT.split())
def test_the_pattern_has_no_element_too_many(name: str) -> None:
    """What is never different from zero, whatever the values, is not in it."""
    f = FUNCTIONS[name.replace("_", " ")]
    points = [tf.constant(RNG.normal(size=12)) for _ in range(6)]
    ever = sum(np.abs(tf.jacobian(f)(x)) for x in points) != 0
    assert tf.jacobian(f, sparse="scipy")(X).nnz == np.count_nonzero(ever)


@pytest.mark.parametrize("wrap", [tf.function, lambda f: tf.function(f, jit_compile=True)])
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n != "sorted segments"])
def test_in_a_function(name: str, wrap: Any) -> None:
    f = FUNCTIONS[name]
    found = wrap(lambda x: tf.sparse.to_dense(tf.jacobian(f, sparse=True)(x)))(X)
    np.testing.assert_allclose(found, tf.jacobian(f)(X), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("coloring", ["auto", "columns", "rows", "star", "acyclic"])
@pytest.mark.parametrize("size", [2, 3, 7, 40])
def test_hessians(coloring: str, size: int) -> None:
    x = tf.constant(RNG.normal(size=size))
    shuffled = np.random.default_rng(size).integers(0, size, (2, 2 * size))

    def chain(x: Any) -> Any:
        return tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    def arrow(x: Any) -> Any:
        return tf.reduce_sum(x[1:] ** 3) * x[0] + tf.reduce_sum(x**4)

    def web(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(tf.gather(x, shuffled[0]) * tf.gather(x, shuffled[1])))

    for f in (chain, arrow, web):
        dense = tf.hessian(f)(x).numpy()
        found = tf.hessian(f, sparse="scipy", coloring=coloring)(x).toarray()
        np.testing.assert_allclose(found, dense, rtol=1e-9, atol=1e-9)


def run_of(f: Any, *args: Any) -> Run:
    return Run(Arguments(f, args, {}, range(len(args)), who="jacobian"), False, "jacobian")


def products(f: Any, *args: Any, kind: str = "auto", symmetric: bool = False) -> int:
    run = run_of(f, *args)
    split = color(pattern_of(run.events, run.given.leaves, run.targets), kind, symmetric)
    return split.rows.total + split.columns.total


def test_a_few_products_are_enough() -> None:
    x = tf.constant(RNG.normal(size=1000))
    padded = lambda x: tf.pad(x, [[2, 2]])  # noqa: E731
    band = lambda x: sum(padded(x)[i : 1000 + i] ** i for i in range(5))  # noqa: E731
    assert products(band, x, kind="columns") == 5
    assert products(band, x) == 1
    chain = tf.grad(lambda x: tf.reduce_sum((x[1:] - x[:-1] ** 2) ** 2 + x[:-1] ** 2))
    assert products(chain, x, kind="star", symmetric=True) == 3
    assert products(chain, x, kind="acyclic", symmetric=True) == 2
    assert products(chain, x, symmetric=True) <= 3
    assert products(FUNCTIONS["arrowhead"], x) <= 3
    sums = lambda x: tf.reduce_sum(tf.reshape(x, [10, 100]) ** 2, 1)  # noqa: E731
    assert products(sums, x) == 1
    assert products(sums, x, kind="columns") == 100


def test_both_kinds_of_products_at_once() -> None:
    matrix = np.eye(30) + np.eye(30)[::-1] * 0.0
    matrix[0] = matrix[:, 0] = 2.0
    arrow = tf.constant(matrix)
    f = lambda x: tf.linalg.matvec(arrow, x) ** 2  # noqa: E731
    x = tf.constant(RNG.normal(size=30))
    assert products(f, x) == 3
    np.testing.assert_allclose(tf.jacobian(f, sparse="scipy")(x).toarray(), tf.jacobian(f)(x))


# ---- what is kept for the next call -------------------------------------------------------------


def test_the_pattern_is_found_once_for_each_outline() -> None:
    known: list[Kept] = []
    for places in ([0, 1], [0, 1], [2, 2], [0, 1]):
        run = run_of(lambda x, p=tuple(places): tf.gather(x, p) ** 2, X)
        kept_for(run, known, "auto")
    assert len(known) == 2


def test_other_places_have_another_pattern() -> None:
    jacobian = tf.jacobian(lambda x, p: tf.gather(x, p) * x[:2], sparse="scipy")
    for places in ([0, 1], [5, 4], [1, 1]):
        dense = tf.jacobian(lambda x, p=tuple(places): tf.gather(x, p) * x[:2])(X)
        np.testing.assert_allclose(jacobian(X, tf.constant(places)).toarray(), dense)


def test_another_way_through_the_program_has_another_pattern() -> None:
    jacobian = tf.jacobian(lambda x: x * x[::-1] if x[0] > 0 else x**2, sparse="scipy")
    for sign in (1.0, -1.0):
        x = tf.constant(np.abs(X.numpy()) * sign)
        assert jacobian(x).nnz == (12 if sign < 0 else 24)


def test_a_constant_matrix_may_change() -> None:
    jacobian = tf.jacobian(lambda x, m: tf.linalg.matvec(m, x), sparse="scipy")
    for matrix in (np.eye(12), np.eye(12, k=2), np.ones((12, 12))):
        np.testing.assert_array_equal(jacobian(X, tf.constant(matrix)).toarray(), matrix)


def test_it_is_differentiated_again() -> None:
    def squares(jacobian: Any) -> Any:
        return lambda x: tf.reduce_sum(jacobian(lambda x: x[1:] * x[:-1] ** 2)(x) ** 2)

    dense = tf.hessian(squares(tf.jacobian))(X)
    colored = tf.hessian(squares(lambda f: tf.jacobian(f, mode="colored")))(X)
    np.testing.assert_allclose(colored, dense, rtol=1e-12)


def test_structures_and_several_arguments() -> None:
    def f(d: Any, w: Any) -> Any:
        return {"y": d["a"] * d["b"] * w, "z": d["a"][:2]}

    args = {"a": X[:3], "b": X[3:6]}, tf.constant(RNG.normal(size=(2, 3)), tf.float32)
    found = tf.jacobian(lambda d, w: f(d, tf.cast(w, tf.float64)), (0, 1), sparse="scipy")(*args)
    dense = tf.jacobian(lambda d, w: f(d, tf.cast(w, tf.float64)), (0, 1))(*args)
    for name in ("y", "z"):
        for part, whole in (
            (found[name][0]["b"], dense[name][0]["b"]),
            (found[name][1], dense[name][1]),
        ):
            np.testing.assert_allclose(part.toarray().ravel(), np.ravel(whole), rtol=1e-6)
    value, aux = tf.jacobian(lambda x: (x**2, "aside"), sparse=True, has_aux=True)(X)
    assert aux == "aside"
    assert value.values.shape == (12,)


def test_variables() -> None:
    v = tf.Variable(X)
    found = tf.jacobian(lambda v: v[1:] * v[:-1], sparse="scipy")(v)
    np.testing.assert_allclose(found.toarray(), tf.jacobian(lambda x: x[1:] * x[:-1])(X))


# ---- sizes --------------------------------------------------------------------------------------


@pytest.mark.timing
def test_a_band_of_a_hundred_thousand_unknowns() -> None:
    x = tf.constant(RNG.normal(size=100_000))

    def band(x: Any) -> Any:
        p = tf.pad(x, [[2, 2]])
        return (3.0 - 2.0 * x) * x - p[:-4] * p[1:-3] - 2.0 * p[3:-1] + p[4:] * 0.5

    start = time.perf_counter()
    matrix = tf.jacobian(band, sparse="scipy")(x)
    assert time.perf_counter() - start < 2.0
    assert matrix.nnz == 5 * 100_000 - 6


# ---- bad input ----------------------------------------------------------------------------------


def test_refusals() -> None:
    f = FUNCTIONS["slices"]
    with pytest.raises(ValueError, match=r"sparse of tf.jacobian is False, True or 'scipy'"):
        tf.jacobian(f, sparse="csr")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"is computed by mode='colored', not 'reverse'"):
        tf.jacobian(f, mode="reverse", sparse=True)
    with pytest.raises(ValueError, match=r"coloring of tf.jacobian is one of auto, columns, rows"):
        tf.jacobian(f, coloring="star")
    with pytest.raises(
        ValueError, match=r"sparse='scipy' is for derivatives that are computed at once"
    ):
        tf.function(lambda x: tf.jacobian(f, sparse="scipy")(x))(X)
    with pytest.raises(tf.errors.SymbolicValueError, match="the sizes are not known then"):
        of_unknown_size = tf.function(input_signature=[tf.TensorSpec([None], tf.float64)])
        of_unknown_size(lambda x: tf.jacobian(f, sparse=True)(x).values)(X)
    with pytest.raises(TypeError, match="differentiates floating and complex arguments"):
        tf.jacobian(f, sparse=True)(tf.constant([1, 2, 3]))


def test_a_dense_function_works() -> None:
    found = tf.jacobian(
        lambda x: tf.linalg.matvec(tf.ones([4, 12], tf.float64), x), sparse="scipy"
    )(X)
    assert found.nnz == 48
