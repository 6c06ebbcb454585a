"""Programs with datasets, for Wengert and TensorFlow: tools/datasets.py records the latter."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

Programs = dict[str, Callable[[], Any]]
PYTHON = (TypeError, ValueError, RuntimeError)


def text_of(tf: Any, program: Callable[[], Any]) -> str:
    """What a program gives, or the kind of error: that of an operation by its name."""
    tf.random.set_seed(1)
    try:
        found = str(program())
    except Exception as error:  # its kind is what is compared
        names = [kind.__name__ for kind in type(error).__mro__]
        if "OpError" in names:
            return names[names.index("OpError") - 1]
        return next((k.__name__ for k in PYTHON if isinstance(error, k)), names[0])
    return " ".join(found.split())


def shown(value: Any) -> Any:
    """A value in numbers and text, the same for both libraries."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {k: shown(getattr(value, k)) for k in value._fields}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, dict):
        return {k: shown(v) for k, v in sorted(value.items())}
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "dense_shape"):
        return [shown(value.indices), shown(value.values), shown(value.dense_shape)]
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value if value is None else str(value)


def all_of(dataset: Any, passes: int = 1) -> Any:
    """The elements of a dataset, in so many passes, and their specs."""
    found = [[shown(element) for element in dataset] for _ in range(passes)]
    return found, dataset.element_spec, int(dataset.cardinality())


def of_sources(tf: Any) -> Programs:
    """Where elements come from."""
    data = tf.data.Dataset
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
    point = collections.namedtuple("point", "x y")  # type of elements

    def pairs() -> Any:
        yield 1, [1.0]
        yield 2, [2.0, 3.0]

    def of_arguments(stop: int) -> Any:
        yield from range(stop)

    def in_specs(value: Any) -> Any:
        return all_of(data.from_tensor_slices(value))

    return {
        "tensors": lambda: all_of(data.from_tensors(([1, 2], {"a": 3.0}))),
        "tensors ragged": lambda: all_of(data.from_tensors(ragged)),
        "slices": lambda: in_specs([[1, 2], [3, 4]]),
        "slices tuple": lambda: in_specs(([1, 2], [b"x", b"y"])),
        "slices dict": lambda: in_specs({"b": [1.5, 2.5], "a": np.arange(4).reshape(2, 2)}),
        "slices named": lambda: in_specs(point([1, 2], [3, 4])),
        "slices nested": lambda: in_specs(({"x": [1]}, ([2], [3]))),
        "slices ragged": lambda: in_specs(ragged),
        "slices sparse": lambda: in_specs(sparse),
        "slices empty": lambda: in_specs(np.zeros((0, 3), np.float32)),
        "slices uneven": lambda: in_specs(([1, 2], [1, 2, 3])),
        "slices scalar": lambda: in_specs(3),
        "slices strings": lambda: in_specs(["ab", "ü"]),
        "range": lambda: all_of(data.range(5)),
        "range3": lambda: all_of(data.range(10, 1, -4)),
        "range dtype": lambda: all_of(data.range(1, 4, output_type=tf.float32)),
        "range empty": lambda: all_of(data.range(3, 1)),
        "range args": lambda: all_of(data.range()),
        "random": lambda: all_of(data.random(seed=4).take(3), 2),
        "random again": lambda: all_of(
            data.random(seed=4, rerandomize_each_iteration=True).take(3), 2
        ),
        "counter": lambda: all_of(data.counter(3, 2).take(2)),
        "generator": lambda: all_of(
            data.from_generator(
                pairs,
                output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)),
            )
        ),
        "generator types": lambda: all_of(data.from_generator(pairs, (tf.int64, tf.float64))),
        "generator shapes": lambda: all_of(
            data.from_generator(pairs, (tf.int64, tf.float32), ([], [None]))
        ),
        "generator args": lambda: all_of(
            data.from_generator(
                of_arguments, args=[3], output_signature=tf.TensorSpec([], tf.int64)
            ),
            2,
        ),
        "generator dict": lambda: all_of(
            data.from_generator(
                lambda: iter([{"a": 1, "b": "x"}]),
                output_signature={
                    "a": tf.TensorSpec([], tf.int32),
                    "b": tf.TensorSpec([], tf.string),
                },
            )
        ),
        "generator ragged": lambda: all_of(
            data.from_generator(
                lambda: iter([tf.ragged.constant([[1], [2, 3]])]),
                output_signature=tf.RaggedTensorSpec([None, None], tf.int32),
            )
        ),
        "generator nothing said": lambda: all_of(data.from_generator(pairs)),
        "generator no function": lambda: data.from_generator([1, 2], tf.int32),
        "zip": lambda: all_of(data.zip((data.range(3), data.range(5, 10)))),
        "zip args": lambda: all_of(data.zip(data.range(2), {"a": data.range(3)})),
        "zip list": lambda: all_of(data.zip([data.range(2)])),
        "repr range": lambda: repr(data.range(2)),
        "repr map": lambda: repr(data.range(2).map(lambda x: x)),
        "repr batch": lambda: repr(data.range(2).batch(2)),
        "repr generator": lambda: repr(data.from_generator(pairs, (tf.int64, tf.float64))),
        "spec": lambda: repr(tf.data.DatasetSpec.from_value(data.range(2))),
        "numpy": lambda: list(data.from_tensor_slices({"a": [1, 2]}).as_numpy_iterator()),
    }


