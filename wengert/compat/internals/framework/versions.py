"""tensorflow.python.framework.versions: the version of TensorFlow whose graphs are read and written."""

from wengert.version import COMPILER_VERSION as COMPILER_VERSION
from wengert.version import GIT_VERSION as GIT_VERSION
from wengert.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from wengert.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from wengert.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from wengert.version import VERSION as VERSION
