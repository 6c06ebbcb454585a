"""Programs written as TensorFlow writes its tests."""
