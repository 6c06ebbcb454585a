"""tf.profiler.experimental: beginnings and ends of recordings."""

from wengert.api.session.profiling import Profile as Profile
from wengert.api.session.profiling import ProfilerOptions as ProfilerOptions
from wengert.api.session.profiling import Trace as Trace
from wengert.api.session.profiling import start as start
from wengert.api.session.profiling import stop as stop
