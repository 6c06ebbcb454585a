"""Gradients: tapes, accumulators, tf.gradients, custom gradients, overrides, the checker.

user_forward_rule      A user's rule for forward mode, and the reverse rule that follows from it
user_gradient          A user's grad_fn: what it is given, and what it must return
custom_gradient        tf.custom_gradient: functions whose gradient is written by hand
unconnected            What to give for a source that the target does not depend on
forward_accumulator    tf.autodiff.ForwardAccumulator
gradient_tape          tf.GradientTape
graph_gradients        tf.gradients: differentiation of what stands in a graph
gradient_checker       tf.test.compute_gradient: gradients beside differences, as matrices to
                       compare
gradient_override_map  tf.gradient_override_map: other gradients for the operations that are made
                       inside
recompute_grad         Functions wrapped in a gradient of their own: passed through, or computed
                       again
registration           Gradients by operation type, and operations written in Python
"""
