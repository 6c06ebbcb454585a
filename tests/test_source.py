"""tf.source: programs of NumPy that compute bit for bit what the tape does."""

from __future__ import annotations

import ast
import contextlib
import random
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optable import CASES
from samples import Case

import wengert as tf
from wengert.insight.layout import within_width
from wengert.insight.source.kernels import NotWritableError


def by_tape(f: Any, xs: Any) -> tuple[Any, Any]:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y, tape.gradient(y, xs)


def is_narrow(text: str) -> bool:
    return max(map(len, text.split("\n"))) <= 80


def same_bits(f: Any, *xs: Any, units: int = 0) -> str:
    """The text, if it computes what the tape does; or nearly, in units of the last place of the largest."""
    program = tf.source(f, *xs)
    assert is_narrow(program.whole()), program.whole()
    with np.errstate(all="ignore"):
        value, gradients = program(*xs)
    y, expected = by_tape(f, list(xs))
    found = [value, *(gradients if len(xs) > 1 else [gradients])]
    for g, e in zip(found, [y, *expected], strict=True):
        assert (g is None) == (e is None), program.text
        if e is not None:
            array = np.asarray(tf.convert_to_tensor(e))
            assert np.asarray(g).dtype == array.dtype, program.text
            unit = np.finfo(array.dtype).eps * np.max(np.abs(array), initial=0.0) if units else 0
            np.testing.assert_allclose(
                np.broadcast_to(g, e.shape), array, 0, units * unit, err_msg=program.text
            )
    text: str = program.text
    return text


# ---- all operations -----------------------------------------------------------------------------


def function_of(case: Case) -> tuple[Any, list[Any]] | None:
    """A case as a function of what varies in it, and where; None if it has no float for a result."""
    xs = [tf.convert_to_tensor(x) for x in case.inputs()]
    varied = case.varied

    def f(*given: Any) -> Any:
        full = list(xs)
        for i, x in zip(varied, given, strict=True):
            full[i] = x
        y = case.call(*full)
        return (
            tf.add_n([tf.reduce_sum(t) for t in y if t.dtype.is_floating])
            if isinstance(y, (list, tuple))
            else y
        )

    given = [xs[i] for i in varied]
    if not given or not all(x.dtype.is_floating for x in given):
        return None
    y = f(*given)
    return (f, given) if isinstance(y, tf.Tensor) and y.dtype.is_floating else None


FUNCTIONS = [
    (case, found)
    for case in CASES
    if not (case.is_stateful or case.line.type == "OrthogonalBasis")
    and (found := function_of(case)) is not None
]


# A readable text adds these up in another order than the kernels, which work on tiles and with BLAS.
NEAR = (
    "Conv", "Depthwise", "AvgPool", "Resize", "[resize", "CropAndResize", "LRN", "FusedBatchNorm",
    "MatrixTriangularSolve", "BandedTriangularSolve", "TridiagonalSolve", "ScaleAndTranslate", "Lu", "Qr",
)  # fmt: skip
THROUGH_THOSE = ("[cholesky_solve]", "[lstsq]", "[logdet]", "[lu_")


WITHOUT_TEXT = {
    # derivatives of derivatives in a parameter
    "BetaincGrad", "IgammaGradA", "RandomGammaGrad", "CTCLossOccupancy",
    # what is drawn, and what texts are
    "DrawBoundingBoxesV2", "StatelessShuffle", "StringToNumber",
    # a search
    "[CTCBeamSearchDecoder]",
    # sizes that depend on numbers
    "DynamicPartition", "SegmentProd", "Unique", "UniqueWithCounts", "[embedding_lookup_sparse mean]",
    "[embedding_lookup_sparse sqrtn]", "[ragged axis 0]", "[ragged reduce_max]", "[ragged reduce_mean]",
    "[sparse.add]", "[sparse.fill_empty_rows]", "[sparse.maximum]", "[sparse.softmax]",
}  # fmt: skip


