"""wengert launch: a program in several processes, which train together."""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from wengert.cli import INTERRUPTED
from wengert.cli.output import report_failure
from wengert.cli.run import missing_file
from wengert.distribute import processes
from wengert.distribute.gathering import ENDED

_EXAMPLES: Final = """examples:
  wengert launch -n 4 train.py --epochs 3
  wengert launch -n 8 --hosts 2 --index 0 --coordinator 10.0.0.1:4000 train.py      on the first machine
  wengert launch -n 8 --hosts 2 --index 1 --coordinator 10.0.0.1:4000 train.py      on the second

Each process makes a tf.distribute.MultiWorkerMirroredStrategy(), or a tf.distribute.Mesh over the devices of all.
When one of them fails or is killed, the others are ended.
"""
_LOOK: Final = 0.05  # seconds between looks at the processes
_SETTLE: Final = 0.3  # seconds in which others may fail of the same cause
_GRACE: Final = 5.0  # seconds for a process to end by itself
_ON_PARENTS_DEATH: Final = 1  # of prctl: the signal that a process gets when its parent ends
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "launch",
        help=purpose,
        description="Run a program in several processes that find each other.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="wengert launch -n N [--plain] [--hosts H --index I --coordinator HOST:PORT] PROGRAM [ARGUMENTS ...]",
    )
    parser.add_argument(
        "-n", dest="count", type=int, required=True, help="processes on this machine"
    )
    parser.add_argument("--plain", action="store_true", help="no [0] before the lines of a process")
    parser.add_argument("--hosts", type=int, default=1, help="how many machines there are")
    parser.add_argument("--index", type=int, default=0, help="which of them this is, from 0")
    parser.add_argument("--coordinator", metavar="HOST:PORT", help="where the processes meet")
    parser.add_argument(
        "--patience",
        type=int,
        metavar="SECONDS",
        help="how long to wait for all of them (default: 120)",
    )
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="passed to it")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    wrong = _wrong(options)
    if wrong:
        return report_failure(wrong)
    command = [sys.executable, "-u", "-m", "wengert", "run", options.program, *options.arguments]
    if options.patience:
        os.environ[processes.PATIENCE] = str(options.patience)
    return launched(
        command, options.count, options.plain, options.hosts, options.index, options.coordinator
    )


def _wrong(options: argparse.Namespace) -> str:
    """Why the program cannot be launched; '' if it can."""
    if options.count < 1:
        return f"-n {options.count}: one process at least is wanted."
    if options.hosts < 1 or not 0 <= options.index < options.hosts:
        return f"--hosts {options.hosts} --index {options.index}: the machines are numbered from 0 to hosts - 1."
    if options.hosts > 1 and not options.coordinator:
        return "--hosts wants --coordinator HOST:PORT, the same on all machines: an address of the first one."
    if options.coordinator and not options.coordinator.rpartition(":")[2].isdigit():
        return f"--coordinator {options.coordinator}: HOST:PORT is wanted, as in 10.0.0.1:4000."
    if not options.program:
        return "say which program to launch: wengert launch -n 4 program.py"
    return missing_file(options.program)


