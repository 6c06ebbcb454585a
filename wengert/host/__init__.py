"""The process that Wengert runs in: what Python, NumPy and the system are told.

context_manager  Contexts that put things back when their block ends, or never
fp_errors        Floating-point errors are values here (inf, nan), not warnings, as in TensorFlow
lifetime         What must be there until the process ends, later than Python itself
locks            The locks of variables: who changes a value by what it was holds the variable's
                 lock meanwhile
malloc           Memory of arrays is kept for the next ones
numpy_openblas   Functions of OpenBLAS, whichever way a copy of it was built
threads          How many threads compute: what was asked for, and what the processors allow
warn_once        Warnings that are given once in a process, and point at the user's line
user_frames      Where the user's code is, for messages
"""