def test_operations_have_texts_that_compute_the_same_bits() -> None:
    there: set[str] = set()
    for case, (f, given) in FUNCTIONS:
        kind = case.line.type
        is_near = kind.lstrip("[").startswith(NEAR) or kind.startswith(THROUGH_THOSE)
        with contextlib.suppress(NotWritableError):
            same_bits(f, *given, units=4 if is_near else 0)
            there.add(kind)
    without = {case.line.type for case, _ in FUNCTIONS} - there
    assert (len(there), sorted(without)) == (395, sorted(WITHOUT_TEXT))
    count = f"{len(there)} of the {len(there) + len(without)} kinds"
    page = (Path(__file__).parents[1] / "docs/answers.md").read_text()
    assert count in " ".join(page.split())


@pytest.mark.parametrize("dtype", [tf.float32, tf.float16])
def test_other_dtypes_are_kept(dtype: Any) -> None:
    """Half precision is added up in float32, as by the kernels; nothing becomes float64 on the way."""
    there: set[str] = set()
    products = ("Cholesky", "[matvec]")  # by a substitution, by BLAS with other sizes
    for case, (f, given) in FUNCTIONS:
        floats = [i for i, x in enumerate(case.inputs()) if np.asarray(x).dtype == np.float64]
        kind = case.line.type
        is_near = kind.lstrip("[").startswith(NEAR) or kind.startswith((*THROUGH_THOSE, *products))
        is_fixed = "Pool" in kind or "Dilation2D" in kind  # other arguments of these are float64
        if (
            kind in there
            or floats != list(case.varied)
            or (is_fixed and ("Grad" in kind or "Backprop" in kind))
        ):
            continue
        xs = [tf.cast(g, dtype) for g in given]
        try:
            by_tape(f, xs)
        except (tf.errors.InvalidArgumentError, TypeError, ValueError):
            continue  # nothing of this dtype
        with contextlib.suppress(NotWritableError):
            same_bits(f, *xs, units=4 if is_near else 0)
            there.add(kind)
    assert len(there) >= 300, len(there)


def test_what_has_no_dtype_of_numpy() -> None:
    with pytest.raises(NotWritableError, match="bfloat16, which NumPy does not have"):
        tf.source(tf.sin, tf.ones([2], tf.bfloat16))


def normal(*shape: int) -> Any:
    return tf.constant(np.random.default_rng(sum(shape)).normal(size=shape))


