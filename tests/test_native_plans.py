"""What the native engine makes of a program: its loops, products and memory, and what it leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.codegen.function_writer import FunctionWriter
from wengert.engines.native.codegen.gemm_forms import Function
from wengert.engines.native.program import modules
from wengert.engines.native.program.arena import ALIGNED, Arena
from wengert.engines.native.runtime import elf_loader, llvm, llvm_calls, pieces, processor
from wengert.engines.native.runtime.llvm import LoadedObject


def kinds(f: Any, *args: Any) -> list[str]:
    return [step["kind"] for step in tf.function(f, jit_compile=True).plan(*args).steps]


def value_and_gradient(f: Any) -> Any:
    def both(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, x)

    return both


X = tf.ones([64, 100])


# ---- fusion -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.exp(x) * x + 1.0,
        value_and_gradient(lambda x: tf.reduce_sum(tf.exp(x) * x)),
        tf.nn.softmax,
        value_and_gradient(lambda x: tf.reduce_sum(tf.nn.softmax(x) * x, axis=1)),
        lambda x: (x - tf.reduce_mean(x, 1, keepdims=True)) / tf.math.reduce_std(x, 1, keepdims=True),
        lambda x: tf.transpose(tf.reshape(x, [100, 64]))[::2] * 2.0,
        lambda x: x + tf.one_hot(tf.range(64), 100),
    ],
)  # fmt: skip
def test_one_loop(f: Any) -> None:
    """Producers and consumers, siblings, and rows that depend on sums of themselves are one loop."""
    assert kinds(f, X) == ["loop"]


def test_sums_of_many_rows_end_a_loop() -> None:
    """The sum of all is there when the loop is done, and put together by another."""
    both = value_and_gradient(lambda x: tf.reduce_sum(tf.exp(x)))
    assert kinds(both, tf.ones([1 << 20])) == ["loop", "loop"]


def test_products_and_what_is_around_them() -> None:
    """A product with bias and activation, by the product itself or in one loop, and a sum of two."""
    w, b, v = tf.ones([100, 30]), tf.ones([30]), tf.ones([100, 1])
    assert kinds(lambda x: tf.nn.relu(tf.matmul(x, w) + b), X) == ["product"]
    assert kinds(lambda x: tf.nn.relu(tf.matmul(x, v) + 1.0), X) == ["product", "loop"]  # by BLAS
    assert kinds(lambda x: tf.matmul(x, w) @ tf.transpose(w) + x, X) == ["product", "product"]


def _batches(*shapes: Any) -> list[Any]:
    rng = np.random.default_rng(0)
    return [tf.constant(rng.normal(size=shape)) for shape in shapes]


@pytest.mark.parametrize(
    ("f", "shapes", "kind", "parts"),
    [
        (lambda x, w: x @ w, [(6, 40, 30), (30, 20)], ["product"], 1),
        (lambda x, w: tf.matmul(x, w, transpose_b=True), [(2, 3, 4, 30), (20, 30)], ["product"], 1),
        (lambda x, w: tf.transpose(x, [0, 2, 1]) @ w, [(6, 30, 40), (30, 20)], ["product"], 6),
        (lambda x, w: x @ w, [(6, 40, 30), (6, 30, 20)], ["product"], 6),
        # Sums of products: of many batches, and where what is summed over does not lie in a row.
        (lambda x, g: tf.reduce_sum(tf.matmul(x, g, transpose_a=True), 0), [(6, 40, 130), (6, 40, 20)],
         ["product"], 1),
        (lambda x, g: tf.reduce_sum(tf.matmul(x, g, transpose_a=True), [0, 1]),
         [(2, 3, 40, 130), (2, 3, 40, 20)], ["product"], 1),
        (lambda x, g: tf.reduce_sum(x @ g, 0), [(6, 130, 40), (6, 40, 20)], ["product", "loop"], 6),
        (lambda x, g: tf.reduce_sum(tf.matmul(x, g, transpose_a=True), 0), [(6, 40, 30), (6, 40, 20)],
         ["product", "loop"], 6),
    ],
)  # fmt: skip
def test_products_of_a_batch(f: Any, shapes: Any, kind: list[str], parts: int) -> None:
    """Rows times one matrix are one product, and so is a sum of products, where BLAS can read it."""
    args = _batches(*shapes)
    steps = tf.function(f, jit_compile=True).plan(*args).steps
    assert [s["kind"] for s in steps] == kind
    assert steps[0]["parts"] == parts
    np.testing.assert_allclose(tf.function(f)(*args), f(*args), rtol=1e-12, atol=1e-12)


def test_the_gradient_of_a_matrix_for_a_batch_is_one_product() -> None:
    """Summed over the batch by the product itself."""
    x, w = _batches((6, 40, 130), (130, 20))

    def slope(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.sin(x @ w))
        return tape.gradient(y, w)

    steps = tf.function(slope, jit_compile=True).plan(x, w).steps
    assert [s["kind"] for s in steps] == ["product", "product"]
    assert steps[1]["size"] == [130, 240, 20]
    np.testing.assert_allclose(tf.function(slope)(x, w), slope(x, w), rtol=1e-12, atol=1e-12)


def test_a_step_of_training_is_one_call() -> None:
    """Reading, gradient and update, with the weights updated by the product itself."""
    w = tf.Variable(tf.ones([100, 30]))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, w)))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    plan = tf.function(step).plan(X)
    assert "NumPy" not in [s["kind"] for s in plan.steps]
    assert "AssignSubVariableOp" in str(plan).splitlines()[-1]
    assert plan.steps[-1]["kind"] == "product"


def test_the_plan_of_a_trace_of_unknown_size_is_that_of_the_call() -> None:
    """Without the sizes of a call nothing is known but what NumPy would do."""
    bias = tf.Variable(tf.ones([4]))
    spec = tf.TensorSpec([None, 4], tf.float32)
    f: Any = tf.function(lambda x: tf.exp(x) * x + bias, input_signature=[spec])
    assert [s["kind"] for s in f.plan().steps] == ["NumPy"] * 4
    (loop,) = f.plan(tf.ones([3, 4])).steps
    assert (loop["kind"], np.prod(loop["size"])) == ("loop", 12)
    assert [s["kind"] for s in f.plan(tf.TensorSpec([5, 4], tf.float32)).steps] == ["loop"]


def test_nothing_is_computed_twice_or_in_vain() -> None:
    """Equal operations are one, and what nobody asks for is left out."""

    def f(x: Any) -> Any:
        tf.matmul(x, x, transpose_b=True)
        return tf.matmul(x, x, transpose_a=True), tf.matmul(x, x, transpose_a=True) + 1.0

    assert kinds(f, X) == ["product"]


def test_slices_by_one_matrix_and_sums_of_products() -> None:
    """The steps of a recurrent network: one product for all inputs, one for their gradient."""
    w = tf.ones([16, 8])

    def gradient(xs: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.add_n([tf.square(tf.matmul(xs[k], w)) for k in range(5)])
        return tape.gradient(y, w)

    xs = tf.ones([5, 4, 16])
    assert kinds(gradient, xs, w).count("product") == 2
    got = tf.function(gradient, jit_compile=True)(xs, w)
    np.testing.assert_allclose(got, gradient(xs, w), rtol=1e-6)


def test_between_steps_of_numpy() -> None:
    """What has no better home is NumPy's, and said to be."""
    plan = tf.function(lambda x: tf.math.special.spence(x + 1.0) * 2.0).plan(X)
    assert [s["kind"] for s in plan.steps] == ["loop", "NumPy", "loop"]
    assert plan.steps[1]["made of"][0].startswith("Spence at ")


