"""tf.function: Python functions traced to graphs, once per input signature."""

from __future__ import annotations

import functools
import inspect
import itertools
import weakref
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from wengert.api.function.description import (
    binding_error,
    capture_spec,
    flat_misfit,
    in_one_line,
    parameters,
    parameters_text,
)
from wengert.api.function.function_type import (
    FunctionSpec,
    FunctionType,
    Parameter,
    constraint_of,
    function_type_of,
)
from wengert.api.function.quick_calls import (
    are_alike,
    arrangement,
    has_parts,
    key_among_others,
    key_beside_devices,
    key_of_tensors,
)
from wengert.api.function.signatures import (
    Inputs,
    bound_to_trace,
    check_constraints,
    match_signature,
    named,
)
from wengert.api.function.stand_ins import IdentityAskedError, StandIn, replaced
from wengert.api.function.trace_cache import MOST, Retracing, Traces
from wengert.api.gradients.stabilizing import stabilize as stabilized
from wengert.api.gradients.user_gradient import named_after, signature_of
from wengert.core.context import (
    activate,
    graph_around,
    override_rows,
    rules_within,
    thread,
    with_top,
)
from wengert.core.layer import Layer
from wengert.core.row import place
from wengert.engines.numpy_engine import NumpyPlan
from wengert.errors import SymbolicValueError, noted
from wengert.execution.engine_registry import checked_engine
from wengert.execution.plan import Plan, given_value
from wengert.execution.subgraph import Subgraph
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.graph_builder import PLACEHOLDER
from wengert.graph.tracing import as_output, restore, snapshot
from wengert.host.collector import uncollected
from wengert.host.locks import TRACING, load_module
from wengert.ops.arrays.identity import identity
from wengert.state.cell import new_resource
from wengert.state.variable import Variable, around_functions
from wengert.values import nest
from wengert.values.composite import Composite
from wengert.values.on_device import Settings
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor, wrap
from wengert.values.type_spec import TensorSpec, TypeSpec, spec_of
from wengert.values.value import Value

if TYPE_CHECKING:
    from wengert.execution.description import Description
    from wengert.graph.graph import Graph


_NUMBERS: Final = itertools.count()  # of traces


