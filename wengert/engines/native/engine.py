"""A plan that runs as machine code.

What LLVM compiles and what NumPy computes take turns: a segment is a run of native steps, which one
call carries out. Between them stand steps of NumPy's. Python is entered once for each.
"""

from __future__ import annotations

import ctypes
import functools
import math
import platform
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from wengert.core.shapes import shown
from wengert.core.quiet import QUIET, enter, leave
from wengert.core.tensor import wrap
from wengert.engines.choosing import get_threads
from wengert.engines.native import blas
from wengert.engines.native.arrays import (
    Base,
    Given,
    Literal,
    Map,
    Outside,
    Piece,
    Pieces,
    Product,
    Step,
    View,
    is_plain,
)
from wengert.engines.native.cache import stored
from wengert.engines.native.emitting import Launch, functions_text, launches
from wengert.engines.native.fusing import Fusion, Group, in_memory
from wengert.engines.native.lowering import Lowering, leading
from wengert.engines.native.machine import Loaded, compiled, processor
from wengert.engines.native.simplifying import simplified
from wengert.engines.native.threads import functions, pool
from wengert.engines.numpy_engine import Compiled, _function_of, _in_operation
from wengert.engines.plan import Plan
from wengert.errors import InvalidArgumentError

ALIGNED: Final = 64
LETTING_GO: Final = 1 << 15  # elements of work from which on Python's lock is let go of


def is_supported() -> bool:
    """Whether the processor has what all mathematics is made of: x y + z, rounded once."""
    name, features = processor()
    return "+fma" in features.split(",") or platform.machine() in ("aarch64", "arm64")


class Call:
    """One step of a segment: a function, the arrays it is given, the number of parts."""

    __slots__ = ("address", "arrays", "launch", "name", "parts", "settings", "what")

    def __init__(
        self, name: str, arrays: Sequence[tuple[Base, int]], parts: int, what: Any
    ) -> None:
        self.name = name
        self.arrays = arrays  # and the element with which each begins
        self.parts = parts
        self.what = what
        self.settings: Any = None  # numbers that the function reads behind its arrays


