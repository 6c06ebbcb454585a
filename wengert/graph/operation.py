"""One operation of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.core.row import Attrs, Row
from wengert.overrides.row_override import with_rule
from wengert.values.symbolic import SymbolicTensor


class NodeDef(NamedTuple):
    """What an operation is, as plain data."""

    name: str
    op: str
    input: list[str]
    device: str
    attr: dict[str, Any]


class Operation:
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
    )

    graph: Any
    row: Row
    name: str
    inputs: tuple[SymbolicTensor, ...]
    outputs: list[SymbolicTensor]
    control_inputs: list[Operation]
    attrs: Attrs
    device: str
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
        """TensorFlow's OpDef of the type, as far as programs read it."""
        return self.row

    @property
    def node_def(self) -> NodeDef:
        """TensorFlow's NodeDef of the node, as far as programs read it."""
        inputs = [x.name for x in self.inputs] + [f"^{op.name}" for op in self.control_inputs]
        return NodeDef(self.name, self.type, inputs, self.device, dict(self.attrs))

    def get_attr(self, name: str) -> Any:
        """The value of an attribute that the operation was made with."""
        if name == "T" and self.inputs:
            return self.inputs[0].dtype
        if name == "_gradient_op_type" and self.row.gradient_type:
            return self.row.gradient_type
        return attribute(self.name, self.attrs, name)

    def _set_attr(self, name: str, value: Any) -> None:
        """Change an attribute; that of the gradient's type replaces the operation's rule."""
        if name == "_gradient_op_type":
            self.row = with_rule(self.row, _as_text(value))
        else:
            self.attrs = {**self.attrs, name: value}
        self.graph.changes += 1

    def colocation_groups(self) -> list[bytes]:
        """With which operations it belongs: by default with itself alone."""
        found: list[bytes] = self.graph.colocations.get(self.name, [])
        return found or [f"loc:@{self.name}".encode()]

    def colocated_with(self, groups: Sequence[bytes], alone: bool) -> None:
        """Note that it belongs with others; with those alone, or with those before, too."""
        kept = [] if alone else self.graph.colocations.get(self.name, [])
        self.graph.colocations[self.name] = sorted({*kept, *groups})

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run the operation in a session: the one given, or the default one."""
        self.graph.session_for(session, "run()").run(self, feed_dict)

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        self.graph.add_control_inputs(self, ops)

    def _set_device(self, device: Any) -> None:
        self.device = str(device)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


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
