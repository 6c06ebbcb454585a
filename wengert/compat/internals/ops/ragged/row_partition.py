"""tensorflow.python.ops.ragged.row_partition: which values are in which row."""

from wengert.ops.ragged.row_partition import RowPartition as RowPartition