SEGMENTS = tf.constant([0, 0, 2, 2])
FAMILIES: list[tuple[Any, list[Any], list[str]]] = [
    (lambda x, w: tf.nn.conv2d(x, w, 2, "SAME", dilations=1), [normal(2, 5, 6, 3), normal(3, 3, 3, 4)],
     ["_convolved(x, w, padding=[(0, 0), (1, 1), (0, 1), (0, 0)], strides=(1, 2, 2, 1))"]),
    (lambda x, w: tf.nn.conv2d(x, w, 1, "VALID", dilations=2), [normal(2, 6, 6, 3), normal(2, 2, 3, 4)],
     ["rates=(1, 2, 2, 1)"]),
    (lambda x, w: tf.nn.conv2d(x, w, 1, "VALID"), [normal(2, 6, 6, 3), normal(1, 1, 3, 4)],
     ["x @ w.reshape(3, 4)"]),
    (lambda x, w: tf.nn.conv1d(x, w, 1, "SAME"), [normal(2, 6, 3), normal(3, 3, 4)], ["_convolved("]),
    (lambda x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"), [normal(2, 4, 3, 3, 2), normal(2, 2, 2, 2, 3)],
     ["_filter_gradient("]),
    (lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), [normal(2, 4, 4, 3), normal(2, 2, 3, 2)],
     ["groups=3"]),
    (lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 8, 8, 4], 2), [normal(2, 4, 4, 3), normal(3, 3, 4, 3)],
     ["_convolved_back(x, w, (2, 8, 8, 4)"]),
    (lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"), [normal(2, 5, 5, 2)], ["fill=-np.inf"]),
    (lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), [normal(2, 4, 4, 2)], ["/ 4.0"]),
    (lambda x, s, o: tf.compat.v1.nn.fused_batch_norm(x, s, o)[0], [normal(2, 3, 3, 2), normal(2), normal(2)],
     ["_batch_norm(x, s, o"]),
    (lambda x: tf.math.segment_sum(x, SEGMENTS), [normal(4, 2)], ["_segments(np.add, x, "]),
    (lambda x: tf.math.segment_mean(x, SEGMENTS), [normal(4, 2)], ["_segment_means(x, "]),
    (lambda x: tf.math.unsorted_segment_max(x, SEGMENTS, 4), [normal(4, 2)], ["_segments(np.maximum, x, "]),
    (lambda x: tf.gather(x, [[0, 1], [2, 0]], axis=1, batch_dims=1), [normal(2, 3)], ["_rows_of_each(x, "]),
    (lambda x: tf.math.top_k(x, 2)[0], [normal(2, 5)], ["_first(x, -x, 2, np.int32)"]),
    (lambda x: tf.math.cumsum(x, 1, exclusive=True), [normal(2, 5)], ["_later(np.cumsum(x, axis=1), 1, 0)"]),
    (lambda x: tf.math.cumprod(x, 0, reverse=True), [normal(4)], ["np.flip(np.cumprod(np.flip(x, 0), axis=0), 0)"]),
    (lambda x: tf.math.lgamma(tf.abs(x)) + tf.math.erf(x), [normal(4)], ["import scipy.special", "scipy.special.erf(x)"]),
    (lambda x: tf.linalg.svd(x)[0], [normal(3, 3)], ["_svd(x, False)"]),
    (lambda x: tf.linalg.eigh(x + tf.transpose(x))[0], [normal(3, 3)], ["np.linalg.eigh("]),
    (lambda x: tf.linalg.qr(x)[1], [normal(4, 3)], ["np.linalg.qr(x, 'reduced')"]),
    (lambda x, b: tf.linalg.triangular_solve(x, b), [normal(3, 3), normal(3, 2)], ["_substituted(x, b, True)"]),
    (lambda x: tf.linalg.logdet(x @ tf.transpose(x)), [normal(3, 3)], ["np.linalg.cholesky("]),
    (lambda x: tf.linalg.expm(x), [normal(3, 3)], ["import scipy.linalg", "scipy.linalg.expm(x)"]),
    (lambda x: tf.image.resize(x, [4, 6]), [normal(1, 3, 3, 2)], ["_between(3, 4, half_pixel_centers=True)"]),
    (lambda x: tf.image.resize(x, [4, 6], "nearest"), [normal(1, 3, 3, 2)], ["_nearest(3, 4"]),
    (lambda x: tf.image.resize(x, [4, 6], "bicubic"), [normal(1, 3, 3, 2)], ["_cubic_between(3, 4, half_pixel_centers=True)"]),
    (lambda x: tf.image.resize(x, [2, 2], "area"), [normal(1, 3, 3, 2)], ["_covered(3, 2)"]),
    (lambda x: tf.image.resize(x, [4, 6], "lanczos3"), [normal(1, 3, 3, 2)], ["_curved(3, 4, 1.3333333333333333, 'lanczos3')"]),
    (lambda x: tf.abs(tf.signal.rfft(x)), [normal(3, 8)], ["np.fft.rfft(x)", "np.fft.irfft("]),
    (lambda x: tf.abs(tf.signal.rfft3d(x)), [normal(3, 4, 8)], ["np.fft.rfftn(x, axes=(0, 1, 2))"]),
    (lambda x: tf.abs(tf.signal.fft2d(tf.cast(x, tf.complex128))), [normal(3, 4, 5)], ["np.fft.fft2("]),
    (lambda x: tf.linalg.diag_part(x, k=(-1, 1)), [normal(3, 4)], ["_diagonals(x, (-1, 1))"]),
    (lambda x: tf.linalg.diag(x, k=(0, 1), align="LEFT_LEFT"), [normal(2, 4)], ["_as_diagonals(x, (4, 4), (0, 1), (True, True))"]),
    (lambda x, w: tf.linalg.set_diag(x, w, k=(-1, 0)), [normal(3, 3), normal(2, 3)], ["_with_diagonals(x, w, (-1, 0))"]),
    (lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), [normal(2, 5, 5, 2)],
     ["_patches(x, (1, 2, 2, 1), padding="]),
    (lambda x, w: tf.nn.erosion2d(x, w, [1] * 4, "SAME", "NHWC", [1] * 4), [normal(1, 4, 4, 2), normal(2, 2, 2)],
     ["_dilated(", "_dilated_to_filter("]),
    (lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[0], [normal(2, 4, 4, 2)], ["_max_pool_with_places("]),
    (lambda x: tf.math.igamma(tf.abs(x), 2.0), [normal(4)], ["scipy.special.gammainc(", "_incomplete_gamma_in_a("]),
    (lambda x: tf.math.betainc(tf.abs(x), 2.0, 0.3), [normal(4)], ["_incomplete_beta_in('a', "]),
    (lambda x: tf.math.special.spence(tf.abs(x)), [normal(4)], ["scipy.special.spence(", "_spence_slope("]),
    (lambda x: tf.image.rgb_to_hsv(tf.sigmoid(x)), [normal(2, 2, 3)], ["_rgb_to_hsv("]),
    (lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]), [normal(1, 4, 4, 2)], [".transpose("]),
    (lambda x, w: tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1], [1, 0]], x, [2, 2]), w), [normal(2), normal(2, 3)],
     ["import scipy.sparse", "_sparse_product(x, "]),
    (lambda x: tf.dynamic_stitch([[0, 2], [1]], [x[:2], x[2:]]), [normal(3, 2)], ["_stitched("]),
    (lambda x: tf.nn.ctc_loss([[0, 1]], x, [2], [4], logits_time_major=True), [normal(4, 1, 3)], ["_alignment_loss("]),
    (lambda x: tf.quantization.fake_quant_with_min_max_args(tf.cast(x, tf.float32)), [normal(4)], ["_fake_quantized("]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_families_read_well(number: int) -> None:
    f, given, parts = FAMILIES[number]
    text = same_bits(lambda *xs: tf.reduce_sum(tf.sin(f(*xs))), *given, units=40)
    names = ["x", *(["w"] if len(given) == 2 else "so")][: len(given)]
    called = dict(zip([f"x{i}" for i in range(len(given))], names, strict=True))
    for old, new in called.items():
        text = text.replace(old, new)
    text = text.replace("_substituted(x, w", "_substituted(x, b")
    for part in parts:
        assert part in on_one_line(text), text


def on_one_line(text: str) -> str:
    """Without what breaking lines has added."""
    return re.sub(r",? ([)\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", re.sub(r"\s+", " ", text)))


