"""One function differentiated in all ways, and its derivative as a formula."""

from __future__ import annotations

import html.parser
import importlib
import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.insight.compare.composition import Composition
from wengert.insight.compare.spaces import space_of_digits
from wengert.insight.reports.blocks import Picture
from wengert.insight.reports.curves import Curve, log_log

mpmath = pytest.importorskip("mpmath")


def bell(x: Any) -> Any:
    return tf.exp(tf.sin(x)) / (1.0 + x * x)


def repeated(x: Any, times: int = 8) -> Any:
    for _ in range(times):
        x = 4 * x * (1 - x)
    return x


def way(found: Any, name: str) -> Any:
    return next(w for w in found.ways if w.name.startswith(name))


def error(found: Any, name: str) -> float:
    return float(found.error(way(found, name)))


def test_every_way_is_there_with_its_error() -> None:
    """Differences are off where they must be, the others by rounding."""
    found = tf.compare(bell, 0.5)
    errors = {w.name: error(found, w.name) for w in found.ways if w.value is not None}
    assert 1e-10 < errors["forward difference"] < 1e-6
    assert 1e-13 < errors["central difference"] < 1e-8
    for name in ("complex step", "forward mode", "reverse mode"):
        assert errors[name] < 4e-15, name
    assert [way(found, n).evaluations for n in ("forward d", "central", "complex", "reverse")] == [
        2,
        2,
        1,
        1,
    ]
    assert all((w.seconds or 0) > 0 for w in found.ways if w.value is not None)


def test_the_reference_has_fifty_digits() -> None:
    """Known in fractions, of the float64 that is called 0.1."""
    x, slope = Fraction(0.1), Fraction(1)
    for _ in range(8):
        x, slope = 4 * x * (1 - x), 4 * slope * (1 - 2 * x)
    found = tf.compare(repeated, 0.1)
    with mpmath.workdps(70):
        exact = mpmath.mpf(slope.numerator) / slope.denominator
        assert abs(mpmath.mpf(found.reference) / exact - 1) < mpmath.mpf(10) ** -49


def test_the_curve_is_a_v() -> None:
    """Slope 1 and 2 at the right for large steps, slope -1 at the left, the best in between."""
    found = tf.compare(bell, 0.5)
    for name, order in (("forward difference", 1), ("central difference", 2)):
        errors = dict(found.curves[name])
        h = np.array(sorted(errors))
        e = np.array([errors[v] for v in h])
        right = (h > 1e-4) & (h < 1e-2)
        slope = np.polyfit(np.log10(h[right]), np.log10(e[right]), 1)[0]
        assert abs(slope - order) < 0.1
        assert h[0] < h[e.argmin()] < h[-1]
        assert e[0] > 1e3 * e.min()


def test_the_table_and_the_page(tmp_path: Path) -> None:
    """Everything is said in a terminal; the page is well formed and needs nothing from elsewhere."""
    found = tf.compare(bell, 0.5)
    text = str(found)
    assert found.reference in text
    assert all(w.name in text for w in found.ways)
    page = found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    facts = found.to_dict()
    assert facts["reference"] == found.reference
    assert {w["name"] for w in facts["ways"]} == {w.name for w in found.ways}


class Balanced(html.parser.HTMLParser):
    """Notes the tags that are open."""

    ALONE = ("meta", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass


def test_the_drawing() -> None:
    """A point for each number, at its place; labels; colours for light and for dark."""
    svg = log_log([Curve("a & b", ((1e-8, 1e-4), (1e-4, 1e-8), (1.0, 1.0)))], "step", "error")
    tree = ET.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}"
    circles = [c for c in tree.iter(f"{name}circle") if float(c.attrib["cy"]) > 30][:3]
    x = [float(c.attrib["cx"]) for c in circles]
    y = [float(c.attrib["cy"]) for c in circles]
    assert (x[1] - x[0]) == pytest.approx(x[2] - x[1], abs=0.2)
    assert y[1] > y[0] > y[2]
    assert "a & b" in "".join(tree.itertext())
    assert "prefers-color-scheme: dark" in svg
    assert log_log([], "step", "error") == ""


