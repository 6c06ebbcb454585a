"""Variables: the values that change.

variable  Variables: values that can be replaced
cell      Cells: what stands behind the handle of a variable, or of another resource, in each
          session
"""
