"""Memory of arrays is kept for the next ones.

The C library gives memory above a threshold back to the system as soon as it is free, and takes it
anew for the next array: the system then fills every page with zeros first. For arrays of a million
floats that takes longer than most operations: a gradient of the sigmoid took 5.7 ms with it and
takes 0.6 ms without (measured with glibc 2.36 and NumPy 2.4). So the thresholds are raised, before the
first large array: up to KEPT bytes that are free stay with the process. WENGERT_KEEP_MEMORY=0 leaves
them alone.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Final

KEPT: Final = 256 << 20
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # the numbers of <malloc.h>


# Elements from which on an array is large: of 16,384, NumPy is as fast as anybody.
LARGE: Final = 1 << 15


@functools.cache
def keep_memory() -> bool:
    """Raise the thresholds, where there is a C library that has them; whether that was done."""
    if os.environ.get("WENGERT_KEEP_MEMORY", "1") == "0":
        return False
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if set_option is None:
        return False
    # 32 MiB is the most that glibc takes for the second.
    options = ((_TRIM_THRESHOLD, KEPT), (_MMAP_THRESHOLD, 32 << 20), (_TOP_PAD, 16 << 20))
    return all(set_option(option, value) == 1 for option, value in options)
