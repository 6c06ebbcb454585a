"""tf.compat.v1.train.string_input_producer and its kin: queues of what there is to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert.api.session.modes import control_dependencies, name_scope
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.variable_store import new_variable
from wengert.compat.v1.queues.queue import FIFOQueue
from wengert.compat.v1.queues.runner import QueueRunner, add_queue_runner
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import range_, size, zeros
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.gathering import gather
from wengert.ops.arrays.identity import identity
from wengert.ops.control.effects import Assert
from wengert.ops.math.comparison import greater
from wengert.ops.math.elementwise import cast
from wengert.ops.random.stateful import shuffle as shuffled
from wengert.ops.state.assignments import count_up_to
from wengert.saving.summaries.version_1 import scalar
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor


def check_graph() -> None:
    """Queues feed graphs alone."""
    if current_graph() is None:
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. "
            "Please use tf.data to ingest data into your model instead."
        )


def told_how_full(queue: Any, capacity: int, summary_name: str) -> None:
    """A summary of how full a queue is."""
    share = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
    scalar(f"{queue.name}/{summary_name}".rpartition("/")[2], share)


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """The tensor, so many times; then an OutOfRangeError. The count is a local variable.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     x = v1.train.limit_epochs(tf.constant(5), 1)
    ...     session.run(v1.local_variables_initializer())
    ...     print(session.run(x))
    5
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs"):
        value = convert(tensor)
        epochs = new_variable(
            zeros([], dtypes.int64),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with control_dependencies([count_up_to(epochs, num_epochs)]):
            return identity(value)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, in order or shuffled in each epoch; for ever without `num_epochs`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     row = v1.train.input_producer(tf.constant([[1, 2], [3, 4]]), shuffle=False).dequeue()
    ...     coordinator = v1.train.Coordinator()
    ...     threads = v1.train.start_queue_runners(session, coordinator)
    ...     print(session.run(row), session.run(row))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [1 2] [3 4]
    """
    check_graph()
    with name_scope(name, "input_producer"):
        rows = convert(input_tensor)
        shape = rows.shape.with_rank_at_least(1)[1:].merge_with(TensorShape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        rows = shuffled(rows, seed=seed) if shuffle else rows
        queue = FIFOQueue(
            capacity, [rows.dtype], [shape], shared_name=shared_name, name="input_producer"
        )
        enqueue = queue.enqueue_many([limit_epochs(rows, num_epochs)])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        told_how_full(queue, capacity, summary_name or f"fraction_of_{capacity}_full")
        return queue


_NO_TEXTS = "string_input_producer requires a non-null input tensor"


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, such as names of files for a reader.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.string_input_producer(["a.txt", "b.txt"]).dtypes
    [tf.string]
    """
    if not isinstance(string_tensor, Tensor) and not list(string_tensor):
        raise ValueError(_NO_TEXTS)
    check_graph()
    with name_scope(name, "input_producer"):
        texts = convert(string_tensor, dtypes.string)
        with control_dependencies([Assert(greater(size(texts), 0), [_NO_TEXTS])]):
            texts = identity(texts)
        return input_producer(
            texts,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the integers below a limit.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.range_input_producer(5).dtypes
    [tf.int32]
    """
    check_graph()
    with name_scope(name, "input_producer"):
        return input_producer(range_(limit), [], num_epochs, shuffle, seed, capacity, shared_name)


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """One row of each tensor, the rows of one number together.

    >>> with tf.Graph().as_default():
    ...     features, label = tf.compat.v1.train.slice_input_producer([tf.ones([3, 2]), tf.range(3)])
    ...     features.shape, label.shape
    (TensorShape([2]), TensorShape([]))
    """
    check_graph()
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name, "input_producer"):
        tensors = [convert(x) for x in tensor_list]
        queue = range_input_producer(
            shape_of(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name
        )
        at = queue.dequeue()
        return [gather(x, at) for x in tensors]
