"""tensorflow.python.framework.test_ops: operations that compute nothing, of which graphs are made to look at.

Each line has a name, the inputs, the outputs, and the attributes with their defaults.
"""

from __future__ import annotations

import ast
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, Final

from wengert.core.context import current_graph
from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.core.table import ASIDE
from wengert.errors import NotFoundError
from wengert.values.convert import convert
from wengert.values.dtypes import as_dtype

_OPERATIONS: Final = """
Binary a:T b:T -> out:T
DevicePlacementOp -> device:string
FiveFloatOutputs -> a:float32 b:float32 c:float32 d:float32 e:float32
FloatInput a:float32 ->
FloatOutput -> a:float32
FloatOutputStringOutput -> a:float32 b:string
Foo1 a:float32 b:int32 c:int32 -> d:float32 e:int32
Foo2 a:float32 b:string c:string -> d:float32 e:int32
Foo3 a:float32 b:string c:float32 -> d:float32 e:int32
GraphDefVersion -> version:int32
Int64Output -> out:int64
IntAttr -> out:int64 | foo=1
IntInput a:int32 ->
IntInputFloatInput a:int32 b:float32 ->
IntInputIntOutput a:int32 -> b:int32
IntOutput -> a:int32
IntOutputFloatOutput -> a:int32 b:float32
KernelLabel -> result:string
KernelLabelRequired input:int32 -> result:string
MakeWeakResourceHandle handle:resource -> dup:resource
Namespace>TestStringOutput input:float32 -> output1:float32 output2:string
None ->
Old ->
OpWithDefaultAttr -> a:int32 | default_float=123.0
OpWithFutureDefaultAttr ->
OutT -> a:T | T=
Simple a:int32 -> out:float32
StubResourceHandleOp -> resource:resource | container='' shared_name=''
ResourceCreateOp resource:resource ->
ResourceInitializedOp resource:resource -> initialized:bool
ResourceUsingOp resource:resource ->
TestStringOutput input:float32 -> output1:float32 output2:string
TwoFloatInputs a:float32 b:float32 ->
TwoFloatInputsFloatOutput a:float32 b:float32 -> c:float32
TwoFloatInputsIntOutput a:float32 b:float32 -> c:int32
TwoFloatOutputs -> a:float32 b:float32
TwoIntInputs a:int32 b:int32 ->
TwoIntOutputs -> a:int32 b:int32
Unary a:T -> b:T
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(name, dtype) for name, _, dtype in (word.partition(":") for word in text.split())]


def _function(line: str) -> tuple[str, Callable[..., Any]]:
    head, _, attributes = line.partition(" | ")
    inputs, _, outputs = head.partition(" ->")
    kind, *rest = inputs.split()
    taken, given = _pairs(" ".join(rest)), _pairs(outputs)
    defaults = {
        name: ast.literal_eval(value or "None")
        for name, _, value in (word.partition("=") for word in attributes.split())
    }
    row = _row(kind, taken, given)
    results = namedtuple(f"{kind.rpartition('>')[2]}Outputs", [name for name, _ in given])  # type: ignore[misc]

    def function(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        values = {key: kwargs.pop(key) for key, _ in taken if key in kwargs}
        listed = [*args, *[values[key] for key, _ in taken[len(args) :]]]
        tensors = [
            convert(x, None if dtype == "T" else as_dtype(dtype))
            for x, (_, dtype) in zip(listed, taken, strict=True)
        ]
        found = apply(row, tensors, {**defaults, **kwargs}, name or kind)
        if not given:
            return current_graph().operations[-1]
        return found[0] if len(given) == 1 else results(*found)

    return _in_small_letters(kind), function


def _row(kind: str, taken: Sequence[tuple[str, str]], given: Sequence[tuple[str, str]]) -> Row:
    def kernel(_: Any, *xs: Any, **attrs: Any) -> Any:
        raise NotFoundError(f"No OpKernel was registered to support Op '{kind}'")

    def forms(xs: Sequence[Any], attrs: Any) -> list[Any]:
        own = attrs["T"] if attrs.get("T") is not None else xs[0].dtype if xs else None
        kinds = [own if dtype == "T" else dtype for _, dtype in given]
        return [(None, as_dtype(each).numpy_dtype) for each in kinds]

    row = ASIDE[kind] = Row(kind, kernel, forms=forms, many=True, stateful="Resource" in kind)
    return row


def _in_small_letters(kind: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|>", "_", kind).lower()


globals().update(map(_function, _OPERATIONS.strip().splitlines()))
none = globals()["none"]
