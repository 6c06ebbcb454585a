"""Several elements as one, and one as several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert.core.context import activate
from wengert.data.elements import (
    Element,
    Layout,
    batched_spec,
    is_structure,
    leaves,
    leaves_like,
    mapped,
    packed,
    unbatched_spec,
)
from wengert.data.methods.made import dataset_spec, flag, known, number, of_pipeline, transformed
from wengert.data.stages import batches as stages
from wengert.data.stages.batches import of_elements
from wengert.errors import DataLossError
from wengert.ops.ragged.factories import stack as ragged_stack
from wengert.ops.ragged.spec import RaggedTensorSpec
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.spec import SparseTensorSpec
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int64, string
from wengert.values.shapes import TensorShape
from wengert.values.tensor import wrap
from wengert.values.type_spec import TensorSpec


def _static(batch_size: Any, drop_remainder: Any) -> int | None:
    """The size of each batch, where all have one that is known."""
    return known(batch_size) if known(drop_remainder) else None


def batch(
    self: Any,
    batch_size: Any,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements, stacked. The last may be smaller, unless it is dropped.

    >>> list(tf.data.Dataset.range(5).batch(2).as_numpy_iterator())
    [array([0, 1]), array([2, 3]), array([4])]
    """
    spec = batched_spec(self.element_spec, _static(batch_size, drop_remainder))
    inputs = [number(batch_size, "batch_size"), flag(drop_remainder)]
    kind = "Batch" if num_parallel_calls is None else "ParallelBatch"
    return transformed([self], stages.batch, spec, kind, inputs, layout=self._layout)


# ---- elements of several shapes -----------------------------------------------------------------


def padded_batch(
    self: Any,
    batch_size: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Any:
    """Batches of elements that are padded to one shape: the given one, or that of the largest.

    >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    >>> for batch in dataset.padded_batch(2):
    ...     print(batch.numpy().tolist())
    [[1, 0], [2, 2]]
    [[3, 3, 3]]
    """
    spec = self.element_spec
    shapes = _padded_shapes(spec, padded_shapes)
    values = _padding(spec, padding_values)
    static = [_as_static(s) for s in shapes]
    for leaf, shape, value in zip(self._layout.leaves, static, values, strict=True):
        _check_padding(leaf, shape, value)
    rows = [TensorSpec(s, leaf.dtype) for s, leaf in zip(static, self._layout.leaves, strict=True)]
    size = _static(batch_size, drop_remainder)
    found = batched_spec(packed(spec, rows), size)
    inputs = [
        number(batch_size, "batch_size"),
        flag(drop_remainder),
        *[_as_numbers(s) for s in shapes],
        *values,
    ]
    return transformed(
        [self],
        stages.padded_batch,
        found,
        "PaddedBatch",
        inputs,
        layout=self._layout,
        count=len(shapes),
    )


def _padded_shapes(spec: Any, given: Any) -> list[Any]:
    """The shape to which each component is padded: the given one, or its own."""
    for leaf in leaves(spec):
        if type(leaf) is not TensorSpec:
            raise TypeError(
                f"`padded_batch` is only supported for datasets that produce tensor elements but the "
                f"input dataset produces elements of unsupported type {leaf.value_type}."
            )
    if given is not None:
        return leaves_like(spec, given)
    if any(leaf.shape.rank is None for leaf in leaves(spec)):
        raise ValueError(
            "You must provide `padded_shapes` argument because component shapes have unknown rank."
        )
    return [leaf.shape for leaf in leaves(spec)]


def _as_static(shape: Any) -> TensorShape:
    if hasattr(shape, "_array") and not isinstance(shape, TensorShape):
        values = shape._array if isinstance(shape._array, np.ndarray) else shape._known
        if values is None:
            return TensorShape([None] * (shape.shape[0] or 0))
        shape = values.tolist()
    sizes = list(TensorShape([None if n == -1 else n for n in list(shape)]))
    return TensorShape(sizes)


def _as_numbers(shape: Any) -> Any:
    if hasattr(shape, "_array") and not isinstance(shape, TensorShape):
        return convert(shape, int64) if shape.dtype is int64 else convert(shape)
    sizes = [-1 if n is None else int(n) for n in list(shape)]
    return convert(np.array(sizes, np.int64))


def _padding(spec: Any, given: Any) -> list[Any]:
    count = len(leaves(spec))
    if given is None:
        flat: Sequence[Any] = [None] * count
    elif not is_structure(given):
        flat = [given] * count
    else:
        flat = leaves(given)
    return [
        _zero(leaf.dtype) if value is None else _padding_value(value, leaf.dtype)
        for leaf, value in zip(leaves(spec), flat, strict=True)
    ]


def _zero(dtype: Any) -> Any:
    if dtype is string:
        return wrap(np.array(b"", object))
    return wrap(np.zeros((), dtype.numpy_dtype))


def _padding_value(value: Any, dtype: Any) -> Any:
    found = convert(value) if hasattr(value, "dtype") else convert(value, dtype)
    if found.dtype is not dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {found.dtype!r} does not match "
            f"type {dtype!r} of the corresponding input component."
        )
    if found.shape.rank not in (0, None):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {found.shape}."
        )
    return found


