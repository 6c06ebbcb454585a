"""tensorflow.core.framework.summary_pb2: messages of TensorFlow's, by the package protobuf."""

from wengert.compat.graph_defs.protos import message

HistogramProto = message("HistogramProto")
Summary = message("Summary")
SummaryDescription = message("SummaryDescription")
SummaryMetadata = message("SummaryMetadata")
