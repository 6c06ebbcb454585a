"""Taylor mode: all derivatives along a line, up to an order, in one pass.

series            Truncated power series, and their products
cumulative_rules  Series of products and of what is cumulated along an axis
system_rules      Series of solutions of linear systems, of the Cholesky factor, of functions of matrices
rules             For each operation the series of its results
carrying          A trail on which each value carries something along
mode              The pass: taylor
laplacian         The sum of second derivatives, in one pass
"""
