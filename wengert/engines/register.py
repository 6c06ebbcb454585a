"""Registers the engines by name when Wengert is imported; the compiler is loaded on demand."""

from __future__ import annotations

import wengert.engines.native.large_kernels  # noqa: F401  # it registers each of them
from wengert.engines.native.engine import NativeEngine, load_blocks
from wengert.engines.numpy_engine import NumpyEngine
from wengert.engines.xla.engine import XlaEngine
from wengert.execution.engine_registry import REFERENCE, register_engine
from wengert.host.kept_memory import register_blocks

register_engine(REFERENCE, NumpyEngine())
register_engine("native", NativeEngine())
register_engine("xla", XlaEngine())
register_blocks(load_blocks)
