"""Programs that compose what datasets can do, for Wengert and TensorFlow: tools/datasets.py records the latter."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import collections
import dataclasses
import tempfile
from typing import Any

import numpy as np
from dataset_programs import Programs, all_of, shown

Point = collections.namedtuple("Point", "x y")  # as users write it


def counted(dataset: Any, most: int = 50) -> Any:
    """The first elements and the specs; the number as far as it is known."""
    return [shown(e) for e in dataset.take(most)], dataset.element_spec, int(dataset.cardinality())


def until(iterator: Any) -> Any:
    """The elements, and the kind of the error that ends them."""
    found: list[Any] = []
    for _ in range(50):
        try:
            found.append(shown(next(iterator)))
        except StopIteration:
            return found
        except Exception as error:  # its kind is what is compared
            found.append(type(error).__name__)
    return found


def of_structures(tf: Any) -> Programs:
    """Elements nested in every way, through every transformation."""
    data = tf.data.Dataset
    ragged = tf.ragged.constant([[1, 2], [], [3, 4, 5], [6], []])
    deep = tf.ragged.constant([[[1], []], [], [[2, 3], [4]]])
    sparse = tf.SparseTensor([[0, 1], [2, 0], [4, 2]], [5.0, 7.0, 9.0], [5, 3])
    named = data.from_tensor_slices(Point([1, 2, 3], [[1.0], [2.0], [3.0]]))
    nested = data.from_tensor_slices(
        {"b": ([1, 2, 3], {"z": ["p", "q", "r"]}), "a": Point([7, 8, 9], [0.5, 1.5, 2.5])}
    )

    @dataclasses.dataclass
    class Masked:
        mask: bool
        value: Any

        def __tf_flatten__(self) -> Any:
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata: Any, components: Any) -> Any:
            return cls(metadata[0], components[0])

    ordered = collections.OrderedDict([("z", [1, 2]), ("a", [3, 4])])
    return {
        "named batch": lambda: counted(named.batch(2)),
        "named map": lambda: counted(named.map(lambda x, y: Point(y, x))),
        "named window": lambda: [[shown(v) for v in w.x] for w in named.window(2)],
        "named padded": lambda: counted(named.padded_batch(2, Point([], [3]))),
        "named unbatch": lambda: counted(named.batch(3).unbatch()),
        "named zip": lambda: counted(data.zip((named, nested))),
        "named concatenate": lambda: counted(
            named.concatenate(named.map(lambda x, y: Point(x + 10, -y)))
        ),
        "named filter": lambda: counted(named.filter(lambda p, q: p > 1)),
        "named take while": lambda: counted(named.take_while(lambda p, q: p < 3)),
        "named reduce": lambda: shown(
            named.reduce(Point(0, [0.0]), lambda s, e: Point(s.x + e.x, s.y + e.y))
        ),
        "named scan": lambda: counted(named.scan(0, lambda s, e: (s + e.x, Point(s, e.y)))),
        "named single": lambda: shown(named.take(1).get_single_element()),
        "nested batch": lambda: counted(nested.batch(2)),
        "nested drop": lambda: counted(nested.batch(2, drop_remainder=True)),
        "nested shuffle": lambda: counted(nested.shuffle(3, seed=5)),
        "nested map": lambda: counted(nested.map(lambda e: {"c": e["b"][1]["z"], "d": [e["a"].x]})),
        "nested interleave": lambda: counted(
            nested.interleave(lambda e: data.from_tensors(e).repeat(2), 2)
        ),
        "nested flat map": lambda: counted(
            nested.flat_map(lambda e: data.from_tensors((e["a"].y, e)))
        ),
        "nested cache": lambda: all_of(nested.cache(), 2),
        "nested window": lambda: [
            shown(list(w["a"].y)) for w in nested.window(2, 1, drop_remainder=True)
        ],
        "nested enumerate": lambda: counted(nested.enumerate(5)),
        "nested rebatch": lambda: counted(nested.batch(3).rebatch([2, 1])),
        "nested numpy": lambda: list(nested.take(1).as_numpy_iterator()),
        "ordered": lambda: [list(e) for e in data.from_tensor_slices(ordered)],
        "ordered map": lambda: [
            list(e)
            for e in data.range(2).map(lambda x: collections.OrderedDict([("q", x), ("b", x)]))
        ],
        "defaultdict": lambda: counted(
            data.from_tensor_slices(collections.defaultdict(list, {"k": [1, 2]}))
        ),
        "dataclass": lambda: [
            (e.mask, shown(e.value)) for e in data.from_tensor_slices(Masked(True, [1, 2]))
        ],
        "dataclass map": lambda: [
            (e.mask, shown(e.value)) for e in data.range(2).map(lambda x: Masked(False, x * 2))
        ],
        "dataclass batch": lambda: [
            (e.mask, shown(e.value)) for e in data.from_tensors(Masked(True, 3)).repeat(3).batch(2)
        ],
        "empty tuple": lambda: counted(data.from_tensors(())),
        "empty dict": lambda: counted(data.from_tensors({})),
        "tuple with empty": lambda: counted(data.from_tensors((1, ()))),
        "none slices": lambda: counted(data.from_tensors((1, None)).repeat(2).batch(2)),
        "list of tuples": lambda: counted(data.from_tensor_slices([(1, 2), (3, 4)])),
        "list uneven": lambda: counted(data.from_tensor_slices([[1, 2], [3]])),
        "list of tensors": lambda: counted(
            data.from_tensor_slices([tf.constant([1]), tf.constant([2])])
        ),
        "list mixed": lambda: counted(data.from_tensor_slices([1, 2.5])),
        "list texts numbers": lambda: counted(data.from_tensor_slices([1, "a"])),
        "objects": lambda: counted(data.from_tensor_slices(np.array(["a", b"b"], object))),
        "unicode arrays": lambda: counted(data.from_tensor_slices(np.array(["ä", "bc"]))),
        "structured array": lambda: counted(data.from_tensors(np.zeros(2, [("a", "i4")]))),
        "float16": lambda: counted(
            data.from_tensor_slices(np.arange(3, dtype=np.float16)).batch(2)
        ),
        "bfloat16": lambda: counted(
            data.from_tensor_slices(tf.cast([1, 2, 3], tf.bfloat16)).batch(2)
        ),
        "complex": lambda: counted(data.from_tensor_slices([1j, 2 + 1j]).batch(2)),
        "bool filter": lambda: counted(data.from_tensor_slices([True, False]).filter(lambda x: x)),
        "uint8": lambda: counted(
            data.from_tensor_slices(np.array([250, 255], np.uint8)).map(lambda x: x + 10)
        ),
        "int64 python": lambda: counted(data.from_tensors(2**40)),
        "int too large": lambda: counted(data.from_tensors(2**70)),
        "ragged batch": lambda: counted(data.from_tensor_slices(ragged).batch(2)),
        "ragged drop": lambda: counted(data.from_tensor_slices(ragged).batch(2, True)),
        "ragged unbatch": lambda: counted(data.from_tensor_slices(ragged).batch(3).unbatch()),
        "ragged deep": lambda: counted(data.from_tensor_slices(deep)),
        "ragged deep batch": lambda: counted(data.from_tensor_slices(deep).batch(2)),
        "ragged deep twice": lambda: counted(data.from_tensor_slices(deep).batch(2).batch(2)),
        "ragged rebatch": lambda: counted(data.from_tensor_slices(ragged).batch(2).rebatch(3)),
        "ragged filter": lambda: counted(
            data.from_tensor_slices(ragged).filter(lambda r: tf.size(r) > 0)
        ),
        "ragged map": lambda: counted(
            data.from_tensor_slices(ragged).batch(2).map(lambda r: tf.reduce_sum(r, 1))
        ),
        "ragged shuffle": lambda: counted(data.from_tensor_slices(ragged).shuffle(5, seed=3)),
        "ragged cache": lambda: all_of(data.from_tensor_slices(ragged).batch(2).cache(), 2),
        "ragged zip": lambda: counted(
            data.zip((data.from_tensor_slices(ragged), data.range(5))).batch(3)
        ),
        "ragged concatenate": lambda: counted(
            data.from_tensors(ragged).concatenate(data.from_tensors(ragged[:2]))
        ),
        "ragged window": lambda: [
            [shown(x) for x in w] for w in data.from_tensor_slices(ragged).window(2)
        ],
        "ragged uniform": lambda: counted(
            data.from_tensor_slices(tf.RaggedTensor.from_uniform_row_length(ragged[:4], 2))
        ),
        "ragged empty": lambda: counted(
            data.from_tensor_slices(tf.ragged.constant([], dtype=tf.int32, ragged_rank=1))
        ),
        "ragged texts": lambda: counted(
            data.from_tensor_slices(tf.ragged.constant([["a"], ["b", "cc"]])).batch(2)
        ),
        "ragged padded": lambda: counted(data.from_tensor_slices(ragged).padded_batch(2)),
        "ragged to tensor": lambda: counted(
            data.from_tensor_slices(ragged).batch(5).map(lambda r: r.to_tensor(-1))
        ),
        "ragged of generator": lambda: counted(
            data.range(5).map(lambda x: tf.range(x)).ragged_batch(2).map(lambda r: r * 2)
        ),
        "ragged batch drop": lambda: counted(
            data.range(5).map(lambda x: tf.range(x)).ragged_batch(2, drop_remainder=True)
        ),
        "ragged batch splits": lambda: counted(
            data.range(3).map(lambda x: tf.range(x)).ragged_batch(2, row_splits_dtype=tf.int32)
        ),
        "ragged batch scalar": lambda: counted(data.range(3).ragged_batch(2)),
        "ragged batch pair": lambda: counted(
            data.range(3).map(lambda x: (x, tf.fill([x, 2], "s"))).ragged_batch(2)
        ),
        "sparse batch": lambda: counted(data.from_tensor_slices(sparse).batch(2)),
        "sparse drop": lambda: counted(
            data.from_tensor_slices(sparse).batch(2, drop_remainder=True)
        ),
        "sparse unbatch": lambda: counted(data.from_tensor_slices(sparse).batch(2).unbatch()),
        "sparse map": lambda: counted(
            data.from_tensor_slices(sparse).map(lambda s: tf.sparse.to_dense(s))
        ),
        "sparse twice": lambda: counted(data.from_tensor_slices(sparse).batch(2).batch(2)),
        "sparse filter": lambda: counted(
            data.from_tensor_slices(sparse).filter(lambda s: tf.size(s.values) > 0)
        ),
        "sparse from dense": lambda: counted(
            data.range(4).map(lambda x: tf.sparse.from_dense(tf.one_hot(x % 3, 3))).batch(3)
        ),
        "sparse zip": lambda: counted(data.zip((data.from_tensor_slices(sparse), data.range(3)))),
        "sparse repeat shuffle": lambda: counted(
            data.from_tensor_slices(sparse).repeat(2).shuffle(3, seed=1)
        ),
        "sparse reduce": lambda: shown(
            data.from_tensor_slices(sparse).reduce(0.0, lambda s, e: s + tf.reduce_sum(e.values))
        ),
        "sparse empty": lambda: counted(
            data.from_tensor_slices(
                tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3])
            ).batch(2)
        ),
        "sparse padded": lambda: counted(data.from_tensor_slices(sparse).padded_batch(2)),
        "sparse uneven": lambda: counted(data.from_tensor_slices((sparse, [1, 2]))),
        "sparse batch sizes": lambda: counted(
            data.range(1, 5).map(lambda x: tf.fill([x], x)).sparse_batch(3, [5])
        ),
        "sparse batch small": lambda: counted(
            data.range(1, 5).map(lambda x: tf.fill([x], x)).sparse_batch(3, [2])
        ),
        "sparse batch open": lambda: counted(
            data.range(1, 5).map(lambda x: tf.fill([x, 2], x)).sparse_batch(3, [None, 2])
        ),
        "datasets in tuples": lambda: [
            (shown(list(d)), shown(x)) for d, x in data.from_tensors((data.range(2), 5))
        ],
        "datasets of datasets": lambda: [
            [shown(list(v)) for v in w] for w in data.range(6).window(2).window(2)
        ],
        "window of pairs": lambda: counted(
            data.range(6)
            .map(lambda x: (x, -x))
            .window(3)
            .flat_map(lambda a, b: data.zip((a.batch(3), b.batch(3))))
        ),
        "window batches": lambda: counted(
            data.range(7).batch(2).window(2, shift=1).flat_map(lambda w: w.unbatch().batch(10))
        ),
        "window of dicts": lambda: counted(
            data.from_tensor_slices({"a": [1, 2, 3]})
            .window(2)
            .map(lambda w: w["a"].reduce(0, lambda s, x: s + x))
        ),
        "optional in dataset": lambda: [
            shown(o.get_value())
            for o in data.from_tensors(tf.experimental.Optional.from_value(3)).repeat(2)
        ],
        "tensor array": lambda: counted(
            data.range(3).map(lambda x: tf.TensorArray(tf.int64, 1).write(0, x).stack())
        ),
    }


def of_sizes(tf: Any) -> Programs:
    """Datasets without elements, odd sizes, numbers of elements that are known or not."""
    data = tf.data.Dataset
    none = data.range(0)
    never = data.range(5).filter(lambda x: x > 9)
    return {
        "none batch": lambda: counted(none.batch(3)),
        "none drop": lambda: counted(none.batch(3, drop_remainder=True)),
        "none map": lambda: counted(none.map(lambda x: x * 2)),
        "none filter": lambda: counted(none.filter(lambda x: x > 0)),
        "none shuffle": lambda: counted(none.shuffle(3)),
        "none repeat": lambda: counted(none.repeat(3)),
        "none repeat for ever": lambda: counted(none.repeat()),
        "never repeat for ever": lambda: counted(never.repeat()),
        "none zip": lambda: counted(data.zip((none, data.range(3)))),
        "none concatenate": lambda: counted(none.concatenate(data.range(3)).concatenate(none)),
        "none window": lambda: counted(none.window(2).flat_map(lambda w: w.batch(2))),
        "none interleave": lambda: counted(none.interleave(lambda x: data.range(3))),
        "none inside interleave": lambda: counted(
            data.range(5).interleave(lambda x: data.range(x % 3), cycle_length=3, block_length=2)
        ),
        "none flat map": lambda: counted(data.range(3).flat_map(lambda x: none)),
        "none reduce": lambda: shown(none.reduce(np.int64(7), lambda s, x: s + x)),
        "none single": lambda: none.get_single_element(),
        "none cache": lambda: all_of(none.cache(), 2),
        "none unique": lambda: counted(none.unique()),
        "none unbatch": lambda: counted(data.from_tensors(np.zeros((0, 3))).unbatch()),
        "none padded": lambda: counted(data.from_tensor_slices(np.zeros((0, 3))).padded_batch(2)),
        "none ragged": lambda: counted(data.from_tensor_slices(np.zeros((0, 3))).ragged_batch(2)),
        "none scan": lambda: counted(none.scan(np.int64(0), lambda s, x: (s, x))),
        "none group": lambda: counted(
            none.group_by_window(lambda x: x, lambda k, w: w.batch(2), 2)
        ),
        "none sample": lambda: counted(data.sample_from_datasets([none, data.range(2)], seed=1)),
        "none choose": lambda: counted(
            data.choose_from_datasets([none, data.range(2)], data.range(2).repeat(3))
        ),
        "none choose on": lambda: counted(
            data.choose_from_datasets([none, data.range(2)], data.range(2).repeat(3), False)
        ),
        "none prefetch": lambda: counted(none.prefetch(2)),
        "none rebatch": lambda: counted(none.batch(2).rebatch(3)),
        "none enumerate": lambda: counted(none.enumerate()),
        "none shard": lambda: counted(none.shard(2, 1)),
        "none list": lambda: counted(data.from_tensor_slices([])),
        "none len": lambda: len(none.batch(4)),
        "zero wide": lambda: counted(data.from_tensor_slices(np.zeros((3, 0), np.int32)).batch(2)),
        "zero wide unbatch": lambda: counted(
            data.from_tensor_slices(np.zeros((3, 0), np.int32)).unbatch()
        ),
        "zero wide padded": lambda: counted(
            data.from_tensor_slices(np.zeros((3, 0), np.int32)).padded_batch(2, [2], 7)
        ),
        "odd batch": lambda: counted(data.range(17).batch(5).batch(3)),
        "odd batch drop": lambda: counted(data.range(17).batch(5, True).batch(2, True)),
        "odd window": lambda: [shown(list(w)) for w in data.range(11).window(4, 3, 2)],
        "odd window drop": lambda: [shown(list(w)) for w in data.range(11).window(3, 4, 3, True)],
        "odd window count": lambda: [
            int(data.range(n).window(a, b, c, d).cardinality())
            for n in (0, 1, 7)
            for a in (1, 3)
            for b in (1, 4)
            for c in (1, 2)
            for d in (False, True)
        ],
        "odd shard": lambda: [counted(data.range(7).shard(3, i)) for i in range(3)],
        "odd rebatch": lambda: counted(data.range(11).batch(4).rebatch([3, 2, 1])),
        "rebatch zero": lambda: counted(data.range(4).batch(4).rebatch([1, 0, 2])),
        "rebatch unknown": lambda: counted(
            data.range(4).batch(2).filter(lambda x: True).rebatch(3)
        ),
        "take tensor": lambda: counted(data.range(9).take(tf.constant(4, tf.int64))),
        "skip past": lambda: counted(data.range(3).skip(9)),
        "skip negative": lambda: counted(data.range(3).skip(-2)),
        "take negative": lambda: counted(data.range(3).take(-2)),
        "repeat negative": lambda: counted(data.range(2).repeat(-5)),
        "take of infinite": lambda: int(data.range(2).repeat().take(5).cardinality()),
        "skip of infinite": lambda: int(data.range(2).repeat().skip(5).cardinality()),
        "zip of infinite": lambda: int(
            data.zip((data.range(2).repeat(), data.counter())).cardinality()
        ),
        "concatenate infinite": lambda: int(
            data.range(2).concatenate(data.counter()).cardinality()
        ),
        "batch infinite": lambda: int(data.counter().batch(3).cardinality()),
        "interleave known": lambda: int(
            data.range(4).interleave(lambda x: data.range(3)).cardinality()
        ),
        "flat map known": lambda: int(
            data.range(4).flat_map(lambda x: data.range(3)).cardinality()
        ),
        "unbatch known": lambda: int(data.range(6).batch(2, True).unbatch().cardinality()),
        "unbatch unknown": lambda: int(data.range(5).batch(2).unbatch().cardinality()),
        "unique known": lambda: int(data.range(5).unique().cardinality()),
        "ignore known": lambda: int(data.range(5).ignore_errors().cardinality()),
        "cache known": lambda: int(data.range(5).cache().cardinality()),
        "choose known": lambda: int(
            data.choose_from_datasets([data.range(5)], data.range(1)).cardinality()
        ),
        "sample known": lambda: int(
            data.sample_from_datasets([data.range(5), data.range(2)]).cardinality()
        ),
        "group known": lambda: int(
            data.range(5).group_by_window(lambda x: x, lambda k, w: w, 2).cardinality()
        ),
        "reduce count": lambda: shown(data.range(5).reduce(0, lambda s, _: s + 1)),
        "range floats": lambda: counted(data.range(0, 2, output_type=tf.float64)),
        "range negative": lambda: counted(data.range(5, 0)),
        "range zero step": lambda: counted(data.range(0, 5, 0)),
        "range strings": lambda: counted(data.range(3, output_type=tf.string)),
        "range tensor": lambda: counted(data.range(tf.constant(3, tf.int64))),
        "range int32 tensor": lambda: counted(data.range(tf.constant(3))),
        "range float": lambda: counted(data.range(2.5)),
        "counter float": lambda: counted(data.counter(1, 2, tf.float32).take(3)),
        "counter negative": lambda: counted(data.counter(3, -2).take(3)),
        "batch size tensor": lambda: counted(
            data.range(5).batch(tf.constant(2, tf.int64), drop_remainder=True)
        ),
        "batch negative": lambda: counted(data.range(5).batch(-1)),
        "batch float": lambda: counted(data.range(5).batch(2.0)),
        "shuffle float": lambda: counted(data.range(5).shuffle(2.5)),
        "shuffle negative": lambda: counted(data.range(5).shuffle(-3)),
        "shuffle large": lambda: counted(data.range(5).shuffle(1000, seed=2)),
        "prefetch negative": lambda: counted(data.range(3).prefetch(-5)),
        "shard wrong": lambda: counted(data.range(3).shard(0, 0)),
        "interleave wrong": lambda: counted(
            data.range(3).interleave(lambda x: data.range(2), cycle_length=0)
        ),
        "interleave blocks": lambda: counted(
            data.range(3).interleave(lambda x: data.range(2), 2, block_length=0)
        ),
        "sample weights": lambda: counted(
            data.sample_from_datasets([data.range(3), data.range(5, 9)], [0.9, 0.1], seed=7)
        ),
        "sample zero weight": lambda: counted(
            data.sample_from_datasets([data.range(3), data.range(5, 9)], [1.0, 0.0], seed=7)
        ),
        "sample three": lambda: counted(
            data.sample_from_datasets(
                [data.range(3), data.range(5, 9), none], seed=7, rerandomize_each_iteration=True
            ),
            9,
        ),
        "sample wrong weights": lambda: counted(
            data.sample_from_datasets([data.range(3)], [0.1, 0.9])
        ),
        "sample negative": lambda: counted(
            data.sample_from_datasets([data.range(3), data.range(2)], [-1.0, 0.9], seed=1)
        ),
        "choose far": lambda: counted(data.choose_from_datasets([data.range(3)], data.range(4, 5))),
        "choose int32": lambda: counted(
            data.choose_from_datasets([data.range(3)], data.from_tensors(0))
        ),
        "bucket": lambda: counted(
            data.range(1, 9)
            .map(lambda x: tf.fill([x], x))
            .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 3])
        ),
        "bucket pad": lambda: counted(
            data.range(1, 5)
            .map(lambda x: tf.fill([x], x))
            .bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], [3, 6], [2, 2, 3], pad_to_bucket_boundary=True
            )
        ),
        "bucket wrong": lambda: counted(
            data.range(1, 5)
            .map(lambda x: tf.fill([x], x))
            .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2])
        ),
        "bucket far": lambda: counted(
            data.range(1, 5)
            .map(lambda x: tf.fill([x], x))
            .bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], [3], [2, 2], pad_to_bucket_boundary=True
            )
        ),
        "group by size": lambda: counted(
            data.range(10).group_by_window(
                lambda x: x % 3,
                lambda k, w: w.batch(4).map(lambda b: (k, b)),
                window_size_func=lambda k: k + 1,
            )
        ),
        "group wrong": lambda: counted(
            data.range(10).group_by_window(lambda x: x % 3, lambda k, w: w.batch(4))
        ),
        "group key": lambda: counted(
            data.range(10).group_by_window(
                lambda x: tf.cast(x, tf.int32), lambda k, w: w.batch(4), 2
            )
        ),
        "group no dataset": lambda: counted(
            data.range(10).group_by_window(lambda x: x, lambda k, w: k, 2)
        ),
        "padded unknown": lambda: counted(
            data.range(4)
            .map(lambda x: tf.py_function(lambda n: tf.range(n), [x], tf.int64))
            .padded_batch(2)
        ),
        "padded given": lambda: counted(
            data.range(4)
            .map(lambda x: tf.py_function(lambda n: tf.range(n), [x], tf.int64))
            .padded_batch(2, [None])
        ),
        "padded minus": lambda: counted(
            data.range(4).map(lambda x: tf.range(x)).padded_batch(2, [-1], np.int64(-7))
        ),
        "padded tensor": lambda: counted(
            data.range(4)
            .map(lambda x: tf.range(x))
            .padded_batch(2, tf.constant([4], tf.int64), tf.constant(9, tf.int64))
        ),
        "padded dicts": lambda: counted(
            data.range(3)
            .map(lambda x: {"a": tf.range(x), "b": x})
            .padded_batch(2, {"a": [3], "b": []}, {"a": np.int64(5), "b": None})
        ),
        "padded scalars": lambda: counted(data.range(3).padded_batch(2)),
        "padded rank": lambda: counted(data.range(3).padded_batch(2, [None])),
        "padded twice": lambda: counted(
            data.range(1, 4).map(lambda x: tf.fill([x, x], x)).padded_batch(2).padded_batch(2)
        ),
        "padded drop": lambda: counted(
            data.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, drop_remainder=True)
        ),
    }


def of_iteration(tf: Any) -> Programs:
    """Iterators in the middle, in functions, in sessions; generators that break their word; options."""
    data = tf.data.Dataset
    v1 = tf.compat.v1
    number = tf.TensorSpec([], tf.int32)

    def generated(values: Any, spec: Any = number) -> Any:
        return data.from_generator(lambda: iter(values), output_signature=spec)

    def failing() -> Any:
        yield 1
        yield 2
        raise KeyError("gone")

    def closed() -> Any:
        seen: list[str] = []

        def numbers() -> Any:
            try:
                yield from range(100)
            finally:
                seen.append("closed")

        return [int(x) for x in data.from_generator(numbers, output_signature=number).take(3)]

    def in_function() -> Any:
        @tf.function
        def total(stop: Any) -> Any:
            found = tf.constant(0, tf.int64)
            for a, b in data.zip((data.range(stop), data.range(stop).map(lambda x: x * x))).batch(
                3
            ):
                found += tf.reduce_sum(a * b)
            return found

        return [int(total(tf.constant(n, tf.int64))) for n in (0, 1, 7)]

    def broken_loop() -> Any:
        @tf.function
        def first(dataset: Any) -> Any:
            found = tf.constant(-1, tf.int64)
            for x in dataset:
                if x > 3:
                    found = x
                    break
            return found

        return [int(first(d)) for d in (data.range(9), data.range(2), data.counter())]

    def passed() -> Any:
        @tf.function
        def two(iterator: Any) -> Any:
            return next(iterator), next(iterator)

        iterator = iter(data.range(5).map(lambda x: {"a": x, "b": tf.as_string(x)}))
        return shown([two(iterator), two(iterator), next(iterator)])

    def ended() -> Any:
        @tf.function
        def step(iterator: Any) -> Any:
            return iterator.get_next()

        iterator = iter(data.range(2))
        return until(iter(lambda: step(iterator), None))

    def optionals() -> Any:
        iterator = iter(data.range(1).map(lambda x: (x, tf.zeros([2]))))
        found = []
        for _ in range(2):
            o = iterator.get_next_as_optional()
            found.append(
                (
                    bool(o.has_value()),
                    shown(o.get_value()) if o.has_value() else None,
                    o.element_spec,
                )
            )
        return found

    def returned() -> Any:
        @tf.function
        def make(n: Any) -> Any:
            return data.range(n).map(lambda x: x + n)

        return [shown(list(make(tf.constant(n, tf.int64)))) for n in (2, 3)]

    def captured() -> Any:
        v = tf.Variable(1, dtype=tf.int64)
        d = data.range(3).map(lambda x: x * v)
        first = shown(list(d))
        v.assign(5)
        return first, shown(list(d))

    def counted_state() -> Any:
        v = tf.Variable(0, dtype=tf.int64)

        def add(x: Any) -> Any:
            v.assign_add(x)
            return v.read_value()

        return shown(list(data.range(4).map(add)))

    def table_in_map() -> Any:
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )
        return shown(list(data.from_tensor_slices(["b", "x", "a"]).map(table.lookup).batch(3)))

    def in_session(make: Any, count: int = 9) -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            element = v1.data.make_one_shot_iterator(make()).get_next()
            found = []
            for _ in range(count):
                try:
                    found.append(shown(session.run(element)))
                except tf.errors.OutOfRangeError:
                    found.append("end")
                    break
            return found

    def session_table() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
            )
            iterator = v1.data.make_initializable_iterator(
                data.from_tensor_slices(["b", "q"]).map(table.lookup)
            )
            element = iterator.get_next()
            session.run([v1.tables_initializer(), iterator.initializer])
            return [int(session.run(element)) for _ in range(2)]

    def session_again() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            v1.set_random_seed(3)
            iterator = v1.data.make_initializable_iterator(data.range(6).shuffle(6))
            element = iterator.get_next()
            found = []
            for _ in range(2):
                session.run(iterator.initializer)
                found.append([int(session.run(element)) for _ in range(6)])
            return found

    def session_structure() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            first = data.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
            iterator = v1.data.Iterator.from_structure(
                v1.data.get_output_types(first), v1.data.get_output_shapes(first)
            )
            element = iterator.get_next()
            session.run(iterator.make_initializer(first))
            return shown(session.run(element)), iterator.output_types, iterator.output_shapes

    def session_error() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            dataset = data.from_tensor_slices([1.0, 0.0, 2.0]).map(
                lambda x: tf.debugging.check_numerics(1.0 / x, "bad")
            )
            element = v1.data.make_one_shot_iterator(dataset).get_next()
            found: list[Any] = []
            for _ in range(4):
                try:
                    found.append(float(session.run(element)))
                except Exception as error:
                    found.append(type(error).__name__)
            return found

    def two_sessions() -> Any:
        with tf.Graph().as_default() as graph:
            element = v1.data.make_one_shot_iterator(data.range(3)).get_next()
        with v1.Session(graph=graph) as one, v1.Session(graph=graph) as two:
            return [int(s.run(element)) for s in (one, one, two, one, two)]

    def saved_middle(make: Any, at: int) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            iterator = iter(make())
            for _ in range(at):
                next(iterator)
            path = tf.train.Checkpoint(i=iterator).write(f"{folder}/c")
            rest = until(iterator)
            again = iter(make())
            tf.train.Checkpoint(i=again).read(path)
            return rest, until(again)

    def options_kept() -> Any:
        options = tf.data.Options()
        options.deterministic = False
        options.threading.private_threadpool_size = 3
        options.autotune.enabled = False
        d = data.range(3).with_options(options).map(lambda x: x).batch(2)
        found = d.options()
        return (
            found.deterministic,
            found.threading.private_threadpool_size,
            found.autotune.enabled,
            found.experimental_optimization.map_fusion,
        )

    def options_merged() -> Any:
        one, two = tf.data.Options(), tf.data.Options()
        one.experimental_slack = True
        two.deterministic = True
        d = data.zip((data.range(2).with_options(one), data.range(2).with_options(two)))
        return (
            d.options().experimental_slack,
            d.options().deterministic,
            one == two,
            one.merge(two).deterministic,
        )

    def options_wrong() -> Any:
        tf.data.Options().no_such_thing = 1

    def options_kind() -> Any:
        tf.data.Options().deterministic = "yes"

    def stored(**how: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            d = data.range(7).map(
                lambda x: {"a": x, "b": tf.fill([x], "t"), "c": tf.cast(x, tf.float16)}
            )
            d.save(f"{folder}/d", **how)
            found = data.load(
                f"{folder}/d",
                **({"compression": how["compression"]} if "compression" in how else {}),
            )
            return [shown(e) for e in found], int(found.cardinality())

    def stored_ragged() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            data.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])).batch(2).save(
                folder + "/d"
            )
            return [shown(e) for e in data.load(folder + "/d")]

    def stored_none() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            data.range(0).save(folder + "/d")
            return counted(data.load(folder + "/d"))

    def snapshot_twice() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            d = data.range(5).map(lambda x: x * 2).snapshot(folder + "/s")
            return [[int(x) for x in d] for _ in range(2)]

    def cache_partial() -> Any:
        d = data.range(5).shuffle(5, seed=1).cache()
        iterator = iter(d)
        next(iterator)
        del iterator
        return [[int(x) for x in d] for _ in range(2)]

    def cache_file() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            d = data.range(4).cache(folder + "/c")
            first = [int(x) for x in d]
            return first, [int(x) for x in data.range(10).cache(folder + "/c")]

    def reinitialized(make: Any) -> Any:
        d = make()
        return [[int(x) for x in d] for _ in range(3)]

    def listed(**how: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("b.txt", "a.txt", "c.csv"):
                with open(f"{folder}/{name}", "w") as file:
                    file.write(name)
            found = data.list_files(f"{folder}/*.txt", **how)
            return [x.numpy().decode().rpartition("/")[2] for x in found], int(found.cardinality())

    return {
        "generator raises": lambda: until(
            iter(data.from_generator(failing, output_signature=number))
        ),
        "generator raises batched": lambda: until(
            iter(data.from_generator(failing, output_signature=number).batch(2))
        ),
        "generator raises prefetched": lambda: until(
            iter(data.from_generator(failing, output_signature=number).prefetch(2))
        ),
        "generator never ends": lambda: counted(
            data.from_generator(lambda: iter(int, 1), output_signature=number), 3
        ),
        "generator closed": closed,
        "generator other dtype": lambda: until(iter(generated([1, 2.5]))),
        "generator float for int": lambda: until(iter(generated([1.0]))),
        "generator int for float": lambda: until(
            iter(generated([1], tf.TensorSpec([], tf.float32)))
        ),
        "generator bool for int": lambda: until(iter(generated([True]))),
        "generator large": lambda: until(iter(generated([2**40]))),
        "generator text for int": lambda: until(iter(generated(["a"]))),
        "generator int for text": lambda: until(iter(generated([1], tf.TensorSpec([], tf.string)))),
        "generator other shape": lambda: until(
            iter(generated([[1, 2], [3]], tf.TensorSpec([2], tf.int32)))
        ),
        "generator other rank": lambda: until(
            iter(generated([[1, 2], [[3]]], tf.TensorSpec([None], tf.int32)))
        ),
        "generator none": lambda: until(iter(generated([None]))),
        "generator tuple short": lambda: until(iter(generated([(1, 2), (1,)], (number, number)))),
        "generator tuple long": lambda: until(iter(generated([(1, 2, 3)], (number, number)))),
        "generator list for tuple": lambda: until(iter(generated([[1, 2]], (number, number)))),
        "generator dict keys": lambda: until(iter(generated([{"a": 1}, {"b": 1}], {"a": number}))),
        "generator dict more": lambda: until(iter(generated([{"a": 1, "b": 2}], {"a": number}))),
        "generator arrays": lambda: until(
            iter(generated([np.int64(3), np.array(4)], tf.TensorSpec([], tf.int64)))
        ),
        "generator int64 array": lambda: until(
            iter(generated([np.array([1, 2])], tf.TensorSpec([None], tf.int32)))
        ),
        "generator tensors": lambda: until(iter(generated([tf.constant(3)]))),
        "generator tensor dtype": lambda: until(iter(generated([tf.constant(3.0)]))),
        "generator sparse": lambda: until(
            iter(generated([tf.SparseTensor([[1]], [5], [3])], tf.SparseTensorSpec([3], tf.int32)))
        ),
        "generator sparse shape": lambda: until(
            iter(generated([tf.SparseTensor([[1]], [5], [4])], tf.SparseTensorSpec([3], tf.int32)))
        ),
        "generator ragged dense": lambda: until(
            iter(generated([[1, 2]], tf.RaggedTensorSpec([None, None], tf.int32)))
        ),
        "generator named": lambda: until(iter(generated([Point(1, 2)], Point(number, number)))),
        "generator not iterable": lambda: until(
            iter(data.from_generator(lambda: 3, output_signature=number))
        ),
        "generator called with": lambda: until(
            iter(
                data.from_generator(lambda a, b: iter([a, b]), args=(1, 2), output_signature=number)
            )
        ),
        "generator args text": lambda: until(
            iter(
                data.from_generator(
                    lambda a: iter([a.decode() + "!"]),
                    args=("x",),
                    output_signature=tf.TensorSpec([], tf.string),
                )
            )
        ),
        "generator both": lambda: data.from_generator(failing, tf.int32, output_signature=number),
        "generator twice": lambda: reinitialized(lambda: generated([3, 4])),
        "generator types list": lambda: counted(
            data.from_generator(lambda: iter([(1, 2.0)]), [tf.int32, tf.float32])
        ),
        "generator types text": lambda: counted(
            data.from_generator(lambda: iter([(1, "b")]), ("int32", "string"), ([], []))
        ),
        "map other dtype": lambda: counted(
            data.range(3).map(lambda x: tf.py_function(lambda v: 1.5, [x], tf.int64))
        ),
        "map numpy dtype": lambda: until(
            iter(data.range(3).map(lambda x: tf.numpy_function(lambda v: 1.5, [x], tf.int64)))
        ),
        "map numpy shape": lambda: until(
            iter(
                data.range(3).map(
                    lambda x: tf.ensure_shape(
                        tf.numpy_function(lambda v: np.arange(v), [x], tf.int64), [1]
                    )
                )
            )
        ),
        "map raises": lambda: until(
            iter(
                data.range(3).map(
                    lambda x: tf.py_function(lambda v: 1 // (v.numpy() - 1), [x], tf.int64)
                )
            )
        ),
        "map raises tracing": lambda: data.range(3).map(lambda x: [][1]),
        "map none": lambda: counted(data.range(2).map(lambda x: None)),
        "map nothing": lambda: counted(data.range(2).map(lambda x: ())),
        "map text": lambda: counted(data.range(2).map(lambda x: "a")),
        "map arguments": lambda: data.range(2).map(lambda x, y: x),
        "map dataset": lambda: [shown(list(d)) for d in data.range(3).map(lambda x: data.range(x))],
        "map division": lambda: until(iter(data.range(3).map(lambda x: 6 // (x - 1)))),
        "map gather": lambda: until(iter(data.range(3).map(lambda x: tf.gather([5, 6], x)))),
        "map reshape": lambda: until(
            iter(data.range(3).map(lambda x: tf.reshape(tf.range(x), [2])))
        ),
        "map slice": lambda: until(iter(data.range(3).map(lambda x: tf.range(3)[x]))),
        "map cond": lambda: until(
            iter(data.range(3).map(lambda x: tf.cond(x > 1, lambda: x * 2, lambda: -x)))
        ),
        "map while": lambda: until(
            iter(
                data.range(3).map(
                    lambda x: tf.while_loop(lambda i: i < 10, lambda i: [i * 2], [x + 1])[0]
                )
            )
        ),
        "map map_fn": lambda: until(
            iter(data.range(3).map(lambda x: tf.map_fn(lambda y: y * x, tf.range(x))))
        ),
        "map gradient": lambda: until(
            iter(data.from_tensor_slices([1.0, 2.0]).map(lambda x: tf.gradients(x**3, x)[0]))
        ),
        "map partial": lambda: until(iter(data.range(2).map(tf.function(lambda x: x + 1)))),
        "map vectorized": lambda: until(
            iter(data.range(4).batch(2).map(lambda b: tf.vectorized_map(lambda x: x * x, b)))
        ),
        "map in map": lambda: until(
            iter(
                data.range(3).map(
                    lambda x: (
                        data.range(x).map(lambda y: y + x).reduce(np.int64(0), lambda a, b: a + b)
                    )
                )
            )
        ),
        "filter raises": lambda: until(iter(data.range(3).filter(lambda x: 6 // (x - 1) > 0))),
        "batch shapes raises": lambda: until(
            iter(data.range(4).map(lambda x: tf.range(x // 2)).batch(3))
        ),
        "ignore batch": lambda: until(
            iter(data.range(4).map(lambda x: 6 // (x - 1)).ignore_errors().batch(2))
        ),
        "ignore after batch": lambda: until(
            iter(data.range(6).map(lambda x: 6 // (x - 1)).batch(2).ignore_errors())
        ),
        "ignore flat": lambda: until(
            iter(
                data.range(3)
                .flat_map(lambda x: data.range(2).map(lambda y: 6 // (x - 1) + y))
                .ignore_errors()
            )
        ),
        "interleave raises": lambda: until(
            iter(
                data.range(3).interleave(lambda x: data.range(2).map(lambda y: 6 // (x - 1) + y), 3)
            )
        ),
        "zip raises": lambda: until(
            iter(data.zip((data.range(3), data.range(3).map(lambda x: 6 // (x - 1)))))
        ),
        "reduce raises": lambda: shown(
            data.range(3).reduce(np.int64(0), lambda s, x: s + 6 // (x - 1))
        ),
        "scan raises": lambda: until(
            iter(data.range(3).scan(np.int64(0), lambda s, x: (s + 1, s + 6 // (x - 1))))
        ),
        "unbatch sizes": lambda: until(
            iter(data.from_tensors((tf.range(2), tf.range(3))).unbatch())
        ),
        "unbatch scalar": lambda: until(iter(data.range(2).unbatch())),
        "assert few": lambda: until(
            iter(data.range(3).apply(tf.data.experimental.assert_cardinality(5)))
        ),
        "assert many": lambda: until(
            iter(data.range(3).apply(tf.data.experimental.assert_cardinality(2)))
        ),
        "reduce shape": lambda: shown(
            data.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
        ),
        "reduce other": lambda: shown(data.range(3).reduce(0, lambda s, x: "a")),
        "reduce structure": lambda: shown(
            data.range(3).reduce(
                {"n": 0, "t": ""}, lambda s, x: {"n": s["n"] + 1, "t": s["t"] + tf.as_string(x)}
            )
        ),
        "scan structure": lambda: until(
            iter(data.range(3).scan({"a": 0}, lambda s, x: ({"a": s["a"] + 1}, (s["a"], x))))
        ),
        "take while pairs": lambda: until(
            iter(data.range(9).enumerate().take_while(lambda i, x: i < 3))
        ),
        "in function": in_function,
        "broken loop": broken_loop,
        "passed": passed,
        "ended": ended,
        "optionals": optionals,
        "returned": returned,
        "captured": captured,
        "counted state": counted_state,
        "table in map": table_in_map,
        "session ragged": lambda: in_session(
            lambda: data.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])).batch(2)
        ),
        "session sparse": lambda: in_session(
            lambda: data.from_tensor_slices(tf.SparseTensor([[0, 1]], [5.0], [2, 2]))
        ),
        "session dict": lambda: in_session(
            lambda: data.from_tensor_slices({"a": [1, 2]}).repeat(2).batch(3)
        ),
        "session generator": lambda: in_session(lambda: generated([4, 5])),
        "session text": lambda: in_session(
            lambda: data.from_tensor_slices(["ä", "b"]).map(tf.strings.upper)
        ),
        "session window": lambda: in_session(
            lambda: data.range(5).window(2).flat_map(lambda w: w.batch(2))
        ),
        "session filter": lambda: in_session(
            lambda: data.range(9).filter(lambda x: tf.equal(x % 4, 0)).prefetch(2)
        ),
        "session table": session_table,
        "session again": session_again,
        "session structure": session_structure,
        "session error": session_error,
        "two sessions": two_sessions,
        "saved range": lambda: saved_middle(lambda: data.range(7).map(lambda x: x * 2), 3),
        "saved shuffle": lambda: saved_middle(
            lambda: data.range(7).shuffle(4, seed=2).repeat(2).batch(3), 2
        ),
        "saved interleave": lambda: saved_middle(
            lambda: data.range(3).interleave(lambda x: data.range(x + 2), 2), 4
        ),
        "saved window": lambda: saved_middle(
            lambda: data.range(7).window(3, 2).flat_map(lambda w: w.batch(3)), 2
        ),
        "saved cache": lambda: saved_middle(lambda: data.range(5).cache().repeat(2), 7),
        "saved end": lambda: saved_middle(lambda: data.range(3), 3),
        "saved prefetch": lambda: saved_middle(lambda: data.range(9).prefetch(3), 4),
        "saved scan": lambda: saved_middle(
            lambda: data.range(6).scan(np.int64(0), lambda s, x: (s + x, s)), 3
        ),
        "saved group": lambda: saved_middle(
            lambda: data.range(9).group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2), 2
        ),
        "saved sample": lambda: saved_middle(
            lambda: data.sample_from_datasets([data.range(4), data.range(10, 14)], seed=4), 3
        ),
        "saved unbatch": lambda: saved_middle(lambda: data.range(9).batch(4).unbatch(), 5),
        "saved padded": lambda: saved_middle(
            lambda: data.range(6).map(lambda x: tf.range(x)).padded_batch(2), 1
        ),
        "options kept": options_kept,
        "options merged": options_merged,
        "options wrong": options_wrong,
        "options kind": options_kind,
        "stored": stored,
        "stored gzip": lambda: stored(compression="GZIP"),
        "stored ragged": stored_ragged,
        "stored none": stored_none,
        "snapshot twice": snapshot_twice,
        "cache partial": cache_partial,
        "cache file": cache_file,
        "shuffle each": lambda: reinitialized(lambda: data.range(6).shuffle(6, seed=3)),
        "shuffle not each": lambda: reinitialized(
            lambda: data.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False)
        ),
        "shuffle cached": lambda: reinitialized(lambda: data.range(6).shuffle(6, seed=3).cache()),
        "cached shuffle": lambda: reinitialized(lambda: data.range(6).cache().shuffle(6, seed=3)),
        "shuffle batch repeat": lambda: [
            shown(x) for x in data.range(5).shuffle(3, seed=1).batch(2).repeat(3)
        ],
        "shuffle zip": lambda: reinitialized(
            lambda: data.zip(
                (data.range(5).shuffle(5, seed=1), data.range(5).shuffle(5, seed=2))
            ).map(lambda a, b: a * 10 + b)
        ),
        "shuffle concatenated": lambda: reinitialized(
            lambda: data.range(4).shuffle(4, seed=1).concatenate(data.range(4).shuffle(4, seed=1))
        ),
        "shuffle global": lambda: reinitialized(lambda: data.range(5).shuffle(5)),
        "shuffle in flat map": lambda: reinitialized(
            lambda: data.range(3).flat_map(lambda x: data.range(4).shuffle(4, seed=7))
        ),
        "random mapped": lambda: reinitialized(lambda: data.random(seed=3).take(3)),
        "random uniform": lambda: reinitialized(
            lambda: data.range(3).map(lambda x: tf.random.uniform([], 0, 100, tf.int64, seed=2))
        ),
        "random stateless": lambda: reinitialized(
            lambda: (
                data.random(seed=3)
                .batch(2)
                .take(2)
                .map(lambda s: tf.random.stateless_uniform([], s, 0, 100, tf.int64))
            )
        ),
        "listed": lambda: listed(shuffle=False),
        "listed seed": lambda: listed(seed=3),
        "listed none": lambda: list(data.list_files("/nowhere/at/all*")),
        "equal": lambda: (
            data.range(2) == data.range(2),
            bool(data.range(0)),
            len({data.range(2), data.range(2)}),
        ),
        "nonzero": lambda: [1 if data.range(0) else 2],
        "in": lambda: np.int64(1) in data.range(3),
        "indexed": lambda: data.range(3)[1],
        "apply none": lambda: data.range(3).apply(lambda d: None),
        "numpy ragged": lambda: [
            shown(x)
            for x in data.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])).as_numpy_iterator()
        ],
        "numpy sparse": lambda: [
            shown(x)
            for x in data.from_tensor_slices(
                tf.SparseTensor([[0, 1]], [5.0], [2, 2])
            ).as_numpy_iterator()
        ],
        "numpy none": lambda: list(data.from_tensors((1, None)).as_numpy_iterator()),
        "numpy writes": lambda: (
            next(data.from_tensor_slices([[1, 2]]).as_numpy_iterator()).flags.writeable
        ),
        "spec equal": lambda: tf.data.DatasetSpec(number) == tf.data.DatasetSpec(number),
        "spec compatible": lambda: tf.data.DatasetSpec(number).is_compatible_with(
            tf.data.DatasetSpec(tf.TensorSpec([2], tf.int32))
        ),
        "single structure": lambda: shown(
            data.from_tensors({"a": (1, [2.0])}).get_single_element()
        ),
        "single in function": lambda: shown(
            tf.function(
                lambda x: (
                    data.from_tensor_slices(x).map(lambda y: y * 2).batch(9).get_single_element()
                )
            )(tf.constant([1, 2]))
        ),
        "at": lambda: shown(tf.data.experimental.at(data.range(5).map(lambda x: x * 3), 2)),
        "from list": lambda: counted(tf.data.experimental.from_list([(1, "a"), (2, "b")])),
        "from list empty": lambda: tf.data.experimental.from_list([]),
        "index lookup": lambda: counted(
            data.from_tensor_slices(["b", "a", "b"]).map(lambda x: x == "b").batch(2)
        ),
        "dense to ragged": lambda: counted(
            data.range(3)
            .map(lambda x: tf.range(x))
            .apply(tf.data.experimental.dense_to_ragged_batch(2))
        ),
        "get structure": lambda: tf.data.experimental.get_structure(data.range(2).batch(2)),
        "variant": lambda: counted(
            tf.data.experimental.from_variant(
                tf.data.experimental.to_variant(data.range(3)), tf.TensorSpec([], tf.int64)
            )
        ),
    }


GROUPS = {"structures": of_structures, "sizes": of_sizes, "iteration": of_iteration}
