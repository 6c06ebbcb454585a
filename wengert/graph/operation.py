"""One operation of a graph."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Sequence
from typing import Any

from wengert.core.row import Attrs, Row
from wengert.core.scope import Scope
from wengert.errors import OutOfRangeError
from wengert.graph.exchange import exchange
from wengert.overrides.argument_forms import Told
from wengert.overrides.row_override import RecordedOperation, with_rule
from wengert.overrides.told_attributes import as_told, told_attributes
from wengert.values.symbolic import SymbolicTensor


class Operation(metaclass=ABCMeta):  # those of tapes are such, too
    """A node of a graph: a row of the table applied to tensors.

    >>> with tf.Graph().as_default():
    ...     y = tf.square(tf.constant(3.0), name="squared")
    >>> y.op.type, y.op.name, [x.name for x in y.op.inputs]
    ('Square', 'squared', ['Const:0'])
    """

    __slots__ = (
        "__weakref__",
        "_made_at",
        "attrs",
        "control_inputs",
        "device",
        "graph",
        "inputs",
        "name",
        "outputs",
        "row",
        "scope",
    )

    graph: Any
    row: Row
    name: str
    inputs: tuple[SymbolicTensor, ...]
    outputs: list[SymbolicTensor]
    control_inputs: list[Operation]
    attrs: Attrs
    device: str
    scope: Scope | None  # the name scope that the program made it in
    _made_at: (
        Any  # the code and the line; the place where the operation is one of a function, made again
    )

    @property
    def type(self) -> str:
        """The type of the operation: mostly the name of its row."""
        return self.row.type

    @property
    def place(self) -> str:
        """The user's line that made the operation, as file:line."""
        made = self._made_at
        return made if isinstance(made, str) else f"{made[0].co_filename}:{made[1]}"

    @property
    def traceback(self) -> list[tuple[str, int, str, None]]:
        """Where the operation was made: file, line, function."""
        file, _, line = self.place.rpartition(":")
        name = "" if isinstance(self._made_at, str) else self._made_at[0].co_name
        return [(file, int(line), name, None)]

    @property
    def values(self) -> Any:
        """The results."""
        return lambda: tuple(self.outputs)

    @property
    def op_def(self) -> Any:
        """TensorFlow's message OpDef of the type."""
        return exchange.op_def(self.type)

    @property
    def node_def(self) -> Any:
        """TensorFlow's message NodeDef of the operation."""
        return exchange.node_def(self)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute that the operation was made with; text is bytes."""
        return exchange.told(self, name, as_told(self._attribute(name)))

    @property
    def noted(self) -> dict[str, Any]:
        """The private attributes that programs gave it, which its kernel does not know."""
        found: dict[str, Any] = self.graph.noted.get(self.name, {})
        return found

    def _attribute(self, name: str) -> Any:
        if name in self.noted:
            return self.noted[name]
        if name == "_gradient_op_type" and self.row.gradient_type:
            return self.row.gradient_type
        attrs = told_attributes(self, self.type, self.attrs)
        if name not in attrs:
            found = exchange.attribute(self, name)
            if found is not None:
                return found
            if name == "T" and self.inputs and self.row.bodies is None:
                return self.inputs[0].dtype
        return attribute(self.name, attrs, name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Change an attribute; that of the gradient's type replaces the operation's rule."""
        if name == "_gradient_op_type":
            self.row = with_rule(self.row, _as_text(value))
        elif name.startswith("_"):
            self.graph.noted[self.name] = {**self.noted, name: exchange.plain(value)}
        else:
            self.attrs = {**self.attrs, name: exchange.plain(value)}
        self.graph.changes += 1

    def _clear_attr(self, name: str) -> None:
        """Forget an attribute that was set."""
        self.attrs = {key: value for key, value in self.attrs.items() if key != name}
        self.noted.pop(name, None)
        self.graph.changes += 1

    @property
    def _input_types(self) -> list[Any]:
        return [x.dtype for x in self.inputs]

    @property
    def _control_outputs(self) -> list[Operation]:
        """The operations that run after this one because they were told to."""
        return [op for op in self.graph.operations if self in op.control_inputs]

    def colocation_groups(self) -> list[bytes]:
        """With which operations it belongs: by default with itself alone."""
        found: list[bytes] = self.graph.colocations.get(self.name, ([], False))[0]
        return found or [f"loc:@{self.name}".encode()]

    def colocated_with(self, groups: Sequence[bytes], other: Operation | None, alone: bool) -> None:
        """Note that it belongs with others; with those alone, or with those before, too."""
        before = self.graph.colocations.get(self.name)
        if before is not None and before[1]:  # it ignores what is around
            return
        kept = [] if alone or before is None else before[0]
        self.graph.colocations[self.name] = sorted({*kept, *groups}), alone
        if other is not None:
            self.device = other.device

    @property
    def _original_op(self) -> Operation | None:
        """The operation for which it was made; None if it was made for itself."""
        found: Operation | None = self.graph.original_of(self)
        return found

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run the operation in a session: the one given, or the default one."""
        self.graph.session_for(session, "run()").run(self, feed_dict)

    def _update_input(self, index: int, tensor: SymbolicTensor) -> None:
        """Take another tensor of the same form as an input."""
        if not isinstance(tensor, SymbolicTensor):
            raise TypeError(f"tensor must be a Tensor: {tensor!r}")
        if index >= len(self.inputs):
            raise OutOfRangeError(
                f"Cannot update edge. Input index [{index}] is greater than the number of total "
                f"inputs [{len(self.inputs)}]."
            )
        before = self.inputs[index]
        if tensor.op.graph is not self.graph:
            raise ValueError(f"{tensor!r} must be from the same graph as {self!r}.")
        if tensor.dtype is not before.dtype or not tensor.shape.is_compatible_with(before.shape):
            raise TypeError(f"{tensor!r} is not of the form of {before!r}, which it replaces.")
        self.inputs = (*self.inputs[:index], tensor, *self.inputs[index + 1 :])
        self.graph.changes += 1

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        self.graph.add_control_inputs(self, ops)

    def _remove_all_control_inputs(self) -> None:
        self.control_inputs = []
        self.graph.changes += 1

    def _set_device(self, device: Any) -> None:
        self.device = str(device)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


Operation.register(RecordedOperation)
Operation.register(Told)


def _as_text(value: Any) -> str:
    """A name, which may come as bytes or in TensorFlow's message of one attribute."""
    value = getattr(value, "s", value)
    return value.decode() if isinstance(value, bytes) else str(value)


def attribute(owner: str, attrs: Attrs, name: str) -> Any:
    """An attribute by its name; an error names those there are."""
    if name not in attrs:
        raise ValueError(
            f"Operation '{owner}' has no attr named '{name}'. "
            f"It has: {', '.join(sorted(attrs)) or 'none'}."
        )
    return attrs[name]
