"""Plans that are kept on disk: who finds one computes the same, and finds only his own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from native_programs import Program, programs, small_shape

import wengert as tf
from wengert import extend
from wengert.core.table import TABLE
from wengert.engines.native.frontend import plan_key
from wengert.engines.native.frontend.plan_key import content_of
from wengert.engines.native.program import load
from wengert.engines.native.runtime import elf_loader
from wengert.execution.plan import Plan, effects

X = tf.constant([[0.5, -1.0, 2.0], [3.0, 0.25, -4.0]])


@pytest.fixture(autouse=True)
def files_of_before(monkeypatch: Any) -> None:
    """Who writes in the library while its tests run does not change what they find."""
    monkeypatch.setattr(plan_key, "LOADED", sys.maxsize)


def content(f: Callable[..., Any], *args: Any) -> bytes | None:
    """The bytes of a function's plan."""
    graph = tf.function(f).get_concrete_function(*(args or (X, X))).graph
    return content_of(Plan(graph.outputs, graph.all_inputs, effects(graph)))


# ---- what differs -------------------------------------------------------------------------------


def bits(pattern: int) -> float:
    return float(np.uint64(pattern).view(np.float64))


def constant(value: Any, dtype: Any = np.float32) -> Callable[..., Any]:
    """A function of two arguments that returns a constant beside them."""
    array = np.array(value, dtype)
    return lambda x, y: [x + y, tf.constant(array)]


def leaky(alpha: float) -> Callable[..., Any]:
    return lambda x, y: tf.nn.leaky_relu(x, alpha=alpha) + y


def same_bits(dtype: Any) -> Callable[..., Any]:
    return constant(np.array([1, 2], np.int32).view(dtype), dtype)


V, W = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([1.0, 2.0, 3.0])


def assigning(*steps: tuple[Any, str, float]) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        before = V + W
        for variable, how, number in steps:
            getattr(variable, how)(variable * number)
        return x + y + before

    return f


def loop(body: Callable[..., Any], count: int = 3) -> Callable[..., Any]:
    return lambda x, y: tf.while_loop(
        lambda i, a: i < count, lambda i, a: (i + 1, body(a, y)), (0, x)
    )[1]


