"""What a gradient may be asked for: integers, results without a rule, and what is not changed at all."""

# mypy: disable-error-code="no-any-return, misc"
from __future__ import annotations

from typing import Any

from unit_programs.common import Programs, in_session, refusal


def programs(tf: Any) -> Programs:
    return integers(tf) | ends(tf) | unchanged(tf) | made_of_values(tf) | refused_in_graphs(tf)


def integers(tf: Any) -> Programs:
    """An integer is connected with nothing but itself; the policy may put zeros."""
    number, numbers, truth = tf.constant(3), tf.constant([3, 4]), tf.constant(True)

    def taped(x: Any, policy: str, of: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = of(x)
        return tape.gradient(y, x, unconnected_gradients=policy)

    def used(x: Any) -> Any:
        return tf.cast(x, tf.float32) * 2.0

    def both_ways(of: Any) -> Any:
        def inside(policy: str) -> Any:
            return tf.function(lambda x: taped(x, policy, of))(numbers)

        def in_graph(policy: str) -> Any:
            def graph(x: Any) -> Any:
                return tf.gradients(of(x), x, unconnected_gradients=policy)

            return tf.function(graph)(numbers)

        return [
            [taped(numbers, policy, of), inside(policy), in_graph(policy)]
            for policy in ("none", "zero")
        ]

    def beside_floats() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, number])
            y = x * used(number)
        asked = [x, number, truth]
        return tape.gradient(y, asked), tape.gradient(y, asked, unconnected_gradients="zero")

    def by_themselves() -> Any:
        counter = tf.Variable(3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(number)
            twice = number * 2
        return [
            tape.gradient(number, number),
            tape.gradient([number, number], number),
            tape.gradient(number, number, output_gradients=tf.constant(5)),
            tape.gradient(twice, [twice, number]),
            tape.gradient(counter, counter),
            tape.gradient(truth, truth),
        ]

    def jacobians() -> Any:
        x, rows = tf.constant([2.0, 1.0]), tf.constant([[3], [4]])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, numbers, rows])
            y, z = x * used(numbers), used(rows)
        return [
            tape.jacobian(y, [x, numbers]),
            tape.jacobian(y, [x, numbers], unconnected_gradients="zero"),
            tape.batch_jacobian(z, rows),
            tape.batch_jacobian(z, rows, unconnected_gradients="zero"),
        ]

    def in_a_session() -> Any:
        def build() -> Any:
            x = tf.constant([3, 4])
            return tf.gradients(x * 2, x, unconnected_gradients="zero"), tf.gradients(x, x)

        return in_session(tf, build)

    return {
        "integers used": lambda: both_ways(used),
        "integers multiplied": lambda: both_ways(lambda x: x * 2),
        "integers squared": lambda: both_ways(tf.square),
        "integers beside floats": beside_floats,
        "integers by themselves": by_themselves,
        "integers in jacobians": jacobians,
        "integers in a session": in_a_session,
    }


