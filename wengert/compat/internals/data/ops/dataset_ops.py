"""tensorflow.python.data.ops.dataset_ops: what datasets are made of, by its names."""

from wengert.data.experimental import AUTOTUNE as AUTOTUNE
from wengert.data.experimental import INFINITE_CARDINALITY as INFINITE
from wengert.data.experimental import UNKNOWN_CARDINALITY as UNKNOWN
from wengert.data.experimental import from_variant as from_variant
from wengert.data.experimental import get_structure as get_structure
from wengert.data.experimental import to_variant as to_variant

# Names of what TensorFlow's datasets are made of, which tests look for in messages and graphs.
COMPRESSION_GZIP = "GZIP"
COMPRESSION_SNAPPY = "SNAPPY"
COMPRESSION_NONE = None

__all__ = [
    "AUTOTUNE", "COMPRESSION_GZIP", "COMPRESSION_NONE", "COMPRESSION_SNAPPY", "INFINITE", "UNKNOWN",
    "from_variant", "get_structure", "to_variant",
]  # fmt: skip
