"""tf.compat: the names of TensorFlow 1, and `import tensorflow` redirected here."""

import sys as _sys

from wengert.compat import v1 as v1
from wengert.compat.redirect import install as install
from wengert.compat.redirect import is_installed as is_installed
from wengert.compat.redirect import uninstall as uninstall
from wengert.compat.text import as_bytes as as_bytes
from wengert.compat.text import as_str as as_str
from wengert.compat.text import as_str_any as as_str_any
from wengert.compat.text import as_text as as_text
from wengert.compat.text import path_to_str as path_to_str

v2 = _sys.modules["wengert"]
