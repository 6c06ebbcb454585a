"""Complex numbers in plans: pairs of arrays, with values, gradients and second gradients as outside of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

Function = Callable[..., Any]
RNG = np.random.default_rng(7)


def numbers(*shape: int, dtype: str = "complex64") -> Any:
    """Complex numbers of which none is near a pole, a branch cut or zero."""
    size, angle = RNG.uniform(0.3, 1.4, shape), RNG.uniform(-1.3, 1.3, shape)
    return tf.constant((size * np.exp(1j * angle)).astype(dtype))


def left_to_numpy(function: Any, *xs: Any) -> list[Any]:
    return [step["made of"] for step in function.plan(*xs).steps if step["kind"] == "NumPy"]


def tolerance(dtype: Any) -> float:
    return 2e-5 if dtype in (tf.complex64, tf.float32) else 1e-11


def assert_same(found: Any, wanted: Any) -> None:
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        size = float(np.max(np.abs(b.numpy()), initial=1.0))
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=0, atol=tolerance(a.dtype) * size)


def derivatives(f: Function) -> Function:
    """The value, the gradient and the gradient of that, of a real number made of the results."""

    def all_of_them(*xs: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as tape:
                tape.watch(xs)
                ys = f(*xs)
                total = tf.add_n([real_number(y) for y in tf.nest.flatten(ys)])
            gs = tape.gradient(total, xs, unconnected_gradients="zero")
            again = tf.add_n([real_number(g) for g in gs])
        return ys, gs, outer.gradient(again, xs, unconnected_gradients="zero")

    return all_of_them


def gradients(f: Function) -> Function:
    def both(*xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = f(*xs)
            total = real_number(y)
        return y, tape.gradient(total, xs, unconnected_gradients="zero")

    return both


def real_number(y: Any) -> Any:
    """A function that is not linear, and of large numbers, too, no more than what it is given loses digits."""
    if not y.dtype.is_complex:
        return tf.reduce_sum(tf.atan(y))
    return tf.reduce_sum(tf.math.real(y) ** 2 + tf.atan(tf.math.imag(y)) * tf.math.real(y))


def compiled_alike(f: Function, *xs: Any) -> Any:
    """A compiled function gives what it gives outside, and nothing of it is left to NumPy."""
    compiled = tf.function(f, jit_compile=True)
    assert_same(compiled(*xs), f(*xs))
    assert left_to_numpy(compiled, *xs) == []
    return compiled


COMPUTED: dict[str, Function] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": lambda x, y: x**y,
    "cube": lambda x, y: x**3 * y**-2,
    "negative": lambda x, y: -x * y,
    "square": lambda x, y: tf.square(x) + y,
    "reciprocal": lambda x, y: tf.math.reciprocal(x) * y,
    "squared difference": tf.math.squared_difference,
    "no nan": lambda x, y: tf.math.divide_no_nan(x, y) + tf.math.multiply_no_nan(x, y),
    "exp": lambda x, y: tf.exp(x) + y,
    "expm1": lambda x, y: tf.math.expm1(x) + y,
    "log": lambda x, y: tf.math.log(x) + y,
    "log1p": lambda x, y: tf.math.log1p(x) + y,
    "sqrt": lambda x, y: tf.sqrt(x) + y,
    "rsqrt": lambda x, y: tf.math.rsqrt(x) + y,
    "sin": lambda x, y: tf.sin(x) * tf.cos(y),
    "tan": lambda x, y: tf.tan(x) + y,
    "sinh": lambda x, y: tf.sinh(x) * tf.cosh(y),
    "tanh": lambda x, y: tf.tanh(x) * y,
    "sigmoid": lambda x, y: tf.sigmoid(x) * y,
    "conj": lambda x, y: tf.math.conj(x) * y,
    "abs": lambda x, y: tf.abs(x) * tf.abs(x * y),
    "angle": lambda x, y: tf.math.angle(x) * tf.math.angle(y),
    "parts": lambda x, y: tf.complex(tf.math.imag(x), tf.math.real(y) * 2.0),
    "cast": lambda x, y: tf.cast(tf.math.real(x), x.dtype) * y,
    "where": lambda x, y: tf.where(tf.abs(x) > tf.abs(y), x * y, y),
    "equal": lambda x, y: tf.where(tf.equal(x, y), x, tf.where(tf.not_equal(x, x * 1.0), x, y)),
    "likes": lambda x, y: tf.ones_like(x) * y + tf.zeros_like(y) * x,
}
MOVED: dict[str, Function] = {
    "reshape": lambda x, y: tf.reshape(x * y, [4, 3]) * 2.0,
    "transpose": lambda x, y: tf.matmul(tf.transpose(x), y),
    "adjoint": lambda x, y: tf.matmul(x, y, adjoint_a=True),
    "einsum": lambda x, y: tf.einsum("ij,kj->ik", x, y),
    "real matrix": lambda x, y: tf.matmul(tf.cast(tf.math.real(x), x.dtype), y, transpose_b=True),
    "sums": lambda x, y: (tf.reduce_sum(x * y, 0), tf.reduce_mean(x, 1), tf.reduce_sum(y)),
    "slices": lambda x, y: x[1:, ::2] * y[:-1, 2:],
    "reversed": lambda x, y: tf.reverse(x, [1]) * y[::-1],
    "pad": lambda x, y: tf.pad(x * y, [[1, 2], [0, 1]], constant_values=2.0),
    "mirrored": lambda x, y: tf.pad(x * y, [[1, 1], [2, 0]], "REFLECT"),
    "concat": lambda x, y: tf.concat([x, x * y], 1),
    "concat with nothing": lambda x, y: tf.concat([x, tf.zeros([0, 4], x.dtype), y * 2.0], 0),
    "stack": lambda x, y: tf.stack([x, x * y], 1),
    "unstack": lambda x, y: tf.unstack(x * y, axis=1),
    "split": lambda x, y: tf.split(x * y, [2, 1], 0),
    "tile": lambda x, y: tf.tile(x, [2, 1]) * tf.tile(y, [2, 1]),
    "broadcast": lambda x, y: x[:, None, :] * y[None],
    "gather": lambda x, y: tf.gather(x * y, [2, 0, 2]),
    "gather_nd": lambda x, y: tf.gather_nd(x * y, [[2, 0], [1, 1]]),
    "roll": lambda x, y: tf.roll(x * y, 1, 1),
    "diagonals": lambda x, y: tf.linalg.diag(x * y),
    "band": lambda x, y: tf.linalg.band_part(x * y, 1, 0),
    "segments": lambda x, y: tf.math.unsorted_segment_sum(x * y, [1, 0, 1], 2),
    "cumsum": lambda x, y: tf.cumsum(x * y, 1),
    "stopped": lambda x, y: tf.stop_gradient(x) * y,
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", [*COMPUTED, *MOVED])
def test_operations(name: str, dtype: str) -> None:
    f = {**COMPUTED, **MOVED}[name]
    compiled_alike(derivatives(f), numbers(3, 4, dtype=dtype), numbers(3, 4, dtype=dtype))


def unlike(a: complex, b: complex) -> bool:
    """Whether two numbers differ by more than rounding; of what overflows, only that it does."""
    for p, q in ((a.real, b.real), (a.imag, b.imag)):
        if np.isfinite(p) != np.isfinite(q):
            return True
        if np.isfinite(p) and abs(p - q) > 2e-6 * max(abs(a), abs(b), 1e-30):
            return True
    return False


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-15, -3e10, 88.0, -100.0, 1e38, 1e-4]


@pytest.mark.parametrize(
    "f",
    [
        tf.exp, tf.math.log, tf.sqrt, tf.abs, tf.math.angle, tf.math.reciprocal, tf.sin, tf.cos, tf.sinh,
        tf.cosh, tf.tanh, tf.tan, tf.math.expm1, tf.sigmoid, tf.sign, lambda x: x**2,
    ],
)  # fmt: skip
def test_far_from_one(f: Function) -> None:
    z = tf.constant(np.array([complex(a, b) for a in EDGES for b in EDGES], np.complex64))
    found, wanted = tf.function(f, jit_compile=True)(z).numpy(), f(z).numpy()
    wrong = [(x, a, b) for x, a, b in zip(z.numpy(), found, wanted, strict=True) if unlike(a, b)]
    assert wrong == []


def test_quotients_without_overflow() -> None:
    z = np.array([complex(a, b) for a in EDGES for b in EDGES], np.complex64)
    x, y = tf.constant(z), tf.constant(np.roll(z, 37))
    found, wanted = tf.function(lambda x, y: x / y, jit_compile=True)(x, y).numpy(), (x / y).numpy()
    assert [
        p for p in zip(x.numpy(), y.numpy(), found, wanted, strict=True) if unlike(*p[2:])
    ] == []


# ---- what Python sees ------------------------------------------------------------------------------


def test_what_is_given_and_what_is_returned() -> None:
    x, y = numbers(5, 3), numbers(5, 3)
    real = tf.math.real(x)
    results = compiled_alike(
        lambda x, y, r: (x, tf.reshape(x, [15]), x * y, tf.reduce_sum(y), tf.math.real(y),
                         tf.complex(r, r), tf.stack([r, 2.0 * r], -1), tf.transpose(x)),
        x, y, real,
    )(x, y, real)  # fmt: skip
    for result in results[:3]:
        result.numpy()[...] = 0  # the memory is the result's own, or was given
    assert results[2].numpy().dtype == np.complex64


def test_arrays_with_gaps() -> None:
    whole = RNG.normal(size=(6, 8)) + 1j * RNG.normal(size=(6, 8))
    f = tf.function(lambda x: tf.exp(x) * 2.0, jit_compile=True)
    for part in (whole[::2, 1::3], whole.T, whole[::-1], whole[:, :1]):
        np.testing.assert_allclose(f(tf.constant(part)).numpy(), np.exp(part) * 2.0, rtol=1e-12)


def test_parts_of_one_real_array() -> None:
    """The memory of real numbers stays real for Python, although pairs of it are complex numbers."""

    def f(r: Any) -> Any:
        z = tf.complex(r[..., 0], r[..., 1])
        return z, r * 2.0, tf.math.imag(z), z * z

    compiled_alike(f, tf.constant(RNG.normal(size=(4, 2))))
    compiled_alike(
        lambda r: (tf.complex(r[..., 0], r[..., 1]), r), tf.constant(RNG.normal(size=(4, 2)))
    )


def test_constants_and_what_numpy_computes() -> None:
    table = tf.constant(RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4)))
    same = tf.fill([4], tf.constant(2.0 - 3.0j, tf.complex128))

    def f(x: Any) -> Any:
        inverse = tf.linalg.inv(tf.eye(4, dtype=tf.complex128) * 5.0 + x * table)  # by NumPy
        return inverse * same, tf.matmul(inverse, x) + table, tf.linalg.det(x)

    x = numbers(4, 4, dtype="complex128")
    compiled = tf.function(f, jit_compile=True)
    assert_same(compiled(x), f(x))
    assert len(left_to_numpy(compiled, x)) == 2


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (7,), (2, 1, 3), (0,), (3, 0)])
def test_shapes(shape: tuple[int, ...]) -> None:
    x = numbers(*shape)
    f = tf.function(lambda x: (x * x + 1.0, tf.abs(x), tf.reduce_sum(x)), jit_compile=True)
    assert_same(f(x), (x * x + 1.0, tf.abs(x), tf.reduce_sum(x)))


@pytest.mark.parametrize("shape", [(3, 0), (1, 3, 0, 2), (2, 0, 4)])
def test_loops_on_nothing(shape: tuple[int, ...]) -> None:
    for f in (
        lambda x: tf.map_fn(lambda e: e * e + 1.0, x),
        lambda x: tf.foldl(lambda a, e: a * 0.3 + tf.sin(e), x),
        lambda x: tf.scan(lambda a, e: a * e, x),
        lambda x: tf.while_loop(lambda i, _: i < 3, lambda i, z: (i + 1, z * x), [0, x])[1],
    ):
        x, both = numbers(*shape), derivatives(f)
        assert_same(tf.function(both, jit_compile=True)(x), both(x))


def test_unknown_sizes() -> None:
    spec = tf.TensorSpec([None, 3], tf.complex64)

    @tf.function(jit_compile=True, input_signature=[spec, spec])
    def f(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.abs(x * y + 2j * tf.exp(x)) ** 2)
        return total, tape.gradient(total, x), tf.concat([x, y], 0)

    for rows in (4, 1, 9):
        x, y = numbers(rows, 3), numbers(rows, 3)
        assert_same(f(x, y), f.python_function(x, y))
        assert left_to_numpy(f, x, y) == []


def test_ranks_that_only_numpy_finds() -> None:
    """What Python gives has no rank before it ran; nor has what is multiplied by it."""

    def f(x: Any) -> Any:
        y = tf.py_function(lambda x: x * x, [x * 2.0], x.dtype)
        return tf.ensure_shape(y, x.shape) * x + tf.exp(y * 0.1)

    x, both = numbers(5), derivatives(f)
    assert_same(tf.function(both, jit_compile=True)(x), both(x))


# ---- loops, branches, variables ------------------------------------------------------------------------


def power_iteration(x: Any, y: Any) -> Any:
    for _ in tf.range(5):
        x = tf.linalg.matvec(y, x) * 0.3 + x
    return x


def as_long_as_it_is_small(x: Any, y: Any) -> Any:
    while tf.reduce_sum(tf.abs(x)) < 50.0:
        x = x * 1.3 + tf.linalg.matvec(y, x)
    return x


def written_rows(x: Any, y: Any) -> Any:
    rows = tf.TensorArray(tf.complex128, 4)
    for i in tf.range(4):
        x = x * y[i] + 1.0
        rows = rows.write(i, x)
    return rows.stack()


LOOPS: dict[str, Function] = {
    "range": power_iteration,
    "while": as_long_as_it_is_small,
    "rows": written_rows,
    "scan": lambda x, y: tf.scan(lambda a, row: a * row * 0.5 + x, y),
    "fold": lambda x, y: tf.foldl(lambda a, row: a * row * 0.5 + x, y),
    "map": lambda x, y: tf.map_fn(lambda row: tf.abs(row * x), y, fn_output_signature=tf.float64),
    "vectorized map": lambda x, y: tf.vectorized_map(lambda row: tf.reduce_sum(row * x), y),
    "cond": lambda x, y: tf.cond(tf.abs(x[0]) > 1e-3, lambda: x * y[0], lambda: x),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_and_branches(name: str) -> None:
    x, y = numbers(4, dtype="complex128"), numbers(4, 4, dtype="complex128")
    compiled_alike(gradients(LOOPS[name]), x, y)
    # Of second gradients some loops are left to NumPy, as for real numbers.
    twice = derivatives(LOOPS[name])
    assert_same(tf.function(twice, jit_compile=True)(x, y), twice(x, y))


OWN = [value.numpy() for value in (numbers(4), numbers(4), numbers(4))]  # constants of bodies


def own(k: int) -> Function:
    return lambda: tf.constant(OWN[k])


OF_OWN: dict[str, Function] = {
    "chosen": lambda x, s: x * tf.cond(s < 0.5, own(0), own(1)),
    "chosen twice": lambda x, s: (
        x * tf.cond(s < 0.2, own(0), lambda: tf.cond(s < 0.4, lambda: x + own(1)(), own(2)))
    ),
    "of several": lambda x, s: (
        tf.switch_case(tf.cast(s * 3.0, tf.int32), [*map(own, range(3))]) - x
    ),
    "in a loop": lambda x, s: tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, x * own(0)() + own(1)()), (0, x)
    )[1],
    "chosen in a loop": lambda x, s: tf.while_loop(
        lambda i, _: i < 3,
        lambda i, x: (i + 1, x * tf.cond(tf.cast(i, tf.float32) * s < 0.5, own(0), own(1))),
        (0, x),
    )[1],
    "scanned": lambda x, s: tf.scan(lambda a, e: a * own(0)() + e, x, initializer=own(1)()),
}


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("name", OF_OWN)
def test_constants_of_bodies(name: str, is_open: bool) -> None:
    """Arrays that a branch or a body makes, and nobody outside of it: they were not there."""
    f, x = OF_OWN[name], numbers(4)
    spec = [tf.TensorSpec([None], tf.complex64), tf.TensorSpec([], tf.float32)] if is_open else None
    both = gradients(f)
    for compiled in (tf.function(g, jit_compile=True, input_signature=spec) for g in (f, both)):
        for s in (0.1, 0.3, 0.6, 0.9):
            outside = compiled.python_function
            assert_same(compiled(x, tf.constant(s)), outside(x, tf.constant(s)))


def test_variables() -> None:
    v, z = tf.Variable(numbers(3)), numbers(3)
    alone = tf.Variable(v)

    def step(v: Any) -> Any:
        v.assign(v * z)
        v.assign_add(z)
        v.assign_sub(tf.math.conj(z) * 2.0)
        return tf.abs(v)

    compiled = tf.function(lambda: step(v), jit_compile=True)
    for _ in range(3):
        assert_same(compiled(), step(alone))
        assert_same(v.read_value(), alone.read_value())
    assert v.numpy().dtype == np.complex64
    assert left_to_numpy(compiled) == []


def test_gradients_of_a_variable() -> None:
    v = tf.Variable(numbers(3, dtype="complex128"))

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(tf.abs(tf.exp(v) - 2.0) ** 2)
        return tape.gradient(total, v)

    compiled_alike(gradient)


def test_neighbours_are_stored_and_read_together() -> None:
    """Every second element, in loops with and without a remainder."""
    for size in (1, 3, 16, 17, 40, 1000):
        r = tf.constant(RNG.normal(size=(size, 2)).astype("float32"))
        for k in (2, 3, 4):
            near = tf.constant(RNG.normal(size=(size, k)).astype("float32"))
            compiled_alike(lambda x, k=k: tf.add_n([x[:, i] * (i + 1.0) for i in range(k)]), near)
        compiled_alike(lambda r: tf.stack([r[:, 0] * r[:, 1], r[:, 0] - r[:, 1]], -1), r)
        compiled_alike(lambda r: tf.stack([r[:, 0] * r[:, 1], r[:, 0] - r[:, 1], r[:, 1]], -1), r)
        compiled_alike(lambda r: tf.reshape(tf.stack([r, r * 2.0], 1), [-1]), r)


# ---- Fourier transforms ---------------------------------------------------------------------------------

SIGNALS: dict[str, Function] = {
    "fft": lambda x, y: tf.signal.fft(x * y),
    "ifft": lambda x, y: tf.signal.ifft(x) * tf.signal.fft(y),
    "fft2d": lambda x, y: tf.signal.fft2d(x * y),
    "ifft2d": lambda x, y: tf.signal.ifft2d(x * y),
    "fft3d": lambda x, y: tf.signal.ifft3d(tf.signal.fft3d(x[None]) * tf.signal.fft3d(y[None])),
    "an axis": lambda x, y: tf.signal.fftnd(x * y, axes=[0]),
    "orthonormal": lambda x, y: tf.signal.ifftnd(x * y, axes=[1], norm="ortho"),
    "rfft": lambda x, y: tf.signal.rfft(tf.math.real(x * y)),
    "irfft": lambda x, y: tf.signal.irfft(x * y),
    "odd irfft": lambda x, y: tf.signal.irfft(x * y, [9]),
    "rfft2d": lambda x, y: tf.signal.rfft2d(tf.math.imag(x * y)),
    "irfft2d": lambda x, y: tf.signal.irfft2d(x * y, [6, 8]),
    "shifted": lambda x, y: tf.signal.fftshift(tf.signal.fft(x)) * y,
    "convolution": lambda x, y: tf.signal.irfft(
        tf.signal.rfft(tf.math.real(x), [16]) * tf.signal.rfft(tf.math.real(y), [16])
    ),
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", SIGNALS)
def test_transforms(name: str, dtype: str) -> None:
    compiled_alike(
        derivatives(SIGNALS[name]), numbers(6, 5, dtype=dtype), numbers(6, 5, dtype=dtype)
    )


INFINITE = [complex(*p) for p in ((np.inf, 0), (0, np.inf), (-np.inf, 1), (1, -np.inf), (0, 0))]
EXPONENTS = [0, 1, 2, 3, 4, -1, -2, 0.5, 12, -7, 1j]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("known", [False, True])
def test_powers_of_infinite_numbers(dtype: str, known: bool) -> None:
    """A small whole exponent says how often to multiply, whether it is known beforehand or not."""
    bases = tf.constant(np.array([*INFINITE, 2 + 1j, -0.25j], dtype))
    for exponent in np.array(EXPONENTS, dtype):
        y = tf.constant(exponent) if known else tf.fill(bases.shape, tf.constant(exponent))

        def power(x: Any, y: Any = y) -> Any:
            return tf.pow(x, y)

        given = (bases,) if known else (bases, y)
        found = tf.function(power, jit_compile=True)(*given)
        np.testing.assert_allclose(found, power(*given), rtol=1e-5, err_msg=str(exponent))


@pytest.mark.parametrize("shape", [[], [2]])
def test_rows_of_a_loop_that_other_loops_take(shape: list[int]) -> None:
    """What the inner loop emits becomes a list of complex numbers, and not of their parts."""

    def nested(v: Any) -> Any:
        def inner(k: Any, t: Any) -> Any:
            return tf.while_loop(
                lambda m, _: m < k + 1, lambda m, s: (m + 1, tf.sin(s) * v), (0, t)
            )[1]

        return tf.while_loop(lambda k, t: k < 3, lambda k, t: (k + 1, inner(k, t)), (0, v))[1]

    def gradients(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                # Its rank is not known, so that the outer loop is NumPy's and the inner one is not.
                y = nested(tf.py_function(lambda t: t * 1.0, [x], x.dtype))
            g = tape.gradient(y, x)
        return g, outer.gradient(g, x)

    x = tf.cast(tf.fill(shape, 0.3 + 0.1j), tf.complex128)
    assert_same(tf.function(gradients, jit_compile=True)(x), gradients(x))
