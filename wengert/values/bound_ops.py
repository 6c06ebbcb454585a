"""The few operations that the machine itself uses.

The sweep adds cotangents and sums them to a shape; forward mode needs zeros; a gradient of a
complex value is conjugated where it enters and leaves. The machine names no operation, so it asks
for these by what they do, and api/bind.py says which operations do it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor


class BoundOps:
    """The operations, by what they do."""

    add: Callable[[Any, Any], Any]  # gradients, each of which may be IndexedSlices
    cast: Callable[[Any, Any], Tensor]
    conj: Callable[[Any], Tensor]
    zeros_like: Callable[[Any], Tensor]
    sum_to: Callable[[Any, tuple[int, ...]], Tensor]  # sum the axes that were broadcast
    broadcast_to: Callable[[Any, tuple[int, ...]], Tensor]
    to_dense: Callable[[Any], Any]  # IndexedSlices to a tensor
    pack: Callable[[Any], Tensor]  # a nested list with tensors in it to one tensor
    stack: Callable[[list[Any]], Tensor]
    unstack: Callable[[Any], list[Tensor]]
    # From the values of a batch's examples to one with the batch in front, and back; from one for
    # all.
    join_examples: Callable[[list[Any]], Any]
    part_examples: Callable[[Any, int], list[Any]]
    repeat_example: Callable[[Any, int], Any]
    reshape: Callable[[Any, tuple[int, ...]], Tensor]
    blank: Callable[[Any, tuple[int, ...]], Tensor]  # zeros of another shape, of the same dtype
    as_shape: Callable[[Any], tuple[Any, ...]]  # a tensor of integers to sizes, known or not
    # Shape and dtype of each result of a row, for inputs and attributes, without a run; None: unknown.
    known_forms: Callable[[Any, Any, Any], list[Any]]
    read: Callable[[Any], Any]  # a variable to its value
    assign_later: Callable[[Any, str, Any], Any]  # the operation of a graph that changes one
    update: Callable[
        [str, Any, Any], Any
    ]  # write a row's result over a variable's value; None if not
    # A value; using it is an error with a message unless a condition holds.
    provided: Callable[[Any, Any, str], Tensor]
    finite: Callable[[Any, str], Tensor]  # a value; an error with the message unless it is finite
    # The first, provided that the second has its shape.
    of_same_shape: Callable[[Any, Any, str], Tensor]
    # Values of which those without a cotangent get one of zeros, if another has one.
    together: Callable[[list[Any]], list[Any]]
    identity: Callable[[Any], Any]
    # Plain values; a graph under construction makes a constant of them.
    entered: Callable[[Any], Tensor]
    shape_proto: Callable[[Any], Any]  # sizes, or None, as TensorFlow's message
    as_node: Callable[[Any], Any]  # an operation that a tape recorded, to one of a graph
    evaluate: Callable[[Any], Any]  # a symbolic tensor that depends on no input, to its value


bound = BoundOps()
