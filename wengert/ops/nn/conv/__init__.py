"""Convolutions.

kernels              The arithmetic of convolutions, on arrays with the channels at the end
rows                 Convolutions: the rows, and how TensorFlow's arguments become their
                     attributes
public               The public functions of convolutions: tf.nn.conv2d and its kin
dilated              Convolutions by other names: of any rank, with holes, and from the rows
                     themselves
with_space_to_batch  Operations with holes, carried out without: on what tf.space_to_batch makes
                     of the input
"""