class ConcreteFunction:
    """One trace of a function: the graph for one input signature."""

    def __init__(
        self,
        name: str,
        subgraph: Subgraph,
        structure: Any,
        there: list[bool],
        inputs: Inputs,
        specs: Sequence[TypeSpec],
        tensors: Sequence[TensorSpec],
        stand_ins: Sequence[Variable],
        signature: inspect.Signature | None,
    ) -> None:
        self._stand_ins = list(stand_ins)
        self._specs = list(specs)
        self._tensor_specs = list(tensors)
        self._inputs = inputs.outlined()
        self._signature = signature
        self.name = name
        self._number = next(_NUMBERS)
        self._subgraph = subgraph
        self._structure = structure
        self._there = there
        self._arrangement = arrangement(structure, there)
        self._captures = subgraph.graph._captures
        self._is_single = there == [True] and not has_parts(structure)

    @property
    def graph(self) -> FunctionGraph:
        """The graph of the trace."""
        return self._subgraph.graph

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The placeholders of the graph: those of the arguments, then those of captured tensors."""
        return self.graph.all_inputs

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The output tensors of the graph, flat."""
        return self.graph.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors and variables that the function captured from outside, in order."""
        return [v for v in self.graph.captured if not isinstance(v, StandIn)]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function captured."""
        return tuple(v for v in self.captured_inputs if isinstance(v, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The captured variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def structured_input_signature(self) -> Any:
        """The arguments and keyword arguments, with a spec in place of each tensor."""
        rest = iter(self._tensor_specs)
        named_specs = []
        for spec in self._specs:
            parts = [next(rest) for _ in spec._parts()]
            named_specs.append(spec if nest.is_composite(spec) else parts[0])
        return self._inputs.with_values(named_specs)

    @property
    def structured_outputs(self) -> Any:
        """The structure of the result, with the graph's tensors in it."""
        return self._packed(self.outputs)

    @property
    def _output_specs(self) -> Any:
        """The structure of the result, with a spec in place of each tensor."""
        results = nest.flatten(self._packed(self.outputs))
        specs = [spec_of(y) if isinstance(y, (Tensor, Composite)) else y for y in results]
        return nest.pack_sequence_as(self._structure, specs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the trace. Arguments that are not tensors keep the values they were traced with."""
        try:
            tensors, variables = bound_to_trace(
                f"__inference_{self.name}_{self._number}",
                self._signature,
                self._inputs,
                self._tensor_specs,
                args,
                kwargs,
            )
        except TypeError as error:
            raise self._misfit(error, args, kwargs) from None
        return self.call(tensors, variables)

    def _misfit(self, cause: TypeError, args: Sequence[Any], kwargs: dict[str, Any]) -> TypeError:
        """The error that arguments do not fit this trace."""
        names = [str(s.name) for s in self._tensor_specs]
        flat = flat_misfit(self.name, names, args, kwargs)
        shown = self.pretty_printed_signature(verbose=False)
        more = f"\nFallback to flat signature also failed due to: {flat}" if flat else ""
        error = binding_error(cause, args, kwargs, shown, more)
        return noted(error, "Call the function itself, which traces what is new.")

    def call(self, tensors: Sequence[Any], variables: Sequence[Variable] = ()) -> Any:
        """Run the graph on tensors for its own inputs; the result has the function's structure."""
        results = self._subgraph([*tensors, *self._captured_with(variables)])
        return self._packed(results)

    def _captured_with(self, variables: Sequence[Variable]) -> list[Any]:
        """What was captured, with these variables in the places of their stand-ins."""
        captured = self.graph.captured
        return replaced(captured, self._stand_ins, variables) if self._stand_ins else captured

    def uses(self, variables: Sequence[Variable]) -> bool:
        """Whether it captured one of these variables itself, which are its arguments as well."""
        return any(value is v for value in self.graph.captured for v in variables)

    def quick(self, args: Sequence[Any]) -> Any:
        """A call with plain tensors that nothing records: straight to the compiled plan."""
        if self._subgraph.on_device:
            given = [*args, *self._subgraph.graph.captured] if self._captures else args
            made = self._subgraph.run_on_tensors(given)
            return made[0] if self._is_single else self._arranged(made)
        values = [x._array for x in args]
        if self._captures:
            values += [given_value(v) for v in self.graph.captured]
        found = self._subgraph.run_on(values)
        if self._is_single:
            return wrap(found[0])
        return self._arranged([wrap(y) for y in found])

    def _arranged(self, made: list[Tensor]) -> Any:
        if self._arrangement is None:
            return None if self._structure is None else self._packed(made)
        return self._arrangement(made)

    def _packed(self, results: Sequence[Any]) -> Any:
        given = iter(results)
        return nest.with_tensors(self._structure, [next(given) if t else None for t in self._there])

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Accepted: a graph finds the functions that it calls."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Accepted: a gradient is traced when it is asked for."""

    def plan(self) -> Description:
        """The execution plan, step by step: loops, matrix products, bytes moved, arithmetic.

        >>> f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * x))
        >>> plan = f.get_concrete_function(tf.TensorSpec([1000], tf.float32)).plan()
        >>> [(step["kind"], step["size"], step["bytes"]) for step in plan.steps]
        [('loop', [1, 1000], 4004)]
        """
        return self.plan_for(self._tensor_specs)

    def plan_for(
        self, given: Sequence[Tensor | TensorSpec], variables: Sequence[Variable] = ()
    ) -> Description:
        """The execution plan of a call with tensors and variables like these, for their sizes."""
        is_known = len(variables) == len(self._stand_ins)
        if not is_known or not all(x.shape.is_fully_defined() for x in given):
            return self._subgraph.describe(self.name)
        arrays = [np.broadcast_to(np.zeros((), x.dtype.numpy_dtype), tuple(x.shape)) for x in given]
        captured = map(given_value, self._captured_with(variables))
        return self._subgraph.describe(self.name, [*arrays, *captured])

    def __repr__(self) -> str:
        shown = self.pretty_printed_signature(verbose=False)
        return f"<ConcreteFunction {shown} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The parameters, the result and the captures, in lines; or the first two, in one line.

        >>> f = tf.function(lambda x: x * 2.0)
        >>> print(f.get_concrete_function(tf.constant(1.0)).pretty_printed_signature())
        Input Parameters:
          x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)
        Output Type:
          TensorSpec(shape=(), dtype=tf.float32, name=None)
        Captures:
          None
        """
        if verbose:
            return repr(self.function_type)
        args, kwargs = self.structured_input_signature
        return in_one_line(self._signature, args, kwargs, self._output_specs)

    @property
    def function_type(self) -> FunctionType:
        """What it takes, returns and captures.

        >>> f = tf.function(lambda x, y=2: x * y).get_concrete_function(tf.constant(1.0))
        >>> f.function_type.parameters["x"].type_constraint, f.function_type.output
        (TensorSpec(shape=(), dtype=tf.float32, name=None), TensorSpec(shape=(), dtype=tf.float32, name=None))
        """
        args, kwargs = self.structured_input_signature
        given = [
            Parameter(name, getattr(inspect.Parameter, kind), False, constraint_of(value))
            for name, kind, value in parameters(self._signature, args, kwargs)
        ]
        captures = {id(v): capture_spec(v) for v in self.captured_inputs}
        return FunctionType(given, captures, constraint_of(self._output_specs))

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, nested as these are."""
        return nest.map_structure(
            lambda s: getattr(s, "shape", TensorShape(None)), self._output_specs
        )

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, nested as these are."""
        return nest.map_structure(lambda s: getattr(s, "dtype", None), self._output_specs)


class Function:
    """What `tf.function` returns: a Python function that is traced to graphs."""

    __name__: str

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        reduce_retracing: bool = False,
        jit_compile: bool | None = None,
        name: str | None = None,
        stabilize: bool = False,
        autograph: bool = True,
        engine: str | None = None,
    ) -> None:
        if jit_compile not in (None, True, False):
            raise ValueError(f"jit_compile must be True, False or None, got {jit_compile!r}.")
        if not isinstance(input_signature, (tuple, list, type(None))):
            raise TypeError(
                "input_signature must be either a tuple or a list, got "
                f"{type(input_signature).__name__}: {input_signature!r}."
            )
        self._python_function = python_function
        self._signature = signature_of(python_function)
        self._input_signature = None if input_signature is None else tuple(input_signature)
        if self._input_signature is not None and self._signature is not None:
            check_constraints(self._signature, self._input_signature)
        self._reduce_retracing = reduce_retracing
        self.jit_compile = jit_compile
        self._engine = checked_engine(engine) or _ENGINES[jit_compile]
        self._stabilize = stabilize
        self._autograph = bool(autograph)
        self._name = str(name or getattr(python_function, "__name__", "function"))
        self._traces = Traces()
        self._quick: dict[Any, ConcreteFunction] = {}  # by shapes and dtypes of plain tensors
        self._count = 0
        self._was_traced = False
        self._makes_variables = False
        self._retracing = Retracing()
        self._by_form = True  # whether a trace serves all variables of one form
        self._descriptor_cache: weakref.WeakKeyDictionary[Any, Function] = (
            weakref.WeakKeyDictionary()
        )
        named_after(self, python_function)
        if self._signature is not None:
            self.__signature__ = self._signature  # for inspect.getfullargspec
        _Running.functions.add(self)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function that is traced."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        """The `input_signature` that was given; None if there is none."""
        return self._input_signature

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with what an `input_signature` says of them."""
        return function_type_of(self._signature, self._input_signature)

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters, as `inspect.getfullargspec` says them."""
        return FunctionSpec(self._python_function, self._input_signature)

    @property
    def name(self) -> str:
        """The name of the function, with which its traces are named."""
        return self._name

    def experimental_get_tracing_count(self) -> int:
        """The number of times the Python function has been traced."""
        return self._count

    # ---- calls -------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the trace for these arguments, tracing first if there is none."""
        context = thread.context
        key, tensors = None, args
        if not context.overrides and context.building is None:
            if not kwargs:
                key = key_of_tensors(args) if not Settings.tensors else key_beside_devices(args)
            if key is None:
                key, tensors = key_among_others(args, kwargs)
        if key is not None:
            concrete = self._quick.get(key)
            if concrete is not None:
                self._retracing.calls += 1
                quickly = context.listeners == ()
                return concrete.quick(tensors) if quickly else concrete.call(tensors)
        if _Running.eagerly:
            with self._stably():
                return self._python_function(*args, **kwargs)
        inputs, concrete = self._for_call(args, kwargs)
        is_quick = key is not None and not inputs.variables
        if is_quick and are_alike(inputs.tensors, tensors):
            if len(self._quick) >= MOST:
                self._quick.clear()
            self._quick[key] = concrete
        active = context.interpreter
        if isinstance(active, Layer) and active.is_in_traces:
            with active.beneath():
                return concrete.call(inputs.tensors, inputs.variables)
        return concrete.call(inputs.tensors, inputs.variables)

    def _for_call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Inputs, ConcreteFunction]:
        """The arguments, and the trace for them; by the identity of variables where that is asked."""
        inputs = self._inputs(args, kwargs)
        try:
            concrete = self._concrete(inputs)
            if not inputs.variables or not concrete.uses(inputs.variables):
                return inputs, concrete
        except IdentityAskedError:
            if any(type(v) is StandIn for v in inputs.variables):
                raise  # the function around it is traced again
        self._by_form = False
        inputs = self._inputs(args, kwargs)
        return inputs, self._concrete(inputs)

    def _stably(self) -> AbstractContextManager[None]:
        return stabilized() if self._stabilize else nullcontext()

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments; a tf.TensorSpec may stand in for a tensor.

        >>> f = tf.function(lambda x: x * x)
        >>> f.get_concrete_function(tf.TensorSpec([], tf.float32))(tf.constant(3.0)).numpy()
        np.float32(9.0)
        """
        return self._for_call(*self._given(args, kwargs))[1]

    def _given(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, by default the input signature."""
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return args, kwargs

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        if save_type == "checkpoint":
            return {}
        return {f"trace_{n}": f for n, f in enumerate(self._list_all_concrete_functions())}

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return self._traces.all()

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces: see `ConcreteFunction.pretty_printed_signature`."""
        traces = self._list_all_concrete_functions()
        return "\n\n".join(trace.pretty_printed_signature(verbose) for trace in traces)

    def plan(self, *args: Any, **kwargs: Any) -> Description:
        """The execution plan of a call with these arguments: its loops, and their source lines.

        >>> f = tf.function(lambda x, w: tf.nn.relu(tf.matmul(x, w) + 1.0))
        >>> [step["kind"] for step in f.plan(tf.ones([8, 4]), tf.ones([4, 3])).steps]
        ['product']
        """
        inputs, concrete = self._for_call(*self._given(args, kwargs))
        return concrete.plan_for(inputs.tensors, inputs.variables)

    def __get__(self, instance: object, owner: Any = None) -> Callable[..., Any]:
        """As a method: a function of its own for each object."""
        if instance is None:
            return self
        try:
            if instance not in self._descriptor_cache:
                self._descriptor_cache[instance] = self._for(instance)
            return self._descriptor_cache[instance]
        except TypeError:  # an object that cannot be hashed or referred to weakly
            return self._for(instance)

    def _for(self, instance: object) -> Function:
        owner = weakref.ref(instance)

        @functools.wraps(self._python_function)
        def method(*args: Tensor, **kwargs: Any) -> Tensor:
            function = self._python_function if _Running.eagerly else self._to_trace()
            result: Tensor = function(owner(), *args, **kwargs)
            return result

        method.__signature__ = _without_first(self._signature)  # type: ignore[attr-defined]
        return Function(
            method,
            self._input_signature,
            self._reduce_retracing,
            self.jit_compile,
            self._name,
            self._stabilize,
            self._autograph,
            self._engine,
        )

    def _to_trace(self) -> Callable[..., Any]:
        """The Python function; with branches and loops that take tensors, unless told not to."""
        if not self._autograph:
            return self._python_function
        made: Callable[..., Any] = load_module("wengert.api.autograph.calls").converted(
            self._python_function
        )
        return made

    def _inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Inputs:
        """The arguments in the order of the parameters, with the defaults."""
        if self._signature is None:
            return self._matched(args, kwargs)
        try:
            filled = self._signature.bind(*args, **kwargs)
            filled.apply_defaults()
            return self._matched(filled.args, filled.kwargs)
        except TypeError as error:
            shown = parameters_text(self._signature, self._input_signature)
            raise noted(
                binding_error(error, args, kwargs, shown),
                f"It is {self!r}.",
            ) from None

    def _matched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Inputs:
        if self._input_signature is None:
            return Inputs(args, kwargs, by_form=self._by_form)
        return match_signature(self._name, self._input_signature, args, kwargs, self._by_form)

    # ---- traces ------------------------------------------------------------------------------

    def _concrete(self, inputs: Inputs) -> ConcreteFunction:
        outer = graph_around()
        key = (inputs.key, _around(outer))
        self._retracing.calls += 1
        found: ConcreteFunction | None = self._known(outer, key, inputs.specs)
        if found is not None:
            return found
        with TRACING:
            found = self._known(outer, key, inputs.specs)  # another thread may have traced it
            return uncollected(self._new, outer, key, inputs) if found is None else found

    def _known(
        self, outer: FunctionGraph | None, key: Hashable, specs: Sequence[TypeSpec]
    ) -> ConcreteFunction | None:
        """The trace for such arguments, also among those that use values of `outer`."""
        found = self._traces.find(key, specs)
        if found is None and outer is not None and self in outer.traces:
            found = outer.traces[self].find(key, specs)
        return found

    def _new(
        self, outer: FunctionGraph | Graph | None, key: Hashable, inputs: Inputs
    ) -> ConcreteFunction:
        specs = list(self._input_signature_specs() or inputs.specs)
        latest = self._traces.latest(key) if self._reduce_retracing else None
        if latest is not None:
            pairs = zip(specs, latest, strict=True)
            specs = [a.most_specific_common_supertype([b]) or a for a, b in pairs]
        concrete = self._traced_for_good(inputs, specs)
        self._was_traced = True
        traces = self._traces
        if outer is not None and (_is_session_s(outer) or not concrete.graph.leave_outer()):
            traces = outer.traces.setdefault(self, Traces())
        if traces.add(key, specs, concrete):
            self._quick.clear()  # it may hold the evicted trace
        self._forget_with(traces, key, inputs.objects)
        if outer is None:
            self._retracing.traced(self, inputs.outlined())
        return concrete

    def _forget_with(self, traces: Traces, key: Hashable, objects: Sequence[Any]) -> None:
        """Drop the trace when one of the objects that it was made for is garbage-collected."""
        owner = weakref.ref(traces)

        def forget() -> None:
            there = owner()
            if there is not None:
                there.forget(key)

        for value in objects:
            weakref.finalize(value, forget).atexit = False

    def _input_signature_specs(self) -> list[TypeSpec] | None:
        return None if self._input_signature is None else nest.flatten(self._input_signature)

    def _traced_for_good(self, inputs: Inputs, specs: Sequence[TypeSpec]) -> ConcreteFunction:
        """The trace that is run: a second one where the first made variables, since those are kept."""
        first = not self._was_traced  # a failed trace does not count
        concrete = self._traced(inputs, specs)
        if not concrete.graph.made_variables:
            return concrete
        if not first:
            made = [v.name for v in concrete.graph.made_variables]
            raise ValueError(
                "Creating variables on a non-first call to a function decorated with tf.function: "
                f"{self._name} made {made}."
            )
        self._was_traced = self._makes_variables = True
        return self._traced(inputs, specs)

    def _traced(self, inputs: Inputs, specs: Sequence[TypeSpec]) -> ConcreteFunction:
        self._count += 1
        graph = FunctionGraph(self._name, graph_around(), goes_on=False)
        graph.engine = self._engine
        graph.may_make_variables = not self._makes_variables
        graph.arguments = inputs.tensors
        before = snapshot()
        tensors = named(specs, self._signature, inputs)
        stand_ins = [StandIn(v) for v in inputs.variables]
        try:
            top = with_top(graph)
            with activate((), top), override_rows(thread.context.overrides), self._stably():
                given = [_input_for(graph, spec) for spec in tensors]
                args, kwargs = inputs.with_tensors(specs, given, stand_ins)
                returned = self._to_trace()(*args, **kwargs)
                outputs = [self._output(graph, leaf) for leaf in nest.tensors_of(returned)]
                results = [y for y in outputs if y is not None]
                # As in TensorFlow's graphs. Nothing computes them: the plan is of the results.
                graph.outputs = [identity(y) for y in results]
        except SymbolicValueError as error:
            if self._autograph:
                load_module("wengert.api.autograph.calls").explain(error)
            raise
        finally:
            graph.arguments = ()
            restore(before)
        subgraph = Subgraph(graph, results)
        return ConcreteFunction(
            self._name, subgraph, returned, [y is not None for y in outputs], inputs, specs,
            tensors, stand_ins, self._signature,
        )  # fmt: skip

    def _output(self, graph: FunctionGraph, leaf: Any) -> Any:
        try:
            return as_output(graph, leaf)
        except SymbolicValueError:
            raise
        except (ValueError, TypeError) as error:
            if isinstance(leaf, (Value, np.ndarray)):
                raise
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                "Tensors or ExtensionTypes or None values; in compilation of "
                f"{self._python_function!r}, found return value of type {type(leaf).__name__}, "
                f"which is not a Tensor or ExtensionType: {leaf!r}."
            ) from error

    def __repr__(self) -> str:
        return f"<tf.function {self._name} at {place(self._python_function)}>"


def _is_session_s(graph: FunctionGraph | Graph) -> bool:
    """Whether a graph is one that sessions run, or a function within it."""
    return around_functions(graph) is not None


def _around(outer: FunctionGraph | Graph | None) -> Any:
    """The part of a trace's key that comes from the rules in force and the surrounding graph."""
    rules = rules_within()
    if outer is not None and _is_session_s(outer):
        return id(outer), rules  # such a trace belongs to that graph
    seed = None if outer is None else outer.seed
    return (rules, seed) if rules or seed else None


# By the value of `jit_compile`.
_ENGINES: Final = {None: None, True: "native", False: "numpy"}


def _input_for(graph: FunctionGraph, spec: TensorSpec) -> SymbolicTensor:
    shape = None if spec.shape.rank is None else list(spec.shape)
    return graph.input(shape, spec.dtype.numpy_dtype, spec.name or "args")


def _without_first(signature: inspect.Signature | None) -> Any:
    if signature is None:
        return None
    return signature.replace(parameters=list(signature.parameters.values())[1:])


@overload
def function(
    func: Callable[..., Any],
    input_signature: Sequence[Any] | None = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: object = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: object = ...,
    *,
    stabilize: bool = ...,
    engine: str | None = ...,
) -> Function: ...
@overload
def function(
    func: None = None,
    input_signature: Sequence[Any] | None = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: object = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: object = ...,
    experimental_relax_shapes: object = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: object = ...,
    *,
    stabilize: bool = ...,
    engine: str | None = ...,
) -> Callable[[Callable[..., Any]], Function]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: object = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: object = None,
    *,
    stabilize: bool = False,
    engine: str | None = None,
) -> Function | Callable[[Callable[..., Any]], Function]:
    """Trace a Python function to a graph, once per input signature, and run the graph instead.

    >>> @tf.function
    ... def f(x):
    ...     print("tracing")
    ...     return x * x
    >>> f(tf.constant(2.0)).numpy(), f(tf.constant(3.0)).numpy()
    tracing
    (np.float32(4.0), np.float32(9.0))

    With `stabilize=True` formulas of the function that overflow or lose digits are computed by equal
    ones that do not: see `tf.debugging.stabilize`.

    >>> f = tf.function(lambda x: tf.math.log(1.0 + tf.exp(x)), stabilize=True)
    >>> f(tf.constant(1000.0)).numpy()
    np.float32(1000.0)

    `engine` chooses what computes this function, by a name that `tf.config.set_engine` takes:
    "numpy", "native" or "xla". It takes precedence over `jit_compile`.
    """

    def decorated(python_function: Callable[..., Any]) -> Function:
        return Function(
            python_function,
            input_signature,
            reduce_retracing or bool(experimental_relax_shapes),
            jit_compile if experimental_compile is None else experimental_compile,
            stabilize=stabilize,
            autograph=autograph,
            engine=engine,
        )

    return decorated if func is None else decorated(func)


