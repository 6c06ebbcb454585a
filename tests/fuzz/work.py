"""Seeds in a process of their own: a library that ends its process does not end the hunt."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import multiprocessing
import os
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

# What must be done again without the peer, to see who it was that ended the process.
ENDED_BY_PEER = "processes that the peer ended"


class Asked(NamedTuple):
    seed: int
    until: float  # in seconds since the epoch
    peer: str | None  # "tensorflow", "none", or None: TensorFlow if it is there
    shapes: bool


class Found(NamedTuple):
    """What came of a seed: texts of its failures by kind, and counts."""

    seed: int
    failures: list[tuple[str, str]]
    counts: Counter[str]


def tensorflow() -> Any:
    """TensorFlow, if it is installed; on processors alone, and silent."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    try:
        peer = importlib.import_module("tensorflow")
    except ImportError:
        return None
    peer.get_logger().setLevel("ERROR")
    return peer


def has_tensorflow() -> bool:
    return importlib.util.find_spec("tensorflow") is not None


def found(asked: Asked) -> Iterator[Found]:
    """One seed after another, until the time is up."""
    seed = asked.seed
    while time.time() < asked.until:
        for one in _in_a_process(asked._replace(seed=seed)):
            yield one
            seed = one.seed + 1
        if time.time() < asked.until:  # it ended at a seed
            yield _ended(asked._replace(seed=seed))
            seed += 1


def _in_a_process(asked: Asked) -> Iterator[Found]:
    """What the process sends before the time is up, or it dies."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(asked, there), daemon=True)
    process.start()
    there.close()
    try:
        while True:
            yield here.recv()
    except EOFError:
        return
    finally:
        process.terminate()  # where no more is asked for
        process.join()


def _ended(asked: Asked) -> Found:
    """The same seed without a peer: if that ends the process, too, it is our failure."""
    alone = asked._replace(peer="none", until=time.time() + 60.0)
    for one in itertools.islice(_in_a_process(alone), 1):
        return Found(one.seed, [], Counter({ENDED_BY_PEER: 1}))
    text = f"# seed {asked.seed} ends the process\n"
    return Found(asked.seed, [("process", text)], Counter())


def work(asked: Asked, there: Any) -> None:
    """Send what is found."""
    import wengert

    from .hunt import Hunt

    warnings.simplefilter("ignore")
    peer = None if asked.peer == "none" else tensorflow()
    for seed in itertools.count(asked.seed):
        if time.time() >= asked.until:
            return
        hunt = Hunt(wengert, peer, shapes=asked.shapes)
        failures = [(f.kind(), f.text()) for f in hunt.failures(seed)]
        there.send(Found(seed, failures, hunt.counts))
