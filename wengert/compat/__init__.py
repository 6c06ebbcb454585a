"""tf.compat: the names of TensorFlow 1, and `import tensorflow` redirected here."""

import numbers as _numbers
import sys as _sys

import numpy as _np

from wengert.compat import v1 as v1
from wengert.compat.redirect import install as install
from wengert.compat.redirect import is_installed as is_installed
from wengert.compat.redirect import uninstall as uninstall
from wengert.compat.text import as_bytes as as_bytes
from wengert.compat.text import as_str as as_str
from wengert.compat.text import as_str_any as as_str_any
from wengert.compat.text import as_text as as_text
from wengert.compat.text import path_to_str as path_to_str
from wengert.values.dimensions import dimension_at_index as dimension_at_index
from wengert.values.dimensions import dimension_value as dimension_value

integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)
complex_types = (_numbers.Complex, _np.number)
bytes_or_text_types = (bytes, str)

v2 = _sys.modules["wengert"]