def test_a_tape_gives_the_program_of_several_targets_and_of_a_dict() -> None:
    w, b = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True, source_lines=True) as tape:
        y = w * b
        z = tf.reduce_sum(w) * b
    program = tape.source([y, z], [w, b])
    value, gradients = program(w, b)
    assert value == np.sum(y) + z.numpy()
    for g, e in zip(gradients, tape.gradient([y, z], [w, b]), strict=True):
        np.testing.assert_array_equal(g, e)
    of_dict = tape.source({"loss": z}, {"w": w, "b": b})
    assert "def value_and_gradient(b, w):" in of_dict.text
    _, (db, dw) = of_dict(b, w)
    expected = tape.gradient(z, {"w": w, "b": b})
    np.testing.assert_array_equal(db, expected["b"])
    np.testing.assert_array_equal(dw, expected["w"])


# ---- what is read -------------------------------------------------------------------------------

X = tf.constant([0.3, 0.7])


def power(x: Any) -> Any:
    i = tf.constant(0)
    acc = tf.ones_like(x)
    i, acc = tf.while_loop(
        lambda i, acc: i < 4, lambda i, acc: (i + 1, acc * tf.sin(x) + 0.5), [i, acc]
    )
    return tf.reduce_sum(acc)


def branch(x: Any) -> Any:
    big = tf.reduce_sum(x) > 0.0
    return tf.cond(big, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(tf.sin(x)))


