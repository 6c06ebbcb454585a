"""`wengert run`: programs written for TensorFlow, unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = {
    "imports": """
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        from tensorflow.python.framework.ops import disable_eager_execution, enable_eager_execution
        from tensorflow.python.client.session import Session
        from tensorflow.python.eager import backprop
        from tensorflow.python.ops import math_ops, array_ops, gradients_impl, custom_gradient
        from tensorflow.python.ops import gradient_checker_v2, variable_scope
        x = tf.constant(3.0)
        with backprop.GradientTape() as tape:
            tape.watch(x)
            y = math_ops.square(x)
        print(tape.gradient(y, x).numpy(), tf.__version__[:2], Session is tf1.Session)
        print(math_ops.reduce_sum_v1([[1.0, 2.0]], reduction_indices=[1]).numpy())
        print(array_ops.where_v2(x > 2.0, 1.0, 0.0).numpy())
        """,
    "version_1": """
        import tensorflow as tf
        x = tf.placeholder(tf.float32, [None])
        w = tf.get_variable("w", initializer=2.0)
        y = tf.reduce_sum(w * x, reduction_indices=[0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            print(session.run(tf.gradients(y, w), {x: [1.0, 2.0]}))
        """,
    "arguments": """
        import sys
        import beside
        print(sys.argv[1:], beside.VALUE, __name__)
        sys.exit(3)
        """,
    "flags": """
        import tensorflow as tf
        tf.app.flags.DEFINE_float("rate", 0.1, "how fast")
        def main(argv):
            print(tf.flags.FLAGS.rate * 2, argv[1:])
        tf.app.run()
        """,
    "typo": """
        import tensorflow as tf
        def f():
            return tf.reduce_summ([1.0])
        f()
        """,
    "partly_missing": """
        import tensorflow.python.some.new_module as new
        from tensorflow.python.ops import sparkling_ops, math_ops
        from tensorflow.python.ops.math_ops import sparkle, square
        import tensorflow as tf
        print(square(2.0).numpy(), hasattr(math_ops, "glitter"), hasattr(tf, "lite"))
        for use in (lambda: sparkle(1.0), lambda: sparkling_ops.shine, lambda: new.thing(), lambda: tf.lite.Interpreter):
            try:
                use()
            except AttributeError as error:
                print(error)
        sparkle(1.0)
        """,
    "guided": """
        import tensorflow as tf
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import gen_nn_ops
        @ops.RegisterGradient("GuidedRelu")
        def guided(op, grad):
            return tf.where(0.0 < grad, gen_nn_ops.relu_grad(grad, op.outputs[0]), tf.zeros_like(grad))
        with tf.Graph().as_default() as graph:
            x = tf.constant([-1.0, 2.0, 3.0])
            with graph.gradient_override_map({"Relu": "GuidedRelu"}):
                y = tf.nn.relu(x)
            with tf.compat.v1.Session() as session:
                back = tf.gradients(y, x, tf.constant([1.0, -1.0, 5.0]))
                print(session.run(back)[0].tolist())
        """,
    "test_tests": """
        import tensorflow as tf
        class SquareTest(tf.test.TestCase):
            def test_square(self):
                self.assertAllClose(tf.square([2.0]), [4.0])
        """,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("programs")
    for name, text in PROGRAMS.items():
        lines = [line.removeprefix("        ") for line in text.strip("\n").splitlines()]
        (made / f"{name}.py").write_text("\n".join(lines) + "\n")
    (made / "beside.py").write_text("VALUE = 7\n")
    return made


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wengert", "run", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_every_import_leads_here(folder: Path) -> None:
    """Of the public names and of the internal ones, with the arguments of their version."""
    done = run(folder, "imports.py")
    assert done.stdout.splitlines() == ["6.0 2. True", "[3.]", "1.0"], done.stderr


def test_a_program_of_version_1(folder: Path) -> None:
    """With --v1 it builds graphs from the start; without, the error says how."""
    assert run(folder, "--v1", "version_1.py").stdout == "[np.float32(3.0)]\n"
    refused = run(folder, "version_1.py")
    assert refused.returncode == 1
    assert "tf.placeholder() is not compatible with eager execution" in refused.stderr
    assert "`wengert run --v1`" in refused.stderr


def test_arguments_neighbours_and_the_exit_code(folder: Path) -> None:
    """As python itself does it."""
    done = run(folder, "arguments.py", "--a", "b", "-m")
    assert done.stdout == "['--a', 'b', '-m'] 7 __main__\n"
    assert done.returncode == 3


def test_flags_of_a_program(folder: Path) -> None:
    """absl's, as in TensorFlow."""
    pytest.importorskip("absl.flags")
    done = run(folder, "flags.py", "--rate=0.25", "rest")
    assert done.stdout == "0.5 ['rest']\n", done.stderr


def test_a_typo(folder: Path) -> None:
    """The traceback is of the program alone; the message has the line and what is near."""
    done = run(folder, "typo.py")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[1].endswith('typo.py", line 4, in <module>')
    assert not any("wengert/" in line for line in lines[:-1])
    assert "Wengert has no tensorflow.reduce_summ" in lines[-1]
    assert "typo.py:3). Near it: reduce_sum" in lines[-1]


def test_what_is_missing_is_missing_where_it_is_used(folder: Path) -> None:
    """Imports work; each use says what is missing, where it was asked for, and what is near."""
    done = run(folder, "partly_missing.py")
    numbers, *errors = done.stdout.splitlines()
    assert numbers == "4.0 False False"
    assert "no tensorflow.python.ops.math_ops.sparkle (asked for at" in errors[0]
    assert "partly_missing.py:3)" in errors[0]
    assert "no tensorflow.python.ops.sparkling_ops" in errors[1]
    assert "no tensorflow.python.some.new_module" in errors[2]
    assert "no tensorflow.lite" in errors[3]
    assert "Nothing is converted" in errors[3]
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2].strip() == "sparkle(1.0)" or sys.version_info >= (3, 11)


def test_a_gradient_function_that_uses_generated_operations(folder: Path) -> None:
    assert run(folder, "guided.py").stdout == "[0.0, 0.0, 5.0]\n"


def test_a_module(folder: Path) -> None:
    """`wengert run -m pytest`: its tests import tensorflow."""
    done = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tests.py")
    assert "1 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.py"], "there is no file 'nothing.py'."),
        (["-m", "no_such_module"], "there is no module 'no_such_module'."),
        (["-m", "no_such.module"], "there is no module 'no_such.module'."),
        (["flgs.py"], "there is no file 'flgs.py'. Did you mean flags.py?"),
        (["."], "'.' is a folder, and has no __main__.py."),
        ([], "say what to run: a script, - for standard input, -m MODULE or -c CODE."),
    ],
)
def test_nothing_to_run(folder: Path, arguments: list[str], said: str) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert done.stderr == f"wengert: {said}\n"


