"""tf.dtypes.experimental: formats of eight bits and of four."""

from wengert.values.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from wengert.values.dtypes import float8_e4m3fn as float8_e4m3fn
from wengert.values.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from wengert.values.dtypes import float8_e5m2 as float8_e5m2
from wengert.values.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from wengert.values.dtypes import int4 as int4
from wengert.values.dtypes import uint4 as uint4
