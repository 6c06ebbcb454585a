"""Compositions of derivatives that once gave wrong numbers or failed, each against another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf

X = tf.constant([1.0, 2.0], tf.float64)
ONE = tf.ones([2], tf.float64)
WAYS: list[Any] = [lambda f: f, tf.function, tf.function(jit_compile=True)]
in_each_way = pytest.mark.parametrize("way", WAYS, ids=["eager", "function", "compiled"])


def loop(x: Any) -> Any:
    return tf.checkpointed_loop(lambda z: tf.sin(z) * x, x, 4, 2)


def plain_loop(x: Any) -> Any:
    z = x
    for _ in range(4):
        z = tf.sin(z) * x
    return z


def scaled(x: Any) -> Any:
    s = 2.0 * x
    return tf.custom_gradient(lambda z: (z * s, lambda dy: dy * s))(x)


def root(x: Any) -> Any:
    return tf.implicit_root(lambda y, a: y**3 - a)(ONE, x)


def test_a_traced_function_within_a_solver_keeps_what_it_closes_over() -> None:
    traced = tf.grad(lambda x: tf.reduce_sum(tf.linear_solve(tf.function(lambda y: y * x), ONE)))
    np.testing.assert_allclose(traced(X), -1.0 / X**2)
    v = tf.Variable(X)
    for step in (tf.function(lambda z: tf.sin(z) * v), lambda z: tf.sin(z) * v):
        with tf.GradientTape() as tape:
            y = tf.checkpointed_loop(step, ONE, 3, 2)
        np.testing.assert_allclose(tape.gradient(y, v), [1.638161, 0.262596], rtol=1e-5)
    decay = tf.ode_solve(
        tf.function(lambda t, y, a: -a * y), ONE, tf.constant([0.0, 1.0], tf.float64), X
    )
    assert decay.shape == (2, 2)
    by = tf.grad(
        lambda a: tf.reduce_sum(
            tf.ode_solve(
                tf.function(lambda t, y, a: -a * y), ONE, tf.constant([0.0, 1.0], tf.float64), a
            )[1]
        )
    )
    np.testing.assert_allclose(by(X), -np.exp(-X), rtol=1e-3)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: tf.jacobian(f, mode="colored", coloring="rows"),
        lambda f: tf.jacobian(f, mode="colored", coloring="columns"),
        lambda f: tf.jacobian(f),
        lambda f: lambda x: tf.taylor(f, x, ONE, 2),
        lambda f: lambda x: tf.jvp(f, (x,), (ONE,))[1],
        lambda f: tf.hessian_diag(lambda x: tf.reduce_sum(f(x))),
        lambda f: tf.laplacian(lambda x: tf.reduce_sum(f(x))),
    ],
)
def test_loops_that_close_over_their_source(derivative: Any, wrap: Any) -> None:
    np.testing.assert_allclose(derivative(wrap(loop))(X), derivative(plain_loop)(X), rtol=1e-10)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_derivative_of_a_traced_function_is_traced_itself(jit_compile: bool) -> None:
    f = tf.function(lambda x: x * x, jit_compile=jit_compile)
    colored = tf.function(tf.jacobian(f, mode="colored"), jit_compile=jit_compile)
    np.testing.assert_allclose(colored(X), tf.jacobian(f)(X))
    stacked = tf.function(lambda x: tf.stack([x, x]))
    np.testing.assert_allclose(tf.function(tf.vmap(stacked))(X), [[1.0, 1.0], [2.0, 2.0]])
    loss = tf.function(lambda w, x: tf.reduce_sum(w * x) ** 2)
    each = tf.function(tf.per_example_gradients(loss))(X, tf.ones([3, 2], tf.float64))
    np.testing.assert_allclose(each, np.full((3, 2), 6.0))


def test_what_a_custom_rule_closes_over_has_series() -> None:
    x = tf.constant(3.0, tf.float64)
    np.testing.assert_allclose(tf.taylor(scaled, x, 1.0, 2), [18.0, 6.0, 2.0])
    np.testing.assert_allclose(tf.hessian_diag(scaled)(x), 2.0)
    np.testing.assert_allclose(tf.laplacian(scaled)(x), 2.0)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: tf.jacobian(f, mode="colored"),
        lambda f: lambda x: tf.taylor(f, x, ONE, 1)[1],
        lambda f: lambda x: tf.laplacian(lambda x: tf.reduce_sum(f(x)))(x)[None],
    ],
)
def test_solutions_within_other_derivatives(derivative: Callable[..., Any]) -> None:
    np.testing.assert_allclose(
        derivative(root)(X), derivative(lambda x: x ** (1.0 / 3.0))(X), rtol=1e-6, atol=1e-12
    )


def test_a_pattern_that_is_not_symmetric() -> None:
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.math.top_k(x, 2)[0] ** 2)

    x = tf.constant([1.0, 2.0, 3.0])
    for coloring in ("star", "acyclic", "auto"):
        found = tf.hessian(f, sparse="scipy", coloring=coloring)(x).toarray()
        np.testing.assert_allclose(found, np.diag([0.0, 2.0, 2.0]))


def test_empty_and_half() -> None:
    for f in (lambda x: tf.cumsum(x[:0]), lambda x: tf.matmul(x[:0, None], x[None, :])):
        assert tf.jacobian(f, sparse="scipy")(X).nnz == 0
    half = tf.constant([1.0, 2.0], tf.float16)
    np.testing.assert_allclose(
        tf.jacobian(lambda x: x * x, sparse="scipy")(half).toarray(), [[2.0, 0.0], [0.0, 4.0]]
    )


def test_a_plan_of_what_cannot_be_traced() -> None:
    with pytest.raises(tf.errors.SymbolicValueError, match="decides by values"):
        tf.jacobian(lambda x: x * x.numpy()).plan(X)
    written = tf.jacobian(lambda x: tf.TensorArray(tf.float64, 1).write(0, x).stack())
    assert written.plan(X).mode == "reverse"
    np.testing.assert_allclose(tf.function(written)(X), [np.eye(2)])


def test_defaults_of_a_mapped_function() -> None:
    assert tf.function(tf.vmap(lambda x, k=2.0: x * k))(X).numpy().tolist() == [2.0, 4.0]
    batch = tf.function(tf.vmap(tf.matmul, (0, None)))(tf.ones([2, 2, 2]), tf.ones([2, 2]))
    assert batch.shape == (2, 2, 2)


# ---- what must be refused -----------------------------------------------------------------------


@in_each_way
@pytest.mark.parametrize("method", ["cg", "gmres", "bicgstab", "direct"])
@pytest.mark.parametrize(
    "matvec",
    [lambda x: X * x + 1.0, lambda x: X * tf.abs(x), lambda x: x + 1e-3 * x * x, tf.nn.leaky_relu],
)
def test_a_linear_system_of_what_is_not_linear(matvec: Any, method: str, way: Any) -> None:
    """Also where what is added would go into the solution, or the solution lies before the bend."""
    solved = way(lambda b: tf.linear_solve(matvec, b, method=method))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not linear"):
        solved(3.0 * ONE)


@in_each_way
def test_linear_systems_of_which_rounding_makes_no_others(way: Any) -> None:
    points = np.random.default_rng(0).normal(size=(40, 40)).astype(np.float32)
    matrix = tf.constant(points @ points.T + np.eye(40, dtype=np.float32))
    moved = lambda x: tf.linalg.matvec(matrix, x + 1.0) - tf.reduce_sum(matrix, 1)  # noqa: E731
    right = tf.linalg.matvec(matrix, tf.ones([40]))
    found = way(lambda b: tf.linear_solve(moved, b))(right)
    np.testing.assert_allclose(found, np.ones(40), atol=0.05)
    turned = tf.constant([2.0 + 1.0j, 1.0 - 3.0j], tf.complex128)
    right = tf.constant([1.0 + 1.0j, 2.0], tf.complex128)
    quotient = way(lambda b: tf.linear_solve(lambda x: turned * x, b, method="gmres"))(right)
    np.testing.assert_allclose(quotient, right / turned)


# ---- vmap ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_vmap_of_so_many_examples_as_a_run_has(count: int, jit_compile: bool) -> None:
    rows = tf.TensorSpec([None, 2], tf.float64)
    x = tf.reshape(tf.range(2.0 * count, dtype=tf.float64), [count, 2])
    product = tf.function(
        tf.vmap(lambda x, y: x * y), input_signature=[rows] * 2, jit_compile=jit_compile
    )
    np.testing.assert_allclose(product(x, x + 1.0), x * (x + 1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="equally many examples"):
        product(x, tf.ones([count + 1, 2], tf.float64))


PREDICATE = tf.constant(0.5, tf.float64)
LOOPS: list[Any] = [
    lambda x, p: tf.cond(p > 0.0, lambda: x * 2.0, lambda: x + 1.0),
    lambda x, p: tf.switch_case(tf.cast(p, tf.int32), [lambda: x * 2.0, lambda: x + 1.0]),
    lambda x, p: tf.grad(lambda x: tf.reduce_sum(tf.cond(p > 0.0, lambda: x * x, lambda: x + 1.0)))(
        x
    ),
    lambda x, p: tf.while_loop(lambda z: tf.reduce_sum(z) < 30.0, lambda z: z * 2.0, [x])[0],
    lambda x, p: tf.scan(lambda c, r: tf.sin(c) * r * p, x),
    lambda x, p: tf.map_fn(lambda r: tf.sin(r) * p, x),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("f", LOOPS)
@in_each_way
def test_vmap_of_branches_and_loops(f: Any, known: bool, way: Any) -> None:
    mapped: Any = way(lambda x, p: tf.vmap(f, in_axes=(0, None))(x, p))
    if not known and hasattr(mapped, "get_concrete_function"):
        specs = [tf.TensorSpec([None, 2], tf.float64), tf.TensorSpec([], tf.float64)]
        mapped = mapped.get_concrete_function(*specs)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]], tf.float64)
    want = np.stack([f(row, PREDICATE) for row in x])
    np.testing.assert_allclose(mapped(x, PREDICATE), want)
    assert mapped(x[:0], PREDICATE).shape == (0, 2)


@in_each_way
def test_vmap_of_inverses_of_no_matrices(way: Any) -> None:
    assert way(tf.vmap(tf.linalg.inv))(tf.zeros([0, 2, 2])).shape == (0, 2, 2)


# ---- traced functions within others -------------------------------------------------------------

WITHIN: list[Any] = [
    lambda f, x: f(x),
    lambda f, x: tf.grad(lambda z: tf.reduce_sum(f(z)))(x),
    lambda f, x: tf.hessian(tf.function(lambda z: tf.reduce_sum(f(z))))(x),
    lambda f, x: tf.hessian_diag(lambda z: tf.reduce_sum(f(z)))(x),
    lambda f, x: tf.laplacian(lambda z: tf.reduce_sum(f(z)))(x),
    lambda f, x: tf.jacobian(f, mode="forward")(x),
    lambda f, x: tf.jacobian(f, mode="colored")(x),
    lambda f, x: tf.vmap(f)(tf.stack([x, 2.0 * x])),
    lambda f, x: tf.vmap(tf.grad(lambda z: tf.reduce_sum(f(z))))(tf.stack([x, 2.0 * x])),
    lambda f, x: tf.taylor(f, x, ONE, 2),
]


@pytest.mark.parametrize("derivative", WITHIN)
@in_each_way
def test_a_traced_function_that_closes_over_a_tensor_of_the_one_around(
    derivative: Any, way: Any
) -> None:
    def around(wrap: Any) -> Any:
        def outer(x: Any) -> Any:
            y = 3.0 * x
            return derivative(wrap(lambda z: z * z * y), x)

        return outer

    want = around(lambda f: f)(X)
    np.testing.assert_allclose(way(around(tf.function))(X), want)


@in_each_way
def test_a_traced_function_that_closes_over_a_source(way: Any) -> None:
    hessian = tf.hessian(lambda x: tf.reduce_sum(tf.function(lambda z: z * x * x)(x)))
    np.testing.assert_allclose(way(hessian)(X), np.diag(6.0 * X))


# ---- loops along which something is carried -----------------------------------------------------


def scanned(x: Any) -> Any:
    return tf.reduce_sum(tf.scan(lambda c, r: tf.sin(c) * r + c * x[0], x))


def scanned_in_python(x: Any) -> Any:
    c = x[0]
    return c + tf.sin(c) * x[1] + c * x[0]


@pytest.mark.parametrize(
    "derivative",
    [
        tf.laplacian,
        tf.hessian_diag,
        lambda f: lambda x: tf.taylor(f, x, ONE, 3),
        lambda f: tf.laplacian(lambda x: tf.foldl(lambda c, r: tf.sin(c) * r, f(x) * x)),
    ],
)
@in_each_way
def test_derivatives_carried_through_lists_of_a_loop(derivative: Any, way: Any) -> None:
    want = derivative(scanned_in_python)(X)
    np.testing.assert_allclose(way(derivative(scanned))(X), want, rtol=1e-12)


CUBES: list[Any] = [
    lambda y: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * y), (0, tf.ones_like(y)))[
        1
    ],
    lambda y: tf.cond(tf.reduce_sum(y) > 0.0, lambda: y**3, lambda: y),
    lambda y: tf.foldl(lambda c, r: c * r, tf.stack([y, y, y])),
    lambda y: tf.map_fn(lambda r: r**3, y),
]


@pytest.mark.parametrize("linear", ["direct", "gmres"])
@pytest.mark.parametrize("cube", CUBES)
@in_each_way
def test_roots_of_what_has_a_loop(cube: Any, linear: str, way: Any) -> None:
    f = lambda a: tf.implicit_root(lambda y, a: cube(y) - a, linear=linear)(ONE, a)  # noqa: E731
    sloped = way(tf.grad(lambda a: tf.reduce_sum(f(a))))(X)
    np.testing.assert_allclose(sloped, X ** (-2.0 / 3.0) / 3.0, rtol=1e-6)
    twice = way(lambda a: tf.jvp(lambda a: tf.jvp(f, (a,), (ONE,))[1], (a,), (ONE,))[1])(X)
    np.testing.assert_allclose(twice, X ** (-5.0 / 3.0) * (-2.0 / 9.0), rtol=1e-5)


# ---- patterns -----------------------------------------------------------------------------------


def stitched(x: Any) -> Any:
    return tf.dynamic_stitch([tf.argsort(x)], [x * x])


@pytest.mark.parametrize(
    "f",
    [
        stitched,
        lambda x: tf.gather(stitched(x), [0, 1]),
        lambda x: tf.boolean_mask(x * x, x > 1.5),
        lambda x: tf.reduce_sum(tf.boolean_mask(x * x, x > 1.5)),
    ],
)
def test_sizes_on_the_way_that_follow_from_values(f: Any) -> None:
    """A pattern is found where there are values; where not, it is said why there is none."""
    sparse = tf.jacobian(f, sparse="scipy")(X).toarray()
    np.testing.assert_allclose(sparse, np.reshape(tf.jacobian(f)(X), sparse.shape))
    for jit_compile in (False, True):
        traced = tf.function(tf.jacobian(f, sparse=True), jit_compile=jit_compile)
        with pytest.raises(tf.errors.SymbolicValueError, match=r"outside of tf\.function"):
            traced(X)


# ---- plans --------------------------------------------------------------------------------------

PLANNED: list[Any] = [
    lambda f: tf.grad(f).plan(X),
    lambda f: tf.jacobian(f).plan(X),
    lambda f: tf.jacobian(f, sparse=True).plan(X),
    lambda f: tf.hessian(f).plan(X),
    lambda f: tf.hvp(f).plan(X, X),
    lambda f: tf.hessian_diag(f).plan(X),
    lambda f: tf.laplacian(f).plan(X),
]


@pytest.mark.parametrize("plan", PLANNED)
def test_a_plan_runs_nothing(plan: Any, capfd: Any) -> None:
    calls: list[int] = []
    v = tf.Variable(1.0, dtype=tf.float64)

    def sine(x: Any) -> Any:
        calls.append(1)
        return np.sin(x)

    def f(x: Any) -> Any:
        tf.print("printed")
        v.assign_add(1.0)
        y = tf.ensure_shape(tf.py_function(sine, [x], tf.float64), [2])
        return tf.reduce_sum(y * tf.wrap(sine, result_like=x)(x) * v)

    for function in (f, tf.function(f)):
        assert "by 2 elements" in repr(plan(function))
    with pytest.raises(tf.errors.InvalidArgumentError, match="A plan runs nothing"):
        plan(lambda x: tf.reduce_sum(tf.wrap(sine)(x)))
    with pytest.raises(tf.errors.SymbolicValueError, match=r"A plan of .* runs nothing"):
        plan(lambda x: f(x) if x.numpy()[0] > 0 else f(2.0 * x))
    assert not calls
    assert v.numpy() == 1.0
    assert capfd.readouterr().out == capfd.readouterr().err == ""


def test_a_plan_of_what_has_been_called() -> None:
    sine = tf.wrap(np.sin)
    sine(X)
    assert tf.jacobian(sine).plan(X).mode
    masked = tf.jacobian(lambda x: tf.reduce_sum(tf.boolean_mask(x * x, x > 1.5)))
    assert "follows from values" in repr(masked.plan(X))


# ---- integers -----------------------------------------------------------------------------------

TWO, THREE = np.int64(2), np.int32(3)
SINES: Any = lambda x: tf.checkpointed_loop(tf.sin, x, THREE, TWO)  # noqa: E731


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: tf.taylor(tf.sin, X, ONE, THREE), lambda: tf.taylor(tf.sin, X, ONE, 3)),
        (lambda: tf.grad(lambda x: tf.reduce_sum(SINES(x)))(X),
         lambda: tf.grad(lambda x: tf.reduce_sum(tf.sin(tf.sin(tf.sin(x)))))(X)),
        (lambda: tf.jacobian(tf.multiply, np.int64(1), chunk_size=np.int64(1))(X, ONE),
         lambda: tf.jacobian(tf.multiply, 1)(X, ONE)),
        (lambda: tf.jacobian(tf.multiply, np.array([0, 1]))(X, ONE)[1],
         lambda: tf.jacobian(tf.multiply, 1)(X, ONE)),
        (lambda: tf.hessian(lambda x: tf.reduce_sum(x**3), chunk_size=TWO)(X),
         lambda: tf.hessian(lambda x: tf.reduce_sum(x**3))(X)),
        (lambda: tf.vmap(lambda x: x, np.int64(0), np.int64(1), axis_size=TWO)(tf.eye(2)),
         lambda: tf.eye(2)),
        (lambda: tf.vmap(lambda x: x, None, 0, axis_size=TWO)(X), lambda: tf.stack([X, X])),
        (lambda: tf.implicit_root(lambda y, a: y**3 - a, max_iterations=np.int64(90))(ONE, X),
         lambda: X ** (1.0 / 3.0)),
        (lambda: tf.ode_solve(lambda t, y: -y, ONE, tf.constant([0.0, 1.0], tf.float64),
                              max_evaluations=np.int64(10_000)),
         lambda: tf.ode_solve(lambda t, y: -y, ONE, tf.constant([0.0, 1.0], tf.float64))),
    ],
)  # fmt: skip
def test_integers_of_numpy(one: Any, other: Any) -> None:
    np.testing.assert_allclose(one(), other(), rtol=1e-12)


def test_a_budget_of_numpy() -> None:
    with tf.GradientTape(memory_budget=np.int64(10_000)) as tape:
        tape.watch(X)
        y = tf.sin(X)
    np.testing.assert_allclose(tape.gradient(y, X), tf.cos(X))


def counted(state: Any) -> Any:
    i, z, flag = state
    return i + 1, tf.sin(z) * tf.cast(i, z.dtype) * X, ~flag


def of_counted(x: Any) -> Any:
    return tf.checkpointed_loop(counted, (tf.constant(1), x, tf.constant(True)), 5, 2)


def of_counted_in_python(x: Any) -> Any:
    state = tf.constant(1), x, tf.constant(True)
    for _ in range(5):
        state = counted(state)
    return state


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: lambda x: tf.cast(f(x)[0], tf.float64),
        lambda f: tf.grad(lambda x: tf.reduce_sum(f(x)[1])),
        lambda f: tf.hessian(lambda x: tf.reduce_sum(f(x)[1])),
        lambda f: lambda x: tf.jvp(lambda x: f(x)[1], (x,), (ONE,))[1],
        lambda f: lambda x: tf.taylor(lambda x: f(x)[1], x, ONE, 3),
        lambda f: lambda x: tf.vmap(tf.grad(lambda x: tf.reduce_sum(f(x)[1])))(tf.stack([x, x])),
    ],
)
@in_each_way
def test_a_counter_in_the_state_of_a_loop(derivative: Any, way: Any) -> None:
    want = derivative(of_counted_in_python)(X)
    np.testing.assert_allclose(way(derivative(of_counted))(X), want, rtol=1e-12)


# ---- messages -----------------------------------------------------------------------------------

TIMES = tf.constant([0.0, 1.0], tf.float64)


def nothing(*_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.minimize_implicit(nothing)(X), "tf.minimize_implicit needs a function"),
        (lambda: tf.minimize_implicit(nothing, method="l-bfgs")(X), "tf.minimize_implicit needs"),
        (lambda: tf.ode_solve(nothing, X, TIMES), "tf.ode_solve: what f returns must be tensors"),
        (lambda: tf.implicit_root(nothing)(X), "tf.implicit_root: what residual returns must be"),
        (lambda: tf.implicit_root(lambda y: y * y - X, solve=nothing)(X), "what `solve` returns"),
        (lambda: tf.fixed_point(nothing)(X), "tf.fixed_point: what f returns must be tensors"),
        (lambda: tf.linear_solve(nothing, X), "tf.linear_solve: what matvec returns must be"),
        (lambda: tf.checkpointed_loop(nothing, X, 3), "tf.checkpointed_loop must return"),
        (lambda: tf.hessian_diag(nothing)(X), "tf.hessian_diag needs a function"),
        (lambda: tf.taylor(nothing, X, X, 2), "tf.taylor needs a function"),
    ],
)
def test_functions_that_return_nothing(call: Any, words: str) -> None:
    for way in WAYS:
        with pytest.raises(TypeError, match=words):
            way(call)()


@pytest.mark.parametrize("direction", [tf.ones([3], tf.float64), tf.ones([1, 2], tf.float64), 1.0])
@in_each_way
def test_a_direction_of_another_shape(direction: Any, way: Any) -> None:
    """One that could be broadcast, too: a sum of its coefficients would be too small."""
    shape = str(list(np.shape(direction))).replace("[", r"\[").replace("]", r"\]")
    with pytest.raises(ValueError, match=rf"tf\.taylor .* float64\[2\], got float64{shape}"):
        way(lambda x: tf.taylor(tf.reduce_sum, x, direction, 2))(X)


def test_a_direction_of_another_dtype() -> None:
    with pytest.raises(ValueError, match=r"got float32\[2\]"):
        tf.taylor(tf.sin, X, tf.ones([2]), 2)


# ---- composite values whose parts differ ----------------------------------------------------------


class _Marked(tf.experimental.ExtensionType):
    """A value and a mark that is no tensor."""

    value: tf.Tensor
    mark: int


Marked: Any = _Marked


@pytest.mark.parametrize("compiled", [False, True])
def test_statements_choose_and_carry_extension_types(compiled: bool) -> None:
    @tf.function(jit_compile=compiled)
    def f(x: Any) -> Any:
        if x > 0.0:
            m = Marked(tf.sin(x), 1)
        elif x < -3.0:
            m = Marked(x, 1)
        else:
            m = Marked(x * 2.0, 1)
        for i in tf.range(2):
            if i > 0:
                m = Marked(m.value * x, 1)
        return m

    for x, want in ((1.0, np.sin(1.0)), (-4.0, 16.0), (-1.0, 2.0)):
        with tf.GradientTape() as tape:
            t = tf.constant(x)
            tape.watch(t)
            y = f(t)
        np.testing.assert_allclose(y.value, want, rtol=1e-6)
        assert tape.gradient(y.value, t) is not None


def test_what_is_no_tensor_cannot_be_chosen_or_carried() -> None:
    x = tf.constant(1.0)
    choose = tf.function(lambda x: tf.cond(x > 0.0, lambda: Marked(x, 1), lambda: Marked(x, 2)))
    with pytest.raises(TypeError, match="must have the same number, type, and overall structure"):
        choose(x)

    @tf.function
    def carry(x: Any) -> Any:
        m = Marked(x, 0)
        for _ in tf.range(3):
            m = Marked(m.value + 1.0, m.mark + 1)
        return m

    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        carry(x)


def test_numpys_functions_are_functions() -> None:
    np.testing.assert_allclose(tf.function(np.exp)(X), np.exp(X))
    np.testing.assert_allclose(tf.function(np.hypot)(X, X), np.hypot(X, X))
    np.testing.assert_allclose(tf.recompute_grad(np.exp)(X), np.exp(X))
    np.testing.assert_allclose(tf.function(tf.jacobian(np.log))(X), np.diag([1.0, 0.5]), rtol=1e-12)


def test_a_branch_for_each_example() -> None:
    def f(x: Any) -> Any:
        which = tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32) % 4
        return tf.switch_case(which, [lambda: tf.sin(x), lambda: x * 0.5], lambda: tf.cos(x))

    def both(g: Callable[[Any], Any], x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        return y, tape.gradient(y, x)

    x = tf.constant([[1.0, 2.0], [3.0, -4.0], [0.1, 0.2], [0.5, 0.7]], tf.float64)
    want = both(lambda x: tf.stack([f(row) for row in x]), x)
    for way in WAYS:
        for got, expected in zip(
            both(way(lambda x: tf.vectorized_map(f, x)), x), want, strict=True
        ):
            np.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_scope_of_a_function_that_another_one_calls(compiled: bool) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        with tf.name_scope("part"):
            h = tf.sin(x)
        return tf.reduce_sum(h * 3.0)

    @tf.function(jit_compile=compiled)
    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) + tf.reduce_sum(tf.sin(x))
        return tape.gradient(y, x, overrides={"part": lambda region, g: g * 5.0})

    np.testing.assert_allclose(outer(X), 15.0 + np.cos(X))


# ---- sizes not known, and numbers that are none ---------------------------------------------------


@pytest.mark.parametrize("shape", [[None], [None, None], [3, None], None], ids=str)
@pytest.mark.parametrize("k", [24, 25, 300])
def test_more_than_a_guess_of_sizes_has(shape: Any, k: int) -> None:
    """What wants many elements of an axis of unknown size has as many results as it has otherwise."""
    spec = tf.TensorSpec(shape, tf.float32)
    x = tf.random.stateless_normal([500] if shape == [None] else [3, 500], [1, 2])
    values, places = tf.function(lambda x: tf.math.top_k(x, k), input_signature=[spec])(x)
    np.testing.assert_array_equal(values, tf.math.top_k(x, k).values)
    assert places.dtype == tf.int32


@pytest.mark.parametrize("targets", [np.full(100, 3), [3] * 100], ids=["array", "list"])
def test_sizes_that_arguments_tell(targets: Any) -> None:
    spec = tf.TensorSpec([None, None], tf.float32)
    f = tf.function(lambda x: tf.math.in_top_k(targets, x, 3), input_signature=[spec])
    assert tf.logical_not(f(np.ones((100, 7), np.float32))).numpy().sum() == 0


@pytest.mark.parametrize("kind", [tf.float16, tf.bfloat16, tf.float32, tf.float64], ids=str)
def test_segments_of_infinite_numbers(kind: Any) -> None:
    x = tf.cast([-np.inf, -np.inf, 1.0], kind)
    for make in (tf.math.segment_max, tf.function(tf.math.segment_max)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = make(x, [0, 0, 2])
        assert tf.cast(y, tf.float64).numpy().tolist() == [-np.inf, 0.0, 1.0]
        assert tf.cast(tape.gradient(y, x), tf.float64).numpy().tolist() == [0.5, 0.5, 1.0]
    assert tf.cast(tf.math.segment_min(-x, [0, 0, 1]), tf.float64).numpy().tolist() == [
        np.inf,
        -1.0,
    ]


def test_means_of_integers_in_segments() -> None:
    found = tf.math.unsorted_segment_mean(tf.constant([1, 2, 3]), [0, 0, 1], 2)
    assert (found.dtype, found.numpy().tolist()) == (tf.float64, [1.5, 3.0])


@pytest.mark.parametrize("kind", [tf.float16, tf.bfloat16, tf.float32, tf.float64], ids=str)
def test_an_update_that_is_nan_is_no_extreme(kind: Any) -> None:
    """Nor does one take the place of a NaN, in a plan as outside of one."""
    x, updates = tf.cast([np.nan, 1.0, 2.0], kind), tf.cast([1.0, np.nan], kind)
    for scatter in (tf.tensor_scatter_nd_max, tf.tensor_scatter_nd_min):
        for made in (scatter, tf.function(scatter)):
            got = tf.cast(made(x, [[0], [1]], updates), tf.float64)
            np.testing.assert_array_equal(got, [np.nan, 1.0, 2.0])


def test_a_quotient_of_bfloat16_is_rounded_before_its_floor_is_taken() -> None:
    x, y = tf.cast([5.97, 2.99, 0.998], tf.bfloat16), tf.cast(0.996, tf.bfloat16)
    for divide in (lambda x: x // y, tf.function(lambda x: x // y)):
        assert tf.cast(divide(x), tf.float32).numpy().tolist() == [6.0, 3.0, 1.0]


def test_everything_is_there_for_a_star() -> None:
    """Also what is loaded when it is asked for."""
    found: dict[str, Any] = {}
    exec("from wengert import *\nfrom wengert.math import *", found)
    assert {"cond", "sort", "config", "Module", "RaggedTensor", "function", "lgamma"} <= set(found)
    assert not [name for name in found if name.startswith("_") and name != "__builtins__"]


@in_each_way
@pytest.mark.parametrize(
    "chosen",
    [
        lambda p, q: tf.cond(p[1] > 0.0, lambda: tf.sin(p), lambda: q),
        lambda p, q: tf.switch_case(1, [lambda: q, lambda: p / (1.0 + p * p)]),
    ],
    ids=["cond", "case"],
)
def test_a_branch_has_each_of_its_inputs_though_they_are_one_tensor(way: Any, chosen: Any) -> None:
    """The second derivative was that of the last of them alone."""
    called = tf.function(chosen)

    def second(function: Callable[..., Any]) -> Any:
        outer = way(lambda x: function(x, x))
        with tf.GradientTape() as over:
            over.watch(X)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = outer(X)
            first = tape.gradient(y, X)
        return over.gradient(first, X)

    np.testing.assert_allclose(second(called), second(chosen), rtol=1e-12)