class Native:
    """A plan that can be called: `native(values of plan.given)` gives the fetches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._reference: Compiled | None = None
        self.low = low = Lowering(plan)
        self._fetched = [self._fetch(x) for x in plan.fetches]
        self._written = [(cell, low.stored(v)) for cell, v in low.written.values()]
        self._checks = [low.stored(v) for v in low.checks]
        views = [v for v in self._fetched if isinstance(v, View)]
        views += [v for _, v in self._written] + self._checks
        self.fusion = Fusion()
        for item in simplified(low, views):
            self.fusion.add(item)
        wanted = [v.base for v in views]
        self._overwritten = self._in_place()
        self.order = self.fusion.ordered()
        self.memory = in_memory(self.order, wanted)
        self.wanted = set(wanted)
        self.segments = self._segments()
        # Whether any of it is compiled.
        self.is_native = any(isinstance(s, list) for s in self.segments)
        if self.is_native:
            self._compile()
            runner = _Runner(self)
            self.run, self.fresh = runner.made()
            self.memory_of_its_own = runner.arena.size

    def _fetch(self, x: Any) -> Any:
        """A fetch as an array in memory, or as what NumPy's steps give."""
        view = self.low.views.get(id(x))
        if view is None:
            return x
        return self.low.stored(view)

    def _in_place(self) -> dict[Base, Base]:
        """New values of variables that may be written over the old ones.

        Such a value is computed from the old one element by element, after everybody else has
        read that. Where something may turn out to be wrong, the old value must stay.
        """
        found: dict[Base, Base] = {}
        if self.low.checks:
            return found
        fetched = {v.base for v in self._fetched if isinstance(v, View)}
        for cell, view in self._written:
            new = view.base
            old = next((b for b, x in self.low.cells.items() if x is cell), None)
            if old is None or type(new) not in (Map, Product) or old in fetched or new in found:
                continue
            if new.size == old.size and self.fusion.last_of(new.group, old):
                found[new] = old
        return found

    def reference(self) -> Compiled:
        """The same plan for NumPy, which says what is wrong."""
        if self._reference is None:
            self._reference = Compiled(self.plan)
        return self._reference

    def overwrites(self, base: Base) -> Base | None:
        """The old value that a new one may be written over."""
        old = self._overwritten.get(base)
        if old is None or (type(base) is Map and base not in self._once):
            return None
        return old

    # ---- segments ------------------------------------------------------------------------------

    def _segments(self) -> list[Any]:
        """Lists of calls, and steps of NumPy's between them."""
        found: list[Any] = []
        self._texts: dict[str, str] = {}
        self._math: dict[tuple[str, str, int], None] = {}
        self._declarations: set[str] = set()
        self._once: set[Base] = set()  # computed in one pass, each element after it was read
        for group in self.order:
            first = group.members[0]
            if type(first) is Step:
                found.append(first)
                continue
            calls = self._calls(group, first)
            if found and isinstance(found[-1], list):
                found[-1] += calls
            elif calls:
                found.append(calls)
        return found

    def _calls(self, group: Group, first: Any) -> list[Call]:
        if type(first) is Product:
            return _product(first)
        if type(first) is Pieces:
            return []
        found = []
        for launch in launches(group, self.memory):
            if not launch.outputs:
                continue
            name = self._texts.setdefault(launch.text, f"@k{len(self._texts)}")
            self._math.update(dict.fromkeys(launch.calls))
            self._declarations |= launch.declarations
            found.append(Call(name, launch.arrays, launch.parts, launch))
            if launch.once:
                self._once.update(launch.outputs)
        return found

    # ---- machine code --------------------------------------------------------------------------

    def text(self) -> str:
        """The plan's functions in LLVM's language."""
        parts = []
        for text, name in self._texts.items():
            parts.append(f"define void {name}(ptr %b, i64 %part) nounwind {{\n{text}\n}}")
        parts += functions_text(self._math, self._declarations)
        return "\n".join([*sorted(self._declarations), *parts])

    def _compile(self) -> None:
        self._loaded: Loaded | None = None
        if self._texts:
            text = self.text()
            self._loaded = Loaded(stored("plan", text, lambda: compiled(text)))

    def address(self, name: str) -> int:
        if name.startswith("@k"):
            assert self._loaded is not None
            return self._loaded.address(name[1:])
        return functions().address(name[1:])


# ---- products ---------------------------------------------------------------------------------

_NO, _YES = 111, 112  # CblasNoTrans, CblasTrans
_PER_PART: Final = 1 << 21  # multiplications that are worth handing to another thread


