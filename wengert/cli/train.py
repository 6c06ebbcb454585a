"""wengert train: a network, from its data to its checkpoints."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import io
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

import wengert as tf
from wengert.cli import INTERRUPTED
from wengert.cli.launch import launched
from wengert.cli.output import report_failure, to_errors, to_screen
from wengert.cli.traceback import show
from wengert.distribute.processes import place
from wengert.engines.xla import backend
from wengert.engines.xla.backend import MissingJaxError
from wengert.errors import OpError, OverrideError, ResourceExhaustedError
from wengert.training import run_folder
from wengert.training.loop import Outcome, Run
from wengert.training.page import write_page
from wengert.training.progress import LiveScreen, Screen, rate_text, spoken
from wengert.training.run_folder import RunFolder
from wengert.training.settings import Settings, differences
from wengert.training.spectral import GRADIENTS
from wengert.training.step import OPTIMIZERS
from wengert.training.tasks import TASKS, Task
from wengert.training.user_file import task_of

_EXAMPLE: Final = (
    "example: wengert train digits --steps 200 --out run; wengert train --resume run --steps 400"
)


class _WrongUseError(ValueError):
    """What was asked for cannot be done; the text says what, and the way out."""


_REFUSED: Final = (_WrongUseError, OpError, OverrideError, MissingJaxError)


def add_to(commands: Any, purpose: str) -> None:
    """Declare the arguments of the command."""
    parser = commands.add_parser(
        "train",
        help=purpose,
        description="Train a network: cifar10, mnist, digits, regression, or the model of a file of yours, "
        "which has functions model() and data(). Checkpoints, the history, a page and what TensorBoard "
        "reads are written into a folder. An interrupt (Ctrl-C) leaves a checkpoint to go on from.",
        epilog=_EXAMPLE,
    )
    parser.add_argument("task", nargs="?", metavar="TASK", help=f"{', '.join(TASKS)}, or FILE.py")
    _add_what(parser)
    _add_how(parser)
    parser.set_defaults(run=run)


def _add_what(parser: Any) -> None:
    """What a run is made of, which cannot change while it goes on."""
    parser.add_argument("--layer", metavar="NAME", help="a layer more; cifar10 has: spectral")
    parser.add_argument(
        "--optimizer", metavar="NAME", help=f"{', '.join(OPTIMIZERS)} (default: adam)"
    )
    parser.add_argument("--rate", type=_positive(float), help="the learning rate")
    parser.add_argument("--batch", type=_positive(int), help="examples a step (default: 128)")
    parser.add_argument("--seed", type=_seed, help="equal seeds give equal runs, bit for bit")
    parser.add_argument("--data", metavar="DIR", help="the folder with the files of the data set")
    parser.add_argument(
        "--override-scope",
        action="append",
        metavar="SCOPE=GRADIENT",
        help=f"another gradient for a name scope: {', '.join(GRADIENTS)}, or one that FILE.py registers",
    )


def _add_how(parser: Any) -> None:
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=_positive(int), help="how many steps the whole run has")
    length.add_argument("--epochs", type=_positive(int), help="how often it goes through the data")
    parser.add_argument(
        "--out", metavar="DIR", help="the folder of a new run (default: runs/TASK-1 ...)"
    )
    parser.add_argument("--resume", metavar="DIR", help="go on with the run of a folder")
    parser.add_argument(
        "--save-every", type=_positive(int), metavar="N",
        help=f"steps between checkpoints (default: {Settings.save_every})",
    )  # fmt: skip
    parser.add_argument("--engine", metavar="NAME", help="what computes: native, numpy, xla")
    parser.add_argument(
        "--processes",
        type=_positive(int),
        default=1,
        metavar="N",
        help="processes that train together, each on its part of every batch (default: 1)",
    )
    parser.add_argument("--plain", action="store_true", help="lines for a log, nothing in place")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number, 0 or more, is wanted, not {text!r}")
    return int(text)


def _positive(kind: type) -> Any:
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"a number above 0 is wanted, not {text!r}")
        return value

    return read


def run(options: argparse.Namespace) -> int:
    """Run the command; returns its exit status."""
    before = tf.config.get_engine()
    try:
        _check(options)
        tf.config.set_engine(options.engine or before)
        if options.processes > 1:
            return _launched(options)
        return _train(options)
    except _REFUSED as error:
        return report_failure(_said(error))
    finally:
        tf.config.set_engine(before)


def _said(error: Exception) -> str:
    """What is said of an error, and the way out."""
    text = str(getattr(error, "message", error))
    if isinstance(error, ResourceExhaustedError):
        return f"{text}: make room there, or give --out a folder on another disk."
    return text


def _check(options: argparse.Namespace) -> None:
    """Refuse what is not there before anything is made."""
    if options.processes > 1 or options.engine == "xla":
        backend.require()
    if options.resume and options.out:
        raise _WrongUseError("--resume goes on in the folder of the run: leave --out out.")
    if options.task is None and not options.resume:
        raise _WrongUseError(f"say what to train: {', '.join(TASKS)}, or FILE.py.")
    _known("optimizer", options.optimizer, list(OPTIMIZERS))
    _use_engine(options.engine)


def _use_engine(name: str | None) -> None:
    try:
        tf.config.set_engine(name)
    except ValueError as error:
        raise _WrongUseError(str(error)) from error


def _known(what: str, given: str | None, known: list[str]) -> None:
    if given is not None and given not in known:
        near = difflib.get_close_matches(given, known, n=1, cutoff=0.6)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise _WrongUseError(f"there is no {what} '{given}'. There are: {', '.join(known)}.{hint}")


def _check_layer(name: str | None, task: Task | None) -> None:
    if task is None:  # of a file, which has not been run
        return
    if name is not None and not task.layers:
        having = " and ".join(t.name for t in TASKS.values() if t.layers)
        raise _WrongUseError(
            f"'{task.name}' has no layer to choose: leave --layer {name} out, or train {having}."
        )
    _known("layer", name, list(task.layers))


def _check_name(name: str) -> None:
    """Refuse what cannot be trained before a folder is made for it."""
    if not name.endswith(".py"):
        _known("task", name, list(TASKS))
    elif not Path(name).is_file():
        raise _WrongUseError(f"there is no file '{name}'.")


def _task(name: str) -> Task:
    """The task of a name, or of a file, which is run."""
    _check_name(name)
    return TASKS[name] if name in TASKS else task_of(Path(name))


# ---- a run --------------------------------------------------------------------------------------


def _train(options: argparse.Namespace) -> int:
    if place().index:
        return _followed(options)
    if options.resume:
        folder = run_folder.resumed(Path(options.resume))
    else:
        _check_name(options.task)
        path = Path(options.out) if options.out else None
        folder = run_folder.begun(path, Path(options.task).stem)
    with folder:
        try:
            return _in(folder, options)
        except _REFUSED:
            folder.leave_nothing()
            raise
        except Exception as error:  # of a file of the user's, shown as Python would
            folder.leave_nothing()
            if not _is_file(options, folder):
                raise
            show(error)
            return 1


def _launched(options: argparse.Namespace) -> int:
    """Train in several processes, which begin as this one did."""
    words = [*options.given]
    if options.resume:
        _check_begun_so(options, run_folder.settings_in(Path(options.resume)))
    else:
        _check_name(options.task)
        _check_layer(_asked(options).get("layer"), TASKS.get(options.task))
        words += (
            [] if options.out else ["--out", str(run_folder.next_free(Path(options.task).stem))]
        )
    command = [sys.executable, "-u", "-m", "wengert", *words, "--processes", "1", "--plain"]
    return launched(command, options.processes, plain=True)


def _followed(options: argparse.Namespace) -> int:
    """Train with the first process, which writes and says what there is to be written and said."""
    begun = run_folder.settings_in(Path(options.resume)) if options.resume else None
    quiet = Screen(Console(file=io.StringIO()), False)
    with tempfile.TemporaryDirectory() as own, run_folder.begun(Path(own), "") as folder:
        _, outcome = _run(folder, options, begun, quiet)
    return 1 if outcome.problem else INTERRUPTED if outcome.interrupted else 0


def _is_file(options: argparse.Namespace, folder: RunFolder) -> bool:
    return (options.task or folder.settings().task) not in TASKS


def _in(folder: RunFolder, options: argparse.Namespace) -> int:
    begun = folder.settings() if options.resume else None
    run, outcome = _run(folder, options, begun)
    return _told(run, outcome, has_page=write_page(run, outcome))


def _run(
    folder: RunFolder,
    options: argparse.Namespace,
    begun: Settings | None,
    screen: Screen | None = None,
) -> tuple[Run, Outcome]:
    task = _task(begun.task if begun is not None else options.task)
    _check_layer(begun.layer if begun is not None else options.layer, task)
    _known("optimizer", (begun or options).optimizer, list(OPTIMIZERS))
    seed = begun.seed if begun is not None else options.seed or 0
    place = begun.data if begun is not None else options.data
    data = task.data(Path(place) if place else None, seed)
    settings = _settings(options, task, begun, len(data.train))
    _use_engine(settings.engine or tf.config.get_engine())
    screen = screen or _screen(options, np.issubdtype(data.train.targets.dtype, np.integer))
    run = Run(task, settings, data, folder, screen)
    folder.keep(settings)
    screen.say(f"{task.name}: {data.origin}")
    return run, run.go()


def _screen(options: argparse.Namespace, with_accuracy: bool) -> Screen:
    console = to_screen()
    kind = LiveScreen if console.is_terminal and not options.plain else Screen
    return kind(console, with_accuracy)


def _settings(
    options: argparse.Namespace, task: Task, begun: Settings | None, examples: int
) -> Settings:
    """What the run is made of: what was asked for, what it was begun with, what the task takes."""
    often = options.save_every or (begun or Settings).save_every
    if begun is not None:
        _check_begun_so(options, begun)
        steps = _length(options, begun.batch, examples) or begun.steps
        return dataclasses.replace(begun, steps=steps, save_every=often)
    defaults = {
        "batch": min(task.batch, examples), "optimizer": task.optimizer, "rate": task.rate,
    }  # fmt: skip
    chosen: dict[str, Any] = defaults | _asked(options)
    steps = _length(options, chosen["batch"], examples) or task.steps
    return Settings(**chosen, steps=steps, save_every=often)


def _check_begun_so(options: argparse.Namespace, begun: Settings) -> None:
    """Refuse what cannot change while a run goes on."""
    wrong = differences(begun, _asked(options))
    if wrong:
        raise _WrongUseError(
            f"the run of {options.resume} was begun otherwise: {', '.join(wrong)}. What may change is "
            "--steps or --epochs; another --out begins another run."
        )


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    names = ("task", "layer", "optimizer", "rate", "batch", "seed", "data", "engine")
    found = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    for name, value in found.items():  # a run may go on from another folder
        if name == "data" or (name == "task" and value.endswith(".py")):
            found[name] = str(Path(value).resolve())
    if options.override_scope:
        found["overrides"] = tuple(map(_override, options.override_scope))
    return found


def _override(text: str) -> tuple[str, str]:
    scope, _, rule = text.partition("=")
    if not scope or not rule:
        raise _WrongUseError(
            f"--override-scope {text}: SCOPE=GRADIENT is wanted, as in eig=clipped."
        )
    return scope, rule


def _length(options: argparse.Namespace, batch: int, examples: int) -> int:
    """The steps that were asked for; 0 if none were."""
    return int(options.steps or (options.epochs or 0) * (examples // batch))


def _told(run: Run, outcome: Outcome, has_page: bool) -> int:
    """Say what became of the run; returns the exit status."""
    folder, screen = run.folder.path, run.screen
    if outcome.steps_here and outcome.seconds:
        rate = outcome.steps_here / outcome.seconds
        screen.say(
            f"{outcome.steps_here} steps in {spoken(outcome.seconds)}, {rate_text(rate)} a second; "
            f"{outcome.waited / outcome.seconds:.1%} of the time waiting for data"
        )
    page = f"page: {run.folder.page}   " if has_page else ""
    screen.say(f"{page}TensorBoard: tensorboard --logdir {shlex.quote(str(run.folder.events))}")
    if outcome.problem:
        report_failure(outcome.problem)
        return 1
    if outcome.interrupted:
        to_errors().print(
            f"wengert: interrupted after step {outcome.step}; go on with: "
            f"wengert train --resume {folder}"
        )
        return INTERRUPTED
    return 0
