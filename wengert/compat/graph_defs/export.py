"""A graph as GraphDef: nodes in TensorFlow's form where it has one, otherwise in our own.

Where an operation keeps as an attribute what TensorFlow takes as an input, such as the axis of a sum, a constant is
added (`argument_forms`). A node in our own form keeps its attributes as Python writes them, under the name `_wengert`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from wengert.compat.graph_defs.calls import said
from wengert.compat.graph_defs.composites import COMPOSITES
from wengert.compat.graph_defs.draws import Draw, without_stream
from wengert.compat.graph_defs.nodes import attr_value, constant, plain_node
from wengert.compat.graph_defs.op_defs import BY_HAND, Argument, OpDef, op_defs
from wengert.compat.graph_defs.producer import GRAPH_DEF_VERSION
from wengert.compat.graph_defs.protos import message
from wengert.compat.graph_defs.table_nodes import table_attrs
from wengert.compat.graph_defs.tensors import shape_proto
from wengert.compat.raw_operations import functions
from wengert.core.table import TABLE, complete
from wengert.graph.graph_builder import VAR_HANDLE
from wengert.graph.graph_def import input_name
from wengert.graph.operation import Operation
from wengert.inference.deferred_calls import Parts, Place, Slices, Term, call_of, call_pulled_back
from wengert.ops.control.effects import WHOLE
from wengert.ops.control.list_ops import Form as ElementForm
from wengert.overrides.argument_forms import Form, argument_forms
from wengert.overrides.told_attributes import slice_parts, told_attributes
from wengert.values.dtypes import DType, as_dtype, int32
from wengert.values.shapes import TensorShape
from wengert.values.type_spec import type_spec_from_value

OWN: Final = "_wengert"
CALL: Final = "_wengert_call"
SEEDS: Final = "_wengert_seeds"  # of a draw in our own form
GRADIENT: Final = "gradient of"  # a call, instead of the name of a function
RULE: Final = "rule:"  # of a call: a gradient rule, which has no name of its own


def as_graph_def(graph: Any, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """The operations of a graph, from a version on, as GraphDef.

    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.reduce_sum(tf.constant([1.0, 2.0]), name="total")
    >>> [(n.name, n.op, list(n.input)) for n in graph.as_graph_def().node]
    [('Const', 'Const', []), ('total/reduction_indices', 'Const', []), ('total', 'Sum', ['Const', 'total/reduction_indices'])]
    """
    made = message("GraphDef")(versions={"producer": GRAPH_DEF_VERSION})
    bodies = _bodies()
    for op in graph.get_operations()[from_version or 0 :]:
        written = bodies.nodes(op)
        made.node.extend(written)
        if add_shapes and written and "output_shapes" not in made.node[-1].attr:
            is_handle = op.row is VAR_HANDLE
            shapes = [shape_proto(TensorShape([]) if is_handle else x.shape) for x in op.outputs]
            made.node[-1].attr["_output_shapes"].list.shape.extend(shapes)
    made.library.CopyFrom(bodies.library)
    return made


def _bodies() -> Any:
    """What writes branches and loops, with their functions; loaded late, as it writes by what is here."""
    return importlib.import_module("wengert.saved_model.function_defs").GraphNodes()


def nodes_of(op: Operation) -> list[Any]:
    """The node of an operation, behind the constants that it needs."""
    op = without_stream(op)
    write = _SPECIAL.get(op.type, _in_form) if call_of(op.row) is None else _call
    written = write(op)
    return written if written is not None else [_own(op)]


def _call(op: Operation) -> list[Any] | None:
    """The node of a put-off call, behind those that compute the sizes that it takes."""
    found = said(op)
    if found is None:
        return None
    made, (kind, inputs, attrs) = found
    return [*made, node(op, kind, inputs, attrs)]


def node(op: Operation, kind: str, inputs: list[str], attrs: dict[str, Any]) -> Any:
    """A node by the name of an operation."""
    after = [f"^{other.name}" for other in op.control_inputs]
    made = message("NodeDef")(
        name=op.name, op=kind, input=[*inputs, *after], device=op.device or ""
    )
    given = {key: value for key, value in op.attrs.items() if key.startswith("_")} | op.noted
    for key, value in {**attrs, **given}.items():
        made.attr[key].CopyFrom(attr_value(value))
    if op.name in op.graph.colocations:
        made.attr["_class"].list.s.extend(op.colocation_groups())
    return made


# ---- TensorFlow's form --------------------------------------------------------------------------


def _in_form(op: Operation) -> list[Any] | None:
    """The nodes in TensorFlow's form; None if that says less than the operation does."""
    known, form = op_defs().get(op.type), argument_forms().get(op.type)
    if known is None or (form is None and not _is_alike(op, known)):
        return None
    form = form or Form(["*"], {})
    if "shape=shape" in form.inputs and "shape" not in op.attrs:  # of a draw: it is an input
        form = Form(["*"], form.attrs)
    if not _says_all(op, known, form):
        return None
    constants: list[Any] = []
    try:
        inputs = [x for word in form.inputs for x in _input(op, known, word, constants)]
        attrs = _attrs(op, known, form, [dtype for _, dtype in inputs])
    except (LookupError, TypeError, ValueError):
        return None
    made = node(op, op.type, [name for name, _ in inputs], attrs)
    if op.type in _BY_ROW or op.type not in {*functions(), *BY_HAND}:
        if form.inputs != ["*"]:
            return None
        _keep_attributes(made, op)
    return [*constants, made]


