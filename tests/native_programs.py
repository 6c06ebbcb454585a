"""Random programs for the native engine: operations one after the other, on arrays of all kinds.

What is not continuous, such as a comparison, is only applied to numbers that every engine computes
exactly: small multiples of a power of two. Then two engines may differ by rounding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import wengert as tf

MOST = 300_000  # elements of a value
LARGEST = 1e4  # number in a value
GRID = 1024.0  # numbers that are exact are multiples of 1 / GRID
FLOATS = (tf.float32, tf.float64)
SIGNED = (tf.int8, tf.int32, tf.int64)
INTEGERS = (*SIGNED, tf.uint8)
NAMES = ("float64", "float32", "int32", "int64", "uint8", "int8", "bool")


class Step(NamedTuple):
    name: str
    function: Callable[..., Any]
    places: Sequence[int]  # of the values that it is applied to


class Program:
    """A function of arrays: some of the values that its steps compute, the last one among them."""

    def __init__(self) -> None:
        self.inputs: list[Any] = []
        self.steps: list[Step] = []
        self.results: list[int] = []
        self.size = 1.0  # the largest number, or sum of magnitudes, on the way
        self.is_single = False  # whether anything is rounded to 24 bits
        self.has_gradient = True  # whether rounding cannot change the gradient much

    def __call__(self, *xs: Any) -> list[Any]:
        values = list(xs)
        for step in self.steps:
            made = step.function(*[values[p] for p in step.places])
            values += made if isinstance(made, list) else [made]
        return [values[r] for r in self.results]

    def gradient(self, *xs: Any) -> list[Any]:
        """The results, and the gradients of the sum of those that are floating."""
        moving = [x for x in xs if x.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(moving)
            ys = self(*xs)
            total = [tf.reduce_sum(y) for y in ys if y.dtype.is_floating]
        slopes = tape.gradient(total, moving, unconnected_gradients="zero") if total else []
        return [*ys, *[tf.convert_to_tensor(g) for g in slopes]]

    @property
    def relative(self) -> float:
        return 2e-5 if self.is_single else 1e-11

    def __repr__(self) -> str:
        given = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self.inputs)
        steps = "; ".join(f"{s.name}{list(s.places)}" for s in self.steps)
        return f"({given}) -> {steps} -> {self.results}"


# ---- inputs -----------------------------------------------------------------------------------

SMALL = (1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
LARGE = (
    (4097,),
    (8193,),
    (70_001,),
    (2, 35_003),
    (65, 1031),
    (257, 129),
    (1100, 61),
    (61, 1100),
    (3, 5, 1009),
    (1009, 5, 13),
    (9, 1, 7411),
    (66_000, 1),
    (1, 66_001),
)


def small_shape(rng: np.random.Generator) -> tuple[int, ...]:
    """Up to four axes; one of them is empty now and then."""
    shape = [int(n) for n in rng.choice(SMALL, rng.integers(0, 5))]
    if shape and rng.integers(20) == 0:
        shape[rng.integers(len(shape))] = 0
    return tuple(shape) if np.prod(shape, initial=1) < 6000 else tuple(shape[:2])


def large_shape(rng: np.random.Generator) -> tuple[int, ...]:
    return LARGE[rng.integers(len(LARGE))]


def numbers(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> Any:
    """Numbers among which there are equal ones, zeros and negative ones."""
    low = 0 if dtype in ("uint8", "bool") else -12
    drawn = np.asarray(rng.integers(low, 2 if dtype == "bool" else 13, shape))
    if drawn.ndim and rng.integers(8) == 0:  # all rows equal
        drawn[:] = drawn[:1]
    return np.asarray(drawn / 4 if dtype.startswith("float") else drawn).astype(dtype)


def _thinner(rng: np.random.Generator, shape: Sequence[int]) -> tuple[int, ...]:
    """A shape that broadcasts to another one."""
    kept = shape[rng.integers(len(shape) + 1) :] if rng.integers(2) else shape
    return tuple(1 if rng.integers(5) == 0 else n for n in kept)


# ---- steps ------------------------------------------------------------------------------------

MAKERS: dict[str, Callable[[Maker], None]] = {}  # by name


def maker(function: Callable[[Maker], None]) -> Callable[[Maker], None]:
    MAKERS[function.__name__] = function
    return function


class Maker:
    """Draws the steps of a program, and computes what they give."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.program = Program()
        self.values: list[Any] = []
        self.exact: list[bool] = []

    def give(self, array: Any) -> None:
        self.program.inputs.append(array)
        self.values.append(tf.constant(array))
        self.exact.append(True)

    # ---- choices -----------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def one(self, choices: Sequence[Any]) -> Any:
        return choices[self.rng.integers(len(choices))]

    def truth(self) -> bool:
        return bool(self.rng.integers(2))

    def pick(self, suits: Callable[[Any], bool], exact: bool = False) -> int | None:
        """A value that suits, more often one of the latest."""
        found = [i for i, x in enumerate(self.values) if suits(x) and (self.exact[i] or not exact)]
        return found[-min(self.rng.geometric(0.35), len(found))] if found else None

    def of(self, dtypes: Sequence[Any], exact: bool = False, axes: int = 0) -> int | None:
        return self.pick(lambda x: x.dtype in dtypes and x.shape.rank >= axes, exact)

    def partner(self, i: int, exact: bool = False) -> int:
        """A value of the same dtype that broadcasts with another one; maybe that one."""
        x = self.values[i]
        found = self.pick(lambda y: y.dtype == x.dtype and _broadcasts(x, y), exact)
        return i if found is None else found

    def shape(self, i: int) -> tuple[int, ...]:
        return tuple(self.values[i].shape)

    def axis(self, i: int) -> int:
        return self.number(0, len(self.shape(i)) - 1)

    def axes(self, i: int) -> list[int]:
        rank = len(self.shape(i))
        return sorted(self.rng.permutation(rank)[: self.number(1, rank)].tolist())

    # ---- what comes of them -------------------------------------------------------------------

    def add(
        self,
        name: str,
        function: Callable[..., Any],
        *places: int,
        exact: bool = False,
        kinked: bool = False,
    ) -> None:
        """One more step, unless its results are too large or no numbers."""
        result = function(*[self.values[p] for p in places])
        made = result if isinstance(result, list) else [result]
        if not all(map(_is_moderate, made)):
            return
        known = all(self.exact[p] for p in places)
        self.program.steps.append(Step(name, function, places))
        self.program.has_gradient &= known or not kinked
        for y in made:
            self.values.append(y)
            self.exact.append(not y.dtype.is_floating or (known and exact and _is_on_grid(y)))
            self.program.is_single |= y.dtype == tf.float32 and not self.exact[-1]
        self._measure([self.values[p] for p in places] + made)

    def _measure(self, values: Sequence[Any]) -> None:
        for x in values:
            if x.dtype.is_floating:
                total = float(np.abs(x.numpy().astype(np.float64)).sum())
                self.program.size = max(self.program.size, total)


