"""Functions of Hermitian matrices, by their eigenvalues.

divided_differences  Divided differences of a function, also where points coincide
function             spectral_function
"""