def layers(x: Any, w: Any) -> Any:
    h = tf.tanh(x @ w)
    p = tf.nn.softmax(h)
    return tf.reduce_mean(tf.square(p - 1.0) * x[:, :1])


def traced(f: Any) -> Any:
    return lambda *xs: tf.function(f)(*xs)


def test_a_loop_stays_a_loop() -> None:
    text = tf.source(power, X).text
    assert text.count("while i < 4:") == 1, text
    assert "for " in text
    assert "reversed(" in text
    for run in (tf.source(power, X), tf.source(traced(power), X)):
        value, dx = run(X)
        y, (expected,) = by_tape(tf.function(power), [X])
        np.testing.assert_array_equal(value, y)
        np.testing.assert_array_equal(dx, expected)


def test_a_branch_stays_a_branch() -> None:
    program = tf.source(branch, X)
    assert program.text.count("else:") == 2
    for x in (X, -X):
        value, dx = program(x)
        y, (expected,) = by_tape(tf.function(branch), [x])
        np.testing.assert_array_equal(value, y)
        np.testing.assert_array_equal(dx, expected)


def test_a_program_has_the_names_and_lines_of_the_user() -> None:
    rng = np.random.default_rng(0)
    x, w = (tf.constant(rng.normal(size=s).astype(np.float32)) for s in ((4, 3), (3, 2)))
    text = same_bits(layers, x, w)
    for line in (
        "def layers_and_gradient(x, w):",
        "    # h = tf.tanh(x @ w)",
        "    h = np.tanh(x @ w)",
        "    # back through: h = tf.tanh(x @ w)",
        "    dw = x.T @ dt1",
    ):
        assert line in text.split("\n"), text


def test_common_terms_are_computed_once_and_unused_ones_never() -> None:
    def f(x: Any) -> Any:
        _ = tf.exp(x)
        return tf.reduce_sum(tf.sin(x) * tf.sin(x))

    text = same_bits(f, X)
    assert text.count("np.sin(x)") == 1
    assert "np.exp" not in text


def test_captured_arrays_come_along(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(2, 100)))

    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x[None] @ w))

    x = tf.constant([0.3, 0.7], tf.float64)
    program = tf.source(loss, x)
    same_bits(loss, x)
    assert len(program.text) < 1000
    (tmp_path / "kept.py").write_text(program.whole())
    code = "import numpy as np, kept; print(repr(kept.loss_and_gradient(np.array([0.3, 0.7]))[1].tolist()))"
    out = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert eval(out.stdout) == program(x)[1].tolist()


def test_the_program_of_a_tape() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(w - 2.0)
        loss = tf.reduce_sum(h**2.0)
    program = tape.source(loss, w)
    assert "h = np.maximum(w - 2.0, 0" in program.text
    value, dw = program(w)
    np.testing.assert_array_equal(value, loss)
    np.testing.assert_array_equal(dw, tape.gradient(loss, w))


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="takes a function"):
        tf.source(3.0, X)  # type: ignore[call-overload]
    with pytest.raises(
        NotWritableError,
        match=r"no text of NumPy for DrawBoundingBoxesV2 \(.*test_source.py:\d+\). Write it with operations",
    ):
        tf.source(
            lambda x: tf.image.draw_bounding_boxes(x, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0, 0.0, 0.0]]),
            tf.ones([1, 3, 3, 3]),
        )
    with pytest.raises(
        NotWritableError, match=r"for UnsortedSegmentSum .*, whose sizes depend on numbers"
    ):
        tf.source(lambda x: tf.reduce_sum(tf.unique(x)[0]), tf.constant([1.0, 2.0, 2.0]))

    def elsewhere() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = X * X
        return tape, y

    tape, y = elsewhere()
    with pytest.raises(tf.errors.TapeError, match="source_lines=True"):
        tape.source(y, X)


# ---- lines of 80 columns -------------------------------------------------------------------------


