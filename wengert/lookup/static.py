"""Tables that are filled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.api.session.modes import init_scope
from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.lookup.contents import Form
from wengert.lookup.kinds import OfKeysAndValues
from wengert.lookup.rows import EXPORT, FIND, SIZE, new_table
from wengert.ops.ragged.tensor import RaggedTensor
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert
from wengert.values.dtypes import DType, as_dtype
from wengert.values.known_places import known_as
from wengert.values.tensor import Tensor


def of_entries(function: Callable[[Any], Any], keys: Any) -> Any:
    """A function of the keys, which may be sparse or ragged: the result is like them."""
    if isinstance(keys, SparseTensor):
        return SparseTensor._of(keys.indices, function(keys.values), keys.dense_shape, keys._known)
    if isinstance(keys, RaggedTensor):
        return keys.with_values(of_entries(function, keys.values))
    return function(keys)


def checked_keys(keys: Any, *dtypes: DType) -> Any:
    """Keys of one of these dtypes; what is no tensor becomes one."""
    if not isinstance(keys, (Tensor, SparseTensor, RaggedTensor)):
        keys = convert(keys, hint=dtypes[0])
    if keys.dtype not in dtypes:
        raise TypeError(f"Dtype of argument `keys` must be {dtypes[0]}, received: {keys.dtype}")
    return keys


class LookupInterface(OfKeysAndValues):
    """What all tables have."""

    @property
    def name(self) -> str:
        """The name of the table."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> Any:
        """How many entries there are."""
        raise NotImplementedError

    def lookup(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        """The values of keys."""
        return self.lookup(keys)


class HashTableBase(LookupInterface):
    """A table with contents: what stands for them, and questions that are asked of them."""

    _default_value: Any

    def __init__(self, form: Form, key_dtype: Any, value_dtype: Any, name: str) -> None:
        super().__init__(key_dtype, value_dtype)
        self._form = form
        with init_scope():
            self._handle = new_table(form, name)
            self._name = name if current_graph() is None else str(self._handle.name)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name.partition(":")[0].rpartition("/")[2]

    @property
    def resource_handle(self) -> Tensor:
        """What stands for the contents."""
        return self._handle  # type: ignore[no-any-return]

    @property
    def default_value(self) -> Any:
        """The value of keys that are not there."""
        return self._default_value

    def size(self, name: str | None = None) -> Tensor:
        """How many entries there are."""
        return apply(SIZE, [self._handle], {}, name)  # type: ignore[no-any-return]

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values."""
        keys, values = apply(EXPORT, [self._handle], {"form": self._form}, name)
        return keys, values

    def _found(self, keys: Any, default: Any, name: str | None) -> Any:
        return apply(FIND, [self._handle, keys, default], {"form": self._form}, name)


class StaticHashTable(HashTableBase):
    """A table that is filled once.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.5, 2.5]), default_value=0.0)
    >>> table[tf.constant(["b", "c"])].numpy().tolist(), table.size().numpy()
    ([2.5, 0.0], np.int64(2))
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        keys, values = as_dtype(initializer.key_dtype), as_dtype(initializer.value_dtype)
        form = Form("HashTableV2", keys.numpy_dtype, values.numpy_dtype, once=True)
        super().__init__(form, keys, values, name or "hash_table")
        self._initializer = initializer
        with init_scope():
            self._default_value = convert(default_value, self._value_dtype)
            self._default_value.shape.assert_is_compatible_with(())
            self._init_op = initializer.initialize(self)

    @property
    def initializer(self) -> Any:
        """The operation that fills it; None where it is filled already."""
        return self._init_op

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, the default value for those that are not there; keys may be sparse or ragged."""
        found = checked_keys(keys, self._key_dtype)
        return of_entries(lambda each: self._found(each, self._default_value, name), found)


known_as(LookupInterface, "ops.lookup_ops.LookupInterface")
known_as(StaticHashTable, "ops.lookup_ops.StaticHashTable")
