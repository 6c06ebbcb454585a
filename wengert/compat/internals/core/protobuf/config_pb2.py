"""tensorflow.core.protobuf.config_pb2: configuration of sessions."""

from wengert.compat.v1 import ConfigProto as ConfigProto
from wengert.compat.v1 import GPUOptions as GPUOptions
from wengert.compat.v1 import GraphOptions as GraphOptions
from wengert.compat.v1 import OptimizerOptions as OptimizerOptions
from wengert.compat.v1 import RunMetadata as RunMetadata
from wengert.compat.v1 import RunOptions as RunOptions
