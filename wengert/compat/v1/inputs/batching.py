"""tf.compat.v1.train.batch, shuffle_batch and their kin: elements of threads, stacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert.api.session.modes import name_scope
from wengert.compat.v1.inputs.producers import check_graph, told_how_full
from wengert.compat.v1.queues.queue import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueBase,
    RandomShuffleQueue,
)
from wengert.compat.v1.queues.runner import QueueRunner, add_queue_runner
from wengert.io.sparse import deserialize_many_sparse, serialize_many_sparse, serialize_sparse
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.arrays.indexing import boolean_mask
from wengert.ops.arrays.shaping import broadcast_to, expand_dims
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values import dtypes
from wengert.values.convert import convert
from wengert.values.shapes import TensorShape


class _Sparse(NamedTuple):
    """A sparse component, which waits in a queue as strings."""

    dtype: Any
    rank: int | None  # of a batch


def _listed(tensors: Any) -> list[Any]:
    given = (
        [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors
    )
    return list(given)


def _as_given(tensors: Any, found: Any) -> Any:
    """The batch in the structure of the elements."""
    each = list(found) if isinstance(found, (list, tuple)) else [found]
    if isinstance(tensors, dict):
        return dict(zip(sorted(tensors, key=str), each, strict=True))
    return each[0] if len(each) == 1 else each


def _stored(tensors: list[Any], many: bool) -> tuple[list[Any], list[_Sparse | None]]:
    """The components as dense tensors, and which were sparse."""
    kept: list[Any] = []
    notes: list[_Sparse | None] = []
    for x in tensors:
        if not isinstance(x, SparseTensor):
            kept.append(convert(x))
            notes.append(None)
            continue
        kept.append(serialize_many_sparse(x) if many else serialize_sparse(x))
        rank = x.shape.rank
        notes.append(_Sparse(x.dtype, None if rank is None else rank + (not many)))
    return kept, notes


def _restored(found: Any, notes: list[_Sparse | None]) -> Any:
    each = found if isinstance(found, list) else [found]
    return [
        x if note is None else deserialize_many_sparse(x, note.dtype, note.rank)
        for x, note in zip(each, notes, strict=True)
    ]


def _shapes(lists: list[list[Any]], many: bool, given: Any) -> list[TensorShape]:
    """The shape of each component in a queue: given, or what those of all threads have in common."""
    if given is not None:
        return [TensorShape(shape) for shape in given]
    found = []
    for same in zip(*lists, strict=True):
        each = [x.shape for x in same]
        for x, shape in zip(same, each, strict=True):
            if shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {x}")
        common = each[0]
        for shape in each[1:]:
            common = common.most_specific_compatible_shape(shape)
        found.append(common[1:] if many else common)
    return found


def _check(lists: list[list[Any]], name: str) -> None:
    if not lists or not lists[0]:
        raise ValueError(f"Expected at least one tensor in {name}().")
    for other in lists[1:]:
        if [x.dtype for x in other] != [x.dtype for x in lists[0]]:
            raise TypeError(
                f"Expected types to be consistent: {[x.dtype for x in lists[0]]} vs. "
                f"{[x.dtype for x in other]}"
            )


def _collected(
    name: str,
    lists: Sequence[Any],
    make: Callable[[list[Any], list[TensorShape]], QueueBase],
    batch_size: Any,
    capacity: int,
    *,
    threads: int = 1,
    keep: Any = True,
    many: bool = False,
    shapes: Any = None,
    smaller: bool = False,
    scope: str | None = None,
) -> Any:
    """Batches of a queue into which threads put the elements of one of the lists each."""
    check_graph()
    listed = [_listed(tensors) for tensors in lists]
    with name_scope(scope, name) as inside:
        if listed and not listed[0]:
            raise ValueError(f"Expected at least one tensor in {name}().")
        pairs = [_stored(tensors, many) for tensors in listed]
        stored = [pair[0] for pair in pairs]
        _check(stored, name)
        queue = make([x.dtype for x in stored[0]], _shapes(stored, many, shapes))
        puts = [_put(queue, tensors, keep, many) for tensors in stored for _ in range(threads)]
        add_queue_runner(QueueRunner(queue, puts))
        told_how_full(queue, capacity, f"fraction_of_{capacity}_full")
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        found = _restored(take(batch_size, name=inside), pairs[0][1])
        return _as_given(lists[0], found)


def _put(queue: QueueBase, tensors: list[Any], keep: Any, many: bool) -> Any:
    """The operation that puts in an element, or many; only what is to be kept."""
    if keep is True:
        return queue.enqueue_many(tensors) if many else queue.enqueue(tensors)
    rows = tensors if many else [expand_dims(x, 0) for x in tensors]
    mask = broadcast_to(convert(keep, dtypes.bool_), shape_of(rows[0])[:1])
    return queue.enqueue_many([boolean_mask(x, mask) for x in rows])


def _in_order(capacity: int, pads: bool) -> Callable[[list[Any], list[TensorShape]], QueueBase]:
    kind = PaddingFIFOQueue if pads else FIFOQueue
    return lambda types, shapes: kind(capacity, types, shapes)


def _shuffled(
    capacity: int, least: int, seed: int | None
) -> Callable[[list[Any], list[TensorShape]], QueueBase]:
    if capacity <= least:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")
    return lambda types, shapes: RandomShuffleQueue(capacity, least, types, shapes, seed=seed)


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements that threads compute, in the order in which they come.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.batch([tf.ones([2])], 3).shape
    TensorShape([3, 2])
    """
    return _collected(
        "batch",
        [tensors],
        _in_order(capacity, dynamic_pad),
        batch_size,
        capacity,
        threads=num_threads,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements, of which each list is computed by a thread.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.batch_join([[tf.ones([2])]], 3).shape
    TensorShape([3, 2])
    """
    return _collected(
        "batch_join",
        tensors_list,
        _in_order(capacity, dynamic_pad),
        batch_size,
        capacity,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements, drawn from at least `min_after_dequeue` that wait.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.shuffle_batch([tf.ones([2])], 3, 9, 2).shape
    TensorShape([3, 2])
    """
    return _collected(
        "shuffle_batch",
        [tensors],
        _shuffled(capacity, min_after_dequeue, seed),
        batch_size,
        capacity,
        threads=num_threads,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """The same, each list computed by a thread.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.shuffle_batch_join([[tf.ones([2])]], 3, 9, 2).shape
    TensorShape([3, 2])
    """
    return _collected(
        "shuffle_batch_join",
        tensors_list,
        _shuffled(capacity, min_after_dequeue, seed),
        batch_size,
        capacity,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements that are to be kept that threads compute, in the order in which they come.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.maybe_batch([tf.ones([2])], True, 3).shape
    TensorShape([3, 2])
    """
    return _collected(
        "batch",
        [tensors],
        _in_order(capacity, dynamic_pad),
        batch_size,
        capacity,
        threads=num_threads,
        keep=keep_input,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements that are to be kept, of which each list is computed by a thread.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.maybe_batch_join([[tf.ones([2])]], True, 3).shape
    TensorShape([3, 2])
    """
    return _collected(
        "batch_join",
        tensors_list,
        _in_order(capacity, dynamic_pad),
        batch_size,
        capacity,
        keep=keep_input,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the elements that are to be kept, drawn from at least `min_after_dequeue` that wait.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.maybe_shuffle_batch([tf.ones([2])], 3, 9, 2, True).shape
    TensorShape([3, 2])
    """
    return _collected(
        "shuffle_batch",
        [tensors],
        _shuffled(capacity, min_after_dequeue, seed),
        batch_size,
        capacity,
        threads=num_threads,
        keep=keep_input,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """The same, each list that are to be kept computed by a thread.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.maybe_shuffle_batch_join([[tf.ones([2])]], 3, 9, 2, True).shape
    TensorShape([3, 2])
    """
    return _collected(
        "shuffle_batch_join",
        tensors_list,
        _shuffled(capacity, min_after_dequeue, seed),
        batch_size,
        capacity,
        keep=keep_input,
        many=enqueue_many,
        shapes=shapes,
        smaller=allow_smaller_final_batch,
        scope=name,
    )
