"""What tests of TensorFlow programs are written with: tf.test.TestCase and its decorators."""
