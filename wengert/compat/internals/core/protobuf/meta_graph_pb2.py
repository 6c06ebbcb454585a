"""tensorflow.core.protobuf.meta_graph_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

MetaGraphDef = message("MetaGraphDef")
SignatureDef = message("SignatureDef")
TensorInfo = message("TensorInfo")
AssetFileDef = message("AssetFileDef")
