"""tf.test.TestCase and its decorators: what holds passes, what does not fails and says why."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import textwrap
import unittest
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.testing import decorators as test_util

Point = namedtuple("Point", ["x", "y"])


class Case(tf.test.TestCase):
    def runTest(self) -> None:  # noqa: N802
        """So that one can be made."""


@pytest.fixture
def case() -> Iterator[Case]:
    made = Case()
    made.setUp()
    yield made
    made.tearDown()
    made.doCleanups()


# An assertion, arguments with which it holds, arguments with which it fails, and what it says then.
ASSERTIONS: list[tuple[str, tuple[Any, ...], tuple[Any, ...], str]] = [
    ("assertAllClose", (1.0, 1.0 + 1e-7), (1.0, 1.1), "1 of 1 elements differ"),
    ("assertAllClose", ([1.0, np.nan],) * 2, ([1.0, np.nan], [1.0, 2.0]), r"at \(1,\): nan and 2"),
    ("assertAllClose", ([], []), ([1.0], [1.0, 2.0]), "Shape mismatch|lengths"),
    ("assertAllClose", ({"a": [1.0]},) * 2, ({"a": 1.0}, {"b": 1.0}), "keys differ"),
    ("assertAllClose", ({"a": {"b": 1}},) * 2, ({"a": {"b": 1}}, {"a": {"b": 2}}), r"\['a'\]\['b'\]"),
    ("assertAllClose", (Point(1.0, [2.0]),) * 2, (Point(1.0, 2.0), Point(1.0, 3.0)), r"\['y'\]"),
    ("assertAllClose", ([[1.0], [2.0, 3.0]],) * 2, ([[1.0], [2.0, 3.0]], [[1.0], [2.0, 4.0]]), r"\[1\]"),
    ("assertNotAllClose", (1.0, 1.1), (1.0, 1.0), "are close at all elements"),
    ("assertAllEqual", ([1, 2], (1, 2)), ([1, 2], [1, 3]), r"at \(1,\): 2 and 3"),
    ("assertAllEqual", (np.nan, np.nan), ([[1]], [1]), "Shape mismatch"),
    ("assertAllEqual", ([b"a"], [b"a"]), ([b"a"], [b"b"]), "not equal"),
    ("assertAllEqual", (None, None), (None, 1), "not equal"),
    ("assertAllEqual", ([[1], []], [[1], []]), ([[1], []], [[1], [2]]), "differ|not equal|!="),
    ("assertAllEqual", (tf.float16, tf.float16), (tf.float16, tf.int32), "not equal"),
    ("assertNotAllEqual", (1, 2), (1, 1), "equal at all elements"),
    ("assertNear", (1.0, 1.1, 0.2), (1.0, 1.1, 0.01), "1.0 != 1.1"),
    ("assertArrayNear", ([1.0], [1.1], 0.2), ([1.0], [1.1], 0.01), "1.0 != 1.1"),
    ("assertNDArrayNear", ([1.0, 2.0], [1.0, 2.1], 0.2), ([1.0], [2.0], 0.5), "not less than"),
    ("assertAllGreater", ([2, 3], 1), ([2, 1], 1), r"1 of 2 elements are not > 1: 1 at \(1,\)"),
    ("assertAllGreaterEqual", ([1, 3], 1), ([0, 1], 1), "not >= 1"),
    ("assertAllLess", ([0, -1], 1), ([0, 1], 1), "not < 1"),
    ("assertAllLessEqual", ([0, 1], 1), ([0, 2], 1), "not <= 1"),
    ("assertAllInRange", ([1, 2], 1, 2), ([1, 2], 1, 2, True), r"not in \(1, 2\]"),
    ("assertAllInSet", ([1, 2], {1, 2}), ([1, 3], {1, 2}), "3 at"),
    ("assertShapeEqual", (np.ones([2, 3]), tf.ones([2, 3])), (np.ones(2), tf.ones([2, 3])), "!="),
    ("assertDTypeEqual", (tf.ones([1]), np.float32), (tf.ones([1]), tf.int32), "float32"),
    ("assertDeviceEqual", ("/device:CPU:0", "/cpu:0"), ("/cpu:0", "/gpu:0"), "gpu"),
    ("assertProtoEquals", ("a: 1", "a : 1"), ("a: 1", "a: 2"), r"\+ a:2"),
    ("assertLen", ([1], 1), ([1], 2), "1 != 2"),
    ("assertEmpty", ([],), ([1],), "not empty"),
    ("assertNotEmpty", ([1],), ([],), "is empty"),
    ("assertBetween", (1, 0, 2), (3, 0, 2), "not in"),
    ("assertStartsWith", ("abc", "ab"), ("abc", "b"), "does not start"),
    ("assertEndsWith", ("abc", "bc"), ("abc", "b"), "does not end"),
    ("assertRegexMatch", ("abc", ["x", "b"]), ("abc", ["x"]), "matches none"),
    ("assertContainsSubset", ([1], [1, 2]), ([3], [1, 2]), "Not in"),
    ("assertNoCommonElements", ([1], [2]), ([1], [1, 2]), "Common elements"),
    ("assertItemsEqual", ([1, 2], [2, 1]), ([1, 1], [1, 2]), "counts"),
    ("assertSameElements", ([1, 1], [1]), ([1], [2]), "not the second"),
    ("assertSequenceAlmostEqual", ([1.0], [1.0 + 1e-9]), ([1.0], [1.1]), "1.0 != 1.1"),
    ("assertContainsInOrder", (["a", "c"], "abc"), (["c", "a"], "abc"), "is not in"),
    ("assertMultiLineEqual", ("a\nb", "a\nb"), ("a\nb", "a\nc"), "- b"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "right", "wrong", "said"),
    ASSERTIONS,
    ids=[f"{a[0]}-{i}" for i, a in enumerate(ASSERTIONS)],
)
def test_an_assertion(
    case: Any, name: str, right: tuple[Any, ...], wrong: tuple[Any, ...], said: str
) -> None:
    """It passes and it fails, with words; tensors stand for their values."""
    check = getattr(case, name)
    check(*right)
    with pytest.raises(AssertionError, match=said):
        check(*wrong)


def test_tensors_arrays_and_structures_mix(case: Any) -> None:
    case.assertAllClose(
        {"a": tf.constant([1.0]), "b": (tf.Variable(2.0),)}, {"a": [1.0], "b": [2.0]}
    )
    case.assertAllEqual(tf.constant([1, 2]), np.array([1, 2]))
    case.assertAllEqual([tf.constant(1), tf.Variable(2)], [1, 2])
    case.assertAllEqual(tf.TensorShape([2, 3]), [2, 3])
    with pytest.raises(AssertionError, match="mine: Not close"):
        case.assertAllClose(tf.constant(1.0), 2.0, msg="mine")


def test_closeness_by_dtype(case: Any) -> None:
    """The less precise of the two says how close is close."""
    case.assertAllCloseAccordingToType(tf.constant(1.0, tf.float16), 1.0009)
    case.assertAllCloseAccordingToType(tf.constant(1.0, tf.bfloat16), 1.009)
    with pytest.raises(AssertionError):
        case.assertAllCloseAccordingToType(tf.constant(1.0, tf.float64), 1.0009)


def test_errors_that_are_expected(case: Any) -> None:
    """Of the right kind, with the right text; none is a failure."""
    with case.assertRaisesOpError("shape has 3"):
        tf.reshape(tf.constant([1.0, 2.0]), [3])
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
        raise ValueError("x")
    with case.assertRaisesWithLiteralMatch(ValueError, "a(b"):
        raise ValueError("a(b")
    with case.assertRaisesIncompatibleShapesError():
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(AssertionError, match="does not match 'y'"):
        with case.assertRaisesWithPredicateMatch(ValueError, "y"):
            raise ValueError("x")
    with pytest.raises(AssertionError, match="OpError not raised"):
        with case.assertRaisesOpError("anything"):
            pass
    with pytest.raises(KeyError):  # another kind goes through
        with case.assertRaisesOpError("anything"):
            raise KeyError("k")


# ---- sessions ----------------------------------------------------------------------------------


def test_values_in_eager_mode(case: Any) -> None:
    v = tf.Variable(2.0)
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 2])
    got = case.evaluate([v, None, {"a": tf.constant(1)}, lambda: tf.constant(3)])
    assert got == [2.0, None, {"a": 1}, 3]
    assert case.evaluate(slices).values.tolist() == [[1.0, 1.0]]
    assert case.evaluate(sparse).values.tolist() == [5.0]
    with case.session() as session, case.cached_session() as cached:
        assert session.run(v) == cached.run(lambda: tf.constant(2.0)) == 2.0
        with pytest.raises(NotImplementedError, match="feed_dict is not supported"):
            session.run(v, feed_dict={"v": 1.0})
    with pytest.raises(ValueError, match="Unsupported type object"):
        case.evaluate(object())


def test_sessions_in_a_graph(case: Any) -> None:
    """cached_session is one session, session another each time."""
    with tf.Graph().as_default():
        v = tf.Variable(3.0)
        with case.cached_session() as first:
            case.evaluate(v.initializer)
            assert case.evaluate([v, 7, None]) == [3.0, 7, None]
        with case.cached_session() as again:
            assert again is first
            assert case.evaluate(v) == 3.0
        with case.session() as other:
            assert other is not first
            with pytest.raises(tf.errors.FailedPreconditionError):
                other.run(v)
        with pytest.raises(ValueError, match="is different"), case.cached_session(tf.Graph()):
            pass


def test_every_test_begins_with_the_same_seed() -> None:
    drawn = []
    for _ in range(2):
        one = Case()
        one.setUp()
        drawn.append((tf.random.normal([2]).numpy().tolist(), np.random.rand()))
        one.tearDown()
    assert drawn[0] == drawn[1]


# ---- the rest of a test ------------------------------------------------------------------------


def test_threads_whose_errors_count(case: Any) -> None:
    seen: list[int] = []
    thread = case.checkedThread(seen.append, args=(1,))
    thread.start()
    thread.join()
    assert seen == [1]
    failing = case.checkedThread(lambda: case.assertAllEqual(1, 2))
    failing.start()
    with pytest.raises(AssertionError, match="Error in a checkedThread"):
        failing.join()


def test_a_test_is_set_up_again_inside_a_graph() -> None:
    """Libraries' own decorators do so, to run a test in each mode."""
    one = Case()
    with tf.Graph().as_default() as graph:
        one.setUp()
        assert tf.compat.v1.get_default_graph() is graph
        assert graph.seed == 87654321
        with one.session() as session:
            assert session.run(tf.constant(2.0) * 3.0) == 6.0
        one.tearDown()


