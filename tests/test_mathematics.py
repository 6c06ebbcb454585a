"""The functions of the native engine against correctly rounded results: every one, nearly everywhere.

float32 is compared with NumPy and SciPy in float64. For float64 results of 30 digits are stored in
data/mathematics.npz; `python tests/test_mathematics.py` writes it anew, for which it needs mpmath.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

from wengert.engines.native.codegen.math_functions import functions_text
from wengert.engines.native.codegen.vectors import Body, llvm_type
from wengert.engines.native.mathematics import elementary
from wengert.engines.native.mathematics import error_functions as special
from wengert.engines.native.mathematics import exponentials as exponentials
from wengert.engines.native.mathematics import inverse_trigonometric as arcs
from wengert.engines.native.mathematics import logarithms as logarithms
from wengert.engines.native.mathematics import powers as powers
from wengert.engines.native.mathematics import trigonometric as trigonometric
from wengert.engines.native.runtime import llvm

DATA = Path(__file__).parent / "data" / "mathematics.npz"
MOST = {"f4": 4.0, "f8": 2.0}  # units in the last place
INF, NAN = math.inf, math.nan


def sigmoid(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


# In float64, and the ranges where there is most to see.
FUNCTIONS: dict[str, tuple[Callable[..., Any], list[tuple[float, float]]]] = {
    "exp": (np.exp, [(-1, 1), (-104, 89), (-746, 710)]),
    "exp2": (np.exp2, [(-1, 1), (-150, 128), (-1075, 1024)]),
    "expm1": (np.expm1, [(-1, 1), (-40, 40)]),
    "sigmoid": (sigmoid, [(-4, 4), (-104, 40), (-746, 40)]),
    "tanh": (np.tanh, [(-1, 1), (-20, 20)]),
    "sinh": (np.sinh, [(-1, 1), (-90, 90), (-711, 711)]),
    "cosh": (np.cosh, [(-1, 1), (-90, 90), (-711, 711)]),
    "log": (np.log, [(0.5, 2), (0, 100)]),
    "log2": (np.log2, [(0.5, 2), (0, 100)]),
    "log10": (np.log10, [(0.5, 2), (0, 100)]),
    "log1p": (np.log1p, [(-1, 1), (-0.1, 10)]),
    "asinh": (np.arcsinh, [(-1, 1), (-10, 10)]),
    "acosh": (np.arccosh, [(1, 1.1), (1, 10)]),
    "atanh": (np.arctanh, [(-1, 1), (0.9, 1)]),
    "sin": (np.sin, [(-4, 4), (-1e3, 1e3)]),
    "cos": (np.cos, [(-4, 4), (-1e3, 1e3)]),
    "tan": (np.tan, [(-4, 4), (-1e3, 1e3)]),
    "asin": (np.arcsin, [(-1, 1), (0.99, 1)]),
    "acos": (np.arccos, [(-1, 1), (0.99, 1)]),
    "atan": (np.arctan, [(-1, 1), (-5, 5)]),
    "atan2": (np.arctan2, [(-1, 1), (-5, 5)]),
    "pow": (np.power, [(0.5, 2), (0, 10)]),
    "rsqrt": (lambda x: 1 / np.sqrt(x), [(0, 4)]),
    "erf": (scipy.special.erf, [(-1, 1), (-6, 6)]),
    "erfc": (scipy.special.erfc, [(-1, 1), (-6, 10), (0, 27)]),
}
POSITIVE = {"log", "log2", "log10", "acosh", "rsqrt", "pow"}
TWO = {"atan2", "pow"}


# ---- running one function over arrays ---------------------------------------------------------


def text_of(name: str, kind: str, width: int) -> tuple[str, int]:
    """A loop over arrays that are multiples of the width long, and how many the function takes."""
    code, result = elementary.body(name, kind)
    count = sum(i[0] == "param" for i in code.instructions)
    code, (result,) = elementary.expanded(code, [result], 10**6)
    declarations: set[str] = set()
    others: list[Any] = []
    body = Body(declarations)

    def called(*function: Any) -> str:
        others.append(function)
        return f"@{'.'.join(map(str, function))}"

    vector, one = llvm_type(kind, width), llvm_type(kind, 1)
    args = []
    for j in range(count):
        place = body.set(f"getelementptr {one}, ptr %x{j}, i64 %i")
        args.append(body.set(f"load {vector}, ptr {place}, align {kind[1]}"))
    (y,) = body.code(code, args, width, [result], called)
    place = body.set(f"getelementptr {one}, ptr %y, i64 %i")
    body.do(f"store {vector} {y}, ptr {place}, align {kind[1]}")
    params = ", ".join([f"ptr %x{j}" for j in range(count)] + ["ptr %y", "i64 %n"])
    lines = [
        *functions_text(others, declarations), *declarations, f"define void @f({params}) {{", "entry:", "br label %loop", "loop:",
        "%i = phi i64 [0, %entry], [%next, %end]", *body.lines, "br label %end", "end:",
        f"%next = add i64 %i, {width}",
        "%more = icmp slt i64 %next, %n", "br i1 %more, label %loop, label %done",
        "done:", "ret void", "}",
    ]  # fmt: skip
    return "\n".join(lines), count


def compiled(name: str, kind: str, width: int | None = None) -> Callable[..., Any]:
    width = width or {"f4": 16, "f8": 8}[kind]
    text, count = text_of(name, kind, width)
    f = llvm.elementwise(text, "f", count + 1)

    def run(*xs: Any) -> Any:
        n = len(xs[0])
        padded = [np.resize(np.asarray(x, kind), -(-n // width) * width) for x in xs]
        y = np.empty_like(padded[0])
        f(*[p.ctypes.data for p in padded], y.ctypes.data, len(y))
        return y[:n]

    return run


known = functools.cache(compiled)


# ---- how far two results are apart ------------------------------------------------------------


def ulp(y: Any, kind: str) -> Any:
    """The distance of the numbers about y."""
    info = np.finfo(kind)
    exponent = np.frexp(y.astype(np.float64))[1]
    return np.ldexp(1.0, np.maximum(exponent - 1, info.minexp) - info.nmant)


def errors(y: Any, rounded: Any, rest: Any, kind: str) -> Any:
    """In units in the last place of the rounded results, which lack `rest` such units.

    Infinite where one is NaN, a zero has the other sign, or an infinity is wrong by more than the
    rounding of the largest number.
    """
    with np.errstate(all="ignore"):
        difference = (y.astype(np.float64) - rounded.astype(np.float64)) / ulp(rounded, kind)
        found = np.abs(difference - rest)
        top = np.finfo(kind).max
        at_top = (np.abs(y) >= top) & (np.abs(rounded) >= top) & (np.sign(y) == np.sign(rounded))
    same = (y == rounded) & (np.signbit(y) == np.signbit(rounded))
    same |= np.isnan(y) & np.isnan(rounded)
    found = np.where(np.isfinite(found), found, np.where(same, 0, np.where(at_top, 1, INF)))
    return np.where((y == 0) & (rounded == 0) & ~same, INF, found)


def check(kind: str, xs: Any, y: Any, rounded: Any, rest: Any) -> None:
    found = errors(y, rounded, rest, kind)
    at = int(np.argmax(found))
    assert found[at] <= MOST[kind], (
        f"{found[at]:.3g} ulp at {[x[at] for x in xs]}: {y[at]}, not {rounded[at]}"
    )


# ---- samples ----------------------------------------------------------------------------------


def edges(kind: str) -> Any:
    """Zeros, infinities, NaN, the smallest and largest numbers, and neighbours of powers of two."""
    info = np.finfo(kind)
    found = [0.0, INF, NAN, info.smallest_subnormal, info.smallest_normal, info.max]
    found += [2.0**k for k in range(-30, 12)]
    # Where the code changes its mind, and where results overflow or underflow.
    found += [0.1, 10, 20, 40, 3.95, 5.95, 10.2, 27.3, 88.72284, 709.782712893384, 103.97, 745.13]
    found += [math.sqrt(2) - 1, math.sqrt(2) + 1, math.sqrt(0.5), math.log(2) / 2, math.pi / 4]
    x = np.array(found, kind)
    with np.errstate(all="ignore"):
        beside = [np.nextafter(x, np.array(to, kind)) for to in (0, INF)]
    x = np.concatenate([x, *beside])
    return np.concatenate([x, -x])


def float32_samples(name: str) -> list[Any]:
    wide = np.arange(7, 2**32, 40009, dtype=np.uint64).astype(np.uint32).view(np.float32)
    drawn = np.random.default_rng(5)
    dense = [drawn.uniform(a, b, 20_000).astype("f4") for a, b in FUNCTIONS[name][1]]
    x = np.concatenate([edges("f4"), wide, *dense])
    if name == "atan2":
        return [x, drawn.permutation(x)]
    if name == "pow":
        with np.errstate(all="ignore"):
            scale = 95 / np.log(np.abs(x).astype(np.float64))  # so that no result is too large
        y = drawn.uniform(-1, 1, len(x)) * np.nan_to_num(scale, posinf=0, neginf=0)
        return [x, y.astype("f4")]
    return [x]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32(name: str) -> None:
    xs = float32_samples(name)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name][0](*[x.astype(np.float64) for x in xs])
        rounded = exact.astype(np.float32)
        rest = np.nan_to_num((exact - rounded) / ulp(rounded, "f4"), posinf=0, neginf=0)
    check("f4", xs, known(name, "f4")(*xs), rounded, rest)


def stored(name: str) -> tuple[list[Any], Any, Any]:
    """Inputs, rounded results, and what these lack in units in the last place."""
    with np.load(DATA) as data:
        table = data[name]
        return (
            [table[:, i].copy() for i in range(table.shape[1] - 1)],
            table[:, -1],
            data[name + "_rest"],
        )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64(name: str) -> None:
    xs, rounded, rest = stored(name)
    check("f8", xs, known(name, "f8")(*xs), rounded, rest / 200)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64_at_edges(name: str) -> None:
    """Against NumPy, which is itself some units off: no wrong NaN, no wrong sign."""
    x = edges("f8")
    xs = [g.ravel() for g in np.meshgrid(x, x)] if name in TWO else [x]
    with np.errstate(all="ignore"):
        want = FUNCTIONS[name][0](*xs)
    found = errors(known(name, "f8")(*xs), want, 0, "f8")
    if name == "erfc":  # SciPy's is far off where it is small
        found = found[np.abs(want) > 1e-4]
    assert found.max() <= MOST["f8"] + 3


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ["exp", "log1p", "sin", "pow"])
def test_one_number_at_a_time(name: str, kind: str) -> None:
    """The code is the same on numbers as on vectors of them."""
    xs = [np.linspace(0.1, 3, 50).astype(kind)] * (2 if name in TWO else 1)
    assert np.array_equal(compiled(name, kind, 1)(*xs), known(name, kind)(*xs))


# ---- exact values -----------------------------------------------------------------------------

EXACT: dict[str, list[tuple[Any, ...]]] = {
    "exp": [(0, 1), (-0.0, 1), (INF, INF), (-INF, 0), (NAN, NAN)],
    "exp2": [(0, 1), (-3, 0.125), (10, 1024), (INF, INF), (-INF, 0), (NAN, NAN)],
    "expm1": [(0, 0), (-0.0, -0.0), (INF, INF), (-INF, -1), (NAN, NAN)],
    "sigmoid": [(0, 0.5), (INF, 1), (-INF, 0), (NAN, NAN)],
    "tanh": [(0, 0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN)],
    "sinh": [(0, 0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "cosh": [(0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN)],
    "log": [(1, 0), (0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "log2": [(1, 0), (8, 3), (2.0**-130, -130), (0, -INF), (-1, NAN), (INF, INF), (NAN, NAN)],
    "log10": [(1, 0), (1000, 3), (0, -INF), (-1, NAN), (INF, INF), (NAN, NAN)],
    "log1p": [(0, 0), (-0.0, -0.0), (-1, -INF), (-2, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "asinh": [(0, 0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "acosh": [(1, 0), (0.5, NAN), (-3, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "atanh": [(0, 0), (-0.0, -0.0), (1, INF), (-1, -INF), (2, NAN), (-INF, NAN), (NAN, NAN)],
    "sin": [(0, 0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "cos": [(0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "tan": [(0, 0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "asin": [(0, 0), (-0.0, -0.0), (2, NAN), (-INF, NAN), (NAN, NAN)],
    "acos": [(1, 0), (2, NAN), (-2, NAN), (INF, NAN), (NAN, NAN)],
    "atan": [(0, 0), (-0.0, -0.0), (INF, np.pi / 2), (-INF, -np.pi / 2), (NAN, NAN)],
    "atan2": [
        (0, 0, 0), (-0.0, 0, -0.0), (0, -0.0, np.pi), (-0.0, -0.0, -np.pi), (0, -1, np.pi),
        (INF, INF, np.pi / 4), (INF, -INF, 3 * np.pi / 4), (-INF, 1, -np.pi / 2), (1, INF, 0),
        (1, -INF, np.pi), (-1, INF, -0.0), (NAN, 1, NAN), (1, NAN, NAN), (INF, NAN, NAN),
    ],
    "pow": [
        (NAN, 0, 1), (INF, -0.0, 1), (0, 0, 1), (1, NAN, 1), (1, INF, 1), (-1, INF, 1),
        (-1, -INF, 1), (NAN, 1, NAN), (2, NAN, NAN), (0, NAN, NAN), (INF, NAN, NAN),
        (0, 3, 0), (-0.0, 3, -0.0), (-0.0, 2, 0), (-0.0, 0.5, 0), (0, -3, INF), (-0.0, -3, -INF),
        (-0.0, -2, INF), (-0.0, -0.5, INF), (0, INF, 0), (0, -INF, INF), (-0.0, INF, 0),
        (INF, 0.5, INF), (INF, -2, 0), (-INF, 3, -INF), (-INF, 2, INF), (-INF, -3, -0.0),
        (-INF, -2, 0), (-INF, 0.5, INF), (2, INF, INF), (0.5, INF, 0), (2, -INF, 0),
        (0.5, -INF, INF), (-2, INF, INF), (-0.5, INF, 0), (-2, 3, -8), (-2, 2, 4), (-2, -3, -0.125),
        (-2, 0.5, NAN), (-8, 1 / 3, NAN), (3, 4, 81), (2, -149, 2.0**-149),
    ],
    "rsqrt": [(0, INF), (-0.0, -INF), (4, 0.5), (-1, NAN), (INF, 0), (NAN, NAN)],
    "erf": [(0, 0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN)],
    "erfc": [(0, 1), (-0.0, 1), (INF, 0), (-INF, 2), (NAN, NAN)],
}  # fmt: skip


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_values(name: str, kind: str) -> None:
    *xs, want = np.array(EXACT[name]).T.astype(kind)
    y = known(name, kind)(*xs)
    assert np.array_equal(y, want, equal_nan=True), list(zip(*xs, y, want, strict=True))
    number = ~np.isnan(want)
    assert np.array_equal(np.signbit(y)[number], np.signbit(want)[number])


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "erf", "sigmoid"])
def test_never_beyond_one(name: str, kind: str) -> None:
    y = known(name, kind)(np.linspace(-50, 50, 100_000).astype(kind))
    assert np.abs(y).max() <= 1


# ---- sin, cos and tan, near and far -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_near_and_far(name: str, kind: str) -> None:
    """The cheap part is the whole function as far as it is said to be, the other one beyond."""
    limit = elementary.NEAR[name][kind == "f8"]
    drawn = np.random.default_rng(3)
    x = np.concatenate(
        [drawn.uniform(-limit, limit, 1000), drawn.normal(size=1000), [limit, -limit, 0.0]]
    )
    assert np.array_equal(known(name, kind)(x), known(f"{name}_near", kind)(x))
    x = np.concatenate([limit * np.exp2(drawn.uniform(0.001, 100, 1000)), [INF, NAN]])
    y = known(name, kind)(x)
    assert np.array_equal(y, known(f"{name}_far", kind)(x), equal_nan=True)


def pi_in_bits(bits: int) -> int:
    """The circle's number times 2^bits, by Machin's formula, with some bits more on the way."""
    one = 1 << bits + 20

    def inverse_tangent(k: int) -> int:
        total, power, n = 0, one // k, 0
        while power:
            total += (power // (2 * n + 1)) * (-1) ** n
            power, n = power // (k * k), n + 1
        return total

    return 4 * (4 * inverse_tangent(5) - inverse_tangent(239)) >> 20


def nearest_to_quarter_turns() -> list[tuple[float, int, Fraction]]:
    """Numbers of 53 bits beside multiples of a quarter turn: each with how many, and what is left.

    Of the continued fraction of 2^e divided by a quarter turn, for every exponent, the last denominator below 2^53.
    """
    quarter = Fraction(pi_in_bits(2400), 1 << 2401)
    found = []
    for e in range(-40, 971):
        x, (p, q, p0, q0) = Fraction(2) ** e / quarter, (1, 0, 0, 1)
        rest = x
        while True:
            whole = rest.numerator // rest.denominator
            p, q, p0, q0 = p0 + whole * p, q0 + whole * q, p, q
            if q >= 1 << 53:
                break
            rest = 1 / (rest - whole)
        left = Fraction(2) ** e * q0 - p0 * quarter
        found.append((float(Fraction(2) ** e * q0), p0, left))
    return found


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_beside_multiples_of_a_quarter_turn(name: str) -> None:
    """What is left of one is as small as 2^-61 there, and exact to all of its bits."""
    cases = [case for case in nearest_to_quarter_turns() if abs(case[2]) < Fraction(1, 1 << 40)]
    assert min(abs(left) for *_, left in cases) < Fraction(1, 1 << 59)
    ys = known(name, "f8")(np.array([x for x, *_ in cases]))
    for y, (x, turns, left) in zip(ys.tolist(), cases, strict=True):
        if name == "tan":
            want = left if turns % 2 == 0 else -1 / left
        else:
            turned = turns + (name == "cos")
            want = (left if turned % 2 == 0 else Fraction(1)) * (1 if turned % 4 < 2 else -1)
        assert abs(Fraction(y) - want) <= 2 * Fraction(float(np.spacing(abs(y)))), (x, y)


# ---- a fault is seen --------------------------------------------------------------------------


@pytest.fixture
def without_memory() -> Iterator[None]:
    elementary.body.cache_clear()
    yield
    elementary.body.cache_clear()


@pytest.mark.parametrize(
    ("module", "constant", "function", "by"),
    [
        (exponentials, "EXPM1", "exp", 1e-13),
        (exponentials, "EXPM1", "tanh", 1e-13),
        (logarithms, "_LOG_FLOAT64", "log", 1e-13),
        (powers, "_LOG", "pow", 1e-9),
        (trigonometric, "_SIN", "sin", 1e-13),
        (trigonometric, "_COS", "cos", 1e-13),
        (arcs, "_ATAN", "atan", 1e-13),
        (arcs, "_ASIN", "asin", 1e-13),
        (special, "_ERF", "erf", 1e-13),
        (special, "_ERFC", "erfc", 1e-13),
    ],
)
def test_a_wrong_coefficient_is_seen(
    module: Any,
    constant: str,
    function: str,
    by: float,
    monkeypatch: pytest.MonkeyPatch,
    without_memory: None,
) -> None:
    """A coefficient that is off by as little as gives some units in the last place."""
    right = getattr(module, constant)
    *higher, last = right[1] if isinstance(right[0], tuple) else right
    wrong = (*higher, last * (1 + by))
    monkeypatch.setattr(
        module, constant, (right[0], wrong) if isinstance(right[0], tuple) else wrong
    )
    xs, rounded, rest = stored(function)
    with pytest.raises(AssertionError, match="ulp"):
        check("f8", xs, compiled(function, "f8")(*xs), rounded, rest / 200)
    monkeypatch.undo()
    elementary.body.cache_clear()
    check("f8", xs, compiled(function, "f8")(*xs), rounded, rest / 200)


# ---- making the stored results ----------------------------------------------------------------


def float64_samples(name: str, count: int) -> list[Any]:
    drawn = np.random.default_rng(sum(map(ord, name)))
    wide = drawn.integers(0, 2**64, 4 * count, dtype=np.uint64).view(np.float64)
    if name in POSITIVE:
        wide = np.abs(wide)
    wide = np.concatenate([wide, np.exp2(drawn.uniform(-60, 12, count))])
    with np.errstate(all="ignore"):
        wide = wide[np.isfinite(FUNCTIONS[name][0](*[wide] * (1 + (name in TWO))))][: count // 3]
    ranges = FUNCTIONS[name][1]
    rest = (count - len(wide)) // len(ranges)
    x = np.concatenate([wide, *[drawn.uniform(a, b, rest) for a, b in ranges]])
    if name == "atan2":
        return [x, x * np.exp(drawn.normal(size=len(x)) * 2) * drawn.choice([-1, 1], len(x))]
    if name == "pow":
        return [x, drawn.uniform(-740, 705, len(x)) / np.log(x)]
    return [x]


def _references() -> dict[str, Callable[..., Any]]:
    import mpmath as mp

    mp.mp.prec = 200
    e = mp.exp
    return {
        "exp": e, "exp2": lambda x: mp.mpf(2) ** x, "expm1": mp.expm1,
        "sigmoid": lambda x: e(x) / (1 + e(x)), "tanh": mp.tanh, "sinh": mp.sinh, "cosh": mp.cosh,
        "log": mp.log, "log2": lambda x: mp.log(x) / mp.log(2), "log10": mp.log10, "log1p": mp.log1p,
        "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
        "sin": mp.sin, "cos": mp.cos, "tan": mp.tan,
        "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2, "pow": mp.power,
        "rsqrt": lambda x: 1 / mp.sqrt(x), "erf": mp.erf, "erfc": lambda x: mp.erfc(max(min(x, 40), -40)),
    }  # fmt: skip


def _rounded(value: Any) -> tuple[float, float]:
    """The nearest float64, and what it lacks in units in the last place."""
    import mpmath as mp

    if value == 0:
        return 0.0, 0.0
    unit = mp.ldexp(1, max(int(mp.floor(mp.log(abs(value), 2))), -1022) - 52)
    steps = mp.nint(value / unit)
    try:
        return float(steps) * float(unit), float(value / unit - steps)
    except OverflowError:
        return math.copysign(INF, value), 0.0


def write(count: int = 480) -> None:
    import mpmath as mp

    tables = {}
    for name, reference in _references().items():
        xs = float64_samples(name, count)
        found = [_rounded(reference(*[mp.mpf(float(v)) for v in x])) for x in zip(*xs, strict=True)]
        tables[name] = np.column_stack([*xs, [f[0] for f in found]])
        tables[name + "_rest"] = np.array([round(200 * f[1]) for f in found], np.int8)
    np.savez_compressed(DATA, **tables)


if __name__ == "__main__":
    write()
