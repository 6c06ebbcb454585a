"""Variables: the values that change.

variable  Variables: values that can be replaced
cell      Cells: the values that sessions keep for the handles of variables and other resources
"""
