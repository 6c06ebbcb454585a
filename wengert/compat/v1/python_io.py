"""tf.compat.v1.python_io: files of records."""

from wengert.io.records import TFRecordCompressionType as TFRecordCompressionType
from wengert.io.records import TFRecordOptions as TFRecordOptions
from wengert.io.records import TFRecordWriter as TFRecordWriter
from wengert.io.records import tf_record_iterator as tf_record_iterator
