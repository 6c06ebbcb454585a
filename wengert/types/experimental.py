"""tf.types.experimental: functions, their traces, and the types of arguments that they trace by."""

from typing import TYPE_CHECKING, Union

import numpy as np

from wengert.api.function.function import ConcreteFunction as ConcreteFunction
from wengert.api.function.function import Function as GenericFunction
from wengert.api.function.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from wengert.api.function.trace_type import TraceType as TraceType
from wengert.api.function.trace_type import TracingContext as TracingContext
from wengert.values.typing import SupportsTensor
from wengert.values.value import TensorBase

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike as TensorLike
else:  # of classes, not of text: programs join it with other types, and ask isinstance
    TensorLike = Union[  # noqa: UP007
        TensorBase, SupportsTensor, int, float, bool, str, bytes, complex, tuple, list,
        np.ndarray, np.generic,
    ]  # fmt: skip

PolymorphicFunction = GenericFunction
Callable = GenericFunction
