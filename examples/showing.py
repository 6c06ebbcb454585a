"""How the examples print: what was computed beside what is expected."""

import numpy as np


def title(question):
    print(f"\n{question}\n{'-' * len(question)}")


def show(what, computed, expected, within=2e-6):
    """One line; the mark at its end says whether the two agree."""
    agree = np.allclose(computed, expected, rtol=within, atol=1e-7, equal_nan=True)
    sign = "=" if within < 1e-3 else "≈"
    print(f"{what:<46} {text(computed):>24} {sign} {text(expected)} {'✓' if agree else '✗'}")
    return agree


def text(value):
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    array = np.asarray(value, dtype=np.float64)
    return " ".join(np.array2string(array, precision=7, separator=", ").split())
