"""tf.data: datasets, as TensorFlow has them, and what is beyond it."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import gc
import json
import threading
import time
from pathlib import Path
from typing import Any

import composed_programs
import dataset_programs
import numpy as np
import pytest
import saved_programs
from dataset_programs import shown, text_of

import wengert as tf

GROUPS = dataset_programs.GROUPS | composed_programs.GROUPS | saved_programs.GROUPS
RECORDED = json.loads((Path(__file__).parent / "data" / "datasets.json").read_text("utf-8"))
# Why a text differs.
BEYOND = {
    ("functions", "map ragged"): "the number of rows is known here",
    ("functions", "flat map number"): "a TypeError that says what is expected",
    ("structures", "empty tuple"): "an element may have no parts",
    ("structures", "empty dict"): "an element may have no parts",
    ("structures", "ragged deep twice"): "batches of batches of ragged rows",
    ("sizes", "take negative"): "all elements, whose number is known",
    ("sizes", "bucket far"): "an InvalidArgumentError",
    ("iteration", "generator large"): "a number that does not fit is refused",
    ("iteration", "generator int for text"): "an InvalidArgumentError",
    ("iteration", "generator list for tuple"): "a list stands for a tuple",
    ("iteration", "generator types list"): "a list stands for a tuple",
    ("iteration", "generator not iterable"): "the error comes once",
    ("iteration", "map other dtype"): "py_function raises the error as it is",
    ("iteration", "map raises tracing"): "the error as it is",
    ("iteration", "map none"): "an element may have no parts",
    ("iteration", "map nothing"): "an element may have no parts",
    ("iteration", "assert few"): "the error comes once",
    ("iteration", "assert many"): "the error comes once",
    ("checkpoints", "number_keys"): "keys may be numbers",
    ("checkpoints", "list_inserted"): "a list may change in every way",
    ("checkpoints", "list_removed"): "a list may change in every way",
    ("checkpoints", "saver_missing"): "another shape is an error",
    ("models", "assets"): "a file cannot be read in a saved function",
    ("models", "partial_module"): "all that is reached is saved",
    ("readers", "record_damaged"): "a length that is cut short is an error",
    ("files", "table_errors"): "keys of more dtypes, and of none",
}
HERE = {group: programs(tf) for group, programs in GROUPS.items()}


@pytest.mark.parametrize(
    ("group", "name"), [(g, n) for g, programs in HERE.items() for n in programs]
)
def test_it_is_as_in_tensorflow(
    group: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every program gives the text that TensorFlow gives, or fails with the same kind of error."""
    monkeypatch.chdir(tmp_path)  # one saves where it stands
    if (group, name) in BEYOND:
        pytest.skip(BEYOND[group, name])
    assert text_of(tf, HERE[group][name]) == RECORDED[group][name]


# ---- threads ------------------------------------------------------------------------------------


def waiting_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("wengert-")]


def threads_end() -> bool:
    """Whether the threads of iterators that nobody has any more come to their end."""
    gc.collect()
    deadline = time.monotonic() + 5
    while waiting_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not waiting_threads()


def slowly(x: Any) -> Any:
    time.sleep(0.003)
    return x


def slow(n: int) -> Any:
    return tf.data.Dataset.range(n).map(lambda x: tf.numpy_function(slowly, [x], tf.int64))


def test_prefetch_makes_elements_in_a_thread_where_making_them_waits() -> None:
    """The order is kept; the thread ends with the last element, or when nobody reads on."""
    assert [int(x) for x in slow(30).prefetch(4)] == list(range(30))
    iterator = iter(slow(1000).prefetch(4))
    for _ in range(15):
        next(iterator)
    assert waiting_threads() == ["wengert-prefetch"]
    del iterator
    assert threads_end()


def test_prefetch_computes_in_place_where_a_thread_gains_nothing() -> None:
    """Elements that take microseconds are not handed from thread to thread."""
    iterator = iter(tf.data.Dataset.range(1000).prefetch(4))
    for _ in range(50):
        next(iterator)
    assert waiting_threads() == []


def test_parallel_calls_keep_the_order() -> None:
    """Several calls wait at a time."""
    dataset = tf.data.Dataset.range(40).map(
        lambda x: tf.numpy_function(slowly, [x], tf.int64), num_parallel_calls=8
    )
    assert [int(x) for x in dataset] == list(range(40))


