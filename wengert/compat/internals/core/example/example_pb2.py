"""tensorflow.core.example.example_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

Example = message("Example")
SequenceExample = message("SequenceExample")
