"""tensorflow.python.eager.cancellation: calls of functions that another thread may call off."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from wengert.errors import CancelledError


class CancellationManager:
    """Calls off the functions that it was asked for: none of them begins after `start_cancel`."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        """Whether `start_cancel` was called."""
        return self._cancelled.is_set()

    def start_cancel(self) -> None:
        """Let no function of this manager begin any more."""
        self._cancelled.set()

    def get_cancelable_function(self, concrete_function: Any) -> Callable[..., Any]:
        """The function, which raises once this manager calls it off."""

        def cancellable(*args: Any, **kwargs: Any) -> Any:
            if self.is_cancelled:
                raise CancelledError(
                    f"The function {concrete_function.name} was called off by its CancellationManager."
                )
            return concrete_function(*args, **kwargs)

        return cancellable
