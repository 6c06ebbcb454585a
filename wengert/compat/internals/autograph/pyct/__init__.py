"""tensorflow.python.autograph.pyct: TensorFlow's tools for source code, which programs import."""