def test_cheap_values_are_computed_again() -> None:
    """What is twice an array in memory is not written for the loop after the sum."""

    def f(x: Any) -> Any:
        u = x * 2.0 + 1.0
        return u * tf.reduce_sum(tf.exp(u))

    x = tf.ones([1 << 16])
    plan = tf.function(f).plan(x)
    assert [s["kind"] for s in plan.steps] == ["loop", "loop", "loop"]
    assert plan.steps[0]["bytes"] < 1.1 * 4 * (1 << 16)


@pytest.mark.parametrize("axis", [0, 1])
def test_gathers_are_read_where_they_are_used(axis: int) -> None:
    """One loop checks the indices, another one reads; a wrong index is an error."""
    f = tf.function(
        lambda x, i: tf.reduce_sum(tf.gather(x, i, axis=axis) * 2.0, 1), jit_compile=True
    )
    x, i = tf.constant(np.random.default_rng(0).normal(size=(6, 7))), tf.constant([5, 0, 3])
    assert [s["kind"] for s in f.plan(x, i).steps] == ["loop", "loop"]
    want = np.take(x.numpy(), [5, 0, 3], axis).sum(1) * 2.0
    np.testing.assert_allclose(f(x, i), want)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 7 is not in"):
        f(x, tf.constant([5, 7, 3]))


# ---- the description --------------------------------------------------------------------------


