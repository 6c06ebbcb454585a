"""tensorflow.python.framework._dtypes: dtypes by their numbers."""

from wengert.values.dtypes import DType as DType
