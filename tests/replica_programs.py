"""Replicas of a strategy on four virtual devices with the XLA engine, beside NumPy's; prints what went wrong, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mesh_programs import program, refused, run_programs

import wengert as tf
from wengert.distribute import DistributedValues
from wengert.engines.xla.backend import jax
from wengert.engines.xla.replicas import ReplicaTrace

PROGRAMS: dict[str, Callable[[], None]] = {}
REPLICAS = 4


class Groups:
    """How many groups of replicas' operations were computed at once, and how many one after the other."""

    def __init__(self) -> None:
        self.found: list[bool] = []
        self._took = ReplicaTrace._took

    def __enter__(self) -> Groups:
        def took(*given: Any) -> bool:
            self.found.append(self._took(*given))
            return self.found[-1]

        ReplicaTrace._took = took  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: object) -> None:
        ReplicaTrace._took = self._took  # type: ignore[method-assign]


def on_each(values: Sequence[Any]) -> Any:
    return DistributedValues([tf.constant(v) for v in values])


def same_on_replicas(
    replica: Callable[..., Any],
    given: Sequence[Any] = (),
    variables: Callable[[], Sequence[Any]] = list,
    together: bool | None = True,
) -> None:
    """Three calls with XLA, on four devices at once, give what NumPy gives for one replica after the other."""
    results: list[Any] = []
    for engine in ("numpy", "xla"):
        tf.random.set_seed(7)
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            made = list(variables())
        step = tf.function(
            lambda *args, s=strategy, m=made: s.run(replica, (*m, *args)), engine=engine
        )
        found: list[Any] = []
        with Groups() as groups:
            for _ in range(3):
                for part in tf.nest.flatten(step(*given)):
                    found += map(np.asarray, getattr(part, "values", [part]))
        results.append(found + [v.numpy() for v in made])
    assert together is None or (bool(groups.found) and all(groups.found)) == together, groups.found
    assert len(results[0]) == len(results[1])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def summed(*values: Any) -> Any:
    return context().all_reduce("SUM", list(values))


def context() -> Any:
    return tf.distribute.get_replica_context()


def parts(*shape: int) -> Any:
    rng = np.random.default_rng(3)
    return on_each([rng.normal(size=shape).astype(np.float32) for _ in range(REPLICAS)])


@program(PROGRAMS)
def replicas_train_at_once() -> None:
    """With Adam, whose variables and steps are once for all replicas."""
    optimizers: list[Any] = []

    def variables() -> list[Any]:
        optimizers[:] = [tf.optimizers.Adam(0.1)]
        return [tf.Variable(tf.ones([3, 2])), tf.Variable(tf.zeros([2]))]

    def replica(w: Any, b: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.nn.relu(x @ w + b) - 1.0))
        optimizers[0].apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        return loss

    same_on_replicas(replica, [parts(5, 3)], variables)


