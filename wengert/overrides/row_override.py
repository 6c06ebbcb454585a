"""Rows with the gradient replaced, for operations whose rule is overridden."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.core.context import override_rows, override_rows_from_now_on, replacement
from wengert.core.row import Attrs, Row, place
from wengert.core.table import TABLE, find
from wengert.errors import GradientWarning
from wengert.host.context_manager import ContextManager
from wengert.host.user_frames import callers_depth
from wengert.overrides.argument_forms import called, with_arguments
from wengert.overrides.registered_gradients import GRADIENTS, REPLACED, Registered, missing_gradient
from wengert.overrides.told_attributes import as_told
from wengert.values.bound_ops import bound
from wengert.values.dtypes import DType, of_numpy
from wengert.values.symbolic import Form, SymbolicTensor

# Types of old programs, and what their functions make here.
_RENAMED: Final = {"Select": "SelectV2"}
_NEWER: Final = {"Div": "RealDiv", "Inv": "Reciprocal"}  # not the same name with V2 or V3


def find_version(name: str) -> Row | None:
    """The row of an operation type, or of a newer version of it."""
    names = (name, _NEWER.get(name, f"{name}V2"), f"{name}V3")
    return next((row for row in map(find, names) if row is not None), None)


def rules_by_type(op_type_map: Any) -> dict[str, Callable[[Row], Row]]:
    """Replacements of the rows of some types, from a map from types to registered gradients."""
    if not isinstance(op_type_map, dict):
        raise TypeError("`op_type_map` must be a dictionary mapping strings to strings")
    for kind, rule in op_type_map.items():
        if not isinstance(kind, str):
            raise TypeError("Keys in op_type_map must be strings")
        if not isinstance(rule, str) and not callable(rule):
            raise TypeError("Values in op_type_map must be strings")
        _warn_of_letters(kind)
    found: dict[str, Callable[[Row], Row]]
    found = {kind: _Replacing(rule) for kind, rule in op_type_map.items()}
    older = {
        now: _Replacing(op_type_map[before], before)
        for before, now in _RENAMED.items()
        if before in op_type_map
    }
    return older | found


def _warn_of_letters(kind: str) -> None:
    """Warn of a type that is there in other letters alone: the map would change nothing in silence."""
    if find_version(kind) is None:
        meant = next((name for name in TABLE if name.lower() == kind.lower()), None)
        if meant is not None:
            warnings.warn(
                f"The map of gradients names {kind!r}, and there is no such operation: nothing is overridden. "
                f"Did you mean {meant!r}? A type is spelt in its own letters.",
                GradientWarning,
                stacklevel=callers_depth(),
            )


def as_version(kind: str, now: str) -> ContextManager:
    """A map that names an older type holds for the operations of the newer one that are made inside."""
    rule: _Replacing = replacement(kind)
    return override_rows({now: rule.for_type(kind)})


def replace_gradient(name: str, registered: Registered | None) -> None:
    """Register another gradient of an operation type in place of the one that it has; None for none at all."""
    if registered is None:
        GRADIENTS.pop(name, None)
    else:
        GRADIENTS[name] = registered
    row = find(name)
    if row is not None and not row.users and name not in REPLACED:
        REPLACED.add(name)
        override_rows_from_now_on(rules_by_type({name: name}))


def restore_gradient(name: str) -> None:
    """Let an operation type have its own gradient again."""
    GRADIENTS.pop(name, None)
    if name in REPLACED:
        REPLACED.remove(name)
        override_rows_from_now_on(dict.fromkeys(rules_by_type({name: name})))


class _Replacing:
    """Replaces rows by ones with another gradient.

    Instances with the same rule are equal: traces of functions are cached by the overrides in
    force, and a map is created anew in each training step.
    """

    __slots__ = ("_made", "_rule", "_type")

    def __init__(self, rule: Callable[..., Any] | str, type: str = "") -> None:
        self._rule = rule
        self._type = type  # that operations have for the rule, if it is not that of the row
        self._made: dict[int, Row] = {}  # a cache of the replacements, by the id of the row

    def for_type(self, type: str) -> _Replacing:
        """The same for operations that have another type for the rule."""
        return _Replacing(self._rule, type)

    def __call__(self, row: Row) -> Row:
        if id(row) not in self._made:
            named = row.replace(type=self._type) if self._type else row
            self._made[id(row)] = with_rule(named, self._rule)
        return self._made[id(row)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Replacing) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> Any:
        return key_of_rule(self._rule), self._type


def key_of_rule(rule: Callable[..., Any] | str) -> Any:
    """A key that identifies a rule; a user's object may not be hashable."""
    try:
        hash(rule)
    except TypeError:
        return id(rule)
    return rule


def with_rule(row: Row, rule: Callable[..., Any] | str) -> Row:
    """The row with another gradient: a function (op, *grads), or the name of one."""
    other = other_row(rule)
    if other is not None:
        return _with_rule_of(row, other)

    name = rule if isinstance(rule, str) else place(rule)
    joint = _Joint(row.type, rule, name)
    return _like(row, joint=joint, users=True, passes_slices=True, gradient_type=name)