def _product(item: Product) -> list[Call]:
    """The call of BLAS for products of matrices, and what comes before it."""
    a, b = item.views
    c = item.written
    batch = c.shape[:-2]
    m, n, k = c.shape[-2], c.shape[-1], a.shape[-1]
    (turned_a, lda), (turned_b, ldb) = leading(a), leading(b)  # type: ignore[misc]
    ldc = c.strides[-2] if m > 1 else n
    count = math.prod(batch)
    offsets = np.stack([_starts(x, batch) for x in (a, b, c)], axis=1)
    along, extent, splits = _splits(count, m, n, k)
    per = -(-extent // splits)
    splits = -(-extent // per)
    fields = np.zeros(18, np.int64)
    fields[:9] = [blas.address(item.kind) or 0, _YES if turned_a else _NO, _YES if turned_b else _NO,
                  m, n, k, lda, ldb, ldc]  # fmt: skip
    fields[9:11].view(np.float64)[:] = item.factor, item.onto is not None
    fields[11:17] = [splits, per, offsets.ctypes.data, along, 1 if turned_a else lda,
                     ldb if turned_b else 1]  # fmt: skip
    call = Call(f"@product_{item.kind}", [(a.base, 0), (b.base, 0), (item, 0)], count * splits, item)
    call.settings = (fields, offsets)
    if item.onto is None:
        return [call]
    before = Call("@copy", [(item.onto.base, 0), (item, 0)], 1, item)
    before.settings = (np.array([item.bytes], np.int64),)
    return [before, call]


def _starts(view: View, batch: Sequence[int]) -> Any:
    places = np.full(batch, view.offset, np.int64)
    for axis, (size, stride) in enumerate(zip(batch, view.strides, strict=False)):
        shape = [1] * len(batch)
        shape[axis] = size
        places += (np.arange(size) * stride).reshape(shape)
    return places.ravel()


def _splits(count: int, m: int, n: int, k: int) -> tuple[int, int, int]:
    """Along which axis a product is parted (0: rows, 1: columns), its extent, and into how many."""
    along, extent = (0, m) if m >= n else (1, n)
    parts = min(get_threads(), count * m * n * k // _PER_PART, max(extent // 16, 1))
    return along, extent, max(1, -(-parts // count) if count < parts else 1)


# ---- memory -----------------------------------------------------------------------------------


class Arena:
    """Where the arrays lie that nobody sees: each from its first to its last use."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []  # begin, size

    def take(self, size: int) -> int:
        size = -(-max(size, 1) // ALIGNED) * ALIGNED
        best = min((s, at) for at, s in [*self._free, (self.size, sys.maxsize)] if s >= size)
        have, at = best
        if have == sys.maxsize:
            if self._free and sum(self._free[-1]) == self.size:
                at, _ = self._free.pop()
            self.size = at + size
            return at
        self._free.remove((at, have))
        if have > size:
            self._give(at + size, have - size)
        return at

    def give(self, at: int, size: int) -> None:
        self._give(at, -(-max(size, 1) // ALIGNED) * ALIGNED)

    def _give(self, at: int, size: int) -> None:
        self._free.append((at, size))
        self._free.sort()
        joined: list[tuple[int, int]] = []
        for begin, length in self._free:
            if joined and sum(joined[-1]) == begin:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            else:
                joined.append((begin, length))
        self._free = joined


# ---- Python between the segments ---------------------------------------------------------------


class _Runner:
    """Writes the function that carries out a plan."""

    def __init__(self, native: Native) -> None:
        self.native = native
        self.low = native.low
        self.names: dict[str, Any] = {"empty": np.empty, "ndarray": np.ndarray, "as_numbers": _as_numbers}
        self.lines: list[str] = []
        self.kept: list[Any] = []  # what the tables refer to
        self._name_of: dict[int, str] = {}  # of arrays that Python sees, by base
        self._objects: dict[int, str] = {}  # of other values, by tensor

    def made(self) -> tuple[Callable[[Sequence[Any]], list[Any]], list[bool]]:
        native, lines = self.native, self.lines
        given = [f"v{i}" for i in range(len(native.plan.given))]
        for x, name in zip(native.plan.given, given, strict=True):
            self._objects[id(x)] = name
        self._seen = self._seen_by_python()
        self._lay_out()
        for base, x in self.low.given.items():
            if base in self._native_uses:
                self._array(base, self._objects[id(x)])
        for base, x in self.low.cells.items():
            self._array(base, f"{self._objects[id(x)]}._array")
        for base, value in self.low.constants.items():
            name = self._new("c", value)
            self._name_of[id(base)] = name
        if self.arena.size:
            lines.append("arena = arenas.pop() if arenas else new_arena()")
            self.names["arenas"] = arenas = []
            self.names["new_arena"] = functools.partial(_new_arena, self.arena.size)
        for segment in native.segments:
            if isinstance(segment, list):
                self._segment(segment)
            else:
                self._step(segment)
        if self.arena.size:
            lines.append("arenas.append(arena)")
        self._check()
        for cell, view in native._written:
            value = self._shaped(view)
            lines.append(f"{self._objects[id(cell)]}._array = {value}")
        results, fresh = self._results()
        lines.append(f"return [{', '.join(results)}]")
        head = "def run(values):\n"
        if given:
            head += f" {', '.join(given)}, = values\n"
        source = head + "".join(f" {line}\n" for line in lines)
        exec(compile(source, "<native plan>", "exec"), self.names)
        self.source = native.source = source
        run = self.names["run"]
        run.kept = self.kept
        return run, fresh

    def _new(self, prefix: str, value: Any) -> str:
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def _array(self, base: Base, expression: str, early: bool = True) -> None:
        """A value from outside, as an array."""
        name = f"a{len(self._name_of)}"
        self._name_of[id(base)] = name
        self.lines.append(f"{name} = {expression}")
        self.lines.append(f"if type({name}) is not ndarray: {name} = as_numbers({name})")
        # What has another form than the graph says must not reach machine code.
        dtype = self._dtype(base)
        otherwise = "return otherwise(values)" if early else f"misfit({name}, {base.shape!r}, {dtype})"
        self.names["misfit"] = _misfit
        self.names["otherwise"] = lambda values: self.native.reference()(values)
        self.lines.append(
            f"if {name}.shape != {base.shape!r} or ({name}.dtype is not {dtype} "
            f"and {name}.dtype != {dtype}): {otherwise}"
        )

    def _dtype(self, base: Base) -> str:
        kind = "bool" if base.kind == "b1" else base.kind
        name = f"dtype_{kind}"
        self.names[name] = np.dtype(kind)
        return name

    def _seen_by_python(self) -> set[Base]:
        """The arrays that NumPy's steps use or make, or that are handed out."""
        found = set(self.native.wanted)
        for segment in self.native.segments:
            if isinstance(segment, Step):
                found |= {v.base for v in segment.operands}
                found |= {r for r in segment.results if isinstance(r, Base)}
        return found

    # ---- where things lie ----------------------------------------------------------------------

    def _lay_out(self) -> None:
        """A place in the arena for every array that is used by native steps alone."""
        calls = [
            (i, call)
            for i, segment in enumerate(self.native.segments)
            if isinstance(segment, list)
            for call in segment
        ]
        last: dict[int, int] = {}
        self._native_uses: set[Base] = set()
        for at, (_, call) in enumerate(calls):
            for base, _ in call.arrays:
                last[id(base)] = at
                self._native_uses.add(base)
        self.arena = Arena()
        self.places: dict[int, int] = {}
        outside = (Given, Literal, Outside)
        for at, (_, call) in enumerate(calls):
            self._share(call, at, last)
            for base, _ in call.arrays:
                if id(base) not in self.places and base not in self._seen and not isinstance(base, outside):
                    self.places[id(base)] = self.arena.take(base.bytes)
            for base in {id(b): b for b, _ in call.arrays}.values():
                if last[id(base)] == at and id(base) in self.places:
                    self.arena.give(self.places[id(base)], base.bytes)

    def _share(self, call: Call, at: int, last: dict[int, int]) -> None:
        """A product that is added to what nobody needs any more is computed in the same place."""
        if call.name != "@copy":
            return
        (old, _), (new, _) = call.arrays
        place = self.places.get(id(old))
        if place is not None and last[id(old)] == at and old.bytes == new.bytes and new not in self._seen:
            self.places[id(new)] = place
            last[id(old)] = -1  # it is given back with the other one

    # ---- a segment -----------------------------------------------------------------------------

    def _segment(self, calls: list[Call]) -> None:
        arguments: list[str] = []
        slot_of: dict[str, int] = {}
        table: list[int] = []
        room = 1
        work = 0
        for call in calls:
            table += [self.native.address(call.name), call.parts]
            count = len(call.arrays) + (call.settings is not None)
            table.append(count)
            room = max(room, count)
            for base, begin in call.arrays:
                offset = begin * int(base.kind[1])
                if id(base) in self.places:
                    name, offset = "arena", self.places[id(base)] + offset
                else:
                    name = self._name(base)
                if name not in slot_of:
                    slot_of[name] = len(arguments)
                    arguments.append(name)
                table += [slot_of[name], offset]
            if call.settings is not None:
                self.kept.append(call.settings)
                table += [-1, call.settings[0].ctypes.data]
            work += _work(call)
        entry = _entry(table, len(calls), len(arguments), room, work > LETTING_GO, self.kept)
        name = self._new("n", entry)
        again = self._new("m", functools.partial(_densely, entry))
        given = ", ".join(arguments)
        self.lines.append(f"if {name}({given}) is False: {again}({given})")

    def _name(self, base: Base) -> str:
        """The array of a base that Python sees; made anew if it is a result."""
        name = self._name_of.get(id(base))
        if name is None:
            name = self._name_of[id(base)] = f"a{len(self._name_of)}"
            dtype = self._dtype(base)
            old = self.native.overwrites(base)
            make = f"empty({(base if old is None else old).shape!r}, {dtype})"
            if old is not None:  # nobody but the variable and this function knows the array
                before = self._name_of[id(old)]
                self.names["own"] = _is_only_ours
                make = f"{before} if own({before}) else {make}"
            self.lines.append(f"{name} = {make}")
        return name

    # ---- a step of NumPy's -----------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        arguments = []
        for x in step.inputs:
            if isinstance(x, View):
                arguments.append(self._shaped(x))
            else:
                arguments.append(self._object(x))
        call = self._new("f", _quietly(step.op))
        results = []
        for y, result in zip(step.op.outputs, step.results, strict=True):
            name = f"r{len(self._objects)}"
            results.append(name)
            self._objects[id(y)] = name
        assign = f"{', '.join(results)}{',' if step.op.row.many else ''} = " if results else ""
        self.lines.append(f"{assign}{call}({', '.join(arguments)})")
        for name, result in zip(results, step.results, strict=True):
            if isinstance(result, Base) and result in self._native_uses:
                self._array(result, name, early=False)

    def _object(self, x: Any) -> str:
        """A value that is no array of numbers, or of unknown shape."""
        if id(x) not in self._objects:
            self._objects[id(x)] = self._new("c", self.native.plan.known[id(x)])
        return self._objects[id(x)]

    def _shaped(self, view: View) -> str:
        """The array of a view that has no gaps."""
        source = self.low.source.get(view.base)
        name = self._name(view.base) if source is None else self._object(source)
        return name if view.shape == view.base.shape else f"{name}.reshape({view.shape!r})"

    # ---- what comes out --------------------------------------------------------------------------

    def _check(self) -> None:
        checks = self.native._checks
        if checks:
            names = " or ".join(f"{self._shaped(v)}.any()" for v in checks)
            self.names["wrong"] = lambda values: self.native.reference()(values)
            self.lines.append(f"if {names}: return wrong(values)")

    def _results(self) -> tuple[list[str], list[bool]]:
        results, fresh, seen = [], [], set()
        made = {id(b) for segment in self.native.segments if isinstance(segment, list)
                for call in segment for b in _outputs(call)}  # fmt: skip
        written = {id(v.base) for _, v in self.native._written}
        used = {id(v.base) for s in self.native.segments if isinstance(s, Step) for v in s.operands}
        for x in self.native._fetched:
            source = x if not isinstance(x, View) else self.low.source.get(x.base)
            if source is not None and (x is source or x.shape == x.base.shape):
                results.append(self._object(source))  # as it came
                fresh.append(False)
                continue
            base = x.base
            name = self._shaped(x)
            results.append(name if x.shape else f"{name}[()]")
            key = id(base)
            fresh.append(key in made and key not in written and key not in used and key not in seen and bool(x.shape))
            seen.add(key)
        return results, fresh


def _outputs(call: Call) -> Sequence[Base]:
    if isinstance(call.what, Launch):
        return [b.target.base if type(b) is Piece else b for b in call.what.outputs]
    return [call.what]


def _work(call: Call) -> int:
    if isinstance(call.what, Launch):
        return call.what.group.size
    item = call.what
    return int(item.size * item.views[0].shape[-1] // 8)


def _is_only_ours(array: Any) -> bool:
    """Whether an array is known to a variable and to the plan's function alone, and has no gaps."""
    return sys.getrefcount(array) <= _ours() and array.base is None and array.flags.carray


@functools.cache
def _ours() -> int:
    """How often an array counts as referred to that only a variable and a plan's function have.

    It depends on Python's version, and is seen in a function of the form of a plan's.
    """
    found: list[int] = []

    def own(array: Any) -> bool:
        found.append(sys.getrefcount(array))
        return True

    names: dict[str, Any] = {"own": own}
    exec("def run(v):\n a = v.held\n b = a if own(a) else None\n return b", names)
    names["run"](SimpleNamespace(held=np.zeros(3)))
    return found[0]


def _misfit(array: Any, shape: tuple[int, ...], dtype: Any) -> None:
    raise InvalidArgumentError(
        f"A value of shape {shown(array.shape)} and dtype {array.dtype} came where the graph "
        f"was built for {shown(shape)} and {dtype}: what was given to set_shape is not true."
    )


def _as_numbers(value: Any) -> Any:
    """A NumPy scalar, or another kind of array, as an array; not what is no number at all."""
    found = np.asarray(value)
    if found.dtype.hasobject:
        raise TypeError(f"A value is missing, or is no array of numbers: {value!r}.")
    return found


def _new_arena(size: int) -> Any:
    """Memory that begins where a vector may begin."""
    memory = np.empty(size + ALIGNED, np.uint8)
    begin = -memory.ctypes.data % ALIGNED
    return memory[begin : begin + size]


def _quietly(op: Any) -> Callable[..., Any]:
    """An operation for NumPy, whose errors say where it stands."""
    function = _function_of(op)

    def run(*arrays: Any) -> Any:
        token = enter(QUIET)
        try:
            return function(*arrays)
        except Exception as error:
            given = [wrap(v) for v in arrays if hasattr(v, "dtype") and hasattr(v, "shape")]
            raise _in_operation(op, error, given) from error
        finally:
            leave(token)

    return run


# ---- from Python into machine code --------------------------------------------------------------

_FASTCALL: Final = 0x80


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


@functools.cache
def _is_readable() -> bool:
    """Whether NumPy's arrays lie in memory as the compiled entry reads them."""
    if sys.implementation.name != "cpython" or np.dtype(np.intp).itemsize != 8:
        return False
    array = np.zeros((3, 5))
    data = ctypes.c_void_p.from_address(id(array) + 16).value
    axes = ctypes.c_int.from_address(id(array) + 24).value
    flags = [ctypes.c_int.from_address(id(a) + 64).value & 0x101 for a in (array, array[:, ::2])]
    return data == array.ctypes.data and axes == 2 and flags == [0x101, 0x100]


def _address_of(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _entry(
    table: list[int], steps: int, arguments: int, room: int, letting_go: bool, kept: list[Any]
) -> Callable[..., Any]:
    """A built-in function of arrays that carries out the steps of a table."""
    numbers = np.array(table, np.int64)
    if not _is_readable():
        return _by_ctypes(numbers, steps, room, kept)
    plan = np.array(
        [arguments, steps, numbers.ctypes.data, pool.address, letting_go,
         _address_of("PyEval_SaveThread"), _address_of("PyEval_RestoreThread"), room,
         id(None), id(False), _address_of("Py_IncRef")],
        np.int64,
    )  # fmt: skip
    method = _MethodDef(b"native", functions().address("entry"), _FASTCALL, None)
    kept += [numbers, plan, method]
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    entry: Callable[..., Any] = new(ctypes.addressof(method), plan, None)
    return entry


def _by_ctypes(numbers: Any, steps: int, room: int, kept: list[Any]) -> Callable[..., Any]:
    """The same where the entry cannot read NumPy's objects."""
    kind = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
    )
    run = kind(functions().address("steps"))
    kept.append(numbers)

    def entry(*arrays: Any) -> Any:
        if not all(a.flags.c_contiguous and a.flags.aligned for a in arrays):
            return False
        slots = np.array([a.ctypes.data for a in arrays], np.int64)
        places = np.empty(room, np.int64)
        run(numbers.ctypes.data, steps, slots.ctypes.data, places.ctypes.data, pool.address)
        return None

    return entry


def _densely(entry: Callable[..., Any], *arrays: Any) -> None:
    """The same call, with copies of the arrays that have gaps."""
    dense = [np.require(a, requirements=("C", "A")) for a in arrays]
    entry(*dense)