def test_files_of_a_test() -> None:
    """They lie apart from other tests', and outlive it, as a writer of summaries may."""
    one = Case()
    folder = Path(one.get_temp_dir())
    file = one.create_tempfile(content="text")
    assert Path(file.full_path).read_text() == "text"
    outer = one.create_tempdir()
    assert Path(outer).is_dir()
    assert Path(one.create_tempdir("deep//er")).is_dir()
    inner = outer.mkdir("inner")
    assert Path(inner) == Path(outer, "inner")
    made = [outer.create_file("deep/a.txt", "text"), inner.create_file(), inner.mkdir()]
    assert made[0].read_text() == "text"
    assert made[0].full_path == str(Path(outer, "deep", "a.txt"))
    assert all(m.exists() for m in made)
    assert len(list(Path(inner).iterdir())) == 2
    assert folder == Path(one.get_temp_dir())
    assert folder != Path(Case().get_temp_dir())
    one.doCleanups()
    assert folder.is_dir()


def test_files_of_a_process() -> None:
    """They lie in a folder of its own, not in the one that all programs share, and are gone after it."""
    program = """
        import os, tempfile
        import wengert as tf

        folder = tf.compat.v1.test.get_temp_dir()
        assert folder == tf.compat.v1.test.get_temp_dir()
        assert os.listdir(folder) == []
        assert not os.path.samefile(folder, tempfile.gettempdir())
        open(os.path.join(folder, "file"), "w").close()
        print(folder)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    folder = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    assert folder
    assert not Path(folder).exists()


def test_what_is_written_to_a_stream(case: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled(), case.captureWritesToStream(sys.__stderr__) as written:
        print("hello", file=sys.__stderr__)
    assert written.contents() == "hello\n"


def ran(test: type[unittest.TestCase]) -> unittest.TestResult:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(test)
    return unittest.TextTestRunner(stream=io.StringIO()).run(suite)


def test_a_class_of_tests_runs() -> None:
    """A failing test fails; `test_session` is no test."""

    class Two(tf.test.TestCase):
        def test_right(self) -> None:
            self.assertAllClose(tf.square(2.0), 4.0)

        def test_wrong(self) -> None:
            self.assertAllClose(tf.square(2.0), 5.0)

    result = ran(Two)
    assert (result.testsRun, len(result.failures), len(result.skipped)) == (3, 1, 1)
    assert not result.errors


def test_with_parameters() -> None:
    """absl's parameterized stands beside it."""
    parameterized: Any = pytest.importorskip("absl.testing.parameterized")

    class Many(tf.test.TestCase, parameterized.TestCase):  # type: ignore[misc]
        @parameterized.parameters(1, 2)
        @test_util.run_in_graph_and_eager_modes
        def test_square(self, n: int) -> None:
            self.assertAllEqual(self.evaluate(tf.square(n)), n * n)

    result = ran(Many)
    assert (result.testsRun, result.failures, result.errors) == (3, [], [])