def test_no_picture_without_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing says how to get it; the other ways are there."""
    load = importlib.import_module

    def without(name: str, *rest: Any) -> Any:
        if name in ("sympy", "mpmath"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    found = tf.compare(bell, 0.5)
    assert found.reference == ""
    assert "pip install wengert[insight]" in way(found, "symbolic").note
    assert "mpmath is not installed: pip install wengert[insight]" in " ".join(str(found).split())
    assert not any(isinstance(b, Picture) for b in found.blocks())
    assert way(found, "reverse").value is not None
    with pytest.raises(
        ImportError, match=r"SymPy is not installed: pip install wengert\[insight\]"
    ):
        tf.formula(bell)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.nn.softplus(x) + tf.sigmoid(x) * tf.tanh(x),
        lambda x: tf.math.erf(x) + tf.math.erfc(x) * x + tf.math.lgamma(x),
        lambda x: tf.where(x > 0.5, tf.math.log(x), x) + tf.abs(x - 2.0) + tf.maximum(x, 0.2),
        lambda x: tf.math.expm1(x) * tf.math.log1p(x) + tf.atan2(x, 2.0) + x**3 + tf.pow(x, 1.5),
        lambda x: tf.math.rsqrt(x) + tf.math.xlogy(x, x) + tf.nn.relu(x) + tf.square(tf.cosh(x)),
        lambda x: tf.reduce_sum(x * tf.Variable(2.0, dtype=tf.float64)) + tf.nn.elu(x),
    ],
)
def test_formulas_of_operations(f: Any) -> None:
    """In fifty digits a function is what it is in float64, and so is its derivative."""
    x = tf.constant(0.7, tf.float64)
    exact = Composition(f).at(space_of_digits(mpmath), mpmath.mpf(0.7))
    assert float(exact) == pytest.approx(float(f(x)), rel=1e-14)
    found = tf.compare(f, 0.7)
    assert error(found, "reverse") < 1e-14


def test_what_has_no_formula_says_why() -> None:
    """The ways that need none are there all the same."""
    found = tf.compare(lambda x: tf.reduce_sum(tf.stack([x, x * x])), 0.5)
    assert found.reference == ""
    assert "works on an array" in str(found)
    assert way(found, "reverse").value == 2.0
    branch = tf.compare(lambda x: x * x if x > 0 else x, 3.0)
    assert way(branch, "reverse").value == 6.0
    assert branch.reference == ""


def test_a_constant_function() -> None:
    found = tf.compare(lambda x: 0.0 * x + 3.0, 2.0)
    assert [w.value for w in found.ways if w.name.endswith("mode")] == [0.0, 0.0]
    assert error(found, "reverse") == 0.0


def test_at_zero() -> None:
    """The unit of steps is 1 there."""
    found = tf.compare(tf.sin, 0.0)
    assert error(found, "central") < 1e-9
    assert math.isclose(way(found, "complex").value, 1.0)


def test_bad_input() -> None:
    compare: Any = tf.compare
    formula: Any = tf.formula
    with pytest.raises(TypeError, match=r"tf\.compare takes a function"):
        compare(tf.constant(1.0), 1.0)
    with pytest.raises(ValueError, match="at one finite real number, got"):
        compare(tf.sin, [1.0, 2.0])
    with pytest.raises(ValueError, match="at one finite real number, got 'one'"):
        compare(tf.sin, "one")
    with pytest.raises(ValueError, match="at one finite real number, got nan"):
        compare(tf.sin, float("nan"))
    with pytest.raises(ValueError, match=r"returns one real number; at 1 it returned float64\[2\]"):
        compare(lambda x: tf.stack([x, x]), 1.0)
    with pytest.raises(TypeError, match=r"tf\.formula takes a function"):
        formula(3.0)


# ---- with SymPy ---------------------------------------------------------------------------------


def test_the_symbolic_way() -> None:
    pytest.importorskip("sympy")
    found = tf.compare(bell, 0.5)
    symbolic = way(found, "symbolic")
    assert error(found, "symbolic") < 4e-15
    assert symbolic.operations == 17
    assert "exp(sin(x))*cos(x)/(x**2 + 1)" in found.formula


def test_formulas_swell() -> None:
    """Twenty repetitions are sixty operations, and a formula of millions: it is not evaluated."""
    pytest.importorskip("sympy")
    few = [
        way(tf.compare(partial(repeated, times=n), 0.1), "symbolic").operations for n in (2, 4, 6)
    ]
    assert few[2] > 4 * few[1] > 16 * few[0]
    found = tf.compare(lambda x: repeated(x, 20), 0.1)
    assert way(found, "symbolic").value is None
    assert "3.1e+06 operations" in way(found, "symbolic").note
    assert error(found, "reverse") < 1e-9


def test_a_formula() -> None:
    """Simplified, with the program's name for its variable, and the program's numbers as written."""
    sympy = pytest.importorskip("sympy")
    found = tf.formula(lambda t: tf.exp(-t * t) * 0.1, 1.0)
    assert found.text == "-t*exp(-t**2)/5"
    assert found.latex == sympy.latex(found.derivative)
    assert found.value == pytest.approx(-0.2 * math.exp(-1.0), rel=1e-15)
    assert found._repr_latex_() == f"$\\displaystyle {found.latex}$"
    assert found.latex in str(found)
    assert tf.formula(tf.math.log_sigmoid).text == "1/(exp(x) + 1)"
    with pytest.raises(ValueError, match="Cumsum"):
        tf.formula(lambda x: tf.reduce_sum(tf.cumsum(tf.reshape(x, [1]))))


@pytest.mark.parametrize(
    ("f", "x", "value"),
    [
        (tf.sqrt, 0.0, np.inf),
        (tf.math.log, 0.0, np.inf),
        (tf.math.log, -1.0, -1.0),
        (tf.floor, 0.5, np.nan),
    ],
)
def test_points_without_a_derivative(f: Any, x: float, value: float) -> None:
    """Roots of negative numbers, and poles, are said and no error."""
    np.testing.assert_equal(tf.formula(f, x).value, value)
    found = tf.compare(f, x)
    assert (found.reference == "") is (x == 0.0)
    assert str(found)


def test_a_complex_step_of_a_function_that_is_not_analytic() -> None:
    """A gradient within is conjugated: the step would give its opposite."""
    found = tf.compare(lambda x: tf.grad(lambda z: z**3)(x), 0.5)
    step = next(way for way in found.ways if way.name == "complex step")
    assert step.value is None
    assert "not analytic" in step.note
    analytic = tf.compare(lambda x: tf.sin(x) * x, 0.5)
    assert next(way for way in analytic.ways if way.name == "complex step").value is not None


def long_product(x: Any) -> Any:
    return tf.exp(-(x**2) / 2.0) * tf.sin(x * x) * tf.tanh(x) / (1.0 + x**4) * tf.math.log1p(x * x)


def test_a_long_formula_comes_soon_and_fits() -> None:
    """To simplify it took SymPy minutes."""
    for report in (tf.formula(long_product, 0.7), tf.compare(long_product, 0.7)):
        assert max(map(len, str(report).split("\n"))) <= 80
    with tf.GradientTape() as tape:
        x = tf.Variable(0.7, dtype=tf.float64)
        y = long_product(x)
    np.testing.assert_allclose(tf.formula(long_product, 0.7).value, tape.gradient(y, x), 1e-12)
