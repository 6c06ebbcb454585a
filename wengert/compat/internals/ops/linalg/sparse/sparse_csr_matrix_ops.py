"""tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops: products of sparse matrices.

A matrix by rows is a SparseTensor here, and a product is that of the dense matrices.
"""

from __future__ import annotations

from typing import Any

from wengert.ops.linalg.matmul import matmul
from wengert.ops.sparse.math import to_dense
from wengert.ops.sparse.shaping import from_dense
from wengert.ops.sparse.tensor import SparseTensor


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> SparseTensor:
    """The matrix of a sparse tensor's parts."""
    return SparseTensor(indices, values, dense_shape)


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: SparseTensor, type: Any = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of a matrix."""
    return sparse_matrix


def csr_sparse_matrix_to_dense(
    sparse_input: SparseTensor, type: Any = None, name: str | None = None
) -> Any:
    """The dense tensor of a matrix."""
    return to_dense(sparse_input)


def dense_to_csr_sparse_matrix(dense_input: Any, indices: Any, name: str | None = None) -> Any:
    """The matrix of the values that are not zero."""
    return from_dense(dense_input)


def sparse_matrix_sparse_mat_mul(
    a: SparseTensor,
    b: SparseTensor,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The product of two matrices; what is zero in it is not stored."""
    product = matmul(
        to_dense(a), to_dense(b), transpose_a, transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )
    return from_dense(product)


def sparse_matrix_mat_mul(a: SparseTensor, b: Any, **options: Any) -> Any:
    """The product of a matrix and a dense one."""
    known = {k: v for k, v in options.items() if k.startswith(("transpose_a", "adjoint_a"))}
    return matmul(to_dense(a), b, **known)
