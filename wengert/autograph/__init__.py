"""tf.autograph: Python's branches and loops on tensors."""

from wengert.api.autograph.entry import set_verbosity as set_verbosity
from wengert.api.autograph.entry import to_code as to_code
from wengert.api.autograph.entry import to_graph as to_graph
from wengert.api.autograph.entry import trace as trace
from wengert.autograph import experimental as experimental
