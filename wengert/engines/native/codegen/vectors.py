"""LLVM IR for scalar code, vectorized."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.engines.native.frontend.scalar import (
    COMPARISONS,
    HALVES,
    Code,
    constant,
    is_float,
    number_of,
)

_SCALARS: Final = {
    "f4": "float", "f8": "double", "b1": "i1",
    "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64",
    "u1": "i8", "u2": "i16", "u4": "i32", "u8": "i64", "h2": "i16", "g2": "i16",
}  # fmt: skip
_MANGLED: Final = {"float": "f32", "double": "f64"}


def power_within(*most: int) -> int:
    """The largest power of two that is no larger than any of some numbers."""
    return 1 << (min(most).bit_length() - 1)


def power_over(least: int) -> int:
    """The smallest power of two that is no smaller than a number."""
    return 1 << (least - 1).bit_length()


def llvm_type(kind: str, width: int) -> str:
    scalar = _SCALARS[kind]
    return scalar if width == 1 else f"<{width} x {scalar}>"


def memory_type(kind: str, width: int) -> str:
    """The type in memory, where a boolean takes a byte."""
    return llvm_type("u1" if kind == "b1" else kind, width)


def literal(kind: str, extra: Any, width: int) -> str:
    """A constant, broadcast to all elements."""
    number = extra if kind in HALVES else number_of(kind, extra)
    if is_float(kind):
        text = f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    else:
        text = str(int(number)) if kind != "b1" else ("true" if number else "false")
    return text if width == 1 else f"splat ({_SCALARS[kind]} {text})"


_FLOAT: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_WHOLE: Final = {"add": "add", "sub": "sub", "mul": "mul", "div": "udiv"}
_SIGNED: Final = _WHOLE | {"div": "sdiv"}
_BITS: Final = {"and": "and", "or": "or", "xor": "xor", "shl": "shl"}
_INTRINSICS: Final = {
    "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "roundeven", "copysign": "copysign", "fma": "fma",
}  # fmt: skip


# From the name, type and width of a function of `mathematics` to its symbol.
Called = Callable[[str, str, int], str]


class Body:
    """The lines of one function, and the declarations that they need."""

    def __init__(self, declarations: set[str]) -> None:
        self.lines: list[str] = []
        self.declarations = declarations
        self._count = 0

    def name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def set(self, text: str) -> str:
        """Append an instruction; the name of its result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(text)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def intrinsic(self, name: str, kind: str, width: int, args: Sequence[str]) -> str:
        scalar = _SCALARS[kind]
        mangled = _MANGLED.get(scalar, scalar)
        kinds = llvm_type(kind, width)
        full = f"@llvm.{name}.{mangled if width == 1 else f'v{width}{mangled}'}"
        flag = ", i1" if name == "abs" else ""
        self.declarations.add(f"declare {kinds} {full}({', '.join([kinds] * len(args))}{flag})")
        given = ", ".join(f"{kinds} {a}" for a in args) + (", i1 false" if flag else "")
        return self.set(f"call {kinds} {full}({given})")

    # ---- scalar code ---------------------------------------------------------------------------

    def code(
        self,
        code: Code,
        params: Sequence[str],
        width: int,
        wanted: Sequence[int],
        called: Called | None = None,
    ) -> list[str]:
        """Emit code with the arguments `params`; the names of the wanted values."""
        needed = _needed(code, wanted)
        names: list[str] = [""] * len(code.instructions)
        for at, (op, _, args, extra) in enumerate(code.instructions):
            if op == "param":
                names[at] = params[extra]
            elif at in needed:
                names[at] = self.value(code, at, [names[a] for a in args], width, called)
        return [names[w] for w in wanted]

    def value(
        self, code: Code, at: int, args: list[str], width: int, called: Called | None = None
    ) -> str:
        """Emit one instruction; the name of its value. `called` names the functions to call."""
        op, kind, operands, extra = code.instructions[at]
        if op == "const":
            return literal(kind, extra, width)
        if op == "call":
            assert called is not None
            kinds = llvm_type(kind, width)
            given = ", ".join(f"{kinds} {a}" for a in args)
            return self.set(f"call {kinds} {called(extra, kind, width)}({given})")
        if op == "far":
            assert called is not None
            return self._far(kind, args[0], args[1], extra, width, called)
        return self._instruction(op, kind, code.instructions[operands[0]][1], args, width)

    def _far(
        self, kind: str, near: str, x: str, extra: tuple[str, float], width: int, called: Called
    ) -> str:
        """A function with a slow path, which is branched to only if an argument is large."""
        name, limit = extra
        kinds, truth = llvm_type(kind, width), llvm_type("b1", width)
        size = self.intrinsic("fabs", kind, width, [x])
        edge = literal(kind, constant(kind, limit), width)
        beyond = self.set(f"fcmp ogt {kinds} {size}, {edge}")
        some = beyond
        if width > 1:
            mask = self.set(f"bitcast {truth} {beyond} to i{width}")
            some = self.set(f"icmp ne i{width} {mask}, 0")
        here = f"far{len(self.lines)}"
        self.do(f"br label %{here}.before")
        self.label(f"{here}.before")
        self.do(f"br i1 {some}, label %{here}.some, label %{here}.after")
        self.label(f"{here}.some")
        found = self.set(f"call {kinds} {called(name, kind, width)}({kinds} {x})")
        both = self.set(f"select {truth} {beyond}, {kinds} {found}, {kinds} {near}")
        self.do(f"br label %{here}.after")
        self.label(f"{here}.after")
        return self.set(f"phi {kinds} [ {near}, %{here}.before ], [ {both}, %{here}.some ]")

    def _instruction(self, op: str, kind: str, source: str, args: list[str], width: int) -> str:
        kinds = llvm_type(source, width)
        if op in COMPARISONS:
            return self._comparison(op, source, args, width)
        if op == "select":
            result = llvm_type(kind, width)
            condition = llvm_type("b1", width)
            return self.set(f"select {condition} {args[0]}, {result} {args[1]}, {result} {args[2]}")
        if op == "cast":
            return self._cast(source, kind, args[0], width)
        if op == "bits":
            return self._converted("bitcast", kinds, args[0], llvm_type(kind, width))
        if op == "neg":
            if is_float(kind):
                return self.set(f"fneg {kinds} {args[0]}")
            return self.set(f"sub {kinds} {literal(kind, 0, width)}, {args[0]}")
        if op == "not":
            ones = literal(kind, kind == "b1" or -1, width)
            return self.set(f"xor {kinds} {args[0]}, {ones}")
        if op == "abs":
            return self.intrinsic("fabs" if is_float(kind) else "abs", kind, width, args)
        if op in _INTRINSICS:
            return self.intrinsic(_INTRINSICS[op], kind, width, args)
        if op == "shr":
            word = "ashr" if kind[0] == "i" else "lshr"
        elif op in _BITS:
            word = _BITS[op]
        else:
            word = {"f": _FLOAT, "i": _SIGNED}.get(kind[0], _WHOLE)[op]
        return self.set(f"{word} {kinds} {args[0]}, {args[1]}")

    def _comparison(self, op: str, kind: str, args: list[str], width: int) -> str:
        if is_float(kind):
            word = f"fcmp {'une' if op == 'ne' else 'o' + op}"
        elif op in ("eq", "ne"):
            word = f"icmp {op}"
        else:
            word = f"icmp {'s' if kind[0] == 'i' else 'u'}{op}"
        return self.set(f"{word} {llvm_type(kind, width)} {args[0]}, {args[1]}")

    def _cast(self, source: str, kind: str, x: str, width: int) -> str:
        before, after = int(source[1]), int(kind[1])
        if source in HALVES:
            return self._widened(source, x, width)
        if kind in HALVES:
            return self._narrowed(kind, x, width)
        if source == "b1":
            word = "uitofp" if is_float(kind) else "zext"
        elif is_float(source) and is_float(kind):
            word = "fpext" if after > before else "fptrunc"
        elif is_float(source):
            return self._to_whole(kind, source, x, width)
        elif is_float(kind):
            word = "sitofp" if source[0] == "i" else "uitofp"
        elif after == before:
            return x
        elif after < before:
            word = "trunc"
        else:
            word = "sext" if source[0] == "i" else "zext"
        return self._converted(word, llvm_type(source, width), x, llvm_type(kind, width))

    def _converted(self, word: str, before: str, x: str, after: str) -> str:
        """One instruction that converts a value of LLVM's first type to the second one."""
        return self.set(f"{word} {before} {x} to {after}")

    def _widened(self, source: str, x: str, width: int) -> str:
        """A number of two bytes as f4: bfloat16 is its first half."""
        given, floats, words = (llvm_type(k, width) for k in (source, "f4", "u4"))
        if source == "h2":
            half = _half_type(width)
            return self._converted(
                "fpext", half, self._converted("bitcast", given, x, half), floats
            )
        wide = self._converted("zext", given, x, words)
        high = self.set(f"shl {words} {wide}, {literal('u4', 16, width)}")
        return self._converted("bitcast", words, high, floats)

    def _narrowed(self, kind: str, x: str, width: int) -> str:
        """An f4 rounded to two bytes, ties to even."""
        made, floats, words = (llvm_type(k, width) for k in (kind, "f4", "u4"))
        if kind == "h2":
            half = _half_type(width)
            return self._converted(
                "bitcast", half, self._converted("fptrunc", floats, x, half), made
            )
        bits = self._converted("bitcast", floats, x, words)
        high = self.set(f"lshr {words} {bits}, {literal('u4', 16, width)}")
        odd = self.set(f"and {words} {high}, {literal('u4', 1, width)}")
        up = self.set(f"add {words} {odd}, {literal('u4', 0x7FFF, width)}")
        rounded = self.set(f"add {words} {bits}, {up}")
        found = self.set(f"lshr {words} {rounded}, {literal('u4', 16, width)}")
        sign = self.set(f"and {words} {high}, {literal('u4', 0x8000, width)}")
        none = self.set(f"or {words} {sign}, {literal('u4', 0x7FC0, width)}")
        is_none = self.set(f"fcmp uno {floats} {x}, {x}")
        truth = llvm_type("b1", width)
        chosen = self.set(f"select {truth} {is_none}, {words} {none}, {words} {found}")
        return self._converted("trunc", words, chosen, made)

    def _to_whole(self, kind: str, source: str, x: str, width: int) -> str:
        """Truncate floats to integers, to small ones by way of larger ones, as NumPy does."""
        if kind == "u8":
            return self._converted("fptoui", llvm_type(source, width), x, llvm_type(kind, width))
        wide = "i8" if kind in ("u4", "i8") else "i4"
        y = self._converted("fptosi", llvm_type(source, width), x, llvm_type(wide, width))
        return self._cast(wide, kind, y, width) if wide != kind else y


def _half_type(width: int) -> str:
    """LLVM's float16, which only conversions take; elsewhere it is 16 bits."""
    return "half" if width == 1 else f"<{width} x half>"


def _needed(code: Code, wanted: Sequence[int]) -> set[int]:
    found: set[int] = set()
    waiting = list(wanted)
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += code.instructions[at][2]
    return found