def carrying(body: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: tf.while_loop(
        lambda i, *_: i < 3, lambda i, *ab: (i + 1, *body(*ab)), (0, x, y)
    )[1:]


def choice(one: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: tf.cond(tf.reduce_sum(y) > 1.0, lambda: one(x), lambda: other(x))


def listed(size: int, at: int) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        return tf.TensorArray(tf.float32, size, element_shape=[2, 3]).write(at, x).stack()

    return f


def slope_of(f: Callable[..., Any]) -> Callable[..., Any]:
    def slope(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = f(x, y)
        return tape.gradient(z, x)

    return slope


OTHERS: dict[str, Sequence[Callable[..., Any]]] = {
    "operation": [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y],
    "order of operands": [lambda x, y: x - y, lambda x, y: y - x],
    "wiring": [lambda x, y: x * x + y, lambda x, y: x * y + y, lambda x, y: x * y + x],
    "order of operations": [lambda x, y: x * (y + x), lambda x, y: x * y + x],
    "results": [lambda x, y: [x + y, x * y], lambda x, y: [x * y, x + y], lambda x, y: [x + y, x + y],
                lambda x, y: [x + y], lambda x, y: [x + y, x]],
    "an argument more": [lambda x, y, *_: x + y, lambda x, *_: x + x],
    "a number": [leaky(0.1), leaky(0.2), leaky(np.nextafter(0.1, 1.0))],
    "the sign of zero": [leaky(0.0), leaky(-0.0)],
    "what a NaN carries": [leaky(bits(0x7FF8000000000000)), leaky(bits(0x7FF8000000000001)),
                           leaky(bits(0xFFF8000000000000))],
    "an axis": [lambda x, y: tf.reduce_sum(x + y, 0), lambda x, y: tf.reduce_sum(x + y, 1),
                lambda x, y: tf.reduce_sum(x + y)],
    "a truth value": [lambda x, y: tf.reduce_sum(x * y, 1, keepdims=True)[:, 0] + x[:, 0],
                      lambda x, y: tf.reduce_sum(x * y, 1, keepdims=False) + x[:, 0]],
    "how it is turned": [lambda x, y: tf.matmul(x, y, transpose_a=True),
                         lambda x, y: tf.matmul(x, y, transpose_b=True)],
    "a slice": [lambda x, y: x[:, 1:] + y[:, :2], lambda x, y: x[:, :2] + y[:, 1:],
                lambda x, y: x[:, ::2] + y[:, 1:], lambda x, y: x[:, -2:] + y[..., :2]],
    "a shape": [lambda x, y: tf.reshape(x + y, [3, 2]), lambda x, y: tf.reshape(x + y, [6]),
                lambda x, y: tf.reshape(x + y, [6, 1])],
    "a dtype": [lambda x, y: tf.cast(x + y, tf.int32), lambda x, y: tf.cast(x + y, tf.int64),
                lambda x, y: tf.cast(x + y, tf.float16), lambda x, y: tf.cast(x + y, tf.bfloat16)],
    "a constant": [constant([1.0, 2.0]), constant([2.0, 1.0]), constant([[1.0, 2.0]]),
                   constant([1.0, 2.0], np.float64), constant([0.0, 1.0]), constant([-0.0, 1.0]),
                   constant([bits(0x7FF8000000000000), 1.0], np.float64),
                   constant([bits(0x7FF8000000000001), 1.0], np.float64)],
    "the dtype of the same bytes": [same_bits(np.int32), same_bits(np.uint32), same_bits(np.float32)],
    "a loop": [loop(lambda a, x: a + x), loop(lambda a, x: a * x), loop(lambda a, x: x + a),
               loop(lambda a, x: a + x, 5), loop(lambda a, x: a + 1.0), loop(lambda a, x: a + 2.0),
               loop(lambda a, x: loop(lambda b, x: b + x)(a, x)),
               loop(lambda a, x: loop(lambda b, x: b - x)(a, x)),
               loop(lambda a, x: a + V)],
    "what a loop carries": [carrying(lambda a, b: (b, a)), carrying(lambda a, b: (a, b)),
                            carrying(lambda a, b: (a, a)), carrying(lambda a, b: (b, b))],
    "a list": [listed(3, 1), listed(4, 1), listed(3, 2)],
    "branches": [choice(tf.exp, tf.sin), choice(tf.sin, tf.exp), choice(tf.exp, tf.exp),
                 choice(tf.exp, lambda x: x * V[0]),
                 lambda x, y: tf.switch_case(tf.cast(y[0, 0], tf.int32), [lambda: tf.exp(x), lambda: tf.sin(x)])],
    "a stream": [lambda x, y: tf.random.uniform([3]) * x, lambda x, y: tf.random.normal([3]) * x,
                 lambda x, y: tf.random.uniform([1]) * x],
    "assignments": [assigning(), assigning((V, "assign", 2.0)), assigning((W, "assign", 2.0)),
                    assigning((V, "assign_add", 2.0)), assigning((V, "assign_sub", 2.0)),
                    assigning((V, "assign", 2.0), (V, "assign_add", 2.0)),
                    assigning((V, "assign_add", 2.0), (V, "assign", 2.0)),
                    assigning((V, "assign", 2.0), (W, "assign", 2.0))],
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_other_graphs_have_other_bytes(what: str) -> None:
    """Whatever is different; and each has the same bytes again when it is traced again."""
    found = [content(f) for f in OTHERS[what]]
    assert None not in found
    assert len(set(found)) == len(found)
    assert [content(f) for f in OTHERS[what]] == found


def test_other_arguments_have_other_bytes() -> None:
    """Their shapes, dtypes, number and order."""

    def f(x: Any, y: Any = None, z: Any = None) -> Any:
        return tf.exp(x)

    ones = [tf.ones([2, 3]), tf.ones([3, 2]), tf.ones([6]), tf.ones([6, 1]), tf.ones([])]
    ones += [tf.ones([6], tf.float64), tf.ones([6], tf.float16), tf.ones([6], tf.bfloat16)]
    found = [content(f, x) for x in ones]
    found += [content(f, ones[2], ones[0]), content(f, ones[2], ones[2])]
    found += [content(lambda y, x: tf.exp(x), ones[0], ones[2])]
    assert len({*found, None}) == len(found) + 1


def test_what_is_around_is_in_the_bytes(monkeypatch: Any) -> None:
    """The number of threads, the files of the library, the versions of Python and NumPy."""
    usual = content(OTHERS["operation"][0])
    for where, name, value in (
        (plan_key, "get_threads", lambda: 77),
        (plan_key, "_files", lambda: ()),
        (np, "__version__", "0.0"),
        (sys, "version", "0.0"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, value)
            assert content(OTHERS["operation"][0]) not in (usual, None)
    assert content(OTHERS["operation"][0]) == usual


def test_a_file_that_changes(tmp_path: Path) -> None:
    """Whatever changes in a folder of sources, also if its size and its time stay."""
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner" / "a.py"
    file.write_text("x = 1")
    found = [sorted(plan_key._sources(str(tmp_path)))]
    before = file.stat()
    file.write_text("x = 2")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    found.append(sorted(plan_key._sources(str(tmp_path))))
    (tmp_path / "b.py").write_text("")
    found.append(sorted(plan_key._sources(str(tmp_path))))
    assert found[0] != found[1] != found[2]
    assert len(plan_key._files()) > 100


def test_files_that_are_newer_than_the_process(monkeypatch: Any) -> None:
    """They do not say what runs here: nothing is kept, and nothing is found."""
    plan_key._files.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(plan_key, "LOADED", 0)
        assert content(OTHERS["operation"][0]) is None
    assert content(OTHERS["operation"][0]) is not None


class Mine:
    """A value that cannot be written down."""


@pytest.mark.parametrize(
    "values",
    [
        [1, 1.0, True, 1 + 0j, "1", b"1", (1,), [1], np.int32(1), np.int64(1), np.array(1), ((1,),)],
        [0.0, -0.0, 0, False, None, "", (), [], np.float32(0.0), np.float32(-0.0), np.float64(0.0)],
        [tf.float32, "float32", np.dtype("float32"), tf.float64, np.dtype(">f4"), ("DType", "float32")],
        [slice(1, 2), slice(1, 2, None), slice(1, 2, 1), (1, 2), ("slice", [1, 2, None])],
        [tf.TensorShape([1, 2]), tf.TensorShape([1, None]), tf.TensorShape(None), [1, 2], [1, None]],
        [np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros(4, np.float32), np.zeros(2, "i8")],
        ["ab", ("a", "b"), ["a", "b"], ("ab",), "a", ..., "Ellipsis"],
    ],
)  # fmt: skip
def test_other_values_have_other_bytes(values: list[Any]) -> None:
    """Types count, and every bit; only the two ways to write one slice are one."""
    found = [plan_key.exactly({"a": v}) for v in values]
    equal = sum(isinstance(v, slice) and v == slice(1, 2) for v in values)
    assert len(set(found)) == len(found) - max(equal - 1, 0)
    assert plan_key.exactly({"a": values[0], "b": 1}) == plan_key.exactly({"b": 1, "a": values[0]})
    assert plan_key.exactly({"b": values[0]}) != found[0]


@pytest.mark.parametrize(
    "value",
    [Mine(), Mine, lambda x: x, len, np.array([Mine()]), {1: 2}, {1}, range(3), (1, [Mine()]),
     type("Int", (int,), {})(1), np.zeros(2, [("a", "f4")])],
)  # fmt: skip
def test_what_has_no_bytes(value: Any) -> None:
    """What would be said by its address, by its name or in part, is not said at all."""
    with pytest.raises(plan_key.Inexact):
        plan_key.exactly({"a": value})


def test_what_users_wrote_is_not_kept() -> None:
    """Their kernels, their Python; ours beside it in a graph without them is."""
    cube = extend.op("Cube", lambda xp, x: x * x * x, elementwise=True)
    named = extend.op("Turned", "negative", elementwise=True)

    assert content(lambda x, y: extend.apply(cube, (x,)) + y) is None
    assert content(lambda x, y: extend.apply(named, (x,)) + y) is None
    assert content(lambda x, y: tf.numpy_function(np.sin, [x], tf.float32)) is None
    assert content(loop(lambda a, x: extend.apply(cube, (a,)))) is None
    assert (
        content(
            loop(lambda a, x: tf.ensure_shape(tf.numpy_function(np.sin, [a], tf.float32), [2, 3]))
        )
        is None
    )
    assert content(choice(lambda x: extend.apply(named, (x,)), tf.exp)) is None
    assert content(lambda x, y: tf.exp(x) + y) is not None


def test_what_was_given_another_gradient_is_kept() -> None:
    """It computes what it did: the gradient is in the graph, or is not."""

    @tf.RegisterGradient("Twice")
    def twice(op: Any, g: Any) -> Any:
        return 2.0 * g

    def overridden(x: Any, y: Any) -> Any:
        with tf.compat.v1.get_default_graph().gradient_override_map({"Exp": "Twice"}):
            return tf.exp(x) + y

    usual = content(lambda x, y: tf.exp(x) + y)
    assert usual is not None
    assert content(overridden) == usual


def test_a_row_that_was_exchanged_is_not_ours(monkeypatch: Any) -> None:
    """Whoever puts something else in its place gets it."""
    row = TABLE["Exp"]
    usual = content(lambda x, y: tf.exp(x) + y)
    monkeypatch.setitem(TABLE, "Exp", extend.Row("Exp", lambda xp, x: xp.sin(x), elementwise=True))
    assert content(lambda x, y: tf.exp(x) + y) is None
    monkeypatch.undo()
    monkeypatch.setattr(row, "kernel", lambda xp, x: xp.sin(x))
    assert content(lambda x, y: tf.exp(x) + y) is None
    monkeypatch.undo()
    monkeypatch.setattr(row, "kernel", TABLE["Sigmoid"].kernel)
    assert content(lambda x, y: tf.exp(x) + y) not in (usual, None)


def test_a_custom_gradient_is_kept() -> None:
    """What a graph holds of it hands values on; the rule itself is in the graph, or is not."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return tf.exp(x), lambda g: g * 3.0

    def slope(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = f(x) * y
        return tape.gradient(z, x)

    assert content(slope) is not None


# ---- the same, bit for bit ----------------------------------------------------------------------


@pytest.fixture
def keeping(tmp_path: Path, monkeypatch: Any) -> Path:
    """An empty folder, in which plans are kept."""
    monkeypatch.setenv("WENGERT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(load, "content_of", content_of)
    return tmp_path


def outcomes(f: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Any], str, bool]:
    """The bytes of the results, what the plan is said to do, and whether it was kept."""
    traced = tf.function(f, jit_compile=True)
    results = [(y.numpy().tobytes(), y.shape, y.dtype) for y in tf.nest.flatten(traced(*args))]
    run = traced.get_concrete_function(*args)._subgraph.current
    run = getattr(run, "inner", run)
    was_kept = hasattr(run, "running") and run.running.was_kept
    return results, str(traced.plan(*args)), was_kept


def assert_kept(f: Callable[..., Any], *args: Any, native: bool = True) -> None:
    """Another trace finds the plan of the first; with and without it all is the same."""
    first, second = outcomes(f, args), outcomes(f, args)
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == (False, native)


def descending(x: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.softmax(tf.matmul(x, tf.transpose(x)) * V[0]) ** 2)
    return loss, tape.gradient(loss, V)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.exp(x) * x + 1.0,
        lambda x: tf.matmul(x, tf.transpose(x)) @ x,  # products
        lambda x: x * tf.constant([[1.0, 2.0, 3.0]]) + tf.constant([[0.5], [7.0]]),  # constants
        lambda x: tf.linalg.pinv(tf.linalg.pinv(tf.exp(x))) * 2.0,  # steps of NumPy's
        lambda x: tf.debugging.check_numerics(tf.exp(x), "wrong") + x,  # checks
        lambda x: tf.concat([x, tf.exp(x)], 0)[1:],  # pieces
        lambda x: tf.gather(tf.exp(x), [1, 0, 1]),
        descending,
        lambda x: loop(lambda a, y: tf.sin(a) * y)(x, x),
        lambda x: choice(tf.sin, tf.cos)(x, x),
        lambda x: slope_of(loop(lambda a, y: tf.sin(a) * y))(x, x),
        lambda x: slope_of(choice(tf.sin, tf.cos))(x, x),
        lambda x: tf.scan(lambda a, b: a * b + 1.0, x),
        lambda x: slope_of(lambda a, y: tf.map_fn(tf.sin, a) * y)(x, x),
    ],
)
def test_a_kept_plan_computes_the_same(keeping: Path, f: Callable[..., Any]) -> None:
    assert_kept(f, X)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(programs(small_shape), st.booleans())
def test_random_programs_kept(keeping: Path, program: Program, with_gradient: bool) -> None:
    """The results and the description, without a kept plan and with one."""
    f = program.gradient if with_gradient and program.has_gradient else program
    args = [tf.constant(x) for x in program.inputs]
    first, second = outcomes(f, args), outcomes(f, args)
    assert first[:2] == second[:2]


def test_variables_are_written_in_place(keeping: Path) -> None:
    """A plan that was kept is called with other variables, which it changes."""

    def trained(steps: int) -> list[Any]:
        v = tf.Variable([[1.0, 2.0, 3.0]])

        @tf.function(jit_compile=True)
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(x * v))
            v.assign_sub(0.01 * tape.gradient(loss, v))
            return loss

        return [step(X).numpy() for _ in range(steps)] + [v.numpy().tobytes()]

    assert trained(5) == trained(5)
    assert len(list(keeping.glob("*.plan"))) == 1


def test_there_may_be_nothing_to_compile(keeping: Path) -> None:
    """That, too, is known from then on; NumPy computes it."""
    assert_kept(lambda x: tf.linalg.svd(x, compute_uv=False), X, native=False)
    assert len(list(keeping.glob("*.plan"))) == 1


def test_a_plan_without_its_code(keeping: Path) -> None:
    """What the limit took away is made again, with the plan."""
    f = lambda x: tf.exp(x) * 3.0  # noqa: E731
    assert_kept(f, X)
    for file in keeping.glob("*.o"):
        file.unlink()
    assert_kept(f, X)


@pytest.mark.parametrize("data", [b"", b"not marshalled", b")\x01N", b"i\x01\x00\x00\x00"])
def test_what_is_no_plan(keeping: Path, monkeypatch: Any, data: bytes) -> None:
    """A file that is whole, and holds something else."""
    f = lambda x: tf.exp(x) * 4.0  # noqa: E731
    wanted = outcomes(f, [X])[0]
    usual = load.read_file  # type: ignore[attr-defined]
    monkeypatch.setattr(load, "read_file", lambda n: data if n.endswith(".plan") else usual(n))
    assert outcomes(f, [X])[0] == wanted


# ---- from process to process --------------------------------------------------------------------

WARM = """
import sys
import wengert as tf
from wengert.engines.native.runtime import llvm_calls
w = tf.Variable(tf.ones([100, 30]))
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(tf.matmul(tf.exp(x), w)))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss
print(float(step(tf.ones([64, 100]))), float(tf.reduce_sum(w)))
makers = (
    "frontend.lanes", "frontend.lowering", "optimize.fuse", "optimize.simplify",
    "codegen.loop_emitter", "program.build",
)
print(*[m for m in makers if f"wengert.engines.native.{m}" in sys.modules], bool(llvm_calls.calls.cache_info().currsize))
plan = str(step.plan(tf.ones([64, 100])))
print(plan)
"""


def test_a_second_process_loads_nothing_of_the_makers(tmp_path: Path) -> None:
    """Whatever the order of its dictionaries; and shows the same plan when it is asked."""

    def printed(seed: str) -> list[str]:
        environment = {"WENGERT_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", WARM]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    cold, warm = printed("1"), printed("2")
    assert cold[1].endswith("codegen.loop_emitter program.build True")
    assert warm[1] == str(not elf_loader.is_known())  # LLVM, unless it loads object files here
    assert cold[:1] + cold[2:] == warm[:1] + warm[2:]
