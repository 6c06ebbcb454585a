"""The public interface that is more than operations.

gradients     Gradients: tapes, accumulators, tf.gradients, custom gradients, overrides, the
              gradient checker
initializers  Weight initializers
session       Graph mode: sessions, placeholders, eager or graph execution, settings
variables     Graph variables, variable scopes and modules; random number generators
extension_types  Types made of tensors that users declare, and what public functions do with them
autograph     Autograph: Python's branches and loops on tensors, in what tf.function traces
numpy         NumPy's functions on tensors: tf.experimental.numpy, and NumPy itself
function      tf.function, and whatever else traces or calls Python functions

advice        What to use in place of a name that is not here
bind          Late binding: operations, operators and graph variables that lower layers declare
              and call
"""
