"""Queues of tf.compat.v1, and the threads that fill them.

waiting      what a session keeps of a queue: its elements, and who waits for more or for room
queue        tf.queue: queues, whose operations put elements in and take them out
accumulators  tf.compat.v1.ConditionalAccumulator: gradients, until enough are there for an update
runner       tf.compat.v1.train.QueueRunner: threads that run enqueue operations
"""
