"""tf.compat.v1.train.QueueRunner: threads that run enqueue operations."""

from __future__ import annotations

import threading
from typing import Any

from wengert.api.session.modes import get_default_graph, get_default_session
from wengert.api.variables.graph_variable import GraphKeys
from wengert.errors import CancelledError, OutOfRangeError
from wengert.train.coordinator import Coordinator


class QueueRunner:
    """A thread for each enqueue operation, which runs it until its input ends.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     queue = tf.queue.FIFOQueue(2, tf.float32)
    ...     v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(1.0)]))
    ...     taken = queue.dequeue()
    ...     with v1.Session() as session:
    ...         coordinator = v1.train.Coordinator()
    ...         threads = v1.train.start_queue_runners(session, coordinator)
    ...         print(session.run(taken))
    ...         coordinator.request_stop()
    ...         coordinator.join(threads)
    1.0
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("queue and enqueue_ops are required.")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self._closing = tuple(queue_closed_exception_types or (OutOfRangeError,))
        self._lock = threading.Lock()
        self._raised: list[BaseException] = []

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self._queue.name)

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What the threads raised, where there was no coordinator to tell."""
        return self._raised

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads; with a coordinator, one more that cancels what waits when a stop is requested."""
        remaining = [len(self._enqueue_ops)]
        threads = [
            threading.Thread(target=self._fill, args=(sess, op, coord, remaining), daemon=daemon)
            for op in self._enqueue_ops
        ]
        if coord is not None:
            cancel = threading.Thread(target=self._cancel, args=(sess, coord), daemon=daemon)
            threads.append(cancel)
            for thread in threads:
                coord.register_thread(thread)
        if start:
            for thread in threads:
                thread.start()
        return threads

    def _fill(self, session: Any, op: Any, coord: Coordinator | None, remaining: list[int]) -> None:
        try:
            while coord is None or not coord.should_stop():
                session.run(op)
        except (CancelledError, *self._closing):
            pass  # the end of the input, or of the queue
        except Exception as error:  # noqa: BLE001  `join` raises it
            self._tell(error, coord)
        finally:
            with self._lock:
                remaining[0] -= 1
                last = not remaining[0]
            if last:
                session.run(self._close_op)

    def _tell(self, error: Exception, coord: Coordinator | None) -> None:
        if coord is not None:
            coord.request_stop(error)
            return
        with self._lock:
            self._raised.append(error)
        raise error

    def _cancel(self, session: Any, coord: Coordinator) -> None:
        coord.wait_for_stop()
        session.run(self._cancel_op)


def add_queue_runner(qr: QueueRunner, collection: Any = GraphKeys.QUEUE_RUNNERS) -> None:
    """Add a runner to those that `start_queue_runners` starts.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     queue = tf.queue.FIFOQueue(2, tf.float32)
    ...     v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(1.0)]))
    ...     len(v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS))
    1
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: Any = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all runners of the graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.train.start_queue_runners(session)
    []
    """
    session = get_default_session() if sess is None else sess
    if session is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    runners = session.graph.get_collection(collection)
    return [t for r in runners for t in r.create_threads(session, coord, daemon, start)]
