"""tensorflow.python.layers.pooling: pooling."""

from wengert.compat.v1.layers.functions import average_pooling1d as average_pooling1d
from wengert.compat.v1.layers.functions import average_pooling2d as average_pooling2d
from wengert.compat.v1.layers.functions import average_pooling2d as avg_pool2d
from wengert.compat.v1.layers.functions import average_pooling3d as average_pooling3d
from wengert.compat.v1.layers.functions import max_pooling1d as max_pooling1d
from wengert.compat.v1.layers.functions import max_pooling2d as max_pool2d
from wengert.compat.v1.layers.functions import max_pooling2d as max_pooling2d
from wengert.compat.v1.layers.functions import max_pooling3d as max_pooling3d
from wengert.compat.v1.layers.pooling import AveragePooling1D as AveragePooling1D
from wengert.compat.v1.layers.pooling import AveragePooling2D as AveragePooling2D
from wengert.compat.v1.layers.pooling import AveragePooling2D as AvgPool2D
from wengert.compat.v1.layers.pooling import AveragePooling3D as AveragePooling3D
from wengert.compat.v1.layers.pooling import MaxPooling1D as MaxPooling1D
from wengert.compat.v1.layers.pooling import MaxPooling2D as MaxPool2D
from wengert.compat.v1.layers.pooling import MaxPooling2D as MaxPooling2D
from wengert.compat.v1.layers.pooling import MaxPooling3D as MaxPooling3D
