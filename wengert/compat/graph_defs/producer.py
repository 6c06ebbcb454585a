"""The version of the format in which graphs are written."""

from typing import Final

GRAPH_DEF_VERSION: Final = 2474  # TensorFlow 2.21's
