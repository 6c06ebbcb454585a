"""tensorflow.python.keras: what programs that look into Keras's graph ask of TensorFlow's old copy of it."""
