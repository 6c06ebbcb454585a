"""tensorflow.python.util.nest: nested structures."""

from wengert.core.nest import *  # noqa: F403
from wengert.nest import *  # noqa: F403
