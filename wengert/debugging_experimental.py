"""tf.debugging.experimental: TensorFlow's debugger."""

from wengert.api.session.inert_settings import disable_dump_debug_info as disable_dump_debug_info
from wengert.api.session.inert_settings import enable_dump_debug_info as enable_dump_debug_info
