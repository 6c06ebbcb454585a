"""TensorBoard, the package, reads what is written: what its server says of a folder is what its pages show."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_train import history, train

import wengert as tf

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("tensorboard") is None,
        reason="the package tensorboard is not there",
    ),
]
PAGES = Path(__file__).with_name("tensorboard_pages.py")
v1 = tf.compat.v1


def pages(folder: Path, *names: str) -> list[Any]:
    """What the server answers for some pages."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PAGES), str(folder), *names],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def of(plugin: str, tag: str, more: str = "") -> str:
    """The page of a plugin that has what was written under a tag."""
    return f"plugin/{plugin}/{plugin}?run=.&tag={tag}{more}"


def values_of(points: list[Any]) -> list[tuple[int, float]]:
    """Steps and numbers of a curve, without the times."""
    return [(step, value) for _, step, value in points]


def test_a_run_of_training(tmp_path: Path) -> None:
    """The losses and accuracies of every tenth step, and of the tests, through an end and a new beginning."""
    folder = tmp_path / "run"
    assert train("digits", "--steps", 40, out=folder) == 0
    assert train("--resume", folder, "--steps", 60) == 0
    tags, losses, tests = pages(
        folder / "events",
        "plugin/scalars/tags",
        of("scalars", "train/loss"),
        of("scalars", "test/accuracy"),
    )
    assert set(tags["."]) == {"train/loss", "train/accuracy", "test/loss", "test/accuracy"}
    kept = {int(step): loss for step, loss, _ in history(folder)}
    assert [step for step, _ in values_of(losses)] == [10, 20, 30, 40, 50, 60]
    assert [loss for _, loss in values_of(losses)] == pytest.approx(
        [kept[step] for step, _ in values_of(losses)], rel=1e-6
    )
    assert values_of(tests)[-1][0] == 60


def test_each_kind_of_summary(tmp_path: Path) -> None:
    """Numbers, histograms, pictures, sounds and texts come back with their steps."""
    pictures = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3)
    tone = np.sin(np.arange(80, dtype=np.float32))[None, :, None]
    with tf.summary.create_file_writer(tmp_path).as_default(step=3) as writer:
        tf.summary.scalar("number", 1.5)
        tf.summary.scalar("number", 2.5, step=4)
        tf.summary.histogram("values", [1.0, 2.0, 2.0, 5.0], buckets=2, description="how many")
        tf.summary.image("pictures", pictures)
        tf.summary.audio("tone", tone, 8000)
        tf.summary.text("words", "**bold**")
        writer.close()
    numbers, histogram, about, images, sounds, texts = pages(
        tmp_path,
        of("scalars", "number"),
        of("histograms", "values"),
        "plugin/histograms/tags",
        of("images", "pictures", "&sample=1"),
        of("audio", "tone", "&sample=0"),
        of("text", "words"),
    )
    assert values_of(numbers) == [(3, 1.5), (4, 2.5)]
    assert histogram[0][1:] == [3, [[1.0, 3.0, 3.0], [3.0, 5.0, 1.0]]]
    assert "how many" in about["."]["values"]["description"]
    assert [(t["step"], t["text"]) for t in texts] == [(3, "<p><strong>bold</strong></p>")]
    assert images[0]["step"] == sounds[0]["step"] == 3
    picture, sound = pages(
        tmp_path,
        f"plugin/images/individualImage?{images[0]['query']}",
        f"plugin/audio/individualAudio?{sounds[0]['query']}",
    )
    assert tf.image.decode_png(bytes(picture)).numpy().tolist() == pictures[1].tolist()
    with wave.open(io.BytesIO(bytes(sound))) as read:
        assert (read.getframerate(), read.getnframes()) == (8000, 80)


def test_graphs(tmp_path: Path) -> None:
    """The nodes of a function's graph, with what they are given."""
    traced = tf.function(lambda x: tf.sin(x, name="sine") * 2.0)
    graph = traced.get_concrete_function(tf.TensorSpec([3], tf.float32)).graph
    with tf.summary.create_file_writer(tmp_path).as_default(step=0) as writer:
        tf.summary.graph(graph)
        writer.close()
    info, text = pages(tmp_path, "plugin/graphs/info", "plugin/graphs/graph?run=.")
    assert info["."]["run_graph"]
    assert 'name: "sine"\n  op: "Sin"' in text


def test_summaries_of_sessions(tmp_path: Path) -> None:
    """Those of version 1, beside the session's graph."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        v1.summary.scalar("number", x)
        v1.summary.histogram("values", tf.stack([x, x + 1.0]))
        merged = v1.summary.merge_all()
        with v1.summary.FileWriter(str(tmp_path), graph) as writer:
            for step in range(3):
                writer.add_summary(session.run(merged, {x: float(step)}), step)
    numbers, histograms, info = pages(
        tmp_path, of("scalars", "number"), of("histograms", "values"), "plugin/graphs/info"
    )
    assert values_of(numbers) == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert [sum(row[2] for row in rows) for _, _, rows in histograms] == [2.0] * 3
    assert info["."]["run_graph"]


def test_names_of_summaries() -> None:
    """A tag may be any text: what no name has is replaced, in the tag, too."""
    with tf.Graph().as_default(), v1.Session() as session, v1.name_scope("s"):
        loss = v1.summary.scalar("Post-update loss, step 1", 1.0)
        again = v1.summary.scalar("/loss (b)", 1.0, family="my losses")
        assert loss.name == "s/Post-update_loss__step_1:0"
        assert again.name == "s/my_losses/loss__b_:0"
        assert b"my_losses/s/my_losses/loss__b_" in session.run(again)


def test_a_file_that_was_cut(tmp_path: Path) -> None:
    """A process was killed while it wrote: what is whole is shown, and what another one wrote after it."""
    for step in range(2):
        with tf.summary.create_file_writer(tmp_path).as_default(step=step) as writer:
            tf.summary.scalar("number", float(step))
            tf.summary.scalar("number", 9.0, step=9)
            writer.close()
        if not step:
            (file,) = tmp_path.iterdir()
            file.write_bytes(file.read_bytes()[:-7])
    (numbers,) = pages(tmp_path, of("scalars", "number"))
    assert values_of(numbers) == [(0, 0.0), (1, 1.0), (9, 9.0)]
