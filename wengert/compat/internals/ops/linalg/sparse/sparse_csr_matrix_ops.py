"""tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops: products of sparse matrices.

A matrix by rows is a SparseTensor here, and a product is that of the dense matrices.
"""

from __future__ import annotations

from typing import Any

from wengert.ops.arrays.creation import size
from wengert.ops.linalg.matmul import matmul as dense_matmul
from wengert.ops.math.complex import conj
from wengert.ops.sparse.math import to_dense
from wengert.ops.sparse.shaping import from_dense, transpose
from wengert.ops.sparse.tensor import SparseTensor
from wengert.values.convert import convert


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
    product = dense_matmul(
        to_dense(a), to_dense(b), transpose_a, transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )
    return from_dense(product)


def sparse_matrix_mat_mul(a: SparseTensor, b: Any, **options: Any) -> Any:
    """The product of a matrix and a dense one."""
    known = {k: v for k, v in options.items() if k.startswith(("transpose_a", "adjoint_a"))}
    return dense_matmul(to_dense(a), b, **known)


def sparse_matrix_nnz(sparse_matrix: SparseTensor, name: str | None = None) -> Any:
    """How many values are stored."""
    return size(sparse_matrix.values)


class CSRSparseMatrix:
    """A matrix by rows, of a dense matrix or of a sparse tensor."""

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        sparse = isinstance(value, SparseTensor)
        self._matrix = value if sparse else from_dense(convert(value))

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._matrix.dtype

    @property
    def shape(self) -> Any:
        """The shape."""
        return self._matrix.shape

    def get_shape(self) -> Any:
        """The shape."""
        return self.shape

    def to_dense(self) -> Any:
        """The dense matrix."""
        return to_dense(self._matrix)

    def to_sparse_tensor(self) -> SparseTensor:
        """The sparse tensor of the same values."""
        return self._matrix

    def conj(self) -> CSRSparseMatrix:
        """The matrix of the conjugate values."""
        m = self._matrix
        return CSRSparseMatrix(SparseTensor(m.indices, conj(m.values), m.dense_shape))

    def transpose(self) -> CSRSparseMatrix:
        """The transpose."""
        axes = list(range(len(self.shape)))
        return CSRSparseMatrix(transpose(self._matrix, [*axes[:-2], axes[-1], axes[-2]]))

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """The conjugate transpose."""
        return self.conj().transpose()


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices of which one at least is by rows; of two such one by rows."""
    both = isinstance(a, CSRSparseMatrix) and isinstance(b, CSRSparseMatrix)
    left, right = (x.to_dense() if isinstance(x, CSRSparseMatrix) else x for x in (a, b))
    product = dense_matmul(
        left, right, transpose_a, transpose_b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )
    return CSRSparseMatrix(product) if both else product
