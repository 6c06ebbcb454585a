"""tf.compat.v1.sets: tf.sets, also under the names of version 1."""

from wengert.sets import difference as difference
from wengert.sets import intersection as intersection
from wengert.sets import size as size
from wengert.sets import union as union

set_difference, set_intersection, set_size, set_union = difference, intersection, size, union
