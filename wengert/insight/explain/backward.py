"""The sweep, one operation at a time: what each gets, and what it hands to its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wengert.core.context import activate, current_graph
from wengert.core.reverse import Cotangents, sweep
from wengert.core.tape import Tape
from wengert.insight.explain.history import History, keys_of
from wengert.insight.journal import Step
from wengert.ops.math.elementwise import ones_like
from wengert.values.tensor import TensorList, key_of
from wengert.values.value import Key


class Back(NamedTuple):
    """One operation in the sweep: what came, and what goes to each input that leads on."""

    number: int
    step: Step
    came: list[Any]  # for each result, or None
    goes: dict[Key, Any]  # for inputs on the way; None where nothing goes


def backward(history: History, on_way: set[int], values: set[Key], target: Any) -> Iterator[Back]:
    """Go back from the target over these operations; `values` lie on the way."""
    cotangents: Cotangents = {}
    with activate((), current_graph()):
        cotangents[key_of(target)] = ones_like(target)
    for number in sorted(on_way, reverse=True):
        step = history.steps[number]
        came = [cotangents.get(y._key) for y in step.results]
        # What an operation inside of another hands on is said by the one around it.
        is_latest = all(history.made_by[y._key] == number for y in step.results)
        if all(g is None for g in came) or not is_latest:
            continue
        leading = [key for key in keys_of(step.inputs) if key in values]
        with activate((), current_graph()):
            goes = hand_on(step, cotangents, leading)
        yield Back(number, step, came, goes)


def hand_on(step: Step, cotangents: Cotangents, leading: Sequence[Key]) -> dict[Key, Any]:
    """What the rule of an operation gives to its inputs; it is added to the cotangents."""
    for y in step.results:
        if isinstance(y, TensorList):
            return dict.fromkeys(leading)
    before = {key: cotangents.pop(key) for key in leading if key in cotangents}
    tape = Tape()
    for x in step.inputs:
        if getattr(x, "_key", None) in leading:
            tape.watch(x)
    tape.record(
        step.row,
        list(step.inputs),
        step.attrs,
        list(step.results) if step.row.many else step.results[0],
    )
    if tape.records:
        sweep(tape.records, False, cotangents, set(leading), set(), False)
    else:
        for y in step.results:
            cotangents.pop(y._key, None)
    goes = {key: cotangents.get(key) for key in leading}
    for key, g in before.items():
        _add(cotangents, key, g)
    return goes


def _add(cotangents: Cotangents, key: Key, g: Any) -> None:
    now = cotangents.get(key)
    cotangents[key] = g if now is None else now + g
