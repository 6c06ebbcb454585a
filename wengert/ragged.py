"""tf.ragged: tensors whose rows have different lengths."""

from wengert.ops.nn import of_ragged as _of_ragged  # noqa: F401
from wengert.ops.ragged import array_functions as _array_functions  # noqa: F401
from wengert.ops.ragged import elements as _elements  # noqa: F401
from wengert.ops.ragged import math_functions as _math_functions  # noqa: F401
from wengert.ops.ragged import methods as methods
from wengert.ops.ragged import reductions as reductions
from wengert.ops.ragged.factories import boolean_mask as boolean_mask
from wengert.ops.ragged.factories import constant as constant
from wengert.ops.ragged.factories import map_flat_values as map_flat_values
from wengert.ops.ragged.factories import range_ as range_
from wengert.ops.ragged.factories import row_splits_to_segment_ids as row_splits_to_segment_ids
from wengert.ops.ragged.factories import segment_ids_to_row_splits as segment_ids_to_row_splits
from wengert.ops.ragged.factories import stack as stack
from wengert.ops.ragged.factories import (
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from wengert.ops.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from wengert.ops.ragged.tensor import RaggedTensor as RaggedTensor
from wengert.ops.strings import crossing as _crossing

range = range_
cross = _crossing.ragged_cross
cross_hashed = _crossing.ragged_cross_hashed