def test_a_plan_in_words() -> None:
    """Bytes, arithmetic, and the lines of the program."""
    plan = tf.function(lambda x: tf.exp(x) * x).plan(tf.ones([1000]))
    (step,) = plan.steps
    assert step["bytes"] == 8000
    assert step["flops"] > 1000
    assert [line.split(" at ")[0] for line in step["made of"]] == ["Exp", "Mul"]
    assert __file__ in str(plan)
    assert "1 steps of the native engine" in str(plan)


@pytest.mark.parametrize(("columns", "arrays"), [(3, 2), (4, 1), (20, 1)])
def test_what_is_overwritten_in_place(columns: int, arrays: int) -> None:
    """Not rows that are parts of vectors: each would wait for what the one before it wrote."""
    x, y = tf.ones([1000, columns]), tf.ones([1000, 1])
    f = tf.function(lambda x, y: tf.cumsum(tf.cumsum(x, 0) * y, 0), jit_compile=True)
    assert f.plan(x, y).peak // (4000 * columns) == arrays + 1  # and the result


def test_the_plan_of_the_other_engine() -> None:
    plan = tf.function(lambda x: tf.exp(x) * x, jit_compile=False).plan(tf.ones([8]))
    assert [s["kind"] for s in plan.steps] == ["NumPy", "NumPy"]


# ---- unknown sizes ----------------------------------------------------------------------------


def test_sizes_that_a_call_brings() -> None:
    """A graph of unknown sizes is compiled for those that come, with the same results."""

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
    def f(x: Any) -> Any:
        return tf.nn.softmax(x) * tf.reduce_sum(x, 0), tf.shape(x)

    for rows in (1, 2, 5, 2, 0, 20, 30, 40, 50, 60, 70, 80, 90):
        x = tf.constant(np.random.default_rng(rows).normal(size=(rows, 3)))
        y, shape = f(x)
        np.testing.assert_allclose(y, tf.nn.softmax(x) * tf.reduce_sum(x, 0), rtol=1e-12)
        assert shape.numpy().tolist() == [rows, 3]
    assert f.experimental_get_tracing_count() == 1


# ---- memory -----------------------------------------------------------------------------------


def test_arena_reuses_what_was_given_back() -> None:
    """Places do not overlap while both are in use, and the arena stays small."""
    arena = Arena()
    first, second = arena.take(1000), arena.take(10)
    arena.give(first, 1000)
    assert arena.take(500) == first
    assert arena.take(400) == first + 512
    assert arena.take(2000) == second + ALIGNED
    assert arena.size == 1024 + ALIGNED + 2048


def test_arena_grows_at_its_end() -> None:
    """A last piece that is free but too small is made larger."""
    arena = Arena()
    at = arena.take(100)
    arena.give(at, 100)
    assert arena.take(1000) == at
    assert arena.size == 1024


# ---- object files -----------------------------------------------------------------------------

TWICE = "define double @twice(double %x) {\n%y = fmul double %x, 2.0\nret double %y\n}"
CALLING = "declare double @cos(double)\ndefine double @f(double %x) {\n%y = call double @cos(double %x)\nret double %y\n}"  # fmt: skip


WITHOUT_LLVM = pytest.mark.skipif(
    not elf_loader.is_known(), reason="object files of this system are loaded by LLVM"
)


@WITHOUT_LLVM
@pytest.mark.parametrize(
    ("text", "name", "want"), [(TWICE, "twice", 3.0), (CALLING, "f", np.cos(1.5))]
)
def test_objects_are_loaded_without_llvm(text: str, name: str, want: float) -> None:
    """Code, its constants, and functions of the system."""
    import ctypes

    data = llvm.compile_text(text)
    for load in (elf_loader.Image(data).address, llvm._by_llvm(data)):
        assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(load(name))(1.5) == want


def long_module(kernels: int, lines: int = 400) -> str:
    """Kernels that call a helper, which calls another one."""
    helpers = (
        "define internal double @twice.f8(double %x) {\n%y = call double @once(double %x)\n"
        "%z = fadd double %y, %x\nret double %z\n}\n"
        "define internal double @once(double %x) {\nret double %x\n}\n"
    )
    found = ["declare double @llvm.fabs.f64(double)\n", helpers]
    for k in range(kernels):
        steps = "".join(f"%v{i + 1} = fadd double %v{i}, {float(k)}\n" for i in range(lines))
        found.append(
            f"define double @k{k}(double %x) {{\n%a = call double @llvm.fabs.f64(double %x)\n"
            f"%v0 = call double @twice.f8(double %a)\n{steps}ret double %v{lines}\n}}\n"
        )
    return "".join(found)