def of_order(tf: Any) -> Programs:
    """Which elements come, and in which order."""
    data = tf.data.Dataset
    ten = data.range(10)

    def six() -> Any:
        return data.range(6).shuffle(6, seed=3)

    def drawn(weights: Any, **options: Any) -> Any:
        parts = [data.range(i * 10, i * 10 + 5) for i in range(3)]
        return all_of(data.sample_from_datasets(parts, weights, **options), 2)

    def chosen(stop: bool) -> Any:
        parts = [data.range(2), data.range(10, 14)]
        choice = data.range(2).repeat(3)
        return all_of(data.choose_from_datasets(parts, choice, stop_on_empty_dataset=stop))

    def globally(seed: int) -> Any:
        tf.random.set_seed(seed)
        return all_of(ten.shuffle(4), 2)

    def in_a_function() -> Any:
        f = tf.function(lambda: data.range(6).shuffle(6, seed=3).batch(6).get_single_element())
        return shown([f(), f()])

    return {
        "take": lambda: all_of(ten.take(3)),
        "take all": lambda: all_of(ten.take(-1)),
        "take none": lambda: all_of(ten.take(0)),
        "take many": lambda: all_of(ten.take(20)),
        "skip": lambda: all_of(ten.skip(7)),
        "skip all": lambda: all_of(ten.skip(-1)),
        "shard": lambda: all_of(ten.shard(3, 1)),
        "shard index": lambda: ten.shard(3, 3),
        "repeat": lambda: all_of(data.range(3).repeat(2)),
        "repeat none": lambda: all_of(data.range(3).repeat(0)),
        "repeat for ever": lambda: all_of(data.range(3).repeat().take(7)),
        "repeat nothing": lambda: all_of(data.range(0).repeat()),
        "concatenate": lambda: all_of(data.range(2).concatenate(data.range(5, 7))),
        "concatenate shapes": lambda: all_of(
            data.from_tensors([1]).concatenate(data.from_tensors([1, 2]))
        ),
        "concatenate types": lambda: data.range(2).concatenate(data.from_tensors(1.0)),
        "enumerate": lambda: all_of(data.from_tensor_slices(["a", "b"]).enumerate(5)),
        "shuffle": lambda: all_of(ten.shuffle(4, seed=1), 3),
        "shuffle same": lambda: all_of(ten.shuffle(4, seed=1, reshuffle_each_iteration=False), 3),
        "shuffle all": lambda: all_of(ten.shuffle(100, seed=7), 2),
        "shuffle repeat": lambda: all_of(ten.shuffle(10, seed=7).repeat(2), 2),
        "shuffle batch repeat": lambda: all_of(six().batch(3).repeat(2), 3),
        "shuffle map repeat": lambda: all_of(six().map(lambda x: x + 1).repeat(2), 3),
        "shuffle repeat once": lambda: all_of(six().batch(3).repeat(1), 3),
        "shuffle repeat twice": lambda: all_of(six().batch(3).repeat(2).repeat(2), 2),
        "shuffle repeat take": lambda: all_of(six().batch(3).repeat(2).take(3), 2),
        "shuffle repeat for ever": lambda: all_of(six().batch(3).repeat().take(4), 2),
        "repeat shuffle": lambda: all_of(ten.repeat(2).shuffle(10, seed=7), 2),
        "shuffle one": lambda: all_of(ten.shuffle(1, seed=7)),
        "shuffle twice": lambda: all_of(ten.shuffle(3, seed=1).shuffle(5, seed=2), 2),
        "shuffle long": lambda: all_of(data.range(3000).shuffle(700, seed=5).skip(1000).take(50)),
        "shuffle globally": lambda: globally(5),
        "shuffle of nothing": lambda: data.range(3).shuffle(0),
        "shuffle in a function": in_a_function,
        "sample": lambda: drawn([0.2, 0.3, 0.5], seed=3),
        "sample evenly": lambda: drawn(None, seed=3),
        "sample stop": lambda: drawn(None, seed=3, stop_on_empty_dataset=True),
        "sample wrong": lambda: drawn([0.5, 0.5], seed=3),
        "sample by dataset": lambda: drawn(data.from_tensors([0.1, 0.1, 0.8]).repeat(), seed=3),
        "choose": lambda: chosen(True),
        "choose on": lambda: chosen(False),
        "unique": lambda: all_of(data.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()),
        "unique strings": lambda: all_of(data.from_tensor_slices(["a", "b", "a"]).unique()),
        "prefetch": lambda: all_of(ten.prefetch(2)),
        "cache": lambda: all_of(ten.shuffle(10, seed=2).cache(), 2),
        "assert": lambda: all_of(
            ten.filter(lambda x: x > 5).apply(tf.data.experimental.assert_cardinality(4))
        ),
        "cardinality": lambda: [
            int(d.cardinality())
            for d in (
                ten.repeat(),
                ten.filter(lambda x: x > 1),
                ten.batch(3),
                ten.batch(3, drop_remainder=True),
                ten.window(3, 2),
                ten.window(3, 2, drop_remainder=True),
                ten.window(2, 5),
                ten.flat_map(lambda x: data.range(x)),
                ten.batch(5, drop_remainder=True).unbatch(),
                data.zip((ten, ten.repeat())),
                ten.concatenate(ten.repeat()),
                ten.shuffle(3).prefetch(1).cache(),
            )
        ],
        "len": lambda: len(ten.batch(4)),
        "len infinite": lambda: len(ten.repeat()),
        "len unknown": lambda: len(ten.filter(lambda x: x > 1)),
        "resample": lambda: all_of(
            data.from_tensor_slices([0] * 50 + [1] * 10).rejection_resample(
                lambda x: x, [0.5, 0.5], [5 / 6, 1 / 6], seed=3
            )
        )[0],
        "resample estimated": lambda: all_of(
            data.from_tensor_slices([0, 1, 0, 0] * 20).rejection_resample(
                lambda x: x, [0.5, 0.5], seed=3
            )
        )[0],
        "options": lambda: _with_options(tf).options().deterministic,
    }


