"""Why a gradient is None, zero, or not a number.

in_derivative Numbers that go wrong while a first derivative is computed, and whose rule makes them
question     A question: which gradient, on which tape, asked where
arrays       The numbers of a value, also in double precision
history      Which operations lead from a source to a target
backward     The sweep, one operation at a time
explanation  The answer
rewriting    Lines of the program with the trouble taken out
branches     Safe arguments in the branches of tf.where
trial        Whether a proposed line does what it is to do
in_tensors   A line of NumPy or Python in operations of tf
forms        Expressions that overflow, cancel or have no slope, and what to write instead
cuts         What cuts the way: one operation, of which kind
roundabout   Ways through what keeps numbers alone: a dataset, a cache, an index
without_way  Why nothing leads from a source to a target
missing      Why a gradient is None
culprit      The operation that made the first number that is not finite
logarithms   Logarithms, exponentials, and softmax written by hand
patterns     The known ways to an infinite gradient or a NaN
zeros        Which factor is zero
numbers      Why a gradient is zero, infinite or not a number
unjournaled  What can be said of a tape that kept no journal
entry        tape.explain
graphs       tf.explain_gradient
met          The troubles that a whole program meets
"""
