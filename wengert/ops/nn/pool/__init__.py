"""Pooling and morphology: what becomes of the elements in a window.

kernels     The arithmetic of pooling: windows over any axes of an array
fractional  Fractional pooling: regions whose sizes differ by one, so that sizes shrink by any
            ratio
morphology  Grayscale morphology: dilation and erosion by a structuring function
rows        Pooling: the rows, and how TensorFlow's arguments become their attributes
public      The public functions of pooling: tf.nn.max_pool2d and its kin
"""