def test_threads_share_an_iterator() -> None:
    """Every element goes to one of them."""
    iterator = iter(tf.data.Dataset.range(500).map(lambda x: x * 1).batch(1))
    found: list[int] = []

    def read() -> None:
        found.extend(int(x[0]) for x in iterator)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(500))


# ---- errors -------------------------------------------------------------------------------------


def test_what_a_thread_raises_is_raised_where_it_is_used() -> None:
    """And the thread ends."""

    def by(x: Any) -> Any:
        time.sleep(0.003)
        if x == 20:
            raise RuntimeError("the twentieth")
        return x

    dataset = tf.data.Dataset.range(50).map(lambda x: tf.numpy_function(by, [x], tf.int64))
    found: list[int] = []
    with pytest.raises(Exception, match="the twentieth"):
        found.extend(int(x) for x in dataset.prefetch(3))
    assert found == list(range(20))
    assert threads_end()


def test_an_error_of_a_function_leaves_the_iterator_usable() -> None:
    """The next element comes after it."""
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    iterator = iter(dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")))
    assert next(iterator).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        next(iterator)
    assert next(iterator).numpy() == 0.5


def raising(error: Exception, at: int) -> Any:
    def by(x: Any) -> Any:
        if x == at:
            raise error
        return x

    return by


ENDS = [StopIteration("s"), tf.errors.OutOfRangeError(None, None, "o")]
WITH_FUNCTIONS = {
    "map": (lambda d, f: d.map(f), tf.errors.InvalidArgumentError),
    "several": (
        lambda d, f: d.map(f, num_parallel_calls=2).prefetch(2),
        tf.errors.InvalidArgumentError,
    ),
    "scan": (lambda d, f: d.scan(0, lambda s, x: (s, f(x))), tf.errors.InvalidArgumentError),
    "filter": (lambda d, f: d.filter(lambda x: f(x) >= 0), tf.errors.InternalError),
    "flat_map": (
        lambda d, f: d.flat_map(lambda x: tf.data.Dataset.from_tensors(f(x))),
        tf.errors.InternalError,
    ),
}


@pytest.mark.parametrize("error", ENDS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("method", WITH_FUNCTIONS)
def test_what_a_function_raises_is_no_end_of_the_elements(method: str, error: Exception) -> None:
    """A part of the elements would pass for all of them."""
    make, kind = WITH_FUNCTIONS[method]
    by = raising(error, 2)
    dataset = make(
        tf.data.Dataset.range(4), lambda x: tf.ensure_shape(tf.py_function(by, [x], tf.int64), [])
    )
    expected = kind if isinstance(error, StopIteration) else tf.errors.UnknownError
    iterator = iter(dataset)
    found = [int(next(iterator)) for _ in range(2)]
    with pytest.raises(expected, match=type(error).__name__) as raised:
        next(iterator)
    assert type(raised.value) is expected
    assert [*found, *map(int, iterator)] == [0, 1, 3]


def test_reduce_has_the_error_of_the_operation() -> None:
    by = raising(StopIteration("s"), 2)
    with pytest.raises(tf.errors.OutOfRangeError, match="StopIteration: s"):
        tf.data.Dataset.range(4).reduce(
            tf.constant(0, tf.int64), lambda s, x: s + tf.py_function(by, [x], tf.int64)
        )


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (tf.errors.OutOfRangeError(None, None, "o"), tf.errors.UnknownError),
        (tf.errors.AbortedError(None, None, "a"), tf.errors.UnknownError),
        (ValueError("v"), tf.errors.InvalidArgumentError),
        (NotImplementedError("n"), tf.errors.UnimplementedError),
        (MemoryError("m"), tf.errors.ResourceExhaustedError),
    ],
    ids=lambda e: type(e).__name__,
)
def test_errors_of_a_generator_are_those_of_its_operation(
    error: Exception, kind: type[Exception]
) -> None:
    """Only the generator's own end is one: not that of what it goes through."""

    def one_and_error() -> Any:
        yield 1
        raise error

    found: list[int] = []
    dataset = tf.data.Dataset.from_generator(one_and_error, output_types=tf.int32)
    with pytest.raises(tf.errors.OpError, match=type(error).__name__) as raised:
        found.extend(int(x) for x in dataset)
    assert type(raised.value) is kind
    assert found == [1]