def _with_options(tf: Any) -> Any:
    options = tf.data.Options()
    options.deterministic = False
    return tf.data.Dataset.range(3).with_options(options).map(lambda x: x + 1)


def of_functions(tf: Any) -> Programs:
    """What functions make of elements."""
    data = tf.data.Dataset
    ten = data.range(10)
    count = tf.Variable(0, dtype=tf.int64)

    def parted(x: Any) -> Any:
        return x + 1 if x % 2 == 0 else -x  # autograph

    def counted(x: Any) -> Any:
        return count.assign_add(1) + 0 * x

    def with_variable() -> Any:
        count.assign(0)
        return all_of(data.range(3).map(counted), 2)

    def by_chance() -> Any:
        tf.random.set_seed(5)
        found = data.range(3).map(lambda x: tf.random.uniform([], 0, 1000, tf.int32))
        return all_of(found, 2), all_of(found.repeat(2))

    def grouped(x: Any) -> Any:
        return x.batch(2)

    def words(tf: Any) -> Any:
        return data.from_tensor_slices([[1, 2], [3, 4]]).flat_map(data.from_tensor_slices)

    def scanned() -> Any:
        return all_of(
            data.range(4).scan(
                tf.constant(0, tf.int64), lambda total, x: (total + x, (total, total + x))
            )
        )

    def growing() -> Any:
        return all_of(
            data.range(3).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0),) * 2)
        )

    def reducer() -> Any:
        return tf.data.experimental.Reducer(
            lambda _: (0.0, 0.0),
            lambda s, x: (s[0] + tf.cast(x, tf.float32), s[1] + 1.0),
            lambda total, n: total / n,
        )

    def bucketed(**options: Any) -> Any:
        rows = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]
        source = data.from_generator(lambda: iter(rows), tf.int64, output_shapes=[None])
        return all_of(
            source.bucket_by_sequence_length(
                element_length_func=lambda x: tf.shape(x)[0],
                bucket_boundaries=[3, 5],
                bucket_batch_sizes=[2, 2, 2],
                **options,
            )
        )

    return {
        "map": lambda: all_of(ten.map(lambda x: x * x)),
        "map tuple": lambda: all_of(data.zip((ten, ten)).map(lambda x, y: (x + y, {"d": x - y}))),
        "map dict": lambda: all_of(
            data.from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"] * 2)
        ),
        "map list": lambda: all_of(ten.take(2).map(lambda x: [x, 1.0])),
        "map constants": lambda: all_of(ten.take(2).map(lambda x: (x, 1.0, "s", [1, 2]))),
        "map none": lambda: all_of(ten.take(2).map(lambda x: (x, None))),
        "map autograph": lambda: all_of(ten.map(parted)),
        "map variable": with_variable,
        "map by chance": by_chance,
        "map strings": lambda: all_of(
            data.from_tensor_slices(["a", "b"]).map(lambda s: tf.stack([s, s]))
        ),
        "map numpy": lambda: all_of(
            ten.take(2).map(lambda x: tf.numpy_function(lambda v: v + 0.5, [x], tf.float64))
        ),
        "map python": lambda: all_of(
            ten.take(2).map(lambda x: tf.py_function(lambda v: v.numpy() + 1, [x], tf.int64))
        ),
        "map ragged": lambda: all_of(ten.take(3).map(lambda x: tf.ragged.range(tf.stack([x, 1])))),
        "map sparse": lambda: all_of(
            ten.take(2).map(lambda x: tf.sparse.from_dense(tf.one_hot(x, 3)))
        ),
        "map parallel": lambda: all_of(ten.map(lambda x: x + 1, num_parallel_calls=2)),
        "map autotuned": lambda: all_of(
            ten.map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)
        ),
        "map no function": lambda: ten.map(3),
        "filter": lambda: all_of(ten.filter(lambda x: x % 3 == 1)),
        "filter number": lambda: ten.filter(lambda x: x),
        "filter pairs": lambda: all_of(data.zip((ten, ten)).filter(lambda x, y: x + y > 15)),
        "take while": lambda: all_of(ten.take_while(lambda x: x < 4)),
        "flat map": lambda: all_of(data.range(4).flat_map(lambda x: data.range(x))),
        "flat map slices": lambda: all_of(words(tf)),
        "flat map number": lambda: ten.flat_map(lambda x: x),
        "interleave": lambda: all_of(
            data.range(1, 6).interleave(
                lambda x: data.from_tensors(x).repeat(6), cycle_length=2, block_length=4
            )
        ),
        "interleave uneven": lambda: all_of(
            data.range(5).interleave(lambda x: data.range(x), cycle_length=3, block_length=2)
        ),
        "interleave one": lambda: all_of(
            data.range(4).interleave(lambda x: data.range(x), cycle_length=1)
        ),
        "interleave many": lambda: all_of(
            data.range(3).interleave(lambda x: data.range(x, x + 2), cycle_length=7)
        ),
        "interleave parallel": lambda: all_of(
            data.range(4).interleave(
                lambda x: data.range(x), cycle_length=2, block_length=1, num_parallel_calls=2
            )
        ),
        "scan": scanned,
        "scan growing": growing,
        "reduce": lambda: shown(ten.reduce(np.int64(0), lambda s, x: s + x)),
        "reduce pair": lambda: shown(
            ten.reduce((0.0, 0), lambda s, x: (s[0] + tf.cast(x, tf.float32), s[1] + 1))
        ),
        "reduce types": lambda: ten.reduce(0, lambda s, x: tf.cast(x, tf.float32)),
        "reduce function": lambda: shown(
            tf.function(lambda n: data.range(n).reduce(np.int64(0), lambda s, x: s + x * n))(
                tf.constant(4, tf.int64)
            )
        ),
        "group": lambda: all_of(
            ten.group_by_window(lambda x: x % 3, lambda key, window: window.batch(2), window_size=2)
        ),
        "group sizes": lambda: all_of(
            ten.group_by_window(
                key_func=lambda x: x % 2,
                reduce_func=lambda key, window: window.batch(10).map(lambda b: (key, b)),
                window_size_func=lambda key: key + 2,
            )
        ),
        "group reducer": lambda: all_of(
            ten.apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer()))
        ),
        "bucket": bucketed,
        "bucket values": lambda: bucketed(padding_values=np.int64(-1)),
        "single": lambda: shown(data.from_tensors((1, 2.0)).get_single_element()),
        "single none": lambda: data.range(0).get_single_element(),
        "single many": lambda: data.range(2).get_single_element(),
        "apply": lambda: all_of(ten.apply(grouped)),
        "apply number": lambda: ten.apply(lambda d: 3),
        "debug numbers": lambda: all_of(ten.take(1).map(lambda x: tf.cast(x, tf.float32) / 2)),
    }


