"""Memory of freed arrays is kept for the next ones.

The C library returns memory above a threshold to the system as soon as it is free, and requests it
again for the next array, for which the system first zeroes every page. For arrays of a million
floats that takes longer than most operations: a gradient of the sigmoid took 5.7 ms with it and
takes 0.6 ms without (measured with glibc 2.36 and NumPy 2.4). So the thresholds are raised before
the first large array: up to KEPT free bytes stay with the process. WENGERT_KEEP_MEMORY=0 leaves the
thresholds alone.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Final

KEPT: Final = 256 << 20
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # the numbers of <malloc.h>


# Elements from which on an array is large: up to 16,384, NumPy is as fast as our kernels.
LARGE: Final = 1 << 15


@functools.cache
def keep_memory() -> bool:
    """Raise the thresholds, if the C library has them; whether that succeeded."""
    if os.environ.get("WENGERT_KEEP_MEMORY", "1") == "0":
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if set_option is None:
        return False
    # 32 MiB is the most that glibc accepts for the second.
    options = ((_TRIM_THRESHOLD, KEPT), (_MMAP_THRESHOLD, 32 << 20), (_TOP_PAD, 16 << 20))
    return all(set_option(option, value) == 1 for option, value in options)