def test_a_generator_that_cannot_begin_is_no_empty_one() -> None:
    def begins() -> Any:
        raise StopIteration("nothing")

    dataset = tf.data.Dataset.from_generator(begins, output_types=tf.int32)
    with pytest.raises(tf.errors.UnknownError, match="StopIteration: nothing"):
        list(dataset)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "x"], "could not be converted to the expected type"),
        ([1, [1, 2]], "of shape .2,. where an element of shape .. was expected"),
    ],
)
def test_a_generator_keeps_its_promise(values: list[Any], message: str) -> None:
    """Or the error says what it yielded, and what was expected."""
    dataset = tf.data.Dataset.from_generator(
        lambda: iter(values), output_signature=tf.TensorSpec([], tf.int32)
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"TypeError.*{message}"):
        list(dataset)


@pytest.mark.parametrize("ahead", [lambda d: d, lambda d: d.prefetch(3)])
@pytest.mark.parametrize("workers", [None, 4])
def test_what_fails_is_left_out_alone(ahead: Any, workers: int | None) -> None:
    """Not the elements behind it: in threads as in place, before batches and behind them."""

    def by(x: Any) -> Any:
        time.sleep(0.002)
        if x % 10 == 7:
            raise ValueError(x)
        return x

    dataset = tf.data.Dataset.range(40).map(
        lambda x: tf.numpy_function(by, [x], tf.int64), num_parallel_calls=workers
    )
    expected = [x for x in range(40) if x % 10 != 7]
    assert [int(x) for x in ahead(dataset).ignore_errors()] == expected
    assert threads_end()


@pytest.mark.parametrize("workers", [None, 3])
def test_a_thread_that_is_told_to_end_says_so(workers: int | None) -> None:
    """What a function raises to end the program is raised where the elements are used."""

    def by(x: Any) -> Any:
        time.sleep(0.003)
        if x == 15:
            raise SystemExit(3)
        return x

    dataset = tf.data.Dataset.range(30).map(
        lambda x: tf.numpy_function(by, [x], tf.int64), num_parallel_calls=workers
    )
    found: list[int] = []
    with pytest.raises(SystemExit):
        found.extend(int(x) for x in dataset.prefetch(2))
    assert found == list(range(15))
    assert threads_end()


def test_a_pass_ends_while_a_function_does_not() -> None:
    """Threads that wait for a function end with it, and keep nobody waiting."""
    held = threading.Event()

    def by(x: Any) -> Any:
        time.sleep(0.003)
        if x > 20:
            held.wait(30)
        return x

    dataset = tf.data.Dataset.range(99).map(
        lambda x: tf.numpy_function(by, [x], tf.int64), num_parallel_calls=3
    )
    assert [int(x) for x in dataset.take(20).prefetch(2)] == list(range(20))
    held.set()
    assert threads_end()


# ---- where an iterator is -----------------------------------------------------------------------


@pytest.mark.parametrize("at", [0, 1, 7, 12])
def test_an_iterator_goes_on_from_where_it_was(at: int) -> None:
    """With the same order, also of what is shuffled anew in each pass."""
    dataset = tf.data.Dataset.range(8).shuffle(8, seed=3).repeat(3).batch(2)
    next(iter(dataset))  # another pass, which takes seeds
    iterator = iter(dataset)
    for _ in range(min(at, 11)):
        next(iterator)
    kept = iterator.kept()
    rest = [shown(x) for x in iterator]
    iterator.put_back(kept)
    assert [shown(x) for x in iterator] == rest


def test_a_function_is_traced_once_for_all_iterators_of_one_kind() -> None:
    """Not for each iterator, nor for each dataset."""
    f = tf.function(lambda iterator: next(iterator) * 2)
    for n in (3, 4):
        iterator = iter(tf.data.Dataset.range(n))
        assert f(iterator).numpy() == 0
        assert f(iterator).numpy() == 2
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("jit", [None, False, True])
def test_a_loop_of_a_function_goes_through_a_dataset_in_every_engine(jit: bool | None) -> None:
    """With gradients inside of the loop."""
    w = tf.Variable(0.0)

    @tf.function(jit_compile=jit)
    def train(dataset: Any) -> Any:
        count = 0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            count += 1
        return count

    xs = np.linspace(-1, 1, 40).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices((xs, 3 * xs)).batch(4)
    assert train(data.repeat(20)).numpy() == 200
    assert abs(float(w) - 3.0) < 0.01


