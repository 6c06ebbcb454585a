"""A program of C99: its text, its prototype, and the function that a compiler makes of it."""

from __future__ import annotations

import ctypes
import math
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from wengert.engines.native.frontend.arrays import Dims
from wengert.engines.native.frontend.scalar import type_of
from wengert.insight import layout
from wengert.insight.source.derivation import Derivation
from wengert.insight.source.nests.c_language import TYPES, C
from wengert.insight.source.nests.c_piles import HELPERS, CPiles
from wengert.insight.source.nests.nest import INDENT, Array
from wengert.insight.source.nests.nest_writer import MOST_WRITTEN, NestWriter
from wengert.insight.source.result import Source, described

_MOST_ON_STACK: Final = 16384  # bytes of arrays that a function has for itself
FLAGS: Final = ("-std=c99", "-O2", "-fPIC", "-shared")


class CSource(Source):
    """A program of C99: `text`, `prototype`, and `header` for those who call it."""

    target = "c"
    style = layout.C

    def __init__(
        self,
        name: str,
        text: str,
        tables: dict[str, str],
        head: str,
        prototype: str,
        parameters: list[tuple[str, str, Dims]],
        results: list[tuple[str, Dims] | None],
        bytes_of_memory: int,
        returns: bool,
    ) -> None:
        super().__init__(name, text)
        self._tables = tables
        self._head = head
        self.prototype = prototype
        self._parameters = parameters
        self._results = results
        self._bytes = bytes_of_memory
        self._returns = returns
        self._function: Any = None

    def whole(self) -> str:
        """The program with all its constants: a file to compile."""
        if not self._tables:
            return self.text
        tables = layout.within_width("\n".join(self._tables.values()), layout.C)
        return self.text.replace("\n\n", f"\n\n{tables}\n\n", 1)

    @property
    def header(self) -> str:
        """A header file."""
        guard = f"{self.name.upper()}_H"
        return (
            f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
            f"{self._head}{self.prototype}\n\n#endif\n"
        )

    def __call__(self, *xs: Any) -> Any:
        """The value and the gradients, from what a compiler makes of the text."""
        if self._function is None:
            self._function = compiled(self.whole(), self.name)
        given: list[Any] = []
        for x, (_, kind, shape) in zip(self.arrays(xs), self._parameters, strict=True):
            array = np.asarray(x, np.dtype(kind if kind != "b1" else bool), order="C")
            if array.shape != shape:
                raise ValueError(
                    f"{self.name} is a program for an argument of shape {shape}, got {array.shape}."
                )
            given.append(_passed(array, kind))
        made = [
            None if r is None else np.empty(r[1], np.dtype(r[0] if r[0] != "b1" else bool))
            for r in self._results
        ]
        pointers = [m.ctypes.data_as(ctypes.c_void_p) for m in made if m is not None]
        memory = [ctypes.create_string_buffer(self._bytes)] if self._bytes else []
        failed = self._function(*[g for g, _ in given], *pointers, *memory)
        if self._returns and failed:
            raise MemoryError(f"{self.name} found no memory for the rounds of a loop.")
        value, *gradients = [m if m is None or m.ndim else m[()] for m in made]
        return value, gradients[0] if len(gradients) == 1 else tuple(gradients)


_SCALARS: Final = {
    "f4": ctypes.c_float, "f8": ctypes.c_double, "i1": ctypes.c_int8, "i2": ctypes.c_int16,
    "i4": ctypes.c_int32, "i8": ctypes.c_int64, "u1": ctypes.c_uint8, "u2": ctypes.c_uint16,
    "u4": ctypes.c_uint32, "u8": ctypes.c_uint64, "b1": ctypes.c_bool,
}  # fmt: skip


def _passed(array: Any, kind: str) -> tuple[Any, Any]:
    """An argument, and what keeps its memory alive."""
    if array.ndim == 0:
        return _SCALARS[kind](array.item()), array
    return array.ctypes.data_as(ctypes.c_void_p), array


def compiler() -> str:
    """The C compiler of this machine."""
    found = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), "")
    if not found:
        raise RuntimeError(
            "There is no C compiler to call the program with: install one (cc, gcc or clang), or name it in "
            "CC. The text is there without one."
        )
    return found


def compiled(text: str, name: str) -> Any:
    """The function of that name."""
    with tempfile.TemporaryDirectory(prefix="wengert") as folder:
        file, library = Path(folder, "program.c"), Path(folder, "program.so")
        file.write_text(text)
        command = [*compiler().split(), *FLAGS, str(file), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} does not compile the program: {done.stderr}")
        return getattr(ctypes.CDLL(str(library)), name)


# ---- the text -----------------------------------------------------------------------------------