@program(PROGRAMS)
def replicas_meet_in_between() -> None:
    """What all of them have after a sum goes on, in second derivatives as well."""

    def replica(w: Any, x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                (mean,) = summed(tf.reduce_mean(x, 0) / REPLICAS)
                y = tf.reduce_sum(tf.sin((x - mean) * w))
            first = inner.gradient(y, w)
        (total,) = summed(first)
        return y, total, outer.gradient(first, w), tf.gather(x, [1, 0]) + total

    same_on_replicas(replica, [parts(4, 3)], lambda: [tf.Variable([0.5, 1.0, 2.0])])


@program(PROGRAMS)
def replicas_know_their_number() -> None:
    def replica(x: Any) -> Any:
        number = context().replica_id_in_sync_group
        return x * float(number), tf.cast(number, tf.float32) + tf.reduce_sum(x, 0)

    same_on_replicas(replica, [parts(4, 3)], together=None)


@program(PROGRAMS)
def replicas_draw_random_numbers() -> None:
    """Each from generators of its own, so the numbers are those of the other engines."""

    def replica(x: Any) -> Any:
        return tf.nn.dropout(x * 2.0 + 1.0, 0.5), tf.random.normal([2])

    same_on_replicas(replica, [parts(4, 3)])


@program(PROGRAMS)
def replicas_change_variables() -> None:
    """Moving averages, sums and counts of a step, beside momentum and clipped gradients."""
    by = tf.VariableAggregation
    optimizers: list[Any] = []

    def variables() -> list[Any]:
        optimizers[:] = [tf.optimizers.SGD(0.1, momentum=0.9)]
        kept: Any = {"trainable": False, "synchronization": tf.VariableSynchronization.ON_READ}
        return [
            tf.Variable(tf.ones([3, 2])),
            tf.Variable(tf.zeros([2]), aggregation=by.MEAN, **kept),
            tf.Variable(0.0, aggregation=by.SUM, **kept),
            tf.Variable(0, aggregation=by.ONLY_FIRST_REPLICA, trainable=False),
        ]

    def replica(w: Any, average: Any, total: Any, count: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            mean, variance = tf.nn.moments(x @ w, 0)
            y = tf.nn.batch_normalization(x @ w, mean, variance, None, None, 1e-3)
            loss = tf.reduce_mean(tf.square(y - 1.0)) / REPLICAS
        average.assign(0.9 * average + 0.1 * mean)
        slopes, _ = tf.clip_by_global_norm([tape.gradient(loss, w)], 0.5)
        optimizers[0].apply_gradients(zip(slopes, [w], strict=True))
        total.assign_add(loss)
        count.assign_add(1)
        return loss, average.read_value(), total + 0.0

    same_on_replicas(replica, [parts(5, 3)], variables)


@program(PROGRAMS)
def replicas_check_what_they_have() -> None:
    """Each for itself, with texts that differ, and before what waits for the check."""
    strategy = tf.distribute.MirroredStrategy()

    def replica(x: Any) -> Any:
        large = tf.reduce_max(x * 1.0)
        with tf.control_dependencies([tf.debugging.assert_less(large, 9.0, message="too large")]):
            y = tf.sin(x) * 2.0
        tf.debugging.assert_all_finite(y, "not finite")
        return y

    same_on_replicas(replica, [parts(4, 3)])
    step = tf.function(lambda x: strategy.run(replica, (x,)), engine="xla")
    assert step(on_each([[1.0], [2.0], [3.0], [4.0]])).values[3].shape == (1,)
    bad = on_each([[1.0], [2.0], [30.0], [4.0]])
    refused(tf.errors.InvalidArgumentError, "too large", lambda: step(bad))


@program(PROGRAMS)
def replicas_in_loops_and_branches() -> None:
    """Several steps in one call: what the replicas do in each is done at once, too."""
    results: list[Any] = []
    for engine in ("numpy", "xla"):
        tf.random.set_seed(7)
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            w = tf.Variable(tf.ones([3, 2]))
            total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
            optimizer = tf.optimizers.Adam(0.1)

        def replica(x: Any, w: Any = w, total: Any = total, optimizer: Any = optimizer) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.nn.dropout(x, 0.5) @ w - 1.0))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            total.assign_add(loss)
            return loss

        @tf.function(engine=engine)
        def steps(x: Any, count: Any, s: Any = strategy, replica: Any = replica) -> Any:
            found = 0.0
            for at in tf.range(count):
                found += s.reduce("SUM", s.run(replica, (x,)), axis=None)
                if at == 1:
                    found += s.reduce("MEAN", s.run(replica, (x,)), axis=None)
            return found

        with Groups() as groups:
            given = parts(5, 3)
            found = [steps(given, tf.constant(count)).numpy() for count in (3, 1, 2)]
        results.append([*found, w.numpy(), total.numpy()])
    assert len(groups.found) >= 2
    assert all(groups.found), groups.found
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@program(PROGRAMS)
def replicas_draw_from_a_generator_in_common() -> None:
    """One made in the scope: at once, each its own numbers; the state moves on once."""
    made: list[Any] = []

    def variables() -> list[Any]:
        made[:] = [tf.random.Generator.from_seed(3)]
        return [made[0].state]

    def replica(_: Any, x: Any) -> Any:
        return x * made[0].normal([4, 3]), made[0].uniform([2]) + 1.0

    same_on_replicas(replica, [parts(4, 3)], variables)


@program(PROGRAMS)
def replicas_draw_from_one_generator() -> None:
    """That of a function which all of them call. One after the other: each takes up where the one before left it."""
    made: list[Any] = []

    def functions() -> list[Any]:
        made[:] = [tf.function(lambda x: x * tf.random.normal([4, 3]))]
        return []

    same_on_replicas(lambda x: made[0](x) + 1.0, [parts(4, 3)], functions, together=None)


@program(PROGRAMS)
def replicas_draw_by_rejection() -> None:
    """As NumPy does, which is called back: one after the other."""

    def replica(x: Any) -> Any:
        return tf.random.gamma([4, 3], 2.0 + tf.abs(x)) * 2.0 + x

    same_on_replicas(replica, [parts(4, 3)], together=None)


@program(PROGRAMS)
def replicas_loop_and_branch() -> None:
    """Each its own way, so often as its values say, some of them beyond the room that there is at first."""

    def replica(w: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.abs(x * w))
            for i in tf.range(3):
                y = tf.sin(y) * tf.cast(i + 1, tf.float32) + y
            if y > 6.0:
                y = y * tf.reduce_mean(w)
            else:
                y = tf.square(y)
            size = tf.constant(0.0)
            while tf.abs(y) < 50.0:
                y = y * (1.02 + 0.05 * tf.abs(tf.sin(w[0])))
                size += 1.0
            z = tf.reduce_sum(tf.map_fn(lambda row: tf.reduce_sum(row * w) ** 2, x))
        slope = tape.gradient([y, z], w)
        (total,) = summed(slope)
        return y, size, slope, total

    same_on_replicas(replica, [parts(4, 3)], lambda: [tf.Variable([0.01, 1.0, 0.5])])