def _check_padding(leaf: Any, shape: TensorShape, value: Any) -> None:
    rank = leaf.shape.rank
    if rank is not None and shape.rank is not None and rank != shape.rank:
        raise ValueError(
            f"The padded shape {shape} is not compatible with the shape {leaf.shape} of the "
            "corresponding input component."
        )
    for wanted, have in zip(
        list(shape), list(leaf.shape) if rank is not None else [], strict=False
    ):
        if wanted is not None and have is not None and wanted < have:
            raise ValueError(
                f"The padded shape {shape} is not compatible with the shape {leaf.shape} of the "
                "corresponding input component."
            )


def ragged_batch(
    self: Any,
    batch_size: Any,
    drop_remainder: Any = False,
    row_splits_dtype: Any = int64,
    name: str | None = None,
) -> Any:
    """Batches in which elements of several shapes are the rows of ragged tensors.

    >>> dataset = tf.data.Dataset.range(3).map(lambda x: tf.range(x))
    >>> for batch in dataset.ragged_batch(3):
    ...     print(batch)
    <tf.RaggedTensor [[], [0], [0, 1]]>
    """
    splits = as_dtype(row_splits_dtype)
    ranks = [_ragged_rank(leaf) for leaf in self._layout.leaves]
    size = _static(batch_size, drop_remainder)
    specs = [
        batched_spec(leaf, size)
        if rank is None
        else RaggedTensorSpec(
            TensorShape([size]).concatenate(leaf.shape), leaf.dtype, rank + 1, splits
        )
        for leaf, rank in zip(self._layout.leaves, ranks, strict=True)
    ]
    columns = [Layout(leaf) for leaf in self._layout.leaves]

    def joined(group: list[Element]) -> Element:
        return tuple([
            columns[at].stacked([(row[at],) for row in group])[0]
            if rank is None
            else _as_ragged([row[at] for row in group], rank, splits)
            for at, rank in enumerate(ranks)
        ])  # fmt: skip

    inputs = [number(batch_size, "batch_size"), flag(drop_remainder)]
    spec = packed(self.element_spec, specs)
    return transformed([self], stages.ragged_batch, spec, "DenseToRagged", inputs, joined=joined)


def _ragged_rank(leaf: Any) -> int | None:
    """How many inner axes are ragged; None for a component whose shape is known."""
    if type(leaf) is not TensorSpec or leaf.shape.rank is None or leaf.shape.is_fully_defined():
        return None
    return max(axis for axis, size in enumerate(leaf.shape) if size is None)


def _as_ragged(rows: Sequence[Any], rank: int, splits: Any) -> Any:
    with activate((), None):
        tensors = [wrap(row) for row in rows]
        if rank:
            tensors = [
                RaggedTensor.from_tensor(t, ragged_rank=rank, row_splits_dtype=splits)
                for t in tensors
            ]
        found = ragged_stack(tensors)
        return found.with_row_splits_dtype(splits)


