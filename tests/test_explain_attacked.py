"""What outsiders found wrong in the answers: each in a few lines, with what is said now."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.insight import program_text
from wengert.insight.explain.history import History
from wengert.insight.program_text import line_text

v1 = tf.compat.v1


def asked(build: Callable[[Any], Any], x: Any, watched: bool = True) -> Any:
    """The answer for what a function builds from a value, on a tape."""
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        if watched:
            tape.watch(x)
        y = build(x)
    return tape.explain(y, x)


VECTOR = tf.constant([1.0, 2.0])
LOGITS = tf.constant([200.0, -200.0])
HALF = tf.constant([300.0, 2.0], tf.float16)


def in_python(x: Any) -> Any:
    return tf.reduce_sum(tf.py_function(lambda a: np.exp(a.numpy()), [x], tf.float32))


def with_walrus(x: Any) -> Any:
    if (n := float(tf.reduce_sum(x))) > 1.0:
        return tf.constant(n) / 2.0
    return x


def selected(x: Any) -> Any:
    return tf.reduce_sum(tf.where(x > 1.5, 1.0, 0.0))


def looked_up(x: Any) -> Any:
    return tf.reduce_sum(tf.gather(tf.ones([5, 2]), tf.cast(x, tf.int32)))


def as_text(x: Any) -> Any:
    text = f"{x.numpy().sum():.3f}"
    return tf.constant(float(text))


def masked(x: Any) -> Any:
    mask = tf.constant([True, False])
    return tf.reduce_sum(tf.where(mask, tf.nn.softmax(tf.where(mask, x, -1e30)), 0.0))


def entropy_by_hand(x: Any) -> Any:
    p = tf.sigmoid(x)
    return -tf.reduce_mean(tf.math.log(p) + 0.0 * tf.math.log(1.0 - p))


def in_branches(x: Any) -> Any:
    return tf.cond(tf.constant(False), lambda: tf.reduce_sum(x), lambda: tf.constant(1.0))


CASES: list[tuple[Callable[[Any], Any], Any, str, str]] = [
    (in_python, VECTOR, "zero", "no operation of tf leads on from it in the Python function"),
    (with_walrus, VECTOR, "left-tape", "float()"),
    (selected, VECTOR, "no-gradient", "0.0 + (1.0 - 0.0) * tf.sigmoid(10.0 * (x - 1.5))"),
    (looked_up, VECTOR, "integer", "it is an index for GatherV2"),
    (as_text, VECTOR, "left-tape", "compute with operations of tf."),
    (in_branches, VECTOR, "branch", "was not taken"),
    (lambda x: tf.reduce_sum(tf.cast(x, tf.float32)), tf.constant([1, 2]), "integer", "is int32"),
    (lambda x: tf.reduce_sum(tf.nn.softmax(x)), VECTOR, "zero", "softmax adds up to one"),
    (masked, VECTOR, "zero", "zero"),
    (lambda x: tf.reduce_sum(x - x), VECTOR, "zero", "contributions cancel"),
    (lambda x: tf.sqrt(tf.reduce_sum(x * x)), HALF, "overflow", "float16 holds no number above"),
    (lambda x: (tf.reduce_sum(x) * 1e19) ** 2.0, VECTOR * -1.0, "overflow", "more than float32"),
    (entropy_by_hand, LOGITS, "log", "sigmoid_cross_entropy_with_logits"),
    (lambda x: tf.reduce_sum((x @ [[1.0], [1.0]]) ** 2.0), tf.constant([[1.0, np.nan]]), "overflow", "itself has 1 number that is NaN"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::wengert.errors.GradientWarning")
@pytest.mark.parametrize(("build", "x", "kind", "said"), CASES, ids=range(len(CASES)))
def test_kinds(build: Any, x: Any, kind: str, said: str) -> None:
    answer = asked(build, x)
    text = " ".join(str(answer).split())
    assert (answer.kind, said in text) == (kind, True), text
    assert not answer.mend.endswith(":")


def test_a_variable_that_was_read_while_the_tape_stood_still() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        with tape.stop_recording():
            h = tf.exp(w)
        loss = tf.reduce_sum(h**2)
    answer = tape.explain(loss, w)
    assert answer.kind == "after-tape"
    assert "h = tf.exp(w)" in answer.mend


def test_a_custom_gradient_that_uses_what_is_no_argument() -> None:
    a, x = tf.constant(2.0), tf.constant(3.0)

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return a * x, lambda dy: a * dy

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, x])
        y = scaled(x)
    answer = tape.explain(y, a)
    assert answer.kind == "custom-none"
    assert "let a be an argument" in " ".join(answer.mend.split())


def test_a_part_that_is_written_anew() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        loss = w[0] * 3.0
    answer = tape.explain(loss, w[0])
    assert answer.kind == "other-tensor"
    assert answer.mend.endswith("tape.gradient(loss, w)[0]")


def test_a_ragged_source() -> None:
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rows)
        y = tf.reduce_sum(tf.stop_gradient(rows.values))
    assert tape.explain(y, rows).kind == "stop-gradient"


def test_a_branch_of_a_graph_that_did_not_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        y = tf.cond(tf.reduce_sum(x) > 5.0, lambda: tf.reduce_sum(x), lambda: tf.constant(1.0))
        answer = tf.explain_gradient(y, x, {x: [1.0, 2.0]}, session)
        assert answer.kind == "branch"
        assert "did not run" in answer.title
        assert tf.explain_gradient(y, x, {x: [3.0, 4.0]}, session).right
        other = v1.placeholder(tf.float32, [2])
        assert "tf.gradients(y, other, unconnected_gradients='zero')" in tf.explain_gradient(y, other).mend  # fmt: skip


@pytest.mark.parametrize(
    "taken",
    [
        lambda x: tf.jacobian(tf.sqrt)(x),
        lambda x: tf.vectorized_map(tf.grad(tf.sqrt), x),
        lambda x: tf.vmap(tf.grad(tf.sqrt))(x),
        lambda x: tf.hessian(lambda z: tf.reduce_sum(z**1.5))(x),
        tf.function(lambda x: tf.grad(lambda z: tf.reduce_sum(tf.sqrt(z)))(x)),
    ],
    ids=["jacobian", "vectorized_map", "vmap", "hessian", "function"],
)
def test_anomalies_in_batches_and_functions(taken: Any) -> None:
    with tf.debugging.anomaly():
        assert np.isfinite(taken(tf.constant([1.0, 4.0]))).all()
        with pytest.raises(tf.errors.AnomalyError, match="The gradient became"):
            taken(tf.constant([0.0, 4.0]))


def test_numpy_of_a_variable() -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(tf.constant(np.exp(np.asarray(w))))
    answer = tape.explain(loss, w)
    assert answer.kind == "left-tape"
    assert answer.mend.endswith("loss = tf.reduce_sum(tf.exp(w))")


def test_a_program_of_arrays_assigns_no_variables() -> None:
    v = tf.Variable([1.0, 2.0])

    def step(x: Any) -> Any:
        v.assign_add([1.0, 1.0])
        return tf.reduce_sum(x * v)

    with pytest.raises(ValueError, match=r"AssignAddVariableOp .* changes a variable"):
        tf.source(step, VECTOR)


# ---- found later ----------------------------------------------------------------------------------


def test_a_name_that_becomes_a_variable() -> None:
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        h: Any = w * 2.0
        h = tf.Variable(h)
        y = h * h
    answer = tape.explain(y, w)
    assert answer.kind == "left-tape"
    assert "Leave this line out" in answer.mend
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        v = tf.Variable(w * 2.0); y = v * v  # noqa: E702  # fmt: skip
    assert tape.explain(y, w).kind == "left-tape"


def test_a_variable_made_of_a_list_or_without_a_name() -> None:
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        losses: list[Any] = [w]
        losses.append(w * 2.0)
        v = tf.Variable(losses)
        y = tf.reduce_sum(v)
        z = tf.square(tf.Variable(w * 2.0))
    of_list, unnamed = tape.explain(y, w), tape.explain(z, w)
    assert of_list.kind == unnamed.kind == "left-tape"
    assert "v = tf.Variable(losses)" in str(of_list)
    assert of_list.mend.endswith("v = losses")
    assert unnamed.mend.endswith("z = tf.square(w * 2.0)")


def test_a_tape_by_another_name() -> None:
    new_tape = tf.GradientTape
    x = tf.Variable(3.0)
    with new_tape(persistent=True, source_lines=True) as tape:
        y = x * x
    g = tape.gradient(y, x)
    answer = tape.explain(g, x)
    assert answer.kind == "after-tape"
    assert answer.mend.endswith("g = tape.gradient(y, x)")


def test_a_draw() -> None:
    answer = asked(
        lambda x: tf.reduce_sum(tf.cast(tf.random.categorical([x], 2), tf.float32)),
        tf.constant([0.2, 0.8]),
    )
    assert answer.kind == "no-gradient"
    assert "tf.nn.softmax((logits" in answer.mend


def test_integers_on_both_ends() -> None:
    with pytest.warns(tf.errors.GradientWarning):
        answer = asked(lambda x: tf.reduce_sum(x * x), tf.constant([3, 4]))
    assert answer.kind == "integer"


@pytest.mark.parametrize("of", [tf.linalg.cholesky, tf.linalg.logdet])
def test_a_matrix_that_is_not_positive_definite(of: Callable[[Any], Any]) -> None:
    answer = asked(lambda a: tf.reduce_sum(of(a)), tf.constant([[1.0, 2.0], [2.0, 1.0]]))
    assert answer.kind == "spectrum"
    assert "above zero" in str(answer)
    assert "coincide" not in str(answer)


# ---- whole programs -----------------------------------------------------------------------------

HEAD = "import numpy as np\nimport wengert as tf\n"


def explained(tmp_path: Path, text: str) -> Any:
    """What a program leaves as its answer."""
    path = tmp_path / "program.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return runpy.run_path(str(path))["answer"]


def test_a_flat_script_that_reuses_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    names_in = program_text.names_in

    def counted(*args: Any, **kwargs: Any) -> list[str]:
        nonlocal count
        count += 1
        return names_in(*args, **kwargs)

    monkeypatch.setattr(program_text, "names_in", counted)
    lines = ["w = tf.Variable([1.0, 2.0])", "b = tf.Variable([3.0, 4.0])", "y = w"]
    for n in range(10):
        lines += [f"h = tf.sin(y * {n}.0)", "y = tf.cos(h + y)"]
    lines += ["with tf.GradientTape() as tape:", "    y = tf.reduce_sum(w * w)"]
    answer = explained(tmp_path, "\n".join([*lines, "answer = tape.explain(y, b)", ""]))
    assert answer.kind == "no-path"
    assert count < 10 * len(lines)


def test_many_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    leaves = History._leaves_of

    def counted(self: History, numbers: Any) -> list[Any]:
        nonlocal looks
        looks += 1
        return leaves(self, numbers)

    monkeypatch.setattr(History, "_leaves_of", counted)
    sources = [tf.Variable([float(n)]) for n in range(60)]
    with tf.GradientTape(source_lines=True) as tape:
        total = tf.add_n([w * 2.0 for w in sources[:30]])
    answers = tape.explain(total, sources)
    assert [a.right for a in answers] == [True] * 30 + [False] * 30
    assert "and 24 more" in str(answers[-1]) or "by 61 operations" in str(answers[-1])
    assert looks == 1


def test_many_sources_of_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0
    run = v1.Session.run

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal runs
        runs += 1
        return run(self, *args, **kwargs)

    monkeypatch.setattr(v1.Session, "run", counted)
    with tf.Graph().as_default():
        xs = [tf.constant(float(n)) for n in range(1, 9)]
        answers = tf.explain_gradient(tf.add_n([x * x for x in xs[:4]]), xs)
    assert [a.kind for a in answers] == ["right"] * 4 + ["no-path"] * 4
    assert runs == 1


def in_tape(before: str, inside: str, source: str = "x") -> str:
    """A program with one tape."""
    block = "".join(f"    {line}\n" for line in inside.split("\n"))
    return f"{before}\nwith tf.GradientTape() as tape:\n{block}answer = tape.explain(y, {source})\n"


PAIR = "x = tf.Variable([1.0, 2.0])"
OTHER = f"{PAIR}; w = tf.Variable([1.0, 2.0]); verbose = False"
BUFFER = f"{PAIR}; v = tf.Variable([0.0, 0.0])"
NUMBER = "x = tf.Variable(2.5); table = tf.Variable([1.0, 2.0, 3.0])"
SQUARES = "y = tf.reduce_sum(w ** 2)"
LISTED = """
ws = [tf.Variable(1.0), tf.Variable(2.0)]
for _ in range(2):
    with tf.GradientTape() as tape:
        y = ws[0] ** 2 * ws[1]
    answer = tape.explain(y, ws)[0]
    if answer.right:
        ws = [w - 0.1 * g for w, g in zip(ws, tape.gradient(y, ws))]
