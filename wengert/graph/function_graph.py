"""The graph of a function or a branch: it has inputs, and captures outside values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from wengert.core.context import graph_around
from wengert.graph.graph import Graph
from wengert.graph.graph_builder import CAPTURE, PLACEHOLDER
from wengert.graph.names import valid
from wengert.graph.operation import Operation
from wengert.inference.symbolic_integers import MOST
from wengert.values import nest
from wengert.values.convert import convert
from wengert.values.dtypes import of_numpy
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import (
    AnyShape,
    Form,
    Size,
    SymbolicTensor,
    is_certain,
    shared_key,
)
from wengert.values.tensor import Tensor, key_of, wrap
from wengert.values.value import Key


class CallTimeValue:
    """A value from outside that is asked for at each call: a part of what a closure gives."""

    def __init__(self, closure: Callable[[], Any], whole: Any, place: int, spec: Any) -> None:
        self._closure, self._whole, self._place, self._spec = closure, whole, place, spec
        self.shape: TensorShape = spec.shape
        shape = None if self.shape.rank is None else tuple(self.shape)
        self._form = Form(shape, spec.dtype.numpy_dtype)
        self._key = Key()

    def now(self) -> Any:
        """The value; an error if it is not as was said when the function was traced."""
        spec, given = self._spec, self._closure()
        parts = nest.flatten(given) if nest.is_nested(self._whole) else [given]
        value = convert(parts[self._place], hint=spec.dtype)
        if value.dtype is not spec.dtype or not value.shape.is_compatible_with(spec.shape):
            raise TypeError(
                f"Can not cast TensorSpec(shape={value.shape}, dtype=tf.{value.dtype.name}) to {spec}: "
                "a closure of capture_call_time_value gave another value than its spec says."
            )
        return value


def _known_outside(value: Any) -> Any:
    """The array of a value from outside that is the same whenever the graph runs; None of others.

    Of an eager tensor only a few integers tell something about the graph: sizes, and limits of loops.
    """
    if type(value) is Tensor:
        array = value._array
        is_array = isinstance(array, (np.ndarray, np.generic))
        is_told = is_array and array.dtype.kind in "iub" and array.size <= MOST
        return array if is_told else None
    return getattr(value, "_known", None)


class FunctionGraph(Graph):
    """A graph with inputs; values of the surrounding program that it uses become inputs too."""

    is_function: ClassVar[bool] = True

    def __init__(self, name: str, outer: Any = None, *, goes_on: bool = True) -> None:
        """A graph that goes on with the one around it has the override map of that, too."""
        super().__init__()
        self.name = name
        self.inputs: list[SymbolicTensor] = []
        self.arguments: Sequence[Any] = ()  # the values of inputs that it is traced for, meanwhile
        self.outputs: list[SymbolicTensor] = []
        # Captures by the id of the outside value: that value, and its placeholder inside.
        self._captures: dict[int, tuple[Any, SymbolicTensor]] = {}
        # Operations of the graphs around it that something in here is to run after.
        self.control_from_outside: list[Any] = []
        self._at_call: dict[Any, list[SymbolicTensor]] = {}  # what is asked for at each call
        self.cells: dict[Any, Any] = {}  # the states behind handles of resources made here
        self.made_variables: list[Any] = []
        self.accessed_variables: dict[int, Any] = {}  # those that were read, by id
        self.may_make_variables = True
        self.there: list[bool] = []  # which of the expected outputs exist
        self._only_traced = False
        self._outer = outer if outer is not None else graph_around()
        if self._outer is not None:
            self.passed_on = self._outer.passed_on
            self.overrides = dict(self._outer.overrides if goes_on else self.passed_on)
            self.seed = self._outer.seed
            self._devices = self._outer._devices

    @property
    def outer_graph(self) -> Any:
        """The graph in which it is traced; None if that is eager mode."""
        return self._outer

    @property
    def only_traced(self) -> bool:
        """Whether this graph, or one around it, is never run: then nothing is run for it either."""
        return self._only_traced or getattr(self._outer, "only_traced", False)

    @only_traced.setter
    def only_traced(self, value: bool) -> None:
        self._only_traced = value

    @property
    def chosen_engine(self) -> str | None:
        """The engine that this graph, or one around it, asked for."""
        if self.engine is not None or self._outer is None:
            return self.engine
        found: str | None = self._outer.chosen_engine
        return found

    def leave_outer(self) -> bool:
        """Drop the reference to the surrounding graph, unless it is used; returns whether."""
        used = [v for v, _ in self._captures.values()] + [x for x, _ in self._constants.values()]
        if any(isinstance(v, SymbolicTensor) for v in used):
            return False
        self._outer = None
        return True

    def input(self, shape: Any, dtype: Any, name: str = "x") -> SymbolicTensor:
        """An input that a call passes."""
        tensor = self._placeholder(PLACEHOLDER, shape, dtype, valid(name))
        self.inputs.append(tensor)
        return tensor

    def input_like(self, value: Any, name: str = "x") -> SymbolicTensor:
        """A new input with the shape and dtype of a value."""
        shape = value._array.shape
        known = list(TensorShape(value.shape)) if isinstance(shape, tuple) else None
        return self.input(known, value._array.dtype, name)

    def _placeholder(self, row: Any, shape: Any, dtype: Any, name: str) -> SymbolicTensor:
        stated = TensorShape(shape)
        attrs = {"dtype": of_numpy(dtype), "shape": stated}
        known = None if stated.rank is None else tuple(shape)
        op = self.add(row, (), attrs, name, [(known, dtype)])
        return op.outputs[0]

    def made_variable(self, variable: Any) -> None:
        """Note a variable that was made while this graph, and those around it, were traced."""
        if not self.may_make_variables:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make "
                "sure the tf.Variable is only created once or created outside tf.function. See "
                "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
            )
        self.made_variables.append(variable)
        if self._outer is not None:
            self._outer.made_variable(variable)

    def accessed(self, variable: Any) -> None:
        """A variable is being read."""
        self.accessed_variables[id(variable)] = variable

    # ---- values from outside -----------------------------------------------------------------

    def capture(self, tensor: Any, name: str | None = None) -> SymbolicTensor:
        """A tensor of a graph around this one, or of no graph."""
        if type(tensor) is not SymbolicTensor:
            return self.brought_in(convert(tensor))
        if tensor.op.graph is self:
            return tensor
        if not self._is_inside(tensor.op.graph):
            return super().capture(tensor)
        if tensor._known is not None and not tensor.dtype.is_differentiable:
            known = self._constants.get(id(tensor))
            if known is None:
                known = self._constants[id(tensor)] = tensor, self.constant(wrap(tensor._known))
            return known[1]
        return self._captured(tensor)

    def _is_inside(self, graph: Any) -> bool:
        outer = self._outer
        while outer is not None and outer is not graph:
            outer = outer.outer_graph
        return outer is not None

    def brought_in(self, value: Any) -> SymbolicTensor:
        """The capture that stands for an outside value."""
        return self._captured(value)

    def _meant(self, value: Any) -> Any:
        """A value of a graph farther out as the graph around this one has it.

        A user's function and a rule may use either here: they are to be one input.
        """
        if type(value) is SymbolicTensor and value.op.graph is not self._outer:
            return self._outer.capture(value)
        return value

    def _captured(self, value: Any) -> SymbolicTensor:
        value = self._meant(value)
        known = self._captures.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        shape = value.shape
        dims = None if shape.rank is None else list(shape)
        tensor = self._placeholder(CAPTURE, dims, value._form.dtype, _name_of(value))
        tensor._key = key_of(value)
        tensor._known = _known_outside(value)
        self._captures[id(value)] = value, tensor
        self._share_sizes(value._form.shape, tensor)
        return tensor

    def _share_sizes(self, around: Any, tensor: SymbolicTensor) -> None:
        """Sizes that are equal outside of the graph are equal inside."""
        own = tensor._array.shape
        if isinstance(around, AnyShape) and isinstance(own, AnyShape):
            tensor._array = Form(self._shared(around, own), tensor._array.dtype)
        elif isinstance(around, tuple) and not is_certain(around):
            pairs = zip(around, own, strict=True)
            shared = [self._shared(a, s) if type(a) is Size else s for a, s in pairs]
            tensor._array = Form(tuple(shared), tensor._array.dtype)

    def _shared(self, around: Any, own: Any) -> Any:
        return self.sizes.setdefault(shared_key(around), (around, own))[1]

    def capture_call_time_value(self, closure: Any, spec: Any, key: Any = None) -> Any:
        """What a closure gives when the function is called, each time anew; equal keys share it.

        The spec says what that will be: one of a tensor, or a structure of such.
        """
        if isinstance(self._outer, FunctionGraph):  # a branch takes it from the function around it
            found = self._outer.capture_call_time_value(closure, spec, key)
            return nest.map_structure(self.entered, found)
        if key is None or key not in self._at_call:
            parts = nest.flatten(spec)
            made = [
                self._captured(CallTimeValue(closure, spec, place, part))
                for place, part in enumerate(parts)
            ]
            self._at_call[object() if key is None else key] = made
        else:
            made = self._at_call[key]
        return nest.pack_sequence_as(spec, made)

    @property
    def captured(self) -> list[Any]:
        """The values from outside, in the order in which they were first used."""
        values = [value for value, _ in self._captures.values()]
        if self._at_call:
            return [v.now() if type(v) is CallTimeValue else v for v in values]
        return values

    def outside_of(self, x: SymbolicTensor) -> Any:
        """The value from outside that a capture stands for; None if it is none."""
        if x.op.row is not CAPTURE:
            return None
        return next((value for value, inside in self._captures.values() if inside is x), None)

    @property
    def captures(self) -> list[tuple[Any, SymbolicTensor]]:
        """The values from outside, each with what stands for it inside."""
        return list(self._captures.values())

    @property
    def external_captures(self) -> list[Any]:
        """The values from outside."""
        return self.captured

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """What stands for the values from outside."""
        return self.captured_inputs

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it captured."""
        return tuple(v for v in self.captured if hasattr(v, "trainable"))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[SymbolicTensor]:
        """The captures of outside values."""
        return [tensor for _, tensor in self._captures.values()]

    @property
    def all_inputs(self) -> list[SymbolicTensor]:
        """The arguments, followed by the captures."""
        return [*self.inputs, *self.captured_inputs]

    def _is_outside(self, value: Any) -> bool:
        """A tensor or operation of a surrounding graph runs before this graph does.

        What a variable was assigned in here, of which the variable is returned, runs in order anyway.
        """
        graph = getattr(value, "graph", None)
        if graph is self or isinstance(value, str):
            return False
        if isinstance(value, (SymbolicTensor, Operation)):
            self.control_from_outside.append(getattr(value, "op", value))
        return True


def _name_of(value: Any) -> str:
    name = getattr(value, "name", None) if not isinstance(value, SymbolicTensor) else None
    return str(name).partition(":")[0] if isinstance(name, str) and name else "captured"
