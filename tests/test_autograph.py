"""Autograph: Python's branches and loops on tensors. Expected results are TensorFlow 2.21's."""
# Numbers become tensors in the programs here.
# mypy: disable-error-code=assignment

from __future__ import annotations

import functools
import linecache
import random
import re
import time
import traceback
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.api.autograph import conversion
from wengert.errors import SymbolicValueError

X = 3.0


def line() -> int:
    return traceback.extract_stack(limit=2)[0].lineno or 0


# ---- programs and their results ----------------------------------------------------------------


def one_branch(x: Any) -> Any:
    y = x
    if x > 2.0:
        y = y * x
    return y


def both_branches(x: Any) -> Any:
    if x > 5.0:
        y = x
    else:
        y = -x
    return y


def chain_of_branches(x: Any) -> Any:
    if x > 5.0:
        return x
    if x > 4.0:
        return 2.0 * x
    if x > 2.0:
        return 3.0 * x
    return 4.0 * x


def branch_in_branch(x: Any) -> Any:
    if x > 1.0:
        if x > 2.0:
            x = x + 1.0
        x = x * 2.0
    else:
        x = x - 1.0
    return x


def counted(x: Any) -> Any:
    s = 0
    for i in tf.range(tf.cast(x, tf.int32) + 2):
        s += i
    return s


def python_range(x: Any) -> Any:
    s = 0
    for i in range(tf.cast(x, tf.int32)):
        s += i
    return s


def over_rows(x: Any) -> Any:
    s = x
    for row in tf.stack([[x, x], [x + 1.0, x]]):
        s += tf.reduce_prod(row)
    return s


def unrolled(x: Any) -> Any:
    for k, scale in enumerate([1.0, 2.0]):
        if x > 2.0:
            x = x * scale + k
    return x


def with_break(x: Any) -> Any:
    s = 0
    for i in tf.range(10):
        if s > 10:
            break
        s += i
    return s


def with_continue(x: Any) -> Any:
    s = 0
    for i in tf.range(10):
        if i % 2 == 0:
            continue
        s += i
    return s


def while_and(x: Any) -> Any:
    n = 0
    while x < 100.0 and n < 3:
        x, n = x * x, n + 1
    return x


def while_break(x: Any) -> Any:
    while tf.constant(True):
        x = x + 1.0
        if x > 10.0:
            break
    return x


def loop_in_loop(x: Any) -> Any:
    s = 0
    for i in tf.range(4):
        for j in tf.range(i):
            if j == 2:
                break
            s += i * j
    return s


def logic(x: Any) -> Any:
    return (x > 1.0 and not x > 5.0) or x < 0.0


def chained(x: Any) -> Any:
    return 0.0 < x < 2.0


def conditional(x: Any) -> Any:
    return x if x < 0.0 else -x


def defined_by_loop(x: Any) -> Any:
    for i in tf.range(3):
        last = i * 2
    return last


def attribute(x: Any) -> Any:
    class Box:
        total = 0

    box = Box()
    for i in tf.range(5):
        box.total = box.total + i
    return box.total


def item(x: Any) -> Any:
    box = {"total": 0}
    for i in tf.range(5):
        box["total"] += i
    return box["total"]


def structure(x: Any) -> Any:
    pair = (x, {"n": 0})
    while pair[1]["n"] < 3:
        pair = (pair[0] * 2.0, {"n": pair[1]["n"] + 1})
    return pair[0]


def array(x: Any) -> Any:
    values = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        values = values.write(i, x * tf.cast(i, tf.float32))
    return values.stack()


def python_list(x: Any) -> Any:
    values = []
    for k in range(3):
        if x > float(k):
            y = x
        else:
            y = -x
        values.append(y)
    return tf.stack(values)


def over_ragged(x: Any) -> Any:
    s = x
    for row in tf.ragged.constant([[1.0], [2.0, 3.0]]):
        s += tf.reduce_sum(row)
    return s


def helper(x: Any) -> Any:
    if x > 2.0:
        return x + 1.0
    return x


