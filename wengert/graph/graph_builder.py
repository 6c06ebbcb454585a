"""Building a graph: how operations that come through the door become nodes.

A builder is an interpreter: while it is active in a thread, the door hands it every operation,
and it adds a node. The order of the list is the order of creation, which is an order in which the
nodes can run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Final

from wengert.core.context import thread
from wengert.core.contract import check_gradients
from wengert.core.row import Attrs, Row, place
from wengert.errors import LeakedTensorError, SymbolicValueError
from wengert.graph.devices import Device, chosen
from wengert.graph.names import Names, checked_name, valid
from wengert.graph.operation import Operation
from wengert.host.context_manager import Change, context_manager, enter
from wengert.host.user_frames import callers_frame, replayed_place
from wengert.inference.deferred_calls import put_off, put_off_like
from wengert.inference.shape_inference import check_certain, known_forms
from wengert.values.sizes import Size, Symbol, element_of, evaluate, maximum, only_shapes, size_of
from wengert.values.symbolic import (
    AnyShape,
    Form,
    SymbolicTensor,
    is_certain,
    new_of_form,
    new_symbolic,
    shared_key,
)
from wengert.values.tensor import key_of
from wengert.values.value import Value

_new: Final = object.__new__


def _brought(_: Any, **__: Any) -> Any:
    raise SymbolicValueError("The value is known only when the graph runs.")


CONST: Final = Row("Const", lambda _, *, value, dtype: value)
PLACEHOLDER: Final = Row("Placeholder", _brought)
# Stands for a value of the surrounding program inside a function or a branch.
CAPTURE: Final = Row("Placeholder", _brought)
VAR_HANDLE: Final = Row("VarHandleOp", _brought)


def _around(row: Row, count: int) -> Row:
    """Passes through the first `count` inputs; the gradient is that of `row` for the others."""

    def joint(gs: Any, ys: Any, xs: Sequence[Any], attrs: Attrs) -> list[Any]:
        assert row.joint is not None
        inputs = xs[count:]
        pulled = row.joint(gs, ys, inputs, attrs)
        if row.users:  # here, where the inputs are those that the user passed
            pulled = check_gradients(
                f"The gradient of {row.name}", place(row.joint), inputs, pulled
            )
        return [*[None] * count, *pulled]

    def joint_jvp(ts: Sequence[Any], ys: Any, xs: Sequence[Any], attrs: Attrs) -> Sequence[Any]:
        assert row.joint_jvp is not None
        return row.joint_jvp(ts[count:], ys, xs[count:], attrs)

    def kernel(_: Any, *values: Any, **_attrs: Any) -> Any:
        return values[:count]

    joint.__wrapped__ = row.joint  # type: ignore[attr-defined]  # errors name the user's rule
    vars(kernel)["is_recomputed"] = getattr(row.kernel, "is_recomputed", False)
    return Row(
        row.name,
        kernel,
        joint=joint,
        joint_jvp=joint_jvp if row.joint_jvp is not None else None,
        shape=lambda *shapes, **_: list(shapes[:count]),
        dtype=lambda *dtypes, **_: list(dtypes[:count]),
        many=True,
        users=True,
        passes_slices=row.passes_slices,
        called=row.called,
        closes=True,
    )


class Control:
    """A block of tf.control_dependencies: what runs before, and the ids of what was made inside."""

    __slots__ = ("inside", "operations")

    def __init__(self, operations: tuple[Operation, ...]) -> None:
        self.operations = operations
        self.inside: set[int] = set()


class Builder:
    """Adds a node for every operation."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.names = Names()
        self.overrides: dict[str, Any] = {}
        self.passed_on: dict[str, Any] = {}  # those that hold in branches, loops and functions, too
        self.finalized = False
        self.changes = 0  # to operations added before: plans made earlier are out of date
        self._by_name: dict[str, Operation] = {}
        self._constants: dict[int, tuple[Any, SymbolicTensor]] = {}
        # The local replacements of sizes, and of shapes of unknown rank, of other graphs.
        self.sizes: dict[Any, tuple[Any, Any]] = {}
        # Ids of the tensors whose shape the program stated.
        self.stated: set[int] = set()
        # What is known of lists, by the ids of their tensors (inference/list_elements.py).
        self.elements: dict[int, Any] = {}
        # Whether a call is only traced for the shapes of its results: attributes may then be sizes.
        self.foreseeing = False
        # The forms of results of elementwise operations, by row and input forms.
        self._forms: dict[Any, Form] = {}
        self._control: list[Control] = []
        self._devices: list[Device] = []
        self._given: dict[str, Any] = {}  # attributes that operations are given: see `_attr_scope`
        self.noted: dict[str, dict[str, Any]] = {}  # what they were given, by name

    # ---- the interpreter ---------------------------------------------------------------------

    @property
    def building(self) -> Any:
        """The graph that operations go into: this one."""
        return self

    def apply(self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None) -> Any:
        """Add the node of an operation; its results."""
        if attrs and not self.foreseeing:
            check_certain(attrs)
        xs = [
            x if type(x) is SymbolicTensor and x.op.graph is self else self.entered(x)
            for x in inputs
        ]
        replaced = self._override(row.name)
        if replaced is not None:
            row = replaced(row)
        return self.told(self.add(row, xs, attrs, name), inputs)

    def told(self, op: Operation, inputs: Sequence[Any] | None = None) -> Any:
        """Notify the recorders of a new operation; returns its result, or a list of them.

        They know outside values as they are, not by their captures here.
        """
        result: Any = list(op.outputs) if op.row.many else op.outputs[0]
        for recorder in thread.context.recorders:
            recorder.record(op.row, op.inputs if inputs is None else inputs, op.attrs, result)
            recorder.within(op.scope, op.inputs, result)
        return result

    def _override(self, kind: str) -> Any:
        around = thread.context.overrides
        return (self.overrides.get(kind) or around.get(kind)) if self.overrides or around else None

    def announce(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> Any:
        """Wrap the nodes added for an operation that has a gradient of its own.

        The wrapping node passes the results through, and has the inputs as further inputs, so that
        a sweep finds the way: the gradient goes to the inputs, and none to the nodes inside.
        """
        results = list(result) if row.many else [result]
        given = [*results, *inputs]
        xs = [self.entered(x) for x in given]
        handed_on = self.told(self.add(_around(row, len(results)), xs, attrs), given)
        return handed_on if row.many else handed_on[0]

    def accessed(self, variable: Any) -> None:
        """A variable is being read: its value is a node, which is recorded by itself."""
        pass

    def made_variable(self, variable: Any) -> None:
        """A variable was made; a plain graph does not keep track."""
        pass

    def call(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a public function; what it adds gets its name. Deferred if shapes are missing."""
        name = kwargs.get("name")
        if not isinstance(name, str):
            return self._attempted(function, args, kwargs)

        def attempted(*args: Any, **kwargs: Any) -> Any:
            return self._attempted(function, args, kwargs)

        return self.call_named(attempted, args, kwargs, name)

    def call_named(self, function: Callable[..., Any], args: Any, kwargs: Any, name: str) -> Any:
        """Call it; the operation of the result gets the name, the others are in its scope."""
        if not name:
            return function(*args, **{**kwargs, "name": None})
        before = len(self.operations)
        with self.names.scoped(checked_name(name)) as scope:
            result = function(*args, **{**kwargs, "name": None})
        self._rename(result, before, scope[:-1])
        return result

    def _attempted(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        return self.either(
            lambda: function(*args, **kwargs),
            lambda error: put_off(self, function, args, kwargs, error),
        )

    def call_like(
        self, function: Callable[..., Sequence[Any]], args: Any, asked: list[Any]
    ) -> Sequence[Any]:
        """Call a function that returns a value like each of `asked`; defer it if it must be."""
        found: Sequence[Any] = self.either(
            lambda: function(*args), lambda _: put_off_like(self, function, args, asked)
        )
        return found

    def either(
        self, function: Callable[[], Any], otherwise: Callable[[SymbolicValueError], Any]
    ) -> Any:
        """What a function gives; where it needs what only a run knows, it leaves nothing behind."""
        mark = len(self.operations), self.names.mark()
        try:
            return function()
        except SymbolicValueError as error:
            self._give_up(*mark)
            return otherwise(error)

    def rule_scope(self, y: Any) -> Any:
        """A name scope, after the operation, for what its gradient rule adds."""
        one = y[0] if isinstance(y, list) and y else y
        if type(one) is not SymbolicTensor:
            return nullcontext()
        return self.names.scoped(f"{one.op.name}_grad")

    @context_manager
    def looked_at(self) -> Change:
        """Operations added inside are only for inspection, and are removed at the end."""
        mark = len(self.operations), self.names.mark()
        before, self.foreseeing = self.foreseeing, True
        _, leave = enter(only_shapes())

        def undo() -> None:
            leave()
            self.foreseeing = before
            self._give_up(*mark)

        return None, undo

    def _give_up(self, count: int, names: int) -> None:
        """Remove what was added by a function that turned out to need values."""
        gone = self.operations[count:]
        del self.operations[count:]
        self.names.give_back(names)
        for op in gone:
            if op.row is CAPTURE:
                self.operations.append(op)
                self.names.keep(op.name)
            else:
                self._by_name.pop(op.name, None)
        ids = {id(op) for op in gone if op.row is not CAPTURE}
        stale = [key for key, (_, x) in self._constants.items() if id(x.op) in ids]
        for key in stale:
            del self._constants[key]
        self.changes += 1

    def _rename(self, result: Any, before: int, name: str) -> None:
        """Give the operation that made the result the name that the caller asked for."""
        one = result[0] if isinstance(result, (list, tuple)) and result else result
        if type(one) is not SymbolicTensor or one.op.graph is not self:
            return
        op = one.op
        if any(op is made for made in self.operations[before:]):
            self.rename(op, name)

    def rename(self, op: Operation, name: str) -> None:
        """Give an operation a name that no other one has."""
        self._by_name.pop(op.name, None)
        op.name = name
        self._by_name[name] = op

    # ---- adding ------------------------------------------------------------------------------

    def add(
        self, row: Row, inputs: Sequence[Any], attrs: Attrs, name: str | None = None,
        known: Sequence[Any] | None = None,
    ) -> Operation:  # fmt: skip
        """A new node. `known` says what its results are, if the row cannot."""
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        op: Operation = _new(Operation)
        op.graph, op.row, op.attrs, op.inputs = self, row, attrs, tuple(inputs)
        frame = callers_frame()
        op._made_at = replayed_place() or (frame.f_code, frame.f_lineno)
        op.control_inputs = self._control_inputs(op.inputs) if self._control else []
        op.device = ""
        op.scope = self.names.entry
        op.outputs = self._outputs(op, known)  # which may fail: then no name was taken
        op.name = self._name(row, name)
        if self._devices:
            op.device = chosen(self._devices, op)
        for control in self._control:
            control.inside.add(id(op))
        self.operations.append(op)
        self._by_name[op.name] = op
        for key, value in self._given.items():
            op._set_attr(key, value(op.node_def) if callable(value) else value)
        return op

    def _outputs(self, op: Operation, known: Sequence[Any] | None) -> list[SymbolicTensor]:
        """The results of an operation: mostly such as for other inputs of the same forms."""
        row = op.row
        key: Any = None
        if known is None:
            if row.elementwise and row.forms is None and not op.attrs:
                key = (row, *[x._array for x in op.inputs])
                form = self._forms.get(key)
                if form is not None:
                    return [new_of_form(op, 0, form)]
            known = known_forms(row, op.inputs, op.attrs)
        found = [new_symbolic(op, i, shape, dtype) for i, (shape, dtype) in enumerate(known)]
        if key is not None and is_certain(found[0]._array.shape):
            self._forms[key] = found[0]._array
        return found

    def _name(self, row: Row, name: str | None) -> str:
        if name and not isinstance(name, str):
            raise TypeError(f"The name of an operation is a text, got {name!r}.")
        if name and name.endswith("/"):  # a scope, whose name the operation takes
            return name[:-1]
        return self.names.unique(checked_name(name) if name else valid(row.called))

    def _control_inputs(self, inputs: Sequence[Any]) -> list[Operation]:
        """What a new operation runs after: what its inputs do not run after already."""
        own = {id(x.op) for x in inputs}
        found = {
            id(op): op
            for control in self._control
            if own.isdisjoint(control.inside)
            for op in control.operations
            if id(op) not in own
        }
        return list(found.values())

    def operation_named(self, name: str) -> Operation | None:
        """The operation of a name, if there is one."""
        return self._by_name.get(name)

    def add_control_inputs(self, op: Operation, others: Sequence[Operation]) -> None:
        """Make an operation run after others."""
        op.control_inputs.extend(o for o in others if o not in op.control_inputs)
        self.changes += 1

    def entered(self, value: Any) -> SymbolicTensor:
        """A value of the surrounding program as a tensor of this graph."""
        if type(value) is SymbolicTensor:
            if value.op.graph is self:
                return value
            return self.capture(value)
        known = self._constants.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        tensor = self.brought_in(value)
        self._constants[id(value)] = value, tensor
        return tensor

    def own_shape(self, shape: Any) -> Any:
        """A shape with sizes that belong to tensors of this graph."""
        if isinstance(shape, AnyShape):
            return self._own(shape, shape.tensor, lambda own: own)
        return tuple([self._own_size(s) if type(s) is Size else s for s in shape])

    def _own_size(self, size: Size) -> Any:
        shared = self.sizes.get(size.key)
        if shared is not None:
            return shared[1]
        if all(s.tensor.op.graph is self for s in size.symbols):
            return size
        if size.symbol is not None:
            return self._own_symbol(size.symbol)
        return evaluate(size, self._own_symbol, maximum)

    def _own_symbol(self, symbol: Symbol) -> Any:
        if symbol.element is not None:
            return element_of(self.entered(symbol.tensor), symbol.element)
        if symbol.axis is None:
            return size_of(self.entered(symbol.tensor), None)
        size = size_of(symbol.tensor, symbol.axis)
        return self._own(size, symbol.tensor, lambda shape: shape[symbol.axis])

    def _own(self, size: Any, tensor: SymbolicTensor, part: Callable[[Any], Any]) -> Any:
        """The local replacement of a size, or of a whole shape, of a tensor of another graph."""
        if tensor.op.graph is self:
            return size
        key = shared_key(size)
        if key not in self.sizes:
            self.sizes[key] = size, part(self.entered(tensor)._array.shape)
        return self.sizes[key][1]

    def capture(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """A tensor of another graph."""
        if tensor.graph.is_function:
            raise LeakedTensorError(
                f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit "
                "Python locals or TensorFlow collections to access it.\nPlease see https://www."
                "tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values "
                f"for more information.\n\nThe tensor {tensor!r} was made at {tensor.op.place}, in "
                f"{tensor.graph!r}: return it from the function.",
                tensor,
            )
        raise ValueError(
            f"{tensor!r} must be from the same graph as the operation that uses it: it belongs to "
            f"{tensor.graph!r} and was made at {tensor.op.place}."
        )

    def outside_of(self, x: SymbolicTensor) -> Any:
        """The value from outside that a capture stands for; None if it is none."""
        return None

    def brought_in(self, value: Value) -> SymbolicTensor:
        """An eager tensor or a variable."""
        handle = getattr(value, "handle_in", None)
        tensor: SymbolicTensor = handle(self) if handle else self.constant(value)
        tensor._key = key_of(value)
        return tensor

    def extended(self, op: Operation, known: Sequence[Any]) -> list[SymbolicTensor]:
        """Add results to an operation that can have more; its recorders are notified."""
        count = len(op.outputs)
        new = [new_symbolic(op, count + i, shape, dtype) for i, (shape, dtype) in enumerate(known)]
        op.outputs.extend(new)
        self.changes += 1
        for recorder in thread.context.recorders:
            recorder.extended(op.outputs[0], new)
        return new

    def constant(self, value: Any, name: str | None = None) -> SymbolicTensor:
        """A constant."""
        array = value._array
        attrs = {"value": array, "dtype": value.dtype}
        op = self.add(CONST, (), attrs, name or "Const", [(array.shape, array.dtype)])
        (tensor,) = op.outputs
        tensor._known = array
        return tensor
