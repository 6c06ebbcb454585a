"""Linear algebra in tf.compat.v1: the same functions under longer names."""

from __future__ import annotations

from typing import Any

from wengert.compat.v1.functions.arguments import one_of
from wengert.ops.linalg import norms
from wengert.ops.linalg.determinants import det as matrix_determinant
from wengert.ops.linalg.diagonals import band_part as matrix_band_part
from wengert.ops.linalg.diagonals import diag as matrix_diag
from wengert.ops.linalg.diagonals import diag_part as matrix_diag_part
from wengert.ops.linalg.diagonals import set_diag as matrix_set_diag
from wengert.ops.linalg.diagonals import tensor_diag as diag
from wengert.ops.linalg.diagonals import tensor_diag_part as diag_part
from wengert.ops.linalg.diagonals import trace
from wengert.ops.linalg.eigen import eigh as self_adjoint_eig
from wengert.ops.linalg.eigen import eigvalsh as self_adjoint_eigvals
from wengert.ops.linalg.matrices import cross, matrix_transpose
from wengert.ops.linalg.qr_lu import qr
from wengert.ops.linalg.solving import inv as matrix_inverse
from wengert.ops.linalg.solving import lstsq as matrix_solve_ls
from wengert.ops.linalg.solving import solve as matrix_solve
from wengert.ops.linalg.svd import svd
from wengert.ops.linalg.triangular import cholesky, cholesky_solve
from wengert.ops.linalg.triangular import triangular_solve as matrix_triangular_solve
from wengert.ops.nn.clipping import global_norm
from wengert.values.tensor import Tensor


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """tf.norm with the arguments of version 1.

    >>> tf.compat.v1.norm([[3.0, 4.0]], axis=1, keep_dims=True).numpy().tolist()
    [[5.0]]
    """
    return norms.norm(
        tensor, ord, axis, one_of("keepdims", keepdims, "keep_dims", keep_dims), name=name
    )


V1_NAMES = {
    "cholesky": cholesky,
    "cholesky_solve": cholesky_solve,
    "cross": cross,
    "diag": diag,
    "diag_part": diag_part,
    "global_norm": global_norm,
    "matrix_band_part": matrix_band_part,
    "matrix_determinant": matrix_determinant,
    "matrix_diag": matrix_diag,
    "matrix_diag_part": matrix_diag_part,
    "matrix_inverse": matrix_inverse,
    "matrix_set_diag": matrix_set_diag,
    "matrix_solve": matrix_solve,
    "matrix_solve_ls": matrix_solve_ls,
    "matrix_transpose": matrix_transpose,
    "matrix_triangular_solve": matrix_triangular_solve,
    "norm": norm,
    "qr": qr,
    "self_adjoint_eig": self_adjoint_eig,
    "self_adjoint_eigvals": self_adjoint_eigvals,
    "svd": svd,
    "trace": trace,
}
