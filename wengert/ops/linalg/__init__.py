"""Linear algebra.

diagonals           Diagonals of matrices: diag, diag_part, set_diag, trace, band_part
matmul              Matrix products and tensor contractions: matmul, matvec, tensordot, einsum
einsum_order        Einsums of several arrays as einsums of two
einsum_products     Einsums of two arrays that are matrix products
matrices            Helpers that the files of linear algebra share: matrices with leading batch
                    axes
degenerate_spectra  Gradients of eigenvalues and singular values that coincide (degenerate
                    spectra)
triangular          Triangular systems and the Cholesky decomposition
solving             Linear systems, inverses, pseudoinverses, least squares, Sylvester's
                    equation
determinants        Determinants and log-determinants
eigen               Eigenvalue decomposition: eigh, eig, eigvalsh, eigvals
matrix_functions    Matrix functions: exponential, square root and logarithm
svd                 Singular value decomposition (SVD), and matrix rank
norms               Norms of vectors and matrices
orthogonal_basis    Orthonormal bases, for orthogonal initializers
qr_lu               QR and LU decompositions
tridiagonal         Tridiagonal matrices: products, systems, eigenvalues
"""
