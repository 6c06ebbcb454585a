"""The lines a program may consist of: one function draws one line.

A line takes numbers from the whole real axis. Where a function is not defined there, or jumps, the
line brings its argument to where it is smooth.
"""

from __future__ import annotations

from .programs import Drawing, Line

LINES: list[Line] = []


def line(function: Line) -> Line:
    LINES.append(function)
    return function


# ---- one element, one element -------------------------------------------------------------------

SMOOTH = [
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "exp",
    "square",
    "negative",
    "identity",
    "math.softplus",
    "math.erf",
    "math.erfc",
    "math.expm1",
    "math.atan",
    "math.asinh",
    "math.sinh",
    "math.cosh",
    "nn.elu",
    "nn.selu",
    "nn.gelu",
    "nn.silu",
    "nn.softsign",
    "nn.relu6",
    "nn.leaky_relu",
    "nn.relu",
    "abs",
    "math.bessel_i0e",
    "math.bessel_i1e",
    "math.special.dawsn",
]
POSITIVE = [
    "sqrt",
    "math.log",
    "math.rsqrt",
    "math.lgamma",
    "math.digamma",
    "math.reciprocal",
    "math.log1p",
    "math.bessel_i1e",
    "math.special.bessel_k0e",
    "math.special.spence",
]
WITHIN_ONE = ["math.asin", "math.acos", "math.atanh", "math.erfinv"]
PAIRS = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "math.squared_difference",
    "math.atan2",
]


@line
def smooth(d: Drawing) -> str:
    return f"tf.{d.pick(SMOOTH)}({d.real()})"


@line
def positive(d: Drawing) -> str:
    return f"tf.{d.pick(POSITIVE)}(tf.abs({d.real()}) + 0.5)"


@line
def within_one(d: Drawing) -> str:
    return f"tf.{d.pick(WITHIN_ONE)}(tf.tanh({d.real()}) * 0.75)"


@line
def pair(d: Drawing) -> str:
    a = d.real()
    return f"tf.{d.pick(PAIRS)}({a}, {d.like(a)})"


@line
def operator(d: Drawing) -> str:
    a = d.real()
    return f"{a} {d.pick('+-*')} {d.like(a)}"


@line
def quotient(d: Drawing) -> str:
    a = d.real()
    b = d.like(a)
    safe = f"(tf.abs({b}) + 0.5)"
    return d.pick([
        f"{a} / {safe}", f"tf.math.divide_no_nan({a}, {safe})", f"{safe} ** {a}",
        f"tf.math.xlogy({a}, {safe})", f"tf.math.xdivy({a}, {safe})", f"tf.math.xlog1py({a}, {safe})",
        f"tf.math.igamma({safe}, tf.abs({a}) + 0.3)", f"tf.math.zeta({safe} + 1.0, tf.abs({a}) + 0.4)",
    ])  # fmt: skip


@line
def scalar(d: Drawing) -> str:
    a = d.real()
    return d.pick([
        f"{a} * {d.number(-9, 9)}.5", f"{d.number(1, 3)}.0 - {a}", f"1.0 / ({a} * {a} + 1.0)",
        f"{a} ** {d.number(1, 3)}", f"tf.pow({a}, 2.0)", f"tf.clip_by_value({a}, -1.05, 0.95)",
        f"tf.nn.leaky_relu({a}, 0.25)", f"tf.stop_gradient({a}) * {a}",
    ])  # fmt: skip


@line
def chosen(d: Drawing) -> str:
    a = d.real()
    b = d.like(a)
    return d.pick([
        f"tf.where({a} > {b}, {a}, tf.sin({b}))", f"tf.where(tf.cast({a}, tf.bool), {b}, {a})",
        f"tf.cast({a} < {b}, DTYPE) + {a}", f"tf.where({a} > 0.2, {a}, 0.5)",
    ])  # fmt: skip


@line
def cast(d: Drawing) -> str:
    a = d.real()
    return d.pick([
        f"tf.cast(tf.cast({a}, tf.float64) * 3.0, DTYPE)", f"tf.cast(tf.round({a}), tf.int32)",
        f"tf.cast(tf.cast({a}, tf.float32), DTYPE)", f"tf.cast({a} * 2.0, tf.int64)",
        f"{a} * tf.cast(tf.math.floor({a}), DTYPE)", f"{a} % 1.5",
    ])  # fmt: skip


