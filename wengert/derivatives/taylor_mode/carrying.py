"""A trail on which each value carries something along, computed from what the inputs carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from wengert.core.row import Attrs, Row
from wengert.derivatives.trail import Trail
from wengert.errors import NoGradientError
from wengert.values.dtypes import variant
from wengert.values.tensor import key_of
from wengert.values.value import Key


class LoopOfGraphError(Exception):
    """A loop or a branch was added to a graph: its operations are not carried out one by one.

    Or a list of tensors, with which a loop begins and ends.
    """


class Carrying(Trail):
    """What a value carries is kept by its key; an error stands for what has no derivative."""

    computes: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self._carried: dict[Key, Any] = {}

    def carried(self, value: Any) -> Any:
        """What a value carries; None if it depends on nothing that was watched."""
        found = self._find(key_of(value))
        if isinstance(found, NoGradientError):
            raise found
        return found

    def _find(self, key: Key) -> Any:
        return self._carried.get(key)

    def _is_closed(self, row: Row) -> bool:
        """Whether what happens inside of an operation is hidden."""
        return bool(row.graphs)

    def _computed(
        self, row: Row, inputs: Sequence[Any], known: list[Any], attrs: Attrs, results: list[Any]
    ) -> Sequence[Any]:
        """What the results carry, from what the inputs do."""
        raise NotImplementedError

    def _keep(self, row: Row, inputs: Sequence[Any], attrs: Attrs, result: Any) -> None:
        results = list(result) if row.many else [result]
        known = [self._find(key_of(x)) for x in inputs]
        for y in results:
            self._carried.pop(key_of(y), None)  # a custom gradient says more than what is inside
        if not row.differentiable or all(c is None for c in known):
            return
        if self._is_closed(row) or any(y.dtype is variant for y in results):
            raise LoopOfGraphError
        failed = [c for c in known if isinstance(c, NoGradientError)]
        found: Sequence[Any]
        try:
            if failed:
                raise failed[0]
            with self.outside():
                found = self._computed(row, inputs, known, attrs, results)
        except NoGradientError as error:  # an error only if it is asked for
            found = [error.with_traceback(None)] * len(results)
        for y, carried in zip(results, found, strict=True):
            if y.dtype.is_differentiable and carried is not None:
                self._carried[key_of(y)] = carried
