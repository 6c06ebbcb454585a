"""The folder in which the tests of a process keep their files."""

import atexit
import functools
import shutil
import tempfile


@functools.cache
def get_temp_dir() -> str:
    """A temporary folder for files of tests: the same for the whole process, removed when it ends.

    >>> import os
    >>> os.path.isdir(tf.compat.v1.test.get_temp_dir())
    True
    """
    # Never the folder that all programs share: tests empty and remove what they are given.
    folder = tempfile.mkdtemp(prefix="wengert-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
