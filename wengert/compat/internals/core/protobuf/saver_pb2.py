"""tensorflow.core.protobuf.saver_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

SaverDef = message("SaverDef")