def of_batches(tf: Any) -> Programs:
    """Several elements as one, and one as several."""
    data = tf.data.Dataset
    ten = data.range(10)

    def lengths(n: int) -> Any:
        return data.range(1, n).map(lambda x: tf.fill([x], x))

    def windows(*args: Any, **options: Any) -> Any:
        return all_of(data.range(8).window(*args, **options).flat_map(lambda w: w.batch(3)))

    return {
        "batch": lambda: all_of(ten.batch(3)),
        "batch drop": lambda: all_of(ten.batch(3, drop_remainder=True)),
        "batch nested": lambda: all_of(data.zip((ten, {"a": ten})).batch(4)),
        "batch strings": lambda: all_of(data.from_tensor_slices(["a", "b", "c"]).batch(2)),
        "batch matrices": lambda: all_of(
            data.from_tensor_slices(np.arange(12.0).reshape(3, 2, 2)).batch(2)
        ),
        "batch twice": lambda: all_of(ten.batch(2).batch(3)),
        "batch ragged": lambda: all_of(
            data.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []])).batch(2)
        ),
        "batch sparse": lambda: all_of(
            data.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])).batch(2)
        ),
        "batch shapes": lambda: all_of(lengths(4).batch(2)),
        "batch zero": lambda: ten.batch(0),
        "batch empty": lambda: all_of(data.range(0).batch(3)),
        "batch none": lambda: all_of(ten.map(lambda x: (x, None)).batch(5)),
        "batch bools": lambda: all_of(ten.map(lambda x: x > 4).batch(5)),
        "padded": lambda: all_of(lengths(6).padded_batch(2)),
        "padded to": lambda: all_of(lengths(4).padded_batch(2, padded_shapes=[5])),
        "padded values": lambda: all_of(
            lengths(4).padded_batch(2, padding_values=np.int64(-1), drop_remainder=True)
        ),
        "padded small": lambda: all_of(lengths(4).padded_batch(2, padded_shapes=[1])),
        "padded pairs": lambda: all_of(
            lengths(4)
            .map(lambda x: (x, tf.reshape(x, [1, -1]), x[0]))
            .padded_batch(2, ([4], [None, 4], []), (np.int64(7), np.int64(8), np.int64(9)))
        ),
        "padded strings": lambda: all_of(
            lengths(4).map(lambda x: tf.fill([x[0]], "ab")).padded_batch(3)
        ),
        "padded dtype": lambda: lengths(4).padded_batch(2, padding_values=1.5),
        "ragged": lambda: all_of(lengths(6).ragged_batch(2)),
        "ragged deep": lambda: all_of(
            lengths(4)
            .map(lambda x: tf.ensure_shape(tf.fill([2, x[0]], 1.0), [2, None]))
            .ragged_batch(2)
        ),
        "sparse": lambda: all_of(lengths(4).sparse_batch(2, [4])),
        "unbatch": lambda: all_of(data.from_tensors(([1, 2], [3.0, 4.0])).unbatch()),
        "unbatch batches": lambda: all_of(ten.batch(4).unbatch()),
        "unbatch ragged": lambda: all_of(
            data.from_tensors(tf.ragged.constant([[1], [2, 3]])).unbatch()
        ),
        "rebatch": lambda: all_of(ten.batch(4).rebatch(3)),
        "rebatch sizes": lambda: all_of(ten.batch(4).rebatch([2, 1])),
        "rebatch drop": lambda: all_of(ten.batch(4).rebatch(3, drop_remainder=True)),
        "window": lambda: windows(3),
        "window shift": lambda: windows(3, 1),
        "window stride": lambda: windows(3, 2, 2),
        "window stride drop": lambda: windows(3, 2, 2, drop_remainder=True),
        "window gap": lambda: windows(2, 5),
        "window spec": lambda: str(data.zip((ten, ten)).window(2).element_spec),
        "window zip": lambda: all_of(
            data.zip((ten, ten)).window(2).flat_map(lambda a, b: data.zip((a, b)))
        ),
        "window zero": lambda: windows(0),
    }