@line
def complex_numbers(d: Drawing) -> str:
    a = d.real()
    z = f"tf.complex({a}, {d.like(a)})"
    return d.pick([
        f"tf.math.real({z} * {z})", f"tf.math.imag(tf.exp({z} * 0.3))", f"tf.abs({z} + 0.5)",
        f"tf.math.real(tf.math.conj({z}) * tf.sin({z} * 0.2))", f"tf.math.angle({z} + 0.3)",
    ])  # fmt: skip


# ---- axes ---------------------------------------------------------------------------------------

REDUCTIONS = [
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_logsumexp",
    "math.reduce_std",
    "math.reduce_variance",
    "math.reduce_euclidean_norm",
]


@line
def reduction(d: Drawing) -> str:
    a = d.real(1)
    rest = f", keepdims={d.pick([True, False])}"
    return f"tf.{d.pick(REDUCTIONS)}({a} + 0.1, {d.pick([d.axis(a), [d.axis(a)], None])}{rest})"


@line
def along_axis(d: Drawing) -> str:
    a = d.real(1)
    k = d.axis(a)
    options = f"exclusive={d.pick([True, False])}, reverse={d.pick([True, False])}"
    return d.pick([
        f"tf.nn.softmax({a}, {k})", f"tf.nn.log_softmax({a}, {k})", f"tf.reverse({a}, [{k}])",
        f"tf.cumsum({a}, {k}, {options})", f"tf.math.cumprod({a}, {k}, {options})",
        f"tf.math.cumulative_logsumexp({a}, {k})", f"tf.math.l2_normalize({a} + 0.3, {k})",
        f"tf.roll({a}, {d.number(-2, 2)}, {k})", f"tf.sort({a}, {k % d.rank(a)} - {d.rank(a)})",
        f"tf.repeat({a}, {d.number(1, 3)}, {k})", f"tf.expand_dims({a}, {k})",
        f"tf.concat([{a}, tf.sin({a})], {k})", f"tf.stack([{a}, {a} * 2.0], {k})",
        f"tf.add_n(tf.unstack({a}, {d.size(a, k)}, {k}))", f"tf.norm({a} + 0.3, axis={k})",
        f"tf.argmax({a}, {k})", f"tf.gather({a}, [0], axis={k})",
        f"tf.nn.moments({a}, [{k}])[{d.number(0, 1)}]",
    ])  # fmt: skip


@line
def top(d: Drawing) -> str:
    a = d.real(1)
    return d.pick([
        f"tf.math.top_k({a}, {d.number(1, d.size(a, -1) or 1)}).values",
        f"tf.gather({a}, tf.argsort({a}, -1), batch_dims={d.rank(a) - 1})",
        f"tf.one_hot(tf.argmax({a}, -1), {d.number(1, 4)}, dtype=DTYPE)",
        f"tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(tf.sin({a})), {a})",
        f"tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(tf.cos({a}), -1), {a})",
        f"tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid({a}), tf.sin({a}))",
    ])  # fmt: skip


@line
def slices(d: Drawing) -> str:
    a = d.real(1)
    keys = [
        d.pick([":", "0", "-1", "::-1", "::2", ":-1", "1:", "-2:", "..., :1", "tf.newaxis", ":2"])
        for _ in range(d.number(1, d.rank(a)))
    ]
    text = ", ".join(keys)
    return f"{a}[{text if text.count('...') < 2 else '...'}]"


@line
def symbolic_slices(d: Drawing) -> str:
    a = d.real(1)
    n = f"tf.shape({a})[0]"
    return d.pick([
        f"{a}[: {n} // 2 + 1]", f"{a}[{n} - 1]", f"{a}[: tf.minimum({n}, 2)]", f"{a}[{n} // 2 :]",
        f"tf.slice({a}, [0] * {d.rank(a)}, [-1] * {d.rank(a)})",
        f"tf.gather({a}, tf.range({n})[::-1])", f"{a} * tf.cast({n}, DTYPE)",
        f"tf.reshape({a}, [-1])", f"tf.reshape({a}, tf.shape({a})[::-1])",
        f"tf.reshape({a}, [{n}, -1])", f"tf.boolean_mask({a}, {a} > -0.2)", f"{a}[{a} < 0.4]",
        f"tf.broadcast_to({a}, tf.concat([[2], tf.shape({a})], 0))", f"tf.fill([2, {n}], {a}[(0,) * {d.rank(a)}])",
    ])  # fmt: skip


