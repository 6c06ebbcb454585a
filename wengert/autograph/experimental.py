"""tf.autograph.experimental: what is left alone, and options of loops."""

from wengert.api.autograph.entry import Feature as Feature
from wengert.api.autograph.entry import do_not_convert as do_not_convert
from wengert.api.autograph.entry import set_loop_options as set_loop_options
