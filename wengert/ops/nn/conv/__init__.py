"""Convolutions.

kernels              Convolution kernels (tiled im2col and matrix products), on channels-last
                     arrays
by_machine_code      Large convolutions by kernels of images: also those of groups of channels,
                     and of volumes
spreading            The adjoint of a convolution in its image
rows                 Convolutions: their rows, and how TensorFlow's arguments become attributes
public               The public functions of convolutions: tf.nn.conv2d and the rest of its family
dilated              Convolutions of any rank, dilated (atrous) convolutions, and the gradients of
                     conv2d as calls
with_space_to_batch  Dilation by tf.space_to_batch: tf.nn.with_space_to_batch, and the paddings it
                     needs
"""
