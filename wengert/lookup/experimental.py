"""tf.lookup.experimental: tables that change."""

from wengert.lookup.mutable import DenseHashTable as DenseHashTable
from wengert.lookup.mutable import MutableHashTable as MutableHashTable
