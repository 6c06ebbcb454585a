"""All versions of rows: importing it fills the tables."""

from __future__ import annotations

from wengert.engines.xla import control as _control  # noqa: F401
from wengert.engines.xla import elementwise as _elementwise  # noqa: F401
from wengert.engines.xla import helpers as _helpers  # noqa: F401
from wengert.engines.xla import linear_algebra as _linear_algebra  # noqa: F401
from wengert.engines.xla import lists as _lists  # noqa: F401
from wengert.engines.xla import random_numbers as _random_numbers  # noqa: F401
from wengert.engines.xla import special_functions as _special_functions  # noqa: F401
from wengert.engines.xla import variables as _variables  # noqa: F401
from wengert.engines.xla import windows as _windows  # noqa: F401