def test_long_modules_are_compiled_in_pieces(monkeypatch: Any) -> None:
    """By several threads; every kernel is there, and computes what it did."""
    import ctypes

    text = long_module(11).rstrip()
    parts = pieces.pieces_of(text, 3)
    assert [part.count("@twice.f8(double %x)") for part in parts] == [1, 1, 1]
    assert sorted(re.findall(r"define double @(k\d+)", "".join(parts))) == sorted(
        f"k{k}" for k in range(11)
    )
    monkeypatch.setattr(llvm, "get_threads", lambda: 3)
    data = llvm.compile_text(text)
    assert len(pieces.objects_in(data)) == 3
    loaded = LoadedObject(data)
    for k in range(11):
        kernel = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(loaded.address(f"k{k}"))
        assert kernel(-1.0) == 2.0 + 400 * k
    with pytest.raises(KeyError):
        loaded.address("k11")


@pytest.mark.parametrize("lacking", ["threads", "unlocked"])
def test_pieces_without_threads_or_in_turn(lacking: str, monkeypatch: Any) -> None:
    """Where the system has no more threads, or llvmlite another form."""
    monkeypatch.setattr(llvm, "get_threads", lambda: 2)
    if lacking == "threads":
        monkeypatch.setattr(llvm, "start_new_thread", _raising(RuntimeError("no more")))
    else:
        monkeypatch.setitem(llvm_calls._SHORT, "NoSuchFunction", (None,))
        llvm_calls.calls.cache_clear()
        llvm._target.cache_clear()
        assert llvm_calls.calls() is None
    assert len(pieces.objects_in(llvm.compile_text(long_module(8)))) == 2
    llvm_calls.calls.cache_clear()
    llvm._target.cache_clear()


def looping(name: str, lines: int = 300) -> Function:
    """A function that adds up a number so often."""
    w = FunctionWriter(1)

    def more(_: str, values: list[str]) -> list[str]:
        for _add in range(lines):
            values = [w.set(f"fadd double {values[0]}, 1.0")]
        return values

    (total,) = w.loop(0, 5, 1, more, [("double", w.read("f8", w.arrays[0], 0, 1))])
    w.write("f8", w.arrays[0], 0, total, 1)
    return w.function()


def test_functions_are_compiled_while_others_are_written(monkeypatch: Any) -> None:
    """A module is complete with a few hundred lines; what was written last is compiled at the end."""
    import ctypes

    monkeypatch.setattr(llvm, "get_threads", lambda: 2)
    functions = {f"@k{k}": looping(f"@k{k}") for k in range(3)}
    functions["@k3"] = Function("entry:\nret void", frozenset(), ())
    for begins in (True, False):
        with modules.Ahead(begins) as ahead:
            for name in functions:
                ahead.add(name, functions)
                ahead.add(name, functions)
            assert ahead._compilation._begun >= begins
            objects = ahead.results()
        assert len(objects) == 4
        loaded = LoadedObject(pieces.joined(objects))
        for k in range(4):
            x = ctypes.c_double(2.0)
            table = (ctypes.c_void_p * 1)(ctypes.addressof(x))
            run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(loaded.address(f"k{k}"))
            run(ctypes.addressof(table), 0)
            assert x.value == (2.0 if k == 3 else 1502.0)


def test_loops_that_are_known_to_run_once_or_never() -> None:
    """They are no loops."""
    w = FunctionWriter(1)
    assert w.loop(3, 3, 1, lambda i, values: values, [("i64", "7")]) == ["7"]
    assert w.loop("2", 5, 3, lambda i, values: [w.add(i, *values)], [("i64", "7")]) == ["9"]
    assert (w.add("%x", 0), w.mul("%x", 1), w.mul("%x", "0"), w.sub(5, "2")) == (
        "%x",
        "%x",
        "0",
        "3",
    )
    assert (w.div("%x", 1), w.div("7", 2)) == (("%x", "0"), ("3", "1"))
    assert "phi" not in w.function().text
    (end,) = w.loop(0, 2, 1, lambda i, values: [w.add(i, *values)], [("i64", "7")])
    assert w.function().text.count("phi") == 2
    assert w.function().text.count("icmp") == 1
    assert end in w.function().text


