"""Tables that the elements of datasets fill."""

from __future__ import annotations

from typing import Any

from wengert.api.session.modes import init_scope
from wengert.core.context import current_graph
from wengert.data.elements import leaves
from wengert.errors import InvalidArgumentError
from wengert.lookup.contents import Contents
from wengert.lookup.initializers import TableInitializerBase, in_collection
from wengert.lookup.rows import changed, changing
from wengert.lookup.static import LookupInterface, StaticHashTable
from wengert.lookup.vocabulary import FastHashSpec, HasherSpec, StaticVocabularyTable
from wengert.ops.math.elementwise import cast
from wengert.values.dtypes import as_dtype, int64, string


def _fill(table: Contents, pipeline: Any) -> None:
    table.fill_with((_plain(key), _plain(value)) for key, value in pipeline)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


class DatasetInitializer(TableInitializerBase):
    """Keys and values from the elements of a dataset, which are pairs.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [2, -1]
    """

    def __init__(self, dataset: Any) -> None:
        specs = leaves(dataset.element_spec)
        if len(specs) != 2 or any(spec.shape.rank != 0 for spec in specs):
            raise ValueError(
                f"The elements of the dataset must be pairs of a key and a value, got {dataset.element_spec}."
            )
        self._dataset = dataset
        super().__init__(specs[0].dtype, specs[1].dtype)

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, the operation that does."""
        self._check(table)
        inputs = [table.resource_handle, self._dataset._variant_tensor]
        return in_collection(changed(FILL, inputs, "initialize_table_from_dataset"))


FILL = changing("InitializeTableFromDataset", _fill, arrays=False)


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> LookupInterface:
    """A table of the pairs of a dataset; keys that are not there get buckets, or the default value."""
    specs = leaves(dataset.element_spec)
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if default_value is not None and num_oov_buckets > 0:
        raise ValueError("At most one of `default_value` and `num_oov_buckets` may be given.")
    if default_value is None and num_oov_buckets == 0:
        raise ValueError("Expected `default_value` or `num_oov_buckets`.")
    if len(specs) != 2:
        raise ValueError("Expected elements of two components, a key and a value.")
    key = as_dtype(key_dtype)
    if key is not string and not key.is_integer:
        raise TypeError(f"Only integer and string keys are supported, got {key}.")
    with init_scope():
        return _table(dataset, num_oov_buckets, vocab_size, default_value, hasher_spec, key)


def _table(
    dataset: Any, buckets: int, size: int | None, default: Any, hasher: HasherSpec, key: Any
) -> LookupInterface:
    if size is not None:
        count = dataset.reduce(0, lambda n, *_: n + 1) if current_graph() is None else None
        if count is not None and int(count) < size:
            raise InvalidArgumentError(
                f"The dataset has {int(count)} elements, fewer than vocab_size={size}."
            )
        dataset = dataset.take(size)
    if key.is_integer:
        dataset = dataset.map(lambda k, v: (cast(k, int64), v))
    initializer = DatasetInitializer(dataset)
    if buckets == 0:
        return StaticHashTable(initializer, default)
    table = StaticVocabularyTable(initializer, buckets, None if key is string else key)
    table._hasher_spec = hasher
    return table


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> LookupInterface:
    """A table from the elements of a dataset to their numbers.

    >>> words = tf.data.Dataset.from_tensor_slices(["tape", "graph"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["graph", "loop"])).numpy().tolist()
    [1, -1]
    """
    pairs = dataset.enumerate().map(lambda number, word: (word, number))
    if default_value == -1 and num_oov_buckets > 0:
        default_value = None
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )
