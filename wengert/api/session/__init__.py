"""Graph mode: sessions, placeholders, modes, settings.

check_numerics  tf.debugging.enable_check_numerics: an error where the first NaN or infinity
                appears
devices         The devices: one processor
inert_settings  Settings of TensorFlow that are accepted and remembered, and change nothing here
logger          The logger
modes           Eager or graph: which of the two worlds a thread is in
placeholders    Placeholders: tensors whose values a session is fed
session         Sessions: they run graphs, and hold the values of their variables
"""
