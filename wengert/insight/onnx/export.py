"""From the forward graph of a derivation to a model of ONNX, and a report about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.core.row import Row
from wengert.core.table import TABLE
from wengert.graph.operation import Operation
from wengert.insight.journal import operations_behind
from wengert.insight.onnx import reductions, shaping, windows
from wengert.insight.onnx.elementwise import of_kernel
from wengert.insight.onnx.model import OPSET, OWN_DOMAIN, Model, Node, Slot, is_calculated
from wengert.insight.onnx.site import Rule, Site
from wengert.insight.onnx.terms import NoCounterpartError, Term
from wengert.insight.program_text import line_text, short
from wengert.insight.reports.blocks import Block, Table, Words
from wengert.insight.reports.report import Report
from wengert.insight.source.derivation import Derivation
from wengert.values.symbolic import SymbolicTensor

RULES: Final[dict[str, Rule]] = {**shaping.RULES, **reductions.RULES, **windows.RULES}


class Without(NamedTuple):
    """An operation that ONNX does not have."""

    type: str
    name: str
    line: str
    reason: str


class OnnxModel(Report):
    """A model of ONNX: its bytes in `data`, and in `without` the operations that ONNX does not have.

    Those stand in the model as nodes of the domain `wengert`, which viewers show and no runtime computes.
    """

    def __init__(self, data: bytes, counts: Counter[str], without: Sequence[Without]) -> None:
        self.data = data
        self.nodes = dict(counts)
        self.without = list(without)
        self.complete = not self.without
        count = sum(counts.values())
        self.title = f"A model of ONNX (operator set {OPSET}) with {count} node{'s' * (count != 1)}"

    def blocks(self) -> list[Block]:
        """How many nodes of which kind, and what ONNX does not have."""
        rows = tuple((kind, str(n)) for kind, n in sorted(self.nodes.items()))
        made: list[Block] = [Table(("node", "times"), rows, frozenset([1]))]
        if self.complete:
            return [*made, Words("Each operation has its counterpart.")]
        lost = tuple((w.type, w.line, w.reason) for w in self.without)
        words = f"Without a counterpart, as nodes of the domain {OWN_DOMAIN}:"
        return [*made, Words(words), Table(("operation", "line", "why"), lost)]

    def to_dict(self) -> dict[str, Any]:
        """The counts, and what ONNX does not have."""
        without = [w._asdict() for w in self.without]
        return {"opset": OPSET, "nodes": self.nodes, "bytes": len(self.data), "without": without}


def onnx_model(d: Derivation, name: str, strict: bool) -> OnnxModel:
    """The forward graph; an operation without a counterpart is an error if `strict`."""
    return _Export(d, strict).done(name)


class _Export:
    """A model that is written, operation by operation."""

    def __init__(self, d: Derivation, strict: bool) -> None:
        self.model = Model()
        self.without: list[Without] = []
        self._d = d
        self._strict = strict
        self._slots: dict[int, Slot] = {}  # by the ids of tensors
        self._names = d.outside()
        self._captured = {id(inside): value for value, inside in d.graph.captures}

    def done(self, name: str) -> OnnxModel:
        """Write the operations behind the value."""
        end = self._d.value
        reached = operations_behind([end])
        for op in self._d.graph.operations[: self._d.forward]:
            if id(op) in reached or any(y is x for x in self._d.inputs for y in op.outputs):
                self._operation(op)
        result = self._slots[id(end)]
        if not any(result in node.outputs for node in self.model.nodes):  # it is an input
            (result,) = self.model.add("Identity", [result], [result.dtype])
            result.shape = _sizes(end)
            self._call([self.model.nodes[-1]], "value", end.op)
        result.name = self.model.unique("value")
        self.model.outputs.append(result)
        counts = Counter(
            n.kind if not n.domain else f"{n.domain}.{n.kind}" for n in self.model.nodes
        )
        return OnnxModel(self.model.written(name, _version()), counts, self.without)

    def _operation(self, op: Operation) -> None:
        if not op.inputs and self._source(op):
            return
        before = len(self.model.nodes)
        try:
            terms = self._terms(op)
        except NoCounterpartError as error:
            del self.model.nodes[before:]
            terms = self._own(op, str(error))
        made = self.model.nodes[before:]
        for y, term in zip(op.outputs, terms, strict=False):
            self._slots[id(y)] = term.slot
            if not term.slot.name:  # a constant that is passed on has its own
                term.slot.shape = _sizes(y)
                term.slot.name = self.model.unique(y.name.removesuffix(":0"))
        self._call(made, op.name, op)

    def _terms(self, op: Operation) -> list[Term]:
        """The terms for the results, none of which stands for an input as well."""
        if op.row.name != "Cast" and any(_is_brief(x) for x in (*op.inputs, *op.outputs)):
            raise NoCounterpartError("few operators of ONNX take bfloat16: cast to float32 first")
        inputs = [Term(self.model, self._slots[id(x)]) for x in op.inputs]
        found = _computed(op, inputs)
        terms = list(found) if isinstance(found, list) else [found]
        for term, y in zip(terms, op.outputs, strict=True):
            if term.dtype != y._array.dtype:
                raise NoCounterpartError(f"{term.dtype} would come out, not {y._array.dtype}")
        given = {id(x.slot) for x in inputs if not self.model.is_constant(x.slot)}
        return [t.node("Identity") if id(t.slot) in given else t for t in terms]

    def _own(self, op: Operation, reason: str) -> list[Term]:
        """A node of our own domain."""
        line = self._d.lines.get(id(op), op.place)
        if self._strict:
            raise NotImplementedError(
                f"ONNX has no counterpart of {op.row.name} ({reason}), which computes '{op.name}' at "
                f"{short(line)}: {line_text(line)}\nWith strict=False it is written as a node of the "
                f"domain {OWN_DOMAIN}, which Netron shows."
            )
        self.without.append(Without(op.row.name, op.name, short(line), reason))
        attrs = {k: v for k, v in op.attrs.items() if _is_written(v)}
        inputs = [self._slots[id(x)] for x in op.inputs]
        outputs = self.model.add(op.row.name, inputs, [y._array.dtype for y in op.outputs], **attrs)
        self.model.nodes[-1].domain = OWN_DOMAIN
        return [Term(self.model, y) for y in outputs]

    def _source(self, op: Operation) -> bool:
        """Whether it is an input, a value from outside, or a constant, which is added."""
        for y in op.outputs:
            value = self._captured.get(
                id(y), op.attrs.get("value") if op.row.name == "Const" else None
            )
            array = getattr(value, "_array", value)
            name = self._names.get(id(y), y.op.name)
            if isinstance(array, (np.ndarray, np.generic)):
                is_plain = op.row.name == "Const" and np.ndim(array) == 0
                self._slots[id(y)] = self.model.constant(array, "" if is_plain else name)
            elif op.row.name in ("Placeholder", "VarHandleOp"):
                slot = Slot(y._array.dtype, _sizes(y), self.model.unique(name))
                self.model.inputs.append(slot)
                self._slots[id(y)] = slot
            else:
                return False
        return True

    def _call(self, nodes: Sequence[Node], name: str, op: Operation) -> None:
        """Names for the nodes of an operation: the last one has that of the operation."""
        line = self._d.lines.get(id(op), op.place)
        for node in nodes:
            is_last = node is nodes[-1]
            node.name = self.model.unique_node(name if is_last else f"{name}/{node.kind}")
            node.about = f"{short(line)}: {line_text(line)}"
            for at, y in enumerate(node.outputs):
                y.name = y.name or self.model.unique(
                    f"{node.name}:{at}" if at else f"{node.name}/out"
                )


def _computed(op: Operation, inputs: list[Term]) -> Any:
    """The terms that a rule gives, or the kernel."""
    if op.row.graphs:
        raise NoCounterpartError("a loop, or a branch")
    rule = RULES.get(op.row.name) if _is_declared(op.row) else None
    is_passed_on = op.row.closes and op.row.many
    if rule is None and not is_passed_on and not op.row.elementwise:
        raise NoCounterpartError("no such operation")
    if not all(is_calculated(x._array.dtype) for x in (*op.inputs, *op.outputs)):
        raise NoCounterpartError("complex numbers, strings, or no numbers at all")
    if rule is not None:
        return rule(Site(op, inputs))
    if (
        is_passed_on
    ):  # a gradient of the user's: what it belongs to is computed by operations before
        return inputs[: len(op.outputs)]
    return of_kernel(op.row, inputs, op.attrs)


def _is_declared(row: Row) -> bool:
    """Whether it does what the table says: a call that is put off until the graph runs has the name alone."""
    declared = TABLE.get(row.name)
    return declared is not None and declared.kernel is row.kernel


def _sizes(y: SymbolicTensor) -> list[int | str] | None:
    """The shape; a size that is known only when it runs by a name."""
    if y.shape.rank is None:
        return None
    return [f"{y.op.name}_{a}" if n is None else n for a, n in enumerate(y.shape.as_list())]


def _is_written(value: Any) -> bool:
    plain = isinstance(value, (str, bool, int, float, np.ndarray))
    listed = isinstance(value, (list, tuple)) and all(isinstance(v, (int, float)) for v in value)
    return plain or (listed and len(value) > 0)


def _version() -> str:
    try:
        return version("wengert")
    except PackageNotFoundError:
        return "0"


def _is_brief(x: SymbolicTensor) -> bool:
    return x.dtype.name == "bfloat16"
