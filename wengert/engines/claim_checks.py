"""The first run of a plan for given sizes: every result is checked against the graph's inference.

A shape that the graph inferred and the kernel contradicts is a bug of ours. It must not become a
wrong number, so each operation's result is checked, once for each combination of sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wengert.errors import InternalError, InvalidArgumentError
from wengert.execution.plan import Plan
from wengert.graph.operation import Operation
from wengert.host.fp_errors import quietly
from wengert.inference.symbolic_integers import MOST
from wengert.values.dtypes import VARIANT
from wengert.values.sizes import Size, Symbol, evaluate
from wengert.values.symbolic import SymbolicTensor, is_absent


def carried_out(
    plan: Plan,
    values: Sequence[Any],
    function_of: Callable[[Operation], Callable[..., Any]],
    failed: Callable[[Operation, Exception, list[Any]], Exception],
) -> list[Any]:
    """The fetches, computed step by step; `failed` makes the error of a step."""
    found = dict(zip(map(id, plan.given), values, strict=True)) | plan.known
    sizes = _Sizes()
    missing: set[int] = set()
    for x, value in zip(plan.given, values, strict=True):
        if is_absent(x, value):
            missing.add(id(x))
        else:
            sizes.told(x, value)
    last = plan.last_uses()
    for at, op in enumerate(plan.steps):
        inputs = [found[id(x)] for x in op.inputs]
        try:
            result = quietly(function_of(op), *inputs)
        except Exception as error:
            raise failed(op, error, inputs) from error
        # A branch that was not taken computed nothing, and nothing reads what would follow
        # from it.
        if any(v is None or id(x) in missing for x, v in zip(op.inputs, inputs, strict=True)):
            missing.update(map(id, op.outputs))
        for y, value in zip(op.outputs, result if op.row.many else [result], strict=False):
            if value is not None and id(y) not in missing:
                sizes.check(y, value)
            found[id(y)] = value
        for x in (*op.inputs, *op.outputs):
            if last.get(id(x), -1) <= at and id(x) not in plan.known:
                found.pop(id(x), None)
    return [found[id(x)] for x in plan.fetches]


class _Sizes:
    """The values that symbolic sizes have in one run."""

    def __init__(self) -> None:
        self._known: dict[Symbol, int] = {}
        self._integers: dict[int, Any] = {}

    def told(self, x: SymbolicTensor, value: Any) -> None:
        """Learn sizes from a value that the caller passed."""
        if isinstance(value, (np.ndarray, np.generic)):
            if not self._fits(x._array.shape, value.shape):
                raise _not_as_stated(x, value)
            self._note(x, value)

    def check(self, y: SymbolicTensor, value: Any) -> None:
        """Raise if the value contradicts the graph."""
        form = y._array
        if form.dtype is VARIANT or not isinstance(value, (np.ndarray, np.generic)):
            return  # the list of a loop, the cell of a variable
        if value.dtype != form.dtype or not self._fits(form.shape, value.shape):
            if id(y) in y.op.graph.stated:
                raise _not_as_stated(y, value)
            raise InternalError(
                f"{y.op.type} computed {value.dtype.name}{list(value.shape)} where the graph says "
                f"{form.dtype.name}{y.shape}, for {y!r}, made at {y.op.place}. This is a mistake "
                "in Wengert, in the shape that the operation claims: please report it.",
                y.op,
            )
        self._note(y, value)
        if y._integers is not None:
            self._check_integers(y, value, y._integers)

    def _check_integers(self, y: SymbolicTensor, value: Any, integers: Sequence[Any]) -> None:
        """The graph computes the integers behind shapes exactly; a kernel's dtype may overflow."""
        for claimed, computed in zip(integers, value.ravel(), strict=True):
            exact = self._value(claimed) if type(claimed) is Size else claimed
            if exact is not None and exact != computed:
                raise InternalError(
                    f"{y.op.type} computed {computed} in {value.dtype.name} where the graph says "
                    f"{exact}, for {y!r}, made at {y.op.place}: a shape is made of an integer "
                    "that does not fit its dtype. Cast to int64 before.",
                    y.op,
                )

    def _fits(self, claimed: Any, shape: tuple[int, ...]) -> bool:
        if not isinstance(claimed, tuple):
            return True  # of unknown rank
        return len(claimed) == len(shape) and all(map(self._holds, claimed, shape))

    def _holds(self, claimed: Any, size: int) -> bool:
        if type(claimed) is not Size:
            return bool(claimed == size)
        if claimed.symbol is not None:
            return self._known.setdefault(claimed.symbol, size) == size
        value = self._value(claimed)
        return value is None or value == size

    def _value(self, size: Size) -> int | None:
        """The value of a size; None where one of its symbols is unknown."""
        values = {s: self._symbol(s) for s in size.symbols}
        if any(v is None for v in values.values()):
            return None
        found: int = evaluate(size, lambda s: values[s])
        return found

    def _symbol(self, symbol: Symbol) -> int | None:
        if symbol.element is None:
            return self._known.get(symbol)
        array = self._integers.get(id(symbol.tensor))
        return None if array is None else symbol.measure(array)

    def _note(self, x: SymbolicTensor, value: Any) -> None:
        if value.dtype.kind in "iu" and value.size <= MOST:
            self._integers[id(x)] = value


def _not_as_stated(x: SymbolicTensor, value: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{x!r}, made at {x.op.place}, is said to be of shape {x.shape}, but is of shape "
        f"{list(value.shape)} in this run. set_shape states a shape, and changes none."
    )
