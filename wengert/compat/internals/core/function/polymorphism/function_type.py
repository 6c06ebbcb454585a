"""tensorflow.core.function.polymorphism.function_type: the parameters of functions and their types."""

from wengert.api.function.function_type import FunctionType as FunctionType
from wengert.api.function.function_type import Parameter as Parameter