@program(PROGRAMS)
def replicas_draw_in_loops_and_branches() -> None:
    """How many numbers a replica draws depends on its values, and what it draws later on those before."""

    def replica(w: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            s = tf.reduce_sum(x * w)
            for _ in tf.range(2 + tf.cast(s > 0.0, tf.int32)):
                s = s * tf.random.uniform([], 0.5, 1.5)
                if s > 0.5:
                    s += tf.reduce_sum(tf.nn.dropout(x, 0.5))
            y = tf.nn.dropout(x * s, 0.5)
        return s, y, tape.gradient(y, w)

    same_on_replicas(replica, [parts(4, 3)], lambda: [tf.Variable([0.5, 1.0, 2.0])])


@program(PROGRAMS)
def replicas_whose_loops_differ() -> None:
    """In what Python wrote into their bodies: one after the other."""

    def replica(x: Any) -> Any:
        number = context().replica_id_in_sync_group
        for _ in tf.range(3):
            x = tf.sin(x) * float(number)
        return x + 1.0

    same_on_replicas(replica, [parts(4, 3)], together=None)


@program(PROGRAMS)
def replicas_that_call_python() -> None:
    """On one device: those that wait for each other would wait for Python, and it for them."""

    def replica(w: Any, x: Any) -> Any:
        y = tf.sin(x * w)
        z = tf.numpy_function(np.tanh, [y], tf.float32)
        z.set_shape([4, 3])
        (total,) = summed(tf.reduce_sum(z) + tf.reduce_sum(y))
        w.assign_add(tf.ones([3]) * total)
        return total, z

    same_on_replicas(
        replica,
        [parts(4, 3)],
        lambda: [tf.Variable([0.5, 1.0, 2.0], aggregation=tf.VariableAggregation.MEAN)],
        together=None,
    )


@program(PROGRAMS)
def replicas_of_several_sizes() -> None:
    rows = np.arange(20, dtype=np.float32).reshape(10, 2)
    given = on_each([rows[:3], rows[3:6], rows[6:8], rows[8:]])

    def replica(w: Any, x: Any) -> Any:
        y = tf.reduce_sum(tf.square(x * w + 1.0), 0)
        (total,) = summed(y)
        return y, total

    same_on_replicas(replica, [given], lambda: [tf.Variable([0.5, 2.0])], together=None)


@program(PROGRAMS)
def replicas_of_no_elements() -> None:
    def replica(w: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.sin(x * w) * 2.0
            (total,) = summed(y)
        return y + total, tape.gradient(y, w)

    same_on_replicas(replica, [parts(0, 3)], lambda: [tf.Variable([1.0, 2.0, 3.0])], together=None)


@program(PROGRAMS)
def replicas_gather_rows_and_change_variables() -> None:
    places = on_each([[0, 2], [1, 2], [3, 3], [0, 1]])

    def variables() -> list[Any]:
        table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2))
        return [table, tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)]

    def replica(table: Any, count: Any, at: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.square(tf.gather(table, at)))
        rows = tf.convert_to_tensor(tape.gradient(y, table))
        count.assign_add(y)
        return y, rows, summed(rows)

    same_on_replicas(replica, [places], variables, together=None)


@program(PROGRAMS)
def a_check_that_fails_in_one_replica() -> None:
    strategy = tf.distribute.MirroredStrategy()
    table = tf.constant([[1.0], [2.0]])
    step = tf.function(
        lambda at: strategy.run(lambda i: tf.gather(table * 2.0, i + 0) * 3.0, (at,)), engine="xla"
    )
    assert step(on_each([[0], [1], [1], [0]])).values[2].numpy() == [[12.0]]
    bad = on_each([[0], [1], [7], [0]])
    refused(tf.errors.InvalidArgumentError, "= 7 is not in [0, 2)", lambda: step(bad))


@program(PROGRAMS)
def one_program_for_all_devices() -> None:
    """Each device has one product of its part, and what they add goes in one sum, or two."""
    strategy = tf.distribute.MirroredStrategy()
    w = tf.Variable(tf.ones([3, 2]))

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x @ w))
        return summed(tape.gradient(loss, w), loss)

    step = tf.function(lambda x: strategy.run(replica, (x,)), engine="xla")
    texts: list[str] = []
    jit = jax.jit

    def kept(function: Any, **options: Any) -> Any:
        compiled = jit(function, **options)

        def call(*given: Any) -> Any:
            texts.append(compiled.lower(*given).compile().as_text())
            return compiled(*given)

        return call

    jax.jit = kept
    try:
        step(parts(5, 3))
    finally:
        jax.jit = jit
    assert "num_partitions=4" in texts[0]
    assert texts[0].count(" dot(") == 2
    assert 1 <= texts[0].count(" all-reduce(") <= 2


if __name__ == "__main__":
    run_programs(PROGRAMS)