class _Joint:
    """A user's function in place of an operation's own rule."""

    __slots__ = ("_kind", "_name", "_rule")

    def __init__(self, kind: str, rule: Callable[..., Any] | str, name: str) -> None:
        self._kind, self._rule, self._name = kind, rule, name

    @property
    def __wrapped__(self) -> Callable[..., Any] | None:
        """So that errors name the user's line: of a function that may be registered after it was named."""
        if callable(self._rule):
            return self._rule
        registered = GRADIENTS.get(self._rule)
        return None if registered is None else registered.function

    def __call__(self, gs: Any, ys: Any, xs: Any, attrs: Attrs) -> Any:
        function = function_of(self._rule, self._kind)
        if function is None:
            return [None] * len(xs)
        return called(function, operation_of(self._kind, xs, ys, attrs, self._name), gs, len(xs))


def other_row(rule: Callable[..., Any] | str) -> Row | None:
    """The operation whose gradient a rule names, unless it names a function."""
    if not isinstance(rule, str) or rule in GRADIENTS or rule in REPLACED:
        return None
    return find_version(rule)


def function_of(rule: Callable[..., Any] | str, op_type: str = "") -> Callable[..., Any] | None:
    """The gradient function that a rule names; None if it is an operation type's own."""
    if callable(rule):
        return rule
    if rule not in GRADIENTS:
        raise missing_gradient(rule, op_type=op_type)
    return GRADIENTS[rule].function


def _with_rule_of(row: Row, other: Row) -> Row:
    """The row with the gradient of another operation, as for {"Round": "Identity"}."""
    if other.joint is not None:
        return _like(row, joint=other.joint, users=other.users, gradient_type=other.name)
    rules: Any = other.vjp

    def without_attributes(i: int) -> Callable[..., Any] | None:
        rule = rules[i]
        return None if rule is None else lambda g, y, *xs, **_: rule(g, y, *xs)

    count = len(rules) if isinstance(rules, tuple) else 0
    vjp = tuple(without_attributes(i) for i in range(count)) if count else rules
    return _like(row, vjp=vjp, sums_back=other.elementwise, gradient_type=other.name)


def _like(row: Row, **fields: Any) -> Row:
    """A row that computes the same but is differentiated differently."""
    rules: dict[str, Any] = {
        "vjp": None, "joint": None, "jvp": None, "joint_jvp": None, "saves": "xy", "linear": (),
        "passes_slices": False, "users": False, "closes": False, "fills": True, "graphs": (),
        "sums_back": False,
    }  # fmt: skip
    return row.replace(**rules | fields)


class LazyValue:
    """A placeholder for a value that a tape did not keep, recomputed when a rule reads it."""

    __slots__ = ("_find", "_find_dtype", "_shape")

    def __init__(
        self, find: Callable[[], Any], find_dtype: Callable[[], Any], shape: Any = None
    ) -> None:
        self._find = find
        self._find_dtype = find_dtype
        self._shape = shape

    @property
    def value(self) -> Any:
        """The value, recomputed on first use."""
        return self._find()

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return of_numpy(self._find_dtype())

    @property
    def _array(self) -> Form:
        """Its form, in place of a tensor's array, for checks of shape and dtype."""
        return Form(self._shape, self._find_dtype())


def value_of(x: Any) -> Any:
    """A value, for a rule that reads it."""
    return x.value if type(x) is LazyValue else x


def operation_of(
    kind: str, xs: Sequence[Any], ys: Sequence[Any], attrs: Attrs, gradient_type: str = ""
) -> Any:
    """The operation for a rule that takes it: a graph's operation, or one from a record."""
    if ys and type(ys[0]) is SymbolicTensor and ys[0].op.type == kind:
        op = ys[0].op
    else:
        op = RecordedOperation(kind, xs, ys, attrs, gradient_type=gradient_type)
    return with_arguments(op, kind, len(xs), attrs)


class RecordedOperation:
    """An operation that a tape recorded, for the rule that replaces its own."""

    __slots__ = ("_inputs", "_outputs", "attrs", "gradient_type", "name", "type")

    def __init__(
        self,
        kind: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Attrs,
        name: str = "",
        gradient_type: str = "",
    ) -> None:
        self.type = kind
        self.name = name or kind
        self._inputs = inputs
        self._outputs = outputs
        self.attrs = attrs
        self.gradient_type = gradient_type  # the name of the rule that replaces its own

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The inputs of the operation, as its own gradient function would see them."""
        return tuple([value_of(x) for x in self._inputs])

    @property
    def outputs(self) -> list[Any]:
        """The results of the operation."""
        return [value_of(y) for y in self._outputs]

    @property
    def place(self) -> str:
        """The line that made it, which a tape does not record."""
        return ""

    def get_attr(self, name: str) -> Any:
        """The value of an attribute that the operation was called with; text is bytes."""
        return as_told(self.attrs[name]) if name in self.attrs else self._node.get_attr(name)

    @property
    def node_def(self) -> Any:
        """TensorFlow's message NodeDef of the operation."""
        return self._node.node_def

    @property
    def op_def(self) -> Any:
        """TensorFlow's message OpDef of the type."""
        return self._node.op_def

    @property
    def graph(self) -> Any:
        """A graph with what describes the operation, as it belongs to none."""
        return self._node.graph

    @property
    def device(self) -> str:
        """The device, of which nothing was said."""
        return ""

    @property
    def _node(self) -> Any:
        return bound.as_node(self)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"
