"""The reference engine: a plan as straight-line Python that calls NumPy's functions.

Each step becomes one line, `v7 = f3(v5, v6)`, and a value is deleted after its last use. Python's
compiler does the rest: the overhead between two NumPy calls is 0.03 µs, where a loop over steps
costs 0.1. Long plans are cut into pieces, because compiling takes memory; values that cross a cut
are kept in a list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from wengert.core.dispatch import explain_failure, is_large, of_large
from wengert.core.row import Attrs, Row
from wengert.engines.claim_checks import carried_out
from wengert.engines.dead_values import PlanWithDeadValues
from wengert.errors import InvalidArgumentError, OpError
from wengert.execution.engine_registry import Check, Engine, Runnable
from wengert.execution.plan import Plan, shapes_of
from wengert.graph.graph_builder import CAPTURE, PLACEHOLDER
from wengert.graph.operation import Operation
from wengert.host.direct_numpy import DIRECT
from wengert.host.fp_errors import quietly
from wengert.host.locks import COMPILING
from wengert.host.malloc import LARGE, LARGE_HALF, SOME
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import wrap

MOST_SIZES: Final = 1024  # combinations of sizes that are remembered as checked
PIECE: Final = 1000  # steps that are compiled together
# These take `out` by keyword; the others by position, which is 0.03 µs faster.
BY_KEYWORD: Final = frozenset((np.maximum, np.minimum))


class NumpyEngine(Engine):
    """The reference engine: it computes whatever the other engines do not."""

    def compile(self, plan: Plan) -> Runnable:
        """The plan as Python that calls NumPy."""
        if plan.may_be_dead:
            return PlanWithDeadValues(plan, _function_of, _failed)
        return NumpyPlan(plan)

    def compile_checked(self, plan: Plan, check: Check) -> Runnable:
        """The same, with each operation and its result passed to `check`."""
        if plan.may_be_dead:
            return PlanWithDeadValues(plan, partial(_shown, check), _failed)
        return NumpyPlan(plan, check)


class NumpyPlan(Runnable):
    """A plan that can be called: `compiled(values of plan.given)` gives the fetches."""

    def __init__(self, plan: Plan, check: Check | None = None) -> None:
        self.plan = plan
        self._function_of = _function_of if check is None else partial(_shown, check)
        writer = _SourceWriter(plan, self._function_of)
        self._fresh = [writer.is_fresh(x) for x in plan.fetches]
        self._program: _Program | None = None  # generated on the second run of the plan
        self._is_open = not all(map(_is_settled, plan.given))
        self._checked: set[Any] = set()  # the sizes for which it has run

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The fetches, for values of `plan.given`."""
        key = shapes_of(values) if self._is_open else None
        if key in self._checked:
            program = self._program
            if program is None:  # two threads may both generate it: each uses its own
                with COMPILING:
                    program = self._program = _Program(self.plan, self._function_of)
            return program(values)
        results = carried_out(self.plan, values, self._function_of, _failed)
        if len(self._checked) == MOST_SIZES:
            self._checked.clear()
        self._checked.add(key)
        return results

    @property
    def fresh(self) -> Sequence[bool]:
        """For each fetch, whether nothing else refers to its array."""
        return self._fresh


class _Program:
    """A plan as generated Python code."""

    def __init__(self, plan: Plan, function_of: Callable[[Operation], Callable[..., Any]]) -> None:
        writer = self._writer = _SourceWriter(plan, function_of)
        self._pieces = [writer.piece(at) for at in range(0, len(plan.steps), PIECE)]
        self._given = len(plan.given)
        self._out = [writer.place(x) for x in plan.fetches]
        self._start = writer.start

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        r = self._start.copy()
        r[: self._given] = values
        try:
            quietly(self._run, r)
        except Exception as error:
            raise self._with_operation(error) from error
        return [r[at] for at in self._out]

    def _run(self, r: list[Any]) -> None:
        for function, _ in self._pieces:
            function(r)

    def _with_operation(self, error: Exception) -> Exception:
        """The error, with the name and the line of the operation that raised it."""
        traceback = error.__traceback__
        while traceback is not None:
            for function, lines in self._pieces:
                if traceback.tb_frame.f_code is function.__code__:
                    op = lines[traceback.tb_lineno - 1]
                    inputs = self._writer.arguments(op, traceback.tb_frame.f_locals)
                    return in_operation(op, error, inputs)
            traceback = traceback.tb_next
        return error


def _is_settled(x: SymbolicTensor) -> bool:
    """Whether the shape is the same in every run."""
    return is_certain(x._array.shape) and id(x) not in x.op.graph.stated


