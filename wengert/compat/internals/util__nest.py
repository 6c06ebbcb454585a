"""tensorflow.python.util.nest: nested structures."""

from wengert.core.nest import *
from wengert.nest import *
