"""Variables in graphs.

assignments      Operations on variables in graphs
variable_slices  Parts of variables, which can be assigned: v[1:3].assign(values)
"""
