"""Products of matrices by machine code of our own: every form, every remainder, nothing read beside."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as tf
from wengert.engines.native.codegen import gemm_forms
from wengert.engines.native.codegen.gemm_forms import Form, is_compiled, left_size, packs_left
from wengert.engines.native.codegen.gemm_writer import product_text
from wengert.engines.native.codegen.kernel_writer import kernel
from wengert.engines.native.runtime.processor import most_vectors, sums_at_once, vector_bytes

R = sums_at_once() // 2
LIBC = ctypes.CDLL(None, use_errno=True)


@kernel
def _compiled(form: Form) -> str:
    made = product_text(form)
    head = "define void @kernel(ptr %b, i64 %part) nounwind {"
    return "\n".join([*sorted(made.declarations), head, made.text, "}"])


def multiplied(form: Form, a: Any, b: Any, c: Any, starts: Any = ((0, 0, 0),)) -> None:
    """Carry out products whose matrices begin where `starts` says."""
    places = tuple(np.array(starts).ravel().tolist())
    parts = len(starts) * form.splits
    left = [np.empty(parts * left_size(form), a.dtype)] if packs_left(form) else []
    _compiled(form)(parts, places, a, b, c, *left)


def form_of(a: Any, b: Any, **more: Any) -> Form:
    """The form of the product of two matrices, each without gaps or the transpose of such a one."""
    turned = [x.flags.f_contiguous and not x.flags.c_contiguous for x in (a, b)]
    lead = [x.shape[0] if t else x.shape[1] for x, t in zip((a, b), turned, strict=True)]
    kind = f"f{a.dtype.itemsize}"
    sizes = a.shape[0], b.shape[1], a.shape[1]
    fields = {"factor": 1.0, "onto": False, "splits": 1, "ldc": b.shape[1], **more}
    return Form(kind, *sizes, turned[0], lead[0], turned[1], lead[1], **fields)


def matrices(m: int, n: int, k: int, turns: tuple[bool, bool], dtype: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(m + 7 * n + 31 * k)
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    return tuple(
        (np.asfortranarray if t else np.ascontiguousarray)(x.astype(dtype))
        for x, t in zip((a, b), turns, strict=True)
    )


def memory(x: Any) -> Any:
    """The matrix as it lies in memory."""
    return x if x.flags.c_contiguous else x.T


def close(found: Any, a: Any, b: Any, factor: float = 1.0) -> None:
    exact = factor * (a.astype(np.float64) @ b.astype(np.float64))
    size = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64) * abs(factor)
    allowed = 2 * a.shape[1] * np.finfo(a.dtype).eps * size
    assert np.all(np.abs(found - exact) <= allowed + np.finfo(a.dtype).tiny)


TURNS = list(itertools.product((False, True), repeat=2))


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize(
    "sizes",
    [(2 * R, 16, 8), (2 * R + 1, 17, 9), (5 * R + 2, 7 * 8 + 5, 64), (128, 40, 3), (13, 9, 1),
     (40, 33, 1030), (3 * R, 128, 2050)],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_form(turns: tuple[bool, bool], sizes: tuple[int, int, int], dtype: Any) -> None:
    """However the matrices lie, with what is left over of rows, columns and pieces."""
    a, b = matrices(*sizes, turns, dtype)
    c = np.full((sizes[0], sizes[1]), np.nan, dtype)
    multiplied(form_of(a, b), memory(a), memory(b), c)
    close(c, a, b)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("depth", [20, 1500])
@pytest.mark.parametrize("factor", [1.0, -0.375])
def test_a_factor_and_what_it_is_added_to(
    turns: tuple[bool, bool], depth: int, factor: float
) -> None:
    a, b = matrices(29, 37, depth, turns, np.float64)
    before = np.random.default_rng(1).standard_normal((29, 37))
    for onto in (False, True):
        c = before.copy()
        multiplied(form_of(a, b, factor=factor, onto=onto), memory(a), memory(b), c)
        close(c - before * onto, a, b, factor)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("sizes", [(100, 64, 70), (24, 200, 70), (300, 20, 1100), (24, 200, 1100)])
def test_parts_change_no_bit(turns: tuple[bool, bool], sizes: tuple[int, int, int]) -> None:
    a, b = matrices(*sizes, turns, np.float32)
    found = []
    for splits in (1, 2, 3):
        c = np.full((sizes[0], sizes[1]), np.nan, np.float32)
        multiplied(form_of(a, b, splits=splits), memory(a), memory(b), c)
        found.append(c)
    close(found[0], a, b)
    assert all(np.array_equal(c, found[0]) for c in found)


@pytest.mark.parametrize("turns", TURNS)
def test_a_tall_matrix_is_multiplied_in_strips(turns: tuple[bool, bool]) -> None:
    """So many rows as the L2 cache holds go along all panels, also where there are several pieces."""
    for sizes, count in (((1100, 40, 300), 4), ((1100, 40, 700), 4), ((1500, 40, 160), 3)):
        a, b = matrices(*sizes, turns, np.float32)
        assert gemm_forms.strips(form_of(a, b)) == count
        c = np.full(sizes[:2], np.nan, np.float32)
        multiplied(form_of(a, b, splits=count), memory(a), memory(b), c)
        close(c, a, b)
    assert gemm_forms.strips(form_of(*matrices(40, 1100, 300, turns, np.float32))) == 1


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_and_a_vector(turns: tuple[bool, bool], dtype: Any) -> None:
    """Rows or columns along memory, on either side, with what is left over of both."""
    for size, depth in itertools.product((1, 2, 3, 5, 8, 17, 33, 70), (1, 2, 5, 8, 17, 40)):
        for m, n in ((size, 1), (1, size)):
            a, b = matrices(m, n, depth, turns, dtype)
            for factor, onto in ((1.0, False), (-0.5, False), (2.0, True)):
                form = form_of(a, b, factor=factor, onto=onto)
                assert gemm_forms.has_vector(form)
                before = np.full((m, n), 3, dtype)
                c = before.copy()
                multiplied(form, memory(a), memory(b), c)
                allowed = 300 * np.finfo(dtype).eps
                np.testing.assert_allclose(c, before * onto + factor * (a @ b), allowed, allowed)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_large_matrix_and_a_vector(turns: tuple[bool, bool], dtype: Any) -> None:
    """However it is cut, in which no bit differs; also with long rows, and few."""
    for size, depth in ((1, 70_001), (3, 9000), (130, 131), (129, 1030), (2500, 9), (5003, 17)):
        for m, n in ((size, 1), (1, size)):
            a, b = matrices(m, n, depth, turns, dtype)
            for factor, onto in ((1.0, False), (-0.5, False), (2.0, True)):
                found = []
                for splits in (1, 2, 3):
                    c = np.full((m, n), 3, dtype)
                    form = form_of(a, b, factor=factor, onto=onto, splits=splits)
                    assert gemm_forms.has_vector(form)
                    multiplied(form, memory(a), memory(b), c)
                    found.append(c)
                assert np.array_equal(found[0], found[1])
                assert np.array_equal(found[0], found[2])
                close((found[0] - dtype(3) * onto), a, b, factor)


def test_a_matrix_of_unknown_length_and_a_vector() -> None:
    """One plan for all: a regression and its gradient, whose sums go along either axis."""

    def loss(x: Any, w: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            value = tf.reduce_sum((tf.linalg.matvec(x, w) - y) ** 2)
        return value, tape.gradient(value, w)

    form = [tf.TensorSpec(s, tf.float64) for s in ([None, 300], [300], [None])]
    compiled = tf.function(loss, jit_compile=True, input_signature=form)
    rng = np.random.default_rng(0)
    for rows in (7, 2000, 1, 64, 0, 33, 1000):
        given = [tf.constant(rng.normal(size=s)) for s in ((rows, 300), 300, rows)]
        for one, other in zip(compiled(*given), loss(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("turned", [True, False])
def test_many_matrices_and_vectors(turned: bool) -> None:
    """In plans: values and gradients of a batch, of which each has its own vector."""

    def f(a: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a, x])
            y = tf.tanh(tf.linalg.matvec(a, x, transpose_a=turned))
        return y, *tape.gradient(y, [a, x])

    rng = np.random.default_rng(3)
    given = tf.constant(rng.normal(size=(5, 7, 7))), tf.constant(rng.normal(size=(5, 7)))
    for one, other in zip(tf.function(f, jit_compile=True)(*given), f(*given), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pieces_of_a_long_inner_axis_are_alike(turns: tuple[bool, bool], dtype: Any) -> None:
    """Each is long enough for whole squares of a matrix that is transposed."""
    width = vector_bytes() // np.dtype(dtype).itemsize
    few = matrices(40, 70, 1, turns, dtype)
    for k in range(1, 300_000, 7):
        form = form_of(*few)._replace(k=k)
        count = gemm_forms.pieces(form)
        assert count == 1 or k // count >= 4 * width
        assert gemm_forms.depth(form) == -(-k // count)
    for n, k in ((70, 14_479), (64, 15_495), (20, 61_711)):
        a, b = matrices(30, n, k, turns, dtype)
        c = np.full((30, n), np.nan, dtype)
        multiplied(form_of(a, b), memory(a), memory(b), c)
        close(c, a, b)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("sizes", [(784, 10, 128), (500, 12, 96), (90, 0, 500)])
def test_a_single_panel_reads_a_turned_matrix_where_it_is(
    turns: tuple[bool, bool], sizes: tuple[int, int, int]
) -> None:
    """The last one is as wide as a panel can be here."""
    m, n, k = sizes
    n = n or most_vectors() * vector_bytes() // 4
    a, b = matrices(m, n, k, turns, np.float32)
    form = form_of(a, b)
    assert is_compiled(form, 1)
    assert not packs_left(form)
    c = np.full((m, n), np.nan, np.float32)
    multiplied(form, memory(a), memory(b), c)
    close(c, a, b)


def test_many_matrices_between_other_numbers() -> None:
    """Heads of attention: matrices that lie side by side in one array, and so do the results."""
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((2, 50, 4 * 24)), rng.standard_normal((2, 24, 4 * 30))
    out = np.zeros((2, 50, 4 * 30))
    starts = [
        (i * 50 * 96 + h * 24, i * 24 * 120 + h * 30, i * 50 * 120 + h * 30)
        for i in range(2)
        for h in range(4)
    ]
    form = Form("f8", 50, 30, 24, False, 96, False, 120, 120, 1.0, False, 1)
    multiplied(form, x, y, out, starts)
    exact = np.einsum("ipha,iahq->iphq", x.reshape(2, 50, 4, 24), y.reshape(2, 24, 4, 30))
    np.testing.assert_allclose(out, exact.reshape(out.shape), rtol=1e-12, atol=1e-12)


def _at_the_edge(x: Any) -> Any:
    """A copy that ends where memory ends: reading or writing beyond it kills the process."""
    page = mmap.PAGESIZE
    size = -(-x.nbytes // page) * page
    whole = mmap.mmap(-1, size + page)
    base = ctypes.addressof(ctypes.c_char.from_buffer(whole))
    assert LIBC.mprotect(ctypes.c_void_p(base + size), ctypes.c_size_t(page), 0) == 0
    found = np.frombuffer(whole, x.dtype, x.size, size - x.nbytes).reshape(x.shape)
    found[...] = x
    return found


@pytest.mark.skipif(not hasattr(LIBC, "mprotect"), reason="memory cannot be closed here")
@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize(
    "sizes", [(2 * R + 1, 21, 13), (25, 18, 1100), (14, 8, 3), (21, 1, 13), (1, 21, 13)]
)
def test_nothing_beside_the_matrices_is_touched(
    turns: tuple[bool, bool], sizes: tuple[int, int, int]
) -> None:
    a, b = matrices(*sizes, turns, np.float32)
    given: Any = [_at_the_edge(memory(x)) for x in (a, b)]
    c = _at_the_edge(np.zeros((sizes[0], sizes[1]), np.float32))
    multiplied(form_of(a, b), *given, c)  # type: ignore[call-arg]
    close(c, a, b)


@pytest.mark.parametrize("turns", TURNS)
def test_one_number_that_is_none_stays_where_it_belongs(turns: tuple[bool, bool]) -> None:
    """NaN and infinity reach the row and the column of theirs, and no other."""
    a, b = matrices(2 * R + 3, 19, 11, turns, np.float32)
    a[5, 3], b[7, 18] = np.nan, np.inf
    c = np.zeros((a.shape[0], b.shape[1]), np.float32)
    multiplied(form_of(a, b), memory(a), memory(b), c)
    assert np.isnan(c[5]).all()
    assert not np.isfinite(c[:, 18]).any()
    assert np.isfinite(np.delete(np.delete(c, 5, 0), 18, 1)).all()


# ---- in plans -----------------------------------------------------------------------------------


def by_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wengert.engines.native.program.steps.is_compiled", lambda form, count: False
    )


@pytest.mark.parametrize("shapes", [((6, 40, 30), (6, 30, 40)), ((64, 48), (48, 80))])
def test_plans_use_it_and_agree_with_blas(shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Value, gradient and the gradient's gradient."""
    rng = np.random.default_rng(8)
    x, w = (tf.constant(rng.standard_normal(s)) for s in shapes)

    def f(x: Any, w: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch([x, w])
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = tf.reduce_sum(tf.sin(x @ w))
            dx, dw = tape.gradient(y, [x, w])
            z = tf.reduce_sum(dx * dx) + tf.reduce_sum(tf.tanh(dw))
        return y, dx, dw, *outer.gradient(z, [x, w])

    ours = tf.function(f, jit_compile=True)(x, w)
    by_blas(monkeypatch)
    theirs = tf.function(f, jit_compile=True)(x, w)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


def test_what_is_huge_or_flat_is_left_to_blas() -> None:
    def ours(m: int, n: int, k: int, turned: bool = False, count: int = 1) -> bool:
        lead = (k, k if turned else n)
        form = Form("f4", m, n, k, False, lead[0], turned, lead[1], n, 1.0, False, 1)
        return is_compiled(form, count)

    assert ours(128, 128, 64, count=64)
    assert ours(64, 512, 512)
    assert ours(1024, 2048, 1024)
    assert ours(64, 256, 4096, turned=True)
    assert not ours(4096, 4096, 4096)
    assert ours(1, 512, 512)
    assert not ours(2, 512, 512)
    assert ours(512, 1, 512)
    assert ours(sums_at_once(), 8, 4)
    assert not ours(sums_at_once() + 1, 8, 4)


@pytest.mark.parametrize("columns", [16, 33, 48, 64, 80, 129, 144, 200])
def test_panels_leave_few_columns_over(columns: int) -> None:
    """A panel of many vectors has blocks of few rows, so one vector that is left over is slow."""
    a, b = matrices(50, columns, 40, (False, False), np.float32)
    form = form_of(a, b)
    vectors = gemm_forms.vectors_of(form)
    width = vector_bytes() // 4
    needed = -(-columns // width)
    assert vectors in (2, most_vectors())
    assert needed > 2 * vectors or -needed % vectors <= 1
    assert gemm_forms.rows_of(form) * vectors + vectors + 1 <= 32
    c = np.zeros((50, columns), np.float32)
    multiplied(form, a, b, c)
    close(c, a, b)


def test_a_sum_of_products_is_computed_where_it_is_handed_out() -> None:
    """x U + y V + z W, too long to be put together: nothing is copied from one sum to the next."""
    rng = np.random.default_rng(3)
    x, y, z = (tf.constant(rng.standard_normal((40, 1100))) for _ in range(3))
    u, v, w = (tf.constant(rng.standard_normal((1100, 32))) for _ in range(3))

    def f(x: Any, y: Any, z: Any) -> Any:
        return x @ u + y @ v + z @ w

    compiled = tf.function(f, jit_compile=True)
    np.testing.assert_allclose(compiled(x, y, z), f(x, y, z), rtol=1e-11, atol=1e-11)
    plan = compiled.plan(x, y, z)
    assert [s["kind"] for s in plan.steps] == ["product"] * 3
    assert plan.memory == 0


# ---- loops that products carry out ----------------------------------------------------------------


def kinds(f: Any, *args: Any) -> list[str]:
    return [s["kind"] for s in tf.function(f, jit_compile=True).plan(*args).steps]


def same(f: Any, *args: Any) -> None:
    """Compiled, a function gives what it gives operation by operation."""
    expected = tf.nest.flatten(f(*args))
    for one, other in zip(
        tf.nest.flatten(tf.function(f, jit_compile=True)(*args)), expected, strict=True
    ):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def drawn(*shapes: tuple[int, ...], dtype: str = "float64") -> list[Any]:
    rng = np.random.default_rng(len(shapes))
    return [tf.constant(rng.standard_normal(s).astype(dtype)) for s in shapes]


# Little is done in registers, once for each row of a block; much is written once, as a loop.
LIGHT = {
    "bias": lambda p, b, c, y: tf.nn.relu(p + b),
    "column": lambda p, b, c, y: p * c,
    "operand": lambda p, b, c, y: (y - p) * p,
    "truth": lambda p, b, c, y: p > y,
    "cast": lambda p, b, c, y: tf.cast(p, tf.float32),
    "two": lambda p, b, c, y: (p + b, p * y),
}
HEAVY = {
    "gelu": lambda p, b, c, y: tf.nn.gelu(p + b) * c,
    "sines": lambda p, b, c, y: tf.sin(p) * tf.exp(-p * p) + tf.tanh(y) / (1.0 + tf.square(p)),
}
SUMS = {
    "bias": lambda p, b, c, y: tf.reduce_sum(tf.nn.relu(p + b), -2),
    "both": lambda p, b, c, y: (p * y, tf.reduce_sum(p * y, -2), tf.reduce_max(p, -2)),
    "heavy": lambda p, b, c, y: tf.reduce_sum(
        tf.sin(p) * tf.exp(-p * p) + tf.tanh(y) / (1.0 + p * p), -2
    ),
}


@pytest.mark.parametrize("name", [*LIGHT, *HEAVY])
@pytest.mark.parametrize(
    "sizes", [(2 * R + 1, 133, 21), (201, 16, 11), (40, 130, 9), (30, 24, 1100)]
)
def test_what_is_done_with_every_element_is_done_by_the_product(
    name: str, sizes: tuple[int, int, int]
) -> None:
    """In registers, or as a loop along a block; for a long inner axis after its last piece."""
    m, n, k = sizes
    what = {**LIGHT, **HEAVY}[name]

    def f(x: Any, w: Any, b: Any, c: Any, y: Any) -> Any:
        return what(x @ w, b, c, y)

    args = drawn((m, k), (k, n), (n,), (m, 1), (m, n))
    same(f, *args)
    assert kinds(f, *args) == ["product"]


@pytest.mark.parametrize("name", [*LIGHT, *HEAVY])
def test_it_may_be_written_itself(name: str) -> None:
    """A product that is a result, or that another loop reads, is in memory, too."""
    what = {**LIGHT, **HEAVY}[name]

    def f(x: Any, w: Any, b: Any, c: Any, y: Any) -> Any:
        p = x @ w
        return p, what(p, b, c, y), tf.reduce_sum(tf.square(p), 1)

    args = drawn((45, 20), (20, 37), (37,), (45, 1), (45, 37))
    same(f, *args)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("sizes", [(2 * R + 1, 133, 21), (40, 130, 9), (300, 24, 1100)])
def test_sums_of_columns(name: str, sizes: tuple[int, int, int], monkeypatch: Any) -> None:
    """The gradient of a bias: blocks have sums of their own, whoever computes them."""
    monkeypatch.setattr("wengert.host.threads.available", lambda: 3)
    m, n, k = sizes

    def f(x: Any, w: Any, b: Any, c: Any, y: Any) -> Any:
        return SUMS[name](x @ w, b, c, y)

    args = drawn((m, k), (k, n), (n,), (m, 1), (m, n))
    same(f, *args)
    steps = tf.function(f, jit_compile=True).plan(*args).steps
    assert [s["kind"] for s in steps] == ["product"] + ["loop"] * (1 + (name == "both"))
    blocks = gemm_forms.blocks_of(form_of(*map(np.asarray, args[:2])))
    assert all(s["size"] == [blocks, n] for s in steps[1:])  # of the blocks' sums
    try:
        found = []
        for threads in (1, 2, 3):
            tf.config.set_threads(threads)
            found.append(tf.nest.flatten(tf.function(f, jit_compile=True)(*args)))
    finally:
        tf.config.set_threads(None)
    for one in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(one, found[0], strict=True))


def test_batches_and_what_is_read_beside_them() -> None:
    """Of many products, with operands that repeat along a leading axis, gathered or joined."""
    x, w, y, table = drawn((3, 30, 20), (3, 20, 26), (30, 26), (50, 26))
    index = tf.constant(np.arange(90).reshape(3, 30) % 50)
    assert kinds(lambda x, w, y: tf.nn.relu(x @ w - y), x, w, y) == ["product"]
    same(lambda x, w, y: tf.nn.relu(x @ w - y), x, w, y)
    same(lambda x, w, t: x @ w + tf.gather(t, index), x, w, table)
    same(lambda x, w: tf.concat([tf.nn.relu(x @ w), 2.0 * (x @ w)], 1), x, w)
    same(lambda x, w: tf.transpose(tf.nn.relu(x @ w), [0, 2, 1]), x, w)
    same(lambda x, w: tf.reshape(x @ w, [90, 26])[:, ::-1] + 1.0, x, w)


def test_a_loop_that_waits_for_another_one_stays_a_loop() -> None:
    """A product divided by its sum: the sum must be there first."""
    x, w = drawn((40, 20), (20, 30))
    same(lambda x, w: (x @ w) / tf.reduce_sum(x @ w), x, w)
    same(lambda x, w: tf.nn.softmax(x @ w) * tf.nn.relu(x @ w), x, w)
    same(lambda x, w: tf.nn.relu(x @ w) @ tf.transpose(tf.sigmoid(x @ w)), x, w)
    same(lambda x, w: tf.nn.relu(x @ w) * tf.exp(2.0 * x @ w), x, w)


def test_training_changes_what_it_should() -> None:
    """Weights that are written over while they are read by the products of the same step."""
    rng = np.random.default_rng(4)
    start = [rng.standard_normal(s) * 0.1 for s in [(20, 24), (24,), (24, 16), (16,)]]
    x, y = drawn((64, 20), (64, 16))

    def trained(compiled: bool) -> list[Any]:
        ps = [tf.Variable(p) for p in start]

        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                h = tf.nn.relu(x @ ps[0] + ps[1])
                loss = tf.reduce_mean(tf.square(tf.tanh(h @ ps[2] + ps[3]) - y))
            for p, g in zip(ps, tape.gradient(loss, ps), strict=True):
                p.assign_sub(0.5 * g)
            ps[0].assign(tf.nn.relu(tf.transpose(x) @ h[:, :24]) * 1e-3 + ps[0])
            return loss

        run = tf.function(step, jit_compile=True) if compiled else step
        for _ in range(5):
            run(x, y)
        return [p.numpy() for p in ps]

    for one, other in zip(trained(True), trained(False), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_a_plan_says_what_a_product_does() -> None:
    """The lines of the loop stand with the product, and its bytes count."""
    x, w, b = drawn((64, 32), (32, 48), (48,))
    alone = tf.function(lambda x, w: x @ w, jit_compile=True).plan(x, w).steps[0]
    both = tf.function(lambda x, w, b: tf.nn.relu(x @ w + b), jit_compile=True).plan(x, w, b)
    assert [m.split()[0] for m in both.steps[0]["made of"]] == ["MatMul", "AddV2", "Relu"]
    assert both.steps[0]["flops"] > alone["flops"]
    assert both.steps[0]["bytes"] == alone["bytes"] + b.numpy().nbytes
    assert both.memory == 0  # the product itself is written nowhere


# ---- operands that are computed while they are copied ----------------------------------------------

CHEAP = {
    "relu": tf.nn.relu,
    "square": tf.square,
    "scaled": lambda x: 2.0 * x - 1.0,
    "steps": lambda x: tf.abs(tf.nn.relu(x) - 0.5) * tf.cast(x > 0.1, x.dtype),
}


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.parametrize(
    "sizes", [(2 * R + 1, 133, 21), (30, 24, 1100), (200, 20, 9), (300, 300, 300)]
)
def test_a_right_matrix_is_computed_while_it_is_copied(
    name: str, sizes: tuple[int, int, int]
) -> None:
    m, n, k = sizes
    what: Any = CHEAP[name]
    x, w, t = drawn((m, k), (k, n), (n, k))
    assert kinds(lambda x, w: x @ what(w), x, w) == ["product"]
    same(lambda x, w: x @ what(w), x, w)
    same(lambda x, t: tf.matmul(x, what(t), transpose_b=True), x, t)
    same(lambda x, w: tf.nn.relu(x @ what(w)), x, w)


@pytest.mark.parametrize("name", CHEAP)
def test_a_left_matrix_is_computed_if_it_is_copied(name: str) -> None:
    """Which is so where it lies column by column, far apart."""
    what: Any = CHEAP[name]
    x, g = drawn((400, 130), (400, 24))
    assert kinds(lambda x, g: tf.matmul(what(x), g, transpose_a=True), x, g) == ["product"]
    same(lambda x, g: tf.matmul(what(x), tf.abs(g), transpose_a=True), x, g)
    same(lambda x, g: tf.matmul(what(x), what(x), transpose_a=True), x, g)
    assert kinds(lambda x, g: what(g) @ tf.transpose(g[:64]), x, g) == ["loop", "product"]


def test_matrices_on_both_sides_of_a_product() -> None:
    """The same numbers are computed for one side and must be in memory for the other."""
    (x,) = drawn((64, 64))
    for what in CHEAP.values():
        same(lambda x, what=what: what(x) @ what(x), x)
        same(lambda x, what=what: (what(x) @ what(x)) + what(x), x)
        same(lambda x, what=what: tf.matmul(what(x), what(x), transpose_b=True), x)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "bool", "float32"])
