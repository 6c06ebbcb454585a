"""tf.experimental: exchange of arrays with other libraries."""

from wengert.experimental import dlpack as dlpack
