"""Weight initializers.

sampling      What the initializers of both API generations share: sampling, fans and
              orthogonality
initializers  tf.initializers: the weight initializers of Keras 3
convolutional  Kernels of convolutions that keep the norm of what they are applied to
names         Initializers by name or configuration: serialize, deserialize, get
simple        tf.zeros_initializer and the other initializers of TensorFlow 2 that are not Keras's
"""
