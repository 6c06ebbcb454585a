"""tensorflow.python.util.compat: bytes, text and types of numbers."""

import collections.abc as collections_abc
import numbers

import numpy as np

from wengert.compat.text import as_bytes as as_bytes
from wengert.compat.text import as_str as as_str
from wengert.compat.text import as_str_any as as_str_any
from wengert.compat.text import as_text as as_text
from wengert.compat.text import path_to_str as path_to_str

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

__all__ = ["collections_abc"]
