"""Queues, coordinators and queue runners: what comes out, names, errors; as TensorFlow's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import wengert as tf

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as g:
        yield g


def test_a_queue_in_a_session(graph: Any) -> None:
    """Names of operations, shapes, order, and what a closed queue says."""
    queue = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []])
    put = queue.enqueue(([1.0, 2.0], 7))
    put_many = queue.enqueue_many(([[3.0, 4.0], [5.0, 6.0]], [8, 9]))
    taken, two, up_to, size = (
        queue.dequeue(),
        queue.dequeue_many(2),
        queue.dequeue_up_to(2),
        queue.size(),
    )
    close, closed = queue.close(), queue.is_closed()
    assert [put.name, put_many.name, taken[0].op.name, two[0].op.name, close.name] == [
        "fifo_queue_enqueue", "fifo_queue_EnqueueMany", "fifo_queue_Dequeue", "fifo_queue_DequeueMany",
        "fifo_queue_Close",
    ]  # fmt: skip
    assert [x.shape.as_list() for x in (*taken, *two, *up_to)] == [
        [2],
        [],
        [2, 2],
        [2],
        [None, 2],
        [None],
    ]
    with v1.Session() as session:
        session.run([put])
        session.run(put_many)
        assert session.run(size) == 3
        assert [x.tolist() for x in session.run(taken)] == [[1.0, 2.0], 7]
        assert [x.tolist() for x in session.run(two)] == [[[3.0, 4.0], [5.0, 6.0]], [8, 9]]
        session.run(put)
        session.run(close)
        assert session.run(closed)
        assert [x.tolist() for x in session.run(up_to)] == [[[1.0, 2.0]], [7]]
        with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elem"):
            session.run(taken)
        with pytest.raises(tf.errors.CancelledError, match="is closed"):
            session.run(put)
    with v1.Session() as other:
        assert other.run(size) == 0  # each session has elements of its own


def test_wrong_elements(graph: Any) -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32], shapes=[[2]])
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\) are incompatible"):
        queue.enqueue([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="1 components was given 2"):
        queue.enqueue([1.0, 2.0])
    with pytest.raises(ValueError, match="do not match names"):
        tf.queue.FIFOQueue(3, [tf.float32], names=["a"]).enqueue({"b": 1.0})
    with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
        tf.queue.FIFOQueue(3, [tf.float32]).dequeue_many(2)


def test_named_components(graph: Any) -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], names=["a", "b"])
    put, taken = queue.enqueue({"b": 2, "a": 1.0}), queue.dequeue()
    with v1.Session() as session:
        session.run(put)
        assert session.run(taken) == {"a": 1.0, "b": 2}


def test_padding_priorities_and_chance() -> None:
    """In eager mode: each call happens now."""
    padding = tf.queue.PaddingFIFOQueue(4, [tf.int32, tf.int32], [[None], []])
    padding.enqueue(([1, 2], 5))
    padding.enqueue(([3], 6))
    assert [x.numpy().tolist() for x in padding.dequeue_many(2)] == [[[1, 2], [3, 0]], [5, 6]]
    first = tf.queue.PriorityQueue(4, [tf.string], [[]])
    for priority in (3, 1, 2):
        first.enqueue((priority, f"x{priority}"))
    assert [first.dequeue()[1].numpy() for _ in range(3)] == [b"x1", b"x2", b"x3"]
    chance = tf.queue.RandomShuffleQueue(10, 2, tf.int32, [[]], seed=3)
    chance.enqueue_many([[1, 2, 3, 4, 5]])
    found = [int(chance.dequeue()) for _ in range(3)]
    chance.close()
    assert sorted(found + [int(chance.dequeue()) for _ in range(2)]) == [1, 2, 3, 4, 5]
    with pytest.raises(tf.errors.OutOfRangeError):
        chance.dequeue()


def test_gradients_of_what_a_thread_brings(graph: Any) -> None:
    """A thread waits for room, the program for elements, until the queue is closed."""
    x, w = v1.placeholder(tf.float32), v1.get_variable("w", initializer=3.0)
    queue = tf.queue.FIFOQueue(2, tf.float32, [[]])
    put, taken, close = queue.enqueue(x), queue.dequeue(), queue.close()
    (gradient,) = v1.gradients(w * taken * taken, [w])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())

        def feed() -> None:
            for i in range(5):
                session.run(put, {x: float(i)})
            session.run(close)

        thread = threading.Thread(target=feed)
        thread.start()
        assert [float(session.run(gradient)) for _ in range(5)] == [0.0, 1.0, 4.0, 9.0, 16.0]
        thread.join(20)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(gradient)


def test_queue_runners_stop_with_their_coordinator(graph: Any) -> None:
    """The threads fill the queue until a stop is requested; those that wait for room are cancelled."""
    count = v1.get_variable("count", initializer=0.0)
    queue = tf.queue.FIFOQueue(2, tf.float32, [[]])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(count.assign_add(1.0))]))
    taken = queue.dequeue()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        assert [float(session.run(taken)) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=20)
    assert coordinator.joined
    assert not any(thread.is_alive() for thread in threads)


def test_a_runner_tells_its_error(graph: Any) -> None:
    queue = tf.queue.FIFOQueue(2, tf.float32, [[]])
    wrong = tf.debugging.check_numerics(tf.constant(0.0) / tf.constant(0.0), "wrong")
    runner = v1.train.QueueRunner(queue, [queue.enqueue(wrong)])
    with v1.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="wrong"):
            coordinator.join(threads, stop_grace_period_secs=20)


def test_a_coordinator_says_which_threads_run_on() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait, args=(20,), name="stubborn", daemon=True)
    thread.start()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: stubborn"):
        coordinator.join([thread], stop_grace_period_secs=0.1)
    release.set()
    with pytest.raises(ValueError, match="late"):
        coordinator.request_stop(ValueError("late"))
    coordinator.clear_stop()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError("the end")
    assert coordinator.should_stop()
    coordinator.join()


@pytest.mark.parametrize("compiled", [False, True])
def test_queues_in_functions(compiled: bool) -> None:
    """Of every kind, in loops and branches, shared with what runs eagerly."""
    queue = tf.queue.FIFOQueue(50, [tf.float64], shapes=[[]])
    urgent = tf.queue.PriorityQueue(10, [tf.string], [[]])
    mixed = tf.queue.RandomShuffleQueue(10, 0, [tf.int32], [[2]], seed=1)
    padded = tf.queue.PaddingFIFOQueue(10, [tf.float32], [[None]])

    @tf.function(jit_compile=compiled)
    def work(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            queue.enqueue(x * tf.cast(i, x.dtype))
            mixed.enqueue([[i, i]])
            padded.enqueue(tf.ones([i]))
        total = tf.constant(0.0, tf.float64)
        while queue.size() > 1:
            total += queue.dequeue() ** 2
        if total > 0.0:
            urgent.enqueue((1, "first"))
        return total, padded.dequeue_many(n), mixed.dequeue_up_to(2)

    urgent.enqueue((2, "second"))
    total, rows, pairs = work(tf.constant(2.0, tf.float64), 3)
    assert float(total) == 4.0
    assert rows.numpy().sum(axis=1).tolist() == [0.0, 1.0, 2.0]
    assert pairs.shape == (2, 2)
    assert [int(q.size()) for q in (queue, urgent, mixed, padded)] == [1, 2, 1, 0]
    assert urgent.dequeue()[1].numpy() == b"first"
    assert float(queue.dequeue()) == 4.0
