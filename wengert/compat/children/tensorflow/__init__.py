"""What a process started by `wengert run` finds where it imports tensorflow: Wengert."""

import importlib
import os
import sys

from wengert import compat

del sys.modules[__name__]
compat.install(v1=os.environ.get("WENGERT_RUN") == "v1")
if os.environ.get("WENGERT_RUN") == "v1":
    compat.v1.disable_v2_behavior()
sys.modules[__name__] = importlib.import_module("tensorflow")