def test_numbers_of_another_type(dtype: str) -> None:
    """Pixels become numbers while they are multiplied."""
    pixels = tf.constant((np.arange(60 * 50).reshape(60, 50) * 7 % 251).astype(dtype))
    (x,) = drawn((40, 60))

    def f(x: Any, pixels: Any) -> Any:
        return x @ (tf.cast(pixels, tf.float64) * (1 / 255))

    assert kinds(f, x, pixels) == ["product"]
    same(f, x, pixels)
    steps = tf.function(f, jit_compile=True).plan(x, pixels).steps
    assert [m.split()[0] for m in steps[0]["made of"]] == ["Cast", "Mul", "MatMul"]


# ---- memory ---------------------------------------------------------------------------------------


def test_a_loop_writes_over_what_nobody_needs_any_more() -> None:
    """Scores become weights in the same memory; what is read at other places stays where it is."""
    x, w, v = drawn((64, 20), (20, 80), (80, 16))
    size = 64 * 80 * 8

    def memory_of(f: Any) -> int:
        same(f, x, w, v)
        return tf.function(f, jit_compile=True).plan(x, w, v).memory

    assert memory_of(lambda x, w, v: tf.nn.softmax(x @ w) @ v) == size
    assert memory_of(lambda x, w, v: (tf.nn.softmax(x @ w) + x @ w) @ v) == size
    assert (
        memory_of(lambda x, w, v: (tf.nn.softmax(x @ w) + tf.reverse(x @ w, [1])) @ v) == 2 * size
    )
    assert memory_of(lambda x, w, v: (tf.nn.softmax(x @ w) @ v, (x @ w)[:2] @ v)[0]) == size
    assert memory_of(lambda x, w, v: tf.nn.softmax(x @ w) @ v + (x @ w) @ v) >= 2 * size


