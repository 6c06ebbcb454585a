"""tf.compat.v1.math: tf.math, with the arguments of version 1 where they differ."""

from typing import Any as _Any

from wengert import math as _now
from wengert.compat.v1.functions.arrays import in_top_k as in_top_k
from wengert.compat.v1.functions.reductions import argmax as argmax
from wengert.compat.v1.functions.reductions import argmin as argmin
from wengert.compat.v1.functions.reductions import count_nonzero as count_nonzero
from wengert.compat.v1.functions.reductions import reduce_all as reduce_all
from wengert.compat.v1.functions.reductions import reduce_any as reduce_any
from wengert.compat.v1.functions.reductions import reduce_logsumexp as reduce_logsumexp
from wengert.compat.v1.functions.reductions import reduce_max as reduce_max
from wengert.compat.v1.functions.reductions import reduce_mean as reduce_mean
from wengert.compat.v1.functions.reductions import reduce_min as reduce_min
from wengert.compat.v1.functions.reductions import reduce_prod as reduce_prod
from wengert.compat.v1.functions.reductions import reduce_sum as reduce_sum
from wengert.compat.v1.nn import log_softmax as log_softmax
from wengert.compat.v1.nn import softmax as softmax


def __getattr__(name: str) -> _Any:
    """A name that did not change between the versions."""
    return getattr(_now, name)
