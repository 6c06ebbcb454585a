"""Variables in graphs.

cells            Operations on variables in graphs, and the cells in which a session keeps their
                 values
variable_slices  Parts of variables, which can be assigned: v[1:3].assign(values)
"""