class _SourceWriter:
    """Generates the Python source of a plan, piece by piece."""

    def __init__(self, plan: Plan, function_of: Callable[[Operation], Callable[..., Any]]) -> None:
        self.plan = plan
        self._function_of = function_of
        self._last = plan.last_uses()
        self._made = {id(x) for op in plan.steps for x in op.outputs}
        self._simple = {id(op) for op in plan.steps if _is_simple(op)}
        self._large = {id(op) for op in plan.steps if _will_be_large(op)}
        # Inputs of anything but a plain NumPy function, which may have kept a reference to them.
        self._seen = {id(x) for op in plan.steps if id(op) not in self._simple for x in op.inputs}
        self._fetched = {id(x) for x in plan.fetches}
        self._names: dict[int, str] = {}
        self._places: dict[int, int] = {}
        self.start: list[Any] = []  # the list of values at the start of a run
        for x in plan.given:
            self._new_place(x, None)

    def _new_place(self, x: SymbolicTensor, value: Any) -> None:
        self._places[id(x)] = len(self.start)
        self.start.append(value)

    def place(self, x: SymbolicTensor) -> int:
        """The index of a value in the list."""
        if id(x) not in self._places:
            self._new_place(x, self.plan.known.get(id(x)))
        return self._places[id(x)]

    def name(self, x: SymbolicTensor) -> str:
        """The name of a value within a piece."""
        return self._names.setdefault(id(x), f"v{len(self._names)}")

    def is_fresh(self, x: SymbolicTensor) -> bool:
        """Whether nothing else can refer to the array of a result."""
        return id(x.op) in self._simple and id(x) in self._made and id(x) not in self._seen

    # ---- a piece -----------------------------------------------------------------------------

    def piece(self, begin: int) -> tuple[Callable[[list[Any]], None], list[Operation]]:
        end = min(begin + PIECE, len(self.plan.steps))
        steps = self.plan.steps[begin:end]
        functions: dict[str, Any] = {}
        loads: dict[int, str] = {}
        lines: list[str] = []
        inside: set[int] = set()
        for at, op in enumerate(steps, begin):
            for x in op.inputs:
                if id(x) not in inside and id(x) not in loads:
                    loads[id(x)] = self._load(x, end)
            lines.append(self._line(op, at, functions))
            inside.update(id(x) for x in op.outputs)
        stores = [
            f"r[{self.place(x)}]={self.name(x)}"
            for op in steps
            for x in op.outputs
            if self._last.get(id(x), -1) >= end
        ]
        body = [";".join(loads.values()) or "pass", *lines, ";".join(stores) or "pass"]
        source = "def piece(r):\n " + "\n ".join(body) + "\n"
        exec(compile(source, "<plan>", "exec"), functions)
        # An operation for each line of the source: the head, the loads, the steps, the stores.
        return functions["piece"], [steps[0], steps[0], *steps, steps[-1]]

    def _load(self, x: SymbolicTensor, end: int) -> str:
        at = self.place(x)
        drop = f";r[{at}]=None" if self._last[id(x)] < end and id(x) in self._made else ""
        return f"{self.name(x)}=r[{at}]{drop}"

    def _line(self, op: Operation, at: int, functions: dict[str, Any]) -> str:
        functions[f"f{at}"] = self._function_of(op)
        arguments = [self.name(x) for x in op.inputs]
        where = "out=" if op.row.ufunc in BY_KEYWORD else ""
        arguments += [f"{where}{self.name(x)}" for x in self._overwritten(op, at)]
        call = f"f{at}({','.join(arguments)})"
        results = [self.name(x) for x in op.outputs]
        if not results:
            return call
        assign = f"({','.join(results)},)={call}" if op.row.many else f"{results[0]}={call}"
        dead = [self.name(x) for x in op.inputs if self._last[id(x)] == at]
        unused = [self.name(x) for x in op.outputs if id(x) not in self._last]
        if op.row.bodies is not None:  # a gradient that is built meanwhile makes it hand out more
            assign = f"({','.join(results)},*more)={call}"
            unused.append("more")
        gone = dict.fromkeys(dead + unused)
        return f"{assign};del {','.join(gone)}" if gone else assign

    def _overwritten(self, op: Operation, at: int) -> list[SymbolicTensor]:
        """The inputs that the result may overwrite, because nothing reads them later."""
        if id(op) not in self._simple or id(op) in self._large:
            return []
        form = op.outputs[0]._array
        for x in op.inputs:
            if (
                self._last[id(x)] == at
                and self.is_fresh(x)
                and id(x) not in self._fetched
                and x._array.shape == form.shape
                and x._array.dtype == form.dtype
            ):
                return [x]
        return []

    def arguments(self, op: Operation, values: dict[str, Any]) -> list[Any]:
        """The inputs of a step that are arrays."""
        found = [values.get(self.name(x)) for x in op.inputs]
        return [wrap(v) for v in found if hasattr(v, "dtype") and hasattr(v, "shape")]