# ---- decorators --------------------------------------------------------------------------------


def modes_of(decorator: Any) -> list[bool]:
    """In which modes a decorated test runs, eager or not."""
    modes: list[bool] = []

    class One(tf.test.TestCase):
        @decorator
        def test(self) -> None:
            modes.append(tf.executing_eagerly())
            self.assertAllClose(self.evaluate(tf.square(2.0)), 4.0)

    result = ran(One)
    assert not result.failures
    assert not result.errors
    return modes


def test_the_modes_of_a_test() -> None:
    assert modes_of(test_util.run_in_graph_and_eager_modes) == [False, True]
    assert modes_of(test_util.run_in_graph_and_eager_modes(use_gpu=False)) == [False, True]
    assert modes_of(test_util.run_deprecated_v1) == [False]
    assert modes_of(test_util.deprecated_graph_mode_only) == [False]
    assert modes_of(test_util.run_v2_only) == [True]
    assert modes_of(test_util.run_v1_only("old")) == []
    assert modes_of(test_util.run_gpu_only) == []
    assert modes_of(test_util.leave_unchanged("why")) == [True]
    assert modes_of(test_util.skip_if(lambda: True)) == []
    assert modes_of(test_util.skip_if(False)) == [True]
    assert modes_of(tf.test.disable_with_predicate(lambda: True, "skipped")) == []


