"""tf.sparse: tensors that are zero almost everywhere."""

from wengert.ops.nn import of_sparse as _of_sparse  # noqa: F401
from wengert.ops.sparse import elements as _elements  # noqa: F401
from wengert.ops.sparse.counting import bincount as bincount
from wengert.ops.sparse.math import add as add
from wengert.ops.sparse.math import map_values as map_values
from wengert.ops.sparse.math import maximum as maximum
from wengert.ops.sparse.math import minimum as minimum
from wengert.ops.sparse.math import reduce_max as reduce_max
from wengert.ops.sparse.math import reduce_sum as reduce_sum
from wengert.ops.sparse.math import sampled_addmm as sampled_addmm
from wengert.ops.sparse.math import softmax as softmax
from wengert.ops.sparse.math import sparse_dense_matmul as sparse_dense_matmul
from wengert.ops.sparse.math import to_dense as to_dense
from wengert.ops.sparse.math import to_indicator as to_indicator
from wengert.ops.sparse.segments import segment_mean as segment_mean
from wengert.ops.sparse.segments import segment_sqrt_n as segment_sqrt_n
from wengert.ops.sparse.segments import segment_sum as segment_sum
from wengert.ops.sparse.shaping import concat as concat
from wengert.ops.sparse.shaping import expand_dims as expand_dims
from wengert.ops.sparse.shaping import eye as eye
from wengert.ops.sparse.shaping import fill_empty_rows as fill_empty_rows
from wengert.ops.sparse.shaping import from_dense as from_dense
from wengert.ops.sparse.shaping import mask as mask
from wengert.ops.sparse.shaping import reorder as reorder
from wengert.ops.sparse.shaping import reset_shape as reset_shape
from wengert.ops.sparse.shaping import reshape as reshape
from wengert.ops.sparse.shaping import retain as retain
from wengert.ops.sparse.shaping import slice_ as slice_
from wengert.ops.sparse.shaping import split as split
from wengert.ops.sparse.shaping import transpose as transpose
from wengert.ops.sparse.spec import SparseTensorSpec as SparseTensorSpec
from wengert.ops.sparse.tensor import SparseTensor as SparseTensor
from wengert.ops.strings import crossing as _crossing

slice = slice_
cross = _crossing.sparse_cross
cross_hashed = _crossing.sparse_cross_hashed