@pytest.mark.parametrize("k", [1, 8, 100, 70_000])
def test_rows_by_columns_are_sums(k: int) -> None:
    """What they are made of is computed in the sum, for each example of a batch and by strides, too."""
    x, y, a, b, wide = drawn((k,), (k,), (3, 1, k), (3, k, 1), (k, 3))
    assert "product" not in kinds(lambda x, y: tf.tensordot(tf.sin(x), tf.exp(y), 1), x, y)
    same(lambda x, y: tf.tensordot(tf.sin(x), tf.exp(y), 1), x, y)
    same(lambda a, b: a @ tf.abs(b), a, b)
    same(lambda a, w: a @ w[:, 1:2], a, wide)
    same(lambda x: tf.tensordot(x, x, 1), x)


def test_rows_of_a_product_that_are_picked_by_an_index() -> None:
    """In a batch of one the index picks the whole product, which must have been stored."""

    def slope(x: Any, w: Any, at: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(tf.matmul(tf.tensor_scatter_nd_add(x, at, x * 0.3), w))
            total = tf.reduce_sum(tf.square(y))
        return tape.gradient(total, x)

    rng = np.random.default_rng(0)
    given = tf.constant(rng.normal(size=(1, 3, 3))), tf.constant(rng.normal(size=(3, 2)))
    native, reference = (
        tf.function(slope, jit_compile=compiled)(*given, tf.constant([[0]]))
        for compiled in (True, False)
    )
    np.testing.assert_allclose(native, reference, rtol=1e-12)


@pytest.mark.parametrize("turned", [True, False])
def test_a_long_inner_axis_is_ours_where_the_result_is_compiled(turned: bool) -> None:
    """As of the gradient of a weight: what is done with it is part of the product."""
    a = drawn_matrix((6000, 40) if turned else (40, 6000), 1)
    b = drawn_matrix((6000, 100), 2)
    f = tf.function(lambda x, y: tf.tanh(tf.matmul(x, y, transpose_a=turned)), jit_compile=True)
    wanted = np.tanh((a.T if turned else a).astype("f8") @ b)
    np.testing.assert_allclose(f(a, b), wanted, rtol=1e-4, atol=1e-4)
    assert [step["kind"] for step in f.plan(a, b).steps] == ["product"]


def drawn_matrix(shape: tuple[int, int], seed: int) -> Any:
    scale = np.float32(max(shape) ** -0.5)
    return np.random.default_rng(seed).normal(size=shape).astype("f4") * scale


def test_a_part_of_what_is_computed_has_no_more_room_than_it_takes() -> None:
    """The first rows of a product had: the others were written beside the result."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("sliced_programs.py"))],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, (done.stdout[-80:], done.stderr[-2000:])
