"""tensorflow.core.framework.tensor_shape_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

TensorShapeProto = message("TensorShapeProto")