def _is_simple(op: Operation) -> bool:
    """A NumPy function whose result is a new array of a known shape."""
    if op.row.ufunc is None or op.attrs or op.row.step is not None:
        return False
    form = op.outputs[0]._array
    return is_certain(form.shape) and bool(form.shape) and form.dtype != object


def _function_of(op: Operation) -> Callable[..., Any]:
    function = _plain_function_of(op)
    makes_text = len(op.outputs) == 1 and op.outputs[0]._array.dtype == object
    return partial(_as_array, function) if makes_text else function


def _as_array(function: Callable[..., Any], *values: Any) -> Any:
    """The result as an array; NumPy gives a single string without one."""
    found = function(*values)
    return np.array(found, object) if type(found) is bytes else found


def _plain_function_of(op: Operation) -> Callable[..., Any]:
    row = op.row
    if row is PLACEHOLDER or row is CAPTURE:
        return partial(_not_fed, op)
    if row.step is not None:
        return partial(row.step, DIRECT, **op.attrs)
    kernel: Any = partial(row.kernel, DIRECT, **op.attrs)
    if row.ufunc is not None and not op.attrs:
        kernel = row.ufunc
    if _will_be_large(op):
        return partial(_for_large, row, op.attrs)
    if _may_be_large(op):
        return partial(_by_size, row, op.attrs, kernel, _least(op))
    return kernel  # type: ignore[no-any-return]


# ---- large arrays, of which a row's own function computes, as outside of graphs --------------------


class _Expected:
    """An array before there is one, for `is_large`: its rows will lie together."""

    c_contiguous = True

    def __init__(self, x: SymbolicTensor) -> None:
        self.shape, self.dtype = x._array.shape, x._array.dtype
        self.ndim, self.size = len(self.shape), math.prod(self.shape)
        self.flags = self


def _will_be_large(op: Operation) -> bool:
    known = op.row.large is not None and all(is_certain(x._array.shape) for x in op.inputs)
    return known and is_large(op.row, [_Expected(x) for x in op.inputs])


def _may_be_large(op: Operation) -> bool:
    return op.row.large is not None and not all(is_certain(x._array.shape) for x in op.inputs)


def _for_large(row: Row, attrs: Attrs, *arrays: Any) -> Any:
    return of_large(row, list(arrays), attrs)


def _by_size(
    row: Row, attrs: Attrs, kernel: Callable[..., Any], least: int, x: Any, *others: Any
) -> Any:
    """The same where sizes are known only now."""
    try:
        small = _is_small(least, x, *others) or not is_large(row, (x, *others))
    except AttributeError:  # a number, in place of what a branch did not compute
        small = True
    return kernel(x, *others) if small else of_large(row, [x, *others], attrs)


def _is_small(least: int, x: Any, y: Any = None, *_: Any) -> bool:
    """Whether few elements are soon recognised; two arrays may give as many as the product of both."""
    if y is None:
        return x.size < least  # type: ignore[no-any-return]
    return x.size * y.size < least or (x.shape == y.shape and x.size < least)  # type: ignore[no-any-return]


def _least(op: Operation) -> int:
    """The elements below which no array is large for an operation."""
    if op.row.by_rows:
        return SOME
    return min(op.row.large_from, LARGE_HALF if op.inputs[0]._array.dtype.itemsize == 2 else LARGE)


def _shown(check: Check, op: Operation) -> Callable[..., Any]:
    return partial(_checked, _function_of(op), check, op)


def _checked(
    function: Callable[..., Any],
    check: Check,
    op: Operation,
    *values: Any,
    **out: Any,
) -> Any:
    """The result of an operation, after `check` has seen it."""
    found = function(*values, **out)
    check(op, found if op.row.many else [found])
    return found


# ---- errors -----------------------------------------------------------------------------------


def _not_fed(op: Operation) -> Any:
    dtype, shape = op.attrs["dtype"], op.attrs["shape"]
    known = "" if shape.rank is None else f" and shape {list(shape)}"
    raise InvalidArgumentError(
        f"You must feed a value for placeholder tensor '{op.name}' with dtype "
        f"{dtype.spoken}{known}. Give it in feed_dict."
    )


def _failed(op: Operation, error: Exception, values: Sequence[Any]) -> Exception:
    arrays = [wrap(v) for v in values if hasattr(v, "dtype") and hasattr(v, "shape")]
    return in_operation(op, error, arrays)


def in_operation(op: Operation, error: Exception, inputs: list[Any]) -> Exception:
    """The error of an operation of a graph, which names the operation and its line."""
    explanation = explain_failure(op.row, inputs, error)
    if not isinstance(explanation, OpError) or explanation.op is not None:
        return explanation
    where = f"[[node {op.name} (defined at {op.place})]]"
    return type(explanation)(f"{explanation.message}\n\t {where}", op)
