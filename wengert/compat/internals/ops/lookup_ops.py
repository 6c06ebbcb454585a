"""tensorflow.python.ops.lookup_ops: tables, and what they are made of."""

from wengert.lookup.index_tables import TextFileIdTableInitializer as TextFileIdTableInitializer
from wengert.lookup.index_tables import (
    TextFileStringTableInitializer as TextFileStringTableInitializer,
)
from wengert.lookup.index_tables import check_table_dtypes as check_table_dtypes
from wengert.lookup.index_tables import index_table_from_file as index_table_from_file
from wengert.lookup.index_tables import index_table_from_tensor as index_table_from_tensor
from wengert.lookup.index_tables import (
    index_to_string_table_from_file as index_to_string_table_from_file,
)
from wengert.lookup.index_tables import (
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)
from wengert.lookup.initializers import TableInitializerBase as TableInitializerBase
from wengert.lookup.static import HashTableBase as InitializableLookupTableBase
from wengert.lookup.static import LookupInterface as LookupInterface
from wengert.lookup.static import StaticHashTable as HashTable
from wengert.lookup.vocabulary import FastHashSpec as FastHashSpec
from wengert.lookup.vocabulary import HasherSpec as HasherSpec
from wengert.lookup.vocabulary import IdTableWithHashBuckets as IdTableWithHashBuckets
from wengert.lookup.vocabulary import StrongHashSpec as StrongHashSpec

InitializableLookupTableBaseV1 = InitializableLookupTableBase
__all__ = ["HashTable", "InitializableLookupTableBaseV1"]