def called(x: Any) -> Any:
    return helper(x) + functools.partial(helper)(1.0 * x) + tf.map_fn(helper, x[None])[0]


def strings(x: Any) -> Any:
    if x > 2.0:
        word = "large"
    else:
        word = "small"
    return word


def numbers(x: Any) -> Any:
    return int(x) + len(tf.range(int(x)))


PROGRAMS: dict[Callable[..., Any], Any] = {
    one_branch: 9.0,
    both_branches: -3.0,
    chain_of_branches: 9.0,
    branch_in_branch: 8.0,
    counted: 10,
    python_range: 3,
    over_rows: 24.0,
    unrolled: 7.0,
    with_break: 15,
    with_continue: 25,
    while_and: 6561.0,
    while_break: 11.0,
    loop_in_loop: 5,
    logic: True,
    chained: False,
    conditional: -3.0,
    defined_by_loop: 4,
    attribute: 10,
    item: 10,
    structure: 24.0,
    array: [0.0, 3.0, 6.0],
    python_list: [3.0, 3.0, 3.0],
    over_ragged: 9.0,
    called: 12.0,
    strings: b"large",
    numbers: 6,
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "interpreted"])
def test_a_program_computes_what_it_says(program: Any, compiled: bool | None) -> None:
    found = tf.function(program, jit_compile=compiled)(tf.constant(X))
    assert np.array_equal(np.asarray(found.numpy()), np.asarray(PROGRAMS[program]))


# ---- what TensorFlow does not take -------------------------------------------------------------


def return_in_loop(x: Any) -> Any:
    for i in tf.range(5):
        if tf.cast(i, tf.float32) * x > 5.0:
            return x * 2.0
    return x


def else_of_loop(x: Any) -> Any:
    for _ in tf.range(3):
        x += 1.0
        if x > 4.5:
            break
    else:
        x = x * 100.0
    return x


@tf.custom_gradient
def doubled(x: Any) -> Any:
    if x > 2.0:
        y = 2.0 * x
    else:
        y = x
    return y, lambda dy: 5.0 * dy


def extremes(x: Any) -> Any:
    return max(x, 2.0 * x) + min(tf.stack([x, 1.0])) + max([1.0, 2.0])


@pytest.mark.parametrize(
    ("program", "x", "wanted"),
    [
        (return_in_loop, 3.0, 6.0),
        (return_in_loop, 1.0, 1.0),
        (else_of_loop, 3.0, 5.0),
        (else_of_loop, 1.0, 400.0),
        (extremes, 3.0, 9.0),
        (lambda x: doubled(x), 3.0, 6.0),
        (lambda x: [x, -x][1] if x > 0.0 else [x][0], 3.0, -3.0),
    ],
)
def test_what_goes_beyond_tensorflow(program: Any, x: float, wanted: float) -> None:
    assert tf.function(program)(tf.constant(x)).numpy() == wanted


def test_assert_on_a_tensor() -> None:
    @tf.function
    def f(x: Any) -> Any:
        assert x > 5.0, "too small"
        return x

    assert f(tf.constant(6.0)).numpy() == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: .too small."):
        f(tf.constant(3.0))


# ---- random programs ---------------------------------------------------------------------------


