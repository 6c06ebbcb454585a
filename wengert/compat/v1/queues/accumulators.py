"""Accumulators of gradients: what several steps give, until enough are there for one update."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import numpy as np

from wengert.compat.v1.queues.rows import effect, handle_row
from wengert.core.context import current_graph
from wengert.core.row import Row
from wengert.errors import InvalidArgumentError
from wengert.graph.graph import Graph
from wengert.ops.math.elementwise import cast
from wengert.state.cell import Resource
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int32, int64
from wengert.values.indexed_slices import IndexedSlices
from wengert.values.shapes import TensorShape

# ---- what a session holds -----------------------------------------------------------------------


class Sums(Resource):
    """The sum of the gradients that came for the current step or a later one, and their number."""

    def __init__(self, dtype: Any, shape: TensorShape, mean: bool) -> None:
        self._dtype, self._shape, self._mean = dtype, shape, mean
        self._step = 0
        self._changed = threading.Condition()
        self._gradients: list[Any] = []

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._gradients)

    def set_step(self, step: int) -> None:
        """The step for which gradients are collected from now on."""
        with self._changed:
            self._step = step

    def apply(self, step: int, *gradient: Any) -> None:
        """Add a gradient, unless it is of an earlier step."""
        self._check(gradient)
        with self._changed:
            if step >= self._step:
                self._gradients.append(gradient)
                self._changed.notify_all()

    def take(self, required: int) -> list[Any]:
        """Wait for enough gradients; what they are together. The next step begins."""
        if required <= 0:
            raise InvalidArgumentError(
                f"Argument num_required must be positive, was {required} "
                "[Op:AccumulatorTakeGradient]"
            )
        with self._changed:
            self._changed.wait_for(lambda: self.count >= required)
            found, self._gradients = self._gradients, []
            self._step += 1
        return self._together(found)

    def _check(self, gradient: Any) -> None:
        (array,) = gradient
        if not self._shape.is_compatible_with(array.shape):
            raise InvalidArgumentError(
                f"Shape mismatch: expected {_text(self._shape)}, got {_text(array.shape)} "
                "[Op:AccumulatorApplyGradient]"
            )

    def _together(self, gradients: Any) -> list[Any]:
        total = np.sum([g for (g,) in gradients], axis=0, dtype=self._dtype)
        return [(total / len(gradients) if self._mean else total).astype(self._dtype)]


class SparseSums(Sums):
    """The same for gradients of some rows; the mean is one over the gradients that have the row."""

    def _check(self, gradient: Any) -> None:
        indices, values, shape = gradient
        if indices.ndim != 1 or not len(indices):
            raise InvalidArgumentError(
                f"Input indices should be vector but received shape: {_text(indices.shape)} "
                "[Op:SparseAccumulatorApplyGradient]"
            )
        if values.ndim == 0 or len(values) != len(indices):
            raise InvalidArgumentError(
                "Expected values and indices to have the same number of rows: "
                f"{_text(values.shape)} and {_text(indices.shape)} "
                "[Op:SparseAccumulatorApplyGradient]"
            )
        rows = TensorShape([None, *values.shape[1:]])
        if not self._shape.is_compatible_with(rows):
            raise InvalidArgumentError(
                f"Shape mismatch: expected {_text(self._shape)}, got {_text(rows)} "
                "[Op:SparseAccumulatorApplyGradient]"
            )
        if len(shape) and not self._shape.is_compatible_with(shape.tolist()):
            raise InvalidArgumentError(
                f"Shape mismatch: expected {_text(self._shape)}, got {shape.tolist()} "
                "[Op:SparseAccumulatorApplyGradient]"
            )

    def _together(self, gradients: Any) -> list[Any]:
        given = np.concatenate([i for i, _, _ in gradients])
        values = np.concatenate([v for _, v, _ in gradients])
        places, at = np.unique(given, return_inverse=True)
        total = np.zeros((len(places), *values.shape[1:]), self._dtype)
        np.add.at(total, at, values)
        if self._mean:
            counts = np.bincount(at).reshape(-1, *[1] * (total.ndim - 1))
            total = (total / counts).astype(self._dtype)
        known = next((s for *_, s in gradients if len(s)), None)
        size = [-1, *values.shape[1:]] if known is None else known
        if self._shape.rank is not None and known is None:
            size = [-1 if n is None else n for n in self._shape]
        return [places.astype(np.int64), total, np.asarray(size, np.int64)]


def _text(shape: Any) -> str:
    known = TensorShape(shape)
    if known.rank is None:
        return "<unknown>"
    return f"[{','.join('?' if n is None else str(n) for n in known)}]"


# ---- rows -----------------------------------------------------------------------------------------


def _apply(_: Any, sums: Sums, step: Any, *gradient: Any) -> list[Any]:
    sums.apply(int(step), *[np.array(part) for part in gradient])
    return []


def _set(_: Any, sums: Sums, step: Any) -> list[Any]:
    sums.set_step(int(step))
    return []


APPLY = effect("AccumulatorApplyGradient", _apply)
SET = effect("AccumulatorSetGlobalStep", _set)
COUNT = effect(
    "AccumulatorNumAccumulated",
    lambda _, sums: [np.array(sums.count, np.int32)],
    lambda xs, attrs: [((), int32.numpy_dtype)],
)
TAKE = effect(
    "AccumulatorTakeGradient",
    lambda _, sums, required, **attrs: sums.take(int(required)),
    lambda xs, attrs: [(attrs["shape"], attrs["dtype"])],
)
TAKE_SPARSE = effect(
    "SparseAccumulatorTakeGradient",
    lambda _, sums, required, **attrs: sums.take(int(required)),
    lambda xs, attrs: [
        ((None,), int64.numpy_dtype),
        (None, attrs["dtype"]),
        ((None,), int64.numpy_dtype),
    ],
)


def _handle(name: str) -> Row:
    return handle_row(name, lambda op: op.attrs["accumulator"]._empty())


# ---- accumulators ---------------------------------------------------------------------------------


class ConditionalAccumulatorBase:
    """What both accumulators have."""

    _handle_row: ClassVar[Row]
    _sums: ClassVar[type[Sums]]

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        graph = current_graph()
        if graph is None:
            raise RuntimeError(
                "Conditional accumulators are not supported when eager execution is enabled."
            )
        if reduction_type not in ("MEAN", "SUM"):
            raise InvalidArgumentError(
                f"Value for attr 'reduction_type' of \"{reduction_type}\" is not in the list of "
                'allowed values: "MEAN", "SUM"'
            )
        self._dtype, self._shape = as_dtype(dtype), TensorShape(shape)
        self._mean = reduction_type == "MEAN"
        self._graph: Graph = graph
        self._ref = graph.add(self._handle_row, (), {"accumulator": self}, name).outputs[0]

    def _empty(self) -> Sums:
        return self._sums(self._dtype.numpy_dtype, self._shape, self._mean)

    @property
    def accumulator_ref(self) -> Any:
        """What stands for the accumulator in its graph."""
        return self._ref

    @property
    def name(self) -> str:
        """The name of the accumulator."""
        return str(self._ref.op.name)

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def _added(self, row: Row, inputs: Any, name: str | None, attrs: Any = None) -> Any:
        graph = current_graph() or self._graph
        entered = [graph.entered(x) for x in (self._ref, *inputs)]
        op = graph.add(row, entered, attrs or {}, name)
        return op.outputs if op.outputs else op

    def num_accumulated(self, name: str | None = None) -> Any:
        """How many gradients there are."""
        return self._added(COUNT, [], name)[0]

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Any:
        """An operation that says of which step gradients must be at least."""
        return self._added(SET, [convert(new_global_step, int64)], name)

    def _taken(self, row: Row, num_required: Any, name: str | None) -> Any:
        known = None if self._shape.rank is None else tuple(self._shape)
        attrs = {"dtype": self._dtype.numpy_dtype, "shape": known}
        return self._added(row, [convert(num_required, int32)], name, attrs)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Gradients of one tensor: an update takes their mean once enough are there.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     sums = tf.compat.v1.ConditionalAccumulator(tf.float32, [1])
    ...     for g in ([2.0], [4.0]):
    ...         _ = session.run(sums.apply_grad(g))
    ...     print(session.run(sums.take_grad(2)))
    [3.]
    """

    _handle_row = _handle("ConditionalAccumulator")
    _sums = Sums

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Any:
        """An operation that adds a gradient, unless it is of an earlier step."""
        given = convert(grad, self._dtype)
        self._shape.assert_is_compatible_with(given.shape)
        return self._added(APPLY, [convert(local_step, int64), given], name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """The mean, or sum, of the gradients, once there are so many."""
        return self._taken(TAKE, num_required, name)[0]


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Gradients of some rows of a tensor: an update takes the mean of each row."""

    _handle_row = _handle("SparseConditionalAccumulator")
    _sums = SparseSums

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None
    ) -> Any:
        """An operation that adds a gradient, unless it is of an earlier step."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: Any,
        grad_values: Any,
        grad_shape: Any = None,
        local_step: Any = 0,
        name: str | None = None,
    ) -> Any:
        """The same for its indices and values."""
        none = np.zeros([0], np.int64)
        given = [
            convert(local_step, int64),
            cast(convert(grad_indices), int64),
            convert(grad_values, self._dtype),
            cast(convert(none if grad_shape is None else grad_shape), int64),
        ]
        return self._added(APPLY, given, name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Any:
        """Indices, values and shape of the mean, or sum, once there are so many gradients."""
        return tuple(self._taken(TAKE_SPARSE, num_required, name))

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> Any:
        """The same as IndexedSlices."""
        indices, values, shape = self.take_grad(num_required, name)
        known = self._shape.as_list() if self._shape.is_fully_defined() else None
        if known is None and current_graph() is None:
            known = shape
        return IndexedSlices(values, indices, known)
