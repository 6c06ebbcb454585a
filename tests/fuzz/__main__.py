"""python -m tests.fuzz --seconds 60 [--seed 0] [--peer tensorflow|none] [--shapes]

Prints every failure as a program to be pasted, and counts at the end. Fails if something differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from .work import ENDED_BY_PEER, Asked, found, has_tensorflow


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--peer", choices=["tensorflow", "none"], help="TensorFlow if it is there")
    parser.add_argument("--shapes", action="store_true", help="find sizes that only the peer knows")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.peer == "tensorflow" and not has_tensorflow():
        sys.exit("TensorFlow cannot be imported.")
    asked = Asked(given.seed, time.time() + given.seconds, given.peer, given.shapes)
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for one in found(asked):
        counts += one.counts
        if one.counts[ENDED_BY_PEER]:
            print(f"# seed {one.seed}: the process ended, without the peer it does not\n")
        for kind, text in one.failures:
            kinds[kind] += 1
            print(text, flush=True)
    with_peer = given.peer != "none" and has_tensorflow()
    beside = "TensorFlow" if with_peer else "float64 and finite differences"
    print(f"from seed {given.seed}, compared with {beside}")
    for what, count in [*sorted(counts.items()), *sorted(kinds.items())]:
        print(f"{count:7} {what}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
