"""tensorflow.python.ops.linalg.sparse.sparse: matrices by rows, by the name that programs import."""

from __future__ import annotations

from wengert.compat.internals.ops.linalg.sparse.sparse_csr_matrix_ops import (
    CSRSparseMatrix,
    csr_sparse_matrix_to_dense,
    csr_sparse_matrix_to_sparse_tensor,
    dense_to_csr_sparse_matrix,
    matmul,
    sparse_matrix_mat_mul,
    sparse_matrix_nnz,
    sparse_matrix_sparse_mat_mul,
    sparse_tensor_to_csr_sparse_matrix,
)

__all__ = [
    "CSRSparseMatrix",
    "csr_sparse_matrix_to_dense",
    "csr_sparse_matrix_to_sparse_tensor",
    "dense_to_csr_sparse_matrix",
    "matmul",
    "sparse_matrix_mat_mul",
    "sparse_matrix_nnz",
    "sparse_matrix_sparse_mat_mul",
    "sparse_tensor_to_csr_sparse_matrix",
]
