"""tf.test.TestCase."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wengert.testing.closeness import Closeness
from wengert.testing.generic_asserts import Plainly
from wengert.testing.sessions import WithSession


class TestCase(WithSession, Closeness, Plainly):
    """A test of something that computes with tensors.

    >>> import io, unittest
    >>> class SquareTest(tf.test.TestCase):
    ...     def test_square(self):
    ...         self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])
    >>> runner = unittest.TextTestRunner(stream=io.StringIO())
    >>> runner.run(SquareTest("test_square")).wasSuccessful()
    True
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []

    def tearDown(self) -> None:
        """Undo the changes of a test."""
        alive = [thread for thread in self._threads if thread.is_alive()]
        self._threads = []
        super().tearDown()
        self.assertFalse(alive, "A checkedThread did not terminate")

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Assert that two names mean the same device."""
        self.assertEqual(_device(device1), _device(device2), msg)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Assert that two messages are equal; text is compared without its spaces."""
        if isinstance(expected_message_maybe_ascii, str) and hasattr(
            validate_message, "DESCRIPTOR"
        ):
            expected = type(validate_message)()
            text_format = importlib.import_module("google.protobuf.text_format")
            expected_message_maybe_ascii = text_format.Merge(expected_message_maybe_ascii, expected)
        self.assertEqual(_squeezed(expected_message_maybe_ascii), _squeezed(validate_message), msg)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Capture what is written to a stream that has a file descriptor."""
        stream.flush()
        kept = os.dup(stream.fileno())
        with tempfile.TemporaryFile(mode="w+", encoding="utf-8") as file:
            os.dup2(file.fileno(), stream.fileno())
            captured = _Captured()
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(kept, stream.fileno())
                os.close(kept)
                file.seek(0)
                captured.text = file.read()

    def checkedThread(
        self, target: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> CheckedThread:
        """A thread whose error is raised in the test when it is joined."""
        thread = CheckedThread(target, tuple(args), kwargs or {})
        self._threads.append(thread)
        return thread


class CheckedThread:
    """Runs a function concurrently with the test."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(target, args, kwargs))

    def _run(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        try:
            target(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001  # raised again by `join`
            self._error = error

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for its end; raises its error."""
        self._thread.join()
        if self._error is not None:
            raise AssertionError(f"Error in a checkedThread: {self._error}") from self._error

    def is_alive(self) -> bool:
        """Whether it is still running."""
        return self._thread.is_alive()


class _Captured:
    """The captured text, available once the block has ended."""

    text = ""

    def contents(self) -> str:
        return self.text


def _device(name: Any) -> str:
    text = (name.to_string() if hasattr(name, "to_string") else str(name or "")).lower()
    return text.replace("/device:", "/").strip("/")


def _squeezed(message: Any) -> str:
    return "".join(str(message).split())


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the program that calls this.

    >>> tf.test.main(["prog", "--help"])  # doctest: +SKIP
    """
    unittest.main(module="__main__", argv=argv if argv is not None else sys.argv)
