"""Input of tf.compat.v1: files whose names come from queues, and batches that threads collect.

readers      tf.compat.v1.TextLineReader and its kin: records of the files that a queue names
producers    tf.compat.v1.train.string_input_producer and its kin: queues of what there is to read
batching     tf.compat.v1.train.batch, shuffle_batch and their kin: elements of threads, stacked
"""
