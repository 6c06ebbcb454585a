"""tf.train.experimental."""

from wengert.saving.trackables.python_state import PythonState as PythonState
