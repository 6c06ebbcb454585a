"""Scans, sorting, scatters and small matrices in compiled functions: NumPy's numbers, to second order, in loops."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_loops import agree, orders

import wengert as tf

RNG = np.random.default_rng(17)
Function = Callable[..., Any]
BOTH = (False, True)


def numbers(*shape: int) -> Any:
    return RNG.normal(size=shape)


def indices(high: int, *shape: int) -> Any:
    return RNG.integers(0, high, size=shape)


def well(*batch: int, size: int) -> Any:
    """Matrices that are far from singular, and their symmetric kin, positive definite."""
    a = numbers(*batch, size, size)
    return a @ np.swapaxes(a, -1, -2) + 3 * size * np.eye(size)


def changed(how: str) -> Function:
    """Some elements combined with others."""
    scatter = getattr(tf, f"tensor_scatter_nd_{how}")
    return lambda x: scatter(x, PAIRS, tf.sin(tf.gather_nd(x, PAIRS) * 2.0))


KNOTS = tf.constant(np.linspace(0.0, 1.0, 20) ** 2)
HEIGHTS = tf.sin(KNOTS * 5.0)


def interpolated(x: Any) -> Any:
    """A function that is known at some places, and straight between them."""
    flat = tf.reshape(x, [-1])
    at = tf.clip_by_value(tf.searchsorted(KNOTS, flat, "right") - 1, 0, 18)
    left, low = tf.gather(KNOTS, at), tf.gather(HEIGHTS, at)
    slope = (tf.gather(HEIGHTS, at + 1) - low) / (tf.gather(KNOTS, at + 1) - left)
    return tf.reshape(low + (flat - left) * slope, x.shape)


SCANS: dict[str, Function] = {
    f"{name} {axis} {exclusive} {reverse}": (
        lambda x, f=f, axis=axis, e=exclusive, r=reverse: f(x, axis, e, r)
    )
    for name, f in (
        ("sum", tf.cumsum),
        ("product", tf.math.cumprod),
        ("logsumexp", tf.math.cumulative_logsumexp),
    )
    for axis in (0, 1)
    for exclusive in BOTH
    for reverse in BOTH
}
ORDERED: dict[str, Function] = {
    "top 1": lambda x: tf.math.top_k(x).values,
    "top 3": lambda x: tf.math.top_k(x, 3).values,
    "sort": tf.sort,
    "descending": lambda x: tf.sort(x, direction="DESCENDING"),
    "places": lambda x: x * tf.cast(tf.argsort(x), x.dtype),
    "largest": lambda x: x * tf.cast(tf.argmax(x, 1), x.dtype)[:, None],
    "smallest": lambda x: x * tf.cast(tf.argmin(x, 0, output_type=tf.int32), x.dtype),
    "among": lambda x: x * tf.cast(tf.searchsorted(tf.sort(x), tf.sin(x)), x.dtype),
    "interpolated": lambda x: interpolated(tf.math.sigmoid(x)),
}
PLACES = tf.constant(indices(4, 5))
PAIRS = tf.constant(np.stack([indices(4, 6), indices(7, 6)], 1))
EACH = tf.constant(indices(7, 4, 2))
SEGMENTS = tf.constant([2, -1, 0, 2])
SCATTERED: dict[str, Function] = {
    "gather": lambda x: tf.gather(x, PLACES),
    "for each": lambda x: tf.gather(x, EACH, batch_dims=1),
    "coordinates": lambda x: tf.gather_nd(x, PAIRS),
    "rows": lambda x: tf.gather_nd(x, PLACES[:, None]),
    "scatter": lambda x: tf.scatter_nd(PLACES[:4, None], x, [5, 7]),
    "segments": lambda x: tf.math.unsorted_segment_sum(x, SEGMENTS, 3),
    "largest of segments": lambda x: tf.maximum(tf.math.unsorted_segment_max(x, SEGMENTS, 4), -9.0),
    "smallest of segments": lambda x: tf.math.unsorted_segment_min(tf.round(x), SEGMENTS, 3)[:1],
    **{f"with {name}": changed(name) for name in ("add", "sub", "update", "max", "min")},
}
MATRICES: dict[str, Function] = {
    "cholesky": lambda a: tf.linalg.cholesky((a + tf.linalg.matrix_transpose(a)) / 2.0),
    "inverse": tf.linalg.inv,
    "adjoint inverse": lambda a: tf.linalg.inv(a, adjoint=True),
    "determinant": lambda a: tf.linalg.det(a / 20.0),
    "log determinant": tf.linalg.logdet,
    "sign": lambda a: tf.linalg.slogdet(a[..., ::-1, :])[0] * tf.linalg.trace(a),
    "solve": lambda a: tf.linalg.solve(a, tf.sin(a[..., :2])),
    "adjoint solve": lambda a: tf.linalg.solve(a, tf.sin(a[..., :1]), adjoint=True),
    "square root": lambda a: tf.linalg.set_diag(tf.linalg.band_part(a, 1, -1), tf.linalg.diag_part(a) ** 2.0),
    "diagonals": lambda a: tf.linalg.diag(tf.linalg.diag_part(a, k=1), k=1) + a,
    **{
        f"triangular {lower} {adjoint}": (
            lambda a, k=lower, t=adjoint: tf.linalg.triangular_solve(a, tf.sin(a[..., :3]), k, t)
        )
        for lower in BOTH
        for adjoint in BOTH
    },
}  # fmt: skip
X = tf.constant(numbers(4, 7))


@pytest.mark.parametrize("f", [*SCANS.values(), *ORDERED.values(), *SCATTERED.values()],
                         ids=[*SCANS, *ORDERED, *SCATTERED])  # fmt: skip
def test_every_order_is_compiled(f: Function) -> None:
    """No step of them is NumPy's, alone and in the gradients."""
    for g in orders(f):
        assert "NumPy" not in agree(g, X)


