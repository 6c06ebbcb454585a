"""tf.draw: the graph of a function and of its gradient."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.insight.drawing.layout import placed
from wengert.insight.drawing.numbers import described


def loss(x: Any, w: Any) -> Any:
    with tf.name_scope("layer"):
        h = tf.tanh(x @ w)
    return tf.reduce_mean(tf.square(h - 1.0))


ARGUMENTS = tf.ones([4, 3]), tf.ones([3, 2])


def deep(x: Any) -> Any:
    for _ in range(700):
        x = tf.sin(x) * 0.5 + x
    return tf.reduce_sum(x)


def test_what_is_drawn() -> None:
    drawing = tf.draw(loss, *ARGUMENTS)
    boxes = drawing.diagram.boxes
    assert [b.label for b in boxes if b.side == "forward"] == [
        "MatMul",
        "Tanh",
        "Sub",
        "Square",
        "Mean",
    ]
    assert [b.label for b in boxes if b.side == "result"] == ["value", "dx", "dw"]
    tanh = next(b for b in boxes if b.label == "Tanh")
    assert tanh.note == "h [4, 2]"
    assert tanh.facts["code"] == "h = tf.tanh(x @ w)"
    assert json.loads(json.dumps(drawing.to_dict()))["title"] == "loss and its gradient"
    assert "Tanh" in str(drawing)


def test_values_from_outside_are_inputs() -> None:
    """A variable by its name, beside the arguments."""
    scale = tf.Variable(2.0, name="scale")
    boxes = tf.draw(lambda x: x * scale + tf.ones([3]), tf.ones([3])).diagram.boxes
    assert {b.label for b in boxes if b.side == "input"} >= {"x", "scale"}
    assert "Placeholder" not in {b.label for b in boxes}


def test_a_graph_of_version_one() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        y = tf.reduce_sum(tf.sin(x))
        drawing = tf.draw(y, x)
    assert {b.label for b in drawing.diagram.boxes} >= {"Sin", "Sum", "Cos", "value"}
    with pytest.raises(TypeError, match="a function and its arguments"):
        tf.draw(tf.constant(1.0), x)


def test_one_of_several_results_without_a_gradient() -> None:
    """The others have no cotangent, and that of this one ends there; integers have none at all."""

    def outside(x: Any) -> Any:
        return tf.numpy_function(lambda x: (x, x + 1), [x], [tf.float32, tf.float32])[1]

    for f, x, label in (
        (outside, tf.ones([2]), "PyFunc"),
        (lambda x: tf.unique(x)[1], tf.constant([2, 2, 3]), "Unique"),
    ):
        boxes = tf.draw(f, x).diagram.boxes
        assert [b.label for b in boxes if b.side == "forward"] == [label]
        assert not any(b.side == "backward" for b in boxes)


# ---- numbers -----------------------------------------------------------------------------------


def kinked(x: Any) -> Any:
    h = tf.nn.relu(x - 1.0)
    return tf.reduce_sum(tf.sqrt(h))


def facts_of(drawing: Any, label: str) -> dict[str, str]:
    found: dict[str, str] = next(b.facts for b in drawing.diagram.boxes if b.label == label)
    return found


def test_numbers_of_values_and_of_what_comes_back() -> None:
    x = tf.constant([0.0, 0.0, 2.0, 5.0])
    drawing = tf.draw(kinked, x, numbers=True)
    relu = facts_of(drawing, "Relu")
    assert relu["value"] == "[0, 0, 1, 4]"
    assert relu["gradient"] == "[inf, inf, 0.5, 0.25]"
    assert relu["gradient, not finite"] == "2 infinite of 4"
    assert facts_of(drawing, "value")["value"] == "3"
    assert facts_of(drawing, "dx")["value"] == "[0, 0, 0.5, 0.25]"
    assert "bad" in drawing.svg()
    assert "2 infinite of 4" in drawing.to_html()
    plain = tf.draw(kinked, x)
    assert "value" not in facts_of(plain, "Relu")
    assert 'class="box forward bad"' not in plain.svg()


def test_numbers_of_many_elements() -> None:
    numbers = np.arange(-4.0, 16.0)
    numbers[3] = np.nan
    assert described(numbers) == {
        "value": "-4 to 15, mean 5.8421, norm 35.623",
        "not finite": "1 NaN of 20",
        "zeros": "1 of 20",
    }
    finite = np.delete(numbers, 3)
    assert abs(finite.mean() - 5.8421) < 1e-4
    assert abs(np.linalg.norm(finite) - 35.623) < 1e-3
    assert described(np.full(9, 1e200))["value"] == "all 1e+200, norm 3e+200"
    assert described(np.full(9, np.nan))["value"] == "no finite number"
    assert described(np.arange(9) > 3)["value"] == "5 of 9 are true"
    assert described(np.full(9, 3 + 4j))["value"] == "sizes all 5, norm 15"
    assert described(np.array([True, False])) == {"value": "[True, False]"}
    assert described(np.array("text", object)) == {}


def test_numbers_of_a_tape() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(source_lines=True) as tape:
        h = tf.exp(x)
        loss = tf.reduce_sum(h)
    drawing = tape.draw(loss, [x], numbers=True)
    assert facts_of(drawing, "Exp")["value"] == "[2.7183, 7.3891]"
    assert facts_of(drawing, "Exp")["code"] == "h = tf.exp(x)"
    assert facts_of(drawing, "dx")["value"] == "[2.7183, 7.3891]"
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x)
    with pytest.raises(tf.errors.TapeError, match="make it with source_lines=True"):
        tape.draw(loss, x)


def test_numbers_change_no_variable_and_need_values() -> None:
    v = tf.Variable(1.0)

    def counted(x: Any) -> Any:
        v.assign_add(1.0)
        return x * v

    assert facts_of(tf.draw(counted, tf.constant(3.0), numbers=True), "value")["value"] == "6"
    assert v.numpy() == 1.0
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        with pytest.raises(ValueError, match="Numbers need values"):
            tf.draw(tf.reduce_sum(x), x, numbers=True)


def test_loops_and_lines_tell_of_trouble() -> None:
    """Lists within a loop have no numbers; the box of a line says how many of its operations are in trouble."""

    def looped(x: Any) -> Any:
        (y,) = tf.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: y * 2.0, (x,))
        return tf.reduce_sum(tf.sqrt(y - 9.0) + 1.0)

    drawing = tf.draw(looped, tf.constant([1.0, 1.0]), numbers=True)
    assert facts_of(drawing, "Sqrt")["not finite"] == "2 NaN of 2"
    assert facts_of(drawing, "While")["value"] == "[8, 8]"
    lines = dict(drawing._views())["lines"]
    assert any(b.facts.get("not finite", "").startswith("in ") for b in lines.boxes)


def test_boxes_stand_in_layers_and_apart() -> None:
    for diagram in (tf.draw(loss, *ARGUMENTS).diagram, tf.draw(deep, tf.ones([3])).diagram):
        places = placed(diagram)
        for a, b, _ in diagram.arrows:
            assert places[a].y < places[b].y
        rows: dict[float, list[Any]] = {}
        for place in places:
            rows.setdefault(place.y, []).append(place)
        for row in rows.values():
            row.sort(key=lambda p: p.x)
            for left, right in itertools.pairwise(row):
                assert left.x + left.width / 2 < right.x - right.width / 2


def test_formats(tmp_path: Path) -> None:
    drawing = tf.draw(loss, *ARGUMENTS)
    picture = ElementTree.fromstring(drawing.svg(tmp_path / "graph.svg"))
    count = len(drawing.diagram.boxes)
    assert len(picture.findall(".//{*}rect")) == count
    assert (tmp_path / "graph.svg").exists()
    assert drawing.dot().count("label=") == count
    assert drawing.dot().count("->") == len(drawing.diagram.arrows)
    assert drawing.mermaid().startswith("flowchart TD\n")
    page = drawing.to_html(tmp_path / "graph.html")
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert page.count('class="view"') == page.count("data-view=") >= 3
    if shutil.which("dot"):
        subprocess.run(
            ["dot", "-Tsvg"], input=drawing.dot(), text=True, check=True, capture_output=True
        )


def test_many_operations_are_shown_by_lines_first() -> None:
    drawing = tf.draw(deep, tf.ones([3]))
    assert len(drawing.diagram.boxes) > 4000
    assert "show(1);" in drawing.to_html()


@pytest.mark.slow
def test_a_browser_shows_the_page(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no browser")
    page = tmp_path / "graph.html"
    tf.draw(deep, tf.ones([3])).to_html(page)
    told = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    shown = subprocess.run(told, capture_output=True, text=True, check=True, timeout=120).stdout
    assert 'class="view shown"' in shown  # the script ran to its end
    assert "aria-pressed" in shown
