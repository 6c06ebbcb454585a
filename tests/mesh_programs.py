"""Programs on four virtual devices, beside the same on one; prints what went wrong in each, as JSON."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.distribute import Mesh, replicate, shard, sharding

PROGRAMS: dict[str, Callable[[], None]] = {}
STEPS = 4
CLOSE = {"rtol": 2e-6, "atol": 2e-6}  # float32, summed in another order
RNG = np.random.default_rng(0)
X, Y = (RNG.normal(size=(8, n)).astype(np.float32) for n in (6, 4))


def program(
    programs: dict[str, Callable[[], None]],
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def noted(function: Callable[[], None]) -> Callable[[], None]:
        programs[function.__name__] = function
        return function

    return noted


def refused(error: type[Exception], words: str, function: Callable[[], Any]) -> None:
    with pytest.raises(error, match=re.escape(words)):
        function()


class Network:
    """Two layers and Adam."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.weights = [
            tf.Variable(rng.normal(size=shape).astype(np.float32))
            for shape in ((6, 16), (16,), (16, 4))
        ]
        self.optimizer = tf.optimizers.Adam(0.01)
        self.step = tf.function(self._step, engine="xla")

    def _step(self, x: Any, y: Any) -> Any:
        first, bias, last = self.weights
        with tf.GradientTape() as tape:
            hidden = tf.nn.tanh(tf.matmul(x, first) + bias)
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, last) - y))
        gradients = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients(zip(gradients, self.weights, strict=True))
        return loss, gradients

    def train(self, placed: Callable[[Any], Any]) -> list[Any]:
        """What every step gives, and the variables after the last."""
        found = []
        for _ in range(STEPS):
            loss, gradients = self.step(placed(X), placed(Y))
            found += [loss.numpy(), *[g.numpy() for g in gradients]]
        return found + [v.numpy() for v in (*self.weights, *self.optimizer.variables)]


def same_as_one_device(
    specs: Sequence[Any], batch: Callable[[Any], Any], mesh: Mesh | None
) -> Network:
    found = Network()
    for weight, spec in zip(found.weights, specs, strict=True):
        if mesh is not None:
            shard(weight, mesh, spec)
    wanted = Network().train(tf.constant)
    for a, b in zip(found.train(batch), wanted, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)
    return found


@program(PROGRAMS)
def steps_that_nobody_waits_for() -> None:
    """Many, each with a sum over all devices: they do not wait for each other's threads."""
    mesh = Mesh({"data": 4})
    total = replicate(tf.Variable(np.zeros(1 << 16, np.float32)), mesh)
    rows = shard(np.ones((4, 1 << 16), np.float32), mesh, "data")

    @tf.function(engine="xla")
    def add(rows: Any) -> Any:
        return total.assign_add(tf.reduce_sum(rows, 0), read_value=False)

    for _ in range(200):
        add(rows)
    assert total.numpy()[-1] == 800.0


@program(PROGRAMS)
def data_parallel() -> None:
    mesh = Mesh({"data": 4})
    network = same_as_one_device([(), (), ()], lambda x: shard(x, mesh, "data"), mesh)
    assert [sharding(w) for w in network.weights] == [(), (), ()]


@program(PROGRAMS)
def draws_on_a_mesh() -> None:
    """Random numbers of a step on a mesh are those of one device, and go on from step to step."""
    mesh, rng = Mesh({"data": 4}), tf.random.Generator.from_seed(2)
    batch = tf.constant(X)

    def dropped_in_a_loop(x: Any) -> Any:
        body = lambda i, x: (i + 1, tf.nn.dropout(x, 0.2))  # noqa: E731
        return tf.while_loop(lambda i, x: i < 3, body, (0, x))[1]

    for draw in (
        lambda x: tf.nn.dropout(x, 0.5),
        lambda x: tf.random.shuffle(x),
        lambda x: x + rng.normal(x.shape),
        dropped_in_a_loop,
    ):
        found = {}
        for engine, x in {"numpy": batch, "xla": shard(X, mesh, "data")}.items():
            tf.random.set_seed(3)
            rng.reset_from_seed(2)
            f = tf.function(draw, engine=engine)
            found[engine] = [f(x).numpy() for _ in range(3)]
        np.testing.assert_allclose(found["xla"], found["numpy"], **CLOSE)


@program(PROGRAMS)
def data_parallel_of_inputs_alone() -> None:
    mesh = Mesh({"data": -1})
    same_as_one_device([(), (), ()], lambda x: shard(x, mesh, ("data", None)), None)


@program(PROGRAMS)
def tensor_parallel() -> None:
    mesh = Mesh({"model": 4})
    specs = [(None, "model"), "model", ("model", None)]
    network = same_as_one_device(specs, tf.constant, mesh)
    assert [sharding(w) for w in network.weights] == [(None, "model"), ("model",), ("model",)]