def _says_all(op: Operation, known: OpDef, form: Form) -> bool:
    """Whether TensorFlow's form says every attribute, or implies it."""
    said = {word.partition("=")[2] for word in form.inputs} | set(form.attrs.values())
    for name, value in op.attrs.items():
        if (
            value is None
            or name.startswith("_")
            or name in said
            or (name in known.attrs and name not in form.attrs)
        ):
            continue
        implied = _IMPLIED.get((op.type, name))
        if implied is None or not implied(op, value):
            return False
    complex_turned = op.type == "BatchMatMulV2" and op.inputs[0].dtype.is_complex
    return not (complex_turned and (op.attrs["transpose_a"] or op.attrs["transpose_b"]))


def _are_last(op: Operation, value: Any) -> bool:
    """Whether axes are the last ones."""
    axes = list(value) if isinstance(value, (list, tuple)) else [value]
    rank = op.inputs[0].shape.rank
    return rank is not None and [a % rank for a in axes] == list(range(rank - len(axes), rank))


def _is(wanted: object) -> Callable[[Operation, Any], bool]:
    return lambda _, value: bool(value == wanted)


# Rows that read more than TensorFlow's operation of the same name, whose function prepares it.
_BY_ROW: Final = ("QuantizeAndDequantizeV2",)

# Attributes that TensorFlow's operation lacks, as it has one value for them.
_IMPLIED: Final[dict[tuple[str, str], Callable[[Operation, Any], bool]]] = {
    ("Softmax", "axis"): _are_last,
    ("LogSoftmax", "axis"): _are_last,
    ("FFT", "axes"): _are_last,
    ("FFT2D", "axes"): _are_last,
    ("FFT3D", "axes"): _are_last,
    ("IFFT", "axes"): _are_last,
    ("GatherNd", "batch_dims"): _is(0),
    ("ScatterNd", "batch_dims"): _is(0),
    ("TopKV2", "largest"): _is(True),
    ("CheckNumerics", "of_gradient"): _is(False),
    ("RandomGamma", "dtype"): lambda op, value: value is op.outputs[0].dtype,
}


def _is_alike(op: Operation, known: OpDef) -> bool:
    """Whether inputs and attributes are those of TensorFlow's operation of the same name."""
    repeated = any(arg.times for arg in known.inputs)
    if not (repeated or len(op.inputs) == len(known.inputs)):
        return False
    return all(name in known.attrs or value is None for name, value in op.attrs.items())


def _input(
    op: Operation, known: OpDef, word: str, constants: list[Any]
) -> Iterator[tuple[str, DType]]:
    """Inputs by their names, and their dtypes."""
    if word == "*":
        yield from ((input_name(x, x.op.name), x.dtype) for x in op.inputs)
    elif word.isdigit():
        x = op.inputs[int(word)]
        yield input_name(x, x.op.name), x.dtype
    else:
        name, _, attr = word.partition("=")
        if len(op.inputs) > 1 and op.type == "BroadcastTo":  # to the shape of another tensor
            raise ValueError(op.name)
        dtype = _dtype_of_argument(op, known, name)
        made = constant(f"{op.name}/{name}", op.attrs[attr], dtype)
        if not _is_there(op.graph, made):
            constants.append(made)
        yield made.name, as_dtype(made.attr["dtype"].type)


