"""tf.test.Benchmark: measures what a session runs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wengert.testing.cases import TestCase


def benchmark_config() -> Any:
    """The configuration of a benchmarked session: none is needed.

    >>> tf.test.benchmark_config() is None
    True
    """
    return None


class Benchmark:
    """Methods named benchmark... measure something and report it.

    >>> class Mine(tf.test.Benchmark):
    ...     def benchmark_sum(self):
    ...         return self.report_benchmark(iters=1, wall_time=0.5, name="sum")["wall_time"]
    >>> Mine().benchmark_sum()
    sum: 0.5 s, 1 iterations
    0.5
    """

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors."""
        return TestCase("assertAllClose").evaluate(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> dict[str, Any]:
        """Print and return the measurements."""
        name = name or type(self).__name__
        print(f"{name}: {wall_time} s, {iters} iterations")
        return {"name": name, "iters": iters, "wall_time": wall_time, "extras": extras or {}}

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Run something in a session repeatedly, and report the median of its times."""
        seconds = _timed(lambda: sess.run(op_or_tensor, feed_dict), burn_iters, min_iters)
        return self.report_benchmark(
            iters=min_iters,
            wall_time=statistics.median(seconds),
            extras={"wall_time_stdev": float(np.std(seconds)), **(extras or {})},
            name=name,
        )


def _timed(run: Callable[[], Any], burn: int, iterations: int) -> list[float]:
    for _ in range(burn):
        run()
    seconds = []
    for _ in range(iterations):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return seconds