def _broadcasts(x: Any, y: Any) -> bool:
    try:
        shape = np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return False
    return bool(np.prod(shape, initial=1) <= MOST)


def _is_moderate(x: Any) -> bool:
    a = x.numpy()
    if a.size > MOST:
        return False
    return not x.dtype.is_floating or bool((np.abs(a) <= LARGEST).all())


def _is_on_grid(x: Any) -> bool:
    """Whether sums of the numbers are exact too: few enough bits, all at the same places."""
    a = x.numpy().astype(np.float64) * GRID
    limit = 2.0 ** (24 if x.dtype == tf.float32 else 50)
    return bool((a == np.rint(a)).all()) and float(np.abs(a).sum()) < limit


# ---- each element by itself -------------------------------------------------------------------

SMOOTH: dict[str, Callable[[Any], Any]] = {
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "sin": tf.sin,
    "cos": tf.cos,
    "bell": lambda x: tf.exp(-x * x),
    "root": lambda x: tf.sqrt(x * x + 1.0),
    "rsqrt": lambda x: tf.math.rsqrt(x * x + 0.5),
    "log1p": lambda x: tf.math.log1p(x * x),
    "log": lambda x: tf.math.log(x * x + 0.25),
    "softplus": tf.nn.softplus,
    "erf": tf.math.erf,
    "atan": tf.atan,
    "share": lambda x: x / (1.0 + x * x),
    "power": lambda x: (1.0 + x * x) ** 0.7,
    "expm1": lambda x: tf.math.expm1(tf.sin(x)),
    "elu": tf.nn.elu,
    "gelu": tf.nn.gelu,
    "reciprocal": lambda x: tf.math.reciprocal(2.0 + tf.cos(x)),
}
EXACT: dict[str, Callable[[Any], Any]] = {
    "negative": lambda x: -x,
    "half": lambda x: x * 0.5,
    "less": lambda x: 1.0 - x,
    "square": tf.square,
    "cube": lambda x: x * x * x,
    "stop": tf.stop_gradient,
    "filled": lambda x: x + tf.ones_like(x),
    "same": tf.identity,
}
KINKED: dict[str, Callable[[Any], Any]] = {
    "abs": tf.abs,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky": lambda x: tf.nn.leaky_relu(x, 0.25),
    "clip": lambda x: tf.clip_by_value(x, -1.0, 1.5),
    "atmost": lambda x: tf.minimum(x, 0.75),
}
JUMPING: dict[str, Callable[[Any], Any]] = {
    "sign": tf.sign,
    "floor": tf.floor,
    "ceil": tf.math.ceil,
    "rint": tf.round,
    "mod": lambda x: tf.math.floormod(x, 1.5),
    "floordiv": lambda x: x // 0.75,
}


