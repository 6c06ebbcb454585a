"""tensorflow.core.framework.full_type_pb2: an enumeration of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import enum, message

FullTypeId = enum("FullTypeId")
FullTypeDef = message("FullTypeDef")
globals().update(FullTypeId.items())
