"""tensorflow.python.ops.parallel_for.test_util: the base of tests of vectorized loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.compat.internals.ops.parallel_for.control_flow_ops import for_loop, pfor
from wengert.testing.cases import TestCase
from wengert.values import nest


class PForTestCase(TestCase):
    """A test that loops give the same whether their iterations are vectorized or not."""

    def run_and_assert_equal(
        self, targets1: Any, targets2: Any, rtol: float = 1e-4, atol: float = 1e-5
    ) -> None:
        """Assert that two structures of tensors are close, and alike."""
        one, other = (nest.flatten(self.evaluate(t)) for t in (targets1, targets2))
        self.assertLen(one, len(other))
        for x, y in zip(one, other, strict=True):
            self.assertAllClose(x, y, rtol=rtol, atol=atol)

    def _test_loop_fn(
        self,
        loop_fn: Callable[..., Any],
        iters: Any,
        parallel_iterations: int | None = None,
        fallback_to_while_loop: bool = False,
        rtol: float = 1e-4,
        atol: float = 1e-5,
    ) -> None:
        together = pfor(loop_fn, iters, fallback_to_while_loop, parallel_iterations)
        dtypes = nest.map_structure(lambda x: x.dtype, together)
        apart = for_loop(loop_fn, dtypes, iters, parallel_iterations)
        self.run_and_assert_equal(together, apart, rtol, atol)
