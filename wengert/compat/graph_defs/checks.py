"""What a GraphDef must be before its nodes are added, and what a node is given; errors as TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import wengert
from wengert.compat.graph_defs.op_defs import Argument, OpDef
from wengert.values.dtypes import DType, as_dtype, resource, variant
from wengert.values.symbolic import SymbolicTensor


def text_of(name: Any) -> Any:
    """A name that may come as bytes."""
    return name.decode() if isinstance(name, bytes) else name


def checked_map(input_map: Any) -> dict[str, Any]:
    """The tensors to be replaced, by name."""
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    return {text_of(key): value for key, value in input_map.items()}


def checked_elements(return_elements: Any) -> list[str] | None:
    """The names of what is asked for."""
    if return_elements is None:
        return None
    names = [text_of(name) for name in return_elements]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings. Obtained {return_elements}."
        )
    for name in names:
        _, colon, index = name.partition(":")
        if colon and not index.isdigit():
            raise ValueError(f"Cannot convert '{name}' to a tensor name.")
    return names


def check_versions(versions: Any) -> None:
    """Raise unless a graph of these versions can be read."""
    own = wengert.version
    if versions.producer < own.GRAPH_DEF_VERSION_MIN_PRODUCER:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer "
            f"{own.GRAPH_DEF_VERSION_MIN_PRODUCER} supported by TensorFlow {own.VERSION}.  "
            "Please regenerate your graph."
        )
    if versions.min_consumer > own.GRAPH_DEF_VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{own.GRAPH_DEF_VERSION} for TensorFlow {own.VERSION}.  Please upgrade TensorFlow."
        )


def check_nodes(nodes: Sequence[Any], replaced: Mapping[tuple[str, int], Any]) -> None:
    """Raise where two nodes have one name, or a node names one that is not there."""
    names: set[str] = set()
    for node in nodes:
        if node.name in names:
            raise ValueError(f"Node '{node.name}' is not unique")
        names.add(node.name)
    mapped = {name for name, _ in replaced}
    for node in nodes:
        for text in node.input:
            name, colon, index = text.removeprefix("^").partition(":")
            there = name in names or name in mapped
            if not there or (colon and not index.isdigit()):
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
        for name in colocated(node):
            if name not in names:
                raise ValueError(
                    f"Node '{node.name}' expects to be colocated with unknown node '{name}'"
                )


def colocated(node: Any) -> list[str]:
    """The nodes with which a node says that it belongs."""
    if "_class" not in node.attr:
        return []
    groups = [text.decode() for text in node.attr["_class"].list.s]
    return [text.removeprefix("loc:@") for text in groups if text.startswith("loc:@")]


def check_inputs(node: Any, known: OpDef, name: str, inputs: Sequence[Any]) -> None:
    """Raise unless a node has as many inputs as its operation takes, of their dtypes."""
    wanted = [dtype for arg in known.inputs for dtype in _dtypes(arg, node)]
    if len(wanted) != len(inputs):
        listed = ", ".join("?" if d is None else d.spoken for d in wanted)
        raise ValueError(
            f"NodeDef expected inputs '{listed}' do not match {len(inputs)} inputs specified; "
            f"node '{name}' is a {node.op}."
        )
    for i, (dtype, x) in enumerate(zip(wanted, inputs, strict=True)):
        if dtype in (None, resource, variant) or type(x) is not SymbolicTensor:
            continue
        if x.dtype not in (dtype, resource, variant):
            raise ValueError(
                f"Input {i} of node {name} was passed {x.dtype.spoken} from {x.name} incompatible "
                f"with expected {dtype.spoken}."
            )


def _dtypes(arg: Argument, node: Any) -> Iterator[DType | None]:
    """The dtypes of the tensors of an input; None where the node does not say one."""
    times = node.attr.get(arg.times)
    if times is not None and times.HasField("list"):
        yield from (as_dtype(t).base_dtype for t in times.list.type)
        return
    dtype = node.attr[arg.dtype].type if arg.dtype in node.attr else 0
    count = 1 if times is None else int(times.i)
    yield from [as_dtype(dtype).base_dtype if dtype else None] * count
