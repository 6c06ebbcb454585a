"""tf.sets: the elements of rows as sets."""

from wengert.ops.sparse.sets import difference as difference
from wengert.ops.sparse.sets import intersection as intersection
from wengert.ops.sparse.sets import size as size
from wengert.ops.sparse.sets import union as union
