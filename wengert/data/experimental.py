"""tf.data.experimental: transformations as functions for `Dataset.apply`, and what is not yet settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.data.dataset import Dataset, DatasetSpec
from wengert.data.functions import enable_debug_mode
from wengert.data.iterator import IteratorBase
from wengert.data.methods import finish, functions, order
from wengert.data.methods.chance import sample_from_datasets
from wengert.data.optional import Optional
from wengert.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ThreadingOptions,
)
from wengert.data.parsed import make_batched_features_dataset, parse_example_dataset
from wengert.data.pipeline import INFINITE as INFINITE_CARDINALITY
from wengert.data.pipeline import UNKNOWN as UNKNOWN_CARDINALITY
from wengert.data.stages.background import AUTOTUNE
from wengert.data.stored import TFRecordWriter
from wengert.data.tables import DatasetInitializer, index_table_from_dataset, table_from_dataset
from wengert.data.tabular import CsvDataset, make_csv_dataset
from wengert.values.dtypes import int64
from wengert.values.tensor import Tensor

OptimizationOptions = OptimizationOptions
OptionalStructure = Optional
Transformation = Callable[[Any], Any]


def _by_method(method: str, *args: Any, **kwargs: Any) -> Transformation:
    """The transformation that a method makes."""
    return lambda dataset: getattr(dataset, method)(*args, **kwargs)


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Say how many elements there are, which is checked.

    >>> dataset = tf.data.Dataset.range(6).filter(lambda x: x > 3)
    >>> dataset.apply(tf.data.experimental.assert_cardinality(2)).cardinality().numpy()
    np.int64(2)
    """
    return lambda dataset: order.assert_cardinality(dataset, expected_cardinality)


def cardinality(dataset: Any) -> Tensor:
    """How many elements a dataset has: see `Dataset.cardinality`."""
    found: Tensor = dataset.cardinality()
    return found


def batch_of_ragged(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64
) -> Transformation:
    """Batches with ragged tensors: see `Dataset.ragged_batch`."""
    return _by_method("ragged_batch", batch_size, drop_remainder, row_splits_dtype)


dense_to_ragged_batch = batch_of_ragged


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Batches as sparse tensors: see `Dataset.sparse_batch`."""
    return _by_method("sparse_batch", batch_size, row_shape)


def unbatch() -> Transformation:
    """The rows of the elements: see `Dataset.unbatch`."""
    return _by_method("unbatch")


def unique() -> Transformation:
    """Each element once: see `Dataset.unique`."""
    return _by_method("unique")


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Leave out elements that raise errors: see `Dataset.ignore_errors`."""
    return _by_method("ignore_errors", log_warning)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number and an element: see `Dataset.enumerate`."""
    return _by_method("enumerate", start)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The first elements of which a function is true: see `Dataset.take_while`."""
    return _by_method("take_while", predicate)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function makes of a state and each element: see `Dataset.scan`."""
    return _by_method("scan", initial_state, scan_func)


def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """See `Dataset.choose_from_datasets`, which by default stops where a dataset has ended; this does not.

    >>> parts = [tf.data.Dataset.range(1), tf.data.Dataset.range(10, 12)]
    >>> choice = tf.data.Dataset.range(2).repeat(2)
    >>> found = tf.data.experimental.choose_from_datasets(parts, choice)
    >>> [int(x) for x in found.as_numpy_iterator()]
    [0, 10, 11]
    """
    return order.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Map, then batch."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Elements of several datasets in turn: see `Dataset.interleave`."""
    return _by_method("interleave", map_func, cycle_length, block_length)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """What a function makes of windows of elements with one key: see `Dataset.group_by_window`."""
    return _by_method("group_by_window", key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Batches of elements of similar length: see `Dataset.bucket_by_sequence_length`."""
    return _by_method(
        "bucket_by_sequence_length", element_length_func, bucket_boundaries, bucket_batch_sizes,
        padded_shapes, padding_values, pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """Draw elements so that classes are distributed as wanted: see `Dataset.rejection_resample`."""
    return _by_method("rejection_resample", class_func, target_dist, initial_dist, seed)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Make elements ahead: see `Dataset.prefetch`. There is one device."""
    return _by_method("prefetch", buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The dataset itself: there is one device."""
    return lambda dataset: dataset


class Reducer:
    """What `group_by_reducer` does with the elements of one key: begin, take in, finish."""

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """A result for each key of the elements.

    >>> total = tf.data.experimental.Reducer(
    ...     lambda _: tf.constant(0, tf.int64), lambda state, x: state + x, lambda state: state)
    >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, total)
    >>> [int(x) for x in tf.data.Dataset.range(5).apply(by_parity)]
    [6, 4]
    """
    return lambda dataset: functions.group_by_reducer(dataset, key_func, reducer)


class RandomDataset(Dataset):
    """Random numbers: see `Dataset.random`."""

    __slots__ = ()

    def __init__(self, seed: Any = None) -> None:
        drawn = Dataset.random(seed)
        super().__init__(drawn._variant_tensor, drawn.element_spec)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> Any:  # noqa: N802  # TensorFlow's
    """Numbers without an end: see `Dataset.counter`."""
    return Dataset.counter(start, step, dtype)


def get_single_element(dataset: Any) -> Any:
    """The element of a dataset that has one."""
    return dataset.get_single_element()


def get_next_as_optional(iterator: IteratorBase) -> Optional:
    """The next element of an iterator as an Optional."""
    return iterator.get_next_as_optional()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The specs of the elements."""
    return dataset_or_iterator.element_spec


def to_variant(dataset: Any) -> Tensor:
    """The tensor of dtype variant that stands for a dataset."""
    found: Tensor = dataset._variant_tensor
    return found


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """The dataset that a tensor of dtype variant stands for."""
    return Dataset(variant, structure)


def from_list(elements: Any, name: str | None = None) -> Dataset:
    """The elements of a list.

    >>> [int(x) for x in tf.data.experimental.from_list([3, 1])]
    [3, 1]
    """
    if not elements:
        raise ValueError("The input list should have at least one element")
    dataset: Any = Dataset.from_tensors(elements[0])
    for element in elements[1:]:
        dataset = dataset.concatenate(Dataset.from_tensors(element))
    return dataset  # type: ignore[no-any-return]


def save(
    dataset: Any,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Write all elements to a folder: see `Dataset.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
) -> Dataset:
    """The dataset in a folder: see `Dataset.load`."""
    found: Dataset = Dataset.load(path, element_spec, compression, reader_func)
    return found


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Keep the elements in files: see `Dataset.snapshot`."""
    return _by_method("snapshot", path, compression, reader_func, shard_func)


def at(dataset: Any, index: Any) -> Any:
    """The element at an index; those before it are made, too.

    >>> tf.data.experimental.at(tf.data.Dataset.range(5), 3).numpy()
    np.int64(3)
    """
    return finish.at(dataset, index)


__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DatasetSpec",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "OptionalStructure",
    "RandomDataset",
    "Reducer",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]  # fmt: skip
