"""Large variables are added to where their values lie, if nothing else may read these."""

from __future__ import annotations

from typing import Any, Final

from wengert.engines.native.codegen.kernel_writer import KernelWriter, kernel
from wengert.engines.native.codegen.vectors import llvm_type
from wengert.engines.native.kernels.padded_lines import kind_of
from wengert.engines.native.program.program import is_only_ours
from wengert.engines.native.runtime.processor import vector_bytes

BLOCK: Final = 1 << 14  # elements of a part
WORDS: Final = {"AddV2": "fadd", "Sub": "fsub"}


def update(row: str, variable: Any, change: Any) -> bool | None:
    """Add to what a variable holds, or subtract; None if something else may refer to that.

    References are counted by `is_only_ours` and by the entry, which want it written so.
    """
    held = variable._array
    own = held if is_only_ours(held) else None
    if own is None or held.shape != change.shape or not (kind := kind_of(held, change)):
        return None
    parts, numbers = -(-change.size // BLOCK), (change.size, BLOCK)
    run = _changed(WORDS[row], kind).bound(parts, numbers, 3, ((0, 2),)).entry
    return True if run(held, change, own) is None else None


@kernel
def _changed(word: str, kind: str) -> str:
    """The kernel: a part is a block of elements."""
    w, width = KernelWriter(3, 2), 4 * vector_bytes() // int(kind[1])
    held, change, out = w.arrays
    size, block = w.numbers
    begin = w.mul("%part", block)
    source, other, target = (w.place(kind, array, begin) for array in (held, change, out))

    def some(j: str, mask: str | None, _: list[str]) -> None:
        a, b = (w.read(kind, array, j, width, mask) for array in (source, other))
        w.write(kind, target, j, w.set(f"{word} {llvm_type(kind, width)} {a}, {b}"), width, mask)

    w.along(w.least(block, w.sub(size, begin)), width, some)
    return w.text()
