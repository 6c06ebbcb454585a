"""tf.linalg: products of matrices and norms."""

from wengert.ops.creation import eye as eye
from wengert.ops.matmul import einsum as einsum
from wengert.ops.matmul import matmul as matmul
from wengert.ops.matmul import matvec as matvec
from wengert.ops.matmul import tensordot as tensordot
from wengert.ops.norms import global_norm as global_norm
from wengert.ops.norms import norm as norm
