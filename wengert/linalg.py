"""tf.linalg: products, factors and functions of matrices, systems of equations, norms."""

import importlib as _importlib
from typing import Any as _Any

from wengert.ops.clipping import global_norm as global_norm
from wengert.ops.creation import eye as eye
from wengert.ops.determinants import det as det
from wengert.ops.determinants import logdet as logdet
from wengert.ops.determinants import slogdet as slogdet
from wengert.ops.diagonals import band_part as band_part
from wengert.ops.diagonals import diag as diag
from wengert.ops.diagonals import diag_part as diag_part
from wengert.ops.diagonals import set_diag as set_diag
from wengert.ops.diagonals import tensor_diag as tensor_diag
from wengert.ops.diagonals import tensor_diag_part as tensor_diag_part
from wengert.ops.diagonals import trace as trace
from wengert.ops.eigen import eig as eig
from wengert.ops.eigen import eigh as eigh
from wengert.ops.eigen import eigvals as eigvals
from wengert.ops.eigen import eigvalsh as eigvalsh
from wengert.ops.factors import lu as lu
from wengert.ops.factors import lu_matrix_inverse as lu_matrix_inverse
from wengert.ops.factors import lu_reconstruct as lu_reconstruct
from wengert.ops.factors import lu_solve as lu_solve
from wengert.ops.factors import qr as qr
from wengert.ops.matmul import einsum as einsum
from wengert.ops.matmul import matmul as matmul
from wengert.ops.matmul import matvec as matvec
from wengert.ops.matmul import tensordot as tensordot
from wengert.ops.matrices import adjoint as adjoint
from wengert.ops.matrices import cross as cross
from wengert.ops.matrices import matrix_transpose as matrix_transpose
from wengert.ops.matrix_functions import expm as expm
from wengert.ops.matrix_functions import logm as logm
from wengert.ops.matrix_functions import sqrtm as sqrtm
from wengert.ops.norms import l2_normalize as l2_normalize
from wengert.ops.norms import norm as norm
from wengert.ops.norms import normalize as normalize
from wengert.ops.singular import matrix_rank as matrix_rank
from wengert.ops.singular import svd as svd
from wengert.ops.solving import inv as inv
from wengert.ops.solving import lstsq as lstsq
from wengert.ops.solving import pinv as pinv
from wengert.ops.solving import solve as solve
from wengert.ops.triangular import banded_triangular_solve as banded_triangular_solve
from wengert.ops.triangular import cholesky as cholesky
from wengert.ops.triangular import cholesky_solve as cholesky_solve
from wengert.ops.triangular import triangular_solve as triangular_solve
from wengert.ops.tridiagonal import eigh_tridiagonal as eigh_tridiagonal
from wengert.ops.tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from wengert.ops.tridiagonal import tridiagonal_solve as tridiagonal_solve


def __getattr__(name: str) -> _Any:
    """The linear operators are loaded when they are asked for."""
    if name.startswith("LinearOperator"):
        return getattr(_importlib.import_module("wengert.linear_operators"), name)
    raise AttributeError(f"module 'wengert.linalg' has no attribute {name!r}")
