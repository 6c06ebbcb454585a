"""Which way of differentiating is exact, and what does each cost?

The function repeats x ← 4x(1 - x). Numerically its derivative is a difference, symbolically a formula,
automatically a sweep over the operations that were carried out. The truth comes from fractions.
"""

import math
import time
from fractions import Fraction

import tensorflow as tf
from showing import show, title

STEPS, AT = 8, Fraction(1, 10)


def repeated(x):
    for _ in range(STEPS):
        x = 4 * x * (1 - x)
    return x


def exactly(x):
    """Value and derivative by the product rule, in fractions."""
    slope = Fraction(1)
    for _ in range(STEPS):
        x, slope = 4 * x * (1 - x), 4 * slope * (1 - 2 * x)
    return slope


def numerically():
    h = 1e-6
    x = float(AT)
    return (repeated(x + h) - repeated(x - h)) / (2 * h), "2 evaluations for each input"


def symbolically():
    import sympy

    x = sympy.Symbol("x")
    formula = sympy.diff(repeated(x), x)
    return float(
        formula.subs(x, sympy.Rational(AT))
    ), f"a formula of {formula.count_ops()} operations"


def automatically():
    x = tf.constant(float(AT), tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = repeated(x)
    return float(tape.gradient(y, x)), f"{3 * STEPS} operations, swept once"


title("Which way of differentiating is exact, and what does each cost?")
truth = float(exactly(AT))
print(f"{'way':<15} {'derivative':>20} {'relative error':>15} {'seconds':>9}   cost")
found = {}
for way in (numerically, symbolically, automatically):
    start = time.perf_counter()
    try:
        value, cost = way()
    except ImportError:
        print(f"{way.__name__:<15} needs SymPy: pip install sympy")
        continue
    seconds = time.perf_counter() - start
    found[way] = abs(value / truth - 1)
    print(f"{way.__name__:<15} {value:>20.12f} {found[way]:>15.1e} {seconds:>9.4f}   {cost}")
print(f"{'in fractions':<15} {truth:>20.12f}\n")
digits = {way: int(-math.log10(max(error, 1e-16))) for way, error in found.items()}
show("correct digits, numerically", digits[numerically], 6)
show("automatically, at least 14", digits[automatically] >= 14, True)
if symbolically in digits:
    show("symbolically, at least 14", digits[symbolically] >= 14, True)