class Program:
    """A random program of branches, loops and jumps; its text, and functions of it."""

    def __init__(self, seed: int) -> None:
        self._rng, self._loops = random.Random(seed), 0
        self._lines = ["def f(a, b, c):", "    x, y, z = a, b, c"]
        for _ in range(self._rng.randint(2, 4)):
            self._statement("    ", 3, False)
        self._lines += [
            "    return (x, y, z)",
            "def g(v):",
            "    if v > 3:",
            "        return v - 2",
        ]
        self.text = "\n".join([*self._lines, "    return v", ""])
        self.arguments = [self._rng.randint(-2, 6) for _ in range(3)]
        self._file = f"<random program {seed}>"

    def function(self, **names: Any) -> Any:
        linecache.cache[self._file] = (1, None, self.text.splitlines(True), self._file)
        space = {"__name__": "random_program", **names}
        exec(compile(self.text, self._file, "exec"), space)
        return space["f"]

    def _condition(self) -> str:
        v, w = self._rng.choice("xyz"), self._rng.choice("xyz")
        forms = ("{v} > {w}", "not {v} > 3", "({v} > 1 and {w} > 0)", "({v} > 2 or {w} < 1)",
                 "0 < {v} < {w}", "({v} if {w} > 2 else {w}) > 1")  # fmt: skip
        return self._rng.choice(forms).format(v=v, w=w)

    def _simple(self, indent: str) -> None:
        v, w = self._rng.choice("xyz"), self._rng.choice("xyz")
        forms = ("{v} = {w} + 1", "{v} += {w} % 5", "{v} = {v} - {w}", "{v} = ({w} * 3) % 7",
                 "{v} = {w} if {v} > {w} else {v}", "note({v})", "{v} = g({w})")  # fmt: skip
        self._lines.append(indent + self._rng.choice(forms).format(v=v, w=w))

    def _block(self, head: str, indent: str, depth: int, loop: bool) -> None:
        self._lines.append(indent + head)
        for _ in range(self._rng.randint(1, 3)):
            self._statement(indent + "    ", depth - 1, loop)

    def _statement(self, indent: str, depth: int, loop: bool) -> None:
        kind = self._rng.random()
        if depth <= 0 or kind < 0.35:
            self._simple(indent)
        elif kind < 0.62:
            heads = [f"if {self._condition()}:", f"elif {self._condition()}:", "else:"]
            for head in heads[: self._rng.randint(1, 3)]:
                self._block(head, indent, depth, loop)
                self._jump(indent + "    ", loop)
        elif kind < 0.93:
            self._loop(indent, depth, loop, counted=kind < 0.78)
        else:
            self._block("try:", indent, depth, loop)
            self._lines.append(f"{indent}finally:")
            self._simple(indent + "    ")

    def _loop(self, indent: str, depth: int, loop: bool, counted: bool) -> None:
        self._loops += 1
        i = f"i{self._loops}"
        if counted:
            self._lines.append(f"{indent}{i} = zero")
            self._block(
                f"while {i} < {self._rng.randint(1, 4)} and {self._condition()}:", indent, 0, True
            )
            self._lines[-1:] = [f"{indent}    {i} += 1", self._lines[-1]]
        else:
            self._block(f"for {i} in sequence({self._rng.randint(0, 4)}):", indent, 0, True)
        for _ in range(self._rng.randint(1, 2)):
            self._statement(indent + "    ", depth - 1, True)
        if counted:
            return
        if self._rng.random() < 0.2:
            self._block("else:", indent, depth, loop)

    def _jump(self, indent: str, loop: bool) -> None:
        jump = self._rng.random()
        if loop and jump < 0.4:
            self._lines.append(indent + ("break" if jump < 0.2 else "continue"))
        elif jump < 0.5:
            self._lines.append(f"{indent}return ({self._rng.choice('xyz')}, y, z)")


SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_on_python_values(seed: int) -> None:
    """The same results and the same effects in the same order as in Python."""
    program = Program(seed)
    plain: list[Any] = []
    other: list[Any] = []
    wanted = program.function(zero=0, sequence=range, note=plain.append)(*program.arguments)
    function = program.function(zero=0, sequence=range, note=other.append)
    converted = tf.autograph.to_graph(function)
    assert conversion.kept.of(function).code is not None
    assert converted(*program.arguments) == wanted, program.text
    assert other == plain


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_on_tensors(seed: int) -> None:
    """The same results as in Python where nothing is known while the program is traced."""
    program = Program(seed)
    wanted = program.function(zero=0, sequence=range, note=id)(*program.arguments)
    function = program.function(zero=tf.constant(0), sequence=tf.range, note=id)
    found = tf.function(function)(*map(tf.constant, program.arguments))
    assert tuple(int(v) for v in found) == wanted, program.text


# ---- functions of every kind -------------------------------------------------------------------


class Base:
    def scaled(self, x: Any) -> Any:
        return x + 1.0 if x > 0.0 else x