def test_a_cache_in_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    """A pass that was not finished leaves nothing behind."""
    path = str(tmp_path / "kept")
    dataset = tf.data.Dataset.range(5).map(lambda x: {"a": x, "b": tf.as_string(x)}).cache(path)
    iterator = iter(dataset)
    next(iterator)
    del iterator
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    first, again = ([shown(x) for x in dataset] for _ in range(2))
    assert first == again == [{"a": i, "b": f"b'{i}'"} for i in range(5)]
    whole = tmp_path / "kept.data"
    data = whole.read_bytes()
    whole.write_bytes(data[:-3])
    with pytest.raises(tf.errors.DataLossError, match="truncated"):
        list(dataset)
    whole.write_bytes(data[:20] + b"\xff" + data[21:])
    with pytest.raises(tf.errors.DataLossError, match="corrupted"):
        list(dataset)


def test_values_of_sessions_are_elements() -> None:
    """A SparseTensorValue is one sparse tensor, not a tuple of three arrays."""
    tf1 = tf.compat.v1

    def alone(i: Any) -> Any:
        return tf1.SparseTensorValue(indices=[[0]], values=i * [1], dense_shape=[1])

    whole = next(iter(tf.data.Dataset.range(3).map(alone).batch(3)))
    assert tf.sparse.to_dense(whole).numpy().tolist() == [[0], [1], [2]]
    rows = tf1.SparseTensorValue(np.array([[0, 0], [1, 0]]), np.array([5, 6]), np.array([2, 1]))
    assert [x.values.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(rows)] == [[5], [6]]  # fmt: skip
    ragged = tf1.ragged.constant_value([[1], [2, 3]])
    assert [x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(ragged)] == [[1], [2, 3]]


def test_a_list_of_datasets_has_them_as_slices() -> None:
    dataset = tf.data.Dataset.from_tensor_slices([tf.data.Dataset.range(n) for n in (2, 3)])
    assert isinstance(dataset.element_spec, tf.data.DatasetSpec)
    assert [int(x) for x in dataset.flat_map(lambda d: d)] == [0, 1, 0, 1, 2]
    with pytest.raises(TypeError, match="not supported for datasets"):
        dataset.as_numpy_iterator()


@pytest.mark.parametrize("in_graph", [False, True])
def test_an_order_that_stays_is_drawn_once(in_graph: bool) -> None:
    """Without a seed, too."""

    def elements() -> Any:
        return tf.data.Dataset.range(40).shuffle(40, reshuffle_each_iteration=False).repeat(2)

    if not in_graph:
        found = [int(x) for x in elements()]
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            element = tf.compat.v1.data.make_one_shot_iterator(elements()).get_next()
            found = [int(session.run(element)) for _ in range(80)]
    assert found[:40] == found[40:]
    assert sorted(found[:40]) == list(range(40))


@pytest.mark.parametrize("how", ["reduce", "map"])
def test_what_a_dataset_assigns_is_read_afterwards(how: str) -> None:
    v = tf.Variable(0.0)

    def counted(x: Any) -> Any:
        v.assign_add(1.0)
        return x

    @tf.function
    def run() -> Any:
        if how == "reduce":
            tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + counted(x))
        else:
            for _ in tf.data.Dataset.range(5).map(counted):
                pass
        return v.read_value()

    assert float(run()) == 5.0


def test_what_an_element_cannot_be_is_said() -> None:
    dataset = tf.data.Dataset.range(3)
    with pytest.raises(TypeError, match=r"Unsupported return value from function passed to Dataset\.map"):  # fmt: skip
        dataset.map(lambda x: object())
    with pytest.raises(ValueError, match=r"`predicate` must return a `tf\.bool` scalar"):
        dataset.take_while(lambda x: tf.constant([True]))
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range \[0, 3\):3"):
        tf.data.experimental.at(dataset, 3)
    with tf.Graph().as_default():
        iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
        with pytest.raises(TypeError, match="Expected output types"):
            iterator.make_initializer(tf.data.Dataset.from_tensors(1.0))


def test_a_shuffle_takes_its_seeds_when_what_it_begins_does() -> None:
    """TensorFlow's orders: the pass that begins beyond the last one has taken the seeds of the first half."""
    tf.random.set_seed(7)
    first = tf.data.Dataset.range(5).shuffle(3)
    both = first.concatenate(tf.data.Dataset.range(10, 15).shuffle(4)).repeat(3)
    assert [int(x) for x in both][-10:] == [1, 2, 4, 0, 3, 12, 14, 10, 11, 13]
    assert [int(x) for x in both] == [
        *(0, 1, 4, 2, 3, 10, 11, 12, 14, 13, 1, 2, 3, 0, 4, 13, 11, 14, 12, 10),
        *(0, 2, 3, 1, 4, 12, 13, 14, 10, 11),
    ]
