"""Branches: what `if`, `and`, `or`, `not` and their like do, on tensors and on everything else."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from wengert.api.autograph.expressions import Place
from wengert.api.autograph.state import ABSENT, GUARDED, State
from wengert.api.autograph.values import (
    Parts,
    are_composites,
    condition,
    has_variable,
    is_staged,
    kind_of,
    pairs,
    read_variables,
    same_structure,
    trial,
    zeros_for,
)
from wengert.host.user_frames import callers_place
from wengert.ops.control.cond import cond
from wengert.ops.control.effects import Assert
from wengert.ops.math.elementwise import logical_not

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor

Block = Callable[..., Any]
_SIGNS: Final[dict[str, Block]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b,
}  # fmt: skip


def branch(
    test: object, body: Block, orelse: Block, places: Sequence[Place], local: Sequence[Place]
) -> None:
    """An `if`. The blocks write the variables at `places`, and others that are not read again."""
    if is_staged(test):
        state = State(places, local, body, orelse)
        _Branch(state, body, orelse).run(condition(test, "if statement"))
    elif test:
        body()
    else:
        orelse()


class _Branch:
    """An `if` on a tensor: both blocks are traced, each from the state before."""

    def __init__(self, state: State, body: Block, orelse: Block) -> None:
        self._state = state
        self._before = state.values()
        self._blocks = {"main": body, "else": orelse}
        self._ends: dict[str, Parts] = {}

    def run(self, test: Tensor) -> None:
        """Both blocks, and the state after them."""
        try:
            found = cond(test, lambda: self._traced("main"), lambda: self._traced("else"))
        except BaseException:
            self._state.begin(self._before)
            raise
        end = self._ends.get("main") or self._ends["else"]
        self._state.set(end.with_tensors(found) if end.tensors else end.values)

    def _traced(self, which: str) -> list[Any]:
        values = self._after(which)
        if any(v is GUARDED for v in values):
            others = self._of_other("else" if which == "main" else "main")
            filled = zip(values, others, strict=True)
            values = [zeros_for(o) if v is GUARDED and o is not GUARDED else v for v, o in filled]
        if has_variable(values):
            values = read_variables(values, self._of_other("else" if which == "main" else "main"))
        end = self._ends[which] = Parts(values)
        for spoken, value in zip(self._state.names, end.values, strict=True):
            if value is ABSENT:
                raise ValueError(self._unset(spoken, which))
        if len(self._ends) == 2:
            one, other = self._ends["main"].values, self._ends["else"].values
            for spoken, a, b in zip(self._state.names, one, other, strict=True):
                _check_alike(spoken, a, b)
        return end.tensors

    def _after(self, which: str) -> list[Any]:
        self._state.begin(self._before)
        self._blocks[which]()
        return self._state.values()

    def _of_other(self, which: str) -> list[Any]:
        if which in self._ends:
            return self._ends[which].values
        with trial():
            return self._after(which)

    def _unset(self, spoken: str, which: str) -> str:
        if spoken == "the return value":
            return (
                f"the {which} branch must also have a return statement. If a value is returned "
                f"from one branch, a value must be returned from all. (at {callers_place()})"
            )
        return f"{spoken} must also be initialized in the {which} branch (at {callers_place()})"


def _check_alike(spoken: str, one: object, other: object) -> None:
    """Check that a variable has the same kind of value at the end of both branches."""
    if (one is None) != (other is None):
        which = "main" if one is None else "else"
        raise ValueError(
            f"{spoken} is None at the end of the {which} branch. (at {callers_place()})"
        )
    difference = same_structure(one, other)
    if difference:
        raise TypeError(
            f"{spoken} must have the same nested structure in the main and else branches: "
            f"{difference} (at {callers_place()})"
        )
    for a, b in pairs(one, other):
        if are_composites(a, b):
            continue
        kinds = kind_of(a), kind_of(b)
        if any(isinstance(k, type) for k in kinds) and a is not b and a != b:
            raise TypeError(
                f"{spoken} is {a!r} in the main branch, but {b!r} in the else branch: only a "
                f"tensor can be chosen when the graph runs. (at {callers_place()})"
            )
        if kinds[0] is not kinds[1]:
            raise TypeError(
                f"{spoken} has dtype {_named(kinds[0])} in the main branch, but dtype "
                f"{_named(kinds[1])} in the else branch. Use tf.cast. (at {callers_place()})"
            )


def _named(kind: object) -> str:
    return str(getattr(kind, "name", getattr(kind, "__name__", kind)))


# ---- expressions -------------------------------------------------------------------------------


def chosen(test: object, body: Block, orelse: Block) -> Any:
    """`body if test else orelse`."""
    if not is_staged(test):
        return body() if test else orelse()
    ends: list[Any] = []

    def traced(block: Block) -> Block:
        def run() -> Any:
            ends.append(block())
            if len(ends) == 2:
                _check_alike("the conditional expression", *ends)
            return ends[-1]

        return run

    return cond(condition(test, "if expression"), traced(body), traced(orelse))


def all_of(first: object, *rest: Block) -> Any:
    """`first and ...`: what follows is computed only if it is needed."""
    found = first
    for i, following in enumerate(rest):
        if is_staged(found):
            return _lazily(found, "`and`", all_of, rest[i:])
        if not found:
            return found
        found = following()
    return found


def any_of(first: object, *rest: Block) -> Any:
    """`first or ...`: what follows is computed only if it is needed."""
    found = first
    for i, following in enumerate(rest):
        if is_staged(found):
            return _lazily(found, "`or`", any_of, rest[i:])
        if found:
            return found
        found = following()
    return found


def _lazily(found: object, of: str, operator: Block, rest: Sequence[Block]) -> Any:
    def others() -> Any:
        return operator(rest[0](), *rest[1:])

    def decided() -> Any:
        return found

    blocks = (others, decided) if operator is all_of else (decided, others)
    return cond(condition(found, of), *blocks)


def negated(value: object) -> Tensor | bool:
    """`not value`."""
    return logical_not(condition(value, "`not`")) if is_staged(value) else not value


def compared(signs: Sequence[str], first: Any, *rest: Block) -> Any:
    """`first < second <= third ...`: each operand is computed once, the later if needed."""
    second = rest[0]()
    found = _SIGNS[signs[0]](first, second)
    if len(rest) == 1:
        return found
    return all_of(found, lambda: compared(signs[1:], second, *rest[1:]))


def none_of(*flags: object) -> Tensor | bool:
    """Whether no jump was taken."""
    return negated(any_of(flags[0], *[functools.partial(_same, f) for f in flags[1:]]))


def _same(value: object) -> Any:
    return value


def asserted(test: object, message: Block) -> Any:
    """What `assert` is to look at: on tensors an assertion in the graph takes its place."""
    if not is_staged(test):
        return test
    said = message()
    Assert(
        condition(test, "`assert`"),
        [f"assertion failed at {callers_place()}" if said is None else said],
    )
    return True


def returned(value: object) -> Any:
    """What a function returns: None if no `return` was met."""
    return None if value is ABSENT or value is GUARDED else value
