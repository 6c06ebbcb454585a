"""Variables as arguments of traced functions: what stands for them while a function is traced.

A trace serves all variables of one form. So it is made with a stand-in for each, and a call puts the
variables that it is given in the places of the stand-ins. A program that asks which variable it was
given (an optimizer keeps slots for each) gets a trace for that variable alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.state.variable import Variable
from wengert.values.dtypes import DType, resource
from wengert.values.shapes import TensorShape
from wengert.values.symbolic import Form
from wengert.values.type_spec import TensorSpec, TypeSpec
from wengert.values.value import Key


class IdentityAskedError(BaseException):
    """A traced function asks which variable it was given; no program catches it by mistake."""


class VariableForm(NamedTuple):
    """What traces depend on in a variable; `place` is the same for arguments that are one variable."""

    shape: TensorShape
    dtype: DType
    trainable: bool
    place: int


class VariableSpec(TypeSpec):
    """The type spec of a variable that is passed to a function."""

    def __init__(
        self, shape: Any, dtype: Any, trainable: bool = True, alias_id: int | None = None
    ) -> None:
        self.shape = TensorShape(shape)
        self.dtype: DType = dtype
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value: Variable) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> Any:
        """The class of variables."""
        return Variable

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether a variable, or what is described, has the same shape, dtype and use."""
        other = (
            VariableSpec.from_value(spec_or_value)
            if isinstance(spec_or_value, Variable)
            else spec_or_value
        )
        return isinstance(other, VariableSpec) and (
            self.shape.is_compatible_with(other.shape)
            and self.dtype == other.dtype
            and self.trainable == other.trainable
        )

    def _serialize(self) -> Any:
        return self.shape, self.dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], resource)]

    def _to_components(self, value: Any) -> Any:
        return [value.handle]

    def _from_components(self, components: Any) -> Any:
        (handle,) = components
        return handle

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable!r}, "
            f"alias_id={self.alias_id!r})"
        )


class StandIn(Variable):
    """A variable of the same form as one that a function is given, while the function is traced."""

    __slots__ = ()

    def __new__(cls, like: Variable) -> StandIn:
        """A stand-in for a variable."""
        made: StandIn = object.__new__(cls)
        made._number, made._lock = like._number, like._lock
        return made

    def __init__(self, like: Variable) -> None:
        self._array = Form(like._array.shape, like._array.dtype)
        self._key = Key()
        self._handle_name, self._shape = like._handle_name, like._shape
        self.trainable = like.trainable
        self.constraint = like.constraint
        self.synchronization, self.aggregation = like.synchronization, like.aggregation

    def ref(self) -> Any:
        """Raises: the function is traced again, for one variable."""
        raise IdentityAskedError

    @property
    def _unique_id(self) -> str:
        raise IdentityAskedError

    def __repr__(self) -> str:
        return f"<tf.Variable {self._handle_name!r} shape={self._shape} dtype={self.dtype.name}>"


def form_of(variable: Variable, place: int) -> VariableForm:
    """What a trace depends on in a variable, which is the one at a place among the arguments."""
    return VariableForm(variable.shape, variable.dtype, variable.trainable, place)


def replaced(
    captured: Sequence[Any], stand_ins: Sequence[Variable], variables: Sequence[Variable]
) -> list[Any]:
    """What a trace captured, with variables in the places of their stand-ins."""
    given = {id(s): v for s, v in zip(stand_ins, variables, strict=True)}
    return [given.get(id(value), value) for value in captured]
