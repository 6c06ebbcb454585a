"""tensorflow.python.platform.flags: absl's, as in TensorFlow."""

from wengert.compat.v1 import app as _app

globals().update({name: value for name, value in vars(_app.flags).items() if name[0] != "_"})
