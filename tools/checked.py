"""Prints how good tf.check is: planted faults that it catches and names, and false alarms among rules that are right.

python tools/checked.py [--operations 40] [--draws 6]

The tests run a cut of both. The whole takes about half an hour on one processor.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from planted_faults import PLANTS, Plant, drawn, plantings  # noqa: E402

import wengert as tf  # noqa: E402


def planted(plant: Plant, operations: int) -> Counter[str]:
    """In how many operations a fault was planted, caught, and named."""
    counts: Counter[str] = Counter()
    for case, f, xs in plantings(plant, operations):
        report = tf.check(f, *xs)
        named = not report.right and report.fault in plant.kinds
        counts.update(planted=1, caught=int(not report.right), named=int(named))
        if not named:
            print(f"  {plant.name} in {case}: {report.fault or 'nothing'}")
    return counts


def alarms(draws: int) -> Counter[str]:
    """What is said of rules that are right."""
    counts: Counter[str] = Counter()
    for s in drawn(draws):
        report = tf.check(s.f, *s.xs)
        counts[report.fault or "right"] += 1
        if not report.right:
            print(f"  {s.case} draw {s.draw}: {report.title}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description="How good tf.check is.")
    parser.add_argument("--operations", type=int, default=40)
    parser.add_argument("--draws", type=int, default=6)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for plant in PLANTS:
        total += planted(plant, options.operations)
    faults, caught, named = total["planted"], total["caught"], total["named"]
    print(
        f"{len(PLANTS)} kinds of faults, {faults} planted: {caught / max(faults, 1):.2%} caught, {named / max(faults, 1):.2%} named"
    )
    said = alarms(options.draws)
    print(f"{sum(said.values())} draws of right rules: {dict(said)}")


if __name__ == "__main__":
    main()
