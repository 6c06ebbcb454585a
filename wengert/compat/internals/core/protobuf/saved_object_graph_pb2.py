"""tensorflow.core.protobuf.saved_object_graph_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

SavedObjectGraph = message("SavedObjectGraph")
SavedObject = message("SavedObject")
