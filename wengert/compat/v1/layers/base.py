"""Layer: what owns variables in a variable scope, makes them at its first call, and shares them after."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from typing import Any

from wengert.api.session.modes import name_scope
from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.graph_variable import GraphKeys
from wengert.api.variables.module import Module
from wengert.api.variables.variable_scope import graph_of_variables, variable_scope
from wengert.api.variables.variable_store import one_of_graph
from wengert.compat.v1.layers.input_spec import InputSpec, check_inputs
from wengert.core.context import current_graph
from wengert.ops.arrays.creation import shape as shape_of
from wengert.ops.math.elementwise import cast
from wengert.state.variable import Variable
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype, float32
from wengert.values.shapes import TensorShape
from wengert.values.value import Value


class _Counts:
    """How many layers of a graph have taken each name that was made for them."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def unique(self, base: str) -> str:
        """The base with the next number."""
        self.taken[base] = self.taken.get(base, 0) + 1
        return f"{base}_{self.taken[base]}"


class Layer(Module):
    """A function with variables, which are created by `build` when it is called first.

    A subclass creates variables with `add_weight` in `build`, and computes in `call`.

    >>> v1 = tf.compat.v1
    >>> class Scale(v1.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.by = self.add_weight("by", [], initializer=v1.ones_initializer())
    ...     def call(self, inputs):
    ...         return inputs * self.by
    >>> with tf.Graph().as_default():
    ...     layer = Scale(name="twice")
    ...     y = layer(tf.ones([2, 3]))
    ...     [v.name for v in layer.variables]
    ['twice/by:0']
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        self._reuse = kwargs.pop("_reuse", None)
        scope = kwargs.pop("_scope", None)
        self._activity_regularizer = kwargs.pop("activity_regularizer", None)
        if kwargs:
            raise TypeError(f"Keyword argument not understood by {type(self).__name__}: {kwargs}")
        self.trainable = trainable
        self.built = False
        self.input_spec: InputSpec | None = None
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._own_weights: list[Any] = []
        # Layers of programs add to these what they made without add_weight.
        self._trainable_weights = self._non_trainable_weights = self._own_weights
        self._own_updates: list[Any] = []
        self._own_losses: list[Any] = []
        self._graph: Any = current_graph()
        self._scope: Any = None
        self._current_scope: Any = None
        self._base_name = name or _snake_case(type(self).__name__)
        self._name = name or self._unique_name()
        self._name_scope = name_scope(f"{self._name}/")
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    def _unique_name(self) -> str:
        counts = one_of_graph(graph_of_variables(), "__layer_names", _Counts)
        return counts.unique(self._base_name)

    # ---- for subclasses ----------------------------------------------------------------------

    def build(self, _: Any) -> None:
        """Create the variables, with the shape of the inputs given."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The result for these inputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the result for inputs of this shape, without computing anything of the graph."""
        raise NotImplementedError(f"{type(self).__name__} does not say its output shape.")

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Any = None,
        collections: Any = None,
    ) -> Any:
        """A variable of the layer, created or found in its variable scope."""
        trained = self.trainable and (
            getattr(synchronization, "name", "") != "ON_READ" if trainable is None else trainable
        )
        self._set_scope(None)
        known = {id(v) for v in self._known_variables()}
        reuse = self.built or self._reuse
        with self._inside(reuse):
            made = get_variable(
                name,
                TensorShape([] if shape is None else shape),
                self._dtype or float32 if dtype is None else dtype,
                initializer,
                trainable=trained,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                partitioner=partitioner,
                collections=collections,
            )
            self._own_weights.append(made)
            if regularizer is not None and not known & {id(v) for v in _parts(made)}:
                self._regularize(name, made, regularizer)
        return made

    add_variable = add_weight

    def _known_variables(self) -> list[Any]:
        graph = graph_of_variables()
        return list(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))

    def _regularize(self, name: str, made: Any, regularizer: Callable[[Any], Any]) -> None:
        if current_graph() is None:
            self._own_losses.append(lambda: regularizer(made))
            return
        for part in _parts(made):
            with name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses, which in a graph are collected with those of regularizers."""
        listed = [loss for loss in nest.flatten(losses) if loss is not None]
        graph = current_graph()
        self._own_losses += listed
        if graph is not None:
            for loss in listed:
                if not callable(loss):
                    _collect_once(graph, GraphKeys.REGULARIZATION_LOSSES, convert(loss))

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add operations to be run with the training step, such as those of moving averages."""
        graph = current_graph()
        if graph is None:  # they have happened
            return
        for update in nest.flatten(updates):
            self._own_updates.append(update)
            _collect_once(graph, GraphKeys.UPDATE_OPS, update)

    # ---- calls -------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The result of `call`, within the scope of the layer, which is built first."""
        return self._called(inputs, args, kwargs, kwargs.pop("scope", None))

    def _called(self, inputs: Any, args: tuple[Any, ...], kwargs: Any, scope: Any) -> Any:
        given = nest.map_structure(_tensor, inputs)
        self._check_graph(given)
        self._set_scope(scope)
        with self._inside(True if self.built else self._reuse):
            self._build_for(given)
            result = self.call(given, *args, **kwargs)
            if self._activity_regularizer is not None:
                self._regularize_activity(given, result)
        return result

    def _build_for(self, inputs: Any) -> None:
        check_inputs(self.name, self.input_spec, inputs)
        if self.built:
            return
        first: Any = next(iter(nest.flatten(inputs)), None)
        if self._dtype is None and hasattr(first, "dtype") and first.dtype.is_floating:
            self._dtype = first.dtype
        shapes = nest.map_structure(lambda x: x.shape, inputs)
        self.build(shapes)
        self.built = True
        check_inputs(self.name, self.input_spec, inputs)

    def _regularize_activity(self, inputs: Any, result: Any) -> None:
        """Add the losses of results, for each example of the batch."""
        assert self._activity_regularizer is not None
        with name_scope("ActivityRegularizer"):
            for part in nest.flatten(result):
                loss = self._activity_regularizer(part)
                self.add_loss(loss / cast(shape_of(part)[0], loss.dtype), inputs)

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def _check_graph(self, inputs: Any) -> None:
        graph = graph_of_variables() if current_graph() is not None else None
        if self.built and graph is not None and self._graph not in (None, graph):
            raise ValueError(
                f"Input graph and Layer graph are not the same: layer '{self.name}' was built in "
                "another graph than the one that it is called in. Make a layer for each graph."
            )
        if not self.built:
            self._graph = graph

    # ---- its scope ---------------------------------------------------------------------------

    def _set_scope(self, scope: Any) -> None:
        """Choose the variable scope, once."""
        if self._scope is not None:
            return
        named = self._base_name if self._reuse and scope is None else scope
        default = None if named is not None else self._base_name
        with variable_scope(named, default) as captured:
            self._scope = captured

    def _inside(self, reuse: Any) -> Any:
        return _Inside(self, reuse)

    @property
    def scope_name(self) -> str:
        """The name of the variable scope that the variables are in."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return str(self._scope.name)

    # ---- what it has -------------------------------------------------------------------------

    @property
    def graph(self) -> Any:
        """The graph of the variables; none in eager mode."""
        if current_graph() is None:
            raise RuntimeError("Layer.graph not supported when executing eagerly.")
        return self._graph

    @property
    def dtype(self) -> Any:
        """The name of the dtype of the variables; None before it is known."""
        return None if self._dtype is None else self._dtype.name

    def _inner(self) -> list[Layer]:
        """The layers among the attributes, without those of layers in turn."""
        found = self._flatten(recursive=False, predicate=lambda x: isinstance(x, Layer))
        return list(found)

    def _weights(self, wanted: Callable[[Any], bool]) -> list[Any]:
        own = [v for v in self._own_weights if wanted(v)]
        return _once([*own, *(v for layer in self._inner() for v in layer._weights(wanted))])

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained; none of a layer that is not trainable."""
        return self._weights(lambda v: v.trainable) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        rest = self._weights(lambda v: not v.trainable)
        return rest if self.trainable else [*self._weights(lambda v: v.trainable), *rest]

    @property
    def weights(self) -> list[Any]:
        """All variables, the trained ones first."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    @property
    def variables(self) -> Any:
        """The same as `weights`."""
        return self.weights

    @property
    def trainable_variables(self) -> Any:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> Any:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def losses(self) -> list[Any]:
        """The losses of the layer and of those within it."""
        own = [loss() if callable(loss) else loss for loss in self._own_losses]
        return [*own, *(loss for layer in self._inner() for loss in layer.losses)]

    @property
    def updates(self) -> list[Any]:
        """The updates of the layer and of those within it; none of a layer that is not trainable."""
        if not self.trainable:
            return []
        return [*self._own_updates, *(u for layer in self._inner() for u in layer.updates)]

    def count_params(self) -> int:
        """How many numbers the variables hold."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. Call "
                "it first."
            )
        return sum(v.shape.num_elements() or 0 for v in self.weights)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy with the same graph, scope and variables."""
        result = copy.copy(self)
        memo[id(self)] = result
        for name, value in vars(self).items():
            if name not in ("_graph", "_scope", "_current_scope") and not _has_tensors(value):
                vars(result)[name] = copy.deepcopy(value, memo)
        return result


class _Inside:
    """Within the layer's variable scope and name scope."""

    def __init__(self, layer: Layer, reuse: Any) -> None:
        self._layer = layer
        self._before = layer._current_scope
        self._scope = variable_scope(layer._scope, reuse=reuse, auxiliary_name_scope=False)

    def __enter__(self) -> None:
        scope = self._scope.__enter__()
        self._layer._current_scope = scope
        self._names = name_scope(scope.original_name_scope or None)
        self._names.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._names.__exit__(*error)
        self._scope.__exit__(*error)
        self._layer._current_scope = self._before


def _snake_case(name: str) -> str:
    """Words apart as Keras does: Conv2D is conv2d, LSTMCell is lstm_cell."""
    return re.sub(r"(?<=.)(?=[A-Z][a-z0-9])|(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _has_tensors(value: Any) -> bool:
    return any(isinstance(leaf, (Value, Variable)) for leaf in nest.flatten(value))


def _tensor(value: Any) -> Any:
    return (
        value
        if isinstance(value, (Value, Variable)) or nest.is_composite(value)
        else convert(value)
    )


def _parts(variable: Any) -> list[Any]:
    """The parts of a partitioned variable; any other is its only part."""
    return list(variable) if hasattr(variable, "_get_variable_list") else [variable]


def _once(values: Iterable[Any]) -> list[Any]:
    return list({id(value): value for value in values}.values())


def _collect_once(graph: Any, name: str, value: Any) -> None:
    if not any(known is value for known in graph.get_collection_ref(name)):
        graph.add_to_collection(name, value)
