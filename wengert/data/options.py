"""tf.data.Options: how a dataset runs. Elements and their order do not depend on them."""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class _Settings:
    """Attributes with a fixed set of names, None until they are set."""

    _names: ClassVar[tuple[str, ...]] = ()
    _kinds: ClassVar[dict[str, type]] = {}  # of those that are no bools

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has: "
                f"{', '.join(self._names)}."
            )
        kind = self._kinds.get(name, bool)
        if not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)}).'
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._names)

    __hash__ = None  # type: ignore[assignment]

    def _merged(self, other: Any) -> Any:
        """A copy with what the other one sets."""
        found = type(self)()
        for name in self._names:
            mine, its = getattr(self, name), getattr(other, name)
            both = mine if its is None else its
            of_both = mine._merged(its) if isinstance(mine, _Settings) else both
            object.__setattr__(found, name, of_both)
        return found


class AutoShardPolicy(enum.IntEnum):
    """How the elements of a dataset are divided among several machines."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.IntEnum):
    """What becomes of state outside of a dataset when it is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.IntEnum):
    """How the number of threads is chosen."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutotuneOptions(_Settings):
    """How the number of threads is chosen."""

    _names = ("enabled", "cpu_budget", "ram_budget", "autotune_algorithm", "initial_parallelism",
              "min_parallelism")  # fmt: skip
    _kinds: ClassVar[dict[str, type]] = {
        "cpu_budget": int,
        "ram_budget": int,
        "autotune_algorithm": AutotuneAlgorithm,
        "initial_parallelism": int,
        "min_parallelism": int,
    }


class DistributeOptions(_Settings):
    """How the elements are divided among several machines."""

    _names = ("auto_shard_policy", "num_devices")
    _kinds: ClassVar[dict[str, type]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}

    def __init__(self) -> None:
        super().__init__()
        self.auto_shard_policy = AutoShardPolicy.AUTO


class OptimizationOptions(_Settings):
    """Which rewritings of pipelines are made; here there are none."""

    _names = ("apply_default_optimizations", "filter_fusion", "filter_parallelization",
              "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
              "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch",
              "shuffle_and_repeat_fusion", "warm_start")  # fmt: skip


class ThreadingOptions(_Settings):
    """How many threads there are."""

    _names = ("max_intra_op_parallelism", "private_threadpool_size")
    _kinds: ClassVar[dict[str, type]] = dict.fromkeys(_names, int)


class ServiceOptions(_Settings):
    """Of the data service, which there is not."""

    _names = ("pinned",)


class Options(_Settings):
    """How a dataset runs.

    >>> options = tf.data.Options()
    >>> options.threading.private_threadpool_size = 4
    >>> options.autotune.enabled = True
    """

    _names = ("autotune", "deterministic", "experimental_deterministic", "experimental_distribute",
              "experimental_external_state_policy", "experimental_optimization",
              "experimental_slack", "experimental_symbolic_checkpoint", "experimental_threading",
              "experimental_warm_start", "dataset_name", "framework_type", "service",
              "threading")  # fmt: skip
    _kinds: ClassVar[dict[str, type]] = {
        "autotune": AutotuneOptions,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_threading": ThreadingOptions,
        "dataset_name": str,
        "framework_type": list,
        "service": ServiceOptions,
        "threading": ThreadingOptions,
    }

    def __init__(self) -> None:
        super().__init__()
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.service = ServiceOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """A copy with what the other options set."""
        found: Options = self._merged(options)
        return found
