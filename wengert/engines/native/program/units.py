"""The functions of a plan as units: each with all that it calls, as a module of its own.

The functions of a plan with open sizes are those of the plans for other sizes, or nearly: a function
has another form where there are few rows. So each is compiled by itself. Its name is a digest of its
text, in which nothing depends on what else is in the plan.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.codegen.math_functions import functions_text
from wengert.engines.native.program.modules import CALLED, definitions, with_called
from wengert.engines.native.runtime.cache import digest_of
from wengert.engines.native.runtime.units import PREFIX, Text, symbol_of

_KIND: Final = "unit"  # of LLVM IR, in the cache


def units_of(functions: dict[str, Function], wanted: Iterable[str]) -> dict[str, tuple[str, Text]]:
    """For each wanted function the name of its unit, and what gives the text of that."""
    return {name: _unit(name, functions) for name in wanted}


def _unit(name: str, functions: dict[str, Function]) -> tuple[str, Text]:
    inside = {n: functions[n] for n in with_called([name], functions)}
    places = {n: k for k, n in enumerate(inside)}
    calls = tuple(dict.fromkeys([call for f in inside.values() for call in f.calls]))
    declared, mathematics = _mathematics(calls)
    declarations = sorted(declared.union(*[f.declarations for f in inside.values()]))

    def text(unit: str) -> str:
        def renamed(body: str) -> str:
            if f"@{PREFIX}" not in body:
                return body
            return CALLED.sub(lambda found: f"@{symbol_of(unit, places[found[0]])}", body)

        own = definitions(inside, [name], renamed)
        return "\n".join([*declarations, *own, *mathematics])

    unit = digest_of(_KIND, text(""))
    return unit, functools.partial(text, unit)


@functools.lru_cache(maxsize=256)
def _mathematics(calls: tuple[tuple[str, str, int], ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The functions of `mathematics` that some code calls, with their declarations."""
    declarations: set[str] = set()
    texts = tuple(functions_text(calls, declarations))
    return frozenset(declarations), texts
