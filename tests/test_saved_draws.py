"""Functions that draw random numbers, saved and loaded: they go on as TensorFlow's operations, with their seeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf

ANY = tf.TensorSpec([None])
X = tf.constant([1.0, 2.0, 3.0])


def in_a_loop(x: Any) -> Any:
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y + tf.random.normal([3], seed=3)), [0, x]
    )[1]


def in_a_branch(x: Any) -> Any:
    return tf.cond(x[0] > 0.0, lambda: x + tf.random.normal([3], seed=3), lambda: x)


def in_both(x: Any) -> Any:
    return tf.cond(x[0] > 0.0, lambda: in_a_loop(x) * in_a_branch(x), lambda: x)


def gradient(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5, seed=4) ** 2
    return tape.gradient(y, x)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda x: x + tf.random.normal([3], seed=3),
    "uniform": lambda x: x + tf.random.uniform(tf.shape(x), seed=2),
    "truncated": lambda x: x + tf.random.truncated_normal([3], seed=3),
    "integers": lambda x: tf.random.uniform([3], 0, 9, tf.int32, seed=9),
    "gamma": lambda x: tf.random.gamma([3], x, seed=3),
    "gamma with a rate": lambda x: tf.random.gamma([3], 2.0, x, seed=3),
    "poisson": lambda x: tf.random.poisson([3], x, seed=3),
    "categories": lambda x: tf.random.categorical([x], 4, seed=6),
    "shuffled": lambda x: tf.random.shuffle(x, seed=1),
    "dropout": lambda x: tf.nn.dropout(x, 0.5, seed=4),
    "gradient": gradient,
    "loop": in_a_loop,
    "branch": in_a_branch,
    "loop in a branch": in_both,
    "candidates": lambda x: tf.random.uniform_candidate_sampler(
        tf.constant([[1]], tf.int64), 1, 3, False, 9, seed=5
    )[0],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_numbers_go_on_from_the_seeds(name: str, tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(PROGRAMS[name], input_signature=[ANY])
    tf.saved_model.save(model, str(tmp_path / "0"))
    loaded = tf.saved_model.load(str(tmp_path / "0"))
    tf.saved_model.save(loaded, str(tmp_path / "1"))
    again = tf.saved_model.load(str(tmp_path / "1"))
    wanted = [np.asarray(model.f(X)) for _ in range(3)]
    assert name in ("integers", "candidates") or not np.array_equal(wanted[0], wanted[1])
    for other in (loaded, again):
        for y in wanted:
            np.testing.assert_allclose(other.f(X), y, rtol=1e-6)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("gradient", "candidates")])
def test_the_file_has_operations_of_tensorflow_alone(name: str, tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(PROGRAMS[name], input_signature=[ANY])
    tf.saved_model.save(model, str(tmp_path))
    assert b"wengert" not in (tmp_path / "saved_model.pb").read_bytes()


def test_without_a_seed_each_call_draws_other_numbers(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.f = tf.function(lambda x: x + tf.random.normal([3]), input_signature=[ANY])
    tf.saved_model.save(model, str(tmp_path))
    loaded = [tf.saved_model.load(str(tmp_path)) for _ in range(2)]
    found = [np.asarray(each.f(X)).tolist() for each in (*loaded, *loaded)]
    assert len({tuple(y) for y in found}) == 4


def test_training_goes_on_from_a_meta_graph(tmp_path: Path) -> None:
    """With initial values that were drawn, and a recurrent network whose gradient is a loop."""
    v1: Any = tf.compat.v1
    rng = np.random.default_rng(0)
    given = {"x:0": rng.normal(size=(5, 7, 3)), "y:0": rng.normal(size=(5, 4))}
    with tf.Graph().as_default():
        v1.set_random_seed(1)
        x = v1.placeholder(tf.float32, [None, None, 3], name="x")
        y = v1.placeholder(tf.float32, [None, 4], name="y")
        outputs, _ = v1.nn.dynamic_rnn(v1.nn.rnn_cell.LSTMCell(4), x, dtype=tf.float32)
        loss = tf.reduce_mean((outputs[:, -1] - y) ** 2, name="loss")
        train = v1.train.AdamOptimizer(0.05).minimize(loss, name="train")
        session, saver = v1.Session(), v1.train.Saver()
        session.run(v1.global_variables_initializer())
        session.run(train, given)
        saver.save(session, str(tmp_path / "model"))
        wanted = [session.run([loss, train], given)[0] for _ in range(4)]
    with tf.Graph().as_default():
        session = v1.Session()
        saver = v1.train.import_meta_graph(str(tmp_path / "model.meta"))
        saver.restore(session, str(tmp_path / "model"))
        found = [session.run(["loss:0", "train"], given)[0] for _ in range(4)]
        session.run("init")  # what draws the initial values came along, too
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert wanted[-1] < wanted[0]


# What TensorFlow 2.21 gives for two calls each.
RAW: dict[str, tuple[dict[str, Any], Any]] = {
    "RandomUniform": (
        {"shape": [2], "dtype": tf.float32, "seed": 1, "seed2": 2},
        [[0.406396746635437, 0.8575996160507202], [0.603865385055542, 0.5261081457138062]],
    ),
    "RandomStandardNormal": (
        {"shape": [2], "dtype": tf.float32, "seed": 0, "seed2": 2},
        [[0.08629926294088364, 0.7280054092407227], [2.3264942169189453, -0.684465765953064]],
    ),
    "TruncatedNormal": (
        {"shape": [2], "dtype": tf.float32, "seed": 3, "seed2": 0},
        [[-1.864717960357666, 0.8026450276374817], [-0.4122929871082306, -0.25173962116241455]],
    ),
    "RandomUniformInt": (
        {"shape": [2], "minval": 0, "maxval": 100, "seed": 1, "seed2": 2},
        [[99, 15], [54, 15]],
    ),
    "RandomShuffle": (
        {"value": [1, 2, 3, 4, 5], "seed": 1, "seed2": 2},
        [[5, 1, 3, 2, 4], [2, 4, 1, 5, 3]],
    ),
    "Multinomial": (
        {"logits": [[0.1, 0.2, 0.3]], "num_samples": 4, "seed": 1, "seed2": 2},
        [[[0, 1, 0, 0]], [[2, 1, 1, 1]]],
    ),
    "RandomGamma": (
        {"shape": [1], "alpha": [1.0, 2.0], "seed": 1, "seed2": 2},
        [[[0.5854895114898682, 1.0441701412200928]], [[0.25191307067871094, 1.2996736764907837]]],
    ),
    "RandomPoissonV2": (
        {"shape": [1], "rate": [1.0, 2.0], "seed": 1, "seed2": 2},
        [[[1, 2]], [[0, 1]]],
    ),
}


@pytest.mark.parametrize("name", RAW)
def test_raw_operations_take_both_seeds(name: str) -> None:
    arguments, wanted = RAW[name]
    for y in wanted:
        found = getattr(tf.raw_ops, name)(**arguments)
        np.testing.assert_allclose(found, y, rtol=1e-5)


def test_raw_operations_without_seeds_draw_other_numbers() -> None:
    draws = [tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32) for _ in range(2)]
    assert not np.array_equal(*draws)