def ends(tf: Any) -> Programs:
    """A result through which nothing flows back is a source like any other; a stopped one is none."""

    def through(of: Any) -> Any:
        def gradients() -> Any:
            x = tf.constant([1.5, 2.5])
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                end = of(x)
                y = x * end
            return tape.gradient(y, [x, end]), tape.gradient(y, end), tape.gradient(end, [x, end])

        return gradients(), tf.function(gradients)()

    return {
        "ends of roundings": lambda: [through(f) for f in (tf.round, tf.floor, tf.math.ceil)],
        "ends of likes": lambda: [through(f)[0] for f in (tf.zeros_like, tf.ones_like)],
        "ends of quotients": lambda: through(lambda x: x // 1.0),
        "ends that are stopped": lambda: through(tf.stop_gradient),
        "ends that are shuffled": lambda: through(lambda x: tf.random.shuffle(x) * 0.0)[0][1],
    }


def unchanged(tf: Any) -> Programs:
    """A cast to the same dtype, an axis from the end, sizes of parts, truths as numbers."""

    def cast() -> Any:
        v = tf.Variable(1.0)
        same = tf.cast(v, tf.float32)
        v.assign(2.0)
        with tf.GradientTape() as tape:
            y = tf.cast(v, "float32") * 3.0
        return same is v, same, tf.cast(v, tf.float64) is v, tape.gradient(y, v)

    def gathered() -> Any:
        x = tf.constant([1.0, 2.0, 3.0])
        found = []
        for axis in (None, 0, -1):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.gather(x, [2, 0], axis=axis)
            found.append(tape.gradient(y, x))
        return found

    def parts() -> Any:
        x = tf.constant([1, 2, 3])
        refused: list[tuple[Any, Any, str]] = [
            ([0, -1], 1, "have the same elements as outputs got 1 -D and 2 elements"),
            ([1, 2], 3, "have the same elements as outputs got 1 -D and 2 elements"),
            ([[1, 2]], None, "have the same elements as outputs got 2 -D and 2 elements"),
            (tf.constant([], tf.int32), None, "must be at least minimum 1"),
            ([2], None, "If there is only one output.*Input size: 3 output size: 2"),
            ([1, 1], None, "or be less than the size of the input along split_dim if not fully"),
            ([-2, 5], None, "Split size at index 0 must be >= 0. Got: -2"),
            (tf.constant(3), None, "Rank-0 tensors are not supported as the num_or_size_splits"),
            (3.0, None, "Rank-0 tensors are not supported as the num_or_size_splits"),
        ]
        return [
            tf.split(x, [0, -1]),
            tf.split(x, [1, 2], num=2),
            [refusal(lambda s=s, n=n: tf.split(x, s, num=n), text) for s, n, text in refused],
        ]

    def truths() -> Any:
        taking = [tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.complex128]
        refusing = [tf.bfloat16, tf.int8, tf.uint8, tf.complex64]
        return [
            [tf.constant(True, kind) for kind in taking],
            [refusal(lambda k=k: tf.constant([True], k), "Cannot convert") for k in refusing],
            tf.one_hot([0, 1], 2, off_value=False, dtype=tf.complex128),
            refusal(lambda: tf.one_hot([0, 1], 2, on_value=True, dtype=tf.uint8), "does not match"),
        ]

    def products() -> Any:
        square = [[1, 0], [1, 1]]
        return [
            refusal(
                lambda k=kind, f=f: f(tf.cast(square, k), tf.cast(square, k)), "Value for attr 'T'"
            )
            for kind in (tf.bool, tf.int8, tf.int16)
            for f in (tf.matmul, lambda a, b: a @ b, lambda a, b: tf.tensordot(a, b, 1))
        ]

    def words() -> Any:
        image, kernel = tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1])
        width = "value_range should satisfy value_range.0. < value_range.1., but got"
        return [
            refusal(
                lambda: tf.nn.conv2d(image, kernel, 1, "FOO"), "attr 'padding' of \"FOO\" is not"
            ),
            refusal(
                lambda: tf.nn.max_pool2d(image, 2, 1, "FOO"), "attr 'padding' of \"FOO\" is not"
            ),
            refusal(lambda: tf.histogram_fixed_width([1.0, 2.0], [3.0, 3.0]), width),
            refusal(lambda: tf.histogram_fixed_width([1, 2], [3, 0]), width),
            tf.histogram_fixed_width([1.0, 2.5], [0.0, 3.0], 3),
        ]

    return {
        "words of refusals": words,
        "casts to the same dtype": cast,
        "axes from the end": gathered,
        "sizes of parts": parts,
        "truths as numbers": truths,
        "products without numbers": products,
    }