def _dtype_of_argument(op: Operation, known: OpDef, name: str) -> DType | None:
    """The dtype that an input shares with the result, or with an input that is a tensor."""
    kind = next(arg.dtype for arg in known.inputs if arg.name == name)
    if kind and any(out.dtype == kind for out in known.outputs):
        return op.outputs[0].dtype
    if not kind or any(arg.times for arg in known.inputs):
        return None
    others = zip(known.inputs, op.inputs, strict=False)
    return next((x.dtype for a, x in others if a.dtype == kind and a.name != name), None)


def _is_there(graph: Any, made: Any) -> bool:
    """Whether a graph, read from a file, has a constant already; another of its name gives way."""
    there = graph.operation_named(made.name)
    if there is None:
        return False
    if there.type == "Const" and nodes_of(there)[-1].attr["value"] == made.attr["value"]:
        return True
    count = 1
    while graph.operation_named(f"{made.name}_{count}") is not None:
        count += 1
    made.name = f"{made.name}_{count}"
    return False


def _attrs(op: Operation, known: OpDef, form: Form, inputs: list[DType]) -> dict[str, Any]:
    """The attributes: those of ours, dtypes and numbers of inputs and outputs, and defaults."""
    found = _of_arguments(known.outputs, [y.dtype for y in op.outputs])
    found |= _of_arguments(known.inputs, inputs)
    told = told_attributes(op, op.type, op.attrs)
    for name, attr in known.attrs.items():
        wanted = form.attrs.get(name, name)
        if wanted.startswith("!"):  # it has one value here
            found[name] = ast.literal_eval(wanted[1:])
        elif told.get(wanted) is not None:
            found[name] = told[wanted]
        elif name not in found:
            if not attr.has_default:
                raise LookupError(name)
            found[name] = attr.default
    return {name: found[name] for name in known.attrs}


def types_of(op: Operation) -> dict[str, Any]:
    """The attributes that say dtypes and numbers of inputs and outputs, as far as they follow from these."""
    known, form = op_defs().get(op.type), argument_forms().get(op.type)
    found: dict[str, Any] = {}
    if known is None:
        return found
    words = (form or Form(["*"], {})).words(len(op.inputs))
    inputs = [op.inputs[int(word)].dtype if word.isdigit() else None for word in words]
    for arguments, kinds in (
        (known.outputs, [y.dtype for y in op.outputs]),
        (known.inputs, inputs),
    ):
        with contextlib.suppress(ValueError):  # there are more of them here, or fewer
            said = _of_arguments(arguments, kinds)
            found = {name: value for name, value in said.items() if value} | found
    return found


def _of_arguments(arguments: list[Argument], dtypes: Sequence[DType | None]) -> dict[str, Any]:
    """The attributes that follow from inputs or outputs: of those that are repeated each is as often there."""
    found: dict[str, Any] = {}
    rest = list(dtypes)
    repeated = sum(bool(arg.times) for arg in arguments)
    for arg in arguments:
        count = (len(dtypes) - len(arguments) + repeated) // repeated if arg.times else 1
        own, rest = rest[:count], rest[count:]
        if len(own) < count:
            raise ValueError(f"{arg.name} is missing.")
        if arg.times:
            found[arg.times] = count if arg.dtype else own
        if arg.dtype and own:
            found[arg.dtype] = own[0]
    if rest:
        raise ValueError("There are more than TensorFlow's operation has.")
    return found


# ---- our own form -------------------------------------------------------------------------------


def _own(op: Operation) -> Any:
    """A node that keeps our attributes as Python writes them."""
    inputs = [input_name(x, x.op.name) for x in op.inputs]
    deferred = call_of(op.row)
    if deferred is not None:
        return node(op, op.type, inputs, {CALL: repr(_told(*deferred))})
    made = node(op, op.type, inputs, {})
    _keep_attributes(made, op)
    if (
        TABLE.get(op.type) is not op.row
    ):  # a loop, a branch, a call: what it does is not in its attributes
        made.attr["_closed"].b = True
    return made


def _keep_attributes(made: Any, op: Operation | Draw) -> None:
    """Let a node say our attributes."""
    made.attr[OWN].CopyFrom(attr_value(_literals(op)))
    if isinstance(op, Draw):
        made.attr[SEEDS].CopyFrom(attr_value(op.seeds))


