"""tensorflow.core.example.feature_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

BytesList = message("BytesList")
FloatList = message("FloatList")
Int64List = message("Int64List")
Feature = message("Feature")
Features = message("Features")
FeatureList = message("FeatureList")
FeatureLists = message("FeatureLists")
