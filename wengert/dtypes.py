"""tf.dtypes: the data types."""

from wengert import dtypes_experimental as _experimental
from wengert.ops.math.arithmetic import saturate_cast as saturate_cast
from wengert.ops.math.complex import complex as complex
from wengert.ops.math.elementwise import cast as cast
from wengert.values.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from wengert.values.dtypes import DType as DType
from wengert.values.dtypes import as_dtype as as_dtype
from wengert.values.dtypes import bfloat16 as bfloat16
from wengert.values.dtypes import bool_ as _bool
from wengert.values.dtypes import complex64 as complex64
from wengert.values.dtypes import complex128 as complex128
from wengert.values.dtypes import double as double
from wengert.values.dtypes import float16 as float16
from wengert.values.dtypes import float32 as float32
from wengert.values.dtypes import float64 as float64
from wengert.values.dtypes import half as half
from wengert.values.dtypes import int8 as int8
from wengert.values.dtypes import int16 as int16
from wengert.values.dtypes import int32 as int32
from wengert.values.dtypes import int64 as int64
from wengert.values.dtypes import qint8 as qint8
from wengert.values.dtypes import qint16 as qint16
from wengert.values.dtypes import qint32 as qint32
from wengert.values.dtypes import quint8 as quint8
from wengert.values.dtypes import quint16 as quint16
from wengert.values.dtypes import resource as resource
from wengert.values.dtypes import string as string
from wengert.values.dtypes import uint8 as uint8
from wengert.values.dtypes import uint16 as uint16
from wengert.values.dtypes import uint32 as uint32
from wengert.values.dtypes import uint64 as uint64
from wengert.values.dtypes import variant as variant

bool = _bool
experimental = _experimental