def _told(function: Any, args: Any, kwargs: Any) -> list[Any]:
    """A call as Python writes it."""
    if isinstance(function, functools.partial):
        args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
        function = function.func
    inner = call_pulled_back(function)
    own = getattr(function, "__wrapped__", function)  # as what was read from a file is
    path = rule_names().get(id(own)) or _path(own) or _path(function) or "<locals>"
    return [path if inner is None else {GRADIENT: _told(*inner)}, literal(args), literal(kwargs)]


def _path(function: Any) -> str:
    """Where a function is found by its name; empty if it has another one in public."""
    path = f"{function.__module__}:{function.__qualname__}"
    is_there = hasattr(sys.modules.get(function.__module__), function.__qualname__)
    return path if is_there or "<locals>" in path else ""


@functools.cache
def rule_names() -> dict[int, str]:
    """The gradient rules of the table, by which operation's and which input's each is."""
    complete()
    return {
        id(rule): f"{RULE}{name}:{n}"
        for name, row in TABLE.items()
        for n, rule in enumerate(row.vjp if isinstance(row.vjp, tuple) else ())
        if rule is not None
    }


def _literals(op: Operation | Draw) -> str:
    attrs = op.own_attrs if isinstance(op, Draw) else op.attrs
    return repr({name: literal(value) for name, value in attrs.items()})


def literal(value: Any) -> Any:
    """An attribute in values that Python can read again."""
    write = next((write for kind, write in _LITERALS if isinstance(value, kind)), None)
    if write is not None:
        return write(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([literal(v) for v in value])
    is_plain = isinstance(value, (int, float, complex, str, bytes, bool, type(None)))
    return value if is_plain else {"kept": repr(value)}


def _composite(value: Parts) -> Any:
    """A value of several tensors among the arguments of a call: what it is, and the places of these."""
    spec = type_spec_from_value(value.like)
    if type(spec) not in COMPOSITES:
        return {"kept": repr(spec)}
    told = literal(spec._serialize())
    return {"value of": [COMPOSITES[type(spec)], told, [literal(part) for part in value.parts]]}


# How attributes that are no values of Python are written: importing.py reads them.
_LITERALS: Final[list[tuple[Any, Callable[[Any], Any]]]] = [
    (DType, lambda value: {"dtype": value.name}),
    (TensorShape, lambda value: {"shape": None if value.rank is None else value.as_list()}),
    (slice, lambda value: {"slice": [literal(v) for v in (value.start, value.stop, value.step)]}),
    (type(Ellipsis), lambda _: {"ellipsis": True}),
    (Place, lambda value: {"shape of" if value.whole_shape else "input": value.index}),
    (Term, lambda value: {"size": value.said}),
    (Slices, lambda value: {"slices": [literal(part) for part in value.parts]}),
    (Parts, lambda value: _composite(value)),
    (dict, lambda value: {"dict": {key: literal(v) for key, v in value.items()}}),
    (np.generic, lambda value: value.item()),
    (np.dtype, lambda value: {"of NumPy": as_dtype(value).name}),
    (np.ndarray, lambda value: {"array": value.tolist(), "of": value.dtype.str}),
    (ElementForm, lambda value: {"elements": [as_dtype(value.dtype).name, *value[1:]]}),
]


# ---- operations that are written by hand --------------------------------------------------------


def _const(op: Operation) -> list[Any]:
    return [
        node(op, "Const", [], {"value": np.asarray(op.attrs["value"]), "dtype": op.attrs["dtype"]})
    ]


def _split(op: Operation) -> list[Any]:
    sizes, axis = op.attrs["sizes"], op.attrs["axis"]
    x = input_name(op.inputs[0], op.inputs[0].op.name)
    dtype = op.inputs[0].dtype
    along = constant(f"{op.name}/split_dim", axis)
    if len(set(sizes)) == 1:
        attrs: dict[str, Any] = {"num_split": len(sizes), "T": dtype}
        return [along, node(op, "Split", [along.name, x], attrs)]
    counts = constant(f"{op.name}/size_splits", sizes)
    attrs = {"num_split": len(sizes), "T": dtype, "Tlen": int32}
    return [counts, along, node(op, "SplitV", [x, counts.name, along.name], attrs)]


_IN_KEYS: Final = (type(Ellipsis), type(None), slice, int, np.integer)


def _strided_slice(op: Operation) -> list[Any] | None:
    """A key as begins, ends, strides and masks."""
    key = op.attrs["key"]
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, _IN_KEYS) for part in parts):
        return None
    ends, masks = slice_parts(parts)
    lists = zip(("stack", "stack_1", "stack_2"), ends, strict=True)
    made = [constant(f"{op.name}/{name}", np.array(v, np.int32)) for name, v in lists]
    attrs: dict[str, Any] = {**masks, "T": op.inputs[0].dtype, "Index": int32}
    x = input_name(op.inputs[0], op.inputs[0].op.name)
    return [*made, node(op, "StridedSlice", [x, *[m.name for m in made]], attrs)]


