"""Several replicas in one process: what they compute together is what one computes of the whole batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.host.cpu_devices import CpuDevices

RNG = np.random.default_rng(0)
X = RNG.normal(size=(10, 3)).astype(np.float32)
Y = RNG.normal(size=(10,)).astype(np.float32)
REPLICAS = 4


@pytest.fixture
def strategy(monkeypatch: pytest.MonkeyPatch) -> tf.distribute.MirroredStrategy:
    """Over four devices of the processor; JAX is not asked."""
    monkeypatch.setattr(CpuDevices, "count", REPLICAS)
    return tf.distribute.MirroredStrategy()


def trained(strategy: Any, in_function: bool, batch: int, make: Any) -> list[Any]:
    """Losses and weights of a training loop as TensorFlow's guide writes it."""
    with strategy.scope():
        w = tf.Variable(tf.zeros([3]))
        optimizer = make()
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch)

    def replica(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            each = tf.square(tf.linalg.matvec(x, w) - y)
            loss = tf.reduce_sum(each) / batch
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    def step(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica, (x, y)), axis=None)

    step = tf.function(step) if in_function else step
    found = []
    for _ in range(2):
        for x, y in strategy.experimental_distribute_dataset(dataset):
            found.append(float(step(x, y)))
    return [*found, *w.numpy().tolist(), int(optimizer.iterations.numpy())]


@pytest.mark.parametrize("batch", [4, 8, 10, 3])
@pytest.mark.parametrize("in_function", [False, True])
def test_training_is_that_of_one_replica(strategy: Any, in_function: bool, batch: int) -> None:
    """Batches that do not divide, too: 10 in eights leave 2 for four replicas."""
    for make in (lambda: tf.optimizers.SGD(0.1), lambda: tf.optimizers.Adam(0.1)):
        found = trained(strategy, in_function, batch, make)
        wanted = trained(tf.distribute.get_strategy(), in_function, batch, make)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_what_replicas_see(strategy: Any) -> None:
    seen = []

    def replica() -> int:
        context = tf.distribute.get_replica_context()
        assert context is not None
        assert not tf.distribute.in_cross_replica_context()
        seen.append((context.replica_id_in_sync_group, context.num_replicas_in_sync))
        return context.replica_id_in_sync_group * 10

    found = strategy.run(replica)
    assert seen == [(i, REPLICAS) for i in range(REPLICAS)]
    assert strategy.experimental_local_results(found) == (0, 10, 20, 30)
    assert strategy.reduce("SUM", found, axis=None).numpy() == 60
    assert (
        strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(lambda: 2.0), None).numpy() == 2.0
    )


def per_replica(strategy: Any, make: Any) -> Any:
    return strategy.experimental_distribute_values_from_function(
        lambda context: make(context.replica_id_in_sync_group)
    )


def test_reductions_along_an_axis_count_elements(strategy: Any) -> None:
    """Replicas with more rows count for more; what is not distributed has no sum over replicas."""
    rows = per_replica(strategy, lambda i: tf.ones([i + 1]) * (i + 1.0))
    assert strategy.reduce("SUM", rows, axis=0).numpy() == 1 + 4 + 9 + 16
    assert strategy.reduce("MEAN", rows, axis=0).numpy() == 3.0
    assert strategy.gather(rows, axis=0).numpy().tolist() == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    with pytest.raises(ValueError, match="non-DistributedValues value"):
        strategy.reduce("SUM", tf.constant(1.0), axis=None)
    with pytest.raises(ValueError, match='"SUM" or "MEAN"'):
        strategy.reduce("MAX", rows, axis=None)


def test_all_reduce_and_its_gradients(strategy: Any) -> None:
    """Of the square of a sum over replicas: the tape of a replica sees what its value does to all."""
    x = per_replica(strategy, lambda i: tf.constant(float(i)))

    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.square(context.all_reduce("SUM", x * x))  # type: ignore[union-attr]
            first = tape.gradient(y, x)
        return y, first, outer.gradient(first, x)

    total = sum(i * i for i in range(REPLICAS))
    y, first, second = strategy.run(replica, (x,))
    assert [v.numpy() for v in y.values] == [total**2] * REPLICAS
    # All replicas compute the same y, whose sum is what is differentiated.
    assert [v.numpy() for v in first.values] == [REPLICAS * 2 * total * 2 * i for i in range(4)]
    assert all(np.isfinite(v.numpy()) for v in second.values)
    with tf.GradientTape() as tape:
        v = tf.Variable(2.0)
        y = strategy.reduce("SUM", strategy.run(lambda x: x * v * v, (x,)), axis=None)
    assert tape.gradient(y, v).numpy() == 6 * 2 * 2.0


