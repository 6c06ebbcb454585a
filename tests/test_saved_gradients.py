"""Functions are exported with the gradients that they were given, and need no source where they are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.formats.protos import message
from wengert.overrides.registered_gradients import GRADIENTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
EXPORT = """
import sys
import wengert as tf

@tf.custom_gradient
def sine(x):
    return tf.sin(x), lambda g: 2.0 * g * tf.cos(x)

@tf.RegisterGradient("OfWhatIsThere")
def of_what_is_there(op, g):
    return g * op.outputs[0] * op.inputs[0]

@tf.RegisterGradient("OfTwo")
def of_two(op, g):
    return 5.0 * g, g * op.inputs[0]

spec = [tf.TensorSpec([None], tf.float32)]

class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)

    @tf.function(input_signature=spec)
    def custom(self, x):
        return self.w * sine(x)

    @tf.function(input_signature=spec)
    def registered(self, x):
        with tf.gradient_override_map({"Exp": "OfWhatIsThere", "Mul": "OfTwo"}):
            return tf.exp(x) * tf.sin(x)

    @tf.function(input_signature=spec)
    def of_another(self, x):
        with tf.gradient_override_map({"Round": "Identity", "Relu": "Sigmoid"}):
            return tf.round(x) + tf.nn.relu(x)

    @tf.function(input_signature=spec)
    def in_a_loop(self, x):
        for _ in tf.range(3):
            with tf.gradient_override_map({"Exp": "OfWhatIsThere"}):
                x = 0.5 * tf.exp(x)
        return x

    @tf.function(input_signature=spec)
    def in_a_branch(self, x):
        if tf.reduce_sum(x) > 0.0:
            with tf.gradient_override_map({"Exp": "OfWhatIsThere"}):
                return tf.exp(x)
        return x

NAMES = ["custom", "registered", "of_another", "in_a_loop", "in_a_branch"]
"""
SAVE = """
model = Model()
tf.saved_model.save(model, sys.argv[1])
"""
LOAD = """
import sys
import wengert as tf
model = tf.saved_model.load(sys.argv[1])
NAMES = ["custom", "registered", "of_another", "in_a_loop", "in_a_branch"]
"""
SHOW = """
for name in NAMES:
    x = tf.constant([0.25, -0.1, 0.7])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(model, name)(x)
        g = tape.gradient(y, x)
    second = outer.gradient(g, x, unconnected_gradients="zero")
    for found in (y, g, second):
        print(name, *(f"{v:.9g}" for v in found.numpy().tolist()))
