"""Gradients: tapes, accumulators, tf.gradients, custom gradients, overrides, the gradient checker.

user_forward_rule      User-defined forward-mode rules, and the reverse-mode rules derived from
                       them
user_gradient          User-defined grad_fn: what it is given, and checks of what it returns
custom_gradient        tf.custom_gradient: functions with a hand-written gradient
complaints             Warnings and errors for targets that are not scalars, and for sources and
                       targets without derivatives
answers                Why a gradient is None or NaN: what insight/ answers, loaded when asked
parts                  Sources that are parts of what a tape watches: slices of x in place of x
unconnected            tf.UnconnectedGradients: what to return for sources that the target does
                       not depend on
forward_accumulator    tf.autodiff.ForwardAccumulator: forward-mode differentiation
budget_tape            A tape that keeps within an amount of memory
memory_report          What a tape holds, by operation and source line
hooks                  Hooks: functions that look at a cotangent on its way, or change it
gradient_tape          tf.GradientTape: reverse-mode differentiation
graph_gradients        tf.gradients: symbolic differentiation of tensors in a graph
gradient_checker       tf.test.compute_gradient: Jacobians by automatic differentiation and by
                       finite differences
gradient_override_map  tf.gradient_override_map: replace the gradients of operations created
                       inside a block
recompute_grad         tf.recompute_grad (gradient checkpointing) and tf.grad_pass_through
stabilizing            tf.debugging.stabilize: formulas that overflow or cancel, computed by
                       their stable forms
registration           tf.RegisterGradient: gradients by operation type; and operations written in
                       Python
"""
