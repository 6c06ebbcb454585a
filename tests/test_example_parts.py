"""What a vectorized function does with numbers that differ between the examples of a batch: parts, shifts, widths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

RNG = np.random.default_rng(12)
X = tf.constant(RNG.normal(size=(9, 4)))
OWN = tf.constant(RNG.normal(size=(3, 9, 4)))
PLACES = tf.constant([1, 5, 3])
Take = Callable[[Any, Any], Any]

# Of x, by a number: each has one size for all of PLACES.
TAKEN: dict[str, Take] = {
    "a window": lambda x, i: x[i : i + 3],
    "a window of the last axis": lambda x, i: x[..., i // 3 : i // 3 + 2],
    "windows along two axes": lambda x, i: x[i : i + 2, i // 2 : i // 2 + 1],
    "a window beside an index": lambda x, i: x[i, i // 3 : i // 3 + 2],
    "a window beside known parts": lambda x, i: x[None, i : i + 3, 1, None],
    "a window from the end": lambda x, i: x[-i - 2 : -i],
    "a window that begins before the array": lambda x, i: x[i - 20 : i - i + 2],
    "a window of int64": lambda x, i: x[tf.cast(i, tf.int64) : tf.cast(i, tf.int64) + 2],
    "a window in a window": lambda x, i: x[i : i + 4][i // 3 : i // 3 + 2],
    "to one end": lambda x, i: x[i - i + 2 :],
    "to one place": lambda x, i: x[: i - i + 2],
    "steps": lambda x, i: x[i : i + 4 : 2],
    "backwards": lambda x, i: x[i + 3 : i : -1],
    "tf.slice": lambda x, i: tf.slice(x, [i, 1], [3, 2]),
    "tf.slice from a vector": lambda x, i: tf.slice(x, tf.stack([i, i // 2]), [3, 2]),
    "tf.slice to the end": lambda x, i: tf.slice(x, [i, 1], [3, -1]),
    "tf.strided_slice": lambda x, i: tf.strided_slice(x, [i, 0], [i + 3, 4]),
    "tf.roll": lambda x, i: tf.roll(x, i, 0),
    "tf.pad": lambda x, i: tf.pad(x, [[i, 7 - i], [0, 0]]),
    "tf.reshape": lambda x, i: tf.reshape(x, [i - i + 4, -1]),
    "tf.tile": lambda x, i: tf.tile(x, [i - i + 2, 1]),
    "tf.range": lambda x, i: tf.cast(tf.range(i, i + 4), x.dtype) * x[0],
    "tf.reduce_sum": lambda x, i: tf.reduce_sum(x, axis=i % 2 - i % 2),
    "tf.linalg.band_part": lambda x, i: tf.linalg.band_part(x, i, 0),
    "a loop": lambda x, i: tf.while_loop(
        lambda k, a: k < 3, lambda k, a: (k + 1, a * 0.5 + x[i + k : i + k + 2]), (0, x[:2])
    )[1],
}


def each(take: Take) -> Take:
    def mapped(x: Any, places: Any) -> Any:
        return tf.vectorized_map(lambda i: take(x, i), places)

    return mapped


def one_by_one(take: Take) -> Take:
    return lambda x, places: tf.stack([take(x, int(i)) for i in PLACES])


def pulled(f: Take) -> Take:
    def gradient(x: Any, places: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, places)
            y = tf.reduce_sum(
                tf.sin(y) * tf.reshape(tf.cos(tf.cast(tf.range(tf.size(y)), y.dtype)), tf.shape(y))
            )
        return tape.gradient(y, x)

    return gradient


MODES: dict[str, Callable[[Take], Take]] = {
    "eager": lambda f: f,
    "graph": tf.function,
    "compiled": lambda f: tf.function(f, jit_compile=True),
    "known places": lambda f: tf.function(lambda x, _: f(x, PLACES)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TAKEN)
def test_what_each_example_takes(name: str, mode: str) -> None:
    take = TAKEN[name]
    for of in (lambda f: f, pulled):
        want = of(one_by_one(take))(X, PLACES)
        found = MODES[mode](of(each(take)))(X, PLACES)
        np.testing.assert_allclose(found, want, 1e-12, 1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TAKEN)
def test_of_what_is_the_examples_own(name: str, mode: str) -> None:
    take = TAKEN[name]
    want = tf.stack([take(x, int(i)) for x, i in zip(OWN, PLACES, strict=True)])
    mapped = lambda x, places: tf.vectorized_map(lambda e: take(*e), (x, places))  # noqa: E731
    np.testing.assert_allclose(MODES[mode](mapped)(OWN, PLACES), want, 1e-12, 1e-12)


@pytest.mark.parametrize("name", TAKEN)
def test_a_batch_in_a_batch(name: str) -> None:
    """By a number of the outer batch, of the inner one, and of both."""
    take, inner = TAKEN[name], [0, 1]
    for at in (lambda i, j: i, lambda i, j: j + 1, lambda i, j: tf.maximum(i - j, 1)):
        found = tf.vectorized_map(
            lambda i: tf.vectorized_map(lambda j: take(X, at(i, j)) * 1.0, tf.constant(inner)),
            PLACES,
        )
        want = tf.stack([[take(X, int(at(int(i), j))) for j in inner] for i in PLACES])
        np.testing.assert_allclose(found, want, 1e-12, 1e-12)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TAKEN)
def test_a_tape_for_each_example(name: str, mode: str) -> None:
    """It follows what is called for one example after the other."""
    take = TAKEN[name]

    def gradient(x: Any, i: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(take(x * x, i) ** 3.0)
        return tape.gradient(y, x)

    want = tf.stack([gradient(x, int(i)) for x, i in zip(OWN, PLACES, strict=True)])
    mapped = lambda x, places: tf.vectorized_map(lambda e: gradient(*e), (x, places))  # noqa: E731
    np.testing.assert_allclose(MODES[mode](mapped)(OWN, PLACES), want, 1e-11, 1e-11)


SIZES: dict[str, Take] = {
    "to the end": lambda x, i: x[i:],
    "to a place": lambda x, i: x[:i],
    "cut at the end": lambda x, i: x[i : i + 6],
    "in steps": lambda x, i: x[i::2],
    "tf.slice": lambda x, i: tf.slice(x, [i, 0], [-1, 4]),
    "tf.range": lambda x, i: tf.range(i),
    "tf.pad": lambda x, i: tf.pad(x, [[i, 0], [0, 0]]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SIZES)
def test_sizes_that_differ(name: str, mode: str) -> None:
    """An error says so, and leaves the state whole."""
    with pytest.raises(
        (TypeError, tf.errors.InvalidArgumentError),
        match=r"another size in each example|tf\.map_fn|must be of one shape",
    ):
        MODES[mode](each(SIZES[name]))(X, PLACES)
    assert (X * 1.0).shape == (9, 4)


def test_values_that_python_asks_for_are_still_none() -> None:
    """No function is run again for what its own Python asks."""
    calls = []

    def f(i: Any) -> Any:
        calls.append(i)
        return X[0] if i > 2 else X[1]

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=r"tf\.where"):
        tf.vectorized_map(f, PLACES)
    assert len(calls) == 1
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=r"tf\.where"):
        tf.vectorized_map(lambda i: X[int(i)], PLACES)


def test_out_of_bounds() -> None:
    for take in (lambda i: tf.slice(X, [i, 0], [5, 4]), lambda i: X[i + 5]):
        for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 9\)"):
                run(take, PLACES)


def test_no_examples() -> None:
    none = tf.zeros([0], tf.int32)
    assert tf.vectorized_map(lambda i: tf.roll(X, i, 0), none).shape == (0, 9, 4)
    assert tf.vectorized_map(lambda i: tf.slice(X, [i, 0], [3, 4]), none).shape == (0, 3, 4)


def test_random_crops() -> None:
    """Each example has its own."""
    images = tf.reshape(tf.range(3.0 * 8 * 8), [3, 8, 8])

    def crop(image: Any) -> Any:
        row, column = tf.unstack(tf.random.uniform([2], 0, 5, tf.int32))
        return image[row : row + 4, column : column + 4]

    for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        found = run(crop, images).numpy()
        assert found.shape == (3, 4, 4)
        for image, part in zip(images.numpy(), found, strict=True):
            row, column = divmod(int(part[0, 0] - image[0, 0]), 8)
            np.testing.assert_array_equal(part, image[row : row + 4, column : column + 4])


@pytest.mark.parametrize("mode", MODES)
def test_one_hot_encodings_of_tensors(mode: str) -> None:
    """Smoothed labels: their shape is known in functions, and they have no gradient."""
    shapes: list[Any] = []

    def smoothed(labels: Any, by: Any) -> Any:
        found = tf.one_hot(labels, 3, on_value=1.0 - by, off_value=by / 3.0)
        shapes.append(found.shape.as_list())
        return found

    run = MODES["graph" if mode == "known places" else mode](smoothed)
    found = run(tf.constant([0, 2]), tf.constant(0.3))
    np.testing.assert_allclose(found, [[0.7, 0.1, 0.1], [0.1, 0.1, 0.7]], rtol=1e-6)
    assert shapes == [[2, 3]]
    zero = tf.constant(0.0, X.dtype)
    each = tf.vectorized_map(lambda e: tf.one_hot(e[0], 2, e[1], zero), (PLACES % 2, X[:3, 0]))
    np.testing.assert_allclose(each, tf.one_hot(PLACES % 2, 2, dtype=X.dtype) * X[:3, :1])
    with tf.GradientTape() as tape:
        by = tf.constant(0.3)
        tape.watch(by)
        y = run(tf.constant([0, 2]), by)
    assert tape.gradient(y, by) is None


@pytest.mark.parametrize("compiled", [None, True])
@pytest.mark.parametrize("name", TAKEN)
def test_by_a_function_that_is_called(name: str, compiled: Any) -> None:
    call = tf.function(TAKEN[name], jit_compile=compiled)
    want = tf.vectorized_map(lambda e: TAKEN[name](*e), (OWN, PLACES))
    for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        np.testing.assert_allclose(run(lambda e: call(*e), (OWN, PLACES)), want, 1e-12, 1e-12)


def test_no_examples_of_what_nobody_can_tell() -> None:
    """How large a part would be, were there one; also with a tape inside."""
    none = tf.zeros([0, 9, 4], tf.float64), tf.zeros([0], tf.int32)

    def gradient(x: Any, i: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.pad(x, [[i, 4 - i], [0, 0]])
        return tape.gradient(y, x)

    for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
        assert run(lambda e: e[0][e[1] : e[1] + 2], none).shape[0] == 0
        assert run(lambda e: gradient(*e), none).shape == (0, 9, 4)