class Derived(Base):
    __scale = 2.0

    def scaled(self, x: Any) -> Any:
        y = x
        if x > 0.0:
            y = super().scaled(x) * self.__scale
        return y

    def __call__(self, x: Any) -> Any:
        if x > 0.0:
            return self.scaled(x)
        return x

    @tf.function
    def traced(self, x: Any) -> Any:
        if x > 1.0:
            x = self(x)
        return x

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x if x > 0.0 else -x


DERIVED = Derived()


def keywords(x: Any, a: float = 2.0, *rest: float, b: float, c: float = 1.0, **more: float) -> Any:
    if x > 0.0:
        return x * a + b + c + sum(rest) + sum(more.values())
    return x


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def around(*args: Any) -> Any:
        found = function(*args)
        if found > 0.0:
            found = found * 10.0
        return found

    return around


@decorated
def inside(x: Any) -> Any:
    if x > 1.0:
        x = x + 1.0
    return x


def recursive(x: Any, n: int = 4) -> Any:
    if n == 0:
        return x
    return recursive(x + 1.0 if x > 0.0 else x, n - 1)


def matched(x: Any) -> Any:
    match [3, 4]:
        case [int(n), *_] if n > 2:
            if x > 0.0:
                x = x * n
    return x


def named(x: Any) -> Any:
    if (n := len([1, 2, 3])) > 2 and x > 0.0:
        return x * n
    return x


def tried(x: Any) -> Any:
    for n in range(3):
        try:
            if n == 1:
                raise KeyError(n)
        except KeyError as error:
            if x > 0.0:
                x = x + error.args[0]
        finally:
            x = x * 2.0
    return x


def counting(x: Any) -> Any:
    n = 0.0

    def count() -> None:
        nonlocal n
        n = n + 1.0

    for _ in tf.range(3):
        count()
    return x + n


def generated(x: Any) -> Any:
    for n in (k for k in [1.0, 2.0]):
        if x > n:
            x = x + n
    return x


TWO = [lambda x: x if x > 0.0 else -x, lambda x: x if x < 0.0 else -x]
OVER_LINES = tf.function(
    lambda x: (
        x * 2.0 if x > 0.0
        else x
    ),
)  # fmt: skip
# Lambdas that go on in a line that could be a statement of its own.
GOING_ON = [
    lambda x: x if x > 9.0 else [x, x][0]
    + x,
    lambda x: (x if x > 9.0 else
               -x)
    - x * 2.0
    + (x if x > 1.0 else 0.0),
    lambda x: (lambda y: -y if y > 0.0 else y)
    (x),
    lambda x: [x if x > 9.0 else -x, x]
    [0],
]  # fmt: skip

KINDS: list[tuple[Any, float]] = [
    (DERIVED.scaled, 8.0), (DERIVED.traced, 8.0), (DERIVED, 8.0), (lambda x: Derived()(x), 8.0),
    (Derived.of_class, 3.0), (functools.partial(keywords, b=1.0), 8.0),
    (lambda x: keywords(x, 1.0, 4.0, b=2.0, d=10.0), 20.0), (inside, 40.0), (recursive, 7.0),
    (matched, 9.0), (named, 9.0), (tried, 28.0), (counting, 6.0), (generated, 6.0),
    (TWO[0], 3.0), (TWO[1], -3.0), (OVER_LINES, 6.0),
    (GOING_ON[0], 6.0), (GOING_ON[1], -6.0), (GOING_ON[2], -3.0), (GOING_ON[3], -3.0),
]  # fmt: skip


@pytest.mark.parametrize(("function", "wanted"), KINDS)
def test_a_function_of_every_kind(function: Any, wanted: float) -> None:
    assert tf.function(function)(tf.constant(X)).numpy() == wanted


def test_cells_are_shared() -> None:
    scale = 1.0

    def f(x: Any) -> Any:
        return x * scale if x > 0.0 else x

    converted = tf.autograph.to_graph(f)
    assert converted(X) == 3.0
    scale = 2.0
    assert converted(X) == 6.0


