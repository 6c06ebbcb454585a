"""Random numbers of compiled functions: those of NumPy's engine, call by call, at every size."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Function = Callable[..., Any]


def agree(
    f: Function, calls: list[tuple[Any, ...]], signature: list[tf.TensorSpec] | None = None
) -> set[str]:
    """The kinds of steps, after all calls gave the same as NumPy's engine, from the seed on."""
    found, kinds = [], set()
    for compiled in (False, True):
        tf.random.set_seed(3)
        g = tf.function(f, jit_compile=compiled, input_signature=signature)
        found.append([tf.nest.flatten(g(*xs)) for xs in calls])
    for xs in calls:
        kinds |= {step["kind"] for step in g.plan(*xs).steps}
    for one, other in zip(*found, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    return kinds


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (1000,), (300, 301)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal])
def test_draws(draw: Function, dtype: str, shape: tuple[int, ...]) -> None:
    kinds = agree(lambda x: x * draw(shape, dtype=dtype), [(tf.constant(2.0, dtype),)] * 3)
    assert "stream" in kinds
    assert "NumPy" not in kinds


def test_uniform_numbers_are_the_same_bits() -> None:
    found = []
    for compiled in (False, True):
        tf.random.set_seed(1)
        found.append(tf.function(lambda: tf.random.uniform([1001]), jit_compile=compiled)().numpy())
    np.testing.assert_array_equal(*found)


def dropped(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.dropout(tf.sin(x), 0.4) ** 2)
    return y, tape.gradient(y, x)


def rows(*counts: int) -> list[tuple[Any, ...]]:
    return [(tf.reshape(tf.range(n * 3.0), [n, 3]),) for n in counts]


def test_dropout() -> None:
    kinds = agree(dropped, rows(5, 5))
    assert "stream" in kinds
    assert "NumPy" not in kinds


UNKNOWN = [tf.TensorSpec([None, 3])]


def test_a_stream_goes_on_from_size_to_size() -> None:
    """The generator belongs to the function, not to what it is compiled to for a size."""
    kinds = agree(dropped, rows(5, 7, 5, 1, 7, 5), UNKNOWN)
    assert "NumPy" not in kinds


def noisy(x: Any) -> Any:
    for _ in tf.range(4):
        x = x + tf.random.normal(tf.shape(x))
    return tf.cond(
        tf.reduce_sum(x) > 0.0,
        lambda: x + tf.random.uniform(tf.shape(x)),
        lambda: x - tf.random.uniform(tf.shape(x)),
    )


def dropped_in_rounds(x: Any) -> Any:
    """Rounds in rounds, of which some draw."""
    for i in tf.range(3):
        for k in tf.range(4):
            if tf.equal((i + k) % 2, 0):
                x = tf.nn.dropout(tf.sin(x) * 1.5, 0.3)
        x += 0.1 * tf.random.normal(tf.shape(x))
    return x


def until_large(x: Any) -> Any:
    """Nobody knows how often it draws."""
    while tf.reduce_sum(tf.abs(x)) < 40.0:
        x = x + tf.random.uniform(tf.shape(x))
    return x


