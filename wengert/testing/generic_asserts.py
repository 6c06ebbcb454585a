"""Assertions unrelated to tensors that TensorFlow's tests use."""

from __future__ import annotations

import collections
import contextlib
import difflib
import re
import tempfile
import unittest
from collections.abc import Callable, Container, Iterable, Iterator, Sized
from pathlib import Path
from typing import Any

from wengert.errors import OpError
from wengert.testing.folder import get_temp_dir


class Plainly(unittest.TestCase):
    """Assertions about lengths, sets, strings and errors; temporary files."""

    def assertLen(self, container: Sized, expected_len: int, msg: str | None = None) -> None:
        """Assert the number of items in a container."""
        self.assertEqual(len(container), expected_len, msg or f"{container!r}")

    def assertEmpty(self, container: Sized, msg: str | None = None) -> None:
        """Assert that a container has no items."""
        self.assertEqual(len(container), 0, msg or f"{container!r} is not empty")

    def assertNotEmpty(self, container: Sized, msg: str | None = None) -> None:
        """Assert that a container has items."""
        self.assertNotEqual(len(container), 0, msg or f"{container!r} is empty")

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """Assert that a value is between two others, bounds included."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv!r}, {maxv!r}]")

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Assert that a string starts with another."""
        said = msg or f"{actual!r} does not start with {expected_start!r}"
        self.assertTrue(actual.startswith(expected_start), said)

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """Assert that a string ends with another."""
        said = msg or f"{actual!r} does not end with {expected_end!r}"
        self.assertTrue(actual.endswith(expected_end), said)

    def assertRegexMatch(
        self, actual_str: str, regexes: Iterable[str], message: str | None = None
    ) -> None:
        """Assert that one of several regular expressions is found in a string."""
        found = any(re.search(regex, actual_str) for regex in regexes)
        self.assertTrue(found, message or f"{actual_str!r} matches none of {list(regexes)}")

    def assertContainsSubset(
        self, expected_subset: Iterable[Any], actual_set: Container[Any], msg: str | None = None
    ) -> None:
        """Assert that all elements of a set are in another."""
        absent = [x for x in expected_subset if x not in actual_set]
        self.assertFalse(absent, msg or f"Not in {actual_set!r}: {absent}")

    def assertNoCommonElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Assert that two sequences have no item in common."""
        common = set(expected_seq) & set(actual_seq)
        self.assertFalse(common, msg or f"Common elements: {common}")

    def assertItemsEqual(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Assert that two sequences have the same items, in any order."""
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Assert that two sequences have the same items, regardless of order and repetition."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """assertAlmostEqual for each pair of items."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for expected, actual in zip(expected_seq, actual_seq, strict=True):
            self.assertAlmostEqual(expected, actual, places, msg, delta)  # type: ignore[arg-type]

    def assertContainsInOrder(
        self, strings: Iterable[str], target: str, msg: str | None = None
    ) -> None:
        """Assert that strings occur in another, in this order."""
        at = 0
        for string in strings:
            found = target.find(string, at)
            self.assertGreaterEqual(found, 0, msg or f"{string!r} is not in {target[at:]!r}")
            at = found + len(string)

    def assertMultiLineEqual(
        self, first: str, second: str, msg: str | None = None, **kwargs: Any
    ) -> None:
        """Assert that two strings are equal; shows the difference line by line."""
        if first != second:
            lines = difflib.ndiff(first.splitlines(True), second.splitlines(True))
            self.fail(f"{msg or 'The texts differ'}:\n{''.join(lines)}")

    # ---- errors --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], bool]
    ) -> Iterator[None]:
        """Assert that the block raises an error whose text matches, or that fulfils a predicate."""
        try:
            yield
        except exception_type as error:
            said = expected_err_re_or_predicate
            holds = re.search(said, str(error)) if isinstance(said, str) else said(error)
            if not holds:
                raise AssertionError(
                    f"Exception of type {type(error).__name__}: {error} does not match {said!r}."
                ) from error
        else:
            self.fail(f"{_names(exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Assert that the block raises a matching OpError."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = None, func: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Assert that an error about incompatible shapes is raised."""
        kinds = exception_type or (OpError, ValueError)
        text = r"[Ii]ncompatible shapes|Dimensions must be equal|[Ss]hapes.* (differ|must)"
        if func is None:
            return self.assertRaisesRegex(kinds, text)
        return self.assertRaisesRegex(kinds, text, func, *args, **kwargs)

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: Any,
        expected_exception_message: str,
        callable_obj: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Assert that an error with exactly this text is raised."""
        text = f"^{re.escape(expected_exception_message)}$"
        if callable_obj is None:
            return self.assertRaisesRegex(expected_exception, text)
        return self.assertRaisesRegex(expected_exception, text, callable_obj, *args, **kwargs)

    # ---- files ---------------------------------------------------------------------------------

    def get_temp_dir(self) -> str:
        """A temporary folder of this test, kept until the process ends: writers may outlive a test."""
        if not getattr(self, "_folder", None):
            self._folder = tempfile.mkdtemp(dir=get_temp_dir())
        return self._folder

    def create_tempdir(self, name: str | None = None) -> Any:
        """Create a folder in the temporary folder."""
        path = (
            Path(self.get_temp_dir(), name)
            if name
            else Path(tempfile.mkdtemp(dir=self.get_temp_dir()))
        )
        path.mkdir(parents=True, exist_ok=True)
        return _Made(str(path))

    def create_tempfile(self, file_path: str | None = None, content: Any = "") -> Any:
        """Create a file in the temporary folder."""
        return _Made(self.get_temp_dir()).create_file(file_path, content)

    def enter_context(self, manager: Any) -> Any:
        """Enter a context manager, to be exited when the test ends."""
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value


class _Made(collections.namedtuple("_Made", ["full_path"])):
    """A file or folder that a test created."""

    def __fspath__(self) -> str:
        return str(self.full_path)

    def create_file(self, file_path: str | None = None, content: Any = "") -> _Made:
        """Create a file in this folder, and the folders to it."""
        inside = Path(self.full_path)
        path = inside / (file_path or f"file{len(list(inside.iterdir()))}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return _Made(str(path))

    def mkdir(self, dir_name: str | None = None) -> _Made:
        """Create a folder in this folder."""
        path = Path(
            self.full_path, dir_name or f"folder{len(list(Path(self.full_path).iterdir()))}"
        )
        path.mkdir(parents=True, exist_ok=True)
        return _Made(str(path))

    def read_text(self) -> str:
        """What is in the file."""
        return Path(self.full_path).read_text("utf-8")

    def exists(self) -> bool:
        """Whether it is there still."""
        return Path(self.full_path).exists()


def _names(kinds: Any) -> str:
    return " or ".join(k.__name__ for k in (kinds if isinstance(kinds, tuple) else (kinds,)))