@maker
def smooth(m: Maker) -> None:
    name = m.one(list(SMOOTH))
    i = m.of(FLOATS)
    if i is not None:
        m.add(name, SMOOTH[name], i)


@maker
def simple(m: Maker) -> None:
    name = m.one([*EXACT, *KINKED])
    i = m.of(FLOATS)
    if i is not None:
        function = EXACT.get(name) or KINKED[name]
        m.add(name, function, i, exact=True, kinked=name in KINKED)


@maker
def jumping(m: Maker) -> None:
    name = m.one(list(JUMPING))
    i = m.of(FLOATS, exact=True)
    if i is not None:
        m.add(name, JUMPING[name], i, exact=True)


PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": tf.multiply,
    "maximum": tf.maximum,
    "minimum": tf.minimum,
    "difference": tf.math.squared_difference,
    "divide": lambda x, y: x / (1.0 + y * y),
    "atan2": lambda x, y: tf.atan2(x, 1.0 + y * y),
    "nonan": lambda x, y: tf.math.divide_no_nan(x, tf.ones_like(y) * 3.0),
    "addn": lambda x, y: tf.add_n([x + y, x - y, y + x]),
}


@maker
def pair(m: Maker) -> None:
    name = m.one(list(PAIRS))
    i = m.of(FLOATS)
    if i is not None:
        exact = name not in ("divide", "atan2", "nonan")
        m.add(name, PAIRS[name], i, m.partner(i), exact=exact, kinked=name.endswith("imum"))


WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": tf.multiply,
    "maximum": tf.maximum,
    "minimum": tf.minimum,
    "and": tf.bitwise.bitwise_and,
    "or": tf.bitwise.bitwise_or,
    "xor": tf.bitwise.bitwise_xor,
    "mod": lambda x, y: tf.math.floormod(x, tf.bitwise.bitwise_or(y, tf.ones_like(y))),
    "div": lambda x, y: x // (tf.bitwise.bitwise_and(y, tf.ones_like(y)) + 2),
    "shift": lambda x, y: tf.bitwise.left_shift(x, tf.bitwise.bitwise_and(y, tf.ones_like(y))),
}


@maker
def whole(m: Maker) -> None:
    name = m.one(list(WHOLE))
    i = m.of(INTEGERS)
    if i is not None:
        m.add(f"whole {name}", WHOLE[name], i, m.partner(i))


@maker
def signed(m: Maker) -> None:
    function = m.one([tf.abs, tf.negative, tf.sign, tf.square])
    i = m.of((tf.int32, tf.int64))
    if i is not None:
        m.add(f"signed {function.__name__}", function, i)


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "less": tf.less,
    "atmost": tf.less_equal,
    "greater": tf.greater,
    "atleast": tf.greater_equal,
    "equal": tf.equal,
    "unequal": tf.not_equal,
}


@maker
def compare(m: Maker) -> None:
    name = m.one(list(COMPARED))
    i = m.of((*FLOATS, *INTEGERS), exact=True)
    if i is not None:
        m.add(name, COMPARED[name], i, m.partner(i, exact=True))


@maker
def logical(m: Maker) -> None:
    function = m.one([tf.logical_and, tf.logical_or, tf.math.logical_xor, tf.not_equal])
    i = m.of((tf.bool,))
    if i is not None:
        m.add(function.__name__, lambda x, y: function(tf.logical_not(x), y), i, m.partner(i))


