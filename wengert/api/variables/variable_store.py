"""The variables of a graph by name, for tf.compat.v1.get_variable."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from wengert.api.initializers.sampling import StatefulSource, fans, scaled_variance, with_variance
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.partitioned_variable import (
    PartitionedVariable,
    PartitionInfo,
    checked_partitions,
    cuts,
)
from wengert.core.context import activate, current_graph, made_in
from wengert.ops.arrays.creation import zeros
from wengert.ops.arrays.indexing import slice_
from wengert.state.slice_info import SaveSliceInfo
from wengert.state.variable import Variable, around_functions
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32
from wengert.values.shapes import TensorShape

if TYPE_CHECKING:
    from wengert.graph.function_graph import FunctionGraph
    from wengert.graph.graph import Graph
    from wengert.values.dtypes import DType
    from wengert.values.tensor import Tensor
    from wengert.values.typing import TensorLike

Made = TypeVar("Made")


class _Reuse(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE: Final = _Reuse.AUTO_REUSE
# The values of `reuse`: True requires existing variables, AUTO_REUSE allows them.
Reuse: TypeAlias = "bool | _Reuse | None"


def one_of_graph(graph: FunctionGraph | Graph, name: str, make: Callable[[], Made]) -> Made:
    """A per-graph singleton, created on first use."""
    found: list[Made] = graph.get_collection_ref((name,))
    if not found:
        found.append(make())
    return found[0]


class VariableStore:
    """Variables by name."""

    keeps_eager = False  # whether variables of eager mode are found again, too

    def __init__(self) -> None:
        self._variables: dict[str, Any] = {}
        self._partitioned: dict[str, PartitionedVariable] = {}

    def get_variable(
        self, name: str, *args: Any, custom_getter: Callable[..., Any] | None = None, **wanted: Any
    ) -> Any:
        """Get or create the variable of this name; a custom getter may intervene."""
        wanted = {"reuse": AUTO_REUSE, **dict(zip(_ORDER, args, strict=False)), **wanted}
        if custom_getter is None:
            return self._found_or_made(name, **wanted)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        return custom_getter(getter=self._for_getter, name=name, **wanted)

    @property
    def _vars(self) -> dict[str, Any]:
        """The variables by name, as programs that know TensorFlow's inside ask for them."""
        return self._variables

    def _for_getter(self, name: str, *args: Any, **wanted: Any) -> Any:
        """What a custom getter calls: it may omit arguments that it was given."""
        return self._found_or_made(name, **dict(zip(_ORDER, args, strict=False)), **wanted)

    def _found_or_made(
        self,
        name: str,
        shape: Sequence[int] | None = None,
        dtype: DType = float32,
        reuse: Reuse = None,
        **more: Any,
    ) -> Any:
        partitioner = more.pop("partitioner", None)
        if partitioner is not None and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        whole = _whole_shape(shape, more.get("initializer"))
        if (partitioner is not None and whole) or (reuse and name in self._partitioned):
            return self._in_parts(name, whole, dtype, reuse, partitioner, more)
        if partitioner is None and f"{name}/part_0" in self._variables:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with "
                "partitioning?"
            )
        kind = None if dtype is None else as_dtype(dtype)
        size = None if shape is None else TensorShape(shape)
        if name in self._variables:
            return self._found(name, size, kind, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                "you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        return self._made(name, size, kind, **more)

    def _in_parts(
        self,
        name: str,
        shape: list[int] | None,
        dtype: DType,
        reuse: Reuse,
        partitioner: Callable[..., Any] | None,
        more: dict[str, Any],
    ) -> PartitionedVariable:
        """A variable in parts, each of which is a variable of the store."""
        known = self._partitioned.get(name)
        if known is not None:
            return _same_parts(known, shape, dtype, reuse, partitioner)
        assert partitioner is not None
        if shape is None or None in shape:
            raise ValueError(
                f"Shape of a new partitioned variable ({name}) must be fully defined, but instead "
                f"was {shape}."
            )
        kind = as_dtype(dtype or float32)
        partitions = checked_partitions(partitioner(shape=TensorShape(shape), dtype=kind), shape)
        initializer = more.pop("initializer", None)
        parts = []
        for i, (size, offset) in enumerate(cuts(shape, partitions)):
            given = _initializer_of_part(initializer, shape, size, offset)
            wanted = None if given is not None and not callable(given) else size
            part = f"{name}/part_{i}"
            parts.append(self._found_or_made(part, wanted, kind, reuse, initializer=given, **more))
            parts[-1]._set_save_slice_info(SaveSliceInfo(name, shape, offset, size))
        made = PartitionedVariable(name, shape, kind, parts, partitions)
        if self.keeps_eager or current_graph() is not None:
            self._partitioned[name] = made
        return made

    def _found(self, name: str, shape: TensorShape | None, dtype: DType, reuse: Reuse) -> Variable:
        found = self._variables[name]
        if not reuse:
            made_at = f" It was made at {found.op.place}." if found.graph is not None else ""
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope?{made_at}"
            )
        if shape is not None and not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.shape}."
            )
        if dtype is not None and dtype is not found.dtype:
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                f"dtype {found.dtype.name}."
            )
        known: Variable = found
        return known

    def _made(
        self,
        name: str,
        shape: TensorShape | None,
        dtype: DType,
        initializer: TensorLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        caching_device: object = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: object = None,
        aggregation: object = None,
    ) -> Variable:
        value, dtype = _initial(name, initializer, shape, dtype)
        with made_in(None):  # the name is already complete
            made = new_variable(
                value,
                trainable=_is_trained(trainable, synchronization),
                collections=collections,
                validate_shape=validate_shape,
                name=name,
                dtype=dtype,
                constraint=constraint,
                synchronization=synchronization,
                aggregation=aggregation,
                use_resource=use_resource,
                caching_device=caching_device,
            )
        if self.keeps_eager or current_graph() is not None:
            self._variables[name] = made
            if regularizer is not None:
                _regularize(name, made, regularizer)
        return made


