"""Adafactor, Lamb and ScheduleFreeAdamW; optimizers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Make = Callable[[], Any]

# Of TensorFlow 2.21, in float64, after four steps.
RECORDED: dict[str, tuple[Make, list[Any]]] = {
    "adafactor": (
        lambda: tf.optimizers.Adafactor(0.1),
        [[[0.363482, 0.965636, 1.380424], [1.352406, 1.41586, 1.627232]], [1.252205, -1.660609, 0.528148], [0.000262, 8e-06]],
    ),
    "adafactor of arguments": (
        lambda: tf.optimizers.Adafactor(0.9, beta_2_decay=-0.5, clip_threshold=0.5, epsilon_2=0.1, weight_decay=0.1),
        [[[0.176506, 1.164763, 1.763096], [1.115924, 0.598664, 0.338631]], [0.976186, -0.558346, 0.609908], [0.085722, 0.006766]],
    ),
    "lamb": (
        lambda: tf.optimizers.Lamb(0.1),
        [[[-0.030148, 0.788309, 1.648457], [1.747064, 1.629086, 1.344986]], [1.081547, -1.411909, 0.887647], [0.140244, 0.118546]],
    ),
    "lamb of arguments": (
        lambda: tf.optimizers.Lamb(0.1, 0.8, 0.9, 1e-3, clipnorm=0.5),
        [[[0.010507, 0.823011, 1.627034], [1.70747, 1.590584, 1.361024]], [1.109325, -1.425648, 0.845769], [0.139861, 0.110168]],
    ),
}  # fmt: skip
MAKERS: dict[str, Make] = {
    **{name: make for name, (make, _) in RECORDED.items()},
    "schedule-free": lambda: tf.optimizers.ScheduleFreeAdamW(0.1, warmup_steps=3),
}


def initial() -> list[Any]:
    return [np.arange(1.0, 7.0).reshape(2, 3) / 3.0, np.array([1.0, -2.0, 0.5]), np.zeros(2)]


def gradients(step: Any) -> list[Any]:
    """Of one step, which is a number or a tensor."""
    return [
        tf.reshape(tf.cos(tf.range(v.size, dtype=tf.float64) + tf.cast(step + i, tf.float64)), v.shape)
        for i, v in enumerate(initial())
    ]  # fmt: skip


def trained(make: Make, compiled: bool = False) -> list[Any]:
    variables, optimizer = [tf.Variable(v) for v in initial()], make()

    def step(k: Any) -> None:
        optimizer.apply_gradients(zip(gradients(k), variables, strict=True))

    run = tf.function(step, jit_compile=True) if compiled else step
    for k in range(4):
        run(tf.constant(k))
    return [v.numpy() for v in variables]


def trained_in_a_session(make: Make) -> list[Any]:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variables = [tf.Variable(v) for v in initial()]
        k = tf.compat.v1.placeholder(tf.int32, [])
        step = make().apply_gradients(zip(gradients(k), variables, strict=True))
        session.run(tf.compat.v1.global_variables_initializer())
        for at in range(4):
            session.run(step, {k: at})
        found: list[Any] = session.run(variables)
    return found


@pytest.mark.parametrize("name", RECORDED)
def test_values(name: str) -> None:
    make, wanted = RECORDED[name]
    for found, values in zip(trained(make), wanted, strict=True):
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_modes_agree(name: str) -> None:
    at_once = trained(MAKERS[name])
    for others in (trained(MAKERS[name], compiled=True), trained_in_a_session(MAKERS[name])):
        for found, values in zip(others, at_once, strict=True):
            np.testing.assert_allclose(found, values, rtol=0, atol=1e-12)


def test_schedule_free() -> None:
    """Against its definition: gradients are taken between the fast variable and the mean of all it was."""
    rate, beta_1, beta_2, epsilon, warmup = float(np.float32(0.1)), 0.9, 0.999, 1e-8, 3
    in_powers = float(np.float32(beta_2))  # as in Keras
    z = x = initial()[1]
    size = np.zeros(3)
    for t in range(1, 5):
        g = gradients(t - 1)[1].numpy()
        size = beta_2 * size + (1.0 - beta_2) * g * g
        root = np.sqrt(size / (1.0 - in_powers**t)) + epsilon
        z = z - rate * min(t / warmup, 1.0) * g / root
        x = x + (z - x) / t
    found = trained(MAKERS["schedule-free"])[1]
    np.testing.assert_allclose(found, (1.0 - beta_1) * z + beta_1 * x, rtol=1e-9)


def test_slots_of_adafactor() -> None:
    """A number for each row and each column of a matrix, which a vector has not."""
    matrix, vector = tf.Variable(tf.ones([2, 4, 3])), tf.Variable([1.0, 2.0])
    optimizer = tf.optimizers.Adafactor()
    optimizer.build([matrix, vector])
    slots = [optimizer.get_slot(matrix, name).shape for name in ("row", "column", "velocity")]
    assert slots == [[2, 4], [2, 3], [2, 4, 3]]
    assert optimizer.get_slot(vector, "row") is None
    assert len(optimizer.variables) == 2 + 3 + 1


# ---- by name ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
def test_as_plain_values(name: str) -> None:
    made = MAKERS[name]()
    again = tf.optimizers.deserialize(tf.optimizers.serialize(made))
    assert type(again) is type(made)
    assert again.get_config() == made.get_config()


def test_by_name() -> None:
    given = tf.optimizers.SGD(0.5)
    assert tf.optimizers.get(given) is given
    assert type(tf.optimizers.get("adam")) is tf.optimizers.Adam
    assert type(tf.optimizers.get("AdamW")) is tf.optimizers.AdamW
    found = tf.optimizers.get({"class_name": "SGD", "config": {"learning_rate": 0.25}})
    assert found.learning_rate.numpy() == 0.25
    for wrong in ("adamant", 3):
        with pytest.raises(ValueError, match=r"Could not interpret optimizer identifier: .*Adamax"):
            tf.optimizers.get(wrong)


def test_ones_own_by_name() -> None:
    class Signs(tf.optimizers.Optimizer):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any:
            return variable.assign_sub(learning_rate * tf.sign(gradient))

    config = tf.optimizers.serialize(Signs(0.5))
    assert config["registered_name"] == "Signs"
    assert type(tf.optimizers.deserialize(config, {"Signs": Signs})) is Signs
    with pytest.raises(ValueError, match="custom_objects"):
        tf.optimizers.deserialize(config)
