"""tensorflow.core.protobuf.saved_model_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

SavedModel = message("SavedModel")
