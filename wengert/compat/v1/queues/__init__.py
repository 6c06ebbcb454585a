"""Queues of tf.compat.v1, and the threads that fill them.

waiting      what a session keeps of a queue: its elements, and who waits for more or for room
queue        tf.queue: queues, whose operations put elements in and take them out
rows         what their operations have in common
barriers     elements whose components come one by one, and leave by their keys
stages       staging areas: values put aside for a later step, in order or by their keys
stacks       stacks: what was pushed last is popped first
session_handles  values that stay behind a session's run, by handles that later runs take
accumulators  tf.compat.v1.ConditionalAccumulator: gradients, until enough are there for an update
runner       tf.compat.v1.train.QueueRunner: threads that run enqueue operations
"""
