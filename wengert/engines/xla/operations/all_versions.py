"""All versions of rows: importing it fills the tables."""

from __future__ import annotations

from wengert.engines.xla.operations import branches as _branches  # noqa: F401
from wengert.engines.xla.operations import elementwise as _elementwise  # noqa: F401
from wengert.engines.xla.operations import helpers as _helpers  # noqa: F401
from wengert.engines.xla.operations import linear_algebra as _linear_algebra  # noqa: F401
from wengert.engines.xla.operations import lists as _lists  # noqa: F401
from wengert.engines.xla.operations import loops as _loops  # noqa: F401
from wengert.engines.xla.operations import random_numbers as _random_numbers  # noqa: F401
from wengert.engines.xla.operations import special_functions as _special_functions  # noqa: F401
from wengert.engines.xla.operations import variables as _variables  # noqa: F401
from wengert.engines.xla.operations import windows as _windows  # noqa: F401
