"""tensorflow.core.framework.attr_value_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

AttrValue = message("AttrValue")
NameAttrList = message("NameAttrList")
