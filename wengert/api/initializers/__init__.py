"""Initializers.

sampling      What the initializers of every generation of the API share: chance, fans and
              orthogonality
initializers  tf.initializers: objects that make the first value of a weight, as in Keras 3
names         Initializers by name: what stands in the configuration of a model
simple        tf.zeros_initializer and its kin: the initializers of TensorFlow 2 that are not
              Keras's
"""
