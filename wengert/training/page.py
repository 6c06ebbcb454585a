"""What is seen of a run afterwards: a page with its curves, its test, its settings, some pictures."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wengert.errors import OpError
from wengert.formats.png import png
from wengert.host.files import replaced
from wengert.insight.reports.blocks import Block, Heading, Picture, Table, Words
from wengert.insight.reports.curves import Curve, over_steps
from wengert.insight.reports.page import page_of
from wengert.training.progress import spoken
from wengert.training.run_folder import Record

if TYPE_CHECKING:
    from wengert.training.loop import Outcome, Run

_POINTS: Final = 200  # of a curve
_SHOWN: Final = 6  # pictures of a class
_LARGE: Final = 48  # pixels of a picture on the page


def write_page(run: Run, outcome: Outcome) -> bool:
    """Write the page of a run; whether it could be written."""
    text = page_of(f"Training {run.task.name}", list(_blocks(run, outcome)))
    try:
        replaced(str(run.folder.page), text.encode())
    except OpError as error:
        run.screen.say(f"the page could not be written: {error.message}")
        return False
    return True


def _blocks(run: Run, outcome: Outcome) -> Iterator[Block]:
    yield Words(f"The data: {run.data.origin}.")
    yield Words(_sentence(run, outcome))
    trained, tested = run.folder.history.records, run.folder.tests.records
    yield Heading("Loss")
    yield _curves(trained, tested, "loss")
    if run.learner.classifies:
        yield Heading("Accuracy")
        yield _curves(trained, tested, "accuracy")
    if run.data.classes and outcome.right is not None:
        yield Heading("By class")
        yield _by_class(run, outcome.right)
    if run.data.train.inputs.ndim == 4 and run.data.classes:
        yield Heading("Some of the pictures")
        yield Picture(_gallery(run), "")
    yield Heading("Settings")
    settings = dataclasses.asdict(run.settings)
    yield Table(("", ""), tuple((name, str(value)) for name, value in settings.items()))


def _sentence(run: Run, outcome: Outcome) -> str:
    done = f"{outcome.step} of {outcome.last} steps"
    end = "interrupted" if outcome.interrupted else outcome.problem or "finished"
    found = f"{done}, {end}."
    if outcome.steps_here:
        found += f" The last {outcome.steps_here} took {spoken(outcome.seconds)}."
    if outcome.test is not None:
        share = f", accuracy {outcome.test.accuracy:.1%}" if run.learner.classifies else ""
        found += f" Test of {len(run.data.test)}: loss {outcome.test.loss:.4g}{share}."
    return found


def _curves(trained: Sequence[Record], tested: Sequence[Record], what: str) -> Picture:
    """Of batches, in means, and of tests."""
    curves = [
        Curve("training", _means([(r.step, getattr(r, what)) for r in trained]), has_marks=False),
        Curve("test", tuple((r.step, getattr(r, what)) for r in tested)),
    ]
    values = [y for curve in curves for _, y in curve.points]
    log = what == "loss" and bool(values) and min(values) > 0
    return Picture(over_steps([c for c in curves if c.points], "step", what, log))


def _means(points: Sequence[tuple[int, float]]) -> tuple[tuple[float, float], ...]:
    """As many as can be seen, each of those around it."""
    if not points:
        return ()
    parts = np.array_split(np.asarray(points, np.float64), min(len(points), _POINTS))
    return tuple((float(part[-1, 0]), float(part[:, 1].mean())) for part in parts)


def _by_class(run: Run, right: Any) -> Table:
    labels = run.data.test.targets
    rows = []
    for number, name in enumerate(run.data.classes):
        own = right[labels == number]
        rows.append((name, str(len(own)), f"{own.mean():.1%}" if len(own) else ""))
    return Table(("class", "tested", "right"), tuple(rows), frozenset({1, 2}))


def _gallery(run: Run) -> str:
    """Some pictures of each class, a row a class."""
    rows = []
    inputs, targets = run.data.train.inputs, run.data.train.targets
    for number, name in enumerate(run.data.classes):
        top = number * (_LARGE + 4)
        rows.append(f'<text x="0" y="{top + _LARGE / 2 + 4}">{escape(name)}</text>')
        for at, place in enumerate(np.flatnonzero(targets == number)[:_SHOWN].tolist()):
            left = 90 + at * (_LARGE + 4)
            rows.append(_image(inputs[place], left, top))
    width, height = 90 + _SHOWN * (_LARGE + 4), len(run.data.classes) * (_LARGE + 4)
    return (
        f'<svg class="curves" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(rows)}</svg>'
    )


def _image(picture: Any, left: int, top: int) -> str:
    pixels = picture if picture.dtype == np.uint8 else np.clip(picture * 255, 0, 255)
    data = base64.b64encode(png(pixels.astype(np.uint8))).decode()
    return (
        f'<image x="{left}" y="{top}" width="{_LARGE}" height="{_LARGE}" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>'
    )
