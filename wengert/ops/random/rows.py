"""The rows of random operations, most of them in two forms.

The stateful form takes a stream as its first input, ``kernel(xp, stream, *arrays, **attrs)``, and
gives another result each time. The stateless form takes a key and a counter, and is a function of
them. The arrays are NumPy's in every namespace: generators have no other implementation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Attrs, Row
from wengert.core.table import op
from wengert.errors import InvalidArgumentError
from wengert.inference.shape_inference import GUESSES, ranks_in_common
from wengert.inference.symbolic_integers import all_between, known_bounds, known_value
from wengert.ops.arrays.batched import in_front
from wengert.ops.math.elementwise import log
from wengert.ops.random import distributions, rejection
from wengert.ops.random.philox import LONG, Philox, scrambled_state
from wengert.ops.random.rejection import RESERVED
from wengert.ops.random.seeds import Stream
from wengert.ops.special.gamma import digamma
from wengert.ops.special.incomplete_gamma import gamma_density, gamma_in_a
from wengert.ops.support.batch_rules import batch_all
from wengert.ops.support.scipy_lazy import scipy_special
from wengert.values.bound_ops import bound
from wengert.values.dtypes import DType
from wengert.values.shapes import Dims, shape_text
from wengert.values.sizes import Bounds
from wengert.values.symbolic import AnyShape, is_certain
from wengert.values.tensor import dims

if TYPE_CHECKING:
    from wengert.values.tensor import Tensor
    from wengert.values.typing import Array, Namespace


class Forms(NamedTuple):
    """The rows of one distribution."""

    stateful: Row
    stateless: Row


def generator(key: Array, counter: Array) -> Philox:
    """The generator for a key (1,) and a counter (2,), of any integer dtype."""
    low, high = (int(part) & LONG for part in counter)
    return Philox(low | high << 64, int(key[0]) & LONG)


def _filling(
    stateful: str,
    stateless: str,
    fill: Callable[..., Any],
    check: Callable[..., None] | None = None,
    integers: Callable[..., Any] | None = None,
) -> Forms:
    """The rows of a distribution whose samples fill a shape: ``fill(state, count, dtype, *xs)``.

    ``check(type, *xs)`` checks the inputs; without it there are none. ``integers`` says between what
    samples lie.
    """

    def kernel(_: Namespace, stream: Stream, *xs: Array, shape: Dims, dtype: DType) -> Array:
        if check is not None:
            check(stateful, *xs)
        count = math.prod(shape)
        return fill(stream.reserve(count * RESERVED), count, dtype, *xs).reshape(shape)

    def pure(
        _: Namespace, key: Array, counter: Array, *xs: Array, shape: Dims, dtype: DType
    ) -> Array:
        if check is not None:
            check(stateless, *xs)
        return fill(generator(key, counter), math.prod(shape), dtype, *xs).reshape(shape)

    def batched(_: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        result: Tensor = apply(row, xs, attrs | {"shape": (size, *attrs["shape"])})
        return result

    # With inputs, which may be batched, it runs once for each example.
    row = op(
        stateful,
        kernel,
        stateful=True,
        integers=integers,
        batch=None if check else batched,
        forms=_forms(kernel),
    )
    return Forms(row, op(stateless, pure, integers=integers))


def _forms(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The form of a draw before it is made: that of a draw from guessed inputs."""

    def forms(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
        if len(xs) == 1:
            return [(attrs["shape"], attrs["dtype"].numpy_dtype)]
        tries = []
        for guess in GUESSES:
            try:
                arrays = [guess.array(x._array) if x._known is None else x._known for x in xs[1:]]
                tries.append([kernel(np, Stream(Philox(0, 0)), *arrays, **attrs)])
            except InvalidArgumentError:  # a guess may be out of bounds
                pass
        if not tries:
            dtype = attrs["dtype"].numpy_dtype if "dtype" in attrs else xs[1]._array.dtype
            return [(attrs.get("shape"), dtype)]
        if all(is_certain(x._array.shape) for x in xs[1:]):
            return [(np.shape(r), np.asarray(r).dtype) for r in tries[0]]
        ranks_known = not any(isinstance(x._array.shape, AnyShape) for x in xs[1:])
        return ranks_in_common(tries, len(tries) == len(GUESSES) or ranks_known)

    return forms


@lru_cache(maxsize=64)
def of_given_shape(row: Row) -> Row:
    """The operation with its shape as an input, which is known only at run time."""
    draw = row.kernel  # by itself, which an engine finds and converts

    def kernel(xp: Namespace, stream: Stream, shape: Array, *xs: Array, **attrs: Any) -> Array:
        return draw(xp, stream, *xs, shape=tuple(shape.tolist()), **attrs)

    def forms(xs: Sequence[Any], attrs: Attrs) -> list[Any]:
        sizes = xs[1]._array.shape
        known = not xs[2:] and is_certain(sizes)
        return [((None,) * sizes[0] if known else None, attrs["dtype"].numpy_dtype)]

    def inline(inputs: Sequence[Any], attrs: Attrs) -> Tensor:
        stream, shape, *xs = inputs
        sizes = known_value(shape)
        drawn: Tensor = (
            apply(later, inputs, attrs)
            if sizes is None
            else apply(row, (stream, *xs), {"shape": tuple(sizes.tolist()), **attrs})
        )
        return drawn

    later = Row(row.name, kernel, stateful=True, forms=forms, inline=inline)
    return later


def _check_bounds(who: str, low: Array, high: Array) -> None:
    """Check the bounds of random integers: scalars, the lower one first."""
    for name, limit in (("minval", low), ("maxval", high)):
        if limit.shape:
            raise InvalidArgumentError(
                f"{name} must be 0-D, got shape {shape_text(limit.shape)} [Op:{who}]"
            )
    if low >= high:
        raise InvalidArgumentError(f"Need minval < maxval, got {low} >= {high} [Op:{who}]")


def _between(inputs: Sequence[Any], attrs: Attrs) -> Array:
    """The bounds of random integers, where the last two inputs are known to have some."""
    least, most = [known_bounds(x) for x in inputs[-2:]]
    first = None if least is None else least.least
    last = None if most is None or most.most is None else most.most - 1
    return all_between(Bounds(first, last), attrs["shape"])


UNIFORM = _filling("RandomUniform", "StatelessRandomUniformV2", distributions.uniform)
NORMAL = _filling("RandomStandardNormal", "StatelessRandomNormalV2", distributions.normal)
TRUNCATED = _filling(
    "TruncatedNormal", "StatelessTruncatedNormalV2", distributions.truncated_normal
)
INTEGERS = _filling(
    "RandomUniformInt",
    "StatelessRandomUniformIntV2",
    distributions.integers,
    _check_bounds,
    _between,
)

FULL_INTEGERS: Row = op(
    "StatelessRandomUniformFullIntV2",
    lambda _, key, counter, *, shape, dtype: distributions.full_integers(
        generator(key, counter), math.prod(shape), dtype
    ).reshape(shape),
)
KEY_COUNTER: Row = op(
    "StatelessRandomGetKeyCounter",
    lambda _, seed: _key_and_counter(scrambled_state(*seed.tolist())),
    many=True,
)
# The state of a tf.random.Generator (counter and key as int64) after skipping some samples of 256
# blocks.
ADVANCED: Row = op(
    "RngAdvanced", lambda _, state, *, delta: _advanced(state, delta * RESERVED)
)  # fmt: skip


def _key_and_counter(state: Philox) -> list[Any]:
    halves = [state.counter & LONG, state.counter >> 64]
    return [np.array([state.key], np.uint64), np.array(halves, np.uint64)]


def _advanced(state: Array, blocks: int) -> Array:
    key, counter = _key_and_counter(generator(state[2:], state[:2]).skipped(blocks))
    return np.concatenate([counter, key]).view(np.int64)


# ---- a number of samples for each parameter ---------------------------------------------------

# `sample(state, count, *parameters)` takes arrays of one shape. The attribute `shape` is that of
# the samples for one parameter; it comes before the parameters' own.


def _streamed(name: str, sample: Callable[..., Any], **fields: Any) -> Row:
    def kernel(_: Namespace, stream: Stream, *xs: Array, shape: Dims, dtype: DType) -> Array:
        count = math.prod(shape)
        state = stream.reserve(count * xs[0].size * RESERVED)
        return _placed(sample(state, count, *xs), shape, xs, dtype)

    def together(batched: Sequence[bool], size: int, xs: Sequence[Any], attrs: Attrs) -> Tensor:
        """Other samples than those of one example after the other."""
        stream, *parameters = xs
        if not any(batched):
            wider = attrs | {"shape": (size, *attrs["shape"])}
            return apply(row, xs, wider)  # type: ignore[no-any-return]
        drawn = apply(row, (stream, *batch_all(batched[1:], size, parameters)), attrs)
        return in_front(drawn, len(attrs["shape"]))

    row = op(name, kernel, stateful=True, batch=together, forms=_forms(kernel), **fields)
    return row


def _pure(name: str, sample: Callable[..., Any], **fields: Any) -> Row:
    def kernel(
        _: Namespace, key: Array, counter: Array, *xs: Array, shape: Dims, dtype: DType
    ) -> Array:
        made = sample(generator(key, counter), math.prod(shape), *xs)
        return _placed(made, shape, xs, dtype)

    return op(name, kernel, **fields)


def _placed(made: Array, shape: Dims, xs: Sequence[Any], dtype: DType) -> Array:
    return made.astype(dtype.numpy_dtype).reshape(shape + xs[0].shape)


def _gamma_rule(g: Tensor, y: Tensor, *xs: Any, shape: Dims, dtype: DType) -> Tensor:
    return bound.sum_to(g * gamma_grad(xs[-1], y), dims(xs[-1]))


def _gamma_push(t: Tensor, y: Tensor, *xs: Any, shape: Dims, dtype: DType) -> Tensor:
    return t * gamma_grad(xs[-1], y)


POISSON = Forms(
    _streamed("RandomPoissonV2", rejection.poisson),
    _pure("StatelessRandomPoisson", rejection.poisson),
)
BINOMIAL: Row = _pure("StatelessRandomBinomial", rejection.binomial)
GAMMA = Forms(
    _streamed(
        "RandomGamma",
        rejection.gamma,
        vjp=(None, _gamma_rule),
        jvp=(None, _gamma_push),
    ),
    _pure(
        "StatelessRandomGammaV3",
        rejection.gamma,
        vjp=(None, None, _gamma_rule),
        jvp=(None, None, _gamma_push),
    ),
)


def _gamma_grad_kernel(_: Namespace, alpha: Array, sample: Array) -> Array:
    """The derivative of a gamma sample with respect to alpha at a fixed quantile.

    That is -(dP/da) / (dP/dx), for P the distribution function. Both are exp(-x) x^a / gamma(a+1)
    times a series in the terms t[n] = x^n / ((a+1) ... (a+n)): dP/dx has a/x in place of it.
    """
    special = scipy_special()
    a, x = np.broadcast_arrays(alpha.astype(np.float64), sample.astype(np.float64))
    term, slope = np.ones(a.shape), np.zeros(a.shape)  # t[n], and minus d log t[n] / da
    total, moved, n = term, slope, 0
    while np.any(term > 1e-17 * total):
        n += 1
        term, slope = term * (x / (a + n)), slope + 1 / (a + n)
        total, moved = total + term, moved + term * slope
    series = (np.log(x) - special.digamma(a + 1)) * total - moved
    return np.asarray(-series * x / a).astype(sample.dtype)


def _log_slope(alpha: Tensor, sample: Tensor) -> Tensor:
    """The derivative of log(dP/dx) with respect to alpha."""
    return log(sample) - digamma(alpha)


# With P(a, x) the distribution function, p its density and y = -(dP/da) / p.
GAMMA_GRAD: Row = op(
    "RandomGammaGrad",
    _gamma_grad_kernel,
    vjp=(
        lambda g, y, a, x: g * (-gamma_in_a(a, x, 2) / gamma_density(a, x) - y * _log_slope(a, x)),
        lambda g, y, a, x: g * (-_log_slope(a, x) - y * ((a - 1.0) / x - 1.0)),
    ),
    elementwise=True,
)


def gamma_grad(alpha: Tensor, sample: Tensor) -> Tensor:
    """The derivative of gamma samples with respect to `alpha` (implicit reparameterization)."""
    result: Tensor = apply(GAMMA_GRAD, (alpha, sample))
    return result


# ---- draws from given values ------------------------------------------------------------------


def _shuffled(state: Philox, x: Array) -> Array:
    return x[distributions.permutation(state, len(x))] if x.ndim else x


def _exchanges(x: Array) -> int:
    """How many groups of four numbers TensorFlow reserves: one number for each row but the last."""
    return (len(x) + 2) // 4 if x.ndim and x.size else 0


SHUFFLE = Forms(
    op(
        "RandomShuffle",
        lambda _, stream, x: _shuffled(stream.reserve(_exchanges(x)), x),
        stateful=True,
        forms=lambda xs, attrs: [(xs[1]._array.shape, xs[1]._array.dtype)],
    ),
    op("StatelessShuffle", lambda _, key, counter, x: _shuffled(generator(key, counter), x)),
)


def _multinomial(
    _: Namespace, stream: Stream, logits: Array, *, num_samples: int, dtype: DType
) -> Array:
    blocks = len(logits) * (-(-num_samples // 4) * 4) * 2 * RESERVED
    made = distributions.categories(stream.reserve(blocks), logits, num_samples)
    return made.astype(dtype.numpy_dtype)


MULTINOMIAL = Forms(
    op("Multinomial", _multinomial, stateful=True, forms=_forms(_multinomial)),
    op(
        "StatelessMultinomial",
        lambda _, key, counter, logits, *, num_samples, dtype: distributions.categories(
            generator(key, counter), logits, num_samples
        ).astype(dtype.numpy_dtype),
    ),
)
