"""Derivatives as functions of functions: each against another way to the same, in every mode."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function_modes import MODES, close, numerically

import wengert as tf

RNG = np.random.default_rng(7)
X = tf.constant(RNG.normal(size=4))
M = tf.constant(RNG.normal(size=(3, 4)))


def net(x: Any) -> Any:
    """Three results of four arguments, none of them linear."""
    return tf.tanh(tf.linalg.matvec(M, x) * x[0]) + tf.reduce_sum(x**2.0)


def loss(x: Any) -> Any:
    return tf.reduce_sum(tf.sin(x) * tf.exp(x[::-1]))


def of_unknown_size(f: Any) -> Any:
    return tf.function(f, input_signature=[tf.TensorSpec([None], tf.float64)])


def test_a_plain_gradient_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.GradientTape, "_any_gradient", None)
    found = tf.grad(lambda x, y, z: tf.reduce_sum(x * x) * y, argnums=(0, 1, 2))(
        X, tf.constant(2.0, tf.float64), M[0]
    )
    close(found[0], 4.0 * X)
    assert float(found[1]) == pytest.approx(float(tf.reduce_sum(X * X)))
    assert found[2].dtype is M.dtype
    assert not np.any(found[2])


# ---- each against differences, in every mode ----------------------------------------------------


@pytest.mark.parametrize("mode", [*MODES, of_unknown_size])
def test_gradient(mode: Any) -> None:
    close(mode(tf.grad(loss))(X), numerically(loss, X), 1e-7)
    value, gradient = mode(tf.value_and_grad(loss))(X)
    close(value, loss(X))
    close(gradient, tf.grad(loss)(X))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("chunk", [None, 1, 3, 100])
def test_jacobian(mode: Any, how: Any, chunk: Any) -> None:
    found = mode(tf.jacobian(net, mode=how, chunk_size=chunk))(X)
    close(found, numerically(net, X), 1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_second_order(mode: Any) -> None:
    """The Hessian by differences of the gradient, and everything that is a part of it."""
    want = numerically(tf.grad(loss), X)
    v = tf.constant(RNG.normal(size=4))
    close(mode(tf.hessian(loss))(X), want, 1e-6)
    close(mode(tf.hessian(loss, chunk_size=3))(X), want, 1e-6)
    close(mode(tf.hvp(loss))(X, v), want @ v.numpy(), 1e-6)
    close(mode(tf.hessian_diag(loss))(X), np.diag(want), 1e-6)
    close(mode(tf.laplacian(loss))(X), np.trace(want), 1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_third_order(mode: Any) -> None:
    """Whatever is asked for in whatever order: the same third derivatives."""
    want = numerically(tf.hessian(loss), X)
    for f in (
        tf.jacobian(tf.hessian(loss), mode="reverse"),
        tf.hessian(lambda x: tf.grad(loss)(x)[2]),
        tf.jacobian(tf.jacobian(tf.grad(loss), mode="reverse"), mode="forward"),
    ):
        got = np.asarray(mode(f)(X))
        close(got, want[2] if got.ndim == 2 else want, 1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_products(mode: Any) -> None:
    """Along a direction, and back: what the Jacobian says of both."""
    j = numerically(net, X)
    v, u = tf.constant(RNG.normal(size=4)), tf.constant(RNG.normal(size=3))
    y, t = mode(lambda x: tf.jvp(net, (x,), (v,)))(X)
    close(y, net(X))
    close(t, j @ v.numpy(), 1e-7)
    (g,) = mode(lambda x: tf.vjp(net, x)[1](u))(X)
    close(g, u.numpy() @ j, 1e-7)
    first, second = mode(lambda x: [tf.linearize(net, x)[1](w) for w in (v, 2.0 * v)])(X)
    close(first, t)
    close(second, 2.0 * t)


def test_a_pull_may_be_called_again() -> None:
    _, pull = tf.vjp(net, X)
    a, b = (tf.constant(RNG.normal(size=3)) for _ in range(2))
    (ga,), (gb,), (both,) = pull(a), pull(b), pull(a + b)
    close(ga + gb, both)


def test_pulls_and_pushes_have_derivatives() -> None:
    """With respect to the point and to the direction."""
    v = tf.constant(RNG.normal(size=4))
    by_point = tf.jacobian(lambda x: tf.jvp(net, (x,), (v,))[1])(X)
    want = numerically(lambda x: tf.constant(numerically(net, x) @ v.numpy()), X)
    close(by_point, want, 1e-4)
    close(tf.jacobian(lambda v: tf.jvp(net, (X,), (v,))[1])(v), numerically(net, X), 1e-7)
    u = tf.constant(RNG.normal(size=3))
    close(tf.jacobian(lambda u: tf.vjp(net, X)[1](u)[0])(u), numerically(net, X).T, 1e-7)
    close(tf.jacobian(lambda v: tf.linearize(net, X)[1](v))(v), numerically(net, X), 1e-7)


def test_the_transpose_of_a_linear_function() -> None:
    (found,) = tf.linear_transpose(lambda x: tf.linalg.matvec(M, x), X)(tf.ones([3], tf.float64))
    close(found, M.numpy().sum(0))
    (again,) = tf.linear_transpose(
        lambda u: tf.linear_transpose(lambda x: tf.linalg.matvec(M, x), X)(u)[0],
        tf.ones([3], tf.float64),
    )(X)
    close(again, M.numpy() @ X.numpy())


def test_fields() -> None:
    """Identities of vector analysis: the curl of a gradient, the divergence of a curl."""
    x = tf.constant(RNG.normal(size=3))

    def potential(x: Any) -> Any:
        return tf.sin(x[0] * x[1]) + tf.exp(x[2] * x[0])

    def field(x: Any) -> Any:
        return tf.stack([tf.sin(x[1] * x[2]), x[0] ** 2.0 * x[2], tf.exp(x[0] * x[1])])

    close(tf.curl(tf.grad(potential))(x), np.zeros(3))
    close(tf.divergence(tf.curl(field))(x), 0.0)
    close(tf.divergence(tf.grad(potential))(x), tf.laplacian(potential)(x))
    plane = tf.constant([0.3, -0.7])
    close(tf.curl(lambda x: tf.stack([-(x[1] ** 3.0), x[0]]))(plane), 1.0 + 3.0 * 0.49, 1e-6)


# ---- arguments ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Pair:
    a: Any
    b: Any


def test_nested_arguments() -> None:
    """Lists, tuples, dictionaries, dataclasses: the gradient is nested as the argument."""

    def f(p: Any, x: Any) -> Any:
        return tf.reduce_sum(p["pair"].a * x + p["list"][0] * p["pair"].b ** 2.0)

    p = {"pair": Pair(tf.constant(2.0), tf.constant(3.0)), "list": [tf.constant(4.0)]}
    g = tf.grad(f)(p, tf.constant([1.0, 2.0]))
    assert isinstance(g["pair"], Pair)
    assert (float(g["pair"].a), float(g["pair"].b), float(g["list"][0])) == (3.0, 48.0, 18.0)
    h = tf.hessian(f)(p, tf.constant([1.0, 2.0]))
    assert float(h["pair"].b["list"][0]) == 12.0
    assert float(h["list"][0]["pair"].b) == 12.0
    assert float(h["pair"].b["pair"].b) == 16.0
    product = tf.hvp(f)(p, tf.constant([1.0, 2.0]), {"pair": Pair(0.0, 1.0), "list": [0.0]})
    assert (float(product["pair"].b), float(product["list"][0])) == (16.0, 12.0)


def test_which_arguments() -> None:
    def f(x: Any, y: Any, *, scale: Any = 1.0) -> Any:
        return x * y**2.0 * scale

    assert float(tf.grad(f)(2.0, 3.0)) == 9.0
    assert float(tf.grad(f, argnums=1)(2.0, 3.0)) == 12.0
    assert float(tf.grad(f, argnums=-1)(2.0, 3.0)) == 12.0
    assert [float(g) for g in tf.grad(f, argnums=(1, 0))(2.0, 3.0)] == [12.0, 9.0]
    assert float(tf.grad(f, argnames="scale")(2.0, 3.0, scale=1.0)) == 18.0
    by_number, by_name = tf.grad(f, argnums=(0,), argnames=("scale",))(2.0, 3.0, scale=2.0)
    assert (float(by_number[0]), float(by_name["scale"])) == (18.0, 18.0)
    (a, b), (c, d) = tf.hessian(f, argnums=(0, 1))(2.0, 3.0)
    assert [float(v) for v in (a, b, c, d)] == [0.0, 6.0, 6.0, 4.0]


def test_more_than_the_result() -> None:
    def f(x: Any) -> Any:
        return tf.reduce_sum(x * x), {"twice": 2.0 * x, "text": "kept"}

    x = tf.constant([1.0, 2.0])
    gradient, aux = tf.grad(f, has_aux=True)(x)
    assert gradient.numpy().tolist() == [2.0, 4.0]
    assert (aux["text"], aux["twice"].numpy().tolist()) == ("kept", [2.0, 4.0])
    (value, aux), gradient = tf.value_and_grad(f, has_aux=True)(x)
    assert (float(value), aux["text"]) == (5.0, "kept")
    for how in ("forward", "reverse"):
        jacobian, aux = tf.jacobian(lambda x: (x * x, "more"), mode=how, has_aux=True)(x)
        assert (jacobian.numpy().tolist(), aux) == ([[2.0, 0.0], [0.0, 4.0]], "more")
    hessian, aux = tf.hessian(f, has_aux=True)(x)
    assert (hessian.numpy().tolist(), aux["text"]) == ([[2.0, 0.0], [0.0, 2.0]], "kept")
    _, pull, aux = tf.vjp(f, x, has_aux=True)
    assert (float(pull(1.0)[0][1]), aux["text"]) == (4.0, "kept")
    _, t, aux = tf.jvp(f, (x,), (tf.constant([1.0, 0.0]),), has_aux=True)
    assert (float(t), aux["text"]) == (2.0, "kept")


def test_other_uses_of_an_argument_do_not_count() -> None:
    """The argument is differentiated, not the tensor that was given for it."""
    x = tf.constant(3.0)
    assert float(tf.grad(lambda a: a * x)(x)) == 3.0
    assert float(tf.grad(lambda a, b: a * b)(x, x)) == 3.0


def test_a_tape_around_it_sees_all() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad(lambda a: a * a * x)(x)  # 2 a x, where a is x: 2 x²
    assert float(tape.gradient(y, x)) == 12.0


def test_variables_as_arguments() -> None:
    v = tf.Variable([1.0, 2.0])
    gradient = tf.grad(lambda v: tf.reduce_sum(v * v))(v)
    assert gradient.numpy().tolist() == [2.0, 4.0]
    table = tf.Variable(tf.ones([5, 2]))
    rows = tf.grad(lambda t: tf.reduce_sum(tf.gather(t, [1, 1])))(table)
    assert isinstance(rows, tf.IndexedSlices)  # what an optimizer takes
    dense = tf.grad(lambda t: tf.reduce_sum(tf.gather(t, [1, 1])))(tf.ones([5, 2]))
    assert dense.numpy()[1].tolist() == [2.0, 2.0]


def test_what_the_result_does_not_depend_on_is_zero() -> None:
    g = tf.grad(lambda x, y: x * 2.0, argnums=(0, 1))(1.0, tf.constant([1.0, 2.0]))
    assert g[1].numpy().tolist() == [0.0, 0.0]
    assert tf.jacobian(lambda x: tf.constant([1.0, 2.0]))(tf.ones([3])).numpy().shape == (2, 3)


def test_complex_arguments() -> None:
    """The convention of the tape."""
    z = tf.constant(1.0 + 2.0j, tf.complex128)
    assert complex(tf.grad(lambda z: tf.math.real(z * tf.math.conj(z)))(z)) == 2.0 + 4.0j


def test_shapes_of_every_rank() -> None:
    for shape in ((), (2,), (2, 3), (1, 2, 2), (0,), (3, 0)):
        x = tf.constant(RNG.normal(size=shape))
        for how in ("forward", "reverse"):
            j = tf.jacobian(lambda x: tf.stack([x, x * x]), mode=how)(x)
            assert j.shape == (2, *shape, *shape)
        assert tf.hessian(lambda x: tf.reduce_sum(x**3.0))(x).shape == (*shape, *shape)
        assert tf.hessian_diag(lambda x: tf.reduce_sum(x**3.0))(x).shape == shape
        close(tf.laplacian(lambda x: tf.reduce_sum(x**3.0))(x), 6.0 * x.numpy().sum())


# ---- vmap ---------------------------------------------------------------------------------------


def by_hand(f: Any, rows: int, args: Any, axes: Any) -> Any:
    """One example after the other."""
    found = []
    for k in range(rows):
        one = [
            a if x is None else tf.constant(np.take(a, k, x))
            for a, x in zip(args, axes, strict=True)
        ]
        found.append(np.asarray(f(*one)))
    return np.stack(found)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0), (1, 0), (-1, None), (1, 1)])
def test_vmap(mode: Any, axes: Any) -> None:
    args = [tf.constant(RNG.normal(size=(3, 3))) for _ in range(2)]
    want = by_hand(lambda a, b: tf.sin(a) @ b[:, None] if len(b.shape) == 1 and len(a.shape) == 2
                   else tf.reduce_sum(a) * b, 3, args, axes)  # fmt: skip
    got = mode(tf.vmap(lambda a, b: tf.sin(a) @ b[:, None] if len(b.shape) == 1 and len(a.shape) == 2
                       else tf.reduce_sum(a) * b, in_axes=axes))(*args)  # fmt: skip
    close(got, want)


def test_vmap_of_vmap_and_of_derivatives() -> None:
    xs = tf.constant(RNG.normal(size=(2, 3, 4)))
    twice = tf.vmap(tf.vmap(tf.grad(loss)))(xs)
    close(twice, [[tf.grad(loss)(tf.constant(x)) for x in row] for row in xs.numpy()])
    hessians = tf.vmap(tf.hessian(loss))(xs[0])
    close(hessians, [tf.hessian(loss)(tf.constant(x)) for x in xs[0].numpy()])
    of_mapped = tf.grad(lambda xs: tf.reduce_sum(tf.vmap(loss)(xs)))(xs[0])
    close(of_mapped, tf.vmap(tf.grad(loss))(xs[0]))


def test_where_the_examples_of_results_are() -> None:
    xs = tf.constant(RNG.normal(size=(3, 2)))
    f = tf.vmap(
        lambda x: {"a": x, "b": tf.reduce_sum(x), "c": 1.0}, out_axes={"a": 1, "b": 0, "c": None}
    )
    found = f(xs)
    close(found["a"], xs.numpy().T)
    assert found["b"].shape == (3,)
    assert float(found["c"]) == 1.0
    assert tf.vmap(lambda: tf.constant(2.0), axis_size=3)().numpy().tolist() == [2.0] * 3
    assert tf.vmap(lambda x, *, w: x * w)(xs, w=tf.constant([1.0, 2.0, 3.0], tf.float64)).shape == (
        3,
        2,
    )
    nested = tf.vmap(lambda p, x: p["w"] * x + p["b"], in_axes=({"w": None, "b": 0}, 0))
    p = {"w": tf.constant(2.0, tf.float64), "b": tf.constant([1.0, 2.0, 3.0], tf.float64)}
    close(nested(p, xs), 2.0 * xs.numpy() + np.array([[1.0], [2.0], [3.0]]))


def test_per_example_gradients() -> None:
    w, x = tf.constant(RNG.normal(size=4)), tf.constant(RNG.normal(size=(5, 4)))
    y = tf.constant(RNG.normal(size=5))

    def one(w: Any, x: Any, y: Any) -> Any:
        return (tf.tensordot(w, tf.tanh(x), 1) - y) ** 2.0

    found = tf.per_example_gradients(one)(w, x, y)
    close(found, [tf.grad(one)(w, x[i], y[i]) for i in range(5)])
    close(tf.per_example_gradients(lambda x, w, y: one(w, x, y), argnums=1)(x, w, y), found)


# ---- what is refused ----------------------------------------------------------------------------

V = tf.constant([1.0, 2.0])
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.grad(V), TypeError, "takes a function and returns one; got <tf.Tensor"),  # type: ignore[arg-type]
    (lambda: tf.vmap(3), TypeError, "tf.vmap takes a function"),  # type: ignore[arg-type]
    (lambda: tf.grad(lambda x: x)(V), ValueError, r"one number, got the shape \[2\].*tf.jacobian"),
    (lambda: tf.grad(lambda x: (x, x))(1.0), TypeError, "a structure of 2 values.*has_aux"),
    (lambda: tf.grad(lambda x: None)(1.0), TypeError, "it returned None"),
    (lambda: tf.grad(lambda x: tf.cast(x, tf.int32))(1.0), TypeError, "result of a floating.*int32"),
    (lambda: tf.grad(lambda x: x)(1), TypeError, "floating and complex arguments.*int32"),
    (lambda: tf.grad(lambda x: x, argnums=1)(1.0), ValueError, "argument 1, but the call has 1 pos"),
    (lambda: tf.grad(lambda x: x, argnums=(0, 0))(1.0), ValueError, "has an argument twice"),
    (lambda: tf.grad(lambda x: x, argnums=True)(1.0), TypeError, "must be integers, got True"),
    (lambda: tf.grad(lambda x: x, argnames="y")(x=1.0), ValueError, "argument 'y', but the call gives 'x'"),
    (lambda: tf.grad(lambda x: x, has_aux=True)(1.0), TypeError, "a function that returns a pair"),
    (lambda: tf.jvp(lambda x: x, V, V), TypeError, r"primals of tf.jvp are a tuple.*\(x,\)"),  # type: ignore[arg-type]
    (lambda: tf.jvp(lambda x: x, (V,), ()), ValueError, "got 1 primals and 0 tangents"),
    (lambda: tf.jvp(lambda x: x, (V,), (1.0,)), ValueError, "must have the shape of its primal"),
    (lambda: tf.jvp(lambda p: p["a"], ({"a": V},), ({"b": V},)), ValueError, "must be nested alike"),
    (lambda: tf.vjp(lambda x: (x, x), V)[1](V), ValueError, "A cotangent and the result.*nested alike"),
    (lambda: tf.vjp(lambda x: x, V)[1](1.0), ValueError, "must have the dtype and shape of its target"),
    (lambda: tf.jacobian(lambda x: x, mode="sideways"), ValueError, "one of auto, forward, reverse"),  # type: ignore[arg-type]
    (lambda: tf.jacobian(lambda x: x, chunk_size=0), ValueError, "positive integer or None, got 0"),
    (lambda: tf.hvp(lambda x: x)(V), TypeError, "followed by a vector"),
    (lambda: tf.hvp(lambda x: tf.reduce_sum(x))(V, {"a": V}), ValueError, "nested alike"),
    (lambda: tf.divergence(lambda x: x[:1])(V), ValueError, r"got \[1\] of \[2\]"),
    (lambda: tf.curl(lambda x: x)(tf.ones([4])), ValueError, "two or three dimensions"),
    (lambda: tf.vmap(lambda x: x)(1.0), ValueError, r"axis 0 of an argument of shape \[\]"),
    (lambda: tf.vmap(lambda x: x, in_axes=None)(V), ValueError, "give axis_size"),
    (lambda: tf.vmap(lambda x, y: x)(V, tf.ones([3])), ValueError, r"equally many examples, got \[2, 3\]"),
    (lambda: tf.vmap(lambda x, y: x, in_axes=(0,))(V, V), ValueError, "1 entries, and the call has 2"),
    (lambda: tf.vmap(lambda x: x, out_axes=3)(V), ValueError, "has 3 for a result of rank 1"),
    (lambda: tf.vmap(lambda x: x, in_axes=({"a": 0},))({"b": V}), ValueError, "axes for"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED, ids=[r[2][:25] for r in REFUSED])
def test_what_is_refused(call: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        call()


# ---- SciPy ----------------------------------------------------------------------------------------


def test_a_jacobian_as_an_operator() -> None:
    """Products both ways, of nested arguments and results, too; and SciPy solves with it."""
    operator = tf.jacobian_operator(net, X)
    j = tf.jacobian(net)(X).numpy()
    close(operator @ np.eye(4), j)
    close(operator.rmatmat(np.eye(3)), j.T)

    def nested(p: Any) -> Any:
        return {"y": p["w"] @ p["x"][:, None], "z": tf.reduce_sum(p["x"])}

    p = {"w": M, "x": X}
    operator = tf.jacobian_operator(nested, p)
    assert operator.shape == (4, 16)
    v, u = RNG.normal(size=16), RNG.normal(size=4)
    close(u @ operator.matvec(v), v @ operator.rmatvec(u))
    linear = pytest.importorskip("scipy.sparse.linalg")
    square = tf.jacobian_operator(lambda x: tf.tanh(x) + x, X)
    found, status = linear.gmres(square, np.ones(4), rtol=1e-12)
    assert status == 0
    close(square.matvec(found), np.ones(4), 1e-9)


def rosenbrock(x: Any) -> Any:
    return tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1.0 - x[:-1]) ** 2.0)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "Newton-CG", "trust-krylov", "trust-exact"])
def test_minimize(method: str) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    problem = tf.to_scipy(rosenbrock)
    more = {"hess": problem.hess} if method == "trust-exact" else (
        {"hessp": problem.hessp} if method in ("Newton-CG", "trust-krylov") else {})  # fmt: skip
    found = optimize.minimize(problem.fun, np.zeros(4), method=method, jac=problem.jac, **more)
    close(found.x, np.ones(4), 1e-3)


def test_least_squares_and_roots() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0.0, 2.0, 20)
    y = 2.0 * np.exp(-1.5 * t)
    problem = tf.to_scipy(
        lambda p, t, y: p["a"] * tf.exp(-p["b"] * t) - y,
        {"a": np.float64(1.0), "b": np.float64(1.0)},
        (t, y),
    )
    found = optimize.least_squares(problem.fun, problem.start(), jac=problem.jac)
    assert {k: round(float(v), 9) for k, v in problem.pack(found.x).items()} == {"a": 2.0, "b": 1.5}
    system = tf.to_scipy(lambda x: tf.stack([x[0] ** 2.0 - x[1], x[0] + x[1] - 2.0]))
    close(optimize.root(system.fun, [2.0, 2.0], jac=system.jac).x, [1.0, 1.0])


def test_one_evaluation_for_value_and_derivative() -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return rosenbrock(x)

    problem = tf.to_scipy(counted)
    x = np.array([0.5, 1.0])
    problem.fun(x), problem.jac(x)
    first = len(calls)
    problem.fun(x), problem.jac(x), problem.fun_and_jac(x)
    assert len(calls) == first
    problem.fun(x + 1.0), problem.jac(x + 1.0)
    assert len(calls) == first + 1
    nested = tf.to_scipy(
        lambda p: rosenbrock(tf.concat([p["a"], p["b"]], 0)), {"a": x[:1], "b": x[1:]}
    )
    close(nested.hess(nested.start()), tf.hessian(rosenbrock)(tf.constant(x)))
    close(nested.hessp(nested.start(), [1.0, 2.0]), nested.hess(nested.start()) @ [1.0, 2.0])
    with pytest.raises(ValueError, match="like="):
        problem.start()


# ---- plans --------------------------------------------------------------------------------------


def test_a_plan_says_what_is_cheapest_and_runs_nothing() -> None:
    runs = []

    def wide(x: Any) -> Any:
        runs.append(x)
        assert not tf.executing_eagerly()
        return tf.tanh(tf.linalg.matvec(tf.ones([3, 40], tf.float64), x))

    plan = tf.jacobian(wide).plan(tf.zeros([40], tf.float64))
    assert plan.mode == "reverse"
    assert [c.products for c in plan.choices] == ["3", "40"]
    assert plan.choices[0].work.flops < plan.choices[1].work.flops
    assert len(runs) == 1
    tall = tf.jacobian(lambda x: tf.tanh(tf.linalg.matvec(tf.ones([800, 3], tf.float64), x)))
    assert tall.plan(tf.zeros([3], tf.float64)).mode == "forward"


def test_a_plan_knows_the_colors() -> None:
    band = tf.jacobian(lambda x: x[1:] * x[:-1], sparse=True)
    assert [c.products for c in band.plan(X).choices] == ["1 reverse", "3", "4"]
    assert "6 of 12 elements can differ from zero" in repr(band.plan(X))
    dense = tf.jacobian(net, sparse=True).plan(X)
    assert (dense.mode, "it is dense" in repr(dense)) == ("colored", True)
    chain = tf.hessian(lambda x: tf.reduce_sum((x[1:] - x[:-1] ** 2) ** 2), coloring="star")
    assert chain.plan(tf.zeros([50])).choices[0].products == "3 forward"


@pytest.mark.parametrize(
    ("derivative", "mode"),
    [
        (tf.grad(loss), "reverse"),
        (tf.value_and_grad(loss), "reverse"),
        (tf.hessian(loss), "forward"),
        (tf.hessian_diag(loss), "Taylor mode"),
        (tf.laplacian(loss), "forward Laplacian"),
        (tf.divergence(lambda x: x * x[::-1]), "forward"),
        (tf.jacobian(net, mode="forward"), "forward"),
    ],
)
def test_every_derivative_has_a_plan(derivative: Any, mode: str) -> None:
    plan = derivative.plan(X)
    assert plan.mode == mode
    lines = repr(plan).splitlines()
    assert lines[2].startswith("* ")
    assert "flop" in lines[2]


def test_the_plan_of_a_product() -> None:
    assert tf.hvp(loss).plan(X, X).mode == "forward over reverse"


def test_the_plan_of_what_decides_by_values() -> None:
    """It would have to be run, and a plan runs nothing."""
    with pytest.raises(tf.errors.SymbolicValueError, match=r"plan of tf\.jacobian runs nothing"):
        tf.jacobian(lambda x: x * x if x[0] > 0 else x).plan(X)


def test_the_mode_is_chosen_once_for_each_shape() -> None:
    runs = []

    def tall(x: Any) -> Any:
        runs.append(x)
        return tf.concat([x * x[0]] * 2000, 0)

    jacobian = tf.jacobian(tall)
    jacobian(X)
    assert len(runs) == 2  # once to see that forward mode is cheaper
    jacobian(X)
    assert len(runs) == 3


def test_a_sparse_problem_for_scipy() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    def residuals(x: Any) -> Any:
        return x**2 + 0.1 * tf.roll(x, 1, 0) - 1.1

    start = np.full(200, 0.7)
    problem = tf.to_scipy(residuals, sparse=True)
    assert problem.jac(start).nnz == 400
    found = optimize.least_squares(problem.fun, start, problem.jac, tr_solver="lsmr", method="trf")
    assert found.success
    np.testing.assert_allclose(found.x, 1.0, rtol=1e-5)
    both = tf.to_scipy(lambda d: tf.reduce_sum(d["a"] ** 2 * d["b"]), {"a": X, "b": X}, sparse=True)
    dense = tf.to_scipy(lambda d: tf.reduce_sum(d["a"] ** 2 * d["b"]), {"a": X, "b": X})
    np.testing.assert_allclose(both.hess(both.start()).toarray(), dense.hess(both.start()))
