"""Sliding windows over images: convolutions and pooling.

convolution_rules  Lowering of convolutions: products of matrices, and tiles
window_rules    Lowering of sliding windows: pooling, convolutions of each channel by itself
image_tiles     How the kernels for large images go over them: blocks of windows, padded lines, their
                arguments
winograd        Convolutions with fewer multiplications: which ones, and how their kernels go over images
"""
