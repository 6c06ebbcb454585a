"""tf.function, and whatever else traces or calls Python functions.

description       Traces in words, as TensorFlow prints them
function_type     The type of a trace: its parameters with what they take, its result, its captures
signatures        Input signatures: what a traced function is given, and when two calls can share
                  a trace
trace_type        What types of users say of themselves, for traces to depend on
stand_ins         Variables as arguments of traced functions: what stands for them while a function
                  is traced
trace_cache       The trace cache of a function: lookup, a limit on its size, and warnings about
                  retracing
quick_calls       Calls of traces that are known: by a glance at the arguments
function          tf.function: Python functions traced to graphs, once per input signature
enclosed          Functions whose results depend on their arguments alone, as far as derivatives go
python_functions  Python functions as operations: tf.numpy_function and tf.py_function
vectorized_map    tf.vectorized_map: a function of single examples, computed for a whole batch at
                  once
"""
