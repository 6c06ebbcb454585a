"""tensorflow.python.layers.convolutional: convolutions."""

from wengert.compat.v1.layers.convolutional import Conv1D as Conv1D
from wengert.compat.v1.layers.convolutional import Conv1D as Convolution1D
from wengert.compat.v1.layers.convolutional import Conv2D as Conv2D
from wengert.compat.v1.layers.convolutional import Conv2D as Convolution2D
from wengert.compat.v1.layers.convolutional import Conv3D as Conv3D
from wengert.compat.v1.layers.convolutional import Conv3D as Convolution3D
from wengert.compat.v1.layers.functions import conv1d as conv1d
from wengert.compat.v1.layers.functions import conv1d as convolution1d
from wengert.compat.v1.layers.functions import conv2d as conv2d
from wengert.compat.v1.layers.functions import conv2d as convolution2d
from wengert.compat.v1.layers.functions import conv2d_transpose as conv2d_transpose
from wengert.compat.v1.layers.functions import conv2d_transpose as deconv2d
from wengert.compat.v1.layers.functions import conv3d as conv3d
from wengert.compat.v1.layers.functions import conv3d as convolution3d
from wengert.compat.v1.layers.functions import conv3d_transpose as conv3d_transpose
from wengert.compat.v1.layers.functions import conv3d_transpose as deconv3d
from wengert.compat.v1.layers.functions import separable_conv1d as separable_conv1d
from wengert.compat.v1.layers.functions import separable_conv2d as separable_conv2d
from wengert.compat.v1.layers.separable import SeparableConv1D as SeparableConv1D
from wengert.compat.v1.layers.separable import SeparableConv2D as SeparableConv2D
from wengert.compat.v1.layers.separable import SeparableConv2D as SeparableConvolution2D
from wengert.compat.v1.layers.transposed import Conv2DTranspose as Conv2DTranspose
from wengert.compat.v1.layers.transposed import Conv2DTranspose as Convolution2DTranspose
from wengert.compat.v1.layers.transposed import Conv2DTranspose as Deconvolution2D
from wengert.compat.v1.layers.transposed import Conv3DTranspose as Conv3DTranspose
from wengert.compat.v1.layers.transposed import Conv3DTranspose as Convolution3DTranspose
