"""Sums, products and extremes in plans: along short rows, and down the columns of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.runtime.processor import is_supported

Function = Callable[..., Any]
HOW: dict[str, Function] = {
    "sum": tf.reduce_sum,
    "product": tf.reduce_prod,
    "maximum": tf.reduce_max,
    "minimum": tf.reduce_min,
    "mean": tf.reduce_mean,
    "logsumexp": tf.reduce_logsumexp,
    "any": lambda x, *args, **kwargs: tf.reduce_any(x > 0.5, *args, **kwargs),
    "all": lambda x, *args, **kwargs: tf.reduce_all(x > -1.0, *args, **kwargs),
}


def drawn(seed: int, *shape: int, dtype: str = "float64") -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def agree(f: Function, *xs: Any) -> list[str]:
    """A compiled function gives what it gives outside; what its steps are."""
    compiled = tf.function(f, jit_compile=True)
    for _ in range(2):
        for found, wanted in zip(
            tf.nest.flatten(compiled(*xs)), tf.nest.flatten(f(*xs)), strict=True
        ):
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            rtol = 5e-5 if found.dtype == tf.float32 else 1e-12
            wanted = wanted.numpy()
            size = np.max(np.abs(wanted), where=np.isfinite(wanted), initial=0.0)
            np.testing.assert_allclose(found.numpy(), wanted, rtol=rtol, atol=rtol * size)
    return [step["kind"] for step in compiled.plan(*xs).steps]


def with_gradients(f: Function) -> Function:
    """The value, the gradient, and the gradient of that."""

    def all_of_them(*xs: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs)
                ys = [y for y in tf.nest.flatten(f(*xs)) if y.dtype.is_floating]
                total = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in ys])
            gs = tape.gradient(total, xs, unconnected_gradients="zero")
            again = tf.add_n([tf.reduce_sum(g * g) for g in gs])
        return ys, gs, outer.gradient(again, xs, unconnected_gradients="zero")

    return all_of_them


# ---- short rows ---------------------------------------------------------------------------------

POINTS: dict[str, Function] = {
    "scaled": lambda x, s, v: x * s + v,
    "norms": lambda x, s, v: tf.norm(x * s - v, axis=-1),
    "normalized": lambda x, s, v: (x + v) / tf.norm(x, axis=-1, keepdims=True) * s,
    "softmax": lambda x, s, v: tf.nn.softmax(x * v) * s,
    "of all": lambda x, s, v: tf.reduce_mean(x * s * v),
    "columns": lambda x, s, v: (x[:, 0] * s[:, 0], x[:, 1:] - v[1:], x[:, ::-1] * 2.0),
    "pairs": lambda x, s, v: tf.reduce_sum((x[:40, None] - x[None] * v) ** 2, -1) * s[:40],
    "spread": lambda x, s, v: tf.broadcast_to(s, tf.shape(x)) * tf.sin(v),
    "joined": lambda x, s, v: tf.concat([x * s, x + v], 1),
    "counted": lambda x, s, v: (
        x * tf.cast(tf.range(tf.shape(x)[1]), x.dtype) + s * tf.cast(tf.range(tf.shape(x)[0])[:, None], x.dtype)
    ),
    "chosen": lambda x, s, v: tf.where(x > s, x, v),
    "taken": lambda x, s, v: tf.gather(x, [3, 1, 2, 3] * 20) * v,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", [2, 3, 4])
@pytest.mark.parametrize("name", POINTS)
def test_points(name: str, columns: int, dtype: str) -> None:
    for rows in (32, 83, 1001):
        x, s = (drawn(k, rows, n, dtype=dtype) for k, n in ((1, columns), (2, 1)))
        agree(with_gradients(POINTS[name]), x, s, drawn(3, columns, dtype=dtype))


@pytest.mark.parametrize("name", POINTS)
def test_unknown_numbers_of_points(name: str) -> None:
    specs = [tf.TensorSpec(shape, tf.float64) for shape in ([None, 3], [None, 1], [3])]
    f = tf.function(with_gradients(POINTS[name]), jit_compile=True, input_signature=specs)
    for rows in (64, 41, 100, 33):
        given = drawn(1, rows, 3), drawn(2, rows, 1), drawn(3, 3)
        for found, wanted in zip(
            tf.nest.flatten(f(*given)), tf.nest.flatten(f.python_function(*given)), strict=True
        ):
            size = float(tf.reduce_max(tf.abs(wanted)))
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=0, atol=1e-11 * size)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("shape", [(50, 2), (33, 3), (7, 41, 3), (5, 1, 64, 4), (4, 3, 2), (31, 3)])
def test_along_short_rows(how: str, shape: tuple[int, ...]) -> None:
    x = drawn(4, *shape)
    agree(lambda x: (HOW[how](x, -1), HOW[how](x * 2.0, -1, keepdims=True)), x)
    agree(lambda x: HOW[how](tf.cast(x * 9.0, tf.int32), -1) if how in ("sum", "maximum") else x, x)
    if how not in ("any", "all"):
        agree(with_gradients(lambda x: x * HOW[how](tf.tanh(x), -1, keepdims=True)), x)


def test_nan_in_short_rows() -> None:
    x = np.random.default_rng(5).normal(size=(64, 3))
    x[::3, 1], x[5], x[7, 0], x[9, 2] = np.nan, np.inf, -np.inf, -0.0
    for how in ("sum", "product", "maximum", "minimum"):
        agree(lambda x, how=how: HOW[how](x, -1), tf.constant(x))


# ---- down columns ---------------------------------------------------------------------------------

MIDDLE = [
    (5, 7, 3),
    (3, 2, 2),
    (40, 6, 33),
    (2, 100, 130),
    (300, 3, 1, 4),
    (2, 3, 4, 5),
    (70, 64, 9),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", MIDDLE)
@pytest.mark.parametrize("how", HOW)
def test_down_the_columns(how: str, shape: tuple[int, ...], dtype: str) -> None:
    x = drawn(6, *shape, dtype=dtype)
    kinds = agree(lambda x: HOW[how](x * 0.5, 1), x)
    kinds += agree(
        lambda x: HOW[how](x, 1, keepdims=True) if len(shape) == 3 else HOW[how](x, [1, 2]), x
    )
    if how not in ("any", "all"):
        kinds += agree(with_gradients(lambda x: HOW[how](tf.sin(x), 1)), x)
    assert "NumPy" not in kinds or not is_supported()


TOGETHER: dict[str, Function] = {
    "softmax": lambda x: tf.nn.softmax(x, 1),
    "two alike": lambda x: (tf.reduce_sum(x * x, 1), tf.reduce_max(x, 1)),
    "two ways": lambda x: (tf.reduce_sum(x, 1), tf.reduce_sum(x, [0, 1]), tf.reduce_sum(x)),
    "other matrices": lambda x: (tf.reduce_max(x, 1), tf.reduce_max(tf.reshape(x, [3, 8, 5]), 1)),
    "standardized": lambda x: (x - tf.reduce_mean(x, 1, keepdims=True)) / tf.math.reduce_std(x, 1, keepdims=True),
    "rows, too": lambda x: (tf.reduce_max(x, 2), tf.reduce_max(x, 1), tf.reduce_max(x * x, 0)),
    "of products": lambda x: tf.reduce_max(tf.matmul(x, x, transpose_b=True), 1),
    "transposed": lambda x: tf.reduce_max(tf.transpose(x, [1, 0, 2]), 1),
    "broadcast": lambda x: tf.reduce_sum(x[:, :, None] * x[:, None], 1),
    "of a slice": lambda x: tf.reduce_max(x[:, 1:, ::2], 1),
    "in a loop": lambda x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) + tf.reduce_max(y, 1, keepdims=True)), (0, x)
    )[1],
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_down_columns_beside_others(name: str) -> None:
    agree(with_gradients(TOGETHER[name]), drawn(7, 4, 6, 5))
    agree(TOGETHER[name], drawn(8, 4, 6, 5, dtype="float32"))


@pytest.mark.parametrize("axis", range(4))
@pytest.mark.parametrize("shape", [(4, 6, 5, 3), (2, 1, 7, 1), (1, 50, 1, 4), (64, 3, 2, 40)])
def test_softmax_along_any_axis(shape: tuple[int, ...], axis: int) -> None:
    x = drawn(11, *shape)
    kinds = agree(with_gradients(lambda x: tf.nn.softmax(x, axis)), x)
    kinds += agree(with_gradients(lambda x: tf.nn.log_softmax(x, axis)), x)
    assert "NumPy" not in kinds or not is_supported()
    x = tf.where(x > 1.0, tf.constant(-np.inf, x.dtype), 400.0 * x)
    agree(lambda x: (tf.nn.softmax(x, axis), tf.nn.log_softmax(x, axis)), tf.cast(x, tf.float32))


@pytest.mark.parametrize("rows", [1, 2, 5000])
@pytest.mark.parametrize("columns", [1, 2, 3, 10, 16, 17, 33, 64, 65, 130])
def test_sums_of_few_columns(rows: int, columns: int) -> None:
    """In registers, however many vectors there are."""
    x = drawn(9, rows, columns, dtype="float32")
    agree(lambda x: (tf.reduce_sum(x, 0), tf.reduce_max(x * x, 0), tf.reduce_any(x > 3.0, 0)), x)


@pytest.mark.parametrize("sizes", [(None, None, 3), (None, 6, 3), (None, 40, 10), (4, None, 5)])
def test_unknown_sizes(sizes: tuple[int | None, ...]) -> None:
    spec = tf.TensorSpec(sizes, tf.float64)

    @tf.function(jit_compile=True, input_signature=[spec])
    def f(x: Any) -> Any:
        both = with_gradients(lambda x: (tf.reduce_max(x, 1), tf.reduce_sum(x * x, -1)))(x)
        return both, tf.nn.softmax(x, 1), tf.reduce_sum(x, [0, 1])

    for rows in ((4, 5), (1, 40), (50, 2), (33, 33), (2, 1), (300, 7)):
        x = drawn(
            10, *[free if n is None else n for n, free in zip(sizes, (*rows, 3), strict=True)]
        )
        for found, wanted in zip(
            tf.nest.flatten(f(x)), tf.nest.flatten(f.python_function(x)), strict=True
        ):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-10, atol=1e-11)
    if is_supported():
        assert "NumPy" not in [step["kind"] for step in f.plan(x).steps]


# ---- rows of several axes ---------------------------------------------------------------------------

# a [n, p, q], b [n, p], c [p, 1], d [q]: axes that do not merge, as not all arrays have them.
LINES: dict[str, Function] = {
    "down": lambda a, b, c, d: tf.reduce_sum(b[:, :, None] * a, 0),
    "down by columns": lambda a, b, c, d: tf.reduce_max(tf.transpose(a, [0, 2, 1]) * b[:, None], 0),
    "of all": lambda a, b, c, d: tf.reduce_mean(tf.exp(-a * a) * b[:, :, None] + c),
    "of rows": lambda a, b, c, d: tf.reduce_mean(a * b[:, :, None] - c * d, [1, 2]),
    "in the middle": lambda a, b, c, d: tf.reduce_sum(a[:, :, :, None] * b[:, None, None], 1),
    "normalized": lambda a, b, c, d: (
        (a - tf.reduce_mean(a, [0, 2], keepdims=True)) / (tf.math.reduce_std(a, [0, 2], keepdims=True) + 0.1) * c
    ),
    "softmax": lambda a, b, c, d: tf.reduce_logsumexp(a * c + b[:, :, None], [1, 2]),
    "counted": lambda a, b, c, d: tf.reduce_sum(
        a * tf.cast(tf.range(tf.shape(a)[1])[:, None], a.dtype) * b[:, :, None], 0
    ),
    "chosen": lambda a, b, c, d: tf.reduce_mean(tf.where(a > c, a, b[:, :, None]) * d, [0, 1]),
    "taken": lambda a, b, c, d: tf.reduce_sum(tf.gather(a, [0, 0], axis=1) * b[:, :1, None] * d, [1, 2]),
    "slices": lambda a, b, c, d: tf.reduce_sum(a[:, ::-1, 1:] * a[:, :, :-1] * b[:, :, None], [0, 2]),
    "into parts": lambda a, b, c, d: tf.concat([a * b[:, :, None], c * a, a[:, :, ::2] + c], 2),
    "truths": lambda a, b, c, d: (
        tf.reduce_any(a > b[:, :, None], [1, 2]), tf.reduce_all(a > b[:, :, None] - 3.0, 0), tf.reduce_sum(a, [0, 1])
    ),
}  # fmt: skip
BLOCKS = [(40, 6, 3), (9, 4, 8), (3, 5, 50), (70, 2, 1), (4, 33, 17), (5, 64, 64), (2, 300, 9), (6, 2, 130)]  # fmt: skip


def blocks(n: int, p: int, q: int, dtype: str = "float64") -> list[Any]:
    shapes = (n, p, q), (n, p), (p, 1), (q,)
    return [drawn(k, *shape, dtype=dtype) for k, shape in enumerate(shapes)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LINES)
def test_rows_of_several_axes(name: str, dtype: str) -> None:
    for shape in BLOCKS:
        agree(with_gradients(LINES[name]), *blocks(*shape, dtype=dtype))


@pytest.mark.parametrize("name", LINES)
def test_rows_of_several_unknown_axes(name: str) -> None:
    shapes = [None, None, None], [None, None], [None, 1], [None]
    specs = [tf.TensorSpec(shape, tf.float64) for shape in shapes]
    f = tf.function(with_gradients(LINES[name]), jit_compile=True, input_signature=specs)
    for shape in [(7, 5, 3), (40, 6, 17), (3, 2, 64), (9, 33, 4), (1, 1, 1), (2, 3, 129)]:
        given = blocks(*shape)
        for found, wanted in zip(
            tf.nest.flatten(f(*given)), tf.nest.flatten(f.python_function(*given)), strict=True
        ):
            size = float(tf.reduce_max(tf.abs(tf.cast(wanted, tf.float64))))
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=0, atol=1e-11 * size)


@pytest.mark.parametrize("sizes", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_empty_rows_of_several_axes(sizes: tuple[int, int, int]) -> None:
    specs = [tf.TensorSpec([None] * n, tf.float64) for n in (3, 2)]

    def sums(a: Any, b: Any) -> Any:
        scaled = a * b[:, :, None]
        return [tf.reduce_sum(scaled, axis) for axis in (0, 1, 2, [0, 2], [1, 2], [0, 1, 2])]

    f = tf.function(sums, jit_compile=True, input_signature=specs)
    for n, p, q in ((2, 3, 5), sizes, (4, 2, 19)):
        a, b = drawn(1, n, p, q), drawn(2, n, p)
        agree(sums, a, b)
        for found, wanted in zip(f(a, b), sums(a, b), strict=True):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-12, atol=1e-12)


def test_lines_of_other_kinds_of_numbers() -> None:
    a, b, *_ = blocks(20, 5, 7)
    for dtype in (tf.float16, tf.int32, tf.int64):
        given = [tf.cast(x * 3.0, dtype) for x in (a, b)]
        wide = tf.float32 if dtype == tf.float16 else dtype
        agree(
            lambda a, b, wide=wide: (
                [
                    tf.reduce_sum(tf.cast(a, wide) * tf.cast(b, wide)[:, :, None], axis)
                    for axis in (0, [1, 2], None)
                ]
                + [tf.reduce_max(a * b[:, :, None], [0, 2])]
            ),
            *given,
        )


def test_sums_of_many_lines_are_accurate() -> None:
    """However long its lines are, and however many, a sum keeps its digits."""
    for shape in [(30_000, 2, 3), (200, 2, 3001), (3, 2, 100_000)]:
        x = tf.constant(np.full(shape, 0.1, np.float32))
        found = tf.function(lambda x: tf.reduce_mean(x, [0, 2]), jit_compile=True)(x)
        np.testing.assert_allclose(found.numpy().astype(float), float(np.float32(0.1)), rtol=3e-6)