@program(PROGRAMS)
def both() -> None:
    mesh = Mesh({"data": 2, "model": 2})
    specs = [(None, "model"), "model", ("model",)]
    network = same_as_one_device(specs, lambda x: shard(x, mesh, "data"), mesh)
    pieces = network.weights[0].__dict__["_on_device"].array.addressable_shards
    assert {p.data.shape for p in pieces} == {(6, 8)}, "the weights are not divided"


@program(PROGRAMS)
def one_axis_over_two_of_the_mesh() -> None:
    mesh = Mesh({"a": 2, "b": 2})
    x = shard(X, mesh, (("a", "b"), None))
    total = tf.function(lambda x: tf.reduce_sum(x * x), engine="xla")(x)
    np.testing.assert_allclose(total.numpy(), np.sum(X * X), rtol=1e-6)
    assert sharding(x) == (("a", "b"),) or sharding(x) == (("a", "b"), None)


@program(PROGRAMS)
def a_value_is_whole_everywhere_else() -> None:
    mesh = Mesh({"data": 4})
    x, v = shard(X, mesh, "data"), shard(tf.Variable(X), mesh, "data")
    np.testing.assert_array_equal(x.numpy(), X)
    np.testing.assert_array_equal((x + 1.0).numpy(), X + 1.0)
    np.testing.assert_array_equal(v.numpy(), X)
    for engine in ("native", "numpy"):
        found = tf.function(lambda x: x * v, engine=engine)(x)
        np.testing.assert_array_equal(found.numpy(), X * X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.square(x))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), 2 * X)


@program(PROGRAMS)
def what_is_assigned_is_laid_out_again() -> None:
    mesh = Mesh({"data": 4})
    v = shard(tf.Variable(X), mesh, "data")
    double = tf.function(lambda: v.assign(v * 2.0).read_value(), engine="xla")
    double()
    v.assign(X)
    double()
    assert sharding(v) == ("data",)
    np.testing.assert_array_equal(v.numpy(), 2 * X)


@program(PROGRAMS)
def a_tape_around_the_function() -> None:
    """Second derivatives, too: the gradient of what was handed out stays on the devices."""
    mesh = Mesh({"data": 2, "model": 2})
    w = tf.Variable(np.ones((6, 2), np.float32))
    shard(w, mesh, (None, "model"))
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(tf.matmul(x, w))), engine="xla")
    x = shard(X, mesh, "data")

    def both_orders(x: Any) -> list[Any]:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            (first,) = tape.gradient(y, [w])
            size = tf.reduce_sum(first * first)
        return [y.numpy(), first.numpy(), outer.gradient(size, w).numpy()]

    found, wanted = both_orders(x), both_orders(tf.constant(X))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@program(PROGRAMS)
def what_cannot_be_divided() -> None:
    mesh = Mesh({"data": 2, "model": 2})
    refused(ValueError, "does not divide into 2 parts", lambda: shard(X[:3], mesh, "data"))
    refused(ValueError, "Did you mean 'data'?", lambda: shard(X, mesh, "date"))
    refused(ValueError, "stands twice", lambda: shard(X, mesh, ("data", "data")))
    refused(ValueError, "has 3 entries", lambda: shard(X, mesh, (None, None, "data")))
    refused(TypeError, "not 4", lambda: Mesh(4))  # type: ignore[arg-type]
    refused(TypeError, "takes a tf.distribute.Mesh", lambda: shard(X, {"data": 2}, "data"))  # type: ignore[arg-type]
    refused(ValueError, "needs 8 devices, and there are 4", lambda: Mesh({"data": 8}))
    refused(ValueError, "no size fits in place of -1", lambda: Mesh({"data": 3, "model": -1}))
    refused(ValueError, "has 0 devices", lambda: Mesh({"data": 0}))
    other = Mesh({"data": 4})
    add = tf.function(lambda x, y: x + y, engine="xla")
    pair = shard(X, mesh, "data"), replicate(X, other)
    refused(tf.errors.InvalidArgumentError, "lies on 2 meshes", lambda: add(*pair))
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    refused(
        RuntimeError,
        "is 4 devices already",
        lambda: tf.config.set_logical_device_configuration(cpu, two),
    )


def run_programs(programs: dict[str, Callable[[], None]]) -> None:
    """Run them on four devices; print what went wrong in each, as JSON."""
    four = [tf.config.LogicalDeviceConfiguration()] * 4
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], four)
    wrong = {}
    for name, function in programs.items():
        try:
            function()
            wrong[name] = ""
        except Exception:
            wrong[name] = traceback.format_exc()
    print(json.dumps(wrong))


if __name__ == "__main__":
    run_programs(PROGRAMS)
