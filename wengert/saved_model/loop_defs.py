"""A loop of a function as a While of TensorFlow's, with the functions of its body and its test.

In a file a loop first carries a counter and a limit, which TensorFlow's gradient reads. What a loop emits for its
gradient is a list that it carries and that each round writes to; of a list that a gradient takes, each round reads
the element of its number. A loop that takes lists runs as often as they are long, which is its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np

from wengert.compat.graph_defs.draws import stream_of
from wengert.compat.graph_defs.nodes import attr_value, constant, plain_node
from wengert.compat.graph_defs.tensors import shape_proto
from wengert.graph.graph_def import input_name
from wengert.ops.control.while_op import Loop, Stack
from wengert.saved_model.standing import Stand, at_places, standing
from wengert.values.dtypes import DType, bool_, int32, resource, variant
from wengert.values.shapes import TensorShape

COUNTERS: Final = 2  # values of a loop in a file that it does not have here
LOOPS: Final = ("While", "StatelessWhile")
_NOTHING: Final = SimpleNamespace(get_operations=lambda: ())


class _Value(NamedTuple):
    """A value of a loop in a file: its name before the loop, and what it is in the body and after it."""

    first: str
    inside: Any
    after: Any
    shape: Any
    is_resource: bool = False

    @property
    def dtype(self) -> Any:
        return resource if self.is_resource else self.inside.dtype


class LoopDef:
    """The nodes of a loop; `writer` writes the function around it."""

    def __init__(self, writer: Any, op: Any, owner: Loop, emits: bool) -> None:
        self._writer, self._op, self._owner = writer, op, owner
        n, s = len(owner.carried), len(owner.taken)
        carried, taken, self._constants = op.inputs[:n], op.inputs[n : n + s], op.inputs[n + s :]
        self._emitted = owner.emitted if emits else []
        limit = self._length(taken[0]) if taken else constant(f"{op.name}/maximum_iterations", -1)
        self.first = [constant(f"{op.name}/loop_counter", 0), limit]
        self._counters = [
            _passed(node.name, Stand(name))
            for node, name in zip(self.first, ("loop_counter", "maximum_iterations"), strict=True)
        ]
        self._carried = [
            _Value(_text(x), own, result, own.shape)
            for x, own, result in zip(carried, owner.carried, owner.results, strict=True)
        ]
        self._lists = [
            *[self._empty(number, stack) for number, stack in enumerate(self._emitted)],
            *[_passed(_text(x), Stand(f"list_{n}", variant)) for n, x in enumerate(taken)],
        ]

    def nodes(self) -> list[Any]:
        """The nodes, that of the loop last."""
        constants = [x for x in self._constants if not stream_of(x)]
        resources = self._writer.are_resources(constants)
        own = standing({at: x for x, at in self._owner.same}, self._constants)
        values = [
            *[*self._counters, *self._carried, *self._lists],
            *[
                _Value(_text(x), inside, inside, [] if r else x.shape, r)
                for x, inside, r in zip(constants, own, resources, strict=True)
            ],
        ]
        has_effects = self._op.row.effects or any(resources)
        is_pure = not has_effects and len(constants) == len(self._constants)  # and draws nothing
        made = self._writer.node(self._op, LOOPS[is_pure], [v.first for v in values])
        made.attr["T"].CopyFrom(attr_value([v.dtype for v in values]))
        made.attr["output_shapes"].list.shape.extend([shape_proto(v.shape) for v in values])
        made.attr["parallel_iterations"].i = 10
        made.attr["body"].func.name = self._body(values)
        made.attr["cond"].func.name = self._test(values)
        return [*self.first, made]

    # ---- before the loop ---------------------------------------------------------------------

    def _length(self, stack: Any) -> Any:
        name = f"{self._op.name}/maximum_iterations"
        return plain_node("TensorListLength", name, [_text(stack)])

    def _empty(self, number: int, stack: Stack) -> _Value:
        """A list that is emitted: empty, or, if the last round writes its first element, as long as the loop."""
        name, x = f"{self._op.name}/emitted_{number}", stack.inside
        limit = self.first[1].name if stack.backward else None
        self.first += empty_list(name, x.shape, x.dtype, limit)
        return _Value(name, Stand(f"emitted_{number}", variant), x, [])

    # ---- its functions -----------------------------------------------------------------------

    def _body(self, values: Sequence[_Value]) -> str:
        owner, kinds = self._owner, [v.is_resource for v in values]
        made = self._writer.function(
            f"{self._op.name}_body",
            [v.inside for v in values],
            kinds,
            [v.after for v in values],
            owner.body,
            {t.inside.op.name: f"{t.inside.op.name}:item:0" for t in owner.taken},
        )
        for arg, v in zip(made.signature.output_arg, values, strict=True):
            arg.type = v.dtype.as_datatype_enum
        _Rounds(made).write(self._emitted, owner.taken, COUNTERS + len(owner.carried))
        return str(made.signature.name)

    def _test(self, values: Sequence[_Value]) -> str:
        """The function that says whether there is another round."""
        base, test, own = f"{self._op.name}_cond", self._owner.condition, [v.inside for v in values]
        kinds = [v.is_resource for v in values]
        if test is None:
            made = self._writer.function(base, own, kinds, own[:1], _NOTHING)
            counter, limit = [arg.name for arg in made.signature.input_arg[:COUNTERS]]
            made.node_def.append(plain_node("Less", "goes_on", [counter, limit], T=int32))
            made.signature.output_arg[0].type = bool_.as_datatype_enum
            made.ret[made.signature.output_arg[0].name] = "goes_on:z:0"
            return str(made.signature.name)
        stands = [v.inside for v in (*self._counters, *self._lists)]
        inputs = [
            *[*stands[:COUNTERS], *test.inputs, *stands[COUNTERS:]],
            *at_places(test, self._owner.condition_places, self._constants),
        ]
        made = self._writer.function(base, inputs, kinds, test.outputs, test)
        return str(made.signature.name)


class _Rounds:
    """What the body of a loop does beside what its graph says: it counts, reads and writes lists."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._inputs = [arg.name for arg in function.signature.input_arg]
        self._results = [arg.name for arg in function.signature.output_arg]

    def write(self, emitted: Sequence[Stack], taken: Sequence[Stack], first: int) -> None:
        """The nodes; lists that are emitted and then those that are taken are arguments from `first` on."""
        counter, limit = self._inputs[:COUNTERS]
        one = self._add(constant("loop_counter/one", 1)) + ":output:0"
        after = (
            self._add(plain_node("AddV2", "loop_counter/next", [counter, one], T=int32)) + ":z:0"
        )
        self._function.ret[self._results[0]] = after
        mirrored = ""
        if any(stack.backward for stack in (*emitted, *taken)):
            mirrored = self._add(
                plain_node("Sub", "loop_counter/from_end", [limit, after], T=int32)
            )
        at = {False: counter, True: f"{mirrored}:z:0"}
        for place, stack in enumerate(emitted, first):
            self._emit(place, stack, at[True] if stack.backward else None)
        for place, stack in enumerate(taken, first + len(emitted)):
            self._take(self._inputs[place], stack.inside, at[stack.backward])

    def _emit(self, place: int, stack: Stack, index: str | None) -> None:
        own, dtype = self._inputs[place], stack.inside.dtype
        value = self._function.ret[self._results[place]]
        if index is None:
            made = plain_node(
                "TensorListPushBack", f"{own}_next", [own, value], element_dtype=dtype
            )
        else:
            given = [own, index, value]
            made = plain_node("TensorListSetItem", f"{own}_next", given, element_dtype=dtype)
        self._function.ret[self._results[place]] = self._add(made) + ":output_handle:0"

    def _take(self, own: str, x: Any, index: str) -> None:
        """The element of a round, by the name of what stands for it in the graph."""
        shape = self._add(_shape(f"{x.op.name}/element_shape", x.shape)) + ":output:0"
        given = [own, index, shape]
        self._add(plain_node("TensorListGetItem", x.op.name, given, element_dtype=x.dtype))

    def _add(self, node: Any) -> str:
        self._function.node_def.append(node)
        return str(node.name)


def _text(x: Any) -> str:
    return str(input_name(x, x.op.name))


def _passed(first: str, stand: Stand) -> _Value:
    """A value that rounds hand on."""
    return _Value(first, stand, stand, [])


def empty_list(name: str, shape: Any, dtype: DType, reserved: str | None = None) -> list[Any]:
    """The nodes of an empty list, or of one with as many places as a node says; that of the list last."""
    form = {"element_dtype": dtype, "shape_type": int32}
    known = _shape(f"{name}/element_shape", shape)
    if reserved is not None:
        return [known, plain_node("TensorListReserve", name, [known.name, reserved], **form)]
    longest = constant(f"{name}/max_num_elements", -1)
    made = plain_node("EmptyTensorList", name, [known.name, longest.name], **form)
    return [known, longest, made]


def _shape(name: str, of: Any) -> Any:
    """What is known of a shape, as a constant."""
    shape = TensorShape(of)
    sizes = -1 if shape.rank is None else [-1 if n is None else n for n in shape.as_list()]
    return constant(name, np.array(sizes, np.int32))