_ORDER: Final = (
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "reuse",
    "trainable",
    "collections",
    "caching_device",
    "partitioner",
    "validate_shape",
    "use_resource",
    "constraint",
    "synchronization",
    "aggregation",
)


def new_variable(
    value: TensorLike,
    collections: Sequence[str] | None = None,
    use_resource: bool | None = None,
    **more: Any,
) -> Variable:
    """A new variable: of the default graph, or an eager one where there is none."""
    if around_functions(current_graph()) is None:
        return Variable(value, **more)
    graph_only: Any = {"collections": collections, "use_resource": use_resource}
    return Variable(value, **graph_only, **more)


def _is_trained(trainable: bool | None, synchronization: object) -> bool:
    """A variable that is synchronized only on read is not trained unless asked."""
    if trainable is not None:
        return bool(trainable)
    return getattr(synchronization, "name", "") != "ON_READ"


# ---- initial values ---------------------------------------------------------------------------


def _initial(name: str, initializer: Any, shape: TensorShape | None, dtype: DType) -> Any:
    """The initial value, or a function that makes it, and the dtype of the variable."""
    if initializer is None:
        if shape is None:
            raise ValueError(
                f"Variable {name} did not get an initializer, so its `shape` argument must be "
                "specified."
            )
        initializer = _usual(name, dtype or float32)
    if inspect.isclass(initializer):
        initializer = initializer()
    if not callable(initializer):
        return _constant(initializer, shape), None
    if shape is not None and shape.is_fully_defined():
        return _call_of(initializer, shape, dtype or float32), dtype
    if shape is None and _needs_nothing(initializer):
        return initializer, dtype
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        f"should be fully defined. Variable {name} was given {initializer!r} and the shape {shape}."
    )


def _usual(name: str, dtype: DType) -> Callable[..., Any]:
    """Glorot uniform for floating-point dtypes; zeros for integers, booleans and strings."""
    if dtype.is_floating:
        return _glorot_uniform
    if dtype.is_integer or dtype.is_bool or dtype.name == "string":
        return zeros
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _glorot_uniform(shape: Sequence[int], dtype: DType) -> Tensor:
    variance = scaled_variance(1.0, "fan_avg", *fans(shape))
    return with_variance(StatefulSource(None), shape, "uniform", variance, dtype)


def _constant(value: TensorLike | None, shape: TensorShape | None) -> Any:
    if shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    return value


def _needs_nothing(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a built-in without one
        return False
    return not any(p.default is p.empty and p.kind in _POSITIONAL for p in parameters)


_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _call_of(
    initializer: Callable[..., Any], shape: TensorShape, dtype: DType
) -> Callable[..., Any]:
    """The initializers of both versions take a shape and a dtype; version 1 more than that."""
    if _takes_part(initializer):
        return lambda: initializer(shape.as_list(), dtype=dtype, partition_info=None)
    return lambda: initializer(shape.as_list(), dtype=dtype)


def _takes_part(initializer: Callable[..., Any]) -> bool:
    try:
        return "partition_info" in inspect.signature(initializer).parameters
    except (TypeError, ValueError):  # a built-in without one
        return False


# ---- parts ------------------------------------------------------------------------------------


def _whole_shape(shape: Any, initializer: Any) -> Any:
    """The shape that was asked for, or that of an initial value."""
    if shape is None and initializer is not None and not callable(initializer):
        shape = convert(initializer).shape
    return (
        None if shape is None or TensorShape(shape).rank is None else TensorShape(shape).as_list()
    )


def _initializer_of_part(
    initializer: Any, whole: list[int], size: list[int], offset: list[int]
) -> Any:
    """What gives a part its value: a slice of the whole, or a call that is told of the whole."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if initializer is None:
        return None
    if not callable(initializer):
        return slice_(initializer, offset, size)
    if not _takes_part(initializer):
        return initializer
    info = PartitionInfo(whole, offset)
    return lambda shape, dtype: initializer(shape, dtype=dtype, partition_info=info)


def _same_parts(
    known: PartitionedVariable,
    shape: list[int] | None,
    dtype: DType,
    reuse: Reuse,
    partitioner: Callable[..., Any] | None,
) -> PartitionedVariable:
    """A variable in parts that is found again, if it is what is asked for."""
    if not reuse:
        raise ValueError(
            f"Partitioned variable with name {known.name} already exists. Did you mean to set "
            "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not known.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to reuse partitioned variable {known.name}, but specified shape "
            f"{TensorShape(shape)} and found shape {known.shape}."
        )
    if dtype is not None and as_dtype(dtype) is not known.dtype:
        raise ValueError(
            f"Trying to reuse partitioned variable {known.name}, but specified dtype "
            f"{as_dtype(dtype).name} and found dtype {known.dtype.name}."
        )
    if partitioner is not None:
        wanted = list(partitioner(shape=known.shape, dtype=known.dtype))
        if wanted != known._get_partitions():
            raise ValueError(
                f"Trying to reuse partitioned variable {known.name}, but specified partitions "
                f"{wanted} and found partitions {known._get_partitions()}."
            )
    return known


# ---- regularizers -----------------------------------------------------------------------------


def _regularize(name: str, variable: Variable, regularizer: Callable[[Any], Any]) -> None:
    graph = around_functions(current_graph())
    if graph is None:
        return
    with activate((), graph), graph.names.scoped(f"{name}/Regularizer/"):
        loss = regularizer(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, convert(loss))
