"""tensorflow.core.util.event_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

Event = message("Event")
TaggedRunMetadata = message("TaggedRunMetadata")