"""


def printed(program: str, model: Path) -> list[str]:
    """What a program prints that is gone afterwards."""
    file = model.with_name("program.py")
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, file, str(model)], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    file.unlink()
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_gradients_come_along_without_the_source(tmp_path: Path) -> None:
    """Custom ones and overridden ones, to the second order, also in loops and branches."""
    wanted = printed(EXPORT + SAVE + SHOW, tmp_path / "model")
    found = printed(LOAD + SHOW, tmp_path / "model")
    assert len(found) == len(wanted) == 15
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-6)
    np.testing.assert_allclose(numbers(wanted)[1], 4 * np.cos([0.25, -0.1, 0.7]), rtol=1e-6)


def numbers(lines: list[str]) -> Any:
    return np.array([[*map(float, line.split()[1:])] for line in lines])


def test_operations_with_tensorflow_s_inputs(tmp_path: Path) -> None:
    """Those of which attributes are inputs for a gradient function: it is called with what there is."""

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
        def f(self, x: Any) -> Any:
            rules = {
                "Sum": lambda op, g: [7.0 * g * tf.ones_like(op.inputs[0]), None],
                "Fill": lambda op, g: [None, 2.0 * tf.reduce_sum(g)],
                "StridedSlice": lambda op, g: [tf.pad(5.0 * g, [[1, 0]]), None, None, None],
            }
            with tf.gradient_override_map(rules):
                return tf.fill([2], tf.reduce_sum(x[1:]))

    def gradient(f: Any) -> Any:
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    model = Model()
    np.testing.assert_array_equal(gradient(model.f), [0.0, 140.0, 140.0])
    tf.saved_model.save(model, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(gradient(loaded.f), [0.0, 140.0, 140.0])


def test_they_stay_away_where_they_are_not_wanted(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(self, x: Any) -> Any:
            with tf.gradient_override_map({"Exp": "Ninefold"}):
                return tf.exp(x)

    tf.RegisterGradient("Ninefold")(lambda op, g: 9.0 * g)
    with_it, without = tmp_path / "with", tmp_path / "without"
    tf.saved_model.save(Model(), with_it)
    plain = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(Model(), without, options=plain)
    GRADIENTS.pop("Ninefold")
    assert [slope(tf.saved_model.load(path).f) for path in (with_it, without)] == [9.0, 1.0]


def slope(f: Any) -> float:
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return float(tape.gradient(y, x))


OVERRIDES: dict[Any, Any] = {
    "Exp": lambda op, g: 100.0 * g * op.outputs[0],
    ("name", "part/Exp"): lambda op, g: 7.0 * g,
    ("scope", "part"): lambda region, g: 3.0 * g,
}


@pytest.mark.parametrize("what", [None, *OVERRIDES], ids=str)
def test_overrides_given_afterwards_reach_what_was_loaded(what: Any, tmp_path: Path) -> None:
    """They find the operation by its type, its name and its scope, though its gradient came along."""
    tf.RegisterGradient("OfThePart")(lambda op, g: 9.0 * g * op.inputs[0])

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(self, x: Any) -> Any:
            with tf.name_scope("part"), tf.gradient_override_map({"Exp": "OfThePart"}):
                y = tf.exp(x)
            return tf.sin(y)

    model = Model()
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    overrides = None if what is None else {what: OVERRIDES[what]}
    x = tf.constant([0.3, 0.7])

    def gradient(f: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, overrides=overrides).numpy()

    for of in (lambda f: f, lambda f: tf.function(lambda x: f(f(x)))):
        np.testing.assert_allclose(gradient(of(loaded.f)), gradient(of(model.f)), rtol=1e-6)
    wanted = gradient(model.f)
    GRADIENTS.pop("OfThePart")
    np.testing.assert_allclose(gradient(tf.saved_model.load(tmp_path).f), wanted, rtol=1e-6)


@pytest.mark.parametrize("kind", ["PyFunc", "EagerPyFunc", "PyFuncStateless"])
def test_python_in_a_model_is_not_run(kind: str, tmp_path: Path) -> None:
    """A node that would call Python is refused, and the error says so."""

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(self, x: Any) -> Any:
            return tf.exp(x, name="evil")

    tf.saved_model.save(Model(), tmp_path)
    file = tmp_path / "saved_model.pb"
    proto = message("SavedModel")()
    proto.ParseFromString(file.read_bytes())
    for function in proto.meta_graphs[0].graph_def.library.function:
        for node in function.node_def:
            if node.name == "evil":
                node.op = kind
                node.attr["token"].s = b"pyfunc_0"
    file.write_bytes(proto.SerializeToString())
    with pytest.raises((tf.errors.OpError, NotImplementedError, ValueError), match=kind) as caught:
        tf.saved_model.load(tmp_path).f(tf.constant(1.0))
    assert "a file brings no code that is run" in str(caught.value)


def test_what_a_function_prints_and_checks(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model: Any = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def shown(x: Any) -> Any:
        tf.debugging.assert_positive(tf.reduce_sum(x))
        tf.print("rows {}:", tf.shape(x)[0], {"x": x, "of": ("text", 2)}, sep="|", end="!\n")
        tf.print("to stdout", output_stream=sys.stdout)
        return x * 2.0

    model.f = shown
    x = tf.constant([[1.0, 2.0, 3.5]])
    for time in range(2):
        tf.saved_model.save(model, str(tmp_path / str(time)))
        assert b"wengert" not in (tmp_path / str(time) / "saved_model.pb").read_bytes()
        model = tf.saved_model.load(str(tmp_path / str(time)))
        capfd.readouterr()
        assert model.f(x).numpy().tolist() == [[2.0, 4.0, 7.0]]
        out, err = capfd.readouterr()
        assert out == "to stdout\n"
        assert err == "rows {}:|1|{'x': [[1 2 3.5]], 'of': ('text', 2)}!\n"
        with pytest.raises(tf.errors.InvalidArgumentError):
            model.f(-x)


def test_a_function_that_no_program_can_call_by_name_is_no_signature(tmp_path: Path) -> None:
    """As in TensorFlow: its results are nested, so it is saved, and there is no default signature."""
    model: Any = tf.Module()
    model.f = tf.function(
        lambda x: {"y": x, "more": (x * 2.0,)}, input_signature=[tf.TensorSpec([None])]
    )
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.f(tf.ones([2]))["more"][0].numpy().tolist() == [2.0, 2.0]
    assert list(loaded.signatures) == []


@pytest.mark.parametrize("f", [lambda x: x * x, lambda x: tf.identity(x) * x, tf.identity])
def test_results_that_a_trace_hands_on_are_no_operations_of_the_program(
    f: Any, tmp_path: Path
) -> None:
    """An override of Identity finds those that it wrote, in what was loaded, and loaded twice, as in the trace."""

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def f(self, x: Any) -> Any:
            return f(x)

    models: list[Any] = [Model()]
    for path in (tmp_path / "first", tmp_path / "second"):
        tf.saved_model.save(models[-1], path)
        models.append(tf.saved_model.load(path))
    x = tf.constant(3.0)
    found = []
    for model in models:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = model.f(x)
        found.append(tape.gradient(y, x, overrides={"Identity": lambda op, g: 10.0 * g}).numpy())
    assert found == [found[0]] * 3
