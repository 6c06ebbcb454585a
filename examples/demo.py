"""Run the examples: what is computed beside what is expected; then train a network.

Each runs as a user would run it, by `wengert run`, in a process of its own. Names or paths of examples
may be given; without any, all of them run, and `wengert train` shows a curve.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# In the order in which they are best read.
EXAMPLES = (
    "custom_gradient",
    "nested_custom_gradient",
    "several_targets",
    "high_orders",
    "eager_and_lazy",
    "forward_f_backward_g",
    "subgraph_gradient",
    "guided_backprop",
    "own_operation",
    "spectral_layer",
    "how_to_differentiate",
    "linear_regression_v1",
    "logistic_regression",
    "digits",
)


def agrees(path):
    """Run one example and print what it prints; whether everything in it is as expected."""
    done = subprocess.run(
        [sys.executable, "-m", "wengert", "run", str(path)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    print(done.stdout, end="", flush=True)
    return done.returncode == 0 and "✓" in done.stdout and "✗" not in done.stdout


def trains():
    """Train the network that reads small digits; whether it went well."""
    print("\nwengert train digits", flush=True)
    command = [sys.executable, "-m", "wengert", "train", "digits", "--out", tempfile.mkdtemp()]
    return subprocess.run(command).returncode == 0


def main(names=()):
    differing = [name for name in names or EXAMPLES if not agrees((HERE / name).with_suffix(".py"))]
    if not names and not trains():
        differing.append("wengert train digits")
    if differing:
        print(f"\nSomething differs in: {', '.join(differing)}.", file=sys.stderr)
        return 1
    print("\nEverything is as expected.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
