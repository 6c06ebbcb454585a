"""tensorflow.python.ops.stateful_random_ops: the numbers of its algorithms and of their states."""

from __future__ import annotations

from typing import Final

import numpy as np

UINT64_HALF_SPAN: Final = 2**63
MAX_INT64: Final = UINT64_HALF_SPAN - 1
MIN_INT64: Final = -UINT64_HALF_SPAN
UINT64_SPAN: Final = UINT64_HALF_SPAN * 2
SEED_TYPE: Final = "int64"
SEED_MIN: Final = MIN_INT64
SEED_MAX: Final = MAX_INT64
SEED_UINT_SPAN: Final = UINT64_SPAN
SEED_TYPE_BITS: Final = np.dtype(SEED_TYPE).itemsize * 8
SEED_BIT_MASK: Final = UINT64_SPAN - 1
SEED_SIZE: Final = 16
STATE_TYPE: Final = SEED_TYPE
ALGORITHM_TYPE: Final = STATE_TYPE
PHILOX_KEY_SIZE: Final = 1
THREEFRY_KEY_SIZE: Final = 1
PHILOX_COUNTER_SIZE: Final = 2
THREEFRY_COUNTER_SIZE: Final = 1
PHILOX_STATE_SIZE: Final = PHILOX_COUNTER_SIZE + PHILOX_KEY_SIZE
THREEFRY_STATE_SIZE: Final = THREEFRY_COUNTER_SIZE + THREEFRY_KEY_SIZE
RNG_ALG_PHILOX: Final = 1
RNG_ALG_THREEFRY: Final = 2
DEFAULT_ALGORITHM: Final = RNG_ALG_PHILOX
