"""The writer and the step in force, and whether anything is recorded."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Final

from wengert.api.session.modes import name_scope
from wengert.core.context import current_graph
from wengert.values.convert import convert
from wengert.values.dtypes import bool_
from wengert.values.tensor import Tensor


class _Current(threading.local):
    writer: Any = None
    step: Any = None
    condition: Any = True

    def use(self, writer: Any, step: Any) -> None:
        """Send summaries to a writer, with a step where they are given none."""
        self.writer, self.step = writer, step


current: Final = _Current()


def set_step(step: Any) -> None:
    """Set the step of summaries that are given none.

    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    current.step = step


def get_step() -> Any:
    """The step of summaries that are given none.

    >>> tf.summary.experimental.get_step() is None
    True
    """
    return current.step


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Record summaries inside only if a condition holds: a boolean, a tensor, or a function.

    >>> with tf.summary.record_if(False):
    ...     tf.summary.should_record_summaries().numpy()
    np.False_
    """
    before = current.condition
    current.condition = condition
    try:
        yield
    finally:
        current.condition = before


def condition_now() -> Any:
    """Whether summaries are recorded: a boolean or a tensor."""
    if current.writer is None or not current.writer.writes:
        return False
    found = current.condition
    return found() if callable(found) else found


def should_record_summaries() -> Tensor:
    """Whether there is a writer, and nothing says not to record.

    >>> tf.summary.should_record_summaries().numpy()
    np.False_
    """
    return convert(condition_now(), bool_)


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A name scope for a summary, with the tag: the name within the scopes around.

    >>> with tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     tag
    'loss'
    """
    own = name or default_name
    around = _scope()
    with name_scope(_clean(own)) as scope:
        yield (f"{around}/{own}" if around else own), scope


def _scope() -> str:
    graph = current_graph()
    if graph is not None:
        return str(graph.get_name_scope() or "")
    with name_scope("_") as inner:
        return str(inner).rstrip("/").rpartition("/")[0]


def _clean(name: str) -> str:
    kept = "".join(c for c in name if c.isalnum() or c in "_./-")
    return kept.lstrip("_./-") or "summary"
