"""tf.function and what else traces or calls Python functions.

signatures        Signatures: what a traced function is given, and when two calls may share a
                  trace
trace_cache       The traces of a function: found at once, few enough to be kept, and counted
function          tf.function: Python functions traced to graphs, once for each signature
python_functions  Python functions among the operations: tf.numpy_function and tf.py_function
vectorized_map    tf.vectorized_map: a function over the rows of its arguments, all at once
"""
