"""Graph mode: sessions, placeholders, eager or graph execution, settings.

check_numerics  tf.debugging.enable_check_numerics: an error where the first NaN or infinity
                appears
devices         The devices: one CPU
handles         Variables by their handles, which a graph from a file and raw operations have
inert_settings  TensorFlow settings that are accepted and remembered, but have no effect here
logger          The logger
modes           Eager execution or graph mode: which of the two a thread is in
partial_runs    Runs in parts: what was computed for one fetch serves the next
placeholders    Placeholders: tensors whose values a session is fed
profiling       tf.profiler.experimental: beginnings and ends of recordings
session         Sessions: they run graphs and hold the values of their variables
"""
