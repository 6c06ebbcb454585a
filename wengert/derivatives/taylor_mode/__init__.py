"""Taylor mode: all derivatives along a line, up to an order, in one pass.

series     Truncated power series, and their products
rules      For each operation the series of its results
carrying   A trail on which each value carries something along
mode       The pass: taylor
laplacian  The sum of second derivatives, in one pass
"""