def test_functions_and_classes_within_have_their_names() -> None:
    def f(x: Any) -> Any:
        class Inner:
            pass

        if x > 0.0:

            def g() -> None: ...

        return Inner, g, lambda: x

    for made, plain in zip(tf.autograph.to_graph(f)(X), f(X), strict=True):
        assert made.__qualname__ == plain.__qualname__
        assert made.__name__ == plain.__name__


def test_a_conversion_is_kept_as_long_as_its_function() -> None:
    space: dict[str, Any] = {"__name__": "made"}
    text = "def f(x):\n    return x if x > 0 else -x\n"
    linecache.cache["<made>"] = (1, None, text.splitlines(True), "<made>")
    exec(compile(text, "<made>", "exec"), space)
    function: FunctionType = space.pop("f")
    assert conversion.kept.of(function) is conversion.kept.of(function)
    before = len(conversion.kept._made)
    del function
    assert len(conversion.kept._made) == before - 1


def test_what_is_left_alone() -> None:
    @tf.autograph.experimental.do_not_convert
    def left(x: Any) -> Any:
        if x > 0.0:
            return x
        return -x

    text = re.escape("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed")
    without_source: dict[str, Any] = {}
    exec("def f(x):\n    return x if x > 0 else -x", without_source)
    for function in (left, lambda x: left(x), without_source["f"]):
        with pytest.raises(SymbolicValueError, match=text):
            tf.function(function)(tf.constant(X))
    with pytest.raises(SymbolicValueError, match="Autograph left f as it is: its source is not"):
        tf.function(lambda x: without_source["f"](x))(tf.constant(X))
    with pytest.raises(ValueError, match="its source is not at hand"):
        tf.autograph.to_graph(without_source["f"])


def test_what_is_called_like_a_function_of_frames() -> None:
    """A parameter, a variable around, or a local called `vars` or `dir` is no look at a frame."""

    def scaled(x: Any, vars: Any) -> Any:
        def inner(x: Any) -> Any:
            dir = vars
            return x * dir if x > 0.0 else x

        return inner(x)

    for function in (scaled, lambda x, vars: scaled(x, vars)):
        assert tf.function(function)(tf.constant(3.0), tf.constant(2.0)).numpy() == 6.0


def test_why_the_caller_was_left_alone() -> None:
    def branch(x: Any) -> Any:
        return x if x > 0.0 else -x

    def looks(x: Any) -> Any:
        assert vars()
        return branch(x)

    with pytest.raises(SymbolicValueError, match="Autograph left looks as it is: it looks at"):
        tf.function(looks)(tf.constant(X))


# ---- errors ------------------------------------------------------------------------------------


def unset(x: Any) -> Any:
    if x > 0.0:
        y = x
    return y


def no_return(x: Any) -> Any:  # noqa: RET503  # that is what is wrong
    if x > 0.0:
        return x


def nothing(x: Any) -> Any:
    y = None
    if x > 0.0:
        y = x
    return y


def two_dtypes(x: Any) -> Any:
    if x > 0.0:
        y = 1
    else:
        y = 2.0
    return y


def growing(x: Any) -> Any:
    v = x[None]
    for _ in tf.range(3):
        v = tf.concat([v, v], 0)
    return v


def changing(x: Any) -> Any:
    n = 0
    for _ in tf.range(3):
        n = tf.cast(n, tf.float32)
    return n


def restructured(x: Any) -> Any:
    p = (x, x)
    for _ in tf.range(3):
        p = (*p, x)
    return p


def not_boolean(x: Any) -> Any:
    if x:
        return x
    return -x


def broken_python_loop(x: Any) -> Any:
    for _ in range(3):
        if x > 0.0:
            break
    return x


