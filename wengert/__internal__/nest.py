"""tf.__internal__.nest: nested structures down to the depth of another one, and with paths."""

from wengert.compat.internals.util.nest import flatten_up_to as flatten_up_to
from wengert.compat.internals.util.nest import (
    get_traverse_shallow_structure as get_traverse_shallow_structure,
)
from wengert.compat.internals.util.nest import is_attrs as is_attrs
from wengert.compat.internals.util.nest import is_mapping as is_mapping
from wengert.compat.internals.util.nest import list_to_tuple as list_to_tuple
from wengert.compat.internals.util.nest import map_structure_up_to as map_structure_up_to
from wengert.compat.internals.util.nest import sequence_like as sequence_like
from wengert.compat.internals.util.nest import yield_flat_paths as yield_flat_paths