@line
def shaped(d: Drawing) -> str:
    a = d.real()
    total = 1
    for n in d.shape(a):
        total *= n
    divisors = [n for n in (1, 2, 3, 4, 5, 6) if total % n == 0]
    order = d.rng.sample(range(d.rank(a)), d.rank(a))
    pads = [[d.number(0, 2), d.number(0, 1)] for _ in order]
    return d.pick([
        f"tf.transpose({a}, {order})", f"tf.transpose({a})", f"tf.pad({a}, {pads})",
        f"tf.reshape({a}, [{d.pick(divisors)}, -1])", f"tf.squeeze({a})", f"tf.zeros_like({a}) + {a}",
        f"tf.tile({a}, {[d.number(1, 2) for _ in order]})", f"tf.reshape({a}, [-1])",
        f"tf.pad({a}, {[[d.number(0, 1)] * 2 for _ in order]}, {d.pick(['REFLECT', 'SYMMETRIC'])!r})",
        f"tf.ensure_shape({a}, {d.shape(a)})", f"tf.ones(tf.shape({a}), DTYPE) * tf.reduce_sum({a})",
    ])  # fmt: skip


@line
def with_a_constant(d: Drawing) -> str:
    a = d.real(1)
    return f"{a} {d.pick('+-*')} {d.weights(d.shape(a)[d.number(0, d.rank(a) - 1) :])}"


# ---- places -------------------------------------------------------------------------------------


@line
def gathered(d: Drawing) -> str:
    a = d.real(1)
    n, k = d.size(a, 0), d.axis(a)
    places = d.indices(n, d.number(1, 4))
    return d.pick([
        f"tf.gather({a}, {places})", f"tf.gather({a}, {d.indices(d.size(a, k), 3)}, axis={k})",
        f"tf.nn.embedding_lookup({a}, {places})", f"tf.gather_nd({a}, {[[i] for i in places]})",
        f"tf.gather({a}, [{places}, {places}])", f"tf.gather(tf.gather({a}, {places}), [0, 0])",
    ])  # fmt: skip


@line
def scattered(d: Drawing) -> str:
    a = d.real(1)
    n = d.size(a, 0)
    places = d.indices(3, n)
    return d.pick([
        f"tf.math.unsorted_segment_{d.pick(['sum', 'mean', 'max', 'prod'])}({a}, {places}, 4)",
        f"tf.math.segment_{d.pick(['sum', 'mean', 'max', 'min', 'prod'])}({a}, {sorted(places)})",
        f"tf.tensor_scatter_nd_{d.pick(['add', 'sub', 'update'])}({a}, [[{d.indices(n, 1)[0]}]], {a}[:1] * 2.0)",
        f"tf.scatter_nd({[[i] for i in places]}, {a}, tf.concat([[4], tf.shape({a})[1:]], 0))",
        f"tf.tensor_scatter_nd_max({a}, [[0]], {a}[-1:] * 2.0)",
        f"tf.add_n(tf.dynamic_partition({a}, {[i % 2 for i in range(n)]}, 2)[:1])",
        f"tf.dynamic_stitch([{list(range(n))}], [{a}])",
    ])  # fmt: skip


@line
def sparse(d: Drawing) -> str:
    a = d.real(2, 2)
    return d.pick([
        f"tf.sparse.to_dense(tf.sparse.from_dense({a}))",
        f"tf.sparse.sparse_dense_matmul(tf.sparse.from_dense({a}), tf.transpose({a}))",
        f"tf.sparse.reduce_sum(tf.sparse.from_dense({a}), 1)",
        f"tf.RaggedTensor.from_tensor({a}).to_tensor()",
        f"tf.reduce_sum(tf.RaggedTensor.from_tensor({a}), 1)",
    ])  # fmt: skip


