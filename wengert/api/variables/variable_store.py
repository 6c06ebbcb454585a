"""The variables of a graph by name, for tf.compat.v1.get_variable."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from wengert.api.initializers.sampling import StatefulSource, fans, scaled_variance, with_variance
from wengert.api.variables.graph_variable import GraphKeys
from wengert.core.context import activate, current_graph, enter_scope
from wengert.ops.arrays.creation import zeros
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

    def __init__(self) -> None:
        self._variables: dict[str, Any] = {}

    def get_variable(
        self, name: str, custom_getter: Callable[..., Any] | None = None, **wanted: Any
    ) -> Any:
        """Get or create the variable of this name; a custom getter may intervene."""
        if custom_getter is None:
            return self._found_or_made(name, **wanted)
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        return custom_getter(getter=self._for_getter, name=name, **wanted)

    def _for_getter(self, name: str, *args: Any, **wanted: Any) -> Variable:
        """What a custom getter calls: it may omit arguments that it was given."""
        return self._found_or_made(name, **dict(zip(_ORDER, args, strict=False)), **wanted)

    def _found_or_made(
        self,
        name: str,
        shape: Sequence[int] | None = None,
        dtype: DType = float32,
        reuse: Reuse = None,
        **more: Any,
    ) -> Variable:
        more.pop("partitioner", None)
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
        with enter_scope(None):  # the name is already complete
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
            )
        if current_graph() is not None:
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
    try:
        takes_part = "partition_info" in inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        takes_part = False
    if takes_part:
        return lambda: initializer(shape.as_list(), dtype=dtype, partition_info=None)
    return lambda: initializer(shape.as_list(), dtype=dtype)


# ---- regularizers -----------------------------------------------------------------------------


def _regularize(name: str, variable: Variable, regularizer: Callable[[Any], Any]) -> None:
    graph = around_functions(current_graph())
    if graph is None:
        return
    with activate((), graph), graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, convert(loss))
