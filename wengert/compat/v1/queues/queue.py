"""tf.queue: queues, whose operations put elements in and take them out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np

from wengert.compat.v1.queues.rows import (
    check_shared,
    components,
    effect,
    handle_row,
    nothing,
    run,
    shown_shapes,
    shown_types,
)
from wengert.compat.v1.queues.waiting import ByPriority, Order, Shuffled, Waiting
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.ops.random.seeds import Seeds, seeds_of
from wengert.values.convert import convert
from wengert.values.dtypes import RESOURCE, as_dtype, bool_, int32, int64
from wengert.values.shapes import TensorShape
from wengert.values.tensor import wrap

# ---- rows -------------------------------------------------------------------------------------


def _put(_: Any, queue: Waiting, *parts: Any, many: bool) -> list[Any]:
    kinds = [np.asarray(part).dtype for part in parts]  # else strings lose the zeros at their ends
    rows = zip(*parts, strict=True) if many else [parts]
    queue.put([tuple(map(np.array, row, kinds)) for row in rows])
    return []


def _take(_: Any, queue: Waiting, *count: Any, fewer: bool, padded: bool, dtypes: Any) -> list[Any]:
    found = queue.take(int(count[0]) if count else 1, fewer=fewer)
    if not count:
        return list(found[0])
    return [_stacked(column, padded) for column in zip(*found, strict=True)]


def _stacked(values: Sequence[Any], padded: bool) -> Any:
    """The components as one array; where shapes differ, with zeros behind."""
    if not padded:
        return np.stack(values)
    sizes = [max(axis) for axis in zip(*(v.shape for v in values), strict=True)]
    whole = np.zeros((len(values), *sizes), values[0].dtype)
    for i, value in enumerate(values):
        place = (i, *map(slice, value.shape))
        whole[place] = value
    return whole


def _close(_: Any, queue: Waiting, *, cancel: bool) -> list[Any]:
    queue.close(cancel=cancel)
    return []


ENQUEUE = effect("QueueEnqueueV2", _put, nothing)
DEQUEUE = effect("QueueDequeueV2", _take, components)
CLOSE = effect("QueueCloseV2", _close, nothing)
SIZE = effect(
    "QueueSizeV2",
    lambda _, queue: [np.array(queue.size(), np.int32)],
    lambda xs, attrs: [((), int32.numpy_dtype)],
)
IS_CLOSED = effect(
    "QueueIsClosedV2",
    lambda _, queue: [np.array(queue.closed)],
    lambda xs, attrs: [((), bool_.numpy_dtype)],
)


SELECT = effect(
    "QueueSelect",
    lambda _, index, *queues: [queues[int(index)]],
    lambda xs, attrs: [((), RESOURCE)],
)


def _handle(name: str) -> Row:
    return handle_row(
        name,
        lambda op: op.attrs["queue"]._empty(op.name),
        lambda op, other: check_shared(
            "queue",
            str(op.attrs["shared_name"]),
            op.attrs["queue"]._made_of(),
            other.attrs["queue"]._made_of(),
        ),
    )


# ---- queues -----------------------------------------------------------------------------------

_NUMBERS = itertools.count()


def _common(shapes: Sequence[TensorShape]) -> TensorShape:
    """What is known of a component of any of several queues."""
    found = shapes[0]
    for shape in shapes[1:]:
        found = found.most_specific_compatible_shape(shape)
    return found


class QueueBase:
    """What all queues have: elements of several components, put in and taken out by operations."""

    _kind: ClassVar[str]
    _handle_row: ClassVar[Row]
    _order: ClassVar[type[Order]] = Order
    _pads: bool = False

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any,
        name: str,
        least: int = 0,
        seeds: Seeds = (None, None),
        shared_name: str | None = None,
    ) -> None:
        self._dtypes = [
            as_dtype(d) for d in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])
        ]
        self._shapes = _shapes_of(shapes, len(self._dtypes))
        self._names = [names] if isinstance(names, str) else list(names) if names else names
        if self._names is not None and len(self._names) != len(self._dtypes):
            raise ValueError(f"There must be a name for each component: {names}, {self._dtypes}.")
        self._capacity, self._least, self._seeds = capacity, least, seeds
        self._name = name
        attrs = {"queue": self, "shared_name": shared_name or ""}
        graph = current_graph()
        if graph is None:
            self._handle: Any = wrap(self._empty(f"{name}_{next(_NUMBERS)}"))
        else:
            self._handle = graph.add(self._handle_row, (), attrs, name).outputs[0]
            self._name = self._handle.op.name

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> Any:
        """The queue of that number: which one is known when the operations run."""
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        at, chosen = convert(index, int32), copy(first)
        chosen._shapes = [
            _common(shapes) for shapes in zip(*(q.shapes for q in queues), strict=True)
        ]
        handles = [queue._handle for queue in queues]
        chosen._pads = any(queue._pads for queue in queues)
        if current_graph() is None:
            chosen._handle = handles[int(at)]
        else:
            chosen._handle = apply(SELECT, [at, *handles], {})[0]
        return chosen

    def _empty(self, name: str) -> Waiting:
        return Waiting(self._kind, name, self._capacity, self._least, self._order(self._seeds))

    def _made_of(self) -> dict[str, Any]:
        """What queues of one shared name must have in common."""
        return {
            "capacity": self._capacity,
            "min_after_dequeue": self._least,
            "component types": shown_types(self._dtypes),
            "component shapes": shown_shapes(self._shapes),
            "random seeds": self._seeds,
        }

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    @property
    def queue_ref(self) -> Any:
        """What stands for the queue in its graph."""
        return self._handle

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components; of unknown rank where none were given."""
        return self._shapes or [TensorShape(None)] * len(self._dtypes)

    @property
    def names(self) -> Any:
        """The names of the components, if they have some."""
        return self._names

    def _run(self, row: Row, inputs: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        """What the operation gives; in a graph the operation itself, if it gives nothing."""
        return run(row, self._handle, inputs, attrs, name)

    # ---- putting in --------------------------------------------------------------------------

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Put in one element; the operation waits for room."""
        given = self._converted(vals)
        for x, shape in zip(given, self.shapes, strict=True):
            x.shape.assert_is_compatible_with(shape)
        return self._run(ENQUEUE, given, {"many": False}, name or f"{self._last}_enqueue")

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Put in an element for each row of the components."""
        given = self._converted(vals)
        rows = given[0].shape[:1]
        for x, shape in zip(given, self.shapes, strict=True):
            rows = rows.merge_with(x.shape[:1])
            x.shape[1:].assert_is_compatible_with(shape)
        return self._run(ENQUEUE, given, {"many": True}, name or f"{self._last}_EnqueueMany")

    @property
    def _last(self) -> str:
        return self._name.rpartition("/")[2]

    def _converted(self, vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            if not self._names or sorted(vals) != sorted(self._names):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue. Dictionary: "
                    f"{sorted(vals)}, Queue: {sorted(self._names or [])}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        if not isinstance(vals, (list, tuple)):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(f"A queue of {len(self._dtypes)} components was given {len(vals)}.")
        return [convert(v, d) for v, d in zip(vals, self._dtypes, strict=True)]

    # ---- taking out --------------------------------------------------------------------------

    def dequeue(self, name: str | None = None) -> Any:
        """Take out one element, as soon as there is one."""
        return self._taken([], False, name or f"{self._last}_Dequeue")

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Take out n elements, whose components are stacked, as soon as there are so many."""
        return self._taken([convert(n, int32)], False, name or f"{self._last}_DequeueMany")

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Like `dequeue_many`; of a closed queue, the fewer that remain."""
        return self._taken([convert(n, int32)], True, name or f"{self._last}_DequeueUpTo")

    def _taken(self, count: list[Any], fewer: bool, name: str) -> Any:
        if count and self._shapes is None:
            raise InvalidArgumentError(
                f"{self._kind}'s DequeueMany and DequeueUpTo require the components to have specified "
                "shapes: give the queue `shapes`."
            )
        attrs = {"fewer": fewer, "padded": self._pads, "dtypes": tuple(self._dtypes)}
        parts = list(self._run(DEQUEUE, count, attrs, name))
        if current_graph() is not None:
            known = None if fewer or not count else getattr(count[0], "_known", None)
            rows = [] if not count else [None if known is None else int(known)]
            for part, shape in zip(parts, self.shapes, strict=True):
                part.set_shape(TensorShape(rows).concatenate(shape))
        if self._names:
            return dict(zip(self._names, parts, strict=True))
        return parts[0] if len(parts) == 1 else parts

    # ---- the queue itself --------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Put in nothing more: who takes out what is not there gets an OutOfRangeError."""
        attrs = {"cancel": cancel_pending_enqueues}
        return self._run(CLOSE, [], attrs, name or f"{self._last}_Close")

    def is_closed(self, name: str | None = None) -> Any:
        """Whether it is closed."""
        return self._run(IS_CLOSED, [], {}, name or f"{self._last}_Is_Closed")[0]

    def size(self, name: str | None = None) -> Any:
        """How many elements there are."""
        return self._run(SIZE, [], {}, name or f"{self._last}_Size")[0]


def _shapes_of(shapes: Any, count: int) -> list[TensorShape] | None:
    """A shape for each component; one shape is for the only one."""
    if shapes is None:
        return None
    single = isinstance(shapes, TensorShape) or all(n is None or isinstance(n, int) for n in shapes)
    each = [TensorShape(s) for s in ([shapes] if single and (shapes or count == 1) else shapes)]
    if len(each) != count:
        raise ValueError(
            f"Queue shapes must have the same length as dtypes: {each}, {count} dtypes."
        )
    return each


class FIFOQueue(QueueBase):
    """A queue whose elements leave in the order in which they came.

    >>> queue = tf.queue.FIFOQueue(3, tf.float32)
    >>> _ = queue.enqueue(1.0), queue.enqueue(2.0)
    >>> queue.dequeue().numpy().item(), queue.size().numpy().item()
    (1.0, 1)
    """

    _kind = "FIFOQueue"
    _handle_row = _handle("FIFOQueueV2")

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name, shared_name=shared_name)


class PaddingFIFOQueue(QueueBase):
    """A queue whose elements may differ in the sizes that its shapes leave open; batches are padded.

    >>> queue = tf.queue.PaddingFIFOQueue(3, tf.int32, [[None]])
    >>> _ = queue.enqueue([[1, 2]]), queue.enqueue([[3]])
    >>> queue.dequeue_many(2).numpy().tolist()
    [[1, 2], [3, 0]]
    """

    _kind = "PaddingFIFOQueue"
    _handle_row = _handle("PaddingFIFOQueueV2")
    _pads = True

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if shapes is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        super().__init__(capacity, dtypes, shapes, names, name, shared_name=shared_name)


class RandomShuffleQueue(QueueBase):
    """A queue that gives any of its elements, and keeps some so that chance has a choice.

    >>> queue = tf.queue.RandomShuffleQueue(3, 0, tf.int32, seed=1)
    >>> _ = queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue().numpy().item() for _ in range(3))
    [1, 2, 3]
    """

    _kind = "RandomShuffleQueue"
    _handle_row = _handle("RandomShuffleQueueV2")
    _order = Shuffled

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        pair = seeds_of(seed)
        super().__init__(
            capacity, dtypes, shapes, names, name, min_after_dequeue, pair, shared_name
        )


class PriorityQueue(QueueBase):
    """A queue whose first component, an int64, says whose turn it is: the smallest.

    >>> queue = tf.queue.PriorityQueue(3, tf.string)
    >>> _ = queue.enqueue((2, "late")), queue.enqueue((1, "early"))
    >>> queue.dequeue()[1].numpy()
    b'early'
    """

    _kind = "PriorityQueue"
    _handle_row = _handle("PriorityQueueV2")
    _order = ByPriority

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        kinds = list(types) if isinstance(types, (list, tuple)) else [types]
        rest = _shapes_of(shapes, len(kinds))
        whole = None if rest is None else [TensorShape([]), *rest]
        super().__init__(capacity, [int64, *kinds], whole, names, name, shared_name=shared_name)
