"""Whether a gradient is right, and if not, what is wrong with it.

coordinates     Arrays as vectors of real numbers, and directions among them
subject         The function that is checked, its inputs, its gradients
surroundings    The function's variables, which are put back
slopes          Derivatives without rules: complex steps, differences, slopes to either side
trial           One point: the rules beside the differences
findings        What is found of an input, and of an aspect
properties      The same each time, linear in the cotangent, forward mode the adjoint
second_order    The gradient of the gradient beside differences of it
ways            Batches, functions, compiled functions
special_values  Zero, large, small and infinite numbers
naming          What a wrong gradient has to do with the right one
drawing         Arguments for a function of which none are known
form            What the tape says of a rule that does not keep to its form
fits            Which product of matrices a gradient is
report          The report
examination     One check, from the first call to the report
entry           tf.check, tf.check_rule, tf.assert_right
"""
