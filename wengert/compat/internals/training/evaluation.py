"""tensorflow.python.training.evaluation: a model that is evaluated for a number of steps."""

from __future__ import annotations

from typing import Any

from wengert.api.variables.get_variable import get_variable
from wengert.api.variables.graph_variable import GraphKeys
from wengert.compat.v1 import (
    assign_add,
    control_dependencies,
    get_collection,
    train,
    zeros_initializer,
)
from wengert.ops.arrays.identity import identity
from wengert.values.dtypes import int64

__all__ = ["_StopAfterNEvalsHook", "_evaluate_once", "_get_or_create_eval_step"]


def _get_or_create_eval_step() -> Any:
    """The variable that counts the evaluations."""
    found = get_collection(GraphKeys.EVAL_STEP)
    if found:
        return found[0]
    kinds = [GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP]
    start = zeros_initializer()
    return get_variable("eval_step", [], int64, start, trainable=False, collections=kinds)


class _StopAfterNEvalsHook(train.SessionRunHook):
    """Ends a session after so many evaluations; with None when the data end."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._most = num_evals
        self._done: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._done = updated_eval_step

    def before_run(self, run_context: Any) -> Any:
        """Ask how many there were."""
        return train.SessionRunArgs({"done": self._done})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stop after the last one."""
        if self._most is not None and run_values.results["done"] >= self._most:
            run_context.request_stop()


def _evaluate_once(
    checkpoint_path: str,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Any = None,
    config: Any = None,
) -> Any:
    """The values of `final_ops` for a checkpoint, after `eval_ops` have run until a hook stops them."""
    end = train.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks = [*(hooks or []), end]
    step = _get_or_create_eval_step()
    if eval_ops is not None:
        parts = list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops
        parts = [*parts] if isinstance(parts, (list, tuple)) else [parts]
        eval_ops = [*parts, assign_add(step, 1)]
        with control_dependencies(eval_ops):
            done = identity(step.read_value())
        for hook in hooks:
            if isinstance(hook, _StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(done)
    start = train.ChiefSessionCreator(
        scaffold, master=master, config=config, checkpoint_filename_with_path=checkpoint_path
    )
    with train.MonitoredSession(session_creator=start, hooks=hooks) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    return end.final_ops_values
