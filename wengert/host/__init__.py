"""The process that Wengert runs in: what Python, NumPy and the system are told.

context_manager  Contexts that put things back when their block ends, or never
fp_errors        Floating-point errors are values here (inf, nan), not warnings, as in TensorFlow
locks            The locks of variables: who changes a value by what it was holds the variable's
                 lock meanwhile
malloc           Memory of arrays is kept for the next ones
user_frames      Where the user's code is, for messages
"""
