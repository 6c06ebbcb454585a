"""tf.types.experimental: functions, their traces, and the types of arguments that they trace by."""

from wengert.api.function.function import ConcreteFunction as ConcreteFunction
from wengert.api.function.function import Function as GenericFunction
from wengert.api.function.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from wengert.api.function.trace_type import TraceType as TraceType
from wengert.api.function.trace_type import TracingContext as TracingContext
from wengert.values.typing import TensorLike as TensorLike

PolymorphicFunction = GenericFunction
Callable = GenericFunction
