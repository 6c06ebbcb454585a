"""Graphs: computations that are built first and run later."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, nullcontext
from typing import Any, ClassVar

from wengert.core.context import activate, current_graph, override_rows, thread, with_top
from wengert.core.table import row_of
from wengert.graph.devices import as_device
from wengert.graph.exchange import exchange
from wengert.graph.graph_builder import Builder, Control
from wengert.graph.operation import Operation
from wengert.host.context_manager import Change, context_manager, enter
from wengert.host.spelling import words_near
from wengert.host.thread_state import ThreadState
from wengert.overrides.row_override import rules_by_type
from wengert.values import nest
from wengert.values.dtypes import as_dtype
from wengert.values.symbolic import SymbolicTensor
from wengert.values.value import Value


class Defaults(ThreadState):
    """The default session of a thread, innermost last."""

    sessions: list[Any]
    first: ClassVar = {"sessions": list}


defaults = Defaults()


class Graph(Builder):
    """A computation as a list of operations, to be run by a session.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     y = tf.constant(2.0) * 3.0
    >>> tf.compat.v1.Session(graph=g).run(y)
    np.float32(6.0)
    """

    is_function: ClassVar[bool] = False
    is_control_flow_graph = False  # of a branch or a loop
    stands_for_eager = False  # what a program without graphs has for its default graph
    # What tf.Variable makes while this graph is the default one; set where that is declared.
    variable_class: ClassVar[Any] = None

    def __init__(self) -> None:
        super().__init__()
        self.collections: dict[Any, list[Any]] = {}
        # The constants that would be others at other sizes, and what they would be: `execution.open_forms`.
        self.open_constants: dict[Any, Any] = {}
        self._unfeedable: dict[int, Any] = {}  # by id
        self._unfetchable: dict[int, Operation] = {}
        self._gradients: str | None = None  # what rules of gradients note
        self._originals: list[list[Any]] = []  # first operation, the one behind the last, made for
        # By the name of an operation: with what it belongs, and whether with that alone.
        self.colocations: dict[str, tuple[list[bytes], bool]] = {}
        self.seed: int | None = None
        self.op_seeds = itertools.count()  # for random operations that were given none
        # Traces of functions that use values of this graph, by function.
        self.traces: dict[Any, Any] = {}
        self._versions: Any = None  # of what was imported, as a message
        self.engine: str | None = None  # that computes it, if one was asked for

    @property
    def chosen_engine(self) -> str | None:
        """The engine that was asked for by this graph, or by a surrounding one."""
        return self.engine

    # ---- as the default ----------------------------------------------------------------------

    @context_manager
    def as_default(self) -> tuple[Any, Callable[[], None]]:
        """Operations inside are added to this graph."""
        _, leave = enter(activate((), with_top(self)))
        return self, leave

    def session_for(self, session: Any, what: str) -> Any:
        """The session that is to run something of this graph."""
        if session is None and not defaults.sessions:
            kind = "evaluate tensor using `eval()`" if "eval" in what else "execute operation using `run()`"  # fmt: skip
            raise ValueError(
                f"Cannot {kind}: No default session is registered. Use `with sess.as_default()` or "
                f"pass an explicit session to `{what[:-1]}session=sess)`"
            )
        chosen = session if session is not None else defaults.sessions[-1]
        if chosen.graph is not self:
            raise ValueError(
                f"Cannot use the {'given' if session is not None else 'default'} session to "
                f"{what}: it runs another graph than the one this belongs to. "
                "Pass a session of that graph."
            )
        return chosen

    def _get_control_flow_context(self) -> None:
        """None: branches and loops are operations with graphs of their own."""

    @property
    def building_function(self) -> bool:
        """Whether it is the graph of a function."""
        return self.is_function

    @property
    def outer_graph(self) -> Any:
        """The graph around it: none."""
        return None

    @property
    def version(self) -> int:
        """A number that grows with every operation."""
        return len(self.operations)

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a value may be fed for a tensor."""
        return id(tensor) not in self._unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Refuse values for a tensor from now on."""
        self._unfeedable[id(tensor)] = tensor

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a tensor or an operation may be fetched."""
        return id(getattr(tensor_or_op, "op", tensor_or_op)) not in self._unfetchable

    def prevent_fetching(self, op: Operation) -> None:
        """Refuse to fetch an operation and what it gives from now on."""
        self._unfetchable[id(op)] = op

    @property
    def graph_def_versions(self) -> Any:
        """The versions of the format, as TensorFlow's message VersionDef."""
        if self._versions is None:
            self._versions = exchange.versions()
        return self._versions

    def finalize(self) -> None:
        """No operation can be added any more."""
        self.finalized = True

    def _unsafe_unfinalize(self) -> None:
        """Operations can be added again: for those who know that no session has the graph."""
        self.finalized = False

    def check_not_finalized(self) -> None:
        """Raise an error if the graph was finalized."""
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    @context_manager
    def reopened(self) -> Change:
        """Operations that stand for what is in the graph already may be added all the same."""
        before, self.finalized = self.finalized, False

        def undo() -> None:
            self.finalized = before

        return None, undo

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """A new operation of a type of the table, or of one registered with tf.register_op.

        >>> g = tf.Graph()
        >>> with g.as_default():
        ...     x = tf.constant(3.0)
        >>> g.create_op("Square", [x], name="nine").outputs
        [<tf.Tensor 'nine:0' shape=() dtype=float32>]
        """
        row = row_of(op_type)
        for i, x in enumerate(inputs):
            if not isinstance(x, Value):
                raise TypeError(f"Input #{i} of '{op_type}' is not a tensor: {x!r}")
        _check_dtypes(f"The inputs of '{op_type}'", inputs, input_types)
        with activate(thread.context.recorders, self):
            self.apply(row, list(inputs), attrs or {}, name)
        op = self.operations[-1]
        _check_dtypes(f"The results of '{op_type}'", op.outputs, dtypes)
        return op

    def _create_op_internal(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_device: bool = True,
    ) -> Operation:
        return self.create_op(op_type, inputs, dtypes, input_types, name, attrs)

    # ---- names and places --------------------------------------------------------------------

    def name_scope(self, name: str | None) -> Any:
        """Names of operations inside begin with the scope."""
        return self.names.opened(name)

    def get_name_scope(self) -> str:
        """The name scope that is open."""
        return self.names.scope[:-1]

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no operation has yet."""
        return self.names.unique(name, mark_as_used)

    @context_manager
    def device(self, device_name_or_function: Any) -> Change:
        """Operations inside note the device; there is one, so nothing moves.

        A name adds to that of a device around it; a function gives that of each operation.
        """
        before = self._devices
        self._devices = [*before, as_device(device_name_or_function)]
        return None, lambda: setattr(self, "_devices", before)

    @context_manager
    def _attr_scope(self, attr_map: Any) -> Change:
        """Operations made inside are given attributes: messages, functions of a NodeDef, or None for no more."""
        known = isinstance(attr_map, dict) and all(
            isinstance(name, str)
            and (value is None or callable(value) or exchange.is_message(value))
            for name, value in attr_map.items()
        )
        if not known:
            raise TypeError(
                "attr_map must be a dictionary mapping strings to AttrValue protocol buffers or "
                "callables that emit AttrValue protocol buffers"
            )
        before, after = self._given, self._given | attr_map
        self._given = {name: value for name, value in after.items() if value is not None}
        return None, lambda: setattr(self, "_given", before)

    @context_manager
    def _original_op(self, op: Operation) -> Change:
        """Operations inside are made in place of another, or for it."""
        span = [len(self.operations), None, op]
        self._originals.append(span)

        def note() -> None:
            span[1] = len(self.operations)

        return None, note

    @context_manager
    def noting_gradients(self, colocated: bool) -> Change:
        """Rules of gradients inside note for which operation they add theirs, and whether beside it."""
        before, self._gradients = self._gradients, "beside" if colocated else "noted"
        return None, lambda: setattr(self, "_gradients", before)

    def rule_scope(self, y: Any) -> Any:
        """A scope for what the gradient rule of an operation adds."""
        scope = super().rule_scope(y)
        one = y[0] if isinstance(y, list) and y else y
        if self._gradients is None or type(one) is not SymbolicTensor or one.op.graph is not self:
            return scope
        return self._noted(scope, one.op)

    @contextmanager
    def _noted(self, scope: Any, op: Operation) -> Iterator[None]:
        beside = self.colocate_with(op) if self._gradients == "beside" else nullcontext()
        with scope, self._original_op(op), beside:
            yield

    def original_of(self, op: Operation) -> Operation | None:
        """The operation for which another was made; None if it was made for itself."""
        if not self._originals:
            return None
        at = self.operations.index(op)
        inside = [one for begin, end, one in self._originals if begin <= at < (end or at + 1)]
        return inside[-1] if inside else None

    @context_manager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Change:
        """Operations inside note that they belong with another; there is one place."""
        begin = len(self.operations)
        other = None if op is None else self._operation_here_or_around(op)
        own = [] if other is None else other.colocation_groups()

        def note() -> None:
            for inner in self.operations[begin:]:
                inner.colocated_with(own, other, ignore_existing)

        return None, note

    def _operation_here_or_around(self, op: Any) -> Operation:
        """An operation, or that of a tensor, of this graph or of one in which this one is a body."""
        given, graph = getattr(op, "op", op), self.outer_graph
        while graph is not None:
            if isinstance(given, Operation) and given.graph is graph:
                return given
            graph = graph.outer_graph
        found: Operation = self.as_graph_element(op, allow_tensor=False)
        return found

    @context_manager
    def control_dependencies(self, control_inputs: Any) -> Change:
        """Operations inside run after these; None forgets those of the surrounding contexts."""
        before = self._control
        added = [] if control_inputs is None else [Control(self._operations_of(control_inputs))]
        self._control = added if control_inputs is None else [*before, *added]
        return None, lambda: setattr(self, "_control", before)

    def _operations_of(self, values: Any) -> tuple[Operation, ...]:
        found = []
        for value in list(values) if isinstance(values, (Iterator, Set)) else nest.flatten(values):
            if isinstance(value, (int, float)) or value is None:
                raise TypeError(f"Control input must be Operation or Tensor, not {value!r}")
            parts = value._parts() if nest.is_composite(value) else [value]
            elements = [self.as_graph_element(p) for p in parts if not self._is_outside(p)]
            found += [e.op if type(e) is SymbolicTensor else e for e in elements]
        return tuple(found)

    def _is_outside(self, value: Any) -> bool:
        """Whether a value is already computed when the graph runs."""
        return False

    @context_manager
    def gradient_override_map(self, op_type_map: Any) -> Change:
        """Operations made inside have the gradient that is registered under another name.

        >>> @tf.RegisterGradient("Negated")
        ... def negated(op, grad):
        ...     return -grad
        >>> with tf.Graph().as_default() as g:
        ...     x = tf.constant(3.0)
        ...     with g.gradient_override_map({"Identity": "Negated"}):
        ...         y = tf.identity(x)
        ...     print(tf.compat.v1.Session().run(tf.gradients(y, x)))
        [np.float32(-1.0)]
        """
        before = self.overrides
        rules = rules_by_type(op_type_map)
        eager = self.stands_for_eager and current_graph() is None
        _, leave = enter(override_rows(rules) if eager else nullcontext())
        self.overrides = before | rules

        def undo() -> None:
            self.overrides = before
            leave()

        return None, undo

    # ---- collections -------------------------------------------------------------------------

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Put a value into the collection of a name."""
        self.check_not_finalized()
        self.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Put a value into several collections."""
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list itself that holds a collection."""
        return self.collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """What is in a collection; of a scope, what has a name in it."""
        found = self.collections.get(name, [])
        if scope is None:
            return list(found)
        match = re.compile(scope).match
        return [item for item in found if match(getattr(item, "name", ""))]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that hold something."""
        return [name for name in self.collections if isinstance(name, str)]

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        self.collections.pop(name, None)

    # ---- operations and tensors by name ------------------------------------------------------

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The operations, from a version on, as TensorFlow's message GraphDef.

        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.square(tf.constant(3.0), name="y")
        >>> [(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node]
        [('Const', 'Const', []), ('y', 'Square', ['Const'])]
        """
        return exchange.as_graph_def(self, from_version, add_shapes)

    def get_operations(self) -> list[Operation]:
        """All operations, in the order in which they were added."""
        return list(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        op = self.as_graph_element(name, allow_tensor=False)
        assert isinstance(op, Operation)
        return op

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of a name, `operation:index`."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        tensor = self.as_graph_element(name, allow_operation=False)
        assert isinstance(tensor, SymbolicTensor)
        return tensor

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation of this graph that an object or a name stands for."""
        if not (allow_tensor or allow_operation):
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        kinds = " or ".join(
            word for word, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok
        )
        as_element = getattr(obj, "_as_graph_element", None)
        if as_element is not None:
            obj = as_element()
        if isinstance(obj, str):
            return self._named(obj, allow_tensor, allow_operation, kinds)
        if type(obj) is SymbolicTensor and allow_tensor:
            return self._of_this_graph(obj, obj.op.graph, "Tensor")
        if isinstance(obj, Operation) and allow_operation:
            return self._of_this_graph(obj, obj.graph, "Operation")
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _of_this_graph(self, obj: Any, graph: Any, kind: str) -> Any:
        if graph is not self:
            raise ValueError(f"{kind} {obj!r} is not an element of this graph.")
        return obj

    def _named(self, name: str, allow_tensor: bool, allow_operation: bool, kinds: str) -> Any:
        op_name, colon, index = name.partition(":")
        if not colon:
            if op_name in self._by_name and not allow_operation:
                raise ValueError(
                    f"The name {name!r} refers to an Operation, not a {kinds}. "
                    f'Tensor names must be of the form "<op_name>:<output_index>".'
                )
            if op_name not in self._by_name and not allow_operation:
                raise ValueError(
                    f"The name {name!r} looks like an (invalid) Operation name, not a {kinds}. "
                    f'Tensor names must be of the form "<op_name>:<output_index>".'
                )
            if op_name not in self._by_name:
                raise KeyError(
                    f"The name {name!r} refers to an Operation not in the graph."
                    f"{self._nearest(op_name)}"
                )
            return self._by_name[op_name]
        if not index.isdigit():
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. "
                'Tensor names must be of the form "<op_name>:<output_index>".'
            )
        if not allow_tensor:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {kinds}.")
        op = self._by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, does not exist in the graph.{self._nearest(op_name)}"
            )
        if int(index) >= len(op.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, exists but only has {len(op.outputs)} outputs."
            )
        return op.outputs[int(index)]

    def _nearest(self, name: str) -> str:
        close = words_near(name, self._by_name)
        return f" Names near it: {', '.join(close)}." if close else ""

    def __reduce__(self) -> Any:
        raise TypeError(
            f"cannot pickle '{type(self).__name__}' object: build it again where it is to run"
        )

    def __repr__(self) -> str:
        return f"<tf.{type(self).__name__} of {len(self.operations)} operations>"


def _check_dtypes(what: str, values: Sequence[Any], wanted: Sequence[Any] | None) -> None:
    if wanted is None:
        return
    found = [x.dtype for x in values]
    if found != [as_dtype(d) for d in wanted]:
        raise TypeError(
            f"{what} have the dtypes {[d.name for d in found]}, not "
            f"{[as_dtype(d).name for d in wanted]}."
        )
