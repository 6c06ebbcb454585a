"""Rows whose gradient is another: what becomes of an operation when its rule is overridden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert.core.operation import Attrs, Row, place
from wengert.core.registry import GRADIENTS, find, missing_gradient
from wengert.core.symbolic import SymbolicTensor


def rules_by_type(op_type_map: Any) -> dict[str, Callable[[Row], Row]]:
    """What becomes of the rows of some types, from a map from types to registered gradients."""
    if not isinstance(op_type_map, dict):
        raise TypeError("`op_type_map` must be a dictionary mapping strings to strings")
    for kind, rule in op_type_map.items():
        if not isinstance(kind, str):
            raise TypeError("Keys in op_type_map must be strings")
        if not isinstance(rule, str) and not callable(rule):
            raise TypeError("Values in op_type_map must be strings")
    return {kind: _replacing(rule) for kind, rule in op_type_map.items()}


def _replacing(rule: Callable[..., Any] | str) -> Callable[[Row], Row]:
    made: dict[int, Row] = {}  # a row for each that is replaced, made once

    def replaced(row: Row) -> Row:
        if id(row) not in made:
            made[id(row)] = with_rule(row, rule)
        return made[id(row)]

    return replaced


def with_rule(row: Row, rule: Callable[..., Any] | str) -> Row:
    """The row with another gradient: a function (op, *grads), or what a name stands for."""
    other = find(rule) if isinstance(rule, str) and rule not in GRADIENTS else None
    if other is not None:
        return _with_rule_of(row, other)

    def joint(gs: Any, ys: Any, xs: Any, attrs: Attrs) -> Any:
        function = function_of(rule, row.name)
        if function is None:
            return [None] * len(xs)
        return function(operation_of(row.name, xs, ys, attrs), *gs)

    if callable(rule):
        joint.__wrapped__ = rule  # type: ignore[attr-defined]  # errors name the user's line
    name = rule if isinstance(rule, str) else place(rule)
    return _like(row, joint=joint, users=True, gradient_type=name)


def function_of(rule: Callable[..., Any] | str, op_type: str = "") -> Callable[..., Any] | None:
    if callable(rule):
        return rule
    if rule not in GRADIENTS:
        raise missing_gradient(rule, op_type=op_type)
    return GRADIENTS[rule].function


def _with_rule_of(row: Row, other: Row) -> Row:
    """The row with the gradient of another operation, as {"Round": "Identity"} asks for."""
    if other.joint is not None:
        return _like(row, joint=other.joint, users=other.users, gradient_type=other.name)
    rules: Any = other.vjp

    def without_attributes(i: int) -> Callable[..., Any] | None:
        rule = rules[i]
        return None if rule is None else lambda g, y, *xs, **_: rule(g, y, *xs)

    count = len(rules) if isinstance(rules, tuple) else 0
    vjp = tuple(without_attributes(i) for i in range(count)) if count else rules
    return _like(row, vjp=vjp, sums=other.elementwise, gradient_type=other.name)


def _like(row: Row, sums: bool = False, **fields: Any) -> Row:
    """A row that computes the same and is differentiated in another way."""
    made = Row(
        row.name,
        row.kernel,
        step=row.step,
        inline=row.inline,
        batch=row.batch,
        shape=row.shape,
        forms=row.forms,
        elementwise=row.elementwise,
        many=row.many,
        by_value=row.by_value,
        effects=row.effects,
        stateful=row.stateful,
        called=row.called,
        declared=row.declared,
        **fields,
    )
    made.ufunc = row.ufunc
    made.sums_back = sums
    return made


def operation_of(kind: str, xs: Sequence[Any], ys: Sequence[Any], attrs: Attrs) -> Any:
    """The operation, for a rule that asks for it: of a graph itself, or what was recorded."""
    if ys and type(ys[0]) is SymbolicTensor and ys[0].op.type == kind:
        return ys[0].op
    return Recorded(kind, xs, ys, attrs)


class Recorded:
    """An operation that a tape noted, for the rule that replaces its own."""

    __slots__ = ("_attrs", "inputs", "name", "outputs", "type")

    def __init__(
        self, kind: str, inputs: Sequence[Any], outputs: Sequence[Any], attrs: Attrs, name: str = ""
    ) -> None:
        self.type = kind
        self.name = name or kind
        self.inputs = tuple(inputs)
        self.outputs = list(outputs)
        self._attrs = attrs

    @property
    def place(self) -> str:
        """The line that made it, which a tape does not note."""
        return ""

    def get_attr(self, name: str) -> Any:
        """The value of an attribute that the operation was called with."""
        if name not in self._attrs:
            raise ValueError(
                f"Operation '{self.name}' has no attr named '{name}'. "
                f"It has: {', '.join(sorted(self._attrs)) or 'none'}."
            )
        return self._attrs[name]

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"