def launched(
    command: Sequence[str],
    count: int,
    plain: bool = False,
    hosts: int = 1,
    host: int = 0,
    coordinator: str | None = None,
) -> int:
    """Run a command in so many processes until all have ended; returns the exit status."""
    where = coordinator or f"127.0.0.1:{_free_port()}"
    first = host * count
    threads = str(max((os.cpu_count() or 1) // count, 1))
    with tempfile.TemporaryDirectory() as notes:
        group = _Group(first, hosts * count, plain, Path(notes))
        before = {number: signal.signal(number, group.pass_on) for number in _SIGNALS}
        try:
            for at in range(first, first + count):
                group.start(command, {
                    "OMP_NUM_THREADS": threads, **os.environ, processes.INDEX: str(at), ENDED: notes,
                    processes.COUNT: str(hosts * count), processes.COORDINATOR: where,
                })  # fmt: skip
            return group.wait()
        finally:
            group.end()
            for number, handler in before.items():
                signal.signal(number, handler)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _ending_with_parent() -> Callable[[], None] | None:
    """What a new process calls to be ended when this one is, even by kill -9; None where the system cannot."""
    if sys.platform != "linux":
        return None
    tell: Any = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        tell(_ON_PARENTS_DEATH, signal.SIGTERM)
        if os.getppid() != parent:  # which was ended meanwhile
            os._exit(1)

    return ask


class _Group:
    """The processes of this machine."""

    def __init__(self, first: int, count: int, plain: bool, notes: Path) -> None:
        self._first, self._count, self._plain = first, count, plain
        self._notes = notes  # a folder: the numbers of those that have ended
        self._running: list[subprocess.Popen[bytes]] = []
        self._readers: list[threading.Thread] = []
        self._interrupted = 0

    def start(self, command: Sequence[str], environment: dict[str, str]) -> None:
        """Begin one, whose lines are shown with its number."""
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_ending_with_parent(),
        )  # fmt: skip
        mark = b"" if self._plain else f"[{self._first + len(self._running)}] ".encode()
        self._running.append(process)
        for stream, to in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            reader = threading.Thread(target=_shown, args=(stream, to, mark), daemon=True)
            reader.start()
            self._readers.append(reader)

    def pass_on(self, number: int, frame: object) -> None:
        """Hand a signal on to all of them."""
        self._interrupted = number
        self._send(number)

    def _send(self, number: int) -> None:
        for process in self._running:
            if process.poll() is None:
                process.send_signal(number)

    def wait(self) -> int:
        """Wait until all have ended, or one has failed; the exit status."""
        while True:
            codes = [process.poll() for process in self._running]
            if any(codes) and not self._interrupted:
                return self._failed()
            if None not in codes:
                break
            self._note_ended(codes)
            time.sleep(_LOOK)
        self._read_out()
        if self._interrupted:
            return INTERRUPTED
        return 0

    def _note_ended(self, codes: Sequence[int | None]) -> None:
        """Tell those that wait for the others which have ended."""
        for at, code in enumerate(codes, self._first):
            if code == 0:
                (self._notes / str(at)).touch()

    def _failed(self) -> int:
        """End the others, and say which failed.

        One that was killed is the cause, where others say that it is gone. One that aborted is not: JAX does that
        when it misses the others.
        """
        time.sleep(_SETTLE)
        codes = [process.poll() for process in self._running]
        failed = sorted((_as_a_cause(code), at) for at, code in enumerate(codes) if code)[0][1]
        code = codes[failed] or 0
        self.end()
        self._read_out()
        what = (
            f"ended with exit status {code}"
            if code > 0
            else f"was killed by {signal.Signals(-code).name}"
        )
        others = "" if self._count == 1 else " The others were ended."
        report_failure(
            f"process {self._first + failed} of {self._count} {what}.{others} The same command begins all of them "
            "again; a program that keeps checkpoints goes on from the last one."
        )
        return code if code > 0 else 128 - code

    def end(self) -> None:
        """End those that run: asked first, then killed."""
        self._send(signal.SIGTERM)
        last = time.monotonic() + _GRACE
        for process in self._running:
            try:
                process.wait(max(last - time.monotonic(), 0.01))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _read_out(self) -> None:
        for reader in self._readers:
            reader.join(_GRACE)


def _as_a_cause(code: int) -> int:
    """The place of a process's exit status among those that may be the cause; the first is likeliest."""
    return 2 if code == -signal.SIGABRT else 0 if code < 0 else 1


_WRITING: Final = threading.Lock()


def _shown(stream: Any, to: Any, mark: bytes) -> None:
    """Copy the lines of a process, whole, with its mark."""
    with stream:
        for line in stream:
            with _WRITING:
                to.buffer.write(mark + line)
                to.flush()
