"""tensorflow.python.eager.tape: recording operations on tapes, under its former name."""

from wengert.compat.internals.eager.record import *
