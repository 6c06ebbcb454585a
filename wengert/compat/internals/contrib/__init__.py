"""What programs import from tensorflow.contrib."""
