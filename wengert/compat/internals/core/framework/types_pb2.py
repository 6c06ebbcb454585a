"""tensorflow.core.framework.types_pb2: an enumeration of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import enum

DataType = enum("DataType")
globals().update(DataType.items())
