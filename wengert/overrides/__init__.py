"""Overrides: gradients in place of an operation's own.

registered_gradients  Gradients that users register by operation type
row_override  Rows whose gradient is another: what becomes of an operation when its rule is
              overridden
gradient_ops  Operations on the way of a gradient, in the form in which overrides see them
region        Regions: parts of a computation whose gradient is given as a whole
override      Rules that take the place of an operation's own where a gradient is taken
"""
