"""The public interface that is more than operations.

gradients     Gradients: tapes, accumulators, tf.gradients, custom gradients, overrides, the
              checker
initializers  Initializers
session       Graph mode: sessions, placeholders, modes, settings
variables     Variables of graphs, scopes and modules; generators of random numbers
function      tf.function and what else traces or calls Python functions

bind          The few operations that the machine itself speaks of, bound to what they are here
"""