# ---- matrices -----------------------------------------------------------------------------------


@line
def product(d: Drawing) -> str:
    a = d.real(2)
    n, m = d.shape(a)[-2:]
    return d.pick([
        f"tf.matmul({a}, {a}, transpose_{d.pick('ab')}=True) * 0.2",
        f"{a} @ {d.weights([m, d.number(1, 4)])}", f"{d.weights([2, n])} @ {a}",
        f"tf.linalg.matvec({a}, {d.weights([m])})", f"tf.einsum('...ij,...kj->...ik', {a}, {a}) * 0.2",
        f"tf.tensordot({a}, {d.weights([m, 2])}, 1)", f"tf.einsum('...ij->...ji', {a})",
        f"tf.nn.bias_add({a}, {d.weights([m])})",
    ])  # fmt: skip


@line
def matrix(d: Drawing) -> str:
    a = d.real(2)
    return d.pick([
        f"tf.linalg.band_part({a}, {d.number(-1, 1)}, 1)", f"tf.linalg.diag_part({a})",
        f"tf.linalg.trace({a})", f"tf.linalg.adjoint({a})", f"tf.linalg.diag({a}[..., 0])",
        f"tf.linalg.set_diag({a}, tf.linalg.diag_part({a}) * 2.0)",
        f"tf.linalg.norm({a} + 0.2, axis=[-2, -1])",
    ])  # fmt: skip


@line
def definite(d: Drawing) -> str:
    a = d.real(2)
    n = d.size(a, -2)
    m = f"(tf.matmul({a}, {a}, transpose_b=True) * 0.1 + tf.eye({n}, dtype=DTYPE))"
    return d.pick([
        f"tf.linalg.inv({m})", f"tf.linalg.cholesky({m})", f"tf.linalg.det({m})",
        f"tf.linalg.logdet({m})", f"tf.linalg.solve({m}, {a})", f"tf.linalg.slogdet({m})[1]",
        f"tf.linalg.triangular_solve({m}, {a})", f"tf.linalg.expm({m} * 0.3)",
        f"tf.linalg.cholesky_solve(tf.linalg.cholesky({m}), {a})", f"tf.linalg.eigvalsh({m})",
        f"tf.linalg.pinv({m})",
    ])  # fmt: skip


# ---- networks and signals -----------------------------------------------------------------------


@line
def image(d: Drawing) -> str:
    a = d.real(2, 4)
    x = {2: f"{a}[None, :, :, None]", 3: f"{a}[..., None]", 4: a}[d.rank(a)]
    channels = d.size(a, 3) if d.rank(a) == 4 else 1
    stride, padding = d.number(1, 2), d.pick(["SAME", "VALID"])
    kernel = [d.number(1, 2), d.number(1, 3), channels, d.number(1, 2)]
    tail = f"{stride}, {padding!r}"
    return d.pick([
        f"tf.nn.conv2d({x}, {d.weights(kernel)}, {tail})",
        f"tf.nn.depthwise_conv2d({x}, {d.weights(kernel)}, [1, {stride}, {stride}, 1], {padding!r})",
        f"tf.nn.max_pool2d({x}, 2, {tail})", f"tf.nn.avg_pool2d({x}, 2, {tail})",
        f"tf.image.resize({x}, [{d.number(1, 5)}, {d.number(1, 5)}], {d.pick(['bilinear', 'bicubic', 'nearest'])!r})",
        f"tf.image.flip_left_right({x})", f"tf.image.extract_patches({x}, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], {padding!r})",
        f"tf.nn.space_to_depth({x}, 1 + {d.number(0, 1)})", f"tf.image.total_variation({x})",
        f"tf.nn.local_response_normalization({x})",
    ])  # fmt: skip


