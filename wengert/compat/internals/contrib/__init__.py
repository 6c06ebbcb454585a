"""What programs import of tensorflow.contrib."""
