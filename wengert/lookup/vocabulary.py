"""Tables from words to numbers, with buckets for words that are in none."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert.lookup.static import LookupInterface, StaticHashTable, checked_keys, of_entries
from wengert.ops.arrays.text import as_string
from wengert.ops.math.arithmetic import add
from wengert.ops.math.comparison import not_equal, where
from wengert.ops.math.elementwise import cast
from wengert.ops.strings.hashing import to_hash_bucket_fast, to_hash_bucket_strong
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, int32, int64, string


class HasherSpec(NamedTuple):
    """How words are put into buckets."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """Buckets that nobody can aim at who does not know the key: two numbers."""

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:  # noqa: D102
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, int) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


class StaticVocabularyTable(LookupInterface):
    """A table from words to numbers; words that are in none get one of the numbers behind.

    >>> words = tf.lookup.KeyValueTensorInitializer(
    ...     ["tape", "graph"], tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=5)
    >>> table.lookup(tf.constant(["graph", "loop"])).numpy().tolist()
    [1, 6]
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError(
                f"`num_oov_buckets` must be > 0; use StaticHashTable. Received: {num_oov_buckets}."
            )
        table, key_dtype = None, None
        if initializer is not None:
            _check_initializer(initializer)
            table = StaticHashTable(initializer, -1, name=f"{name}/table" if name else None)
            key_dtype = (
                initializer.key_dtype if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
            )
            if table.key_dtype.is_integer is not key_dtype.is_integer:
                raise TypeError(
                    f"Invalid `key_dtype`, expected {table.key_dtype} but got {key_dtype}."
                )
        elif lookup_key_dtype is None:
            raise ValueError("`lookup_key_dtype` is required if `initializer` is None.")
        self._table = table
        self._num_oov_buckets = int(num_oov_buckets)
        self._hasher_spec: HasherSpec = FastHashSpec
        self._name = name or ("hash_table" if table is None else table.name)
        super().__init__(key_dtype or lookup_key_dtype, int64)
        _check_words(self._key_dtype)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """What stands for the contents; None if there are buckets alone."""
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> Any:
        """The operation that fills it; None where it is filled already."""
        return None if self._table is None else self._table.initializer

    def size(self, name: str | None = None) -> Any:
        """How many numbers there are, those of the buckets included."""
        known = convert(self._num_oov_buckets, int64)
        return known if self._table is None else add(self._table.size(), known)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of words; words may be sparse or ragged."""
        found = checked_keys(keys, self._key_dtype)
        return of_entries(self._numbers, found)

    def _numbers(self, keys: Any) -> Any:
        if self._table is not None and self._table.key_dtype is int64:
            keys = cast(keys, int64)
        if self._table is not None and not self._num_oov_buckets:
            return self._table.lookup(keys)
        words = keys if keys.dtype is string else as_string(keys)
        spec = self._hasher_spec
        if spec.hasher == "fasthash":
            buckets = to_hash_bucket_fast(words, self._num_oov_buckets)
        elif spec.hasher == "stronghash":
            buckets = to_hash_bucket_strong(words, self._num_oov_buckets, spec.key)
        else:
            raise ValueError(f"Found unknown hasher {spec.hasher} in `hasher_spec`")
        if self._table is None:
            return buckets
        found = self._table.lookup(keys)
        known = not_equal(found, self._table.default_value)
        return where(known, found, add(buckets, self._table.size()))


class IdTableWithHashBuckets(StaticVocabularyTable):
    """The same for a table that is there already, with a choice of how words are put into buckets."""

    def __init__(  # the parts of the other are given, and not made
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        if table is None and num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        given = key_dtype if key_dtype is not None else string if table is None else table.key_dtype
        wanted = as_dtype(given)
        if table is not None and table.key_dtype.is_integer is not wanted.is_integer:
            raise TypeError(f"Invalid `key_dtype`, expected {table.key_dtype} but got {wanted}.")
        LookupInterface.__init__(self, wanted, int64)
        _check_words(wanted)
        self._table, self._num_oov_buckets = table, int(num_oov_buckets)
        self._hasher_spec = hasher_spec
        self._name = name or ("hash_bucket" if table is None else table.name)

    @property
    def init(self) -> Any:
        """The operation that fills the table."""
        return self.initializer


def _check_words(key_dtype: Any) -> None:
    if not key_dtype.is_integer and key_dtype is not string:
        raise TypeError(
            f"Invalid `key_dtype`, expected one of integer types or string, got {key_dtype}."
        )


def _check_initializer(initializer: Any) -> None:
    if initializer.value_dtype is not int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {int64} but got {initializer.value_dtype}."
        )
    if initializer.key_dtype not in (string, int64, int32):
        raise TypeError(
            "Invalid `key_dtype`, expected one of integer types or string, got "
            f"{initializer.key_dtype}."
        )