"""
CACHED = """
cache = {}
x = tf.Variable([1.0, 2.0])
def features():
    if "f" not in cache:
        cache["f"] = x * 3.0
    return cache["f"]
for _ in range(2):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(features() ** 2)
    answer = tape.explain(y, x)
"""
SECOND = """
@tf.custom_gradient
def f(x):
    def grad(dy):
        return dy * tf.constant(2.0 * x.numpy())
    return tf.square(x), grad
x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = f(x)
    dy = inner.gradient(y, x)
answer = outer.explain(dy, x)
"""
RECOMPUTED = """
@tf.recompute_grad
def f(x):
    return tf.sqrt(x)
x = tf.Variable([0.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(f(x))
answer = tape.explain(y, x)
"""
SECOND_STOPPED = """
@tf.custom_gradient
def f(x):
    return tf.sin(x), lambda dy: dy * tf.stop_gradient(tf.cos(x))
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = f(x)
    dy = inner.gradient(y, x)
answer = outer.explain(dy, x)
"""
SECOND_PARTLY = """
@tf.custom_gradient
def slope(x, dy):
    return dy * tf.cos(x), lambda d: (None, d * tf.cos(x))
@tf.custom_gradient
def f(x):
    return tf.sin(x), lambda dy: slope(x, dy)
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = f(x)
    dy = inner.gradient(y, x)
answer = outer.explain(dy, x)
"""
RECOMPUTED_STOPPED = """
@tf.recompute_grad
def f(x):
    return tf.stop_gradient(x) * 2.0
x = tf.Variable([0.5, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(f(x * x))
answer = tape.explain(y, x)
"""
RECOMPUTED_GRAPH = """
@tf.recompute_grad
def f(x):
    return tf.sqrt(x)
with tf.Graph().as_default():
    x = tf.constant([0.0, 2.0])
    y = tf.reduce_sum(f(x * x))
    answer = tf.explain_gradient(y, x)
"""
BESIDE_A_RULE = """
@tf.custom_gradient
def f(x):
    return tf.sin(x), lambda dy: dy * tf.cos(x)
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    h = x * 2.0
    y = tf.reduce_sum(f(tf.Variable(h) * 2.0))
answer = tape.explain(y, x)
"""
IN_A_FUNCTION = """
state = tf.Variable([0.0, 0.0])
def through(a):
    state.assign(a)
    return state * 2.0
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    h = x * 2.0
    y = tf.reduce_sum(through(h))
answer = tape.explain(y, x)
"""
ASKED_OUTSIDE = """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
answer = tape.explain({}, x)
"""
GLOBAL = """
w = tf.Variable(2.0)
def step():
    global w, answer
    with tf.GradientTape() as tape:
        y = w ** 2
    answer = tape.explain(y, w)
    w = w - 0.1 * tape.gradient(y, w) if answer.right else w
step()
step()
"""
IN_METHODS = """
class Model:
    def __init__(self):
        self.w = tf.Variable(2.0)
    def loss(self):
        with tf.GradientTape() as tape:
            y = self.w ** 2
        return tape.explain(y, self.w)
    def update(self):
        self.w = self.w - 0.1
model = Model()
model.update()
answer = model.loss()
"""
OF_AN_OBJECT = """
class Model:
    def __init__(self):
        self.w = tf.Variable(2.0)
model = Model()
for _ in range(2):
    with tf.GradientTape() as tape:
        y = model.w ** 2
    answer = tape.explain(y, model.w)
    model.w = model.w - 0.1
"""
OF_ANOTHER_CLASS = """
class Trained:
    def __init__(self):
        self.w = tf.Variable(1.0)
class Given:
    def __init__(self):
        self.w = tf.constant(2.0)
    def step(self):
        with tf.GradientTape() as tape:
            y = self.w ** 2
        return tape.explain(y, self.w)
answer = Given().step()
"""
IN_A_PLACE = """
ws = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}
for _ in range(2):
    with tf.GradientTape() as tape:
        y = ws["a"] * ws["b"]
    answer = tape.explain(y, ws["a"])
    for key in ws:
        ws[key] = ws[key] - 0.1
"""
COPIED = """
x = tf.constant([1.0, 2.0])
z = tf.identity(x)
with tf.GradientTape() as tape:
    tape.watch(z)
    y = x * x
answer = tape.explain(y, z)
"""
PENALTY = """
x = tf.Variable([0.0, 0.0])
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        h = {}
    g = inner.gradient(h, x)
    y = tf.reduce_sum(g ** 2)
answer = tape.explain(y, x)
"""
RULE_OF_INFINITE = """
@tf.custom_gradient
def f(x):
    e = tf.exp(x)
    return tf.nn.softplus(x), lambda dy: dy * e / (1.0 + e)
x = tf.Variable([100.0, 1.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(f(x))
answer = tape.explain(y, x)
"""
BESIDE_A_CHOICE = """
x = tf.Variable([0.0, 1.0])
with tf.GradientTape() as tape:
    h = tf.where(x > 0.0, tf.math.log(x), 0.0)
    z = tf.sqrt(-tf.reduce_sum(x))
    y = tf.reduce_sum(h) + z
answer = tape.explain(y, x)
"""
NO_ROUND = """
x = tf.Variable(2.0)
@tf.function
def f(n):
    i, s = tf.constant(0), tf.constant(0.0)
    while i < n:
        s = s + x
        i += 1
    return s
with tf.GradientTape() as tape:
    y = f(tf.constant(0))
answer = tape.explain(y, x)
"""
REASONS: list[tuple[str, str, str, str]] = [  # a program, the kind, the line by its text, what is said
    (in_tape(PAIR, "y = tf.reduce_sum(x ** 2)", "x[0:1]"), "right", "", "is there"),
    (in_tape(PAIR, "y = tf.reduce_sum(x ** 2)", "tf.reshape(x, [2, 1])"), "right", "", "is there"),
    (in_tape("x, b = tf.Variable([0.0]), tf.Variable([0.0])", "y = b * 2.0"), "no-path", "y = b", "does not depend"),
    (SECOND, "left-tape", "return dy * tf.constant", "x left the tape here"),
    (SECOND_STOPPED, "stop-gradient", "return tf.sin(x), lambda", "✂ StopGradient"),
    (SECOND_PARTLY, "custom-none", "return tf.sin(x), lambda", "returned None for it"),
    (in_tape("x = tf.Variable([1.0, 2.0])", "h = 0.0 * x\ny = tf.reduce_sum(h * h)"), "zero", "y = tf", "it is multiplied by h"),
    (RECOMPUTED_STOPPED, "stop-gradient", "return tf.stop", "d y / d x is zero"),
    (RECOMPUTED_GRAPH, "sqrt", "return tf.sqrt(x)", "slope of a square root"),
    (BESIDE_A_RULE, "left-tape", "y = tf.reduce_sum(f(tf.Variable", "tf.Variable keeps the number"),
    (IN_A_FUNCTION, "overwritten", "state.assign(a)", "the variable state, which was assigned"),
    (RECOMPUTED, "sqrt", "return tf.sqrt(x)", "slope of a square root"),
    (in_tape(BUFFER, "v[0].assign(x[0] * 3.0)\ny = tf.reduce_sum(v)"), "overwritten", "v[0].assign", "the variable v"),
    (in_tape(BUFFER, "v.scatter_nd_update([[1]], [x[0]])\ny = tf.reduce_sum(v)"), "overwritten", "v.scatter", "the variable v"),
    (in_tape(BUFFER, "tf.compat.v1.assign(v, x)\ny = tf.reduce_sum(v)"), "overwritten", "tf.compat", "the variable v"),
    (in_tape(NUMBER, "i = tf.cast(x, tf.int32)\ny = table[i]"), "integer", "i = tf.cast", "which element is taken"),
    (in_tape(NUMBER, "n = tf.cast(x, tf.int32)\ni, y = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + 2.0), [0, 0.0])"),
     "integer", "n = tf.cast", "how many rounds a loop takes"),
    (in_tape(PAIR, "y = 0.0\nfor b in tf.data.Dataset.from_tensor_slices(x * 2.0):\n    y = y + b"), "left-tape", "for b in", "through a dataset"),
    (in_tape(OTHER, f"if verbose:\n    print(x.numpy())\n{SQUARES}"), "no-path", "y =", "does not depend on x"),
    (in_tape(OTHER, f"other = x * 2.0\nscale = float(tf.reduce_sum(other))\n{SQUARES}"), "no-path", "y =", "does not depend on x"),
    (in_tape(OTHER, f"k = 1.0\nif verbose:\n    k = x[0]\n{SQUARES} * k"), "branch", "if verbose", "was not taken"),
    (in_tape(OTHER, f"k = float(x[0])\n{SQUARES} * k"), "left-tape", "k = float", "float() gives a number"),
    (in_tape("ws = [tf.Variable(1.0) for _ in range(2)]; x = tf.Variable(2.0)", "y = tf.nn.relu(ws[0]) * x", "ws[1]"), "no-path", "y =", "does not depend"),
    (in_tape(f"{PAIR}; a = np.zeros(2, np.float32)", "np.copyto(a, x.numpy())\ny = tf.reduce_sum(a)"), "left-tape", "np.copyto", "x left the tape here"),
    (in_tape(f"{PAIR}; a = []", "a.append(float(x[0]))\ny = tf.add_n(a)"), "left-tape", "a.append", "left the tape here"),
    (in_tape(f"{PAIR}; f = lambda h: float(h)", "y = tf.constant(f(x[0]))"), "left-tape", "x = ", "left the tape here"),
    (CACHED, "before-tape", 'cache["f"] = x * 3.0', "what cache holds"),
    (ASKED_OUTSIDE.format("tf.reduce_sum(y)"), "after-tape", "answer = ", "+ loss = tf.reduce_sum(y)"),
    (ASKED_OUTSIDE.format("y[0]"), "after-tape", "answer = ", "computes y[0] where it asks"),
    (ASKED_OUTSIDE.format("tf.constant(1.0) * 2.0"), "no-path", "with", "does not depend on x"),
    (GLOBAL, "overwritten", "w = w - 0.1", "w is no variable any more"),
    (IN_METHODS, "overwritten", "self.w = self.w - 0.1", "self.w.assign_sub(0.1)"),
    (OF_AN_OBJECT, "overwritten", "model.w = model.w - 0.1", "model.w.assign_sub(0.1)"),
    (OF_ANOTHER_CLASS, "not-watched", "with", "self.w is a tensor"),
    (IN_A_PLACE, "overwritten", "ws[key] = ws[key] - 0.1", "ws[key].assign_sub(0.1)"),
    (COPIED, "other-tensor", "y = x * x", "+ tape.watch(x)"),
    (PENALTY.format("tf.norm(x)"), "norm", "h = tf.norm(x)", "carried out at program.py"),
    (PENALTY.format("tf.sqrt(x)"), "sqrt", "h = tf.sqrt(x)", "h = tf.sqrt(x + 1e-12)"),
    (PENALTY.format("tf.acos(x + 1.0)"), "sqrt", "h = tf.acos(x + 1.0)", "The slope of acos is infinite"),
    (PENALTY.format("tf.where(x > 0.0, tf.math.log(x), 0.0)"), "where", "h = tf.where", "branch of tf.where that is not taken"),
    (RULE_OF_INFINITE, "exp", "e = tf.exp(x)", "It reads what is computed here"),
    (BESIDE_A_CHOICE, "sqrt", "z = tf.sqrt", "The square root of a negative number"),
    (in_tape("x = tf.Variable([800.0, 1.0])", "y = tf.reduce_sum(tf.exp(x))"), "exp", "y =", "or keep it smaller."),
    (in_tape("x = tf.Variable([100.0, 1.0])", "y = tf.reduce_sum(tf.exp(x))"), "exp", "y =", "or compute in float64."),
    (NO_ROUND, "branch", "while i < n", "is one operation with the loop, and the gradient is zero"),
    (in_tape(OTHER, f"{SQUARES}\nfor k in []:\n    y = y + k * x"), "branch", "for k in", "the loop that uses x took no round"),
    (in_tape(OTHER, f"{SQUARES}\nfor k in [1.0]:\n    if k > 2.0:\n        y = y + k * x"), "branch", "if k", "the branch that uses x was not taken"),
    (in_tape(OTHER, "y = tf.py_function(lambda a: tf.reduce_sum(a * x), [w], tf.float32)"),
     "left-tape", "y = tf.py", "Give x to tf.py_function as an input"),
    (LISTED, "overwritten", "ws = [w - 0.1", "for w, g in zip(ws, tape.gradient(y, ws)): w.assign_sub(0.1 * g)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "line", "said"), REASONS, ids=range(len(REASONS)))
def test_reasons(text: str, kind: str, line: str, said: str, tmp_path: Path) -> None:
    answer = explained(tmp_path, text)
    words = " ".join(str(answer).split())
    assert (answer.kind, said in words) == (kind, True), words
    assert line in line_text(answer.line), words


def test_a_target_that_is_computed_where_it_is_asked_for_is_mended(tmp_path: Path) -> None:
    answer = explained(tmp_path, ASKED_OUTSIDE.format("tf.reduce_sum(y)"))
    assert explained(tmp_path, answer.mended()).right


def test_strong_zeros_are_not_offered_where_the_value_itself_is_infinite(tmp_path: Path) -> None:
    """The gradient of a log of a sum of exponentials is not zero where the exponentials overflow."""
    text = in_tape("x = tf.Variable([100.0, 1.0])", "h = tf.exp(x)\ny = tf.math.log(h[0] + h[1])")
    assert "strong_zero" not in str(explained(tmp_path, text))


def test_a_branch_of_a_traced_function(tmp_path: Path) -> None:
    text = """
w, b = tf.Variable(2.0), tf.Variable(3.0)
@tf.function
def f(x):
    if x > 0.0:
        return w * x
    return b * x
with tf.GradientTape() as tape:
    y = f(tf.constant(-1.0))
answer = tape.explain(y, w)
"""
    answer = explained(tmp_path, text)
    words = " ".join(str(answer).split())
    assert (answer.kind, "is one operation with both branches" in words) == ("branch", True), words


def test_an_answer_after_the_gradient_agrees_with_it() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(source_lines=True) as tape:
        y = tf.reduce_sum(x**2)
    assert tape.gradient(y, x[1:]).numpy().tolist() == [4.0, 6.0]
    assert tape.explain(y, x[1:]).right
    with tf.GradientTape(source_lines=True) as tape:
        y = tf.reduce_sum(tf.nn.relu(-x))
    answer = tape.explain(y, x[1:])
    assert (answer.kind, "relu is dead" in str(answer)) == ("zero", True)


def test_an_assignment_in_a_graph() -> None:
    with tf.Graph().as_default():
        w, a = (v1.get_variable(name, initializer=1.0) for name in "wa")
        loss = v1.assign(a, w * 2.0) * 3.0
        answer = tf.explain_gradient(loss, w)
    assert (answer.kind, "variable a" in answer.title) == ("overwritten", True)


def with_a_mask(x: Any) -> Any:
    rows = tf.where(tf.constant([[True, False], [False, False]]), x, -np.inf)
    return tf.reduce_sum(tf.nn.softmax(rows) * [1.0, 2.0])


def by_a_softmax(x: Any) -> Any:
    p = tf.nn.softmax(x)
    return -tf.reduce_sum(tf.math.log(p) * [0.0, 1.0])


def beside_a_mask(x: Any) -> Any:
    kept = tf.where(tf.constant([True, False]), x, -np.inf)
    return tf.reduce_sum(tf.nn.softmax(kept)) + tf.norm(x * 0.0)


EDGE = tf.constant([0.0, 2.0])
NOT_FINITE: list[tuple[Callable[[Any], Any], Any, str, str]] = [
    (lambda x: tf.reduce_mean(tf.boolean_mask(x, x > 10.0)), EDGE, "empty", "the mean of nothing is nan"),
    (lambda x: tf.reduce_max(tf.boolean_mask(x, x > 10.0)), EDGE, "empty", "the maximum of nothing is -inf"),
    (lambda x: tf.reduce_sum(tf.math.digamma(x)), EDGE, "pole", "digamma has a pole"),
    (lambda x: tf.reduce_sum(tf.math.lgamma(x)), EDGE, "pole", "lgamma has a pole"),
    (lambda x: tf.reduce_sum(tf.math.lgamma(x * 1e38)), EDGE + 1.0, "overflow", "Lgamma gives more than float32"),
    (lambda x: tf.reduce_sum(tf.math.erfinv(x)), EDGE / 2.0, "sqrt", "erfinv is infinite at the end of its range, 1"),
    (lambda x: tf.reduce_sum(tf.acos(x)), EDGE, "sqrt", "of 2 it is NaN"),
    (lambda x: tf.reduce_sum(tf.math.angle(x)), tf.constant([0j, 1 + 1j]), "division", "Keep its argument away from zero"),
    (lambda x: tf.reduce_sum(tf.math.rsqrt(x)), EDGE, "sqrt", "One by the square root of zero is infinite"),
    (lambda x: tf.reduce_sum(tf.math.reciprocal(x)), EDGE, "division", "A number by zero is infinite"),
    (lambda x: tf.reduce_sum(x * 1e30 / (x * 1e-30)), EDGE + 1.0, "overflow", "RealDiv gives more than float32"),
    (lambda x: tf.reduce_sum(tf.constant([0.5, 0.5]) * tf.math.log(x)), EDGE, "log", "The logarithm of zero is minus infinity"),
    (by_a_softmax, tf.constant([1000.0, 1.0]), "log", "softmax has underflown"),
    (lambda x: tf.reduce_sum(3.0 / (1.0 + tf.exp(-x)) ** 2), tf.constant([-100.0, 1.0]), "exp", "Exp: 100 → inf"),
    (beside_a_mask, EDGE, "norm", "The norm has no derivative at zero"),
    (with_a_mask, tf.constant([[1.0, 2.0], [3.0, 4.0]]), "softmax", "All of a row is -inf"),
    (lambda x: tf.reduce_sum(x * np.float32(np.inf)), EDGE, "overflow", "Mul of infinite numbers is NaN"),
    (lambda x: tf.reduce_sum(x * np.float32(np.inf)), EDGE + 1.0, "overflow", "A value that is used at test_explain_attacked.py"),
    (lambda x: tf.reduce_sum(x ** -40.0), EDGE + 0.001, "overflow", "more than float32"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("build", "x", "kind", "said"), NOT_FINITE, ids=range(len(NOT_FINITE)))
def test_not_finite(build: Any, x: Any, kind: str, said: str) -> None:
    answer = asked(build, x)
    text = " ".join(str(answer).split())
    assert (answer.kind, said in text) == (kind, True), text
    assert "a value," not in text


def test_an_infinite_number_that_is_fed() -> None:
    with tf.Graph().as_default():
        a = v1.placeholder(tf.float32, [2])
        answer = tf.explain_gradient(tf.reduce_sum(a * a), a, feed_dict={a: [-np.inf, 1.0]})
    assert "a itself has 1 number that is infinite" in " ".join(str(answer).split())


def after_many(x: Any) -> Any:
    for _ in range(100):
        x = tf.sigmoid(0.5 * x) * 0.1
    return x


TINY = tf.constant(1e-4, tf.float16)
ZEROS: list[tuple[Callable[[Any], Any], Any, str]] = [
    (lambda x: tf.reduce_sum(x * tf.cast(x > 5.0, tf.float32)), VECTOR, "multiplied by a factor"),
    (lambda x: tf.reduce_sum(tf.nn.dropout(x, rate=0.9999999, seed=1)), VECTOR, "dropout has dropped all"),
    (lambda x: tf.reduce_sum(x ** 0), VECTOR, "its exponent is zero"),
    (lambda x: tf.reduce_sum(x ** 2.0), VECTOR * 0.0, "its base is zero"),
    (after_many, tf.constant(1.0), "too small for float32"),
    (lambda x: tf.reduce_sum(x * TINY) * TINY, tf.constant([1.0, 2.0], tf.float16), "too small for float16"),
    (lambda x: tf.sigmoid(x), tf.constant(200.0), "the sigmoid is saturated"),
    (lambda x: tf.reduce_sum(tf.math.log(tf.nn.softmax(x[:, None]))), VECTOR, "softmax over one class"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "x", "said"), ZEROS, ids=range(len(ZEROS)))
def test_zeros(build: Any, x: Any, said: str) -> None:
    answer = asked(build, x)
    text = " ".join(str(answer).split())
    assert (answer.kind, said in text) == ("zero", True), text


# ---- arguments ----------------------------------------------------------------------------------


def test_what_is_asked_wrongly() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(source_lines=True, persistent=True) as tape:
        y = tf.reduce_sum(tf.nn.relu(x))
    with pytest.raises(ValueError, match="explain was given no target"):
        tape.explain([], x)
    with pytest.raises(tf.errors.OverrideError, match="'Rleu' matched no operation"):
        tape.explain(y, x, overrides={"Rleu": lambda op, g: g})
    assert tape.explain(y, x, overrides={"Relu": lambda op, g: g}).right
    answer = tf.GradientTape().explain(y, x)
    assert (answer.kind, "it was never entered" in answer.title) == ("used-up", True)


def fed(build: Callable[[Any], Any], value: Any) -> Any:
    with tf.Graph().as_default():
        a = v1.placeholder(tf.float32, [2, 2])
        return tf.explain_gradient(tf.reduce_sum(build(a)), a, feed_dict={a: value})


def test_a_run_that_fails() -> None:
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        fed(tf.sqrt, [1.0, 2.0])
    assert "The run failed: Input is not invertible" in str(
        fed(tf.linalg.inv, [[1.0, 2.0], [2.0, 4.0]])
    ).replace("\n", " ")


def test_a_rule_that_refuses_its_input() -> None:
    a = tf.Variable([[1.0, 2.0], [2.0, 4.0]])
    with tf.GradientTape(source_lines=True) as tape:
        z = tf.linalg.slogdet(a)[1]
    answer = tape.explain(z, a)
    assert (answer.kind, "z = tf.linalg.slogdet" in line_text(answer.line)) == ("failed", True)
    assert "Input is not invertible" in str(answer)
    answer = fed(lambda a: tf.linalg.slogdet(a)[1], [[1.0, 2.0], [2.0, 4.0]])
    assert (answer.kind, "tf.linalg.slogdet" in line_text(answer.line)) == ("failed", True)


def test_several_targets_of_which_one_is_not_connected() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        zero, none = tf.reduce_sum(x - x), tf.reduce_sum(tf.round(x))
    assert tape.explain([none, zero], x).kind == "zero"


def test_indices_of_values_that_have_a_gradient() -> None:
    answer = asked(lambda x: tf.reduce_sum(tf.gather(tf.ones(5), tf.argsort(x))), VECTOR)
    assert (answer.kind, "an index has no derivative" in answer.title) == ("no-gradient", True)
    assert "RegisterGradient" not in str(answer)


@pytest.mark.filterwarnings("ignore::wengert.errors.GradientWarning")
def test_text_has_no_derivative() -> None:
    answer = asked(lambda x: tf.strings.length(x), tf.constant("a"), watched=False)
    assert "text has no derivatives" in answer.title


def test_too_many_arguments_are_refused_at_the_call() -> None:
    with pytest.raises(TypeError, match="takes 0 positional arguments"):
        tf.debugging.anomaly(3)  # type: ignore[call-arg]


def test_an_empty_list_of_gradients() -> None:
    with pytest.raises(ValueError, match="The list of gradients and variables is empty"):
        tf.optimizers.SGD(0.1).apply_gradients([])


# ---- what a run of a graph does not hand out ------------------------------------------------------


@tf.custom_gradient
def with_own_rule(x: Any) -> Any:
    """The rule uses a tensor of the graph that is no input of the operation."""
    h = tf.sin(x)
    return h, lambda dy: dy * tf.cos(x) * tf.ones_like(h)


def with_a_list(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2)

    def body(i: Any, a: Any) -> Any:
        return i + 1, a.write(i, x[i] * x[0] + x[i])

    return tf.while_loop(lambda i, a: i < 2, body, [0, array])[1].stack()


WITHIN: dict[str, Callable[[Any], Any]] = {
    "map_fn": lambda x: tf.map_fn(lambda row: row * row + row, x),
    "list": with_a_list,
    "branch": lambda x: tf.cond(
        tf.reduce_sum(x) > -9.0, lambda: tf.map_fn(tf.square, x), lambda: x
    ),
    "loop": lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), [0, x])[1],
    "rule": lambda x: with_own_rule(x * 1.5),
    "list of a rule": lambda x: tf.map_fn(with_own_rule, x),
}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("name", WITHIN)
def test_graphs_with_lists_and_rules_that_close_over_tensors(name: str, order: int) -> None:
    """Each derivative is there; and with a root of zero behind it, it is not, and said to be so."""
    for bad in (False, True):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [2, 2])
            y = WITHIN[name](x)
            y = tf.reduce_sum(y * y * y + tf.sqrt(y * 0.0) if bad else y * y * y)
            for _ in range(order - 1):
                y = tf.reduce_sum(tf.gradients(y, x)[0])
            answer = tf.explain_gradient(y, x, {x: [[1.0, 2.0], [0.5, 0.25]]})
        assert answer.right is not bad, str(answer)


def test_a_rule_that_gives_none_within_a_loop() -> None:
    """Around a loop zeros stand for it: the gradient is not "there, and not zero"."""

    def body(i: Any, y: Any) -> Any:
        return i + 1, tf.stop_gradient(y * 2.0)

    answer = fed(lambda a: tf.while_loop(lambda i, y: i < 2, body, [0, a])[1], np.ones([2, 2]))
    assert (answer.kind, "is zero" in answer.title) == ("stop-gradient", True), str(answer)
    assert "zeros stand for what is None within" in " ".join(str(answer).split())


def test_zeros_of_a_constant_are_not_to_be_asked_for() -> None:
    """They are there: around the lists of a loop zeros stand for the derivative of what is linear."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        y = tf.map_fn(lambda row: row * 0.0, x[None])[0]
        slope = tf.reduce_sum(tf.gradients(y, x)[0])
        answer = tf.explain_gradient(slope, x, {x: [1.0, 2.0]})
    assert (answer.kind, answer.mend) == ("no-path", ""), str(answer)
    assert "is zero: slope is the same whatever x is" in answer.title


def test_what_is_recomputed_without_an_override() -> None:
    """The function runs again where no override is in force: its gradient is not what the first run's would be."""
    block = tf.recompute_grad(lambda x: tf.tanh(x) * x)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        with tf.gradient_override_map({"Tanh": lambda op, g: g / (op.inputs[0] * 0.0)}):
            y = tf.reduce_sum(block(x))
        fed = {x: [0.5, 1.0]}
        assert np.isfinite(session.run(tf.gradients(y, x)[0], fed)).all()
        assert tf.explain_gradient(y, x, fed).right


@pytest.mark.parametrize(("shape", "value", "said"), [
    ([None], [1.0, 2.0], "finite, and not zero"), (None, [1.0, 2.0], "finite, and not zero"),
    ([None], [], "has no elements"), (None, np.ones([2, 0]), "has no elements"),
])  # fmt: skip
def test_sound_gradients_of_unknown_sizes(shape: Any, value: Any, said: str) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, shape)
        answer = tf.explain_gradient(tf.reduce_sum(tf.sin(x)), x, {x: value})
    assert (answer.kind, said in answer.title) == ("right", True), str(answer)


def with_draws(x: Any) -> Any:
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.random.uniform([]) + x), [0, x]
    )[1]


def with_assignments(x: Any) -> Any:
    w = v1.get_variable("w", initializer=np.float32(0.5))

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([w.assign_add(1.0)]):
            return i + 1, y * w.read_value()

    return tf.while_loop(lambda i, y: i < 2, body, [0, x])[1]


@pytest.mark.parametrize("build", [with_draws, with_assignments])
def test_a_loop_that_holds_a_state_does_not_run_again(build: Callable[[Any], Any]) -> None:
    """A second run would draw, and assign, once more."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        y = tf.reduce_sum(build(x))
        session.run(v1.global_variables_initializer())
        answer = tf.explain_gradient(y, x, {x: [1.0, 2.0]}, session)
    assert (answer.kind, "does not run again" in " ".join(str(answer).split())) == ("right", True)
