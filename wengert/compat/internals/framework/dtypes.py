"""tensorflow.python.framework.dtypes: formats that have no public name of their own."""

from wengert.dtypes_experimental import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from wengert.dtypes_experimental import float8_e4m3fn as float8_e4m3fn
from wengert.dtypes_experimental import float8_e4m3fnuz as float8_e4m3fnuz
from wengert.dtypes_experimental import float8_e5m2 as float8_e5m2
from wengert.dtypes_experimental import float8_e5m2fnuz as float8_e5m2fnuz
from wengert.dtypes_experimental import int4 as int4
from wengert.dtypes_experimental import uint4 as uint4
from wengert.values.dtypes import REFERENCES as _REFERENCES

globals().update(_REFERENCES)
