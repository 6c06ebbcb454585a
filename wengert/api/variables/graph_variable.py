"""Variables of a graph: each session has its own values for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from wengert.api.variables.variable_def import take_message, variable_message
from wengert.core.context import activate, current_graph, note_access
from wengert.core.dispatch import apply
from wengert.graph.graph import Graph
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.graph.operation import Operation
from wengert.host.locks import load_module
from wengert.ops.arrays.identity import READ, identity
from wengert.ops.control.effects import group
from wengert.ops.state.assignments import IS_INITIALIZED, assign_later
from wengert.state.replicas import replication
from wengert.state.variable import Variable, check_constraint, check_initial_shape, is_trained
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import SymbolicTensor
from wengert.values.tensor import Tensor

if TYPE_CHECKING:
    from wengert.api.session.session import Session
    from wengert.values.dtypes import DType
    from wengert.values.typing import DTypeLike, ShapeLike, TensorLike


class GraphKeys:
    """The names of the standard graph collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    QUEUE_RUNNERS = "queue_runners"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    EVAL_STEP = "eval_step"


class GraphVariable(Variable):
    """A variable of a graph: what `tf.Variable` returns in graph mode."""

    __slots__ = (
        "_caching_device",
        "_graph",
        "_handle",
        "_initial_value",
        "_snapshot",
        "initializer",
        "uses_resource",
    )
    _handle: SymbolicTensor

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Iterable[Any] | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        expected_shape: ShapeLike | None = None,
        import_scope: object = None,
        constraint: Callable[..., Any] | None = None,
        use_resource: bool | None = None,
        synchronization: object = None,
        aggregation: object = None,
        shape: ShapeLike | None = None,
    ) -> None:
        if variable_def is not None:
            self._of_message(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError(
                "initial_value must be specified. tf.Variable in a graph needs the value that its "
                "initializer gives it, or a function that returns it."
            )
        check_constraint(constraint)
        graph = current_graph()
        scope = graph.names.scope
        while graph.is_function:
            graph = graph.outer_graph
        self._graph: Graph = graph
        if not validate_shape:
            shape = TensorShape(None)
        with activate((), graph), graph.control_dependencies(None), graph.names.scoped(scope):
            self._make(initial_value, name, None if dtype is None else as_dtype(dtype), shape)
        self.trainable = is_trained(trainable, synchronization)
        self.constraint = constraint
        self.synchronization, self.aggregation = replication(synchronization, aggregation)
        self._caching_device = caching_device
        # Read only by the error of tf.custom_gradient.
        self.uses_resource = use_resource is not False
        self._collect(collections)

    def _make(
        self,
        initial_value: TensorLike,
        name: str | None,
        dtype: DType | None,
        shape: ShapeLike | None,
    ) -> None:
        graph = self._graph
        with graph.names.scoped(name or "Variable") as scope:
            with graph.names.scoped("Initializer"):
                value = initial_value() if callable(initial_value) else initial_value
            tensor = convert(value, dtype)
            if type(tensor) is SymbolicTensor and tensor.op.graph is graph:
                self._initial_value: Tensor = tensor
            else:
                self._initial_value = graph.entered(tensor)
            check_initial_shape(self._initial_value.shape, shape)
            self._shape = TensorShape(self._initial_value.shape if shape is None else shape)
            self._set_handle(scope, self._initial_value.dtype)
            self.initializer = assign_later(self, "assign", self._initial_value)

    @classmethod
    def of_file(cls, graph: Graph, name: str, dtype: DType, shape: TensorShape) -> GraphVariable:
        """A variable of a graph that is read from a file: a handle, to which other nodes give a value."""
        made: GraphVariable = cls.__new__(cls)
        made._graph = graph
        made._shape = shape
        with graph.names.scoped(name) as scope:
            made._set_handle(scope, dtype)
        made._initial_value = made.initializer = None  # type: ignore[assignment]
        made.trainable = made.uses_resource = True
        made.constraint = made._caching_device = None
        made.synchronization, made.aggregation = replication(None, None)
        return made

    def _of_message(self, proto: Any, import_scope: object) -> None:
        """Be the variable whose nodes are in the graph already."""

        def named(name: str) -> str:
            return f"{import_scope}/{name}" if import_scope else name

        self._graph = current_graph()
        handle: Any = self._graph.as_graph_element(named(proto.variable_name))
        self._handle = handle
        self._shape = TensorShape(handle.op.get_attr("shape"))
        self._name_as(handle.op.name)
        self.constraint = self._caching_device = None
        self.uses_resource = proto.is_resource
        self._initial_value = None  # type: ignore[assignment]
        take_message(self, proto, named)

    def _set_handle(self, scope: str, dtype: DType) -> None:
        attrs = {"dtype": dtype, "shape": self._shape}
        known = None if self._shape.rank is None else tuple(self._shape)
        form = [(known, dtype.numpy_dtype)]
        node = self._graph.add(VAR_HANDLE, (), attrs, scope, form)
        self._handle = node.outputs[0]
        self._name_as(scope[:-1])

    def _name_as(self, name: str) -> None:
        self._array = self._handle._array
        self._key = self._handle._key
        self._handle_name = f"{name}:0"
        self._snapshot: Any = None

    def _collect(self, collections: Iterable[Any] | None) -> None:
        names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self.trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
            names.append(GraphKeys.TRAINABLE_VARIABLES)
        self._graph.add_to_collections(names, self)

    # ---- what it is --------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph that the variable belongs to."""
        return self._graph

    @property
    def op(self) -> Operation:
        """The operation that makes the variable's handle."""
        operation: Operation = self._handle.op
        return operation

    @property
    def handle(self) -> Tensor:
        """The handle of the variable, a resource tensor."""
        return self._handle

    @property
    def device(self) -> str:
        """The device of the handle; the empty string if none was asked for."""
        return str(self._handle.op.device)

    @property
    def initial_value(self) -> Tensor:
        """The tensor that initializes the variable."""
        return self._initial_value

    def _ref(self) -> SymbolicTensor:
        """What old operations on variables take."""
        return self._handle

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The variable as a VariableDef; None if it lies outside of the scope that is exported."""
        inside = f"{export_scope}/" if export_scope else ""
        if not self._handle_name.startswith(inside):
            return None
        return variable_message(self, lambda name: name.removeprefix(inside))

    @property
    def _in_graph_mode(self) -> bool:
        return True

    def handle_in(self, graph: Any) -> SymbolicTensor:
        """The handle as a tensor of a graph: the variable's own, or a function's within it."""
        if graph is self._graph:
            return self._handle
        return graph.capture(self._handle)  # type: ignore[no-any-return]

    def _as_graph_element(self) -> SymbolicTensor:
        """What a session fetches when it is asked for the variable."""
        if self._snapshot is None:
            graph = self._graph
            scope = graph.names.scoped(f"{self.op.name}/Read/")
            outside = graph.control_dependencies(None)
            with activate((), graph), graph.reopened(), outside, scope, self._where_cached():
                self._snapshot = apply(READ, (self,))
        return self._snapshot  # type: ignore[no-any-return]

    @contextmanager
    def _beside_handle(self) -> Iterator[None]:
        """What changes a variable that is no resource runs where the variable is."""
        if self.uses_resource or current_graph() is not self._graph:
            yield
            return
        graph = self._graph
        with graph.colocate_with(self._handle.op), graph.device(None), graph.device(self.device):
            yield

    def _where_cached(self) -> Any:
        """The device of the copy that readers share."""
        device = self._caching_device
        return self._graph.device(device) if device else nullcontext()

    # ---- its value ---------------------------------------------------------------------------

    def read_value(self) -> Tensor:
        """The value of the variable, read by an operation of its graph."""
        note_access(self)
        if current_graph() is None:
            with activate((), self._graph):
                return apply(READ, (self,))  # type: ignore[no-any-return]
        return apply(READ, (self,))  # type: ignore[no-any-return]

    def value(self) -> Tensor:
        """The value; one copy for all readers, where a device was given for it."""
        return self._as_graph_element() if self._caching_device else self.read_value()

    def numpy(self) -> Any:
        """Not available in graphs: raises NotImplementedError."""
        raise NotImplementedError(
            "numpy() is only available when eager execution is enabled: the value of "
            f"'{self._handle_name}' lives in a session. Use sess.run(variable)."
        )

    def eval(self, session: Session | None = None) -> Any:
        """The value in a session, by default the default session."""
        return self._graph.session_for(session, "eval()").run(self)

    def load(self, value: TensorLike, session: Session | None = None) -> None:
        """Set the value in a session."""
        chosen = self._graph.session_for(session, "eval()")
        chosen.run(self.initializer, {self.initializer.inputs[1]: value})

    def initialized_value(self) -> Tensor:
        """The value, or the initial value if it has none yet."""
        there = apply(IS_INITIALIZED, (self,))
        choose = load_module("wengert.ops.control.cond").cond
        result: Tensor = choose(there, self.read_value, lambda: identity(self._initial_value))
        return result

    def is_initialized(self, name: str | None = None) -> Any:
        """A tensor that says whether the variable is initialized in the session."""
        return apply(IS_INITIALIZED, (self,))

    def _assigned_later(self, method: str, tensor: Tensor, read_value: bool) -> Any:
        graph = current_graph()
        with self._beside_handle():
            changed = assign_later(self, method, tensor)
            if not read_value:
                return changed
            if graph.is_function:
                return self
            with graph.control_dependencies([changed]):
                return identity(apply(READ, (self,)), name=method.title().replace("_", ""))

    def __deepcopy__(self, memo: object) -> Any:
        raise NotImplementedError(
            "__deepcopy__() is only available when eager execution is enabled."
        )

    def __iter__(self) -> Any:
        raise TypeError(
            f"'Variable' object is not iterable: iterating over {self!r} is not allowed in Graph "
            "mode. Use tf.unstack, tf.map_fn or tf.while_loop."
        )

    def __hash__(self) -> int:
        return id(self)  # equality is identity in a graph

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} belongs to a graph and cannot be pickled.")

    def __repr__(self) -> str:
        kind = self.dtype.name if self.uses_resource else f"{self.dtype.name}_ref"
        return f"<tf.Variable '{self._handle_name}' shape={self._shape} dtype={kind}>"


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation | None:
    """An operation that gives variables their initial values."""
    return group(*[v.initializer for v in var_list if v.graph is not None], name=name)
