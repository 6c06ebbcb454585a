"""Why a gradient is None, zero, or not a number.

question     A question: which gradient, on which tape, asked where
history      Which operations lead from a source to a target
backward     The sweep, one operation at a time
explanation  The answer
missing      Why a gradient is None
entry        tape.explain and tf.explain_gradient
"""
