"""tensorflow.core.framework.function_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

FunctionDef = message("FunctionDef")
FunctionDefLibrary = message("FunctionDefLibrary")
GradientDef = message("GradientDef")
