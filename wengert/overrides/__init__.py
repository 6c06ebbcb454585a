"""Overrides: gradients in place of an operation's own.

registered_gradients  Gradients that users register by operation type
argument_forms  Operations with TensorFlow's arguments: inputs for what is an attribute here
told_attributes  Attributes as TensorFlow tells them, computed from ours
row_override  Rows with the gradient replaced, for operations whose rule is overridden
gradient_ops  The operations that a gradient passes, in the form in which overrides see them
region        Regions: parts of a computation whose gradient is given as a whole
override      Overrides: rules in place of an operation's own when a gradient is computed
strong_zero   Strong zeros: a cotangent that is exactly zero contributes exactly zero
kinks         Kinks: which operations have another derivative at them on demand, and a count
anomaly       Anomalies: rules that raise where they give the first that is not finite
switches      Switches: conventions of derivatives, for a tape or for a block of code
"""