WIDE = [
    (
        "    t1 = np.where(x0 == 0, np.zeros_like(x0 * long_name_of_this), x0 * np.log1p(long_name_of_this))",
        """\
    t1 = np.where(
        x0 == 0,
        np.zeros_like(x0 * long_name_of_this),
        x0 * np.log1p(long_name_of_this),
    )""",
    ),
    (
        "    dx = first_long_name * (second_long_name + third_long_name) - fourth_long_name / fifth_long_name",
        """\
    dx = (
        first_long_name * (second_long_name + third_long_name)
        - fourth_long_name / fifth_long_name
    )""",
    ),
    (
        "    dx = 0.5 * np.sum(np.reshape(a_quite_long_name, (2, 3, 4)), axis=(0, 2), keepdims=True, dtype=float)",
        """\
    dx = 0.5 * np.sum(
        np.reshape(a_quite_long_name, (2, 3, 4)),
        axis=(0, 2),
        keepdims=True,
        dtype=float,
    )""",
    ),
    (
        "    # loss = tf.reduce_mean(tf.square(tf.matmul(hidden, weights) + biases - targets)) + penalty",
        "    # loss = tf.reduce_mean(tf.square(tf.matmul(hidden, weights) + biases - ...",
    ),
    (
        "    return value_of_the_function, (gradient_by_the_first, gradient_by_the_second, gradient_by_the_third)",
        """\
    return (
        value_of_the_function,
        (gradient_by_the_first, gradient_by_the_second, gradient_by_the_third),
    )""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), WIDE)
def test_a_long_line_is_broken_as_one_would(line: str, expected: str) -> None:
    assert within_width(line) == expected


def test_broken_lines_mean_the_same() -> None:
    """Expressions of all kinds, nested at random."""
    rng = random.Random(0)
    forms = (
        "({a} + {b})", "({a} - {b})", "{a} * {b}", "({a}) ** {b}", "-{a}", "f({a}, {b}, axis=-1)", "({a}, {b})",
        "[{a}, {b}]", "g[{a}, 1:]", "({a} if {b} < 1e-05 else {a})", "np.einsum('ij, jk->ik', {a}, *{b})",
        "({a} @ {b}).reshape(2, -1)", "[{a} for x, y in zip(u, v) if x]", "(~{a} & {b})", "({a} or not {b})",
    )  # fmt: skip
    for _ in range(400):
        text = rng.choice(["x", "some_name", "1.5", "c[0]"])
        while len(text) < rng.choice([60, 200, 700]):
            text = rng.choice(forms).format(a=text, b=rng.choice(["y", "2.0", text]))
        line = rng.choice(["t = {}", "return {}", "d[i, j] += {}", "if {}:\n        pass", "{}"])
        text = " " * 4 + line.format(text)
        narrow = within_width(text)
        old, new = (
            ast.dump(ast.parse(textwrap.dedent(t)))
            for t in ("def f():\n" + text, "def f():\n" + narrow)
        )
        assert old == new, narrow
        assert is_narrow(narrow), narrow


# ---- what an outsider found ----------------------------------------------------------------------


def test_a_number_that_a_loop_counts_has_its_dtype() -> None:
    def counted(x: Any) -> Any:
        _, s = tf.while_loop(
            lambda i, s: i < 5, lambda i, s: (i + 1, tf.tanh(s * x + tf.cast(i, x.dtype))), (0, x)
        )
        return tf.reduce_sum(s)

    program = tf.source(counted, tf.constant([0.3, 0.2], tf.float64))
    value, _ = program([0.3, 0.2])
    np.testing.assert_array_equal(value, counted(tf.constant([0.3, 0.2], tf.float64)))


def test_a_single_number_of_higher_rank_stays_reshaped() -> None:
    text = same_bits(
        lambda x: tf.reduce_sum(tf.sin(x) ** 2.0) + tf.tensordot(x, x, 1),
        tf.constant([0.3, 0.2], tf.float64),
    )
    assert "np.reshape(" in text


@pytest.mark.parametrize("target", ["numpy", "c"])
def test_names_that_mean_something_else(target: Any) -> None:
    """The language's own, and letters that it does not have."""

    def f(np: Any, größe: Any, _x: Any) -> Any:
        return tf.reduce_sum(np * größe * _x)

    x = tf.constant([0.3, 0.2], tf.float64)
    program = tf.source(f, x, x, x, target=target)
    value, gradients = program(x, x, x)
    np.testing.assert_allclose(value, 0.3**3 + 0.2**3)
    np.testing.assert_allclose(gradients[1], [0.09, 0.04])
    assert tf.draw(f, x, x, x).svg()


def test_numbers_of_python_are_part_of_the_program() -> None:
    def power(x: Any, n: int, kind: str) -> Any:
        return tf.reduce_sum(x**n) if kind == "sum" else x

    program = tf.source(power, tf.constant([2.0, 3.0]), 3, "sum")
    value, gradient = program([2.0, 3.0])
    assert value == 35.0
    np.testing.assert_array_equal(gradient, [12.0, 27.0])


def test_what_is_no_function_of_arrays_is_said() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="p is a dict of several"):
        tf.source(lambda p: p["a"], {"a": x})
    with pytest.raises(TypeError, match="p is a list of several"):
        tf.source(lambda p: p[0] + p[1], [x, x])
    with pytest.raises(TypeError, match="returned 2 values"):
        tf.source(lambda x: (x, x * 2.0), x)
    with pytest.raises(TypeError, match="returned no values"):
        tf.source(lambda x: None, x)


# ---- what a stranger tried -----------------------------------------------------------------------


@tf.custom_gradient
def sine(x: Any) -> Any:
    return tf.sin(x), lambda dy: 3.0 * dy


@tf.custom_gradient
def both(x: Any, y: Any) -> Any:
    return (x * y, x + y), lambda da, db: (da * 2.0 + db, db * 5.0)


def with_rules(x: Any) -> Any:
    a, b = both(sine(x * 2.0), x)
    return tf.reduce_sum(a * tf.recompute_grad(tf.tanh)(b))


def test_custom_gradients_are_what_they_compute() -> None:
    text = same_bits(with_rules, X)
    assert "3.0 * " in text
    same_bits(traced(with_rules), X)
    with tf.GradientTape(source_lines=True, persistent=True) as tape:
        tape.watch(X)
        y = with_rules(X)
    value, dx = tape.source(y, X)(X)
    np.testing.assert_array_equal(value, y)
    np.testing.assert_array_equal(dx, tape.gradient(y, X))


def written_one_by_one(x: Any) -> Any:
    h, rows = tf.zeros([2]), tf.TensorArray(tf.float32, size=3, element_shape=[2])
    for i in range(3):
        h = tf.tanh(h + tf.gather(x, i))
        rows = rows.write(i, h)
    return tf.reduce_sum(rows.stack() ** 2.0)


LISTS = [
    lambda x: tf.reduce_sum(tf.map_fn(lambda row: tf.reduce_sum(tf.sin(row)), x)),
    lambda x: tf.reduce_sum(tf.scan(lambda a, row: tf.tanh(a * row), x)),
    lambda x: tf.reduce_sum(tf.map_fn(lambda row: tf.foldl(lambda a, v: a * v, row), x)),
    written_one_by_one,
]


@pytest.mark.parametrize("f", LISTS)
def test_lists_of_arrays(f: Any) -> None:
    same_bits(f, tf.constant([[0.3, 0.7], [0.1, -0.4], [0.9, 0.2]]))


def test_what_else_has_no_text_says_so() -> None:
    with pytest.raises(NotWritableError, match=r"whose index is a tensor: tf\.gather"):
        tf.source(lambda x, i: x[i], X, tf.constant(1))
    with pytest.raises(NotWritableError, match="RandomStream"):
        tf.source(lambda x: x * tf.random.normal([2]), X)
    with pytest.raises(TypeError, match="by arrays, and none is given"):
        tf.source(lambda: tf.constant(1.0))
