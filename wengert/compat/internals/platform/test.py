"""tensorflow.python.platform.test: tests, and queries about the machine."""

from unittest import mock as mock

from wengert.api.gradients.gradient_checker import (
    compute_gradient_error_of_graph as compute_gradient_error,
)
from wengert.api.gradients.gradient_checker import compute_gradient_of_graph
from wengert.compat.internals.framework.test_util import IsBuiltWithCuda as IsBuiltWithCuda
from wengert.compat.internals.framework.test_util import is_xla_enabled as is_xla_enabled
from wengert.compat.v1.test import get_temp_dir as get_temp_dir
from wengert.compat.v1.test import test_src_dir_path as test_src_dir_path
from wengert.test import *

globals()["compute_gradient"] = compute_gradient_of_graph  # of version 1