@pytest.mark.parametrize("f", MATRICES.values(), ids=list(MATRICES))
@pytest.mark.parametrize("batch", [(), (3,), (2, 1)], ids=str)
def test_small_matrices(f: Function, batch: tuple[int, ...]) -> None:
    for g in orders(f):
        assert "NumPy" not in agree(g, tf.constant(well(*batch, size=4)))


@pytest.mark.parametrize("size", [1, 2, 7, 16, 33])
def test_matrices_of_any_size(size: int) -> None:
    for f in MATRICES.values():
        if size > 2:
            agree(f, tf.constant(well(2, size=size)))
    a = tf.constant(well(3, size=size))
    agree(lambda a: (tf.linalg.cholesky(a), tf.linalg.inv(a), tf.linalg.slogdet(a)), a)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_sizes(seed: int) -> None:
    """Lines of one element, of fewer than a vector, and of many; of every type, with ties and NaN."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 17, 40, 130], size=rng.integers(1, 4)))
    kind = rng.choice(["f4", "f8", "i4", "i8"])
    x = rng.integers(-9, 9, size=shape).astype(kind)
    if kind[0] == "f":
        x[rng.random(shape) < 0.1] = rng.choice([np.nan, np.inf, -np.inf])
    axis, few = int(rng.integers(len(shape))), int(rng.integers(1, shape[-1] + 1))

    def f(x: Any) -> Any:
        scans = [tf.cumsum(x, axis), tf.math.cumprod(x, axis, exclusive=True)]
        if kind[0] == "f":
            scans.append(tf.math.cumulative_logsumexp(x, axis, reverse=True))
        places = tf.argmax(x, axis), tf.argmin(x, axis)
        among = [tf.searchsorted(tf.sort(x), x[..., ::-1], side) for side in ("left", "right")]
        return scans, places, tf.math.top_k(x, few), tf.sort(x), tf.argsort(x), among

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        loose = tf.constant(x)
        found = [tf.nest.flatten(tf.function(f, jit_compile=j)(loose)) for j in BOTH]
    for y, z in zip(*found, strict=True):
        tolerance = {"rtol": 1e-4, "atol": 1e-4} if kind == "f4" else {"rtol": 1e-12}
        np.testing.assert_allclose(y.numpy(), z.numpy(), **tolerance)
        assert y.dtype is z.dtype


@pytest.mark.parametrize("columns", [30, 127, 128, 700, 2047, 2048, 5000])
@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "i8"])
def test_long_rows(kind: str, columns: int) -> None:
    """Rows that are in order, in the opposite order, equal, mixed, and of few different elements."""
    rng = np.random.default_rng(columns)
    mixed = rng.normal(size=columns) * 1e3
    rows = [mixed, np.sort(mixed), np.sort(mixed)[::-1], mixed * 0, np.round(mixed / 900)]
    x = np.stack([*rows, np.roll(np.sort(mixed), 1)]).astype(kind)
    if kind[0] == "f":
        x[0, ::7], x[0, 1::7], x[0, 2::7] = -0.0, 0.0, np.nan
        x[4, 3::11], x[4, 4::11], x[4, 5::11] = np.inf, -np.inf, -np.float32(np.nan)
    some = int(rng.integers(25, columns + 1))

    def f(x: Any) -> Any:
        down = tf.argsort(x, direction="DESCENDING", stable=True)
        return tf.sort(x), tf.argsort(x, stable=True), down, tf.math.top_k(x, some)

    found, wanted = (tf.nest.flatten(tf.function(f, jit_compile=j)(tf.constant(x))) for j in BOTH)
    for y, z in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(y.numpy(), z.numpy())


# ---- in loops ------------------------------------------------------------------------------------


def repeated(f: Function) -> Function:
    """A loop of five steps, each of which moves by what f gives."""

    def body(i: Any, x: Any) -> Any:
        moved = sum(tf.reduce_sum(tf.cast(y, x.dtype)) for y in tf.nest.flatten(f(x)))
        return i + 1, tf.tanh(x + 0.1 * moved)

    return lambda x: tf.while_loop(lambda i, x: i < 5, body, (0, x))[1]


@pytest.mark.parametrize("f", [SCANS["sum 0 False False"], SCANS["product 1 True False"],
                               ORDERED["sort"], ORDERED["largest"],
                               ORDERED["among"], ORDERED["interpolated"], SCATTERED["with add"],
                               SCATTERED["for each"], SCATTERED["segments"]])  # fmt: skip
def test_loops_stay_whole(f: Function) -> None:
    for g in orders(repeated(f)):
        assert "NumPy" not in agree(g, X)


@pytest.mark.parametrize("name", ["cholesky", "inverse", "log determinant", "solve"])
def test_loops_over_matrices_stay_whole(name: str) -> None:
    f = MATRICES[name]
    for g in orders(repeated(lambda x: f(x + 9.0 * tf.eye(4, dtype=x.dtype)))):
        assert "NumPy" not in agree(g, tf.constant(numbers(4, 4)))


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.gather_nd(x, [[9, 0]]),
        lambda x: tf.gather(x, [[9]] * 4, batch_dims=1),
        lambda x: tf.tensor_scatter_nd_add(x, [[-1, 0]], [1.0]),
        lambda x: tf.math.unsorted_segment_sum(x, [0, 1, 2, 9], 4),
        lambda x: tf.math.unsorted_segment_max(x, [0, 1, 2, 9], 4),
        lambda x: tf.linalg.inv(x[:2, :2] * 0.0),
        lambda x: tf.linalg.solve(x[:2, :2] * 0.0, x[:2]),
    ],
)
def test_errors_are_those_of_numpy(f: Function) -> None:
    """Alone and in a loop; another call is right again."""
    x = tf.constant(numbers(4, 7).astype("f4"))
    said = []
    for compiled in BOTH:
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            tf.function(f, jit_compile=compiled)(x)
        said.append(str(raised.value).partition("(defined at")[0])
    assert said[0] == said[1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(repeated(f), jit_compile=True)(x)


def test_what_is_not_positive_definite_has_no_factor() -> None:
    a = tf.constant([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 2.0], [2.0, 10.0]]])
    found = tf.function(lambda a: tf.linalg.cholesky(a * 1.0), jit_compile=True)(a)
    assert np.isnan(found[0]).sum() == 3
    assert found[1].numpy().tolist() == [[2.0, 0.0], [1.0, 3.0]]


def test_what_is_not_a_number_on_a_diagonal_is_none_from_there_on() -> None:
    a = tf.constant([[3.0, 1.0], [1.0, np.nan]])
    found = tf.function(lambda a: tf.linalg.cholesky(a * 1.0), jit_compile=True)(a)
    np.testing.assert_allclose(found, tf.linalg.cholesky(a), rtol=1e-6)
    assert np.isfinite(found.numpy()).tolist() == [[True, True], [True, False]]


def test_nearly_singular_matrices_have_their_determinants_gradient() -> None:
    """By singular values, which are NumPy's."""

    @tf.function(jit_compile=True)
    def slope(a: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.linalg.det(a)
        return tape.gradient(y, a)

    a = tf.constant([[1.0, 2.0], [2.0, 4.0]], tf.float64)
    np.testing.assert_allclose(slope(a), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12)
    np.testing.assert_allclose(
        slope(a + tf.constant([[1.0, 0.0], [0.0, 0.0]], a.dtype)), [[4.0, -2.0], [-2.0, 2.0]]
    )


def test_equal_factors_are_computed_once() -> None:
    """A system, its determinant and the gradient share the LU factors."""

    def f(a: Any, b: Any) -> Any:
        return tf.linalg.solve(a, b), tf.linalg.det(a), tf.linalg.solve(a, b, adjoint=True)

    a, b = tf.constant(well(size=4)), tf.constant(numbers(4, 2))
    assert agree(f, a, b).count("routine") == 3
