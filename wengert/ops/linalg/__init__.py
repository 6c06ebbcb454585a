"""Linear algebra.

diagonals           Diagonals of matrices: made, taken, set; and the band around the main one
matmul              Products of matrices and, in general, of arrays over named axes
matrices            Matrices over leading batch axes: what the files of linear algebra share
degenerate_spectra  What may be said of gradients where eigenvalues, or singular values, coincide
triangular          Triangular systems and the Cholesky factor
solving             Linear systems, inverses, least squares
determinants        Determinants and their logarithms
eigen               Eigenvalues and eigenvectors
matrix_functions    The exponential, square root and logarithm of matrices
svd                 Singular values, and what is made of them: rank and norms
norms               Norms of vectors and matrices
orthogonal_basis    A basis of orthogonal columns, for the initializers that want one
qr_lu               QR and LU: a matrix as a product with triangular factors
tridiagonal         Matrices of three diagonals
"""
