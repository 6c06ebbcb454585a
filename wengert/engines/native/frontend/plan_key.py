"""A plan as bytes, its key in the cache: plans with equal bytes share a program.

The key covers everything that compilation depends on: the operations in their order, their inputs
and results, attributes and constants to the last bit, the fetches, the number of threads, and the
files of this library. The processor and the version of LLVM are added by `cache`. What cannot be
serialized exactly (a user's Python, an object) has no key, and the plan is compiled anew.
"""

from __future__ import annotations

import functools
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from wengert.core.row import Row
from wengert.core.table import LOADED, TABLE
from wengert.execution.open_forms import has_open_form
from wengert.execution.plan import Plan, effects
from wengert.graph import graph_builder
from wengert.graph.function_graph import FunctionGraph
from wengert.host.precision import is_tensor_float_32_allowed
from wengert.host.threads import get_threads
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.values.dtypes import RESOURCE, VARIANT, DType
from wengert.values.open_size import is_open, mark_of
from wengert.values.shapes import Axes, Axis, TensorShape
from wengert.values.symbolic import SymbolicTensor, is_certain
from wengert.values.tensor import TensorList

# Marshalled without references, equal values give equal bytes; different values, and values of
# different types (1, 1.0, True; 0.0, -0.0), give different bytes.
_WITHOUT_REFERENCES: Final = 2
_LARGEST: Final = 1 << 28  # bytes of a constant: to read and hash more takes longer than to compile


class Inexact(Exception):  # noqa: N818  # the plan is compiled anew
    """Something that cannot be serialized exactly."""


def content_of(plan: Plan) -> bytes | None:
    """The bytes of a plan; None if something in it cannot be serialized."""
    try:
        return _bytes((_around(), _said(plan)))
    except (Inexact, OSError):  # or the library is in a zip archive
        return None


def exactly(attrs: dict[str, Any]) -> bytes:
    """Attributes as bytes, which distinguish even values that compare equal, such as 1 and True."""
    return _bytes([(name, _value(value)) for name, value in sorted(attrs.items())])


def _bytes(values: Any) -> bytes:
    return marshal.dumps(values, _WITHOUT_REFERENCES)


def _around() -> tuple[Any, ...]:
    """The part of the key that does not depend on the plan."""
    return sys.version, np.__version__, get_threads(), is_tensor_float_32_allowed(), _files()


@functools.cache
def _files() -> tuple[Any, ...]:
    """The source files of operations and compiler, with their times of modification."""
    folders = [os.path.join(_PACKAGE, part) for part in _PARTS]
    found = sorted([source for folder in folders for source in _sources(folder)])
    if not found or any(changed > LOADED for *_, changed in found):
        raise Inexact  # the code in memory is not the code in the files
    return tuple(found)


_PACKAGE: Final = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
_PARTS: Final = (
    "host",
    "values",
    "core",
    "state",
    "inference",
    "overrides",
    "graph",
    "engines",
    "ops",
)
_MODULES: Final = tuple([f"wengert.{part}." for part in _PARTS])


def _sources(folder: str) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith((".py", ".pyc")):
                seen = entry.stat()
                yield entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


# ---- a plan -------------------------------------------------------------------------------------


class _Numbered:
    """Objects numbered in the order of their first use, with a description of each."""

    def __init__(self) -> None:
        self.number_of: dict[Any, int] = {}
        self.said: list[Any] = []

    def add(self, key: Any, said: Any) -> int:
        number = self.number_of[key] = len(self.said)
        self.said.append(said)
        return number


def _said(plan: Plan) -> tuple[Any, ...]:
    """All that a program depends on. Tensors and rows are numbered by id: the plan keeps them alive."""
    tensors, forms, rows = _Numbered(), _Numbered(), _Numbered()
    form_of, row_of, number_of = forms.number_of.get, rows.number_of.get, tensors.number_of

    def new(x: Any) -> int:
        form = x._array
        key: Any = form.shape, form.dtype
        if has_open and is_certain(form.shape):
            key = *key, _marks(form.shape)
        number = form_of(key)
        return tensors.add(id(x), forms.add(key, _form(form)) if number is None else number)

    has_open = any(map(has_open_form, plan.given))
    given = [new(x) for x in plan.given]
    steps: list[int] = []
    attributes: list[Any] = []
    for op in plan.steps:
        inputs, outputs, row = op.inputs, op.outputs, op.row
        number = row_of(id(row))
        steps += (
            rows.add(id(row), _row(row)) if number is None else number,
            len(inputs),
            len(outputs),
        )
        for x in inputs:
            at = number_of.get(id(x))
            steps.append(new(x) if at is None else at)
        for y in outputs:
            new(y)
        if op.attrs:
            attributes.append((len(steps), exactly(op.attrs)))
    fetches = [number_of[id(x)] if id(x) in number_of else new(x) for x in plan.fetches]
    known = [(number_of[key], _value(value)) for key, value in plan.used().items()]
    return (
        len(plan.feeds),
        given,
        tensors.said,
        forms.said,
        rows.said,
        steps,
        attributes,
        fetches,
        known,
    )


