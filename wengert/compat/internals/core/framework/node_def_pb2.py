"""tensorflow.core.framework.node_def_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

NodeDef = message("NodeDef")
