"""Pooling and morphology: operations on the elements of sliding windows.

kernels     Pooling kernels: windows over any axes of an array
fractional  Fractional pooling: random regions whose sizes differ by one, for any pooling ratio
morphology  Grayscale morphology: dilation and erosion by a structuring function
rows        Pooling: its rows, and how TensorFlow's arguments become attributes
ties        Ties of max pooling: windows whose maximum several elements have
public      The public functions of pooling: tf.nn.max_pool2d and the rest of its family
"""