@pytest.mark.parametrize("engine", [None, "numpy", "native"])
def test_all_gather_and_its_gradient(strategy: Any, engine: str | None) -> None:
    """Parts of several sizes; each has its part of what all replicas send back."""
    x = per_replica(strategy, lambda i: tf.reshape(tf.range(i + 1.0), (1, i + 1)) + 1.0)

    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context.all_gather(x * x, axis=1)  # type: ignore[union-attr]
            loss = tf.reduce_sum(y * y)
        return y, tape.gradient(loss, x)

    run = lambda: strategy.run(replica, (x,))  # noqa: E731
    gathered, slopes = run() if engine is None else tf.function(run, engine=engine)()
    wanted = np.concatenate([np.arange(1.0, n + 1) ** 2 for n in range(1, REPLICAS + 1)])
    for at, (y, slope) in enumerate(zip(gathered.values, slopes.values, strict=True)):
        assert y.numpy().ravel().tolist() == wanted.tolist()
        numbers = np.arange(1.0, at + 2)
        assert slope.numpy().ravel().tolist() == (REPLICAS * 4 * numbers**3).tolist()


def test_variables_say_how_replicas_change_them(strategy: Any) -> None:
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
        mean = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)
        first = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
        none = tf.Variable(0.0)
    x = per_replica(strategy, lambda i: tf.constant(i + 1.0))

    @tf.function
    def step(x: Any) -> Any:
        return strategy.run(
            lambda x: (total.assign_add(x), mean.assign(x), first.assign_sub(x)), (x,)
        )

    step(x)
    assert (total.numpy(), mean.numpy(), first.numpy()) == (10.0, 2.5, -1.0)
    with pytest.raises(ValueError, match="must specify an aggregation method"):
        strategy.run(lambda x: none.assign(x), (x,))
    assert none.assign(3.0).numpy() == 3.0


def test_variables_made_by_replicas_are_made_once(strategy: Any) -> None:
    made: list[Any] = []

    def replica(x: Any) -> Any:
        if len(made) < REPLICAS:
            made.append(tf.Variable(1.0))
        return made[0] * x

    with strategy.scope():
        found = strategy.run(replica, (2.0,))
    assert len({id(v) for v in made}) == 1
    assert strategy.reduce("SUM", found, axis=None).numpy() == 8.0


def test_errors_of_replicas(strategy: Any) -> None:
    """They are raised as they are; replicas that do not meet are told apart."""

    def fails() -> None:
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group == 2:  # type: ignore[union-attr]
            raise KeyError("mine")
        context.all_reduce("SUM", 1.0)  # type: ignore[union-attr]

    with pytest.raises(KeyError, match="mine"):
        strategy.run(fails)

    def alone() -> None:
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group == 0:  # type: ignore[union-attr]
            context.all_reduce("SUM", 1.0)  # type: ignore[union-attr]

    with pytest.raises(RuntimeError, match="replica 0: all_reduce of 1; replica 1: ended"):
        strategy.run(alone)
    inner = tf.function(lambda: tf.distribute.get_replica_context().all_reduce("SUM", 1.0))  # type: ignore[union-attr]
    with pytest.raises(RuntimeError, match=r"a tf\.function within the function"):
        strategy.run(lambda: inner())
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def loops() -> None:
        for _ in tf.range(3):
            total.assign_add(1.0)

    with pytest.raises(RuntimeError, match=r"a loop, a branch .* as where a variable is changed"):
        tf.function(lambda: strategy.run(loops))()
    assert [v.numpy() for v in strategy.run(inner).values] == [
        4.0
    ] * REPLICAS  # the replicas' function itself may be one


def test_devices_that_are_not_there(strategy: Any) -> None:
    one = tf.distribute.MirroredStrategy(["/gpu:0"])  # the device that there is stands for it
    assert one.num_replicas_in_sync == 1
    assert tf.distribute.MirroredStrategy(["cpu:0", "/device:CPU:3"]).num_replicas_in_sync == 2
    for devices, words in (
        (["cpu:0", "cpu:9"], "There is no device 'cpu:9'"),
        (["cpu:1", "cpu:1"], "given twice"),
        ([], "a device at least"),
        (["first", "2nd"], "is no name of a device"),
    ):
        with pytest.raises(ValueError, match=words):
            tf.distribute.MirroredStrategy(devices)


def test_sparse_gradients_and_minimize(strategy: Any) -> None:
    """The rows of a table that replicas look up are put together."""
    ids = per_replica(strategy, lambda i: tf.constant([i, 0]))
    with strategy.scope():
        table = tf.Variable(tf.ones([5, 2]))
        optimizer = tf.optimizers.SGD(1.0)

    def replica(ids: Any) -> None:
        optimizer.minimize(lambda: tf.reduce_sum(tf.gather(table, ids)), [table])

    strategy.run(replica, (ids,))
    assert table.numpy()[:, 0].tolist() == [1.0 - 5.0, 0.0, 0.0, 0.0, 1.0]


