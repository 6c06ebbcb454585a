"""tf.version: the version of TensorFlow whose API this is."""

from wengert.compat.graph_defs.producer import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from wengert.compat.v1 import GIT_VERSION as GIT_VERSION
from wengert.compat.v1 import VERSION as VERSION

COMPILER_VERSION = ""

GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
