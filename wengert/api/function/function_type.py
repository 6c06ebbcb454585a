"""The type of a trace: a signature whose parameters say what they take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wengert.api.function.description import described_type, type_text
from wengert.values import nest
from wengert.values.type_spec import TensorSpec, TypeSpec


class TypeText(str):
    """What a place expects that is no tensor, in words: Literal[3]."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Parameter(inspect.Parameter):
    """A parameter, and what it takes."""

    def __init__(self, name: str, kind: Any, optional: bool, type_constraint: object) -> None:
        self._optional, self._constraint = optional, type_constraint
        super().__init__(
            name,
            kind,
            default=_GIVEN if optional else inspect.Parameter.empty,
            annotation=inspect.Parameter.empty if type_constraint is None else type_constraint,
        )

    @property
    def optional(self) -> bool:
        """Whether it has a default."""
        return self._optional

    @property
    def type_constraint(self) -> object:
        """What it takes: the spec of a tensor, other values in words, None if that is open."""
        return self._constraint


class _Given:
    def __repr__(self) -> str:
        return "<captured_default_value>"


_GIVEN = _Given()


class FunctionType(inspect.Signature):
    """The parameters with what they take, what is returned, and what is captured from outside."""

    def __init__(
        self,
        parameters: Iterable[Parameter],
        captures: Mapping[Any, Any] | None = None,
        return_annotation: object = None,
    ) -> None:
        self._captures = dict(captures or {})
        empty = inspect.Signature.empty
        # What stands before another may have a default that it lacks: a trace has all of them.
        super().__init__(
            list(parameters),
            return_annotation=empty if return_annotation is None else return_annotation,
            __validate_parameters__=False,
        )

    @property
    def output(self) -> object:
        """What is returned; None if that is open."""
        found = self.return_annotation
        return None if found is inspect.Signature.empty else found

    @property
    def captures(self) -> dict[Any, Any]:
        """What is taken from outside, by an id."""
        return self._captures

    @property
    def flat_inputs(self) -> list[Any]:
        """The specs of the tensors among the arguments."""
        constraints = [p.type_constraint for p in self.parameters.values()]  # type: ignore[attr-defined]
        return _specs(constraints)

    @property
    def flat_outputs(self) -> list[Any]:
        """The specs of the tensors that are returned."""
        return _specs(self.output)

    def __repr__(self) -> str:
        parameters = [
            (p.name, p.kind.name, p.type_constraint)  # type: ignore[attr-defined]
            for p in self.parameters.values()
        ]
        return described_type(parameters, self.output, self._captures)

    def __hash__(self) -> int:
        return hash(repr(self))  # what is returned may be a dictionary


class FunctionSpec:
    """What a function takes, in the words of `inspect`, and by its input signature."""

    def __init__(
        self, function: Callable[..., object], input_signature: tuple[TypeSpec, ...] | None
    ) -> None:
        self._function = function
        self.fullargspec = inspect.getfullargspec(function)
        self.input_signature = input_signature

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters that may be passed by position."""
        return self.fullargspec.args

    @property
    def default_values(self) -> tuple[object, ...] | None:
        """The defaults of the last of them; None if there are none."""
        return self.fullargspec.defaults

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with what the input signature says of them."""
        return function_type_of(inspect.signature(self._function), self.input_signature)


def function_type_of(
    signature: inspect.Signature | None, specs: Sequence[Any] | None
) -> FunctionType:
    """The type of a function that has no trace: what its input signature says."""
    declared = [] if signature is None else list(signature.parameters.values())
    given = list(specs or ()) + [None] * len(declared)
    return FunctionType(
        Parameter(p.name, p.kind, p.default is not p.empty, spec)
        for p, spec in zip(declared, given, strict=False)
    )


def constraint_of(value: Any) -> object:
    """What a parameter takes, from its spec or its value."""
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, TypeSpec) or nest.is_nested(value):
        return value
    return TypeText(type_text(value))


def _specs(structure: object) -> list[Any]:
    return [x for x in nest.flatten(structure) if isinstance(x, TypeSpec)]
