"""tensorflow.python.platform.googletest: unittest, with its own main."""

from wengert.compat.v1.test import get_temp_dir as GetTempDir  # noqa: N812
from wengert.compat.v1.test import test_src_dir_path as test_src_dir_path
from wengert.test import TestCase as TestCase
from wengert.test import main as main
