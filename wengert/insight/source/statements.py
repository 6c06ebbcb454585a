"""A graph as lines of Python: what gets a name, and what stands within another expression."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from wengert.core.table import find
from wengert.graph.function_graph import FunctionGraph
from wengert.graph.operation import Operation
from wengert.insight.source.derivation import Derivation
from wengert.insight.source.helpers import helpers_of
from wengert.insight.source.kernels import (
    NotWritableError,
    Symbol,
    UnknownSize,
    as_text,
    is_number,
    of_kernel,
    with_dtype,
)
from wengert.insight.source.loops import write_branches, write_loop
from wengert.insight.source.templates import TEMPLATES, WIDENED, Template, template_of
from wengert.insight.source.text import ATOM, Text, call, literal, method
from wengert.insight.source.writer import Writer, has_shape_of, is_uniform
from wengert.ops.control.cond import Branches
from wengert.ops.control.while_op import Loop
from wengert.values.symbolic import AnyShape, SymbolicTensor, is_certain
from wengert.values.tensor import dims

_LONGEST: Final = 72  # characters of an expression that stands within another
_MOST: Final = 64  # numbers of an array that is written out


class Statements(Writer):
    """Writes the operations of a derivation, one after the other."""

    def __init__(self, derivation: Derivation) -> None:
        super().__init__(derivation, ("np", *keyword.kwlist))
        self.lines: list[str] = []
        self.helpers: dict[str, str] = {}
        self.constants: dict[str, Any] = {}
        self._texts: dict[int, Text] = {}
        for x, name in zip(derivation.inputs, self.names, strict=True):
            self._texts[id(x)] = Text(name)

    def write(self) -> None:
        """All that the value and the gradients need."""
        ends = [self._d.value, *[g for g in self._d.gradients if g is not None]]
        self._uses.update(id(self._real(y)) for y in ends)  # counted twice: results have names
        self._write_all(self._d.graph, ends)

        self.lines = _without_unused(self.lines, [self.text(y) for y in ends])

    def _write_all(self, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> None:
        for op in self._counted(graph, ends):
            self._write(op)
            self._done.add(id(op))

    # ---- for loops and branches --------------------------------------------------------------------

    def inner(self, graph: FunctionGraph, ends: Sequence[SymbolicTensor]) -> list[str]:
        """The lines of a graph within."""
        around, self.lines = self.lines, []
        self._call_within(graph)
        self._write_all(graph, ends)
        found, self.lines = self.lines, around
        return found

    def put(self, x: SymbolicTensor, text: Text) -> None:
        """A value has a text."""
        self._texts[id(x)] = text

    def add(self, op: Operation, line: str) -> None:
        """A line, under that of the program that it belongs to."""
        self._comment(op)
        self.lines.append(line)

    def text(self, x: SymbolicTensor) -> str:
        """What stands for a value."""
        return self._symbol(x).text.text

    def result(self, x: SymbolicTensor) -> str:
        """What stands for a value that is handed out: with its dtype."""
        found = self._symbol(x)
        return (found if found.dtype == np.float64 else with_dtype(found)).text.text

    # ---- one operation ---------------------------------------------------------------------------

    def _write(self, op: Operation) -> None:
        if all(id(y) in self._texts for y in op.outputs) or self._is_constant(op):
            return
        runs = op.row.bodies
        if isinstance(runs, Loop):
            write_loop(self, op, runs)
            return
        if isinstance(runs, Branches):
            write_branches(self, op, runs)
            return
        values = self._operands(op)
        if _gives_several(op):
            self._several(op, values)
            return
        (y,) = op.outputs
        text = self._expression(op, values)
        nameable = [self._texts.get(id(x)) for x in self._inputs(op)]
        repeated = [
            v
            for v in values
            if v.text.level < ATOM and v.text in nameable and text.text.count(v.text.text) > 1
        ]
        if repeated:
            self._name_operands(op, repeated)
            self._write(op)
            return
        self._note_helpers(text)
        is_short = len(text.text) <= _LONGEST and self._uses[id(y)] == 1
        is_alias = text.level == ATOM and text.text.isidentifier()
        if not is_alias and (not is_short or self._is_named(y)):
            name = self.free(self.name_of(y))
            self._assign(op, name, text.text)
            text = Text(name)
        self._texts[id(y)] = text

    def _name_operands(self, op: Operation, repeated: Sequence[Symbol]) -> None:
        """Give names to operands that an expression has more than once."""
        for x in self._inputs(op):
            text = self._texts.get(id(x))
            if text is not None and any(v.text == text for v in repeated):
                name = self.free(self.name_of(x))
                self._assign(x.op, name, text.text)
                self._texts[id(x)] = Text(name)

    def _operands(self, op: Operation) -> list[Symbol]:
        """What an operation reads; a number in place of an array of equal ones, where that is the same."""
        inputs = self._inputs(op)
        if not op.row.elementwise or len(inputs) < 2:
            values = [self._symbol(x) for x in inputs]
            return values if op.row.elementwise else [with_dtype(v) for v in values]
        found = []
        for i, x in enumerate(inputs):
            known = self._known.get(id(x))
            others = inputs[:i] + inputs[i + 1 :]
            if (
                known is not None
                and known.ndim
                and is_uniform(known)
                and has_shape_of(op.outputs[0], others)
            ):
                found.append(Symbol(as_text(known.flat[0]), known.dtype, ()))
            else:
                found.append(self._symbol(x))
        return _typed(found)

    def _expression(self, op: Operation, values: list[Symbol]) -> Text:
        known = _simpler(op, values) or self._with_axes_kept(op)
        return known if known is not None else self._of_row(op, values)

    def _of_row(self, op: Operation, values: list[Symbol]) -> Text:
        """What the operation computes: by its template, or as its kernel says."""
        is_list = op.type == "ZerosLike" and op.outputs[0].dtype.name == "variant"
        row = find("TensorListZerosLike") if is_list else None
        template = template_of(row or op.row)
        attrs = {k: v for k, v in op.attrs.items() if not k.startswith("_")}
        try:
            if template is not None:
                return _by_template(op, template, values, attrs)
            return of_kernel(op.row, values, attrs)
        except (NotWritableError, TypeError) as error:  # some have more operands: their sizes
            raise NotWritableError(self._named(op)) from error

    def _with_axes_kept(self, op: Operation) -> Text | None:
        """A reduction that is then given back its axes, as one."""
        if op.type != "Reshape":
            return None
        total = self._real(op.inputs[0])
        kinds = ("Sum", "Mean", "Max", "Min", "Prod")
        if total.op.type not in kinds or self._uses[id(total)] != 1:
            return None
        attrs, x = total.op.attrs, self._real(total.op.inputs[0])
        axes = attrs["axis"] if attrs["axis"] is not None else tuple(range(len(dims(x))))
        ones = {a % len(dims(x)) for a in ([axes] if isinstance(axes, int) else axes)}
        shape = tuple([1 if i in ones else n for i, n in enumerate(dims(x))])
        if attrs["keepdims"] or shape != tuple(dims(op.outputs[0])) or id(total) not in self._texts:
            return None
        kept = {"axis": attrs["axis"], "keepdims": True}
        return _by_template(total.op, TEMPLATES[total.op.type], [self._symbol(x)], kept)

    def _several(self, op: Operation, values: list[Symbol]) -> None:
        text = self._of_row(op, values)
        self._note_helpers(text)
        names = [self.free(self.name_of(y)) for y in op.outputs]
        self._assign(op, ", ".join(names) + ("," if len(names) == 1 else ""), text.text)
        self._texts |= {id(y): Text(n) for y, n in zip(op.outputs, names, strict=True)}

    def _assign(self, op: Operation, name: str, text: str) -> None:
        self._comment(op)
        self.lines.append(f"{name} = {text}")

    def _comment(self, op: Operation) -> None:
        note = self._note(op)
        if note:
            self.lines.append(f"# {note}")

    def _symbol(self, x: SymbolicTensor) -> Symbol:
        real = self._real(x)
        if real.dtype.name == "bfloat16":
            raise NotWritableError("bfloat16, which NumPy does not have (float32 would do)")
        if isinstance(real._array.shape, AnyShape) or real.dtype.name == "variant":
            return Symbol(self._texts[id(real)], np.float32, ())
        shape = dims(real)
        if id(real) not in self._texts:
            self._texts[id(real)] = self._constant(real, self._known[id(real)])
        return Symbol(self._texts[id(real)], real._array.dtype, _known_sizes(shape))

    def _note_helpers(self, text: Text) -> None:
        self.helpers |= helpers_of(text.text)

    # ---- constants -------------------------------------------------------------------------------

    def _constant(self, y: SymbolicTensor, value: Any) -> Text:
        if value.ndim == 0:
            return as_text(value) if value.dtype.kind in "fiub" else Text(literal(value))
        if value.size > 1 and is_uniform(value):
            return _uniform(value)
        if value.size <= _MOST:
            name = self.free(self._d.called.get(y._key, "c"))
            self.lines.append(f"{name} = {literal(value)}")
        else:
            name = self.free(self._d.called.get(y._key, "c").upper())
            self.constants[name] = value
        return Text(name)


def _typed(values: list[Symbol]) -> list[Symbol]:
    """Numbers with their dtype, where no array has it: NumPy would make float64 of them."""
    arrays = {v.dtype for v in values if not is_number(v)}
    return [v if v.dtype in arrays or v.dtype == np.float64 else with_dtype(v) for v in values]


def _by_template(
    op: Operation, template: Template, values: Sequence[Symbol], attrs: dict[str, Any]
) -> Text:
    """What a template writes; numbers of half precision are widened for what adds them up."""
    is_wide = op.row.name in WIDENED and any(map(_is_half, values))
    if not is_wide:
        return template(*values, **attrs)
    if _gives_several(op):
        raise NotWritableError(f"{op.type} of half precision")
    text = template(*[v.astype(np.float32) if _is_half(v) else v for v in values], **attrs)
    made = op.outputs[0]._array.dtype
    return method(text, "astype", made) if _is_half(op.outputs[0]._array) else text


def _is_half(x: Any) -> bool:
    return bool(x.dtype.itemsize == 2 and x.dtype.kind in "fV")


def _gives_several(op: Operation) -> bool:
    """Whether an operation has a list of results; one whose sizes are arguments has a list of one."""
    row = find(op.type) or op.row
    return bool(op.row.many and (row.many or len(op.outputs) != 1))


def _known_sizes(shape: Any) -> tuple[Any, ...]:
    return tuple([n if is_certain((n,)) else UnknownSize() for n in shape])


def _uniform(value: Any) -> Text:
    return Text(
        f"np.full({literal(value.shape)}, {literal(value.flat[0])}, {literal(value.dtype)})"
    )


def _without_unused(lines: list[str], results: list[str]) -> list[str]:
    """Without names of ours that nothing reads: another form of the expression was better."""
    code = [line for line in lines if not line.lstrip().startswith("#")]
    words = Counter(re.findall(r"\w+", "\n".join([*code, *results])))
    unused = re.compile(r"\s*(d?t\d+) = ")
    return [line for line in lines if not ((found := unused.match(line)) and words[found[1]] == 1)]


def _simpler(op: Operation, values: Sequence[Symbol]) -> Text | None:
    """What needs no operation: a factor of one, a sum over nothing, the shape that is there already."""
    y = op.outputs[0]
    shape = tuple(dims(y)) if is_certain(dims(y)) else None
    if op.type == "Mul":
        for one, other in ((0, 1), (1, 0)):
            if values[one].text.text == "1.0" and values[other].shape == shape:
                return values[other].text
    if op.type == "Reshape" and shape is None:
        return _with_one_unknown(values[0], dims(y))
    if (
        op.type in ("Reshape", "BroadcastTo", "Sum", "Squeeze")
        and values[0].shape == shape
        and op.type != "Squeeze"
    ):
        return values[0].text if op.type != "Sum" or op.attrs.get("axis") == () else None
    return None


def _with_one_unknown(x: Symbol, shape: Sequence[Any]) -> Text | None:
    """A shape of which one size depends on numbers, as NumPy finds that itself."""
    sizes = tuple([n if is_certain((n,)) else -1 for n in shape])
    return call("np.reshape", x.text, sizes) if sizes.count(-1) == 1 else None
