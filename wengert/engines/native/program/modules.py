"""Functions of a plan as modules of LLVM IR, which are compiled while other functions are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Final

from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.codegen.math_functions import functions_text
from wengert.engines.native.codegen.short_accesses import with_short_accesses
from wengert.engines.native.runtime.llvm import LOOPS, STRAIGHT, Compilation
from wengert.engines.native.runtime.llvm_calls import INLINED
from wengert.engines.native.runtime.pieces import LEAST, has_loops
from wengert.engines.native.runtime.units import PREFIX

# Lines of a module with loops, of which 1,000 take LLVM 0.03 s, and a module by itself 0.001.
SOME: Final = 250
CALLED: Final = re.compile(rf"@{PREFIX}\d+")
Functions = Mapping[str, Function]


def definitions(
    functions: Functions,
    wanted: Container[str],
    renamed: Callable[[str], str] = lambda text: text,
) -> list[str]:
    """The definitions of a plan's functions, of which others than the wanted ones are called here alone."""
    inlining = [function.text for function in functions.values() if function.inlines]
    inlined = {name for text in inlining for name in CALLED.findall(text)}
    found = []
    for name, function in functions.items():
        linkage = "" if name in wanted else "internal "
        how, text = "nounwind", function.text
        if name in inlined:
            how, text = f"{INLINED} nounwind", with_short_accesses(text)
        head = f"define {linkage}void {name}(ptr %b, i64 %part) {how}"
        found.append(renamed(f"{head} {{\n{text}\n}}"))
    return found


def module_of(functions: Functions, wanted: Container[str]) -> str:
    """The LLVM IR of functions, with those of `mathematics` that they call."""
    made = functions.values()
    declarations = {line for function in made for line in function.declarations}
    parts = definitions(functions, wanted)
    calls = dict.fromkeys([call for function in made for call in function.calls])
    parts += functions_text(calls, declarations)
    return "\n".join([*sorted(declarations), *parts])


def with_called(names: Iterable[str], functions: Functions) -> Iterator[str]:
    """Functions, and those that they call, and so on, in the order in which they are called."""
    waiting = list(names)
    found = set(waiting)
    for one in waiting:
        yield one
        body = functions[one].text
        if f"@{PREFIX}" in body:
            called = [n for n in dict.fromkeys(CALLED.findall(body)) if n not in found]
            waiting += called
            found.update(called)


class Ahead:
    """Compiles the functions of a plan, while others are written if it `begins` at once.

    A module is some of them, with all that these call. Functions without loops are in modules of their own,
    with less effort, where there are many.
    """

    def __init__(self, begins: bool = False) -> None:
        self._begins = begins
        self._compilation = Compilation()
        self._functions: Functions = {}
        self._added: set[str] = set()
        self._lines = 0  # of all that was added
        self._straight_lines = 0
        # By whether there are loops: the names for the next module, their lines, and what is complete.
        self._next: dict[bool, list[str]] = {True: [], False: []}
        self._next_lines = {True: 0, False: 0}
        self._complete: list[tuple[bool, list[str]]] = []

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self._compilation.give_up()

    def add(self, name: str, functions: Functions) -> None:
        """Another function that the plan's table names; those that it calls are written."""
        if name in self._added:
            return
        self._functions = functions
        self._added.add(name)
        inside = [functions[n].text for n in with_called([name], functions)]
        loops, lines = any(map(has_loops, inside)), functions[name].text.count("\n")
        self._lines += lines
        self._straight_lines += 0 if loops else lines
        self._next[loops].append(name)
        self._next_lines[loops] += lines
        enough = SOME if loops else LEAST
        if self._next_lines[loops] >= enough and (loops or self._is_long()):
            self._end(loops)

    def results(self) -> list[bytes]:
        """The object files of all modules."""
        if not self._is_long() and self._straight_lines < self._lines:
            self._next[True] += self._next[False]
            self._next[False] = []
        for loops in (True, False):
            self._end(loops)
        for loops, names in self._complete:
            self._compile(loops, names)
        return self._compilation.results()

    def _is_long(self) -> bool:
        """Whether there is enough without loops for modules of their own."""
        return self._lines >= 2 * LEAST and self._straight_lines >= LEAST // 10

    def _end(self, loops: bool) -> None:
        """End the next module with functions of a kind."""
        names = self._next[loops]
        self._next[loops], self._next_lines[loops] = [], 0
        if names and self._begins:
            self._compile(loops, names)
            self._compilation.begin()
        elif names:
            self._complete.append((loops, names))

    def _compile(self, loops: bool, names: list[str]) -> None:
        inside = with_called(names, self._functions)
        text = module_of({name: self._functions[name] for name in inside}, names)
        self._compilation.add(text, LOOPS if loops or has_loops(text) else STRAIGHT)