def of_iterators(tf: Any) -> Programs:
    """Iterators, loops of functions, and sessions."""
    data = tf.data.Dataset
    v1 = tf.compat.v1

    def by_hand() -> Any:
        iterator = iter(data.range(3))
        first = iterator.get_next()
        rest = [next(iterator), next(iterator)]
        try:
            iterator.get_next()
        except tf.errors.OutOfRangeError as error:
            return shown([first, *rest]), type(error).__name__
        return None

    def looped() -> Any:
        @tf.function
        def total(dataset: Any) -> Any:
            found = tf.constant(0, tf.int64)
            for x in dataset:
                if x == 3:
                    continue
                if x > 6:
                    break
                found += x
            return found

        return shown([total(data.range(10)), total(data.range(2)), total(data.range(0))])

    def enumerated() -> Any:
        @tf.function
        def weighed(dataset: Any) -> Any:
            found = 0.0
            for i, (x, y) in dataset.enumerate():
                found += tf.cast(i, tf.float32) * tf.cast(x - 2 * y, tf.float32)
            return found

        return shown(weighed(data.zip((data.range(5), data.range(5)))))

    def stepped() -> Any:
        @tf.function
        def step(iterator: Any) -> Any:
            return next(iterator) + iterator.get_next()

        iterator = iter(data.range(5))
        return shown([step(iterator), step(iterator), next(iterator)])

    def optional() -> Any:
        iterator = iter(data.range(1))
        there, gone = iterator.get_next_as_optional(), iterator.get_next_as_optional()
        return shown([there.has_value(), there.get_value(), gone.has_value()]), there.element_spec

    def in_loop() -> Any:
        @tf.function
        def both(iterator: Any) -> Any:
            found = tf.constant(0, tf.int64)
            value = iterator.get_next_as_optional()
            while value.has_value():
                found += value.get_value()
                value = iterator.get_next_as_optional()
            return found

        return shown(both(iter(data.range(5))))

    def trained() -> Any:
        w = tf.Variable(0.0)

        @tf.function
        def train(dataset: Any) -> Any:
            for x, y in dataset:
                with tf.GradientTape() as tape:
                    loss = (w * x - y) ** 2
                w.assign_sub(0.1 * tape.gradient(loss, w))
            return w.read_value()

        xs = [1.0, 2.0, -1.0, 0.5]
        return round(float(train(data.from_tensor_slices((xs, [2 * x for x in xs])))), 5)

    def in_session() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            element = v1.data.make_one_shot_iterator(data.range(3).map(lambda x: x * 2)).get_next()
            return [int(session.run(element)) for _ in range(3)], str(element.shape), element.dtype

    def initialized() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            stop = v1.placeholder(tf.int64, [])
            iterator = v1.data.make_initializable_iterator(data.range(stop).batch(2))
            element = iterator.get_next()
            found = []
            for n in (3, 2):
                session.run(iterator.initializer, {stop: n})
                try:
                    while True:
                        found.append(session.run(element).tolist())
                except tf.errors.OutOfRangeError:
                    found.append("end")
            return found

    def restarted() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            iterator = v1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
            element = iterator.get_next()
            parts = [iterator.make_initializer(data.range(i, i + 2)) for i in (0, 5)]
            found = []
            for begin in parts:
                session.run(begin)
                found += [int(session.run(element)) for _ in range(2)]
            return found

    def fed() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            handle = v1.placeholder(tf.string, [])
            one, other = (v1.data.make_one_shot_iterator(data.range(i, i + 2)) for i in (0, 10))
            element = v1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
            a, b = session.run([one.string_handle(), other.string_handle()])
            return [int(session.run(element, {handle: h})) for h in (a, b, a)]

    def not_begun() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            element = v1.data.make_initializable_iterator(data.range(2)).get_next()
            try:
                return session.run(element)
            except tf.errors.FailedPreconditionError:
                return "not begun"

    def raising() -> Any:
        def by(x: Any) -> Any:
            raise KeyError("mine")

        iterator = iter(data.range(2).map(lambda x: tf.numpy_function(by, [x], tf.int64)))
        try:
            next(iterator)
        except Exception as error:  # its type is not said
            return "mine" in str(error)
        return None

    def caught() -> Any:
        found = data.from_tensor_slices([1.0, 0.0, 4.0]).map(
            lambda x: tf.debugging.check_numerics(1.0 / x, "bad")
        )
        return all_of(found.ignore_errors())[0]

    return {
        "by hand": by_hand,
        "looped": looped,
        "enumerated": enumerated,
        "stepped": stepped,
        "optional": optional,
        "in a loop": in_loop,
        "trained": trained,
        "in a session": in_session,
        "initialized": initialized,
        "restarted": restarted,
        "fed": fed,
        "not begun": not_begun,
        "raising": raising,
        "caught": caught,
        "types": lambda: (
            v1.data.get_output_types(data.range(2).batch(2)),
            v1.data.get_output_shapes(data.range(2).batch(2)),
        ),
    }


GROUPS: dict[str, Callable[[Any], Programs]] = {
    "sources": of_sources,
    "order": of_order,
    "functions": of_functions,
    "batches": of_batches,
    "iterators": of_iterators,
}
