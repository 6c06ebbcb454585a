"""tensorflow.python.layers.normalization: batch normalization."""

from wengert.compat.v1.layers.functions import batch_normalization as batch_norm
from wengert.compat.v1.layers.functions import batch_normalization as batch_normalization
from wengert.compat.v1.layers.normalization import BatchNormalization as BatchNorm
from wengert.compat.v1.layers.normalization import BatchNormalization as BatchNormalization
