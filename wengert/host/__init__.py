"""The process that Wengert runs in: settings of Python, NumPy and the system.

collector        Python's collector of cycles, off while many objects are made
context_manager  Context managers that are safe with interrupts
direct_numpy     NumPy as the namespace of kernels: its functions without their parts in Python
files            Files that are there only when they are whole
cpu_devices      How many devices the processor is divided into
fp_errors        Floating-point errors are values here (inf, nan), not warnings, as in TensorFlow
kept_memory      How much memory of freed arrays is kept for the next ones
lifetime         Objects that must outlive the Python interpreter
locks            The locks of variables, held while a value is updated from the old one
malloc           Memory of freed arrays is kept for the next ones
memory_size      Amounts of memory, as people write them
numpy_openblas   Functions of OpenBLAS, however a copy of it was built
parallel         Multithreading: work in parts, one for each processor
precision        Whether products may be computed with less care: TensorFlow's setting
spelling         Words that are spelled like another one, for messages
syntax           Python's parser, from one thread at a time
thread_state     What each thread has of its own
threads          The number of threads that compute
warn_once        Warnings that are given once per process, and point at the user's line
user_frames      The user's code in the call stack, for messages
"""