def made_of_values(tf: Any) -> Programs:
    """What is made of a tensor's value is a source of its own, if the tensor is followed and no integer."""

    def in_each_mode(of: Any, *numbers: Any) -> Any:
        def taped(policy: str = "none") -> Any:
            xs = [tf.constant(n) for n in numbers]
            with tf.GradientTape() as tape:
                tape.watch(xs)
                y, sources = of(*xs)
            return tape.gradient(y, sources, unconnected_gradients=policy)

        return taped(), taped("zero"), tf.function(taped)()

    def ranges() -> Any:
        def of(make: Any) -> Any:
            def target(x: Any) -> Any:
                r = make(x)
                return r * x, [x, r]

            return in_each_mode(target, 3.0)

        return (
            of(tf.range),
            of(lambda x: tf.range(x, 6.0, 1.0)),
            of(lambda x: tf.range(0.0, 7.0, x)),
        )

    def values_of_ones() -> Any:
        def target(x: Any) -> Any:
            r = tf.one_hot([0, 1], 2, on_value=x)
            return r * x, [x, r]

        return in_each_mode(target, 3.0)

    def chosen_by_integers() -> Any:
        def of(make: Any) -> Any:
            def target(x: Any) -> Any:
                r = make(tf.cast(x, tf.int32))
                return r * x, [x, r]

            return in_each_mode(target, [1.5, 0.5])

        table = [1.0, 2.0, 3.0]
        return [
            of(lambda i: tf.one_hot(i, 2)),
            of(lambda i: tf.gather(tf.constant(table), i)),
            of(lambda i: tf.cast(i, tf.float32)),
            of(lambda i: tf.sequence_mask(i, 2, tf.float32)),
        ]

    def rounded_integers() -> Any:
        x = tf.constant([1, 2])
        return tf.round(x) is x, in_each_mode(lambda i: (tf.round(i), [i]), [1, 2])[0]

    def recomputed() -> Any:
        def of(f: Any, *numbers: Any) -> Any:
            return in_each_mode(lambda *xs: (tf.recompute_grad(f)(*xs), list(xs)), *numbers)

        return [
            of(lambda a, b: a * 2.0, 1.0, 2.0),
            of(lambda a: tf.stop_gradient(a), 1.0),
            of(lambda a, b: tf.constant(2.0), 1.0, 2.0),
        ]

    return {
        "sources that are ranges": ranges,
        "sources that are values of ones": values_of_ones,
        "sources chosen by integers": chosen_by_integers,
        "integers rounded": rounded_integers,
        "sources recomputed": recomputed,
    }


def refused_in_graphs(tf: Any) -> Programs:
    """Conditions that are no truth values, and products that no kernel computes."""

    def conditions() -> Any:
        def of(condition: Any) -> Any:
            return tf.cond(condition, lambda: 1.0, lambda: 2.0)

        def in_graph(make: Any) -> Any:
            return refusal(lambda: in_session(tf, lambda: of(make())))

        taken: list[Any] = [1, 0.0, "a", ""]
        return [
            [of(v) for v in taken],
            [in_graph(lambda v=v: v) for v in taken],
            [in_graph(lambda v=v: tf.constant(v)) for v in (1, 1.0)],
            [refusal(tf.function(lambda v=v: of(v)), "Input 'pred' passed") for v in (1, 1.0)],
        ]

    def indices_of_branches() -> Any:
        def of() -> Any:
            return tf.switch_case(tf.constant(1, tf.int64), [lambda: 1.0, lambda: 2.0])

        return of(), refusal(tf.function(of), "does not match|that does not match expected type")

    def unsigned() -> Any:
        kinds = (tf.uint8, tf.uint16, tf.uint32, tf.uint64)
        return [
            refusal(lambda k=k: tf.matmul(*[tf.ones([2, 2], k)] * 2), "Could not find device")
            for k in kinds
        ]

    def mixed() -> Any:
        wide = tf.complex128
        return [
            tf.constant([3.0, 1j], wide),
            tf.constant([True, 1.0], tf.float32),
            tf.constant([True, 2], tf.int32),
            [refusal(lambda v=v: tf.constant(v), "mixed types") for v in ([3.0, 1j], [True, 2])],
            refusal(lambda: tf.constant([3.0, 1j], tf.complex64), "mixed types"),
        ]

    return {
        "conditions that are no truths": conditions,
        "indices of other integers": indices_of_branches,
        "products without a sign": unsigned,
        "mixtures of numbers": mixed,
    }