def c_program(d: Derivation, name: str) -> CSource:
    """The program of a derivation."""
    w = NestWriter(d, C(), CPiles())
    name = w.free(name)
    w.prefix = f"{name}_"  # long tables stand outside of the function
    w.write()
    e = w.emission
    for goal, view in w.undelivered():
        if goal.shape:
            e.copy(goal, view)
            continue
        nest = e.nest(())
        nest.lines.append(f"*{goal.name} = {e.text(view, nest, ())};")
        e.add(nest)
    e.finish()
    return _assembled(d, w, name)


def _assembled(d: Derivation, w: NestWriter, name: str) -> CSource:
    local = [a for a in w.emission.arrays if a.role == "local"]
    size = sum(_bytes(a) for a in local)
    is_large = size > _MOST_ON_STACK
    struct = f"struct {name}_memory"
    head = ""
    if is_large:
        lines = [f"{INDENT}{TYPES[a.kind]} {a.name}[{_count(a.shape)}];" for a in local]
        head = "\n".join(["/* What is needed in between. */", f"{struct} {{", *lines, "};", "", ""])
    returns = bool(w.all_piles)
    prototype = _prototype(w, name, struct if is_large else "", returns)
    tables, body = _tables(w)
    for a in local:
        kind, count = TYPES[a.kind], _count(a.shape)
        body.append(
            f"{kind} *const {a.name} = memory->{a.name};"
            if is_large
            else f"{kind} {a.name}[{count}];"
        )
    body += [f"struct pile {p.name} = {{NULL, 0, 0}};" for p in w.all_piles]
    body += ["int failed = 1;"] if returns else []
    written = w.body()
    body += [f"(void){n};" for n in _unread(w, body + written)]
    body += written
    if returns:
        body += [
            "failed = 0;",
            "done:",
            *[f"free({p.name}.items);" for p in w.all_piles],
            "return failed;",
        ]
    includes = ["math", "stdbool", "stdint", *(["stdlib", "string"] if returns else [])]
    lines = [f"/* {described(d)} */", ""]
    lines += [*[f"#include <{i}.h>" for i in includes], ""]
    lines += [*HELPERS.strip().split("\n"), ""] if returns else []
    for helper in w.language.helpers_of("\n".join(body)):
        lines += [*helper.strip().split("\n"), ""]
    lines += [*head.rstrip().split("\n"), ""] if head else []
    lines += [prototype, "", prototype[:-1], "{"]
    lines += [line if line == "done:" else INDENT + line for line in body]
    text = "\n".join([*lines, "}"]) + "\n"
    results = [None if g is None else (g.kind, g.shape) for g in w.goals]
    memory = size + 64 * len(local) if is_large else 0
    return CSource(name, text, tables, head, prototype, w.parameters, results, memory, returns)


def _unread(w: NestWriter, lines: list[str]) -> list[str]:
    """Parameters of which nothing is read or written: compilers want to hear that it is meant."""
    words = set(re.findall(r"\w+", "\n".join(lines)))
    names = [*w.names, *[g.name for g in w.goals if g is not None]]
    return [n for n in names if n not in words]


def _prototype(w: NestWriter, name: str, struct: str, returns: bool) -> str:
    parts = []
    for x, kind, shape in w.parameters:
        count = f"[restrict {_count(shape)}]" if shape else ""
        parts.append(f"const {TYPES[kind]} {x}{count}" if shape else f"{TYPES[kind]} {x}")
    for g in w.goals:
        if g is not None:
            kind = TYPES[g.kind]
            parts.append(
                f"{kind} {g.name}[restrict {_count(g.shape)}]"
                if g.shape
                else f"{kind} *restrict {g.name}"
            )
    parts += [f"{struct} *memory"] if struct else []
    line = f"{'int' if returns else 'void'} {name}({', '.join(parts)});"
    if len(line) <= layout.WIDTH:
        return line
    inner = f",\n{INDENT}".join(parts)
    return f"{'int' if returns else 'void'} {name}(\n{INDENT}{inner});"


def _tables(w: NestWriter) -> tuple[dict[str, str], list[str]]:
    """Arrays of known numbers: the long ones apart, the short ones as lines."""
    long, short = {}, []
    for name, value in w.needed_tables().items():
        kind = type_of(value.dtype)
        numbers = [w.language.number(kind, v).text for v in value.ravel()] or ["0"]
        line = (
            f"static const {TYPES[kind]} {name}[{_count(value.shape)}] = {{{', '.join(numbers)}}};"
        )
        if value.size > MOST_WRITTEN:
            long[name] = line
        else:
            short.append(line)
    return long, short


def _count(shape: Dims) -> str:
    """How many numbers an array has, axis by axis; at least one, as C wants it."""
    return " * ".join(str(n) for n in shape if n != 1) or "1" if math.prod(shape) else "1"


def _bytes(array: Array) -> int:
    return math.prod(array.shape) * int(array.kind[1])
