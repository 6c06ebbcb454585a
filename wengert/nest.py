"""tf.nest: nested structures."""

from wengert.core.nest import assert_same_structure as assert_same_structure
from wengert.core.nest import flatten as flatten
from wengert.core.nest import is_nested as is_nested
from wengert.core.nest import map_structure as map_structure
from wengert.core.nest import pack_sequence_as as pack_sequence_as
