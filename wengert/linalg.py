"""tf.linalg: products, factors and functions of matrices, systems of equations, norms."""

import importlib as _importlib
from typing import Any as _Any

from wengert.ops.arrays.creation import eye as eye
from wengert.ops.linalg.determinants import det as det
from wengert.ops.linalg.determinants import logdet as logdet
from wengert.ops.linalg.determinants import slogdet as slogdet
from wengert.ops.linalg.diagonals import band_part as band_part
from wengert.ops.linalg.diagonals import diag as diag
from wengert.ops.linalg.diagonals import diag_part as diag_part
from wengert.ops.linalg.diagonals import set_diag as set_diag
from wengert.ops.linalg.diagonals import tensor_diag as tensor_diag
from wengert.ops.linalg.diagonals import tensor_diag_part as tensor_diag_part
from wengert.ops.linalg.diagonals import trace as trace
from wengert.ops.linalg.eigen import eig as eig
from wengert.ops.linalg.eigen import eigh as eigh
from wengert.ops.linalg.eigen import eigvals as eigvals
from wengert.ops.linalg.eigen import eigvalsh as eigvalsh
from wengert.ops.linalg.matmul import einsum as einsum
from wengert.ops.linalg.matmul import matmul as matmul
from wengert.ops.linalg.matmul import matvec as matvec
from wengert.ops.linalg.matmul import tensordot as tensordot
from wengert.ops.linalg.matrices import adjoint as adjoint
from wengert.ops.linalg.matrices import cross as cross
from wengert.ops.linalg.matrices import matrix_transpose as matrix_transpose
from wengert.ops.linalg.matrix_functions import expm as expm
from wengert.ops.linalg.matrix_functions import logm as logm
from wengert.ops.linalg.matrix_functions import sqrtm as sqrtm
from wengert.ops.linalg.norms import l2_normalize as l2_normalize
from wengert.ops.linalg.norms import norm as norm
from wengert.ops.linalg.norms import normalize as normalize
from wengert.ops.linalg.qr_lu import lu as lu
from wengert.ops.linalg.qr_lu import lu_matrix_inverse as lu_matrix_inverse
from wengert.ops.linalg.qr_lu import lu_reconstruct as lu_reconstruct
from wengert.ops.linalg.qr_lu import lu_solve as lu_solve
from wengert.ops.linalg.qr_lu import qr as qr
from wengert.ops.linalg.solving import inv as inv
from wengert.ops.linalg.solving import lstsq as lstsq
from wengert.ops.linalg.solving import pinv as pinv
from wengert.ops.linalg.solving import solve as solve
from wengert.ops.linalg.svd import matrix_rank as matrix_rank
from wengert.ops.linalg.svd import svd as svd
from wengert.ops.linalg.triangular import banded_triangular_solve as banded_triangular_solve
from wengert.ops.linalg.triangular import cholesky as cholesky
from wengert.ops.linalg.triangular import cholesky_solve as cholesky_solve
from wengert.ops.linalg.triangular import triangular_solve as triangular_solve
from wengert.ops.linalg.tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from wengert.ops.linalg.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from wengert.ops.linalg.tridiagonal import tridiagonal_solve as tridiagonal_solve
from wengert.ops.nn.clipping import global_norm as global_norm


def __getattr__(name: str) -> _Any:
    """The linear operators are loaded when they are asked for."""
    if name == "experimental":
        return _importlib.import_module("wengert.linalg_experimental")
    if name.startswith("LinearOperator"):
        return getattr(_importlib.import_module("wengert.linear_operators"), name)
    raise AttributeError(f"module 'wengert.linalg' has no attribute {name!r}")