ERRORS: list[tuple[Any, type[Exception], str, int]] = [
    (unset, ValueError, "'y' must also be initialized in the else branch", 1),
    (no_return, ValueError, "the else branch must also have a return statement", 1),
    (nothing, ValueError, "'y' is None at the end of the else branch", 2),
    (two_dtypes, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch", 1),
    (growing, ValueError, "'v' has shape (1,) before the loop, but shape (2,) after one iteration. Use tf.autograph.experimental.set_loop_options", 2),
    (changing, TypeError, "'n' has dtype int32 before the loop, but dtype float32 after one iteration", 2),
    (restructured, TypeError, "'p' does not have the same nested structure after one iteration", 2),
    (not_boolean, ValueError, "condition of if statement expected to be `tf.bool` scalar, got", 1),
    (broken_python_loop, NotImplementedError, "break and return statements which depend on a TF condition are not supported in Python for loops", 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "kind", "text", "below"), ERRORS, ids=lambda p: getattr(p, "__name__", "")
)
def test_an_error_names_the_variable_and_the_line(
    program: Any, kind: type[Exception], text: str, below: int
) -> None:
    with pytest.raises(kind, match=re.escape(text)) as error:
        tf.function(program)(tf.constant(X))
    assert f"(at {__file__}:{program.__code__.co_firstlineno + below})" in str(error.value)


def test_a_loop_that_defines_a_variable_must_run() -> None:
    @tf.function
    def f(n: Any) -> Any:
        for i in tf.range(n):
            last = i
        return last

    assert f(tf.constant(3)).numpy() == 2
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize last"
    ):
        f(tf.constant(0))


def test_shape_invariants() -> None:
    @tf.function
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    assert f(tf.constant([1.0])).shape == [8]


def test_shape_invariants_of_structures_and_in_a_scope() -> None:
    """What is said of the values in a structure one by one, where the loop stands in a `with`, too."""

    def joined(state: Any, i: Any) -> Any:
        return {"b": tf.concat([state["b"], [float(i)]], 0), "a": state["a"] + 1}

    @tf.function
    def f(n: Any) -> Any:
        state, rows = (
            {"b": tf.zeros([1]), "a": tf.constant(0)},
            [tf.ragged.constant([[1.0]]), None],
        )
        for i in tf.range(n):
            with tf.name_scope("round"):
                tf.autograph.experimental.set_loop_options(
                    shape_invariants=[
                        (state, {"a": tf.TensorShape([]), "b": tf.TensorShape([None])}),
                        (rows, [tf.RaggedTensorSpec([None, None], tf.float32), None]),
                    ]
                )
                state = joined(state, tf.cast(i, tf.float32))
                rows = [tf.concat([rows[0], rows[0]], 0), None]
        return state, rows[0]

    state, rows = f(tf.constant(2))
    assert state["b"].numpy().tolist() == [0.0, 0.0, 1.0]
    assert state["a"].numpy() == 2
    assert rows.to_list() == [[1.0]] * 4


def test_a_traceback_has_the_users_lines_and_names() -> None:
    at: list[int] = []

    @tf.function
    def failing(x: Any) -> Any:
        y = x
        for _ in range(2):
            if x > 0.0:
                at.append(line() + 1)
                y = y.nothing
        return y

    with pytest.raises(AttributeError) as error:
        failing(tf.constant(X))
    frames = [f for f in traceback.extract_tb(error.value.__traceback__) if f.filename == __file__]
    assert frames[-1].lineno == at[0]
    assert frames[-1].line == "y = y.nothing"
    assert {f.name for f in frames[1:]} == {"failing"}


# ---- gradients ---------------------------------------------------------------------------------


def power(x: Any) -> Any:
    """x cubed above 2; -x elsewhere."""
    y = tf.ones_like(x)
    if x > 2.0:
        for _ in tf.range(3):
            y = y * x
    else:
        y = -x
    return y


