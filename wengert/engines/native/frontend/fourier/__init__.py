"""Fourier transforms, whose real and imaginary parts are arrays of their own.

forms       How a transform is cut into passes, and the factors of these
rules       Lowering of transforms of complex and of real numbers, of any size
operations  Which operations are lowered so
"""
