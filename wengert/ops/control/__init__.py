"""Control flow: branches, loops, functions over elements, and the order of effects.

effects       Order and side effects: tf.group, tf.tuple, tf.no_op, tf.print, tf.debugging.Assert
critical_section  tf.CriticalSection: functions of which one runs at a time
asserts       tf.debugging.assert_...: checks of values, ranks, shapes and dtypes
by_example    Batching of rules that trace graphs: once for each example
branch_parts  Gradients of what branches take parts of: rows, put in their places outside
cond          Branches: tf.cond, tf.case and tf.switch_case
tensor_list   Lists of tensors as values in a graph, which loops carry between iterations
tensor_map    Maps from tensors to tensors
list_ops      Lists by TensorFlow's operations on them: push, pop, gather, scatter, split
tensor_array  tf.TensorArray: tensors written and read one by one, inside and outside of loops
known_sizes   Loops and branches again, for inputs of which more is known than when they were traced
dead_values   tf.raw_ops.Switch and Merge: a value goes one of two ways, and what is on the other is dead
trip_counts   How often a loop runs, where that follows from what is known before
loop_flow     What a derivative needs of a loop
loop_parts    Gradients of what a loop takes parts of
while_op      Loops in graphs: one operation that runs a body again and again, and its gradient
while_loop    tf.while_loop
elements      The elements of what a function is mapped over, and the collection of what it returns
map           Functions applied along the first axis: tf.map_fn, tf.scan, tf.foldl, tf.foldr
"""
