"""Support for tests of TensorFlow programs: tf.test.TestCase and its decorators."""
