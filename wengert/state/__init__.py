"""Variables: the values that change.

variable  Variables: values that can be replaced
"""
