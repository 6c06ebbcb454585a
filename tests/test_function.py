"""tf.function: what is traced, when, and what its gradients are."""

from __future__ import annotations

import gc
import re
import sys
import threading
import timeit
import weakref
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.errors import InvalidArgumentError, SymbolicValueError
from wengert.execution import subgraph

Pair = namedtuple("Pair", "first second")


def line() -> int:
    return sys._getframe(1).f_lineno


def counted(body: Any, **options: Any) -> tuple[Any, list[int]]:
    """A function, and a list with an entry for each time its Python was run."""
    traces: list[int] = []

    def function(*args: Any, **kwargs: Any) -> Any:
        traces.append(len(traces))
        return body(*args, **kwargs)

    return tf.function(function, **options), traces


def of(value: Any, dtype: Any = tf.float32) -> Any:
    return tf.constant(value, dtype)


# ---- when Python runs -------------------------------------------------------------------------

CALLS: dict[str, tuple[list[Any], int]] = {
    "values": ([(of(1.0),), (of(2.0),)], 1),
    "shapes": ([(of([1.0]),), (of([1.0, 2.0]),), (of([3.0]),)], 2),
    "dtypes": ([(of(1.0),), (of(1.0, tf.float64),)], 2),
    "Python numbers": ([(1,), (2,), (1,)], 2),
    "a number and a bool": ([(1,), (True,)], 2),
    "an int and a float": ([(1,), (1.0,)], 2),
    "arrays": ([(np.ones(2, np.float32),), (np.zeros(2, np.float32),), (of([1.0, 2.0]),)], 1),
    "structures": ([([of(1.0)],), ((of(1.0),),), ([of(1.0)],)], 2),
    "dictionaries": ([({"a": of(1.0)},), ({"b": of(1.0)},), ({"a": of(2.0)},)], 2),
    "None": ([(None,), (None,)], 1),
}


@pytest.mark.parametrize(("calls", "times"), CALLS.values(), ids=CALLS)
def test_how_often_it_is_traced(calls: Any, times: int) -> None:
    f, traces = counted(lambda x: tf.constant(0.0))
    for args in calls:
        f(*args)
    assert len(traces) == times
    assert f.experimental_get_tracing_count() == times


