"""tensorflow.python.ops.linalg.property_hint_util: what is known of products of linear operators."""

from __future__ import annotations

from typing import Any


def combined_commuting_self_adjoint_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is self-adjoint; None if it is not known."""
    both = operator_a.is_self_adjoint, operator_b.is_self_adjoint
    if all(both):
        return True
    return False if {True, False} == set(both) else None


def is_square(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators is square; None if it is not known."""
    if operator_a.is_square and operator_b.is_square:
        return True
    if operator_a.is_square is False and operator_b.is_square is False:
        m, n = operator_a.range_dimension, operator_b.domain_dimension
        return m == n if m is not None and n is not None else None
    if (operator_a.is_square is not False) != (operator_b.is_square is not False):
        return False
    return None


def combined_commuting_positive_definite_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is positive definite; None if it is not known."""
    positive = operator_a.is_positive_definite is True, operator_b.is_positive_definite is True
    adjoint = operator_a.is_self_adjoint is True, operator_b.is_self_adjoint is True
    return True if all((*positive, *adjoint)) else None


def combined_non_singular_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators is certainly not singular, or certainly singular."""
    if operator_a.is_non_singular is False or operator_b.is_non_singular is False:
        return False
    return operator_a.is_non_singular and operator_b.is_non_singular  # type: ignore[no-any-return]