@line
def sequence(d: Drawing) -> str:
    a = d.real(1, 3)
    x = {1: f"{a}[None, :, None]", 2: f"{a}[..., None]", 3: a}[d.rank(a)]
    channels = d.size(a, 2) if d.rank(a) == 3 else 1
    padding = d.pick(["SAME", "VALID"])
    return d.pick([
        f"tf.nn.conv1d({x}, {d.weights([2, channels, 2])}, {d.number(1, 2)}, {padding!r})",
        f"tf.nn.avg_pool1d({x}, 2, {d.number(1, 2)}, {padding!r})",
        f"tf.abs(tf.signal.rfft({a}) + 0.7)", f"tf.math.real(tf.signal.fft(tf.complex({a}, {a})))",
        f"tf.signal.dct({a})", f"tf.signal.frame({a}, 2, 1)", f"tf.signal.irfft(tf.signal.rfft({a}))",
        f"tf.signal.overlap_and_add({x}[..., 0:1] * 1.0, 1)", f"tf.signal.idct({a})",
    ])  # fmt: skip


# ---- control flow and functions -----------------------------------------------------------------


@line
def branched(d: Drawing) -> str:
    a = d.real()
    inner = d.pick([f"tf.sin({a})", f"{a} * {a}", f"tf.stop_gradient({a})", f"tf.nn.relu({a})"])
    number = f"tf.cast(tf.abs(tf.reduce_sum({a})) * 10.0, tf.int32)"
    return d.pick([
        f"tf.cond(tf.reduce_sum({a}) > {d.number(-1, 1)}.05, lambda: {inner}, lambda: {a} * 2.0)",
        f"tf.switch_case({number} % 3, [lambda: {inner}, lambda: {a} + 1.0, lambda: {a} * 0.5])",
        f"tf.case([(tf.reduce_max({a}) > 0.3, lambda: {inner})], lambda: -{a})",
    ])  # fmt: skip


@line
def looped(d: Drawing) -> str:
    a = d.real()
    times = d.number(0, 4)
    return d.pick([
        f"tf.while_loop(lambda i, y: i < {times}, lambda i, y: (i + 1, tf.sin(y) + {a} * 0.1), (0, {a}))[1]",
        f"tf.while_loop(lambda y: tf.reduce_sum(y * y) > 0.75, lambda y: (y * 0.5,), ({a},), maximum_iterations=20)[0]",
    ])  # fmt: skip


@line
def mapped(d: Drawing) -> str:
    a = d.real(1)
    inner = d.pick(["tf.sin(r)", "r * r", "tf.reduce_sum(r)", "tf.reduce_mean(r) * r"])
    return d.pick([
        f"tf.map_fn(lambda r: {inner}, {a})", f"tf.vectorized_map(lambda r: {inner}, {a})",
        f"tf.scan(lambda s, r: s * 0.5 + tf.sin(r), {a})", f"tf.foldl(lambda s, r: s * 0.5 + r, {a})",
        f"tf.TensorArray(DTYPE, {max(d.size(a, 0), 1)}).unstack({a}).stack() * 2.0",
        f"tf.foldr(lambda s, r: tf.tanh(s + r), {a})",
    ])  # fmt: skip


@line
def called(d: Drawing) -> str:
    a = d.real()
    inner = d.pick(["tf.tanh(t) * t", "tf.cumsum(tf.reshape(t, [-1]))", "t - tf.reduce_mean(t)"])
    return d.pick([
        f"tf.function(lambda t: {inner}, autograph=False)({a})",
        f"tf.recompute_grad(lambda t: {inner})({a})", f"tf.grad_pass_through(tf.round)({a})",
        f"tf.custom_gradient(lambda t: (tf.sin(t), lambda g: g * 3.0 * t))({a})",
        f"tf.clip_by_norm({a} + 0.1, 1.5)", f"tf.clip_by_global_norm([{a} + 0.1], 1.5)[0][0]",
        f"tf.map_fn(lambda t: {inner}, {a}[None])", f"tf.nn.dropout({a}, 0.0)",
    ])  # fmt: skip


@line
def whole_numbers(d: Drawing) -> str:
    i = d.some("i", lambda v: True)
    return d.pick([
        f"tf.cast({i}, DTYPE) * 0.25", f"{i} // 2", f"{i} % 3", f"{i} * {i} - 1", f"tf.abs({i})",
        f"tf.cast({i} // 3 + {i} % 4, DTYPE)", f"tf.reduce_sum({i})", f"tf.cast(tf.bitwise.bitwise_and({i}, 3), DTYPE)",
    ])  # fmt: skip
