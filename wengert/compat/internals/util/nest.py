"""tensorflow.python.util.nest: nested structures."""

from wengert.nest import *
from wengert.values.nest import *