def test_functions_without_loops_are_compiled_with_less_effort(monkeypatch: Any) -> None:
    """They are in pieces of their own, with those that call none with a loop."""
    loop = (
        "define double @count(double %x) {\nentry:\nbr label %again\nagain:\n"
        "%i = phi i64 [ 0, %entry ], [ %j, %again ]\n%j = add i64 %i, 1\n"
        "%go = icmp ult i64 %j, 9\nbr i1 %go, label %again, label %end\nend:\n"
        "%y = sitofp i64 %j to double\nret double %y\n}\n"
    )
    caller = "define double @caller(double %x) {\n%y = call double @count(double %x)\n"
    caller += "".join(f"%z{k} = fadd double %x, {float(k)}\n" for k in range(150))
    caller += "ret double %y\n}\n"
    efforts: list[Any] = []
    compiled = llvm._compiled

    def noting(text: str, effort: int, at: int = 0) -> bytes:
        efforts.append((effort, text))
        return compiled(text, effort, at)

    monkeypatch.setattr(llvm, "get_threads", lambda: 1)
    monkeypatch.setattr(llvm, "_compiled", noting)
    data = llvm.compile_text(long_module(8) + loop + caller)
    of_effort = dict(efforts)
    assert of_effort.keys() == {llvm.LOOPS, llvm.STRAIGHT}
    assert "@caller" in of_effort[llvm.LOOPS]
    assert "@k0" not in of_effort[llvm.LOOPS]
    assert "@count" not in of_effort[llvm.STRAIGHT]
    assert all(LoadedObject(data).address(name) for name in ("k0", "k7", "caller"))


def _raising(error: Exception) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        raise error

    return function


def test_an_error_in_one_piece_is_that_of_all(monkeypatch: Any) -> None:
    monkeypatch.setattr(llvm, "get_threads", lambda: 2)
    wrong = "define double @wrong(double %x) {\n%y = fadd double %x, %none\nret double %y\n}\n"
    with pytest.raises(RuntimeError, match="none"):
        llvm.compile_text(long_module(8) + wrong)


def test_short_modules_and_those_with_variables_stay_whole() -> None:
    """Of a variable each piece would have one of its own."""
    assert pieces.pieces_of(TWICE, 8) == [TWICE]
    text = long_module(8)
    assert pieces.pieces_of(text, 1) == [text]
    stateful = "@count = internal global i64 0\n" + text
    assert pieces.pieces_of(stateful, 8) == [stateful]
    constant = "@table = private constant [2 x i64] [i64 1, i64 2]\n" + text
    assert len(pieces.pieces_of(constant, 2)) == 2


def test_what_is_no_object_is_left_to_llvm() -> None:
    with pytest.raises(elf_loader.Unloadable):
        elf_loader.Image(b"something else")
    data = llvm.compile_text(TWICE)
    for address in (LoadedObject(data).address, llvm._by_llvm(data)):
        with pytest.raises(KeyError):
            address("thrice")


@WITHOUT_LLVM
def test_a_function_that_is_nowhere_is_left_to_llvm() -> None:
    with pytest.raises(elf_loader.Unloadable, match="function"):
        elf_loader.Image(llvm.compile_text(CALLING.replace("@cos", "@no_such_function")))


def test_the_processor_as_llvm_sees_it() -> None:
    """What is read from the system agrees with what LLVM says."""
    asked = {f[1:] for f in processor.asked()[1].split(",") if f.startswith("+")}
    for feature in ("avx", "avx2", "fma", "avx512f"):
        assert (feature in processor.features()) == (feature in asked)


# ---- the first use, by many at once --------------------------------------------------------------

AT_ONCE = """
import sys, threading
import numpy as np
import wengert as tf

sys.setswitchinterval(1e-6)
x = tf.constant(np.linspace(-1.0, 1.0, 300_000))
wrong = []


def work(k):
    f = tf.function(lambda x: tf.exp(x) * float(k), jit_compile=True)
    for _ in range(20):
        if not np.allclose(f(x), np.exp(x.numpy()) * k):
            wrong.append(k)


threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong
"""


@pytest.mark.slow
def test_many_threads_use_the_engine_for_the_first_time() -> None:
    """The pool and the runtime are made once, and not taken from under those who use them."""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", AT_ONCE], check=True)


@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 1.5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_whose_exponent_is_known(exponent: float, dtype: str) -> None:
    """They are what NumPy's are at zeros, infinities and NaN, too, and so are their gradients."""
    values = [0.0, -0.0, 1.0, -2.0, 3.7, 1e-30, np.inf, -np.inf, np.nan, 0.3]
    x = tf.constant(values, dtype)

    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**exponent
        return y, tape.gradient(y, x)

    want = tf.function(f, engine="numpy")(x)
    got = tf.function(f, jit_compile=True)(x)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=4 * np.finfo(dtype).eps)
        there = ~np.isnan(b)
        np.testing.assert_array_equal(np.signbit(a[there]), np.signbit(b[there]))