def _said_of_loop(loop: Loop) -> tuple[Any, ...]:
    """A loop: what it runs, and how its inputs and results reach that."""
    at = {id(x): k for k, x in enumerate(loop.body.all_inputs)}
    condition = loop.condition
    return (
        _said(_plan_of(loop.body, [*loop.results, *[e.inside for e in loop.emitted]])),
        None if condition is None else _said(_plan_of(condition, condition.outputs)),
        [at[id(x)] for x in loop.carried],
        [(at[id(x)], place) for x, place in loop.same],
        [(at[id(t.inside)], t.backward) for t in loop.taken],
        [e.backward for e in loop.emitted],
        loop.condition_places,
    )


def _said_of_branches(branches: Branches) -> tuple[Any, ...]:
    bodies = [_said(_plan_of(b.graph, b.results)) for b in branches.bodies]
    return bodies, branches.places, branches.count, branches.more, branches.is_choice


def _plan_of(graph: FunctionGraph, results: Sequence[SymbolicTensor]) -> Plan:
    return Plan(results, graph.all_inputs, effects(graph))


def _form(form: Any) -> tuple[Any, ...]:
    if not is_certain(form.shape):
        raise Inexact
    return tuple(map(int, form.shape)), _dtype(form.dtype), _marks(form.shape)


def _marks(shape: Any) -> tuple[int, ...]:
    """The names of open sizes, in machine code; nothing where none is open."""
    return tuple([int(mark_of(size)) for size in shape]) if is_open(shape) else ()


def _dtype(dtype: Any) -> tuple[str, str]:
    if dtype is VARIANT or dtype is RESOURCE:  # a list, or the stream of an operation
        return "", dtype.names[0]
    if not isinstance(dtype, np.dtype) or dtype.hasobject or dtype.names or dtype.subdtype:
        raise Inexact
    return dtype.str, dtype.name


def _row(row: Row) -> tuple[Any, ...]:
    """What a built-in row computes, identified by its name, whatever its gradient is; not users' rows."""
    where = getattr(row.kernel, "__module__", None) or ""
    if row.closes and where == graph_builder.__name__:
        return ("hands on",)
    fields = row.elementwise, row.many, row.stateful, row.effects, row.closes
    if isinstance(row.bodies, Loop):
        return row.name, "loop", _said_of_loop(row.bodies), fields
    if isinstance(row.bodies, Branches):
        return row.name, "branches", _said_of_branches(row.bodies), fields
    usual = TABLE.get(row.name)
    if (
        usual is None
        or usual.users
        or row.kernel is not usual.kernel
        or row.step is not usual.step
        or not usual.declared.startswith(_PACKAGE + os.sep)
        or not where.startswith(_MODULES)
    ):
        raise Inexact
    return row.name, row.kernel.__qualname__, getattr(row.ufunc, "__name__", ""), fields


# ---- values -------------------------------------------------------------------------------------

# What marshal tells apart by itself.
_PLAIN: Final = frozenset((type(None), bool, int, float, complex, str, bytes, type(Ellipsis)))


def _value(value: Any) -> Any:
    """An attribute or a constant. All but plain values become tuples that start with their kind."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Axis:
        return int(value)
    if kind is tuple or kind is list or kind is Axes:  # however the program gave them
        return ("list" if kind is list else "tuple", _values(value))
    if kind is np.ndarray or isinstance(value, np.generic):
        if value.nbytes > _LARGEST:
            raise Inexact
        return (kind.__name__, _dtype(value.dtype), value.shape, value.tobytes())
    if kind is TensorList and value.form is None:
        return ("list", _values(value))
    if kind is slice:
        return ("slice", _values((value.start, value.stop, value.step)))
    if kind is DType:
        return ("DType", value.name)
    if kind is TensorShape:
        return ("TensorShape", None if value.rank is None else _values(value.as_list()))
    if isinstance(value, np.dtype):
        return ("dtype", _dtype(value))
    raise Inexact


def _values(values: Sequence[Any]) -> list[Any]:
    return [_value(v) for v in values]
