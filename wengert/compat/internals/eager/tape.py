"""tensorflow.python.eager.tape: what tapes are told, under the name that it had."""

from wengert.compat.internals.eager.record import *
