"""tf.compat.v1.debugging: tf.debugging, and questions that are in tf.math now."""

from typing import Any as _Any

from wengert import debugging as _now
from wengert.compat.v1.functions import asserts as _asserts
from wengert.math import is_finite as is_finite
from wengert.math import is_inf as is_inf
from wengert.math import is_nan as is_nan
from wengert.math import is_non_decreasing as is_non_decreasing
from wengert.math import is_strictly_increasing as is_strictly_increasing


def __getattr__(name: str) -> _Any:
    """A name of today, in the form of version 1 where it has one."""
    here = name.startswith("assert_") and hasattr(_asserts, name)
    return getattr(_asserts if here else _now, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_now)})
