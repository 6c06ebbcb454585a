"""tensorflow.core.protobuf."""
