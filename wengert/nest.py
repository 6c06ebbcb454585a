"""tf.nest: nested structures."""

from wengert.values.nest import assert_same_structure as assert_same_structure
from wengert.values.nest import flatten as flatten
from wengert.values.nest import is_nested as is_nested
from wengert.values.nest import map_structure as map_structure
from wengert.values.nest import pack_sequence_as as pack_sequence_as