@pytest.mark.parametrize(("x", "wanted"), [(3.0, (27.0, 27.0, 18.0)), (1.0, (-1.0, -1.0, 0.0))])
@pytest.mark.parametrize("tape_inside", [True, False])
def test_gradients_of_two_orders(x: float, wanted: Any, tape_inside: bool) -> None:
    def derived(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = program(x)
            slope = inner.gradient(y, x)
        return y, slope, outer.gradient(slope, x, unconnected_gradients="zero")

    program = power if tape_inside else tf.function(power)
    found = (tf.function(derived) if tape_inside else derived)(tf.constant(x))
    assert tuple(float(v) for v in found) == wanted


def test_a_jacobian_through_a_loop() -> None:
    @tf.function
    def f(x: Any) -> Any:
        s = tf.zeros_like(x)
        for v in x:
            if v > 1.0:
                s = s + v * x
        return s

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    # y = (x1 + x2) x
    wanted = 5.0 * np.eye(3) + np.array([[0, 1, 1], [0, 2, 2], [0, 3, 3]])
    assert np.array_equal(tape.jacobian(y, x), wanted)


def test_the_gradient_of_a_custom_gradient_with_a_branch() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: doubled(x) if x > 0.0 else x)(x)
    assert tape.gradient(y, x).numpy() == 5.0


# ---- the rest ----------------------------------------------------------------------------------


def test_to_code() -> None:
    assert "ag__.branch(x > 2.0, " in tf.autograph.to_code(one_branch)
    assert tf.autograph.to_code(tf.function(one_branch)) == tf.autograph.to_code(one_branch)


def test_internal_names() -> None:
    from wengert.compat.internals.autograph.core import ag_ctx
    from wengert.compat.internals.autograph.impl import api

    assert ag_ctx.control_status_ctx().status is ag_ctx.Status.UNSPECIFIED
    with ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED) as context:
        assert ag_ctx.control_status_ctx() is context
        assert api.tf_convert(one_branch, context) is one_branch
    assert api.tf_convert(one_branch, ag_ctx.control_status_ctx()) is not one_branch
    assert api.converted_call(keywords, (1.0,), {"b": 2.0}) == 5.0


@pytest.mark.timing
def test_the_cost_of_a_conversion() -> None:
    """At most seven times what Python takes to compile the text: that is 2 ms for 40 lines."""
    program = Program(7)
    function = program.function()
    spent, compiled = [], []
    for _ in range(20):
        start = time.perf_counter()
        assert conversion._converted(function).code is not None
        middle = time.perf_counter()
        compile(program.text, "<program>", "exec")
        compiled.append(time.perf_counter() - middle)
        spent.append(middle - start)
    assert min(spent) < 7 * min(compiled)


def test_a_name_that_with_binds_is_no_variable_of_the_loop() -> None:
    """A tape for each iteration: it is bound anew before it is read, as in a loop of Python's."""

    def descend(w: Any, steps: Any) -> Any:
        for i in tf.range(steps):
            if i == 2:
                continue
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = w * w
            w = w - 0.25 * tape.gradient(loss, w)
            if w < 0.2:
                break
        return w

    descending = tf.function(descend)
    for steps in (1, 3, 5, 9):
        one = descending(tf.constant(1.0), tf.constant(steps))
        assert one.numpy() == descend(tf.constant(1.0), steps).numpy()


def test_a_variable_that_is_bound_to_another_value_is_read() -> None:
    w, b = tf.Variable([0.5, 1.0]), tf.Variable([5.0, 6.0])

    @tf.function
    def looped(v: Any) -> Any:
        for _ in tf.range(3):
            v = v * 2.0
        return v

    @tf.function
    def branched(v: Any, is_double: Any) -> Any:
        if is_double:
            v = v * 2.0
        return v

    @tf.function
    def chosen(is_first: Any) -> Any:
        if is_first:
            v = w
        else:
            v = b
        return v * 1.0

    @tf.function
    def changed() -> Any:
        v = w
        for _ in tf.range(2):
            v = w
            v.assign_add([1.0, 1.0])  # the same variable stays one
        return v * 1.0

    assert looped(w).numpy().tolist() == [4.0, 8.0]
    assert branched(w, tf.constant(True)).numpy().tolist() == [1.0, 2.0]
    assert branched(w, tf.constant(False)).numpy().tolist() == [0.5, 1.0]
    assert chosen(tf.constant(False)).numpy().tolist() == [5.0, 6.0]
    assert changed().numpy().tolist() == [2.5, 3.0]


