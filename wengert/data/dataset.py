"""tf.data.Dataset: elements that are made one after the other, and what is done with them.

The class says what a dataset is as a value; its methods are in `methods`, by what they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert.core.context import current_graph
from wengert.data import stored
from wengert.data.elements import Layout, mapped
from wengert.data.iterator import (
    NumpyIterator,
    OwnedIterator,
    begun,
    initializable,
    legacy,
    one_shot,
)
from wengert.data.methods import batches, chance, finish, functions, order, sources
from wengert.data.options import Options
from wengert.data.pipeline import INFINITE, UNKNOWN
from wengert.ops.sparse.math import to_dense
from wengert.values.composite import Composite
from wengert.values.dtypes import variant
from wengert.values.known_places import known_as
from wengert.values.shapes import TensorShape
from wengert.values.tensor import Tensor
from wengert.values.type_spec import TensorSpec, TypeSpec


class Dataset(Composite):
    """Elements, one after the other: what a training loop reads.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).map(lambda x: x * x).batch(2)
    >>> for element in dataset:
    ...     print(element.numpy())
    [1. 4.]
    [9.]
    """

    __slots__ = ("__dict__", "__weakref__")

    def __init__(self, variant_tensor: Tensor, element_spec: Any = None, kind: str = "") -> None:
        self._variant_tensor = variant_tensor
        self._layout = Layout(element_spec)
        self._kind = kind
        self._options = Options()

    @property
    def element_spec(self) -> Any:
        """The specs of the elements, nested as they are.

        >>> tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).element_spec
        {'a': TensorSpec(shape=(), dtype=tf.int32, name=None)}
        """
        return self._layout.spec

    # ---- its elements ------------------------------------------------------------------------

    def __iter__(self) -> OwnedIterator:
        graph = current_graph()
        if graph is not None and not graph.is_function:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
                "tf.function. In a graph: tf.compat.v1.data.make_one_shot_iterator(dataset)."
            )
        return begun(self._variant_tensor, self._layout)

    _widens_in_rounds = True  # as in `reduce`

    def _in_rounds(self) -> tuple[Any, Any]:
        return iter(self)._in_rounds()

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements in NumPy's arrays.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        if current_graph() is not None:
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode."
            )
        for spec in self._layout.leaves:
            if isinstance(spec, DatasetSpec):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
                    f"values of type {spec.value_type}: a dataset is no array."
                )
        return NumpyIterator(iter(self), lambda value: mapped(_in_numpy, value))

    def __len__(self) -> int:
        if current_graph() is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset."
                "cardinality()` instead."
            )
        count = int(self._variant_tensor._array.count)
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    # ---- as version 1 asks -------------------------------------------------------------------

    def make_one_shot_iterator(self) -> Any:
        """An iterator of version 1 that goes through the dataset once."""
        return one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator of version 1 whose `initializer` begins a pass."""
        return initializable(self, shared_name)

    output_types = property(lambda self: legacy(self.element_spec, "dtype"))
    output_shapes = property(lambda self: legacy(self.element_spec, "shape"))
    output_classes = property(lambda self: legacy(self.element_spec, "value_type"))

    # ---- as a value made of tensors ----------------------------------------------------------

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def __repr__(self) -> str:
        name = f"_{self._kind}Dataset" if self._kind else type(self).__name__
        return f"<{name} element_spec={self.element_spec!r}>"

    # ---- where elements come from ------------------------------------------------------------

    from_tensors = staticmethod(sources.from_tensors)
    from_tensor_slices = staticmethod(sources.from_tensor_slices)
    from_generator = staticmethod(sources.from_generator)
    range = staticmethod(sources.range_)
    random = staticmethod(sources.random)
    counter = staticmethod(sources.counter)
    list_files = staticmethod(sources.list_files)
    load = staticmethod(stored.load)
    zip = staticmethod(order.zip_)
    choose_from_datasets = staticmethod(order.choose_from_datasets)
    sample_from_datasets = staticmethod(chance.sample_from_datasets)

    # ---- which, and in which order -----------------------------------------------------------

    take = order.take
    skip = order.skip
    shard = order.shard
    repeat = order.repeat
    concatenate = order.concatenate
    enumerate = order.enumerate_
    shuffle = order.shuffle
    cache = order.cache
    prefetch = order.prefetch
    unique = order.unique
    ignore_errors = order.ignore_errors

    # ---- what functions make of them ---------------------------------------------------------

    map = functions.map_
    filter = functions.filter_
    take_while = functions.take_while
    scan = functions.scan
    flat_map = functions.flat_map
    interleave = functions.interleave
    group_by_window = functions.group_by_window
    bucket_by_sequence_length = functions.bucket_by_sequence_length
    rejection_resample = chance.rejection_resample

    # ---- several as one ----------------------------------------------------------------------

    batch = batches.batch
    padded_batch = batches.padded_batch
    ragged_batch = batches.ragged_batch
    sparse_batch = batches.sparse_batch
    unbatch = batches.unbatch
    rebatch = batches.rebatch
    window = batches.window

    # ---- what comes of all -------------------------------------------------------------------

    reduce = finish.reduce
    get_single_element = finish.get_single_element
    cardinality = finish.cardinality
    apply = finish.apply
    options = finish.options
    with_options = finish.with_options
    save = stored.save
    snapshot = stored.snapshot


class DatasetSpec(TypeSpec):
    """The type spec of datasets.

    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_dataset_shape", "_element_spec")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @staticmethod
    def from_value(value: Dataset) -> DatasetSpec:
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    @property
    def value_type(self) -> Any:
        """The class of datasets."""
        return Dataset

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._element_spec

    def _serialize(self) -> Any:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(self._dataset_shape, variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return Dataset(components, self._element_spec)


def _in_numpy(value: Any) -> Any:
    """A leaf of an element in NumPy's terms."""
    if value is None or isinstance(value, Dataset):
        return value
    if isinstance(value, Tensor):
        return _not_to_be_changed(value.numpy())
    return value.numpy() if hasattr(value, "numpy") else _not_to_be_changed(to_dense(value).numpy())


def _not_to_be_changed(array: Any) -> Any:
    """An array that may be a part of the dataset."""
    if not isinstance(array, np.ndarray):
        return array
    found = array.view()
    found.flags.writeable = False
    return found if array.shape else found[()]


known_as(Dataset, "data.ops.dataset_ops.DatasetV2")
known_as(DatasetSpec, "data.ops.dataset_ops.DatasetSpec")
