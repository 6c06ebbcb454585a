"""tensorflow.python.ops.parallel_for.test_util: the base of tests of vectorized loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as tf
from wengert.compat.internals.ops.parallel_for.control_flow_ops import for_loop, pfor
from wengert.testing.cases import TestCase
from wengert.values import nest


class PForTestCase(TestCase):
    """A test that loops give the same whether their iterations are vectorized or not."""

    def _run_targets(self, targets1: Any, targets2: Any = None, run_init: bool = True) -> Any:
        """The values of two structures of tensors, from one run, in a row."""
        one, other = (nest.flatten([] if t is None else t) for t in (targets1, targets2))
        if targets2 is not None:
            self.assertLen(other, len(one))
        if run_init:
            self.evaluate(tf.compat.v1.global_variables_initializer())
        return self.evaluate([*one, *other])

    def run_and_assert_equal(
        self, targets1: Any, targets2: Any, rtol: float = 1e-4, atol: float = 1e-5
    ) -> None:
        """Assert that two structures of tensors are close, and alike."""
        values = nest.flatten(self._run_targets(targets1, targets2))
        half = len(values) // 2
        for x, y in zip(values[:half], values[half:], strict=True):
            if np.asarray(x).dtype.kind == "O":  # strings
                self.assertAllEqual(x, y)
            else:
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