def test_a_range_whose_step_is_a_tensor() -> None:
    """Up or down, that is known when it runs."""

    @tf.function
    def total(start: Any, end: Any, step: Any) -> Any:
        found = 0
        for i in tf.range(start, end, step):
            found += i
        return found

    for ends in ((5, 0, -1), (0, 5, 1), (9, 1, -3), (1, 9, 3), (3, 3, 1), (3, 3, -1)):
        assert int(total(*map(tf.constant, ends))) == sum(range(*ends))


def _once_again(y: Any) -> Any:
    """What a loop wrote is read when the gradient computes the function again."""
    for _ in tf.range(2):
        factor = 2.0
        y = tf.recompute_grad(lambda x: x * factor)(y)
    return y


def _of_each_block(y: Any) -> Any:
    """Both blocks write the variable, and each function reads that of its own."""
    if tf.reduce_sum(y) > 0:
        factor = 2.0
        y = tf.recompute_grad(lambda x: x * x * factor)(y)
    else:
        factor = 3.0
        y = tf.recompute_grad(lambda x: x * x * factor)(y)
    return y


def _of_one_block(y: Any) -> Any:
    """The block that does not write the variable does not take it away, either."""
    if tf.reduce_sum(y) > 0:
        factor = y * 2.0

        @tf.custom_gradient
        def scaled(x: Any) -> Any:
            return x * factor, lambda dy: dy * factor * 3.0

        y = scaled(y)
    return y


@pytest.mark.parametrize("program", [_once_again, _of_each_block, _of_one_block])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_gradient_calls_a_function_made_in_a_block(
    program: Callable[..., Any], sign: float
) -> None:
    """It finds the variables as they were left there, as in eager mode."""

    def gradient(y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = program(y)
        return tape.gradient(z, y)

    y = tf.constant([1.0, 2.0]) * sign
    expected = gradient(y).numpy().tolist()
    assert tf.function(gradient)(y).numpy().tolist() == expected
    assert tf.function(gradient, jit_compile=True)(y).numpy().tolist() == expected


def root(a: Any) -> Any:
    """The square root, by as many steps of Newton's as it takes."""
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


@pytest.mark.parametrize(
    ("make", "want"),
    [
        (tf.grad, 0.25),
        (lambda f: tf.grad(tf.grad(f)), -1 / 32),
        (lambda f: tf.grad(f=f), 0.25),
        (lambda f: tf.value_and_grad(f, argnums=0), [2.0, 0.25]),
        (tf.jacobian, 0.25),
        (tf.hessian, -1 / 32),
        (tf.recompute_grad, 2.0),
        (lambda f: tf.grad(tf.recompute_grad(f)), 0.25),
    ],
)
def test_what_is_made_of_a_function_is_made_of_the_converted_one(make: Any, want: Any) -> None:
    """So a derivative of NumPy's programs can be compiled as it stands, with its branches and loops."""
    four = tf.constant(4.0, tf.float64)
    np.testing.assert_allclose(tf.nest.flatten(tf.function(make(root))(four)), want, 1e-9)
    with pytest.raises(tf.errors.SymbolicValueError, match="as a Python `bool`"):
        tf.function(make(root), autograph=False)(four)


def test_what_wraps_a_derivative_is_not_it() -> None:
    derivative = tf.grad(root)

    @functools.wraps(derivative)
    def doubled(a: Any) -> Any:
        return 2.0 * derivative(a)

    four = tf.constant(4.0, tf.float64)
    assert float(doubled(four)) == pytest.approx(0.5)
    assert float(tf.function(doubled)(four)) == pytest.approx(0.5)
    kept = tf.autograph.experimental.do_not_convert(derivative)
    with pytest.raises(SymbolicValueError):
        tf.function(kept)(four)


def test_examples_at_once_of_a_function_with_branches() -> None:
    def kinked(x: Any) -> Any:
        return x * x if x > 0.0 else -x

    x = tf.constant([-1.0, 3.0])
    np.testing.assert_array_equal(tf.function(tf.vmap(kinked))(x), [1.0, 9.0])
    np.testing.assert_array_equal(tf.function(tf.vmap(tf.grad(kinked)))(x), [-1.0, 6.0])
