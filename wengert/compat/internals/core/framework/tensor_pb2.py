"""tensorflow.core.framework.tensor_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

TensorProto = message("TensorProto")
VariantTensorDataProto = message("VariantTensorDataProto")