def sparse_batch(self: Any, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
    """Batches of vectors of several lengths as sparse tensors.

    >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
    >>> tf.sparse.to_dense(next(iter(dataset.sparse_batch(2, [3])))).numpy().tolist()
    [[1, 0, 0], [2, 2, 0]]
    """
    leaf = self.element_spec
    if type(leaf) is not TensorSpec:
        raise TypeError(
            "`sparse_batch` requires that the elements of the dataset are single tensors, got "
            f"{leaf}."
        )
    shape = list(_as_static(row_shape))

    def joined(group: list[Element]) -> Element:
        arrays = [row[0] for row in group]
        found = [np.argwhere(np.ones(a.shape, bool)) for a in arrays]
        indices = [np.insert(where, 0, row, axis=1) for row, where in enumerate(found)]
        largest = [max(sizes) for sizes in zip(*(a.shape for a in arrays), strict=True)]
        sizes = [m if n is None else n for n, m in zip(shape, largest, strict=True)]
        if any(m > n for n, m in zip(sizes, largest, strict=True)):
            raise DataLossError(
                f"Larger sizes than row_shape: elements of up to {largest} are to be batched in rows "
                f"of {sizes}. [Op:IteratorGetNext]"
            )
        return (
            SparseTensor(
                np.concatenate(indices).astype(np.int64),
                wrap(np.concatenate([a.reshape(-1) for a in arrays])),
                np.array([len(arrays), *sizes], np.int64),
            ),
        )

    spec = SparseTensorSpec([None, *shape], leaf.dtype)
    inputs = [number(batch_size, "batch_size"), flag(False)]
    return transformed([self], stages.ragged_batch, spec, "DenseToSparse", inputs, joined=joined)


# ---- one as several -----------------------------------------------------------------------------


def unbatch(self: Any, name: str | None = None) -> Any:
    """The rows of the elements, one after the other.

    >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
    [np.int32(1), np.int32(2)]
    """
    spec = unbatched_spec(self.element_spec)
    sizes = {
        leaf.shape[0]
        for leaf in self._layout.leaves
        if getattr(leaf, "shape", None) is not None and leaf.shape.rank
    }
    known_sizes = sorted(sizes - {None})
    if len(known_sizes) > 1:
        raise ValueError(
            "`unbatch()` is only supported for datasets of elements whose components have a matching "
            f"leading dimension. Encountered both {known_sizes[0]} and {known_sizes[1]}."
        )
    size = sizes.pop() if len(sizes) == 1 else None
    return transformed([self], stages.unbatch, spec, "Unbatch", layout=self._layout, known=size)


def rebatch(
    self: Any, batch_size: Any, drop_remainder: Any = False, name: str | None = None
) -> Any:
    """Batches of other sizes than the elements have, one after the other.

    >>> list(tf.data.Dataset.range(4).batch(4).rebatch([1, 3]).as_numpy_iterator())
    [array([0]), array([1, 2, 3])]
    """
    one = unbatched_spec(self.element_spec)
    spec = batched_spec(one, _static_of_all(batch_size) if known(drop_remainder) else None)
    inputs = [convert(batch_size, int64), flag(drop_remainder)]
    layouts = {"layout": self._layout, "of_one": Layout(one)}
    return transformed([self], stages.rebatch, spec, "Rebatch", inputs, **layouts)


def _static_of_all(sizes: Any) -> int | None:
    flat = {int(n) for n in np.reshape(np.asarray(sizes), -1)}
    return flat.pop() if len(flat) == 1 else None


def window(
    self: Any,
    size: Any,
    shift: Any = None,
    stride: Any = 1,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Any:
    """Datasets of several elements each, which may overlap.

    >>> for window in tf.data.Dataset.range(5).window(3, shift=2):
    ...     print([int(x) for x in window])
    [0, 1, 2]
    [2, 3, 4]
    [4]
    """
    spec = self.element_spec
    slots = leaves(spec)

    def made(group: list[Element]) -> Element:
        return tuple([
            of_pipeline(of_elements([(row[at],) for row in group]), leaf, "Variant")
            for at, leaf in enumerate(slots)
        ])  # fmt: skip

    inputs = [
        number(size, "size"),
        number(size if shift is None else shift, "shift"),
        number(stride, "stride"),
        flag(drop_remainder),
    ]
    found = mapped(dataset_spec, spec)
    return transformed([self], stages.window, found, "Window", inputs, made=made)