# Of TensorFlow 2.21 on four devices, from the seed 3: the numbers of each replica, in the order in which they are drawn.
IN_COMMON = (
    [0.2942096, 0.08704996, 0.8878442, 0.09625757, 0.6851759, 0.1120832, 0.78920770, 0.57553458],
    [
        0.05272678,
        0.19034316,
        -1.3250628,
        0.56923401,
        -0.06089476,
        0.0421007,
        -0.44729155,
        1.3192838,
    ],
)
AFTERWARDS = [0.03114271, 0.53407621]  # where no replica draws
OF_A_NEW_SEED = [0.91814220, 0.40753103, 0.70011520, 0.01550221]
OF_A_PART = [0.67511344, 0.99540961, 0.81970787, 0.81914866]


def flat(values: Any) -> list[float]:
    return [float(x) for v in values.values for x in v.numpy()]


@pytest.mark.parametrize("engine", [None, "numpy", "native"])
def test_generators_in_common(strategy: Any, engine: str | None) -> None:
    """One made in the scope gives each replica its own numbers, and moves on once for all of them."""
    with strategy.scope():
        generator = tf.random.Generator.from_seed(3)

    def draw(replica: Any) -> list[float]:
        if engine is None:
            return flat(strategy.run(replica))
        return flat(tf.function(lambda: strategy.run(replica), engine=engine)())

    def reset() -> Any:
        generator.reset_from_seed(5)
        return generator.uniform([1])

    assert draw(lambda: generator.uniform([2])) == pytest.approx(IN_COMMON[0], abs=1e-7)
    assert draw(lambda: generator.normal([2])) == pytest.approx(IN_COMMON[1], abs=1e-6)
    assert generator.state.numpy().tolist() == [1027, 0, 0]
    assert generator.uniform([2]).numpy() == pytest.approx(AFTERWARDS, abs=1e-7)
    assert draw(reset) == pytest.approx(OF_A_NEW_SEED, abs=1e-7)
    if engine is None:  # a part is a variable, which functions make in their first call only
        found = draw(lambda: generator.split(1)[0].uniform([1]))
        assert found == pytest.approx(OF_A_PART, abs=1e-7)


def test_generators_of_no_strategy(strategy: Any) -> None:
    """One made outside is drawn from in turns; the first replica has the numbers that come next."""
    generator, alone = (tf.random.Generator.from_seed(3) for _ in range(2))
    found = flat(strategy.run(lambda: generator.uniform([2])))
    assert found == [float(x) for _ in range(REPLICAS) for x in alone.uniform([2]).numpy()]
    assert generator.state.numpy().tolist() == alone.state.numpy().tolist()
    with pytest.raises(TypeError):
        strategy.run(lambda: generator.normal([2], dtype=tf.float32, mean="one"))
    assert generator.state.numpy().tolist() == alone.state.numpy().tolist()


def test_a_strategy_of_one_has_a_replica_too() -> None:
    """The number of the only replica is part of its key, as in TensorFlow."""
    one = tf.distribute.OneDeviceStrategy()
    with one.scope():
        generator = tf.random.Generator.from_seed(3)
    assert one.run(lambda: generator.uniform([2])).numpy() == pytest.approx(
        IN_COMMON[0][:2], abs=1e-7
    )
    default = tf.distribute.get_strategy()
    with default.scope():
        generator = tf.random.Generator.from_seed(3)
    first = [0.1322986, 0.5348098]
    assert default.run(lambda: generator.uniform([2])).numpy() == pytest.approx(first, abs=1e-7)


ROWS = np.arange(40, dtype=np.float32).reshape(20, 2)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("dealt", [False, True])
def test_functions_go_through_distributed_datasets(strategy: Any, dealt: bool, engine: str) -> None:
    """In a loop over all batches, by an iterator, and in Python: each batch once, in order."""
    rows = tf.data.Dataset.from_tensor_slices({"a": ROWS, "b": ROWS[:, 0]})
    if dealt:  # of ten batches two are left over
        distributed = strategy.distribute_datasets_from_function(lambda _: rows.batch(2))
    else:
        distributed = strategy.experimental_distribute_dataset(rows.batch(8))

    def of_batch(batch: Any) -> Any:
        found = strategy.run(lambda b: tf.reduce_sum(b["a"] * b["b"][:, None]), (batch,))
        return strategy.reduce("SUM", found, axis=None)

    @tf.function(engine=engine)
    def of_all(batches: Any) -> Any:
        total, count = 0.0, 0
        for batch in batches:
            total += of_batch(batch)
            count += 1
        return total, count

    @tf.function(engine=engine)
    def of_two(batches: Any) -> Any:
        total = 0.0
        for _ in tf.range(2):
            total += of_batch(next(batches))
        return total

    seen = 16 if dealt else 20
    each = (ROWS[:seen] * ROWS[:seen, :1]).sum(1)
    total, count = of_all(distributed)
    assert (float(total), int(count)) == (each.sum(), 2 if dealt else 3)
    assert sum(float(of_batch(batch)) for batch in distributed) == each.sum()
    if not dealt:
        assert float(of_two(iter(distributed))) == each[:16].sum()
