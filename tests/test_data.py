"""tf.data: datasets, as TensorFlow has them, and what is beyond it."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import gc
import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_programs import GROUPS, shown, text_of

import wengert as tf

RECORDED = json.loads((Path(__file__).parent / "data" / "datasets.json").read_text("utf-8"))
# Why a text differs.
BEYOND = {
    ("functions", "map ragged"): "the number of rows is known here",
    ("functions", "flat map number"): "a TypeError that says what is expected",
}
HERE = {group: programs(tf) for group, programs in GROUPS.items()}


@pytest.mark.parametrize(
    ("group", "name"), [(g, n) for g, programs in HERE.items() for n in programs]
)
def test_it_is_as_in_tensorflow(group: str, name: str) -> None:
    """Every program gives the text that TensorFlow gives, or fails with the same kind of error."""
    if (group, name) in BEYOND:
        pytest.skip(BEYOND[group, name])
    assert text_of(tf, HERE[group][name]) == RECORDED[group][name]


# ---- threads ------------------------------------------------------------------------------------


def waiting_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("wengert-")]


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
    gc.collect()
    deadline = time.monotonic() + 5
    while waiting_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert waiting_threads() == []


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
    gc.collect()
    assert waiting_threads() == []


def test_an_error_of_a_function_leaves_the_iterator_usable() -> None:
    """The next element comes after it."""
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    iterator = iter(dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")))
    assert next(iterator).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        next(iterator)
    assert next(iterator).numpy() == 0.5


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
    with pytest.raises(TypeError, match=message):
        list(dataset)


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
