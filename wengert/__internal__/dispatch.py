"""tf.__internal__.dispatch: what public functions do for other types."""

from wengert.compat.internals.util.dispatch import GlobalOpDispatcher as GlobalOpDispatcher
from wengert.compat.internals.util.dispatch import OpDispatcher as OpDispatcher
from wengert.compat.internals.util.dispatch import add_dispatch_support as add_dispatch_support