def gradient_of(f: Function) -> Function:
    def g(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        return tape.gradient(y, x)

    return g


IN_ROUNDS = (noisy, dropped_in_rounds, until_large)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("f", IN_ROUNDS)
def test_streams_in_loops_and_branches(f: Function, order: int) -> None:
    """They are part of the machine code, and go on from call to call and from size to size."""
    for _ in range(order):
        f = gradient_of(f)
    assert "NumPy" not in agree(f, rows(2, 2, 2))
    agree(f, rows(2, 3, 2, 3, 1), UNKNOWN)


def test_a_stream_of_two_programs() -> None:
    """Where something else draws from it, the loop is NumPy's, and all numbers are in order."""

    @tf.recompute_grad
    def layer(x: Any) -> Any:
        return tf.sin(x) * tf.nn.dropout(x, 0.3, seed=4)

    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = layer(x)
        return layer(x) + tf.random.normal([3])

    agree(gradient_of(f), rows(2, 2, 2))


def test_a_loop_in_a_session() -> None:
    """Each session has its own stream; another run goes on from where it is."""
    found = []
    for engine in ("numpy", "native"):
        tf.config.set_engine(engine)
        with tf.Graph().as_default():
            tf.compat.v1.set_random_seed(4)
            y = tf.while_loop(lambda i, _: i < 5, lambda i, y: (i + 1, tf.nn.dropout(tf.sin(y), 0.3)), (0, tf.ones([3])))[1]  # fmt: skip
            with tf.compat.v1.Session() as one, tf.compat.v1.Session() as other:
                found.append([one.run(y), one.run(y), other.run(y)])
    tf.config.set_engine(None)
    np.testing.assert_allclose(*found, rtol=1e-6)
    np.testing.assert_array_equal(found[0][0], found[0][2])
    assert (found[0][0] != found[0][1]).any()


def test_more_sizes_than_are_compiled_for() -> None:
    agree(dropped, rows(*range(1, 13), 1, 12), UNKNOWN)


def test_the_seed_begins_again() -> None:
    f = tf.function(lambda x: tf.random.uniform(tf.shape(x)), input_signature=UNKNOWN)
    found = []
    for _ in range(2):
        tf.random.set_seed(5)
        found.append([f(*xs).numpy() for xs in rows(2, 4, 2)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def drawn_in_rounds() -> Any:
    array = tf.TensorArray(tf.float64, 16)
    for i in tf.range(16):
        array = array.write(i, tf.random.uniform([4], dtype=tf.float64))
    return array.concat()


@pytest.mark.parametrize(
    "draw", [lambda: tf.random.uniform([64], dtype=tf.float64), drawn_in_rounds]
)
def test_threads_draw_different_numbers(draw: Function) -> None:
    f = tf.function(draw, jit_compile=True)
    f()
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(f().numpy() for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = np.concatenate(found)
    assert len(np.unique(numbers)) == len(numbers) == 4 * 50 * 64


# ---- integers and classes ---------------------------------------------------------------------------

LOGITS = np.random.default_rng(5).normal(size=(6, 9))

WHOLE: dict[str, Function] = {
    "a few": lambda x: tf.random.uniform([1000], -3, 4, tf.int32),
    "nearly all": lambda x: tf.random.uniform([7, 5], -(2**31), 2**31 - 1, tf.int32),
    "long": lambda x: tf.random.uniform([33], -(2**60), 2**62 + 7, tf.int64),
    "one": lambda x: tf.random.uniform([], 5, 6, tf.int64),
    "without a state": lambda x: tf.random.stateless_uniform(
        [40], tf.cast(x, tf.int32) + tf.constant([1, 2]), 0, 10, tf.int32
    ),
    "classes": lambda x: tf.random.categorical(LOGITS * x, 11),
    "classes of single precision": lambda x: tf.random.categorical(
        tf.constant(LOGITS, tf.float32), 5, tf.int32
    ),
    "impossible classes": lambda x: tf.random.categorical([[-np.inf, 0.0, -np.inf, 1.0 * x]], 50),
    "classes without a state": lambda x: tf.random.stateless_categorical(
        LOGITS, 9, tf.cast(x, tf.int32) + tf.constant([3, 4])
    ),
}  # fmt: skip


@pytest.mark.parametrize("draw", WHOLE.values(), ids=list(WHOLE))
def test_whole_numbers(draw: Function) -> None:
    kinds = agree(draw, [(tf.constant(float(n), tf.float64),) for n in (2, 3, 2)])
    assert "NumPy" not in kinds


@pytest.mark.parametrize("draw", WHOLE.values(), ids=list(WHOLE))
def test_whole_numbers_in_loops(draw: Function) -> None:
    """Each round goes on in the stream where the one before it ended."""

    def f(x: Any) -> Any:
        first = draw(x)
        return tf.while_loop(
            lambda i, _, x: i < 4,
            lambda i, s, x: (i + 1, 3 * s + draw(x), x + 1.0),
            (0, first, x),
        )[1]

    assert "NumPy" not in agree(f, [(tf.constant(1.0, tf.float64),)] * 2)


def test_no_integers_is_the_error_of_numpy() -> None:
    for compiled in (False, True):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Need minval < maxval, got 4 >= 4"
        ):
            tf.function(lambda: tf.random.uniform([3], 4, 4, tf.int32), jit_compile=compiled)()
