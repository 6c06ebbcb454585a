"""Vector versions of the functions of `mathematics` that some code calls."""

from __future__ import annotations

from collections.abc import Iterable

from wengert.engines.native.codegen.vectors import Body, Called, llvm_type
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.mathematics.elementary import FAR


def functions_text(wanted: Iterable[tuple[str, str, int]], declarations: set[str]) -> list[str]:
    """The LLVM IR of vector functions (name, kind, width), and of those that they call."""
    found: dict[tuple[str, str, int], str] = {}
    waiting = list(wanted)

    def called(name: str, kind: str, width: int) -> str:
        waiting.append((name, kind, width))
        return f"@{name}.{kind}.{width}"

    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = _function_text(*one, declarations, called)
    return list(found.values())


def _function_text(name: str, kind: str, width: int, declarations: set[str], called: Called) -> str:
    code, result = elementary.body(name, kind)
    if not name.endswith(FAR):  # sine and cosine share what takes long
        code, (result,) = elementary.expanded(code, [result])
    count = sum(op == "param" for op, *_ in code.instructions)
    body = Body(declarations)
    (value,) = body.code(code, [f"%x{i}" for i in range(count)], width, [result], called)
    kinds = llvm_type(kind, width)
    parameters = ", ".join(f"{kinds} %x{i}" for i in range(count))
    lines = "\n".join([*body.lines, f"ret {kinds} {value}"])
    return f"define internal {kinds} @{name}.{kind}.{width}({parameters}) nounwind {{\n{lines}\n}}"
