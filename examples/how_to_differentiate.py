"""Which way of differentiating is exact, and what does each cost?

The function repeats x ← 4x(1 - x). Numerically its derivative is a difference, symbolically a formula,
automatically a sweep over the operations that were carried out. The truth comes from fractions.
`tf.compare` sets all ways side by side; with the name of a file, it draws them on a page.
"""

import math
import sys
from fractions import Fraction

import tensorflow as tf
from showing import show, title

STEPS, AT = 8, Fraction(1, 10)


def repeated(x):
    for _ in range(STEPS):
        x = 4 * x * (1 - x)
    return x


def exactly(x):
    """The derivative by the product rule, in fractions."""
    slope = Fraction(1)
    for _ in range(STEPS):
        x, slope = 4 * x * (1 - x), 4 * slope * (1 - 2 * x)
    return slope


def automatically():
    x = tf.constant(float(AT), tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = repeated(x)
    return float(tape.gradient(y, x))


def digits(value):
    """How many digits of a derivative are right."""
    return int(-math.log10(max(abs(value / truth - 1), 1e-16)))


title("Which way of differentiating is exact, and what does each cost?")
truth = float(exactly(AT))
if hasattr(tf, "compare"):
    found = tf.compare(repeated, float(AT))
    print(found)
    if len(sys.argv) > 1:
        found.to_html(sys.argv[1])
        print(f"\nThe page: {sys.argv[1]}")
    values = {way.name: way.value for way in found.ways if way.value is not None}
    print(f"\nIn fractions it is {truth:.12f}.\n")
    show("digits, by a forward difference", digits(values["forward difference"]), 6)
    show("digits, by a central difference", digits(values["central difference"]), 7)
    show("by a complex step, at least 14", digits(values["complex step"]) >= 14, True)
    show("in forward mode, at least 14", digits(values["forward mode"]) >= 14, True)
    if "symbolic (SymPy)" in values:
        show("symbolically, at least 14", digits(values["symbolic (SymPy)"]) >= 14, True)
show("by a tape, at least 14", digits(automatically()) >= 14, True)