def test_input_signature() -> None:
    """One trace for all shapes, and an error for what does not fit."""
    f, traces = counted(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    assert f(of([1.0])).numpy().tolist() == [2.0]
    assert f([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    assert len(traces) == 1
    for wrong in (of([[1.0]]), of([1.0], tf.float64)):
        with pytest.raises(
            TypeError, match=r"Can not cast TensorSpec\(.*\) to TensorSpec\(shape=\(None,\)"
        ):
            f(wrong)
    with pytest.raises(TypeError):
        f()


def test_reduce_retracing() -> None:
    f, traces = counted(tf.reduce_sum, reduce_retracing=True)
    for n in (1, 2, 3, 4, 5):
        assert f(tf.ones([n])).numpy() == n
    assert len(traces) == 2


def test_concrete_functions() -> None:
    f, traces = counted(lambda x, k=2: x * float(k))
    g = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert g(of([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert len(traces) == 1
    assert g.graph.is_function
    assert [x.shape for x in g.inputs] == [[None]]
    assert g.outputs[0].dtype is tf.float32
    assert str(g.structured_outputs) == 'Tensor("Identity:0", shape=(None,), dtype=float32)'
    assert [op.type for op in g.graph.get_operations()][-1] == "Identity"
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(\),"):
        g(of(1.0))
    assert f.get_concrete_function(tf.TensorSpec([None], tf.float32)) is g


def test_names_of_arguments_belong_to_traces() -> None:
    """A name that is asked for needs a trace that has it; calls take any."""
    f, traces = counted(lambda x: x * 2.0)
    unnamed, a, b = (tf.TensorSpec([None], tf.float32, name) for name in (None, "a", "b"))
    first = f.get_concrete_function(unnamed)
    of_a = f.get_concrete_function(a)
    assert of_a(a=of([1.0])).numpy().tolist() == [2.0]
    assert f.get_concrete_function(unnamed) is first
    assert f.get_concrete_function(tf.TensorSpec([1], tf.float32, "a")) is of_a
    assert f.get_concrete_function(b)(b=of([1.0])).numpy().tolist() == [2.0]
    f(of([1.0, 2.0]))
    assert len(traces) == 3

    f, traces = counted(lambda x: x * 2.0)
    of_a = f.get_concrete_function(tf.TensorSpec([1], tf.float32, "a"))
    f(of([1.0]))
    assert f.get_concrete_function(tf.TensorSpec([1], tf.float32)) is of_a
    assert len(traces) == 1


def test_python_side_effects_happen_when_traced(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print("tracing")
        tf.print("running", output_stream=sys.stdout)
        return x

    f(of(1.0))
    f(of(2.0))
    assert capsys.readouterr().out.split() == ["tracing", "running", "running"]


def test_a_default_that_is_a_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x, w=v: x * w)
    x = tf.constant([3.0, 3.0])
    assert [f(x).numpy().tolist() for _ in range(3)] == [[3.0, 6.0]] * 3


def test_arrays_and_numbers_among_the_arguments() -> None:
    """The second call is a quick one: by the forms of arrays, and by the values of numbers."""
    f = tf.function(lambda x, n: x * (n + 1.0) if n is True else x * n)
    x = np.float32([1.0, 2.0])
    for n in (2.0, 3.0, 0.0, True, 1.0) * 2:
        by = 2.0 if n is True else n
        assert f(x, n).numpy().tolist() == [by, 2.0 * by]
    before = x.copy()
    kept = tf.function(lambda x: x + 0.0)(x), tf.function(lambda x: x)
    held = kept[1](x), kept[1](x)
    x += 1.0
    for y in (kept[0], *held):
        assert y.numpy().tolist() == before.tolist()


def test_structures_and_names_among_the_arguments() -> None:
    """Quick calls look into plain structures; what only looks alike is another call."""

    def f(p: Any, q: Any = (), **more: Any) -> Any:
        leaves = tf.nest.flatten([p, q, more])
        weighted = [(k + 1.0) * tf.convert_to_tensor(x) for k, x in enumerate(leaves)]
        return {
            "sum": tf.add_n(weighted),
            "kind": [type(p) is dict, None, (leaves[0],)],
            "none": (),
        }

    a, b, c = of(1.0), of(10.0), of(100.0)
    quick, calls = tf.function(f), []
    given: list[tuple[Any, dict[str, Any]]] = [
        (((a, b, c),), {}), (([a, b, c],), {}), (((a, b), c), {}), ((a, (b, c)), {}), ((a, [b, [c]]), {}),
        (({"z": a, "y": b, "x": c},), {}), (({"z": a, "y": {"x": b}}, c), {}), (({"y": a, "z": b}, c), {}),
        ((a, b), {"z": c}), ((a,), {"q": b, "z": c}), ((a,), {"z": c, "q": b}), ((a,), {"z": b, "y": c}),
        ((a,), {"y": b, "z": c}), (((a, 10.0), c), {}), (((a, 10.0), c), {"z": -0.0}), (((a, 10.0), c), {"z": 0.0}),
        (((np.float32(1.0), b), {"x": c}), {}), (((a, None), b), {}), ((((a,),), ((b,),)), {"z": {"k": (c,)}}),
    ]  # fmt: skip
    for _ in range(3):
        for args, kwargs in given:
            if any(x is None for x in tf.nest.flatten([args, kwargs])):
                continue
            want, found = f(*args, **kwargs), quick(*args, **kwargs)
            calls.append(quick.experimental_get_tracing_count())
            assert list(found) == ["sum", "kind", "none"]
            assert found["sum"].numpy() == want["sum"].numpy(), (args, kwargs)
            assert found["kind"][0].numpy() == want["kind"][0]
            assert found["kind"][1] is None
            assert type(found["kind"][2]) is tuple
            assert found["none"] == ()
    assert calls[-1] == calls[len(given) - 2]  # none was traced twice
    assert np.signbit(tf.function(lambda x, y: x * y)(a, -0.0))


@pytest.mark.timing
def test_quick_calls_of_structures_are_quick() -> None:
    """Not much slower than those of tensors: they were 15 times, as every structure was bound and flattened."""
    a = of(1.0)
    flat, nested = (
        tf.function(lambda x, y: x * y),
        tf.function(lambda p: {"y": (p["x"] * p["y"][0],)}),
    )

    def shortest(call: Any) -> float:
        return min(timeit.repeat(call, number=200, repeat=20))

    usual, other = shortest(lambda: flat(a, a)), shortest(lambda: nested({"x": a, "y": [a]}))
    assert other < 5 * usual


def test_defaults_and_keywords() -> None:
    @tf.function
    def f(x: Any, y: Any = 2.0, *, z: Any = None) -> Any:
        return x - y if z is None else x - y * z

    x = of(5.0)
    assert f(x).numpy() == 3.0
    assert f(x, 1.0).numpy() == 4.0
    assert f(y=of(1.0), x=x).numpy() == 4.0
    assert f(x, z=of(2.0)).numpy() == 1.0
    with pytest.raises(TypeError):
        f(x, unknown=1)


def test_methods() -> None:
    class Layer:
        def __init__(self, w: float) -> None:
            self.w = tf.Variable(w)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return self.w * x

        @tf.function
        def twice(self, x: Any) -> Any:
            return self(x) + self(x)

    a, b = Layer(2.0), Layer(3.0)
    assert [a(of(1.0)).numpy(), b(of(1.0)).numpy(), a.twice(of(2.0)).numpy()] == [2.0, 3.0, 8.0]
    a.w.assign(10.0)
    assert a(of(1.0)).numpy() == 10.0


# ---- what goes in and out ---------------------------------------------------------------------

STRUCTURES: dict[str, Any] = {
    "list": lambda x: [x, x * 2.0],
    "tuple": lambda x: (x, [x * 2.0]),
    "dict": lambda x: {"b": x, "a": (x * 2.0,)},
    "namedtuple": lambda x: Pair(x, x * 2.0),
    "None": lambda x: None,
    "with None": lambda x: {"a": None, "b": [x, None]},
    "nothing": lambda x: [],
    "constants": lambda x: [1.0, np.float32(2.0), x],
}


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda v: None if v is None else np.asarray(v).tolist(), value)


@pytest.mark.parametrize("body", STRUCTURES.values(), ids=STRUCTURES)
def test_structures_come_back(body: Any) -> None:
    got, want = tf.function(body)(of(3.0)), body(of(3.0))
    assert type(got) is type(want)
    assert plain(got) == plain(want)


def test_structures_go_in() -> None:
    @tf.function
    def f(parts: Any) -> Any:
        return parts["a"] * parts["b"][0] + parts["p"].second

    assert f({"a": of(2.0), "b": [of(3.0)], "p": Pair(of(0.0), of(1.0))}).numpy() == 7.0


def test_captures() -> None:
    """A tensor is captured as it is; a variable is read each time."""
    t, v = of(2.0), tf.Variable(3.0)
    f = tf.function(lambda x: x * t + v)
    assert f(of(1.0)).numpy() == 5.0
    v.assign(10.0)
    assert f(of(1.0)).numpy() == 12.0
    g = f.get_concrete_function(of(1.0))
    assert g.variables == (v,)
    assert len(g.captured_inputs) == 2


# ---- variables --------------------------------------------------------------------------------


def test_a_variable_made_on_the_first_call() -> None:
    made: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(2.0))
        return made[0].assign_add(x)

    assert [f(of(1.0)).numpy().item() for _ in range(3)] == [3.0, 4.0, 5.0]


def test_a_variable_made_on_every_call() -> None:
    """The second trace, which is the one that is kept, makes none, and a later call neither."""
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(x)
        return tf.Variable(2.0) * x

    for count in (2, 3):
        with pytest.raises(ValueError, match=r"only supports singleton tf\.Variables"):
            f(of(1.0))
        assert len(traces) == count


def test_a_variable_made_once() -> None:
    """What makes variables is traced twice, also where a function within it makes them."""
    made: dict[str, Any] = {}
    traces: list[str] = []

    @tf.function
    def inner(x: Any) -> Any:
        traces.append("inner")
        if "w" not in made:
            made["w"] = tf.Variable(3.0)
        return made["w"] * x

    @tf.function
    def outer(x: Any) -> Any:
        traces.append("outer")
        return inner(x) + 1.0

    assert [outer(of(v)).numpy() for v in (1.0, 2.0)] == [4.0, 7.0]
    assert traces == ["outer", "inner", "inner", "outer"]
    assert outer.experimental_get_tracing_count() == 2


def test_a_variable_made_in_a_later_call() -> None:
    made: list[Any] = []

    @tf.function
    def f(x: Any, make: bool) -> Any:
        if make:
            made.append(tf.Variable(1.0))
        return x

    f(of(1.0), False)
    with pytest.raises(ValueError, match="Creating variables on a non-first call"):
        f(of(1.0), True)


def test_effects_in_the_order_of_the_program() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        a = v.read_value()
        v.assign(x)
        b = v.read_value()
        v.assign_add(1.0)
        v.assign(v * 2.0)
        return a, b, v.read_value(), v

    assert plain(f(of(5.0))) == (1.0, 5.0, 12.0, 12.0)
    assert v.numpy() == 12.0


def test_gradient_between_assignments() -> None:
    """What was read before an assignment keeps its value for the gradient."""
    v = tf.Variable(3.0)

    @tf.function
    def f() -> Any:
        y = v * v
        v.assign(100.0)
        return y

    with tf.GradientTape() as tape:
        y = f()
    assert (y.numpy(), tape.gradient(y, v).numpy()) == (9.0, 6.0)


# ---- gradients --------------------------------------------------------------------------------


def polynomial(x: Any) -> Any:
    return x**5 + 2.0 * x**3


def derivatives(f: Any, x: Any, order: int) -> list[float]:
    """The values of the first derivatives, by nested tapes."""
    if not order:
        return [f(x).numpy().item()]

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return [f(x).numpy().item(), *derivatives(slope, x, order - 1)]


def derivative_function(f: Any) -> Any:
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return slope


def test_orders_outside() -> None:
    x = of(1.5, tf.float64)
    want = derivatives(polynomial, x, 4)
    np.testing.assert_allclose(derivatives(tf.function(polynomial), x, 4), want, rtol=1e-12)


def test_orders_inside() -> None:
    x = of(1.5, tf.float64)
    f: Any = polynomial
    for want in derivatives(polynomial, x, 4)[1:]:
        f = derivative_function(f)
        np.testing.assert_allclose(f(x).numpy(), want, rtol=1e-12)


def test_gradients_of_captures() -> None:
    t, v = of(2.0), tf.Variable(3.0)
    f = tf.function(lambda x: x * t * v * v)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(t)
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = f(of(5.0))
        gt, gv = tape.gradient(y, [t, v])
    assert plain([gt, gv]) == [45.0, 60.0]
    assert plain(outer.gradient(gv, [t, v])) == [30.0, 20.0]


def test_persistent_tape_and_jacobian() -> None:
    f = tf.function(lambda x: x[:, :2] * x[:, 1:])
    x = tf.constant(np.arange(1.0, 7.0).reshape(2, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    with tf.GradientTape(persistent=True) as eager:
        eager.watch(x)
        z = f.python_function(x)
    for method in ("gradient", "jacobian", "batch_jacobian"):
        got, want = getattr(tape, method)(y, x), getattr(eager, method)(z, x)
        assert np.array_equal(got, want), method
        assert np.array_equal(getattr(tape, method)(y, x), want), "again"


def test_jacobian_inside() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(f(tf.constant(x)), np.diag([6.0] * 3) + x[:, None])


def test_hessian_by_mixed_modes() -> None:
    f = tf.function(lambda x: tf.reduce_sum(x**3))
    x, t = of([1.0, 2.0]), of([1.0, 0.0])
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    assert plain([acc.jvp(y), acc.jvp(g)]) == [3.0, [6.0, 0.0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, t) as acc:
            y = f(x)
        slope = acc.jvp(y)
    assert plain(tape.gradient(slope, x)) == [6.0, 0.0]


def test_the_gradient_is_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    pulled_back = subgraph.PulledBack  # type: ignore[attr-defined]
    monkeypatch.setattr(
        subgraph,
        "PulledBack",
        lambda *a, **k: made.append(1) or pulled_back(*a, **k),  # type: ignore[func-returns-value]
    )
    f = tf.function(lambda x: tf.reduce_sum(tf.exp(x)))
    for k in range(4):
        x = of([1.0, float(k)])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)
    assert len(made) == 1


def test_indexed_slices_through_a_function() -> None:
    f = tf.function(lambda x: tf.gather(x, [0, 0]))
    x = of([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    assert isinstance(g, tf.IndexedSlices)
    assert plain(tf.convert_to_tensor(g)) == [[2.0, 2.0], [0.0, 0.0]]


@tf.custom_gradient
def twice_the_slope(x: Any) -> Any:
    e = tf.exp(x)
    return e, lambda dy: 2.0 * dy * e


def test_custom_gradient_inside() -> None:
    """Found by the oracle: e is a tensor of the function's graph, wherever the gradient is taken."""
    x = of(1.0, tf.float64)
    e = float(np.exp(1.0))
    f = tf.function(twice_the_slope)
    np.testing.assert_allclose(derivatives(f, x, 2), [e, 2 * e, 2 * e])
    g = tf.function(lambda x: f(x) * 1.0)
    np.testing.assert_allclose(derivatives(g, x, 2), [e, 2 * e, 2 * e])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = g(x)
    np.testing.assert_allclose(acc.jvp(y), 2 * e)
    with tf.Graph().as_default():
        z = tf.constant(1.0, tf.float64)
        y = f(z)
        (first,) = tf.gradients(y, z)
        (second,) = tf.gradients(first, z)
        np.testing.assert_allclose(
            tf.compat.v1.Session().run([y, first, second]), [e, 2 * e, 2 * e]
        )


def test_nested_functions() -> None:
    inner, inner_traces = counted(lambda x: x * x)
    outer, outer_traces = counted(lambda x: inner(x) + inner(x + 1.0))
    assert [outer(of(float(k))).numpy().item() for k in (1, 2)] == [5.0, 13.0]
    assert (len(inner_traces), len(outer_traces)) == (1, 1)
    assert derivatives(outer, of(1.0), 2) == [5.0, 6.0, 4.0]


def test_functions_as_arguments_of_control_flow() -> None:
    f = tf.function(lambda x: x * x)

    @tf.function
    def g(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: f(x), lambda: f(x) * 3.0)

    assert derivatives(g, of(-2.0), 2) == [12.0, -12.0, 6.0]


def test_vectorized_map_over_a_function() -> None:
    f = tf.function(lambda x: tf.reduce_sum(x * x))
    x = tf.constant(np.arange(6.0).reshape(3, 2))
    assert tf.vectorized_map(f, x).numpy().tolist() == [1.0, 13.0, 41.0]


def test_recursion() -> None:
    @tf.function
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)

    assert derivatives(lambda x: power(x, 4), of(2.0), 2) == [16.0, 32.0, 48.0]


# ---- errors -----------------------------------------------------------------------------------


def test_if_on_a_tensor_without_autograph() -> None:
    at: list[int] = []

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        at.append(line() + 1)
        if x > 0.0:
            return x
        return -x

    text = "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"
    with pytest.raises(SymbolicValueError, match=re.escape(text)) as error:
        f(of(1.0))
    assert f"{__file__}:{at[0]}" in str(error.value)


def test_an_exception_leaves_nothing_behind() -> None:
    fail = [True]

    @tf.function
    def f(x: Any) -> Any:
        with tf.name_scope("s"), tf.control_dependencies([tf.no_op()]):
            if fail:
                raise ZeroDivisionError
            return x * 2.0

    with pytest.raises(ZeroDivisionError):
        f(of(1.0))
    assert tf.executing_eagerly()
    fail.clear()
    assert f(of(1.0)).numpy() == 2.0


def test_an_argument_as_a_control_input() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.control_dependencies([x]):
            return tf.constant(2.0) * 1.0

    assert f(of(1.0)).numpy() == 2.0


def test_an_error_when_it_runs_names_the_line() -> None:
    at: list[int] = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x: Any) -> Any:
        at.append(line() + 1)
        return x + tf.constant([1.0, 2.0])

    with pytest.raises(InvalidArgumentError, match="Incompatible shapes") as error:
        f(of([1.0, 2.0, 3.0]))
    assert f"{__file__}:{at[0]}" in str(error.value)
    assert f(of([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


# ---- as objects -------------------------------------------------------------------------------


def test_two_threads() -> None:
    f, traces = counted(lambda x: tf.reduce_sum(tf.exp(x)))
    x = of([0.0, 0.0])
    failed: list[Any] = []

    def work() -> None:
        try:
            for _ in range(50):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x)
                assert y.numpy() == 2.0
                assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failed == []
    assert len(traces) == 1


def test_a_dropped_function_frees_its_graph() -> None:
    big = tf.Variable(np.zeros(10))

    def make() -> tuple[Any, Any]:
        f = tf.function(lambda x: x * big)
        x = tf.constant(np.ones(10))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)
        return weakref.ref(f), weakref.ref(f.get_concrete_function(x).outputs[0])

    function, tensor = make()
    gc.collect()
    assert function() is None
    assert tensor() is None


def test_repr() -> None:
    @tf.function
    def named(x: Any) -> Any:
        """The docstring."""
        return x

    assert "named" in repr(named)
    assert (named.__name__, named.__doc__) == ("named", "The docstring.")
    assert "TensorSpec(shape=(2,), dtype=tf.float32" in repr(
        named.get_concrete_function(tf.ones(2))
    )


def test_attributes_of_the_function_do_not_replace_those_of_the_class() -> None:
    def square(x: Any) -> Any:
        return x * x

    vars(square).update(tag="mine", plan="mine", _traces="mine")
    traced: Any = tf.function(square)
    assert traced.tag == "mine"
    assert traced.plan(tf.ones(2)).steps
    assert traced(tf.constant(3.0)).numpy() == 9.0
    assert len(tf.function(tf.grad(square)).plan(tf.constant(3.0)).steps) > 0


def test_a_result_that_depends_on_known_values_alone() -> None:
    """Its size is asked of values that are written in the program: it is computed while tracing."""

    @tf.function
    def counts() -> Any:
        return tf.math.bincount([1, 1, 3])

    assert counts().numpy().tolist() == [0, 2, 0, 1]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(tf.math.bincount([0, 2], [0.5, 1.5])).tolist() == [0.5, 0.0, 1.5]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_value_of_a_wrong_size_is_not_assigned(compiled: bool) -> None:
    """The size is known when the function runs; the variable keeps its value and its shape."""
    v = tf.Variable([0.0, 0.0, 0.0])
    f = tf.function(
        lambda x: [v.assign(x), tf.size(x)][1],
        input_signature=[tf.TensorSpec([None])],
        jit_compile=compiled,
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[4\] is not compatible"):
        f(tf.ones([4]))
    assert v.numpy().tolist() == [0.0, 0.0, 0.0]
    f(tf.ones([3]))
    assert v.numpy().tolist() == [1.0, 1.0, 1.0]


def test_keyword_only_arguments_beside_an_input_signature() -> None:
    """They keep their names, and their defaults."""
    one = [tf.TensorSpec([None])]
    x = tf.constant([1.0])
    scaled = tf.function(lambda x, *, by=3.0: x * by, input_signature=one)
    assert (scaled(x).numpy().item(), scaled(x, by=5.0).numpy().item()) == (3.0, 5.0)

    @tf.function(input_signature=one)
    def counted(*xs: Any, more: int = 3) -> Any:
        return tf.constant([len(xs), more])

    assert counted(x).numpy().tolist() == [1, 3]
    both = tf.function(lambda x, *, y: x + y, input_signature=one * 2)
    assert both(x, y=x).numpy().item() == 2.0


# ---- traces in words -----------------------------------------------------------------------------

SIGNATURES = """Input Parameters:
  x (POSITIONAL_ONLY): TensorSpec(shape=(), dtype=tf.float32, name=None)
  rest_0 (POSITIONAL_ONLY): TensorSpec(shape=(), dtype=tf.int32, name=None)
  rest_1 (POSITIONAL_ONLY): Literal['str']
  flag (KEYWORD_ONLY): Literal[False]
  zed (KEYWORD_ONLY): TensorSpec(shape=(2,), dtype=tf.float32, name=None)
Output Type:
  Dict[['a', TensorSpec(shape=(2,), dtype=tf.float32, name=None)], ['b', Tuple[TensorSpec(shape=(), dtype=tf.float32, name=None), Literal[None], TensorSpec(shape=(), dtype=tf.int32, name=None)]]]
Captures:
  {capture}: TensorSpec(shape=(), dtype=tf.resource, name=None)

Input Parameters:
  x (POSITIONAL_ONLY): TensorSpec(shape=(2,), dtype=tf.float32, name=None)
  flag (KEYWORD_ONLY): Literal[True]
Output Type:
  Dict[['a', TensorSpec(shape=(2,), dtype=tf.float32, name=None)], ['b', Tuple[TensorSpec(shape=(2,), dtype=tf.float32, name=None), Literal[None], TensorSpec(shape=(), dtype=tf.int32, name=None)]]]
Captures:
  {capture}: TensorSpec(shape=(), dtype=tf.resource, name=None)"""


def test_traces_are_printed_as_tensorflows() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x: Any, *rest: Any, flag: bool = True, **named: Any) -> Any:
        return {"a": x * v, "b": (x, None, 3)}

    f(tf.constant(1.0), tf.constant(2), "str", zed=tf.constant([1.0, 2.0]), flag=False)
    f(tf.constant([1.0, 1.0]))
    assert f.pretty_printed_concrete_signatures() == SIGNATURES.format(capture=id(v))
    trace = f.get_concrete_function(tf.constant([1.0, 1.0]))
    assert str(trace).startswith("ConcreteFunction Input Parameters:")
    assert repr(trace).startswith("<ConcreteFunction (x: TensorSpec(shape=(2,), dtype=tf.float32, name=None), /, *, flag: Literal[True]) -> Dict[")  # fmt: skip
    assert trace.output_shapes["a"] == (2,)
    assert trace.output_dtypes["b"] == (tf.float32, None, tf.int32)


# ---- calls of one trace --------------------------------------------------------------------------


def test_calls_of_a_trace_are_bound_by_name_and_keep_what_was_fixed() -> None:
    f = tf.function(lambda b, a, n=2: (b - a) * float(n))
    trace = f.get_concrete_function(tf.constant(1.0), tf.constant(2.0))
    for call in (
        lambda: trace(a=tf.constant(10.0), b=tf.constant(1.0)),
        lambda: trace(tf.constant(1.0), tf.constant(10.0)),
        lambda: trace(1.0, 10.0, 2),
        lambda: trace(1.0, a=10.0, n=2),
    ):
        assert call().numpy() == -18.0
    wrong: list[tuple[Any, str]] = [
        (lambda: trace(1.0, 2.0, 3), r"Can not cast 3 to Literal\[2\]"),
        (lambda: trace(1.0), r"missing required arguments: a"),
        (lambda: trace(1.0, 2.0, 2, 5.0), "too many positional arguments"),
        (lambda: trace(z=1.0), "unexpected keyword argument 'z'"),
    ]
    for bad, said in wrong:
        with pytest.raises(TypeError, match=said):
            bad()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected to be a float tensor but is a int32"
    ):
        trace(tf.constant(1), tf.constant(2.0))


def test_placeholders_have_the_names_of_parameters() -> None:
    @tf.function
    def f(alpha: Any, nested: Any, *rest: Any, **named: Any) -> Any:
        return alpha

    one = tf.constant(1.0)
    trace = f.get_concrete_function(one, {"k": one, "l": [one]}, one, zed=one)
    assert [x.name for x in trace.inputs] == [
        "alpha:0", "nested_k:0", "nested_l_0:0", "rest_0:0", "zed:0",
    ]  # fmt: skip
    (specs, named) = trace.structured_input_signature
    assert specs[0].name == "alpha"
    assert named["zed"].name == "zed"


def test_what_nobody_reads_is_not_run_but_for_its_effects() -> None:
    v = tf.Variable(0.0)
    called: list[int] = []

    def noted(a: Any, number: int) -> Any:
        called.append(number)
        return a

    def run(unread: Any) -> None:
        tf.function(lambda x: (unread(x), x)[1])(tf.constant(1.0))

    run(lambda x: tf.gather([1.0], [10]))
    run(lambda x: tf.linalg.inv(tf.zeros([2, 2]) * x))
    run(lambda x: v.assign_add(x))
    run(lambda x: tf.py_function(lambda a: noted(a, 1), [x], tf.float32))
    run(lambda x: tf.numpy_function(lambda a: noted(a, 2), [x], tf.float32))
    assert (v.numpy(), called) == (1.0, [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(lambda x: tf.debugging.assert_greater(x, 5.0))


# ---- variables as arguments ---------------------------------------------------------------------


def traced(function: Callable[..., Any]) -> tuple[Any, list[int]]:
    """A tf.function and a list that grows with every trace."""
    count: list[int] = []

    def counted(*args: Any) -> Any:
        count.append(1)
        return function(*args)

    return tf.function(counted), count


def test_a_trace_serves_all_variables_of_one_form() -> None:
    """It reads, assigns and differentiates the one that is given."""
    f, count = traced(lambda v, x: v.assign_add(x) * v)
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [float(f(v, tf.constant(1.0))) for v in (a, b, a)] == [4.0, 9.0, 9.0]
    assert (float(a), float(b), len(count)) == (3.0, 3.0, 1)
    with tf.GradientTape() as tape:
        y = f(b, tf.constant(0.0))
    assert float(tape.gradient(y, b)) == 6.0
    f(tf.Variable([1.0, 2.0]), tf.constant([1.0, 1.0]))
    assert len(count) == 2


def test_one_variable_in_two_places_is_another_form() -> None:
    """Assignments through one name are seen through the other."""
    f, count = traced(lambda u, w: u.assign(w + 1.0) + w)
    a, b = tf.Variable(1.0), tf.Variable(5.0)
    assert [float(f(a, b)), float(f(b, a)), len(count)] == [11.0, 13.0, 1]
    assert [float(f(a, a)), float(f(b, b)), len(count)] == [14.0, 16.0, 2]


def test_a_function_that_captured_its_argument() -> None:
    """The same variable as an argument and from outside is one variable."""
    a, b = tf.Variable(1.0), tf.Variable(10.0)
    f = tf.function(lambda v: v.assign_add(1.0) + a)
    assert [float(f(b)), float(f(a)), float(f(b))] == [12.0, 4.0, 14.0]


def test_an_optimizer_has_slots_for_each_variable() -> None:
    """Who asks which variable it is gets a trace for that one."""
    made = tf.optimizers.SGD(0.1, momentum=0.5)

    @tf.function
    def step(v: tf.Variable) -> None:
        with tf.GradientTape() as tape:
            y = v * v
        made.apply_gradients([(tape.gradient(y, v), v)])

    a = tf.Variable(1.0)
    step(a)
    step(a)
    expected = tf.Variable(1.0)
    plain = tf.optimizers.SGD(0.1, momentum=0.5)
    for _ in range(2):
        plain.apply_gradients([(2.0 * expected, expected)])
    assert float(a) == float(expected)


def test_functions_in_functions_pass_variables_on() -> None:
    """Through two functions, to second order."""
    inner = tf.function(lambda v: v * v * v)
    outer = tf.function(lambda v: inner(v) + v)
    for value in (2.0, 3.0):
        v = tf.Variable(value)
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = outer(v)
            g = first.gradient(y, v)
        assert float(g) == 3.0 * value**2 + 1.0
        assert float(second.gradient(g, v)) == 6.0 * value
    assert outer.experimental_get_tracing_count() == 1


def test_a_concrete_function_takes_another_variable() -> None:
    """Of the same form; another form is refused by name."""
    f = tf.function(lambda v, x: v * x)
    concrete = f.get_concrete_function(tf.Variable(2.0), tf.TensorSpec([], tf.float32))
    assert float(concrete(tf.Variable(3.0), tf.constant(2.0))) == 6.0
    assert concrete.captured_inputs == []
    with pytest.raises(TypeError, match=r"VariableSpec\(shape=\(\)"):
        concrete(tf.Variable([3.0]), tf.constant(2.0))


class Form:
    """Objects of one kind and size share a trace, however many there are."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __tf_tracing_type__(self, context: Any) -> Any:
        return FormType(self)


class FormType(tf.types.experimental.TraceType):
    def __init__(self, form: Form) -> None:
        self.form = form

    def is_subtype_of(self, other: Any) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        return self.form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormType) and self.form.size == other.form.size

    def __hash__(self) -> int:
        return hash(self.form.size)


def test_a_class_says_when_its_objects_share_a_trace() -> None:
    f, traces = counted(lambda form, x: x * float(form.size))
    values = [f(Form(n), of(2.0)).numpy() for n in (3, 3, 4, 3)]
    assert values == [6.0, 6.0, 8.0, 6.0]
    assert len(traces) == 2
    assert isinstance(Form(1), tf.types.experimental.SupportsTracingProtocol)


def test_calls_that_find_a_trace_count_against_retracing(caplog: pytest.LogCaptureFixture) -> None:
    """Five traces in some thirty calls are no reason for a warning."""
    f = tf.function(lambda x: x * 2.0)
    for size in range(1, 6):
        for _ in range(6):
            f(tf.ones([size]))
    assert "retracing" not in caplog.text


@pytest.mark.parametrize("value", [object(), {"a": object}], ids=["object", "class"])
def test_a_result_that_is_no_tensor_is_refused(value: Any) -> None:
    @tf.function
    def f() -> Any:
        return value

    with pytest.raises(TypeError, match=r"must return zero or more Tensors.* found return value"):
        f()


def test_an_input_signature_is_a_list() -> None:
    with pytest.raises(TypeError, match="must be either a tuple or a list, got int"):
        tf.function(lambda x: x, input_signature=1)  # type: ignore[call-overload]


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, 2], tf.float32)]])
def test_a_variable_that_begins_with_what_an_argument_tells(signature: Any) -> None:
    """With that of the first call, as in a layer that scales what it is given first; in functions within, too."""
    kept: list[Any] = []

    @tf.function(input_signature=signature)
    def centred(x: Any) -> Any:
        if not kept:
            kept.append(tf.Variable(tf.reduce_mean(x, 0)))
        return x - kept[0]

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert centred(x).numpy().tolist() == [[-1.0, -1.0], [1.0, 1.0]]
    assert centred(x[:1] * 3.0).numpy().tolist() == [[1.0, 3.0]]
    kept.clear()
    within = tf.function(
        lambda x, c: tf.cond(c, lambda: tf.function(centred.python_function)(x * 2.0), lambda: x)
    )
    assert within(x, tf.constant(True)).numpy().tolist() == [[-2.0, -2.0], [2.0, 2.0]]
    kept.clear()
    with pytest.raises(ValueError, match="depends on an argument"):
        tf.function(centred.python_function).get_concrete_function(tf.TensorSpec([None, 2]))


def test_more_ones_than_fit_are_made_when_they_are_needed() -> None:
    """A function of them is traced, and says what shape it gives."""

    @tf.function
    def f(x: Any) -> Any:
        return x + tf.ones([10**10]), tf.zeros([10**10])

    shapes = f.get_concrete_function(tf.TensorSpec([])).output_shapes
    assert shapes == (tf.TensorShape([10**10]), tf.TensorShape([10**10]))


@pytest.mark.parametrize("compiled", [True, False])
def test_checks_that_nobody_reads(compiled: bool) -> None:
    """A check that nobody reads is a check, also where a gradient is taken."""

    @tf.function(jit_compile=compiled)
    def f(x: Any) -> Any:
        y = tf.math.log(x)
        tf.debugging.check_numerics(y, "of a logarithm")
        return x * 2.0

    assert f(tf.constant(1.0)) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="of a logarithm : Tensor had NaN"):
        f(tf.constant(-1.0))
    x = tf.constant(-1.0)
    with tf.GradientTape() as tape, pytest.raises(tf.errors.InvalidArgumentError):
        tape.watch(x)
        f(x)


def in_an_if(x: Any) -> None:
    if x[0] > 0:
        tf.debugging.check_numerics(x, "seen")


def in_a_loop(x: Any) -> None:
    for _ in tf.range(2):
        tf.debugging.check_numerics(x, "seen")


def in_what_a_branch_calls(x: Any) -> None:
    check = tf.function(lambda v: tf.debugging.check_numerics(v, "seen") * 2.0)
    tf.cond(x[0] > 0, lambda: check(x), lambda: x)


def in_a_map(x: Any) -> None:
    tf.map_fn(lambda v: tf.debugging.check_numerics(v, "seen"), x)


def in_the_gradient_of_a_branch(x: Any) -> None:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(x[0] > 0, lambda: tf.debugging.check_numerics(x, "seen") ** 2, lambda: x)
    tape.gradient(y, x)


def in_a_condition(x: Any) -> None:
    def goes_on(i: Any) -> Any:
        tf.debugging.check_numerics(x, "seen")
        return i < 2

    tf.while_loop(goes_on, lambda i: (i + 1,), (0,))


def in_a_condition_of_a_loop_in_a_branch(x: Any) -> None:
    tf.cond(x[0] > 0, lambda: in_a_condition(x), lambda: None)


@pytest.mark.parametrize("jit_compile", [None, False, True])
@pytest.mark.parametrize(
    "checks",
    [
        in_an_if,
        in_a_loop,
        in_what_a_branch_calls,
        in_a_map,
        in_the_gradient_of_a_branch,
        in_a_condition,
        in_a_condition_of_a_loop_in_a_branch,
    ],
)
def test_a_check_within_what_nobody_reads(checks: Any, jit_compile: bool | None) -> None:
    def f(x: Any) -> Any:
        checks(x)
        return tf.ones([])

    made = tf.function(f, jit_compile=jit_compile)
    assert made(tf.constant([1.0, 2.0])).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="seen : Tensor had NaN"):
        made(tf.constant([1.0, np.nan]))
