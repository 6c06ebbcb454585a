"""Sparse Jacobians and Hessians: which elements can differ from zero, and a few products that give them all.

index_sets  Sets of columns, of which elements that depend on the same columns share one
dependence  For each operation, on which elements of its inputs each element of its results depends
pattern     From the arguments to the results: the pattern of the Jacobian
coloring    Which columns, or rows, one product may compute together
reading     The elements, read off products of columns
products    The products, and the parts of a Jacobian made of them
"""
