"""Every operation at sizes that the table's samples do not have, in a graph that knew none of them.

The samples are small and fixed. Here every axis of one size gets another one, in all inputs at
once, as long as eager mode takes it; a function and a session that were built for unknown sizes,
or unknown rank, must compute what eager mode computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numeric import arrays, assert_same, outcomes, tensors
from samples import Case
from test_modes import KNOWN, PURE, dense, foreseeable

import wengert as tf

pytestmark = pytest.mark.usefixtures("interpreted")
v1 = tf.compat.v1
MOST = 3  # other sizes of a case
# The machine's own: sizes of their inputs agree, which their kernels take for granted.
INNER = re.compile("Grad$|GradGrad|Backprop|Grad(Image|Input|Filter)|StridedSliceGrad")
CASES = [c for c in foreseeable(PURE) if not INNER.search(c.line.type)]
# What has no other size: the sizes are in the attributes, or the values say what they must be.
SERVED = 0.8


def resized(x: Any, before: int, after: int) -> Any:
    """The array with every axis of one size made another: elements repeat, or go."""
    for axis, size in enumerate(np.shape(x)):
        if size == before:
            x = np.take(x, np.arange(after) % before, axis)
    return x


def others(xs: Sequence[Any]) -> Iterator[list[Any]]:
    """Inputs of other sizes."""
    sizes = sorted({size for x in xs for size in np.shape(x) if size})
    for size in sizes:
        for after in (2 * size, size + 1, size + 13, size - 1):
            if after:
                yield [resized(x, size, after) for x in xs]


def with_gradients(case: Case, xs: Sequence[Any]) -> list[Any]:
    """The results, and the gradients of half their squares."""
    varied = [xs[i] for i in case.varied]
    with tf.GradientTape() as tape:
        tape.watch(varied)
        ys = outcomes(case.call, xs)
    smooth = [y for y in ys if y is not None and y.dtype.is_differentiable]
    if case.line.constant or not varied or not smooth:
        return ys
    gradients = tape.gradient(smooth, varied, output_gradients=[tf.identity(y) for y in smooth])
    return [*ys, *dense(lambda: gradients)()]


def accepted(case: Case, xs: Sequence[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Inputs of other sizes that eager mode takes, and what it makes of them."""
    found = 0
    for inputs in others(xs):
        try:
            want = arrays(with_gradients(case, tensors(inputs)))
        except Exception:
            continue
        yield inputs, want
        found += 1
        if found == MOST:
            return


@pytest.fixture(scope="module")
def counted() -> Iterator[dict[str, int]]:
    """How many other sizes each operation was run at."""
    found: dict[str, int] = {}
    yield found
    served = sum(1 for count in found.values() if count)
    assert len(found) < len(CASES) or served > SERVED * len(found)


@pytest.mark.parametrize("form", ["sizes", "rank"])
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_other_sizes(case: Case, form: str, counted: dict[str, int]) -> None:
    if form == "rank" and not case.line.ranked:
        pytest.skip("it asks for the rank, as in TensorFlow")
    xs = case.inputs()
    specs = [tf.TensorSpec(KNOWN[form](x), x.dtype) for x in xs]
    function = tf.function(lambda *ps: with_gradients(case, ps), input_signature=specs)
    with tf.Graph().as_default():
        places = [v1.placeholder(x.dtype, KNOWN[form](x)) for x in xs]
        ys = with_gradients(case, places)
        session = v1.Session()
    there = [y for y in ys if y is not None]
    counted[case.line.type] = 0
    for inputs, want in accepted(case, xs):
        counted[case.line.type] += 1
        got = arrays(function(*tensors(inputs)))
        assert_same(got, want, 1e-12)
        run = iter(session.run(there, dict(zip(places, inputs, strict=True))))
        assert_same([None if y is None else next(run) for y in ys], want, 1e-12)
