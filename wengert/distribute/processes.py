"""This process among several: who it is, and values that all of them add up.

`wengert launch` says it in the environment, TensorFlow's programs in TF_CONFIG. Values go through JAX: on processors
by gloo.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NoReturn
from zlib import crc32

import numpy as np

from wengert.core.dispatch import apply
from wengert.core.row import Row
from wengert.distribute.ending import Watch
from wengert.distribute.gathering import gather
from wengert.engines.xla.backend import jax, wide
from wengert.engines.xla.meetings import begin
from wengert.errors import InvalidArgumentError, UnavailableError
from wengert.values.shapes import shape_text

INDEX, COUNT, COORDINATOR, PATIENCE = (
    f"WENGERT_PROCESS{name}" for name in ("_INDEX", "_COUNT", "_COORDINATOR", "_PATIENCE")
)
_PATIENCE: Final = 120  # seconds until all processes must have begun
_AT_ITS_END: Final = (
    7 * 24 * 3600
)  # seconds that a process which has ended waits for those that work on
_FORM: Final = 64  # bytes of the text that says what is added


@dataclass(frozen=True)
class Place:
    """The index of this process, how many there are, and where they meet."""

    index: int
    count: int
    coordinator: str


ALONE: Final = Place(0, 1, "")


def place() -> Place:
    """This process's place, by its environment."""
    if COUNT in os.environ:
        found = Place(int(os.environ[INDEX]), int(os.environ[COUNT]), os.environ[COORDINATOR])
        return ALONE if found.count == 1 else found
    return _of_tf_config(os.environ.get("TF_CONFIG", ""))


def _of_tf_config(text: str) -> Place:
    if not text.strip():
        return ALONE
    try:
        config = json.loads(text)
        cluster, task = config.get("cluster", {}), config.get("task", {})
        workers = [*cluster.get("chief", []), *cluster.get("worker", [])]
        if not workers:
            return ALONE
        index = int(task.get("index", 0)) + (
            len(cluster.get("chief", [])) if task.get("type") == "worker" else 0
        )
        found = Place(index, len(workers), str(workers[0]))
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"TF_CONFIG is no description of a cluster: {error}. It is JSON as "
            '{"cluster": {"worker": ["host0:port", "host1:port"]}, "task": {"type": "worker", "index": 0}}.'
        ) from error
    if not 0 <= index < len(workers):
        raise ValueError(
            f"TF_CONFIG says that this is task {index}, and there are {len(workers)} workers."
        )
    return ALONE if found.count == 1 else found


@functools.cache
def join(where: Place) -> None:
    """Meet the other processes; those that begin later are waited for."""
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.config.update("jax_enable_preemption_service", False)  # it takes SIGTERM, and does nothing
    patience = int(os.environ.get(PATIENCE, _PATIENCE))
    try:
        gather(where.index, where.count, where.coordinator, patience)
        jax.distributed.initialize(
            where.coordinator, where.count, where.index, shutdown_timeout_seconds=_AT_ITS_END
        )
        Watch(where.index, where.count).begin()
        sys.excepthook = functools.partial(_ended_by, sys.excepthook)
    except RuntimeError:
        raise RuntimeError(
            "JAX had started when the processes were to meet: make the MultiWorkerMirroredStrategy or the Mesh at the "
            "beginning of the program, before functions run on XLA and JAX is asked for its devices."
        ) from None


def _ended_by(show: Callable[..., object], kind: Any, error: Any, trace: Any) -> NoReturn:
    """End this process by an error."""
    show(kind, error, trace)
    end(1)


def have_met() -> bool:
    """Whether this process has met others."""
    return join.cache_info().currsize > 0


def end(status: int) -> NoReturn:
    """End this process at once: at its usual end JAX waits for the others, who wait for it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


@functools.cache
def _adding(where: Place) -> tuple[Any, Any]:
    """How a value of each process lies on a device of each, and the function that adds them."""
    devices = [jax.local_devices(process_index=at)[0] for at in range(where.count)]
    mesh = jax.sharding.Mesh(np.array(devices, object), ("process",))
    spec = jax.sharding.PartitionSpec
    apart = jax.sharding.NamedSharding(mesh, spec("process"))
    whole = jax.sharding.NamedSharding(mesh, spec())
    return apart, jax.jit(lambda x: x.sum(0, dtype=x.dtype), out_shardings=whole)


def added(array: Any) -> Any:
    """The sum over all processes, all of which call this with arrays of one shape."""
    where = place()
    if where.count == 1:
        return array
    array = np.asarray(array)
    begin()
    try:
        with wide():
            _agree(where, array)
            return _sum(where, array)
    except InvalidArgumentError:
        raise
    except (RuntimeError, ValueError) as error:
        raise UnavailableError(
            f"Process {where.index} of {where.count} could not add a value of shape {array.shape} to those of "
            f"the others: one of them has ended, or asks for another value. Begin all of them again; they go on "
            f"from their last checkpoint. ({str(error).splitlines()[0][:200]})"
        ) from error


def _sum(where: Place, array: Any) -> Any:
    apart, add = _adding(where)
    given = jax.make_array_from_process_local_data(apart, array[None], (where.count, *array.shape))
    return np.asarray(add(given))


def _agree(where: Place, array: Any) -> None:
    """Raise unless all processes add values of one form: gloo adds what it gets, or waits for more."""
    text = f"{array.dtype.name} {shape_text(array.shape)}".encode()
    form = np.frombuffer(text.ljust(_FORM)[:_FORM], np.uint8)
    if len(set(_of_each(where, np.array(crc32(text), np.uint32)).tolist())) > 1:
        forms = [bytes(row).decode().rstrip() for row in _of_each(where, form)]
        each = ", ".join(f"process {at} {form}" for at, form in enumerate(forms))
        raise InvalidArgumentError(
            f"The processes add values of different dtypes or shapes: {each}. All of them run the same "
            "program, in the same order, and give values of one shape."
        )


def _of_each(where: Place, array: Any) -> Any:
    """The arrays of one form that all processes give, in their order."""
    rows = np.zeros((where.count, *array.shape), array.dtype)
    rows[where.index] = array
    return _sum(where, rows)


def of_first(array: Any) -> Any:
    """The value that the first process has."""
    array = np.asarray(array)
    return added(array if place().index == 0 else np.zeros_like(array))


def total(x: Any) -> Any:
    """The sum of a tensor over all processes."""
    return apply(ALL_REDUCE, [x])


# The sum over processes as an operation: of every engine, in the order of the program.
ALL_REDUCE: Final = Row(
    "AllReduce",
    lambda _, x: added(x),
    vjp=(lambda g, y, x: total(g),),
    shape=lambda s: s,
    saves="",
    stateful=True,
    effects=True,
    users=True,
)
