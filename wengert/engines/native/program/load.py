"""Loads the program of a plan from the cache, or builds it.

The cache holds the program (see `program`) under a digest of the graph, and the machine code under
a digest of its LLVM IR. A process that finds both does not load the compiler.
"""

from __future__ import annotations

import marshal
from typing import Any, Final

from wengert.engines.native.frontend.plan_key import content_of
from wengert.engines.native.program.program import KEEPING, Code, Program, RunnableProgram
from wengert.engines.native.runtime.cache import CODE, PLAN, digest_of, folder, keep, read_file
from wengert.engines.native.runtime.llvm import LoadedObject
from wengert.engines.native.runtime.processor import is_supported
from wengert.engines.native.runtime.thread_pool import prepare
from wengert.engines.native.runtime.units import load
from wengert.execution.plan import Plan
from wengert.host.kept_memory import is_kept
from wengert.host.locks import load_module


def load_or_build(plan: Plan) -> RunnableProgram | None:
    """The plan as machine code; None if it cannot be compiled, or every step would be NumPy's."""
    if not is_supported():
        return None
    content = None if folder() is None else content_of(plan)
    name = None if content is None else digest_of("graph", content) + PLAN
    if name is not None:
        found = _kept(plan, name)
        if found is not _MISSING:
            return found  # type: ignore[no-any-return]
    prepare()
    building = load_module("wengert.engines.native.program.build")
    # Of a plan that is not kept the code may be there.
    with building.Ahead(begins=name is not None or folder() is None) as ahead:
        built = building.build(plan, ahead)
        if built.program and KEEPING in built.program.source and is_kept():
            load_module(_BLOCKS).load()  # while others compile
        code = built.code()
    if name is not None and not built.lacks_blas:
        keep(name, marshal.dumps(built.program and tuple(built.program)))
    return RunnableProgram(plan, built.program, code, False) if built.program else None


def _code_of(names: tuple[str, ...]) -> Code | None:
    """The machine code of these names, if all of it is there."""
    if len(names) != 1:
        return load(names) if names else None
    code = read_file(names[0] + CODE)
    return None if code is None else LoadedObject(code)


_BLOCKS: Final = "wengert.engines.native.runtime.array_memory"
_MISSING: Final[Any] = object()


def _kept(plan: Plan, name: str) -> Any:
    """The plan from the cache; None if it is known that there is nothing to compile."""
    data = read_file(name)
    if data is None:
        return _MISSING
    try:
        found = marshal.loads(data)
        if found is None:
            return None
        program = Program(*found)
        code = _code_of(program.machine_code)
        if code is None and program.machine_code:
            return _MISSING
        return RunnableProgram(plan, program, code, True)
    except (EOFError, ValueError, TypeError, LookupError):  # another format, or incomplete
        return _MISSING
