"""tf.version: the version of TensorFlow whose API this is."""

from wengert.compat.v1 import GIT_VERSION as GIT_VERSION
from wengert.compat.v1 import VERSION as VERSION

COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
