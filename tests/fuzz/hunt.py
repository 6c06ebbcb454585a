"""A seed: its program is drawn, run in some modes, and compared."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .compare import (
    Difference,
    by_differences,
    difference,
    in_float64,
    is_sensitive,
    lost_claim,
    without_its_nans,
    wrong_claim,
)
from .known import reason
from .minimise import minimised
from .modes import EAGER, MODES, Mode, Outcome, outcome
from .programs import Program, drawn, text_of, text_of_inputs
from .steps import LINES


class Failure(NamedTuple):
    program: Program
    mode: Mode
    difference: Difference

    def kind(self) -> str:
        return f"{self.mode.name}: {self.difference.what.partition(' ')[0]}"

    def text(self) -> str:
        """A program to be pasted, under the seed and what is different."""
        what = f"{self.difference.what}: {self.difference.text}"
        head = f"# seed {self.program.seed}, {self.mode.name}\n# {what}\n"
        return f"{head}{pasted(self.program, self.mode)}"


class Hunt:
    """What is compared with what. `tf` is the library under test, `peer` TensorFlow or None.

    `shapes` finds static shapes, too, of which the peer knows more.
    """

    def __init__(self, tf: Any, peer: Any = None, *, shapes: bool = False) -> None:
        self.tf, self.peer, self.shapes = tf, peer, shapes
        self.counts: Counter[str] = Counter()

    def failures(self, seed: int, modes: Sequence[Mode] | None = None) -> list[Failure]:
        """The failures of a seed, each minimised: one of a kind and at most one a mode."""
        program, found, seen = drawn(seed, LINES, self.tf), [], set()
        if not program.steps:
            return []
        for mode in modes or self._some_modes(seed):
            self.counts["runs"] += 1
            what = self.fault(program, mode)
            if what is None or what.what.partition(" ")[0] in seen:
                continue
            seen.add(what.what.partition(" ")[0])
            found.append(self._smallest(program, mode, what))
        self.counts["programs"] += 1
        self.counts["programs that differ"] += bool(found)
        return found

    def _some_modes(self, seed: int) -> list[Mode]:
        """Eager mode always, three others in turn."""
        others = [mode for mode in MODES.values() if mode is not EAGER]
        return [EAGER, *random.Random(~seed).sample(others, 3)]

    def _smallest(self, program: Program, mode: Mode, what: Difference) -> Failure:
        kind = what.what.partition(" ")[0]

        def fails(smaller: Program) -> bool:
            fault = self.fault(smaller, mode)
            return fault is not None and fault.what.partition(" ")[0] == kind

        program = minimised(program, fails)
        return Failure(program, mode, self.fault(program, mode) or what)

    def fault(self, program: Program, mode: Mode) -> Difference | None:
        """What is wrong with a program in a mode."""
        got = outcome(program, self.tf, mode)
        return next(iter(self._faults(program, mode, got)), None)

    def _faults(self, program: Program, mode: Mode, got: Outcome) -> Iterator[Difference]:
        eager = got if mode is EAGER else outcome(program, self.tf, EAGER)
        wrong = wrong_claim(got, eager)
        if wrong is not None:
            yield wrong
        if mode is not EAGER and not (got.refusal and self._peer_refuses(program, mode)):
            yield from self._against(program, mode, got, eager)
        if self.peer is not None:
            yield from self._against_peer(program, mode, got)
        elif mode is EAGER:
            yield from self._against_itself(program, got)

    def _peer_refuses(self, program: Program, mode: Mode) -> bool:
        """Some programs need sizes beforehand: nobody can run them without."""
        return self.peer is not None and bool(outcome(program, self.peer, mode).refusal)

    def _against(
        self, program: Program, mode: Mode, got: Outcome, want: Outcome
    ) -> Iterator[Difference]:
        """`want` is of another mode, where gradients may be of other kinds."""
        found = difference(got, want, program, kinds=False)
        if found is not None and not self._is_rounding(program, mode, got, want):
            yield found

    def _is_rounding(self, program: Program, mode: Mode, got: Outcome, want: Outcome) -> bool:
        def run(near: Program) -> Outcome:
            return outcome(near, self.tf, mode)

        if got.refusal or want.refusal or not is_sensitive(program, run, got, want):
            return False
        self.counts["differences of roundings"] += 1
        return True

    def _against_itself(self, program: Program, got: Outcome) -> Iterator[Difference]:
        found = by_differences(program, self.tf, got)
        if found is not None:
            yield found
        if program.dtype != "float64":
            yield from self._against(program, EAGER, got, in_float64(program, self.tf))

    def _against_peer(self, program: Program, mode: Mode, got: Outcome) -> Iterator[Difference]:
        """TensorFlow is asked eagerly, and in the same mode where static shapes are at stake."""
        asked = EAGER if mode.compiled else mode
        want = outcome(program, self.peer, asked)
        if want.refusal and not got.refusal:  # some rules have no rule there
            self.counts["second orders refused by the peer alone"] += 1
            want = outcome(program, self.peer, asked, second=False)
        if want.refusal and not got.refusal:
            self.counts["refused by the peer alone"] += 1
            return
        want = without_its_nans(want, got)
        # A call put off until its sizes are known has a dense gradient.
        found = difference(got, want, program, kinds=asked is mode and mode.sizes == "known")
        if found is None and self.shapes and not mode.compiled:
            found = lost_claim(got, want)
        if found is None or self._is_rounding(program, mode, got, want):
            return
        if reason(program, mode.name, found.what):
            self.counts["known differences"] += 1
            return
        yield found


# ---- what is printed ----------------------------------------------------------------------------

RUNNING = {
    "eager": "run = derived\n",
    "function": """\
run = tf.function(derived, input_signature=[{specs}], jit_compile={compiled}, autograph=False)
""",
    "session": """\
with tf.Graph().as_default():
    places = [{places}]
    y = program(*places)
    gradients = tf.gradients(tf.sin(y), places)
    total = tf.add_n([tf.reduce_sum(g * g) for g in gradients if g is not None])
    wanted = [t for t in [y, *gradients, *tf.gradients(total, places)] if t is not None]
    session = tf.compat.v1.Session()
run = lambda *xs: session.run(wanted, dict(zip(places, xs)))
""",
}
DERIVED = """
def derived(*xs):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = program(*xs)
            z = tf.sin(y)
        gradients = tape.gradient(z, xs)
        total = tf.add_n([tf.reduce_sum(g * g) for g in gradients if g is not None])
    return y, gradients, outer.gradient(total, xs)

"""


def pasted(program: Program, mode: Mode) -> str:
    """A program that runs as it stands."""
    inputs = program.inputs()
    shapes = {name: (mode.shape(array), f"tf.{array.dtype}") for name, array in inputs.items()}
    kind = "session" if mode.session else "function" if mode.traced else "eager"
    running = RUNNING[kind].format(
        specs=", ".join(f"tf.TensorSpec({s}, {t})" for s, t in shapes.values()),
        places=", ".join(f"tf.compat.v1.placeholder({t}, {s})" for s, t in shapes.values()),
        compiled=mode.compiled,
    )
    make = {True: "tf.Variable({})", False: "tf.constant({})"}[mode.variables]
    names = [n if mode.session else make.format(n) for n in inputs]
    derived = "\n" if mode.session else DERIVED
    return (
        f"import numpy as np\nimport wengert as tf\n\n{text_of(program)}{derived}{running}\n"
        f"{text_of_inputs(program)}\nprint(run({', '.join(names)}))\n"
    )