def test_the_session_of_a_program_that_computes_eagerly() -> None:
    """The two errors name the way out."""
    import wengert as tf

    at_once = tf.constant(1.0)
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        with pytest.raises(RuntimeError, match=r"The Session graph is empty\..*wengert run --v1"):
            session.run(at_once)
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
    with tf.compat.v1.Session(graph=graph) as session:
        with pytest.raises(TypeError, match=r"Can not convert.*eager mode.*wengert run --v1"):
            session.run(at_once)


# ---- programs that are no files, and processes that they start -----------------------------------

DOUBLED = (
    "import sys\nimport tensorflow as tf\nprint((tf.constant(2.0) * 2.0).numpy(), sys.argv[1:])\n"
)


def wengert_run(*arguments: str, text: str = "", **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "wengert", "run", *arguments],
        input=text, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120,
    )  # fmt: skip


def test_a_program_from_standard_input_a_pipe_and_an_argument() -> None:
    for arguments in (["-", "a"], ["/dev/stdin", "a"]):
        assert wengert_run(*arguments, text=DOUBLED).stdout == "4.0 ['a']\n"
    assert wengert_run("-c", DOUBLED, "--a", "b").stdout == "4.0 ['--a', 'b']\n"


def test_processes_of_a_program_import_tensorflow_from_here(tmp_path: Path) -> None:
    program = tmp_path / "pool.py"
    program.write_text(
        """
import multiprocessing
import subprocess
import sys

def doubled(x):
    import tensorflow as tf
    return float(tf.constant(x) * 2.0)

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(doubled, [1.0, 2.0]))
    child = "from tensorflow.python.ops import math_ops; print(math_ops.square(3.0).numpy())"
    print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
""",
        "utf-8",
    )
    done = wengert_run(str(program))
    assert done.stdout == "[2.0, 4.0]\n9.0\n\n", done.stderr


FAILING = "import tensorflow as tf\ndef f(x):\n    return tf.matmul(x, x)\nf(tf.ones([2, 3]))\n"


def test_a_traceback_is_of_the_program_alone() -> None:
    short = wengert_run("-c", FAILING).stderr
    assert short.count("  File ") == 2
    assert "line 4, in <module>" in short
    assert "return tf.matmul(x, x)" in short
    assert "direct cause" not in short
    full = wengert_run("-c", FAILING, WENGERT_TRACEBACK="full").stderr
    assert full.count("  File ") > 4
    assert wengert_run("-c", "x = = 1").stderr.count("  File ") == 1


def test_an_error_of_the_program_about_one_of_ours_shows_both() -> None:
    text = (
        "import tensorflow as tf\ntry:\n    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))\n"
        "except Exception as error:\n    raise RuntimeError('mine') from error\n"
    )
    said = wengert_run("-c", text).stderr
    assert "InvalidArgumentError" in said
    assert "direct cause" in said
    assert said.endswith("RuntimeError: mine\n")
