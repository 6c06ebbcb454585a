"""Raw operations of LSTM cells: one step, a sequence, and the gradients of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wengert.core.reverse import pull_through
from wengert.ops.arrays.creation import range_
from wengert.ops.arrays.joining import concat, split, stack
from wengert.ops.arrays.shaping import reshape
from wengert.ops.linalg.matmul import matmul
from wengert.ops.math.arithmetic import clip_by_value
from wengert.ops.math.comparison import less, where
from wengert.ops.math.elementwise import cast, sigmoid, tanh, zeros_like
from wengert.ops.support.static_value import get_static_value
from wengert.values.convert import convert
from wengert.values.dtypes import int32
from wengert.values.tensor import Tensor, dims

if TYPE_CHECKING:
    from wengert.values.typing import TensorLike


class Cell(NamedTuple):
    """The gates, states and results of a step, in the order of the operation's results."""

    i: Tensor
    cs: Tensor
    f: Tensor
    o: Tensor
    ci: Tensor
    co: Tensor
    h: Tensor


class Weights(NamedTuple):
    """The weights of a cell: the matrix, those by which the gates see the state, and the bias."""

    w: Tensor
    wci: Tensor
    wcf: Tensor
    wco: Tensor
    b: Tensor


class Kind(NamedTuple):
    """How a cell computes; the gates have their letters in the order of the matrix."""

    gates: str
    forget_bias: float
    cell_clip: float
    use_peephole: bool


def _step(x: Tensor, cs_prev: Tensor, h_prev: Tensor, by: Weights, kind: Kind) -> Cell:
    parts = split(matmul(concat([x, h_prev], 1), by.w) + by.b, 4, axis=1)
    gate = dict(zip(kind.gates, parts, strict=True))
    seen = 1.0 if kind.use_peephole else 0.0
    i = sigmoid(gate["i"] + seen * cs_prev * by.wci)
    f = sigmoid(gate["f"] + kind.forget_bias + seen * cs_prev * by.wcf)
    ci = tanh(gate["c"])
    cs = ci * i + cs_prev * f
    if kind.cell_clip > 0:
        cs = clip_by_value(cs, -kind.cell_clip, kind.cell_clip)
    o = sigmoid(gate["o"] + seen * cs * by.wco)
    co = tanh(cs)
    return Cell(i, cs, f, o, ci, co, co * o)


def _cell(
    x: TensorLike, cs_prev: TensorLike, h_prev: TensorLike, forget_bias: float, cell_clip: float,
    use_peephole: bool, **weights: TensorLike,
) -> Cell:  # fmt: skip
    """One step of a cell."""
    by = Weights(**{name: convert(value) for name, value in weights.items()})
    kind = Kind("icfo", forget_bias, cell_clip, use_peephole)
    return _step(convert(x), convert(cs_prev), convert(h_prev), by, kind)


def _sequence(
    count: Tensor, xs: Tensor, cs: Tensor, h: Tensor, by: Weights, kind: Kind
) -> list[Tensor]:
    """So many steps of a cell; those behind are zeros."""
    known, total, steps = get_static_value(count), dims(xs)[0], list[Cell]()
    for t in range(total if known is None else min(int(known), total)):
        steps.append(_step(xs[t], cs, h, by, kind))
        cs, h = steps[-1].cs, steps[-1].h
    nothing = Cell(*[zeros_like(cs)] * 7)
    steps += [nothing] * (total - len(steps))
    found = [stack(part) for part in zip(*steps, strict=True)]
    if known is not None:
        return found
    taken = reshape(less(range_(total), cast(count, int32)), [-1, 1, 1])
    return [where(taken, part, zeros_like(part)) for part in found]


def _block(gates: str) -> Callable[..., Cell]:
    def block(
        seq_len_max: TensorLike, x: TensorLike, cs_prev: TensorLike, h_prev: TensorLike,
        cell_clip: float, use_peephole: bool, forget_bias: float = 0.0, **weights: TensorLike,
    ) -> Cell:  # fmt: skip
        """A sequence of steps of a cell."""
        by = Weights(**{name: convert(value) for name, value in weights.items()})
        kind = Kind(gates, forget_bias, cell_clip, use_peephole)
        count = convert(seq_len_max)
        found = _sequence(count, convert(x), convert(cs_prev), convert(h_prev), by, kind)
        return Cell(*found)

    return block


def _block_grad(
    seq_len_max: TensorLike, x: TensorLike, cs_prev: TensorLike, h_prev: TensorLike,
    cs_grad: TensorLike, h_grad: TensorLike, use_peephole: bool, **given: TensorLike,
) -> list[Tensor]:  # fmt: skip
    """The gradients of a sequence in its input, the first states and the weights."""
    count = convert(seq_len_max)

    def steps(x: Tensor, cs: Tensor, h: Tensor, *weights: Tensor) -> Sequence[Tensor]:
        kind = Kind("ifco", 0.0, 0.0, use_peephole)
        found = Cell(*_sequence(count, x, cs, h, Weights(*weights), kind))
        return [found.cs, found.h]

    read = [x, cs_prev, h_prev, *[given[name] for name in Weights._fields]]
    return pull_through(steps, [*map(convert, read)], [convert(cs_grad), convert(h_grad)])


WRITTEN: Final[dict[str, Callable[..., Any]]] = {
    "BlockLSTM": _block("icfo"),
    "BlockLSTMGradV2": _block_grad,
    "BlockLSTMV2": _block("ifco"),
    "LSTMBlockCell": _cell,
}