def _variable(op: Operation) -> list[Any] | None:
    made = _in_form(op)
    if made is not None:  # by the name two handles are one variable
        made[-1].attr["shared_name"].s = op.name.encode()
    return made


# The operations of TensorFlow's that encode a summary, by our function for it.
_SUMMARIES: Final = {
    "_histogram": "HistogramSummary",
    "_merged": "MergeSummary",
    "distribution": "HistogramSummary",
    "scalar_bytes": "ScalarSummary",
    "scalars": "ScalarSummary",
}


def _summary(op: Operation) -> list[Any] | None:
    encode: Any = op.attrs["encode"]
    function, tags = getattr(encode, "func", encode), getattr(encode, "args", ())
    kind = _SUMMARIES.get(function.__name__)
    if kind is None:
        return None
    known = [constant(f"{op.name}/tags", np.array(tag.encode(), object)) for tag in tags]
    inputs = [*[made.name for made in known], *[input_name(x, x.op.name) for x in op.inputs]]
    attrs = {"N": len(inputs)} if kind == "MergeSummary" else {"T": op.inputs[-1].dtype}
    return [*known, node(op, kind, inputs, attrs)]


def _print(op: Operation) -> list[Any] | None:
    """A text that is put together, and printed."""
    pieces, to = op.attrs["pieces"], _stream_name(op.attrs["stream"])
    if not to:
        return None
    inputs = [input_name(x, x.op.name) for x in op.inputs]
    attrs = {"output_stream": to, "end": op.attrs["end"]}
    if pieces == [WHOLE]:
        return [node(op, "PrintV2", inputs, attrs)]
    told = [_pieces(piece) for piece in pieces]
    mark = "{}"
    while any(mark in text for parts in told for text in parts if text is not None):
        mark = f"<{mark}>"
    template = op.attrs["sep"].join(
        ["".join([mark if text is None else text for text in parts]) for parts in told]
    )
    types = [x.dtype for x in op.inputs]
    said = {"T": types, "template": template, "placeholder": mark}
    text = plain_node(
        "StringFormat", f"{op.name}/text", inputs, **said, summarize=op.attrs["summarize"]
    )
    return [text, node(op, "PrintV2", [text.name], attrs)]


def _stream_name(stream: Any) -> str:
    """The name of a stream in files; empty if it has none."""
    for name in ("stderr", "stdout"):
        if stream in (getattr(sys, name), getattr(sys, f"__{name}__")):
            return name
    return stream if isinstance(stream, str) else ""


def _pieces(piece: Any) -> list[str | None]:
    """The texts of a piece, None for each value."""
    if not isinstance(piece, list):
        return [piece]
    return [text for part in piece for text in _pieces(part)]


def _sparse_cross_entropy(op: Operation) -> list[Any] | None:
    """The losses alone: TensorFlow's operation gives their slopes, too."""
    logits, labels = op.inputs
    if logits.shape.rank != 2:
        return None
    inputs = [input_name(x, x.op.name) for x in (logits, labels)]
    return [node(op, op.type, inputs, {"T": logits.dtype, "Tlabels": labels.dtype})]


def _table(op: Operation) -> list[Any] | None:
    attrs = table_attrs(op.attrs["form"], op.name)
    return None if attrs is None else [node(op, op.type, [], attrs)]


def _lookup(op: Operation) -> list[Any]:
    """The values of keys in a table."""
    inputs = [input_name(x, x.op.name) for x in op.inputs]
    return [node(op, op.type, inputs, {"Tin": op.inputs[1].dtype, "Tout": op.outputs[0].dtype})]


_SPECIAL: Final[dict[str, Callable[[Operation], list[Any] | None]]] = {
    "Const": _const,
    "EncodeSummary": _summary,
    "HashTableV2": _table,
    "LookupTableFindV2": _lookup,
    "MutableHashTableV2": _table,
    "PrintV2": _print,
    "VarHandleOp": _variable,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "Split": _split,
    "StridedSlice": _strided_slice,
}