@maker
def where(m: Maker) -> None:
    i = m.pick(lambda x: True)
    assert i is not None
    j = m.partner(i)
    both = tf.broadcast_static_shape(m.values[i].shape, m.values[j].shape)
    c = m.pick(lambda x: x.dtype == tf.bool and _broadcasts(x, tf.zeros(both)))
    if c is not None:
        m.add("where", tf.where, c, i, j, exact=True)


@maker
def cast(m: Maker) -> None:
    i = m.pick(lambda x: True, exact=True)
    if i is None:
        return
    wanted: tuple[tf.DType, ...] = (*FLOATS, tf.int32, tf.int64, tf.bool)
    if not m.values[i].dtype.is_floating:
        wanted = (*FLOATS, *INTEGERS, tf.bool)
    dtype = m.one(wanted)
    m.add(f"cast to {dtype.name}", lambda x: tf.cast(x, dtype), i, exact=True)


@maker
def round_off(m: Maker) -> None:
    i = m.of(FLOATS)
    if i is not None:
        other = tf.float32 if m.values[i].dtype == tf.float64 else tf.float64
        m.add(f"cast to {other.name}", lambda x: tf.cast(x, other), i, exact=True)


# ---- elements moved ---------------------------------------------------------------------------


@maker
def reshape(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 0)
    if i is None:
        return
    shape = list(m.shape(i))
    k = m.axis(i)
    how = m.one(["flat", "join", "part", "one"])
    if how == "flat":
        shape = [int(np.prod(shape))]
    elif how == "join" and k:
        shape[k - 1 : k + 1] = [shape[k - 1] * shape[k]]
    elif how == "part" and shape[k]:
        divisor = m.one([d for d in range(1, min(shape[k], 40) + 1) if shape[k] % d == 0])
        shape[k : k + 1] = [divisor, shape[k] // divisor]
    else:
        shape.insert(k, 1)
    m.add(f"reshape to {shape}", lambda x: tf.reshape(x, shape), i, exact=True)


@maker
def transpose(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 1)
    if i is not None:
        perm = m.rng.permutation(len(m.shape(i))).tolist()
        m.add(f"transpose {perm}", lambda x: tf.transpose(x, perm), i, exact=True)


@maker
def slices(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 0)
    if i is None:
        return
    key: list[Any] = [_key(m, n) for n in m.shape(i)]
    if m.truth():
        key.insert(m.number(0, len(key)), tf.newaxis)
    at = tuple(key)
    m.add(f"slice {at}", lambda x: x[at], i, exact=True)


def _key(m: Maker, size: int) -> Any:
    how = m.number(0, 5)
    if how == 0 and size:
        return m.number(-size, size - 1)
    if how < 3:
        return slice(None)
    ends = [None, *range(-min(size, 40), min(size, 40) + 1)]
    step = m.one([1, 1, 2, 3, -1, -2])
    found = slice(m.one(ends), m.one(ends), step)
    return found if range(*found.indices(size)) or m.number(0, 9) == 0 else slice(None, None, step)


@maker
def together(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 0)
    if i is None:
        return
    x = m.values[i]
    j: Any = m.pick(lambda y: y.dtype == x.dtype and y.shape.as_list() == x.shape.as_list())
    k = m.axis(i)
    axis = k - x.shape.rank if m.truth() else k
    if m.truth():
        m.add(f"concat {axis}", lambda *xs: tf.concat(xs, axis), i, j, i, exact=True)
    else:
        m.add(f"stack {axis}", lambda *xs: tf.stack(xs, axis), i, j, exact=True)


@maker
def apart(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 0 and min(x.shape) > 0 and max(x.shape) < 2000)
    if i is None:
        return
    k = m.axis(i)
    n = m.shape(i)[k]
    if m.truth():
        first = m.number(0, n)
        m.add(f"split {k}", lambda x: tf.split(x, [first, n - first], k), i, exact=True)
    elif n <= 6:
        m.add(f"unstack {k}", lambda x: tf.unstack(x, axis=k), i, exact=True)


@maker
def larger(m: Maker) -> None:
    i = m.pick(lambda x: True)
    assert i is not None
    rank = len(m.shape(i))
    how = m.one(["pad", "tile", "broadcast"])
    if how == "pad":
        widths = [[m.number(0, 2), m.number(0, 2)] for _ in range(rank)]
        if rank and m.values[i].dtype != tf.bool:
            m.add(f"pad {widths}", lambda x: tf.pad(x, widths), i, exact=True)
    elif how == "tile":
        times = [m.number(1, 3) for _ in range(rank)]
        m.add(f"tile {times}", lambda x: tf.tile(x, times), i, exact=True)
    else:
        grown = [m.number(1, 4) if n == 1 else n for n in m.shape(i)]
        shape = [m.number(1, 3) for _ in range(m.number(0, 2))] + grown
        m.add(f"broadcast to {shape}", lambda x: tf.broadcast_to(x, shape), i, exact=True)


@maker
def turned(m: Maker) -> None:
    i = m.pick(lambda x: x.shape.rank > 0)
    if i is None:
        return
    axes = m.axes(i)
    axis = m.one([-1, 0, len(m.shape(i))])
    m.add(f"reverse {axes}", lambda x: tf.reverse(x, axes), i, exact=True)
    m.add(f"expand {axis}", lambda x: tf.expand_dims(x, axis), len(m.values) - 1, exact=True)
    if m.truth():
        m.add("squeeze", tf.squeeze, len(m.values) - 1, exact=True)


# ---- sums -------------------------------------------------------------------------------------


@maker
def reduce(m: Maker) -> None:
    name = m.one(["sum", "sum", "mean", "max", "min", "prod", "logsumexp", "norm"])
    most = 60 if name == "prod" else MOST  # so that it is not 0 in one order and NaN in another
    i = m.pick(lambda x: x.dtype in FLOATS and x.shape.rank > 0 and np.prod(x.shape) <= most)
    if i is not None:
        function = _length if name == "norm" else getattr(tf, f"reduce_{name}")
        _reduced(m, name, function, i, kinked=name in ("max", "min"))


def _length(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.sqrt(tf.reduce_sum(x * x, axis, keepdims) + 1.0)


@maker
def reduce_whole(m: Maker) -> None:
    name = m.one(["sum", "max", "min", "prod"])
    i = m.of(INTEGERS, axes=1)
    if i is not None and 0 not in m.shape(i):
        _reduced(m, f"whole {name}", getattr(tf, f"reduce_{name}"), i)


@maker
def reduce_truth(m: Maker) -> None:
    name = m.one(["any", "all"])
    i = m.of((tf.bool,), axes=1)
    if i is not None:
        _reduced(m, name, getattr(tf, f"reduce_{name}"), i)


def _reduced(m: Maker, name: str, function: Any, i: int, kinked: bool = False) -> None:
    axes = None if m.number(0, 5) == 0 else m.axes(i)
    keep = m.truth()
    exact = name in ("sum", "max", "min")
    call = lambda x: function(x, axis=axes, keepdims=keep)  # noqa: E731
    m.add(f"{name} {axes} {keep}", call, i, exact=exact, kinked=kinked)


# ---- matrices and rows ------------------------------------------------------------------------


@maker
def product(m: Maker) -> None:
    i = m.pick(lambda x: x.dtype in FLOATS and x.shape.rank > 1 and max(x.shape) < 1200)
    if i is None:
        return
    x = m.values[i]
    turn = m.truth()
    inner = m.shape(i)[-2 if turn else -1]
    j = m.pick(
        lambda y: (
            y.dtype == x.dtype
            and y.shape.rank > 1
            and inner in tuple(y.shape)[-2:]
            and max(y.shape) < 1200
            and _broadcasts(tf.zeros(y.shape[:-2]), tf.zeros(x.shape[:-2]))
        )
    )
    if j is None or m.number(0, 3) == 0:
        weights = tf.constant(numbers(m.rng, [inner, m.one([1, 2, 5, 16, 33])], x.dtype.name))
        m.add(f"matmul {turn}", lambda a: tf.matmul(a, weights, transpose_a=turn), i, exact=True)
        return
    other = m.shape(j)[-2] != inner
    call = lambda a, b: tf.matmul(a, b, transpose_a=turn, transpose_b=other)  # noqa: E731
    m.add(f"matmul {turn} {other}", call, i, j, exact=True)


@maker
def rows(m: Maker) -> None:
    i = m.pick(lambda x: x.dtype in FLOATS and x.shape.rank > 0 and 0 not in x.shape)
    if i is None:
        return
    axis = m.one([-1, -1, m.axis(i)])
    function = m.one([tf.nn.softmax, tf.nn.log_softmax])
    m.add(f"{function.__name__} {axis}", lambda x: function(x, axis), i)


@maker
def cross_entropy(m: Maker) -> None:
    i = m.pick(lambda x: x.dtype in FLOATS and x.shape.rank > 0 and 0 not in x.shape)
    if i is None:
        return
    *batch, classes = m.shape(i)
    labels = tf.constant(m.rng.integers(0, classes, batch), m.one([tf.int32, tf.int64]))
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    m.add("cross entropy", lambda x: f(labels=labels, logits=x), i)


@maker
def one_hot(m: Maker) -> None:
    i = m.of((tf.int32, tf.int64, tf.uint8))
    if i is not None:
        depth, axis = m.number(1, 9), m.one([-1, 0])
        on, off = m.one([(1.0, 0.0), (2.5, -1.0)])
        if np.prod(m.shape(i), initial=1) * depth > MOST:
            return
        call = lambda x: tf.one_hot(x, depth, on, off, axis, tf.float64)  # noqa: E731
        m.add(f"one hot {depth} {axis}", call, i, exact=True)


@maker
def elsewhere(m: Maker) -> None:
    """What NumPy computes, between segments of machine code."""
    i = m.pick(lambda x: x.shape.rank > 0 and 0 not in x.shape and x.dtype != tf.bool)
    if i is None:
        return
    axis = m.axis(i)
    how = m.one(["cumsum", "gather", "sort"])
    if how == "cumsum":
        call = lambda x: tf.cumsum(x, axis, reverse=True)  # noqa: E731
        m.add(f"cumsum {axis}", call, i, exact=True)
    elif how == "gather":
        indices = m.rng.integers(0, m.shape(i)[axis], m.one([[], [3], [2, 2]]))
        call = lambda x: tf.gather(x, indices, axis=axis)  # noqa: E731
        m.add(f"gather {indices.tolist()} {axis}", call, i, exact=True)
    elif m.exact[i]:
        m.add("sort", lambda x: tf.sort(x, axis), i, exact=True)


OFTEN = (smooth, smooth, simple, pair, pair, reduce, reduce, product, slices, rows)


@maker
def gather(m: Maker) -> None:
    """Rows that other values say, which may be a matrix, and the same row many times."""
    i = m.pick(lambda x: x.shape.rank > 0 and 0 not in x.shape)
    j = m.pick(lambda x: x.dtype in (tf.int32, tf.int64) and np.prod(x.shape, initial=1) < 200)
    if i is None or j is None:
        return
    axis = m.axis(i)
    size = m.shape(i)[axis]
    if np.prod(m.shape(i), initial=1) * np.prod(m.shape(j), initial=1) <= MOST * size:
        call = lambda x, k: tf.gather(x, k % size, axis=axis)  # noqa: E731
        m.add(f"gather {axis}", call, i, j, exact=True)


# ---- programs ---------------------------------------------------------------------------------


@st.composite
def programs(draw: Any, shapes: Callable[[Any], Any], most: int = 12) -> Program:
    """A program of one to so many steps on arrays that broadcast, each drawn with its own seed."""
    first, *others = draw(st.lists(st.integers(0, 2**40), min_size=2, max_size=most + 1))
    return program_of(first, others, shapes)


def program_of(first: int, others: Sequence[int], shapes: Callable[[Any], Any]) -> Program:
    m = Maker()
    _inputs(m, first, shapes)
    for seed in others:
        m.rng = np.random.default_rng(seed)
        for _ in range(5):  # until one suits
            before = len(m.values)
            m.one(OFTEN if m.truth() else list(MAKERS.values()))(m)
            if len(m.values) > before:
                break
    last = len(m.values) - 1
    m.program.results = sorted({last, *m.rng.integers(0, last + 1, m.number(0, 2)).tolist()})
    return m.program


def _inputs(m: Maker, seed: int, shapes: Callable[[Any], Any]) -> None:
    m.rng = np.random.default_rng(seed)
    shape = shapes(m.rng)
    first = m.one(("float64", "float64", "float32", *NAMES))
    m.give(numbers(m.rng, shape, first))
    for _ in range(m.number(0, 3)):
        dtype = first if m.truth() else m.one(NAMES)
        m.give(numbers(m.rng, _thinner(m.rng, shape), dtype))