def test_version_1_only_in_version_1() -> None:
    tf.compat.v1.disable_eager_execution()
    try:
        assert modes_of(test_util.run_v1_only) == [False]
        assert modes_of(test_util.run_v2_only) == []
    finally:
        tf.compat.v1.enable_eager_execution()


def test_classes_are_decorated_test_by_test() -> None:
    modes: list[bool] = []

    @test_util.run_all_in_graph_and_eager_modes
    class One(tf.test.TestCase):
        def test(self) -> None:
            modes.append(tf.executing_eagerly())

        def helper(self) -> None:
            raise AssertionError

    assert not ran(One).errors
    assert modes == [False, True]
    with pytest.raises(ValueError, match="setUp"):
        test_util.run_in_graph_and_eager_modes(Case.setUp)


def test_a_failure_in_either_mode_is_a_failure() -> None:
    """The second run does not hide the first, nor the other way round."""
    for failing in (True, False):

        class One(tf.test.TestCase):
            @test_util.run_in_graph_and_eager_modes
            def test(self) -> None:
                self.assertAllEqual(tf.executing_eagerly(), not failing)

        assert len(ran(One).failures) == 1


def test_also_as_a_function() -> None:
    inside: list[bool] = []

    class One(tf.test.TestCase):
        @test_util.also_run_as_tf_function
        def test(self) -> None:
            inside.append(tf.inside_function())

        @test_util.build_as_function_and_v1_graph
        def test_built(self) -> None:
            inside.append(tf.inside_function())

    result = ran(One)
    assert not result.errors
    assert inside == [False, True, False, True]


def outcome(decorator: Callable[..., Any], body: Callable[[], None]) -> int:
    """How many failures a decorated test has."""

    class One(tf.test.TestCase):
        @decorator
        def test(self) -> None:
            body()

    result = ran(One)
    assert not result.errors
    return len(result.failures)


@pytest.mark.slow
def test_what_a_test_leaves_behind_is_found() -> None:
    """Tensors, objects and circles; and a test that leaves nothing passes."""
    kept: list[Any] = []

    def clean() -> None:
        with tf.GradientTape(persistent=True) as tape:
            x = tf.constant([1.0, 2.0])
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)

    def circle() -> None:
        one: list[Any] = []
        one.append(one)

    gc.collect()
    for decorator, leaking in (
        (test_util.assert_no_new_tensors, lambda: kept.append(tf.constant(1.0))),
        (
            test_util.assert_no_new_pyobjects_executing_eagerly,
            lambda: kept.extend([] for _ in range(9)) or kept.append([[] for _ in range(9)]),  # type: ignore[func-returns-value]
        ),
        (test_util.assert_no_garbage_created, circle),
    ):
        assert outcome(decorator, clean) == 0
        assert outcome(decorator, leaking) == 1


def test_benchmarks_time_what_a_session_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(1.0)
        found = tf.test.Benchmark().run_op_benchmark(session, x, min_iters=3, name="one")
    assert found["iters"] == 3
    assert 0 < found["wall_time"] < 1
    assert capsys.readouterr().out.startswith("one: ")
    assert tf.test.Benchmark().evaluate(tf.constant(2.0)) == 2.0


def test_what_tests_ask_about_the_machine() -> None:
    assert not tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == ""
    assert [d.device_type for d in tf.config.list_physical_devices()] == ["CPU"]
    assert tf.config.list_logical_devices("GPU") == []