def evaluate(value: Tensor) -> Tensor:
    """The value of a tensor in a function's graph, for the arguments that it is first traced for."""
    if not isinstance(value, SymbolicTensor):
        return value
    graph = value.op.graph
    feeds, values = list(graph.captured_inputs), list(graph.captured)
    arguments = dict(zip(map(id, graph.inputs), graph.arguments, strict=False))
    asked = [op.outputs[0] for op in Plan([value], feeds).steps if op.row is PLACEHOLDER]
    told = [arguments.get(id(x)) for x in asked]
    if not all(isinstance(v, Value) for v in told):
        raise ValueError(
            "Tensor-typed variable initializers must either be wrapped in an init_scope or "
            f"callable: {value!r} depends on an argument of the function."
        )
    feeds, values = [*feeds, *asked], [*values, *told]
    plan = Plan([value], feeds)
    given = [given_value(evaluate(v)) for v in values]
    given += [new_resource(op) for op in plan.resources]
    with activate((), None):
        return wrap(NumpyPlan(plan)(given)[0])


class _Running:
    eagerly = False
    functions: Final[weakref.WeakSet[Function]] = weakref.WeakSet()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make every tf.function run its Python code eagerly, line by line, for debugging.

    >>> f = tf.function(lambda x: print("Python runs") or x)
    >>> tf.config.run_functions_eagerly(True)
    >>> f(1), f(2)
    Python runs
    Python runs
    (1, 2)
    >>> tf.config.run_functions_eagerly(False)
    """
    _Running.eagerly = bool(run_eagerly)
    for function in tuple(_Running.functions):
        function._quick.clear()


def functions_run_eagerly() -> bool:
    """Whether every tf.function runs its Python code eagerly.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return _Running.eagerly
