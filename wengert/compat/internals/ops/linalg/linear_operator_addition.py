"""tensorflow.python.ops.linalg.linear_operator_addition: sums of operators, as simple as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from wengert.linear_operators.arguments import common_batch
from wengert.linear_operators.base import LinearOperator
from wengert.linear_operators.from_elements import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from wengert.linear_operators.simple import LinearOperatorIdentity, LinearOperatorScaledIdentity
from wengert.ops.arrays.creation import ones

# From the simplest to the most general; each kind is one of those behind it, too.
_IDENTITIES = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
_DIAGONALS = (*_IDENTITIES, LinearOperatorDiag)
_TRIANGLES = (*_DIAGONALS, LinearOperatorLowerTriangular)


class _Hints(NamedTuple):
    """What is said of a sum, in place of what follows from its terms."""

    is_non_singular: bool | None = None
    is_positive_definite: bool | None = None
    is_self_adjoint: bool | None = None


def _hints_of_sum(one: Any, other: Any, given: _Hints | None) -> dict[str, Any]:
    said = given or _Hints()
    positive = said.is_positive_definite
    if positive is None and one.is_positive_definite and other.is_positive_definite:
        positive = True
    self_adjoint = said.is_self_adjoint
    if self_adjoint is None and one.is_self_adjoint and other.is_self_adjoint:
        self_adjoint = True
    regular = said.is_non_singular
    if regular is None and positive and self_adjoint:
        regular = True
    return dict(
        zip(
            ("is_non_singular", "is_positive_definite", "is_self_adjoint"),
            (regular, positive, self_adjoint),
            strict=True,
        )
    )


class _Adder:
    """Adds two operators to one of a kind, if it can."""

    kinds: tuple[type, ...] = (LinearOperator,)

    def __repr__(self) -> str:
        return type(self).__name__

    def can_add(self, op1: Any, op2: Any) -> bool:
        """Whether the sum of these is of the kind that it makes."""
        return isinstance(op1, self.kinds) and isinstance(op2, self.kinds)

    def add(self, op1: Any, op2: Any, operator_name: str, hints: _Hints | None = None) -> Any:
        """The sum."""
        known = _hints_of_sum(op1, op2, hints)
        return self._add(op1, op2, operator_name, known)

    def _add(self, op1: Any, op2: Any, operator_name: str, hints: dict[str, Any]) -> Any:
        raise NotImplementedError(f"{self!r} adds no operators.")


class _AddAndReturnScaledIdentity(_Adder):
    kinds = _IDENTITIES

    def _add(self, op1: Any, op2: Any, operator_name: str, hints: dict[str, Any]) -> Any:
        multiplier = _scale(op1) + _scale(op2)
        rows = op1._sizes()[-1]
        return LinearOperatorScaledIdentity(rows, multiplier, name=operator_name, **hints)


def _scale(operator: Any) -> Any:
    if isinstance(operator, LinearOperatorScaledIdentity):
        return operator.multiplier
    return ones(operator._sizes()[:-2], operator.dtype)


class _AddAndReturnDiag(_Adder):
    kinds = _DIAGONALS

    def _add(self, op1: Any, op2: Any, operator_name: str, hints: dict[str, Any]) -> Any:
        return LinearOperatorDiag(op1.diag_part() + op2.diag_part(), name=operator_name, **hints)


class _AddAndReturnTriL(_Adder):
    kinds = _TRIANGLES

    def _add(self, op1: Any, op2: Any, operator_name: str, hints: dict[str, Any]) -> Any:
        simple, other = (op1, op2) if isinstance(op1, _DIAGONALS) else (op2, op1)
        total = simple.add_to_tensor(other.to_dense())
        return LinearOperatorLowerTriangular(total, name=operator_name, **hints)


class _AddAndReturnMatrix(_Adder):
    def _add(self, op1: Any, op2: Any, operator_name: str, hints: dict[str, Any]) -> Any:
        simple, other = (op1, op2) if isinstance(op1, _DIAGONALS) else (op2, op1)
        total = simple.add_to_tensor(other.to_dense())
        return LinearOperatorFullMatrix(total, name=operator_name, **hints)


_TIERS = (
    (_AddAndReturnScaledIdentity(),),
    (_AddAndReturnDiag(),),
    (_AddAndReturnTriL(),),
    (_AddAndReturnMatrix(),),
)


def add_operators(
    operators: Sequence[Any],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[Any]] | None = None,
    name: str | None = None,
) -> list[Any]:
    """The operators, of which those that can be are added: to one, if no tiers are given."""
    _check(operators)
    tiers = _TIERS if addition_tiers is None else addition_tiers
    left = list(operators)
    for tier in tiers:
        left = _reduced(left, tier, operator_name)
    return left


def _reduced(operators: list[Any], adders: Sequence[Any], operator_name: str | None) -> list[Any]:
    """The operators, the last first, each added to one with which an adder can."""
    waiting, done = list(operators), []
    while waiting:
        one = waiting.pop()
        pairs = ((o, a) for o in reversed(waiting) for a in adders if a.can_add(o, one))
        match = next(pairs, None)
        if match is None:
            done.append(one)
            continue
        other, adder = match
        waiting = [o for o in waiting if o is not other]
        name = operator_name or f"Add/{other.name}__{one.name}/"
        waiting.append(adder.add(other, one, name))
    return done


def _check(operators: Sequence[Any]) -> None:
    if not operators:
        raise ValueError(
            f"Argument `operators` must contain at least one operator. Found: {operators}."
        )
    if not all(isinstance(o, LinearOperator) for o in operators):
        raise TypeError(
            f"Argument `operators` must contain only LinearOperator instances. Found: {operators}."
        )
    shapes = [o.shape for o in operators]
    for axis in (-1, -2):
        known = {s[axis] for s in shapes} - {None}
        if len(known) > 1:
            raise ValueError(f"Operators must have the same matrix dimensions. Found: {shapes}.")
    if all(s.is_fully_defined() for s in shapes):
        common_batch(*[s[:-2].as_list() for s in shapes])
