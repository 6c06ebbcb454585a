"""tensorflow.compiler: what programs import of XLA."""
